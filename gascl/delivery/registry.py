"""The table of deliveries. Each delivery is a kernel file and an entry here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gascl.codegen.kernel_files import kernel_text
from gascl.delivery.admission import (
    Demand,
    Parts,
    cannot_take_parts,
    edges_refuses,
    frontier_refuses,
    outbox_refuses,
    parts_refuses,
    pull_refuses,
    push_refuses,
    serial_refuses,
    slots_refuses,
)
from gascl.delivery.buffers import Buffer
from gascl.delivery.delivery import Delivery
from gascl.delivery.frontier import FRONTIER
from gascl.delivery.launch import Launch
from gascl.errors import DeviceError, ProgramError
from gascl.language.program import VertexProgram
from gascl.language.traits import Traits
from gascl.messages import ProgramName

_CSR = ("out_blocks", "out_offsets", "out_targets")
_CSC = ("in_blocks", "in_offsets", "in_sources")
#: They send what scatter has sent to the sender itself, and to common neighbors (arc_messages.cl).
_ANSWER = Launch(
    "gascl_answer",
    "vertices",
    ("STATE", "out_offsets", "slot"),
    only_if=lambda traits: traits.answers,
)
_CREDIT = Launch(
    "gascl_credit", "vertices", ("STATE", "num_arcs"), only_if=lambda traits: traits.credits
)
_PUSHED = ("out_offsets", "out_targets", "frontiers", "most_pieces", "piles")
_ROWS = (*_CSC, "all_out_offsets", *(f"next_{name}" for name in (*_CSC, "all_out_offsets")))
_PARTS = ("most_parts", "fresh")
_PULLED = ("EDGE_IN", "in_blocks", "in_offsets", "in_sources", "bits", "pulled")


def _lists_receivers(traits: Traits) -> bool:
    """Whether only vertices with a message apply, and put themselves into the frontier."""
    return traits.lists_directly and not traits.applies_to_all and not traits.sends_to


def _persistent(*step: str) -> Launch:
    """A persistent kernel, with the arguments that its delivery's phases take."""
    state = "posted", "tallies", "counts", "team"
    ends = "ask_stop", "least_arcs", "most_arcs", "supersteps", "most_work"
    arguments = (*step, *state, "starting", "num_tallies", *ends)
    return Launch("gascl_persistent", "", ("STATE", "EDGE", *arguments))


def _by_frontier(name: str, pulls: bool, refuses: Callable[[Demand], str | None]) -> Delivery:
    """A delivery whose work follows the frontier (push.cl)."""
    step = ("STATE", "EDGE", *_PUSHED, *(_PULLED if pulls else ()))
    forms = (
        Launch("gascl_frontier_clear", "vertices", ("STATE", "bits")),
        Launch("gascl_frontier_convert", "vertices", ("STATE", *_PUSHED, "bits")),
    )

    def search(only_if: Callable[[Traits], bool]) -> Launch:
        arguments = (*step, "tallies", "counts")
        return Launch("gascl_push_search", "vertices", arguments, only_if=only_if, only_groups=True)

    first = search(lambda traits: traits.counts_once and not traits.scatter_independent)
    last = search(lambda traits: traits.counts_once and traits.scatter_independent)
    return Delivery(
        name,
        kernel_text("push.cl"),
        (
            *(forms if pulls else ()),
            Launch("gascl_push_scatter", "vertices", (*step, "posted")),
            *((first,) if pulls else ()),
            Launch("gascl_push_apply", "vertices", (*step, "posted", "tallies", "counts")),
            *((last,) if pulls else ()),
        ),
        (Buffer("pulled", "box", "vertex", lambda traits, delivery: delivery.pulls),),
        refuses=refuses,
        inbox=True,
        active=FRONTIER,
        pulls=pulls,
        on_ranks=lambda traits: not pulls and _lists_receivers(traits),
        persistent=_persistent(*step[2:]),
    )


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
            stores=True,
            refuses=slots_refuses,
            on_ranks=lambda traits: True,
        ),
        Delivery(
            "pull",
            kernel_text("pull.cl"),
            (
                Launch(
                    "gascl_pull_lanes",
                    "vertices",
                    ("STATE", "EDGE", "sending", "received"),
                    only_if=lambda traits: traits.lane_words,
                ),
                Launch(
                    "gascl_pull_gather",
                    "in_blocks",
                    ("STATE", *_CSC[:2], "EDGE", "in_sources", "pulled", "sending", "received"),
                    only_if=lambda traits: traits.scatters,
                ),
                _ANSWER,
                _CREDIT,
                Launch(
                    "gascl_pull_apply",
                    "in_blocks",
                    ("STATE", "in_blocks", "pulled", "received", "tallies"),
                ),
            ),
            (
                Buffer("pulled", "box", "vertex"),
                Buffer("sending", "lanes", "row", lambda traits, delivery: traits.lane_words),
                Buffer("received", "lanes", "row", lambda traits, delivery: traits.lane_words),
            ),
            arcs="in",
            knows_lanes=True,
            refuses=pull_refuses,
            answers=True,
            credits=True,
            in_parts=True,
            on_ranks=lambda traits: not traits.scatter_sends_to,
            persistent=_persistent(*_ROWS, "pulled", "sending", "received", *_PARTS),
        ),
        Delivery(
            "outbox",
            kernel_text("outbox.cl"),
            (
                Launch(
                    "gascl_outbox_scatter",
                    "vertices",
                    ("STATE", "all_out_offsets", "outbox"),
                    first_only=True,
                ),
                Launch(
                    "gascl_outbox_gather",
                    "in_blocks",
                    (
                        *("STATE", *_CSC[:2], "EDGE", "in_sources", "all_out_offsets"),
                        *("outbox", "outbox_next", "messages", "tallies"),
                    ),
                ),
            ),
            (
                Buffer("outbox", "outbox_entry", "vertex"),
                Buffer("outbox_next", "outbox_entry", "vertex"),
                Buffer("messages", "message", "arc", lambda traits, delivery: traits.reads_singly),
            ),
            arcs="in",
            swaps=(("outbox", "outbox_next"),),
            refuses=outbox_refuses,
            in_parts=True,
            on_ranks=lambda traits: True,
            persistent=_persistent(*(*_ROWS, "outbox", "outbox_next", "messages", *_PARTS)),
        ),
        _by_frontier("push", False, push_refuses),
        _by_frontier("frontier", True, frontier_refuses),
        Delivery(
            "edges",
            kernel_text("edges.cl"),
            (
                Launch(
                    "gascl_edges_scatter",
                    "vertices",
                    ("STATE", "EDGE", "out_sources", "out_targets", "num_arcs"),
                ),
                _CREDIT,
                Launch("gascl_edges_apply", "vertices", ("STATE", "tallies")),
            ),
            credits=True,
            refuses=edges_refuses,
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
            refuses=serial_refuses,
        ),
    )
}


