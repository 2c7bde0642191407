"""Weak components against SciPy and NetworkX, and in how few supersteps they are found."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.reference_answers import smallest
from support.samples import (
    graphalytics,
    graphalytics_answer,
    grid,
    random_graph,
    shared,
    skewed,
    to_networkx,
)

from gascl import Engine, Graph, ProgramError
from gascl.programs import ConnectedComponents

DELIVERIES = ("auto", "slots", "push", "edges", "serial")


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_random_graphs(seed, directed):
    graph = random_graph(seed, directed=directed, edges=50)
    expected = smallest(graph)
    components = map(sorted, nx.connected_components(nx.Graph(to_networkx(graph))))
    by_networkx = {v: c[0] for c in components for v in c}
    assert [by_networkx[v] for v in range(graph.num_vertices)] == expected.tolist()
    assert len(set(expected.tolist())) > 5
    runner = Engine(graph)
    for delivery in DELIVERIES:
        result = runner.run(ConnectedComponents(), delivery=delivery)
        assert result.component.tolist() == expected.tolist(), delivery
        assert result.converged and not result.aggregates
        assert result.component.dtype == np.int32


def path(order: np.ndarray) -> Graph:
    return Graph.from_edges(order[:-1], order[1:], num_vertices=len(order))


def reversed_bits(bits: int) -> np.ndarray:
    """0 ... 2^bits - 1 with their bits reversed: neighbors on such a path are far apart."""
    numbers = np.arange(2**bits)
    return sum(((numbers >> i) & 1) << (bits - 1 - i) for i in range(bits))


def orders(n: int) -> dict[str, np.ndarray]:
    """Ways of numbering a path; the last two have made other algorithms slow."""
    count = np.arange(n)
    return {
        "in order": count,
        "from its end": count[::-1],
        "at random": np.random.default_rng(0).permutation(n),
        "bits reversed": reversed_bits(n.bit_length() - 1),
        "both ends in turn": np.where(count % 2, n - 1 - count // 2, count // 2),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", orders(4))
def test_a_path_of_a_million_vertices(name):
    """The logarithm is 19.9; 14 to 41 supersteps were measured, the last of which finds no more."""
    result = Engine(path(orders(10**6)[name])).run(ConnectedComponents())
    assert not result.component.any()
    assert result.supersteps <= 44


@pytest.mark.parametrize(
    ("make", "most"),
    [
        (lambda: grid(90, 110), 12),
        (lambda: skewed(5, 3000, 9000), 12),
        (lambda: Graph.from_edges(np.full(5000, 4999), np.arange(5000)), 9),
        (lambda: Graph.from_edges([], [], num_vertices=7), 9),
    ],
    ids=["grid", "skewed", "star", "no edges"],
)
def test_other_shapes(make, most):
    graph = make()
    result = Engine(graph).run(ConnectedComponents())
    assert np.array_equal(result.component, smallest(graph))
    assert result.supersteps <= most


def test_the_trace_has_no_aggregators_of_its_supersteps_alone():
    """Which the form in place does not have: `slots` runs in supersteps, as ranks do."""
    result = Engine(grid(9, 9)).run(ConnectedComponents(), delivery="slots")
    assert len(result.trace) > 1 and not result.aggregates
    assert not any(step.aggregates for step in [*result.trace, result.trace[-1]])
    assert "agg" not in str(result.trace)


@pytest.mark.parametrize(
    ("name", "directed", "components", "largest"),
    [
        ("edgelist/wiki-Vote.txt.gz", True, 24, 7066),
        ("edgelist/email-Eu-core.txt", True, 20, 986),
        ("edgelist/ego-Facebook.txt.gz", False, 1, 4039),
        ("edgelist/ca-GrQc.txt.gz", True, 355, None),
    ],
)
def test_real_graphs(name, directed, components, largest):
    """The numbers are those published with the graphs."""
    graph = Graph.read(shared(name), directed=directed)
    component = Engine(graph).run(ConnectedComponents()).component
    assert np.array_equal(component, smallest(graph))
    sizes = np.unique(component, return_counts=True)[1]
    assert len(sizes) == components
    assert largest in (None, sizes.max())


@pytest.mark.parametrize("kind", ["directed", "undirected"])
def test_graphalytics(kind):
    """Equal up to the names of the components."""
    graph = graphalytics(kind)
    expected = [int(x) for x in graphalytics_answer(kind, "WCC")]
    component = Engine(graph).run(ConnectedComponents()).component.tolist()
    pairs = set(zip(component, expected, strict=True))
    assert len(pairs) == len(set(component)) == len(set(expected))


@pytest.mark.parametrize(
    ("given", "first"),
    [
        ([1, 2, 3, 0, 4], "'a', which is vertex 0, is 1"),  # a cycle
        ([0, 0, 0, 0, -1], "'e', which is vertex 4, is -1"),
        ([0, 1, 2, 3, 5], "'e', which is vertex 4, is 5"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"max_supersteps": 50}])  # in place, and in supersteps
def test_initial_components_point_backward(given, first, options):
    engine = Engine(Graph.from_edges([*zip("abc", "bcd", strict=True), ("e", "e")]))
    program = ConnectedComponents(component=np.array(given, np.int32))
    with pytest.raises(ProgramError, match=f"the initial component of {first}: give the comp"):
        engine.run(program, **options)
    earlier = ConnectedComponents(component=np.array([0, 0, 2, 2, 4], np.int32))
    assert engine.run(earlier, **options).component.tolist() == [0, 0, 0, 0, 4]
