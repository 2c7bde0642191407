"""What goes into a run and what may not come out: initial values, edge fields, overflow, NaN."""

from __future__ import annotations

import functools
import warnings

import numpy as np
import pytest
from support.case_subsets import one_in

from gascl import (
    Engine,
    GasclError,
    Graph,
    GraphError,
    ProgramError,
    VertexProgram,
    edge,
    param,
    struct,
    vertex,
)
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find
from gascl.programs import PageRank, ShortestPaths

STAR = Graph.from_edges([0, 1, 2], [3, 3, 3], labels=["a", "b", "c", "hub"])
DELIVERIES = ("slots", "pull", "outbox", "push", "edges", "serial")


@functools.cache
def engine(graph: Graph = STAR, group: int = 0) -> Engine:
    return Engine(graph, Device(find().cl, group=group) if group else None)


# Overflow ----------------------------------------------------------------------------------------


@functools.cache
def summing(message: str, combine: str) -> type[VertexProgram]:
    names = {
        "x": getattr(vertex, message)(),
        "message": message,
        "combine": combine,
        "scatter": "send(v.x);",
        "apply": "v.x = msg;",
    }
    return type("Summing", (VertexProgram,), names)


FITS = [
    ("int32", "sum", [2**30, 2**30 - 1, 0], 2**31 - 1),
    ("int32", "sum", [2**31 - 1, 1, -5], 2**31 - 5),  # only the whole sum must fit
    ("int32", "sum", [-(2**30), -(2**30), 0], -(2**31)),
    ("uint8", "sum", [200, 50, 5], 255),
    ("uint32", "sum", [2**32 - 2, 1, 0], 2**32 - 1),
    ("int64", "sum", [2**62, 2**62 - 1, 0], 2**63 - 1),
    ("uint64", "sum", [2**63, 2**63 - 1, 0], 2**64 - 1),
    ("int32", "prod", [65536, 32767, 1], 65536 * 32767),
    ("int64", "prod", [2**31, -(2**31), 2], -(2**63)),
]
OVERFLOWS = [
    ("int32", "sum", [2**30, 2**30, 0]),
    ("int32", "sum", [-(2**31), -1, 0]),
    ("uint8", "sum", [200, 50, 6]),
    ("uint32", "sum", [2**32 - 1, 1, 0]),
    ("int64", "sum", [2**62, 2**62, 0]),
    ("int64", "sum", [-(2**63), -1, 0]),
    ("uint64", "sum", [2**63, 2**63, 0]),
    ("int32", "prod", [65536, 32768, 1]),
    ("int64", "prod", [2**32, 2**31, 1]),
    ("uint64", "prod", [2**32, 2**32, 1]),
]


def ways(message: str, combine: str) -> tuple[str, ...]:
    """Every delivery for one type; the types differ in what codegen writes for all of them."""
    return DELIVERIES if (message, combine) == ("int32", "sum") else ("slots",)


@pytest.mark.parametrize("case", one_in(4, [(case,) for case in FITS]), ids=str)
def test_what_fits_passes(case):
    message, combine, values, total = case
    program = summing(message, combine)(x=np.array([*values, 0], message))
    for delivery in ways(message, combine):
        result = engine().run(program, delivery=delivery)
        assert result.x.tolist() == [*values, total], delivery


@pytest.mark.parametrize("case", OVERFLOWS, ids=str)
def test_overflow_is_an_error(case):
    message, combine, values = case
    program = summing(message, combine)(x=np.array([*values, 0], message))
    said = rf"Summing: a message at vertex 'hub' overflowed {message} in superstep 0; declare a wid"
    for delivery in ways(message, combine):
        with pytest.raises(GasclError, match=said):
            engine().run(program, delivery=delivery)


