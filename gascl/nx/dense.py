"""The distances between all pairs of nodes, as a matrix and as dictionaries."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from math import inf
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import csgraph, csr_array

from gascl.io.adapters.adjacency import edge_records
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function, callable_weight, few_nodes
from gascl.nx.edge_list import stored_edges
from gascl.nx.weighted import entry_lengths


@backend_function(
    first=300, cached=300, numpy=True, limits="No weights below 0.", slower=[few_nodes(300)]
)
def floyd_warshall_numpy(G: Converted, nodelist: Any = None, weight: Any = "weight") -> np.ndarray:
    """The distances between all pairs, dense; by Dijkstra's algorithm."""
    if nodelist is not None and not len(nodelist) == len(G) == len(set(nodelist)):
        raise nx.NetworkXError(
            "nodelist must contain every node in G with no repeats."
            "If you wanted a subgraph of G use G.subgraph(nodelist)"
        )
    if len(G) == 0 or (nodelist is not None and any(node not in G for node in nodelist)):
        raise NotImplementedError("no nodes, or those of other graphs")
    lengths, (offsets, neighbors) = entry_lengths(G, weight), G.rows()
    if lengths.min(initial=0) < 0:
        raise NotImplementedError("weights below 0")
    matrix = csr_array((lengths, neighbors, offsets), shape=(len(G), len(G)))
    distance = csgraph.dijkstra(matrix)
    if nodelist is None:
        return distance
    order = G.places(nodelist)
    return distance[np.ix_(order, order)]


#: Predecessors, and distances, by source and target.
_Dictionaries = tuple[dict[Any, dict[Any, Any]], dict[Any, dict[Any, Any]]]

_of_pairs = backend_function(
    first=30,
    cached=30,
    numpy=True,
    limits="No function as weight; weights are all integers, all floats, or all missing.",
    unsupported=[callable_weight()],
    slower=[few_nodes(30)],
)


@_of_pairs
def floyd_warshall(G: Converted, weight: Any = "weight") -> dict[Any, dict[Any, Any]]:
    """The distances between all pairs."""
    return _floyd_warshall(G, weight)[1]


@_of_pairs
def floyd_warshall_predecessor_and_distance(G: Converted, weight: Any = "weight") -> _Dictionaries:
    """The same with the node before the target on each path."""
    return _floyd_warshall(G, weight)


def _floyd_warshall(G: Converted, weight: Any) -> _Dictionaries:
    """Floyd's algorithm with NetworkX's sums, choices and order: row and column w do not change in
    the step of node w, so that all pairs can take it at once."""
    count, nodes = len(G), G.node_array
    lengths, whole = _pair_lengths(G, weight)
    src, dst = G.ends
    if not G.is_directed():  # NetworkX sees both directions of one edge after the other
        src, dst = np.stack([src, dst], 1).ravel(), np.stack([dst, src], 1).ravel()
        lengths = lengths.repeat(2)
    distance = np.full((count, count), inf)
    np.fill_diagonal(distance, 0)
    np.minimum.at(distance, (src, dst), lengths)
    at_once = (src == dst) & (lengths == 0)  # self-loops
    of_loop = dict(zip(src[at_once].tolist(), lengths[at_once].tolist(), strict=True))
    before = np.full((count, count), -1, np.int32)
    before[src, dst] = src
    found = np.full((count, count), count, np.int32)  # in the step of this node
    found[src, dst] = -1
    for node in range(count):
        sums = distance[:, node, None] + distance[node]
        row, column = np.nonzero(sums < distance)
        distance[row, column] = sums[row, column]
        before[row, column] = before[node, column]
        found[row, column] = np.minimum(found[row, column], node)
    if distance.diagonal().any():
        raise NotImplementedError("cycles of negative length")
    order = np.argsort(src, kind="stable")
    parts = np.split(dst[order], np.bincount(src, minlength=count).cumsum()[:-1])
    predecessors, distances = {}, {}
    for place in dict.fromkeys(src.tolist()):
        first = dict.fromkeys(parts[place].tolist())
        later = np.flatnonzero((found[place] >= 0) & (before[place] >= 0))
        later = later[np.argsort(found[place, later], kind="stable")]
        ends = np.array([*first, *later.tolist()])
        named = nodes[ends].tolist(), nodes[before[place, ends]].tolist()
        predecessors[nodes[place]] = dict(zip(*named, strict=True))
    for place, node in enumerate(nodes):
        ends = np.fromiter(dict.fromkeys(chain((place,), parts[place].tolist(), range(count))), int)
        listed = distance[place, ends].tolist()
        if whole:
            listed = [int(each) if each < inf else inf for each in listed]
        listed[0] = 0 if whole else of_loop.get(place, 0)
        row_of: dict[Any, Any] = defaultdict(lambda: inf)
        row_of.update(zip(nodes[ends].tolist(), listed, strict=True))
        distances[node] = row_of
    return predecessors, distances


def _pair_lengths(G: Converted, weight: Any) -> tuple[np.ndarray, bool]:
    """float64 (E,), and whether they are integers: NetworkX takes 1.0 where there is none.

    Raises:
        NotImplementedError: some are integers, and others are not or are missing.
    """
    column = G.column(weight)
    lengths = column.lengths
    original = G.original()
    if (stored := stored_edges(original)) is not None:
        have = 0 if stored.values(weight) is None else len(lengths)
    else:
        have = sum(weight in each for each in edge_records(original, G.topology.adjacency))
    if column.mixed is not None or 0 < have < len(lengths):
        raise NotImplementedError("weights of which some are integers, floats or missing")
    return lengths, column.whole and have > 0
