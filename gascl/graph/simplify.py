"""Simple and oriented graphs, made of others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gascl.graph.arcs import INT32_MAX
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
    n = graph.num_vertices
    degree = np.bincount(graph.edge_src, minlength=n) + np.bincount(graph.edge_dst, minlength=n)
    by_degree = np.sort(degree << 31 | np.arange(n)) & INT32_MAX
    rank = np.empty(n, np.int32)
    rank[by_degree] = np.arange(n, dtype=np.int32)
    # An edge is one number: its lower end, its higher end, and whether it leads down. These sort
    # many times faster than pairs.
    src, dst = rank[graph.edge_src], rank[graph.edge_dst]
    kept = src != dst
    if not kept.all():
        src, dst = src[kept], dst[kept]
    keys = np.minimum(src, dst, dtype=np.int64)
    keys <<= 31
    keys |= np.maximum(src, dst)
    keys <<= 1
    if graph.directed:
        keys |= src > dst
    del src, dst
    keys.sort()
    begins = _begins(keys)
    if not begins.all():
        keys = keys[begins]
    ways = np.full(len(keys), 2, np.int8)
    if graph.directed:
        begins = np.flatnonzero(_begins(keys >> 1))
        ways = np.diff(begins, append=len(keys)).astype(np.int8)
        keys = keys[begins]
    upwards = replace(
        graph,
        edge_src=(keys >> 32).astype(np.int32),
        edge_dst=(keys >> 1 & INT32_MAX).astype(np.int32),
        directed=True,
        labels=None,
        edge_fields={"ways": ways},
        vertex_fields={},
        report=list(graph.report),
        change=None,
        _label_index=None,
    )
    return upwards, rank.astype(np.int64)


def _begins(values: np.ndarray) -> np.ndarray:
    """bool (n,): where a run of equal values begins."""
    begins = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    return begins
