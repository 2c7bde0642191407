"""Betweenness against igraph and NetworkX, exact and from some sources, and what is refused."""

from __future__ import annotations

import random

import networkx as nx
import numpy as np
import pytest
from support.admitting_deliveries import admitted
from support.bundled import verified_run
from support.case_subsets import one_in, thinned
from support.samples import grid, random_graph, shared, skewed, to_networkx
from support.verifiers import weighted_betweenness
from support.verifiers.betweenness import verify

from gascl import Engine, Graph, ProgramError
from gascl.generators import rmat
from gascl.programs import (
    Betweenness,
    EdgeBetweenness,
    WeightedBetweenness,
    WeightedEdgeBetweenness,
)
from gascl.programs.betweenness import Backward, Forward
from gascl.programs.weighted_betweenness import Paths, Shares


def run(graph: Graph, program: Betweenness, **options):
    return verified_run(graph, program, **options).centrality


class Drawn(random.Random):
    """Lets NetworkX draw what we did."""

    def sample(self, nodes, k):
        return self.drawn


def skip_other_scales(sources: int | None) -> None:
    """Before 3.5, NetworkX scaled what it found from a sample of sources differently."""
    if sources is not None and tuple(map(int, nx.__version__.split(".")[:2])) < (3, 5):
        pytest.skip("NetworkX before 3.5 scales samples differently")


def by_networkx(graph: Graph, sources: list[int] | None = None, **options) -> list[float]:
    made = (nx.DiGraph if graph.directed else nx.Graph)(to_networkx(graph))
    given = Drawn()
    given.drawn = sources
    k = None if sources is None else len(sources)
    skip_other_scales(k)
    found = nx.betweenness_centrality(made, k=k, seed=given, **options)
    return [found[v] for v in range(graph.num_vertices)]


def simple(seed: int, directed: bool, **size) -> Graph:
    """Without parallel edges, which NetworkX does not count."""
    drawn = random_graph(seed, directed=directed, **size)
    ends = drawn.edge_src, drawn.edge_dst
    return Graph.from_edges(
        *ends, num_vertices=drawn.num_vertices, directed=directed, duplicates="first"
    )


@pytest.mark.parametrize("normalized", one_in(2, [True, False]))
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_random_graphs(seed, directed, normalized):
    graph = simple(seed, directed, vertices=70, edges=150)
    expected = by_networkx(graph, normalized=normalized)
    for dtype, most in (("float64", 1e-12), ("float32", 1e-5)):
        found = run(graph, Betweenness(normalized=normalized, dtype=dtype))
        assert found.tolist() == pytest.approx(expected, rel=most, abs=most)
        assert (found > 0).any() and (found == 0).any()


@pytest.mark.parametrize(
    ("sources", "directed", "normalized"),
    thinned([2, 8, 13, 64, [5, 1, 60]], [True, False], [True, False]),
)
def test_some_sources(sources, directed, normalized):
    graph = simple(3, directed)
    listed = sources
    if not isinstance(sources, list):
        listed = np.random.RandomState(2).permutation(64)[:sources].tolist()
    program = Betweenness(sources=sources, seed=2, normalized=normalized, dtype="float64")
    expected = by_networkx(graph, listed, normalized=normalized)
    assert run(graph, program).tolist() == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("sources", "directed"), thinned([None, 1, 11, 64], [True, False]))
def test_endpoints(sources, directed):
    graph = simple(3, directed)
    listed = None if sources is None else np.random.RandomState(2).permutation(64)[:sources]
    for normalized in (True, False):
        program = Betweenness(
            sources=sources, seed=2, endpoints=True, normalized=normalized, dtype="float64"
        )
        expected = by_networkx(graph, listed, endpoints=True, normalized=normalized)
        assert run(graph, program).tolist() == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("sources", "directed"), thinned([1, None, 11], [False, True], by=6))
