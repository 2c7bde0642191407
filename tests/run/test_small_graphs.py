"""Kernels for small graphs are not optimized, and give the results of optimized ones."""

import numpy as np
import pytest

from gascl import Engine, Graph, VertexProgram, generators, programs, vertex
from gascl.run import prepare
from gascl.run.options import RunOptions

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
    return found.with_edge_fields(weight=np.random.default_rng(1).random(found.num_edges) + 0.1)


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
        skips = small > 0 and engine.device.may_skip_optimizer
        assert ("-cl-opt-disable" in _options(engine, program)) == skips
    assert results[0] == results[1]


class Wide(VertexProgram):
    lanes = 32
    x = vertex.int32()
    apply_on = "all"
    apply = "v.x = lane;"


def test_all_lanes_count(monkeypatch):
    engine = Engine(Graph.from_edges(range(20), range(1, 21)))
    if not engine.device.may_skip_optimizer:
        pytest.skip("kernels are always optimized there")
    monkeypatch.setattr(prepare, "SMALL", 2**9)
    assert "-cl-opt-disable" in _options(engine, programs.BreadthFirst(source=0))
    assert "-cl-opt-disable" not in _options(engine, Wide())


def _options(engine, program):
    """The compiler's options for a program."""
    return engine._prepare(program, RunOptions()).source.options
