"""What goes into a run and what may not come out: initial values, edge fields, overflow, memory."""

from __future__ import annotations

import functools
import re
import warnings

import numpy as np
import pyopencl as cl
import pytest

from gascl import (
    DeviceError,
    Engine,
    GasclError,
    Graph,
    GraphError,
    ProgramError,
    VertexProgram,
    arcs,
    edge,
    layout,
    param,
    vertex,
)
from gascl.device import Device, find
from gascl.programs import PageRank

STAR = Graph.from_edges([0, 1, 2], [3, 3, 3], labels=["a", "b", "c", "hub"])
DELIVERIES = ("slots", "pull", "outbox", "serial")


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


@pytest.mark.parametrize("case", FITS, ids=str)
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


@pytest.mark.parametrize("delivery", ["slots", "pull"])
def test_overflow_where_items_share_a_vertex(delivery):
    star = Graph.from_edges(np.arange(40), np.full(40, 40))
    program, run = summing("int32", "sum"), engine(star, 8).run
    fits = run(program(x=[2**31 - 40, *[1] * 39, 0]), delivery=delivery)
    assert fits.x[40] == 2**31 - 1
    with pytest.raises(GasclError, match="vertex 40 overflowed int32"):
        run(program(x=[2**31 - 40, 2, *[1] * 38, 0]), delivery=delivery)


class Twice(VertexProgram):
    """Two sends along an arc are one message, whose own sum need not fit: only the whole must."""

    x = vertex.int32()
    message, combine = "int32", "sum"
    scatter = "send(v.x); send(v.x < 0 ? 0 : 1);"
    apply = "v.x = msg;"


def test_every_delivery_sees_the_same_overflow_of_several_sends():
    program = Twice(x=[2**31 - 1, -7, -7, 0])
    totals = [engine().run(program, delivery=d).x[3] for d in ("serial", "pull", "outbox", "slots")]
    assert totals == [2**31 - 14] * 4


# NaN and ids out of range ------------------------------------------------------------------------


class Spoiled(VertexProgram):
    x = vertex.real()
    y = vertex.float2(init="(float2)(INFINITY, -INFINITY)")
    message, combine = "real", "sum"
    scatter = "send(v.id == 1 ? NAN : 1);"
    apply = "v.x = msg;"


def test_nan_is_warned_of():
    graph = Graph.from_edges([0, 1, 1], [1, 2, 3], labels=["a", "b", "c", "d"])
    said = "^field 'x' is NaN at 2 vertices, the first of them 'c'$"
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
    ("where", "call", "superstep"),
    [
        ("scatter", "set_mask_of(e.dst + 1)", 0),
        ("scatter", "set_mask_of(-1 - e.dst)", 0),
        ("scatter", "v.x += get_mask_of(4000000000L)", 0),
        ("apply", "set_mask_of(g.num_vertices)", 0),
        ("init", "if (v.id == 1) set_mask_of(4)", None),
    ],
)
def test_masks_of_ids_out_of_range(where, call, superstep):
    call = call.replace("v.x += ", "int y = ")
    names = {"x": vertex.int32(), "message": "int32", "combine": "sum", "scatter": "send(1);"}
    names |= {"apply": "v.x = msg;", "mask": "v.id == 1", where: f"{call}; "}
    if where == "scatter":
        names["scatter"] = f"{call}; send(1);"
    program = type("Astray", (VertexProgram,), names)
    sender = "hub" if where == "apply" else "b"
    said = f"vertex '{sender}' gave set_mask_of or get_mask_of an id that is not in 0 ... 3"
    with pytest.raises(ProgramError, match=said) as caught:
        engine().run(program())
    if superstep is not None:
        assert f"in superstep {superstep}" in str(caught.value)


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


def test_initial_values_by_label_are_over_the_fields_own():
    result = given(small={"hub": -1, "b": 7}, pair={"c": (8, 9)})
    assert result.small.tolist() == [5, 7, 5, -1]
    assert result.pair.tolist() == [[0, 0], [1, -1], [8, 9], [3, -3]]
    assert given(small={}).small.tolist() == [5, 5, 5, 5]


def test_initial_values_by_label_are_exact():
    assert given(exact={"a": 0.1}).exact[0] == 0.1
    assert given(exact={"a": 1, "b": 2.0**60 + 2**10}).exact[1] == 2.0**60 + 2**10
    assert given(count={"a": 2**64 - 1, "b": 3}).count.tolist()[:2] == [2**64 - 1, 3]


def test_what_is_given_stays_as_it_is():
    weights = np.array([1, 2, 3, 4], np.float32)
    program = PageRank(personalization=weights)
    first, second = engine().run(program), engine().run(program)
    assert weights.tolist() == [1, 2, 3, 4]
    assert first.rank.tobytes() == second.rank.tobytes()


