"""Lanes, arc state, the adjacency and aggregators: programs written by hand."""

from support.by_hand.case import DST, ID, LANE, MSG, NOW, SRC, case, is_, plus
from support.oracle import PlainGraph
from support.program_tree import (
    Aggregate,
    Aggregator,
    Assign,
    Bin,
    Cond,
    Const,
    Field,
    HasEdge,
    If,
    Make,
    Member,
    Neighbor,
    Program,
    Send,
    SetMask,
    UnsetMask,
    Var,
)

DEPTH, SOURCE = Var("v", "depth"), Var("p", "source")

case(
    "TwoSources",
    Program(
        fields={"depth": Field("int32", Cond(is_(ID, SOURCE), Const(0), Const(99)))},
        params={"source": ("int32", 0)},
        message="int32",
        combine="min",
        mask=is_(ID, SOURCE),
        scatter=(Send(plus(DEPTH, 1)),),
        apply=(If(Bin("<", MSG, DEPTH), (Assign("depth", MSG), SetMask())),),
    ),
    graph=PlainGraph(4, ((0, 1), (1, 2), (2, 3))),
    params={"source": [0, 2]},
    fields={"depth": [[0, 99], [1, 99], [2, 0], [3, 1]]},
    # 0 and 2 in both lanes; 1 and 3; 2 once more; 3
    steps=[(2, 4), (2, 2), (1, 2), (1, 0)],
)

case(
    "UnsetInOneLane",
    # 0 sets 1 and 2 in scatter, in both lanes: 1 takes it back in one of them, 2 in both.
    Program(
        fields={"x": Field("int32", LANE), "pair": Field("int2", Make("int2", (ID, LANE)))},
        lanes=2,
        message="int32",
        combine="sum",
        mask=Bin("&&", is_(ID, 0), is_(LANE, 1)),
        aggregates={"total": ("int32", "sum")},
        scatter=(If(Bin("||", is_(DST, 1), LANE), (Send(plus(DST, 10)),)), SetMask(DST)),
        apply=(
            Assign("x", MSG, "+="),
            Aggregate("total", Const(1)),
            If(is_(ID, 1), (If(is_(LANE, 0), (UnsetMask(),)),)),
            If(is_(ID, 2), (UnsetMask(),)),
        ),
        apply_on="all",
        stop=Bin(">=", NOW, Const(3)),
    ),
    graph=PlainGraph(3, ((0, 1), (0, 2), (1, 0))),
    # 1 sends to 0 in lane 1 only, and sets it: 0 sends again
    fields={"x": [[0, 21], [22, 23], [0, 25]], "pair": [[[i, 0], [i, 1]] for i in range(3)]},
    steps=[(1, 3), (1, 1), (1, 3), (1, 1)],
    aggregates=[{"total": 6}] * 4,
)


TIMES = Var("e", "times")

case(
    "ArcState",
    # Arcs in order: 0-1 (edge 0), 0-1 (edge 2), 1-0 (0), 1-0 (2), 1-1 (1). They start with
    # 0 21 0 21 10, and 0 adds 1 in each superstep, 1 adds 2.
    Program(
        fields={"x": Field("int32")},
        edge_fields={"w": ("int32", None)},
        arc_fields={
            "times": Field("int32", plus(Bin("*", Var("e", "id"), Const(10)), Var("e", "w"))),
            "last": Field("int2", Make("int2", (SRC, DST))),
        },
        message="int32",
        combine="sum",
        scatter_on="all",
        has_supersteps=True,
        supersteps=2,
        scatter=(
            Assign("times", plus(SRC, 1), "+=", "e"),
            Assign("last.x", plus(TIMES, Member(Var("e", "last"), "y")), space="e"),
            Send(TIMES),
        ),
        apply=(Assign("x", MSG, "+="),),
    ),
    graph=PlainGraph(2, ((0, 1), (1, 1), (0, 1)), False, {"w": [0, 0, 1]}),
    # to 0: 2 + 23, then 4 + 25; to 1: 1 + 22 + 12, then 2 + 23 + 14
    fields={"x": [54, 74]},
    steps=[(2, 5), (2, 5)],
    arc_fields={
        "times": [2, 23, 4, 25, 14],
        "last": [[3, 1], [24, 1], [4, 0], [25, 0], [15, 1]],
    },
)


