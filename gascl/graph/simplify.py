"""Simple and oriented graphs, made of others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gascl.graph.intake import Edges

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


def oriented(graph: Graph) -> tuple[Graph, np.ndarray]:
    """What `Graph.oriented` gives."""
    src, dst, n = graph.edge_src, graph.edge_dst, graph.num_vertices
    degree = np.bincount(src, minlength=n) + np.bincount(dst, minlength=n)
    by_degree = np.argsort(degree, kind="stable")
    rank = np.empty_like(by_degree)
    rank[by_degree] = np.arange(n)
    ends = rank.astype(np.int32)[np.stack([src, dst])]
    upwards = replace(
        graph,
        edge_src=ends.min(axis=0),
        edge_dst=ends.max(axis=0),
        directed=True,
        labels=None,
        vertex_fields={},
        report=list(graph.report),
        change=None,
        _label_index=None,
    )
    return upwards, rank
