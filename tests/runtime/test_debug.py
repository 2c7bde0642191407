"""Debug mode: what goes wrong is named with its vertex, superstep and line; orders are shuffled."""

from __future__ import annotations

import string
from pathlib import Path

import numpy as np
import pytest
from support.samples import grid, random_graph, skewed, weighted

from gascl import Engine, GasclError, Graph, VertexProgram, aggregate, edge, param, struct, vertex
from gascl.programs import (
    BreadthFirst,
    ConnectedComponents,
    LabelPropagation,
    PageRank,
    ShortestPaths,
)

LABELS = list(string.ascii_lowercase[:8])


def ring(**fields) -> Graph:
    """a > b > ... > h > a; the vertex that goes wrong below is f, in superstep 2."""
    return Graph.from_edges(np.arange(8), (np.arange(8) + 1) % 8, labels=LABELS, **fields)


def line_of(mark: str) -> int:
    """The line of this file whose comment says so."""
    lines = Path(__file__).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if line.endswith(f"// {mark}"))


def check_told(program: VertexProgram, mark: str, kind: str, delivery: str) -> None:
    with pytest.raises(GasclError) as raised:
        Engine(ring(), debug=True).run(program, delivery=delivery)
    text = str(raised.value)
    assert kind in text, text
    assert "'f'" in text, text
    assert "superstep 2" in text, text
    assert f"test_debug.py:{line_of(mark)}" in text, text


#: What goes wrong below, and a word of what is told.
KINDS = {
    "nan_field": "NaN",
    "nan_message": "NaN",
    "nan_posted": "NaN",
    "nan_value": "NaN",
    "infinite": "infin",
    "by_zero": "by zero",
    "remainder": "by zero",
    "real_by_zero": "by zero",
    "above": "neighbor",
    "below": "neighbor",
    "above_in_scatter": "neighbor",
}
#: Each as a number in C: a parameter that is no choice, so that all are one build.
NUMBERS = f"enum {{ do_nothing, {', '.join(f'do_{kind}' for kind in KINDS)} }};"


class Wrong(VertexProgram):
    """Does one thing wrong, once."""

    what = param.int32(0)
    supersteps = param.supersteps(4)
    mean = vertex.real(init=1)
    far = vertex.real(init=1)
    near = vertex.real(init="INFINITY", doc="infinite from the beginning, which is no mistake")
    none = vertex.int32()
    count = vertex.int32(init=1)
    rest = vertex.int32(init=1)
    share = vertex.real(init=1)
    other = vertex.int32()
    total = aggregate.real("max")
    functions = NUMBERS
    message, combine = "real", "max"
    scatter_on = apply_on = "all"
    scatter = """
        const bool now = v.id == 5 && superstep == 2;
        if (now && p.what == do_nan_message)
            send(v.far * NAN);  // nan_message
        if (now && p.what == do_nan_posted)
            send_to(1, v.far * NAN);  // nan_posted
        if (now && p.what == do_above_in_scatter)
            send(neighbor(num_neighbors));  // above_in_scatter
        send(1);
    """
    apply = """
        const bool now = v.id == 5 && superstep == 2;
        if (now && p.what == do_nan_field)
            v.mean = v.near - v.near;  // nan_field
        if (now && p.what == do_infinite)
            v.far = v.far * INFINITY;  // infinite
        if (now && p.what == do_by_zero)
            v.count = v.count / v.none;  // by_zero
        if (now && p.what == do_remainder)
            v.rest %= v.none;  // remainder
        if (now && p.what == do_real_by_zero)
            v.share = 1 / (v.share - 1);  // real_by_zero
        if (now && p.what == do_nan_value)
            aggregate_total(v.near - v.near);  // nan_value
        if (now && p.what == do_above)
            v.other = neighbor(1);  // above
        if (now && p.what == do_below)
            v.other = neighbor(-1);  // below
        v.near = v.near + 1;
    """


@pytest.mark.parametrize("delivery", ["slots", "push", "edges", "serial"])
@pytest.mark.parametrize("what", KINDS)
def test_each_trap_names_vertex_superstep_and_line(what, delivery):
    check_told(Wrong(what=1 + list(KINDS).index(what)), what, KINDS[what], delivery)


