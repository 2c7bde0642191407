"""The types of fields and messages: NumPy scalars, OpenCL vectors of them, and `real`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from gascl.errors import ProgramError

#: NumPy's name of a scalar type -> OpenCL C's.
SCALARS = {
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
#: What other languages call them.
_ELSEWHERE = {"float": "float32", "double": "float64", "int": "int32", "long": "int64"}
_ELSEWHERE |= {"bool": "uint8", "half": "float32", "char": "int8", "unsigned": "uint32"}
_NUMPY = {c: name for name, c in SCALARS.items()}
_WIDTHS = (2, 3, 4, 8, 16)

#: Every name a declaration may use: scalars by NumPy's name, vectors by OpenCL's, and `real`.
#: Where the two clash (int8 and int16 are vectors in OpenCL), NumPy's meaning holds; float16, a
#: half to NumPy and a vector to OpenCL, is neither.
NAMES = ("real", *SCALARS, *(f"{c}{n}" for c in ("real", *_NUMPY) for n in _WIDTHS))
NAMES = tuple(dict.fromkeys(n for n in NAMES if n != "float16"))


@dataclass(frozen=True)
class Type:
    """A type as the device and the host see it.

    Attributes:
        c: its name in OpenCL C.
        scalar: NumPy dtype of one component.
        width: components (1 for a scalar).
    """

    c: str
    scalar: np.dtype
    width: int = 1

    @property
    def stored(self) -> int:
        """Components in memory: OpenCL stores a vector of 3 as one of 4 (OpenCL C 1.2, 6.1.5)."""
        return 4 if self.width == 3 else self.width

    @property
    def is_float(self) -> bool:
        return self.scalar.kind == "f"

    @property
    def itemsize(self) -> int:
        """Bytes of one value on the device."""
        return self.scalar.itemsize * self.stored

    def highest(self) -> str:
        """C text of the greatest value, the identity of min."""
        return self._limit("INFINITY", "MAX")

    def lowest(self) -> str:
        """C text of the least value, the identity of max."""
        return "0" if self.scalar.kind == "u" else self._limit("-INFINITY", "MIN")

    def _limit(self, infinite: str, suffix: str) -> str:
        if self.is_float:
            return infinite
        c = self.c
        name = {"char": "SCHAR", "uchar": "UCHAR", "short": "SHRT", "ushort": "USHRT"}.get(c)
        return f"{name or c.upper()}_{suffix}"


def name_of(type_: object) -> str:
    """The canonical name of a type given as a name, a NumPy scalar type or a NumPy dtype."""
    if isinstance(type_, str) and type_ in NAMES:
        return type_
    if isinstance(type_, str):  # NumPy's other words are not taken: its "float" is float64
        name = type_
    else:
        try:
            name = np.dtype(type_).name  # type: ignore[call-overload]
        except TypeError:
            name = str(type_)
    if name in SCALARS:
        return name
    if isinstance(type_, np.dtype) and type_.names:
        raise ProgramError(f"structured types are not supported yet: {type_}")
    near = [_ELSEWHERE[name]] if name in _ELSEWHERE else get_close_matches(name, NAMES, 1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise ProgramError(
        f"{name!r} is no type of a field or message; {hint}use 'real', a NumPy scalar "
        f"({', '.join(SCALARS)}) or an OpenCL vector such as 'float4'"
    )


def resolve(name: str, real: str) -> Type:
    """The type called `name`, where `real` is 'float32' or 'float64'."""
    if name in SCALARS:
        return Type(SCALARS[name], np.dtype(name))
    base, digits = re.fullmatch(r"([a-z]+)(\d*)", name).groups()  # type: ignore[union-attr]
    c = SCALARS[real] if base == "real" else base
    return Type(c + digits, np.dtype(_NUMPY[c]), int(digits or 1))


def unfit(value: Any, name: str) -> str:
    """Why a number given in Python is none that the type called `name` holds, or an empty text."""
    scalar = resolve(name, "float64").scalar
    if isinstance(value, str | bytes | bool | np.bool_ | complex) or not np.isscalar(value):
        return f"expected a number ({name})"
    if scalar.kind == "f":
        return ""
    info = np.iinfo(scalar)
    number: Any = value
    if np.isfinite(number) and int(number) == number and info.min <= number <= info.max:
        return ""
    return f"expected a whole number from {info.min} to {info.max} ({name})"
