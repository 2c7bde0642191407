"""How a delivery keeps track of the vertices that are active: those in the mask, mainly."""

from __future__ import annotations

from dataclasses import dataclass

from gascl.codegen.kerneltext import kernel_text
from gascl.delivery.buffers import Buffer
from gascl.delivery.launch import Launch


@dataclass(frozen=True)
class ActiveSet:
    """A form of the mask on the device, with the kernels that keep it.

    Between supersteps any form can be changed into `mask`, a byte a vertex, and back: so runs
    change from one delivery to another, and are resumed by any.

    Attributes:
        functions: OpenCL C of what snippets call, gascl_put_mask and the like, and GASCL_IN_MASK;
            for words.cl, which precedes what runtime.cl defines.
        kernels: OpenCL C of the launches below, and GASCL_RENEW_LISTS(), which the end of each
            superstep calls; for superstep.cl.
        buffers: memory of its own.
        state: names of those buffers, and of `mask`, that stand behind GASCL_STATE.
        commit: makes the next mask this superstep's and counts it; where the program has a mask.
        enter, leave: from `mask` to this form, and back; None where they are the same.
        all_scatter: before the first superstep of a run in which every vertex scatters.
        clears: buffers that are 0 before `enter` and where a run is resumed.
        swaps: pairs of buffers that change places after each superstep.
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

#: Arcs of a frontier's piece, at most.
PIECE = 128


def _pieces(vertices: int, arcs: int) -> int:
    """Pieces of a frontier of all vertices, at most."""
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
