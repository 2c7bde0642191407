"""Several copies of a graph as one graph, without sorting its arcs again."""

from __future__ import annotations

import numpy as np

from gascl.graph.arcs import Arcs, Order, index_dtype
from gascl.graph.graph import Graph


def repeated(graph: Graph, times: int) -> Graph:
    """The graph that consists of the graph so many times: vertex v of copy i is v + i * V, and its
    edges are those of the copies in a row, with their fields."""
    if times == 1:
        return graph
    count, edges = graph.num_vertices, graph.num_edges
    copy = np.arange(times, dtype=np.int32)[:, None]
    src, dst = ((end + count * copy).ravel() for end in (graph.edge_src, graph.edge_dst))
    fields = {name: np.tile(values, times) for name, values in graph.edge_fields.items()}
    whole = Graph(src, dst, times * count, graph.directed, edge_fields=fields)
    arcs = graph.arcs("both")
    index = index_dtype(times * graph.num_edges * 2)
    first = np.arange(times, dtype=index)[:, None]
    offsets = np.zeros(times * count + 1, index)
    offsets[1:] = (arcs.out_offsets[1:] + len(arcs.out_targets) * first).ravel()
    known = {
        "offsets": offsets,
        "ends": (arcs.out_targets + count * copy).ravel(),
        "places": (arcs.out_edges + edges * first).ravel(),
    }
    for array in known.values():
        array.setflags(write=False)
    order = Order(src, dst, times * count, both=True, known=known, stored=False)
    whole._arcs["both"] = Arcs(order, order, src, "both")
    return whole
