"""The forms in which deliveries keep the active vertices: as a mask of bytes, or as lists."""

from __future__ import annotations

from dataclasses import dataclass

from gascl.codegen.constants import NUM_LISTS, PIECE, STRIDE
from gascl.codegen.kernel_files import kernel_text
from gascl.delivery.buffers import Buffer, Needs, arrive_next, arrive_now
from gascl.delivery.launch import Launch
from gascl.language.traits import Traits


@dataclass(frozen=True)
class ActiveSet:
    """A form of the mask on the device, with the kernels that maintain it.

    Between supersteps, any form can be converted to `mask`, one byte per vertex, and back, so that
    a run can change from one delivery to another, and any delivery can resume it.

    Attributes:
        functions: OpenCL C of the functions that snippets call, such as gascl_put_mask, and
            GASCL_IN_MASK; included by intrinsics.cl, before the definitions in runtime.cl.
        kernels: OpenCL C of the launches below, and GASCL_RENEW_LISTS(), which is called at the end
            of each superstep; included by superstep.cl.
        buffers: its own memory.
        state: the names of those buffers, and of `mask`, that are arguments in GASCL_STATE.
        commits: make the next mask the current one and count it, if the program has a mask.
        enter: puts the vertices in `mask` into the next mask, where a run continues; `commits`
            follow.
        leave: converts this form to `mask`, which is empty; None if they are the same.
        all_scatter: launched before the first superstep of a run in which all vertices scatter.
        clears: buffers that are set to 0 before a run, and before `enter`.
        starts: its buffers, and `mask`, that the start of a run sets, if init sets the mask of no
            other vertices.
        swaps: pairs of buffers that are swapped after each superstep.
        lists_receivers: `receivers` lists the vertices with a message in the inbox, or that the
            frontier has reached. Programs that list directly (`Traits.lists_directly`) need
            `commits` only before the first superstep.
    """

    name: str
    functions: str
    kernels: str
    buffers: tuple[Buffer, ...]
    state: tuple[str, ...]
    commits: tuple[Launch, ...]
    enter: Launch
    leave: Launch | None = None
    all_scatter: Launch | None = None
    clears: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()
    swaps: tuple[tuple[str, str], ...] = ()
    lists_receivers: bool = False

    @property
    def owner(self) -> str:
        """The owner of its buffers: see `Key`."""
        return f"active set {self.name}"


BYTES = ActiveSet(
    "bytes",
    kernel_text("mask.cl"),
    kernel_text("mask_kernels.cl"),
    (
        Buffer("next", "flag", "vertex", lambda traits, delivery: traits.masked),
        Buffer("marks", "flag", "vertex", lambda traits, delivery: traits.masked and traits.marks),
    ),
    state=("mask", "next", "marks"),
    commits=(
        Launch("gascl_commit", "vertices", ("STATE", "all_out_offsets", "counts")),
        Launch(
            "gascl_select_bucket",
            "vertices",
            ("STATE", "all_out_offsets", "counts"),
            only_if=lambda traits: traits.prioritized,
        ),
    ),
    enter=Launch("gascl_enter", "vertices", ("STATE",)),
    starts=("mask", "next", "marks"),
)


def most_pieces(vertices: int, arcs: int) -> int:
    """The largest number of pieces that a frontier can have."""
    return vertices + arcs // PIECE + 1


def _lists_receivers(traits: Traits, delivery: Needs) -> bool:
    return delivery.reaches or arrive_now(traits, delivery)


_COMMITTED = ("out_offsets", "frontiers", "most_pieces")
_TURNS = ("piles", "counts", "starting")


def _turns(kernel: str, *arguments: str) -> Launch:
    """A launch at the end of a superstep in a run with priorities."""
    return Launch(
        kernel, "vertices", ("STATE", *arguments), only_if=lambda traits: traits.prioritized
    )


FRONTIER = ActiveSet(
    "lists",
    kernel_text("frontier.cl"),
    kernel_text("frontier_kernels.cl"),
    (
        Buffer("frontiers", "piece", lambda vertices, arcs: 2 * most_pieces(vertices, arcs)),
        Buffer(
            "bits",
            "word",
            lambda vertices, arcs: 2 * -(-vertices // 32),
            lambda traits, delivery: delivery.pulls,
        ),
        Buffer("lengths", "length", lambda vertices, arcs: STRIDE * NUM_LISTS),
        Buffer("flags", "bits", "row", lambda traits, delivery: traits.keeps_flags),
        Buffer(
            "listed",
            "vertex",
            "row",
            lambda traits, delivery: traits.keeps_flags or delivery.reaches,
        ),
        Buffer("receivers", "vertex", "row", _lists_receivers),
        Buffer("receivers_next", "vertex", "row", arrive_next),
        # In which superstep a vertex sent last, or was reached last; the first one is 1.
        Buffer("sent_in", "count", "row", lambda traits, delivery: delivery.reaches),
        Buffer("reached_in", "count", "row", lambda traits, delivery: delivery.reaches),
        Buffer(
            "piles",
            "vertex",
            lambda vertices, arcs: 4 * vertices,
            lambda traits, delivery: traits.prioritized,
        ),
    ),
    state=(
        *("lengths", "flags", "listed", "receivers", "receivers_next"),
        *("sent_in", "reached_in"),
    ),
    commits=(
        Launch("gascl_commit", "vertices", ("STATE", *_COMMITTED, *_TURNS)),
        _turns("gascl_return_near", *_COMMITTED, *_TURNS),
        _turns("gascl_scan_near", "piles", "starting"),
        _turns("gascl_scan_far", "piles", "starting"),
        _turns("gascl_split_near", *_COMMITTED, *_TURNS),
        _turns("gascl_split_far", *_COMMITTED, *_TURNS),
    ),
    enter=Launch("gascl_enter", "vertices", ("STATE", "mask")),
    leave=Launch("gascl_leave", "vertices", ("STATE", *_COMMITTED[1:], "bits", "mask")),
    all_scatter=Launch("gascl_all_scatter", "vertices", ("STATE", *_COMMITTED, "starting")),
    clears=("lengths", "flags", "sent_in", "reached_in"),
    swaps=(("receivers", "receivers_next"),),
    lists_receivers=True,
)
