"""The blocks of rows that share out the work, and what graphs share on a device."""

import gc

import numpy as np
import pytest
from support.case_subsets import one_in
from support.samples import random_graph

from gascl import Engine, Graph, VertexProgram, edge, param, vertex
from gascl.device_graph import buffers
from gascl.device_graph.buffers import ResidentGraph, extent_of
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find


@pytest.mark.parametrize(("group", "size"), [(1, 1024), (8, 16), (8, 1024), (256, 1024)])
@pytest.mark.parametrize("seed", range(10))
def test_row_blocks(group, size, seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 2000))
    degrees = (rng.pareto(1.0, rows) * rng.integers(1, 30)).astype(int) % 5000
    src = np.repeat(np.arange(rows), degrees)
    graph = Graph.from_edges(src, rng.integers(0, rows, len(src)), num_vertices=rows)
    device = Device(find().cl, group)
    on_device = ResidentGraph(graph, device, "out", group, size)
    extent = extent_of(device, rows, len(src), group, size)
    for name, degree in (("out_blocks", graph.out_degree), ("in_blocks", graph.in_degree)):
        blocks = on_device.blocks(name)
        assert blocks[0] == 0
        assert blocks[-1] == rows
        assert (np.diff(blocks) > 0).all()
        assert len(blocks) - 1 <= extent.blocks
        if group == 1:
            continue
        arcs = np.add.reduceat(degree, blocks[:-1])
        several = np.diff(blocks) > 1
        assert (arcs[several] <= size).all()  # what fits a group's local memory
        assert (np.diff(blocks) <= size).all()


class Sums(VertexProgram):
    """The weights of the arcs that come in."""

    weight = edge.int64(default=1)
    total = vertex.int64()
    supersteps = param.supersteps(1)
    message, combine = "int64", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(e.weight);"
    apply = "v.total = msg;"


class Degrees(Sums):
    scatter = "send(1);"


class ThereAndBack(Degrees):
    """In odd supersteps, against the arcs."""

    edges = "alternate"
    supersteps = param.supersteps(2)


@pytest.fixture
def uploaded(monkeypatch):
    """The arrays that are uploaded."""
    arrays, upload = [], Device.upload

    def told(self, values):
        arrays.append(values)
        return upload(self, values)

    monkeypatch.setattr(Device, "upload", told)
    return arrays


@pytest.mark.parametrize("directed", one_in(2, [True, False]))
def test_graphs_with_the_same_arcs_share_them(directed, uploaded):
    graph = random_graph(1, directed=directed)
    engine, arcs = Engine(graph), graph.num_arcs
    assert arcs > graph.num_vertices + 1
    for delivery in ("slots", "pull", "edges"):
        engine.run(Degrees(), delivery=delivery)
    assert max(map(len, uploaded)) == arcs
    uploaded.clear()
    back = Engine(graph.reversed())
    for delivery in ("pull", "push"):
        assert back.run(Degrees(), delivery=delivery).total.tolist() == graph.out_degree.tolist()
    assert arcs not in map(len, uploaded)
    found = engine.run(ThereAndBack(), delivery="pull")
    assert found.total.tolist() == graph.out_degree.tolist()
    assert arcs not in map(len, uploaded)
    weight = np.arange(graph.num_edges)
    weighted = graph.with_edge_fields(weight=weight)
    for delivery in ("pull", "slots"):
        total = Engine(weighted).run(Sums(), delivery=delivery).total
        assert total.tolist() == weighted.weighted_in_degree().astype(int).tolist()
    # A GPU sorts the edges once more, for the place of each.
    ends = graph.edge_src.tolist(), graph.edge_dst.tolist()
    long = [a for a in uploaded if len(a) == arcs and a.tolist() not in ends]
    assert all(np.array_equal(np.unique(a), weight) for a in long)  # by receivers, and by senders


def test_shared_arrays_leave_the_device_with_the_last_graph():
    gc.collect()
    graph = random_graph(1, directed=True)
    before = len(buffers._shared)
    one, other = Engine(graph), Engine(graph.reversed())
    for engine in (one, other):
        engine.run(Degrees(), delivery="pull")
    assert len(buffers._shared) == before + 1
    del one, engine
    gc.collect()
    assert len(buffers._shared) == before + 1
    del other
    gc.collect()
    assert len(buffers._shared) == before


def test_numbers_of_the_vertices_are_found_once(renumbered):
    graph = random_graph(1, directed=True)
    weighted = graph.with_edge_fields(weight=np.arange(graph.num_edges))
    assert weighted.numbered() is graph.numbered() is not None
