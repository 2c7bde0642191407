"""The table of deliveries. Each delivery is a kernel file and an entry here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from gascl.codegen import constants
from gascl.codegen.kernel_files import kernel_text
from gascl.delivery.active_set import FRONTIER
from gascl.delivery.admission import (
    Demand,
    Parts,
    asynchronous_refuses,
    cannot_take_parts,
    edges_refuses,
    frontier_refuses,
    in_place_refuses,
    outbox_refuses,
    parts_refuses,
    pull_refuses,
    push_refuses,
    random_refuses,
    reached_refuses,
    serial_refuses,
    slots_refuses,
)
from gascl.delivery.buffers import Buffer
from gascl.delivery.cost import FEW, TYPICAL, Costs, costs_of
from gascl.delivery.delivery import Delivery
from gascl.delivery.launch import FIRST_VALUES, Launch
from gascl.errors import DeviceError, ProgramError
from gascl.language.program import VertexProgram
from gascl.language.traits import Traits
from gascl.user_messages import ProgramName

_CSR = ("out_blocks", "out_offsets", "out_targets")
_CSC = ("in_blocks", "in_offsets", "in_sources")
#: The blocks and offsets of a kernel that can take a part of the arcs at a time.
_OF_PART = ("in_blocks", "in_offsets", "offsets_from")
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
_CREDIT_IN_ORDER = Launch(
    "gascl_credit_in_order",
    "vertices",
    ("STATE", "in_offsets"),
    only_if=lambda traits: traits.ordered_credits,
)
#: The boxes of the segments of very long rows (kernels/gather/group.cl), or of rows that ranks
#: share (kernels/cut_rows.cl).
_SEGMENTS = Buffer(
    "segments",
    "box",
    "segment",
    lambda traits, delivery: (traits.splits and not traits.reads_singly) or traits.cuts,
)
#: The boxes of the rows that ranks share, and what the gather kernel needs to find them.
_JOINED = Buffer("joined", "box", "cut row", lambda traits, delivery: traits.cuts)
_BY_SEGMENTS = "segments", "cut_rows", "joined"


def _by_segments(gather: Launch) -> tuple[Launch, ...]:
    """The launches that combine segments of very long rows, or of rows that ranks share, and that
    of the gather kernel, which joins the former. The ranks exchange the boxes of the latter before
    these are joined."""

    def over(table: str, only_if: Callable[[Traits], bool], only_groups: bool) -> Launch:
        names = (n for n in gather.arguments if n not in ("tallies", "offsets_from"))
        arguments = tuple(table if name == "in_blocks" else name for name in names)
        kernel = "gascl_gather_segments"
        return Launch(kernel, table, arguments, only_if=only_if, only_groups=only_groups)

    join = "control", *_BY_SEGMENTS
    return (
        over("in_segments", lambda traits: traits.splits, True),
        over("cut_segments", lambda traits: traits.cuts, False),
        Launch("gascl_join_segments", "cut_rows", join, only_if=lambda traits: traits.cuts),
        gather,
    )


_PULL_GATHER = Launch(
    "gascl_pull_gather",
    "in_blocks",
    ("STATE", *_OF_PART, "EDGE", "in_sources", "pulled", "sending", "received", *_BY_SEGMENTS),
    only_if=lambda traits: (
        traits.scatters and not (traits.ordered_credits or traits.applies_by_row)
    ),
)
_PUSHED = ("out_offsets", "out_targets", "frontiers", "most_pieces", "piles")
_ROWS = (*_CSC, "all_out_offsets", *(f"next_{name}" for name in (*_CSC, "all_out_offsets")))
_PARTS = ("most_parts", "fresh")
_PULLED = ("EDGE_IN", "in_blocks", "in_offsets", "in_sources", "bits", "pulled", "outbox")


def _lists_receivers(traits: Traits) -> bool:
    """Whether only vertices with a message apply, and put themselves into the frontier."""
    return traits.lists_directly and not traits.applies_to_all and not traits.sends_to


def _persistent(*step: str) -> Launch:
    """A persistent kernel, with the arguments that its delivery's phases take."""
    state = "posted", "tallies", "counts", "team"
    ends = "ask_stop", "least_arcs", "most_arcs", "supersteps", "most_work"
    arguments = (*step, *state, "num_tallies", *FIRST_VALUES, "starting", *ends)
    return Launch("gascl_persistent", "", ("STATE", "EDGE", *arguments))


