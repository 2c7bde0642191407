"""The arcs: orders and slots against a plain sort in Python, and the choice of dtypes."""

from __future__ import annotations

import contextlib
import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gascl.graph import arcs as arcs_module
from gascl.graph import parallel
from gascl.graph.arcs import ARRAYS, Arcs, ArcsPart, Order, arcs_of, index_dtype, stable_order
from gascl.graph.graph import Graph
from gascl.graph.partition import cut
from gascl.graph.radix_sort import radix_sorted


@st.composite
def edge_lists(draw):
    num_vertices = draw(st.integers(0, 7))
    ids = st.integers(0, max(num_vertices - 1, 0))
    edges = draw(st.lists(st.tuples(ids, ids), max_size=30 if num_vertices else 0))
    return num_vertices, edges


def expected_arcs(edges, directed, direction):
    """(tail, head, edge, reversed) of every arc, from the definition."""
    arcs = []
    for edge, (src, dst) in enumerate(edges):
        both = direction == "both" or not directed
        if both or direction == "out":
            arcs.append((src, dst, edge, 0))
        if (both and src != dst) or (directed and direction == "in"):
            arcs.append((dst, src, edge, 1))
    return arcs


def check_arcs(arcs: Arcs | ArcsPart, num_vertices, expected):
    by_tail = sorted(expected)
    by_head = sorted(expected, key=lambda arc: (arc[1], arc[0], arc[2]))
    tails = np.repeat(np.arange(num_vertices), np.diff(arcs.out.offsets))
    heads = np.repeat(np.arange(num_vertices), np.diff(arcs.into.offsets))
    out = list(zip(tails, arcs.out.ends, arcs.out_edges, arcs.out_reversed, strict=True))
    into = list(zip(arcs.into.ends, heads, arcs.in_edges, arcs.in_reversed, strict=True))
    assert out == by_tail
    assert into == by_head
    assert sorted(arcs.slot) == list(range(len(out)))
    assert [into[place] for place in arcs.slot] == out


#: Edges that come in one of the orders need no sorting.
ORDERS = {"any": None, "csr": lambda edge: edge, "csc": lambda edge: edge[::-1]}


@contextlib.contextmanager
def divided(sizes: tuple[int, ...] | None):
    """Divides the work of small graphs as that of large ones: into blocks of so many items, pieces
    and ranges of so many pairs, or so many of them; among three threads."""
    if sizes is None:
        yield
        return
    block, least, most = sizes
    with (
        mock.patch.object(parallel, "BLOCK", block),
        mock.patch.object(parallel, "cores", return_value=3),
        mock.patch.object(arcs_module, "cores", return_value=3),
        mock.patch.object(arcs_module, "_LEAST", least),
        mock.patch.object(arcs_module, "_PIECES", most),
        mock.patch.object(arcs_module, "_RANGES", most),
    ):
        yield


SIZES = st.none() | st.tuples(st.integers(1, 5), st.integers(1, 9), st.integers(1, 9))


@given(
    edge_lists(),
    st.booleans(),
    st.sampled_from(["out", "in", "both"]),
    st.sampled_from([*ORDERS]),
    SIZES,
    st.permutations(ARRAYS),
)
def test_orders_and_slots(edge_list, directed, direction, order, sizes, first):
    """In whichever order the arrays are asked for."""
    num_vertices, edges = edge_list
    edges = edges if order == "any" else sorted(edges, key=ORDERS[order])
    with divided(sizes):
        check_orders_and_slots(num_vertices, edges, directed, direction, first)


def check_orders_and_slots(num_vertices, edges, directed, direction, first):
    src, dst = (np.array([edge[end] for edge in edges], dtype=np.int64) for end in (0, 1))
    graph = Graph.from_edges(src, dst, num_vertices=num_vertices, directed=directed)
    arcs = graph.arcs(direction)
    for name in first:
        getattr(arcs, name)
    expected = expected_arcs(edges, directed, direction)
    check_arcs(arcs, num_vertices, expected)
    for part in cut(arcs.in_offsets, 3) if num_vertices else []:
        check_part(arcs.part(part), part, num_vertices, sorted(expected))
        unsorted = arcs_of(graph.edge_src, graph.edge_dst, num_vertices, arcs.direction)
        check_part(unsorted.part(part), part, num_vertices, sorted(expected))
        assert unsorted.into.kept.keys() <= {"offsets"}
    assert arcs is graph.arcs(direction)
    assert graph.num_arcs == len(expected_arcs(edges, directed, "out"))


def check_part(arcs, part, num_vertices, expected):
    places = [i for i, arc in enumerate(expected) if part.first <= arc[1] < part.last]
    check_arcs(arcs, num_vertices, [expected[place] for place in places])
    assert arcs.places.tolist() == places
    ends = np.arange(len(expected) + 1) % 7  # of more edges than there are
    assert arcs.given(ends).tolist() == ends[arcs.in_edges].tolist()


