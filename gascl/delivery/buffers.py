"""Memory that a run takes on the device: what its buffers hold, and how each of them begins.

A buffer says what its items are, and the items say how a new one begins. A run that starts and one
that goes on from a State fill what is new to them by this one table (`Loop._fill`): whatever
delivery ran before, and whatever delivery is added.
"""

from __future__ import annotations

from dataclasses import dataclass

#: How a new buffer begins: with anything, since it is written before it is read; with 0 in every
#: byte; or with inbox cells that hold no message (gascl_empty in kernels/superstep.cl).
ANYTHING, ZERO, EMPTY = "anything", "zero", "empty"

BEGINS = {
    "message": ANYTHING,  # read only where a mark says that it was written, or all are written
    "box": ANYTHING,  # combined messages
    "piece": ANYTHING,  # some arcs of a vertex: a frontier is a list of them
    "vertex": ANYTHING,  # of a list of vertices, whose length is in the control record
    "flag": ZERO,  # a byte
    "mark": ZERO,  # a flag that is not needed where every arc sends
    "bits": ZERO,  # the flags of a vertex in push (frontier.cl)
    "count": ZERO,
    "wrap": ZERO,  # a count that is needed only for sums of 64 bits
    "cell": EMPTY,  # of the atomic inbox
}


@dataclass(frozen=True)
class Buffer:
    """One buffer of a run.

    Attributes:
        item: what it is made of, a name in BEGINS.
        per: one item for each of these: "arc" or "vertex", and each lane; or "row", a vertex with
            all its lanes. Pieces have none.
    """

    name: str
    item: str
    per: str = ""

    @property
    def begins(self) -> str:
        """How it begins in a run that is not handed it by an earlier one."""
        return BEGINS[self.item]


#: What runs need whatever the delivery; those of `send_to` in apply come in two, for messages that
#: are under way and for those that are being sent.
COMMON = (
    Buffer("mask", "flag", "row"),
    Buffer("next", "flag", "vertex"),
    Buffer("marks", "flag", "vertex"),
    Buffer("flags", "bits", "row"),
    Buffer("listed", "vertex", "row"),
    Buffer("paired", "box", "vertex"),
    *(
        Buffer(f"{name}{when}", item, per)
        for when in ("", "_next")
        for name, item, per in (
            ("inbox", "cell", "vertex"),
            ("arrived", "count", "vertex"),
            ("wraps", "wrap", "vertex"),
            ("touched", "vertex", "row"),
        )
    ),
)
#: Of these, what holds the messages under way between two supersteps: the next superstep's inbox is
#: empty then, and so is every inbox where none are under way.
PENDING = ("inbox", "arrived", "wraps")
