"""Which program a delivery admits, and why not: rules over what a program asks of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gascl.delivery.atomics import Atomics
from gascl.language.combiners import OR, PRODUCT
from gascl.language.facts import Facts
from gascl.language.program import VertexProgram
from gascl.language.types import Type


@dataclass(frozen=True)
class Demand:
    """What a program, on a device, asks of a delivery.

    Attributes:
        accumulator: the type in which messages are combined.
        atomic: how the device combines them atomically (`Atomics.method_of`); "" where it can't.
        sums_floats: a sum or product of floats, whose last bits depend on the order.
        wide_product: a product of integers of 64 bits.
        tallies_floats: an aggregator sums floats up.
        deterministic: a run must repeat bit for bit.
    """

    facts: Facts
    accumulator: Type
    atomic: str
    sums_floats: bool
    wide_product: bool
    tallies_floats: bool
    deterministic: bool


def demand_of(program: VertexProgram, atomics: Atomics, fp64: bool, deterministic: bool) -> Demand:
    """What a program asks of a delivery, on a device with these atomics."""
    spec = program.spec
    combiner = spec.combiner or OR  # which nothing depends on where nothing is combined
    accumulator = spec.accumulator(program.dtype, fp64)
    message = spec.message_type(program.dtype)
    return Demand(
        Facts.of(spec, program.lanes),
        accumulator,
        atomics.method_of(combiner, accumulator),
        combiner.depends_on_order(message),
        combiner is PRODUCT and message.itemsize == 8,
        any(a.sums_floats for a in spec.aggregates.values()),
        deterministic,
    )


# Why a delivery refuses a program, or None.


def slots_refuses(demand: Demand) -> str | None:
    return inbox_refuses(demand) if demand.facts.sends_to else None


def serial_refuses(demand: Demand) -> str | None:
    """One work-item keeps the order, also of what it adds atomically."""
    return slots_refuses(replace(demand, deterministic=False))


def pull_refuses(demand: Demand) -> str | None:
    facts = demand.facts
    if facts.reads_singly:
        return "its gather snippet reads messages one by one, which need a place each"
    if facts.arc_state:
        return "its scatter has arc state, and pull runs scatter anew"
    if facts.scatters and not facts.sends_only:
        return "its scatter does more than send along its arcs, and pull runs scatter anew"
    return slots_refuses(demand)


def outbox_refuses(demand: Demand) -> str | None:
    if demand.facts.reads_edge:
        return "its scatter reads the arc (`e`), so that a vertex's messages differ"
    return pull_refuses(demand)


def inbox_refuses(demand: Demand) -> str | None:
    facts, type_ = demand.facts, demand.accumulator
    if facts.reads_singly:
        return "its gather snippet reads messages one by one, and an inbox combines them"
    if type_.itemsize > 8:
        return f"a combined message takes {type_.itemsize} bytes, and atomics up to 8"
    if not demand.atomic:
        return "the device has no atomics for what it combines"
    if facts.overflows and demand.wide_product:
        return "whether a product of 64 bits overflows can't be seen atomically"
    if demand.deterministic and demand.sums_floats:
        return (
            "atomics would add its floats in another order each time; "
            "Engine(..., deterministic=False), in the shell --nondeterministic, allows that"
        )
    return None


def push_refuses(demand: Demand) -> str | None:
    if demand.facts.lanes > 1:
        return "it has several lanes, and the frontier is one"
    if demand.deterministic and demand.tallies_floats:
        return (
            "an aggregator would add its floats in the frontier's order, another one each time; "
            "Engine(..., deterministic=False), in the shell --nondeterministic, allows that"
        )
    return inbox_refuses(demand)
