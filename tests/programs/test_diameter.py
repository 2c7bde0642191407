"""Diameters and radii against searches from all vertices and NetworkX."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.admitting_deliveries import admitted
from support.bundled import verified_run
from support.case_subsets import one_in
from support.samples import grid, random_graph, skewed, to_networkx
from support.verifiers.diameter import verify

from gascl import Engine, Graph, ProgramError
from gascl.programs import BreadthFirst, ConnectedComponents, Diameter
from gascl.programs.diameter import SearchesAtOnce

STAGES = (SearchesAtOnce(first=0, all=1), BreadthFirst(source=0), ConnectedComponents())


def run(graph: Graph, **options):
    result = verified_run(graph, Diameter(), **options)
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


@pytest.mark.parametrize(
    "delivery", one_in(4, sorted(set.intersection(*(set(admitted(s)) for s in STAGES))))
)
def test_deliveries(delivery):
    """Many vertices that are all alike, so that they are searched from at once."""
    ring = np.arange(90)
    result = run(Graph.from_edges(ring, (ring + 1) % 90, directed=False), delivery=delivery)
    assert (result.diameter == 45).all() and (result.radius == 45).all()
    assert "SearchesAtOnce" in {step.program for step in result.trace}


def test_few_searches():
    """Of a graph with hubs, and of one without."""
    for graph in (skewed(1, 5000, 20000, directed=False), grid(30, 31)):
        assert run(graph).aggregates["searches"] < 50


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
    for graph in (grid(5, 6), skewed(1, 8000, 30000, directed=False)):
        for field in ("diameter", "radius"):
            for by in (-1, 1):
                result = Engine(graph).run(Diameter())
                result[field][:] += by
                with pytest.raises(AssertionError):
                    verify(graph, result, Diameter())
