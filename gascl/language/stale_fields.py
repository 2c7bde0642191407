"""Finds fields that may keep an old value without anyone noticing: apply sets them from `msg`, but
does not run where no message comes."""

from __future__ import annotations

from dataclasses import dataclass

from gascl.errors import Place
from gascl.language.combiners import FIRST, PRODUCT, SUM
from gascl.language.spec import ProgramSpec


@dataclass(frozen=True)
class Stale:
    """A field that apply sets from `msg` alone.

    Attributes:
        place: where.
        sometimes: a vertex may get messages in some supersteps and none in others; otherwise it
            gets them always or never.
    """

    field: str
    place: Place
    sometimes: bool

    def note(self, unheard: str) -> str:
        """The warning with its place; `unheard` describes the vertices that it concerns."""
        return f"{self.place}: {self.why(unheard)}"

    def why(self, unheard: str) -> str:
        """The warning."""
        return (
            f"v.{self.field} keeps its value at {unheard}, since apply only runs for "
            f"vertices with a message: write apply_on = 'all' (without a message, msg is the "
            f"identity of combine), or, if that is intended, if (has_msg) v.{self.field} = ..."
        )


def stale_field(spec: ProgramSpec) -> Stale | None:
    """The first such field of a program in which every vertex scatters; None if there is none.

    Only straight code counts, which sets the field whatever its value was. Where a vertex gets
    messages always or never, only that of a sum or product which is sent on: others, such as the
    largest value of the neighbors, rarely mean anything without a message.
    """
    scatter, apply = spec.snippet("scatter"), spec.snippet("apply")
    if not (scatter and apply) or spec.combiner in (None, FIRST):
        return None
    if (spec.scatter_on, spec.apply_on) != ("all", "message") or spec.alternates:
        return None
    if "receive_if" in spec.snippets or "pairs" in spec.snippets:
        return None
    if scatter.uses("superstep", "send_to") or apply.uses("superstep", "send_to"):
        return None
    changing = {f"{name}_of" for name in apply.writes("v")}
    sometimes = not scatter.sends_always
    if sometimes and not (
        scatter.reads("v") & apply.writes("v") or scatter.reads("prev") or scatter.uses(*changing)
    ):
        return None
    for field, line in apply.set_from("msg"):
        if sometimes or (spec.combiner in (SUM, PRODUCT) and field in scatter.reads("v")):
            return Stale(field, apply.place(line), sometimes)
    return None