def test_edges(sources, directed):
    graph = simple(3, directed)
    skip_other_scales(sources)
    made, drawn = (nx.DiGraph if directed else nx.Graph)(to_networkx(graph)), Drawn()
    drawn.drawn = np.random.RandomState(2).permutation(64)[:sources].tolist()
    stages = {Forward: {"source": 0}, Backward: {"last": 1}}
    common = [set(admitted(stage(**values))) for stage, values in stages.items()]
    for normalized in (True, False):
        expected = nx.edge_betweenness_centrality(
            made, k=sources, seed=drawn, normalized=normalized
        )
        values = {"sources": sources, "seed": 2, "normalized": normalized}
        for dtype, most in (("float64", 1e-12), ("float32", 1e-5)):
            program = EdgeBetweenness(dtype=dtype, **values)
            # Each delivery once: from all sources, they take as long as all other tests here.
            others = sorted(common[0] & common[1]) if sources == 11 and normalized else []
            for delivery in ("auto", *others):
                result = Engine(graph).run(program, delivery=delivery)
                verify(graph, result, program)
                ends = zip(*graph.coo(), strict=True)
                both = [expected.get((u, v), expected.get((v, u))) for u, v in ends]
                found = result.arc_fields["centrality"].tolist()
                assert found == pytest.approx(both, rel=most, abs=most)


@pytest.mark.parametrize(("sources", "directed"), thinned([None, 11], [True, False], by=4))
def test_along_weights(sources, directed):
    """Small whole numbers, so that many paths are equally long."""
    drawn = simple(3, directed, vertices=30, edges=90)
    weight = np.random.default_rng(1).integers(1, 4, drawn.num_edges)
    graph = drawn.with_edge_fields(weight=weight)
    listed = None if sources is None else np.random.RandomState(2).permutation(30)[:sources]
    skip_other_scales(sources)
    made, seed = graph.to_networkx(), Drawn()
    seed.drawn = None if listed is None else listed.tolist()
    of_stages = [set(admitted(stage())) for stage in (Paths, Shares)]
    others = sorted(of_stages[0] & of_stages[1] & {"slots", "pull", "serial"})
    for delivery in others if sources else ["auto"]:
        for values in ({}, {"normalized": False}, {"endpoints": True}):
            given = {"k": sources, "seed": seed, "weight": "weight", **values}
            expected = nx.betweenness_centrality(made, **given)
            program = WeightedBetweenness(sources=sources, seed=2, dtype="float64", **values)
            result = Engine(graph).run(program, delivery=delivery)
            weighted_betweenness.verify(graph, result, program)
            exact = pytest.approx([expected[v] for v in range(30)], rel=1e-12, abs=1e-12)
            assert result.centrality.tolist() == exact
        del given["endpoints"]
        expected = nx.edge_betweenness_centrality(made, **given)
        edges = WeightedEdgeBetweenness(sources=sources, seed=2, dtype="float64")
        result = Engine(graph).run(edges, delivery=delivery)
        weighted_betweenness.verify(graph, result, edges)
        ends = zip(*graph.coo(), strict=True)
        both = [expected.get((u, v), expected.get((v, u))) for u, v in ends]
        assert result.arc_fields["centrality"].tolist() == pytest.approx(both, rel=1e-12)
    assert result.arc_fields["centrality"].any()


@pytest.mark.parametrize(
    ("directed", "dtype"), thinned([True, False], ["float32", "float64"], by=4)
)
def test_along_weights_of_graphs_that_are_not_simple(directed, dtype):
    drawn = random_graph(2, directed=directed, vertices=30, edges=60)
    infinite = np.random.default_rng(0).random(drawn.num_edges) + 0.1
    infinite[::9] = np.inf
    for graph in (
        drawn,
        drawn.with_edge_fields(weight=infinite),
        Graph.from_edges([], [], num_vertices=4),
    ):
        for program in (WeightedBetweenness(dtype=dtype), WeightedEdgeBetweenness(dtype=dtype)):
            result = Engine(graph).run(program)
            weighted_betweenness.verify(graph, result, program)


def test_weights_that_are_not_above_0():
    for weight in (0, -1, np.nan):
        wrong = Graph.from_edges([0, 1], [1, 2], weight=[1, weight])
        said = rf"WeightedBetweenness: weight must be above 0, but edge 1 \(1 to 2\) has {weight}"
        with pytest.raises(ProgramError, match=said):
            Engine(wrong).run(WeightedBetweenness())


