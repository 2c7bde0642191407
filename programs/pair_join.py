"""The pairs of vertices that a graph joins, which TrussNumber and WeightedClustering look up."""

from __future__ import annotations

import numpy as np

from gascl import Graph


def numbered_pairs(graph: Graph) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """The pairs of vertices that edges join, P of them: the lower and the higher vertex, int64 (P,)
    each; and for each edge of the graph the number of its pair, int64 (E,); -1 for a self-loop."""
    low = np.minimum(graph.edge_src, graph.edge_dst).astype(np.int64)
    high = np.maximum(graph.edge_src, graph.edge_dst)
    other, count = low != high, graph.num_vertices
    keys, found = np.unique((low * count + high)[other], return_inverse=True)
    pair = np.full(graph.num_edges, -1)
    pair[other] = found
    return np.divmod(keys, max(count, 1)), pair


def joined_pairs(graph: Graph) -> tuple[Graph, np.ndarray]:
    """An undirected graph with an edge for each of `numbered_pairs`, and the pair of each edge."""
    ends, pair = numbered_pairs(graph)
    return Graph.from_edges(*ends, num_vertices=graph.num_vertices, directed=False), pair
