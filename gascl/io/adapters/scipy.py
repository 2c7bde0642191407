"""Graphs from SciPy's sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from gascl.errors import GraphError
from gascl.graph.arcs import INT32_MAX
from gascl.graph.raw_graph import RawGraph
from gascl.io.symmetry import unpaired
from gascl.user_messages import Option


def read_scipy(matrix: Any, directed: bool, field: str | None) -> RawGraph:
    """The stored entries (i, j) as edges from i to j; for an undirected graph only those of the
    lower triangle.

    Raises:
        GraphError: `matrix` is not a square sparse matrix of real numbers, or is not symmetric and
            `directed` is False.
    """
    from scipy.sparse import issparse

    if not issparse(matrix):
        raise GraphError(
            f"from_scipy needs a SciPy sparse matrix or array, not {type(matrix).__name__}; "
            "scipy.sparse.csr_array converts a dense array"
        )
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"an adjacency matrix is square; this one has the shape {matrix.shape}")
    if matrix.dtype.kind not in "iufb":
        raise GraphError(
            f"the entries must be real numbers, not {matrix.dtype}; convert complex ones, e.g. "
            "with abs(matrix)"
        )
    if matrix.format == "dia":
        row, col, values = _of_diagonals(matrix)
    else:
        entries = matrix.tocoo()
        row, col, values = entries.row, entries.col, entries.data
    report = []
    if values.dtype.kind == "b":
        values = values.astype(np.int8)
        if field is not None:
            report.append(f"bool entries read as {field}, int8")
    if not directed:
        _check_symmetric(row, col, values, matrix.shape[0])
        lower = row >= col
        row, col, values = row[lower], col[lower], values[lower]
    return RawGraph(
        src=row,
        dst=col,
        num_vertices=matrix.shape[0],
        directed=directed,
        fields={} if field is None else {field: values},
        report=report,
    )


def _of_diagonals(matrix: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, columns and values, row by row, of the nonzero entries of a DIA matrix.

    SciPy's `tocoo` takes time and memory for every row of the shape, which a file may exaggerate.
    """
    col = np.broadcast_to(np.arange(matrix.data.shape[1]), matrix.data.shape)
    row = col - matrix.offsets.astype(np.int64)[:, None]
    size = matrix.shape[0]
    kept = (row >= 0) & (row < size) & (col < size) & (matrix.data != 0)
    row, col, values = row[kept], col[kept], matrix.data[kept]
    order = np.lexsort((col, row))
    return row[order], col[order], values[order]


def _check_symmetric(row: np.ndarray, col: np.ndarray, values: np.ndarray, size: int) -> None:
    """Raises GraphError unless every entry, including duplicates and zeros, has a mirror image."""
    lone = unpaired(row, col, values, size) if size <= INT32_MAX else None  # or it is refused
    if lone is not None:
        raise GraphError(
            Option("directed", False),
            f" needs a symmetric matrix, and this one is not at ({row[lone]}, {col[lone]}); use ",
            Option("directed", True),
            ", or make it symmetric, e.g. matrix.maximum(matrix.T)",
        )
