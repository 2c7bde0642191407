"""The vertex fields that ranks exchange after each superstep."""

from __future__ import annotations

from gascl.delivery.delivery import Delivery
from gascl.language.spec import ProgramSpec
from gascl.language.traits import Traits


def shared_fields(spec: ProgramSpec, traits: Traits, delivery: Delivery) -> list[str]:
    """The vertex fields that apply writes and that another rank may read.

    Init, and other code that runs for every vertex, runs on every rank: its results need no
    exchange.
    """
    apply = spec.snippets.get("apply")
    written = apply.writes("v") if apply is not None else set()
    read = set(traits.reads_others)
    scatter = spec.snippets.get("scatter")
    # If apply fills the outbox, exchange the outbox instead of the fields scatter would read.
    if scatter is not None and not fills_ahead(traits, delivery):
        read |= scatter.reads("v")
    if "priority" in spec.snippets:  # evaluated for each vertex in the mask
        read |= spec.snippets["priority"].reads("v")
    if traits.pairs:
        read |= spec.snippets["pairs"].reads("u")
    if spec.pairs_at is not None:
        read.add(spec.pairs_at)
    # Where edges alternate, the owner of a vertex changes in every other superstep.
    everything = traits.alternates or "" in read
    return [n for n in spec.vertex_fields if n in written and (everything or n in read)]


def fills_ahead(traits: Traits, delivery: Delivery) -> bool:
    """Whether apply fills the outbox of the next superstep."""
    return delivery.name == "outbox" and traits.fusable
