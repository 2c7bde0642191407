"""Fields of a result: read from the device when asked for, or when its memory is needed."""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
import threading
import warnings
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyopencl as cl
import pytest
from support.case_subsets import thinned

from gascl import Engine, Graph, VertexProgram, arc, param, vertex
from gascl.device_graph.buffers import ResidentGraph
from gascl.errors import DeviceError, ProgramError
from gascl.graph.lazy import LazyValues
from gascl.opencl import fork_guard
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find
from gascl.programs import PageRank, ShortestPaths, WeightedPageRank
from gascl.results.own_rows import SlicedFields
from gascl.run.result_fields import SolvedFields
from gascl.run.state import State

PATH = Graph.from_edges([0, 1, 2], [1, 2, 3], weight=[2.0, 3.0, 4.0])
PATHS = ShortestPaths(source=0)


def engine(graph: Graph = PATH) -> Engine:
    """An engine on a device of its own, whose results are this test's alone."""
    return Engine(graph, Device(find().cl))


@pytest.fixture
def reads(monkeypatch) -> list[str]:
    """The names of fields, as they are read from a device."""
    seen, field = [], State.field

    def read(self, name, *owner):
        seen.append(name)
        return field(self, name, *owner)

    monkeypatch.setattr(State, "field", read)
    return seen


# What is read ------------------------------------------------------------------------------------


def test_no_field_is_read_to_know_which_there_are():
    class Far(LazyValues):
        dtype, shape = np.dtype(np.int32), (4,)

    solved = SolvedFields({"far": Far()})  # which has no `read`
    for fields in (solved, SlicedFields(solved, slice(2))):
        assert "far" in fields and "near" not in fields and list(fields) == ["far"]


def test_a_field_is_read_once_on_first_use(reads):
    result = engine().run(PATHS)
    assert list(result.fields) == ["distance", "parent"] and "distance" in result.fields
    assert "far" not in result.fields and len(result.fields) == 2
    assert repr(result) and dir(result) and not reads
    assert result.distance.tolist() == [0, 2, 5, 9]
    assert result.distance is result["distance"] is result.fields["distance"]
    assert result.distance.flags.writeable
    assert reads == ["distance"]
    assert result.top("parent", 1) == [(3, 2)]
    assert reads == ["distance", "parent"]


class Inputs(VertexProgram):
    """Some fields that nobody writes, and some that init and apply write."""

    given = vertex.real(init=5)
    place = vertex.float3()
    begun = vertex.int32(init=1)
    x = vertex.int64(init="v.id")
    seen = arc.int16()
    message, combine = "int64", "sum"
    scatter_on = "all"
    supersteps = param.supersteps(2)
    scatter = "e.seen += 1; send(v.x);"
    init = "v.begun += 1;"
    apply = "v.x += msg + (int)v.given + (int)v.place.y + v.begun;"


@pytest.mark.parametrize("lanes", [1, 3])
def test_what_is_only_read_is_not_read_back(reads, lanes):
    given = np.array([4, 3, 2, 1])
    place = np.arange(12, dtype=np.float32).reshape(4, 3)
    cls = type("Inputs", (Inputs,), {"lanes": lanes})
    result = engine().run(cls(given=given, place=place, begun=[7, 7, 7, 7]))
    one = 0 if lanes > 1 else slice(None)
    for name, values in (("given", given), ("place", place)):
        found = np.moveaxis(result[name], 1, 0)[one] if lanes > 1 else result[name]
        assert found.tolist() == values.tolist()
        assert result[name].shape == (4, *[lanes] * (lanes > 1), *values.shape[1:])
        assert result[name].dtype == np.float32
    assert not reads and result.given is not given
    assert np.unique(result.begun).tolist() == [8]
    assert np.unique(result.arc_fields["seen"]).tolist() == [2]
    assert reads == ["begun", "seen"]
    default = engine().run(cls())
    assert np.unique(default.given).tolist() == [5] and reads[-1] == "given", "by its init"


def test_what_is_prepared_is_not_read_back(reads):
    result = engine().run(PageRank(supersteps=3, personalization={0: 1, 1: 3}, dtype="float64"))
    assert result.personalization.tolist() == [0.25, 0.75, 0, 0]
    weighted = engine().run(WeightedPageRank(supersteps=3))
    assert weighted.strength.tolist() == [2, 3, 4, 0] and weighted.strength.dtype == np.float32
    assert not reads
    weighted.strength[:] = 0
    assert PATH.weighted_out_degree("weight").tolist() == [2, 3, 4, 0]
    assert engine().run(WeightedPageRank(supersteps=3)).strength.tolist() == [2, 3, 4, 0]


# Whose memory it is ------------------------------------------------------------------------------


