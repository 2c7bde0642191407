"""Which graphs are numbered hubs first, and their arcs by the new numbers."""

import numpy as np
import pytest

from gascl import Graph
from gascl.graph import reordering as module
from gascl.graph.arcs import ARRAYS
from gascl.graph.partition import Division, shares
from gascl.graph.reordering import (
    LEAST,
    ONE_IN,
    Renumbered,
    by_number,
    by_vertex,
    hubs_first,
    inverse,
    numbering,
)


def star(leaves):
    return Graph.from_edges(np.zeros(leaves, int), np.arange(1, leaves + 1))


def test_a_hub_comes_first():
    found = numbering(star(LEAST).out_degree)
    assert found is not None and found.share == 1
    assert found.order[0] == 0 and found.number[0] == 0
    assert str(found) == f"hubs first: 100% of the arcs leave 1/{ONE_IN} of the vertices"


@pytest.mark.parametrize(
    "degree",
    [
        np.full(LEAST, 7),
        np.zeros(LEAST, np.int32),
        np.zeros(0, np.int32),
        np.random.default_rng(1).poisson(32, LEAST),
        star(LEAST - 2).out_degree,  # few vertices
        np.repeat([7, 1], [LEAST // 16, LEAST]),  # 7 of 22 arcs
    ],
)
def test_where_it_does_not_pay(degree):
    assert numbering(degree) is None


def test_the_share_that_decides():
    hubs = LEAST // 16
    rest = LEAST - hubs
    assert numbering(np.repeat([15, 1], [hubs, rest])) is not None
    assert numbering(np.repeat([14, 1], [hubs, rest])) is None


def test_equal_degrees_keep_their_order():
    degree = np.array([3, 0, 5, 3, 2**31 - 1, 0, 3])
    order = hubs_first(degree)
    assert order.dtype == np.int32 and order.tolist() == [4, 2, 0, 3, 6, 1, 5]
    assert inverse(order).tolist() == [2, 5, 1, 3, 0, 6, 4]


@pytest.mark.parametrize("threads", [1, 3, 16])
@pytest.mark.parametrize("count", [0, 1, 2, 50, 1000])
def test_hubs_first_in_parts(monkeypatch, threads, count):
    monkeypatch.setattr(module, "cores", lambda: threads)
    degree = np.random.default_rng(count).integers(0, 9, count)
    degree[::7] = [70_000, 65_535, 65_536, 2**31 - 1][threads % 4]
    assert hubs_first(degree).tolist() == np.lexsort((np.arange(count), -degree)).tolist()


def test_values_there_and_back():
    values = np.arange(21).reshape(7, 3)
    order = np.random.default_rng(3).permutation(7).astype(np.int32)
    found = module.Numbering(order, inverse(order), 1.0)
    assert by_number(found, values).tolist() == values[order].tolist()
    assert by_vertex(found, by_number(found, values)).tolist() == values.tolist()


def test_ends_by_their_numbers():
    ends, number = np.array([2, 0, 1, 1], np.int32), np.array([1, 2, 0], np.int32)
    found = Renumbered(ends, number)
    assert len(found) == 4 and np.asarray(found).tolist() == [0, 1, 2, 2]
    assert found[1:3].tolist() == [1, 2] and found.take(np.array([3, 0])).tolist() == [2, 0]


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("edges", ["out", "in", "both"])
@pytest.mark.usefixtures("renumbered")
def test_arcs_are_those_of_the_graph_with_other_ends(directed, edges):
    """Of a graph that was made with the new numbers, whose edges have the same ids."""
    src, dst = np.random.default_rng(5).integers(0, 40, (2, 300))
    graph = Graph.from_edges(src, dst, num_vertices=45, directed=directed)
    found, arcs = graph.numbered(edges)
    assert sorted(found.order.tolist()) == list(range(45))
    assert (found.order[found.number] == np.arange(45)).all()
    other = Graph.from_edges(
        found.number[src], found.number[dst], num_vertices=45, directed=directed
    )
    for name in ARRAYS:
        one, two = getattr(arcs, name), getattr(other.arcs(edges), name)
        assert one.dtype == two.dtype and one.tolist() == two.tolist(), name
    assert graph.numbered(edges) == (found, arcs)  # made once


@pytest.mark.parametrize("ranks", [2, 3])
def test_hubs_are_dealt_out_among_ranks(ranks, tmp_path, monkeypatch):
    """Each has as many vertices, its hubs first; arcs that are in a file stay as they are."""
    monkeypatch.setattr(module, "LEAST", 1)
    monkeypatch.setattr(module, "SHARE", 0)
    graph = Graph.from_edges(*np.random.default_rng(6).geometric(0.05, (2, 4000)) % 100)
    found, arcs = graph.numbered("out", ranks)
    degree, order = graph.out_degree, hubs_first(graph.out_degree).tolist()
    own = [part.tolist() for part in np.array_split(found.order, ranks)]
    assert sorted(found.order) == list(range(100))
    assert [order.index(part[0]) for part in own] == list(range(ranks))
    for part in own:
        assert (np.diff(degree[part]) <= 0).all()
    parts = shares(arcs.in_offsets, Division(0, ranks))
    assert max(part.end - part.begin for part in parts) < 1.2 * 4000 / ranks
    assert graph.numbered() != (found, arcs)

    graph.write(tmp_path / "g.npz", arcs=True)
    again = Graph.read(tmp_path / "g.npz")
    assert again.numbered("out", ranks) == again.numbered()


@pytest.mark.usefixtures("renumbered")
def test_edges_in_order_of_their_numbers():
    order = np.random.default_rng(4).permutation(4).astype(np.int32)
    graph = Graph.from_edges(order, order, num_vertices=4)
    found, arcs = graph.numbered()
    assert np.array_equal(found.order, order)
    assert arcs.in_sources.tolist() == [0, 1, 2, 3] == arcs.out_targets.tolist()


def test_no_arcs_are_made_to_find_out():
    graph = star(LEAST)
    _, arcs = graph.numbered()
    assert set(arcs.out.kept) == set(graph.arcs().out.kept) == {"offsets"}
    assert not arcs.into.kept and not graph.arcs().into.kept
    assert Graph.from_edges([0], [1]).numbered() is None


def test_it_is_decided_by_the_side_that_sends():
    graph = star(LEAST)
    assert graph.numbered("out") is not None and graph.numbered("in") is None