#: What `auto` tries, the fastest first: where there is no scatter; ...
NONE_SCATTERS = ("pull", "outbox", "slots")
#: ... where every vertex scatters; ...
ALL_SCATTER = ("outbox", "pull", "slots")
#: ... and the device, a CPU or a GPU, has an atomic operation that combines messages; ...
ALL_SCATTER_CPU = ("outbox", "pull", "push", "slots")
ALL_SCATTER_GPU = ("outbox", "pull", "edges", "slots")
#: ... where only the vertices in the mask scatter; and where they do in debug mode, in which
#: messages are to be shuffled.
MASK_SCATTERS = ("frontier", "push", "pull", "slots")
MASK_SCATTERS_DEBUG = ("pull", "slots")
_STORES = "it stores a message for each arc, and reads it again"
_ALL_ARCS = "it visits all arcs in every superstep, also where few vertices scatter"
_ATOMIC = "every message is an atomic operation on the receiver's inbox"
_ONE_ITEM = "one work-item does everything"
_OUTBOX_TOO = "it visits all arcs, as pull does, and fills an outbox besides"
_ROW_BY_ROW = "pull alone looks common neighbors up in a table of the receiver's neighbors"
#: What `auto` has against a delivery that could run the program: where every vertex scatters; where
#: none does; and where only the vertices in the mask do.
_SLOWER_IF_ALL_SCATTER = {
    "pull": "it runs scatter for every arc; outbox runs it once for each vertex",
    "slots": _STORES,
    "edges": _ATOMIC,
    "push": f"{_ATOMIC}, and its list of active vertices saves nothing where all are active",
    "frontier": "its list of active vertices saves nothing where all are active",
    "serial": _ONE_ITEM,
}
_SLOWER_IF_NONE_SCATTERS = {
    **dict.fromkeys(
        ("outbox", "slots", "edges", "push", "frontier"), "it looks for messages on arcs"
    ),
    "serial": _ONE_ITEM,
}
_SLOWER_IF_MASK_SCATTERS = {
    "outbox": _ALL_ARCS,
    "pull": _ALL_ARCS,
    "slots": f"{_ALL_ARCS}, and {_STORES.removeprefix('it ')}",
    "edges": f"{_ALL_ARCS}, and {_ATOMIC}",
    "push": "it cannot pull, which visits fewer arcs where many vertices scatter",
    "serial": _ONE_ITEM,
}


@dataclass(frozen=True)
class Choice:
    """The delivery of a run, and the reasons.

    Attributes:
        why: why this delivery was chosen, in a clause.
        others: why each other one was not, by name.
    """

    delivery: Delivery
    why: str
    others: Mapping[str, str]

    @property
    def name(self) -> str:
        return self.delivery.name


def admitted(demand: Demand) -> list[str]:
    """The names of the deliveries that can run a program."""
    return [name for name, refusal in refusals(demand).items() if refusal is None]


