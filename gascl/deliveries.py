"""The ways messages travel: a table. Each is one kernel file and one entry here.

An entry names the kernels of a superstep in order, each with its arguments by name: the graph's
arrays by their names in `Arcs`, `in_blocks` and `out_blocks` (the layout's row blocks), the
entry's own buffers, `tallies`, and STATE and EDGE for what the program's header declares.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from gascl.errors import ProgramError
from gascl.facts import Facts

if TYPE_CHECKING:
    from gascl.program import VertexProgram


@dataclass(frozen=True)
class Buffer:
    """Memory of a delivery's own.

    Attributes:
        item: "message", "box" (combined messages) or "mark" (a byte, zero at first, that says
            whether a message was sent: not needed where every arc sends).
        per: one item for each of these: "arc" or "vertex".
    """

    name: str
    item: str
    per: str


@dataclass(frozen=True)
class Launch:
    """One kernel of a superstep.

    Attributes:
        over: a group for each of these: "in_blocks", "out_blocks", "vertices", or "one" item.
        first_only: run in superstep 0 only where the program's phases fuse (`Facts.fusable`).
    """

    kernel: str
    over: str
    arguments: tuple[str, ...]
    first_only: bool = False


@dataclass(frozen=True)
class Delivery:
    """A way to deliver messages.

    Attributes:
        text: OpenCL C of its kernels.
        launches: the kernels of one superstep; the last one writes the tallies.
        arcs: the order of arcs in which edge fields are read, "out" (CSR) or "in" (CSC).
        swaps: pairs of buffers that change places after each superstep.
        refuses: why it can't take a program with these facts, or None.
    """

    name: str
    text: str
    launches: tuple[Launch, ...]
    buffers: tuple[Buffer, ...]
    arcs: str
    swaps: tuple[tuple[str, str], ...] = ()
    refuses: Callable[[Facts], str | None] = lambda facts: None


def kernel_text(name: str) -> str:
    """The text of gascl/kernels/`name`."""
    return (files("gascl") / "kernels" / name).read_text()


def _pull_refuses(facts: Facts) -> str | None:
    if facts.scatters and not facts.sends_only:
        return "its scatter does more than send (it sets a mask), and pull runs scatter anew"
    return None


def _outbox_refuses(facts: Facts) -> str | None:
    if facts.reads_edge:
        return "its scatter reads the arc (`e`), so that a vertex's messages differ"
    return _pull_refuses(facts)


_CSR = ("out_blocks", "out_offsets", "out_targets")
_CSC = ("in_blocks", "in_offsets", "in_sources")

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
                Launch(
                    "gascl_slots_gather",
                    "in_blocks",
                    ("STATE", *_CSC[:2], "messages", "sent", "received", "tallies"),
                ),
            ),
            (
                Buffer("messages", "message", "arc"),
                Buffer("sent", "mark", "arc"),
                Buffer("received", "mark", "vertex"),
            ),
            arcs="out",
        ),
        Delivery(
            "pull",
            kernel_text("pull.cl"),
            (
                Launch("gascl_pull_gather", "in_blocks", ("STATE", "EDGE", *_CSC, "inbox")),
                Launch("gascl_pull_apply", "vertices", ("STATE", "inbox", "tallies")),
            ),
            (Buffer("inbox", "box", "vertex"),),
            arcs="in",
            refuses=_pull_refuses,
        ),
        Delivery(
            "outbox",
            kernel_text("outbox.cl"),
            (
                Launch(
                    "gascl_outbox_scatter",
                    "vertices",
                    ("STATE", "outbox", "sent"),
                    first_only=True,
                ),
                Launch(
                    "gascl_outbox_gather",
                    "in_blocks",
                    ("STATE", *_CSC, "outbox", "sent", "outbox_next", "sent_next", "tallies"),
                ),
            ),
            (
                Buffer("outbox", "message", "vertex"),
                Buffer("sent", "mark", "vertex"),
                Buffer("outbox_next", "message", "vertex"),
                Buffer("sent_next", "mark", "vertex"),
            ),
            arcs="in",
            swaps=(("outbox", "outbox_next"), ("sent", "sent_next")),
            refuses=_outbox_refuses,
        ),
        Delivery(
            "serial",
            kernel_text("serial.cl"),
            (
                Launch(
                    "gascl_serial",
                    "one",
                    ("STATE", "EDGE", *_CSR[1:], "inbox", "tallies"),
                ),
            ),
            (Buffer("inbox", "box", "vertex"),),
            arcs="out",
        ),
    )
}


def admitted(program: type[VertexProgram]) -> list[str]:
    """Names of the deliveries that take a program."""
    facts = Facts.of(program)
    return [d.name for d in DELIVERIES.values() if d.refuses(facts) is None]


def choose(program: type[VertexProgram], name: str) -> Delivery:
    """The delivery called `name`, or for "auto" the one expected to be fastest.

    A program that scatters on all visits every arc anyway: pull stores no message. One that
    scatters on its mask is better off where the cost follows the messages: slots.

    Raises:
        ProgramError: no such delivery, or it can't take the program.
    """
    facts = Facts.of(program)
    if name == "auto":
        dense = ("outbox", "pull", "slots")
        order = dense if program.scatter_on == "all" else ("slots",)
        name = next(n for n in order if DELIVERIES[n].refuses(facts) is None)
    if not isinstance(name, str) or name not in DELIVERIES:
        known = ", ".join(["auto", *DELIVERIES])
        raise ProgramError(f"no delivery {name!r}; there is {known}")
    why = DELIVERIES[name].refuses(facts)
    if why is not None:
        able = ", ".join(admitted(program))
        raise ProgramError(
            f"delivery {name!r} can't take {program.__name__}: {why}; use one of: {able}"
        )
    return DELIVERIES[name]
