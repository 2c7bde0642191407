"""What can go wrong in a snippet: the error names vertex, superstep, file and line."""

from __future__ import annotations

import functools
from itertools import cycle
from pathlib import Path

import pytest
from support.admitting_deliveries import admitted
from support.case_subsets import one_in

from gascl import Engine, Graph, ProgramError, VertexProgram
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find

#: a > b > c > d, and b > d; d has no arc out.
GRAPH = Graph.from_edges([0, 1, 2, 1], [1, 2, 3, 3], labels=list("abcd"))
HEAD = """from gascl import VertexProgram, aggregate, arc, param, struct, vertex

class Wrong(VertexProgram):
    x = vertex.int32(init="v.id")
    y = vertex.real(init=1)
    message, combine = "int32", "sum"
    mask = "v.id == 0"
    scatter = "send(1);"
"""
STEP = "v.x = 1; set_mask();"


@functools.cache
def engine(group: int = 0, debug: bool = False) -> Engine:
    return Engine(GRAPH, Device(find().cl, group), debug=debug)


def defined(folder: Path, body: str) -> tuple[type[VertexProgram], int, str]:
    """The class with these lines, and number and text of the line that is marked <<<."""
    text = HEAD + "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    file = folder / "my_program.py"
    file.write_text(text)
    names: dict = {"__name__": "my_program"}
    exec(compile(text, str(file), "exec"), names)
    marked = [(i, s) for i, s in enumerate(text.split("\n"), 1) if "<<<" in s]
    return names["Wrong"], *marked[0]


def check(folder: Path, body: str, words: str, debug: bool = False, every: bool = False) -> None:
    """The run stops with these words and the line that is marked; `every`: by every delivery, each
    in one of the two shapes of a work-group."""
    cls, number, line = defined(folder, body)
    able = admitted(cls(), engine().device) if every else []
    grouped = [d for d in able if d != "serial"]  # which is one item, whatever the group
    runs = [(1, "slots"), *zip(cycle((8, 1)), grouped), *((1, d) for d in able if d == "serial")]
    for group, delivery in runs:
        with pytest.raises(ProgramError) as caught:
            engine(group, debug).run(cls(), delivery=delivery, max_supersteps=9)
        said = str(caught.value)
        assert said == (
            f"{folder}/my_program.py:{number}: Wrong: vertex {words}\n    {line.strip()}"
        ), (delivery, group)


ID = "used an id that is not in 0 ... 3"
APPLY = "apply = '''\n    {}  // <<<\n    v.x = 1;\n    set_mask();\n'''"
SCATTER = "scatter = '''\n    send(1);\n    {}  // <<<\n'''\napply = 'set_mask();'"
#: Statements, and with which vertex and in which superstep they go wrong. Only `a` scatters in the
#: first superstep, `b` applies and scatters in the next, then `c` and `d`.
IN_SCATTER = [
    ("set_mask_of(v.id - 1);", "'a'", 0),
    ("set_mask_of(v.id == 1 ? 4 : 0);", "'b'", 1),
    ("if (get_mask_of(e.dst + 3)) set_mask();", "'a'", 0),
    ("send_to(4L << 32, 1);", "'a'", 0),
    ("send_to(v.id == 2 ? -1 : 0, 1);", "'c'", 2),
    ("if (x_of(-1)) set_mask();", "'a'", 0),
    ("send(x_of(x_of(3) + 1));", "'a'", 0),
    ("if (has_edge(v.id, 4)) set_mask();", "'a'", 0),
    ("if (has_edge(v.id == 1 ? -1L : 0, 0)) set_mask();", "'b'", 1),
    ("send(neighbor_of(4, 0));", "'a'", 0),
    ("send(common(v.id, 4));", "'a'", 0),
    ("for_common(w, v.id == 1 ? -1L : 0, 0) set_mask();", "'b'", 1),
    ("send(num_neighbors_of(v.id == 1 ? -1 : 4L << 32));", "'a'", 0),
]
IN_APPLY = [
    ("set_mask_of(g.num_vertices);", "'b'", 0),
    ("set_mask_of(-1); unset_mask();", "'b'", 0),
    ("v.x = get_mask_of(v.id == 2 ? 4 : 0);", "'c'", 1),
    ("send_to(v.id == 3 ? 4 : v.id, 1);", "'d'", 1),
    ("v.x = x_of(v.id + 3);", "'b'", 0),
    ("v.y = y_of(-1);", "'b'", 0),
    ("v.x = has_edge(4, 4);", "'b'", 0),
    ("v.x = neighbor_of(-1, 0);", "'b'", 0),
    ("v.x = common(4L << 32, 0);", "'b'", 0),
    ("for_common(w, 0, v.id == 2 ? 4 : 0) ++v.x;", "'c'", 1),
    ("v.x = num_neighbors_of(v.id == 2 ? 4 : 0);", "'c'", 1),
]


