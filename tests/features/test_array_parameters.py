"""Array parameters, `param.array(shape)`: their values, where they are, and what is refused."""

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.admitting_deliveries import some_admitted
from support.agreement import find_device

from gascl import (
    Engine,
    GasclError,
    Graph,
    GraphError,
    ProgramError,
    VertexProgram,
    edge,
    param,
    vertex,
)
from gascl.run import prepare as preparation
from gascl.run.prepare import prepare

GRAPH = Graph.from_edges([0, 1, 2, 0, 5], [1, 2, 0, 2, 5], num_vertices=7)
ADJACENCY = np.zeros((7, 7), int)
np.add.at(ADJACENCY, (GRAPH.edge_dst, GRAPH.edge_src), 1)


class Tables(VertexProgram):
    """Arrays of one, two and three dimensions, by a class of the vertex and in loops."""

    supersteps = param.supersteps(1)
    toll = param.array((2, 3), "int32")
    price = param.array(4)
    cube = param.array((2, 2, 3), "int16", default=np.arange(12).reshape(2, 2, 3))
    kind = vertex.int32(init=0)
    own = vertex.real()
    sent = vertex.int32()
    deep = vertex.int32()

    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(p.toll[v.kind & 1][v.kind % 3]);"
    apply = """
        v.sent = msg;
        v.own = p.price[v.kind];
        for (int i = 0; i < 2; ++i)
            v.deep += p.cube[i][v.kind & 1][2] * (i + 1);
    """


KIND = np.array([3, 1, 0, 2, 2, 1, 3])
TOLL = np.array([[4, -5, 6], [70, 80, 90]])
PRICE = np.array([0.5, np.inf, -2, 1e30])
CUBE = np.arange(12).reshape(2, 2, 3)


def check_tables(result, lanes=()):
    shape = (7, *lanes)
    sent = ADJACENCY @ TOLL[KIND % 2, KIND % 3]
    deep = CUBE[0, KIND % 2, 2] + 2 * CUBE[1, KIND % 2, 2]
    for name, expected in (("sent", sent), ("own", PRICE[KIND].astype("f4")), ("deep", deep)):
        spread = expected.reshape(7, *[1] * len(lanes))
        assert np.array_equal(result[name], np.broadcast_to(spread, shape)), name


@pytest.mark.parametrize("constant", [True, False])
def test_values_by_each_delivery(device, constant, monkeypatch):
    if not constant:
        monkeypatch.setattr(preparation, "MOST_CONSTANT", 8)
    program = Tables(toll=TOLL, price=PRICE, kind=KIND)
    for delivery in some_admitted(program, device):
        check_tables(Engine(GRAPH, device).run(program, delivery=delivery))


def test_lanes_share_arrays():
    class InLanes(Tables):
        lanes = 3

    check_tables(Engine(GRAPH).run(InLanes(toll=TOLL, price=PRICE, kind=KIND)), (3,))


def test_in_debug_mode_and_in_double():
    given = {"toll": TOLL, "price": [0.1, 0.2, 0.3, 1e300], "kind": KIND}
    result = Engine(GRAPH, debug=True).run(Tables(**given, dtype="float64"))
    assert np.array_equal(result.own, np.array(given["price"])[KIND])


def test_a_new_value_needs_no_new_kernels():
    runner = Engine(GRAPH)
    for times in (1, 2):
        result = runner.run(Tables(toll=times * TOLL, price=PRICE, kind=KIND))
        assert np.array_equal(result.sent, times * (ADJACENCY @ TOLL[KIND % 2, KIND % 3]))


def test_where_arrays_are_is_one_decision_that_explain_tells():
    class Large(Tables):
        weights = param.array((64, 256))
        apply = "v.own = p.weights[v.id][0];"

    small = Tables(toll=TOLL, price=PRICE)
    large = Large(toll=TOLL, price=PRICE, weights=np.zeros((64, 256)))
    facts = find_device(1).facts
    for program, told in (
        (small, "array parameters: constant memory, since 64 bytes of the 48.0 KiB there"),
        (large, "array parameters: global memory, since they have 64.1 KiB, and 48.0 KiB fit"),
    ):
        assert told in str(Engine(GRAPH).explain(program))
    tight = replace(facts, constant_memory=63)
    assert not prepare(small, GRAPH, tight).constant.chosen
    assert prepare(small, GRAPH, replace(facts, constant_memory=64)).constant.chosen


