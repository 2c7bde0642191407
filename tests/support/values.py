"""The types of the random programs, and how C stores a value of each.

A type is a name: NumPy's of a scalar, `real`, OpenCL's of a vector, `real(5)` of an array, or a
struct's. In the oracle a value of a vector, array or struct is the tuple of its scalars, those of a
vector or array within a struct in line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

LIMIT = 2**24
C_NAMES = {
    "int8": "char",
    "uint8": "uchar",
    "int16": "short",
    "uint16": "ushort",
    "int32": "int",
    "uint32": "uint",
    "int64": "long",
    "uint64": "ulong",
    "float32": "float",
    "float64": "double",
}
SCALARS = ("real", *C_NAMES)
NUMPY_NAMES = {c: name for name, c in C_NAMES.items()}
VECTOR = re.compile(r"(real|u?char|u?short|u?int|u?long|float|double)(2|3|4|8|16)")
ARRAY = re.compile(r"(\w+)\((\d+)\)")
Structs = Mapping[str, tuple[tuple[str, str], ...]]  # name -> (member, type of it) in order


class Inexact(Exception):
    """A value left the range in which every type computes the same: the example proves nothing."""


def is_scalar(kind: str) -> bool:
    return kind in SCALARS or kind == "vertex"


def is_vector(kind: str) -> bool:
    return not is_scalar(kind) and VECTOR.fullmatch(kind) is not None


def is_array(kind: str) -> bool:
    return ARRAY.fullmatch(kind) is not None


def is_real(kind: str) -> bool:
    return kind in ("real", "float32", "float64")


def element(kind: str) -> tuple[str, int]:
    """The scalar type of the components of a vector or array, and how many it has."""
    array = ARRAY.fullmatch(kind)
    if array:
        return array[1], int(array[2])
    match = VECTOR.fullmatch(kind)
    assert match
    return NUMPY_NAMES.get(match[1], match[1]), int(match[2])


def c_name(kind: str) -> str:
    return "int" if kind == "vertex" else C_NAMES.get(kind, kind)


def components(kind: str, structs: Structs) -> tuple[tuple[str, str], ...]:
    """(path, scalar type) of each scalar of a vector, array or struct: ("x", "int32"), ("[0]", ...)
    or ("p.x", ...)."""
    if is_scalar(kind):
        return ()
    if is_array(kind):
        scalar, width = element(kind)
        return tuple((f"[{i}]", scalar) for i in range(width))
    if is_vector(kind):
        scalar, width = element(kind)
        names = "xyzw" if width <= 4 else "0123456789abcdef"
        return tuple((name if width <= 4 else f"s{name}", scalar) for name in names[:width])
    found: list[tuple[str, str]] = []
    for member, member_kind in structs[kind]:
        inner = components(member_kind, structs)
        found += (
            [(f"{member}.{path}", s) for path, s in inner] if inner else [(member, member_kind)]
        )
    return tuple(found)


def scalar_dtype(kind: str, real: str) -> np.dtype:
    return np.dtype({"real": real, "vertex": "int32"}.get(kind, kind))


def layout(kind: str, structs: Structs, real: str) -> tuple[int, int]:
    """Size and alignment in bytes, as C has them (a vector of 3 is as large as one of 4)."""
    if is_scalar(kind):
        size = scalar_dtype(kind, real).itemsize
        return size, size
    if is_array(kind):
        scalar, width = element(kind)
        size = scalar_dtype(scalar, real).itemsize
        return size * width, size * math.gcd(width, 16)  # it is in a union with vectors
    if is_vector(kind):
        scalar, width = element(kind)
        size = scalar_dtype(scalar, real).itemsize * (4 if width == 3 else width)
        return size, size
    end, most = 0, 1
    for _, member_kind in structs[kind]:
        size, align = layout(member_kind, structs, real)
        if is_array(member_kind):  # just an array there
            align = scalar_dtype(element(member_kind)[0], real).itemsize
        end = -(-end // align) * align + size
        most = max(most, align)
    return -(-end // most) * most, most


class Store:
    """Fits values into types exactly; `real` is the run's dtype."""

    def __init__(self, structs: Structs, real: str):
        self.structs, self.real = structs, real
        self.single = real == "float32"

    def components(self, kind: str) -> tuple[tuple[str, str], ...]:
        return components(kind, self.structs)

    def fit(self, kind: str, value: Any) -> Any:
        """`value` as C stores it into a type, which must hold it exactly."""
        if not is_scalar(kind):
            parts = self.components(kind)
            if not isinstance(value, tuple | list):  # a number, for each component
                value = (value,) * len(parts)
            return tuple(
                self.fit(member_kind, x) for (_, member_kind), x in zip(parts, value, strict=True)
            )
        dtype = scalar_dtype(kind, self.real)
        if dtype.kind == "f":
            return self.exact(float(value)) if dtype.itemsize == 4 else float(value)
        if not math.isfinite(value) or value != int(value):
            raise Inexact(f"{value} into {dtype}")
        if not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
            raise Inexact(f"{value} into {dtype}")
        return int(value)

    def exact(self, x: Any) -> Any:
        """`x`, the result of an operation, where every type computes the same."""
        if isinstance(x, float):
            if self.single and math.isfinite(x) and float(np.float32(x)) != x:
                raise Inexact(f"{x} is no float32")
        elif abs(x) > LIMIT:
            raise Inexact(f"{x} is too large")
        return x

    def zero(self, kind: str) -> Any:
        return self.fit(kind, 0)

    def array(self, kind: str, values: list[Any], shape: tuple[int, ...]) -> np.ndarray:
        """Values of one type as a program's result has them: nested lists of that shape."""
        if is_scalar(kind):
            return np.array(values, scalar_dtype(kind, self.real)).reshape(shape)
        if is_vector(kind) or is_array(kind):
            scalar, width = element(kind)
            return np.array(values, scalar_dtype(scalar, self.real)).reshape(*shape, width)
        return np.array(values, self.dtype(kind)).reshape(shape)

    def dtype(self, kind: str) -> np.dtype:
        """The scalars of a struct in line, packed: for comparison only."""
        parts = self.components(kind)
        return np.dtype(
            [(path, scalar_dtype(member_kind, self.real)) for path, member_kind in parts]
        )
