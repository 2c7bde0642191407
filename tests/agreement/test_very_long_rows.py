"""Rows with more arcs than `VERY_LONG_ROW`, whose segments work-groups share: the results are those
of NumPy, and the same bits whether or not they are shared, and by each delivery."""

from __future__ import annotations

import numpy as np
import pytest
from support.admitting_deliveries import admitted
from support.agreement import find_device

from gascl import Engine, Graph, VertexProgram, aggregate, edge, param, struct, vertex
from gascl.codegen.constants import SEGMENT, VERY_LONG_ROW
from gascl.delivery.cost import Costs

SHARED = "gascl_gather_segments"
GATHERS = ("pull", "outbox", "slots")
#: The lengths of two rows: no multiple of a segment, and a multiple.
LONG, LONGER = VERY_LONG_ROW + 7, 3 * SEGMENT


class Sums(VertexProgram):
    """Floats, which are added in a fixed order, and an aggregator that adds up what came of it."""

    supersteps = param.supersteps(2)
    x = vertex.float32(init="1 + v.id % 7 * 0.3f")
    total = aggregate.float32("sum")
    message, combine = "float32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.x / 3);"
    apply = """
        v.x = 1 + msg / 1000;
        aggregate_total(v.x);
    """


class Weighted(Sums):
    weight = edge.float32()
    scatter = "send(v.x * e.weight);"


class SomeSend(VertexProgram):
    """An integer, of the vertices that send."""

    supersteps = param.supersteps(2)
    x = vertex.int32(init="v.id % 5")
    message, combine = "int32", "sum"
    mask = "v.id % 3 == 1"
    receive_if = "v.id % 4 != 2"
    apply_on = "all"
    scatter = "send(v.x + 1);"
    apply = """
        v.x = msg % 11;
        if (v.id % 3 == superstep)
            set_mask();
    """


class LeastStruct(VertexProgram):
    supersteps = param.supersteps(1)
    Pair = struct([("value", "float32"), ("id", "int32")])
    best = vertex.struct(Pair)
    message = Pair
    combine = "a.value < b.value || (a.value == b.value && a.id <= b.id) ? a : b"
    identity = "(Pair){INFINITY, INT_MAX}"
    scatter_on = apply_on = "all"
    scatter = "send((Pair){v.id * 7919 % 10007, v.id});"
    apply = "v.best = msg;"


class SecondLargest(VertexProgram):
    """A gather snippet, whose messages are copied by many groups."""

    supersteps = param.supersteps(2)
    x = vertex.int32(init="v.id * 7919 % 100003")
    message = gathered = "int32"
    scatter_on = apply_on = "all"
    scatter = "send(v.x);"
    gather = """
        int best = -1, second = -1;
        for (int i = 0; i < num_messages; ++i) {
            const int x = messages[i];
            if (x > best) {
                second = best;
                best = x;
            } else if (x > second)
                second = x;
        }
        msg = second;
    """
    apply = "v.x = (msg + v.x * 3) % 100003;"


def two_hubs() -> Graph:
    """Vertex 0 has arcs from the next `LONG` vertices, and 1 from the next `LONGER`."""
    rng = np.random.default_rng(5)
    src = np.concatenate([np.arange(2, 2 + LONG), np.arange(2, 2 + LONGER), [0, 1, 1]])
    dst = np.concatenate([np.zeros(LONG, int), np.ones(LONGER, int), [5, 5, 6]])
    return Graph.from_edges(src, dst, weight=rng.random(len(src), np.float32))


def ran(graph: Graph, program: VertexProgram, device, shared: bool, monkeypatch):
    """A run by each delivery that gathers."""
    monkeypatch.setattr(Costs, "waits_for_row", lambda self, delivery: shared)
    able = [name for name in admitted(program, device) if name in GATHERS]
    if "gather" in program.spec.snippets:
        able.remove("slots")  # by which its messages lie side by side already
    for name in able:
        result = Engine(graph, device).run(program, delivery=name)
        kernels = {kernel.name for step in result.trace for kernel in step.kernels}
        assert (SHARED in kernels) == shared
        yield result


@pytest.mark.parametrize("cls", [Sums, pytest.param(Weighted, marks=pytest.mark.slow)])
def test_floats(cls, monkeypatch):
    graph, device = two_hubs(), find_device(8)
    x = (1 + np.arange(graph.num_vertices) % 7 * 0.3).astype(np.float32).astype(float)
    weight = graph.edge_fields["weight"] if cls is Weighted else np.full(graph.num_edges, 1 / 3)
    for _ in range(2):
        heard = np.bincount(graph.edge_dst, x[graph.edge_src] * weight, graph.num_vertices)
        x = 1 + heard / 1000
    found = []
    for shared in (True, False):
        found += ran(graph, cls(), device, shared, monkeypatch)
    for result in found:
        assert np.allclose(result["x"], x, rtol=1e-6)
        assert np.array_equal(result["x"], found[0]["x"])
        assert result.aggregates["total"] == pytest.approx(x.sum(), rel=1e-4)


def test_masks_and_receivers(monkeypatch):
    graph, device = two_hubs(), find_device(8)
    ids = np.arange(graph.num_vertices)
    x, sends = ids % 5, ids % 3 == 1
    for superstep in range(2):
        arcs = sends[graph.edge_src] & (graph.edge_dst % 4 != 2)
        src, dst = graph.edge_src[arcs], graph.edge_dst[arcs]
        x = np.bincount(dst, x[src] + 1, graph.num_vertices).astype(int) % 11
        sends = ids % 3 == superstep
    for shared in (True, False):
        for result in ran(graph, SomeSend(), device, shared, monkeypatch):
            assert np.array_equal(result["x"], x)


@pytest.mark.slow
def test_structs(monkeypatch):
    graph, device = two_hubs(), find_device(8)
    value = (np.arange(graph.num_vertices) * 7919 % 10007).astype(float)
    for shared in (True, False):
        for result in ran(graph, LeastStruct(), device, shared, monkeypatch):
            for hub, count in ((0, LONG), (1, LONGER)):
                senders = np.arange(2, 2 + count)
                least = senders[np.lexsort((senders, value[senders]))[0]]
                assert result["best"]["id"][hub] == least
                assert result["best"]["value"][hub] == value[least]


def test_gather_snippets(monkeypatch):
    graph, device = two_hubs(), find_device(8)
    x = np.arange(graph.num_vertices) * 7919 % 100003
    for _ in range(2):
        heard = np.full(graph.num_vertices, -1)
        heard[np.bincount(graph.edge_dst, minlength=len(heard)) == 0] = 0
        for hub in np.flatnonzero(np.bincount(graph.edge_dst) > 1):
            heard[hub] = np.sort(x[graph.edge_src[graph.edge_dst == hub]])[-2]
        x = (heard + x * 3) % 100003
    for shared in (True, False):
        for result in ran(graph, SecondLargest(), device, shared, monkeypatch):
            assert np.array_equal(result["x"], x)
