"""Subgraphs: chosen vertices, and the edges between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import GraphError
from gascl.util.host import check_host_memory

if TYPE_CHECKING:
    from gascl.graph.graph import Graph


def subgraph(graph: Graph, vertices: Iterable[Any]) -> Graph:
    """The result of `Graph.subgraph`."""
    # A bool and a new number.
    check_host_memory(5 * graph.num_vertices, f"the numbers of {graph.num_vertices:,} vertices")
    kept = vertices
    if not (isinstance(kept, np.ndarray) and kept.dtype == bool):
        kept = np.zeros(graph.num_vertices, bool)
        kept[graph.indices_of(vertices)] = True
    if kept.shape != (graph.num_vertices,):
        raise GraphError(
            f"subgraph: the mask has shape {kept.shape}, and the graph has {graph.num_vertices:,} "
            "vertices; give one bool per vertex"
        )
    ids = np.flatnonzero(kept)
    number = np.cumsum(kept, dtype=np.int32) - np.int32(1)
    inside = kept[graph.edge_src] & kept[graph.edge_dst]
    return replace(
        graph,
        src=number[graph.edge_src[inside]],
        dst=number[graph.edge_dst[inside]],
        num_vertices=len(ids),
        labels=ids if graph.labels is None else graph.labels[ids],
        edge_fields={name: values[inside] for name, values in graph.edge_fields.items()},
        vertex_fields={name: values[ids] for name, values in graph.vertex_fields.items()},
        report=[
            *graph.report,
            f"subgraph: {len(ids):,} of {graph.num_vertices:,} vertices, "
            f"{np.count_nonzero(inside):,} of {graph.num_edges:,} edges",
        ],
        change=None,
        _label_index=None,
    )


def within(graph: Graph, center: int, hops: int, edges: str) -> np.ndarray:
    """bool (V,): the vertices that are at most `hops` arcs away from `center`."""
    arcs = graph.arcs(edges)
    near = np.zeros(graph.num_vertices, bool)
    near[center] = True
    reached = np.array([center])
    for _ in range(hops):
        begins, ends = arcs.out_offsets[reached], arcs.out_offsets[reached + 1]
        rows = [arcs.out_targets[b:e] for b, e in zip(begins, ends, strict=True)]
        heads = np.unique(np.concatenate(rows))
        reached = heads[~near[heads]]
        if not len(reached):
            break
        near[reached] = True
    return near


def largest_component(graph: Graph) -> Graph:
    """The result of `Graph.largest_component`."""
    # The offsets of both orders, and the components.
    check_host_memory(12 * graph.num_vertices, f"the components of {graph.num_vertices:,} vertices")
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = (graph.num_vertices, graph.num_vertices)
    entries = np.ones(graph.num_edges, bool)
    matrix = coo_array((entries, (graph.edge_src, graph.edge_dst)), shape=size)
    _, part = connected_components(matrix, directed=False)
    sizes = np.bincount(part, minlength=1)
    # Of several largest components, the one with the first vertex.
    largest = part[np.argmax(sizes[part])] if len(part) else 0
    return subgraph(graph, part == largest)
