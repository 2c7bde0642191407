"""What receive_if, first, enough, priority and apply_on = "mask" mean: computed by hand."""

from __future__ import annotations

from support.by_hand.case import HAS, ID, LANE, MSG, NOW, X, case, plus
from support.oracle import PlainGraph
from support.program_tree import (
    Assign,
    Bin,
    Cond,
    Const,
    Field,
    If,
    Program,
    Send,
    SetMask,
    Var,
    Vertex,
)


def v(name: str) -> Var:
    return Var("v", name)


case(
    "Search",
    Program(
        fields={
            "depth": Field("int32", Cond(Bin("==", ID, Const(0)), Const(0), Const(-1))),
            "parent": Field("int32", Const(-1)),
        },
        message="int32",
        combine="first",
        receive_if=Bin("<", v("depth"), Const(0)),
        mask=Bin("==", ID, Const(0)),
        scatter=(Send(ID),),
        apply=(Assign("depth", plus(NOW, 1)), Assign("parent", MSG), SetMask()),
    ),
    graph=PlainGraph(5, ((0, 2), (0, 1), (2, 3), (1, 3), (3, 0), (3, 4), (1, 2))),
    fields={"depth": [0, 1, 1, 2, 3], "parent": [-1, 0, 0, 1, 3]},
    steps=[(1, 2), (2, 1), (1, 1), (1, 0)],  # 3 hears of 1 and 2; 0 and 2 listen no more
)

case(
    "MoreThanMine",
    Program(
        fields={"x": Field("int32", ID)},
        message="int32",
        combine="sum",
        receive_if=Bin(">", MSG, X),
        scatter=(Send(ID), Send(plus(ID, 2))),
        apply=(Assign("x", MSG),),
    ),
    graph=PlainGraph(3, ((0, 2), (1, 2), (1, 2), (2, 0))),
    # along the arcs from 0, 1 and 1, vertex 2 hears 2, 4 and 4, and wants more than 2; 0 hears 6
    fields={"x": [6, 1, 8]},
    steps=[(3, 3)],
)

case(
    "FirstOfParallelArcs",
    Program(
        fields={"x": Field("int32", Const(-1))},
        message="int32",
        combine="first",
        edges="both",
        scatter=(
            Send(Bin("+", Bin("*", Var("e", "id"), Const(10)), Var("e", "reversed"))),
            Send(Const(99)),
        ),
        apply=(Assign("x", MSG),),
    ),
    graph=PlainGraph(3, ((1, 0), (0, 1), (1, 0), (2, 0), (0, 0))),
    fields={"x": [40, 1, 31]},  # 0 hears itself first, and 1 hears 0 along the edges 0, 1, 2
    steps=[(3, 3)],
)

case(
    "EnoughBits",
    Program(
        fields={"x": Field("int32", plus(ID, 1))},
        message="int32",
        combine="or",
        enough=Bin("&&", Bin("==", MSG, Const(3)), Bin(">", ID, Const(0))),
        scatter=(Send(X),),
        apply=(Assign("x", MSG),),
    ),
    graph=PlainGraph(5, ((0, 3), (1, 3), (2, 3), (0, 4), (0, 4))),
    fields={"x": [1, 2, 3, 3, 1]},
    steps=[(5, 2)],  # one for each that hears anything
)

case(
    "NearestFirst",
    Program(
        fields={"x": Field("int32", Cond(Bin("==", ID, Const(0)), Const(0), Const(99)))},
        edge_fields={"w": ("int32", None)},
        message="int32",
        combine="min",
        mask=Bin("==", ID, Const(0)),
        priority=X,
        delta=2,
        scatter=(Send(Bin("+", X, Var("e", "w"))),),
        apply=(If(Bin("<", MSG, X), (Assign("x", MSG), SetMask())),),
    ),
    graph=PlainGraph(4, ((0, 1), (0, 2), (2, 1), (1, 3), (2, 3)), fields={"w": [5, 1, 1, 1, 4]}),
    fields={"x": [0, 2, 1, 3]},
    # 0; of 1 (at 5) and 2 (at 1) the nearer; of 1 (now at 2) and 3 (at 5); 3 (now at 3)
    steps=[(1, 2), (1, 2), (1, 1), (1, 0)],
)

