"""Leiden: connected communities as good as igraph's, the same by each delivery."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.admitting_deliveries import some_admitted
from support.samples import grid, random_graph, shared, skewed, weighted
from support.verifiers.leiden import verify
from support.verifiers.louvain import disconnected, modularity, potts

from gascl import Engine, Graph, ProgramError
from gascl.generators import lfr
from gascl.programs import Leiden, Louvain
from gascl.programs.local_moving import Move


def run(graph: Graph, program: Leiden | None = None, **options) -> np.ndarray:
    program = program or Leiden()
    result = Engine(graph).run(program, **options)
    verify(graph, result, program)
    assert result.converged
    return result.community


@pytest.mark.parametrize("directed", [True, False])
def test_random_graphs(directed):
    """With loops, parallel edges and weights; the same by each delivery."""
    for graph in (
        random_graph(1, directed=directed, edges=200),
        weighted(random_graph(0, directed=directed)),
        skewed(1, 300, 2000, directed=directed),
    ):
        expected = run(graph).tolist()
        for delivery in some_admitted(Move(seed=0, price=1, few=0)):
            assert run(graph, delivery=delivery).tolist() == expected


def test_shapes():
    for n in (0, 1, 4):
        assert run(Graph.from_edges([], [], num_vertices=n)).tolist() == list(range(n))
    assert run(Graph.from_edges([0, 2], [1, 3], num_vertices=5)).tolist() == [0, 0, 1, 1, 2]
    nothing = Graph.from_edges([0, 1], [1, 2], weight=[0, 0])
    assert Engine(nothing).run(Leiden()).community.tolist() == [0, 1, 2]
    star, path = [0] * 50, list(range(50))
    run(Graph.from_edges(star, range(1, 51), directed=False))
    run(Graph.from_edges(path, range(1, 51), directed=False))
    run(Graph.from_edges([0, 0, 1], [0, 1, 2], directed=False))
    run(grid(12, 12))


@pytest.mark.parametrize("resolution", [0.5, 1, 2])
def test_networkx(resolution):
    made = nx.karate_club_graph()
    graph = Graph.from_networkx(made)
    found = run(graph, Leiden(resolution=resolution))
    parts = [set(np.flatnonzero(found == c).tolist()) for c in range(found.max() + 1)]
    theirs = nx.community.modularity(made, parts, resolution=resolution)
    assert modularity(graph, found, resolution) == pytest.approx(theirs)


@pytest.mark.parametrize("resolution", [0.02, 0.2, 1])
def test_constant_potts_model(resolution):
    """As good as igraph's."""
    graph = lfr(1000, average_degree=15, max_degree=40, mixing=0.3, seed=3)
    found = run(graph, Leiden(quality="cpm", resolution=resolution))
    made = graph.to_igraph()
    other = made.community_leiden("CPM", resolution=resolution, n_iterations=2).membership
    ours, theirs = (potts(graph, np.asarray(x), resolution) for x in (found, other))
    assert ours >= theirs - 0.01 * abs(theirs)
    cliques = Graph.from_networkx(nx.ring_of_cliques(12, 6))
    assert run(cliques, Leiden(quality="cpm", resolution=0.5)).tolist() == [
        v // 6 for v in range(72)
    ]


def test_known_communities():
    graph = lfr(2000, average_degree=20, max_degree=50, mixing=0.4, seed=1)
    truth = graph.vertex_fields["community"]
    found = run(graph)
    made = graph.to_igraph()
    other = np.asarray(made.community_leiden("modularity", n_iterations=2).membership)
    assert modularity(graph, found, 1) >= 0.999 * modularity(graph, other, 1)
    assert len(np.unique(found)) <= len(np.unique(truth))


def test_louvain_may_leave_disconnected_communities_and_leiden_does_not():
    graph = skewed(5, 3000, 9000, directed=False)
    seeds = range(6)
    louvain = [Engine(graph).run(Louvain(seed=seed)).community for seed in seeds]
    assert any(disconnected(graph, found) for found in louvain)
    for seed in seeds:
        run(graph, Leiden(seed=seed))


