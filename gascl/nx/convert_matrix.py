"""Adjacency matrices, and graphs from matrices and tables."""

from __future__ import annotations

from itertools import chain
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import coo_array, csr_array

from gascl.nx import loader as loaders
from gascl.nx.convert import integers, of_ends, of_values
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function, multigraph
from gascl.nx.edge_list import EdgeList, distinct
from gascl.nx.loader import Making, loader

#: Registers what NumPy makes of the adjacency matrix, sparse; and the same of the dense one.
of_matrix = backend_function(
    first=100_000, cached=5_000, numpy=True, limits="`nodelist` must have all nodes."
)
of_dense_matrix = backend_function(
    first=None,
    cached=5_000,
    numpy=True,
    limits="No multigraphs; `nodelist` must have all nodes.",
    unsupported=[multigraph],
)


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


@of_dense_matrix
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


@of_matrix
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


@loader
def from_pandas_edgelist(call: Making) -> EdgeList | None:
    """Edges and attributes in the columns of a DataFrame."""
    table, ends = call.df, [call.source, call.target]
    if len(table) < loaders.LEAST:
        return None
    names: list[Any] = []
    if call.edge_attr is True:
        names = [name for name in table.columns if name not in ends]
    elif isinstance(call.edge_attr, list | tuple):
        names = list(call.edge_attr)
    elif call.edge_attr is not None:
        names = [call.edge_attr]
    try:
        series = [table[name] for name in (*ends, *names)]
    except (KeyError, TypeError):
        return None
    if (call.edge_attr is not None and not names) or any(
        getattr(column, "ndim", 0) != 1 for column in series
    ):
        return None
    source, target, *attributes = map(_values, series)
    columns = dict(zip(names, attributes, strict=True))
    if source.dtype == target.dtype and source.dtype != object:
        both = integers(np.stack([source, target], axis=1).ravel())
        if both is not None:
            return of_values(both, columns, call.makes is nx.DiGraph)
    pairs = zip(*series[:2], strict=True)
    return of_ends(list(chain.from_iterable(pairs)), columns, call.makes is nx.DiGraph)


def _values(column: Any) -> np.ndarray:
    """A column of a table as numbers or bools, or as the objects that it yields; copied."""
    if isinstance(column.dtype, np.dtype) and _plain(column.dtype):
        return column.to_numpy(copy=True)
    return np.fromiter(column, object, len(column))


def _plain(dtype: np.dtype) -> bool:
    """Whether `tolist` makes Python's numbers and bools of values."""
    return dtype.kind in "iufb" and dtype.itemsize <= 8


@loader
def from_scipy_sparse_array(call: Making) -> EdgeList | None:
    """The entries of a matrix, with their values as an attribute."""
    matrix = call.A
    if matrix.format not in ("csr", "csc", "coo") or matrix.nnz < loaders.LEAST:
        return None
    if matrix.shape[0] != matrix.shape[1] or not _plain(matrix.dtype):
        return None
    if matrix.format == "coo":
        rows, columns = matrix.row, matrix.col
    else:
        rows = np.repeat(np.arange(matrix.shape[0], dtype=np.int32), np.diff(matrix.indptr))
        columns = matrix.indices
        if matrix.format == "csc":
            rows, columns = columns, rows
    values = {call.edge_attribute: matrix.data.copy()}
    return _of_entries(rows, columns, values, list(range(matrix.shape[0])), call)


@loader
def from_numpy_array(call: Making) -> EdgeList | None:
    """The entries of a dense matrix that are not 0, with their values as an attribute."""
    matrix = call.A
    if type(matrix) is not np.ndarray or matrix.ndim != 2 or not _plain(matrix.dtype):
        return None
    if matrix.shape[0] != matrix.shape[1]:
        return None
    rows, columns = matrix.nonzero()
    nodes = list(range(len(matrix)) if call.nodelist is None else call.nodelist)
    if len(rows) < loaders.LEAST or len(nodes) != len(matrix):
        return None
    if call.nodelist is not None and len(set(nodes) - {None}) < len(nodes):
        return None
    values = {} if call.edge_attr in [False, None] else {call.edge_attr: matrix[rows, columns]}
    return _of_entries(rows, columns, values, nodes, call)


def _of_entries(
    rows: np.ndarray,
    columns: np.ndarray,
    values: dict[Any, np.ndarray],
    nodes: list[Any],
    call: Making,
) -> EdgeList:
    """Edges from the entries (N,) of a matrix, in their order."""
    rows, columns = rows.astype(np.int32), columns.astype(np.int32)
    directed, count = call.makes is nx.DiGraph, len(nodes)
    if directed or not (opposite := _opposite(rows, columns, count)).size:
        return distinct(nodes, rows, columns, values, directed)
    # An edge comes with the entry above the diagonal, and its value with the one below.
    upper = rows <= columns
    values = {name: value[opposite[upper]] for name, value in values.items()}
    return EdgeList(nodes, rows[upper], columns[upper], values, directed)


def _opposite(rows: np.ndarray, columns: np.ndarray, count: int) -> np.ndarray:
    """For each entry of a symmetric pattern, sorted by row and column, the one across the diagonal;
    empty: there is another order, or another pattern."""
    keys = rows.astype(np.int64) * count + columns
    if not (keys[1:] > keys[:-1]).all():
        return np.zeros(0, np.int32)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(rows, minlength=count))])
    places = np.arange(len(rows), dtype=np.int32 if len(rows) < 2**31 else np.int64)
    across = csr_array((places, columns, offsets), shape=(count, count)).T.tocsr()
    same = np.array_equal(across.indices, columns) and np.array_equal(across.indptr, offsets)
    return across.data if same else np.zeros(0, np.int32)