def refusals(demand: Demand) -> dict[str, str | None]:
    """Why each delivery cannot run a program; None where it can."""
    return {name: delivery.refuses(demand) for name, delivery in DELIVERIES.items()}


def _takes(delivery: Delivery, traits: Traits, parts: Parts) -> bool:
    """Whether a delivery can run with only some of the arcs on its device."""
    apart = parts.ranks == 1 or delivery.on_ranks(traits)
    return apart and ((delivery.in_parts and not traits.answers) or not parts.short)


def choose(
    program: VertexProgram,
    demand: Demand,
    name: str,
    debug: bool = False,
    parts: Parts | None = None,
    on_gpu: bool = False,
) -> Choice:
    """The delivery called `name`; for "auto", the one that is likely to be the fastest.

    A program that scatters on all vertices visits every arc anyway, and pull stores no messages.
    For a program that scatters on its mask, the work should follow the frontier.

    Args:
        debug: "auto" prefers a delivery that stores messages, so that their order can be shuffled.
        parts: only some of the arcs are on the device.
        on_gpu: the device is a GPU.

    Raises:
        ProgramError: there is no such delivery, or it cannot run the program.
        DeviceError: the device is too small for all arcs, and the program cannot take parts.
    """
    refused = refusals(demand)
    able = [each for each, refusal in refused.items() if refusal is None]
    title = ProgramName(program.run_by or type(program).__name__)  # which the user runs
    if parts:
        whole = parts_refuses(demand.traits, parts)
        taken = [n for n in able if not whole and _takes(DELIVERIES[n], demand.traits, parts)]
        for each in set(able).difference(taken):
            refused[each] = f"{parts}, and it cannot take the arcs in parts"
        able = taken
        kind = DeviceError if parts.short else ProgramError
        if not able:
            why = whole or DELIVERIES["pull"].refuses(demand)
            raise kind(cannot_take_parts(title, str(why), parts))
        if name in DELIVERIES and name not in able:
            raise kind(
                f"{parts}, and delivery {name!r} cannot take the arcs of {title} in parts; use one "
                f"of: {', '.join(able)}"
            )
    if name == "auto":
        return _fastest(program, demand, able, refused, title, debug, on_gpu)
    if not isinstance(name, str) or name not in DELIVERIES:
        known = ", ".join(["auto", *DELIVERIES])
        raise ProgramError(f"there is no delivery {name!r}; known: {known}")
    if refused[name] is not None:
        raise ProgramError(
            f"delivery {name!r} cannot run {title}: {refused[name]}; use "
            f"{'one of: ' + ', '.join(able) if able else 'another device'}"
        )
    others = {n: why or "another one was requested" for n, why in refused.items() if n != name}
    return Choice(DELIVERIES[name], f"delivery={name!r} was requested", others)


def _fastest(
    program: VertexProgram,
    demand: Demand,
    able: list[str],
    refused: Mapping[str, str | None],
    title: ProgramName,
    debug: bool,
    on_gpu: bool,
) -> Choice:
    """What "auto" chooses among the deliveries that are able to run a program."""
    order: tuple[str, ...]
    if program.spec.scatter_on == "all" and not demand.traits.scatters:
        order, why = NONE_SCATTERS, "no vertex scatters, and pull then visits no arcs"
        slower = _SLOWER_IF_NONE_SCATTERS
    elif program.spec.scatter_on == "all":
        order = ALL_SCATTER
        if demand.atomic == "native" and not debug:
            order = ALL_SCATTER_GPU if on_gpu else ALL_SCATTER_CPU
        why, slower = "every vertex scatters in every superstep", _SLOWER_IF_ALL_SCATTER
        if demand.traits.scatter_finds_common:
            order, slower = ("pull", *order), {**slower, "outbox": _ROW_BY_ROW}
    elif debug:
        order, why = MASK_SCATTERS_DEBUG, "in debug mode, the order of messages is shuffled"
        combine = "it combines messages in the order in which they come, which debug mode shuffles"
        slower = {**_SLOWER_IF_MASK_SCATTERS, "frontier": combine, "push": combine}
    else:
        order, why = MASK_SCATTERS, "only the vertices in the mask scatter"
        slower = _SLOWER_IF_MASK_SCATTERS
    chosen = next((each for each in order if each in able), None)
    if chosen is None:
        others = (
            f"use delivery={able[0]!r}"
            if able
            else "use another type of message, or another device"
        )
        raise ProgramError(title, f" cannot be run by auto: {refused['slots']}; {others}")

    unknown = "auto does not know how fast it is"
    if slower is _SLOWER_IF_MASK_SCATTERS and chosen == "pull":  # which visits all arcs, too
        slower = {**slower, "outbox": _OUTBOX_TOO, "slots": _STORES}
        why = "frontier and push, which visit fewer arcs, cannot run the program"
    reasons = {n: no or slower.get(n, unknown) for n, no in refused.items() if n != chosen}
    return Choice(DELIVERIES[chosen], why, reasons)
