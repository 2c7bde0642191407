"""`stages.contract`: quotient graphs that a device makes, compared with products of matrices."""

from __future__ import annotations

import gc
import pickle
import weakref
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pyopencl as cl
import pytest
from scipy.sparse import coo_array, csr_array

from gascl import Engine, Graph, GraphError, VertexProgram, edge, vertex
from gascl.device_graph.contract import _Contraction
from gascl.device_graph.device_arcs import DeviceOrder, OfEdges
from gascl.graph.contract import summed
from gascl.opencl.device import Device


class Sum(VertexProgram):
    """The sum of the weights of the arcs that end in each vertex."""

    total = vertex.real()
    weight = edge.real(default=1)
    message, combine = "real", "sum"
    scatter_on, stop = "all", "1"
    scatter = "send(e.weight);"
    apply = "v.total = msg;"


class Twice(VertexProgram):
    """Contracts the graph, and what that gives again."""

    first = vertex.int32()
    second = vertex.int32()
    undirected = False
    seen: ClassVar[dict[str, Any]] = {}

    def solve(self, stages):
        first = np.arange(stages.graph.num_vertices) * 7 % 11
        once, number = stages.contract(first, undirected=self.undirected)
        group = np.arange(once.num_vertices) % 4 + 100
        twice, again = stages.contract(group, graph=once, undirected=self.undirected)
        found = stages.run(Sum(), graph=twice, fresh=True)
        type(self).seen = {"once": once, "twice": twice, "total": found.total}
        return {"first": number, "second": again[number]}


class TwiceUndirected(Twice):
    undirected = True


def random_graph(kind: str | None, directed: bool) -> Graph:
    """With parallel edges, loops, a hub, and vertices without edges."""
    rng = np.random.default_rng(5)
    ends = rng.integers(0, 60, (2, 400))
    ends[0, :80] = 3
    weights = {} if kind is None else {"weight": rng.integers(-3, 50, 400).astype(kind) / 1}
    if kind == "int64":
        weights["weight"] = weights["weight"].astype(np.int64)
    return Graph.from_edges(*ends, num_vertices=70, directed=directed, **weights)


def matrix(graph: Graph, undirected: bool) -> np.ndarray:
    """(V, V): the sums of the weights of edges; if undirected, above the diagonal."""
    weight = graph.edge_fields.get("weight", np.ones(graph.num_edges))
    ends = graph.edge_src, graph.edge_dst
    if undirected:
        ends = np.minimum(*ends), np.maximum(*ends)
    return coo_array((weight, ends), (graph.num_vertices,) * 2).toarray()


def quotient(links: np.ndarray, number: np.ndarray, undirected: bool) -> np.ndarray:
    """(groups, groups): the same between groups."""
    members = csr_array((np.ones(len(number)), number, np.arange(len(number) + 1))).toarray()
    links = members.T @ links @ members
    return np.triu(links) + np.tril(links, -1).T if undirected else links


@pytest.mark.parametrize("kind", ["float64", "float32", "int64", None])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("cls", [Twice, TwiceUndirected])
def test_weights_add_up(device, kind, directed, cls):
    graph = random_graph(kind, directed)
    undirected = cls.undirected or not directed
    result = Engine(graph, device).run(cls())
    once, twice = cls.seen["once"], cls.seen["twice"]
    assert result.first.tolist() == (np.arange(70) * 7 % 11).tolist()
    links = matrix(graph, undirected)
    for found, number in ((once, result.first), (twice, result.second)):
        assert isinstance(found.arcs("out").out, DeviceOrder)
        assert found.directed is not undirected
        expected = quotient(links, number, undirected)
        np.testing.assert_array_equal(matrix(found, undirected), expected)
        pairs = zip(found.edge_src.tolist(), found.edge_dst.tolist(), strict=True)
        assert found.num_edges == len(set(pairs))
        assert found.num_loops == np.count_nonzero(found.edge_src == found.edge_dst)
        assert found.edge_fields["weight"].dtype == (
            "int64" if kind in ("int64", None) else "float64"
        )
    arriving = matrix(twice, undirected)
    arriving += np.triu(arriving, 1).T if undirected else 0
    np.testing.assert_allclose(cls.seen["total"], arriving.sum(axis=0), rtol=1e-6)


