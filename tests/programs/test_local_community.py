"""Local push against walks of all lengths, linear equations and NetworkX."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.admitting_deliveries import admitted
from support.bundled import verified_run as run
from support.case_subsets import one_in
from support.samples import grid, random_graph, skewed, to_networkx
from support.verifiers.local_community import verify

from gascl import Engine, FieldError, Graph, ProgramError
from gascl.programs import LocalCommunity
from gascl.programs.local_community import Push


def cliques(count: int, size: int) -> Graph:
    """Cliques in a ring, each joined with the next by one edge."""
    src, dst = np.triu_indices(size, 1)
    first = size * np.arange(count)
    ring = first + 1, np.roll(first, -1)
    src, dst = (first[:, None] + src).ravel(), (first[:, None] + dst).ravel()
    ends = np.concatenate([src, ring[0]]), np.concatenate([dst, ring[1]])
    return Graph.from_edges(*ends, directed=False)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("epsilon", [1e-2, 1e-4, 1e-7])
def test_random_graphs(epsilon, dtype, directed):
    graph = random_graph(1, directed=directed)
    for source in (0, 7, 63):
        run(graph, LocalCommunity(source=source, epsilon=epsilon, dtype=dtype))
    run(graph, LocalCommunity(sources=[5, 9, 63], damping=0.6, epsilon=epsilon, dtype=dtype))
    run(skewed(2, 300, 900), LocalCommunity(source=1, epsilon=epsilon, dtype=dtype))


@pytest.mark.parametrize("delivery", one_in(4, admitted(Push(damping=1, least=1))))
def test_deliveries_agree_to_the_bit(delivery):
    program = LocalCommunity(source=17, epsilon=1e-5, dtype="float64")
    graph = skewed(3, 400, 1500, directed=False)
    one, other = run(graph, program), run(graph, program, delivery=delivery)
    for field in one:
        assert one[field].tobytes() == other[field].tobytes()
    assert one.aggregates == other.aggregates


def test_cliques_are_found():
    graph = cliques(12, 8)
    for source in (0, 41):
        result = run(graph, LocalCommunity(source=source, epsilon=5e-3))
        assert np.flatnonzero(result.member).tolist() == list(
            range(source // 8 * 8, source // 8 * 8 + 8)
        )
        assert result.aggregates["conductance"] == pytest.approx(2 / (8 * 7 + 2))


def test_near_networkx():
    graph = grid(9, 11)
    result = run(graph, LocalCommunity(source=30, epsilon=1e-8, damping=0.9, dtype="float64"))
    made = to_networkx(graph)
    expected = nx.pagerank(made, 0.9, {30: 1}, tol=1e-13, max_iter=1000)
    assert np.abs(result.rank - [expected[v] for v in range(99)]).max() < 4e-8
    made = nx.Graph(made)
    inside = np.flatnonzero(result.member).tolist()
    assert result.aggregates["conductance"] == pytest.approx(nx.conductance(made, inside))


def test_work_depends_on_epsilon_and_not_on_the_graph():
    for rows in (20, 60):
        result = run(grid(rows, rows), LocalCommunity(source=rows * 10 + 10, epsilon=1e-3))
        assert sum(step.messages for step in result.trace) <= 1 / (0.15 * 1e-3)
        assert (result.rank > 0).sum() < 150


def test_shapes():
    alone = Graph.from_edges([1], [2], labels=["a", "b", "c"], directed=False)
    result = run(alone, LocalCommunity(source="a"))
    assert result.rank.tolist() == result.member.tolist() == [1, 0, 0]
    assert result.aggregates["conductance"] == 0
    with pytest.raises(FieldError, match=r"result\.aggregates\['conductance'\]"):
        _ = result.conductance
    result = run(alone, LocalCommunity(source="b"))
    assert result.member.tolist() == [0, 1, 0] and result.aggregates["conductance"] == 1
    loop = run(Graph.from_edges([0], [0]), LocalCommunity(source=0))
    assert loop.rank[0] + loop.residual[0] == 1 and loop.member.tolist() == [1]
    stays = run(grid(3, 3), LocalCommunity(source=4, damping=0))
    assert stays.rank.tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    waits = run(grid(3, 3), LocalCommunity(source=4, epsilon=1))
    assert waits.residual[4] == 1 and waits.member.tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "parameter 'source' is required"),
        ({"source": 1, "sources": [2]}, "not both"),
        ({"source": 1, "epsilon": 1e-9}, "epsilon"),
        ({"source": 1, "damping": 1}, "damping"),
    ],
)
def test_parameters_refused(values, words):
    with pytest.raises(ProgramError, match=words):
        LocalCommunity(**values)


def test_what_the_verifier_sees():
    graph, program = cliques(5, 6), LocalCommunity(source=3, epsilon=5e-3)
    for field, vertex, value in (
        ("rank", 3, 0.9),
        ("rank", 9, 0.1),
        ("residual", 3, 0.1),
        ("residual", 3, -1e-9),
        ("member", 3, 0),
        ("member", 9, 1),
    ):
        result = Engine(graph).run(program)
        assert result[field][vertex] != value
        result[field][vertex] = value
        with pytest.raises(AssertionError):
            verify(graph, result, program)
    result = Engine(graph).run(program)
    result.member[:] = np.arange(30) < 12  # the second clique, too
    with pytest.raises(AssertionError):
        verify(graph, result, program)
