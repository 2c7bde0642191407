"""Numbers in the form in which the commands print them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from gascl.errors import GasclError
from gascl.util.units import bytes_of

if TYPE_CHECKING:
    import numpy as np


def number(value: float) -> str:
    """Whole numbers (also as floats) with all digits, others with six significant digits."""
    if isinstance(value, int):
        return str(value)
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"


def count(many: int, one: str, several: str = "") -> str:
    """A number and its noun: `1 vertex`, `1,024 vertices`."""
    return f"{many:,} {one if many == 1 else several or f'{one}s'}"


def span(values: np.ndarray) -> str:
    """The smallest and the largest of one or more values; for floats, the smallest and the largest
    finite value, and how many are not finite."""
    import numpy as np

    finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    texts = ["no finite value"]
    if finite.size:
        texts = [f"{number(finite.min().item())} to {number(finite.max().item())}"]
    if finite.size < values.size:
        counts = {"NaN": np.isnan(values).sum(), "infinite": np.isinf(values).sum()}
        texts += [f"{count:,} {name}" for name, count in counts.items() if count]
    return ", ".join(texts)


def num_bytes(text: str) -> int:
    """A size such as 4GiB as a number of bytes; an argparse type."""
    try:
        return bytes_of(text, "the size")
    except GasclError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
