"""Closeness, harmonic centrality and sizes of neighborhoods against SciPy, NetworkX and igraph."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.admitting_deliveries import admitted
from support.bundled import verified_run as run
from support.bundled import verifier_of
from support.case_subsets import one_in, thinned
from support.samples import graphalytics, random_graph, to_networkx
from support.verifiers.distances import distances

from gascl import Engine, GasclError, Graph, ProgramError
from gascl.generators import rmat
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find
from gascl.programs import (
    BreadthFirst,
    Closeness,
    Eccentricity,
    HarmonicCloseness,
    Neighborhoods,
    WeightedCloseness,
    WeightedEccentricity,
    WeightedHarmonicCloseness,
)
from gascl.programs.eccentricity import Farthest


def simple_networkx(graph: Graph) -> nx.Graph:
    return (nx.DiGraph if graph.directed else nx.Graph)(to_networkx(graph))


@pytest.mark.parametrize("directed", one_in(2, [True, False]))
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_random_graphs(seed, directed):
    """With parallel edges, self-loops, several components; more than 512 sources."""
    graph = random_graph(seed, directed=directed, vertices=600, edges=900)
    made = simple_networkx(graph)
    for dtype, most in (("float64", 1e-12), ("float32", 1e-5)):
        for program, expected in (
            (Closeness(dtype=dtype), nx.closeness_centrality(made)),
            (Closeness(dtype=dtype, wf_improved=False),
             nx.closeness_centrality(made, wf_improved=False)),
            (HarmonicCloseness(dtype=dtype), nx.harmonic_centrality(made)),
        ):  # fmt: skip
            found = run(graph, program).centrality
            assert found.tolist() == pytest.approx([expected[v] for v in range(600)], rel=most)
            assert (found == 0).any() and (found > 0).any()


@pytest.mark.parametrize("sources", [1, 3, 64, 65, [5], [1, 2, 58, 63]])
def test_some_sources(sources):
    graph = random_graph(2, directed=True, vertices=70, edges=150)
    made = simple_networkx(graph)
    drawn = np.random.RandomState(4).permutation(70)
    listed = sources if isinstance(sources, list) else drawn[:sources].tolist()
    run(graph, Closeness(sources=sources, seed=4))
    run(graph, Closeness(sources=sources, seed=4, wf_improved=False, dtype="float64"))
    program = HarmonicCloseness(sources=sources, seed=4, dtype="float64")
    expected = nx.harmonic_centrality(made, sources=listed)
    found = run(graph, program).centrality
    assert found.tolist() == pytest.approx([expected[v] for v in range(70)], rel=1e-12)


@pytest.mark.parametrize("directed", [True, False])
def test_neighborhoods(directed):
    graph = random_graph(0, directed=directed, vertices=600, edges=900)
    everyone = np.arange(600)
    way = np.concatenate([way for _, way in distances(graph, everyone)])
    sizes = []
    for hops in (0, 1, 2, 3, 10**6):
        result = run(graph, Neighborhoods(hops=hops))
        assert result.size.tolist() == (way <= hops).sum(1).tolist()
        assert result.size.dtype == np.int32
        sizes.append(result.size)
    assert sizes[0].tolist() == [1] * 600 and (sizes[2] < sizes[3]).any()
    members = Engine(graph).run(BreadthFirst(source=3, hops=2)).depth
    assert np.count_nonzero(members >= 0) == sizes[2][3]


def test_breadth_first_within_hops():
    graph = random_graph(0, directed=True)
    every = Engine(graph).run(BreadthFirst(source=7)).depth
    assert every.max() > 4
    for hops in (0, 1, 3, 50):
        result = Engine(graph).run(BreadthFirst(source=7, hops=hops))
        assert result.depth.tolist() == np.where(every <= hops, every, -1).tolist()
        assert result.converged
    lanes = Engine(graph).run(BreadthFirst(source=[7, 8], hops=3)).depth
    assert lanes[:, 0].tolist() == np.where(every <= 3, every, -1).tolist()
    with pytest.raises(ProgramError, match="hops=-1: expected a number of supersteps"):
        BreadthFirst(source=7, hops=-1)


@pytest.mark.parametrize(
    ("directed", "delivery"),
    thinned([True, False], admitted(Farthest(first=[0, 64], all=[1, 1])), by=6),
)
def test_eccentricities(directed, delivery):
    """More than 512 targets; and of a connected part what NetworkX has."""
    graph = random_graph(0, directed=directed, vertices=600, edges=900)
    result = run(graph, Eccentricity(), delivery=delivery)
    assert result.eccentricity.dtype == np.int32
    run(graph, Eccentricity(targets=5, seed=2), delivery=delivery)
    run(graph, Eccentricity(targets=[7]), delivery=delivery)
    made = simple_networkx(graph)
    parts = nx.strongly_connected_components if directed else nx.connected_components
    part = nx.convert_node_labels_to_integers(made.subgraph(max(parts(made), key=len)))
    whole = run(Graph.from_networkx(part), Eccentricity())
    expected = nx.eccentricity(part)
    assert whole.eccentricity.tolist() == [expected[v] for v in part]
    assert whole.eccentricity.max() == nx.diameter(part)
    assert whole.distances.sum() / (1 if directed else 2) == nx.wiener_index(part)


@pytest.mark.parametrize("directed", one_in(2, [True, False]))
def test_along_weights(directed):
    drawn = random_graph(3, directed=directed, vertices=80, edges=300).simple()
    weight = np.random.default_rng(0).integers(0, 9, drawn.num_edges)
    ends = drawn.edge_src, drawn.edge_dst
    graph = Graph.from_edges(*ends, num_vertices=80, directed=directed, weight=weight)
    made = graph.to_networkx()
    for program, expected in (
        (WeightedCloseness, nx.closeness_centrality(made, distance="weight")),
        (WeightedHarmonicCloseness, nx.harmonic_centrality(made, distance="weight")),
    ):
        for dtype, most in (("float64", 1e-12), ("float32", 1e-5)):
            found = run(graph, program(dtype=dtype)).centrality
            assert found.tolist() == pytest.approx([expected[v] for v in range(80)], rel=most)
        run(graph, program(sources=7))
    for dtype in ("float32", "float64"):
        run(graph, WeightedEccentricity(dtype=dtype))
    run(graph, WeightedEccentricity(targets=[3, 5], dtype="float64"))
    found = run(graph, WeightedEccentricity(targets=[4])).distances
    way = nx.single_source_dijkstra_path_length(made.reverse() if directed else made, 4)
    assert found.tolist() == [way.get(v, 0) for v in range(80)]


def test_labels_are_sources():
    graph = graphalytics("directed")
    label = int(graph.labels[4])
    found = run(graph, HarmonicCloseness(sources=[label])).centrality
    depth = Engine(graph).run(BreadthFirst(source=label)).depth
    assert found.tolist() == [np.float32(1 / d) if d > 0 else 0 for d in depth.tolist()]


PROGRAMS = [
    Closeness(),
    HarmonicCloseness(),
    Neighborhoods(hops=2),
    Eccentricity(),
    WeightedCloseness(dtype="float64"),
    WeightedHarmonicCloseness(dtype="float64"),
    WeightedEccentricity(dtype="float64"),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: type(p).__name__)
def test_small_graphs_and_another_delivery(program):
    for vertices in (0, 1, 3):
        loops = np.arange(vertices)
        for src in (loops, loops[:0]):
            graph = Graph.from_edges(src, src, num_vertices=vertices)
            run(graph, program)
    run(random_graph(1, directed=True), program, delivery="slots")


def test_what_is_refused():
    engine = Engine(random_graph(1, directed=True))
    for values, said in (
        ({"sources": 65}, "cannot draw 65 vertices from a graph with 64"),
        ({"sources": [3, 3]}, "vertex 3 occurs twice in the list"),
        ({"sources": [64]}, "64"),
        ({"sources": 0}, "None \\(all vertices\\), a number of vertices"),
        ({"seed": -1}, "0 or more"),
        ({"wf_improved": 1}, "True or False"),
    ):
        with pytest.raises(GasclError, match=said):
            engine.run(Closeness(**values))
    with pytest.raises(ProgramError, match="hops=-1: expected a value 0 or more"):
        Neighborhoods(hops=-1)


@pytest.mark.slow
@pytest.mark.parametrize("group", [8, 64])
@pytest.mark.parametrize("directed", [True, False])
def test_lists_of_arcs_whose_senders_send(group, directed):
    """As on a GPU; the row of a hub, with 6,000 arcs, comes in pieces."""
    star = np.arange(1, 6001)
    drawn = np.random.default_rng(1).integers(0, 300, (2, 900))
    ends = np.concatenate([[star, np.zeros_like(star)], drawn], axis=1)
    graph = Graph.from_edges(*ends, num_vertices=6010, directed=directed)
    engine = Engine(graph, Device(find().cl, group=group))
    for program in (Neighborhoods(hops=2), Closeness(sources=130)):
        result = engine.run(program, delivery="pull")
        verifier_of(type(program).__name__).verify(graph, result, program)


@pytest.mark.slow
@pytest.mark.parametrize("directed", [True, False])
def test_a_large_graph(directed):
    graph = rmat(13, 8, seed=1, directed=directed)
    for program in (Closeness(), HarmonicCloseness(sources=700), Neighborhoods(hops=2)):
        run(graph, program)
