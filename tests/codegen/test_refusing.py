"""Which programs refuse messages by one field alone, and what the others of such a word do."""

import numpy as np
import pytest

from gascl import Engine, Graph, VertexProgram, edge, param, struct, vertex
from gascl.codegen.generate import generate


class WidestTree(VertexProgram):
    """The width of the widest path from a source, and the least vertex before on one."""

    source = param.vertex()
    width = vertex.int32(init="v.id == p.source ? INT_MAX : 0")
    before = vertex.vertex()
    wide = edge.int32(low=1)

    message = struct([("width", "int32"), ("before", "vertex")])
    combine = """
        a.width > b.width || (a.width == b.width && (uint)a.before <= (uint)b.before) ? a : b
    """
    identity = "(message){0, -1}"
    order = "any"
    mask = "v.id == p.source"
    receive_if = """
        v.id != p.source && (msg.width > v.width ||
            (msg.width == v.width && (uint)msg.before < (uint)v.before))
    """
    scatter = "send((message){min(v.width, e.wide), v.id});"
    apply = """
        if (msg.width > v.width)
            set_mask();
        v.width = msg.width;
        v.before = msg.before;
    """


class SendsBoth(WidestTree):
    scatter = "send((message){min(v.width, e.wide), v.before < 0 ? v.id : v.id});"


class AsksNeither(WidestTree):
    receive_if = "v.id != p.source"
    apply = """
        if (msg.width > v.width || (msg.width == v.width && (uint)msg.before < (uint)v.before)) {
            if (msg.width > v.width)
                set_mask();
            v.width = msg.width;
            v.before = msg.before;
        }
    """


class ByHelper(WidestTree):
    functions = """
        static bool is_wider(const message m, const int width) {
            return m.width > width;
        }
    """
    receive_if = """
        v.id != p.source && (is_wider(msg, v.width) ||
            (msg.width == v.width && (uint)msg.before < (uint)v.before))
    """


class ReadsArrays(WidestTree):
    """Two vertices receive nothing: an array parameter and an array of the graph name them."""

    closed = param.array(2, "int32")
    flags = vertex.int32(2, init=0)
    receive_if = """
        v.id != p.source && v.id != p.closed[1] && !v.flags[1] && (msg.width > v.width ||
            (msg.width == v.width && (uint)msg.before < (uint)v.before))
    """


class WidthAlone(VertexProgram):
    source = param.vertex()
    width = vertex.int32(init="v.id == p.source ? INT_MAX : 0")
    message, combine, order = "int32", "max", "any"
    mask = "v.id == p.source"
    receive_if = "msg > v.width"
    scatter = "send(v.width);"
    apply = "v.width = msg; set_mask();"


@pytest.mark.parametrize(
    ("program", "debug", "refuses"),
    [
        (WidestTree, False, True),
        (WidestTree, True, False),
        (ByHelper, False, True),
        (ReadsArrays, False, True),
        (SendsBoth, False, False),
        (AsksNeither, False, False),
        (WidthAlone, False, False),
    ],
)
def test_who_refuses(program, debug, refuses):
    text = generate(program.spec, debug=debug).text
    assert f"#define GASCL_REFUSES {int(refuses)}\n" in text
    assert ("gascl_refuses(" in text) == refuses


def scattered():
    rng = np.random.default_rng(7)
    src, dst = rng.integers(0, 3000, (2, 20_000))
    return Graph.from_edges(src, dst, num_vertices=3000, wide=rng.integers(1, 6, 20_000))


def hubs():
    """Two with rows so long that groups share them."""
    rng = np.random.default_rng(8)
    leaves = np.arange(2, 6002)
    src = np.concatenate([0 * leaves, leaves, 0 * leaves + 1])
    dst = np.concatenate([leaves, 0 * leaves + 1, leaves[::-1]])
    wide = rng.integers(1, 10, len(src))
    return Graph.from_edges(src, dst, num_vertices=6003, wide=wide)


@pytest.mark.parametrize("program", [WidestTree, ByHelper, SendsBoth])
@pytest.mark.parametrize("make", [scattered, hubs])
def test_what_is_not_refused_is_applied(make, program):
    graph = make()
    width, before = expected(graph)
    engine = Engine(graph)
    for _ in range(3):
        found = engine.run(program(source=0))
        np.testing.assert_array_equal(found.width, width)
        np.testing.assert_array_equal(found.before, before)


def test_refuses_by_arrays():
    graph = scattered()
    closed, flagged = 5, 11
    flags = np.zeros((graph.num_vertices, 2), np.int32)
    flags[flagged] = 0, 1
    program = ReadsArrays(source=0, closed=[0, closed], flags=flags)
    found = Engine(graph).run(program, delivery="asynchronous")
    width, before = expected(graph, closed=[closed, flagged])
    np.testing.assert_array_equal(found.width, width)
    np.testing.assert_array_equal(found.before, before)


def expected(graph, closed=()):
    """By relaxing all arcs, but for those to closed vertices, until no width grows."""
    arcs = graph.arcs()
    src, dst = arcs.out.rows, arcs.out_targets
    open_ = ~np.isin(dst, closed)
    src, dst = src[open_], dst[open_]
    wide = graph.edge_fields["wide"][arcs.out_edges[open_]]
    width = np.zeros(graph.num_vertices, np.int64)
    width[0] = np.iinfo(np.int32).max
    while True:
        there = np.minimum(width[src], wide)
        grown = width.copy()
        np.maximum.at(grown, dst, there)
        if np.array_equal(grown, width):
            break
        width = grown
    least = np.full(graph.num_vertices, graph.num_vertices)
    tight = (there == width[dst]) & (there > 0) & (dst != 0)
    np.minimum.at(least, dst[tight], src[tight])
    return width, np.where(least < graph.num_vertices, least, -1)
