"""Fields and messages with any number of components, `vertex.real(64)`: arrays in C."""

from pathlib import Path

import numpy as np
import pytest
from support.admitting_deliveries import some_admitted
from support.samples import random_graph

from gascl import (
    Engine,
    GasclError,
    Graph,
    ProgramError,
    VertexProgram,
    arc,
    by_key,
    param,
    struct,
    vertex,
)
from gascl.run.prepare import prepare

DRAW = np.random.default_rng(3)
#: Of vertex 3, more arcs than a work-item of a group has to itself; vertices 60 ... 79 have none.
SRC, DST = DRAW.integers(0, 60, 500), DRAW.integers(0, 60, 500)
DST[:200] = 3
GRAPH = Graph.from_edges(SRC, DST, num_vertices=80)
REDUCED = {"sum": np.add, "min": np.minimum, "max": np.maximum, "or": np.bitwise_or}
NOTHING = {"sum": 0, "min": 1000, "max": -1000, "or": 0}


def heard(x, how, sends=None):
    """What arrives at each vertex, and from how many arcs, by NumPy."""
    found, count = np.full_like(x, NOTHING[how]), np.zeros(len(x), int)
    kept = np.ones(len(SRC), bool) if sends is None else sends[SRC]
    REDUCED[how].at(found, DST[kept], x[SRC[kept]])
    np.add.at(count, DST[kept], 1)
    return found, count


def rows(kind, width, how, some=False, **more):
    """A program: vertices take what is combined modulo 64, or -1 where nothing arrives."""
    rest = "fmod(msg[k], 64)" if kind in ("real", "float64") else "msg[k] % 64"
    return type(
        f"Rows{width}",
        (VertexProgram,),
        {
            "supersteps": param.supersteps(2),
            "x": getattr(vertex, kind)(width),
            "heard": vertex.int32(init=0),
            "message": f"{kind}({width})",
            "combine": how,
            "scatter_on": "all",
            "apply_on": "all",
            "scatter": f"{'if (v.id % 3)' if some else ''} send(v.x);",
            "apply": f"""
                for (int k = 0; k < {width}; ++k)
                    v.x[k] = has_msg ? {rest} : -1;
                v.heard += has_msg;
            """,
            **more,
        },
    )


@pytest.mark.parametrize(
    ("kind", "width", "how", "some"),
    [
        ("real", 64, "sum", False),
        ("real", 5, "min", False),
        ("float64", 6, "max", True),
        ("int32", 130, "sum", False),
        ("int16", 12, "sum", True),
        ("uint8", 3, "or", False),
        ("int64", 2, "max", False),
    ],
)
def test_combined_by_component(device, kind, width, how, some):
    x = DRAW.integers(0, 64, (80, width))
    program = rows(kind, width, how, some)(x=x)
    counts = 0
    for _ in range(2):
        combined, count = heard(x, how, np.arange(80) % 3 > 0 if some else None)
        x = np.where(count[:, None] > 0, np.fmod(combined, 64), -1 if kind != "uint8" else 255)
        counts = counts + (count > 0)
    for delivery in some_admitted(program, device):
        result = Engine(GRAPH, device).run(program, delivery=delivery)
        assert result.x.shape == (80, width)
        assert np.array_equal(result.x, x), delivery
        assert np.array_equal(result.heard, counts), delivery


@pytest.mark.parametrize("splits", [False, True])
def test_very_long_rows(device, splits, monkeypatch):
    """Segments of rows, which groups share or not."""
    leaves = 40_000
    src = np.r_[np.arange(1, leaves), np.arange(1, 500)]
    dst = np.r_[np.zeros(leaves - 1, int), np.arange(2, 501)]
    graph = Graph.from_edges(src, dst, num_vertices=leaves)
    x = DRAW.integers(0, 64, (leaves, 4))
    hub = np.fmod(x[1:].sum(0), 64)
    program = rows("real", 4, "sum", supersteps=param.supersteps(1))(x=x)
    if splits:
        monkeypatch.setattr("gascl.delivery.cost.Costs.waits_for_row", lambda self, name: True)
    runner = Engine(graph, device)
    result = runner.run(program, delivery="outbox")
    assert np.array_equal(result.x[0], hub) and np.array_equal(result.x[2:501], x[1:500])
    if splits and device.group > 1:
        prepared = prepare(program, graph, device.facts, delivery="outbox")
        assert prepared.source.traits.splits


