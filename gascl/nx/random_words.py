"""The random numbers of Python's generator as arrays: NumPy has the same Mersenne Twister."""

from __future__ import annotations

from random import Random

import numpy as np


class RandomWords:
    """What a generator of Python's would draw; it stays as it is until `use`.

    Args:
        skip: begin after so many words.
    """

    def __init__(self, random: Random, skip: int = 0):
        self._random = random
        version, (*key, place), self._gauss = random.getstate()
        self._version = version
        self._bits = np.random.MT19937()
        state = {"key": np.array(key, np.uint32), "pos": place}
        self._bits.state = {"bit_generator": "MT19937", "state": state}  # type: ignore[typeddict-item]
        self._skip(skip)

    def words(self, count: int) -> np.ndarray:
        """The next words, uint32 (count,)."""
        return self._bits.random_raw(count).astype(np.uint32)

    def numbers(self, count: int) -> np.ndarray:
        """The next results of `random()`, float64 (count,), from two words each."""
        words = self._bits.random_raw(2 * count)
        high, low = words[::2] >> np.uint64(5), words[1::2] >> np.uint64(6)
        return (high * 67108864.0 + low) * (1.0 / 9007199254740992.0)

    def use(self, count: int) -> None:
        """Let Python's generator go on after so many words."""
        after = RandomWords(self._random, skip=count)
        state = after._bits.state["state"]
        numbers = (*state["key"].tolist(), int(state["pos"]))
        self._random.setstate((self._version, numbers, self._gauss))

    def _skip(self, count: int) -> None:
        for begin in range(0, count, 1 << 22):
            self._bits.random_raw(min(1 << 22, count - begin), output=False)
