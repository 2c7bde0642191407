"""What a random program is made to do beside what was drawn, so that each rule is met at work.

Each entry changes a program; an example is kept only where the oracle says that it matters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from program_tree import (
    Aggregate,
    Assign,
    Bin,
    Const,
    Expr,
    Field,
    GetMask,
    If,
    Program,
    Send,
    SetMask,
    UnsetMask,
    Var,
    Vertex,
)

ID, NOW, DST = Var("v", "id"), Var("", "superstep"), Var("e", "dst")


def plus(*terms: Expr) -> Expr:
    total, *others = terms
    for term in others:
        total = Bin("+", total, term)
    return total


def every(n: int, x: Expr) -> Expr:
    """Whether x is a multiple of n."""
    return Bin("==", Bin("%", x, Const(n)), Const(0))


def sends_twice(p: Program) -> Program:
    return replace(p, scatter=(Send(Const(1)), *p.scatter))


def sends_at_times(p: Program) -> Program:
    when = every(3, plus(NOW, ID))
    return replace(p, scatter=(If(when, p.scatter, (Send(Const(1)),)),))


def sets_masks_in_scatter(p: Program) -> Program:
    sets = If(every(2, plus(DST, NOW)), (SetMask(DST),))
    return replace(p, scatter=(*p.scatter, sets), scatter_on="mask")


def sets_masks_in_apply(p: Program) -> Program:
    sets = If(every(2, plus(ID, NOW)), (SetMask(Vertex(plus(ID, Const(1)))),))
    return replace(p, apply=(*p.apply, sets), scatter_on="mask")


def unsets_masks(p: Program) -> Program:
    """Every other vertex unsets itself, whether apply or scatter set it."""
    apply = (SetMask(), *p.apply, If(every(2, plus(ID, NOW)), (UnsetMask(),)))
    return replace(p, apply=apply, scatter_on="mask")


def unsets_masks_that_others_set(p: Program) -> Program:
    apply = (SetMask(Vertex(plus(ID, NOW))), *p.apply, UnsetMask())
    return replace(p, apply=apply, scatter_on="mask")


def reads_masks_in_scatter(p: Program) -> Program:
    """While it scatters on all, so that nothing else needs the mask."""
    when = GetMask(Vertex(plus(ID, NOW)))
    apply = (If(every(2, plus(ID, NOW)), (SetMask(),)), *p.apply)
    late = Bin(">=", NOW, Const(4))
    return replace(
        p, scatter=(If(when, p.scatter),), apply=apply, scatter_on="all", stop=p.stop or late
    )


def reads_prev_in_scatter(p: Program) -> Program:
    when = every(2, Var("prev", "odd"))
    apply = (Aggregate("odd", plus(NOW, ID)), *p.apply)
    aggregates = {**p.aggregates, "odd": ("int32", "sum")}
    late = Bin(">=", NOW, Const(4))
    scatter = (If(when, p.scatter, (Send(Const(1)),)),)
    return replace(
        p,
        scatter=scatter,
        apply=apply,
        aggregates=aggregates,
        scatter_on="all",
        stop=p.stop or late,
    )


def tells_no_message_from_identity(p: Program) -> Program:
    if p.identity is not None:
        sent = Const(p.identity)
    else:
        sent = Const({"sum": 0, "or": 0, "prod": 1}.get(p.combine, 1))
    fields = {**p.fields, "heard": Field("int32")}
    heard = If(Var("", "has_msg"), (Assign("heard", plus(NOW, Const(1)), "+="),))
    apply = (*p.apply, heard)
    return replace(p, fields=fields, scatter=(Send(sent),), apply=apply, apply_on="all")


def starts_from_few(p: Program) -> Program:
    init = (*p.init, If(every(4, ID), (SetMask(),)))
    return replace(p, init=init, mask=None)


EMPHASES: list[Callable[[Program], Program]] = [
    sends_twice,
    reads_masks_in_scatter,
    reads_prev_in_scatter,
    sends_at_times,
    sets_masks_in_scatter,
    unsets_masks,
    sets_masks_in_apply,
    tells_no_message_from_identity,
    unsets_masks_that_others_set,
    starts_from_few,
]
# Of these the outbox, which may compute a superstep's messages in the one before, must take care.
FUSED = (reads_masks_in_scatter, reads_prev_in_scatter, sends_at_times)