def test_lanes_and_initial_values():
    class Doubled(VertexProgram):
        lanes = 3
        supersteps = param.supersteps(1)
        x = vertex.int32(5, init="v.id + lane")
        y = vertex.real(2, init=0.5)
        z = vertex.int8(4)
        message, combine, edges = "int32(5)", "sum", "in"
        scatter_on = apply_on = "all"
        init = "v.z[v.id & 3] = 7;"
        scatter = "send(v.x);"
        apply = "for (int k = 0; k < 5; ++k) v.x[k] = msg[k] + 10 * k; v.y[1] += lane;"

    graph = Graph.from_edges([0, 1], [1, 2])
    result = Engine(graph).run(Doubled())
    start = np.arange(3)[:, None] + np.arange(3)
    sent = np.vstack([start[1:], [[0, 0, 0]]])
    assert np.array_equal(result.x, sent[:, :, None] + 10 * np.arange(5))
    lanes = np.arange(3)[:, None] * np.array([0, 1])
    assert np.array_equal(result.y, np.broadcast_to(0.5 + lanes, (3, 3, 2)))
    assert np.array_equal(result.z[:, 0], 7 * np.eye(3, 4, dtype=int))


def test_values_from_the_graph_and_of_one_row():
    class Copied(VertexProgram):
        supersteps = param.supersteps(1)
        features = vertex.float32(3)
        mine = vertex.float32(3)
        scatter_on = apply_on = "all"
        apply = "for (int k = 0; k < 3; ++k) v.mine[k] = v.features[2 - k];"

    features = np.arange(12, dtype="f4").reshape(4, 3)
    graph = Graph.from_edges([0], [1], num_vertices=4).with_vertex_fields(features=features)
    assert np.array_equal(Engine(graph).run(Copied()).mine, features[:, ::-1])
    given = Engine(graph).run(Copied(features={1: (7, 8, 9), 3: (1, 2, 3)}))
    assert given.mine.tolist() == [[0, 0, 0], [9, 8, 7], [0, 0, 0], [3, 2, 1]]
    table = given.to_pandas()
    assert len(table) == 4
    with pytest.raises(ProgramError, match=r"shape \(4, 3\)"):
        Engine(graph).run(Copied(features=np.ones((4, 2))))


def test_fields_of_other_vertices():
    """Read by component as they were, while their vertices change them."""

    class Pulled(VertexProgram):
        supersteps = param.supersteps(2)
        x = vertex.int32(6)
        scatter_on = apply_on = "all"
        apply = """
            for (int k = 0; k < 6; ++k)
                v.x[k] = x_of((v.id + 1) % 7)[k] + x_of((v.id + 2) % 7)[5];
        """

    x = DRAW.integers(0, 9, (7, 6))
    for debug in (False, True):
        result = Engine(Graph.from_edges([], [], num_vertices=7), debug=debug).run(Pulled(x=x))
        expected = x
        for _ in range(2):
            expected = np.roll(expected, -1, 0) + np.roll(expected, -2, 0)[:, 5:]
        assert np.array_equal(result.x, expected)


class Weighed(VertexProgram):
    """A mean by the sum of weights, with the weight beside the array; and an array of each arc."""

    supersteps = param.supersteps(2)
    Part = struct([("x", "real(3)"), ("weight", "real")])
    x = vertex.real(3)
    sent = arc.int32(2)
    message, combine = Part, "sum"
    scatter_on = apply_on = "all"
    scatter = """
        Part part;
        part.weight = 1 + (e.id & 1);
        for (int k = 0; k < 3; ++k)
            part.x[k] = part.weight * v.x[k];
        e.sent[1] += e.dst;
        send(part);
    """
    apply = """
        for (int k = 0; k < 3 && msg.weight > 0; ++k)
            v.x[k] = rint(msg.x[k] / msg.weight);
    """


def test_arrays_in_structs_and_of_arcs(device):
    x = DRAW.integers(0, 64, (80, 3)).astype(float)
    program = Weighed(x=x)
    for _ in range(2):
        weight = np.zeros(80)
        part = np.zeros((80, 3))
        by_arc = 1 + np.arange(500) % 2
        np.add.at(weight, DST, by_arc)
        np.add.at(part, DST, x[SRC] * by_arc[:, None])
        mean = np.rint((part / np.maximum(weight, 1)[:, None]).astype("f4"))
        x = np.where(weight[:, None] > 0, mean, x)
    for delivery in some_admitted(program, device):
        result = Engine(GRAPH, device).run(program, delivery=delivery)
        assert np.array_equal(result.x, x), delivery
        arcs = GRAPH.arcs("out")
        ends = np.repeat(np.arange(80), np.diff(arcs.out_offsets)), arcs.out_targets
        assert np.array_equal(result.arc_fields["sent"], np.c_[0 * ends[1], 2 * ends[1]])


