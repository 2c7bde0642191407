"""Graphs from CSR, of which offsets tell one end of the edges."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from gascl import Graph
from gascl.errors import GraphError
from gascl.graph.arcs import ARRAYS, Order
from gascl.graph.csr_ends import CsrEnds


def _edges(rises: bool):
    """Sources that rise, their offsets, and targets that rise for each, or do not."""
    rng = np.random.default_rng(7)
    src, dst = np.sort(rng.integers(0, 60, 400)), rng.integers(0, 60, 400)
    src[src == 30] = 31  # a vertex without edges
    if rises:
        dst = dst[np.lexsort((dst, src))]
    return src, np.searchsorted(src, np.arange(61)), dst


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("rises", [False, True])
def test_the_same_graph_as_from_edges(rises, turned):
    src, offsets, dst = _edges(rises)
    weight = np.arange(400)
    vertex_fields = {"age": np.arange(60)}
    graph = Graph.from_csr(offsets, dst, vertex_fields=vertex_fields, weight=weight)
    same = Graph.from_edges(src, dst, num_vertices=60, vertex_fields=vertex_fields, weight=weight)
    if turned:
        graph, same = graph.reversed(), same.reversed()
    assert graph.num_edges == 400 and graph.num_loops == same.num_loops > 0
    assert graph.fingerprint == same.fingerprint
    assert isinstance(graph.dst if turned else graph.src, CsrEnds)
    for again in (graph, pickle.loads(pickle.dumps(graph))):
        np.testing.assert_array_equal(again.edge_src, same.edge_src)
        np.testing.assert_array_equal(again.edge_dst, same.edge_dst)
        assert again.edge_src.dtype == again.edge_dst.dtype == np.int32
        for way in ("out", "in", "both"):
            for name in ARRAYS:
                its, known = (getattr(g.arcs(way), name) for g in (again, same))
                np.testing.assert_array_equal(its, known, strict=True)
    np.testing.assert_array_equal(graph.weighted_in_degree(), same.weighted_in_degree())
    assert graph.simple().fingerprint == same.simple().fingerprint
    more = [g.with_edges(add=[(1, 2)], weight=[3]) for g in (graph, same)]
    assert more[0].fingerprint == more[1].fingerprint


def test_nothing_is_copied_and_nothing_can_be_written():
    _, offsets, dst = _edges(True)
    targets, offsets = dst.astype(np.int32), offsets.astype(np.int32)
    graph = Graph.from_csr(offsets, targets)
    assert np.shares_memory(graph.edge_dst, targets)
    assert np.shares_memory(graph.arcs().out_offsets, offsets)
    assert targets.flags.writeable and offsets.flags.writeable
    for array in (graph.edge_src, graph.edge_dst, graph.arcs().out_offsets):
        assert not array.flags.writeable


def test_receivers_in_order_are_not_sorted(monkeypatch):
    """Nor are they written out: what a run that pulls reads is there."""
    src, offsets, dst = _edges(True)
    same = Graph.from_edges(dst, src, num_vertices=60).arcs()

    def never(*_):
        raise AssertionError("that takes memory for all edges")

    monkeypatch.setattr(Order, "_sorted", never)
    graph = Graph.from_csr(offsets, dst).reversed()
    arcs = graph.arcs()
    assert arcs.into.presorted
    np.testing.assert_array_equal(arcs.in_offsets, same.in_offsets)
    np.testing.assert_array_equal(arcs.in_sources, same.in_sources)
    np.testing.assert_array_equal(graph.out_degree, np.diff(same.out_offsets))
    assert isinstance(graph.dst, CsrEnds) and "whole" not in graph.dst.kept


@pytest.mark.parametrize("ends", [[0, 0, 3, 3, 3, 7], [0, 5], [0, 0], [0, 1, 2, 3]])
def test_every_slice(ends):
    runs, known = CsrEnds(np.array(ends)), np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    assert len(runs) == len(known)
    for begin in range(len(known) + 1):
        for end in range(begin, len(known) + 2):
            np.testing.assert_array_equal(runs[begin:end], known[begin:end])
    np.testing.assert_array_equal(runs.take(np.arange(len(known))), known)
    np.testing.assert_array_equal(np.asarray(runs), known)


@pytest.mark.parametrize(("offsets", "targets", "words"), [
    ([], [], "offsets have the shape (0,), and should have (vertices + 1,)"),
    ([0.0, 1.0], [0], "offsets must be integers, not float64"),
    ([[0, 1]], [0], "offsets have the shape (1, 2)"),
    ([0, 1], [0, 0], "offsets go from 0 to 1, and should go from 0 to 2, the number of targets"),
    ([1, 2], [0, 0], "offsets go from 1 to 2, and should"),
    ([0, 2, 1, 3], [0, 1, 2], "vertex 1 end at 1, before they begin at 2: each of the offsets"),
    ([0, 2], [0, 1], "edge 1: targets is 1, and the graph has 1 vertices (ids: 0 to 0); correct "
                     "the id or add the missing vertices"),
    ([0, 1], [-1], "edge 0: targets is -1, and vertex ids start at 0"),
    ([0, 1], ["a"], "targets must be integers, not <U1: number the vertices from 0"),
])  # fmt: skip
def test_what_is_no_csr_is_refused(offsets, targets, words):
    with pytest.raises(GraphError) as refused:
        Graph.from_csr(offsets, targets)
    assert words in str(refused.value)


def test_labels_and_fields_are_checked():
    with pytest.raises(GraphError, match="there are 3 labels and 2 vertices"):
        Graph.from_csr([0, 1, 2], [0, 1], labels=["a", "b", "c"])
    with pytest.raises(GraphError, match="edge field 'weight' has shape"):
        Graph.from_csr([0, 1, 2], [0, 1], weight=[1])
    with pytest.raises(GraphError, match="did you mean labels="):
        Graph.from_csr([0, 1, 2], [0, 1], label=None)
    with pytest.raises(GraphError, match="from_csr takes no duplicates=: the graph is directed"):
        Graph.from_csr([0, 1, 2], [0, 1], duplicates="sum")
    graph = Graph.from_csr([0, 1, 2], [1, 0], labels=["a", "b"], weight=[True, False])
    assert graph.neighbors("a").tolist() == ["b"]
    assert graph.edge_fields["weight"].dtype == np.int8
    assert Graph.from_csr([0], []).num_vertices == 0
