"""What must be the same however often `auto` changes the delivery: programs written by hand."""

from __future__ import annotations

from support.by_hand.case import ID, MSG, NOW, X, case
from support.oracle import PlainGraph
from support.program_tree import (
    Assign,
    Bin,
    Cond,
    Const,
    Expr,
    Field,
    If,
    Program,
    Send,
    SetMask,
)

ODD = Bin("&", NOW, Const(1))
RING = PlainGraph(8, tuple((i, (i + 1) % 8) for i in range(8)))


def less(a: Expr, b: int) -> Expr:
    return Bin("<", a, Const(b))


case(
    "UnderWayInTurns",
    # The mask holds 8, 1, 8, 1 ... vertices: many arcs and few. All send to 1 until superstep 4.
    Program(
        fields={"x": Field("int32")},
        message="int32",
        combine="sum",
        apply_on="all",
        scatter=(Send(Const(1)),),
        apply=(
            Assign("x", Bin("+", Bin("*", Bin("%", X, Const(1000)), Const(10)), MSG)),
            If(less(NOW, 4), (Send(Const(1), Const(1)),)),
            If(Cond(ODD, Const(1), Bin("==", ID, Const(0))), (SetMask(),)),
        ),
        stop=Bin(">=", NOW, Const(7)),
    ),
    graph=RING,
    # 1 hears 1 9 9 9 9 1 1 1; the others of those before them in supersteps 0 2 4 6
    fields={"x": [1010, 9111] + [1010] * 6},
    steps=[(8, 8), (1, 9), (8, 16), (1, 9), (8, 16), (1, 1), (8, 8), (1, 1)],
)

case(
    "LastUnderWay",
    # 0's message from apply is the last thing that happens: nothing runs behind it.
    Program(
        fields={"x": Field("int32")},
        message="int32",
        combine="sum",
        scatter=(Send(Const(1)),),
        apply=(
            Assign("x", Bin("+", X, Bin("+", MSG, Const(10)))),
            If(Bin("==", Bin("+", ID, NOW), Const(0)), (Send(Const(5), Const(3)),)),
        ),
    ),
    graph=RING,
    fields={"x": [11, 11, 11, 26, 11, 11, 11, 11]},
    steps=[(8, 8), (0, 1)],
)

case(
    "AskedInTurns",
    # It is asked after each superstep, also where the next one goes another way.
    Program(
        fields={"x": Field("int32")},
        message="int32",
        combine="sum",
        scatter=(Send(Const(1)),),
        apply=(Assign("x", MSG, "+="), If(less(ID, 1), (SetMask(),))),
        converged=lambda step: step.superstep == 0,
    ),
    graph=RING,
    fields={"x": [1] * 8},
    steps=[(8, 8)],
)
