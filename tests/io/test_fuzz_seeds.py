"""The seeds of support/fuzz/readers.py, and what it found: each through its reader's checks."""

import gzip

import numpy as np
import pytest
from numpy.lib import NumpyVersion
from support.fuzz import checks
from support.fuzz.packed import check_damaged, cut_off
from support.fuzz.targets import NUMBERS, SEEDS, TARGETS

from gascl.io.formats import LISTED

pytest.importorskip("networkx")
pytest.importorskip("pyarrow")


@pytest.mark.parametrize("name", LISTED)
def test_every_format_has_a_target_and_seeds(name):
    assert name in TARGETS, f"add a target {name!r} to tests/support/fuzz/targets.py"
    folder = SEEDS / name
    assert folder.is_dir(), f"put files of the format into tests/support/fuzz/seeds/{name}/"


def test_every_folder_of_seeds_has_a_target():
    assert {folder.name for folder in SEEDS.iterdir()} == TARGETS.keys()


@pytest.mark.parametrize("reader", TARGETS)
def test_seeds(reader, tmp_path, monkeypatch):
    """Those whose names begin with bad are refused, and the others read, without options."""
    graphs = []

    def read(path, header=None, label=None, **options):
        graphs.append(reads(path, **options))
        return graphs[-1]

    reads = checks.read
    for path in sorted((SEEDS / reader).iterdir()):
        data = path.read_bytes()
        TARGETS[reader].check(data, tmp_path)
        with monkeypatch.context() as patch:
            patch.setattr(checks, "read", read)
            graphs.clear()
            TARGETS[reader].check(data, tmp_path)
        if path.name == "header_of_python2" and NumpyVersion(np.__version__) >= "2.5.0":
            continue  # which NumPy does not read any more
        whole = any(graph is not None for graph in graphs)
        assert not graphs or reader == "any" or whole != path.name.startswith("bad"), path


@pytest.mark.parametrize("reader", [name for name, target in TARGETS.items() if target.suffixes])
def test_binary_files_that_are_cut_off(reader, tmp_path):
    for path in sorted((SEEDS / reader).glob("[!b]*")):  # not the bad ones
        data = path.read_bytes()
        lengths = {*range(0, len(data), len(data) // 25 + 1), *range(len(data) - 12, len(data))}
        suffixes = TARGETS[reader].suffixes
        checks.check_cut_off(data, sorted(lengths), reader, suffixes, tmp_path)


def test_packed_files_that_are_cut_off(tmp_path):
    for data, packed, text, ends in cut_off():
        check_damaged(data, packed, text, ends, tmp_path)


#: Formats of one text file, with a row in each line.
TEXTS = [n for n, each in TARGETS.items() if {*NUMBERS} <= {*each.words} and n != "graphalytics"]


@pytest.mark.parametrize("reader", TEXTS)
def test_texts_that_are_cut_off_in_a_line(reader, tmp_path):
    """They are refused, or the report says that the last line has no line end."""
    path = tmp_path / f"a{LISTED[reader][1][0]}"
    for seed in sorted((SEEDS / reader).glob("[!b]*")):
        data = seed.read_bytes().partition(checks.PART)[0][:120]
        for length in {*range(1, len(data), 3), *range(max(len(data) - 4, 1), len(data))}:
            path.write_bytes(data[:length])
            graph = checks.read(path, format=reader)
            told = graph is None or any(
                "last line has no line end" in line for line in graph.report
            )
            where = f"{seed}, cut off after {length} bytes: add `unended(path)` to the report"
            assert told or data[length - 1 : length] == b"\n", where
    path = tmp_path / "b.txt"
    path.write_bytes(gzip.compress(b"1 2"))
    assert not any("no end" in line for line in checks.read(path).report)
