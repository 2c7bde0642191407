"""Arcs that are sorted on the device: as on the host."""

import numpy as np
import pyopencl as cl
import pytest
from support.agreement import find_device
from support.case_subsets import thinned

from gascl import Engine, Graph
from gascl.device_graph import sort
from gascl.device_graph.sort import Sorted
from gascl.graph.arcs import Order
from gascl.opencl.device import Queue, kernel
from gascl.opencl.device_choice import find
from gascl.programs import ConnectedComponents, ShortestPaths, WeightedPageRank


def read(device, buffer, like):
    found = np.empty_like(like)
    if found.nbytes:
        cl.enqueue_copy(device.queue, found, buffer)
    return found


@pytest.mark.parametrize(
    ("size", "given", "both", "places"),
    thinned(
        [(1, 0), (1, 3), (5, 20), (16, 300), (1000, 40_000), (1024, 70_000)],
        [False, True],
        [False, True],
        [False, True],
    ),
)
def test_sorted(size, given, both, places):
    vertices, pairs = size
    rng = np.random.default_rng(vertices)
    row, end = rng.integers(0, vertices, (2, pairs)).astype(np.int32)
    if given:
        sorts = np.lexsort((end, row))
        row, end = row[sorts], end[sorts]
    order, device = Order(row, end, vertices, both=both), find()
    # Of a self-loop there is one arc, also if arcs run both ways.
    rows = np.concatenate([row, end[row != end]]) if both else row
    ends = np.concatenate([end, row[row != end]]) if both else end
    edge = np.arange(pairs)
    edges = np.concatenate([edge, edge[row != end]]) if both else edge
    sorts = np.lexsort((edges, ends, rows))
    made = Sorted(device, order, len(rows), np.dtype(np.int32), places)
    offsets = np.append(0, np.cumsum(np.bincount(rows, minlength=vertices)))
    assert np.array_equal(read(device, made.offsets, np.empty(vertices + 1, np.int32)), offsets)
    assert np.array_equal(order.offsets, offsets)
    assert np.array_equal(read(device, made.ends, ends), ends[sorts])
    if not places:
        return
    assert np.array_equal(read(device, made.places, edges.astype(np.int32)), edges[sorts])
    for dtype in (np.uint8, np.int16, np.float32, np.float64):
        values = rng.integers(0, 100, pairs).astype(dtype)
        taken = made.gathered(values, len(rows))
        assert np.array_equal(read(device, taken, values[edges]), values[edges[sorts]])


@pytest.mark.parametrize(
    ("memory", "offset"), [(16, np.int32), (32, np.int32), (32, np.int64), (48, np.int64)]
)
def test_a_tile_fits_local_memory(memory, offset, monkeypatch):
    """In groups of a GPU's size: what the compiler says of each kernel."""
    device = find_device(256)
    if "Portable" not in device.platform:
        pytest.skip("PoCL says how much local memory a kernel declares; others may not")
    taken = {}

    def told(queue, program, name):
        found = kernel(program, name)
        what = cl.kernel_work_group_info.LOCAL_MEM_SIZE
        taken[name] = found.get_work_group_info(what, device.cl)
        return found

    monkeypatch.setattr(Queue, "kernel", told)
    monkeypatch.setattr(cl.Device, "local_mem_size", memory << 10)
    row, end = np.random.default_rng(0).integers(0, 9, (2, 3000)).astype(np.int32)
    made = Sorted(device, Order(row, end, 9), len(row), np.dtype(offset), places=True)
    ends = read(device, made.ends, end)
    assert np.array_equal(ends, end[np.lexsort((end, row))])
    assert memory << 8 < taken["gascl_sort_move"] <= memory << 10  # no less than it may
    assert max(taken.values()) <= memory << 10


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("program", [ShortestPaths(source=0), WeightedPageRank()])
def test_programs_on_sorted_arcs(monkeypatch, directed, program):
    rng = np.random.default_rng(3)
    src, dst = rng.integers(0, 300, (2, 2000))
    weight = rng.integers(1, 50, 2000).astype(np.int16)
    graph = Graph.from_edges(src, dst, num_vertices=300, directed=directed, weight=weight)
    expected = Engine(graph).run(program)
    again = Graph.from_edges(src, dst, num_vertices=300, directed=directed, weight=weight)
    monkeypatch.setattr(sort, "pays", lambda device: True)
    found = Engine(again).run(program)
    for name, values in expected.fields.items():
        assert np.array_equal(found[name], values), name
    arcs = again.arcs()
    assert not {"ends", "places"} & {*arcs.into.kept, *arcs.out.kept}, "sorted on the host, too"


def test_with_too_little_memory_the_host_sorts(monkeypatch):
    graph = Graph.from_edges([2, 0, 1], [0, 1, 2])
    monkeypatch.setattr(sort, "pays", lambda device: True)
    monkeypatch.setattr(sort, "sorting_bytes", lambda *_: 1 << 60)
    assert Engine(graph).run(ConnectedComponents()).component.tolist() == [0, 0, 0]
    assert "ends" in graph.arcs("both").into.kept
