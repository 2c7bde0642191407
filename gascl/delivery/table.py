"""The ways messages travel: a table. Each is one kernel file and one entry here.

An entry names the kernels of a superstep in order, each with its arguments by name: the graph's
arrays by their names in `Arcs`, `in_blocks` and `out_blocks` (the layout's row blocks), the
entry's own buffers, `tallies`, `num_arcs`, and STATE and EDGE for what the program's header
declares. A delivery of one's own is another entry in DELIVERIES.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gascl.codegen.kerneltext import kernel_text
from gascl.delivery.atomics import Atomics
from gascl.delivery.buffers import Buffer
from gascl.errors import ProgramError
from gascl.language.combiners import OR, PRODUCT
from gascl.language.facts import Facts
from gascl.language.types import Type

if TYPE_CHECKING:
    from gascl.language.program import VertexProgram


@dataclass(frozen=True)
class Launch:
    """One kernel of a superstep.

    Attributes:
        over: a group for each of these: "in_blocks", "out_blocks", "vertices", or "one" item. There
            may be fewer groups than blocks.
        first_only: run in superstep 0 only where the program's phases fuse (`Facts.fusable`).
    """

    kernel: str
    over: str
    arguments: tuple[str, ...]
    first_only: bool = False


@dataclass(frozen=True)
class Demand:
    """What a program, on a device, asks of a delivery.

    Attributes:
        accumulator: the type in which messages are combined.
        way: how the device combines them atomically (`Atomics.way_of`); "" where it can't.
        sums_floats: a sum or product of floats, whose last bits depend on the order.
        wide_product: a product of integers of 64 bits.
        tallies_floats: an aggregator sums floats up.
        deterministic: a run must repeat bit for bit.
    """

    facts: Facts
    accumulator: Type
    way: str
    sums_floats: bool
    wide_product: bool
    tallies_floats: bool
    deterministic: bool


@dataclass(frozen=True)
class Delivery:
    """A way to deliver messages.

    Attributes:
        text: OpenCL C of its kernels.
        launches: the kernels of one superstep; the last one writes the tallies.
        arcs: the order of arcs in which edge fields are read, "out" (CSR) or "in" (CSC).
        swaps: pairs of buffers that change places after each superstep.
        refuses: why it can't take a program with these demands, or None.
        inbox: messages go through the atomic inbox (kernels/inbox.cl), as those of send_to do.
        sparse: the mask is a frontier (kernels/frontier.cl), not a byte a vertex.
        commit: makes the next mask this superstep's.
    """

    name: str
    text: str
    launches: tuple[Launch, ...]
    buffers: tuple[Buffer, ...] = ()
    arcs: str = "out"
    swaps: tuple[tuple[str, str], ...] = ()
    refuses: Callable[[Demand], str | None] = lambda demand: None
    inbox: bool = False
    sparse: bool = False
    commit: Launch = Launch("gascl_commit", "vertices", ("STATE", "out_offsets", "counts"))


def _slots_refuses(demand: Demand) -> str | None:
    return _inbox_refuses(demand) if demand.facts.sends_to else None


def _serial_refuses(demand: Demand) -> str | None:
    """One work-item keeps the order, also of what it adds atomically."""
    return _slots_refuses(replace(demand, deterministic=False))


def _pull_refuses(demand: Demand) -> str | None:
    facts = demand.facts
    if facts.reads_singly:
        return "its gather snippet reads messages one by one, which need a place each"
    if facts.arc_state:
        return "its scatter has arc state, and pull runs scatter anew"
    if facts.scatters and not facts.sends_only:
        return "its scatter does more than send along its arcs, and pull runs scatter anew"
    return _slots_refuses(demand)


def _outbox_refuses(demand: Demand) -> str | None:
    if demand.facts.reads_edge:
        return "its scatter reads the arc (`e`), so that a vertex's messages differ"
    return _pull_refuses(demand)


def _inbox_refuses(demand: Demand) -> str | None:
    facts, type_ = demand.facts, demand.accumulator
    if facts.reads_singly:
        return "its gather snippet reads messages one by one, and an inbox combines them"
    if type_.itemsize > 8:
        return f"a combined message takes {type_.itemsize} bytes, and atomics up to 8"
    if not demand.way:
        return "the device has no atomics for what it combines"
    if facts.overflows and demand.wide_product:
        return "whether a product of 64 bits overflows can't be seen atomically"
    if demand.deterministic and demand.sums_floats:
        return (
            "atomics would add its floats in another order each time; "
            "Engine(..., deterministic=False), in the shell --nondeterministic, allows that"
        )
    return None


def _push_refuses(demand: Demand) -> str | None:
    if demand.facts.lanes > 1:
        return "it has several lanes, and the frontier is one"
    if demand.deterministic and demand.tallies_floats:
        return (
            "an aggregator would add its floats in the frontier's order, another one each time; "
            "Engine(..., deterministic=False), in the shell --nondeterministic, allows that"
        )
    return _inbox_refuses(demand)


_CSR = ("out_blocks", "out_offsets", "out_targets")
_CSC = ("in_blocks", "in_offsets", "in_sources")

DELIVERIES = {
    d.name: d
    for d in (
        Delivery(
            "slots",
            kernel_text("slots.cl"),
            (
                Launch(
                    "gascl_slots_scatter",
                    "out_blocks",
                    ("STATE", "EDGE", *_CSR, "slot", "messages", "sent", "received"),
                ),
                Launch(
                    "gascl_slots_gather",
                    "in_blocks",
                    ("STATE", *_CSC[:2], "messages", "sent", "received", "tallies"),
                ),
            ),
            (
                Buffer("messages", "message", "arc"),
                Buffer("sent", "mark", "arc"),
                Buffer("received", "mark", "vertex"),
            ),
            refuses=_slots_refuses,
        ),
        Delivery(
            "pull",
            kernel_text("pull.cl"),
            (
                Launch("gascl_pull_gather", "in_blocks", ("STATE", "EDGE", *_CSC, "pulled")),
                Launch(
                    "gascl_pull_apply", "in_blocks", ("STATE", "in_blocks", "pulled", "tallies")
                ),
            ),
            (Buffer("pulled", "box", "vertex"),),
            arcs="in",
            refuses=_pull_refuses,
        ),
        Delivery(
            "outbox",
            kernel_text("outbox.cl"),
            (
                Launch(
                    "gascl_outbox_scatter",
                    "vertices",
                    ("STATE", "out_offsets", "outbox", "sent"),
                    first_only=True,
                ),
                Launch(
                    "gascl_outbox_gather",
                    "in_blocks",
                    (
                        *("STATE", *_CSC, "out_offsets", "outbox", "sent"),
                        *("outbox_next", "sent_next", "tallies"),
                    ),
                ),
            ),
            (
                Buffer("outbox", "message", "vertex"),
                Buffer("sent", "mark", "vertex"),
                Buffer("outbox_next", "message", "vertex"),
                Buffer("sent_next", "mark", "vertex"),
            ),
            arcs="in",
            swaps=(("outbox", "outbox_next"), ("sent", "sent_next")),
            refuses=_outbox_refuses,
        ),
        Delivery(
            "push",
            kernel_text("push.cl"),
            (
                Launch("gascl_push_scatter", "vertices", ("STATE", "EDGE", *_CSR[1:], "frontier")),
                Launch("gascl_push_apply", "vertices", ("STATE", "tallies")),
            ),
            (Buffer("frontier", "piece"), Buffer("frontier_next", "piece")),
            swaps=(("frontier", "frontier_next"),),
            refuses=_push_refuses,
            inbox=True,
            sparse=True,
            commit=Launch(
                "gascl_commit",
                "vertices",
                ("STATE", "out_offsets", "frontier", "frontier_next", "counts", "starting"),
            ),
        ),
        Delivery(
            "edges",
            kernel_text("edges.cl"),
            (
                Launch(
                    "gascl_edges_scatter",
                    "vertices",
                    ("STATE", "EDGE", "out_sources", "out_targets", "num_arcs"),
                ),
                Launch("gascl_edges_apply", "vertices", ("STATE", "tallies")),
            ),
            refuses=_inbox_refuses,
            inbox=True,
        ),
        Delivery(
            "serial",
            kernel_text("serial.cl"),
            (
                Launch(
                    "gascl_serial",
                    "one",
                    (
                        *("STATE", "EDGE", *_CSR[1:], "in_offsets", "slot"),
                        *("messages", "all_sent", "tallies"),
                    ),
                ),
            ),
            (Buffer("messages", "message", "arc"), Buffer("all_sent", "flag", "arc")),
            refuses=_serial_refuses,
        ),
    )
}


def demand_of(program: VertexProgram, atomics: Atomics, fp64: bool, deterministic: bool) -> Demand:
    """What a program asks of a delivery, on a device with these atomics."""
    spec = program.spec
    combiner = spec.combiner or OR  # which nothing depends on where nothing is combined
    accumulator = spec.accumulator(program.dtype, fp64)
    message = spec.message_type(program.dtype)
    return Demand(
        Facts.of(spec, program.lanes),
        accumulator,
        atomics.way_of(combiner, accumulator),
        combiner.depends_on_order(message),
        combiner is PRODUCT and message.itemsize == 8,
        any(a.sums_floats for a in spec.aggregates.values()),
        deterministic,
    )


def admitted(demand: Demand) -> list[str]:
    """Names of the deliveries that take a program."""
    return [d.name for d in DELIVERIES.values() if d.refuses(demand) is None]


def choose(program: VertexProgram, demand: Demand, name: str) -> list[Delivery]:
    """The delivery called `name`; for "auto" those to choose from in each superstep.

    A program that scatters on all visits every arc anyway: pull stores no message. One that
    scatters on its mask goes by its frontier where that is small, and pulls where it is not.

    Raises:
        ProgramError: no such delivery, or it can't take the program.
    """
    able = admitted(demand)
    if name == "auto":
        on_all = program.spec.scatter_on == "all"
        order = ("outbox", "pull", "slots") if on_all else ("pull", "slots")
        dense = next((n for n in order if n in able), None)
        if dense is not None:
            names = ["push", dense] if "push" in able and not on_all else [dense]
            return [DELIVERIES[n] for n in names]
        why = DELIVERIES["slots"].refuses(demand)
        others = (
            f"delivery={able[0]!r} takes it"
            if able
            else "take another type of message, or another device"
        )
        raise ProgramError(f"{type(program).__name__} can't be run by auto: {why}; {others}")
    if not isinstance(name, str) or name not in DELIVERIES:
        known = ", ".join(["auto", *DELIVERIES])
        raise ProgramError(f"no delivery {name!r}; there is {known}")
    why = DELIVERIES[name].refuses(demand)
    if why is not None:
        raise ProgramError(
            f"delivery {name!r} can't take {type(program).__name__}: {why}; use "
            f"{'one of: ' + ', '.join(able) if able else 'another device'}"
        )
    return [DELIVERIES[name]]
