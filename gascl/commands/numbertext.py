"""Numbers as commands print them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def number(value: float) -> str:
    """Whole numbers in full, also where they are floats; else six digits."""
    if isinstance(value, int):
        return str(value)
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"


def span(values: np.ndarray) -> str:
    """The least and the greatest of `values`, of which there is at least one."""
    return f"{number(values.min().item())} to {number(values.max().item())}"


def size(count: int) -> str:
    """A number of bytes, in a unit in which it has few digits."""
    if count < 10_000:
        return f"{count:,} bytes"
    power = 3 if count >= 1000 * 2**20 else 2 if count >= 1000 * 2**10 else 1
    return f"{count / 1024**power:,.1f} {' KMG'[power]}iB"
