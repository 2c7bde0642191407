"""The scale at which communities of particles are found."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.verifiers.particle_communities import bits

from gascl import Graph
from gascl.programs.particle_clusters import best_scale, description, modularity, nearness


def ring_of_cliques(count: int = 6, size: int = 5) -> tuple[nx.Graph, Graph]:
    made = nx.ring_of_cliques(count, size)
    return made, Graph.from_edges(*np.transpose(list(made.edges)), directed=False)


def groups(community: np.ndarray) -> list[set]:
    return [set(np.flatnonzero(community == c).tolist()) for c in np.unique(community)]


@pytest.mark.parametrize("seed", range(5))
def test_description_and_modularity(seed):
    """Against the definition of the one, and NetworkX's of the other."""
    made = nx.gnm_random_graph(30, 70, seed=seed)
    graph = Graph.from_edges(*np.transpose(list(made.edges)), num_vertices=30, directed=False)
    community = np.random.default_rng(seed).integers(0, 4, 30)
    assert description(graph, community) == pytest.approx(bits(made, groups(community)))
    expected = nx.community.modularity(made, groups(community))
    assert modularity(graph, community) == pytest.approx(expected)


def test_by_hand():
    """Two joined vertices: one code of two words, a bit for each step; or two codes of a word each,
    and one from which each step takes a word."""
    graph = Graph.from_edges([0], [1], directed=False)
    assert description(graph, np.array([0, 0])) == pytest.approx(1)
    # Each code has its vertex and its exit, both used in every second step: 2 bits, and 1 between.
    assert description(graph, np.array([0, 1])) == pytest.approx(3)


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


def test_nearness():
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0], directed=False)
    position = np.array([[0, 0, 0], [3, 4, 0], [0, 0, 1e6]])
    assert nearness(graph, position, 2.0).tolist() == pytest.approx([np.exp(-2.5), 1e-6, 1e-6])
