"""Debug mode: what goes wrong is named with its vertex, superstep and line; orders are shuffled."""

from __future__ import annotations

import string
from pathlib import Path

import numpy as np
import pytest
from support.case_subsets import one_in
from support.samples import grid, random_graph, skewed, weighted

from gascl import (
    Engine,
    GasclError,
    Graph,
    VertexProgram,
    aggregate,
    arc,
    edge,
    param,
    programs,
    struct,
    vertex,
)
from gascl.programs import (
    BellmanFord,
    BreadthFirst,
    ConnectedComponents,
    LabelPropagation,
    PageRank,
    ShortestPaths,
)
from gascl.programs.link_prediction import link_scores

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
    none = vertex.int32(init=0)
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
def test_correct_programs_report_no_faults(delivery):
    result = Engine(ring(), debug=True).run(Wrong(), delivery=delivery)
    assert np.isinf(result.near).all() and (result.mean == 1).all()


class Pulled(VertexProgram):
    """Only sends, so that receivers compute it: the sender is to blame all the same."""

    supersteps = param.supersteps(4)
    x = vertex.real(init=1)
    none = vertex.int32(init=0)
    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    scatter = """
        if (v.id == 5 && superstep == 2)
            send(v.x / v.none);  // pulled
        else
            send(v.x);
    """
    apply = "v.x = msg;"


@pytest.mark.parametrize("delivery", one_in(3, ["pull", "outbox", "slots"]))
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
def test_a_second_send_along_one_arc_is_reported_in_every_mode(delivery, debug):
    with pytest.raises(GasclError, match=r"'f'.*superstep 2") as raised:
        Engine(ring(), debug=debug).run(Read(what=4), delivery=delivery)
    assert f"test_debug.py:{line_of('twice')}" in str(raised.value)


@pytest.mark.parametrize("what", ["nan_message", "nan_value", "real_by_zero"])
def test_no_faults_are_reported_without_debug_mode(what):
    program = Wrong(what=1 + list(KINDS).index(what))
    assert Engine(ring()).run(program).supersteps == 4


# Infinity.


class Grows(VertexProgram):
    """Every vertex sends `least`, and f overflows in superstep 2."""

    factor = param.real(1e30)
    supersteps = param.supersteps(4)
    size = vertex.real(init=1e30)
    least = edge.real(default=1)
    seen = vertex.real(init=1)
    message, combine = "real", "min"
    scatter_on = "all"
    scatter = "send(e.least);"
    apply = """
        if (v.id == 5 && superstep == 2)
            v.size = v.size * p.factor;  // overflow
        v.seen = msg;
    """


class Named(Grows):
    apply = "v.size = superstep == 2 ? INFINITY : v.size;"


class OfNothing(VertexProgram):
    """The minimum of no messages is infinite."""

    x = vertex.real(init=1)
    supersteps = param.supersteps(1)
    message, combine = "real", "min"
    scatter_on = apply_on = "all"
    scatter = "if (v.id) send(v.x);"
    apply = "v.x = msg;"


@pytest.mark.parametrize("delivery", one_in(4, ["slots", "push", "edges", "serial"]))
def test_an_overflow_names_vertex_superstep_and_line(delivery):
    check_told(Grows(), "overflow", "infin", delivery)
    assert np.isinf(Engine(ring()).run(Grows()).size[5])


@pytest.mark.parametrize("delivery", one_in(2, ["auto", "serial"]))
def test_infinity_that_the_run_begins_with_is_no_overflow(delivery):
    """BellmanFord was once stopped on a valid graph, whose answer is minus infinity."""
    weights = np.ones(8)
    weights[3] = np.inf
    engine = Engine(ring(least=weights), debug=True)
    assert np.isinf(engine.run(Grows(factor=1), delivery=delivery).seen[4])
    engine = Engine(ring(), debug=True)
    given = np.where(np.arange(8) == 3, -np.inf, 1e30)
    for program in (Grows(factor=np.inf), Grows(size=given), Named(), OfNothing()):
        assert engine.run(program, delivery=delivery).supersteps > 0
    first = engine.run(Grows(size=given, supersteps=2), keep_state=True, delivery=delivery)
    assert engine.run(Grows(), state=first.state, delivery=delivery).supersteps == 4


# Arrays.

