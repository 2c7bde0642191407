"""Diameters and radii against searches from all vertices and NetworkX."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.demands import admitted
from support.samples import grid, random_graph, skewed, to_networkx
from support.verifiers.diameter import verify

from gascl import Engine, Graph, ProgramError
from gascl.programs import Diameter
from gascl.programs.diameter import SearchesAtOnce


def run(graph: Graph, **options):
    result = Engine(graph).run(Diameter(), **options)
    verify(graph, result, Diameter())
    assert result.converged
    assert result.diameter.dtype == result.radius.dtype == np.int32
    return result


@pytest.mark.parametrize("seed", range(4))
def test_random_graphs(seed):
    graph = random_graph(seed, directed=False)
    result = run(graph)
    made = nx.Graph(to_networkx(graph))
    for part in nx.connected_components(made):
        eccentricity = nx.eccentricity(made.subgraph(part)).values()
        for v in part:
            assert (result.diameter[v], result.radius[v]) == (max(eccentricity), min(eccentricity))


@pytest.mark.parametrize("delivery", admitted(SearchesAtOnce(first=0, all=1)))
def test_deliveries(delivery):
    """Enough vertices that hardly differ, so that some are searched from at once."""
    ring = np.arange(400)
    graph = Graph.from_edges(ring, (ring + 1) % 400, directed=False)
    result = run(graph, delivery=delivery if delivery != "edges" else "auto")
    assert (result.diameter == 200).all() and (result.radius == 200).all()


def test_few_searches():
    """A graph with hubs, and one without; both have many more vertices."""
    for graph in (skewed(1, 5000, 20000, directed=False), grid(70, 71)):
        assert run(graph).aggregates["searches"] < 500


def test_shapes():
    for n in (0, 1, 4):
        result = run(Graph.from_edges([], [], num_vertices=n, directed=False))
        assert result.diameter.tolist() == result.radius.tolist() == [0] * n
    labels = ["a", "b", "c", "d", "e", "f"]
    graph = Graph.from_edges([0, 0, 1, 1, 2, 4], [1, 1, 1, 2, 3, 5], labels=labels, directed=False)
    result = run(graph)
    assert result.diameter.tolist() == [3, 3, 3, 3, 1, 1]
    assert result.radius.tolist() == [2, 2, 2, 2, 1, 1]
    star = run(Graph.from_edges([0] * 99, range(1, 100), directed=False))
    assert (star.diameter == 2).all() and (star.radius == 1).all()


def test_directed_graphs_are_refused():
    with pytest.raises(ProgramError, match=r"^Diameter: the graph is directed.*simple\(undirected"):
        Engine(random_graph(0, directed=True)).run(Diameter())


def test_what_the_verifier_sees():
    for graph in (grid(5, 6), grid(70, 71)):
        for field in ("diameter", "radius"):
            for by in (-1, 1):
                result = Engine(graph).run(Diameter())
                result[field][:] += by
                with pytest.raises(AssertionError):
                    verify(graph, result, Diameter())