def test_by_hand():
    """The edges 0>1, 1>0 and the loop 1>1, undirected: five arcs."""
    arcs = Graph.from_edges([0, 1, 1], [1, 0, 1], directed=False).arcs()
    assert arcs.out_offsets.tolist() == [0, 2, 5]
    assert arcs.out_targets.tolist() == [1, 1, 0, 0, 1]
    assert arcs.out_edges.tolist() == [0, 1, 0, 1, 2]
    assert arcs.out_reversed.tolist() == [0, 1, 1, 0, 0]
    assert arcs.in_sources.tolist() == [1, 1, 0, 0, 1]
    assert arcs.in_edges.tolist() == [0, 1, 0, 1, 2]
    assert arcs.in_reversed.tolist() == [1, 0, 0, 1, 0]
    assert arcs.slot.tolist() == [2, 3, 0, 1, 4]


def test_undirected_arcs_are_the_same_for_every_way():
    graph = Graph.from_edges([0, 1], [1, 2], directed=False)
    assert graph.arcs("in") is graph.arcs("out") is graph.arcs("both")


def test_dtypes_and_read_only():
    arcs = Graph.from_edges([0, 1], [1, 2]).arcs()
    for name in ARRAYS:
        array = getattr(arcs, name)
        expected = np.uint8 if name.endswith("reversed") else np.int32
        assert array.dtype == expected, name
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize("order", ["csr", "csc"])
def test_edges_in_order_are_the_arcs(order):
    edges = sorted([(0, 1), (0, 1), (2, 0), (1, 2), (2, 2)], key=ORDERS[order])
    graph = Graph.from_edges(*np.array(edges).T)
    arcs = graph.arcs()
    check_arcs(arcs, 3, expected_arcs(edges, True, "out"))
    shared = arcs.out_targets if order == "csr" else arcs.in_sources
    assert shared is (graph.edge_dst if order == "csr" else graph.edge_src)


def test_index_dtype_changes_past_int32():
    assert index_dtype(0) == np.int32
    assert index_dtype(2**31 - 1) == np.int32
    assert index_dtype(2**31) == np.int64


def test_wide_indices_reach_every_array(monkeypatch):
    """What more than 2^31-1 arcs would get, on a graph of three edges."""
    monkeypatch.setattr(arcs_module, "index_dtype", lambda num_arcs: np.dtype(np.int64))
    edges = [(2, 0), (0, 1), (1, 1)]
    src, dst = np.array(edges, dtype=np.int32).T
    arcs = arcs_of(src, dst, 3, "both")
    for name in ("out_offsets", "out_edges", "in_offsets", "in_edges", "slot"):
        assert getattr(arcs, name).dtype == np.int64, name
    assert arcs.out_targets.dtype == arcs.in_sources.dtype == np.int32
    check_arcs(arcs, 3, expected_arcs(edges, True, "both"))


@given(edge_lists(), SIZES)
def test_pairs_in_order(edge_list, sizes):
    num_vertices, pairs = edge_list
    row, end = (np.array([pair[side] for pair in pairs], dtype=np.int32) for side in (0, 1))
    with divided(sizes):
        order = Order(row, end, num_vertices)
        expected = sorted((*pair, place) for place, pair in enumerate(pairs))
        assert list(zip(order.rows, order.ends, order.places, strict=True)) == expected
        begins = [sum(u < v for u, _ in pairs) for v in range(num_vertices + 1)]
        assert order.offsets.tolist() == begins


def test_a_large_graph_as_numpy_sorts_it():
    """Several pieces and ranges of the sizes that are used, a row longer than a range, and parallel
    arcs."""
    rng = np.random.default_rng(5)
    count = 1_500_000
    src, dst = rng.integers(0, 1000, (2, count), dtype=np.int32)
    src[rng.random(count) < 0.6] = 500
    arcs = arcs_of(src, dst, 1 << 20, "both")
    loops = src == dst
    tail, head = np.concatenate([src, dst[~loops]]), np.concatenate([dst, src[~loops]])
    edge = np.concatenate([np.arange(count), np.flatnonzero(~loops)])
    order = np.lexsort((edge, head, tail))
    assert (arcs.out_targets == head[order]).all()
    assert (arcs.out_edges == edge[order]).all()
    assert (arcs.out.rows == tail[order]).all()
    assert (arcs.out_reversed == (order >= count)).all()
    back = np.lexsort((edge, tail, head))
    assert (arcs.in_reversed == (back >= count)).all()
    place = np.empty(len(order), np.int64)
    place[back] = np.arange(len(order))
    assert (arcs.slot == place[order]).all()


