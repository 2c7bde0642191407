"""Random expressions of one snippet.

Values stay small by construction: an expression carries bounds of its value, sums and products
that would leave them are clamped, and whatever may hold an identity or another extreme value (msg,
prev, a "raw" or "wide" field) is clamped where it is read. The oracle checks the same as it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from support.program_tree import (
    Bin,
    Clamp,
    Common,
    Cond,
    Const,
    Entry,
    Expr,
    Field,
    GetMask,
    HasEdge,
    Hash,
    Item,
    Make,
    Member,
    Neighbor,
    Of,
    To,
    ToInt,
    Uniform,
    Var,
    Vertex,
)
from support.values import Structs, components, element, is_array, is_real

BOUND = 100_000  # of an intermediate value
DRAW = Callable[[st.SearchStrategy[Any]], Any]


def bounds_of(kind: str) -> tuple[int, int]:
    """What may be stored in a scalar field, a message or an aggregator of a type."""
    if kind in ("uint8", "int8"):
        return (0, 200) if kind == "uint8" else (-100, 100)
    return (0, 1000) if kind.startswith("uint") else (-1000, 1000)


class E(NamedTuple):
    """An expression, the bounds of its value, and whether C computes it in floating point."""

    x: Expr
    low: int
    high: int
    real: bool = False


def clamped(x: Expr, kind: str) -> E:
    """A variable that may hold any value of its type."""
    low = 0 if kind.startswith("uint") else -500
    return E(Clamp(x, low, 500, is_real(kind)), low, 500, is_real(kind))


def scalars(x: Expr, kind: str, structs: Structs, safe: bool = False) -> list[E]:
    """What may be read of a variable: itself or, of a vector or struct, its scalars.

    `safe`: only `bounds_of` its type were ever stored there.
    """
    parts = components(kind, structs)
    if is_array(kind):  # the first, one in the middle, and the last
        parts = tuple(dict.fromkeys((parts[0], parts[len(parts) // 2], parts[-1])))
    found = [(Member(x, path), member_kind) for path, member_kind in parts] or [(x, kind)]
    if not safe:
        return [clamped(one, member_kind) for one, member_kind in found]
    return [E(one, *bounds_of(member_kind), is_real(member_kind)) for one, member_kind in found]


def is_safe(name: str) -> bool:
    """Whether only small values are stored in the field: the others are "raw..." and "wide..."."""
    return name[0] == "x"


@dataclass
class Scope:
    """What expressions of one snippet may read: `leaves`, and whose mask, fields and arcs."""

    draw: DRAW
    leaves: list[E]
    masks: bool = False  # get_mask() and get_mask_of(...)
    structs: Structs = field(default_factory=dict)
    others: Mapping[str, Field] = field(default_factory=dict)  # read by FIELD_of
    adjacency: bool = False  # neighbor(...), has_edge(...)
    edge_fields: Mapping[str, str] = field(default_factory=dict)  # type, read by FIELD_to
    writable: dict[str, str] = field(default_factory=dict)  # field: type
    arcs: dict[str, str] = field(default_factory=dict)  # the same of arc fields
    # Arrays whose components are read by an index: each with its type, and whether it is safe.
    arrays: tuple[tuple[Expr, str, bool], ...] = ()
    tables: Mapping[str, tuple[str, Any]] = field(default_factory=dict)  # array parameters

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

    def item(self, array: tuple[Expr, str, bool], index: Expr, plain: bool = False) -> E:
        """A component of an array."""
        x, kind, safe = array
        scalar = element(kind)[0]
        return scalars(Item(x, index, plain), scalar, self.structs, safe)[0]

    def of_array(self) -> E:
        """What is read by an index: of an array, or of an array parameter."""
        index = lambda: self.integer(self.expr(0)).x  # noqa: E731
        if not self.arrays or (self.tables and self.chance(50)):
            name = self.pick(*self.tables)
            kind, numbers = self.tables[name]
            x = Entry(name, tuple(index() for _ in np.shape(numbers)))
            return E(x, -9, 9, is_real(kind))
        return self.item(self.pick(*self.arrays), index())

    def cycled(self, kind: str, parts: Sequence[Expr]) -> Make:
        """An array of these components by turns."""
        return Make(kind, tuple(parts[i % len(parts)] for i in range(element(kind)[1])))

    def stored(self, kind: str, depth: int = 2) -> Expr:
        """Something to store in a field of a type."""
        if is_array(kind):
            scalar, width = element(kind)
            return self.cycled(kind, [self.stored(scalar, 1) for _ in range(min(width, 3))])
        parts = components(kind, self.structs)
        if not parts:
            return self.fit(self.expr(depth), *bounds_of(kind))
        return Make(
            kind, tuple(self.fit(self.expr(1), *bounds_of(member_kind)) for _, member_kind in parts)
        )

    def integer(self, e: E) -> E:
        return E(ToInt(e.x), e.low, e.high) if e.real else e

    def vertex(self, depth: int = 1) -> Expr:
        """The id of some vertex."""
        if self.adjacency and self.chance(50):
            return Neighbor(self.integer(self.expr(0)).x)
        return Vertex(self.integer(self.expr(depth)).x)

    def other(self) -> E:
        """What FIELD_of reads."""
        name = self.pick(*self.others)
        x = Of(name, self.vertex(0))
        return self.pick(*scalars(x, self.others[name].type, self.structs, is_safe(name)))

    def near(self) -> E:
        """What the adjacency says."""
        kinds = ["neighbor", "has_edge", "num_neighbors", "common"]
        kinds += ["to"] * bool(self.edge_fields)
        kind = self.pick(*kinds)
        if kind == "to":
            name = self.pick(*self.edge_fields)
            x = To(name, self.integer(self.expr(0)).x)
            return E(x, -9, 9, is_real(self.edge_fields[name]))
        if kind == "has_edge":
            ends = [Var("v", "id"), self.vertex(0)]
            return E(HasEdge(*(ends if self.chance(70) else ends[::-1])), 0, 1)
        if kind == "common":
            return E(Common(self.vertex(0), self.vertex(0)), 0, 400)
        if kind == "neighbor":
            of = Vertex(self.integer(self.expr(0)).x) if self.chance(40) else None
            return E(Neighbor(self.integer(self.expr(0)).x, of), 0, 400)
        return E(Var("", "num_neighbors"), 0, 1000)

    def scrambled(self) -> E:
        """What `hash` and `uniform` make of numbers."""
        keys = tuple(self.integer(self.expr(0)).x for _ in range(self.draw(st.integers(1, 3))))
        if self.chance(50):
            return E(Hash(keys[0]), 0, 999)
        return E(Uniform(keys), 0, 63)

    def test(self, depth: int = 1) -> Expr:
        common = ["compare"] * 6 + ["and", "or", "mask", "odd"] * 2
        kind = self.pick(*common, "scrambled")
        if kind == "scrambled":
            e = self.scrambled()
            return Bin("<", e.x, Const(e.high // 2))
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
        if depth > 0 and self.others and self.chance(12):
            return self.other()
        if depth > 0 and self.adjacency and self.chance(12):
            return self.near()
        if depth > 0 and (self.arrays or self.tables) and self.chance(20):
            return self.of_array()
        if depth <= 0 or self.chance(25):
            return self.constant() if self.chance(20) else self.pick(*self.leaves)
        kinds = ["+", "+", "-", "*", "min", "max", "test", "?", "/%", "bits", "scrambled"]
        kind = self.pick(*kinds)
        if kind == "scrambled":
            return self.scrambled()
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
