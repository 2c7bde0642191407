"""Hubs and authorities by a singular value decomposition of SciPy's or NumPy's."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import svds
from support.verifiers.matrices import counted

from gascl import Graph, Result
from gascl.programs import Hits


def verify(graph: Graph, result: Result, program: Hits) -> None:
    """Raises AssertionError where the two are no pair of the largest singular value."""
    matrix = counted(graph)
    if matrix.shape[0] < 200:
        value = np.linalg.svd(matrix.toarray(), compute_uv=False).max(initial=0)
    else:
        value = svds(matrix, 1, return_singular_vectors=False)[0]
    near = 4 * program.tolerance + 8 * np.finfo(program.dtype).eps
    unit = []
    for x in (result.hub.astype(np.float64), result.authority.astype(np.float64)):
        assert (x >= 0).all(), "there are negative values"
        if graph.num_edges == 0:
            assert not x.any(), "without edges, all should be 0"
            continue
        assert abs(x.sum() - 1) <= near, f"they sum to {x.sum()}, not to 1"
        unit.append(x / np.linalg.norm(x))
    if not unit:
        return
    hub, authority = unit
    # The tolerance is of the sum over vertices, and a vector's length may be a tenth of that.
    for found, other in ((matrix @ authority, hub), (matrix.T @ hub, authority)):
        off = np.linalg.norm(found / value - other)
        assert off <= 30 * near, f"{off:.1e} off what the other gives"
