"""Graphs whose arrays, or forms in other libraries, take more memory than is free, are refused."""

import tracemalloc

import pytest

from gascl import Graph, generators
from gascl.errors import GraphError

NAMED = "100,000,000 (vertices|nodes|labels).* need at least .* of memory, and 128.0 MiB are free; "


@pytest.fixture(autouse=True)
def little_memory(monkeypatch):
    """So little is free; what allocates more than that all the same is found."""
    monkeypatch.setattr("gascl.util.host.free_memory", lambda: 2**27)
    tracemalloc.start()
    yield
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**27


METHODS = {
    "degree": lambda graph: graph.degree,
    "out_degree": lambda graph: graph.out_degree,
    "in_degree": lambda graph: graph.in_degree,
    "weighted_out_degree": lambda graph: graph.weighted_out_degree(),
    "weighted_in_degree": lambda graph: graph.weighted_in_degree(),
    "neighbors": lambda graph: graph.neighbors(0),
    "ego": lambda graph: graph.ego(0),
    "subgraph": lambda graph: graph.subgraph([0, 1]),
    "largest_component": lambda graph: graph.largest_component(),
    "by_degree": lambda graph: graph.by_degree(),
    "simple": lambda graph: graph.simple(),
    "to_scipy": lambda graph: graph.to_scipy(),
    "to_networkx": lambda graph: graph.to_networkx(),
    "to_igraph": lambda graph: graph.to_igraph(),
    "gml": lambda graph: graph.write("never.gml"),
    "graphml": lambda graph: graph.write("never.graphml"),
}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("directed", [True, False])
def test_a_graph_of_many_vertices(name, directed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    graph = Graph.from_edges([0], [1], num_vertices=10**8, directed=directed, weight=[0.5])
    with pytest.raises(GraphError, match=NAMED):
        METHODS[name](graph)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("make", [generators.star, generators.path, generators.complete])
def test_a_generator(make):
    with pytest.raises(GraphError, match=f"{NAMED}ask for fewer"):
        make(10**8)
