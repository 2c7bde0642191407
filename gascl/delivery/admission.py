"""Which programs each delivery admits: rules that return the reason for a refusal."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gascl.codegen.context import packed_fields
from gascl.delivery.atomics import Atomics
from gascl.delivery.device_facts import DeviceFacts
from gascl.language.combiners import OR, PRODUCT, SUM
from gascl.language.program import VertexProgram
from gascl.language.traits import Traits
from gascl.language.types import Type
from gascl.language.wide_form import narrowing
from gascl.user_messages import Message, ProgramName

#: Why work-groups cannot run on by themselves.
_CANNOT_JOIN = "work-groups of one launch cannot wait for each other here"


def why_together(device: DeviceFacts, debug: bool = False, wide: bool = False) -> str:
    """Why the work-groups of a device must go through each superstep together; "" if they need not.

    Args:
        debug: the run is in debug mode.
        wide: the number of arcs does not fit 32 bits.
    """
    if debug:
        return "debug mode checks each superstep"
    if not device.can_join:
        return _CANNOT_JOIN
    if device.group > 1 and not device.atomics.int64:
        return "the device has no atomic operations on 64 bits"
    if device.group > 1 and wide:
        return "it counts the arcs of a round in 32 bits, too few for this graph"
    return ""


@dataclass(frozen=True)
class Demand:
    """What a program requires of a delivery on a device.

    Attributes:
        accumulator: the type in which messages are combined.
        atomic: how the device combines them atomically (`Atomics.method_of`); "" if it cannot.
        sums_floats: messages are combined by a float sum or product, whose last bits depend on the
            order.
        wide_product: messages are combined by a product of 64-bit integers.
        deterministic: a run must repeat bit for bit.
        packed: the bytes of what apply writes of a vertex.
        wide_atomics: the device has atomic operations on 64 bits.
        together: as `why_together` returns it.
        debug: the run is in debug mode.
        group: the number of items in a work-group.
    """

    traits: Traits
    accumulator: Type
    atomic: str
    sums_floats: bool
    wide_product: bool
    deterministic: bool
    packed: int
    wide_atomics: bool
    together: str
    debug: bool
    group: int


def demand_of(
    program: VertexProgram,
    atomics: Atomics,
    fp64: bool,
    deterministic: bool,
    together: str = _CANNOT_JOIN,
    debug: bool = False,
    group: int = 1,
) -> Demand:
    """What a program requires of a delivery on a device with these atomics."""
    spec = program.spec
    combiner = spec.combiner or OR  # without a combiner, any will do
    accumulator = spec.accumulator(program.dtype, fp64)
    message = spec.message_type(program.dtype)
    return Demand(
        Traits.of(spec, program.lanes),
        accumulator,
        atomics.method_of(combiner, accumulator),
        combiner.depends_on_order(message),
        combiner is PRODUCT and message.itemsize == 8,
        deterministic,
        packed_fields(spec, program.dtype).itemsize,
        atomics.int64,
        together,
        debug,
        group,
    )


# Each of these functions returns why a delivery refuses a program, or None.


def slots_refuses(demand: Demand) -> str | None:
    return inbox_refuses(demand) if demand.traits.sends_to else _additions_refuse(demand)


def _additions_refuse(demand: Demand) -> str | None:
    if demand.traits.spec.added_to and not demand.wide_atomics:
        return "it adds to fields of any vertex, and the device has no atomic operations on 64 bits"
    return None


def serial_refuses(demand: Demand) -> str | None:
    """A single work-item keeps the order of additions, even of atomic ones."""
    return slots_refuses(replace(demand, deterministic=False))


def _singly(traits: Traits) -> str:
    """How messages are read that are not combined into one."""
    if traits.groups:
        return "its messages are grouped by key"
    return "its gather snippet reads messages one by one"


def pull_refuses(demand: Demand) -> str | None:
    if demand.traits.reads_singly:
        return f"{_singly(demand.traits)}, and pull does not store them"
    if demand.traits.scatters_once:
        # These are combined in the order of the arcs.
        traits = demand.traits
        ordered = traits.only_answers or (traits.ordered_credits and demand.group == 1)
        return slots_refuses(replace(demand, deterministic=demand.deterministic and not ordered))
    return _repeated_scatter_refuses(demand)


def _repeated_scatter_refuses(demand: Demand) -> str | None:
    """Refusals of deliveries that run scatter wherever its message is needed, not once per arc."""
    traits = demand.traits
    if traits.arc_state:
        return "it has arc fields, and this delivery may run scatter again"
    if traits.scatters and not traits.sends_only:
        repeated = "this delivery may run scatter again"
        return f"its scatter does more than send along its arcs, and {repeated}"
    return slots_refuses(demand)


def outbox_refuses(demand: Demand) -> str | None:
    traits = demand.traits
    if traits.reads_edge and traits.scatter_reads_others:
        return "its scatter reads `e`, and fields of other vertices, which apply may have changed"
    if traits.reads_singly and not traits.groups and traits.reads_edge:
        return (
            "its scatter reads `e`, so that messages are only known where they are combined, and "
            "its gather snippet reads them one by one"
        )
    if traits.reads_singly and not (traits.groups or traits.every_arc_sends):
        return (
            "its gather snippet reads messages one by one, and it is not certain that every arc "
            "carries one"
        )
    return _repeated_scatter_refuses(demand)


@dataclass(frozen=True)
class Parts:
    """The reason why a device has only some of the arcs.

    Attributes:
        ranks: the number of processes, with a device each, that share the arcs.
        short: a clause that says why not even the arcs of one process fit on its device, so that
            they are streamed in parts; "" if they fit.
    """

    ranks: int = 1
    short: str = ""

    def __str__(self) -> str:
        return self.short or f"the run has {self.ranks} ranks"


def parts_refuses(traits: Traits, parts: Parts) -> str | None:
    """Why a program needs all arcs on its device."""
    if parts.ranks > 1 and traits.spec.added_to:
        return "it adds to fields of vertices that other ranks apply"
    if parts.ranks == 1 and traits.reads_neighbors:
        return "it reads neighbors, which may be in any part"
    if parts.short and traits.reads_singly and traits.lanes > 1:
        return f"{_singly(traits)}, in several lanes"
    return None


def halo_refuses(traits: Traits) -> str | None:
    """Why a rank must receive the changes of all vertices of other ranks, rather than only those of
    its halo, the vertices that send to its own."""
    reasons = [
        (traits.alternates, "its edges alternate, and so does the rank that has a vertex"),
        (bool(traits.reads_others), "it reads fields of any vertex"),
        (traits.sends_to, "it sends to any vertex"),
        (traits.reaches_masks, "it reads or sets the mask of other vertices"),
        (traits.prioritized, "its priority compares all vertices that wait"),
        (traits.pairs, "every pair of vertices interacts"),
    ]
    return next((why for holds, why in reasons if holds), None)


def local_refuses(traits: Traits) -> str | None:
    """Why a rank must have all vertices, rather than only its own and its halo."""
    reasons = [
        (traits.reads_neighbors, "it reads neighbors, which may be any vertices"),
        (traits.arc_state, "it has arc fields"),
        (traits.asks_mask, "it reads the mask"),
    ]
    return halo_refuses(traits) or next((why for holds, why in reasons if holds), None)


def cut_refuses(traits: Traits, delivery: str) -> str | None:
    """Why all arcs of a row must be on the rank of its vertex."""
    reasons = [
        (delivery not in ("pull", "outbox"), f"{delivery} does not gather whole rows"),
        (traits.receives, "receive_if reads fields of a vertex that other ranks apply"),
        (traits.counts_once, "a vertex may have enough before its last message"),
        (traits.reads_singly, _singly(traits)),
        (traits.sends_arrays, "its messages are arrays"),
        (traits.lanes > 1, "it has several lanes"),
        (traits.reads_neighbors, "it reads neighbors"),
        (traits.pairs, "every pair of vertices interacts"),
    ]
    return next((why for holds, why in reasons if holds), None)


def wide_refuses(traits: Traits) -> str | None:
    """Why a program cannot run on a graph whose arcs are made by a rule: a rank then has only its
    own vertices and its halo, and ids have 64 bits."""
    cast = narrowing(traits.spec)
    reasons = [
        (traits.reads_ids_of_edges, "it reads the ids or directions of edges"),
        (traits.overflows, "its messages are integers that may overflow, at vertices of 32 bits"),
        (traits.can_trap, "its faults are reported with vertices of 32 bits"),
        (traits.reads_hub, "it reads g.hub, for which all edges are looked at"),
        (
            bool(cast),
            f"{cast!r} may cut off bits of an id, which has 64 (assign with =, without a cast)",
        ),
    ]
    return local_refuses(traits) or next((why for holds, why in reasons if holds), None)


def cannot_take_parts(name: ProgramName, why: str, parts: Parts) -> Message:
    """The error message if `parts_refuses`; `name` is the program that the user runs."""
    remedy = "allow more memory, or use a device with more" if parts.short else "run it without MPI"
    return Message(name, f" cannot take its arcs in parts: {why}; and {parts}: {remedy}")


def inbox_refuses(demand: Demand) -> str | None:
    traits, type_ = demand.traits, demand.accumulator
    if refusal := _additions_refuse(demand):
        return refusal
    if traits.reads_singly:
        return f"{_singly(traits)}, and the inbox combines them"
    if traits.first:  # the inbox then holds senders, no messages
        return None
    if type_.itemsize > 8:
        return f"a combined message has {type_.itemsize} bytes, and atomics handle at most 8"
    if not demand.atomic:
        return "the device has no atomics for its combiner"
    if traits.overflows and demand.wide_product:
        return "atomics cannot detect the overflow of a 64-bit product"
    if demand.deterministic and demand.sums_floats:
        return (
            "atomics would add its floats in a different order each time; "
            "Engine(..., deterministic=False), in the shell --nondeterministic, allows that"
        )
    return None


def edges_refuses(demand: Demand) -> str | None:
    if demand.traits.first:
        return "it combines messages atomically, and cannot tell which sender is the first"
    return inbox_refuses(demand)


def push_refuses(demand: Demand) -> str | None:
    return _list_refuses(demand) or inbox_refuses(demand)


def _list_refuses(demand: Demand) -> str | None:
    """Why there cannot be a list of active vertices."""
    if demand.traits.lanes > 1:
        return "it has several lanes, and there is only one list of active vertices"
    if demand.traits.alternates:
        return "its edges alternate, and the list of active vertices counts this superstep's arcs"
    if demand.traits.first and not demand.traits.scatter_independent:
        return (
            "scatter reads a field that apply writes, and 'first' is found by running the "
            "first sender's scatter again when apply has begun"
        )
    if demand.traits.first and not demand.traits.scatter_repeatable:
        return (
            "scatter writes arc fields or sets the mask, and 'first' is found by running the "
            "first sender's scatter again, which would do so twice"
        )
    return None


def _ordered(traits: Traits) -> str:
    """Why messages must be applied in supersteps."""
    if traits.reads_singly:
        return f"{_singly(traits)}, all those of a superstep"
    if traits.spec.combiner in (SUM, PRODUCT):
        how = traits.spec.combiner.name
        return f"its messages are combined by {how!r}, which must count each of them once"
    return "its messages may depend on their order: order = 'any' declares that they do not"


_ALL_APPLY = "all its vertices apply, in place, and none scatters"


def random_refuses(demand: Demand) -> str | None:
    if not demand.traits.any_order:
        return _ordered(demand.traits)
    if not demand.debug:
        return "it is for debug mode, which tests whether the order of messages matters"
    return slots_refuses(demand)


def asynchronous_refuses(demand: Demand) -> str | None:
    traits = demand.traits
    if traits.applies_in_place:
        return _ALL_APPLY
    refusal = _transactions_refuse(demand)
    if refusal:
        return refusal
    if traits.sends_to:
        return "it sends to any vertex"
    if traits.reads_written:
        return "it reads what apply writes of other vertices"
    return None


def in_place_refuses(demand: Demand) -> str | None:
    if demand.traits.any_order and not demand.traits.applies_in_place:
        return "only its vertices with a message apply"
    refusal = _transactions_refuse(demand)
    if refusal is None and demand.group > 1 and not demand.traits.apply_sends_to:
        return "on GPUs, it is for programs whose apply sends"
    return refusal


def _transactions_refuse(demand: Demand) -> str | None:
    """Refusals of deliveries by which vertices change one by one, each at once."""
    traits = demand.traits
    if not traits.any_order:
        return _ordered(demand.traits)
    if demand.together:
        return demand.together
    if traits.lanes > 1:
        return "it has several lanes, whose fields do not fit into one word of 64 bits"
    if demand.packed > 8:
        return f"apply writes {demand.packed} bytes of a vertex, and an atomic word has at most 8"
    if demand.packed > 4 and not demand.wide_atomics:
        return "the device has no atomic operations on 64 bits"
    return None


def frontier_refuses(demand: Demand) -> str | None:
    traits = demand.traits
    if traits.prioritized:
        return "it has a priority, and only the few vertices of a bucket scatter at once: use push"
    if traits.apply_sends_to:
        return "its apply sends to any vertex, and pulling does not empty the inbox"
    if traits.masked and not traits.lists_directly:
        return _mask_refuses(traits)
    return _repeated_scatter_refuses(demand) or push_refuses(demand)


def _mask_refuses(traits: Traits) -> str:
    """Why apply cannot list the vertices that scatter next."""
    reasons = [
        (traits.scatters_on_all, "every vertex scatters"),
        (traits.prioritized, "it has a priority, by which vertices wait"),
        (traits.asks_mask, "it asks by get_mask() or get_mask_of() which vertices are in the mask"),
        (traits.spec.apply_on == "mask", 'apply_on = "mask" lets the vertices in the mask apply'),
        (traits.pairs, "its pairs snippet takes the vertices in the mask as senders"),
        (not traits.own_mask, "scatter or other vertices put vertices into its mask"),
    ]
    why = next(why for holds, why in reasons if holds)
    return f"{why}, and only vertices that call set_mask() in apply can be listed"


def reached_refuses(demand: Demand) -> str | None:
    traits = demand.traits
    if not traits.scatters:
        return "it sends nothing along arcs"
    if not traits.lists_directly:
        return _mask_refuses(traits)
    if traits.counts_once:
        how = "combine = 'first'" if traits.first else "enough"
        return f"it has {how}, and a vertex that is reached pulls all of its row"
    if traits.reads_singly:
        return f"{_singly(traits)}, and vertices do not store what they pull"
    if traits.sends_to:
        return "it sends to any vertex"
    return _repeated_scatter_refuses(demand) or _list_refuses(demand)
