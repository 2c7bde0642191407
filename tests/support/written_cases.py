"""A program written twice by hand, as a class and as a tree, and what a hand computes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from support.agreement import check, flat
from support.oracle import PlainGraph, run
from support.program_tree import Program


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


def case(table: dict[str, Written], **kwargs: Any) -> Callable[[Any], Any]:
    """Of the class that follows, into a table."""

    def keep(cls: Any) -> Any:
        table[cls.__name__] = Written(cls=cls, **kwargs)
        return cls

    return keep


def plain(values: Any) -> Any:
    """Structs as tuples, axes as lists."""
    return [tuple(x) if isinstance(x, tuple) else x for x in values.tolist()]


def check_oracle(c: Written) -> None:
    outcome = run(c.tree, c.graph, params=c.params)
    assert {n: plain(values) for n, values in outcome.fields.items()} == c.fields
    assert [(step.active, step.messages) for step in outcome.trace] == c.steps
    found = [{n: flat(x) for n, x in step.aggregates.items()} for step in outcome.trace]
    expected = c.aggregates or [{} for _ in c.steps]
    assert found == [{n: flat(x) for n, x in step.items()} for step in expected]
    assert {n: plain(values) for n, values in outcome.arc_fields.items()} == c.arc_fields
    assert outcome.converged


def check_engine(device: Any, c: Written, part: int) -> None:
    check(device, c.tree, [c.graph], 100, cls=c.cls, part=part, **c.params)