@pytest.mark.parametrize("delivery", ["auto", "slots", "push", "edges", "serial"])
def test_what_is_not_wrong_is_not_told(delivery):
    result = Engine(ring(), debug=True).run(Wrong(), delivery=delivery)
    assert np.isinf(result.near).all() and (result.mean == 1).all()


class Pulled(VertexProgram):
    """Only sends, so that receivers compute it: the sender is to blame all the same."""

    supersteps = param.supersteps(4)
    x = vertex.real(init=1)
    none = vertex.int32()
    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    scatter = """
        if (v.id == 5 && superstep == 2)
            send(v.x / v.none);  // pulled
        else
            send(v.x);
    """
    apply = "v.x = msg;"


@pytest.mark.parametrize("delivery", ["pull", "outbox", "slots"])
def test_a_trap_in_what_receivers_compute(delivery):
    check_told(Pulled(), "pulled", "by zero", delivery)


class Read(VertexProgram):
    """Reads single messages."""

    what = param.int32(0)
    supersteps = param.supersteps(4)
    x = vertex.real()
    message = "real"
    scatter_on = "all"
    scatter = """
        if (p.what == 4 && v.id == 5 && superstep == 2)
            send(1);
        send(2);  // twice
    """
    gather = """
        const bool now = v.id == 5 && superstep == 2;
        msg = 1;
        if (now && p.what == 1)
            msg = messages[num_messages];  // read_above
        if (now && p.what == 2)
            msg = messages[num_messages - 2];  // read_below
        if (now && p.what == 3)
            messages[17] = 3;  // written
        messages[0] = messages[num_messages - 1];
    """
    apply = "v.x = v.x + msg;"


@pytest.mark.parametrize("delivery", ["slots", "serial"])
def test_each_trap_where_messages_are_read_singly(delivery):
    for what, mark in ((1, "read_above"), (2, "read_below"), (3, "written")):
        check_told(Read(what=what), mark, "messages", delivery)
    assert (Engine(ring(), debug=True).run(Read(), delivery=delivery).x == 4).all()


@pytest.mark.parametrize("debug", [True, False])
@pytest.mark.parametrize("delivery", ["slots", "serial"])
def test_a_second_send_along_one_arc_is_told_in_any_mode(delivery, debug):
    with pytest.raises(GasclError, match=r"'f'.*superstep 2") as raised:
        Engine(ring(), debug=debug).run(Read(what=4), delivery=delivery)
    assert f"test_debug.py:{line_of('twice')}" in str(raised.value)


@pytest.mark.parametrize("what", ["nan_message", "nan_value", "infinite", "real_by_zero"])
def test_nothing_is_told_without_debug_mode(what):
    program = Wrong(what=1 + list(KINDS).index(what))
    assert Engine(ring()).run(program).supersteps == 4


@pytest.mark.parametrize(
    "program",
    [
        BreadthFirst(source=0),
        BreadthFirst(source=[0, 3]),
        ConnectedComponents(),
        LabelPropagation(supersteps=3),
        ShortestPaths(source=0),
    ],
    ids=repr,
)
def test_bundled_programs_do_nothing_wrong(program):
    graph = weighted(random_graph(2, directed=True, edges=150))
    plain = Engine(graph).run(program, delivery="slots")
    for delivery in ("auto", "serial"):
        result = Engine(graph, debug=True, seed=1).run(program, delivery=delivery)
        for name in plain.fields:
            assert result[name].tobytes() == plain[name].tobytes(), (name, delivery)
        assert [s.messages for s in result.trace] == [s.messages for s in plain.trace]


def test_page_rank_does_nothing_wrong():
    graph = random_graph(2, directed=True)
    result = Engine(graph, debug=True, seed=5).run(PageRank(dtype="float64", tolerance=1e-12))
    plain = Engine(graph).run(PageRank(dtype="float64", tolerance=1e-12))
    assert result.rank == pytest.approx(plain.rank, abs=1e-13)


# Orders.


