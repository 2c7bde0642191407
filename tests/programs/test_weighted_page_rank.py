"""PageRank by weights against NetworkX, and a system of linear equations."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.bundled import verified_run
from support.case_subsets import thinned
from support.samples import random_graph

from gascl import Engine, GasclError, Graph, ProgramError
from gascl.programs import PageRank, WeightedPageRank

EXACT = {"dtype": "float64", "tolerance": 1e-13}


def run(runner: Engine, **values):
    return verified_run(runner, WeightedPageRank(**values))


def weighted(seed: int, directed: bool) -> Graph:
    """With edges of weight 0, so that some vertices have no other out-arcs."""
    graph = random_graph(seed, directed=directed)
    weight = np.random.default_rng(seed).integers(0, 4, graph.num_edges) / 2
    return graph.with_edge_fields(weight=weight)


@pytest.mark.parametrize(("seed", "directed"), thinned([0, 1], [True, False], by=4))
def test_random_graphs(seed, directed):
    graph = weighted(seed, directed)
    runner = Engine(graph)
    made = graph.to_networkx()
    assert made.is_multigraph()
    found = nx.pagerank(made, max_iter=5000, tol=2e-15)
    expected = np.array([found[v] for v in range(graph.num_vertices)])
    assert np.abs(run(runner, **EXACT).rank - expected).sum() < 1e-11
    assert np.abs(run(runner).rank - expected).sum() < 1e-5
    unweighted = runner.run(PageRank(**EXACT)).rank
    assert np.abs(unweighted - expected).sum() > 0.1
    given = {0: 3, 5: 0.1, 17: 2.75}
    found = nx.pagerank(made, personalization=given, dangling=given, max_iter=5000, tol=2e-15)
    expected = np.array([found[v] for v in range(graph.num_vertices)])
    result = run(runner, personalization=given, scale="vertices", damping=0.85, **EXACT)
    assert np.abs(result.rank / graph.num_vertices - expected).sum() < 1e-11
    run(runner, dangling="ignore", damping=0.6, **EXACT)
    lands = {4: 1, 9: 2}
    found = nx.pagerank(made, personalization=given, dangling=lands, max_iter=5000, tol=2e-15)
    expected = np.array([found[v] for v in range(graph.num_vertices)])
    result = run(runner, personalization=given, dangling="land", landing=lands, **EXACT)
    assert np.abs(result.rank - expected).sum() < 1e-11
    run(runner, dangling="land", landing=lands, rank={1: 1}, supersteps=2)


def test_without_weights_it_is_page_rank():
    for directed in (True, False):
        runner = Engine(random_graph(2, directed=directed))
        one, other = run(runner, **EXACT), runner.run(PageRank(**EXACT))
        assert np.abs(one.rank - other.rank).sum() < 1e-14


def test_a_weight_is_a_chance():
    graph = Graph.from_edges([0, 0, 0, 1, 2], [1, 2, 3, 0, 0], weight=[3.0, 1, 0, 5, 7])
    assert run(Engine(graph)).strength.tolist() == [4, 5, 7, 0]
    one = Engine(graph).run(WeightedPageRank(supersteps=1, damping=1, dangling="ignore"))
    assert one.rank == pytest.approx([0.5, 3 / 16, 1 / 16, 0])


def test_shapes():
    for n in (0, 1, 3):
        runner = Engine(Graph.from_edges([], [], num_vertices=n, weight=np.zeros(0)))
        assert run(runner).rank == pytest.approx([1 / max(n, 1)] * n)
    loop = Graph.from_edges([0], [0], num_vertices=2, weight=[2.0], directed=False)
    assert run(Engine(loop)).strength.tolist() == [2, 0]


def test_weights_beyond_what_the_type_holds():
    for weights, said in (
        ([1.0, np.inf], "weight must be 0 or more and finite, but .* has inf"),
        ([3e38, 3e38], r"add up to 6e\+38, more than float32 holds: .* or give dtype='float64'"),
        (
            [1, 1e-50],
            r"has 1e-50 at 1, which float32 cannot hold .*; give dtype='float64' or change",
        ),
    ):
        graph = Graph.from_edges([0, 0], [1, 2], weight=weights)
        with pytest.raises(GasclError, match=said):
            Engine(graph).run(WeightedPageRank())
    small = Graph.from_edges([0, 0, 1, 2], [1, 2, 0, 0], weight=[3e-38, 6e-38, 1e-36, 1e38])
    run(Engine(small))


def test_refused():
    wrong = Graph.from_edges([0, 1], [1, 0], weight=[1.0, -2])
    with pytest.raises(GasclError, match=r"0 or more and finite, but edge 1 \(1 to 0\) has -2"):
        Engine(wrong).run(WeightedPageRank())
    nothing = Graph.from_edges([0, 1], [1, 0], weight=[1.0, 0])
    with pytest.raises(ProgramError, match="lanes can't tell apart the rank that is lost"):
        Engine(nothing).run(WeightedPageRank(damping=[0.5, 0.6], tolerance=1e-5))
    ring = Engine(Graph.from_edges([0, 1], [1, 0], weight=[1.0, 2]))
    two = ring.run(WeightedPageRank(damping=[0.5, 0.6], tolerance=1e-5))
    assert two.rank == pytest.approx(0.5 * np.ones((2, 2)))
