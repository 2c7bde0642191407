"""What a delivery is: a way for messages to travel along arcs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gascl.delivery.activeset import BYTES, ActiveSet
from gascl.delivery.admission import Demand
from gascl.delivery.buffers import INBOX, MASK, Buffer
from gascl.delivery.launch import Launch
from gascl.language.facts import Facts


@dataclass(frozen=True)
class Delivery:
    """A way to deliver messages: one text of OpenCL C, and what the host must know of it.

    Attributes:
        text: OpenCL C of its kernels.
        launches: the kernels of one superstep, in order; the last one writes the tallies.
        buffers: memory of its own.
        arcs: the order of arcs in which edge fields are read, "out" (CSR) or "in" (CSC).
        swaps: pairs of its buffers that change places after each superstep.
        refuses: why it can't take a program with these demands, or None.
        inbox: messages go through the atomic inbox (kernels/inbox.cl), as those of send_to do.
        active: how it keeps track of the active vertices: BYTES, FRONTIER or one's own.
    """

    name: str
    text: str
    launches: tuple[Launch, ...]
    buffers: tuple[Buffer, ...] = ()
    arcs: str = "out"
    swaps: tuple[tuple[str, str], ...] = ()
    refuses: Callable[[Demand], str | None] = lambda demand: None
    inbox: bool = False
    active: ActiveSet = BYTES

    def needs(self, buffer: Buffer, facts: Facts) -> bool:
        """Whether a program with these facts needs a buffer."""
        return all(
            self.has_inbox(facts) if name == "inbox" else bool(getattr(facts, name))
            for name in buffer.only_if
        )

    def has_inbox(self, facts: Facts) -> bool:
        """Messages go through the atomic inbox: all, or those of `send_to`."""
        return self.inbox or facts.sends_to

    def mask_arguments(self, facts: Facts) -> list[Buffer]:
        """What stands behind GASCL_MASKS, in order."""
        known = {b.name: b for b in (*self.active.buffers, MASK)}
        return [known[n] for n in self.active.state if self.needs(known[n], facts)]

    def inbox_arguments(self, facts: Facts) -> list[Buffer]:
        """What stands behind GASCL_INBOX_STATE, in order."""
        return [b for b in INBOX if self.needs(b, facts)]
