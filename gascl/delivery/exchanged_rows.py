"""The rows of vertices that ranks exchange after each superstep."""

from __future__ import annotations

from collections.abc import Collection

from gascl.delivery.delivery import Delivery
from gascl.delivery.run_layout import VERTEX, Key
from gascl.language.spec import ProgramSpec
from gascl.language.traits import Traits


def exchanged_rows(
    spec: ProgramSpec, traits: Traits, delivery: Delivery, there: Collection[Key]
) -> list[Key]:
    """The buffers in which each rank has written the rows of its own vertices, and which other
    ranks read.

    Args:
        there: the buffers of the run.
    """
    rows = [Key(VERTEX, name) for name in _shared_fields(spec, traits, delivery)]
    if fills_ahead(traits, delivery):
        rows.append(Key(delivery.name, "outbox_next"))
    marked = exchanged_marks(spec, traits, delivery, there)
    masks = (Key(delivery.active.owner, name) for name in ("next", "marks"))
    return [*rows, *(key for key in masks if key in there and key not in marked)]


def exchanged_marks(
    spec: ProgramSpec, traits: Traits, delivery: Delivery, there: Collection[Key]
) -> list[Key]:
    """The buffers with bytes that apply sets for other vertices. A mark that it unsets for its own
    vertex must not be set again by another rank."""
    if not spec.snippet("apply").uses("set_mask_of"):
        return []
    key = Key(delivery.active.owner, "marks" if traits.marks else "next")
    return [key] if key in there else []


def _shared_fields(spec: ProgramSpec, traits: Traits, delivery: Delivery) -> list[str]:
    """The vertex fields that apply writes and that another rank may read.

    Init, and other code that runs for every vertex, runs on every rank: its results need no
    exchange.
    """
    written = spec.snippet("apply").writes("v")
    # Priorities are evaluated for each vertex in the mask.
    read = {*traits.reads_others, *spec.snippet("priority").reads("v")}
    # If apply fills the outbox, exchange the outbox instead of the fields scatter would read.
    if not fills_ahead(traits, delivery):
        read |= spec.snippet("scatter").reads("v")
    read |= spec.snippet("pairs").reads("u")
    if spec.pairs_at is not None:
        read.add(spec.pairs_at)
    # Where edges alternate, the owner of a vertex changes in every other superstep.
    everything = traits.alternates or "" in read
    return [n for n in spec.vertex_fields if n in written and (everything or n in read)]


def fills_ahead(traits: Traits, delivery: Delivery) -> bool:
    """Whether apply fills the outbox of the next superstep."""
    return delivery.name == "outbox" and traits.fusable
