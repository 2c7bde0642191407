"""The scale at which communities of particles are found."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.verifiers.particle_communities import bits

from gascl import Graph
from gascl.programs.particle_clusters import (
    best_scale,
    description,
    modularity,
    near_weights,
    spread,
    strengths,
    weighted,
)


def ring_of_cliques(count: int = 6, size: int = 5) -> tuple[nx.Graph, Graph]:
    made = nx.ring_of_cliques(count, size)
    return made, Graph.from_edges(*np.transpose(list(made.edges)), directed=False)


def groups(community: np.ndarray) -> list[set]:
    return [set(np.flatnonzero(community == c).tolist()) for c in np.unique(community)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weights", [False, True])
def test_description_and_modularity(seed, weights):
    """Against the definition of the one, and NetworkX's of the other."""
    made = nx.gnm_random_graph(30, 70, seed=seed)
    rng = np.random.default_rng(seed)
    graph = Graph.from_edges(*np.transpose(list(made.edges)), num_vertices=30, directed=False)
    if weights:
        weight = rng.uniform(0.1, 3, 70)
        graph = graph.with_edge_fields(weight=weight)
        nx.set_edge_attributes(made, dict(zip(made.edges, weight, strict=True)), "weight")
    community = rng.integers(0, 4, 30)
    degree = strengths(graph)
    assert description(graph, community, degree) == pytest.approx(bits(made, groups(community)))
    expected = nx.community.modularity(made, groups(community))
    assert modularity(graph, community, degree) == pytest.approx(expected)


def test_by_hand():
    """Two joined vertices: one code of two words, a bit for each step; or two codes of a word each,
    and one from which each step takes a word."""
    graph = Graph.from_edges([0], [1], directed=False)
    assert description(graph, np.array([0, 0]), np.ones(2)) == pytest.approx(1)
    # Each code has its vertex and its exit, both used in every second step: 2 bits, and 1 between.
    assert description(graph, np.array([0, 1]), np.ones(2)) == pytest.approx(3)


def test_the_shortest_description_is_chosen():
    _, graph = ring_of_cliques()
    cliques, pairs = np.repeat(np.arange(6), 5), np.repeat(np.arange(3), 10)
    for order in ([cliques, pairs], [pairs, cliques]):
        assert np.array_equal(best_scale(graph, order), cliques)


def test_without_groups_modularity_decides():
    src, dst = np.triu_indices(8, 1)
    graph = Graph.from_edges(src, dst, directed=False)
    halves, alone = np.repeat([0, 1], 4), np.arange(8)
    assert np.array_equal(best_scale(graph, [alone, halves]), halves)  # -1/14 against -1/8


def test_shorter_edges_weigh_more():
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0], directed=False)
    position = np.array([[0, 0, 0], [3, 4, 0], [0, 0, 1e6]])
    expected = np.array([np.exp(-2.5), 1e-6, 1e-6])
    found = near_weights(graph, position, 2.0).edge_fields["weight"]
    assert found == pytest.approx(expected)
    graph = graph.with_edge_fields(weight=[2.0, 3.0, 0.5])
    found = near_weights(graph, position, 2.0).edge_fields["weight"]
    assert found == pytest.approx(expected * [2, 3, 0.5])


@pytest.mark.parametrize("directed", [True, False])
def test_weights_of_parallel_edges_add_up(directed):
    """1 and 2 are joined by 5, 2 and 3 by 1, whichever way; of a loop nothing is left."""
    src, dst, weight = [1, 3, 2, 2, 2], [2, 2, 1, 1, 2], [1.0, 1, 0.5, 3.5, 9]
    graph = Graph.from_edges(src, dst, directed=directed).with_edge_fields(weight=weight, other=dst)
    found = weighted(graph)
    ends = map(frozenset, zip(found.edge_src.tolist(), found.edge_dst.tolist(), strict=True))
    by_pair = dict(zip(ends, found.edge_fields["weight"].tolist(), strict=True))
    assert by_pair == {frozenset({1, 2}): 5 / 3, frozenset({2, 3}): 1 / 3}
    assert not found.directed and found.num_edges == 2 and list(found.edge_fields) == ["weight"]


def test_only_weights_are_weights():
    graph = Graph.from_edges([0, 1], [1, 2], directed=False).with_edge_fields(other=[1, 2])
    assert not weighted(graph).edge_fields
    nothing = weighted(graph.with_edge_fields(weight=[0.0, 0.0])).edge_fields["weight"]
    assert nothing.tolist() == [0, 0]


def test_places_fill_a_cube_evenly():
    number = np.array([[3, 0, 1], [1, 0, 2], [2, 5, 9], [-7, 6, 3]])
    expected = np.array([[3, 0, 0], [1, 1, 1], [2, 2, 3], [0, 3, 2]])
    assert spread(number) == pytest.approx(((expected + 0.5) / 4 - 0.5) * 4**0.25)
    assert spread(np.zeros((0, 3))).shape == (0, 3)