COUNT = Var("", "num_neighbors")

case(
    "Adjacency",
    # It scatters against the arrows: 0 to 1, 1 to 0 twice, 2 to 0 and to itself, 3 to nobody.
    Program(
        fields={"n": Field("uint8"), "last": Field("int32"), "back": Field("int32")},
        message="int32",
        combine="sum",
        edges="in",
        apply_on="all",
        scatter=(Send(plus(Bin("*", COUNT, Const(10)), HasEdge(DST, SRC))),),
        apply=(
            Assign("n", COUNT),
            Assign("last", Neighbor(plus(COUNT, -1))),
            Assign("back", plus(Bin("*", MSG, Const(10)), HasEdge(ID, Const(0)))),
        ),
    ),
    graph=PlainGraph(4, ((0, 2), (0, 1), (0, 1), (1, 0), (2, 2))),
    # 0 hears 21 twice and, of 2, to whom it has no arc, 20; 1 hears 11; 2 hears 21 of itself
    fields={"n": [1, 2, 2, 0], "last": [1, 0, 2, 3], "back": [620, 111, 211, 0]},
    steps=[(4, 5)],
)


MEAN = Var("prev", "mean")
LEAST = "a.x < b.x || (a.x == b.x && a.id <= b.id) ? a : b"

case(
    "Aggregators",
    # 0 wakes 1 and 2, they wake 3.
    Program(
        structs={"Pair": (("x", "int16"), ("id", "int32"))},
        fields={"x": Field("int32", Const(9)), "first": Field("int32")},
        message="int32",
        combine="sum",
        aggregates={
            "n": ("int8", "count"),
            "mean": ("int32", "mean"),
            "odd": ("uint32", "a ^ b", 0),
            "best": Aggregator("Pair", LEAST, Make("Pair", (Const(99), Const(-1)))),
            # Wider than what stands beside them, and with a place that holds nothing.
            "far": Aggregator("uint4", "max(a, b)", Make("uint4", (Const(0),) * 4)),
            "sums": Aggregator("float3", "a + b", Make("float3", (Const(0),) * 3)),
        },
        folds={
            LEAST: min,
            "max(a, b)": lambda a, b: tuple(map(max, a, b)),
            "a + b": lambda a, b: tuple(map(sum, zip(a, b, strict=True))),
        },
        mask=is_(ID, 0),
        scatter=(Send(plus(ID, 1)),),
        apply=(
            Assign("x", Member(Var("prev", "best"), "x")),
            Assign("first", Bin("!=", MEAN, MEAN)),
            Aggregate("n", Const(3)),
            Aggregate("mean", ID),
            Aggregate("odd", ID),
            Aggregate("best", Make("Pair", (plus(Const(7), MSG), ID))),
            Aggregate("far", Make("uint4", (ID, Const(1), MSG, Const(3)))),
            Aggregate("sums", Make("float3", (ID, Const(1), MSG))),
            SetMask(),
        ),
        stop=is_(Member(Var("agg", "best"), "id"), 3),
    ),
    graph=PlainGraph(4, ((0, 2), (0, 1), (1, 3), (2, 3))),
    fields={"x": [9, 99, 99, 8], "first": [0, 1, 1, 0]},
    steps=[(1, 2), (2, 2)],
    aggregates=[
        {
            "n": 2,
            "mean": 1.5,
            "odd": 3,
            "best": (8, 1),
            "far": (2, 1, 1, 3),
            "sums": (3.0, 2.0, 2.0),
        },
        {
            "n": 1,
            "mean": 3.0,
            "odd": 3,
            "best": (12, 3),
            "far": (3, 1, 5, 3),
            "sums": (3.0, 1.0, 5.0),
        },
    ],
)
