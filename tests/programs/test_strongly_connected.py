"""Strong components against SciPy and igraph, and of published sizes."""

from __future__ import annotations

import numpy as np
import pytest
from support.bundled import verified_run
from support.samples import grid, random_graph, shared, skewed

from gascl import Engine, Graph, NotConverged
from gascl.programs import StronglyConnected


def run(graph: Graph, **options):
    result = verified_run(graph, StronglyConnected(), **options)
    assert result.component.dtype == np.int32
    return result


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 6))]
)
def test_random_graphs(seed, directed):
    graph = random_graph(seed, directed=directed)
    component = run(graph).component
    other = graph.to_igraph().connected_components(mode="strong")
    assert len(other) == len(set(component.tolist())) > 5
    assert all(len({component[v] for v in members}) == 1 for members in other)


def cycles(lengths, links=(), reverse=False) -> Graph:
    """Cycles in a row, each with an arc to the next; `reverse`: to the one before."""
    begins = np.cumsum([0, *lengths])
    ids = np.arange(begins[-1])
    follow = ids + 1
    follow[begins[1:] - 1] = begins[:-1]
    src, dst = begins[:-2], begins[1:-1]
    if reverse:
        src, dst = dst, src
    return Graph.from_edges(np.concatenate([ids, src]), np.concatenate([follow, dst]))


@pytest.mark.parametrize("reverse", [False, True])
def test_rows_of_cycles(reverse):
    """Nothing but priorities parts them: in the order of ids, each would cost a round."""
    lengths = np.random.default_rng(0).integers(2, 5, 400)
    result = run(cycles(lengths, reverse=reverse))
    assert len(set(result.component.tolist())) == 400
    rounds = sum(s.program == "Roots" for s in result.trace)
    assert 2 < rounds < 40


def test_trimming():
    """A tree without cycles goes leaf by leaf, and nothing is left to flood."""
    src = np.arange(1, 1023) // 2
    result = run(Graph.from_edges(src, np.arange(1, 1023)))
    assert {s.program for s in result.trace} == {"Reached", "Reaching", "Trim"}
    assert result.supersteps < 30


def test_shapes():
    for n in (0, 1, 3):
        assert run(Graph.from_edges([], [], num_vertices=n)).component.tolist() == list(range(n))
    assert run(Graph.from_edges([0, 0], [0, 0])).component.tolist() == [0]
    assert run(Graph.from_edges([1, 2, 2], [2, 1, 1], num_vertices=4)).component.tolist() == [
        *(0, 1, 1, 3)
    ]
    assert not run(Graph.from_edges(np.arange(500), (np.arange(500) + 1) % 500)).component.any()
    assert not run(grid(9, 11)).component.any()
    run(skewed(5, 3000, 9000))


@pytest.mark.slow
def test_other_deliveries():
    graph = random_graph(3, directed=True)
    expected = run(graph).component
    for delivery in ("slots", "serial"):
        assert np.array_equal(run(graph, delivery=delivery).component, expected)


def test_a_run_cut_short_says_so():
    graph = Graph.from_edges(np.arange(500), (np.arange(500) + 1) % 500)
    with pytest.warns(
        NotConverged,
        match="StronglyConnected did not converge: reached max_supersteps=5 in Reached",
    ):
        Engine(graph).run(StronglyConnected(), max_supersteps=5)


def test_a_changed_graph():
    path = Graph.from_edges(np.arange(20), np.arange(20) + 1)
    for steps in (3, None):
        first = Engine(path).run(
            StronglyConnected(), keep_state=True, max_supersteps=steps, not_converged="ignore"
        )
        ring = path.with_edges(add=[(20, 4)])
        assert run(ring, state=first.state).component.tolist() == [0, 1, 2, 3, *[4] * 17]


@pytest.mark.parametrize(
    ("name", "largest"),
    [("wiki-Vote.txt.gz", 1300), ("email-Eu-core.txt", 803), ("p2p-Gnutella08.txt", 2068)],
)
def test_real_graphs(name, largest):
    """The numbers are those published with the graphs."""
    component = run(Graph.read(shared(f"edgelist/{name}"), directed=True)).component
    assert np.unique(component, return_counts=True)[1].max() == largest
