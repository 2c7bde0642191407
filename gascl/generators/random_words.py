"""Random 64-bit words, from which all generators draw: the same on every machine.

NumPy guarantees that PCG64 always gives the same words for a seed, but not the numbers that its
Generator derives from them. So draws here depend on the words alone, by integer arithmetic:
word i of a stream determines draw i, whatever the size of a chunk, the number of threads or the
order of the work.
"""

from __future__ import annotations

import numpy as np

#: The version of the streams, raised whenever any generator's output changes.
STREAM = 1

# The purposes of streams. Streams of one seed are independent of each other.
EDGES, NUMBERING, WEIGHTS, REDRAWS, DEGREES, GROUPS, INNER, OUTER = range(8)

LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
CHUNK = 1 << 20  # draws made at a time, to bound memory


class RandomWords:
    """A stream of random words.

    Args:
        seed: an integer, 0 or more.
        purpose: one of the constants above, possibly with more numbers.
        start: the number of the first word.
    """

    def __init__(self, seed: int, *purpose: int, start: int = 0):
        key = np.random.SeedSequence(seed, spawn_key=(STREAM, *purpose))
        self._bits = np.random.PCG64(key)
        if start:
            self._bits.advance(start)

    def take(self, count: int) -> np.ndarray:
        """uint64 (count,): the next words."""
        return np.asarray(self._bits.random_raw(count))

    def below(self, bound: int | np.ndarray, count: int) -> np.ndarray:
        """int64 (count,): for each word an integer below `bound` (1 to 2**32 - 1; scalar or array).

        The word is read as a fraction of 2**64 and multiplied, so that the relative error of a
        probability is below bound / 2**64.
        """
        words = self.take(count)
        wide = np.asarray(bound, dtype=np.uint64)
        low = (words & LOW) * wide
        low >>= HALF
        words >>= HALF
        words *= wide
        words += low
        words >>= HALF
        return words.view(np.int64)

    def unit(self, count: int) -> np.ndarray:
        """float64 (count,) in [0, 1), each from the upper 53 bits of a word."""
        return (self.take(count) >> np.uint64(11)) * 2.0**-53


class Draws:
    """A stream from which Python integers are drawn one at a time."""

    def __init__(self, seed: int, *purpose: int):
        self._words = RandomWords(seed, *purpose)
        self._ready: list[int] = []

    def below(self, bound: int) -> int:
        """An integer in [0, bound)."""
        if not self._ready:
            self._ready = self._words.take(1024).tolist()[::-1]
        return self._ready.pop() * bound >> 64


def permutation(seed: int, count: int, *purpose: int) -> np.ndarray:
    """int32 (count,): 0 to count - 1 in random order.

    Sorts random words whose lowest bits are the number itself: no two are equal, so that every
    sorting algorithm gives the same order.
    """
    keys = np.empty(count, dtype=np.uint64)
    bits = np.uint64(max(count - 1, 1).bit_length())
    words = RandomWords(seed, *purpose)
    for start in range(0, count, CHUNK):
        part = keys[start : start + CHUNK]
        np.left_shift(words.take(len(part)), bits, out=part)
        part |= np.arange(start, start + len(part), dtype=np.uint64)
    keys.sort()
    keys &= (np.uint64(1) << bits) - np.uint64(1)
    return keys.astype(np.int32)
