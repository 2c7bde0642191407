"""Snippets that write and read through macros, pointers and parentheses: each does what C says."""

from __future__ import annotations

from typing import Any

import pytest
from support.case_subsets import one_in

from gascl import Engine, Graph, ProgramError, VertexProgram, arc, edge, param, struct, vertex

RING = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], weight=[10, 20, 30, 40])


class Scalars(VertexProgram):
    supersteps = param.supersteps(1)
    x = vertex.int32(init=5)
    y = vertex.int32(init="v.id + 1")
    weight = edge.int32()
    message, combine = "int32", "max"
    scatter_on = apply_on = "all"
    scatter = "send(v.y);"
    apply = "v.x = msg;"


class Plain(Scalars):
    Way = struct([("far", "int32"), ("to", "int32")])
    pos = vertex.int2(init="(int2)(5, 6)")
    way = vertex.struct(Way, init="(Way){5, 6}")


def run(base: Any = Plain, **changes: Any) -> Any:
    delivery, debug = changes.pop("delivery", None), changes.pop("debug", False)
    cls = type("Changed", (base,), changes)
    options = {"delivery": delivery} if delivery else {}
    return Engine(RING, debug=debug).run(cls(), **options)


#: (functions, apply, x of all vertices)
APPLIES = [
    ("#define INC(a) ((a) += 1)", "INC(v.x);", 6),
    ("#define INC(a) ++a", "INC(v.x);", 6),
    ("#define MINE v.y", "v.x = MINE;", [1, 2, 3, 4]),
    ("#define SET(name) (v.name = 9)", "SET(x);", 9),
    ("#define FIELD(name) v.name", "FIELD(x) = FIELD(y);", [1, 2, 3, 4]),
    ("#define JOIN(a, b) a##b", "v.JOIN(, x) = JOIN(ms, g);", [4, 1, 2, 3]),
    ("#define LEAVE if (v.y == 2) return;", "v.x = 1; LEAVE v.x = 2;", [2, 1, 2, 2]),
    ("", "#define INC(a) ((a) += 1)\nINC(v.x);", 6),
    ("", "v.x \\\n= 7;", 7),
    ("", "v\\\n.\\\nx = 7;", 7),
    ("", "v.x = 7; // comment \\", 7),
    ("", "v.x = 7; // comment \\\nv.x = 8;", 7),
    ("", "v.y = 1; // comment \rv.x = 8;", 8),
    ("", "v.x = 7; /* a\n# b */", 7),
    ("", "#if 1\nv.x = 7;\n#else\nv.x = 8;\n#endif\n(v.x)++;", 8),
    ("#define YES 1", "#if YES\nv.x = 7;\n#endif\n#ifdef YES\nv.x++;\n#endif", 8),
    ("", "do (v.x) = 7; while (0);", 7),
    ("", "int *q = &v.x; *q = 7;", 7),
    ("", "*&(v.x) = 7;", 7),
    ("", "*(v.y == 1 ? &v.x : &v.y) = 7;", [7, 5, 5, 5]),
    ("typedef int *Pointer;", "Pointer q = (Pointer)&v.x; *q = 7;", 7),
    ("void seven(int *q) { *q = 7; }", "seven(&v.x);", 7),
    ("", "v.x = sizeof(v.y) + sizeof v.pos;", 12),
    ("", "int w[2] = {v.y, 7}; v.y = 0, v.x = w[1];", 7),
    # A macro of the user's stays within the user's text.
    ("#define min(a, b) 7\n#define count 3\n#define exp", "v.x = min(1, v.y);", 7),
    ("#define x y", "v.x = 7;", 5),
]


@pytest.mark.parametrize(("functions", "apply", "x"), one_in(6, APPLIES))
def test_what_apply_does(functions, apply, x):
    expected = x if isinstance(x, list) else [x] * 4
    assert run(functions=functions, apply=apply).x.tolist() == expected


@pytest.mark.parametrize(
    "apply", ["(v.pos.x) = 7;", "((v.pos).s0) += 2;", "(v.pos.x)++; ++(v.pos.x);"]
)
def test_writes_of_components_in_parentheses(apply):
    assert run(apply=apply).pos.tolist() == [[7, 6]] * 4


@pytest.mark.parametrize(
    "apply", ["(v.way.far) = 7;", "*(&(v.way.far)) = 7;", "(&v.way)->far = 7;"]
)
def test_writes_of_members_in_parentheses(apply):
    assert run(apply=apply).way["far"].tolist() == [7] * 4


@pytest.mark.parametrize(
    "apply", ["gascl_vertex w = v;", "v = v;", "f(&v);", "(v).x = 1;", "int v;", "(*&v).x = 1;"]
)
def test_a_vertex_is_no_value(apply):
    with pytest.raises(
        ProgramError, match=r"`v` is not a value by itself|names that start with gascl_"
    ):
        type("Wrong", (Plain,), {"apply": apply})


def test_a_macro_that_reads_the_edge():
    changes = {"functions": "#define COST e.weight", "scatter": "send(COST);"}
    for delivery in ("serial", "slots", "pull", "outbox"):
        assert run(**changes, delivery=delivery).x.tolist() == [40, 10, 20, 30]
    with pytest.raises(ProgramError, match="fields of other vertices"):
        run(**changes | {"scatter": "send(COST + x_of(0));"}, delivery="outbox")


def test_arc_state_behind_macros():
    found = run(
        kept=arc.int32(init="e.src"),
        functions="#define TOLD(name) (e.name)\n#define AT(field) field##_of(e.dst)",
        scatter="TOLD(kept) += AT(y); send(TOLD(kept));",
        apply="v.x = msg;",
    )
    assert found.arc_fields["kept"].tolist() == [2, 4, 6, 4]
    assert found.x.tolist() == [4, 2, 4, 6]


def test_macros_in_expressions():
    found = run(
        functions="#define TWICE(a) ((a) * 2)\n#define MORE agg.more\n#define LARGER a > b ? a : b",
        z=vertex.int32(init="TWICE(v.y)"),
        combine="LARGER",
        identity="TWICE(-1)",
        apply="v.x = msg + v.z;",
    )
    assert found.x.tolist() == [4 + 2, 1 + 4, 2 + 6, 3 + 8]


def test_debug_mode_sees_divisions_in_macros():
    changes = {"functions": "#define HALF(a) (8 / (a))", "apply": "\n  v.x = HALF(v.y - 3);"}
    with pytest.raises(ProgramError, match=r"Changed\.apply:2: .*vertex 2 divided by zero"):
        run(Scalars, **changes, debug=True)  # where there are vectors, none is looked at


@pytest.mark.parametrize("debug", [False, True])
def test_a_divisor_is_evaluated_once(debug):
    changes = {"apply": "int i = 1; v.x = 100 / ++i + 60 % (i += 5) + i;"}
    assert run(Scalars, **changes, debug=debug).x.tolist() == [50 + 4 + 7] * 4


def test_errors_of_the_compiler_name_the_line_that_uses_a_macro():
    with pytest.raises(ProgramError, match=r"Changed\.apply:3: error: .*undeclared.*'nothing'"):
        run(functions="\n#define WRONG nothing", apply="v.x = 1;\n\nv.x = WRONG;")