@pytest.mark.parametrize("delivery", one_in(2, ["slots", "pull", "push", "edges"]))
def test_overflow_where_items_share_a_vertex(delivery):
    star = Graph.from_edges(np.arange(40), np.full(40, 40))
    program, run = summing("int32", "sum"), engine(star, 8).run
    fits = [2**31 - 40, *[1] * 39, 0]
    assert run(program(x=fits), delivery=delivery).x[40] == 2**31 - 1
    with pytest.raises(GasclError, match="vertex 40 overflowed int32"):
        run(program(x=[2**31 - 40, 2, *[1] * 38, 0]), delivery=delivery)


class Twice(VertexProgram):
    """Along the arc from 'a' go the greatest int and 1: too much for one message."""

    x = vertex.int32()
    message, combine = "int32", "sum"
    scatter = "send(v.x); send(v.x < 0 ? 0 : 1);"
    apply = "v.x = msg;"


def test_every_delivery_sees_the_same_overflow_of_several_sends():
    """Whether each arc's message must fit or only the whole, it is the same for all."""
    program, outcomes = Twice(x=[2**31 - 1, -7, -7, 0]), {}
    for delivery in DELIVERIES:
        try:
            outcomes[delivery] = int(engine().run(program, delivery=delivery).x[3])
        except GasclError as error:
            outcomes[delivery] = "overflow" if "overflowed int32" in str(error) else str(error)
    assert len(set(outcomes.values())) == 1, outcomes
    assert outcomes["serial"] in (2**31 - 14, "overflow")


# NaN and ids out of range ------------------------------------------------------------------------


class Spoiled(VertexProgram):
    x = vertex.real()
    y = vertex.float2(init="(float2)(INFINITY, -INFINITY)")
    message, combine = "real", "sum"
    scatter = "send(v.id == 1 ? NAN : 1);"
    apply = "v.x = msg;"


def test_nan_is_warned_of():
    graph = Graph.from_edges([0, 1, 1], [1, 2, 3], labels=["a", "b", "c", "d"])
    said = "^field 'x' is NaN at 2 vertices, first at 'c'$"
    with pytest.warns(RuntimeWarning, match=said) as caught:
        result = Engine(graph).run(Spoiled())
    assert result.x.tolist()[:2] == [0, 1]
    assert np.isnan(result.x).tolist() == [False, False, True, True]
    assert caught[0].filename == __file__
    assert [str(w.message) for w in caught if "'y'" in str(w.message)] == [], "y has no NaN"


def test_nan_that_was_given_is_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = engine().run(summing("float32", "sum")(x=[np.nan, 1, 2, 3]))
    assert np.isnan(result.x[[0, 3]]).all()


@pytest.mark.parametrize(
    ("where", "call"),
    one_in(
        3,
        [
            ("scatter", "set_mask_of(e.dst + 1)"),
            ("scatter", "set_mask_of(-1 - e.dst)"),
            ("scatter", "int y = get_mask_of(4000000000L)"),
            ("apply", "set_mask_of(g.num_vertices)"),
            ("init", "if (v.id == 1) set_mask_of(4)"),
        ],
    ),
)
def test_masks_of_ids_out_of_range(where, call):
    names = {"x": vertex.int32(), "message": "int32", "combine": "sum", "scatter": "send(1);"}
    names |= {"apply": "v.x = msg;", "mask": "v.id == 1"}
    names[where] = f"{call}; send(1);" if where == "scatter" else f"{call};"
    program = type("Astray", (VertexProgram,), names)
    sender = "hub" if where == "apply" else "b"
    said = rf"^Astray\.{where}:1: Astray: vertex '{sender}' used an id that is not in 0 \.\.\. 3,"
    for delivery in ("auto", "slots", "push"):
        with pytest.raises(ProgramError, match=f"{said} in superstep 0"):
            engine().run(program(), delivery=delivery)


# Initial values ----------------------------------------------------------------------------------


class Given(VertexProgram):
    small = vertex.int8(init=5)
    exact = vertex.float64(init="v.id + 0.5")
    rough = vertex.float32(init=2)
    count = vertex.uint64(init=1)
    pair = vertex.int2(init="(int2)(v.id, -v.id)")
    message, combine = "int32", "sum"
    mask = "0"
    scatter = "send(1);"