def num_blocks(vertices: int) -> int:
    """The number of blocks in the pool of delivery `asynchronous`."""
    return vertices // constants.VERTICES_OF_BLOCK + constants.SPARE_BLOCKS


def _by_frontier(
    name: str,
    refuses: Callable[[Demand], str | None],
    pulls: bool = True,
    reaches: bool = False,
    by_groups: bool = False,
) -> Delivery:
    """A delivery whose work follows the frontier (push.cl); where it pulls, it fills outboxes
    first. Where a work-group is one item, it does so only for programs that combine the identity
    for vertices that send nothing; with `by_groups`, for others, too."""
    step = ("STATE", "EDGE", *_PUSHED, *(_PULLED if pulls else ()))
    forms = (
        Launch("gascl_frontier_clear", "vertices", ("STATE", "bits")),
        Launch("gascl_frontier_convert", "vertices", ("STATE", *_PUSHED, "bits")),
    )

    def has_outbox(traits: Traits) -> bool:
        other = traits.counts_once or traits.reads_edge or traits.every_arc_sends
        return traits.scatters and not other and (by_groups or traits.adds_identity)

    fill = Launch(
        "gascl_frontier_fill",
        "vertices",
        ("STATE", "out_offsets", "bits", "outbox"),
        only_if=has_outbox,
    )
    outbox = Buffer("outbox", "outbox_entry", "vertex", lambda traits, _: has_outbox(traits))

    def search(only_if: Callable[[Traits], bool]) -> Launch:
        arguments = (*step, "tallies", "counts")
        return Launch("gascl_push_search", "vertices", arguments, only_if=only_if, only_groups=True)

    reached = (
        Launch("gascl_pull_reached_short", "vertices", step),
        Launch("gascl_pull_reached_long", "vertices", step),
    )
    first = search(lambda traits: traits.counts_once and not traits.scatter_independent)
    last = search(lambda traits: traits.counts_once and traits.scatter_independent)
    return Delivery(
        name,
        kernel_text("push.cl"),
        (
            *(forms if pulls else ()),
            *((fill,) if pulls else ()),
            Launch("gascl_push_scatter", "vertices", (*step, "posted")),
            *(reached if reaches else ()),
            *((first,) if pulls else ()),
            Launch("gascl_push_apply", "vertices", (*step, "posted", "tallies", "counts")),
            *((last,) if pulls else ()),
        ),
        (
            Buffer("pulled", "box", "vertex", lambda traits, delivery: delivery.pulls),
            *((outbox,) if pulls else ()),
        ),
        refuses=refuses,
        inbox=not reaches,
        active=FRONTIER,
        pulls=pulls,
        reaches=reaches,
        on_ranks=lambda traits: not reaches and _lists_receivers(traits),
        persistent=_persistent(*step[2:]),
        bundles=not pulls,
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
                *_by_segments(
                    Launch(
                        "gascl_slots_gather",
                        "in_blocks",
                        ("STATE", *_CSC[:2], "messages", "sent", "received", "segments", "tallies"),
                    )
                ),
            ),
            (
                _SEGMENTS,
                Buffer("messages", "message", "arc"),
                Buffer("sent", "mark", "arc"),
                Buffer("received", "mark", "vertex"),
            ),
            stores=True,
            bundles=True,
            splits=True,
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
                *_by_segments(_PULL_GATHER),
                replace(
                    _PULL_GATHER,
                    arguments=(*_PULL_GATHER.arguments, "slot"),
                    only_if=lambda traits: traits.ordered_credits,
                ),
                replace(
                    _PULL_GATHER,
                    arguments=(*_PULL_GATHER.arguments, "tallies"),
                    only_if=lambda traits: traits.applies_by_row,
                ),
                _ANSWER,
                _CREDIT,
                _CREDIT_IN_ORDER,
                Launch(
                    "gascl_pull_apply",
                    "in_blocks",
                    (
                        *("STATE", "in_blocks", "first_row", "last_row"),
                        *("pulled", "received", "tallies"),
                    ),
                    only_if=lambda traits: not traits.applies_by_row,
                ),
            ),
            (
                _SEGMENTS,
                _JOINED,
                Buffer("pulled", "box", "vertex", lambda traits, _: not traits.applies_by_row),
                Buffer("sending", "lanes", "row", lambda traits, delivery: traits.lane_words),
                Buffer("received", "lanes", "row", lambda traits, delivery: traits.lane_words),
            ),
            arcs="in",
            knows_lanes=True,
            refuses=pull_refuses,
            answers=True,
            bundles=True,
            credits=True,
            splits=True,
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
                *_by_segments(
                    Launch(
                        "gascl_outbox_gather",
                        "in_blocks",
                        (
                            *("STATE", *_OF_PART, "EDGE", "in_sources", "all_out_offsets"),
                            *("outbox", "outbox_next", "messages", *_BY_SEGMENTS, "tallies"),
                        ),
                    )
                ),
            ),
            (
                _SEGMENTS,
                _JOINED,
                Buffer("outbox", "outbox_entry", "vertex"),
                Buffer("outbox_next", "outbox_entry", "vertex"),
                Buffer("messages", "message", "arc", lambda traits, delivery: traits.reads_singly),
            ),
            arcs="in",
            swaps=(("outbox", "outbox_next"),),
            refuses=outbox_refuses,
            bundles=True,
            splits=True,
            in_parts=True,
            on_ranks=lambda traits: True,
            persistent=_persistent(*(*_ROWS, "outbox", "outbox_next", "messages", *_PARTS)),
        ),
        _by_frontier("push", push_refuses, pulls=False),
        _by_frontier("frontier", frontier_refuses),
        _by_frontier("reached", reached_refuses, reaches=True),
        Delivery(
            "asynchronous",
            kernel_text("asynchronous.cl"),
            (),
            (
                Buffer("words", "packed", "vertex"),
                Buffer(
                    "pool",
                    "vertex",
                    lambda vertices, arcs: constants.BLOCK_WORDS * num_blocks(vertices),
                ),
                Buffer("shared_blocks", "vertex", lambda vertices, arcs: num_blocks(vertices)),
                Buffer("long_rows", "vertex", lambda vertices, arcs: constants.MOST_LONG_ROWS),
                Buffer("workers", "worker", "group"),
            ),
            refuses=asynchronous_refuses,
            queues=True,
            persistent=_persistent(
                "out_offsets",
                "out_targets",
                *("words", "pool", "shared_blocks", "long_rows", "workers"),
            ),
        ),
        Delivery(
            "in_place",
            kernel_text("in_place.cl"),
            (),
            (Buffer("words", "packed", "vertex"),),
            refuses=in_place_refuses,
            in_place=True,
            persistent=_persistent("out_offsets"),
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
                _CREDIT,
                Launch("gascl_edges_apply", "vertices", ("STATE", "tallies")),
            ),
            credits=True,
            bundles=True,
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
        Delivery(
            "random",
            kernel_text("random.cl"),
            (
                Launch(
                    "gascl_random",
                    "one",
                    (
                        *("STATE", "EDGE", *_CSR[1:], "queue", "flying", "flights", "earlier"),
                        *("last_messages", "last_senders", "first_messages", "first_senders"),
                        *("second_messages", "second_senders", "found", "tallies"),
                    ),
                ),
            ),
            (
                Buffer("queue", "vertex", "row"),
                Buffer("flying", "message", lambda vertices, arcs: constants.MOST_FLIGHTS),
                Buffer("flights", "vertex", lambda vertices, arcs: 3 * constants.MOST_FLIGHTS),
                Buffer("earlier", "applied", "vertex"),
                Buffer("last_messages", "message", "vertex"),
                Buffer("last_senders", "count", "vertex"),
                Buffer("first_messages", "message", "vertex"),
                Buffer("first_senders", "count", "vertex"),
                Buffer("second_messages", "message", "vertex"),
                Buffer("second_senders", "count", "vertex"),
                Buffer("found", "flag", "vertex"),
            ),
            refuses=random_refuses,
            tries_orders=True,
        ),
    )
}


