"""Matchings of bipartite graphs, proved by covers, and as large as SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching
from support.admitting_deliveries import admitted
from support.bundled import verified_run
from support.case_subsets import one_in
from support.samples import grid
from support.verifiers.bipartite_matching import verify

from gascl import Engine, Graph, ProgramError
from gascl.programs import BipartiteMatching, Bipartition
from gascl.programs.bipartite_matching import Forest
from gascl.programs.bipartition import Levels
from gascl.programs.connected_components import ConnectedComponents

STAGES = (Forest(), Levels(), ConnectedComponents())


def run(graph: Graph, **options):
    result = verified_run(graph, BipartiteMatching(), **options)
    assert (result.mate.dtype, result.cover.dtype) == (np.int32, np.int8)
    if graph.num_vertices:
        assert result.aggregates["matches"] == result.cover.sum(), "as many as in the cover"
    return result


def two_sided(
    seed: int, left: int, right: int, edges: int, *, directed: bool = False, power: float = 1
) -> tuple[Graph, int]:
    """A graph whose sides are mixed, with hubs if `power` is above 1; and how many edges SciPy
    matches."""
    rng = np.random.default_rng(seed)
    ends = (rng.random((2, edges)) ** power * [[left], [right]]).astype(np.int64)
    its = ends.astype(np.int32)  # SciPy before 1.15 takes no others
    matrix = csr_array((np.ones(edges, np.int8), its), shape=(left, right))
    matched = np.count_nonzero(maximum_bipartite_matching(matrix, perm_type="column") >= 0)
    number = rng.permutation(left + right)
    src, dst = number[ends[0]], number[left + ends[1]]
    turned = rng.random(edges) < 0.5
    src, dst = np.where(turned, src, dst), np.where(turned, dst, src)
    return Graph.from_edges(src, dst, num_vertices=left + right, directed=directed), matched


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("power", [1, 3])
@pytest.mark.parametrize("seed", [0, 1])
def test_random_graphs(seed, power, directed):
    for left, right, edges in ((60, 70, 110), (90, 40, 300)):
        graph, matched = two_sided(seed, left, right, edges, directed=directed, power=power)
        assert run(graph).cover.sum() == matched


@pytest.mark.parametrize(
    "delivery", one_in(4, sorted(set.intersection(*(set(admitted(s)) for s in STAGES))))
)
def test_deliveries(delivery):
    graph, matched = two_sided(5, 80, 90, 170)
    first, again = run(graph), run(graph, delivery=delivery)
    assert first.cover.sum() == matched
    assert (first.mate == again.mate).all() and (first.cover == again.cover).all()


def test_shapes():
    for n in (0, 1, 4):
        assert run(Graph.from_edges([], [], num_vertices=n)).mate.tolist() == [-1] * n
    for length in (1, 2, 7, 50, 301):  # paths
        path = run(Graph.from_edges(np.arange(length), np.arange(length) + 1, directed=False))
        assert path.cover.sum() == (length + 1) // 2
    star = run(Graph.from_edges([9] * 9, range(9), directed=False))
    assert star.cover.tolist() == [0] * 9 + [1] and (star.mate >= 0).sum() == 2
    assert (run(grid(8, 9)).mate >= 0).all()
    assert (run(grid(7, 9)).mate >= 0).sum() == 62
    graph = Graph.from_edges(["a", "a", "b"], ["x", "x", "x"], directed=False)
    assert run(graph).cover.tolist() == [int(label == "x") for label in graph.labels]


def test_long_augmenting_paths():
    """The vertices of a chain of diamonds are matched so that one path has to turn all round."""
    n = 40
    left = np.arange(n)
    src = np.concatenate([left, left[1:]])
    dst = np.concatenate([n + left, n + left[:-1]])
    order = np.random.default_rng(0).permutation(2 * n)
    assert (run(Graph.from_edges(order[src], order[dst], directed=False)).mate >= 0).all()


def test_other_graphs_are_refused():
    words = r"BipartiteMatching: the graph is not bipartite: vertex 'd' is .*3 such .*Bipartition"
    graph = Graph.from_edges([0, 2, 3, 4, 5], [1, 1, 4, 5, 3], labels=list("abcdefg"))
    with pytest.raises(ProgramError, match=words):
        Engine(graph).run(BipartiteMatching())
    with pytest.raises(ProgramError, match="not bipartite"):
        Engine(Graph.from_edges([0, 1], [1, 1])).run(BipartiteMatching())


def test_what_the_verifier_sees():
    graph, _ = two_sided(0, 60, 70, 110)
    result = Engine(graph).run(BipartiteMatching())
    unmatched = int(np.flatnonzero(result.mate < 0)[0])
    matched = int(np.flatnonzero(result.mate >= 0)[0])
    sides = Engine(graph).run(Bipartition()).side
    other = int(np.flatnonzero((sides != sides[unmatched]) & (result.mate < 0))[0])
    for field, changes in (
        ("mate", {unmatched: matched}),
        ("mate", {unmatched: other, other: unmatched}),
        ("mate", {matched: -1, int(result.mate[matched]): -1}),
        ("mate", {matched: matched}),
        ("cover", {int(np.flatnonzero(result.cover)[0]): 0}),
        ("cover", {int(np.flatnonzero(result.cover == 0)[0]): 1}),
        ("cover", {0: 2}),
    ):
        wrong = Engine(graph).run(BipartiteMatching())
        wrong[field][list(changes)] = list(changes.values())
        with pytest.raises(AssertionError):
            verify(graph, wrong, BipartiteMatching())
