"""Numbers as decimal text."""

from __future__ import annotations

import numpy as np


def decimals(values: np.ndarray) -> list[str]:
    """Each number as the shortest text from which reading restores it, in the array's type."""
    if values.dtype == np.float32:  # as a Python float, 0.01 would have the digits of a double
        texts: list[str] = values.astype(str).tolist()
        return texts
    return list(map(repr, values.tolist()))
