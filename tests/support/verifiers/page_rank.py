"""Ranks by a power iteration in float64 over SciPy's matrix, as many supersteps or to the end."""

from __future__ import annotations

import numpy as np
from support.verifiers.matrices import counted

from gascl import Graph, Result
from gascl.programs import PageRank


def verify(graph: Graph, result: Result, program: PageRank) -> None:
    """Raises AssertionError where ranks are further off, in sum, than rounding and tolerance."""
    count = graph.num_vertices
    matrix = counted(graph)
    degree = np.asarray(matrix.sum(axis=1)).ravel()
    start = result.fields.get("personalization", np.full(count, 1 / count)).astype(np.float64)
    landing = landing_of(result, program, start)
    rank = begun(graph, program)
    pull = matrix.T.tocsr()
    # Each superstep brings the ranks nearer by the damping: so many that what is left is nothing.
    rounds = program.supersteps if program.supersteps is not None else 200
    for _ in range(rounds):
        share = np.divide(rank, degree, out=np.zeros(count), where=degree > 0)
        d = program.damping
        rank = d * (pull @ share + rank[degree == 0].sum() * landing) + (1 - d) * start
    rounding = 4 * np.finfo(program.dtype).eps * max(result.supersteps, 1)
    near = 0 if program.supersteps is not None else program.tolerance / (1 - program.damping)
    whole = count if program.scale == "vertices" else 1
    distance = np.abs(result.rank / whole - rank).sum()
    assert distance <= rounding + near, f"the ranks are {distance:.1e} off in all"


def landing_of(result: Result, program: PageRank, start: np.ndarray) -> np.ndarray:
    """(V,) what each vertex gets of the rank of the dangling ones."""
    if program.dangling == "land":
        return result.fields["landing"].astype(np.float64)
    return start if program.dangling == "spread" else np.zeros(len(start))


def begun(graph: Graph, program: PageRank) -> np.ndarray:
    """(V,) the ranks that a run begins with, of a sum of 1."""
    given = program.initial.get("rank")
    if isinstance(given, dict):
        given = [given.get(graph.label_of(v), 0) for v in range(graph.num_vertices)]
    rank = np.ones(graph.num_vertices) if given is None else np.asarray(given, np.float64)
    return rank / (rank.sum() or 1)
