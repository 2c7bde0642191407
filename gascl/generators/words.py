"""Random words of 64 bits, from which all generators draw: the same on every machine.

NumPy promises that PCG64 gives the same words for the same seed for ever, and promises nothing of
the numbers that its Generator makes of them. So what is drawn here is made of the words alone, by
integer arithmetic: word number i of a stream decides draw number i, whatever the size of a chunk,
the number of threads or the order of the work.
"""

from __future__ import annotations

import numpy as np

#: The version of what is drawn. A change of any generator's output raises it.
STREAM = 1

# What a stream is drawn for. Streams of one seed are independent of each other.
EDGES, NUMBERING, WEIGHTS, REDRAWS, DEGREES, GROUPS, INNER, OUTER = range(8)

LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
CHUNK = 1 << 20  # draws that are made at a time, to bound memory


class RandomWords:
    """A stream of random words.

    Args:
        seed: a whole number, 0 or more.
        purpose: what it is for: one of the constants above, and perhaps more numbers.
        start: the number of the word to begin with.
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
        """int64 (count,): a whole number below `bound` (1 to 2**32 - 1, or as many) a word.

        The word is taken as a fraction of 2**64 and multiplied, so that a number's chance is off by
        less than bound / 2**64 of itself.
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
        """float64 (count,): from 0 to below 1, the upper 53 bits of a word each."""
        return (self.take(count) >> np.uint64(11)) * 2.0**-53


class Draws:
    """A stream that is drawn from one number at a time, as whole numbers of Python."""

    def __init__(self, seed: int, *purpose: int):
        self._words = RandomWords(seed, *purpose)
        self._ready: list[int] = []

    def below(self, bound: int) -> int:
        """A whole number from 0 to below `bound`."""
        if not self._ready:
            self._ready = self._words.take(1024).tolist()[::-1]
        return self._ready.pop() * bound >> 64


def permutation(seed: int, count: int, *purpose: int) -> np.ndarray:
    """int32 (count,): 0 to count - 1 in random order.

    Sorts random words whose lowest bits are the number itself: no two are the same, so that every
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
