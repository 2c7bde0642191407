"""Integers that are rounded, because float64 holds a column that has fractions, too."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gascl.errors import warn
from gascl.graph.labels import INTEGER

#: Up to this size, float64 holds all integers.
EXACT = 2**53


def may_round(values: np.ndarray) -> bool:
    """Whether an array of floats has values that may be rounded integers."""
    if values.dtype.kind != "f":
        return False
    return bool((values >= EXACT).any() or (values <= -EXACT).any())


def is_rounded(value: Any) -> bool:
    """Whether a value is an integer, or text of one, that float64 does not hold."""
    if isinstance(value, str):
        value = int(value) if len(value) < 400 and INTEGER.fullmatch(value) else None
    return isinstance(value, (int, np.integer)) and int(float(value)) != int(value)


def warn_of_rounded(where: str, name: str, value: Any) -> None:
    """Warn of an integer that is rounded, a value of the field `name`."""
    became = int(float(value))
    warn(
        f"{where}: {name}={value}, an integer of more than 53 bits, is rounded to {became}, since "
        "other values have fractions and float64 holds them all; make all integers, such as in a "
        f"smaller unit, or, if rounding is meant, give {became}.0"
    )


def warn_of_rounding(
    whose: Callable[[int], str], name: str, values: Iterable[Any], array: np.ndarray
) -> None:
    """Warn of the first integer of a field that is rounded, if there is any.

    Args:
        whose: the start of the warning, by the number of the value.
        values: numbers, texts of numbers, or vectors of numbers.
        array: what they have become.
    """
    if not may_round(array):
        return
    for number, value in enumerate(values):
        for part in value if isinstance(value, (list, tuple, np.ndarray)) else [value]:
            if is_rounded(part):
                return warn_of_rounded(whose(number), name, part)