#: Delivery `asynchronous` where a work-group has several items: it has other buffers.
_ASYNCHRONOUS_BY_GROUPS = replace(
    DELIVERIES["asynchronous"],
    buffers=(
        Buffer("words", "packed", "vertex"),
        Buffer("lists", "vertex", lambda vertices, arcs: 2 * vertices),
        Buffer("list_arcs", "word", lambda vertices, arcs: 2 * vertices),
        Buffer("near_marks", "word", lambda vertices, arcs: 2 * (vertices // 32 + 1)),
        Buffer(
            "far_lists",
            "vertex",
            lambda vertices, arcs: 2 * vertices,
            lambda traits, delivery: traits.prioritized,
        ),
        Buffer(
            "far_marks",
            "word",
            lambda vertices, arcs: vertices // 32 + 1,
            lambda traits, delivery: traits.prioritized,
        ),
    ),
    persistent=_persistent(
        *("out_offsets", "out_targets", "words", "lists", "list_arcs", "near_marks"),
        *("far_lists", "far_marks"),
    ),
)


#: The deliveries that have another form where a work-group has several items.
BY_GROUPS = {
    each.name: each
    for each in (
        _ASYNCHRONOUS_BY_GROUPS,
        _by_frontier("frontier", frontier_refuses, by_groups=True),
        _by_frontier("reached", reached_refuses, reaches=True, by_groups=True),
    )
}


def form_of(delivery: Delivery, group: int, ranks: int = 1) -> Delivery:
    """The form of a delivery for work-groups of this many items, and so many processes."""
    form = BY_GROUPS.get(delivery.name, delivery) if group > 1 else delivery
    return _listing(form) if form.pulls and ranks > 1 else form


@cache
def _listing(form: Delivery) -> Delivery:
    """The same, with a kernel that lists a frontier which is bits, since ranks exchange lists."""
    lists = Launch("gascl_frontier_list", "vertices", ("STATE", *_PUSHED, "bits"))
    return replace(form, launches=(*form.launches, lists), lists_bits=True, persistent=None)


_ONLY_APPLIES = "nothing is sent along arcs, and pull runs apply alone"
_WAITS = "all vertices wait for each other between supersteps, which order = 'any' does not need"


@dataclass(frozen=True)
class Choice:
    """The delivery of a run, and the reasons.

    Attributes:
        why: why this delivery was chosen, in a clause.
        others: why each other one was not, by name.
        costs: about how long supersteps take by each delivery.
        rivals: the others among which "auto" chose.
        left: those by which earlier runs of the program began, before it was found that another one
            is better.
    """

    delivery: Delivery
    why: str
    others: Mapping[str, str]
    costs: Costs
    rivals: tuple[str, ...] = ()
    left: frozenset[str] = frozenset()

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


def _lacks(parts: Parts, program: str) -> str:
    """What a delivery cannot do with a program, in a clause."""
    if parts.short:
        return f"cannot take the arcs of {program} in parts"
    return f"does not run {program} on several ranks"


def choose(
    program: VertexProgram,
    demand: Demand,
    name: str,
    debug: bool = False,
    parts: Parts | None = None,
    costs: Costs | None = None,
    stores: bool = True,
) -> Choice:
    """The delivery called `name`; for "auto", the one that is likely to be the fastest.

    Args:
        debug: "auto" chooses a delivery without an inbox, so that the order of messages can be
            shuffled.
        parts: only some of the arcs are on the device.
        costs: those of the program on its graph and device; None: neither is known.
        stores: "auto" may choose a delivery that stores the message of each arc, also where another
            one would do.

    Raises:
        ProgramError: there is no such delivery, or it cannot run the program.
        DeviceError: the device is too small for all arcs, and the program cannot take parts.
    """
    costs = costs or costs_of(program, demand, TYPICAL)
    refused = refusals(demand)
    able = [each for each, refusal in refused.items() if refusal is None]
    title = ProgramName(program.run_by or type(program).__name__)  # which the user runs
    if parts:
        whole = parts_refuses(demand.traits, parts)
        taken = [n for n in able if not whole and _takes(DELIVERIES[n], demand.traits, parts)]
        for each in set(able).difference(taken):
            refused[each] = f"{parts}, and it {_lacks(parts, 'this program')}"
        able = taken
        kind = DeviceError if parts.short else ProgramError
        if not able:
            why = whole or DELIVERIES["pull"].refuses(demand)
            raise kind(cannot_take_parts(title, str(why), parts))
        if name in DELIVERIES and name not in able:
            raise kind(
                f"{parts}, and delivery {name!r} {_lacks(parts, title)}; use one of: "
                f"{', '.join(able)}"
            )
    if name == "auto":
        return _fastest(costs, able, refused, title, debug, stores)
    if not isinstance(name, str) or name not in DELIVERIES:
        known = ", ".join(["auto", *DELIVERIES])
        raise ProgramError(f"there is no delivery {name!r}; known: {known}")
    if refused[name] is not None:
        raise ProgramError(
            f"delivery {name!r} cannot run {title}: {refused[name]}; use "
            f"{'one of: ' + ', '.join(able) if able else 'another device'}"
        )
    others = {n: why or "another one was requested" for n, why in refused.items() if n != name}
    return Choice(DELIVERIES[name], f"delivery={name!r} was requested", others, costs)


def _fastest(
    costs: Costs,
    able: list[str],
    refused: Mapping[str, str | None],
    title: ProgramName,
    debug: bool,
    stores: bool,
) -> Choice:
    """What "auto" chooses among the deliveries that are able to run a program."""
    shuffled = [name for name in able if not (debug and _keeps_order(DELIVERIES[name]))]
    if "frontier" in able and "reached" in shuffled:
        shuffled.remove("reached")  # a message that can be posted need not be pulled
    totals = {name: costs.total(name) for name in shuffled if name in costs.rates.vertex}
    for chosen in {"asynchronous", "in_place"}.intersection(able):  # no program has both
        reasons = {
            name: no or (_slower(costs, name) if name in totals else _left_out(name, debug))
            for name, no in refused.items()
            if name != chosen
        }
        reasons |= {n: _WAITS for n in ("frontier", "push") if refused[n] is None}
        why = "its order is 'any', so that messages are applied as they are sent"
        acts = "applies" if DELIVERIES[chosen].in_place else "scatters"
        if terms := costs.in_any_order(chosen):
            why += f": about {_in_words(terms)} if each vertex {acts} once"
        return Choice(DELIVERIES[chosen], why, reasons, costs)
    if not totals:
        others = (
            f"use delivery={able[0]!r}"
            if able
            else "use another type of message, or another device"
        )
        raise ProgramError(title, f" cannot be run by auto: {refused['slots']}; {others}")
    frugal = [name for name in totals if stores or not DELIVERIES[name].stores]
    rest = frugal or [*totals]
    chosen = min(rest, key=lambda name: totals[name])
    applies = costs.only_applies and "pull" in rest
    if applies:  # which then launches nothing else
        chosen = "pull"

    def reason(name: str) -> str:
        if name not in rest:
            return _left_out(name, debug)
        return _ONLY_APPLIES if applies else _slower(costs, name)

    reasons = {name: no or reason(name) for name, no in refused.items() if name != chosen}
    rivals = tuple(name for name in rest if name != chosen)
    return Choice(DELIVERIES[chosen], _why(costs, chosen, debug), reasons, costs, rivals)


def _keeps_order(delivery: Delivery) -> bool:
    """Whether debug mode cannot shuffle the messages to a vertex."""
    return delivery.inbox or delivery.reaches


def _why(costs: Costs, chosen: str, debug: bool) -> str:
    """Why "auto" chose a delivery, in a clause."""
    why = "every vertex scatters in every superstep"
    if not costs.scatters and (not costs.masked or costs.only_applies):
        why = "no vertex scatters"
    elif costs.masked:
        why = "only the vertices in the mask scatter"
    if debug:
        why += ", and debug mode shuffles messages"
    return f"{why}: {_estimated(costs, chosen)}"


def _slower(costs: Costs, name: str) -> str:
    longer = "it takes longer in total" if costs.masked else "it takes longer"
    return f"{longer}: {_estimated(costs, name)}"


def _left_out(name: str, debug: bool) -> str:
    if name == "serial":
        return "one work-item does everything"
    if name == "reached" and not debug:
        return "frontier posts messages, and need not pull whole rows"
    if name == "random":
        return "debug mode runs it afterwards, and compares the fields"
    if debug and _keeps_order(DELIVERIES[name]):
        return "debug mode cannot shuffle the messages that it combines"
    if DELIVERIES[name].stores:
        return "it stores a message for each arc, for which there is too little memory"
    return "auto does not know how fast it is"


def _estimated(costs: Costs, name: str) -> str:
    """The estimate of a delivery in words, such as "about 2.1 ms a superstep (arcs 1.6, ...)"."""
    terms = costs.estimate(name)
    if not costs.masked:
        return f"about {_in_words(terms, ' a superstep')}"
    few = costs.seconds(name, FEW) * 1e3
    all_do = _in_words(terms, " a superstep if all do")
    return f"about {all_do}, and {few:.2g} if one in {round(1 / FEW):,} does"


def _in_words(terms: Mapping[str, float], of: str = "") -> str:
    """The sum of an estimate and its terms, such as "2.1 ms a superstep (arcs 1.6, ...)"."""
    parts = [f"{term} {each * 1e3:.2g}" for term, each in terms.items()]
    detail = f" ({', '.join(parts)})" if len(parts) > 1 else ""
    return f"{sum(terms.values()) * 1e3:.2g} ms{of}{detail}"
