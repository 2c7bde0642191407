"""Graphs by their class: `nx.Graph(edges, backend="gascl")`."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.convert import from_edgelist
from gascl.nx.convert_matrix import from_numpy_array, from_scipy_sparse_array
from gascl.nx.loader import LOADERS, Making


def _new(cls: type, *args: Any, **kwargs: Any) -> Any:
    """What `nx.Graph(...)` and `nx.DiGraph(...)` begin with: a graph that holds the edges already,
    or NetworkX's own, to which `__init__` adds them."""
    data = args[0] if args else kwargs.get("incoming_graph_data")
    G = None
    if cls in (nx.Graph, nx.DiGraph) and data is not None:
        with suppress(TypeError, ValueError):  # NetworkX finds the error, too, and raises its own
            G = _stored(data, cls)
    if G is None:
        return object.__new__(cls)
    vars(G)["_new"] = True  # for `__init__`
    return G


def _stored(data: Any, cls: type) -> Any:
    if isinstance(data, list | tuple):
        return from_edgelist.stored(Making({"edgelist": data, "create_using": cls}))
    matrix = {"A": data, "parallel_edges": False, "create_using": cls}
    if isinstance(data, np.ndarray):
        call = Making({**matrix, "edge_attr": "weight", "nodelist": None})
        return from_numpy_array.stored(call)
    if hasattr(data, "nnz"):
        return from_scipy_sparse_array.stored(Making({**matrix, "edge_attribute": "weight"}))
    return None


LOADERS.update(graph__new__=_new, digraph__new__=_new)