def given(**values):
    return engine().run(Given(**values))


def test_initial_values_by_array():
    result = given(small=[1, 2, 3, -128], exact=np.array([0.1, np.inf, 1e300, -0.0]))
    assert result.small.tolist() == [1, 2, 3, -128]
    assert result.exact.tolist() == [0.1, np.inf, 1e300, 0]
    assert result.rough.tolist() == [2, 2, 2, 2]
    assert result.pair.tolist() == [[0, 0], [1, -1], [2, -2], [3, -3]]
    whole = given(small=np.array([1.0, 2.0, 3.0, 4.0]), rough=[0.1, 1, 2, 3], pair=np.eye(4, 2))
    assert whole.small.tolist() == [1, 2, 3, 4]
    assert whole.rough.tolist() == [np.float32(0.1), 1, 2, 3]
    assert whole.pair.tolist() == [[1, 0], [0, 1], [0, 0], [0, 0]]
    assert given(count=np.array([2**64 - 1, 0, 1, 2], np.uint64)).count[0] == 2**64 - 1


def test_initial_values_by_label_and_init_for_the_rest():
    result = given(small={"hub": -1, "b": 7}, pair={"c": (8, 9)}, exact={"a": 7})
    assert result.small.tolist() == [5, 7, 5, -1]
    assert result.pair.tolist() == [[0, 0], [1, -1], [8, 9], [3, -3]]
    assert result.exact.tolist() == [7, 1.5, 2.5, 3.5]
    assert given(small={}).small.tolist() == [5, 5, 5, 5]
    assert given(exact={}).exact.tolist() == [0.5, 1.5, 2.5, 3.5]


def test_one_initial_value_for_all():
    result = given(small=3, exact=np.float64(0.1), rough=np.array(7), pair=(8, 9))
    assert result.small.tolist() == [3] * 4
    assert result.exact.tolist() == [0.1] * 4
    assert result.rough.tolist() == [7] * 4
    assert result.pair.tolist() == [[8, 9]] * 4
    # A row of numbers, or a number for all components.
    assert given(pair=np.array([8, 9])).pair.tolist() == [[8, 9]] * 4
    assert given(pair=7).pair.tolist() == [[7, 7]] * 4
    assert given(pair={"b": 6, "a": [1, 2]}).pair.tolist()[:2] == [[1, 2], [6, 6]]


class Rests(VertexProgram):
    """Fields of which some vertices are given, others read what they begin with."""

    Pair = struct([("near", "int32"), ("far", "float2")])
    source = param.int32(1)
    first = vertex.int32(init="10 * p.source + v.id")
    second = vertex.int32(init="v.first + 1", rest=-1)
    third = vertex.int32(init="v.first + 100")
    both = vertex.struct(Pair, init="(Pair){v.first, (float2)(v.id, 1)}")
    message, combine = "int32", "sum"
    init = "v.third += 1000; if (v.first == 5) set_mask();"
    scatter = "send(1);"
    apply = "v.second = v.second + 0;"


@pytest.mark.parametrize("delivery", one_in(2, ["slots", "push", "frontier", "serial"]))
def test_the_rest_begins_on_the_device(delivery):
    """Each in its turn: later fields and the init snippet see it."""
    values = {"first": {"b": 5}, "second": {"c": 7}, "both": {"a": (4, (2, 3))}}
    result = engine().run(Rests(**values), delivery=delivery)
    assert result.first.tolist() == [10, 5, 12, 13]
    assert result.second.tolist() == [-1, -1, 7, -1]
    assert result.third.tolist() == [1110, 1105, 1112, 1113]
    assert result.both["near"].tolist() == [4, 5, 12, 13]
    assert result.both["far"].tolist() == [[2, 3], [1, 1], [2, 1], [3, 1]]
    assert result.trace[0].active == 1


