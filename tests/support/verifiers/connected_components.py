"""Weak components by SciPy, each named by its least vertex."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import connected_components
from support.verifiers.compare import agree
from support.verifiers.matrices import counted

from gascl import Graph, Result
from gascl.programs import ConnectedComponents


def verify(graph: Graph, result: Result, program: ConnectedComponents) -> None:
    """Raises AssertionError where a vertex is in another component."""
    if not graph.num_vertices:
        return
    _, group = connected_components(counted(graph), directed=True, connection="weak")
    _, first = np.unique(group, return_index=True)
    agree(graph, "component", result.component, first[group])
