"""Assembles the source text for a program and a delivery; a pure function.

Kernels include three files that exist on no disk: `program.h`, the header generated from the
program, and `active_set.cl` and `active_set_kernels.cl`, the functions and the kernels of the
delivery's active set.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from gascl.codegen.header import Header
from gascl.codegen.kernel_files import kernel_text
from gascl.delivery.buffers import Buffer
from gascl.delivery.delivery import Delivery
from gascl.delivery.status_codes import defines
from gascl.language.source import Place
from gascl.language.traits import Traits

#: The number of a block's messages that one work-item combines into a box, for others to use.
CHUNK_ARCS = 8
#: The number of boxes that a work-item joins in one step of a reduction over a work-group.
FAN_IN = 8
#: The number of messages that a work-item loads before it uses the first one; of large ones, 1.
FETCHES = 4
#: The number of boxes in which a work-item combines a long row that it has to itself; of large
#: messages, 1.
SUMS = 2
_INCLUDE = re.compile(r'^#include "([\w.]+)"$')


class Assembly:
    """OpenCL C that is put together from files, each included once.

    Args:
        given: texts that are included instead of files, by name.
        origins: by name of such a text, for each of its lines the user's line that it comes from,
            or None.

    Attributes:
        places: for each line, the user's line that it comes from, or None.
    """

    def __init__(
        self,
        given: Mapping[str, str],
        origins: Mapping[str, Sequence[Place | None]] = MappingProxyType({}),
    ):
        self.places: list[Place | None] = []
        self._given, self._origins = given, origins
        self._lines: list[str] = []
        self._seen: set[str] = set()

    def include(self, name: str) -> None:
        if name in self._seen:
            return
        self._seen.add(name)
        text = self._given[name] if name in self._given else kernel_text(name)
        self.put(text, self._origins.get(name))

    def put(self, text: str, origins: Sequence[Place | None] | None = None) -> None:
        for i, line in enumerate(text.rstrip("\n").split("\n")):
            origin = origins[i] if origins else None
            match = _INCLUDE.match(line) if origin is None else None
            if match:
                self.include(match.group(1))
            else:
                self._lines.append(line)
                self.places.append(origin)

    def __str__(self) -> str:
        return "\n".join(self._lines) + "\n"


def assemble(header: Header, facts: Traits, delivery: Delivery) -> tuple[str, list[Place | None]]:
    """The delivery's kernels, superstep.cl and the program's header, each included once.

    Returns:
        The text, and for each of its lines the user's line that it comes from, or None.
    """
    text = Assembly(
        {
            "program.h": header.text,
            "active_set.cl": delivery.active.functions,
            "active_set_kernels.cl": delivery.active.kernels,
        },
        {"program.h": header.places},
    )
    text.put("\n".join([*defines(), *_of_gather(header), *_of_delivery(facts, delivery)]))
    text.include("superstep.cl")
    if facts.pairs:
        text.include("pairs.cl")
    if delivery.skips_parts(facts):
        text.include("parts.cl")
    if delivery.brings_mail(facts):
        text.include("mail.cl")
    text.put(delivery.text)
    return str(text), text.places


def _of_gather(header: Header) -> list[str]:
    """The constants of gather.cl."""
    is_small = header.message.itemsize <= 16
    return [
        f"#define GASCL_CHUNK_ARCS {CHUNK_ARCS}",
        f"#define GASCL_FAN_IN {FAN_IN}",
        f"#define GASCL_FETCHES {FETCHES if is_small else 1}",
        f"#define GASCL_SUMS {SUMS if is_small else 1}",
    ]


def _of_delivery(facts: Traits, delivery: Delivery) -> list[str]:
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