def test_what_a_program_keeps():
    """A copy that cannot change, which can be pickled and is not printed in full."""
    toll = TOLL.copy()
    program = Tables(toll=toll, price=PRICE)
    toll[0, 0] = 99
    assert program.toll.tolist() == TOLL.tolist() and program.cube.tolist() == CUBE.tolist()
    with pytest.raises(ValueError, match="read-only"):
        program.toll[0, 0] = 1
    assert "toll=<int32 array of shape (2, 3)>" in repr(program)
    again = pickle.loads(pickle.dumps({n: getattr(program, n) for n in ("toll", "price")}))
    assert Tables(**again).parameter_values() == program.parameter_values()
    assert Tables(toll=TOLL + 1, price=PRICE).parameter_values() != program.parameter_values()
    by_columns = Tables(toll=np.asfortranarray(TOLL), price=PRICE)
    assert by_columns.parameter_values() == program.parameter_values()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"toll": TOLL.T}, "toll=<int64 array of shape (3, 2)>: expected an array of shape (2, 3)"),
        ({"toll": [[1, 2, 3]]}, "expected an array of shape (2, 3), not (1, 3)"),
        ({"toll": [[1, 2, 3], [4]]}, "shape (2, 3), not lists of different lengths"),
        ({"toll": 3}, "expected an array of shape (2, 3), not ()"),
        ({"toll": TOLL / 4}, "expected a whole number from -2147483648 to 2147483647 "),
        ({"toll": TOLL * 10**9}, "but toll[0][0] is 4000000000"),
        ({"toll": TOLL * np.nan}, "but toll[0][0] is nan"),
        ({"wide": [-(2.0**63), 2.0**63]}, "but wide[1] is 9.22337203685477"),
        ({"toll": TOLL.astype(str)}, "expected numbers (int32), not <U"),
        ({"price": PRICE + 0j}, "expected numbers (real), not complex128"),
        ({"toll": "@toll.npy"}, "in the shell, a file: @W.npy"),
        ({"price": {"bus": 1}}, "not a dict: list its values in the order of the indices, as in ["),
        ({"part": [0.5, 1.5]}, "expected a value from 0 to 1, but part[1] is 1.5"),
    ],
)
def test_values_that_are_refused(given, message):
    class Bounded(Tables):
        part = param.array(2, default=[0, 1], low=0, high=1)
        wide = param.array(2, "int64", default=[0, 1])

    with pytest.raises(ProgramError) as raised:
        Bounded(**{"toll": TOLL, "price": PRICE, **given})
    assert message in str(raised.value)


@pytest.mark.parametrize(("value", "shown"), [(-1e39, r"-1e\+39"), (1e-50, "1e-50")])
def test_values_that_float32_cannot_hold(value, shown):
    program = Tables(toll=TOLL, price=[1, value, np.inf, 3])
    with pytest.raises(ProgramError, match=f"price={shown} does not fit float32"):
        Engine(GRAPH).run(program)


@pytest.mark.parametrize(
    ("shape", "more", "message"),
    [
        ((), {}, "shape=(): give one to three lengths from 1"),
        ((2, 0), {}, "shape=(2, 0): give one to three lengths"),
        ((1, 2, 3, 4), {}, "shape=(1, 2, 3, 4): give one to three lengths"),
        ("three", {}, "shape='three': give one to three lengths"),
        (3, {"type": "float4"}, "its numbers must be scalars, not float4"),
        (3, {"type": "vertex"}, "its numbers must be scalars, not vertex"),
        (3, {"type": "time"}, "its numbers must be scalars, not time"),
    ],
)
def test_declarations_that_are_refused(shape, more, message):
    with pytest.raises(ProgramError) as raised:
        param.array(shape, **more)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"apply": "v.own = p.price;"}, "p.price is an array of 4 numbers: write p.price[i]"),
        ({"apply": "v.own = p.toll[1];"}, "p.toll is an array of 2 x 3 numbers: write "),
        ({"apply": "v.own = p.price[4];"}, "p.price[4]: its index 4 is not from 0 to 3"),
        ({"apply": "v.own = p.toll[1][-1];"}, "p.toll[1][-1]: its index -1 is not from 0 to 2"),
        ({"apply": "p.price[0] = 1;"}, "p.price is written in"),
        ({"stop": "p.price[0] > 1"}, "p.price is an array, which"),
        ({"scatter": "send(p.price);"}, "p.price is an array of 4 numbers: a message is a int32"),
        ({"price": param.array(4, default=[1, 2])}, "expected an array of shape (4,), not (2,)"),
    ],
)
def test_classes_that_are_refused(body, message):
    with pytest.raises(ProgramError) as raised:
        type("Wrong", (Tables,), {"supersteps": param.supersteps(1), **body})
    assert message in str(raised.value)


