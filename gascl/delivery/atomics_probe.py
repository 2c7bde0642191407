"""A kernel that tests a device's atomic additions of floats; a pure function."""

from __future__ import annotations

from gascl.codegen.atomic_cells import definitions
from gascl.codegen.switches import PROBE, defines
from gascl.delivery.assembly import Assembly
from gascl.language.combiners import SUM
from gascl.language.types import resolve

#: Work-items, the cells that they share, and what each adds.
ITEMS, CELLS, VALUE = 1024, 4, 1.5


def probe(type_: str) -> str:
    """OpenCL C of the kernel `gascl_probe`, in which `ITEMS` work-items add to `CELLS` cells.

    Args:
        type_: "float32" or "float64".
    """
    accumulator = resolve(type_, type_)
    lines = [
        *defines(
            PROBE,
            {
                "ACCUMULATOR": accumulator.c,
                "PROBE_CELLS": CELLS,
                "PROBE_VALUE": f"{VALUE}f",
            },
        ),
        *definitions(SUM, accumulator),
    ]
    text = Assembly({})
    text.put("\n".join(lines))
    text.include("atomics_probe.cl")
    return str(text)
