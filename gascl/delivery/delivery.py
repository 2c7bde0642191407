"""`Delivery`: a way in which messages travel along arcs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gascl.delivery.active_set import BYTES, ActiveSet
from gascl.delivery.admission import Demand
from gascl.delivery.buffers import ANSWERS, BUNDLES, CREDITS, INBOX, MASK, Buffer
from gascl.delivery.launch import LISTED_SHARED_ROWS, SHARED_ROWS, Launch
from gascl.language.traits import Traits


@dataclass(frozen=True)
class Delivery:
    """A way to deliver messages: kernels, and what the host must know to run them.

    Attributes:
        text: OpenCL C of its kernels.
        launches: the kernels of a superstep, in order; the last one writes the tallies.
        buffers: its own memory.
        stores: its first kernel stores the message of each arc in its buffer `messages`, and marks
            it in `sent`, in the order of receivers.
        arcs: the order of arcs in which it reads edge fields, "out" (CSR) or "in" (CSC).
        swaps: pairs of its buffers that are swapped after each superstep.
        refuses: returns why it cannot run a program with these demands, or None.
        inbox: messages go through the atomic inbox (kernels/inbox/), as those of send_to do.
        active: how it keeps the active vertices: BYTES, FRONTIER or a form of its own.
        knows_lanes: if `Traits.lane_words` holds, it records the lanes in which each vertex sends,
            and defines what kernels/gather.cl then requires.
        pulls: in a superstep with a large frontier, the vertices that still receive pull from it.
        reaches: in others, those vertices pull that the frontier reaches.
        lists_bits: a frontier that was pulled is listed at once.
        queues: it applies messages as they are sent, and its vertices wait in a queue, not for the
            next superstep; it has no other kernel than the persistent one.
        tries_orders: it applies messages one by one in a random order, and looks for those whose
            order matters; it is for debug mode.
        in_place: apply runs for all vertices, and changes their fields, reads those of others and
            sends at once; it has no other kernel than the persistent one, either.
        persistent: its persistent kernel, which runs all supersteps in one launch
            (kernels/persistent/), if it has one.
        answers: messages that scatter sends to the sender itself are kept for each arc first, and
            then combined in order (kernels/arc_messages.cl).
        credits: messages that scatter sends to common neighbors are added up for each arc first, by
            the kernel that runs scatter for all arcs that end in a vertex.
        bundles: where a work-group is one item, its kernels post what that has combined of the
            messages of `send_to`, by GASCL_SEND_BUNDLES (kernels/inbox/bundles.cl).
        splits: work-groups can share the very long rows of a program with `Traits.may_split`.
        in_parts: it reads only the arcs that end in its row blocks, so that the arcs need not all
            be on the device at once.
        on_ranks: whether it can run a program with these traits on several processes, each of which
            has some of the vertices and the arcs that end in them: it applies only the vertices in
            `in_blocks`, or those with a message.
    """

    name: str
    text: str
    launches: tuple[Launch, ...]
    buffers: tuple[Buffer, ...] = ()
    stores: bool = False
    arcs: str = "out"
    swaps: tuple[tuple[str, str], ...] = ()
    refuses: Callable[[Demand], str | None] = lambda demand: None
    inbox: bool = False
    active: ActiveSet = BYTES
    knows_lanes: bool = False
    pulls: bool = False
    reaches: bool = False
    lists_bits: bool = False
    queues: bool = False
    tries_orders: bool = False
    in_place: bool = False
    persistent: Launch | None = None
    answers: bool = False
    credits: bool = False
    bundles: bool = False
    splits: bool = False
    in_parts: bool = False
    on_ranks: Callable[[Traits], bool] = lambda traits: False

    @property
    def follows_frontier(self) -> bool:
        """Whether a superstep visits only active vertices and their arcs, and not all of them."""
        return self.active.lists_receivers or self.queues

    @property
    def in_one_launch(self) -> bool:
        """Whether only a persistent kernel can run it."""
        return self.queues or self.in_place

    def refuses_persistent(self, traits: Traits) -> str | None:
        """Why no persistent kernel can run a program with these traits, or None."""
        if self.persistent is None:
            return f"{self.name} visits all vertices each time, which takes longer than a launch"
        if traits.pairs:
            return "pairs are computed in launches of their own"
        if traits.scatter_finds_common and not self.follows_frontier:
            return "looking for common neighbors takes longer than a launch"
        if self.keeps_answers(traits):
            return "messages back to the sender are added up in a launch of their own"
        if traits.prioritized and not self.follows_frontier:
            return f"{self.name} chooses the next bucket in a launch of its own"
        return None

    def notes_lanes(self, traits: Traits) -> bool:
        """Whether it knows in which lanes each vertex of a program with these traits sends."""
        return self.knows_lanes and traits.lane_words

    def skips_parts(self, traits: Traits) -> bool:
        """Whether a superstep may need only some of the parts of streamed arcs."""
        return self.in_parts and not traits.scatters_on_all

    def exchanges_messages(self, traits: Traits) -> bool:
        """Whether ranks must exchange messages of `send_to`."""
        return traits.sends_to and self.on_ranks(traits)

    def shares_no_loops(self, traits: Traits, group: int) -> str:
        """Why the items of a work-group cannot share the loops of apply (kernels/shared_rows.cl),
        in a clause; "" if they can.

        Args:
            group: the number of these items.
        """
        if group == 1:
            return "a work-group is one item on this device"
        if self.in_one_launch:
            return f"{self.name} runs in one launch"
        if self.active.lists_receivers and traits.prioritized:
            return "with a priority, a vertex waits right after its apply"
        if any(launch.over == "one" for launch in self.launches):
            return f"{self.name} has a single work-item"
        return ""

    def shared_rows(self, traits: Traits) -> Launch:
        """The kernel in which they do."""
        lists = self.active.lists_receivers and traits.lists_directly
        return LISTED_SHARED_ROWS if lists else SHARED_ROWS

    def needs(self, buffer: Buffer, traits: Traits) -> bool:
        """Whether a program with these traits needs a buffer."""
        return buffer.only_if is None or buffer.only_if(traits, self)

    def has_inbox(self, traits: Traits) -> bool:
        """Whether any messages go through the atomic inbox: all, or those of `send_to`."""
        return self.inbox or (traits.sends_to and not self.in_place)

    def mask_arguments(self, traits: Traits) -> list[Buffer]:
        """The arguments in GASCL_MASKS, in order."""
        buffers = {b.name: b for b in (*self.active.buffers, MASK)}
        return [buffers[n] for n in self.active.state if self.needs(buffers[n], traits)]

    def keeps_answers(self, traits: Traits) -> bool:
        """Whether it keeps messages to the sender itself for each arc."""
        return self.answers and traits.answers

    def keeps_credits(self, traits: Traits) -> bool:
        """Whether it adds up messages to common neighbors for each arc."""
        return self.credits and (traits.credits or self.orders_credits(traits))

    def orders_credits(self, traits: Traits) -> bool:
        """Whether it keeps them in the order in which the neighbors combine them."""
        return self.credits and self.answers and traits.ordered_credits

    def bundles_messages(self, traits: Traits, group: int) -> bool:
        """Whether items combine messages of `send_to` to a vertex that has many before they post
        them, with `group` items in a work-group."""
        return self.bundles and group == 1 and traits.sends_to and traits.combines

    def inbox_arguments(self, traits: Traits, group: int) -> list[Buffer]:
        """The arguments in GASCL_INBOX_STATE, in order, with `group` items in a work-group."""
        shared = self.buffers if self.in_place else (*INBOX, CREDITS, ANSWERS)
        bundles = [BUNDLES] if self.bundles_messages(traits, group) else []
        return [b for b in shared if self.needs(b, traits)] + bundles
