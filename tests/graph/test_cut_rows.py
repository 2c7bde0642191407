"""Rows that alone have more arcs than an equal share of a rank, and whose segments ranks share."""

from itertools import chain, pairwise

import numpy as np
import pytest

from gascl import Graph
from gascl.device_graph.buffers import cut_rows, cut_segments
from gascl.graph.arcs import LocalArcs
from gascl.graph.partition import Division, shares

STAR, TWO = [0, 0, 97, 0, 0], [3, 60, 0, 70, 5, 1]
HALF = [1, 2, 300, *[4] * 70, 0, 9]


def division(ranks, segment, rank=0, bounds=(), vertex=4):
    return Division(rank, ranks, vertex, bounds, segment)


@pytest.mark.parametrize("segment", [1, 4, 20])
@pytest.mark.parametrize("ranks", [1, 2, 3, 8, 20])
@pytest.mark.parametrize("degrees", [STAR, TWO, HALF, [9] * 40, [0] * 5, [3], [7, 500]])
@pytest.mark.parametrize("given", [False, True])
def test_parts_have_every_arc_once_in_whole_segments(degrees, ranks, segment, given):
    offsets = np.cumsum([0, *degrees]).astype(np.int32)
    bounds = tuple(np.linspace(0, len(degrees), ranks + 1).astype(int).tolist()) if given else ()
    parts = shares(offsets, division(ranks, segment, bounds=bounds))
    total = int(offsets[-1])
    long = [i for i, n in enumerate(degrees) if n * ranks > total and n > 2 * segment]
    seen = np.zeros(total, int)
    for part in parts:
        assert [cut.row for cut in part.cuts] == long
        assert part.num_arcs == sum(each.end - each.begin for each in part.pieces)
        for each in part.pieces:
            seen[each.begin : each.end] += 1
        for cut in part.cuts:
            assert (cut.begin, cut.end) == (offsets[cut.row], offsets[cut.row + 1])
            for arc in (cut.first, cut.last):
                assert arc == cut.end or (arc - cut.begin) % segment == 0
        for each in part.pieces[: -len(long) or None]:
            assert not {*range(each.first, each.last)} & {*long}
    assert (seen == 1).all()
    assert [part.first for part in parts] == [0, *(part.last for part in parts[:-1])]
    if not long:
        assert parts == shares(offsets, Division(0, ranks, 4, bounds))


@pytest.mark.parametrize("ranks", [2, 3, 8])
@pytest.mark.parametrize("vertex", [0, 1, 4])
def test_ranks_have_about_as_much_work(ranks, vertex):
    """Up to a segment of each row, and a row that is not cut."""
    for degrees in (STAR, TWO, HALF, [7, 500]):
        offsets = np.cumsum([0, *degrees]).astype(np.int32)
        parts = shares(offsets, division(ranks, 2, vertex=vertex))
        whole = [n for n in degrees if n * ranks <= offsets[-1]]
        work = [part.num_arcs + vertex * (part.last - part.first) for part in parts]
        most = max(whole, default=0) + vertex + 2 * len(degrees[:2])
        assert max(work) <= sum(work) / ranks + most


def test_rows_of_given_bounds_leave_room():
    """A rank with more of the other rows gets fewer segments."""
    offsets = np.cumsum([0, 400, *[5] * 60, *[1] * 20]).astype(np.int32)
    parts = shares(offsets, division(2, 2, bounds=(0, 61, 81), vertex=0))
    assert [part.num_arcs for part in parts] == [360, 360]


EDGES = np.random.default_rng(1).integers(0, 40, (2, 150))
EDGES[1, :80] = 21
EDGES[1, 80:120] = 3


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("ranks", [2, 4])
def test_arcs_of_a_part(ranks, directed, kept):
    """Between all vertices, and between those of the part and its halo: what a rank has of each row
    is compared with the edges themselves."""
    arcs = Graph.from_edges(*EDGES, directed=directed, num_vertices=40).arcs()
    if kept:
        arcs.into.make()
        _ = arcs.in_edges
    found = {row: [] for row in range(40)}
    for rank in range(ranks):
        share = division(ranks, 3, rank)
        part = shares(arcs.in_offsets, share)[rank]
        for own in (arcs.part(part), arcs.local(part)):
            local = isinstance(own, LocalArcs)
            ids = own.vertices if local else np.arange(40)
            ends, offsets = ids[own.into.ends], own.into.offsets
            assert len(ends) == len(own.in_edges) == len(own.in_reversed) == part.num_arcs
            rows = [list(range(a, b)) for a, b in pairwise(offsets)]
            table, mine = cut_segments(own, 3), cut_rows(own, 3)
            assert table["last"].tolist() == list(range(len(table)))
            assert (table["end"] - table["begin"]).max(initial=0) <= 3
            for segment in table:
                rows[segment["first"]] += range(segment["begin"], segment["end"])
            assert sorted(chain(*rows)) == list(range(part.num_arcs))
            assert ids[mine["first"]].tolist() == [cut.row for cut in part.own_cuts]
            for place, of_row in enumerate(rows):
                pairs = list(zip(ends[of_row], own.in_edges[of_row], strict=True))
                for sender, edge in pairs:
                    assert {sender, ids[place]} == {*EDGES[:, edge]}
                for at in of_row:
                    assert own.in_reversed[at] == (EDGES[0, own.in_edges[at]] != ends[at])
                if not local:
                    found[place] += pairs
    for row, pairs in found.items():
        at = slice(*arcs.in_offsets[row : row + 2])
        assert pairs == list(zip(arcs.in_sources[at], arcs.in_edges[at], strict=True))