#: The last statement of each, and whether it uses an index outside of its array at f, whose id is
#: 5, in superstep 2.
INDEXED = {
    "written": "int q[4]; for (int i = 0; i < 4 + 36 * now; ++i) q[i] = i;",
    "read": "int q[] = {1, 2}; v.x = q[now * 2];",
    "below": "int q[2] = {1, 2}; v.x = q[-now];",
    "first": "int q[2][3] = {{1, 2, 3}}; v.x = q[now * 2][0];",
    "second": "int q[2][3] = {{1, 2, 3}}; v.x = q[0][now * 3];",
    "constant": "const float q[2] = {1, 2}; v.x = q[1 + now];",
    "table": "v.x = TABLE[now * 4];",
    "unsigned": "v.x = TABLE[(uint)0 - now];",
    "long": "v.x = TABLE[(ulong)now << 32];",
    "macro": "v.x = AT(now * 4);",
    "macro_of_functions": "v.x = looked_up(now * 4);",
    "in_function": "v.x = in_table(now * 4);",
    "indirect": "v.x = outer(now * 4);",
    "member": "struct {int a[2];} q[2]; q[1].a[0] = 1; q[now].a[2 * now] = 3;",
    "index": "int q[2] = {0, 1}; v.x = q[q[q[now * 2]]];",
    "before_the_array": "int q[2] = {1, 2}, n = now * 2; v.x = n[q];",
    "before_a_table": "v.x = (now * 4)[TABLE];",
    "before_a_member": "struct {int a[2];} q; v.x = (3 * now)[q.a];",
    "vector": "float4 q = (float4)(1); v.x = q[now * 4];",
    "structs": "Pair q[2], r[1]; q[1].b = 2; r[0] = q[1 + now];",
}


def indexed(what: str) -> type[VertexProgram]:
    class Indexed(VertexProgram):
        Pair = struct([("a", "int32"), ("b", "int32")])
        supersteps = param.supersteps(4)
        x = vertex.int32()
        functions = """
            #define AT(i) TABLE[i]
            __constant int TABLE[4] = {1, 2, 3, 4};
            static int in_table(const int i);
            int outer(int i) { return in_table(i); }
            static int in_table(const int i) {
                return TABLE[i];
            }
            #define looked_up(i) (in_table(i))
        """
        scatter_on = apply_on = "all"
        apply = f"""
            const int now = v.id == 5 && superstep == 2;
            {INDEXED[what]}
        """

    return Indexed


@pytest.mark.parametrize("what", one_in(8, INDEXED))
def test_an_index_outside_of_an_array(what):
    """The loop that writes outside of its array once ended the process."""
    with pytest.raises(GasclError, match="outside of its array") as raised:
        Engine(ring(), debug=True).run(indexed(what)())
    text = str(raised.value)
    assert "vertex 'f'" in text and "superstep 2" in text
    apart = what in ("in_function", "indirect", "macro_of_functions")
    assert ("return TABLE[i];" if apart else "{INDEXED[what]}") in text


def test_an_index_before_what_is_not_a_name():
    class Before(VertexProgram):
        x = vertex.int32()
        scatter_on = apply_on = "all"
        supersteps = param.supersteps(1)
        apply = "int q[2][2] = {{1, 2}, {3, 4}}; v.x = 1[q[0]];"

    class After(Before):
        apply = "int q[2][2] = {{1, 2}, {3, 4}}; v.x = q[0][1];"

    with pytest.raises(GasclError, match=r"write the array before its index, a\[i\]"):
        Engine(ring(), debug=True).run(Before())
    assert Engine(ring(), debug=True).run(After()).x.tolist() == [2] * 8
    assert Engine(ring()).run(Before()).x.tolist() == [2] * 8


class Arrays(VertexProgram):
    """Uses arrays as C allows it."""

    Pair = struct([("a", "int32"), ("b", "int32")])
    supersteps = param.supersteps(1)
    x = vertex.int32()
    functions = """
        __constant int TABLE[8 / 2] = {1, 2, [3] = 4};
        int total(int *values, const int count) {
            int all = 0;
            for (int i = 0; i < count; ++i)
                all += values[i];
            return all;
        }
        int one(void) { return TABLE[0]; }
    """
    scatter_on = apply_on = "all"
    apply = """
        enum { FOUR = 8 / 2 };
        int a = 1, q[FOUR] = {1, 2, 3, 4}, *first = q, m[2][2] = {{q[0], a * q[1]}, {5, 6}};
        Pair pairs[2] = {{1, 2}, {3, 4}};
        int *const ends[2] = {q, &q[4]};
        for (int *i = ends[0]; i < ends[1]; ++i)
            *i += 1;
        first[3] = total(q, 3) + one() + total(&q[1], sizeof(q) / sizeof(q[0]) - 1);
        switch (v.id) {
        case FOUR / 2:
            q[0] = 0;
        }
        0[q] += (v.id % 4)[TABLE] - TABLE[v.id % 4];
        v.x = q[0] + q[3] + m[1][0] + pairs[1].b + 3[TABLE] + ((int[2]){7, 8})[1];
    """


@pytest.mark.parametrize("debug", [True, False])
def test_arrays_that_are_used_rightly(debug):
    # q is 2, 3, 4, and 9 + 1 + (3 + 4 + 5); at vertex 2, q[0] is 0.
    others = 22 + 5 + 4 + 4 + 8
    x = Engine(ring(), debug=debug).run(Arrays()).x
    assert x.tolist() == [2 + others] * 2 + [others] + [2 + others] * 5


