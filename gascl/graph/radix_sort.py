"""Radix sort, 16 bits at a time."""

from __future__ import annotations

import numpy as np


def radix_sorted(
    keys: np.ndarray, places: np.ndarray | None, low: int, high: int
) -> tuple[np.ndarray, np.ndarray | None]:
    """The keys, stably sorted by their bits from `low` up to `high`, and the places in that order.

    NumPy sorts numbers of 16 bits by counting. Its sort of int64 took several times as long on a
    Zen 4. This is fastest while the keys stay in the cache.

    Args:
        keys: int64 (n,), from 0 to 2**high - 1.
        places: (n,), permuted like the keys; None: nothing is.
    """
    for digit in range(low, high, 16):
        order = np.argsort((keys >> digit).astype(np.uint16), kind="stable")
        keys = keys.take(order)
        places = None if places is None else places.take(order)
    return keys, places
