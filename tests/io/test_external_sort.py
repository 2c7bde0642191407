"""More keys than fit in memory, sorted; NumPy's sort is the reference."""

import numpy as np
import pytest
from support.case_subsets import thinned

from gascl.io.outofcore import external_sort
from gascl.io.outofcore.external_sort import EACH, ExternalSort
from gascl.util.progress import Progress

RNG = np.random.default_rng(5)
END = 2**62
KEYS = {
    "none": (np.empty(0, np.int64), END),
    "one": (np.array([END - 1]), END),
    "spread": (RNG.integers(0, END, 20_000), END),
    "few values": (RNG.integers(0, 3, 20_000) * (END // 3), END),
    "equal": (np.full(20_000, 77), 1000),
    "all equal, and there is no other": (np.zeros(20_000, np.int64), 1),
    "near each other": (END // 2 + RNG.integers(0, 9000, 20_000), END),
    "one row with most": (np.where(RNG.random(20_000) < 0.9, 5, RNG.integers(0, 99, 20_000)), 99),
    "skewed": ((RNG.random(20_000) ** 9 * END).astype(np.int64), END),
    "falling": (np.arange(20_000)[::-1] << 20, 20_000 << 20),
}


@pytest.mark.parametrize(("keys", "bits", "most"), thinned(KEYS, [16, 3], [10**6, 3000, 100], by=3))
def test_keys_are_sorted(keys, bits, most, tmp_path, monkeypatch):
    """In memory; by way of files; and by way of files that are parted again."""
    for name, value in {"BITS": bits, "PILES": 4, "PIECE": 512, "RANGE": 64}.items():
        monkeypatch.setattr(external_sort, name, value)
    given, end = KEYS[keys]
    progress, files = Progress(after=float("inf")), 0

    def blocks():
        for begin in range(0, len(given), 700):
            yield given[begin : begin + 700].copy()

    parts = []
    sort = ExternalSort(tmp_path, most * EACH, progress)
    for part in sort.sorted(blocks, len(given), end, lambda block: block * 2 + 1):
        parts.append(part)
        files = max(files, len([*tmp_path.iterdir()]))
    found = np.concatenate([np.empty(0, np.int64), *parts])
    np.testing.assert_array_equal(found, np.sort(given) * 2 + 1)
    assert (files > 0) == (len(given) > most and end > 1)
    assert not [*tmp_path.iterdir()]
    assert progress.done == len(given)