WRONG = [
    ({"small": [1, 2, 3]}, r"Given\(small=...\): expected numbers of shape \(4,\).*\(3,\)"),
    ({"small": 3}, r"expected numbers of shape \(4,\), one a vertex, or a dict from labels"),
    ({"pair": [1, 2, 3, 4]}, r"expected numbers of shape \(4, 2\)"),
    ({"small": ["1", "2", "3", "4"]}, r"got <U1, \(4,\)"),
    ({"small": [1j, 0, 0, 0]}, r"got complex128"),
    ({"small": [1, 2.5, 3, 4]}, r"the initial 'small' holds .*2\.5.* at 1, which int8 can't hold"),
    ({"small": [1, 2, 3, 128]}, r"holds .*128.* at 3, which int8 can't hold \(1 such values\)"),
    ({"small": [np.nan, 1, 1, 1]}, r"holds .*nan.* at 0, which int8 can't hold"),
    ({"count": [0, -1, -2, 0]}, r"holds .*-1.* at 1, which uint64 can't hold \(2 such values\)"),
    ({"rough": [0, 1e39, 0, 0]}, r"holds .*1e\+39.* at 1, which float32 can't hold"),
    ({"small": {"d": 1}}, "no vertex has the label 'd'"),
    ({"small": {"a": 300}}, "which int8 can't hold"),
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
    with pytest.raises(GraphError, match=r"reads e\.cost, but .*: none; give cost=\.\.\. to Graph"):
        Engine(plain).run(costing("int32")())
    with pytest.raises(GraphError, match=r"edge fields are: weight, length; .* a default"):
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
        ("int32", [1.0, 2.5], "edge field 'cost' holds .*2.5.* at 1, which int32 can't hold"),
        ("int8", [1, 128], "128.* at 1, which int8 can't hold"),
        ("uint32", [-1, 2], "-1.* at 0, which uint32 can't hold"),
        ("float32", [1e39, 1.0], "1e\\+39.* at 0, which float32 can't hold"),
        ("int64", [2.0**63, 0.0], "at 0, which int64 can't hold"),
    ],
)
def test_edge_fields_that_do_not_fit(type_, values, said):
    with pytest.raises(GraphError, match=said):
        Engine(costs(values)).run(costing(type_)())


def test_edge_fields_that_fit():
    assert Engine(costs([1.0, 2.0])).run(costing("int8")()).x[2] == 3
    assert Engine(costs([0.1, np.inf])).run(costing("float32")()).x[2] == np.inf
    assert Engine(costs([0.1, 0])).run(costing("float32")()).x[2] == np.float32(0.1)


# Memory ------------------------------------------------------------------------------------------


class Small(Device):
    memory = 2**20
    largest_buffer = 2**20


class Narrow(Device):
    memory = 2**40
    largest_buffer = 2**16


def refused(device: Device, graph: Graph, program: VertexProgram, monkeypatch) -> str:
    def refuse(*args, **kwargs):
        raise AssertionError("memory is taken")

    Engine(Graph.from_edges([0], [1]), device).run(program)  # builds: that takes a few bytes
    with monkeypatch.context() as patch:
        patch.setattr(cl, "Buffer", refuse)
        with pytest.raises(DeviceError) as caught:
            Engine(graph, device).run(program)
    return str(caught.value)


def test_memory_is_computed_before_it_is_taken(monkeypatch):
    vertices, edges = 10_000, 200_000
    graph = Graph.from_edges(*np.random.default_rng(1).integers(0, vertices, (2, edges)))
    program = summing("int32", "sum")()
    said = refused(Small(find().cl), graph, program, monkeypatch)
    figures = re.search(r"the run needs ([\d.,]+) MiB on .*, which has 1\.0 MiB; .+", said)
    # Targets, slots and messages of 4 bytes and a mark of 1 an arc; per vertex offsets and a field.
    least = edges * (4 + 4 + 4 + 1) + vertices * (4 + 4 + 4)
    assert least <= float(figures[1].replace(",", "")) * 2**20 <= 1.5 * least
    said = refused(Narrow(find().cl), graph, program, monkeypatch)
    assert re.search(r"one buffer of 0\.8 MiB \(\w+\) on .*, whose largest is 0\.1 MiB; .+", said)


def test_no_double_precision():
    class Single(Device):
        fp64 = False

    single = Engine(STAR, Single(find().cl))
    with pytest.raises(DeviceError, match=r"no double precision.* PageRank .*for personalization"):
        single.run(PageRank(dtype="float64"))
    assert single.run(PageRank(tolerance=1e-5)).converged


# Offsets of more than 2^31 - 1 arcs --------------------------------------------------------------


class ByEdge(VertexProgram):
    x = vertex.int64()
    weight = edge.int32()
    message, combine = "int64", "sum"
    scatter = "send(e.id * 100 + e.reversed * 10 + e.weight);"
    apply = "v.x = msg;"


@pytest.mark.parametrize("group", [0, 8])
def test_wide_offsets(monkeypatch, group):
    for module in (arcs, layout):
        monkeypatch.setattr(module, "index_dtype", lambda num_arcs: np.dtype(np.int64))
    rng = np.random.default_rng(3)
    src, dst = rng.integers(0, 20, (2, 90))
    weight = rng.integers(0, 9, 90)
    graph = Graph.from_edges(src, dst, num_vertices=20, weight=weight)
    expected = np.zeros(20, np.int64)
    for i, (u, v, w) in enumerate(zip(src, dst, weight, strict=True)):
        expected[v] += 100 * i + w
        if u != v:
            expected[u] += 100 * i + 10 + w
    wide = Engine(graph, Device(find().cl, group=group) if group else None)
    program = type("Both", (ByEdge,), {"edges": "both"})()
    for delivery in ("slots", "pull") if group else ("slots", "pull", "serial"):
        assert wide.run(program, delivery=delivery).x.tolist() == expected.tolist()
    assert wide.layout("both", wide.device.group).offset == "int64"
    assert graph.arcs("both").slot.dtype == np.int64
    narrow = PageRank(supersteps=4, dtype="float64")
    ranks = [wide.run(narrow, delivery=d).rank for d in ("slots", "outbox")]
    monkeypatch.undo()
    again = Engine(Graph.from_edges(src, dst, num_vertices=20))
    assert again.layout("out", 1).offset == "int32"
    for rank in ranks:
        assert np.abs(rank - again.run(narrow).rank).max() < 1e-15