@pytest.mark.parametrize(("statement", "vertex", "superstep"), one_in(6, IN_SCATTER))
def test_ids_out_of_range_in_scatter(tmp_path, statement, vertex, superstep):
    words, every = f"{vertex} {ID}, in superstep {superstep}", statement.startswith("send_to(v")
    check(tmp_path, SCATTER.format(statement), words, every=every)


@pytest.mark.parametrize(("statement", "vertex", "superstep"), one_in(6, IN_APPLY))
def test_ids_out_of_range_in_apply(tmp_path, statement, vertex, superstep):
    words, every = f"{vertex} {ID}, in superstep {superstep}", statement.startswith("send_to")
    check(tmp_path, APPLY.format(statement), words, every=every)


def test_ids_out_of_range_in_init_and_gather(tmp_path):
    init = "init = 'if (v.id == 2) set_mask_of(-1);'  # <<<\napply = 'set_mask();'"
    check(tmp_path, init, f"'c' {ID}, in superstep 0")
    gather = (
        "combine = None\ngather = '''\n    msg =\n        y_of(4); // <<<\n'''\napply = 'v.x = 1;'"
    )
    check(tmp_path, gather, f"'b' {ID}, in superstep 0", every=True)


NEIGHBOR = "used neighbor(i) or FIELD_to(i) with an i that is not in 0 ... num_neighbors - 1"


NO_NEIGHBOR = [
    (SCATTER.format("send(neighbor(num_neighbors));"), f"'a' {NEIGHBOR}, in superstep 0"),
    (SCATTER.format("send(neighbor(-1L));"), f"'a' {NEIGHBOR}, in superstep 0"),
    (SCATTER.format("send(neighbor(v.id == 1 ? 2 : 0));"), f"'b' {NEIGHBOR}, in superstep 1"),
    (APPLY.format("v.x = neighbor(0);"), f"'d' {NEIGHBOR}, in superstep 1"),
    (SCATTER.format("send(neighbor_of(0, -1L));"), f"'a' {NEIGHBOR}, in superstep 0"),
    (APPLY.format("v.x = neighbor_of(3, 0);"), f"'b' {NEIGHBOR}, in superstep 0"),
]


@pytest.mark.parametrize(("body", "words"), one_in(6, NO_NEIGHBOR))
def test_neighbors_that_are_not_there(tmp_path, body, words):
    check(tmp_path, body, words, every="neighbor(0)" in body)


@pytest.mark.slow
def test_neighbors_of_others_that_are_not_there_by_every_delivery(tmp_path):
    check(tmp_path, *NO_NEIGHBOR[-1], every=True)


TWICE = "sent twice along one arc, whose messages are not combined: send once"


@pytest.mark.parametrize(
    ("scatter", "words"),
    one_in(3, [
        ("send(1); send(2); // <<<", f"'a' {TWICE}, in superstep 0"),
        ("send(1);\n    if (v.id == 1 && e.dst == 3)\n        send(2); // <<<",
         f"'b' {TWICE}, in superstep 1"),
        ("for (int i = 0; i < 2; ++i)\n    send(i); // <<<", f"'a' {TWICE}, in superstep 0"),
    ]),
)  # fmt: skip
def test_a_second_message_along_an_arc_where_they_are_read_one_by_one(tmp_path, scatter, words):
    body = f"combine = None\ngather = 'msg = messages[0];'\napply = '{STEP}'\n"
    check(tmp_path, f"{body}scatter = '''\n    {scatter}\n'''", words, every="for" in scatter)


