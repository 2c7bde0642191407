"""The edges of a graph as arrays, in the order in which NetworkX would have added them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from scipy.sparse import coo_array

from gascl.io.adapters.adjacency import Adjacency

#: Neighbors of nodes by NetworkX's names.
Rows = Mapping[Any, Mapping[Any, Any]]


@dataclass(frozen=True)
class Entries:
    """Each node's neighbors in NetworkX's order.

    Attributes:
        offsets: int64 (V + 1,), where each node's neighbors begin.
        neighbors: int32 (N,), their places.
        edges: int32 or int64 (N,), the number of the edge to each.
    """

    offsets: np.ndarray
    neighbors: np.ndarray
    edges: np.ndarray


@dataclass(frozen=True)
class EdgeList:
    """The nodes and edges of a graph of V nodes and E edges, no two of which have the same ends; a
    node is its place in `nodes`. Nobody changes the arrays.

    Attributes:
        nodes: in NetworkX's order.
        tails, heads: int32 (E,), the ends of the edges in the order in which they are added.
        columns: attributes that all edges have (E,): numbers, bools, or Python's objects.
    """

    nodes: list[Any]
    tails: np.ndarray
    heads: np.ndarray
    columns: dict[Any, np.ndarray]
    directed: bool

    def __reduce__(self) -> tuple[Any, ...]:
        """Without what can be made from them."""
        return EdgeList, (self.nodes, self.tails, self.heads, self.columns, self.directed)

    def __len__(self) -> int:
        return len(self.tails)

    @cached_property
    def index(self) -> dict[Any, int]:
        """The place of each node."""
        return dict(zip(self.nodes, range(len(self.nodes)), strict=True))

    @cached_property
    def entries(self) -> Entries:
        """The neighbors of each node; its successors, if the graph is directed."""
        if self.directed:
            return self._entries(self.tails, self.heads, np.arange(len(self)))
        # An undirected edge is added to the rows of both ends, and a loop once.
        edges = np.repeat(np.arange(len(self)), 2)
        ends = np.stack([self.tails, self.heads], axis=1)
        rows, neighbors = ends.ravel(), ends[:, ::-1].ravel()
        once = rows != neighbors
        once[::2] = True
        if not once.all():
            rows, neighbors, edges = rows[once], neighbors[once], edges[once]
        return self._entries(rows, neighbors, edges)

    @cached_property
    def predecessors(self) -> Entries:
        """The predecessors of each node of a directed graph."""
        return self._entries(self.heads, self.tails, np.arange(len(self)))

    def _entries(self, rows: np.ndarray, neighbors: np.ndarray, edges: np.ndarray) -> Entries:
        """Entries (N,) by row, in their order."""
        count = len(rows)
        places = rows, np.arange(count, dtype=np.int32 if count < 2**31 else np.int64)
        # SciPy sorts by row by counting, ten times as fast as NumPy's stable sort.
        matrix = coo_array((np.ones(count, np.int8), places), shape=(len(self.nodes), count))
        matrix = matrix.tocsr()
        order = matrix.indices
        return Entries(matrix.indptr.astype(np.int64), neighbors.take(order), edges.take(order))

    @cached_property
    def adjacency(self) -> Adjacency:
        """The same as arrays in the order of `G.adj` and `G.edges`."""
        entries = self.entries
        src = np.repeat(np.arange(len(self.nodes), dtype=np.int32), np.diff(entries.offsets))
        dst = entries.neighbors
        if not self.directed:
            listed = src <= dst
            src, dst = src[listed], dst[listed]
        return Adjacency(self.nodes, entries.offsets, entries.neighbors, None, src, dst)

    @cached_property
    def listed(self) -> np.ndarray:
        """int64 (E,): the numbers of the edges in the order of `G.edges`."""
        entries = self.entries
        if self.directed:
            return entries.edges
        src = np.repeat(np.arange(len(self.nodes), dtype=np.int32), np.diff(entries.offsets))
        return entries.edges[src <= entries.neighbors]

    def values(self, name: Any) -> np.ndarray | None:
        """An attribute (E,) in the order of `G.edges`; None: no edge has it."""
        try:
            column = self.columns.get(name)
        except TypeError:  # not hashable
            return None
        return None if column is None else column.take(self.listed)

    def copied(self) -> EdgeList:
        """What NetworkX's `G.copy()` makes of it: it adds the edges in the order of `G.edges`."""
        adjacency = self.adjacency
        columns = {name: column.take(self.listed) for name, column in self.columns.items()}
        return EdgeList(self.nodes, adjacency.src, adjacency.dst, columns, self.directed)

    def rows(self, reverse: bool = False) -> Rows:
        """The neighbors of the nodes, each row made when it is read.

        Args:
            reverse: a directed graph's predecessors.
        """
        return _Rows(self, self.predecessors if reverse and self.directed else self.entries)

    def dictionaries(self) -> list[dict[Any, dict[Any, dict[str, Any]]]]:
        """What NetworkX keeps: neighbors, or successors and predecessors, of each node, with the
        attributes of the edge."""
        names = list(self.columns)
        lists = [column.tolist() for column in self.columns.values()]
        records: list[dict[str, Any]]
        if len(names) == 1:
            records = [{names[0]: value} for value in lists[0]]
        elif names:
            records = [dict(zip(names, row, strict=True)) for row in zip(*lists, strict=True)]
        else:
            records = [{} for _ in range(len(self))]
        rows = [self.entries, self.predecessors] if self.directed else [self.entries]
        return [self._dictionary(entries, records) for entries in rows]

    def _dictionary(self, entries: Entries, records: list[dict[str, Any]]) -> dict[Any, Any]:
        neighbors = map(self.nodes.__getitem__, entries.neighbors.tolist())
        ends = zip(neighbors, map(records.__getitem__, entries.edges.tolist()), strict=True)
        lengths = np.diff(entries.offsets).tolist()
        return {
            n: dict(islice(ends, length)) for n, length in zip(self.nodes, lengths, strict=True)
        }


