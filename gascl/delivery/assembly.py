"""Assembles the source text for a program and a delivery; a pure function."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gascl.codegen.header import Header
from gascl.codegen.kerneltext import kernel_text
from gascl.delivery.buffers import Buffer
from gascl.delivery.codes import defines
from gascl.delivery.delivery import Delivery
from gascl.language.facts import Facts
from gascl.language.source import Place

#: The number of a block's messages that one work-item combines into a box, for others to use.
CHUNK_ARCS = 8
#: The number of boxes that a work-item joins in one step of a reduction over a work-group.
FAN_IN = 8
#: The number of messages that a work-item loads before it uses the first one; of large ones, 1.
FETCHES = 4
_INCLUDE = re.compile(r'^#include "([\w.]+)"$')


def assemble(header: Header, facts: Facts, delivery: Delivery) -> tuple[str, list[Place | None]]:
    """The delivery's kernels, superstep.cl and the program's header, each included once.

    Returns:
        The text, and for each of its lines the user's line that it comes from, or None.
    """
    lines: list[str] = []
    places: list[Place | None] = []
    seen: set[str] = set()
    given = {
        "active_set.cl": delivery.active.functions,
        "active_set_kernels.cl": delivery.active.kernels,
    }

    def include(name: str) -> None:
        if name in seen:
            return
        seen.add(name)
        if name == "program.h":
            put(header.text, header.places)
        else:
            put(given[name] if name in given else kernel_text(name))

    def put(text: str, origins: Sequence[Place | None] | None = None) -> None:
        for i, line in enumerate(text.rstrip("\n").split("\n")):
            origin = origins[i] if origins else None
            match = _INCLUDE.match(line) if origin is None else None
            if match:
                include(match.group(1))
            else:
                lines.append(line)
                places.append(origin)

    put("\n".join([*defines(), *_of_gather(header), *_of_delivery(facts, delivery)]))
    include("superstep.cl")
    if facts.pairs:
        include("pairs.cl")
    put(delivery.text)
    return "\n".join(lines) + "\n", places


def _of_gather(header: Header) -> list[str]:
    """The constants of gather.cl."""
    fetches = FETCHES if header.message.itemsize <= 16 else 1
    return [
        f"#define GASCL_CHUNK_ARCS {CHUNK_ARCS}",
        f"#define GASCL_FAN_IN {FAN_IN}",
        f"#define GASCL_FETCHES {fetches}",
    ]


def _of_delivery(facts: Facts, delivery: Delivery) -> list[str]:
    """The lines that depend on the delivery: switches, and the rest of GASCL_STATE."""
    return [
        f"#define GASCL_INBOX {int(delivery.has_inbox(facts))}",
        f"#define GASCL_LISTS_RECEIVERS {int(delivery.active.lists_receivers)}",
        f"#define GASCL_PULLS {int(delivery.pulls)}",
        *_arguments("MASKS", delivery.mask_arguments(facts)),
        *_arguments("INBOX_STATE", delivery.inbox_arguments(facts)),
    ]


def _arguments(name: str, buffers: list[Buffer]) -> list[str]:
    """Lines that define GASCL_name, arguments as declared, and GASCL_name_ON, as passed on."""
    return [
        f"#define GASCL_{name} {''.join(', ' + b.argument() for b in buffers)}".rstrip(),
        f"#define GASCL_{name}_ON {''.join(f', gascl_{b.name}' for b in buffers)}".rstrip(),
    ]
