"""Adjacency matrices by their other name, and incidence matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import coo_array

from gascl.nx.convert_matrix import of_matrix, places_of_ends, to_scipy_sparse_array
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import argument, backend_function


@of_matrix
def adjacency_matrix(
    G: Converted, nodelist: Any = None, dtype: Any = None, weight: Any = "weight"
) -> Any:
    """The adjacency matrix, sparse."""
    return to_scipy_sparse_array(G, nodelist=nodelist, dtype=dtype, weight=weight)


@backend_function(
    first=5_000,
    cached=1_000,
    numpy=True,
    limits="`nodelist` must have all nodes; no `edgelist`.",
    unsupported=[argument("edgelist")],
)
def incidence_matrix(
    G: Converted,
    nodelist: Any = None,
    edgelist: Any = None,
    oriented: bool = False,
    weight: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    """The nodes of each edge, a column for each; sparse."""
    ends = places_of_ends(G, nodelist)
    columns = np.flatnonzero(ends[0] != ends[1])  # loops have none
    values = G.column(weight).checked[columns]
    signs = -1 if oriented else 1
    entries = np.concatenate([signs * values, values]).astype(dtype or np.float64)
    rows = np.concatenate([end[columns] for end in ends])
    shape = len(G), len(ends[0])
    matrix = coo_array((entries, (rows, np.tile(columns, 2))), shape=shape).asformat("csc")
    matrix.eliminate_zeros()  # as NetworkX, which sets one entry after the other
    return matrix