def test_structs_with_arrays_by_expression_and_one_by_one():
    """The row with the largest first number; of several, that of the smallest id."""

    body = {
        "supersteps": param.supersteps(1),
        "Row": struct([("x", "int16(5)"), ("id", "vertex")]),
        "x": vertex.int16(5),
        "scatter_on": "all",
        "scatter": """
            Row row;
            for (int k = 0; k < 5; ++k)
                row.x[k] = v.x[k];
            row.id = v.id;
            send(row);
        """,
        "apply": "for (int k = 0; k < 5; ++k) v.x[k] = msg.x[k];",
        "functions": """
            #define BETTER(a, b) (a.x[0] > b.x[0] || (a.x[0] == b.x[0] && a.id <= b.id))
        """,
    }
    body["message"] = body["Row"]
    rule = {"combine": "BETTER(a, b) ? a : b", "identity": "(Row){{-1000}, INT_MAX}"}
    one_by_one = """
        msg = messages[0];
        for (int i = 1; i < num_messages; ++i)
            if (!BETTER(msg, messages[i]))
                msg = messages[i];
    """
    classes = [
        type("Largest", (VertexProgram,), {**body, **more})
        for more in (rule, {"gather": one_by_one})
    ]
    x = DRAW.integers(0, 9, (80, 5))
    expected = x.copy()
    for v in range(60):
        near = np.unique(SRC[v == DST])
        expected[v] = x[near[x[near, 0].argmax()]] if len(near) else x[v]
    for made in classes:
        assert np.array_equal(Engine(GRAPH).run(made(x=x)).x, expected)


def test_receive_if_and_first():
    class Nearest(VertexProgram):
        """The row of the first neighbor whose first number is larger."""

        supersteps = param.supersteps(1)
        x = vertex.int32(3)
        message, combine = "int32(3)", "first"
        scatter_on = "all"
        receive_if = "msg[0] > v.x[0]"
        scatter = "send(v.x);"
        apply = "for (int k = 0; k < 3; ++k) v.x[k] = msg[k];"

    x = DRAW.integers(0, 64, (80, 3))
    expected = x.copy()
    for v in range(80):
        larger = [s for s in np.sort(SRC[v == DST]) if x[s, 0] > x[v, 0]]
        expected[v] = x[larger[0]] if larger else x[v]
    for delivery in ("auto", "pull", "slots"):
        result = Engine(GRAPH).run(Nearest(x=x), delivery=delivery)
        assert np.array_equal(result.x, expected), delivery


def test_streamed_arcs(monkeypatch):
    x = DRAW.integers(0, 64, (80, 16))
    program = rows("real", 16, "sum")(x=x)
    # So many arcs that parts of them take less memory, also where no kernel is persistent.
    src, dst = np.random.default_rng(3).integers(0, 80, (2, 6000))
    graph = Graph.from_edges(src, dst, num_vertices=80)
    whole = Engine(graph).run(program)
    every = sum(prepare(program, graph, Engine(graph).device.facts).sizes.values())
    parted = Engine(graph, device_memory=every - 1000)
    assert "parts" in str(parted.explain(program))
    assert np.array_equal(parted.run(program).x, whole.x)


def test_a_checkpoint_and_a_state(tmp_path):
    x = DRAW.integers(0, 64, (80, 16))
    made = rows("real", 16, "sum", supersteps=param.supersteps(4))
    whole = Engine(GRAPH).run(made(x=x))
    runner, options = Engine(GRAPH), {"checkpoint": tmp_path / "run.ckpt", "every": 2}
    runner.run(made(x=x), max_supersteps=2, not_converged="ignore", **options)
    assert np.array_equal(runner.run(made(x=x), resume=True, **options).x, whole.x)
    first = runner.run(made(x=x, supersteps=1), keep_state=True)
    assert np.array_equal(runner.run(made(supersteps=3), state=first.state).x, whole.x)


def test_a_sum_of_integers_that_does_not_fit():
    program = rows("int8", 3, "sum")(x=np.full((80, 3), 60))
    with pytest.raises(
        GasclError, match=r"overflowed int8\(3\) .* such as message = .int32\(3\). or .real"
    ):
        Engine(GRAPH).run(program)


