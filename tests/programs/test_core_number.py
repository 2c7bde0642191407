"""Core numbers against igraph and NetworkX, on graphs of any kind, and of published numbers."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.bundled import verified_run
from support.case_subsets import thinned
from support.samples import grid, random_graph, shared, skewed, to_networkx

from gascl import Engine, Graph, NotConverged
from gascl.generators import rmat
from gascl.programs import CoreNumber, core_number


def run(graph: Graph, **options):
    result = verified_run(graph, CoreNumber(), **options)
    assert result.core.dtype == np.int32
    return result


@pytest.mark.parametrize(("seed", "directed"), thinned([0, 1, 2], [True, False]))
def test_random_graphs(seed, directed):
    graph = random_graph(seed, directed=directed, edges=150)
    result = run(graph)
    assert len(set(result.core.tolist())) > 3
    kind = nx.DiGraph if directed else nx.Graph
    simple = kind(to_networkx(graph))
    simple.remove_edges_from(list(nx.selfloop_edges(simple)))
    single = Graph.from_networkx(simple)
    found = nx.core_number(simple)
    assert run(single).core.tolist() == [found[v] for v in range(graph.num_vertices)]


@pytest.mark.parametrize(("seed", "directed"), thinned([0, 1, 2], [True, False]))
def test_one_number_at_a_time(seed, directed, monkeypatch):
    """As where many vertices can have a number; the answer is igraph's, as by ranges."""
    graph = random_graph(seed, directed=directed, edges=400)
    ranges = run(graph)
    monkeypatch.setattr(core_number, "_MANY", 0)
    monkeypatch.setattr(core_number, "_PART", graph.num_vertices)
    result = run(graph)
    assert "Shells" in {step.program for step in ranges.trace}
    assert {step.program for step in result.trace} == {"Shell"}
    assert [step.superstep for step in result.trace] == list(range(result.supersteps))


def test_hubs_and_other_deliveries():
    graph = skewed(3, 300, 6000)
    expected = run(graph).core
    assert expected.max() > 50
    for delivery in ("pull", "serial"):
        assert np.array_equal(run(graph, delivery=delivery).core, expected)


@pytest.mark.parametrize("directed", [True, False])
def test_loops_parallel_and_opposite_edges(directed):
    """A self-loop does not count; two edges between the same vertices do."""
    src, dst = [0, 0, 1, 2, 2, 3, 3], [1, 1, 0, 2, 2, 2, 4]
    result = run(Graph.from_edges(src, dst, num_vertices=6, directed=directed))
    assert result.core.tolist() == [3, 3, 1, 1, 1, 0]


def test_small_ones_and_other_shapes():
    for vertices in (0, 1, 2):
        assert run(Graph.from_edges([], [], num_vertices=vertices)).core.tolist() == [0] * vertices
    assert run(Graph.from_edges([0, 0], [0, 0])).core.tolist() == [0]
    assert run(grid(12, 9)).core.tolist() == [2] * 108
    src, dst = np.triu_indices(30, 1)
    result = run(Graph.from_edges(src, dst, num_vertices=32, directed=False))
    assert result.core.tolist() == [29] * 30 + [0, 0]
    assert result.supersteps < 8  # the level jumps from 0 to 29


def test_a_run_cut_short_says_so():
    graph = grid(1, 40)
    with pytest.warns(NotConverged):
        result = Engine(graph).run(CoreNumber(), max_supersteps=5)
    assert set(result.core.tolist()) == {1, 2}, "upper bounds"
    assert run(graph).core.tolist() == [1] * 40


@pytest.mark.parametrize(
    ("name", "core"),
    [
        ("ego-Facebook.txt.gz", 115),
        ("wiki-Vote.txt.gz", 53),
        ("ca-GrQc.txt.gz", 43),
        ("p2p-Gnutella08.txt", 10),
    ],
)
def test_real_graphs(name, core):
    """The numbers are those published with the graphs: of the simple graph beneath."""
    file = shared(f"edgelist/{name}")
    graph = Graph.read(file, directed=False, duplicates="first")
    assert run(graph).core.max() == core


@pytest.mark.slow
@pytest.mark.parametrize("directed", [True, False])
def test_a_large_graph(directed):
    run(rmat(16, 16, seed=1, directed=directed))
