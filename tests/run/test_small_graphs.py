"""Kernels for small graphs are not optimized, and give the results of optimized ones."""

from __future__ import annotations

import numpy as np
import pytest

from gascl import Engine, Graph, generators, programs
from gascl.run import prepare

pytestmark = pytest.mark.optimized

RUNS = {
    "PageRank": {},
    "ShortestPaths": {"source": 0},
    "Eigenvector": {"dtype": "float64"},
    "ForceLayout": {"supersteps": 5},
    "Katz": {"alpha": 0.01},
    "LocalClustering": {},
}


@pytest.fixture(scope="module")
def graph():
    found = generators.rmat(5, seed=3)
    return found.with_fields(weight=np.random.default_rng(1).random(found.num_edges) + 0.1)


@pytest.mark.parametrize("name", RUNS)
def test_results_are_the_same_bit_for_bit(name, graph, monkeypatch):
    results = []
    for small in (0, 2**20):
        monkeypatch.setattr(prepare, "SMALL", small)
        engine = Engine(graph)
        program = getattr(programs, name)(**RUNS[name])
        result = engine.run(program, not_converged="ignore")
        results.append({field: values.tobytes() for field, values in result.fields.items()})
        results[-1]["supersteps"] = result.supersteps
        options = engine._prepare(program, "auto").source.options
        assert ("-cl-opt-disable" in options) == (small > 0 and engine.device.may_skip_optimizer)
    assert results[0] == results[1]


def test_lanes_count(monkeypatch):
    graph = Graph.from_edges(range(40), range(1, 41))
    engine = Engine(graph)
    if not engine.device.may_skip_optimizer:
        pytest.skip("kernels are always optimized there")
    monkeypatch.setattr(prepare, "SMALL", 2**9)
    for sources, skips in (([0], True), ([*range(40)], False)):
        program = programs.BreadthFirst(sources=sources)
        assert ("-cl-opt-disable" in engine._prepare(program, "auto").source.options) == skips
