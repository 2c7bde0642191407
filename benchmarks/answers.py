"""Verifies the answers of the benchmark.

Breadth-first search, shortest paths and components are proved right in a few passes over all arcs,
as Graph500 does it: a second search of a graph with 500 million arcs would take minutes. What the
proofs need of a graph: both arcs of an undirected edge, no parallel arcs, weights that are whole
numbers above 0. The other programs have verifiers in tests/support.
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
PART = 1 << 20  # arcs at a time


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

    def checked(start: int) -> str:
        part = slice(start, start + PART)
        src, dst = edges.sources[part], edges.targets[part]
        here, there = found[src], found[dst]
        through = here + (1 if weights is None else weights[part])
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

    wrong = set(in_threads(checked, range(0, len(edges.targets), PART))) - {""}
    assert not wrong, wrong.pop()
    assert (explained == (found >= 0)).all(), "a value has no arc, or no parent, that explains it"
    if parent is not None:
        without = found < 0
        without[source] = True
        assert (parent[without] == -1).all(), "a parent where there is none"


def components(edges: Edges, component: np.ndarray) -> None:
    """Raises AssertionError unless each component is named by its smallest vertex.

    Both ends of an arc have the same name, and no other component has it: the largest one is
    searched, and SciPy counts the others.
    """
    from scipy.sparse import coo_array, csr_array
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    n = edges.num_vertices
    assert not edges.directed and len(component) == n, "not one value for each vertex"
    assert ((component >= 0) & (component <= np.arange(n))).all(), "a name is not the smallest"
    assert (component[component] == component).all(), "a name is in another component"
    largest = int(np.bincount(component, minlength=1).argmax())

    def checked(start: int) -> tuple[bool, np.ndarray]:
        part = slice(start, start + PART)
        here = component[edges.sources[part]]
        rest = np.flatnonzero(here != largest) + start
        return bool((here == component[edges.targets[part]]).all()), rest

    told = in_threads(checked, range(0, len(edges.targets), PART))
    assert all(same for same, _ in told), "an arc leads to another component"
    rest = np.concatenate([np.empty(0, np.int64), *(arcs for _, arcs in told)])
    offsets = edges.offsets.astype(np.int32 if len(edges.targets) < 2**31 else np.int64)
    ones = np.broadcast_to(np.float64(1), len(edges.targets))  # one number in memory
    whole = csr_array((ones, edges.targets, offsets), shape=(n, n), copy=False)
    reached = breadth_first_order(whole, largest, return_predecessors=False)
    same = component == largest
    assert len(reached) == same.sum() and same[reached].all(), "the largest component is two"
    outside = np.flatnonzero(~same)
    number = np.zeros(n, np.int32)
    number[outside] = np.arange(len(outside))
    ends = (number[edges.sources[rest]], number[edges.targets[rest]])
    others = coo_array((np.ones(len(rest), np.int8), ends), shape=(len(outside), len(outside)))
    count = connected_components(others, directed=False)[0] if len(outside) else 0
    assert count == len(np.unique(component[outside])), "a component is two"


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