def test_what_has_been_read_takes_no_memory_of_the_device():
    device = Device(find().cl)
    result = Engine(PATH, device).run(PATHS)
    assert [each.nbytes for each in device.unread()] == [2 * 4 * 4]
    result["parent"]
    assert [each.nbytes for each in device.unread()] == [4 * 4]
    result["distance"]
    assert not device.unread()
    result = Engine(PATH, device).run(Inputs(given=[1, 1, 1, 1]))
    sizes = [each.nbytes for each in device.unread()]
    assert sorted(sizes) == [2 * 3, 4 * (16 + 4 + 8)], "arcs; place, begun, x"
    del result
    gc.collect()
    assert not device.unread()


def test_a_kept_state_is_not_given_back():
    device = Device(find().cl)
    result = Engine(PATH, device).run(PATHS, keep_state=True)
    assert not device.unread()
    assert result.distance.tolist() == result.state.field("distance").tolist() == [0, 2, 5, 9]
    again = Engine(PATH, device).run(PATHS, state=result.state)
    assert again.distance.tolist() == [0, 2, 5, 9]


def test_a_run_that_needs_the_memory_reads_first(reads, monkeypatch):
    """So that half of the device's memory is free beside it."""

    class Small(Device):
        memory, pools = 2**30, False

    device, needed, release = Small(find().cl), [], Device.release

    def note(self, size):
        needed.append(size)
        release(self, size)

    monkeypatch.setattr(Device, "release", note)
    small = Engine(PATH, device)
    result, other = small.run(PATHS), small.run(PATHS)
    unread = sum(each.nbytes for each in device.unread())
    Small.memory = 2 * (needed[-1] + unread)
    last = small.run(PATHS)
    assert len(device.unread()) == 3 and not reads
    small.run(PATHS)
    assert sorted(reads) == ["distance"] * 3 + ["parent"] * 3 and len(device.unread()) == 0
    for each in (result, other, last):
        assert each.distance.tolist() == [0, 2, 5, 9]
    assert len(reads) == 6


def test_a_run_for_which_the_device_has_no_memory_reads_first(reads, monkeypatch):
    device = Device(find().cl)
    result = Engine(PATH, device).run(PATHS)
    allocate, failures = Device.allocate, [1]

    def full(self, size):
        if failures:
            failures.pop()
            raise cl.MemoryError("there is none")
        return allocate(self, size)

    monkeypatch.setattr(Device, "allocate", full)
    again = Engine(PATH, device).run(PATHS)
    assert reads == ["distance", "parent"] and not failures
    assert result.distance.tolist() == again.distance.tolist() == [0, 2, 5, 9]


def test_a_graph_leaves_the_device_with_its_engine(reads):
    one = engine()
    result, kept = one.run(PATHS), one.run(PATHS, keep_state=True)
    resident = weakref.ref(next(iter(one._resident.values())))
    assert isinstance(resident(), ResidentGraph)
    del one
    gc.collect()
    assert resident() is None and not reads
    assert result.distance.tolist() == kept.distance.tolist() == [0, 2, 5, 9]


def test_a_pickled_result_has_been_read():
    result = engine().run(Inputs(given=[4, 3, 2, 1]))
    again = pickle.loads(pickle.dumps(result))
    assert type(again.fields) is type(again.arc_fields) is dict
    for name in ("given", "x"):
        assert again[name].tolist() == result[name].tolist()
    assert again.arc_fields["seen"].tolist() == result.arc_fields["seen"].tolist()


def test_threads_read_a_field_once(reads):
    result = engine().run(PATHS)
    ready = threading.Barrier(4)

    def read(_):
        ready.wait()
        return result.distance

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(read, range(4)))
    assert reads == ["distance"] and all(each is found[0] for each in found)


