"""Random walks: every step is along an arc, and as likely as node2vec says."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import chisquare
from support.case_subsets import one_in
from support.samples import random_graph, skewed

from gascl import Engine, Graph, GraphError, ProgramError, uniform
from gascl.programs.random_walks import random_walks


def check_steps(graph: Graph, walks: np.ndarray) -> None:
    """Each step follows an arc; a walk ends where none leaves, and only there."""
    arcs = {(int(u), int(v)) for u, v in zip(graph.edge_src, graph.edge_dst, strict=True)}
    if not graph.directed:
        arcs |= {(v, u) for u, v in arcs}
    leave = {u for u, _ in arcs}
    for walk in walks.tolist():
        for here, there in pairwise(walk):
            assert (here, there) in arcs if here in leave else there == -1


def likelihood(graph: Graph, before: int, here: int, p: float, q: float) -> np.ndarray:
    """(V,) how likely each next vertex is, by the definition in node2vec."""
    joined = np.zeros((graph.num_vertices, graph.num_vertices))
    for u, v in zip(graph.edge_src, graph.edge_dst, strict=True):
        joined[u, v] += 1
        if not graph.directed and u != v:
            joined[v, u] += 1
    found = joined[here] * np.where(joined[before] > 0, 1, 1 / q)
    found[before] = joined[here, before] / p
    return found / found.sum()


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize(("p", "q"), [(1, 1), (0.25, 4)])
def test_steps_follow_arcs(directed, p, q):
    graph = random_graph(1, directed=directed, edges=90)  # some vertices have no arcs out
    walks = random_walks(Engine(graph), length=20, p=p, q=q)
    assert walks.dtype == np.int32 and walks.shape == (graph.num_vertices, 21)
    assert walks[:, 0].tolist() == list(range(graph.num_vertices))
    check_steps(graph, walks)


@pytest.mark.parametrize(
    ("p", "q"), one_in(2, [(1, 1), (0.2, 1), (3, 0.3), (1, 5), (1e4, 1e4)]), ids=lambda x: f"{x:g}"
)
def test_how_likely_steps_are(p, q):
    """At 1e4, nearly every draw is refused where all but a few vertices are far away: the walker
    looks at all arcs."""
    ends = [(0, 1), (0, 2), (0, 3), (0, 3), (0, 4), (1, 2), (1, 5), (2, 5), (3, 4), (4, 5), (0, 0)]
    graph = Graph.from_edges(*zip(*ends, strict=True), directed=False)
    walks = random_walks(Engine(graph), [0] * 3000, length=20, p=p, q=q, seed=7)
    trails = np.stack([walks[:, :-2], walks[:, 1:-1], walks[:, 2:]], axis=-1).reshape(-1, 3)
    tested = 0
    for before, here in np.unique(trails[:, :2], axis=0):
        came = trails[(trails[:, :2] == (before, here)).all(axis=1), 2]
        expected = likelihood(graph, before, here, p, q)
        found = np.bincount(came, minlength=graph.num_vertices)
        assert not found[expected == 0].any()
        may = expected * len(came) >= 5
        if may.sum() > 1:
            tested += 1
            part = expected[may] / expected[may].sum() * found[may].sum()
            assert chisquare(found[may], part).pvalue > 1e-5, (before, here)
    assert tested > 5


def test_the_first_step_has_no_preference():
    graph = Graph.from_edges([0] * 8, range(1, 9))
    found = random_walks(Engine(graph), [0] * 4000, length=1, p=0.01, q=100)[:, 1]
    assert chisquare(np.bincount(found, minlength=9)[1:]).pvalue > 1e-5


def test_arcs_of_a_hub_are_drawn_by_32_bits():
    """With 24 bits, some arcs of a hub would be drawn more often than others."""
    n, count, seed = 1_000_003, 2000, 5
    found = random_walks(
        Engine(Graph.from_edges([0] * n, range(1, n + 1))), [0] * count, 1, seed=seed
    )
    halves = [uniform(seed, np.arange(count), 0, 0, half) * 65536 for half in (0, 1)]
    high, low = (half.astype(np.uint64) for half in halves)
    drawn = (high << np.uint64(16) | low) * np.uint64(n) >> np.uint64(32)
    assert (found[:, 1] == 1 + drawn.astype(np.int64)).all()
    # The numbers themselves are spread evenly over the 32 bits, also the last ones.
    assert chisquare(np.bincount(low.astype(int) % 16, minlength=16)).pvalue > 1e-5


def test_a_walk_is_that_of_its_seed_and_place():
    graph = skewed(2, 100, 900)
    engine, starts = Engine(graph), np.random.default_rng(0).integers(0, 100, 700)
    walks = random_walks(engine, starts, length=10, p=0.5, q=2, seed=3)
    check_steps(graph, walks)
    assert (walks == random_walks(engine, starts, length=10, p=0.5, q=2, seed=3)).all()
    # One lane or eight, more steps or fewer: the same walks.
    assert (walks[:50, :6] == random_walks(engine, starts[:50], 5, 0.5, 2, 3)).all()
    assert (walks != random_walks(engine, starts, length=10, p=0.5, q=2, seed=4)).any()


def test_more_walks_than_lanes():
    graph = Graph.from_edges([0, 1], [1, 0])
    walks = random_walks(Engine(graph), [1] * 300, length=3)
    assert (walks == [1, 0, 1, 0]).all() and len(walks) == 300


def test_labels_and_nothing():
    engine = Engine(Graph.from_edges([0, 1], [1, 0], labels=["a", "b"]))
    assert random_walks(engine, ["b"], length=2).tolist() == [[1, 0, 1]]
    assert random_walks(engine, ["a", "b"], length=0).tolist() == [[0], [1]]
    assert random_walks(engine, [], length=2).shape == (0, 3)
    with pytest.raises(GraphError, match="no vertex has the label 'c'"):
        random_walks(engine, ["c"])


@pytest.mark.parametrize(
    "wrong", [{"p": 0}, {"q": -1}, {"p": np.inf}, {"q": np.nan}, {"length": -1}]
)
def test_what_is_refused(wrong):
    (name,) = wrong
    with pytest.raises(ProgramError, match=f"{name}=.*: give a"):
        random_walks(Engine(Graph.from_edges([0], [1])), **wrong)
