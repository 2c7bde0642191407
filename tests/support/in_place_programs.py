"""A hypothesis strategy: random programs whose vertices can apply in place.

A vertex has a value, which only ever gets better: smaller or larger. It takes the best of its
neighbors' values, changed by a function that leaves their order as it is, or is sent those by the
neighbors, or follows pointers; and it calls `set_mask()` whenever its value has become better. So
the values at the end are the same in whatever order the vertices apply (Kildall 1973).

`IN_PLACE_FLAWS` are changes that break one of these conditions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from support.program_tree import (
    Assign,
    Bin,
    Clamp,
    Cond,
    Const,
    Expr,
    Field,
    GetMask,
    If,
    Neighbor,
    Of,
    Program,
    Reduce,
    Return,
    Send,
    SetMask,
    Stmt,
    Var,
)
from support.random_expressions import DRAW, bounds_of
from support.values import is_real

ID, X, BEFORE, MSG = Var("v", "id"), Var("v", "x0"), Var("v", "before"), Var("", "msg")
NEAR = Var("", "near")
#: How a vertex gets a better value, and of which types that is.
KINDS = {
    "looks": ("int32", "int16", "uint8", "real", "uint32"),  # at its neighbors
    "is told": ("int32", "int16", "int8", "real"),  # by some of its neighbors
    "points": ("int32", "vertex"),  # to a vertex, and to where that points
}
CHANGED = If(Bin("!=", X, BEFORE), (SetMask(),))


class _Drawing:
    """One program."""

    def __init__(self, draw: DRAW):
        self.draw = draw
        self.body: dict[str, Any] = {"order": "any", "apply_on": "all", "fields": {}}

    def pick(self, *choices: Any) -> Any:
        return self.draw(st.sampled_from(choices))

    def chance(self, percent: int) -> bool:
        return self.draw(st.integers(0, 99)) >= 100 - percent

    def program(self) -> Program:
        body = self.body
        kind = self.pick(*KINDS)
        body["edges"] = self.pick("out", "in", "both")
        type_ = self.pick(*KINDS[kind])
        body["message"], body["combine"] = type_, self.pick("min", "min", "max")
        rising = body["combine"] == "max"
        if kind == "points":
            body["combine"], rising = "min", False
        better = Bin(">" if rising else "<", MSG, X)
        start = Clamp(Bin("%", Bin("*", ID, Const(self.pick(7, 37))), Const(90)), 0, 90, False)
        body["fields"]["x0"] = Field(type_, ID if kind == "points" else start)
        if self.chance(40) and kind != "points":  # who begins
            body["mask"] = Bin("==", Bin("%", ID, Const(self.pick(2, 3))), Const(0))
        if self.chance(40):
            body["edge_fields"] = {"w0": ("int32", 3)}  # which nobody reads
        change = self.monotone(rising, type_) if kind != "points" else lambda x: x
        apply = {"looks": self.looks, "is told": self.is_told, "points": self.points}[kind]
        block = apply(rising, change, better)
        if self.chance(40):  # another field follows from the value
            body["fields"]["after"] = Field(self.pick("int16", "int8"))
            follows = Assign("after", Clamp(X, -90, 100, False))
            # Every vertex applies once more after its value has changed.
            block = (*block, follows) if kind != "is told" else (follows, *block)
        return Program(apply=block, **body)

    def monotone(self, rising: bool, kind: str) -> Callable[[Expr], Expr]:
        """A function that leaves the order of numbers as it is, and makes none better."""
        low, high = bounds_of(kind)
        sign, step = "-" if rising else "+", self.pick(0, 1, 1, 5)
        kept = Const(self.draw(st.integers(0, 90)))
        change = self.pick(
            lambda x: x,
            lambda x: Bin(sign, x, Const(step)),
            lambda x: Cond(Bin("<", x, kept), *((x, kept) if rising else (kept, x))),
        )
        return lambda x: Clamp(change(x), low, high, is_real(kind))

    def looks(self, rising: bool, change: Callable[[Expr], Expr], better: Expr) -> tuple[Stmt, ...]:
        """At all its neighbors, or some."""
        self.body["fields"]["before"] = Field(self.body["message"])
        test: Expr = Const(1)
        if self.chance(40):
            test = Bin("!=", Bin("%", NEAR, Const(3)), Const(0))
        best = Reduce("max" if rising else "min", Assign("x0", change(Of("x0", NEAR))), test)
        return Assign("before", X), best, CHANGED

    def is_told(
        self, rising: bool, change: Callable[[Expr], Expr], better: Expr
    ) -> tuple[Stmt, ...]:
        """A vertex whose value has become better tells some of its neighbors."""
        take: tuple[Stmt, ...] = (Assign("x0", MSG), SetMask())
        # In supersteps, it may be its turn to tell.
        got = If(better, take, (If(GetMask(), (SetMask(),)),)), Return()
        several = range(self.pick(1, 2, 3))
        tell = tuple(Send(change(X), Neighbor(Const(i))) for i in several)
        return If(Var("", "has_msg"), got), If(GetMask(), tell)

    def points(
        self, rising: bool, change: Callable[[Expr], Expr], better: Expr
    ) -> tuple[Stmt, ...]:
        """To the least vertex that it knows of, and to where that points."""
        self.body["fields"]["before"] = Field(self.body["message"])
        least = Reduce("min", Assign("x0", Of("x0", NEAR)), Const(1))
        there = Of("x0", X)
        jump = If(Bin("<", there, X), (Assign("x0", there),))
        blocks = (least, jump) if self.chance(50) else (jump, least)
        return (Assign("before", X), *blocks, CHANGED)


@st.composite
def in_place_programs(draw: DRAW) -> Program:
    """A program with order = "any" and apply_on = "all", whatever it computes."""
    return _Drawing(draw).program()


# What depends on the order -----------------------------------------------------------------------


def looks_once(p: Program) -> Program:
    """A vertex looks at its neighbors once, whatever they become."""
    fields = {**p.fields, "done": Field("int8")}
    once = If(Var("v", "done"), (Return(),)), Assign("done", Const(1))
    return replace(p, fields=fields, apply=(*once, *p.apply[:-1], SetMask()))


def counts_changes(p: Program) -> Program:
    """How often a value becomes better depends on how soon the best one comes."""
    fields = {**p.fields, "count": Field("int16")}
    more = Assign("count", Bin("+", Var("v", "count"), Const(1)))
    return replace(p, fields=fields, apply=_with(p.apply, more))


def keeps_what_was(p: Program) -> Program:
    """A field says what the value was before it became as good as it is."""
    fields = {**p.fields, "was": Field("int16")}
    return replace(
        p, fields=fields, apply=_with(p.apply, Assign("was", Clamp(BEFORE, 0, 90, False)))
    )


def _with(block: tuple[Stmt, ...], more: Stmt) -> tuple[Stmt, ...]:
    """A block that does more where the value has changed."""
    return tuple(If(s.test, (more, *s.then)) if s == CHANGED else s for s in block)


IN_PLACE_FLAWS = {each.__name__: each for each in (looks_once, counts_changes, keeps_what_was)}


def takes_in_place(flaw: str, p: Program) -> bool:
    """Whether a flaw is one for a program."""
    return CHANGED in p.apply
