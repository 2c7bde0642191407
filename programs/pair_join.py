"""The pairs of vertices that a graph joins, which TrussNumber and WeightedClustering look up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gascl import Graph, ProgramError


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


def size_with_places(size: Any) -> Any:
    """The size of the graph `with_places`, where no edges are parallel."""
    rows = max(size.num_vertices, 2 * size.num_edges)
    return replace(size, num_vertices=rows, directed=False, num_loops=0)


def with_places(pairs: Graph) -> tuple[Graph, np.ndarray]:
    """The same edges among as many vertices as there are arcs, if these are more, so that a vertex
    field can have a value for each place among the arcs; and the first place of each vertex, int32.

    Raises:
        ProgramError: there are more arcs than there can be vertices.
    """
    size, most = max(pairs.num_vertices, pairs.num_arcs), np.iinfo(np.int32).max
    if size > most:
        why = f"{pairs.num_arcs:,} arcs are more than {most:,}: take a smaller graph"
        raise ProgramError(why)
    begin = np.zeros(size, np.int32)
    begin[: pairs.num_vertices] = pairs.arcs().out_offsets[:-1]
    ends = pairs.edge_src, pairs.edge_dst
    return Graph.from_edges(*ends, num_vertices=size, directed=False), begin