@pytest.mark.parametrize("edges", ["out", "in", "both"])
@pytest.mark.parametrize("directed", [True, False])
def test_the_arcs_are_those_of_a_graph_of_the_same_edges(device, edges, directed):
    graph = random_graph("float64", directed)
    number = (np.arange(70) % 13).astype(np.int32)
    found = Engine(graph, device).contracted(number, 13, False)
    same = Graph.from_edges(
        found.edge_src, found.edge_dst, num_vertices=13, directed=directed, **found.edge_fields
    )
    for name in ("out_offsets", "out_targets", "out_edges", "in_offsets", "in_sources",
                 "in_edges", "slot", "out_reversed", "in_reversed"):  # fmt: skip
        expected = getattr(same.arcs(edges), name)
        np.testing.assert_array_equal(getattr(found.arcs(edges), name), expected, name)
    assert found.fingerprint == same.fingerprint
    assert pickle.loads(pickle.dumps(found)).fingerprint == same.fingerprint


@pytest.mark.parametrize("directed", [True, False])
def test_floats_add_up_to_the_same_bits_on_host_and_device(device, directed):
    rng = np.random.default_rng(3)
    ends, weight = rng.integers(0, 500, (2, 5000)), rng.lognormal(0, 4, 5000)
    graph = Graph.from_edges(*ends, num_vertices=500, directed=directed, weight=weight)
    number = rng.permutation(np.arange(500, dtype=np.int32) % 20)
    found = Engine(graph, device).contracted(number, 20, False)
    host = summed(graph, number, 20, False)
    assert isinstance(found.arcs().out, DeviceOrder)
    np.testing.assert_array_equal(found.edge_fields["weight"], host.edge_fields["weight"])
    shuffled = rng.permutation(5000)
    graph = Graph.from_edges(
        *ends[:, shuffled], num_vertices=500, directed=directed, weight=weight[shuffled]
    )
    again = Engine(graph, device).contracted(number, 20, False)
    np.testing.assert_array_equal(again.edge_fields["weight"], host.edge_fields["weight"])


def test_arcs_stay_on_the_device(device, monkeypatch):
    """Programs run on the quotient, and it is contracted again, without the host reading arcs."""
    graph = random_graph("float64", False)
    monkeypatch.setattr(OfEdges, "read", None)
    monkeypatch.setattr(DeviceOrder, "_read", None)
    Engine(graph, device).run(TwiceUndirected())


def test_renumbered_vertices(device, renumbered):
    graph = random_graph("int64", False)
    engine = Engine(graph, device)
    engine.run(Sum())
    number = (np.arange(70) % 13).astype(np.int32)
    found = engine.contracted(number, 13, True)
    np.testing.assert_array_equal(matrix(found, True), quotient(matrix(graph, True), number, True))


def test_without_room_the_host_contracts(device):
    graph = random_graph("float64", False)
    engine = Engine(graph, device, device_memory=20_000)
    number = (np.arange(70) % 13).astype(np.int32)
    found = engine.contracted(number, 13, True)
    assert not isinstance(found.arcs().out, DeviceOrder)
    np.testing.assert_array_equal(matrix(found, True), quotient(matrix(graph, True), number, True))


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (cl.MemoryError, cl.status_code.MEM_OBJECT_ALLOCATION_FAILURE),
        (cl.RuntimeError, cl.status_code.OUT_OF_RESOURCES),
        (cl.LogicError, cl.status_code.INVALID_BUFFER_SIZE),
        (cl.LogicError, cl.status_code.INVALID_VALUE),
    ],
)
def test_if_the_device_runs_out_of_memory_the_host_contracts(device, monkeypatch, kind, code):
    def fails(*_):
        raise kind(SimpleNamespace(code=lambda: code))

    graph = random_graph("float64", False)
    engine, number = Engine(graph, device), (np.arange(70) % 13).astype(np.int32)
    monkeypatch.setattr(_Contraction, "rows", fails)
    if code == cl.status_code.INVALID_VALUE:
        with pytest.raises(cl.LogicError):
            engine.contracted(number, 13, True)
        return
    found = engine.contracted(number, 13, True)
    assert not isinstance(found.arcs().out, DeviceOrder)
    np.testing.assert_array_equal(matrix(found, True), quotient(matrix(graph, True), number, True))


