"""Graphs in a mapped file that others change: an error or the old values, never a signal."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gascl import Engine, Graph
from gascl.errors import FormatError
from gascl.io import mapped_npz
from gascl.programs import ConnectedComponents

USES = {
    "run": lambda graph, _: Engine(graph).run(ConnectedComponents()),
    "arcs": lambda graph, _: graph.arcs().out_targets.sum(),
    "source": lambda graph, _: graph.edge_src.sum(),
    "target": lambda graph, _: graph.edge_dst.sum(),
    "write": lambda graph, folder: graph.write(folder / "other.npz"),
    "edge field": lambda graph, _: graph.edge_fields["weight"].sum(),
    "vertex field": lambda graph, _: graph.vertex_fields["x"].sum(),
    "labels": lambda graph, _: graph.labels[:3],
    "label": lambda graph, _: graph.label_of(3),
    "index": lambda graph, _: graph.index_of("77"),
    "weighted degree": lambda graph, _: graph.weighted_out_degree("weight"),
    "summary": lambda graph, _: graph.edge_summary("weight"),
    "matrix": lambda graph, _: graph.to_scipy("weight"),
    "subgraph": lambda graph, _: graph.subgraph(["3", "4"]),
    "ego": lambda graph, _: graph.ego("3", 1),
    "loops": lambda graph, _: graph.num_loops,
    "fingerprint": lambda graph, _: computed_fingerprint(graph),
    "pickle": lambda graph, _: pickle.dumps(graph),
    "copy": lambda graph, _: copy.copy(graph).edge_src.sum(),
    "degree": lambda graph, _: graph.out_degree,
    "neighbors": lambda graph, _: graph.neighbors("3"),
    "reversed": lambda graph, _: graph.reversed().edge_src.sum(),
    "numbered": lambda graph, _: graph.numbered(),
    "arcs made": lambda graph, _: [a.out_targets.sum() for a in graph.arcs_made()[0].values()],
    "simple": lambda graph, _: graph.simple(),
    "component": lambda graph, _: graph.largest_component(),
    "networkx": lambda graph, _: graph.to_networkx(),
}
MESSAGE = r"a\.npz was changed .*mmap=False"


def computed_fingerprint(graph):
    graph._known.pop(
        ("fingerprint",), None
    )  # which a file with arcs stores, so that it is in memory
    return graph.fingerprint


def truncated(path):
    os.truncate(path, 100)


def written_into(path):
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"\xff" * 64)
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))  # clocks of file systems may be coarse


def replaced(path):
    Graph.from_edges([0], [1]).write(path)


@pytest.fixture(params=[False, True], ids=["edges", "arcs"])
def arcs(request):
    return request.param


@pytest.fixture
def path(tmp_path, arcs):
    random = np.random.default_rng(7)
    src, dst = random.integers(0, 5000, (2, 20_000))
    fields = {"weight": random.random(20_000), "vertex_fields": {"x": random.random(5000)}}
    labels = [str(i) for i in range(5000)]
    graph = Graph.from_edges(src, dst, num_vertices=5000, labels=labels, **fields)
    graph.write(tmp_path / "a.npz", arcs=arcs)
    return tmp_path / "a.npz"


@pytest.fixture
def mapped(monkeypatch, path):
    monkeypatch.setattr(mapped_npz, "MAPPED", 1)
    return Graph.read(path)


@pytest.mark.skipif(os.name == "nt", reason="Windows does not let mapped files be changed")
@pytest.mark.parametrize("use", USES)
def test_a_mapped_file_that_is_written_into(mapped, path, tmp_path, use):
    written_into(path)
    with pytest.raises(FormatError, match=MESSAGE):
        USES[use](mapped, tmp_path)
    assert not (tmp_path / "other.npz").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows does not let mapped files be changed")
def test_a_mapped_file_that_is_cut_off(path):
    """In a process of its own, which SIGBUS would end."""
    command = [sys.executable, __file__, str(path)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.stdout.splitlines() == [f"{use}: refused" for use in USES], process.stderr
    assert process.returncode == 0
    assert not path.with_name("other.npz").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows does not let mapped files be changed")
def test_graphs_made_from_a_mapped_one_outlive_it(mapped, path):
    part = mapped.subgraph(["3", "4"])
    written_into(path)
    assert type(part) is Graph
    assert part.labels.tolist() == ["3", "4"]


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


def use_all_of_one_cut_off(path: Path) -> None:
    """Prints of each use whether it was refused."""
    mapped_npz.MAPPED = 1
    graph = Graph.read(path)
    truncated(path)
    for name, use in USES.items():
        try:
            use(graph, path.parent)
        except FormatError:
            print(f"{name}: refused", flush=True)
        else:
            print(f"{name}: not refused", flush=True)


if __name__ == "__main__":
    use_all_of_one_cut_off(Path(sys.argv[1]))
