"""Verifies the answers of the benchmark.

Breadth-first search and shortest paths are proved right in a few passes over all arcs, as Graph500
does it: a second search of a graph with 2 billion arcs would take minutes. Components and PageRank
are computed anew, in threads. What this needs of a graph: both arcs of an undirected edge, no
parallel arcs, weights that are whole numbers above 0. The other programs have verifiers in
tests/support.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from graphs import Edges, in_threads

from gascl import Graph, Result, VertexProgram

TESTS = Path(__file__).resolve().parent.parent / "tests"
DAMPING = 0.85


def search(edges: Edges, source: int, depth: np.ndarray, parent: np.ndarray | None) -> None:
    """Raises AssertionError unless the depths are those of a breadth-first search, and each parent
    is the smallest possible.

    An arc leads at most one level down, and every vertex but the source has a parent one level up.
    """
    paths(edges, source, depth, parent, None)


def distances(edges: Edges, source: int, distance: np.ndarray, parent: np.ndarray | None) -> None:
    """Raises AssertionError unless the distances are those of shortest paths, on which the parents
    are.

    No arc shortens a distance, and every vertex but the source has a parent from which an arc
    leads to exactly its distance.
    """
    far = np.where(np.isfinite(distance), distance, -1).astype(np.float64)
    paths(edges, source, far, parent, edges.weights)


def paths(
    edges: Edges,
    source: int,
    found: np.ndarray,
    parent: np.ndarray | None,
    weights: np.ndarray | None,
) -> None:
    """What `search` and `distances` check; -1 is no path, and without weights an arc counts 1."""
    assert len(found) == edges.num_vertices, "not one value for each vertex"
    assert np.flatnonzero(found == 0).tolist() == [source], "the source, and nothing else, has 0"
    assert (found >= -1).all() and not ((found < 0) & (found > -1)).any(), "a negative value"
    explained = np.zeros(edges.num_vertices, bool)
    explained[source] = True

    def checked(part: tuple[slice, slice]) -> str:
        rows, arcs = part
        src, dst = edges.sources_of(rows), edges.targets[arcs]
        here, there = found[src], found[dst]
        through = here + (1 if weights is None else weights[arcs])
        reached = here >= 0
        if (reached & ((there < 0) | (there > through))).any():
            return "an arc leads to a vertex that is not reached, or reached on a longer way"
        tight = reached & (there == through)
        if parent is not None:
            own = parent[dst]
            if weights is None and (tight & (src < own)).any():
                return "a parent is not the smallest"
            tight &= src == own
        explained[dst[tight]] = True
        return ""

    wrong = set(in_threads(checked, edges.parts())) - {""}
    assert not wrong, wrong.pop()
    assert (explained == (found >= 0)).all(), "a value has no arc, or no parent, that explains it"
    if parent is not None:
        without = found < 0
        without[source] = True
        assert (parent[without] == -1).all(), "a parent where there is none"


def components(edges: Edges, component: np.ndarray) -> None:
    """Raises AssertionError unless each component is named by its smallest vertex.

    The names are found anew: each vertex points to a smaller one of its component, or to itself. In
    each round, what a vertex points to is made to point to the least that its neighbors point to,
    and all pointers are followed to their ends, until both ends of every arc agree. Shiloach and
    Vishkin, An O(log n) Parallel Connectivity Algorithm (1982).
    """
    n = edges.num_vertices
    assert not edges.directed and len(component) == n, "not one value for each vertex"
    names, least = (np.arange(n, dtype=np.int32) for _ in range(2))
    parts, linked = edges.parts(), np.flatnonzero(edges.out_degree)

    def look(part: tuple[slice, slice]) -> None:
        rows, arcs = part
        found = linked[slice(*np.searchsorted(linked, [rows.start, rows.stop]))]
        if len(found):
            starts = edges.offsets[found] - arcs.start
            least[found] = np.minimum.reduceat(names[edges.targets[arcs]], starts)

    def jump(part: tuple[slice, slice]) -> bool:
        rows, _ = part
        least[rows] = names[names[rows]]
        return bool((least[rows] != names[rows]).any())

    while True:
        in_threads(look, parts)
        nearer = np.flatnonzero(least < names)
        if not len(nearer):
            break
        np.minimum.at(names, names[nearer], least[nearer])
        while any(in_threads(jump, parts)):
            names[:] = least
    assert (component == names).all(), "a vertex is not named by the smallest of its component"


def ranks(edges: Edges, rank: np.ndarray, supersteps: int) -> None:
    """Raises AssertionError unless the ranks are PageRank's after so many supersteps from equal
    ranks, but for rounding in float32."""
    near(exact_ranks(edges, supersteps), rank, supersteps)


def near(exact: np.ndarray, rank: np.ndarray, supersteps: int) -> None:
    """What `ranks` checks, by ranks that are known."""
    assert len(rank) == len(exact), "not one value for each vertex"
    distance = np.abs(rank - exact).sum()
    rounding = 4 * np.finfo(np.float32).eps * supersteps
    assert distance <= rounding, f"the ranks are {distance:.1e} off in all"


def exact_ranks(edges: Edges, supersteps: int) -> np.ndarray:
    """float64 (V,): by a power iteration, over the arcs into each vertex."""
    n = edges.num_vertices
    into = edges.turned if edges.directed else edges
    degree, parts = edges.out_degree, into.parts()
    linked, lost = np.flatnonzero(into.out_degree), 0.0
    exact, share = np.full(n, 1 / n), np.zeros(n)

    def spread(part: tuple[slice, slice]) -> None:
        rows, arcs = part
        found = linked[slice(*np.searchsorted(linked, [rows.start, rows.stop]))]
        exact[rows] = (DAMPING * lost + 1 - DAMPING) / n
        if len(found):
            heard = np.add.reduceat(share[into.targets[arcs]], into.offsets[found] - arcs.start)
            exact[found] += DAMPING * heard

    for _ in range(supersteps):
        np.divide(exact, degree, out=share, where=degree > 0)
        lost = exact[degree == 0].sum()
        in_threads(spread, parts)
    return exact


def by_tests(program: str, graph: Graph, result: Result, values: VertexProgram) -> None:
    """Raises AssertionError as the program's verifier in tests/support does."""
    if str(TESTS) not in sys.path:
        sys.path.insert(0, str(TESTS))
    importlib.import_module(f"support.verifiers.{program}").verify(graph, result, values)


class Truth:
    """An answer of gascl that is verified; equal bits need no second verification.

    Attributes:
        answer: the program's fields.
    """

    def __init__(self, verify: Callable[[Result], None], fields: tuple[str, ...]):
        self.verify, self.fields = verify, fields
        self.answer: dict[str, np.ndarray] = {}

    def __call__(self, result: Result) -> None:
        found = {name: np.asarray(result[name]) for name in self.fields}
        known = self.answer
        if known and all(np.array_equal(found[n], known[n]) for n in self.fields):
            return
        self.verify(result)
        self.answer = known or found


def equal(expected: np.ndarray) -> Callable[[Any], None]:
    return partial(compare, expected, 0)


def close(expected: np.ndarray, relative: float) -> Callable[[Any], None]:
    return partial(compare, expected, relative)


def compare(expected: np.ndarray, relative: float, found: Any) -> None:
    """Raises AssertionError where a value differs by more than `relative`."""
    found = np.asarray(found)
    assert found.shape == expected.shape, f"shape {found.shape}, not {expected.shape}"
    same = np.isclose(found, expected, relative, 0) if relative else found == expected
    wrong = int(np.count_nonzero(~same))
    assert not wrong, f"{wrong:,} of {same.size:,} values differ from those that are verified"
