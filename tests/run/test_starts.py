"""How a run starts: by few commands, with the right values, whoever runs the first superstep."""

from __future__ import annotations

import numpy as np
import pyopencl as cl
import pytest
from support.admitting_deliveries import some_admitted

from gascl import Engine, Graph, VertexProgram, aggregate, param, vertex
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find
from gascl.programs import BreadthFirst, ConnectedComponents, PageRank, ShortestPaths
from gascl.run.plan import ALONE

needs_joining = pytest.mark.skipif(
    not find().can_join, reason="work-groups cannot wait for each other"
)
#: More vertices than one work-group has to itself.
MANY = ALONE + 1000


class Counted(VertexProgram):
    """Init counts, chooses who scatters, and reads values that are given at some vertices."""

    x = vertex.int32(init="2 * v.id")
    least = vertex.int32(init=1 << 30)
    total = aggregate.int64("sum")
    halves = aggregate.real("sum")
    message, combine = "int32", "min"
    init = """
        v.least = v.x + 1;
        aggregate_total(v.x);
        aggregate_halves(0.5 * v.x);
    """
    mask = "v.id % 7 == 3"
    scatter = "send(v.least);"
    apply = """
        aggregate_total(1);
        if (msg < v.least) {
            v.least = msg;
            set_mask();
        }
    """


@pytest.fixture
def commands(monkeypatch):
    """The names of the commands that are enqueued."""
    names = []

    def noting(name, enqueue):
        def noted(*given, **named):
            names.append(name)
            return enqueue(*given, **named)

        return noted

    for name in ("enqueue_copy", "enqueue_fill_buffer", "enqueue_nd_range_kernel"):
        monkeypatch.setattr(cl, name, noting(name, getattr(cl, name)))
    return names


@needs_joining
@pytest.mark.parametrize(
    "program",
    [BreadthFirst(source=0), PageRank(), ShortestPaths(source=0), ConnectedComponents()],
    ids=lambda program: type(program).__name__,
)
def test_a_warm_run_is_a_copy_a_kernel_and_a_copy(program, commands):
    graph = Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 4], weight=np.float32([1, 2, 3, 4]))
    engine = Engine(graph)
    for _ in range(2):
        commands.clear()
        engine.run(program)
    assert commands == ["enqueue_copy", "enqueue_nd_range_kernel", "enqueue_copy"]


class Everywhere(VertexProgram):
    """All vertices scatter, after the start."""

    x = vertex.int32(init="v.id + 1")
    supersteps = param.supersteps(2)
    message, combine = "int32", "sum"
    scatter_on = "all"
    scatter = "if (v.id % 2) send(v.x);"
    apply = "if (has_msg) v.x = msg;"


@pytest.mark.parametrize("delivery", ["push", "frontier"])
def test_all_scatter_before_the_start(delivery, monkeypatch):
    """What is in the inbox before the start is no message: else receivers are listed twice, beyond
    their buffer."""
    made, reserve, size_behind = [], Device.reserve, 4096

    def filled(self, size):
        buffer = reserve(self, size + size_behind)
        cl.enqueue_copy(self.queue, buffer, np.full(size + size_behind, 0x55, np.uint8))
        made.append((size, buffer))
        return buffer

    monkeypatch.setattr(Device, "reserve", filled)
    monkeypatch.setattr(Device, "allocate", filled)
    ring = np.arange(100)
    engine = Engine(Graph.from_edges(ring, (ring + 1) % 100), deterministic=False)
    result = engine.run(Everywhere(), delivery=delivery)
    assert result.x.tolist() == [100, *(v + v % 2 for v in range(1, 100))]
    behind = np.empty(size_behind, np.uint8)
    for size, buffer in made:
        cl.enqueue_copy(engine.device.queue, behind, buffer, src_offset=size)
        assert len(set(behind.tolist())) == 1  # some buffers are filled as a whole


def least_of(graph: Graph, x: np.ndarray) -> np.ndarray:
    """What `Counted` leaves in `least`: the least value that reaches a vertex."""
    least, active = x + 1, np.arange(len(x)) % 7 == 3
    while active.any():
        told = np.full(len(x), 1 << 30)
        sends = active[graph.edge_src]
        np.minimum.at(told, graph.edge_dst[sends], least[graph.edge_src[sends]])
        active = told < least
        least = np.minimum(least, told)
    return least


@pytest.mark.parametrize("vertices", [1, 300, pytest.param(MANY, marks=pytest.mark.slow)])
@pytest.mark.parametrize("delivery", ["push", "pull", "slots"])
def test_init_of_all_vertices(vertices, delivery):
    rng = np.random.default_rng(vertices)
    src, dst = rng.integers(0, vertices, (2, 2 * vertices))
    graph = Graph.from_edges(src, dst, num_vertices=vertices)
    given = {0: -5} if vertices == 1 else {0: -5, 250: -6}
    x = 2 * np.arange(vertices)
    x[[*given]] = [*given.values()]
    engine = Engine(graph, deterministic=delivery != "push")
    for _ in range(2):
        result = engine.run(Counted(x=given), delivery=delivery)
        assert result.x.tolist() == x.tolist()
        assert result.least.tolist() == least_of(graph, x).tolist()


@pytest.mark.parametrize("delivery", ["pull", "slots"])
def test_a_run_without_supersteps(delivery):
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3])
    options = {"max_supersteps": 0, "not_converged": "ignore", "delivery": delivery}
    result = Engine(graph).run(Counted(), **options)
    assert result.x.tolist() == [0, 2, 4, 6]
    assert result.least.tolist() == [1, 3, 5, 7]
    assert result.aggregates == {"total": 12, "halves": 6.0}
    assert len(result.trace) == 0


def test_who_is_active_first():
    """`start` replaces the program's mask; a State goes on where it was."""
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
    engine = Engine(graph, deterministic=False)
    assert engine.run(Counted()).least.tolist() == [1, 3, 5, 7, 7]
    assert engine.run(Counted(), start=[0]).least.tolist() == [1, 1, 1, 1, 1]
    options = {"max_supersteps": 2, "not_converged": "ignore"}
    kept = engine.run(Counted(), start=[0], keep_state=True, **options)
    assert kept.least.tolist() == [1, 1, 1, 7, 9]
    assert engine.run(Counted(), state=kept.state).least.tolist() == [1, 1, 1, 1, 1]


class PutsOthers(VertexProgram):
    """Init puts other vertices into the mask, which no vertex may empty as it starts."""

    x = vertex.int32()
    message, combine = "int32", "sum"
    init = "if (v.id % 7 == 0) set_mask_of((v.id + 3) % g.num_vertices);"
    scatter = "send(1);"
    apply = """
        v.x += msg;
        if (v.x % 3 == 1)
            set_mask();
    """
    stop = "superstep == 2"


@pytest.mark.parametrize("count", [40, MANY])
def test_init_puts_others_into_the_mask(device, count):
    src, dst = np.random.default_rng(2).integers(0, count, (2, 3 * count))
    graph = Graph.from_edges(src, dst, num_vertices=count)
    x, mask = np.zeros(count, int), np.zeros(count, bool)
    mask[(np.arange(0, count, 7) + 3) % count] = True
    for _ in range(3):
        got = np.bincount(dst[mask[src]], minlength=count)
        x += got
        mask = (got > 0) & (x % 3 == 1)
    runner = Engine(graph, device)
    for delivery in some_admitted(PutsOthers(), device):
        for _ in range(2):  # the second one gets the buffers of the first
            found = runner.run(PutsOthers(), delivery=delivery)
            assert np.array_equal(found.x, x), delivery
