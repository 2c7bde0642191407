"""The adjacency of a NetworkX graph as arrays, read without a tuple for every edge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, compress, islice
from struct import error as StructError
from struct import pack
from typing import Any

import numpy as np

#: These have their adjacency in `_adj`. A subclass may show another one than it holds.
_PLAIN = ("Graph", "DiGraph", "MultiGraph", "MultiDiGraph")

#: The neighbors that are packed at a time: few enough to stay in the cache.
_AT_A_TIME = 1024


@dataclass(frozen=True)
class Adjacency:
    """The nodes and edges of a NetworkX graph of V nodes and E edges; a node is its place in
    `nodes`.

    Attributes:
        nodes: in NetworkX's order.
        offsets: int64 (V + 1,), where each node's neighbors begin in `neighbors`.
        neighbors: int32 (N,), each node's successors, or neighbors, in NetworkX's order; a
            neighbor by parallel edges is one.
        counts: int64 (N,), how many edges each neighbor stands for; None: one each.
        src, dst: int32 (E,), the ends of the edges in the order of `G.edges`.
    """

    nodes: list[Any]
    offsets: np.ndarray
    neighbors: np.ndarray
    counts: np.ndarray | None
    src: np.ndarray
    dst: np.ndarray


def read_adjacency(G: Any) -> Adjacency:
    """The adjacency of a NetworkX graph of any class."""
    rows = _rows(G)
    nodes = list(rows)
    lengths = np.fromiter(map(len, rows.values()), np.int64, len(nodes))
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    neighbors = _places(nodes, rows, int(offsets[-1]))
    counts = None
    if G.is_multigraph():
        keys = chain.from_iterable(row.values() for row in rows.values())
        counts = np.fromiter(map(len, keys), np.int64, len(neighbors))
    src = np.repeat(np.arange(len(nodes), dtype=np.int32), lengths)
    dst, multiple = neighbors, counts
    if not G.is_directed():
        listed = src <= dst
        src, dst = src[listed], dst[listed]
        multiple = None if counts is None else counts[listed]
    if multiple is not None:
        src, dst = np.repeat(src, multiple), np.repeat(dst, multiple)
    return Adjacency(nodes, offsets, neighbors, counts, src, dst)


def edge_records(G: Any, adjacency: Adjacency) -> Iterator[dict[str, Any]]:
    """The attributes of each edge, in the order of `G.edges`."""
    entries: Iterator[Any] = chain.from_iterable(row.values() for row in _rows(G).values())
    if not G.is_directed():
        lengths = np.diff(adjacency.offsets)
        src = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        entries = compress(entries, (src <= adjacency.neighbors).tobytes())
    return chain.from_iterable(e.values() for e in entries) if G.is_multigraph() else entries


def predecessors(G: Any, adjacency: Adjacency) -> tuple[np.ndarray, np.ndarray]:
    """`offsets` and `neighbors` of a directed graph's predecessors, in NetworkX's order."""
    place = {node: place for place, node in enumerate(adjacency.nodes)}
    rows = [list(map(place.__getitem__, G.predecessors(node))) for node in adjacency.nodes]
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return offsets, np.fromiter(chain.from_iterable(rows), np.int32, int(offsets[-1]))


def _rows(G: Any) -> Mapping[Any, Mapping[Any, Any]]:
    """Each node's neighbors, and what leads to them."""
    kind = type(G)
    plain = kind.__name__ in _PLAIN and kind.__module__.startswith("networkx.classes.")
    # A view has the class of its graph, and an `_adj` that is not a dictionary.
    if plain and type(G._adj) is dict:
        return G._adj
    # Views may count more than they show.
    rows = {}
    for node, row in G.adjacency():
        # The complement of a graph, as NetworkX's approximations show it, has sets.
        rows[node] = dict(row.items() if isinstance(row, Mapping) else {key: {} for key in row})
    if G.is_multigraph():
        for row in rows.values():
            row.update((node, dict(keys.items())) for node, keys in list(row.items()))
    return rows


def _places(nodes: list[Any], rows: Mapping[Any, Mapping[Any, Any]], count: int) -> np.ndarray:
    """int32 (count,): the places of all neighbors, row by row."""
    if _numbered(nodes):
        try:
            return _packed(chain.from_iterable(rows.values()), count)
        except StructError:  # a neighbor may be written 1.0 where the node is 1
            pass
    place = {node: place for place, node in enumerate(nodes)}
    return _packed(map(place.__getitem__, chain.from_iterable(rows.values())), count)


def _packed(numbers: Iterator[int], count: int) -> np.ndarray:
    """int32 (count,), in a fifth less time than by `np.fromiter`."""
    sizes = (min(_AT_A_TIME, count - begin) for begin in range(0, count, _AT_A_TIME))
    parts = (pack(f"{size}i", *islice(numbers, size)) for size in sizes)
    return np.frombuffer(bytearray().join(parts), np.int32)


def _numbered(nodes: list[Any]) -> bool:
    """Whether every node is its own place: many graphs come so, and need no dictionary."""
    return nodes == list(range(len(nodes))) and set(map(type, nodes)) <= {int}