def test_the_rest_in_lanes():
    result = engine().run(Rests(source=[1, 2], first={"b": 5}))
    assert result.first.tolist() == [[10, 20], [5, 5], [12, 22], [13, 23]]


def test_the_rest_beside_a_state():
    """A field that is given again does not keep the State's values."""
    first = engine().run(Rests(first=3), keep_state=True)
    again = first.graph
    other = type("Again", (Rests,), {})
    result = Engine(again).run(other(first={"b": 5}), state=first.state)
    assert result.first.tolist() == [10, 5, 12, 13]


def test_prepare_sees_which_are_given():
    seen = {}

    class Prepared(Rests):
        def prepare(self, graph, initial):
            seen.update(initial)
            initial["first"] *= 2

    result = engine().run(Prepared(first={"b": 5}, second={"c": 7}))
    assert seen["first"].tolist() == [None, 10, None, None]
    assert not isinstance(seen["second"], np.ma.MaskedArray)
    assert result.first.tolist() == [10, 10, 12, 13]


def test_rest_must_fit():
    with pytest.raises(ProgramError, match="rest of 'x' is 300: expected a whole number"):
        type("Wrong", (VertexProgram,), {"x": vertex.int8(rest=300)})


def test_initial_values_by_label_are_exact():
    assert given(exact={"a": 0.1}).exact[0] == 0.1
    assert given(exact={"a": 1, "b": 2.0**60 + 2**10}).exact[1] == 2.0**60 + 2**10
    assert given(count={"a": 2**64 - 1, "b": 3}).count.tolist()[:2] == [2**64 - 1, 3]


def test_arrays_passed_as_fields_are_not_changed():
    weights = np.array([1, 2, 3, 4], np.float32)
    program = PageRank(personalization=weights)
    first, second = engine().run(program), engine().run(program)
    assert weights.tolist() == [1, 2, 3, 4]
    assert first.rank.tobytes() == second.rank.tobytes()


WRONG = [
    ({"small": [1, 2, 3]}, r"Given\(small=...\): expected numbers of shape \(4,\).*\(3,\)"),
    ({"small": [3]}, r"of shape \(4,\), one per vertex, or a single one, or a dict from labels"),
    ({"small": "3"}, r"Given\(small=\.\.\.\): '3' does not fit small \(int8\): give a number$"),
    ({"small": 300}, "the initial 'small' has .*300.*which int8 cannot hold"),
    ({"pair": "3"}, r"'3' does not fit pair \(int2\): give a number or 2 numbers$"),
    (
        {"pair": {"a": [1, 2, 3]}},
        r"\[1, 2, 3\] for 'a' does not fit pair \(int2\): give a number or",
    ),
    (
        {"pair": {"a": [1, [2]]}},
        r"\[1, \[2\]\] for 'a' does not fit pair \(int2\): give a number or",
    ),
    ({"small": (1, 2)}, r"\(1, 2\) does not fit small \(int8\): give a number$"),
    (
        {"pair": [1, 2, 3, 4]},
        r"of shape \(4, 2\), .* or a single one, or 2 numbers for every vertex",
    ),
    ({"pair": [[1, 2], [3]]}, r"expected numbers of shape \(4, 2\)"),
    ({"small": ["1", "2", "3", "4"]}, r"got <U1, \(4,\)"),
    ({"small": [1j, 0, 0, 0]}, r"got complex128"),
    ({"small": [1, 2.5, 3, 4]}, r"the initial 'small' has .*2\.5.* at 1, which int8 cannot hold"),
    ({"small": [1, 2, 3, 128]}, r"has .*128.* at 3, which int8 cannot hold \(1 such values\)"),
    ({"small": [np.nan, 1, 1, 1]}, r"has .*nan.* at 0, which int8 cannot hold"),
    ({"count": [0, -1, -2, 0]}, r"has .*-1.* at 1, which uint64 cannot hold \(2 such values\)"),
    ({"rough": [0, 1e39, 0, 0]}, r"has .*1e\+39.* at 1, which float32 cannot hold"),
    ({"small": {"d": 1}}, "no vertex has the label 'd'"),
    ({"rough": [0, 1e-50, 0, 0]}, r"has .*1e-50.* at 1, which float32 cannot hold"),
    ({"small": {"a": 300}}, "which int8 cannot hold"),
    ({"small": {"a": "one"}}, "small"),
]


