"""Arrays of which this process has only a part."""

import numpy as np
import pytest

from gascl.graph.partial_array import PartialArray, RemoteDataError

HELD = PartialArray(10, np.arange(3, 6, dtype=np.int32), begin=3)


def test_what_is_here():
    assert len(HELD) == HELD.size == 10 and HELD.shape == (10,) and HELD.dtype == np.int32
    assert HELD[3:6].tolist() == [3, 4, 5] and HELD[4:5].tolist() == [4] and not len(HELD[4:4])


@pytest.mark.parametrize(
    "use",
    [
        *(lambda a: a[2:4], lambda a: a[5:7], lambda a: a[::-1], lambda a: a[0], lambda a: a[:]),
        *(lambda a: a + 1, lambda a: 1 - a, lambda a: -a, lambda a: a == a, lambda a: a < a),
        *(lambda a: np.arange(10) == a, lambda a: np.arange(10)[a], lambda a: 3 in a),
        *(np.asarray, np.bincount, np.flatnonzero, np.unique, np.diff, list, max),
        *(lambda a: a.take([4]), lambda a: a.astype(int), lambda a: a.sum(), lambda a: a.tolist()),
        *(lambda a: np.concatenate([a, a]), lambda a: np.take(a, [4]), lambda a: np.add(a, 1)),
    ],
)
def test_what_is_elsewhere(use):
    """Nothing gives other numbers, however it is asked for."""
    with pytest.raises(RemoteDataError, match="of other ranks"):
        use(HELD)
