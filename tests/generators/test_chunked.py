"""Generated graphs that do not fit in memory: the same file and report as of those made in it."""

import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from gascl import generators
from gascl.errors import FormatError, GraphError
from gascl.generators.chunked import RECIPES
from gascl.io.formats import native
from gascl.io.outofcore.convert import BASE, LEAST, Conversion

pytest.importorskip("duckdb")

GRAPHS = {
    "rmat": ("rmat", {"scale": 9, "weights": (1, 255)}),
    "not renumbered": ("rmat", {"scale": 7, "renumber": False, "directed": False}),
    "one vertex": ("rmat", {"scale": 0}),
    "no edges": ("rmat", {"scale": 4, "edges_per_vertex": 0, "weights": (1, 2)}),
    "merged": (
        "rmat",
        {"scale": 8, "weights": (1, 9), "duplicates": "sum", "self_loops": "drop"},
    ),
    "uniform": ("uniform", {"num_vertices": 300, "num_edges": 4000, "weights": (0, 9)}),
    "sparse": ("uniform", {"num_vertices": 10**9, "num_edges": 2000, "directed": True}),
    "dense": ("uniform", {"num_vertices": 90, "num_edges": 3100}),
    "dense, directed": ("uniform", {"num_vertices": 61, "num_edges": 3000, "directed": True}),
    "all pairs": ("uniform", {"num_vertices": 30, "num_edges": 435}),
    "grid": ("grid", {"rows": 20, "columns": 30, "weights": (1, 2)}),
    "torus": ("grid", {"rows": 7, "columns": 9, "layers": 11, "periodic": True}),
    "narrow": ("grid", {"rows": 1, "columns": 1, "layers": 900}),
    "star": ("star", {"num_vertices": 500, "weights": (3, 4)}),
    "path": ("path", {"num_vertices": 500, "directed": True}),
    "complete": ("complete", {"num_vertices": 40}),
    "complete, directed": ("complete", {"num_vertices": 40, "directed": True}),
}


def conversion(name, target, memory=LEAST, arcs=False, **parameters):
    recipe = RECIPES[name](**parameters)
    policies = {p: getattr(recipe, p) for p in ("duplicates", "self_loops")}
    return Conversion(recipe, target, memory, arcs=arcs, **policies)


def same(name, tmp_path, arcs=False, **parameters):
    """Generate a graph both ways, and compare."""
    graph = getattr(generators, name)(**parameters)
    graph.write(tmp_path / "there.npz", arcs=arcs)
    made = conversion(name, tmp_path / "here.npz", arcs=arcs, **parameters)
    done = made.run()
    assert done.report == graph.report
    assert (done.num_vertices, done.num_edges) == (graph.num_vertices, graph.num_edges)
    assert not made.folder.exists()
    assert (tmp_path / "here.npz").read_bytes() == (tmp_path / "there.npz").read_bytes()


@pytest.fixture(params=["large", "small"])
def chunks(request, monkeypatch):
    """Small ones, and many piles of pairs."""
    if request.param == "small":
        for name in {name for name, _ in GRAPHS.values()}:
            monkeypatch.setattr(sys.modules[f"gascl.generators.{name}"], "CHUNK", 64)
        monkeypatch.setattr(sys.modules["gascl.generators.uniform"], "PILED", 2**19)


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.usefixtures("chunks")
def test_the_file_is_that_of_the_graph_in_memory(graph, tmp_path):
    name, parameters = GRAPHS[graph]
    same(name, tmp_path, seed=7, **parameters)


def test_with_arcs(tmp_path):
    same("rmat", tmp_path, arcs=True, scale=14, seed=1)  # too many for edge ids to be stored


def test_every_recipe_is_tested():
    assert {name for name, _ in GRAPHS.values()} == set(RECIPES)


