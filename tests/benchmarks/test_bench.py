"""`bench.py` runs gascl and what is installed of its peers, and writes tables."""

from __future__ import annotations

import csv
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.case_subsets import one_in

from gascl import DeviceError
from gascl.opencl.device_choice import find

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def bench(tmp_path):
    """Runs bench.py with graphs in a folder of its own: bench(...) -> what it printed."""

    def run(*arguments, fails: bool = False) -> str:
        command = [sys.executable, str(BENCHMARKS / "bench.py"), "--rounds", "1"]
        command += ["--cache", str(tmp_path / "graphs"), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert bool(done.returncode) == fails, done.stderr
        return done.stderr if fails else done.stdout

    return run


@pytest.fixture
def pocl() -> None:
    """Skips where the device is missing that bench.py takes unless told otherwise."""
    try:
        find("pthread")
    except DeviceError as missing:
        pytest.skip(f"bench.py runs on PoCL here: {missing}")


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as text:
        return list(csv.DictReader(text))


#: Its algorithms, on a grid, by their names in the command and in the table.
ALGORITHMS = {
    "bfs": "BFS",
    "sssp": "SSSP",
    "components": "components",
    "triangles": "triangles",
    "coreness": "coreness",
    "labels": "label propagation",
    "clustering": "local clustering",
    "pagerank": "PageRank",
}


@pytest.mark.usefixtures("pocl")
@pytest.mark.parametrize(
    "only", [("bfs", "pagerank"), pytest.param((*ALGORITHMS,), marks=pytest.mark.slow)], ids=len
)
def test_table(bench, tmp_path, only):
    results, page = tmp_path / "results" / "cpu.csv", tmp_path / "page.md"
    page.write_text("before\n<!-- benchmarks/bench.py, two cores -->\nold\n<!-- end -->\nafter\n")
    small = ["--threads", "1", "--scale", "7", "--csv", results, "--update", page]
    chosen = ["--only", ",".join(only)] if len(only) < len(ALGORITHMS) else []
    bench("--graphs", "grid", *chosen, *small)
    bench("--graphs", "rmat", *small)  # its rows join the others
    rows = rows_of(results)
    own = [(r["algorithm"], r["graph"]) for r in rows if r["contender"] == "gascl"]
    expected = [(ALGORITHMS[name], "grid") for name in only]
    assert own == [*expected, ("strong components", "rmat")]
    goals = {"BFS": 5, "triangles": 2, "coreness": 1.5}
    libraries = {"networkit": "NetworKit", "igraph": "igraph", "scipy": "SciPy"}
    for module, name in libraries.items():
        there = [r for r in rows if r["contender"] == name]
        assert bool(there) == (find_spec(module) is not None)
        for row in there:
            ratio = float(row["ratio"])
            assert float(row["ratio_min"]) <= ratio <= float(row["ratio_max"])
            if row["algorithm"] in goals:
                goal = goals[row["algorithm"]]
                assert float(row["goal"]) == goal
                assert row["met"] == ("yes" if ratio >= goal else "no")
    (hand,) = [r for r in rows if r["contender"] == "OpenCL by hand"]
    assert (hand["algorithm"], hand["graph"], hand["goal"]) == ("PageRank", "grid", "0.952")
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("<!-- end -->\nafter\n")
    assert "old" not in text and "scale 7, 1 rounds" in text
    assert "% of the cores' time" in text
    assert text.count("| gascl |") == len(own)


@pytest.mark.usefixtures("pocl")
def test_gpu_table(bench, tmp_path):
    results = tmp_path / "gpu.csv"
    told = bench("--gpu", "--graphs", "rmat7,grid9", "--device", "pthread", "--csv", results)
    assert "rmat7: 128 vertices" in told
    named = [(r["algorithm"], r["graph"]) for r in rows_of(results)]
    searches = [
        *("PageRank, a superstep", "PageRank, gascl / OpenCL by hand"),
        "PageRank, from arrays of edges to the first result",
        *("PageRank, second run, everything", "SSSP, second run, everything", "BFS", "SSSP"),
    ]
    expected = [(title, "rmat7") for title in searches]
    expected += [("BFS, 64 sources in lanes / 64 runs", "rmat7"), ("components", "rmat7")]
    assert named == expected + [(title, "grid9") for title in [*searches, "components"]]


@pytest.mark.usefixtures("pocl")
def test_growth(bench, tmp_path):
    results, picture = tmp_path / "growth.csv", tmp_path / "growth.png"
    arguments = ["--growth", "--scales", "6-7", "--threads", "1", "--csv", results]
    if find_spec("matplotlib") is not None:
        arguments += ["--picture", picture]
    bench(*arguments)
    rows = rows_of(results)
    assert [r["scale"] for r in rows] == ["6"] * 4 + ["7"] * 4
    assert all(float(r["median_s"]) > 0 and float(r["peak_MiB"]) > 0 for r in rows)
    if find_spec("matplotlib") is not None:
        assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    one_in(
        2,
        [
            (["--only", "bfs,dfs"], "--only dfs: there are bfs, sssp"),
            (["--graphs", "torus", "--scale", "5"], "unknown graph 'torus5'"),
            (
                ["--graphs", "rmat", "--only", "bfs"],
                "nothing to run: strong components run on rmat",
            ),
            (["--gap", "/"], "--gap /: no checkout of the GAP Benchmark Suite"),
            (["--threads", "1000"], "--threads 1000, but this process may use"),
        ],
    ),
)
def test_refusals(bench, arguments, message):
    if "--threads" not in arguments:
        arguments = [*arguments, "--threads", "1"]
    assert message in bench(*arguments, fails=True)


def test_a_page_without_marks_is_refused_before_the_run(bench, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("nothing\n")
    assert "has no <!-- benchmarks/bench.py, two cores -->" in bench("--update", page, fails=True)
