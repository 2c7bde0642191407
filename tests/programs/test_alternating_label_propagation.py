"""Label propagation of one half after the other, against a plain version and known communities."""

import pytest
from support.admitting_deliveries import admitted
from support.case_subsets import thinned
from support.samples import random_graph, skewed
from support.verifiers.alternating_label_propagation import verify

from gascl import Engine, Graph, generators
from gascl.communities import mutual_information
from gascl.programs import AlternatingLabelPropagation


@pytest.mark.parametrize(("seed", "directed"), thinned([0, 1, 2], [True, False]))
def test_random_graphs(seed, directed, device):
    graph = random_graph(seed, directed=directed, edges=150)
    for supersteps in (0, 1, 9, 20):
        program = AlternatingLabelPropagation(supersteps=supersteps)
        for delivery in admitted(program, device):
            result = Engine(graph, device).run(program, delivery=delivery)
            verify(graph, result, program)
            assert result.supersteps == supersteps


def test_hubs():
    graph = skewed(11, 400, 20_000)
    program = AlternatingLabelPropagation()
    verify(graph, Engine(graph).run(program), program)


def test_the_ends_of_an_edge_agree():
    """Where all choose at once, they swap labels forever."""
    graph = Graph.from_edges([0, 2], [1, 3], directed=False)
    result = Engine(graph).run(AlternatingLabelPropagation(supersteps=None))
    assert result.converged
    assert result.label[0] == result.label[1] and result.label[2] == result.label[3]


@pytest.mark.parametrize("seed", [0, 1])
def test_known_communities(seed):
    """More than half of all edges are between communities."""
    graph = generators.lfr(3000, 20, 50, mixing=0.55, max_community=100, seed=seed)
    found = Engine(graph).run(AlternatingLabelPropagation()).label
    assert mutual_information(found, graph.vertex_fields["community"]) > 0.95