case(
    "NearAndFar",
    Program(
        fields={"x": Field("int32", Cond(Bin("==", ID, Const(0)), Const(0), Const(999)))},
        edge_fields={"w": ("int32", None)},
        message="int32",
        combine="min",
        mask=Bin("==", ID, Const(0)),
        priority=X,
        delta=1,
        scatter=(Send(Bin("+", X, Var("e", "w"))),),
        apply=(If(Bin("<", MSG, X), (Assign("x", MSG), SetMask())),),
    ),
    graph=PlainGraph(
        5,
        ((0, 1), (0, 2), (2, 3), (3, 1), (0, 4), (4, 1)),
        fields={"w": [100, 3, 5, 4, 50, 1]},
    ),
    fields={"x": [0, 12, 3, 8, 50]},
    # 0; 2 (at 3) before 4 and 1 (at 50 and 100); 3 (at 8); 1 (which is at 12 now); 4
    steps=[(1, 3), (1, 1), (1, 1), (1, 0), (1, 1)],
)

case(
    "EarlierTurnsComeLate",
    Program(
        fields={
            "turn": Field("int32", Bin("%", Bin("+", Bin("*", ID, Const(2)), Const(1)), Const(3))),
            "heard": Field("int32", Const(-1)),
        },
        message="int32",
        combine="min",
        mask=Bin("==", ID, Const(0)),
        priority=v("turn"),
        delta=1,
        scatter=(Send(Const(1)),),
        apply=(Assign("heard", NOW), SetMask()),
    ),
    graph=PlainGraph(5, ((0, 3), (0, 1), (1, 2), (3, 4))),
    fields={"turn": [1, 0, 2, 1, 0], "heard": [-1, 0, 1, 0, 2]},
    # 0; 1, which is before 3; 3, since 2 is behind it; 4, which is before 2; 2
    steps=[(1, 2), (1, 1), (1, 1), (1, 0), (1, 0)],
)

case(
    "WhileItWaits",
    Program(
        fields={"x": Field("int32", Bin("%", Bin("*", ID, Const(10)), Const(16))),
                "heard": Field("int32", Const(-1))},
        message="int32",
        combine="min",
        priority=X,
        delta=4,
        scatter=(Send(X),),
        apply=(Assign("x", MSG), Assign("heard", NOW)),
    ),
    graph=PlainGraph(3, ((0, 1), (1, 2), (2, 0))),
    fields={"x": [0, 0, 0], "heard": [2, 0, 1]},
    steps=[(1, 1)] * 3,  # 0, then 1, which waits and is at 0 now, then 2, which was before it
)  # fmt: skip

case(
    "LeastOfTheLanes",
    Program(
        fields={
            "key": Field(
                "int32",
                Cond(LANE, Bin("-", Const(2), Bin("*", Const(2), ID)), Bin("-", ID, Const(1))),
            ),
            "x": Field("int32", Const(-9)),
        },
        lanes=2,
        message="int32",
        combine="max",
        priority=v("key"),
        delta=2,
        scatter=(Send(v("key")),),
        apply=(Assign("x", MSG),),
    ),
    graph=PlainGraph(3, ((0, 1), (2, 1), (1, 0))),
    # in lane 0 the buckets are -1, 0, 0, in lane 1 they are 1, 0, -1
    fields={"key": [[-1, 2], [0, 0], [1, -2]], "x": [[0, 0], [1, 2], [-9, -9]]},
    steps=[(2, 4), (1, 2)],
)

case(
    "OnTheMask",
    Program(
        fields={"x": Field("int32"), "y": Field("int32", Const(5))},
        message="int32",
        combine="first",
        apply_on="mask",
        mask=Bin("<", ID, Const(2)),
        scatter=(Send(plus(ID, 1)),),
        apply=(Assign("x", plus(HAS, 1)), Assign("y", MSG)),
    ),
    graph=PlainGraph(4, ((0, 1), (1, 2))),
    fields={"x": [1, 2, 2, 0], "y": [0, 1, 2, 5]},  # without a message, `msg` is 0
    steps=[(2, 2)],
)

case(
    "WantsNoMore",
    Program(
        fields={"x": Field("int32"), "wants": Field("int32", Const(1))},
        message="int32",
        combine="sum",
        apply_on="mask",
        receive_if=v("wants"),
        apply=(
            If(
                Bin("==", NOW, Const(0)),
                (
                    Send(plus(ID, 1), Vertex(plus(ID, 1))),
                    Assign("wants", Bin("!=", ID, Const(1))),
                ),
                (Assign("x", MSG),),
            ),
        ),
    ),
    graph=PlainGraph(3, ((0, 0),)),
    fields={"x": [3, 0, 2], "wants": [1, 0, 1]},  # 1 wants none when it arrives
    steps=[(3, 0), (0, 2)],
)

case(
    "PairsWithTwo",
    Program(
        fields={"x": Field("int32", Const(-1))},
        message="int32",
        combine="sum",
        receive_if=Bin("!=", ID, Const(1)),
        pairs=(Send(Var("u", "id")),),
        apply=(Assign("x", MSG),),
    ),
    graph=PlainGraph(3, ((0, 1),)),
    fields={"x": [3, -1, 1]},
    steps=[(3, 4)],
)
