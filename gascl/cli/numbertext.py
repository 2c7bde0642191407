"""Numbers in the form in which the commands print them."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

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


def size(count: int) -> str:
    """A number of bytes, in a unit that keeps it short."""
    if count < 10_000:
        return f"{count:,} bytes"
    power = 3 if count >= 1000 * 2**20 else 2 if count >= 1000 * 2**10 else 1
    return f"{count / 1024**power:,.1f} {' KMG'[power]}iB"


UNITS = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
UNITS |= {"kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


def num_bytes(text: str) -> int:
    """A size such as 4GiB as a number of bytes; an argparse type."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]+)", text)
    if found is None or found[2] not in UNITS:
        raise argparse.ArgumentTypeError(f"expected a size such as 4GiB or 512MiB, not {text!r}")
    return int(float(found[1]) * UNITS[found[2]])