@pytest.mark.parametrize(("values", "said"), WRONG, ids=lambda x: str(x)[:28])
def test_initial_values_refused(values, said):
    with pytest.raises(GasclError, match=said):
        given(**values)


def test_a_number_too_large_for_real():
    class Large(Given):
        most = param.real(1)
        scatter = "send(p.most > 1);"

    assert engine().run(Large(most=1e300, dtype="float64")).supersteps == 0
    with pytest.raises(GasclError, match=r"most.*1e\+300.*float32"):
        engine().run(Large(most=1e300))


# Edge fields -------------------------------------------------------------------------------------


@functools.cache
def costing(type_: str, default: object = None) -> type[VertexProgram]:
    names = {
        "x": vertex.float64(),
        "cost": getattr(edge, type_)(**({} if default is None else {"default": default})),
        "message": "float64",
        "combine": "sum",
        "scatter": "send(e.cost);",
        "apply": "v.x = msg;",
    }
    return type("Costing", (VertexProgram,), names)


def costs(values) -> Graph:
    return Graph.from_edges([0, 1], [2, 2], cost=values)


def test_a_missing_edge_field():
    plain = Graph.from_edges([0, 1], [2, 2])
    other = Graph.from_edges([0, 1], [2, 2], weight=[1, 2], length=[3, 4])
    with pytest.raises(GraphError, match=r"reads cost, but .*: none\); give the graph one"):
        Engine(plain).run(costing("int32")())
    with pytest.raises(
        GraphError, match=r"no such edge field \(it has: weight, length\); .* a default"
    ):
        Engine(other).run(costing("int32")())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Engine(plain).run(costing("int32", 4)()).x.tolist() == [0, 0, 8]
    said = r"Costing: .* no edge field 'cost' \(it has: weight, length\); the default 4 is used"
    with pytest.warns(UserWarning, match=said):
        assert Engine(other).run(costing("int32", 4)()).x.tolist() == [0, 0, 8]


@pytest.mark.parametrize(
    ("type_", "values", "said"),
    [
        ("int32", [1.0, 2.5], "edge field 'cost' has .*2.5.* at 1, which int32 cannot hold"),
        ("int8", [1, 128], "128.* at 1, which int8 cannot hold"),
        ("uint32", [-1, 2], "-1.* at 0, which uint32 cannot hold"),
        ("float32", [1e39, 1.0], "1e\\+39.* at 0, which float32 cannot hold"),
        ("int64", [2.0**63, 0.0], "at 0, which int64 cannot hold"),
    ],
)
def test_edge_fields_that_do_not_fit(type_, values, said):
    with pytest.raises(GraphError, match=said):
        Engine(costs(values)).run(costing(type_)())


def test_edge_fields_that_fit():
    assert Engine(costs([1.0, 2.0])).run(costing("int8")()).x[2] == 3
    assert Engine(costs([0.1, np.inf])).run(costing("float32")()).x[2] == np.inf
    assert Engine(costs([0.1, 0])).run(costing("float32")()).x[2] == np.float32(0.1)


def test_warnings_point_at_the_callers_line():
    """At the line that calls run: of the edge field, of the program's own, of NaN."""

    class Costs(VertexProgram):
        x = vertex.real()
        cost = edge.real(default=1)
        message, combine = "real", "sum"
        scatter = "send(e.cost * NAN);"
        apply = "v.x = msg;"

    graph = Graph.from_edges([0, 1], [1, 2], weight=[2**24, 1])
    for program, count in ((Costs(), 2), (ShortestPaths(source=0), 1)):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            Engine(graph).run(program)
        assert [w.filename for w in said] == [__file__] * count
