"""Simple graphs, and graphs in another order, made of others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gascl.graph.arcs import INT32_MAX
from gascl.graph.intake import Edges
from gascl.graph.parallel import filled

if TYPE_CHECKING:
    from gascl.graph.graph import Graph


def simple(graph: Graph, directed: bool) -> Graph:
    """What `Graph.simple` gives."""
    report = list(graph.report)
    edges = Edges(graph.edge_src, graph.edge_dst, dict(graph.edge_fields), graph.labels, report)
    edges.apply_self_loops("drop")
    edges.apply_duplicates("first", graph.num_vertices, directed)
    return replace(
        graph,
        edge_src=edges.src,
        edge_dst=edges.dst,
        edge_fields=edges.fields,
        directed=directed,
        report=report,
        change=None,
    )


def by_degree(graph: Graph) -> tuple[Graph, np.ndarray]:
    """What `Graph.by_degree` gives."""
    n = graph.num_vertices
    degree = np.diff(graph.arcs("both").out_offsets).astype(np.int64)
    order = np.sort((INT32_MAX - degree) << 31 | np.arange(n)) & INT32_MAX
    number = np.empty(n, np.int32)
    number[order] = np.arange(n, dtype=np.int32)

    def renumbered(ends: np.ndarray) -> np.ndarray:
        return filled(np.empty(len(ends), np.int32), lambda block: number.take(ends[block]))

    numbered = replace(
        graph,
        edge_src=renumbered(graph.edge_src),
        edge_dst=renumbered(graph.edge_dst),
        labels=None,
        edge_fields={},
        vertex_fields={},
        report=list(graph.report),
        change=None,
        _label_index=None,
    )
    return numbered, number
