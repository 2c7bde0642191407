"""The forms in which deliveries keep the set of active vertices, that is mainly the mask."""

from __future__ import annotations

from dataclasses import dataclass

from gascl.codegen.kerneltext import kernel_text
from gascl.delivery.buffers import Buffer
from gascl.delivery.launch import Launch


@dataclass(frozen=True)
class ActiveSet:
    """A form of the mask on the device, with the kernels that maintain it.

    Between supersteps, any form can be converted to `mask`, one byte per vertex, and back, so that
    a run can change from one delivery to another, and any delivery can resume it.

    Attributes:
        functions: OpenCL C of the functions that snippets call, such as gascl_put_mask, and
            GASCL_IN_MASK; included by words.cl, before the definitions in runtime.cl.
        kernels: OpenCL C of the launches below, and GASCL_RENEW_LISTS(), which is called at the end
            of each superstep; included by superstep.cl.
        buffers: its own memory.
        state: the names of those buffers, and of `mask`, that are arguments in GASCL_STATE.
        commit: makes the next mask the current one and counts it, if the program has a mask.
        enter, leave: convert `mask` to this form, and back; None if they are the same.
        all_scatter: launched before the first superstep of a run in which all vertices scatter.
        clears: buffers that are set to 0 before `enter`, and when a run is resumed.
        swaps: pairs of buffers that are swapped after each superstep.
        lists_receivers: the inbox lists the vertices with a message in `touched`.
    """

    name: str
    functions: str
    kernels: str
    buffers: tuple[Buffer, ...]
    state: tuple[str, ...]
    commit: Launch
    enter: Launch | None = None
    leave: Launch | None = None
    all_scatter: Launch | None = None
    clears: tuple[str, ...] = ()
    swaps: tuple[tuple[str, str], ...] = ()
    lists_receivers: bool = False


BYTES = ActiveSet(
    "bytes",
    kernel_text("mask.cl"),
    kernel_text("mask_kernels.cl"),
    (
        Buffer("next", "flag", "vertex", ("masked",)),
        Buffer("marks", "flag", "vertex", ("masked", "marks")),
    ),
    state=("mask", "next", "marks"),
    commit=Launch("gascl_commit", "vertices", ("STATE", "out_offsets", "counts")),
)

#: The largest number of arcs in a piece of the frontier.
PIECE = 128


def _pieces(vertices: int, arcs: int) -> int:
    """The largest number of pieces that a frontier can have."""
    return vertices + arcs // PIECE + 1


_BOTH = ("frontier", "frontier_next")
FRONTIER = ActiveSet(
    "lists",
    f"#define GASCL_PIECE {PIECE}\n{kernel_text('frontier.cl')}",
    kernel_text("frontier_kernels.cl"),
    (
        Buffer("frontier", "piece", _pieces),
        Buffer("frontier_next", "piece", _pieces),
        Buffer("lengths", "length", lambda vertices, arcs: 5),
        Buffer("flags", "bits", "row", ("masked",)),
        Buffer("listed", "vertex", "row", ("masked",)),
        Buffer("touched", "vertex", "row", ("inbox",)),
        Buffer("touched_next", "vertex", "row", ("inbox", "apply_sends_to")),
    ),
    state=("lengths", "flags", "listed", "touched", "touched_next"),
    commit=Launch(
        "gascl_commit", "vertices", ("STATE", "out_offsets", *_BOTH, "counts", "starting")
    ),
    enter=Launch("gascl_enter", "vertices", ("STATE", "mask", "out_offsets", "frontier")),
    leave=Launch("gascl_leave", "vertices", ("STATE", "mask")),
    all_scatter=Launch("gascl_all_scatter", "vertices", ("STATE", "out_offsets", *_BOTH)),
    clears=("lengths",),
    swaps=(_BOTH, ("touched", "touched_next")),
    lists_receivers=True,
)
