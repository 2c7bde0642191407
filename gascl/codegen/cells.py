"""What kernels/atomics.cl is told of cells.

A cell is a word of 32 or 64 bits that holds one combined message, which work-items add to at once.
"""

from __future__ import annotations

from gascl.language.combiners import Combiner
from gascl.language.types import Type


def cell_bits(accumulator: Type) -> int | None:
    """Bits of the cell that holds an accumulator, 32 or 64; None where it takes more."""
    size = accumulator.itemsize
    return 32 if size <= 4 else 64 if size <= 8 else None


def cell_kind(accumulator: Type) -> str:
    """SIGNED, UNSIGNED or FLOATING; OTHER for a vector or struct."""
    names = {"i": "SIGNED", "u": "UNSIGNED", "f": "FLOATING"}
    return "OTHER" if accumulator.width > 1 else names.get(accumulator.scalar.kind, "OTHER")


def definitions(combiner: Combiner, accumulator: Type) -> list[str]:
    """A header's lines about cells; none where no cell holds what is combined."""
    bits = cell_bits(accumulator)
    if bits is None:
        return []
    return [
        f"#define GASCL_CELL_BITS {bits}",
        f"#define GASCL_CELL_KIND GASCL_{cell_kind(accumulator)}",
        f"#define GASCL_CELL_OP GASCL_{combiner.name.upper()}",
    ]