def test_few_arcs_take_no_memory_for_each_range_and_group(device):
    """A device with many cores would otherwise have arrays of all groups for each."""
    graph, number = Graph.from_edges([0], [1], num_vertices=1000), np.arange(1000, dtype=np.int32)
    work = _Contraction(Engine(graph, device).resident("out", 1, 1), number, 1000, None)
    assert work._ranges == 1


@pytest.mark.parametrize("weight", [1e-300, 1e-308, 5e-324])
def test_the_least_weights(device, weight):
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0], weight=[weight] * 3)
    number = np.array([0, 0, 1], np.int32)
    engine = Engine(graph, device)
    for found in (engine.contracted(number, 2, False), summed(graph, number, 2, False)):
        assert found.edge_fields["weight"].dtype == "float64"
        assert np.asarray(found.edge_fields["weight"]).tolist() == [weight] * 3


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_another_device_gets_the_arcs_from_the_host(device, dtype):
    graph = random_graph("float64", True)
    found = Engine(graph, device).contracted((np.arange(70) % 13).astype(np.int32), 13, False)
    other = Device(device.cl, device.group)
    engine = Engine(found, other)
    total = engine.run(Sum(dtype=dtype)).total
    np.testing.assert_allclose(total, matrix(found, False).sum(axis=0), rtol=1e-6)
    own = {id(buffer) for order in (found.arcs().out, found.arcs().into)
           for buffer in order.buffers.values()}  # fmt: skip
    assert not own & {id(b) for each in engine._resident.values() for b in each.held()}


class Levels(VertexProgram):
    """Runs programs on quotients, one after the other, of which each is dropped."""

    x = vertex.int32()
    seen: ClassVar[list[Any]] = []

    def solve(self, stages):
        graph = stages.graph
        for step in range(3):
            group = np.arange(graph.num_vertices) // 2
            graph, _ = stages.contract(group, graph=graph, undirected=True)
            engines = {id(stages._engine(graph)) for _ in range(2)}
            assert len(engines) == 1
            assert stages.run(Sum(), graph=graph, fresh=True).graph.num_edges == graph.num_edges
            type(self).seen.append(weakref.ref(graph.arcs("out").out))
            gc.collect()
            alive = [each() is not None for each in self.seen]
            assert alive == [False] * step + [True]
        return {"x": np.zeros(stages.graph.num_vertices)}


def test_what_a_dropped_quotient_has_on_the_device_is_freed(device):
    Levels.seen.clear()
    Engine(random_graph("float64", False), device).run(Levels())


def test_a_graph_without_edges(device):
    graph = Graph.from_edges([], [], num_vertices=5)
    found = Engine(graph, device).contracted(np.array([0, 1, 0, 1, 2], np.int32), 3, True)
    assert (found.num_vertices, found.num_edges, found.directed) == (3, 0, False)
    assert Engine(found, device).run(Sum()).total.tolist() == [0, 0, 0]


class Contracts(VertexProgram):
    group: np.ndarray
    x = vertex.int32()

    def solve(self, stages):
        stages.contract(type(self).group)
        return {"x": 0}


@pytest.mark.parametrize(
    ("group", "weight", "why"),
    [
        ([0, 1], [1], "group must be 3 integers, one for each vertex, not int64 of shape"),
        ([0.0, 1, 2], [1], "not float64 of shape"),
        ([0, 1, 1], [np.inf], "add up to inf: they must be finite"),
        ([0, 1, 1], [2**63 - 1], "more than an int64 holds; give them as float64"),
    ],
)
def test_what_cannot_be_contracted(device, group, weight, why):
    graph = Graph.from_edges([0], [1], num_vertices=3, weight=weight)
    Contracts.group = np.array(group)
    with pytest.raises(GraphError, match=f"Contracts.*{why}"):
        Engine(graph, device).run(Contracts())
