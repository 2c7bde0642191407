"""Memory is computed before it is taken; and offsets of more than 2^31 - 1 arcs."""

from __future__ import annotations

import re

import numpy as np
import pyopencl as cl
import pytest

from gascl import DeviceError, Engine, Graph, VertexProgram, arcs, edge, layout, vertex
from gascl.device import Device, find
from gascl.plan import BLOCK
from gascl.programs import PageRank


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
    largest_buffer = 2**16


def refused(device: Device, graph: Graph, program: VertexProgram, monkeypatch) -> str:
    def refuse(*args, **kwargs):
        raise AssertionError("memory is taken")

    Engine(Graph.from_edges([0], [1]), device).run(program)  # builds: that takes a few bytes
    with monkeypatch.context() as patch:
        patch.setattr(cl, "Buffer", refuse)
        with pytest.raises(DeviceError) as caught:
            Engine(graph, device).run(program)
    return str(caught.value)


def test_memory_is_computed_before_it_is_taken(monkeypatch):
    vertices, edges = 10_000, 200_000
    graph = Graph.from_edges(*np.random.default_rng(1).integers(0, vertices, (2, edges)))
    program = Summing()
    said = refused(Small(find().cl), graph, program, monkeypatch)
    figures = re.search(r"the run needs ([\d.,]+) MiB on .*, which has 1\.0 MiB; .+", said)
    # Targets, slots and messages of 4 bytes and a mark of 1 an arc; per vertex offsets and a field.
    least = edges * (4 + 4 + 4 + 1) + vertices * (4 + 4 + 4)
    assert least <= float(figures[1].replace(",", "")) * 2**20 <= 1.5 * least
    said = refused(Narrow(find().cl), graph, program, monkeypatch)
    assert re.search(r"one buffer of 0\.8 MiB \(\w+\) on .*, whose largest is 0\.1 MiB; .+", said)


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


@pytest.mark.parametrize("group", [0, 8])
def test_wide_offsets(monkeypatch, group):
    for module in (arcs, layout):
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
    for delivery in ("slots", "pull") if group else ("slots", "pull", "serial"):
        assert wide.run(program, delivery=delivery).x.tolist() == expected.tolist()
    assert wide.layout("both", wide.device.group, BLOCK).offset == "int64"
    assert graph.arcs("both").slot.dtype == np.int64
    narrow = PageRank(supersteps=4, dtype="float64")
    ranks = [wide.run(narrow, delivery=d).rank for d in ("slots", "outbox")]
    monkeypatch.undo()
    again = Engine(Graph.from_edges(src, dst, num_vertices=20))
    assert again.layout("out", 1, BLOCK).offset == "int32"
    for rank in ranks:
        assert np.abs(rank - again.run(narrow).rank).max() < 1e-15
