"""A program written twice by hand, as a class and as a tree, and its result computed by hand; and
short names for what the trees are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from support.oracle import PlainGraph
from support.program_tree import Bin, Const, Expr, Program, Var

ID, X = Var("v", "id"), Var("v", "x")
SRC, DST = Var("e", "src"), Var("e", "dst")
MSG, HAS = Var("", "msg"), Var("", "has_msg")
NOW, LANE = Var("", "superstep"), Var("", "lane")


def is_(a: Expr, b: int | Expr) -> Expr:
    return Bin("==", a, Const(b) if isinstance(b, int) else b)


def plus(a: Expr, b: int | Expr) -> Expr:
    return Bin("+", a, Const(b) if isinstance(b, int) else b)


@dataclass
class Written:
    """`cls` and `tree` say the same, to gascl and to the oracle; the rest was computed by hand."""

    cls: Any
    tree: Program
    graph: PlainGraph
    fields: dict[str, list[Any]]
    steps: list[tuple[int, int]]  # active vertices, messages
    aggregates: list[dict[str, Any]] = field(default_factory=list)  # by superstep, NaN as text
    arc_fields: dict[str, list[Any]] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)


#: Of all modules of this folder that have been imported, by the names of their classes.
CASES: dict[str, Written] = {}


def case(**kwargs: Any) -> Callable[[Any], Any]:
    """Of the class that follows, into the table."""

    def keep(cls: Any) -> Any:
        assert cls.__name__ not in CASES
        CASES[cls.__name__] = Written(cls=cls, **kwargs)
        return cls

    return keep
