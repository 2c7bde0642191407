"""The seeds of fuzz_readers.py, and what it found: each through its reader's checks."""

from __future__ import annotations

import fuzz_checks
import pytest
from fuzz_packed import check_damaged, cut_off
from fuzz_targets import SEEDS, TARGETS

pytest.importorskip("networkx")
pytest.importorskip("pyarrow")


@pytest.mark.parametrize("reader", TARGETS)
def test_seeds(reader, tmp_path, monkeypatch):
    """Those whose names begin with bad are refused, and the others read."""
    graphs = []

    def read(*arguments, **options):
        graphs.append(reads(*arguments, **options))
        return graphs[-1]

    reads = fuzz_checks.read
    monkeypatch.setattr(fuzz_checks, "read", read)
    for path in sorted((SEEDS / reader).iterdir()):
        graphs.clear()
        TARGETS[reader].check(path.read_bytes(), tmp_path)
        whole = any(graph is not None for graph in graphs)
        assert not graphs or reader == "any" or whole != path.name.startswith("bad"), path


@pytest.mark.parametrize("reader", [name for name, target in TARGETS.items() if target.suffixes])
def test_binary_files_that_are_cut_off(reader, tmp_path):
    for path in sorted((SEEDS / reader).glob("[!b]*")):  # not the bad ones
        data = path.read_bytes()
        lengths = {*range(0, len(data), len(data) // 25 + 1), *range(len(data) - 12, len(data))}
        suffixes = TARGETS[reader].suffixes
        fuzz_checks.check_cut_off(data, sorted(lengths), reader, suffixes, tmp_path)


def test_packed_files_that_are_cut_off(tmp_path):
    for data, packed, text, ends in cut_off():
        check_damaged(data, packed, text, ends, tmp_path)
