"""Messages of every kind, to every vertex, combined or read singly: programs written by hand."""

from __future__ import annotations

from support.by_hand.case import DST, HAS, ID, MSG, X, case, is_, plus
from support.oracle import PlainGraph
from support.program_tree import (
    Assign,
    Bin,
    Const,
    Expr,
    Field,
    Gather,
    If,
    Make,
    Member,
    Of,
    Program,
    Send,
    SetMask,
    Var,
)

PATH = PlainGraph(3, ((0, 1), (1, 2)))
NEARER = "a.distance < b.distance || (a.distance == b.distance && a.parent <= b.parent) ? a : b"
NONE = Make("Pair", (Const(99.0), Const(-1)))
BEST = Var("v", "best")


def of(x: Expr, path: str) -> Expr:
    return Member(x, path)


case(
    "Nearest",
    Program(
        structs={"Pair": (("distance", "float32"), ("parent", "int32"))},
        fields={"best": Field("Pair", Make("Pair", (Const(99), Const(-1))))},
        message="Pair",
        combine=NEARER,
        folds={NEARER: min},
        identity=NONE,
        mask=is_(ID, 0),
        init=(If(is_(ID, 0), (Assign("best.distance", Const(0)),)),),
        scatter=(Send(Make("Pair", (plus(of(BEST, "distance"), 1), ID))),),
        apply=(
            If(
                Bin("<", of(MSG, "distance"), of(BEST, "distance")),
                (Assign("best", MSG), SetMask()),
            ),
        ),
    ),
    graph=PlainGraph(5, ((0, 2), (0, 1), (2, 3), (1, 3), (3, 0))),
    fields={"best": [(0, -1), (1, 0), (1, 0), (2, 1), (99, -1)]},
    steps=[(1, 2), (2, 2), (1, 1)],  # 3 hears of 1 and 2: as near, and 1 is less
)

case(
    "StructInPlace",
    Program(
        structs={"message": (("n", "int16"), ("far", "uint16"))},
        fields={"n": Field("int32"), "far": Field("int32")},
        message="message",
        combine="(message){a.n + b.n, max(a.far, b.far)}",
        folds={
            "(message){a.n + b.n, max(a.far, b.far)}": lambda a, b: (a[0] + b[0], max(a[1], b[1]))
        },
        identity=Make("message", (Const(0), Const(0))),
        scatter=(
            Send(Make("message", (Const(-1), ID))),
            Send(Make("message", (Const(3), Const(1)))),
        ),
        apply=(Assign("n", of(MSG, "n")), Assign("far", of(MSG, "far"))),
    ),
    graph=PlainGraph(4, ((0, 1), (2, 1), (3, 1), (3, 2), (0, 0))),
    fields={"n": [2, 6, 2, 0], "far": [1, 3, 3, 0]},
    steps=[(4, 5)],
)


POS = Var("v", "pos")

case(
    "Places",
    # Too wide for atomics: 8 + 4 + 1 bytes, aligned as C does.
    Program(
        structs={"Place": (("p", "int2"), ("w", "float32"), ("c", "uint8"))},
        fields={"pos": Field("Place", Make("Place", (ID, Const(1), Const(2), Const(3))))},
        message="int2",
        combine="a + b",
        folds={"a + b": lambda a, b: (a[0] + b[0], a[1] + b[1])},
        identity=Make("int2", (Const(0), Const(0))),
        scatter=(Send(Make("int2", (of(POS, "p.x"), of(POS, "c")))),),
        apply=(
            Assign("pos.p.y", plus(of(MSG, "x"), of(MSG, "y"))),
            Assign("pos.w", of(MSG, "y")),
        ),
    ),
    graph=PATH,
    fields={"pos": [(0, 1, 2, 3), (1, 3, 3, 3), (2, 4, 3, 3)]},
    steps=[(3, 2)],
)

