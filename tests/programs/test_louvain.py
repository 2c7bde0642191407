"""Communities by modularity: as good as igraph's and NetworkX's, and the planted ones."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.admitting_deliveries import some_admitted
from support.samples import grid, random_graph, shared, skewed, weighted
from support.verifiers.louvain import LESS, modularity, verify

from gascl import Engine, GasclError, Graph, GraphError
from gascl.programs import Louvain
from gascl.programs.local_moving import Move
from gascl.programs.louvain import apart


def run(graph: Graph, program: Louvain | None = None, **options) -> np.ndarray:
    program = program or Louvain()
    result = Engine(graph).run(program, **options)
    verify(graph, result, program)
    assert result.converged
    return result.community


@pytest.mark.slow
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_random_graphs(dtype, seed, directed):
    """With loops, parallel edges and weights; the same by each delivery."""
    for graph in (
        random_graph(seed, directed=directed, edges=200),
        weighted(random_graph(seed, directed=directed)),
        skewed(seed, 300, 2000, directed=directed),
    ):
        expected = run(graph, Louvain(dtype=dtype)).tolist()
        for delivery in some_admitted(Move(seed=0, price=1, few=0)):
            assert run(graph, Louvain(dtype=dtype), delivery=delivery).tolist() == expected


@pytest.mark.parametrize("resolution", [0.5, 1, 2])
def test_networkx(resolution):
    """Its modularity is ours, and its communities are not much better."""
    made = nx.karate_club_graph()
    graph = Graph.from_networkx(made)
    for given, weight in ((graph, "weight"), (graph.with_edge_fields(weight=None), None)):
        found = run(given, Louvain(resolution=resolution, dtype="float64"))
        parts = [set(np.flatnonzero(found == c).tolist()) for c in range(found.max() + 1)]
        ours = nx.community.modularity(made, parts, weight=weight, resolution=resolution)
        assert ours == pytest.approx(modularity(given, found, resolution))
        other = nx.community.louvain_communities(made, weight=weight, resolution=resolution, seed=1)
        theirs = nx.community.modularity(made, other, weight=weight, resolution=resolution)
        assert ours >= theirs - LESS


def test_planted_communities():
    made = nx.planted_partition_graph(8, 40, 0.4, 0.01, seed=1)
    assert run(Graph.from_networkx(made)).tolist() == [v // 40 for v in range(320)]
    cliques = nx.ring_of_cliques(12, 6)
    assert run(Graph.from_networkx(cliques)).tolist() == [v // 6 for v in range(72)]


def test_shapes():
    for n in (0, 1, 4):
        assert run(Graph.from_edges([], [], num_vertices=n)).tolist() == list(range(n))
    assert run(Graph.from_edges([0, 2], [1, 3], num_vertices=5)).tolist() == [0, 0, 1, 1, 2]
    nothing = Graph.from_edges([0, 1], [1, 2], weight=[0, 0])
    assert Engine(nothing).run(Louvain()).community.tolist() == [0, 1, 2]
    run(grid(12, 12))
    loops = Graph.from_edges([0, 0, 1], [0, 1, 2], directed=False)
    run(loops)


@pytest.mark.parametrize("quality", ["modularity", "cpm"])
def test_vertices_without_edges(quality):
    """Each is alone, whatever it begins with; the others, two triangles, do not notice."""
    ends = np.array([[1, 2], [2, 4], [4, 1], [5, 7], [7, 8], [8, 5], [4, 5]])
    graph = Graph.from_edges(*ends.T, num_vertices=11, directed=False)
    options = {"quality": quality, "resolution": 0.5, "iterations": 3}
    expected = [0, 1, 1, 2, 1, 3, 4, 3, 3, 5, 6]
    assert Engine(graph).run(Louvain(**options)).community.tolist() == expected
    for given in (np.zeros(11, int), np.arange(11) // 3):
        found = Engine(graph).run(Louvain(community=given, **options)).community
        assert (np.bincount(found)[found[[0, 3, 6, 9, 10]]] == 1).all()


def test_seeds_repeat():
    graph = skewed(1, 400, 1500)
    found = [run(graph, Louvain(seed=seed)).tolist() for seed in (0, 0, 1)]
    assert found[0] == found[1] != found[2]


def test_the_unit_of_weights_does_not_matter():
    graph = weighted(skewed(1, 200, 900))
    small, large = (
        graph.with_edge_fields(weight=unit * graph.edge_fields["weight"])
        for unit in (2.0**-80, 2.0**80)
    )
    assert run(small).tolist() == run(large).tolist()


@pytest.mark.parametrize("weight", [-1.0, np.inf, np.nan])
def test_weights_that_are_refused(weight):
    graph = Graph.from_edges([0, 1], [1, 2], weight=[1, weight])
    said = rf"Louvain: weight must be 0 or more and finite, but edge 1 \(1 to 2\) has {weight}"
    with pytest.raises(GraphError, match=said):
        Engine(graph).run(Louvain())
    with pytest.raises(GasclError, match="resolution=-1: expected a value 0 or more"):
        Louvain(resolution=-1)


def test_a_real_graph():
    graph = Graph.read(shared("edgelist/email-Eu-core.txt"))
    run(graph)


def test_what_the_verifier_sees():
    graph = skewed(1, 400, 1500)
    result = Engine(graph).run(Louvain())
    result.community[::2] = 0
    with pytest.raises(AssertionError, match=r"order|modularity|members|company"):
        verify(graph, result, Louvain())


def test_vertices_that_a_dict_leaves_out_begin_alone():
    """None leaves a community of all, but lone vertices find their clique."""
    parts = range(5), range(5, 10)
    edges = [(a, b) for part in parts for a in part for b in part if a < b] + [(4, 5)]
    engine = Engine(Graph.from_edges(*np.transpose(edges), directed=False))
    apart, together = [0] * 5 + [1] * 5, [0] * 10
    for number in (0, 2**31 - 1):
        given = dict.fromkeys(range(5), number)
        assert engine.run(Louvain(community=given)).community.tolist() == apart
        given |= dict.fromkeys(range(5, 10), number)
        assert engine.run(Louvain(community=given)).community.tolist() == together


def test_communities_of_several_graphs_stay_apart():
    many = [np.array([7, 7, 9])] * 40
    assert apart(many).tolist() == [2 * copy + c for copy in range(40) for c in (0, 0, 1)]