def test_the_least_vertex_of_the_first_superstep_is_named(tmp_path):
    body = "mask = 'v.id < 3'\n" + SCATTER.format("set_mask_of(4 + v.id);")
    check(tmp_path, body, f"'a' {ID}, in superstep 0")


def test_a_run_that_failed_leaves_the_engine_usable(tmp_path):
    cls, _, _ = defined(tmp_path, APPLY.format("set_mask_of(v.id == 1 ? 9 : 0);"))
    for _ in range(2):
        with pytest.raises(ProgramError, match=ID.replace(".", r"\.")):
            engine().run(cls())
    cls, _, _ = defined(tmp_path, f"apply = '{STEP}'  # <<<")
    assert engine().run(cls()).x.tolist() == [0, 1, 1, 1]


# Debug mode --------------------------------------------------------------------------------------

DEBUGGED = [
    # (statement of apply, words)
    ("v.x = 1 / v.x + 2 % (v.x - 2);", "'c' divided by zero, in superstep 1"),
    ("v.x /= v.id - 1;", "'b' divided by zero, in superstep 0"),
    ("v.x %= superstep; ", "'b' divided by zero, in superstep 0"),
    ("v.y = 1.0f / (v.id - 2);", "'c' divided by zero, in superstep 1"),
    ("v.y = NAN;", "'b' computed NaN, in superstep 0"),
    ("v.y = sqrt(v.y - v.id);", "'c' computed NaN, in superstep 1"),
    ("v.y *= 1e30f; v.y *= v.id == 2 ? 1e30f : 0;", "'c' made a finite value infinite, in supe"),
    ("aggregate_total(v.id == 2 ? NAN : 1);", "'c' computed NaN, in superstep 1"),
]


@pytest.mark.parametrize(("statement", "words"), one_in(2, DEBUGGED))
def test_debug_names_the_line_in_apply(tmp_path, statement, words):
    words += "rstep 1" if words.endswith("supe") else ""
    body = 'total = aggregate.real("max")\n' + APPLY.format(statement)
    check(tmp_path, body, words, debug=True)


@pytest.mark.parametrize(
    ("scatter", "words"),
    [
        ("send(1 / (v.id - 1)); // <<<", "'b' divided by zero, in superstep 1"),
        ("send(log(-v.y)); // <<<", "'a' computed NaN, in superstep 0"),
    ],
)
def test_debug_names_the_line_in_scatter(tmp_path, scatter, words):
    body = f"message = 'real'\nscatter = '''\n    {scatter}\n'''\napply = '{STEP}'"
    check(tmp_path, body, words, debug=True)


MESSAGES = "read messages[i] or groups[i] with an i that is not in 0 ... num_messages - 1"


@pytest.mark.parametrize(
    ("gather", "words"),
    [
        ("msg = messages[num_messages]; // <<<", f"'b' {MESSAGES}, in superstep 0"),
        ("msg = messages[-1]; // <<<", f"'b' {MESSAGES}, in superstep 0"),
        ("messages[v.id == 3] = 0; // <<<\n    msg = 1;", f"'d' {MESSAGES}, in superstep 1"),
        ("msg = 7 / (num_messages - 1); // <<<", "'b' divided by zero, in superstep 0"),
    ],
)
def test_debug_names_the_line_in_gather(tmp_path, gather, words):
    body = f"combine = None\ngather = '''\n    {gather}\n'''\napply = '{STEP}'"
    check(tmp_path, body, words, debug=True)


def test_debug_finds_nothing_in_what_is_right(tmp_path):
    body = """
apply = '''
    v.y = 1.0f / 0.5f; // <<<
    if (v.id != 1) v.x /= v.id - 1;
    v.x = v.id / 2 % 3;
    set_mask();
'''
"""
    cls, _, _ = defined(tmp_path, body)
    assert engine(1, True).run(cls()).y.tolist() == [1, 2, 2, 2]


def test_debug_lets_infinity_stay(tmp_path):
    """It is trapped where a field that was finite becomes infinite, not where it is so already."""
    body = f"y = vertex.real(init=float('inf'))\napply = 'v.y = v.y + 1; {STEP}'  # <<<"
    cls, _, _ = defined(tmp_path, body)
    assert engine(1, True).run(cls()).y.tolist() == [float("inf")] * 4