@pytest.mark.parametrize("named", [True, False])
def test_edges_by_source_are_sorted_by_their_targets_alone(named):
    """The sources rise already. Rows of a range take more than 16 bits, or ends do."""
    rng = np.random.default_rng(6)
    count, vertices = 300_000, 1 << 21
    src, dst = rng.integers(0, vertices, (2, count), dtype=np.int32)
    src[: count // 2], dst[: count // 2] = rng.integers(0, 9, (2, count // 2))  # parallel ones
    src.sort()
    into = Order(dst, src, vertices)
    expected = np.lexsort((src, dst))
    assert (into.ends == src[expected]).all()  # without places at first
    if named:
        assert (into.places == expected).all()
    assert (into.rows == dst[expected]).all()


@given(st.lists(st.integers(0, 2**40 - 1), max_size=50), st.sampled_from([0, 3, 16, 20, 40]))
def test_radix_sorted(numbers, low):
    keys = np.array(numbers, np.int64)
    expected = sorted(enumerate(numbers), key=lambda each: each[1] >> low)
    found, places = radix_sorted(keys, np.arange(len(keys)), low, 40)
    assert list(zip(places.tolist(), found.tolist(), strict=True)) == expected
    assert keys.tolist() == numbers


def test_only_requested_arrays_are_made(monkeypatch):
    monkeypatch.setattr(arcs_module, "_LEAST", 2)
    graph = Graph.from_edges([0, 3, 1], [1, 2, 0])
    arcs = graph.arcs()
    assert not arcs.out.kept and not arcs.into.kept and not arcs.kept
    assert graph.arcs("in").in_sources is arcs.out_targets
    assert {*arcs.out.kept} == {"offsets", "ends"} and not arcs.into.kept and not arcs.kept
    assert arcs.out_edges.tolist() == [0, 2, 1]
    assert arcs.out_targets is graph.arcs("in").in_sources


def test_threads_make_an_array_once():
    arcs = arcs_of(*np.random.default_rng(2).integers(0, 50, (2, 9999), dtype=np.int32), 50, "both")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: getattr(arcs, ARRAYS[n % len(ARRAYS)]), range(90)))
    for number, array in enumerate(found):
        assert array is getattr(arcs, ARRAYS[number % len(ARRAYS)])


@pytest.mark.parametrize("direction", ["out", "in", "both"])
def test_equal_arrays_are_one(direction):
    """And the edges are left as they are."""
    src, dst = np.array([[4, 0, 0, 2, 2], [1, 0, 3, 3, 1]], dtype=np.int32)
    src.setflags(write=False)
    dst.setflags(write=False)
    arcs = arcs_of(src, dst, 5, direction)
    expected = expected_arcs(list(zip(src, dst, strict=True)), True, direction)
    check_arcs(arcs, 5, expected)
    assert (arcs.in_reversed is arcs.out_reversed) == (direction != "both")
    assert (arcs.in_edges is arcs.out_edges) == (direction == "both")
    everything = {id(getattr(arcs, name)) for name in ARRAYS}
    assert not everything & {id(src), id(dst)}


@given(st.lists(st.integers(0, 4), max_size=40), SIZES)
def test_stable_order(keys, sizes):
    with divided(sizes):
        order = stable_order(np.array(keys, dtype=np.int32), 5)
    assert order.tolist() == sorted(range(len(keys)), key=lambda place: keys[place])


@pytest.mark.parametrize("read", [False, True])
def test_copies_of_arcs(read):
    graph = Graph.from_edges([0, 2, 2, 1], [1, 0, 2, 0], directed=False)
    arcs = graph.arcs()
    expected = {name: getattr(graph.arcs(), name).tolist() for name in ARRAYS} if read else {}
    for made in (pickle.loads(pickle.dumps(arcs)), copy.deepcopy(arcs)):
        found = {name: getattr(made, name).tolist() for name in ARRAYS}
        expected = expected or {name: getattr(arcs, name).tolist() for name in ARRAYS}
        assert found == expected
    for name in ARRAYS:
        with pytest.raises(AttributeError):
            setattr(arcs, name, 3)


@pytest.mark.parametrize("threads", [1, 3])
def test_ends_are_counted_piece_by_piece(monkeypatch, threads):
    monkeypatch.setattr(arcs_module, "_LEAST", 2)
    monkeypatch.setattr(arcs_module, "cores", lambda: threads)
    ends = np.random.default_rng(1).integers(0, 5, 103).astype(np.int32)
    assert arcs_module._counts(ends, 5).tolist() == [ends.tolist().count(v) for v in range(5)]
    assert arcs_module._counts(ends[:0], 5).tolist() == [0] * 5
