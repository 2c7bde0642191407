"""Two programs that run on every special graph."""

from __future__ import annotations

from support.program_tree import (
    Aggregate,
    Assign,
    Bin,
    Const,
    Entry,
    Field,
    GetMask,
    If,
    Program,
    Send,
    SetMask,
    ToInt,
    UnsetMask,
    Var,
    Vertex,
)


def v(name: str) -> Var:
    return Var("v", name)


MSG, ID = Var("", "msg"), v("id")
NOW, DST, TOTAL = Var("", "superstep"), Var("e", "dst"), Var("agg", "total")
DENSE = Program(
    fields={"x": Field("real", Bin("+", ID, Const(1)))},
    message="int32",
    combine="sum",
    scatter_on="all",
    apply_on="all",
    aggregates={"total": ("real", "sum"), "least": ("int32", "min")},
    tables={"rows": ("int16", ((1, -2, 3), (40, 50, -60))), "own": ("real", (7, 0, 5, 1))},
    scatter=(Send(Bin("+", ToInt(v("x")), ToInt(Entry("own", (ID,))))),),
    apply=(
        Assign("x", Bin("+", ToInt(v("x")), Entry("rows", (ID, NOW)))),
        Assign("x", Bin("%", Bin("+", ToInt(v("x")), MSG), Const(1000))),
        Aggregate("total", v("x")),
        If(Var("", "has_msg"), (Aggregate("least", MSG),)),
    ),
    stop=Bin("||", Bin(">=", NOW, Const(3)), Bin("==", TOTAL, Var("prev", "total"))),
)
SPARSE = Program(
    fields={"x": Field("int64", ID), "heard": Field("uint8")},
    edge_fields={"w0": ("int32", None), "w1": ("real", 3)},
    message="real",
    combine="min",
    edges="both",
    aggregates={"total": ("int64", "max")},
    mask=Bin("<", Bin("%", ID, Const(7)), Const(3)),
    scatter=(
        If(Bin("!=", v("x"), Var("e", "w0")), (Send(Bin("+", v("x"), Var("e", "w1"))),)),
        If(Bin("==", Bin("%", DST, Const(5)), Const(0)), (SetMask(DST),)),
    ),
    apply=(
        Aggregate("total", ToInt(MSG)),
        Assign("heard", Bin("+", NOW, GetMask())),
        If(Bin("<", MSG, v("x")), (Assign("x", MSG), SetMask())),
        If(Bin("==", ID, Const(2)), (UnsetMask(), SetMask(Vertex(Bin("+", ID, Const(1)))))),
    ),
)
#: One that every delivery admits, and one whose scatter reads the arc and sets masks.
SPECIAL_PROGRAMS = {"dense": DENSE, "sparse": SPARSE}
