"""Runs on several MPI ranks, each with a part of the arcs: see support/rank_runs.py."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas
import pytest
from support.case_subsets import one_in
from support.random_cases import RECIPES
from support.special_programs import SPECIAL_PROGRAMS

from gascl import generators

pytest.importorskip("mpi4py", reason="mpi4py is not installed", exc_type=ImportError)

HERE = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
MPIEXEC = shutil.which("mpiexec", path=HERE)
ERRORS = "support.rank_errors"
pytestmark = pytest.mark.skipif(not MPIEXEC, reason="there is no mpiexec")


def ranks(count: int, *arguments: str, module: str = "support.rank_runs"):
    """So many ranks of a module of the tests.

    Args:
        arguments: of the module: names of its functions, with arguments, see `call` of rank_runs.
    """
    return subprocess.run(
        [MPIEXEC, "-n", str(count), sys.executable, "-m", module, *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=Path(__file__).parents[1],
    )


def succeed(count: int, *arguments: str, **options: str) -> str:
    ran = ranks(count, *arguments, **options)
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-4000:]
    assert sorted(re.findall(r"done (\d)", ran.stdout)) == list(map(str, range(count)))
    return ran.stdout


#: A random program whose frontier is pulled by groups of several items.
SEED = ("--", "seeds", "80001", "1")


def test_functions_of_rank_runs():
    """All in one start of the ranks, which takes longer than most of them: random programs by ranks
    that share memory, and what only ranks do."""
    names = "states presses frontiers pieces lists sorts own_vertices relays callbacks".split()
    names += [f"{name} few" for name in ("batches", "pairs", "halos", "partitions")]
    calls = " -- ".join(names).split()
    told = succeed(2, "random", "57", "--", *calls, "--", "declared", "one vertex", *SEED)
    assert re.search(r"deliveries: [1-9]", told)


@pytest.mark.slow
def test_more_functions_of_rank_runs():
    succeed(2, *" -- ".join(["batches", "pairs", "declared", "halos", "partitions"]).split())


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3, 8])
@pytest.mark.parametrize("first", range(80_000, 80_032, 4))
def test_random_programs_of_any_kind_on_ranks(count, first):
    succeed(count, "seeds", str(first), "4")


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3, 8])
@pytest.mark.parametrize("what", ["random", "on_several_hosts:random"])
@pytest.mark.parametrize("first", range(12))
def test_all_random_programs_on_ranks(count, what, first):
    succeed(count, what, *map(str, range(first, len(RECIPES), 12)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "what"), [(2, "special"), (3, "special"), (2, "on_several_hosts:special")]
)
def test_all_special_programs_on_ranks(count, what):
    succeed(count, what, *SPECIAL_PROGRAMS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["batches", "frontiers", "declared", "states", "pairs", "presses", "halo_memory"]
)
def test_functions_of_rank_runs_on_several_hosts(name):
    succeed(2, f"on_several_hosts:{name}")


@pytest.mark.slow
@pytest.mark.parametrize("count", [3, 8])
def test_vertices_by_hash_or_field_on_several_hosts(count):
    succeed(count, "on_several_hosts:partitions")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "what"),
    [
        *((count, "programs") for count in (1, 2, 3, 4)),
        *((2, f"{way}:programs") for way in ("pieces", "on_several_hosts")),
    ],
)
def test_programs_on_ranks(count, what):
    succeed(count, what)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "what"), [(2, "neighbors"), (3, "neighbors"), (3, "on_several_hosts:neighbors")]
)
def test_programs_that_read_neighbors_on_ranks(count, what):
    succeed(count, what)


@pytest.mark.parametrize(
    ("before", "after", "numbers"),
    [
        (2, 3, "1"),
        pytest.param(3, 2, "012", marks=pytest.mark.slow),
        pytest.param(2, 8, "012", marks=pytest.mark.slow),
    ],
)
def test_killed_runs_resume_with_another_number_of_ranks(before, after, numbers, tmp_path):
    for number in numbers:
        ran = ranks(before, "on_several_hosts:killed", number, str(tmp_path))
        assert ran.returncode and "done" not in ran.stdout
    succeed(after, "on_several_hosts:resumed", numbers, str(tmp_path))


@pytest.mark.slow
def test_checkpoints_of_ranks(tmp_path):
    succeed(2, "checkpoints", str(tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3])
def test_messages_to_vertices_of_other_ranks(count, tmp_path):
    succeed(count, "relays", "--", "posts", str(tmp_path))


@pytest.mark.slow
def test_every_pair_on_three_ranks():
    succeed(3, "pairs")


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="the system does not say it")
@pytest.mark.parametrize("directed", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_rank_reads_its_rows(directed, tmp_path):
    """Of a mapped file, the sources of the arcs that end in its own vertices, half of them here,
    and nothing else that is of edges."""
    path = tmp_path / "g.npz"
    graph = generators.uniform(1 << 12, 1 << 20, seed=1, directed=directed)
    graph.write(path, arcs=True)
    found = [
        int(n) for n in re.findall(r"read: (\d+)", succeed(2, "reads", str(path), module=ERRORS))
    ]
    most = 4 * graph.num_arcs // 2 + 8 * graph.num_vertices + 2**19  # what is read ahead, too
    assert len(found) == 2 and max(found) < most < path.stat().st_size / 2
    assert min(found) > 4 * graph.num_arcs // 3


def test_ranks_that_do_not_run_the_same():
    told = succeed(2, "differ", module=ERRORS)
    for what in ("parameters", "parameters", "program", "graph", "edge fields", "initial fields"):
        assert f"rank 1 of 2 and rank 0 differ in their {what}: " in told
    assert told.count("all ranks must run the same program on the same graph") == 12


def test_what_fails_in_one_rank_is_raised_in_all():
    ran = ranks(3, "fails", module=ERRORS)
    for told in (  # their lines may run into each other
        "0: RankError: rank 1 of 3 has failed: MemoryError: no room here",
        "1: MemoryError: no room here",
        "2: RankError: rank 1 of 3 has failed: MemoryError: no room here",
    ):
        assert ran.stdout.count(told) == 1, ran.stdout


def test_a_rank_that_dies_ends_all_with_one_message():
    ran = ranks(2, "dies", module=ERRORS)
    assert ran.returncode
    assert ran.stderr.count("gascl: rank 1 of 2 ends all: ValueError: no more of this") == 1
    assert "done" not in ran.stdout


def test_the_script_of_the_documentation(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "scale.md").read_text()
    (tmp_path / "script.py").write_text(re.search(r"^```py\n(.*?)^```$", page, re.M | re.S)[1])
    generators.rmat(6, seed=1).write(tmp_path / "web.npz")
    command = [MPIEXEC, "-n", "2", sys.executable, "script.py"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=240)
    assert (tmp_path / "ranks.parquet").exists()


def test_the_command_on_ranks(tmp_path, write):
    """One of the ranks prints and writes."""
    graph = write("g.txt", "1 2\n2 3\n3 1\n3 4\n")
    partition = "--partition", "hash"  # which changes nothing that is printed
    command = ["run", "PageRank", graph, *partition, "--output", str(tmp_path / "ranks.csv")]
    ran = ranks(3, *command, module="gascl")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("4 vertices") == 1 and ran.stdout.count("; ranks: 3") == 1
    alone = subprocess.run(
        [sys.executable, "-m", "gascl", *command[:-1], str(tmp_path / "one.csv")], check=True
    )
    assert alone.returncode == 0
    assert (tmp_path / "ranks.csv").read_text() == (tmp_path / "one.csv").read_text()


def test_each_rank_has_and_writes_its_own_vertices(tmp_path):
    calls = [f"on_several_hosts:{name}" for name in ("own_rows", "own_rows_refused")]
    succeed(2, calls[0], str(tmp_path), "--", calls[1], str(tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("way", ["", "on_several_hosts:"])
def test_results_of_several_stages_and_of_nested_runs(count, way, tmp_path):
    succeed(count, f"{way}own_rows", str(tmp_path), "stages", "--", f"{way}nested")


@pytest.mark.slow
def test_the_command_prints_what_a_rank_alone_does_not_have(tmp_path):
    command = ["run", "BreadthFirst", "karate", "--set", "source=1", "--fields", "depth"]
    folder = tmp_path / "depths"
    ran = ranks(2, *command, "--output", str(folder), "--top", "1", module="gascl")
    assert ran.returncode == 0 and "depth" in ran.stdout


@pytest.mark.slow
def test_the_command_writes_several_runs(tmp_path):
    command = ["run", "Leiden", "karate", "--set", "resolution=0.5,1", "--output"]
    ran = ranks(2, *command, str(tmp_path / "parts"), module="gascl")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("modularity: ") == 2
    found = pandas.read_parquet(tmp_path / "parts")
    assert found.shape[0] == 34 and {"community_0", "community_1"} <= {*found.columns}


def test_the_command_writes_a_file_of_each_rank(tmp_path, write):
    """No rank needs the others' vertices then, so that the first one prints none."""
    graph, folder = write("g.txt", "10 20\n20 30\n30 10\n30 40\n"), tmp_path / "depths"
    command = ["run", "BreadthFirst", graph, "--set", "source=20", "--fields", "depth"]
    ran = ranks(2, *command, "--output", str(folder), module="gascl")
    assert ran.returncode == 0, ran.stderr
    assert "; ranks: 2" in ran.stdout and "depth" not in ran.stdout
    assert sorted(each.name for each in folder.iterdir()) == [
        "part-00000.parquet",
        "part-00001.parquet",
    ]
    table = pandas.read_parquet(folder)
    assert table.sort_values("vertex").to_numpy().tolist() == [[10, 2], [20, 0], [30, 1], [40, 2]]


