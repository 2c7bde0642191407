"""What the runs of a program on an engine share, and what they must not."""

import gc
import weakref

import numpy as np
import pytest

from gascl import Engine, Graph, GraphError, ProgramError, VertexProgram, edge, param, vertex
from gascl.opencl.device import Device
from gascl.programs import BreadthFirst, PageRank
from gascl.run import supersteps
from gascl.run.launcher import Launched

#: 0 -> 1 -> 2 -> 3, and 0 -> 4.
PATH = Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 4])
DEPTHS = {0: [0, 1, 2, 3, 1], 1: [-1, 0, 1, 2, -1], 4: [-1, -1, -1, -1, 0]}


class Shifted(VertexProgram):
    """`by` is added to `x` once, and to `y`, which is an input."""

    by = param.real(1.0)
    y = vertex.real(init="7")
    x = vertex.real()
    message, combine, scatter_on = "real", "sum", "all"
    apply_on = "all"
    scatter = "send(v.y);"
    apply = "v.x = v.y + p.by;"
    supersteps = param.supersteps(1)


@pytest.fixture
def allocated(monkeypatch):
    """The sizes of the buffers that are allocated."""
    sizes, allocate = [], Device.allocate

    def noted(self, size):
        sizes.append(size)
        return allocate(self, size)

    monkeypatch.setattr(Device, "allocate", noted)
    return sizes


def test_a_run_takes_the_buffers_that_the_last_one_has_left(allocated):
    engine = Engine(PATH)
    engine.run(BreadthFirst(source=0))
    first = len(allocated)
    for source in (1, 4):
        assert engine.run(BreadthFirst(source=source)).depth.tolist() == DEPTHS[source]
    assert len(allocated) == first + 2 * 2  # depth and parent


def test_buffers_of_large_runs_are_not_left(allocated, monkeypatch):
    monkeypatch.setattr("gascl.run.state._IDLE", 0)
    engine = Engine(PATH)
    engine.run(BreadthFirst(source=0))
    first = len(allocated)
    assert engine.run(BreadthFirst(source=1)).depth.tolist() == DEPTHS[1]
    assert len(allocated) == 2 * first


def test_parameters_and_given_values_are_those_of_each_run():
    fields = {"y": np.arange(5.0)}
    graph = Graph.from_edges(PATH.edge_src, PATH.edge_dst, vertex_fields=fields)
    engine, of_graph = Engine(PATH), Engine(graph)
    given = np.float32([5, 4, 3, 2, 1])
    for by in (1.0, 2.0, 1.0):
        assert engine.run(Shifted(by=by)).x.tolist() == [7 + by] * 5
        assert engine.run(Shifted(by=by, y=given)).x.tolist() == (given + by).tolist()
        assert of_graph.run(Shifted(by=by)).x.tolist() == [by, 1 + by, 2 + by, 3 + by, 4 + by]
        given += 1
    assert engine.run(Shifted()).x.tolist() == [8] * 5


def test_a_kept_state_and_the_next_run_have_different_buffers():
    engine, whole = Engine(PATH), Engine(PATH).run(BreadthFirst(source=0))
    part = engine.run(
        BreadthFirst(source=0), max_supersteps=2, keep_state=True, not_converged="ignore"
    )
    assert engine.run(BreadthFirst(source=1)).depth.tolist() == DEPTHS[1]
    rest = engine.run(BreadthFirst(source=0), state=part.state)
    assert rest.depth.tolist() == whole.depth.tolist() == DEPTHS[0]
    assert engine.run(BreadthFirst(source=4)).depth.tolist() == DEPTHS[4]


def test_a_run_that_fails_leaves_no_buffers():
    engine = Engine(PATH)
    engine.run(BreadthFirst(source=0))

    def fail(step):
        raise ValueError("the callback failed")

    with pytest.raises(ValueError, match="callback"):
        engine.run(BreadthFirst(source=1), callback=fail)
    (loaded,) = engine._loaded.values()
    assert loaded.idle == []
    assert engine.run(BreadthFirst(source=1)).depth.tolist() == DEPTHS[1]
    assert len(loaded.idle) == 1


def test_values_and_programs_are_not_kept():
    engine, given = Engine(PATH), np.float32([1, 2, 3, 4, 5])
    program = Shifted(y=given)
    held = [weakref.ref(program), weakref.ref(given)]
    result = engine.run(program)
    assert result.x.tolist() == [2, 3, 4, 5, 6]
    del program, given, result
    gc.collect()
    assert [each() for each in held] == [None, None]
    assert engine.run(Shifted()).x.tolist() == [8] * 5


def test_a_graph_that_lacks_a_field_is_refused_in_each_run():
    class Weighted(VertexProgram):
        weight = edge.real()
        x = vertex.real()
        message, combine, scatter_on = "real", "sum", "all"
        scatter = "send(e.weight);"
        apply = "v.x = msg;"
        supersteps = param.supersteps(1)

    engine = Engine(PATH)
    for _ in range(2):
        with pytest.raises(GraphError, match="no such edge field"):
            engine.run(Weighted())


def test_times_of_kernels_are_read_when_they_are_used(monkeypatch):
    read, time = [], Launched.time

    def noted(self):
        read.append(self.kernel)
        return time(self)

    monkeypatch.setattr(Launched, "time", noted)
    trace = Engine(PATH).run(PageRank(supersteps=20), delivery="slots").trace
    assert not read
    assert all(step.seconds > 0 and step.kernels for step in trace)
    kernels = [len(step.kernels) for step in trace]
    assert len(read) == sum(kernels)
    # Those of many supersteps are read during the run.
    monkeypatch.setattr(supersteps, "_UNTIMED", 8)
    monkeypatch.setattr(supersteps, "MOST_AHEAD", 4)
    read.clear()
    trace = Engine(PATH).run(PageRank(supersteps=20), delivery="slots").trace
    assert len(read) == sum(kernels[:16])
    assert [len(step.kernels) for step in trace] == kernels
    assert len(read) == sum(kernels)


def test_what_is_wrong_with_a_program_is_said_in_each_run():
    class Wrong(VertexProgram):
        x = vertex.real()
        message, combine, scatter_on = "real", "sum", "all"
        scatter = "send(nothing);"
        apply = "v.x = msg;"
        supersteps = param.supersteps(1)

    engine = Engine(PATH)
    for _ in range(2):
        with pytest.raises(ProgramError, match="nothing"):
            engine.run(Wrong())
