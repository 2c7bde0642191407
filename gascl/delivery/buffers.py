"""The buffers of a run on the device: what they contain, and their initial content.

A buffer names the kind of its items, and that determines its initial content. Runs that start from
scratch and runs that continue from a State both initialize their new buffers by this table
(`Loop._fill`), whatever delivery was used before, and whatever deliveries are added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from gascl.language.traits import Traits

#: The initial content of a buffer: anything, if it is written before it is read; 0 in every byte;
#: or inbox cells without a message (gascl_empty in kernels/superstep.cl).
ANYTHING, ZERO, EMPTY = "anything", "zero", "empty"


@dataclass(frozen=True)
class Item:
    """The kind of items in a buffer.

    Attributes:
        c: the type in OpenCL C.
        dtype: the type in NumPy; "" if it depends on the program (see its header).
        begins: ANYTHING, ZERO or EMPTY.
    """

    c: str
    dtype: str
    begins: str


ITEMS = {
    # Only read if a mark says that it was written, or if all are written.
    "message": Item("gascl_message", "", ANYTHING),
    "outbox_entry": Item("gascl_outbox_entry", "", ANYTHING),  # what the outbox keeps of a vertex
    "box": Item("gascl_box", "", ANYTHING),  # combined messages
    "credit": Item("gascl_box", "", ZERO),  # combined messages of a sum
    "cell": Item("gascl_cell", "", EMPTY),  # of the atomic inbox
    "packed": Item("gascl_packed", "", ANYTHING),  # the fields that apply writes
    "applied": Item("gascl_applied", "", ANYTHING),  # the same, not in a word
    "worker": Item("gascl_worker", "80i4", ANYTHING),  # a group's part of the queue (queue.cl)
    "piece": Item("int2", "2i4", ANYTHING),  # some arcs of a vertex; the frontier lists them
    "vertex": Item("int", "i4", ANYTHING),  # an entry of a list of vertices
    "length": Item("int", "i4", ZERO),  # the length of a list
    "flag": Item("uchar", "u1", ZERO),
    "mark": Item("uchar", "u1", ZERO),  # a flag, not needed if every arc sends
    "bits": Item("uint", "u4", ZERO),  # the flags of a vertex (frontier.cl)
    "word": Item("uint", "u4", ANYTHING),  # bits that are cleared when they are needed
    "lanes": Item("ulong", "u8", ANYTHING),  # a bit for each
    "count": Item("uint", "u4", ZERO),
    "bundle": Item("gascl_message_bundle", "6i4", ZERO),  # combined messages to be posted together
    "wrap": Item("int", "i4", ZERO),  # a count, only needed for 64-bit sums
}


class Needs(Protocol):
    """The part of a `Delivery` that decides which buffers a program needs."""

    @property
    def pulls(self) -> bool: ...

    @property
    def reaches(self) -> bool: ...

    def has_inbox(self, traits: Traits) -> bool: ...

    def keeps_credits(self, traits: Traits) -> bool: ...

    def keeps_answers(self, traits: Traits) -> bool: ...


@dataclass(frozen=True)
class Buffer:
    """One buffer of a run.

    Attributes:
        item: the kind of its items, a name in ITEMS.
        per: "arc" or "vertex": it has one item for each, in each lane; "row": one item for a vertex
            with all its lanes; "group": one for each work-group; "segment": one for each segment of
            long rows; "cut row": one for each of its rows that the ranks share. Or a function
            (vertices, arcs) -> number of items.
        only_if: whether a program with these traits needs it in a delivery; None: always.
    """

    name: str
    item: str
    per: str | Callable[[int, int], int]
    only_if: Callable[[Traits, Needs], bool] | None = None

    @property
    def begins(self) -> str:
        """The initial content in a run that does not take the buffer over from an earlier run."""
        return ITEMS[self.item].begins

    def argument(self) -> str:
        """The declaration as an argument. No two arguments overlap (GASCL_RESTRICT)."""
        return f"__global {ITEMS[self.item].c} *GASCL_RESTRICT gascl_{self.name}"


def _inbox(when: str, arrives: Callable[[Traits, Needs], bool]) -> tuple[Buffer, ...]:
    """The buffers of an atomic inbox, in the order of its arguments."""

    def combines(traits: Traits, delivery: Needs) -> bool:
        return traits.combines and arrives(traits, delivery)

    return (
        Buffer(f"inbox{when}", "cell", "vertex", arrives),
        Buffer(f"arrived{when}", "count", "vertex", combines),
        Buffer(f"wraps{when}", "wrap", "vertex", combines),
    )


def arrive_now(traits: Traits, delivery: Needs) -> bool:
    """Whether messages come through the inbox in the superstep in which they are sent."""
    return delivery.has_inbox(traits)


def arrive_next(traits: Traits, delivery: Needs) -> bool:
    """Whether there is a second inbox, for messages that arrive in the next superstep."""
    return traits.apply_sends_to and delivery.has_inbox(traits)


#: The atomic inbox, in the order of its arguments. If apply uses `send_to`, there are two: one for
#: the messages that arrive now, and one for those that arrive in the next superstep.
INBOX = (*_inbox("", arrive_now), *_inbox("_next", arrive_next))
#: What the only item of a group has combined of the messages of `send_to`
#: (kernels/inbox/bundles.cl).
BUNDLES = Buffer("bundles", "bundle", "group")
#: What scatter sends to the target of each arc, as the common neighbor of others.
CREDITS = Buffer(
    "credits", "credit", "arc", lambda traits, delivery: delivery.keeps_credits(traits)
)
#: Every form of the mask can be converted to this one, and back.
MASK = Buffer("mask", "flag", "row", lambda traits, delivery: traits.masked)
#: What scatter sends to the source of each arc, in the order of receivers.
ANSWERS = Buffer("answers", "box", "arc", lambda traits, delivery: delivery.keeps_answers(traits))
#: The buffers that runs need with any delivery.
COMMON = (
    MASK,
    Buffer("paired", "box", "vertex", lambda traits, delivery: traits.pairs),
    *INBOX,
    CREDITS,
    ANSWERS,
)
#: Buffers that are swapped after each superstep if apply uses `send_to`.
INBOX_SWAPS = (("inbox", "inbox_next"), ("arrived", "arrived_next"), ("wraps", "wraps_next"))
#: The buffers with the messages that are pending between two supersteps. The `_next` buffers are
#: empty then, and if no messages are pending, these are, too.
PENDING = ("inbox", "arrived", "wraps")
