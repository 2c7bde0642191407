"""A program written by hand, as a tree, and its result computed by hand; and short names for what
the trees are made of."""

from __future__ import annotations

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
    """A program, and what it must compute on the graph."""

    tree: Program
    graph: PlainGraph
    fields: dict[str, list[Any]]
    steps: list[tuple[int, int]]  # active vertices, messages
    aggregates: list[dict[str, Any]] = field(default_factory=list)  # by superstep, NaN as text
    arc_fields: dict[str, list[Any]] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)


#: Of all modules of this folder that have been imported, by name.
CASES: dict[str, Written] = {}


def case(name: str, tree: Program, **result: Any) -> None:
    """Put a program into the table."""
    assert name not in CASES
    CASES[name] = Written(tree, **result)