class _Rows(Mapping[Any, Mapping[Any, Any]]):
    def __init__(self, edges: EdgeList, entries: Entries):
        self._edges, self._entries = edges, entries

    def __getitem__(self, node: Any) -> dict[Any, Any]:
        place, nodes = self._edges.index[node], self._edges.nodes
        begin, end = self._entries.offsets[place : place + 2]
        return dict.fromkeys(map(nodes.__getitem__, self._entries.neighbors[begin:end].tolist()))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._edges.nodes)

    def __len__(self) -> int:
        return len(self._edges.nodes)


def stored_edges(G: Any) -> EdgeList | None:
    """The edges of a graph that is stored as arrays; None: it is not, or no more."""
    edges = getattr(G, "__dict__", {}).get("_stored")
    return edges if isinstance(edges, EdgeList) else None


def distinct(
    nodes: list[Any],
    tails: np.ndarray,
    heads: np.ndarray,
    columns: dict[Any, np.ndarray],
    directed: bool,
) -> EdgeList:
    """Edges as NetworkX adds them: one that is there already only gets the new attributes.

    Args:
        tails, heads: int32 (N,), and each of `columns`.
    """
    low, high = tails, heads
    if not directed:
        low, high = np.minimum(tails, heads), np.maximum(tails, heads)
    order, again = _repeated(low.astype(np.int64) * len(nodes) + high, len(nodes) ** 2)
    if not again.any():
        return EdgeList(nodes, tails, heads, columns, directed)
    begins = np.flatnonzero(~again)
    first, last = order[begins], order[np.append(begins[1:], len(order)) - 1]
    latest = np.full(len(tails), -1, np.int64)
    latest[first] = last
    kept = np.flatnonzero(latest >= 0)
    columns = {name: column[latest[kept]] for name, column in columns.items()}
    return EdgeList(nodes, tails[kept], heads[kept], columns, directed)


def _repeated(keys: np.ndarray, limit: int) -> tuple[np.ndarray, np.ndarray]:
    """The places of keys in their order, equal ones by place, and bool (N,): whether the key at
    each is the one before.

    Args:
        keys: int64 (N,), below `limit`.
    """
    bits = len(keys).bit_length()
    if limit.bit_length() + bits > 63:
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
    else:  # in one number, which NumPy sorts ten times as fast
        keys <<= bits
        keys |= np.arange(len(keys))
        keys.sort()
        order = keys & ((1 << bits) - 1)
        keys >>= bits
    again = np.zeros(len(keys), bool)
    again[1:] = keys[1:] == keys[:-1]
    return order, again


def numbered(ends: np.ndarray) -> tuple[list[Any], np.ndarray]:
    """The nodes in order of first appearance, and int32 (N,), the place of each end among them.

    Args:
        ends: int64 (N,), or Python's objects, of which equal ones are alike.
    """
    if ends.dtype == object:
        place = dict.fromkeys(ends.tolist())
        place = dict(zip(place, range(len(place)), strict=True))
        count = len(ends)
        return list(place), np.fromiter(map(place.__getitem__, ends.tolist()), np.int32, count)
    unique, codes = _numbered_integers(ends)
    return unique.tolist(), codes


def _numbered_integers(ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if len(ends) == 0:
        return ends, np.zeros(0, np.int32)
    least, most = int(ends.min()), int(ends.max())
    if most - least > 4 * len(ends):
        unique, first, codes = np.unique(ends, return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.empty(len(unique), np.int32)
        place[order] = np.arange(len(unique), dtype=np.int32)
        return unique[order], place[codes]
    shifted = ends - least if least else ends
    first = np.full(most - least + 1, -1, np.int64)
    first[shifted[::-1]] = np.arange(len(ends) - 1, -1, -1)  # NumPy keeps the last one
    appears = np.zeros(len(ends), bool)
    appears[first[first >= 0]] = True
    unique = shifted[appears]
    place = np.empty(len(first), np.int32)
    place[unique] = np.arange(len(unique), dtype=np.int32)
    return ends[appears], place[shifted]
