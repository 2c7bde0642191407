"""The arcs that end in a range of vertices, between the vertices of the range and their halo."""

import numpy as np
import pytest

from gascl import Graph
from gascl.graph.arcs import LocalArcs
from gascl.graph.partition import Division, Part, shares

#: Of 7 vertices: a hub, parallel edges, both directions of an edge, self-loops, and 6 without any.
EDGES = [(0, 2), (0, 2), (1, 3), (5, 0), (0, 5), (3, 3), (0, 3), (0, 4), (4, 4), (2, 1), (5, 2)]
SRC, DST = zip(*EDGES, strict=True)


def expected(directed, direction):
    """(sender, receiver, edge, reversed) of all arcs, by receiver, sender and edge."""
    arcs = []
    for edge, (src, dst) in enumerate(EDGES):
        both = direction == "both" or not directed
        if both or direction == "out":
            arcs.append((src, dst, edge, 0))
        if (both and src != dst) or (directed and direction == "in"):
            arcs.append((dst, src, edge, 1))
    return sorted(arcs, key=lambda arc: (arc[1], arc[0], arc[2]))


@pytest.mark.parametrize("presorted", [False, True])
@pytest.mark.parametrize(
    ("directed", "direction"), [(True, "out"), (True, "in"), (True, "both"), (False, "out")]
)
@pytest.mark.parametrize(
    ("first", "last"), [(0, 7), (0, 3), (2, 4), (3, 7), (6, 7), (0, 0), (7, 7)]
)
def test_the_arcs_of_a_range(first, last, directed, direction, presorted):
    whole = Graph.from_edges(SRC, DST, num_vertices=7, directed=directed).arcs(direction)
    if presorted:
        whole.into.make()
    offsets = whole.in_offsets
    local = whole.local(Part(first, last, int(offsets[first]), int(offsets[last])))
    arcs = [arc for arc in expected(directed, direction) if first <= arc[1] < last]
    here = {*range(first, last), *(arc[0] for arc in arcs)} or {0}
    own = range(*local.rows)
    for _ in range(2):  # also after it has been freed
        vertices = local.vertices
        assert vertices.tolist() == sorted(here)
        assert vertices[own].tolist() == list(range(first, last))
        into, out = (
            np.repeat(np.arange(len(vertices)), np.diff(order.offsets))
            for order in (local.into, local.out)
        )
        senders, receivers = vertices[local.into.ends], vertices[into]
        edges, flags = local.in_edges.tolist(), local.in_reversed.tolist()
        assert list(zip(senders, receivers, edges, flags, strict=True)) == arcs
        by_sender = [vertices[out], vertices[local.out.ends], local.out_edges, local.out_reversed]
        assert list(zip(*by_sender, strict=True)) == sorted(arcs)
        assert [arcs[place] for place in local.slot] == sorted(arcs)
        local.forget()


def test_memory_of_arcs_is_freed():
    whole = Graph.from_edges(SRC, DST, num_vertices=7).arcs()
    local = whole.local(Part(2, 4, *whole.in_offsets[[2, 4]].tolist()))
    assert isinstance(local, LocalArcs) and whole.local(local.part) is local
    _ = local.slot, local.in_edges, local.into.ends
    local.forget()
    kept = {**local.kept, **local.into.kept, **local.out.kept, **local.receivers.kept}
    assert set(kept) == {"offsets"}


@pytest.mark.parametrize("vertex", [0, 4, 100])
@pytest.mark.parametrize("ranks", [1, 2, 3, 8, 20])
@pytest.mark.parametrize("degrees", [[1, 2, 3, 4, 5, 6], [0] * 5, [90, 0, 0, 1], [0, 0, 90], [3]])
def test_the_parts_of_ranks(degrees, ranks, vertex):
    """A part ends with the first vertex with which the parts up to it have their share of the work.
    A vertex with the work of several parts leaves the last ranks without any."""
    offsets = np.cumsum([0, *degrees]).astype(np.int32)
    work = [int(offset) + vertex * row for row, offset in enumerate(offsets)]
    ends = {
        next(row for row in range(len(work)) if work[row] >= work[-1] * i // ranks)
        for i in range(1, ranks)
    }
    bounds = sorted({0, *ends, len(degrees)})
    bounds += [len(degrees)] * (ranks + 1 - len(bounds))
    parts = shares(offsets, Division(0, ranks, vertex))
    assert [part.first for part in parts] + [parts[-1].last] == bounds
    assert [part.last for part in parts] == bounds[1:]
    assert [(part.begin, part.end) for part in parts] == [
        (offsets[part.first], offsets[part.last]) for part in parts
    ]
