"""Progress: when it is reported, what it says, and that it changes nothing."""

from __future__ import annotations

import gzip
import io
import re
import sys
import time
import warnings
from types import ModuleType

import numpy as np
import pytest
import tqdm.std
from support.samples import random_graph

from gascl import Engine, GasclError, Graph
from gascl.programs import Betweenness, BreadthFirst, PageRank, ShortestPaths
from gascl.util.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("kind", "between"), [(Terminal, 0.2), (io.StringIO, 10.0)])
@pytest.mark.parametrize("leave", [True, False])
def test_when_it_is_reported(monkeypatch, kind, between, leave):
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(sys, "stderr", kind())
    reports = []
    with Progress(leave=leave) as progress:
        progress.begin("PageRank", 8000)
        for i in range(4000):
            clock[0] = 100 + i / 100
            before = len(sys.stderr.getvalue())
            progress.advance(2, f"{1500:,} active")
            if len(sys.stderr.getvalue()) > before:
                reports.append(i)
    assert reports[0] == (200 if kind is Terminal else 1000)  # nothing for two or ten seconds
    assert all(np.diff(reports) >= 100 * between * 0.99)
    assert len(reports) >= 30 / between * 0.9
    text = sys.stderr.getvalue()
    assert re.search(rf"gascl: PageRank: +\d+%\|.*\| {2 * reports[0] + 2}/8000 \[", text)
    assert "1,500 active]" in text
    assert ("8000/8000" in text) == leave
    if kind is Terminal:
        assert text.count("\n") == leave
        assert leave or text.endswith("\r")
    else:
        assert text.count("\n") == len(reports) + leave
        assert "\r" not in text


def test_bytes(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with Progress(after=0.0, leave=True) as progress:
        progress.begin("graph.txt", 3 << 20, "B")
        progress.at(3 << 19)
    assert re.search(r"graph.txt:  50%\|.*\| 1.50M/3.00M \[.*B/s]\n$", sys.stderr.getvalue())


def shown(capsys) -> str:
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("program", "says"),
    [
        (PageRank(supersteps=7), r"PageRank: 100%\|#*\| 7/7 \[.*, 64 active, [\d,]+ messages]"),
        (BreadthFirst(source=0), r"BreadthFirst: {} supersteps \[.*, \d+ active, 0 messages]"),
        (Betweenness(), r"Betweenness \(\w+\): {} supersteps \[.*]"),
    ],
    ids=["fixed", "frontier", "stages"],
)
def test_of_a_run(program, says, capsys):
    graph = random_graph(1, directed=True)
    quiet = Engine(graph).run(program)
    assert shown(capsys) == ""
    seen = []
    told = Engine(graph).run(program, progress=True, callback=seen.append)
    text = shown(capsys)
    assert ": building kernels: 0 supersteps" in text
    assert re.search(says.format(told.supersteps), text.splitlines()[-1])
    assert seen == list(told.trace)
    for name in quiet.fields:
        assert quiet[name].tobytes() == told[name].tobytes()


def test_of_a_run_along_another_edge_field(capsys):
    graph = random_graph(1, directed=True)
    graph = graph.with_edge_fields(minutes=np.ones(graph.num_edges))
    Engine(graph).run(ShortestPaths(source=0, weight="minutes"), progress=True)
    assert "ShortestPaths: " in shown(capsys).splitlines()[-1]


def test_it_is_closed_when_a_run_fails(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with pytest.raises(GasclError, match="sources"):
        Engine(random_graph(1, directed=True)).run(Betweenness(sources=[]), progress=True)
    assert not sys.stderr.getvalue() or sys.stderr.getvalue().endswith("\n")


def test_several_runs_share_one(capsys):
    engine = Engine(random_graph(1, directed=True))
    with Progress(after=0.0, leave=True) as progress:
        for _ in range(3):
            engine.run(PageRank(supersteps=2), progress=progress)
    assert "PageRank: 100%|##########| 6/6 [" in shown(capsys).splitlines()[-1]


@pytest.mark.parametrize("pack", [False, True])
def test_of_a_file(tmp_path, capsys, pack):
    path = tmp_path / ("graph.txt.gz" if pack else "graph.txt")
    ends = np.random.default_rng(1).integers(0, 1000, (200_000, 2))
    text = "".join(f"{u} {v}\n" for u, v in ends.tolist()).encode()
    path.write_bytes(gzip.compress(text) if pack else text)
    quiet = Graph.read(path)
    assert shown(capsys) == ""
    told = Graph.read(path, progress=True)
    assert np.array_equal(quiet.edge_src, told.edge_src)
    last = shown(capsys).splitlines()[-1]
    size = f"{path.stat().st_size / 1024:.0f}k" if pack else f"{len(text) / 2**20:.2f}M"
    assert re.search(rf"gascl: {path.name}: 100%\|#*\| {size}/{size} \[", last)


@pytest.mark.parametrize("wrong", ["yes", 1, None])
def test_what_is_neither_true_nor_false(wrong):
    with pytest.raises(GasclError, match=f"progress must be True or False, not {wrong!r}"):
        Engine(random_graph(1, directed=True)).run(PageRank(), progress=wrong)


class _WithoutWidgets(ModuleType):
    """tqdm.auto as it is in a notebook without ipywidgets."""

    def __getattr__(self, name):
        warnings.warn("IProgress not found. Please update jupyter and ipywidgets", stacklevel=1)
        return tqdm.std.tqdm


@pytest.mark.filterwarnings("error")
def test_a_notebook_without_widgets_has_lines_and_no_warning(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tqdm.auto", _WithoutWidgets("tqdm.auto"))
    Engine(random_graph(0, directed=True)).run(PageRank(), progress=True)
    assert "gascl: PageRank" in capsys.readouterr().err