def test_initial_communities():
    """They are kept where nothing is gained elsewhere, and improved otherwise."""
    graph = Graph.from_networkx(nx.ring_of_cliques(12, 6))
    planted = [7 - v // 6 for v in range(72)]
    assert run(graph, Leiden(community=planted)).tolist() == [v // 6 for v in range(72)]
    assert run(graph, Leiden(community=np.zeros(72, int))).tolist() == [v // 6 for v in range(72)]
    found = run(grid(20, 20))
    again = run(grid(20, 20), Leiden(community=found))
    assert modularity(grid(20, 20), again, 1) >= modularity(grid(20, 20), found, 1)


def test_a_list_of_resolutions():
    """The same as a run for each."""
    graph, resolutions = weighted(skewed(1, 300, 2000)), [0.3, 1, 2.5]
    engine = Engine(graph)
    for quality, program in (("modularity", Leiden), ("cpm", Louvain)):
        found = engine.run(program(quality=quality, resolution=resolutions))
        assert found.community.shape == (300, 3) and found.converged
        for i, resolution in enumerate(resolutions):
            one = engine.run(program(quality=quality, resolution=resolution))
            assert found.community[:, i].tolist() == one.community.tolist()
            assert found.aggregates["modularity"][i] == one.aggregates["modularity"]
            assert found.aggregates["levels"][i] == one.aggregates["levels"]
    assert len({tuple(column) for column in found.community.T}) == 3


@pytest.mark.parametrize(
    ("resolution", "said"),
    [
        ([], "resolution=.*: expected a value, or a list with one for each lane, not an empty"),
        ([1, np.nan], r"resolution=\[1, nan\]: expected a value 0 or more"),
        ([1, -0.5], r"resolution=\[1, -0.5\]: expected a value 0 or more"),
    ],
)
def test_resolutions_that_are_refused(resolution, said):
    with pytest.raises(ProgramError, match=said):
        Leiden(resolution=resolution)


@pytest.mark.parametrize("weights", [False, True])
def test_changed_edges(weights):
    """Where edges change, communities stay connected, and about as good as from scratch, though
    only few vertices look around."""
    graph = lfr(5000, average_degree=15, max_degree=40, mixing=0.4, seed=2)
    draw = np.random.default_rng(0)
    if weights:
        graph = weighted(graph)
    found = run(graph)
    for _ in range(4):
        gone = draw.choice(graph.num_edges, 8, replace=False)
        fields = {"weight": np.full(8, 3.0)} if weights else {}
        graph = graph.with_edges(
            add=draw.integers(0, 5000, (8, 2)),
            remove=(graph.edge_src[gone], graph.edge_dst[gone]),
            **fields,
        )
        engine, program = Engine(graph), Leiden(community=found, start="changed")
        result, scratch = engine.run(program), engine.run(Leiden())
        verify(graph, result, program)
        qualities = [modularity(graph, each.community, 1) for each in (result, scratch)]
        assert qualities[0] >= 0.995 * qualities[1]
        assert 5 * looks(result) < looks(scratch)
        found = result.community
    assert run(graph, program).tolist() == found.tolist()


def looks(result) -> int:
    """How many times vertices looked at a neighbor to find a better community."""
    return sum(step.messages for step in result.trace if step.program == "Move")


def test_a_community_that_falls_apart():
    """Its bridge is removed, and nothing else: no vertex would move."""
    two = nx.disjoint_union(nx.complete_graph(6), nx.complete_graph(6))
    two.add_edge(0, 6)
    graph = Graph.from_networkx(two)
    together = np.zeros(12, int)
    after = graph.with_edges(remove=[(0, 6)])
    low = Leiden(community=together, start="changed", quality="cpm", resolution=0.01)
    assert run(after, low).tolist() == [0] * 6 + [1] * 6


def test_changed_edges_that_are_refused():
    graph = Graph.dataset("karate")
    with pytest.raises(ProgramError, match="Leiden: start='changed' goes on from communities"):
        Engine(graph.with_edges(remove=[(0, 1)])).run(Leiden(start="changed"))
    said = "Leiden: start='changed', but the graph does not know which edges have changed"
    with pytest.raises(ProgramError, match=said):
        Engine(graph).run(Leiden(start="changed", community=0))


@pytest.mark.parametrize(
    ("network", "optimum"),
    [("karate", 0.41979), ("dolphins", 0.52852), ("football", 0.60457), ("polbooks", 0.52724)],
)
def test_small_graphs(network, optimum):
    """Nearly the optimum, as proved by Aloise et al., Column Generation Algorithms for Exact
    Modularity Maximization in Networks (2010)."""
    graph = Graph.read(shared(f"communities/{network}.gml")).simple(undirected=True)
    graph = graph.with_edge_fields(**dict.fromkeys(graph.edge_fields))
    for seed in range(3):
        assert modularity(graph, run(graph, Leiden(seed=seed)), 1) >= 0.998 * optimum


def test_seeds_repeat_and_iterations_improve():
    graph = skewed(1, 2000, 9000)
    found = [run(graph, Leiden(seed=seed)) for seed in (0, 0, 1)]
    assert found[0].tolist() == found[1].tolist() != found[2].tolist()
    values = [modularity(graph, run(graph, Leiden(iterations=n)), 1) for n in (1, 2, 5)]
    assert values == sorted(values)


def test_the_unit_of_weights_does_not_matter():
    graph = weighted(skewed(1, 200, 900))
    small, large = (
        graph.with_edge_fields(weight=unit * graph.edge_fields["weight"])
        for unit in (2.0**-80, 2.0**80)
    )
    assert run(small).tolist() == run(large).tolist()


@pytest.mark.slow
@pytest.mark.parametrize(
    "file", ["edgelist/email-Eu-core.txt", "edgelist/ca-GrQc.txt.gz", "metis/4elt.graph.gz"]
)
def test_real_graphs(file):
    """As good as igraph's, on average over seeds."""
    graph = Graph.read(shared(file)).simple(undirected=True)
    made = graph.to_igraph()
    theirs = [made.community_leiden("modularity", n_iterations=2).modularity for _ in range(5)]
    ours = [modularity(graph, run(graph, Leiden(seed=seed)), 1) for seed in range(5)]
    assert np.mean(ours) >= 0.995 * np.mean(theirs)
