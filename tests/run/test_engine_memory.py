"""Memory is computed before it is taken; and offsets of more than 2^31 - 1 arcs."""

from __future__ import annotations

import re

import numpy as np
import pyopencl as cl
import pytest
from support.admitting_deliveries import admitted, some_admitted
from support.agreement import PARTS, part_of
from support.case_subsets import one_in, thinned

from gascl import (
    DeviceError,
    Engine,
    Graph,
    VertexProgram,
    aggregate,
    arc,
    edge,
    param,
    struct,
    vertex,
)
from gascl.delivery import registry
from gascl.device_graph import buffers, sort
from gascl.graph import arcs
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find
from gascl.programs import PageRank
from gascl.run import state
from gascl.run.plan import BLOCK


class Summing(VertexProgram):
    x = vertex.int32()
    message, combine = "int32", "sum"
    scatter = "send(v.x);"
    apply = "v.x = msg;"


class Small(Device):
    memory = 2**20
    largest_buffer = 2**20


class Narrow(Device):
    memory = 2**40
    largest_buffer = 2**19


def refused(device: Device, graph: Graph, delivery: str, monkeypatch) -> str:
    def refuse(*args, **kwargs):
        raise AssertionError("memory is taken")

    small = Graph.from_edges([0], [1])
    Engine(small, device).run(Summing(), delivery=delivery)  # builds: that takes a few bytes
    with monkeypatch.context() as patch:
        patch.setattr(cl, "Buffer", refuse)
        with pytest.raises(DeviceError) as caught:
            Engine(graph, device).run(Summing(), delivery=delivery)
    return str(caught.value)


#: Bytes at least, an arc and a vertex, of fields, offsets, masks and what a delivery keeps.
NEEDED = {
    # Targets, slots and messages of 4 bytes and a mark of 1 an arc.
    "slots": (4 + 4 + 4 + 1, 4 + 4 + 4 + 2),
    # Sources; a box of a sum of 8 bytes, how many they are, and of its overflows.
    "pull": (4, 16 + 4 + 4 + 2),
    # Targets; a cell of 8 bytes and how many messages; bits, two lists and two of pieces.
    "push": (4, 8 + 4 + 4 + 4 + 4 + 4 + 4 + 2 * 8),
    # Both.
    "auto": (4 + 4, 16 + 4 + 4 + 8 + 4 + 4 + 4 + 4 + 2 * 8),
    # Both ends.
    "edges": (4 + 4, 8 + 4 + 4 + 2),
}


@pytest.mark.parametrize("delivery", one_in(2, NEEDED))
def test_memory_is_computed_before_it_is_taken(delivery, monkeypatch):
    # Else pull takes the arcs in parts.
    monkeypatch.setattr(registry, "parts_refuses", lambda demand, parts: "it is not to")
    vertices, edges = 20_000, 200_000
    graph = Graph.from_edges(*np.random.default_rng(1).integers(0, vertices, (2, edges)))
    an_arc, a_vertex = NEEDED[delivery]
    said = refused(Small(find().cl), graph, delivery, monkeypatch)
    figures = re.search(r"the run needs ([\d.,]+) MiB on .*, which has 1\.0 MiB.+", said)
    least = edges * an_arc + vertices * a_vertex
    assert least <= float(figures[1].replace(",", "")) * 2**20 + 2**17 <= 1.5 * least + 2**18
    said = refused(Narrow(find().cl), graph, delivery, monkeypatch)
    assert re.search(r"one buffer of 0\.8 MiB \(\w+\) on .*, whose largest is 0\.5 MiB.+", said)


class Busy(VertexProgram):
    """Whatever takes memory: all state, messages to any vertex and along arcs, masks, copies."""

    Pair = struct([("a", "int32"), ("b", "int16")])
    x = vertex.int32(init="v.id")
    pair = vertex.struct(Pair)
    at = vertex.float3()
    kept = arc.int16(init=1)
    weight = edge.int8(default=1)
    total = aggregate.int64("sum")
    message, combine = "int64", "sum"
    supersteps = param.supersteps(3)
    scatter = "e.kept += e.weight; send(e.kept); send_to(e.dst, e.id + e.reversed);"
    apply = """
        v.x = x_of(v.id) + v.in_degree + num_neighbors;
        aggregate_total(msg);
        send_to(v.id, 1);
        set_mask_of(v.id);
        unset_mask();
    """


