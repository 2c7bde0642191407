"""A program of a user's own with receive_if and priority, against a heap."""

from __future__ import annotations

import math

import numpy as np
import pytest
from support.case_subsets import thinned
from support.samples import random_graph
from support.verifiers import widest_paths
from support.widest_paths import WidestPaths

from gascl import Engine, Graph

DELIVERIES = ("auto", "slots", "pull", "push", "edges", "serial")


def sample(seed: int, directed: bool, most: int) -> Graph:
    """Capacities up to `most`, 0 among them: many ties where that is small."""
    drawn = random_graph(seed, directed=directed, edges=150)
    capacity = np.random.default_rng(seed).integers(0, most, drawn.num_edges)
    return drawn.with_edge_fields(capacity=capacity)


def test_the_verifier_by_hand():
    graph = Graph.from_edges([0, 0, 1, 2, 4], [1, 2, 3, 3, 0], capacity=[5, 2, 1, 2, 9])
    found = widest_paths.widths(graph, 0, graph.edge_fields["capacity"])
    assert found == [math.inf, 5, 2, 2, 0]


@pytest.mark.parametrize(("directed", "delivery"), thinned([True, False], DELIVERIES, by=4))
def test_random_graphs(directed, delivery):
    for seed, most in ((0, 4), (1, 1000)):
        graph = sample(seed, directed, most)
        for delta in (None, 1, 64):
            cls = type("Wide", (WidestPaths,), {"delta": delta})
            program = cls(source=int(graph.edge_src[0]))
            result = Engine(graph).run(program, delivery=delivery)
            widest_paths.verify(graph, result, program)
            assert result.converged


def test_in_lanes():
    graph = sample(2, True, 20)
    sources = graph.edge_src[:3].tolist()
    result = Engine(graph).run(WidestPaths(source=sources))
    capacity = graph.edge_fields["capacity"]
    expected = [widest_paths.widths(graph, s, capacity) for s in sources]
    assert result.width.T.tolist() == expected


def test_waiting_saves_activations():
    """On a path with narrow shortcuts, the wide vertices come first and nobody scatters twice."""
    ids = np.arange(39)
    graph = Graph.from_edges(
        np.concatenate([ids, np.zeros(30, int)]),
        np.concatenate([ids + 1, np.arange(2, 32)]),
        capacity=np.concatenate([np.full(39, 100), np.arange(1, 31)]),
    )
    first = type("First", (WidestPaths,), {"delta": 1})
    anyone = type("Anyone", (WidestPaths,), {"priority": None})
    steps = {cls: Engine(graph).run(cls(source=0)).trace for cls in (first, anyone)}
    active = {cls: sum(step.active for step in steps[cls]) for cls in steps}
    assert active[first] == 40
    assert active[anyone] > 40
