"""Describes cells to kernels/atomics.cl.

A cell is a word of 32 or 64 bits that holds a combined message; work-items add to it concurrently.
"""

from __future__ import annotations

from gascl.codegen.switches import CELL, defines
from gascl.language.combiners import Combiner
from gascl.language.types import Type


def cell_bits(accumulator: Type) -> int | None:
    """The size of the cell for an accumulator, 32 or 64 bits; None if it needs more."""
    size = accumulator.itemsize
    return 32 if size <= 4 else 64 if size <= 8 else None


def cell_kind(accumulator: Type) -> str:
    """The kind of a cell: SIGNED, UNSIGNED or FLOATING; OTHER for a vector or struct."""
    names = {"i": "SIGNED", "u": "UNSIGNED", "f": "FLOATING"}
    return "OTHER" if accumulator.width > 1 else names.get(accumulator.scalar.kind, "OTHER")


def definitions(combiner: Combiner, accumulator: Type) -> list[str]:
    """The lines of a header that describe cells; none if combined messages do not fit a cell."""
    bits = cell_bits(accumulator)
    if bits is None:
        return []
    kind = cell_kind(accumulator)
    cell: dict[str, object] = {
        "CELL_BITS": bits,
        "CELL_KIND": f"GASCL_{kind}",
        "CELL_OP": f"GASCL_{combiner.name.upper()}",
    }
    if kind == "OTHER":
        cell["CELL_MEMBERS"] = f"{filled(accumulator):#x}ul"
    return defines(CELL, cell)


def filled(type_: Type, at: int = 0) -> int:
    """The bits of a type's components, which is `at` this byte: all but those of gaps."""
    if not type_.members:
        return ((1 << 8 * type_.scalar.itemsize * type_.width) - 1) << 8 * at
    offsets = {name: place[1] for name, place in (type_.scalar.fields or {}).items()}
    return sum(filled(member, at + offsets[name]) for name, member in type_.members)
