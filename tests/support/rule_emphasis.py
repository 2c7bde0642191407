"""Changes to a random program, each of which makes one rule of the language take effect.

An example is kept only where the oracle says that the change matters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from support.admission import payload
from support.program_tree import (
    Aggregate,
    Assign,
    Bin,
    Clamp,
    Const,
    Expr,
    Field,
    ForCommon,
    GetMask,
    HasEdge,
    If,
    Make,
    Neighbor,
    Of,
    Program,
    Repeat,
    Send,
    SetMask,
    Stmt,
    UnsetMask,
    Var,
    Vertex,
)
from support.random_expressions import bounds_of
from support.values import components, is_array, is_real, is_scalar

ID, NOW, DST, LANE = Var("v", "id"), Var("", "superstep"), Var("e", "dst"), Var("", "lane")


def plus(*terms: Expr) -> Expr:
    total, *others = terms
    for term in others:
        total = Bin("+", total, term)
    return total


def every(n: int, x: Expr) -> Expr:
    """Whether x is a multiple of n."""
    return Bin("==", Bin("%", x, Const(n)), Const(0))


def value(p: Program, number: int) -> Expr:
    """A message: this number, in each component."""
    if is_scalar(p.message):
        return Const(number)
    return Make(p.message, (Const(number),) * len(components(p.message, p.structs)))


def one(p: Program) -> Send:
    return Send(value(p, 1))


def on_all(p: Program, **changes: object) -> Program:
    """Scatters on all, and stops."""
    late = Bin(">=", NOW, Const(4))
    return replace(p, scatter_on="all", stop=p.stop or late, **changes)  # type: ignore[arg-type]


def without(block: tuple[Stmt, ...], kind: type) -> tuple[Stmt, ...]:
    kept: list[Stmt] = []
    for s in block:
        if isinstance(s, If):
            kept.append(If(s.test, without(s.then, kind), without(s.orelse, kind)))
        elif isinstance(s, Repeat):
            kept.append(Repeat(s.times, without(s.block, kind)))
        elif isinstance(s, ForCommon):
            kept.append(ForCommon(s.a, s.b, without(s.block, kind)))
        elif not isinstance(s, kind):
            kept.append(s)
    return tuple(kept)


def sends_twice(p: Program) -> Program:
    return replace(p, scatter=(one(p), *p.scatter))


def sends_at_times(p: Program) -> Program:
    return replace(p, scatter=(If(every(3, plus(NOW, ID)), p.scatter, (one(p),)),))


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
    return on_all(p, scatter=(If(when, p.scatter),), apply=apply)


def reads_prev_in_scatter(p: Program) -> Program:
    when = every(2, Var("prev", "odd"))
    apply = (Aggregate("odd", plus(NOW, ID)), *p.apply)
    aggregates = {**p.aggregates, "odd": ("int32", "sum")}
    scatter = (If(when, p.scatter, (one(p),)),)
    return on_all(p, scatter=scatter, apply=apply, aggregates=aggregates)


def tells_no_message_from_identity(p: Program) -> Program:
    sent: Expr
    if p.gather is not None:  # whose identity is of another type
        sent = value(p, 0)
    elif isinstance(p.identity, Make):
        sent = p.identity
    elif p.identity is not None:
        sent = Const(p.identity)
    else:
        sent = value(p, {"sum": 0, "or": 0, "prod": 1}.get(p.combine or "sum", 1))
    fields = {**p.fields, "heard": Field("int32")}
    heard = If(Var("", "has_msg"), (Assign("heard", plus(NOW, Const(1)), "+="),))
    apply = (*p.apply, heard)
    return replace(p, fields=fields, scatter=(Send(sent),), apply=apply, apply_on="all")


def starts_from_few(p: Program) -> Program:
    init = (*p.init, If(every(4, ID), (SetMask(),)))
    return replace(p, init=init, mask=None)


def waits_for_messages(p: Program) -> Program:
    """Nobody sets a mask; what apply sends arrives in the next superstep, and keeps it running."""
    to = Vertex(plus(ID, Const(1)))
    apply = (*without(p.apply, SetMask), If(Bin("<", NOW, Const(3)), (Send(value(p, 1), to),)))
    changes = {"scatter_on": "mask", "ends": "mask", "stop": None, "converged": None}
    return replace(p, scatter=without(p.scatter, SetMask), apply=apply, **changes)


def sends_anywhere(p: Program) -> Program:
    """To its own and to the next vertex, besides along the arc."""
    scatter = (Send(value(p, 1), DST), *p.scatter, Send(value(p, 1), Vertex(plus(DST, Const(1)))))
    return replace(p, scatter=scatter)


def remembers_on_arcs(p: Program) -> Program:
    arcs = {**p.arc_fields, "times": Field("int32", Bin("%", Var("e", "dst"), Const(3)))}
    count = Assign("times", plus(Var("e", "times"), Const(1)), space="e")
    scatter = (count, If(every(2, Var("e", "times")), p.scatter, (one(p),)))
    return replace(p, scatter=scatter, arc_fields=arcs)


def asks_of_others(p: Program) -> Program:
    """x0 moves on from vertex to vertex."""
    real, (low, high) = is_real(p.fields["x0"].type), bounds_of(p.fields["x0"].type)
    further = Clamp(Of("x0", Vertex(plus(ID, Const(1)))), low, high, real)
    scatter = (If(Bin("<", Of("x0", DST), Const(9)), p.scatter, (one(p),)),)
    return replace(p, scatter=scatter, apply=(*p.apply, Assign("x0", further)))


def walks_to_neighbors(p: Program) -> Program:
    near = Neighbor(NOW)
    sets = If(HasEdge(near, ID), (SetMask(near),), (SetMask(),))
    scatter = (If(HasEdge(DST, Neighbor(plus(ID, NOW))), p.scatter, (one(p),)),)
    return replace(p, scatter=scatter, apply=(*p.apply, sets), scatter_on="mask")


def differs_by_lane(p: Program) -> Program:
    """A vertex that one lane sets scatters in all of them."""
    scatter = (If(every(2, plus(ID, LANE)), p.scatter, (one(p),)),)
    apply = (*p.apply, If(every(3, plus(ID, NOW, LANE)), (SetMask(),), (UnsetMask(),)))
    return replace(p, scatter=scatter, apply=apply, scatter_on="mask")


def unsets_in_one_lane(p: Program) -> Program:
    """What one lane takes back, others have set as well."""
    scatter = (*p.scatter, If(every(2, plus(DST, NOW)), (SetMask(DST),)))
    apply = (*p.apply, If(every(2, plus(LANE, ID)), (UnsetMask(),)))
    return replace(p, scatter=scatter, apply=apply, scatter_on="mask")


class Emphasis(NamedTuple):
    """A change to a program.

    Attributes:
        shows: what a run of the changed program must have made use of.
        takes: whether it is one for the program.
        fused: the outbox, which may compute a superstep's messages in the one before, must take
            care; only programs that it takes are changed so.
    """

    change: Callable[[Program], Program]
    shows: frozenset[str] = frozenset()
    takes: Callable[[Program], bool] = lambda program: True
    fused: bool = False


def _combines(p: Program) -> bool:
    """Whether messages are combined into one: of others, an arc carries one at most."""
    return p.gather is None and p.grouping is None


def _posts(p: Program) -> bool:
    """Whether it may `send_to`: what is combined fits 8 bytes, and is no product of 64 bits."""
    wide = p.combine == "prod" and p.message in ("int64", "uint64")
    return _combines(p) and payload(p, "float64") <= 8 and not wide and not is_array(p.message)


def _laned(p: Program) -> bool:
    return bool(p.lanes or p.listed)


EMPHASES = {
    e.change.__name__: e
    for e in (
        Emphasis(sends_twice, takes=_combines),
        Emphasis(reads_masks_in_scatter, fused=True),
        Emphasis(reads_prev_in_scatter, fused=True),
        Emphasis(sends_at_times, fused=True),
        Emphasis(sets_masks_in_scatter),
        Emphasis(unsets_masks),
        Emphasis(sets_masks_in_apply),
        Emphasis(tells_no_message_from_identity),
        Emphasis(unsets_masks_that_others_set),
        Emphasis(starts_from_few),
        Emphasis(waits_for_messages, frozenset({"runs on while messages are under way"}), _posts),
        Emphasis(sends_anywhere, frozenset({"send_to in scatter"}), _posts),
        Emphasis(remembers_on_arcs, frozenset({"arc state of a superstep before"})),
        Emphasis(asks_of_others, frozenset({"FIELD_of is from before the phase"})),
        Emphasis(
            walks_to_neighbors,
            frozenset({"neighbor in apply", "has_edge true in apply", "has_edge true in scatter"}),
        ),
        Emphasis(differs_by_lane, frozenset({"a mask set by some of the lanes"}), _laned),
        Emphasis(unsets_in_one_lane, frozenset({"a mask set by some of the lanes"}), _laned),
    )
}