class Wrong(VertexProgram):
    supersteps = param.supersteps(1)
    x = vertex.real(4, init=1)
    kind = vertex.int32(init=0)
    message, combine = "real(4)", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.x);"
    apply = """
        v.x[v.kind] = 1;  // FIELD
        v.x[0] = msg[v.kind - 1];  // MESSAGE
        v.x[1] = msg[0] / (v.kind - 2) - INFINITY + INFINITY;  // NAN
    """


@pytest.mark.parametrize(("kind", "mark"), [(4, "FIELD"), (0, "MESSAGE"), (3, "NAN")])
def test_debug_mode_names_line_and_index(kind, mark):
    graph = Graph.from_edges([0], [1])
    with pytest.raises(GasclError) as raised:
        Engine(graph, debug=True).run(Wrong(kind=kind))
    lines = Path(__file__).read_text().splitlines()
    line = next(i for i, text in enumerate(lines, 1) if text.endswith(f"// {mark}"))
    if mark != "NAN":
        assert f"test_wide_fields.py:{line}" in str(raised.value)
    assert ("NaN" if mark == "NAN" else "index") in str(raised.value)


def test_results_with_nan_warn():
    class Nan(VertexProgram):
        supersteps = param.supersteps(1)
        x = vertex.real(20)
        scatter_on = apply_on = "all"
        apply = "v.x[19] = v.id == 2 ? NAN : 0;"

    with pytest.warns(RuntimeWarning, match="NaN at 1 vert"):
        result = Engine(Graph.from_edges([0], [1], num_vertices=4)).run(Nan())
    assert np.isnan(result.x[2, 19]) and np.isnan(result.x).sum() == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"apply": "v.x = msg;"}, "v.x is an array of 4 numbers: set v.x[i] in a loop"),
        ({"apply": "v.x[0] = msg;"}, "msg is an array of 4 numbers: write msg[i]"),
        ({"apply": "v.x[0] = x_of(0);"}, "x_of(0) is an array of 4 numbers: write x_of(0)[i]"),
        ({"apply": "v.x[4] = 0;"}, "v.x[4]: its index 4 is not from 0 to 3"),
        ({"apply": "v.x[-1] = 0;"}, "v.x[-1]: its index -1 is not from 0 to 3"),
        ({"apply": "v.x[0] = length(v.x);"}, "v.x is an array of 4 numbers: write v.x[i]"),
        ({"y": vertex.real(5), "scatter": "send(v.y);"}, "v.y is an array of 5 numbers: a message"),
        ({"combine": "a + b", "identity": "0"}, "is an expression, and C has none over arrays"),
        ({"combine": by_key()}, "needs an integer or a vertex as the key"),
        ({"combine": None, "gather": "msg[0] = num_messages;"}, "give message as a struct, as in"),
        (
            {"scatter": "send_to(0, v.x);"},
            "send_to combines messages of up to 8 bytes, and real(4)",
        ),
        ({"pairs": "send(v.x);"}, "v.x is an array, which Refused.pairs cannot read"),
        ({"pairs": "real y[4] = {0}; send(y);"}, "messages of pairs cannot have arrays"),
    ],
)
def test_classes_that_are_refused(body, message):
    with pytest.raises(ProgramError) as raised:
        type("Refused", (Wrong,), {"apply": "v.x[0] = msg[0];", **body})
    assert message in str(raised.value)


def test_initial_values_of_arrays():
    class Kept(VertexProgram):
        x = vertex.real(3)
        supersteps = param.supersteps(1)
        scatter_on = apply_on = "all"
        apply = "v.x[0] += 1;"

    engine = Engine(Graph.from_edges(["a"], ["b"]))
    for given, expected in (
        (2, [[3, 2, 2]] * 2),
        ([2, 3, 4], [[3, 3, 4]] * 2),
        ({"b": 5}, [[1, 0, 0], [6, 5, 5]]),
        ({"b": [5, 6, 7]}, [[1, 0, 0], [6, 6, 7]]),
    ):
        assert engine.run(Kept(x=given)).x.tolist() == expected
    with pytest.raises(
        ProgramError, match=r"for 'b' does not fit x \(real\(3\)\): give a number or 3"
    ):
        engine.run(Kept(x={"b": [5, 6]}))


def sending(snippet):
    return type(
        "Sending",
        (VertexProgram,),
        {
            "supersteps": param.supersteps(1),
            "x": vertex.float32(4),
            "message": "float32(4)",
            "combine": "sum",
            "scatter_on": "all",
            "scatter": snippet,
            "apply": "for (int k = 0; k < 4; ++k) v.x[k] = msg[k];",
        },
    )


