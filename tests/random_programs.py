"""Hypothesis strategies: random vertex programs (as trees) and the graphs to run them on.

Values stay small by construction: an expression carries bounds of its value, sums and products
that would leave them are clamped, and whatever may hold an identity or another extreme value (msg,
prev, a "raw" or "wide" field) is clamped where it is read. The oracle checks the same as it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from oracle import CUSTOM, PlainGraph, identity_of
from program_tree import (
    Aggregate,
    Assign,
    Bin,
    Clamp,
    Cond,
    Const,
    Expr,
    Field,
    GetMask,
    If,
    Program,
    Send,
    SetMask,
    Stmt,
    ToInt,
    UnsetMask,
    Var,
    Vertex,
    contains,
)

BOUND = 100_000  # of an intermediate value
FIELD_TYPES = [
    *["int32", "int64", "real", "real", "float32", "float64"],
    *["uint8", "int8", "int16", "uint16", "uint32", "uint64"],
]
MESSAGE_TYPES = ["int32", "int64", "uint32", "real", "real"]
INTEGER_ONLY = ("or", "and", "(a + b) % 1009", "a ^ b")
DRAW = Callable[[st.SearchStrategy[Any]], Any]


def is_real(kind: str) -> bool:
    return kind in ("real", "float32", "float64")


def bounds_of(kind: str) -> tuple[int, int]:
    """What may be stored in a field, a message or an aggregator of a type."""
    if kind in ("uint8", "int8"):
        return (0, 200) if kind == "uint8" else (-100, 100)
    return (0, 1000) if kind.startswith("uint") else (-1000, 1000)


class E(NamedTuple):
    """An expression, the bounds of its value, and whether C computes it in floating point."""

    x: Expr
    low: int
    high: int
    real: bool = False


@dataclass
class Scope:
    """What expressions of one snippet may read: `leaves`, and whose mask."""

    draw: DRAW
    leaves: list[E]
    masks: bool = False  # get_mask() and get_mask_of(...)
    writable: dict[str, str] = field(default_factory=dict)  # field: type

    def pick(self, *choices: Any) -> Any:
        return self.draw(st.sampled_from(choices))

    def chance(self, percent: int) -> bool:
        return self.draw(st.integers(0, 99)) >= 100 - percent

    def constant(self) -> E:
        value = self.draw(st.integers(-9, 20))
        return E(Const(value), value, value)

    def fit(self, e: E, low: int, high: int) -> Expr:
        """`e` brought within bounds, clamped where it has to be."""
        return e.x if low <= e.low and e.high <= high else Clamp(e.x, low, high, e.real)

    def integer(self, e: E) -> E:
        return E(ToInt(e.x), e.low, e.high) if e.real else e

    def vertex(self) -> Expr:
        """The id of some vertex."""
        return Vertex(self.integer(self.expr(1)).x)

    def test(self, depth: int = 1) -> Expr:
        kind = self.pick("compare", "compare", "compare", "and", "or", "mask", "odd")
        if kind == "odd":
            e = self.integer(self.expr(depth - 1))
            return Bin("&", e.x, Const(1))
        if kind == "mask" and self.masks:
            return GetMask() if self.chance(50) else GetMask(self.vertex())
        if kind in ("and", "or") and depth > 0:
            return Bin("&&" if kind == "and" else "||", self.test(depth - 1), self.test(depth - 1))
        op = self.pick("<", "<=", ">", ">=", "==", "!=")
        return Bin(op, self.expr(depth - 1).x, self.expr(depth - 1).x)

    def expr(self, depth: int = 2) -> E:
        if depth <= 0 or self.chance(25):
            return self.constant() if self.chance(20) else self.pick(*self.leaves)
        kind = self.pick("+", "+", "-", "*", "min", "max", "test", "?", "/%", "bits")
        if kind == "test":
            return E(self.test(depth - 1), 0, 1)
        a, b = self.expr(depth - 1), self.expr(depth - 1)
        if kind == "?":
            x = Cond(self.test(depth - 1), a.x, b.x)
            return E(x, min(a.low, b.low), max(a.high, b.high), a.real or b.real)
        if kind == "bits":
            a, b = self.integer(a), self.integer(b)
            size = max(abs(a.low), abs(b.low), a.high, b.high).bit_length()
            return E(Bin(self.pick("&", "|", "^"), a.x, b.x), -(2**size), 2**size - 1)
        if kind == "/%":
            a, by, op = self.integer(a), self.draw(st.integers(2, 40)), self.pick("/", "%")
            size = by - 1 if op == "%" else max(abs(a.low), abs(a.high)) // by
            return E(Bin(op, a.x, Const(by)), 0 if a.low >= 0 else -size, size)
        real = a.real or b.real
        if kind in ("min", "max"):
            pick = min if kind == "min" else max
            op = f"f{kind}" if real else kind
            return E(Bin(op, a.x, b.x), pick(a.low, b.low), pick(a.high, b.high), real)
        if kind == "*":
            a, b = self.narrow(a, 300), self.narrow(b, 300)
            ends = [p * q for p in (a.low, a.high) for q in (b.low, b.high)]
        elif kind == "+":
            a, b = self.narrow(a, BOUND // 2), self.narrow(b, BOUND // 2)
            ends = [a.low + b.low, a.high + b.high]
        else:
            a, b = self.narrow(a, BOUND // 2), self.narrow(b, BOUND // 2)
            ends = [a.low - b.high, a.high - b.low]
        return E(Bin(kind, a.x, b.x), min(ends), max(ends), real)

    def narrow(self, e: E, bound: int) -> E:
        x = self.fit(e, -bound, bound)
        return E(x, max(e.low, -bound), min(e.high, bound), e.real) if x is not e.x else e


def clamped(x: Expr, real: bool, low: int = -500) -> E:
    return E(Clamp(x, low, 500, real), low, 500, real)


def sent_value(scope: Scope, program: dict[str, Any], real_bits: int) -> Expr:
    """What is sent: within the bounds that the combiner bears, sometimes the identity itself."""
    kind, combine = program["message"], program["combine"]
    dtype = np.dtype(f"f{real_bits // 8}" if kind == "real" else kind)
    if scope.chance(15):
        value = program.get("identity")
        return Const(identity_of(combine, dtype) if value is None else value)
    if combine == "prod":
        one = Cond(scope.test(), Const(1), Const(scope.pick(-1, 0) if dtype.kind != "u" else 0))
        few = Bin("<", scope.pick(*scope.leaves[:1]).x, Const(2))
        return Cond(few, Const(2), one) if scope.chance(50) else one
    low, high = bounds_of(kind)
    e = scope.expr(2)
    if combine in ("or", "and", "a ^ b"):
        return scope.fit(scope.integer(e), low, high)
    return scope.fit(e, 0 if "%" in combine else low, high)


class Writer:
    """Draws the statements of one snippet."""

    def __init__(self, scope: Scope, program: dict[str, Any], effects: list[str], real_bits: int):
        self.scope, self.program = scope, program
        self.effects, self.real_bits = effects, real_bits

    def block(self, most: int, depth: int = 1) -> tuple[Stmt, ...]:
        return tuple(self.statement(depth) for _ in range(self.scope.draw(st.integers(1, most))))

    def statement(self, depth: int) -> Stmt:
        scope = self.scope
        if depth > 0 and scope.chance(40):
            orelse = self.block(1, depth - 1) if scope.chance(40) else ()
            return If(scope.test(), self.block(2, depth - 1), orelse)
        effect = scope.pick(*self.effects)
        if effect == "send":
            return Send(sent_value(scope, self.program, self.real_bits))
        if effect == "set_mask":
            return SetMask()
        if effect == "set_mask_of":
            return SetMask(scope.vertex())
        if effect == "unset_mask":
            return UnsetMask()
        if effect == "aggregate":
            name = scope.pick(*self.program["aggregates"])
            return Aggregate(name, scope.fit(scope.expr(), *bounds_of(self.kind(name))))
        name = scope.pick(*scope.writable)
        kind = scope.writable[name]
        if name.startswith("raw"):
            return Assign(name, Var("", "msg"))
        if name.startswith("wide"):
            return Assign(name, scope.fit(scope.expr(), 0, 100), "+=")
        e = scope.expr()
        return Assign(name, scope.fit(e, *bounds_of(kind)))

    def kind(self, name: str) -> str:
        return self.program["aggregates"][name][0]


def read_fields(fields: dict[str, Field]) -> list[E]:
    leaves = []
    for name, f in fields.items():
        x, real = Var("v", name), is_real(f.type)
        low, high = bounds_of(f.type)
        leaves.append(E(x, low, high, real) if name[0] == "x" else clamped(x, real))
    return leaves


@st.composite
def programs(draw: DRAW, combine: str, dtype: str = "float32") -> Program:
    """A program with this combiner that the language admits, whatever it computes."""
    pick = lambda *choices: draw(st.sampled_from(choices))  # noqa: E731
    chance = lambda percent: draw(st.integers(0, 99)) >= 100 - percent  # noqa: E731
    bits = 64 if dtype == "float64" else 32
    types = [kind for kind in MESSAGE_TYPES if kind != "real" or combine not in INTEGER_ONLY]
    body: dict[str, Any] = {"message": pick(*types), "combine": combine}
    real = body["message"] == "real"
    if combine in CUSTOM:
        floor = 0 if body["message"] == "uint32" else -1_000_000
        limits = {"a < b ? a : b": 1_000_000, "a > b ? a : b": floor}
        body["identity"] = limits.get(combine, 0)
    body |= {
        "scatter_on": pick("mask", "mask", "all"),
        "apply_on": pick("message", "all"),
        "edges": pick("out", "out", "in", "both"),
        "edge_fields": {f"w{i}": (pick("int32", "real", "uint8", "int64"), i * 3 or None)
                        for i in range(draw(st.integers(0, 2)))},
        "params": {f"k{i}": (pick("int32", "real", "int64"), draw(st.integers(-9, 20)))
                   for i in range(draw(st.integers(0, 2)))},
        "aggregates": {f"t{i}": (pick("int32", "real", "int64", "uint32"),
                                 pick("sum", "min", "max"))
                       for i in range(draw(st.integers(0, 2)))},
    }  # fmt: skip
    world = [
        *[E(Var("g", "num_vertices"), 0, 400), E(Var("g", "num_edges"), 0, 1000)],
        *[E(Var("p", n), -20, 20, is_real(kind)) for n, (kind, _) in body["params"].items()],
    ]
    self_leaves = [
        *[E(Var("v", "id"), 0, 400), E(Var("v", "in_degree"), 0, 1000)],
        *[E(Var("v", "out_degree"), 0, 1000)],
    ]
    fields = {}
    at_init = Scope(draw, self_leaves + world)
    for i in range(draw(st.integers(1, 3))):
        name, kind = f"x{i}", pick(*FIELD_TYPES)
        if i and chance(60):
            raw = chance(50)
            name = f"raw{i}" if raw else f"wide{i}"
            kind = body["message"] if raw else pick("int32", "real", "int64")
        low, high = bounds_of(kind)
        fields[name] = Field(kind, at_init.fit(at_init.expr(), low, high))
        at_init.leaves = self_leaves + read_fields(fields) + world
    body["fields"] = fields
    stored = {name: f.type for name, f in fields.items()}
    ready = {name: kind for name, kind in stored.items() if not name.startswith("raw")}
    at_init.writable = ready
    body["mask"] = at_init.test() if chance(60) else None
    aggregates = ["aggregate"] * bool(body["aggregates"])
    if chance(35):
        effects = ["assign", "set_mask", "set_mask_of", *aggregates * 2]
        body["init"] = Writer(at_init, body, effects, bits).block(2)

    step = [E(Var("", "superstep"), 0, 100)]
    for name, (kind, _) in body["aggregates"].items():
        low = 0 if kind == "uint32" else -500
        step.append(clamped(Var("prev", name), is_real(kind), low))
    leaves = self_leaves + read_fields(fields) * 2 + world + step * pick(1, 3)
    arc_leaves = [
        *[E(Var("e", "src"), 0, 400), E(Var("e", "dst"), 0, 400), E(Var("e", "id"), 0, 1000)],
        *[E(Var("e", "reversed"), 0, 1)],
        *[E(Var("e", n), -9, 9, is_real(kind)) for n, (kind, _) in body["edge_fields"].items()] * 2,
        *[E(GetMask(Var("e", "dst")), 0, 1)],
    ]
    reads_arc = chance(55)
    scope = Scope(draw, leaves + (arc_leaves * 2 if reads_arc else []), masks=True)
    effects = ["send"] * 5 + (["set_mask", "set_mask_of"] if chance(35) else [])
    body["scatter"] = Writer(scope, body, effects, bits).block(2)
    if not contains(body["scatter"], Send):
        body["scatter"] += (Send(sent_value(scope, body, bits)),)

    unsigned = body["message"] == "uint32"
    heard = [clamped(Var("", "msg"), real, 0 if unsigned else -500), E(Var("", "has_msg"), 0, 1)]
    scope = Scope(draw, heard * 3 + leaves, masks=True, writable=stored)
    effects = ["assign"] * 3 + ["store"] * 2 + ["set_mask"] * 2 + aggregates * 2
    effects += ["set_mask_of", "unset_mask"] * pick(1, 1, 4)
    if chance(95):
        body["apply"] = Writer(scope, body, effects, bits).block(4)
    body |= stop_rules(draw, body)
    return Program(**body)


class Quiet(NamedTuple):
    """A `converged` rule: few messages, or some superstep."""

    messages: int
    superstep: int

    def __call__(self, step: Any) -> bool:
        return step.messages < self.messages or step.superstep >= self.superstep


def stop_rules(draw: DRAW, body: dict[str, Any]) -> dict[str, Any]:
    """`stop`, `converged`, a number of supersteps, several of these, or (on a mask) none."""
    rules: dict[str, Any] = {}
    number = draw(st.integers(0, 5))
    kinds = ["stop", "stop", "converged", *["none"] * (3 if body["scatter_on"] == "mask" else 0)]
    kind = draw(st.sampled_from(kinds))
    if draw(st.integers(0, 2)) == 2:
        rules |= {"has_supersteps": True, "supersteps": draw(st.sampled_from([number, None]))}
    if kind == "converged":
        rules["converged"] = Quiet(draw(st.integers(0, 3)), number)
    if kind == "stop":
        limits = [Const(number), *(Var("p", name) for name in body["params"])]
        late = rules["stop"] = Bin(">=", Var("", "superstep"), draw(st.sampled_from(limits)))
        if body["aggregates"] and draw(st.booleans()):
            name = draw(st.sampled_from(sorted(body["aggregates"])))
            others = [Var("prev", name), Const(number), Const(30), Var("g", "num_vertices")]
            op = draw(st.sampled_from(["==", "<", ">"]))
            other = draw(st.sampled_from(others))
            rules["stop"] = Bin("||", Bin(op, Var("agg", name), other), late)
    return rules


def with_fields(num_vertices: int, edges: Any, directed: bool = True, every: int = 1) -> PlainGraph:
    """A graph with the edge field w0 and, if `every` is odd, w1."""
    edges = tuple(edges)
    values = {"w0": [(3 * i + every) % 10 for i in range(len(edges))]}
    if every % 2:
        values["w1"] = [float((7 * i) % 10) for i in range(len(edges))]
    return PlainGraph(num_vertices, edges, directed, values)


PATH = [(i, i + 1) for i in range(199)]
SPECIAL = {
    "empty": with_fields(0, []),
    "one vertex": with_fields(1, []),
    "one vertex, two self-loops": with_fields(1, [(0, 0), (0, 0)]),
    "no edges": with_fields(5, [], every=2),
    "self-loops": with_fields(4, [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 2), (2, 3)]),
    "self-loops, undirected": with_fields(3, [(0, 0), (0, 1), (1, 1), (2, 1), (2, 2)], False, 2),
    "parallel edges": with_fields(3, [(0, 1)] * 4 + [(1, 2)] * 3 + [(1, 0), (2, 0)]),
    "parallel, undirected": with_fields(3, [(0, 1), (1, 0), (0, 1), (2, 1)], False),
    "isolated vertices": with_fields(9, [(2, 5), (5, 7), (7, 2), (5, 2)], every=2),
    "star inwards": with_fields(301, [(i, 0) for i in range(1, 301)]),
    "star outwards": with_fields(301, [(300, i) for i in range(300)], every=2),
    "star, undirected": with_fields(301, [(150, i) for i in range(301) if i != 150], False),
    "path": with_fields(200, PATH),
    "path, undirected": with_fields(200, PATH, False, 2),
}


@st.composite
def graphs(draw: DRAW, most: int = 12) -> PlainGraph:
    """A multigraph of up to `most` vertices."""
    n = draw(st.integers(1, most))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    edges = draw(st.lists(ends, max_size=3 * n))
    return with_fields(n, edges, draw(st.booleans()), draw(st.integers(1, 4)))