class Sums(VertexProgram):
    """Of the values that the leaves of a star have."""

    given = edge.float64()
    x = vertex.float64()
    supersteps = param.supersteps(1)
    message, combine = "float64", "sum"
    scatter_on = "all"
    scatter = "send(e.given);"
    apply = "v.x = msg;"


class WholeSums(Sums):
    given = edge.int64()
    x = vertex.int64()
    message, combine = "int64", "sum"


class ReadSums(Sums):
    message, combine = "float64", None
    gather = """
        double total = 0;
        for (int i = 0; i < num_messages; ++i)
            total += messages[i];
        msg = total;
    """


def star(values: np.ndarray) -> Graph:
    count = len(values)
    return Graph.from_edges(np.arange(1, count + 1), np.zeros(count, int), given=values)


@pytest.mark.parametrize(("program", "delivery"), [(Sums, "slots"), (ReadSums, "auto")])
def test_seeds_differ_in_sums_of_floats(program, delivery):
    """Great numbers that cancel: how many of the small ones are lost depends on the order."""
    values = np.concatenate([[1e17, -1e17] * 20, np.ones(100)])
    graph = star(values)
    found = {
        seed: Engine(graph, debug=True, seed=seed).run(program(), delivery=delivery).x[0]
        for seed in (1, 2)
    }
    assert len(set(found.values())) > 1
    again = Engine(graph, debug=True, seed=2).run(program(), delivery=delivery).x[0]
    assert again == found[2]
    plain = {Engine(graph).run(program(), delivery=delivery).x[0] for _ in range(2)}
    assert len(plain) == 1


@pytest.mark.parametrize("delivery", ["slots", "push"])
def test_seeds_agree_in_sums_of_integers(delivery):
    values = np.concatenate([[2**60, -(2**60)] * 20, np.arange(100)])
    for seed in (1, 2):
        result = Engine(star(values), debug=True, seed=seed).run(WholeSums(), delivery=delivery)
        assert result.x[0] == 4950


class FirstCome(VertexProgram):
    """Takes any message, which is a mistake where they differ."""

    x = vertex.int32()
    supersteps = param.supersteps(1)
    message = "int32"
    scatter_on = "all"
    scatter = "send(e.src);"
    gather = "msg = messages[0];"
    apply = "v.x = msg;"


class Lopsided(FirstCome):
    """Its combiner is not commutative."""

    gather, combine, identity = "", "a == -1 ? b : b == -1 ? a : a", "-1"


@pytest.mark.parametrize(("program", "delivery"), [(FirstCome, "auto"), (Lopsided, "slots")])
def test_two_seeds_expose_what_depends_on_the_order(program, delivery):
    graph = skewed(1, 60, 600)
    runs = [
        Engine(graph, debug=True, seed=seed).run(program(), delivery=delivery) for seed in (1, 2)
    ]
    assert (runs[0].x != runs[1].x).any()
    plain = [Engine(graph).run(program(), delivery=delivery) for _ in range(2)]
    assert (plain[0].x == plain[1].x).all()


class Pairs(VertexProgram):
    """A struct and a vector: their parts are looked at, too."""

    Pair = struct([("far", "real"), ("who", "int32")])
    what = param.int32()
    supersteps = param.supersteps(4)
    pair = vertex.struct(Pair, init="(Pair){1, 0}")
    place = vertex.real3(init="(real3)(1, 2, 3)")
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    apply = """
        const bool now = v.id == 5 && superstep == 2;
        if (now && p.what == 0)
            v.pair.far = v.pair.far * NAN;  // struct
        if (now && p.what == 1)
            v.place.y = v.place.y * NAN;  // vector
    """


@pytest.mark.parametrize(("what", "mark"), [(0, "struct"), (1, "vector")])
def test_parts_of_structs_and_vectors(what, mark):
    check_told(Pairs(what=what), mark, "NaN", "slots")


def test_lanes_and_undirected_graphs_are_no_different():
    graph = grid(4, 5)
    result = Engine(graph, debug=True).run(BreadthFirst(source=[0, 7]))
    assert result.depth[:, 0].tolist() == [r + c for r in range(4) for c in range(5)]