@pytest.mark.parametrize(
    "snippet",
    [
        "float y[2] = {0}; send(y);",  # as long as a pointer
        "float y[5] = {0}; send(y);",
        "float y[4] = {0}; const float *first = y; send(first);",
        "send(1);",
        "send(v.x[0]);",
    ],
)
def test_only_arrays_of_the_right_length_are_sent(snippet):
    with pytest.raises(ProgramError, match=r"as many numbers as a message has.* a float32\(4\)"):
        Engine(Graph.from_edges([0], [1])).run(sending(snippet)())


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: vertex.real(0.5), "real(0.5): the first argument is a number of components; an"),
        (lambda: vertex.int32("v.id"), "an initial value is init='v.id'"),
        (lambda: vertex.real(1), "'real(1)': an array has from 2 to 1024 components; for one,"),
        (lambda: vertex.real4(8), "'real4(8)' is not a type: the components of an array are"),
        (lambda: vertex.vertex(8), "'vertex(8)' is not a type"),
        (lambda: arc.real(4000), "'real(4000)': an array has from 2 to 1024"),
    ],
)
def test_declarations_that_are_refused(declare, message):
    with pytest.raises(ProgramError) as raised:
        declare()
    assert message in str(raised.value)


def test_any_order_runs_in_supersteps():
    """What apply writes does not fit a word, as of other wide fields."""

    class Lowest(VertexProgram):
        x = vertex.int32(4)
        message, combine, order = "int32(4)", "min", "any"
        scatter = "send(v.x);"
        apply = """
            int lower = 0;
            for (int k = 0; k < 4; ++k)
                if (msg[k] < v.x[k]) {
                    v.x[k] = msg[k];
                    lower = 1;
                }
            if (lower)
                set_mask();
        """

    graph = Graph.from_edges(range(5), range(1, 6))
    x = DRAW.integers(0, 99, (6, 4))
    joins = Engine(graph).device.facts.can_join
    why = "apply writes 16 bytes of a vertex" if joins else "cannot wait for each other here"
    assert why in str(Engine(graph).explain(Lowest()))
    expected = np.minimum.accumulate(x, axis=0)
    for debug in (False, True):  # where the order is tried
        assert np.array_equal(Engine(graph, debug=debug).run(Lowest(x=x)).x, expected)


@pytest.mark.parametrize(("rule", "found"), [("and", np.bitwise_and), ("or", np.bitwise_or)])
def test_bits_of_all_messages(rule, found):
    class Bits(VertexProgram):
        supersteps = param.supersteps(1)
        x = vertex.int32(4)
        y = vertex.int32(4)
        message, combine = "int32(4)", rule
        scatter_on = apply_on = "all"
        scatter = "send(v.x);"
        apply = "for (int i = 0; i < 4; ++i) v.y[i] = msg[i];"

    graph = random_graph(1, directed=True)
    x = np.random.default_rng(1).integers(-99, 99, (graph.num_vertices, 4)).astype(np.int32)
    expected = np.full(x.shape, found.identity, np.int32)
    src, dst = graph.coo()
    found.at(expected, dst, x[src])
    assert np.array_equal(Engine(graph).run(Bits(x=x)).y, expected)


@pytest.mark.parametrize("width", [2, 3, 8])
def test_the_first_of_arrays(width):
    """Push took that of another sender in superstep 1: the frontier overflowed."""

    class First(VertexProgram):
        heard = vertex.int32()
        message, combine, scatter_on = f"int32({width})", "first", "all"
        stop = "superstep >= 2"
        scatter = f"""
            if ((v.id + superstep) % 3) {{
                const int made[{width}] = {{v.id, superstep}};
                send(made);
            }}
        """
        apply = "v.heard = v.heard * 10 + msg[0] + 1;"

    ends = [(0, 1), (5, 7), (2, 0), (2, 3), (4, 7), (7, 7), (4, 0), (4, 0), (2, 3), (4, 1)]
    engine = Engine(Graph.from_edges(ends, num_vertices=8))
    heard = [0] * 8
    for superstep in range(3):
        for vertex_ in range(8):
            senders = [a for a, b in ends if b == vertex_ and (a + superstep) % 3]
            heard[vertex_] = heard[vertex_] * 10 + min(senders) + 1 if senders else heard[vertex_]
    for delivery in ("slots", "pull", "outbox", "serial", "push"):
        assert engine.run(First(), delivery=delivery).heard.tolist() == heard
