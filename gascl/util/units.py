"""Sizes in bytes as readable text, and back."""

from __future__ import annotations

import math
import re
from typing import Any

from gascl.errors import GasclError

_UNITS = {"": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_UNITS |= {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")


def amount(size: int, up: bool = False) -> str:
    """A number of bytes as text, such as 1.5 GiB, in a unit that keeps it short.

    Args:
        up: round up, so that the size in the text is enough.
    """
    if size < 10_000:
        return f"{size:,} bytes"
    unit = "GiB" if size >= 1000 * 2**20 else "MiB" if size >= 1000 * 2**10 else "KiB"
    tenths = 10 * size / _UNITS[unit]
    return f"{(math.ceil(tenths) if up else tenths) / 10:,.1f} {unit}"


def bytes_of(value: Any, name: str) -> int:
    """A size in bytes: `value` is a number, or text such as "1.5 GiB" or "800MB".

    Raises:
        GasclError: it is no size above 0; `name` is the parameter's name.
    """
    units = {unit.lower(): size for unit, size in _UNITS.items()}
    match = _SIZE.fullmatch(value) if isinstance(value, str) else None
    if match and match[2].lower() in units:
        size = int(float(match[1]) * units[match[2].lower()])
    elif isinstance(value, int) and not isinstance(value, bool):
        size = value
    else:
        size = 0
    if size <= 0:
        raise GasclError(
            f"{name} is {value!r}; give a number of bytes above 0, or text such as '1.5 GiB'"
        )
    return size
