"""Simple graphs, and graphs with reordered vertices."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

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
