"""Graphs from and to igraph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import GraphError
from gascl.graph.field_types import Coded, listed, types_of
from gascl.graph.labels import label_array
from gascl.graph.raw_graph import RawGraph
from gascl.io.attributes import attributes_of, warn_of_left_out
from gascl.util.extras import imported
from gascl.util.host import check_host_memory

if TYPE_CHECKING:
    from gascl.graph.graph import Graph


def read_igraph(g: Any) -> RawGraph:
    """Vertices and edges in igraph's order; the vertex attribute "name" as labels.

    Raises:
        GraphError: `g` is not an igraph Graph.
    """
    needed = ("vs", "es", "vcount", "get_edgelist", "is_directed")
    if not all(hasattr(g, name) for name in needed):
        raise GraphError(f"from_igraph needs an igraph Graph, not {type(g).__name__}")
    edges = np.array(g.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    report: list[str] = []
    labels = None
    names = {name: g.vs[name] for name in g.vs.attributes()}
    if "name" in names:
        labels = label_array(names.pop("name"))
        report.append("vertex attribute 'name' read as labels")
    of_edges = _fields({n: g.es[n] for n in g.es.attributes()}, "edge", report)
    of_vertices = _fields(names, "node", report)
    return RawGraph(
        src=edges[:, 0],
        dst=edges[:, 1],
        num_vertices=g.vcount(),
        directed=g.is_directed(),
        labels=labels,
        fields={name: field.values for name, field in of_edges.items()},
        report=report,
        vertex_fields={name: field.values for name, field in of_vertices.items()},
        edge_types=types_of(of_edges),
        vertex_types=types_of(of_vertices),
    )


def _fields(columns: dict[str, list[Any]], noun: str, report: list[str]) -> dict[str, Coded]:
    # igraph returns None for an edge or a vertex without the attribute
    count = max(map(len, columns.values()), default=0)
    rows = [
        {name: column[row] for name, column in columns.items() if column[row] is not None}
        for row in range(count)
    ]
    left_out: dict[str, str] = {}
    fields = attributes_of(rows, noun, report, left_out=left_out)
    if noun == "edge":
        remedy = "set numbers on all edges, or delete the attribute first"
        warn_of_left_out("from_igraph", "edge attribute", left_out, remedy)
    return fields


def write_igraph(graph: Graph) -> Any:
    """An igraph.Graph, with labels as the vertex attribute "name" and fields as attributes.

    Raises:
        GraphError: igraph is not installed, or a graph with labels has a vertex field "name".
    """
    vertices, edges = graph.num_vertices, graph.num_edges
    what = f"{vertices:,} vertices and {edges:,} edges of igraph"
    check_host_memory(16 * vertices + 32 * edges, what)
    igraph = imported("igraph", "to_igraph", GraphError)
    of_vertices = {
        name: listed(values, graph.vertex_types.get(name))
        for name, values in graph.vertex_fields.items()
    }
    if graph.labels is not None:
        if "name" in of_vertices:
            raise GraphError(
                "to_igraph: the vertex field 'name' has the name that igraph uses "
                "for labels; rename it"
            )
        of_vertices["name"] = graph.labels.tolist()
    return igraph.Graph(
        n=graph.num_vertices,
        edges=np.column_stack([graph.edge_src, graph.edge_dst]),
        directed=graph.directed,
        vertex_attrs=of_vertices,
        edge_attrs={
            name: listed(np.asarray(values), graph.edge_types.get(name))
            for name, values in graph.edge_fields.items()
        },
    )