case(
    "ToAnyone",
    Program(
        fields={"x": Field("int32")},
        message="int32",
        combine="sum",
        scatter=(Send(Const(1)), Send(Const(10), Const(0)), Send(Const(100), DST)),
        apply=(Assign("x", MSG, "+="),),
    ),
    graph=PATH,
    fields={"x": [20, 101, 101]},
    steps=[(3, 6)],  # two arcs, and two calls on each of them
)

case(
    "HandedOn",
    Program(
        fields={"x": Field("int32")},
        message="int32",
        combine="max",
        mask=is_(ID, 0),
        scatter=(Send(Const(1)),),
        apply=(
            Assign("x", MSG, "+="),
            If(Bin("<", ID, Const(3)), (Send(plus(MSG, 1), plus(ID, 1)),)),
        ),
    ),
    graph=PlainGraph(4, ((0, 1),)),
    fields={"x": [0, 1, 2, 3]},
    steps=[(1, 1), (0, 1), (0, 1)],  # nobody is in the mask, and yet it goes on
)

case(
    "BothAtOnce",
    # What apply sent and what scatter sends to the same vertex are combined; sums of floats.
    Program(
        fields={"x": Field("real")},
        message="real",
        combine="sum",
        supersteps=2,
        has_supersteps=True,
        scatter_on="all",
        scatter=(Send(Const(1)), Send(Const(4), ID)),
        apply=(Assign("x", MSG), Send(Const(100), Const(2)), Send(Const(1000), ID)),
    ),
    graph=PATH,
    # 0: 4, then 4 + 1000; 1: 1 + 4, then 5 + 1000; 2: 1, then 1 + 3 * 100 + 1000
    fields={"x": [1004, 1005, 1301]},
    steps=[(3, 4), (3, 10)],
)

case(
    "PointerJumping",
    # Whoever reads in place what the one before has written gets 0 for vertex 3.
    Program(
        fields={"up": Field("int32", Bin("max", plus(ID, -1), Const(0)))},
        message="int32",
        combine="sum",
        apply_on="all",
        scatter=(Send(Of("up", DST)),),
        apply=(Assign("up", plus(Bin("*", MSG, Const(10)), Of("up", Var("v", "up")))),),
    ),
    graph=PlainGraph(5, ((0, 4), (1, 4), (4, 2))),
    fields={"up": [0, 0, 10, 1, 62]},  # each the parent's parent; 2 heard 1, 4 heard 3 twice
    steps=[(5, 3)],
)


INTO_0 = PlainGraph(6, ((1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (1, 2)))
INSERTION = """
    for (int i = 1; i < num_messages; i++) {
        int moved = messages[i], j = i;
        for (; j > 0 && messages[j - 1] > moved; j--) messages[j] = messages[j - 1];
        messages[j] = moved;
    }
"""
LABEL = Field("int32", Bin("%", Bin("*", ID, Const(7)), Const(4)))  # 0 3 2 1 0 3

case(
    "MostFrequent",
    Program(
        fields={"x": LABEL},
        message="int32",
        gather=Gather("frequent", Var("", "item"), Var("", "found")),
        scatter=(Send(X),),
        apply=(Assign("x", MSG),),
    ),
    graph=INTO_0,
    fields={"x": [3, 3, 3, 1, 0, 3]},  # 0 hears 3 2 1 0 3; 2 hears 3
    steps=[(6, 6)],
)

case(
    "Median",
    Program(
        fields={"x": LABEL, "m": Field("real2")},
        message="int32",
        gathered="real2",
        identity=Make("real2", (Const(-1), Const(-2))),
        gather=Gather("median", Var("", "item"), Make("real2", (Var("", "found"), plus(X, 10)))),
        apply_on="all",
        scatter=(If(Bin("!=", X, Const(0)), (Send(X),)),),
        apply=(Assign("m", MSG), Assign("x", HAS)),
    ),
    graph=INTO_0,
    # 0 hears 3 2 1 3: the third of 1 2 3 3; 2 hears 3; the others nobody
    fields={"x": [1, 0, 1, 0, 0, 0], "m": [[3, 10], [-1, -2], [3, 12], *[[-1, -2]] * 3]},
    steps=[(6, 5)],
)
