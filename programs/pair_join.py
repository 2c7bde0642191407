"""The pairs of vertices that a graph joins, which TrussNumber and WeightedClustering look up."""

from __future__ import annotations

import numpy as np

from gascl import Graph


def joined_pairs(graph: Graph) -> tuple[Graph, np.ndarray]:
    """An undirected graph with an edge for every two vertices that edges join; and for each edge
    of the graph its pair, the id of that edge, int64 (E,); -1 for a self-loop."""
    low = np.minimum(graph.edge_src, graph.edge_dst).astype(np.int64)
    high = np.maximum(graph.edge_src, graph.edge_dst)
    other, count = low != high, graph.num_vertices
    keys, found = np.unique((low * count + high)[other], return_inverse=True)
    pair = np.full(graph.num_edges, -1)
    pair[other] = found
    ends = np.divmod(keys, max(count, 1))
    return Graph.from_edges(*ends, num_vertices=count, directed=False), pair
