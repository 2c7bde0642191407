"""Label propagation against the published example and a plain version that counts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from support.case_subsets import thinned
from support.samples import (
    arcs_of,
    graphalytics,
    graphalytics_answer,
    graphalytics_parameter,
    grid,
    random_graph,
    shared,
    skewed,
)

from gascl import Engine, Graph, NotConverged
from gascl.programs import LabelPropagation

DELIVERIES = ("auto", "slots", "serial")


def propagate(graph: Graph, supersteps: int) -> tuple[list[int], list[int]]:
    """Labels, and how many changed in each superstep: by counting, neighbor by neighbor."""
    around: list[list[int]] = [[] for _ in range(graph.num_vertices)]
    for u, v in arcs_of(graph, "both"):
        around[v].append(u)
    label, changed = list(range(graph.num_vertices)), []
    for _ in range(supersteps):
        counts = [Counter(label[u] for u in near) for near in around]
        new = [
            min(count.items(), key=lambda pair: (-pair[1], pair[0]))[0] if count else own
            for count, own in zip(counts, label, strict=True)
        ]
        changed.append(sum(a != b for a, b in zip(label, new, strict=True)))
        label = new
    return label, changed


@pytest.mark.parametrize("kind", ["directed", "undirected"])
def test_graphalytics(kind):
    graph = graphalytics(kind)
    supersteps = graphalytics_parameter(kind, "cdlp.max-iterations")
    result = Engine(graph).run(LabelPropagation(supersteps=supersteps))
    expected = [int(x) for x in graphalytics_answer(kind, "CDLP")]
    assert [graph.label_of(i) for i in result.label.tolist()] == expected
    assert result.supersteps == supersteps


@pytest.mark.parametrize(("seed", "directed"), thinned([0, 1, 2], [True, False]))
def test_random_graphs(seed, directed):
    graph = random_graph(seed, directed=directed, edges=150)
    runner = Engine(graph)
    for supersteps in (0, 1, 2, 7):
        label, changed = propagate(graph, supersteps)
        for delivery in DELIVERIES:
            result = runner.run(LabelPropagation(supersteps=supersteps), delivery=delivery)
            assert result.label.tolist() == label, (supersteps, delivery)
            assert [step.aggregates["changed"] for step in result.trace] == changed
            assert result.supersteps == supersteps
    assert runner.run(LabelPropagation()).supersteps == 10


def test_a_neighbor_both_ways_counts_twice_and_ties_go_to_the_smallest():
    # 4 hears 0 twice, 1 and 2 once; 3 hears 1 and 2 once each; 5 is alone.
    graph = Graph.from_edges([0, 4, 1, 4, 1, 3], [4, 0, 4, 2, 3, 2], num_vertices=6)
    result = Engine(graph).run(LabelPropagation(supersteps=1))
    assert result.label.tolist() == [4, 3, 3, 1, 0, 5]


def test_until_nothing_changes():
    """Two triangles and a bridge settle; the two ends of one edge swap labels forever."""
    graph = Graph.from_edges([0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3], directed=False)
    result = Engine(graph).run(LabelPropagation(supersteps=None))
    expected, changed = propagate(graph, result.supersteps)
    assert result.label.tolist() == expected
    assert result.converged and changed[-1] == 0 and 0 not in changed[:-1]
    pair = Engine(Graph.from_edges([0], [1]))
    with pytest.warns(NotConverged):
        swapping = pair.run(LabelPropagation(supersteps=None), max_supersteps=7)
    assert swapping.label.tolist() == [1, 0]


def test_hubs():
    """Long inboxes, where sorting has every kind of order to deal with."""
    n = 30_000
    star = Graph.from_edges(np.zeros(n - 1, int), np.random.default_rng(0).permutation(n - 1) + 1)
    assert Engine(star).run(LabelPropagation(supersteps=1)).label.tolist() == [1] + [0] * (n - 1)
    many = skewed(11, 400, 20_000)
    assert max(many.out_degree + many.in_degree) > 5000
    assert Engine(many).run(LabelPropagation(supersteps=3)).label.tolist() == propagate(many, 3)[0]


def test_a_hub_of_a_million():
    """n log n: insertion sort would take hours here."""
    n = 10**6
    leaves = np.random.default_rng(0).permutation(n - 1) + 1
    graph = Graph.from_edges(np.zeros(n - 1, int), leaves)
    result = Engine(graph).run(LabelPropagation(supersteps=2))
    assert result.label[0] == 0 and (result.label[1:] == 1).all()


@pytest.mark.parametrize(
    ("name", "directed"), [("edgelist/email-Eu-core.txt", True), ("mtx/delaunay_n10.mtx", False)]
)
def test_real_graphs(name, directed):
    graph = Graph.read(shared(name), directed=directed)
    result = Engine(graph).run(LabelPropagation(supersteps=5))
    assert result.label.tolist() == propagate(graph, 5)[0]


def test_a_grid():
    graph = grid(30, 40)
    result = Engine(graph).run(LabelPropagation())
    assert result.label.tolist() == propagate(graph, 10)[0]
