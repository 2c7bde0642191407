"""Simple graphs, and graphs with reordered vertices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.graph.reordering import Renumbered, hubs_first, inverse
from gascl.graph.validation import Edges

if TYPE_CHECKING:
    from gascl.graph.graph import Graph


def simple(graph: Graph, directed: bool) -> Graph:
    """The result of `Graph.simple`."""
    report = list(graph.report)
    edges = Edges(graph.edge_src, graph.edge_dst, dict(graph.edge_fields), graph.labels, report)
    edges.apply_self_loops("drop")
    edges.apply_duplicates("first", graph.num_vertices, directed)
    same = len(edges.src) == graph.num_edges and directed == graph.directed
    if same and graph.change is None:
        return graph  # itself, so that arcs sorted earlier are reused
    return replace(
        graph,
        src=edges.src,
        dst=edges.dst,
        edge_fields=edges.fields,
        directed=directed,
        report=report,
        change=None,
    )


def by_degree(graph: Graph) -> tuple[Graph, np.ndarray]:
    """The result of `Graph.by_degree`."""
    number = inverse(hubs_first(graph.degree))
    numbered = replace(
        graph,
        src=np.asarray(Renumbered(graph.edge_src, number)),
        dst=np.asarray(Renumbered(graph.edge_dst, number)),
        labels=None,
        edge_fields={},
        vertex_fields={},
        report=list(graph.report),
        change=None,
        _label_index=None,
    )
    return numbered, number


def oriented(graph: Graph, degree: np.ndarray) -> tuple[Graph, np.ndarray]:
    """The result of `Graph.oriented`.

    Args:
        degree: that of each vertex.
    """
    number = inverse(hubs_first(degree))
    src, dst = (number[ends] for ends in (graph.edge_src, graph.edge_dst))
    joins = src != dst
    low, high = np.minimum(src, dst)[joins], np.maximum(src, dst)[joins]
    every = graph.from_edges(high, low, num_vertices=graph.num_vertices)
    arcs = every.arcs()
    rows, targets = arcs.out.rows, arcs.out_targets
    first = np.ones(len(rows), bool)
    first[1:] = (rows[1:] != rows[:-1]) | (targets[1:] != targets[:-1])
    if first.all() and not graph.directed:
        return every, number
    fields: dict[str, Any] = {}
    if graph.directed:
        ways = np.where(src < dst, 1, 2)[joins][arcs.out_edges]
        begins = np.flatnonzero(first)
        both = np.bitwise_or.reduceat(ways, begins) == 3 if len(begins) else np.zeros(0, bool)
        fields["ways"] = 1 + both.astype(np.int32)
    ends = rows[first], targets[first]
    return graph.from_edges(*ends, num_vertices=graph.num_vertices, **fields), number
