"""Memory that a run takes on the device: what its buffers hold, and how each of them begins.

A buffer says what its items are, and the items say how a new one begins. A run that starts and one
that goes on from a State fill what is new to them by this one table (`Loop._fill`): whatever
delivery ran before, and whatever delivery is added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

#: How a new buffer begins: with anything, since it is written before it is read; with 0 in every
#: byte; or with inbox cells that hold no message (gascl_empty in kernels/superstep.cl).
ANYTHING, ZERO, EMPTY = "anything", "zero", "empty"


@dataclass(frozen=True)
class Item:
    """What a buffer is made of.

    Attributes:
        c: its type in OpenCL C.
        dtype: NumPy's name of it; "" where the program decides, and its header says.
        begins: ANYTHING, ZERO or EMPTY.
    """

    c: str
    dtype: str
    begins: str


ITEMS = {
    # Read only where a mark says that it was written, or all are written.
    "message": Item("gascl_message", "", ANYTHING),
    "box": Item("gascl_box", "", ANYTHING),  # combined messages
    "cell": Item("gascl_cell", "", EMPTY),  # of the atomic inbox
    "piece": Item("int2", "2i4", ANYTHING),  # some arcs of a vertex: a frontier is a list of them
    "vertex": Item("int", "i4", ANYTHING),  # of a list of vertices
    "length": Item("int", "i4", ZERO),  # of a list
    "flag": Item("uchar", "u1", ZERO),
    "mark": Item("uchar", "u1", ZERO),  # a flag that is not needed where every arc sends
    "bits": Item("uint", "u4", ZERO),  # the flags of a vertex (frontier.cl)
    "count": Item("uint", "u4", ZERO),
    "wrap": Item("int", "i4", ZERO),  # a count that is needed only for sums of 64 bits
}


@dataclass(frozen=True)
class Buffer:
    """One buffer of a run.

    Attributes:
        item: what it is made of, a name in ITEMS.
        per: one item for each of these: "arc" or "vertex", and each lane; or "row", a vertex with
            all its lanes. Or a function from the numbers of vertices and arcs to that of items.
        only_if: names of `Facts` that must hold for it to be needed; "inbox": messages go through
            the atomic inbox.
    """

    name: str
    item: str
    per: str | Callable[[int, int], int]
    only_if: tuple[str, ...] = ()

    @property
    def begins(self) -> str:
        """How it begins in a run that is not handed it by an earlier one."""
        return ITEMS[self.item].begins

    def argument(self) -> str:
        """How functions behind GASCL_STATE declare it. No two arguments overlap (`restrict`)."""
        return f"__global {ITEMS[self.item].c} *restrict gascl_{self.name}"


#: The atomic inbox, in the order of its arguments; those of `send_to` in apply come in two, for
#: messages that are under way and for those that are being sent.
INBOX = tuple(
    Buffer(f"{name}{when}", item, "vertex", only_if)
    for when, only_if in (("", ("inbox",)), ("_next", ("inbox", "apply_sends_to")))
    for name, item in (("inbox", "cell"), ("arrived", "count"), ("wraps", "wrap"))
)
#: Every form of the mask can be changed into this one, and back.
MASK = Buffer("mask", "flag", "row", ("masked",))
#: What runs need whatever the delivery.
COMMON = (
    MASK,
    Buffer("paired", "box", "vertex", ("pairs",)),
    *INBOX,
)
#: Buffers that change places after a superstep in which apply sends ahead.
INBOX_SWAPS = (("inbox", "inbox_next"), ("arrived", "arrived_next"), ("wraps", "wraps_next"))
#: What holds the messages under way between two supersteps: the next superstep's inbox is empty
#: then, and so is every inbox where none are under way.
PENDING = ("inbox", "arrived", "wraps")
