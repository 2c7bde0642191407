"""Repeatable random numbers: `uniform(seed, ...)` of snippets, in NumPy and of the same bits.

Each word is mixed into the state by a step of SplitMix64 (Steele, Lea and Flood, Fast Splittable
Pseudorandom Number Generators, OOPSLA 2014), whose state is 64 bits. It has no order: vertices can
draw in any order and from any device.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gascl.errors import ProgramError
from gascl.language.keywords import MOST_KEYS

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def uniform(seed: Any, *keys: Any, dtype: Any = "float32") -> Any:
    """Random numbers in [0, 1), the same ones as `uniform(seed, ...)` has in a snippet.

    Args:
        seed, keys: numbers or arrays, which are broadcast; converted to 64 bits as C does, so that
            -1 is 2**64 - 1, and the fraction of a float is cut off.
        dtype: what `real` is in the run: "float32" (24 random bits) or "float64" (53, of which the
            first 24 are those of float32).

    Returns:
        A number of that type, or an array of them.

    Raises:
        ProgramError: another dtype, or what C cannot convert: text, a negative float, NaN, a number
            beyond 64 bits; more than 8 arguments.
    """
    type_ = np.dtype(dtype)
    if type_ not in (np.float32, np.float64):
        raise ProgramError(f"uniform: dtype={dtype!r}: expected 'float32' or 'float64'")
    words = [_word(value) for value in (seed, *keys)]
    if len(words) > MOST_KEYS:
        raise ProgramError(f"uniform takes 1 to {MOST_KEYS} arguments, not {len(words)}")
    x = np.zeros(np.broadcast_shapes((1,), *(w.shape for w in words)), np.uint64)
    for word in words:  # arrays wrap silently; NumPy warns of scalars
        x = (x ^ word) + _STEP
        x = (x ^ x >> np.uint64(30)) * _FIRST
        x = (x ^ x >> np.uint64(27)) * _SECOND
        x ^= x >> np.uint64(31)
    bits = np.finfo(type_).nmant + 1
    numbers = (x >> np.uint64(64 - bits)).astype(type_) * type_.type(2.0**-bits)
    return numbers if any(w.ndim for w in words) else numbers[0]


def _word(value: Any) -> np.ndarray:
    """Numbers as C converts them to ulong."""
    array = np.asarray(value)
    floats = array.dtype.kind == "f"
    if array.dtype.kind not in "biuf" or (floats and not np.all((array > -1) & (array < 2.0**64))):
        raise ProgramError(
            f"uniform: {value!r} cannot be converted to 64 bits: give integers, or floats of 0 or "
            "more"
        )
    if array.dtype.kind == "i":
        return array.astype(np.int64).view(np.uint64)
    return array.astype(np.uint64)
