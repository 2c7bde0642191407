"""A hypothesis strategy: random programs whose fixed point does not depend on any order.

A vertex has a value, which only ever gets better: smaller or larger, or more or fewer bits. What it
sends gets no worse if its value gets better (a monotone function of the value and of what never
changes), and it scatters again whenever its value has become better. So the values at the end are
the best that any path of messages gives, whatever the schedule (Kildall 1973).

`FLAWS` are changes that break one of these conditions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st
from support.combiners import by_component, least
from support.program_tree import (
    Assign,
    Bin,
    Clamp,
    Cond,
    Const,
    Expr,
    Field,
    If,
    Make,
    Member,
    Of,
    Program,
    Return,
    Send,
    SetMask,
    Stmt,
    Var,
)
from support.random_expressions import DRAW, bounds_of
from support.values import SCALARS, is_real

ID, SRC, DST, MSG = Var("v", "id"), Var("e", "src"), Var("e", "dst"), Var("", "msg")
INTEGERS = tuple(kind for kind in SCALARS if not is_real(kind))
WEIGHTS = ("int32", "real", "uint8", "float64", "int64")
#: How the value of a vertex gets better, and what it is.
KINDS = (
    *("least", "least", "greatest", "bits set", "bits cleared"),  # a number
    *("tree", "tree of structs", "both ends"),  # a number and the vertex that it came from, ...
)


def every(n: int, x: Expr) -> Expr:
    return Bin("==", Bin("%", x, Const(n)), Const(0))


@dataclass
class _Value:
    """How a vertex keeps its value, and compares it with a message.

    Attributes:
        better: whether the message is better.
        take: the vertex takes the message.
        sent: what is sent of the number `x`, by the vertex that scatters.
        numbers: what scatter computes numbers of, with a function that improves each.
    """

    better: Expr
    take: tuple[Stmt, ...]
    sent: Callable[[tuple[Expr, ...]], Expr]
    numbers: tuple[tuple[Expr, Callable[[Expr], Expr]], ...]


class _Drawing:
    """One program."""

    def __init__(self, draw: DRAW, real: str):
        self.draw, self.real = draw, real
        self.kind = self.pick(*KINDS)
        self.body: dict[str, Any] = {"order": "any", "scatter_on": "mask", "fields": {}}
        self.body |= {"structs": {}, "folds": {}}

    def pick(self, *choices: Any) -> Any:
        return self.draw(st.sampled_from(choices))

    def chance(self, percent: int) -> bool:
        return self.draw(st.integers(0, 99)) >= 100 - percent

    def program(self) -> Program:
        self.world()
        value = self.value()
        self.scatter(value)
        self.apply(value)
        return Program(**self.body)

    def world(self) -> None:
        """Inputs, lanes, and who scatters first."""
        body = self.body
        body["edges"] = self.pick("out", "out", "in", "both")
        body["edge_fields"] = {
            f"w{i}": (self.pick(*WEIGHTS), 3 * i or None)
            for i in range(self.draw(st.integers(0, 2)))
        }
        body["params"] = {"k0": ("int32", self.draw(st.integers(0, 9)))} if self.chance(40) else {}
        if self.chance(15):
            body["lanes" if self.chance(50) else "listed"] = self.pick(2, 3)
            body["params"]["k0"] = ("int32", 1)
        if self.chance(40):  # a vertex field that nobody writes
            limit = Bin("%", Bin("*", ID, Const(7)), Const(self.pick(5, 90)))
            body["fields"]["fixed"] = Field(self.pick(*SCALARS), limit)
        some = self.pick(every(3, ID), Bin("<", ID, Const(2)), every(self.pick(5, 7), ID))
        start = self.pick("all", "mask", "mask", "init")
        if start == "mask":
            body["mask"] = some
        elif start == "init":
            body["init"] = (If(some, (SetMask(),)),)
        self.some = some

    def number(self, low: int, high: int) -> Expr:
        """Something that never changes, within bounds."""
        terms: list[Expr] = [Const(self.draw(st.integers(low, high)))]
        terms += [Var("e", name) for name in self.body["edge_fields"]] * 3
        terms += [Var("p", name) for name in self.body["params"]]
        terms += [Var("v", "fixed"), Of("fixed", DST)] * ("fixed" in self.body["fields"])
        terms += [Bin("%", x, Const(5)) for x in (ID, SRC, DST, Var("v", "in_degree"))]
        return Clamp(self.pick(*terms), low, high, False)

    def start(self, best: int, worst: int) -> Expr:
        """A number of each vertex, between these."""
        low, high = min(best, worst), max(best, worst)
        spread = Bin("+", Const(low), Bin("%", Bin("*", ID, Const(37)), Const(high - low + 1)))
        return self.pick(
            Cond(self.some, Const(best), Const(worst)),
            Cond(self.some, Const(best), spread),
            spread,
        )

    def monotone(self, rising: bool, kind: str) -> Callable[[Expr], Expr]:
        """A function that leaves the order of numbers as it is, and moves them up or down."""
        low, high = bounds_of(kind)
        sign, kept = "+" if rising else "-", self.number(low, high)
        up, step = self.chance(50), self.number(0, 9)
        change = self.pick(
            lambda x: x,
            lambda x: Bin(sign, x, Const(1)),
            lambda x: Bin(sign, x, step),
            lambda x: Cond(Bin("<", x, kept), *((kept, x) if up else (x, kept))),
            lambda x: Cond(every(2, DST), x, Bin(sign, x, step)),
        )
        return lambda x: Clamp(change(x), low, high, is_real(kind))

    # How a vertex keeps its value -------------------------------------------------------------

    def value(self) -> _Value:
        if self.kind in ("tree", "tree of structs"):
            return self.tree(self.kind == "tree of structs")
        if self.kind == "both ends":
            return self.both_ends()
        kind = self.pick(*(INTEGERS if "bits" in self.kind else (*SCALARS, "real", "vertex")))
        self.body["message"] = kind
        x = Var("v", "x0")
        if "bits" in self.kind:
            return self.bits(kind, x)
        rising = self.kind == "least"
        low, high = bounds_of(kind)
        best, worst = (low, high) if rising else (high, low)
        self.body["fields"]["x0"] = Field(kind, self.start(best, worst))
        short, long = ("min", "a < b ? a : b") if rising else ("max", "a > b ? a : b")
        self.body["combine"] = short if kind == "vertex" or self.chance(70) else long
        if self.body["combine"] == long:
            self.body["identity"] = worst
        better = Bin("<" if rising else ">", MSG, x)
        if self.chance(40):
            self.priority(x if rising else Bin("-", Const(0), x))
        change = self.monotone(rising, kind)
        return _Value(better, (Assign("x0", MSG),), lambda xs: xs[0], ((x, change),))

    def bits(self, kind: str, x: Expr) -> _Value:
        """A set that grows or shrinks."""
        grows = self.kind == "bits set"
        masks = [Const(n) for n in (1, 2, 4, 5, 64, 33)]
        some = Cond(self.some, self.pick(*masks), Cond(every(2, ID), self.pick(*masks), Const(0)))
        self.body["fields"]["x0"] = Field(kind, some if grows else Bin("-", Const(103), some))
        self.body["combine"] = "or" if grows else "and"
        changed = Bin("|" if grows else "&", x, MSG)
        change = self.pick(
            lambda x: x, lambda x: Bin("&", x, Const(101)), lambda x: Bin("|", x, Const(8))
        )
        # C computes with `long` beside an unsigned operand of 64 bits.
        return _Value(
            Bin("!=", changed, x),
            (Assign("x0", changed),),
            lambda xs: xs[0],
            ((x, change),),
        )

    def tree(self, in_struct: bool) -> _Value:
        """A number and the vertex that it came from: of the best ones, the least."""
        body, kind = self.body, self.pick("int32", "float32", "real")
        if self.chance(30):
            kind = self.pick("int16", "uint16", "uint8", "int64", "float64")
        members = (("x", kind), ("parent", "vertex"))
        body["structs"]["Best"] = members
        rule = least("Best", body["structs"], self.real)
        body |= {"message": "Best", "combine": rule.text, "identity": rule.identity}
        body["folds"][rule.text] = rule.fold
        low, high = bounds_of(kind)
        init = self.start(low, high)
        if in_struct:
            body["fields"]["best"] = Field("Best", Make("Best", (init, Const(-1))))
            x, parent = (Member(Var("v", "best"), name) for name in ("x", "parent"))
            take: tuple[Stmt, ...] = (Assign("best.x", self.of_msg("x")),)
            take += (Assign("best.parent", self.of_msg("parent")),)
        else:
            body["fields"] |= {"x": Field(kind, init), "parent": Field("vertex", Const(-1))}
            x, parent = Var("v", "x"), Var("v", "parent")
            take = Assign("x", self.of_msg("x")), Assign("parent", self.of_msg("parent"))
        tie = Bin("&&", Bin("==", self.of_msg("x"), x), Bin("<", self.of_msg("parent"), parent))
        if self.chance(40):
            self.priority(x)
        return _Value(
            Bin("||", Bin("<", self.of_msg("x"), x), tie),
            take,
            lambda xs: Make("Best", (xs[0], ID)),
            ((x, self.monotone(True, kind)),),
        )

    def of_msg(self, path: str) -> Expr:
        return Member(MSG, path)

    def both_ends(self) -> _Value:
        """The least and the greatest of two numbers, which come in one message."""
        body = self.body
        kinds = self.pick(("int32", "int32"), ("float32", "int32"), ("int16", "real"))
        body["structs"]["Ends"] = (("x", kinds[0]), ("y", kinds[1]))
        rule = by_component("Ends", body["structs"], self.real, ("min", "max"))
        body |= {"message": "Ends", "combine": rule.text, "identity": rule.identity}
        body["folds"][rule.text] = rule.fold
        x, y = Var("v", "x0"), Var("v", "x1")
        body["fields"] |= {
            "x0": Field(kinds[0], self.start(-1000, 1000)),
            "x1": Field(kinds[1], self.start(1000, -1000)),
        }
        first, second = self.of_msg("x"), self.of_msg("y")
        less, more = Bin("<", first, x), Bin(">", second, y)
        take = (
            If(less, (Assign("x0", first),)),
            If(more, (Assign("x1", second),)),
        )
        return _Value(
            Bin("||", less, more),
            take,
            lambda xs: Make("Ends", xs),
            ((x, self.monotone(True, kinds[0])), (y, self.monotone(False, kinds[1]))),
        )

    def priority(self, x: Expr) -> None:
        self.body |= {"priority": x, "delta": self.pick(1, 4, 64)}

    # Snippets -----------------------------------------------------------------------------------

    def scatter(self, value: _Value) -> None:
        sent = value.sent(tuple(change(x) for x, change in value.numbers))
        block: tuple[Stmt, ...] = (Send(sent),)
        if self.chance(25):  # some arcs carry nothing
            test = self.pick(every(3, Var("e", "id")), Bin("<", self.number(0, 9), Const(3)))
            block = (If(test, (Return(),)), *block) if self.chance(50) else (If(test, (), block),)
        if self.chance(10):
            block *= 2
        self.body["scatter"] = block

    def apply(self, value: _Value) -> None:
        take = value.take
        if self.chance(40):  # another field follows from the value
            follows = Clamp(value.numbers[0][0], -90, 100, False)
            self.body["fields"]["after"] = Field(self.pick("int32", "int16", "real", "int8"))
            take += (Assign("after", follows),)
        block: tuple[Stmt, ...] = (*take, SetMask())
        if self.chance(50):
            self.body["receive_if"] = value.better
        # Several messages that are better may have been combined.
        if "receive_if" not in self.body or self.chance(30):
            block = (If(value.better, block),)
        self.body["apply"] = block


@st.composite
def monotone_programs(draw: DRAW, real: str = "float32") -> Program:
    """A program with order = "any", whatever it computes."""
    return _Drawing(draw, real).program()


# What depends on the order -----------------------------------------------------------------------


def _within(block: tuple[Stmt, ...], change: Callable[[tuple[Stmt, ...]], tuple[Stmt, ...]]) -> Any:
    """The statements that take a message, changed."""
    if len(block) == 1 and isinstance(block[0], If):
        return (replace(block[0], then=change(block[0].then)),)
    return change(block)


def takes_the_first(p: Program) -> Program:
    """A vertex takes one message, and no better one that comes later."""
    fields = {**p.fields, "taken": Field("int8")}
    once = If(Var("v", "taken"), (Return(),)), Assign("taken", Const(1))
    return replace(p, fields=fields, apply=_within(p.apply, lambda block: (*once, *block)))


def counts_messages(p: Program) -> Program:
    fields = {**p.fields, "count": Field("int32")}
    more = Assign("count", Bin("+", Var("v", "count"), Const(1)))
    return replace(p, fields=fields, apply=_within(p.apply, lambda block: (*block, more)))


def keeps_the_last(p: Program) -> Program:
    """A field says something of the message that came last, also if it was not better."""
    zeros = Make(p.message, (Const(0), Const(0))) if p.structs else Const(0)
    fields = {**p.fields, "last": Field(p.message, zeros)}
    apply = p.apply if p.receive_if is None else (If(p.receive_if, p.apply),)
    return replace(p, fields=fields, receive_if=None, apply=(Assign("last", MSG), *apply))


def scatters_once(p: Program) -> Program:
    """A vertex that scatters early does not tell when its value gets better."""
    fields = {**p.fields, "told": Field("int8")}
    told = If(Var("v", "told"), (), (SetMask(), Assign("told", Const(1))))

    def quiet(block: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return (*(each for each in block if not isinstance(each, SetMask)), told)

    return replace(p, fields=fields, apply=_within(p.apply, quiet))


def forgets_ties(p: Program) -> Program:
    """Of two equal numbers, the first one decides where they came from."""
    in_struct = "best" in p.fields
    x = Member(Var("v", "best"), "x") if in_struct else Var("v", "x")
    better = Bin("<", Member(MSG, "x"), x)
    take = _inner(p.apply)
    return replace(p, receive_if=None, apply=(If(better, take),))


def _inner(block: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    return block[0].then if len(block) == 1 and isinstance(block[0], If) else block


FLAWS = {
    each.__name__: each
    for each in (takes_the_first, counts_messages, keeps_the_last, scatters_once, forgets_ties)
}


def takes(flaw: str, p: Program) -> bool:
    """Whether a flaw is one for a program."""
    return flaw != "forgets_ties" or "Best" in p.structs