class Reading(Busy):
    """Messages one by one."""

    combine = None
    gather = "msg = messages[0];"
    scatter = "e.kept += e.weight; send(e.kept);"
    apply = "v.x = msg; set_mask();"


class Busy3(Busy):
    lanes = 3


class Reading3(Reading):
    lanes = 3


@pytest.mark.parametrize(
    ("program", "group"),
    [
        (Busy3(), 1),
        *(pytest.param(p, 1, marks=pytest.mark.slow) for p in (Summing(), Busy(), Reading())),
        *(
            pytest.param(p, 8, marks=pytest.mark.slow)
            for p in (Summing(), Busy(), Busy3(), Reading3())
        ),
    ],
)
def test_no_more_is_taken_than_was_computed(program, group, monkeypatch):
    """Nor less than nine tenths of it, but for the parameters' few bytes and the traps'."""
    graph = Graph.from_edges(*np.random.default_rng(1).integers(0, 2000, (2, 20_000)))
    device = Device(find().cl, group)
    for delivery in [*some_admitted(program, device), "auto"]:
        engine = Engine(graph, device)
        engine.run(program, delivery=delivery)  # builds
        taken, computed = [], []
        make, check = cl.Buffer, state.check_memory

        def buffer(*args, make=make, taken=taken, **kwargs):
            taken.append(make(*args, **kwargs))
            return taken[-1]

        def note(device, sizes, resident, check=check, computed=computed):
            computed.append(sum(sizes.values()) + resident)
            return check(device, sizes, resident)

        with monkeypatch.context() as patch:
            patch.setattr(cl, "Buffer", buffer)
            patch.setattr(Device, "pools", False)
            patch.setattr(state, "check_memory", note)
            patch.setattr(sort, "pays", lambda device: False)  # which takes more for a while
            Engine(graph, Device(device.cl, group)).run(program, delivery=delivery)
        few = 7 * 4 * 4000 + 4096  # lines of traps, parameters
        sizes = sum(b.size for b in taken)
        assert sizes <= computed[0] + few, delivery
        assert 0.9 * computed[0] <= sizes, delivery


def test_no_double_precision():
    class Single(Device):
        fp64 = False

    single = Engine(Graph.from_edges([0, 1], [1, 2]), Single(find().cl))
    with pytest.raises(DeviceError, match=r"no double precision.* PageRank .*for personalization"):
        single.run(PageRank(dtype="float64"))
    assert single.run(PageRank(tolerance=1e-5)).converged


# Offsets of more than 2^31 - 1 arcs --------------------------------------------------------------


class ByEdge(VertexProgram):
    x = vertex.int64()
    weight = edge.int32()
    message, combine = "int64", "sum"
    scatter = "send(e.id * 100 + e.reversed * 10 + e.weight);"
    apply = "v.x = msg;"


@pytest.mark.parametrize(("group", "part"), thinned([0, 8], PARTS, by=8))
def test_wide_offsets(monkeypatch, group, part):
    for module in (arcs, buffers):
        monkeypatch.setattr(module, "index_dtype", lambda num_arcs: np.dtype(np.int64))
    rng = np.random.default_rng(3)
    src, dst = rng.integers(0, 20, (2, 90))
    weight = rng.integers(0, 9, 90)
    graph = Graph.from_edges(src, dst, num_vertices=20, weight=weight)
    expected = np.zeros(20, np.int64)
    for i, (u, v, w) in enumerate(zip(src, dst, weight, strict=True)):
        expected[v] += 100 * i + w
        if u != v:
            expected[u] += 100 * i + 10 + w
    wide = Engine(graph, Device(find().cl, group=group) if group else None)
    program = type("Both", (ByEdge,), {"edges": "both"})()
    for delivery in part_of(set(admitted(program)) - ({"serial"} if group else set()), part):
        assert wide.run(program, delivery=delivery).x.tolist() == expected.tolist()
    assert wide.resident("both", wide.device.group, BLOCK).offset == np.int64
    assert graph.arcs("both").slot.dtype == np.int64
    narrow = PageRank(supersteps=4, dtype="float64")
    ranks = [wide.run(narrow, delivery=d).rank for d in ("slots", "outbox")]
    monkeypatch.undo()
    again = Engine(Graph.from_edges(src, dst, num_vertices=20))
    assert again.resident("out", 1, BLOCK).offset == np.int32
    for rank in ranks:
        assert np.abs(rank - again.run(narrow).rank).max() < 1e-15