class Outside(VertexProgram):
    supersteps = param.supersteps(1)
    rows = param.array((2, 3))
    kind = vertex.int32(init="v.id")
    x = vertex.real()
    scatter_on = apply_on = "all"
    apply = """
        v.x = p.rows[v.kind]  // FIRST
            [0];
        v.x += p.rows[0][v.kind + 2];  // SECOND
    """


@pytest.mark.parametrize(("kinds", "mark"), [([0, 0, 2], "FIRST"), ([0, 1, 0], "SECOND")])
def test_debug_mode_names_an_index_that_is_outside(kinds, mark):
    graph = Graph.from_edges([], [], num_vertices=3)
    with pytest.raises(GasclError) as raised:
        Engine(graph, debug=True).run(Outside(rows=np.ones((2, 3)), kind=kinds))
    lines = Path(__file__).read_text().splitlines()
    line = next(i for i, text in enumerate(lines, 1) if text.endswith(f"// {mark}"))
    assert f"test_array_parameters.py:{line}" in str(raised.value)
    assert "index" in str(raised.value)


class Walk(VertexProgram):
    supersteps = param.supersteps(6)
    step = param.array(3, "int32")
    x = vertex.int32(init="v.id")
    scatter_on = apply_on = "all"
    apply = "v.x += p.step[superstep % 3];"


def test_a_checkpoint_refuses_other_values(tmp_path):
    graph, place = Graph.from_edges([0], [1]), tmp_path / "run.ckpt"
    runner, options = Engine(graph), {"checkpoint": place, "every": 2}
    runner.run(Walk(step=[1, 10, 100]), max_supersteps=4, not_converged="ignore", **options)
    with pytest.raises(
        GasclError, match=r"belongs to a run with step='<int32 array of shape \(3,\)>"
    ):
        runner.run(Walk(step=[1, 10, 101]), resume=True, **options)
    result = runner.run(Walk(step=[1, 10, 100]), resume=True, **options)
    assert result.x.tolist() == [222, 223]


def test_a_state_of_other_values():
    class Falls(VertexProgram):
        least = param.array(2, "int32")
        x = vertex.int32(init="v.id + p.least[v.id & 1]")
        message, combine, restart = "int32", "min", "added"
        receive_if = "msg < v.x"
        scatter = "send(v.x);"
        apply = "v.x = msg; set_mask();"

    graph = Graph.from_edges([0, 1], [1, 2])
    state = Engine(graph).run(Falls(least=[5, 6]), keep_state=True).state
    with pytest.raises(GasclError, match="least"):
        Engine(graph).run(Falls(least=[5, 7]), state=state)


def test_in_the_shell(tmp_path, gascl_, write):
    program = write(
        "priced.py",
        """
from gascl import VertexProgram, param, vertex


class Priced(VertexProgram):
    \"\"\"What each vertex costs.\"\"\"

    supersteps = param.supersteps(1)
    price = param.array(3, low=0)
    cost = vertex.real()
    scatter_on = apply_on = "all"
    apply = "v.cost = p.price[v.out_degree];"
""",
    )
    edges = write("edges.txt", "a b\na c\nb c\n")
    np.save(tmp_path / "price.npy", [5, 7, 11])
    run = ("run", f"{program}:Priced", edges, "--directed", "--set")
    code, out, err = gascl_(*run, f"price=@{tmp_path / 'price.npy'}")
    assert (code, err) == (0, "")
    found = {tuple(line.split()) for line in out.splitlines()}
    assert {("a", "11"), ("b", "7"), ("c", "5")} <= found
    for text, message in (
        ("price=@none.npy", "--set price=@none.npy: there is no such file; give a file of NumPy's"),
        (f"price=@{edges}", "give a file of NumPy's format, by numpy.save"),
        ("price=3", "expected an array of shape (3,); in the shell, a file: @W.npy"),
    ):
        code, _, err = gascl_(*run, text)
        assert code == 1 and message in err
    code, out, _ = gascl_("programs", f"{program}:Priced")
    assert "real array of shape (3,), 0 or more (required)" in out and "price=@FILE.npy" in out
    code, out, _ = gascl_("kernel", f"{program}:Priced")
    assert code == 0 and "__constant const gascl_tables" in out
    assert gascl_("check", program)[0] == 0