@pytest.mark.parametrize(
    ("program", "graph", "message"),
    one_in(
        6,
        [
            (
                "PageRank --delivery serial",
                "karate",
                "delivery 'serial' does not run PageRank on several ranks",
            ),
            ("PageRank", "nothere.txt", "nothere.txt: there is no such file"),
            ("PageRank", "-", "stdin has one reader, and the run has several ranks; name a file"),
            ("PageRank", "karate --bogus", "unrecognized arguments: --bogus"),
            ("PageRank", "karate --output /nowhere/ranks.csv", "there is no folder /nowhere"),
            (
                "PageRank",
                "karate --partition club",
                "--partition club: give 'ranges', 'hash', or the name of a vertex field",
            ),
            ("PageRank", "karate --output - --trace -", "--output and --trace are both -"),
        ],
    ),
)
def test_the_command_refuses_once(program, graph, message):
    ran = ranks(2, "run", *program.split(), *graph.split(), module="gascl")
    assert ran.returncode in (1, 2)
    assert ran.stderr.count(message) == 1 and ran.stderr.count("error:") == 1


def test_wrong_arguments_of_one_rank_end_all():
    command = [sys.executable, "-m", "gascl", "run", "PageRank", "karate"]
    both = [MPIEXEC, "-n", "1", *command, ":", "-n", "1", *command, "--bogus"]
    ran = subprocess.run(both, capture_output=True, text=True, timeout=240)
    assert ran.returncode != 0
    assert "rank 1 of 2 has failed: GasclError: wrong arguments: run PageRank" in ran.stderr


