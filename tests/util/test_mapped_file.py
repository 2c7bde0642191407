"""Graphs in a mapped file that others change: an error or the old values, never a signal."""

from __future__ import annotations

import os

import numpy as np
import pytest

from gascl import Engine, Graph
from gascl.errors import FormatError
from gascl.programs import ConnectedComponents

USES = {
    "run": lambda graph, _: Engine(graph).run(ConnectedComponents()),
    "arcs": lambda graph, _: graph.arcs().out_targets.sum(),
    "source": lambda graph, _: graph.edge_src.sum(),
    "target": lambda graph, _: graph.edge_dst.sum(),
    "write": lambda graph, folder: graph.write(folder / "other.npz"),
}


def truncated(path):
    os.truncate(path, 100)


def written_into(path):
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"\xff" * 64)
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))  # clocks of file systems may be coarse


def replaced(path):
    Graph.from_edges([0], [1]).write(path)


@pytest.fixture
def path(tmp_path):
    random = np.random.default_rng(7)
    src, dst = random.integers(0, 5000, (2, 20_000))
    Graph.from_edges(src, dst, num_vertices=5000, weight=random.random(20_000)).write(
        tmp_path / "a.npz"
    )
    return tmp_path / "a.npz"


@pytest.fixture
def mapped(monkeypatch, path):
    monkeypatch.setattr("gascl.io.mapped_npz.MAPPED", 1)
    return Graph.read(path)


@pytest.mark.skipif(os.name == "nt", reason="Windows does not let mapped files be changed")
@pytest.mark.parametrize("change", [truncated, written_into])
@pytest.mark.parametrize("use", USES)
def test_a_mapped_file_that_is_changed(mapped, path, tmp_path, change, use):
    change(path)
    with pytest.raises(FormatError, match=r"a\.npz was changed .*mmap=False"):
        USES[use](mapped, tmp_path)
    assert not (tmp_path / "other.npz").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows does not let mapped files be replaced")
@pytest.mark.parametrize("change", [replaced, os.unlink])
def test_a_mapped_file_that_is_replaced(mapped, path, tmp_path, change):
    before = mapped.edge_src.copy()
    change(path)
    for use in USES.values():
        use(mapped, tmp_path)
    assert np.array_equal(mapped.edge_src, before)


@pytest.mark.parametrize("options", [{}, {"mmap": False}])
def test_a_small_file_is_not_mapped(path, options):
    graph = Graph.read(path, **options)
    before = graph.edge_src.copy()
    written_into(path)
    truncated(path)
    assert np.array_equal(graph.edge_src, before)
    assert Engine(graph).run(ConnectedComponents())["component"].max() < 5000
