"""Programs for one rule of a superstep each: the engine, the oracle and a result by hand agree."""

import math

from support.by_hand.case import DST, HAS, ID, MSG, NOW, SRC, X, case, is_, plus
from support.oracle import PlainGraph
from support.program_tree import (
    Aggregate,
    Assign,
    Bin,
    Cond,
    Const,
    Field,
    GetMask,
    If,
    Program,
    Send,
    SetMask,
    UnsetMask,
    Var,
    Vertex,
)

RING = PlainGraph(3, ((0, 1), (1, 2), (2, 0)))

case(
    "IdentitySent",
    Program(
        fields={"x": Field("int32", Const(5)), "heard": Field("uint8")},
        message="int32",
        combine="min",
        apply_on="all",
        scatter=(Send(Const(2**31 - 1)),),
        apply=(Assign("x", MSG), Assign("heard", Cond(HAS, Const(2), Const(1)))),
    ),
    graph=PlainGraph(3, ((0, 1), (1, 2))),
    fields={"x": [2**31 - 1] * 3, "heard": [1, 2, 2]},
    steps=[(3, 2)],
)

case(
    "NoMessage",
    Program(
        fields={"x": Field("real", Const(5))},
        message="real",
        combine="max",
        apply_on="all",
        edges="in",
        mask=Bin(">", ID, Const(0)),
        scatter=(Send(ID),),
        apply=(Assign("x", MSG),),
    ),
    graph=PlainGraph(4, ((0, 1), (0, 2), (1, 3))),
    fields={"x": [2, 3, -math.inf, -math.inf]},
    steps=[(3, 3)],
)

case(
    "Conditional",
    Program(
        fields={"x": Field("int64", Const(-1))},
        message="int64",
        combine="sum",
        scatter=(If(is_(Bin("%", ID, Const(2)), 0), (Send(plus(ID, 10)),)),),
        apply=(Assign("x", MSG),),
    ),
    graph=PlainGraph(5, ((0, 3), (1, 3), (2, 3), (1, 4), (3, 4))),
    fields={"x": [-1, -1, -1, 22, -1]},
    steps=[(5, 2)],
)

case(
    "Twice",
    Program(
        fields={"x": Field("int32")},
        message="uint32",
        combine="(a + b) % 1009",
        identity=0,
        scatter=(Send(Const(1000)), Send(Bin("*", DST, Const(3)))),
        apply=(Assign("x", MSG),),
    ),
    graph=PlainGraph(4, ((0, 1), (0, 1), (0, 2), (3, 3))),
    fields={"x": [0, 997, 1006, 0]},  # 2 * 1003 - 1009; 1000 + 6; 1000 + 9 - 1009
    steps=[(4, 4)],
)

case(
    "MaskInScatter",
    Program(
        fields={"x": Field("int32")},
        message="int32",
        combine="sum",
        mask=is_(ID, 0),
        scatter=(Send(Const(1)), SetMask(DST)),
        apply=(Assign("x", plus(NOW, 1)),),
    ),
    graph=PlainGraph(4, ((0, 1), (1, 2), (2, 3))),
    fields={"x": [0, 1, 2, 3]},
    steps=[(1, 1), (1, 1), (1, 1), (1, 0)],
)

case(
    "MaskInApply",
    Program(
        fields={"x": Field("int32")},
        message="int32",
        combine="or",
        mask=is_(ID, 0),
        scatter=(Send(Const(1)),),
        apply=(Assign("x", plus(NOW, 1)), SetMask(Vertex(plus(ID, 1)))),
    ),
    graph=PlainGraph(4, ((0, 2), (3, 1))),
    fields={"x": [0, 2, 1, 0]},  # 0 reaches 2, who wakes 3, who reaches 1, who wakes 2
    steps=[(1, 1), (1, 1), (1, 0)],
)


FIRST_HEARD = Bin("&&", is_(NOW, 0), HAS)

case(
    "Unset",
    # All of 1 ... 4 are set by 0 in scatter. 1: nothing more; 2: cancels that and its own;
    # 3: sets itself last; 4: cancels, but 1 has set it in apply.
    Program(
        fields={"x": Field("int32")},
        message="int32",
        combine="and",
        mask=is_(ID, 0),
        apply_on="all",
        scatter=(Send(Const(1)), SetMask(DST)),
        apply=(
            Assign("x", Bin("+", Bin("*", X, Const(10)), GetMask())),
            If(
                FIRST_HEARD,
                (
                    If(is_(ID, 1), (SetMask(Const(4)),)),
                    If(is_(ID, 2), (SetMask(), UnsetMask())),
                    If(is_(ID, 3), (UnsetMask(), SetMask())),
                    If(is_(ID, 4), (UnsetMask(),)),
                ),
            ),
        ),
    ),
    graph=PlainGraph(6, ((0, 1), (0, 2), (0, 3), (0, 4))),
    fields={"x": [10, 1, 0, 1, 1, 0]},
    steps=[(1, 4), (3, 0)],
)


