"""Adjacency matrices."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import coo_array

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function, multigraph


def places_of_ends(G: Converted, nodelist: Any) -> tuple[np.ndarray, np.ndarray]:
    """The ends of the edges, as positions in a list of the same nodes."""
    if nodelist is None:
        return G.ends
    if set(nodelist) != set(G) or len(nodelist) != len(G):
        raise NotImplementedError("a nodelist with other nodes than the graph has")
    position = np.empty(len(G), np.int32)
    position[G.places(nodelist)] = np.arange(len(G))
    src, dst = G.ends
    return position[src], position[dst]


@backend_function(
    first=None,
    cached=5_000,
    numpy=True,
    limits="No multigraphs; `nodelist` must have all nodes.",
    unsupported=[multigraph],
)
def to_numpy_array(
    G: Converted,
    nodelist: Any = None,
    dtype: Any = None,
    order: Any = None,
    multigraph_weight: Any = sum,
    weight: Any = "weight",
    nonedge: Any = 0.0,
) -> Any:
    """The adjacency matrix, dense."""
    src, dst = places_of_ends(G, nodelist)
    matrix = np.full((len(G), len(G)), nonedge, dtype=dtype, order=order)
    if matrix.dtype.names or matrix.dtype == object:
        raise NotImplementedError("values that are not single numbers")
    values = G.column(weight).checked
    matrix[src, dst] = values
    if not G.is_directed():
        matrix[dst, src] = values
    return matrix


@backend_function(first=100_000, cached=5_000, numpy=True, limits="`nodelist` must have all nodes.")
def to_scipy_sparse_array(
    G: Converted,
    nodelist: Any = None,
    dtype: Any = None,
    weight: Any = "weight",
    format: Any = "csr",
) -> Any:
    """The adjacency matrix, sparse."""
    if len(G) == 0:
        raise nx.NetworkXError("Graph has no nodes or edges")
    if nodelist is not None and len(nodelist) == 0:
        raise nx.NetworkXError("nodelist has no nodes")
    src, dst = places_of_ends(G, nodelist)
    values = G.column(weight).checked
    if len(src) == 0:
        values = values.astype(np.float64)  # SciPy's dtype of an empty list
    if not G.is_directed():
        loops = src == dst
        values = np.concatenate([values, values, -values[loops]])
        src, dst = (np.concatenate([src, dst, src[loops]]), np.concatenate([dst, src, src[loops]]))
    matrix = coo_array((values, (src, dst)), shape=(len(G), len(G)), dtype=dtype)
    try:
        return matrix.asformat(format)
    except ValueError as error:
        raise nx.NetworkXError(f"Unknown sparse matrix format: {format}") from error