@pytest.mark.parametrize("directed", one_in(2, [True, False]))
def test_edges_that_are_parallel_and_loops(directed):
    graph = Graph.from_edges([0, 0, 0, 1, 2, 2], [1, 1, 2, 3, 3, 2], directed=directed)
    program = EdgeBetweenness(normalized=False)
    result = Engine(graph).run(program)
    verify(graph, result, program)
    found = np.zeros(6)
    found[graph.arcs().out_edges] = result.arc_fields["centrality"]
    assert found[5] == 0 and found[0] == found[1] > 0
    many = skewed(1, 60, 500, directed=directed)
    program = EdgeBetweenness(dtype="float64")
    verify(many, Engine(many).run(program), program)
    for n in (0, 1, 2):
        nothing = Graph.from_edges([], [], num_vertices=n)
        assert Engine(nothing).run(program).arc_fields["centrality"].shape == (0,)
    wrong = Engine(graph).run(EdgeBetweenness())
    wrong.arc_fields["centrality"][2] += 0.01
    with pytest.raises(AssertionError, match="centrality of arc 2 is wrong, of 1 such"):
        verify(graph, wrong, EdgeBetweenness())


def test_one_source_knows_nothing_of_itself():
    graph = simple(3, True)
    with pytest.warns(RuntimeWarning, match="'centrality' is NaN at 1 vert"):
        found = run(graph, Betweenness(sources=[5]))
    assert np.flatnonzero(np.isnan(found)).tolist() == [5]


@pytest.mark.parametrize("directed", [True, False])
def test_parallel_edges_are_ways_of_their_own(directed):
    src, dst = [0, 0, 0, 1, 2, 2], [1, 1, 2, 3, 3, 2]
    graph = Graph.from_edges(src, dst, directed=directed)
    found = run(graph, Betweenness(normalized=False))
    assert found[1:3].tolist() == pytest.approx([2 / 3, 1 / 3])
    run(skewed(1, 60, 500, directed=directed), Betweenness(dtype="float64"))


def test_small_graphs_and_another_delivery():
    for vertices in (0, 1, 2, 3, 9):
        for normalized in (True, False):
            graph = Graph.from_edges([], [], num_vertices=vertices, directed=False)
            found = run(graph, Betweenness(normalized=normalized))
            assert found.tolist() == [0] * vertices
    assert run(grid(1, 3), Betweenness()).tolist() == [0, 1, 0]
    assert run(grid(1, 2), Betweenness()).tolist() == [0, 0]
    graph = random_graph(1, directed=True)
    again = run(graph, Betweenness(dtype="float64"), delivery="slots")
    assert np.allclose(again, run(graph, Betweenness(dtype="float64")), rtol=1e-13)


def ladder(steps: int) -> Graph:
    """A row of squares, corner to corner: two paths through each, 2^steps in all."""
    first = 3 * np.arange(steps)
    src = np.concatenate([first, first, first + 1, first + 2])
    dst = np.concatenate([first + 1, first + 2, first + 3, first + 3])
    return Graph.from_edges(src, dst)


def test_more_ways_than_a_float_holds():
    """2^126 is the most whose inverse float32 holds in full."""
    assert run(ladder(126), Betweenness(sources=[0, 1])).max() > 0
    for steps in (127, 130):
        with pytest.raises(ProgramError, match=r"lead to a vertex.*float32.*dtype='float64'"):
            Engine(ladder(steps)).run(Betweenness(sources=[1, 0]))
    run(ladder(130), Betweenness(sources=[0, 1], dtype="float64"))
    with pytest.raises(ProgramError, match=r"float64 counts to 4.49e.307: take a smaller graph"):
        Engine(ladder(1030)).run(Betweenness(sources=[1, 0], dtype="float64"))


@pytest.mark.parametrize("sources", [40, pytest.param(None, marks=pytest.mark.slow)])
def test_a_real_graph(sources):
    graph = Graph.read(shared("edgelist/email-Eu-core.txt"))
    run(graph, Betweenness(sources=sources, dtype="float64"))


@pytest.mark.slow
@pytest.mark.parametrize("directed", [True, False])
def test_a_large_graph(directed):
    graph = rmat(15, 8, seed=1, directed=directed)
    for dtype in ("float32", "float64"):
        run(graph, Betweenness(sources=20, dtype=dtype))
