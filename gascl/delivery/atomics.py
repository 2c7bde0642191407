"""The atomic operations of a device, and those that a combiner needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gascl.codegen.atomic_cells import cell_bits, cell_kind
from gascl.codegen.switches import ATOMICS, options
from gascl.language.combiners import EXPRESSION, NAMED, Combiner
from gascl.language.types import Type

#: The combiners: those with a name, and expressions over a and b.
COMBINERS = (*NAMED.values(), EXPRESSION)
#: The types of combined messages: scalars (smaller integers count as 32-bit ones), and structs or
#: vectors of up to 8 bytes.
TYPES = ("int32", "uint32", "int64", "uint64", "float32", "float64", "struct8")


@dataclass(frozen=True)
class Atomics:
    """The atomic operations of a device, with which work-items combine messages in one place.

    `method(combiner, type)` says how messages of a type in `TYPES` are combined:

    - "native": by one OpenCL operation. 32-bit operations are always available; on 64 bits,
      addition needs cl_khr_int64_base_atomics, and min, max, or, and need
      cl_khr_int64_extended_atomics. The min and max of floats use integers with the same order.
    - "ptx": a sum of floats, by an instruction of NVIDIA's.
    - "cas": by compare-and-swap, in a loop that repeats if another work-item interfered.
    - "": not at all. 64 bits need cl_khr_int64_base_atomics, floats have no `or` and `and`, and
      structs and vectors can only be combined by expressions.

    "cl_ext_float_atomics" is not used so far: kernels/atomics.cl says why.

    Attributes:
        int64: the device has cl_khr_int64_base_atomics.
        int64_extended: it has cl_khr_int64_extended_atomics.
        ptx_float32, ptx_float64: it supports NVIDIA's atomic addition of these types.
        ptx_match: it supports NVIDIA's instruction by which work-items of a warp find those that
            combine messages in the same place.
        native: False uses only compare-and-swap.
    """

    int64: bool = False
    int64_extended: bool = False
    ptx_float32: bool = False
    ptx_float64: bool = False
    ptx_match: bool = False
    native: bool = True

    def method(self, combiner: Combiner, type_: str) -> str:
        """How messages of the type are combined: "native", "ptx", "cas" or "" (not at all).

        Raises:
            KeyError: there is no such type.
        """
        if type_ not in TYPES:
            raise KeyError(type_)
        wide, floating = type_[-2:] != "32", type_.startswith("float")
        if wide and not self.int64:
            return ""
        if combiner is EXPRESSION:
            return "cas"
        if type_ == "struct8" or (floating and combiner.atomic == "bitwise"):
            return ""
        if not combiner.atomic or not self.native:
            return "cas"
        if combiner.atomic == "add":
            ptx = self.ptx_float64 if wide else self.ptx_float32
            return ("ptx" if ptx else "cas") if floating else "native"
        return "native" if not wide or self.int64_extended else "cas"

    def method_of(self, combiner: Combiner, accumulator: Type) -> str:
        """`method` for a program's combiner and accumulator; "" if they do not fit a cell."""
        bits = cell_bits(accumulator)
        if bits is None:
            return ""
        kind = {"SIGNED": "int", "UNSIGNED": "uint", "FLOATING": "float"}.get(
            cell_kind(accumulator)
        )
        if kind is None:  # for a small struct, only its size matters: 32 bits
            small = bits == 32 and combiner is EXPRESSION
            return self.method(combiner, "uint32" if small else "struct8")
        return self.method(combiner, f"{kind}{bits}")

    def options(self) -> list[str]:
        """The compiler options with the same facts for kernels/atomics.cl."""
        flags = {
            "NATIVE_ATOMICS": self.native,
            "INT64_EXTENDED_ATOMICS": self.int64_extended,
            "PTX_FLOAT32": self.ptx_float32,
            "PTX_FLOAT64": self.ptx_float64,
            "PTX_MATCH": self.ptx_match,
        }
        return options(ATOMICS, flags)

    def __str__(self) -> str:
        """`method` for all types in one line, such as "native int32 uint32 (sum min max or and),
        float32 (min max); compare-and-swap for the rest, ..."; floats have no `or` and `and`.
        """
        types = {method: ", ".join(self._types_by(method)) for method in ("native", "ptx")}
        parts = [f"{method} {names}" for method, names in types.items() if names]
        parts.append(f"compare-and-swap for {'the rest' if parts else 'all'}")
        if not self.int64:
            parts.append("none on 64 bits")
        return "; ".join(parts)

    def _types_by(self, method: str) -> Iterator[str]:
        """The types that use a method, grouped by the operations for which they use it."""
        alike: dict[tuple[str, ...], list[str]] = {}
        for type_ in TYPES:
            ops = tuple(c.name for c in COMBINERS if self.method(c, type_) == method)
            if ops:
                alike.setdefault(ops, []).append(type_)
        for ops, types in alike.items():
            yield f"{' '.join(types)} ({' '.join(ops)})"