FORKED = """
import os, sys
from gascl import Engine, Graph
from gascl.programs import ShortestPaths, SpanningForest

graph = Graph.from_edges([0, 1, 2], [1, 2, 3], weight=[2.0, 3.0, 4.0])
results = [Engine(graph).run(ShortestPaths(source=0)) for _ in range(3)]
forest = Engine(graph).run(SpanningForest())
forest.tree  # but not the other field
del results[1]
sys.stdout.flush()
child = os.fork()
told = [*(r.distance.tolist() for r in results), forest.arc_fields["member"].tolist()]
right = [[0, 2, 5, 9], [0, 2, 5, 9], [1, 1, 1]]
if not child:
    sys.exit(told != right)
print(os.waitpid(child, 0)[1], told == right)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_the_results():
    ran = subprocess.run(
        [sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stdout.split() == ["0", "True"], ran.stderr


# NaN, which the device counts --------------------------------------------------------------------


class Spoiling(VertexProgram):
    """NaN in the lanes, components and vertices that `where` has bits for."""

    where = vertex.uint32()
    x = vertex.real()
    at = vertex.double3(init="v.id % 5 == 3 ? (double3)(0, NAN, 0) : (double3)(0)")
    whole = vertex.int32(init="v.id")
    fine = vertex.float2(init="(float2)(INFINITY, v.id)")
    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    supersteps = param.supersteps(1)
    scatter = "send(1);"
    apply = "v.x = v.where >> lane & 1 ? NAN : 1;"


@pytest.mark.parametrize(
    ("lanes", "group", "vertices"), thinned([1, 4], [1, 16], [1, 4, 700], by=4)
)
def test_nan_is_counted(lanes, group, vertices, reads):
    rng = np.random.default_rng(vertices)
    cls = type("Spoiling", (Spoiling,), {"lanes": lanes})
    graph = Graph.from_edges([0], [0], num_vertices=vertices)
    where = rng.integers(0, 16, vertices) * (rng.random(vertices) < 0.2)
    where[-1] = 2**lanes // 2
    bits = (where[:, None] >> np.arange(lanes) & 1).any(axis=1)
    expected = {"x": (int(bits.sum()), int(np.flatnonzero(bits)[0]))}
    if vertices > 3:
        expected["at"] = len(range(3, vertices, 5)), 3
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = Engine(graph, Device(find().cl, group)).run(cls(where=where))
    assert {str(w.message) for w in caught} == {
        f"field {name!r} is NaN at {many} vertices, first at {first}"
        for name, (many, first) in expected.items()
    }
    assert not reads
    found = np.isnan(result.x).reshape(vertices, -1).any(axis=1)
    assert found.tolist() == bits.tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = np.full((vertices, 3), np.nan)
        Engine(graph).run(cls(where=where * 0, at=given))
        Engine(graph).run(cls(where=where), keep_state=True)


def test_ctrl_c_loses_no_field(monkeypatch):
    result = engine().run(PATHS)
    drop = State.drop

    def interrupted(self, *args):
        drop(self, *args)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(State, "drop", interrupted)
        with pytest.raises(KeyboardInterrupt):
            result["distance"]
    assert result.distance.tolist() == [0, 2, 5, 9]


def test_a_forked_process_waits_for_no_thread_of_its_parent(monkeypatch):
    """Who reads a field at the moment of a fork leaves a lock that nobody opens."""
    result = engine().run(PATHS, keep_state=True)

    def inherited():
        raise DeviceError("this process was forked")

    monkeypatch.setattr(fork_guard, "check", inherited)
    with ThreadPoolExecutor(1) as other:
        other.submit(result.fields._lock.acquire).result()
        with pytest.raises(DeviceError, match="forked"):
            result["distance"]
        other.submit(result.fields._lock.release).result()


def test_fields_say_their_names_without_being_read(reads):
    assert repr(engine().run(PATHS).fields) == "<the fields distance, parent>"
    assert not reads


class Later(LazyValues):
    """Values that are computed when they are read, which is counted."""

    def __init__(self, values: np.ndarray):
        super().__init__()
        self.values, self.dtype, self.shape, self.times = values, values.dtype, values.shape, 0

    def read(self) -> np.ndarray:
        self.times += 1
        return self.values


def solved(number: np.ndarray, share: np.ndarray):
    """The result of a program that returns such values, and these."""
    fields = {"number": Later(number), "share": Later(share)}

    class Returns(VertexProgram):
        number = vertex.int32()
        share = vertex.real()

        def solve(self, stages):
            return dict(fields)

    return engine().run(Returns()), fields


def test_integers_that_solve_returns_are_computed_when_they_are_read():
    result, fields = solved(np.arange(4, dtype=np.int32), np.ones(4, np.float32))
    assert fields["number"].times == 0
    assert result.number.tolist() == [0, 1, 2, 3] and result.number is result.number
    assert fields["number"].times == 1
    assert pickle.loads(pickle.dumps(result)).number.tolist() == [0, 1, 2, 3]


def test_other_integers_and_floats_are_computed_at_once():
    result, fields = solved(np.arange(4), np.ones(4, np.float32))  # int64
    assert fields["number"].times == fields["share"].times == 1
    assert result.number.dtype == np.int32 and result.share.tolist() == [1] * 4
    with pytest.warns(RuntimeWarning, match="'share' is NaN at 1 vertices, first at 2"):
        solved(np.arange(4, dtype=np.int32), np.array([1, 1, np.nan, 1], np.float32))


def test_a_field_of_the_wrong_length_is_refused():
    with pytest.raises(ProgramError, match="returned 'number' with shape"):
        solved(np.arange(3, dtype=np.int32), np.ones(4, np.float32))