PREV = Var("prev", "total")

case(
    "PrevInScatter",
    Program(
        fields={"x": Field("real")},
        message="real",
        combine="sum",
        scatter_on="all",
        aggregates={"total": ("real", "sum")},
        init=(Aggregate("total", plus(ID, 1)),),
        scatter=(Send(PREV),),
        apply=(Assign("x", MSG), Aggregate("total", X)),
        stop=Bin(">=", Var("agg", "total"), Const(162)),
    ),
    graph=RING,
    fields={"x": [54, 54, 54]},
    steps=[(3, 3), (3, 3), (3, 3)],
    aggregates=[
        {"total": 18},
        {"total": 54},
        {"total": 162},
    ],  # init: 1 + 2 + 3; then three times the one before
)

case(
    "Shift",
    Program(
        fields={"x": Field("int32", plus(ID, 1))},
        message="int32",
        combine="sum",
        scatter_on="all",
        aggregates={"total": ("int32", "max")},
        scatter=(Send(X),),
        apply=(
            Assign("x", Bin("+", Bin("*", X, Const(10)), MSG)),
            If(is_(ID, 1), (Aggregate("total", PREV), Aggregate("total", NOW))),
        ),
        has_supersteps=True,
        supersteps=2,
    ),
    graph=RING,
    # 1 2 3, then 10 + 3, 20 + 1, 30 + 2, then 130 + 32, 210 + 13, 320 + 21
    fields={"x": [162, 223, 341]},
    steps=[(3, 3), (3, 3)],
    aggregates=[
        {"total": 0},
        {"total": 1},
    ],  # prev is INT_MIN, nobody having added; then the superstep
)

case(
    "BothWays",
    Program(
        fields={"x": Field("int32")},
        message="int32",
        combine="sum",
        edges="both",
        edge_fields={"w": ("int32", None)},
        scatter=(
            Send(Bin("+", Bin("*", Var("e", "reversed"), Const(100)), Bin("*", SRC, Const(10)))),
            Send(Bin("+", Var("e", "id"), Var("e", "w"))),
        ),
        apply=(Assign("x", MSG),),
    ),
    graph=PlainGraph(3, ((0, 1), (1, 2), (2, 2)), True, {"w": [4, 5, 7]}),
    # to 0 from 1 back: 110 + 4; to 1 from 0: 0 + 4, from 2 back: 120 + 6;
    # to 2 from 1: 10 + 6, from itself, forth and once: 20 + 9
    fields={"x": [114, 130, 45]},
    steps=[(3, 5)],
)

case(
    "Alternating",
    Program(
        fields={"x": Field("int32", ID)},
        message="int32",
        combine="sum",
        edges="alternate",
        scatter_on="all",
        apply_on="all",
        has_supersteps=True,
        supersteps=3,
        edge_fields={"w": ("int32", None)},
        scatter=(Send(Bin("+", Bin("*", X, Var("e", "w")), Var("e", "reversed"))),),
        apply=(Assign("x", MSG),),
    ),
    graph=PlainGraph(3, ((0, 1), (1, 2), (2, 2)), True, {"w": [4, 5, 7]}),
    # forth: 0, 0 * 4, 1 * 5 + 2 * 7; back: 0 * 4 + 1, 19 * 5 + 1, 19 * 7 + 1;
    # forth: 0, 1 * 4, 96 * 5 + 134 * 7
    fields={"x": [0, 4, 1418]},
    steps=[(3, 3), (3, 3), (3, 3)],
)

case(
    "InitMask",
    Program(
        fields={"x": Field("int32", Var("v", "out_degree"))},
        message="int32",
        combine="max",
        mask=Const(0),
        init=(If(is_(ID, 0), (SetMask(Const(2)),)), Assign("x", plus(X, 1))),
        scatter=(Send(Bin("+", Bin("*", X, Const(10)), GetMask(DST))),),
        apply=(Assign("x", MSG),),
    ),
    graph=PlainGraph(3, ((0, 1), (2, 0), (2, 2))),
    fields={"x": [30, 1, 31]},
    steps=[(1, 2)],
)