@pytest.mark.parametrize("name", ["rmat", "uniform"])
def test_a_finished_stage_is_not_repeated(name, tmp_path, monkeypatch):
    parameters = dict(GRAPHS[name][1], seed=3)
    with monkeypatch.context() as patch:
        patch.setattr(native, "save", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            conversion(name, tmp_path / "g.npz", **parameters).run()
    made = conversion(name, tmp_path / "g.npz", **parameters)
    done = made.run()
    assert done.found == ["read", "numbering", "policies"]
    getattr(generators, name)(**parameters).write(tmp_path / "whole.npz")
    assert (tmp_path / "g.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()


def test_unfinished_work_of_another_seed_is_not_used(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(native, "save", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            conversion("rmat", tmp_path / "here.npz", scale=6, seed=1).run()
    same("rmat", tmp_path, scale=6, seed=2)


def test_what_does_not_fit_is_refused_before_any_work(tmp_path, monkeypatch):
    with pytest.raises(GraphError, match=r"rmat needs 12\.0 GiB of memory for 1,073,741,824 v"):
        conversion("rmat", tmp_path / "g.npz", scale=30, edges_per_vertex=1)
    with pytest.raises(GraphError, match=r"uniform needs [\d.]+ [MG]iB of memory for 9,000,000"):
        conversion("uniform", tmp_path / "g.npz", num_vertices=9 * 10**6, num_edges=5 * 10**9)
    with pytest.raises(FormatError, match="at least 512 MiB"):
        conversion("star", tmp_path / "g.npz", 2**20, num_vertices=5)
    with pytest.raises(GraphError, match=r"need [\d,.]+ GiB in .* while they are written"):
        conversion("complete", tmp_path / "g.npz", num_vertices=2**26)
    assert list(tmp_path.iterdir()) == []
    # What is missing from the memory is enough.
    short = 12 * 2**25 - (LEAST - BASE)
    with pytest.raises(GraphError, match=f"{short / 2**20:.1f} MiB more"):
        conversion("rmat", tmp_path / "g.npz", scale=25)
    conversion("rmat", tmp_path / "g.npz", LEAST + short, scale=25)


def test_what_an_interrupted_run_has_written_is_not_needed_again(tmp_path, monkeypatch):
    """A graph of 8 * 10**5 bytes, where there is room for 1.7 * 10**6."""
    disk = shutil.disk_usage(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _: disk._replace(free=1_700_000))
        patch.setattr(native, "save", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            conversion("path", tmp_path / "g.npz", num_vertices=10**5).run()
        patch.setattr(shutil, "disk_usage", lambda _: disk._replace(free=900_000))
        with pytest.raises(GraphError, match="make room"):
            conversion("path", tmp_path / "h.npz", num_vertices=10**5)
        conversion("path", tmp_path / "g.npz", num_vertices=10**5)


def test_duckdb_is_required_only_where_it_sorts(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    same("rmat", tmp_path, scale=14)
    for options in ({"duplicates": "first"}, {"arcs": True}):
        with pytest.raises(FormatError, match="--memory needs DuckDB"):
            conversion("rmat", tmp_path / "g.npz", scale=5, **options)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("rmat", {"scale": 23, "edges_per_vertex": 10}),
        ("uniform", {"num_vertices": 10**7, "num_edges": 80_000_000}),
    ],
)
def test_memory_stays_bounded(name, parameters, tmp_path):
    """8 * 10**7 edges, which take 640 MB."""
    script = f"""
        import re
        from pathlib import Path
        from gascl.generators.chunked import RECIPES
        from gascl import generators
        from gascl.io.outofcore.convert import Conversion
        recipe = RECIPES[{name!r}](**{parameters})
        Conversion(recipe, Path({str(tmp_path / "g.npz")!r}), 512 << 20, arcs=True).run()
        # Not ru_maxrss, which a process takes over from the one that started it.
        print(re.search("VmHWM: *\\t* *([0-9]+) kB", Path("/proc/self/status").read_text())[1])
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(ran.stdout) / 1024 < 512