class Everywhere(VertexProgram):
    """Every snippet that runs for a vertex is looked at."""

    what = param.int32()
    supersteps = param.supersteps(4)
    x = vertex.int32(init="TABLE[p.what == 0 && v.id == 5 ? 2 : 0]")
    w = arc.int32(init="TABLE[p.what == 1 && e.src == 5 ? 2 : 0]")
    functions = "__constant int TABLE[2] = {1, 2};"
    message, combine = "int32", "sum"
    mask = "TABLE[p.what == 2 && v.id == 5 ? 2 : 0]"
    receive_if = "TABLE[p.what == 3 && v.id == 5 ? 2 : 0]"
    init = "v.x = TABLE[p.what == 4 && v.id == 5 ? 2 : 0];"
    scatter = "send(TABLE[p.what == 5 && v.id == 5 ? 2 : 0] + e.w);"
    apply = "v.x = msg; set_mask();"


@pytest.mark.parametrize("what", range(6))
def test_arrays_in_every_snippet(what):
    with pytest.raises(GasclError, match=r"vertex 'f' used an index.*outside of its array"):
        Engine(ring(), debug=True).run(Everywhere(what=what), delivery="slots")


class Helped(VertexProgram):
    supersteps = param.supersteps(4)
    x = vertex.int32()
    functions = """
        int halved(const int x, const int by) {
            return x / by;  // in_function
        }
    """
    scatter_on = apply_on = "all"
    apply = "v.x = halved(4, v.id != 5 || superstep != 2);"


def test_a_division_in_a_function():
    with pytest.raises(GasclError, match=r"'f' divided by zero, in superstep 2") as raised:
        Engine(ring(), debug=True).run(Helped())
    assert f"test_debug.py:{line_of('in_function')}" in str(raised.value)


@pytest.mark.parametrize(
    "program",
    one_in(
        5,
        [
            BreadthFirst(source=0),
            BreadthFirst(source=[0, 3]),
            ConnectedComponents(),
            LabelPropagation(supersteps=3),
            ShortestPaths(source=0),
        ],
    ),
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


@pytest.mark.parametrize(("program", "delivery"), one_in(2, [(Sums, "slots"), (ReadSums, "auto")]))
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


@pytest.mark.parametrize("delivery", one_in(2, ["slots", "push"]))
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


@pytest.mark.parametrize(
    ("program", "delivery"), one_in(2, [(FirstCome, "auto"), (Lopsided, "slots")])
)
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


# Bundled programs on odd graphs.


def odd_graph(seed: int, weights: str) -> Graph:
    """Loops, parallel edges and isolated vertices, with weights of one kind."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, 7, (2, 12))
    weight = {
        "negative": rng.integers(-2, 4, 12).astype(float),
        "zero": rng.integers(0, 2, 12).astype(float),
        "infinite": np.where(rng.random(12) < 0.3, np.inf, 1.0),
        "huge": np.where(rng.random(12) < 0.3, 1e300, 1e-300),
    }[weights]
    directed = bool(seed % 2)
    return Graph.from_edges(*ends, num_vertices=9, directed=directed, weight=weight)


#: The only program that reads weights of every kind, and those with which most others share code.
OFTEN = ("BellmanFord", "WeightedKatz", "WeightedPageRank")


@pytest.mark.parametrize(
    "name",
    [n if n in OFTEN else pytest.param(n, marks=pytest.mark.slow) for n in programs.__all__],
)
def test_debug_mode_stops_no_valid_run(name):
    cls = getattr(programs, name)
    given = {"source": 0} if "source" in cls.spec.params else {}
    given |= {"hops": 2} if name == "Neighborhoods" else {}
    program = cls(dtype="float64", **given)
    kinds = ("negative", "zero", "infinite", "huge")
    for weights in kinds if "weight" in cls.spec.edge_fields else ("zero",):
        for seed in (0, 1, 4):
            graph = odd_graph(seed, weights)
            try:
                plain = Engine(graph).run(program, not_converged="ignore")
            except GasclError:
                continue  # the graph is refused
            result = Engine(graph, debug=True).run(program, not_converged="ignore")
            for field in plain.fields:
                assert result[field] == pytest.approx(plain[field], nan_ok=True), (weights, seed)


def test_answers_that_are_infinite():
    graph = Graph.from_edges([0, 1, 1], [1, 0, 2], weight=[-1.0, 0.0, 1.0])  # a negative cycle
    result = Engine(graph, debug=True).run(BellmanFord(source=0, dtype="float64"))
    assert (result.distance == -np.inf).all()
    # The only common neighbor of 1 and itself has degree 1, whose logarithm is 0.
    path = Graph.from_edges([0], [1], directed=False)
    assert link_scores(Engine(path, debug=True), ([1], [1]))["adamic_adar"] == [np.inf]
