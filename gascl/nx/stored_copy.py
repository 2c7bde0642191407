"""gascl's graphs as NetworkX graphs that are stored as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gascl.errors import GraphError
from gascl.graph.field_types import FieldType, listed
from gascl.graph.graph import Graph
from gascl.io.adapters.networkx import InOrder, write_networkx
from gascl.nx.dispatch import VERSION
from gascl.nx.edge_list import EdgeList
from gascl.nx.stored_graph import stored_graph

#: The oldest version of NetworkX whose graphs can be stored so.
SUPPORTED = (3, 6)


def write_stored_networkx(graph: Graph, multigraph: bool | None = None) -> Any:
    """The same as `write_networkx`, stored as arrays if it can be.

    Raises:
        GraphError: as `write_networkx`, or NetworkX is older than 3.6.
    """
    if VERSION < SUPPORTED:
        version = ".".join(map(str, VERSION))
        raise GraphError(f"lazy=True needs NetworkX 3.6 or newer, not {version}; leave it out")
    rows = InOrder(graph)
    nodes = list(rows)
    columns = _columns(graph.edge_fields, graph.edge_types)
    if multigraph or rows.is_multigraph() or None in nodes or columns is None:
        return write_networkx(graph, multigraph)
    tails, heads = np.array(graph.edge_src, np.int32), np.array(graph.edge_dst, np.int32)
    G = stored_graph(EdgeList(nodes, tails, heads, columns, graph.directed))
    if graph.vertex_fields:
        G.add_nodes_from(rows.nodes(data=True))
    return G


def _columns(
    fields: Mapping[str, np.ndarray], types: Mapping[str, FieldType]
) -> dict[Any, np.ndarray] | None:
    """Edge fields (E,) as the numbers or objects that NetworkX gets; None: some edges lack one."""
    columns: dict[Any, np.ndarray] = {}
    for name, field in fields.items():
        values, kind = np.asarray(field), types.get(name)
        if kind is None and values.ndim == 1 and values.dtype.kind in "iufb":
            columns[name] = values.copy()
        else:
            objects = listed(values, kind)
            if None in objects:
                return None
            columns[name] = np.fromiter(objects, object, len(objects))
    return columns
