"""What the parts of a run must know of each other's vertices."""

from __future__ import annotations

from gascl.delivery.delivery import Delivery
from gascl.language.spec import ProgramSpec
from gascl.language.traits import Facts


def shared_fields(spec: ProgramSpec, facts: Facts, delivery: Delivery) -> list[str]:
    """The vertex fields that apply writes and that something reads of a vertex of another part.

    Init and whatever else runs for every vertex run on every part, and need not be told.
    """
    apply = spec.snippets.get("apply")
    written = apply.writes("v") if apply is not None else set()
    read = set(facts.reads_others)
    scatter = spec.snippets.get("scatter")
    # An outbox that apply fills is told instead of what scatter would read to fill it.
    if scatter is not None and not fills_ahead(facts, delivery):
        read |= scatter.reads("v")
    if "priority" in spec.snippets:  # asked of each vertex in the mask
        read |= spec.snippets["priority"].reads("v")
    if facts.pairs:
        read |= spec.snippets["pairs"].reads("u")
    # Where arcs are turned round, a vertex is of another part in every other superstep.
    everything = facts.alternates or "" in read
    return [n for n in spec.vertex_fields if n in written and (everything or n in read)]


def fills_ahead(facts: Facts, delivery: Delivery) -> bool:
    """Whether apply fills the outbox of the next superstep."""
    return delivery.name == "outbox" and facts.fusable