def test_the_benchmark_of_ranks():
    """It compares answers itself."""
    script = str(Path(__file__).parents[2] / "benchmarks" / "ranks.py")
    ran = ranks(2, script, "--scales", "8", "--rounds", "1", "--hosts", module="mpi4py")
    assert ran.returncode == 0, ran.stderr
    ways = re.findall(r"PageRank \| (\S.*?) \|", ran.stdout)
    assert ways == ["1", "2", "2 hosts"]


# Hubs whose arcs ranks share: see support/cut_rows.py ---------------------------------------------

CUT_ROWS = "support.cut_rows"


def test_ranks_share_the_arcs_of_hubs(tmp_path):
    """All in one start of the ranks; the numbers are of random programs."""
    calls = "short:some two -- short:overflows -- on_several_hosts:short:resumes"
    drawn = "--", "shortest:drawn", "5"
    told = succeed(3, *calls.split(), str(tmp_path), *drawn, module=CUT_ROWS)
    assert re.search(r"shared: [1-9]", told)


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3, 8])
@pytest.mark.parametrize("way", ["", "on_several_hosts:"])
@pytest.mark.parametrize("what", ["agree", "floats", "bundled", "pieces", "overflows", "resumes"])
def test_more_of_ranks_that_share_the_arcs_of_hubs(what, way, count, tmp_path):
    folder = [str(tmp_path)] if what == "resumes" else []
    succeed(count, f"{way}short:{what}", *folder, module=CUT_ROWS)


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3, 8])
@pytest.mark.parametrize("way", ["", "on_several_hosts:"])
def test_all_random_programs_on_ranks_that_share_rows(count, way):
    """Those of the recipes that let ranks share rows, with rows that are long enough."""
    numbers = "0 4 5 9 15 40 52 75".split()
    told = succeed(count, f"{way}shortest:drawn", *numbers, module=CUT_ROWS)
    assert re.search(r"shared: \d\d", told)


# Graphs whose arcs are made by a rule: see support/implicit_runs.py -------------------------------

BY_RULE = "support.implicit_runs"


def test_graphs_that_are_not_stored(tmp_path):
    """Ids of more than 32 bits, arcs in parts, refusals and results, in one start of the ranks."""
    files = tmp_path / "files"
    files.mkdir()
    calls = "shifted", "--", "parts", str(files), "--", "refused", "--", "results", str(tmp_path)
    succeed(2, *calls, module=BY_RULE)


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3, 8])
@pytest.mark.parametrize("what", ["programs", "shifted"])
def test_programs_on_graphs_that_are_not_stored(what, count):
    succeed(count, what, module=BY_RULE)


# Work that ranks share out: see support/share_runs.py --------------------------------------------

SHARES = "support.share_runs"


def test_searches_and_work_that_ranks_share_out():
    succeed(2, "own", "--", "wrong", module=SHARES)


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("kind", ["few", "plain", "weighted"])
def test_more_searches_that_ranks_share_out(count, kind):
    succeed(count, "bundled", kind, module=SHARES)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "count"), [("own", 3), ("wrong", 3), ("unending", 2), ("unending", 3)]
)
def test_more_work_that_ranks_share_out(what, count):
    succeed(count, what, module=SHARES)


def test_a_rank_that_dies_in_its_share_ends_all():
    ran = ranks(2, "dies", module=SHARES)
    assert ran.returncode and "done" not in ran.stdout