class Fares(VertexProgram):
    """Tables by a class of the vertex, and by one of the edge."""

    supersteps = param.supersteps(1)
    fares = param.array((2, 3), "int32", default=[[1, 2, 3], [4, 5, 6]])
    kind = vertex.int32()
    line = edge.int32(default=0, optional=True)
    paid = vertex.int32()
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(p.fares[v.kind][e.line]);"
    apply = "v.paid = has_msg ? msg : 0;"


class Checked(Fares):
    """A missing text counts as the class 0."""

    scatter = "send(p.fares[max(v.kind, 0)][e.line]);"


def stops(kinds, lines):
    graph = Graph.from_edges(["a", "b", "a"], ["b", "c", "c"], line=lines)
    return graph.with_vertex_fields(kind=kinds)


@pytest.mark.parametrize(
    ("kinds", "lines", "said"),
    [
        (
            ["bus", None, "rail"],
            ["N", "E", "W"],
            "vertex 'b' has kind = -1, a missing text (1 such",
        ),
        (["bus", "tram", "rail"], ["N", "E", "W"], "vertex 'b' has kind = 2 (1 such vertex)"),
        (["bus", "rail", "bus"], ["N", None, None], "edge 1 ('b' to 'c') has line = -1, a missing"),
        (["bus", "rail", "bus"], [0, 1, 3], "edge 2 ('a' to 'c') has line = 3 (1 such edge)"),
        ([1, 7, 0], [0, 1, 2], "vertex 'b' has kind = 7"),
    ],
)
def test_classes_that_a_table_does_not_have(kinds, lines, said):
    """They were read outside of the array."""
    with pytest.raises(GraphError) as raised:
        Engine(stops(kinds, lines)).run(Fares())
    assert said in str(raised.value)
    assert "Fares: p.fares[v.kind][e.line] needs an index from 0 to " in str(raised.value)


@pytest.mark.parametrize(
    "body",
    [
        {"scatter": "if (v.id < 2) send(p.fares[v.kind][e.line]);"},
        {"scatter_on": "mask", "mask": "v.id < 2"},
        {},  # vertex c has no edge to send along
    ],
)
def test_what_may_not_be_read_is_warned_of(body):
    cls = type("Fewer", (Fares,), body)
    with pytest.warns(UserWarning, match=r"vertex 'c' has kind = 7 .*the value is undefined"):
        found = Engine(stops([1, 0, 7], [0, 1, 2])).run(cls())
    assert found.paid.tolist() == [0, 4, 2 + 6]


def test_classes_that_a_table_has():
    lines = ["N", "E", "W"]  # of the codes 1, 0 and 2
    assert Engine(stops(["bus", "rail", "bus"], lines)).run(Fares()).paid.tolist() == [0, 2, 4 + 3]
    graph = stops(["bus", "rail", None], [0, 1, 2])
    assert Engine(graph).run(Fares(kind=[0, 1, 1])).paid.tolist() == [0, 1, 5 + 3]
    # Nothing is refused where the program looks at the class itself, or where nothing reads it.
    graph = stops([None, "rail", "bus"], [0, 1, 2])
    assert Engine(graph).run(Checked()).paid.tolist() == [0, 1, 5 + 3]
    same = Engine(stops(["bus", "rail", None], [0, 1, 2]))
    first = same.run(Fares(kind=[1, 1, 0]), keep_state=True)
    assert first.paid.tolist() == [0, 4, 5 + 6]
    assert same.run(Fares(), state=first.state).paid.tolist() == [0, 4, 5 + 6]
    beyond = type("Beyond", (Fares,), {"line": edge.int32(default=3)})
    plain = Engine(Graph.from_edges(["a"], ["b"]))
    with pytest.raises(GraphError, match=r"edge 0 .* has line = 3 "):
        plain.run(beyond(kind=0))


def test_a_class_that_the_graph_lacks():
    class Prices(VertexProgram):
        price = param.array(4)
        kind = edge.int32()
        total = vertex.real()
        message, combine, scatter_on = "real", "sum", "all"
        scatter = "send(p.price[e.kind]);"
        apply = "v.total = msg;"
        stop = "superstep == 0"

    with pytest.raises(GasclError, match=r"no (such )?edge field"):
        Engine(Graph.from_edges([0, 1, 2], [1, 2, 0])).run(Prices(price=[1, 2, 3, 4]))
