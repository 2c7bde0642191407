"""Files of edges converted outside of memory: the same file and the same report as in memory."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from support.case_subsets import one_in, thinned

from gascl import Graph
from gascl.errors import FormatError, GraphError
from gascl.io.formats import arrow
from gascl.io.outofcore import convert
from gascl.io.outofcore.convert import LEAST, Conversion
from gascl.io.outofcore.file_source import FileSource
from gascl.util.progress import Progress

pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

ROWS = (
    150_000  # so that the arcs of both kinds of graphs are more than what is stored with edge ids
)


def table(ids: str, rows: int = ROWS, seed: int = 0):
    """Random edges with loops and duplicates, and three fields."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, 900, (2, rows))
    if ids == "gaps":
        ends = ends * 7 - 1000
    elif ids == "wide":
        ends = ends * 10**15 - 10**17
    elif ids == "text":
        ends = np.array([f"vertex {i}é" for i in range(900)])[ends]
    elif ids == "long":  # stored as UTF-8
        ends = np.array([str(i) if i else "z" * 400 for i in range(900)])[ends]
    fields = {
        "minutes": rng.integers(-5, 100, rows).astype(np.int16),
        "cost": rng.random(rows),
        "open": rng.random(rows) < 0.5,
    }
    return pa.table({"source": ends[0], "target": ends[1], **fields})


def conversion_of(source: Path, target: Path, memory: int = LEAST, arcs=False, **options):
    """Of a file, with the options of `Graph.read`."""
    policies = {name: options.pop(name, "keep") for name in ("duplicates", "self_loops")}
    return Conversion(FileSource(source, **options), target, memory, arcs=arcs, **policies)


def same(source: Path, tmp_path: Path, arcs: bool = False, **options) -> Graph:
    """Convert a file both ways, and compare."""
    there, here = tmp_path / "there.npz", tmp_path / "here.npz"
    graph = Graph.read(source, **options)
    graph.write(there, arcs=arcs)
    made = conversion_of(source, here, LEAST, arcs=arcs, **options)
    done = made.run()
    assert done.report == graph.report
    assert (done.num_vertices, done.num_edges) == (graph.num_vertices, graph.num_edges)
    assert done.directed == graph.directed
    assert not made.folder.exists()
    assert here.read_bytes() == there.read_bytes()
    return graph


@pytest.mark.parametrize(
    ("ids", "directed", "arcs"),
    thinned(["whole", "gaps", "wide", "text", "long"], [None, False], [False, True], by=4),
)
def test_the_file_is_that_of_a_conversion_in_memory(ids, directed, arcs, tmp_path):
    parquet.write_table(table(ids), tmp_path / "edges.parquet", row_group_size=40_000)
    same(tmp_path / "edges.parquet", tmp_path, arcs, directed=directed)


@pytest.mark.parametrize("suffix", [".csv", ".txt.gz", ".arrow", ".parquet"])
@pytest.mark.parametrize("directed", [True, False])
def test_formats_that_gascl_writes(suffix, directed, tmp_path):
    rng = np.random.default_rng(3)
    ends = rng.integers(0, 50, (2, 400))
    weight = rng.random(400)
    graph = Graph.from_edges(*ends, directed=directed, weight=weight)
    graph.write(tmp_path / f"edges{suffix}")
    same(tmp_path / f"edges{suffix}", tmp_path)
    same(tmp_path / f"edges{suffix}", tmp_path, directed=True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a b\nb c\nc a\n",
        "1 2 3\n2 3 4.5\n3 3 nan\n",
        "# Nodes: 7 Edges: 9\n1 2\n2 3\n",
        'source,target,km\n"01",+1,2\n1,7,3\n',
        "from,to\n1,2\n1,x\n2,1\n",
        "% sym positive\n1 2\n2 2\n",
        "5 6\n99999999999 6",
    ],
)
def test_edge_lists(text, tmp_path):
    (tmp_path / "edges.txt").write_text(text)
    options = {"header": True} if text.startswith("from") else {}
    same(tmp_path / "edges.txt", tmp_path, **options)


@pytest.mark.parametrize(
    ("directed", "duplicates", "self_loops"),
    thinned([True, False], ["sum", "min", "max", "first"], ["keep", "drop"]),
)
def test_policies(directed, duplicates, self_loops, tmp_path):
    parquet.write_table(table("gaps", 30_000), tmp_path / "edges.parquet")
    options = {"duplicates": duplicates, "self_loops": self_loops, "directed": directed}
    graph = same(tmp_path / "edges.parquet", tmp_path, **options)
    assert graph.num_edges < 30_000


@pytest.mark.parametrize("ids", ["gaps", "text", "long"])
@pytest.mark.parametrize("policy", ["duplicates", "self_loops"])
def test_policies_that_refuse_say_the_same(policy, ids, tmp_path):
    source = tmp_path / "edges.parquet"
    parquet.write_table(table(ids, 20_000), source)
    with pytest.raises(GraphError) as here:
        conversion_of(source, tmp_path / "g.npz", LEAST, **{policy: "error"}).run()
    with pytest.raises(GraphError) as there:
        Graph.read(source, **{policy: "error"})
    assert str(here.value) == str(there.value)


def test_what_was_refused_at_once_leaves_no_folder(tmp_path):
    parquet.write_table(table("whole"), tmp_path / "edges.parquet")
    made = conversion_of(tmp_path / "edges.parquet", tmp_path / "g.npz", columns=["source", "end"])
    with pytest.raises(GraphError, match="end"):
        made.run()
    assert not made.folder.exists()


def test_edges_in_order_need_no_sorting(tmp_path, monkeypatch):
    edges = table("whole").sort_by([("source", "ascending"), ("target", "ascending")])
    parquet.write_table(edges, tmp_path / "edges.parquet")
    same(tmp_path / "edges.parquet", tmp_path, arcs=True)


def test_blocks_and_batches_may_be_small(tmp_path, monkeypatch):
    from gascl.io.outofcore import disk_array, duckdb_sort

    for module, name in ((disk_array, "BLOCK"), (convert, "BLOCK"), (duckdb_sort, "ROWS")):
        monkeypatch.setattr(module, name, 700)
    monkeypatch.setattr(disk_array.DiskArray.blocks, "__defaults__", (700,))
    parquet.write_table(table("gaps"), tmp_path / "edges.parquet")
    same(tmp_path / "edges.parquet", tmp_path, arcs=True, duplicates="sum", self_loops="drop")
    same(tmp_path / "edges.parquet", tmp_path, arcs=True, directed=False)
    parquet.write_table(table("long"), tmp_path / "edges.parquet")
    same(tmp_path / "edges.parquet", tmp_path, arcs=True)


@pytest.mark.parametrize(
    ("stage", "arcs"),
    one_in(
        2,
        [
            *(
                (stage, True)
                for stage in ("numbering", "policies", "arcs out", "arcs in", "writing")
            ),
            ("policies", False),  # where ids are numbered only when the file is written
            ("writing", False),
        ],
    ),
)
def test_a_killed_run_resumes(stage, arcs, tmp_path):
    """Killed where the stage has been finished but not noted, or before the file is written."""
    source, target = tmp_path / "edges.parquet", tmp_path / "g.npz"
    parquet.write_table(table("gaps"), source)
    script = f"""
        import os, signal, sys
        from pathlib import Path
        from gascl.io.outofcore import convert, file_source, job_dir
        from gascl.io.formats import native

        def kill(*_, **__):
            os.kill(os.getpid(), signal.SIGKILL)

        inner = job_dir.JobDir.stage
        def stage(self, name, make):
            return inner(self, name, (lambda: [make(), kill()]) if name == {stage!r} else make)
        job_dir.JobDir.stage = stage
        if {stage!r} == "writing":
            native.write_members = kill
        paths = Path({str(source)!r}), Path({str(target)!r})
        source = file_source.FileSource(paths[0])
        convert.Conversion(source, paths[1], {LEAST}, arcs={arcs}).run()
    """
    killed = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True)
    assert killed.returncode == -9, killed.stderr
    assert not target.exists()
    made = conversion_of(source, target, LEAST, arcs=arcs)
    notes = json.loads((made.folder / "gascl-unfinished.json").read_text())
    order = ["read", "numbering", "policies"]
    order += ["arcs out", "arcs in", "fingerprint"] * arcs + ["writing"]
    assert list(notes["stages"]) == order[: order.index(stage)]
    made.run()
    Graph.read(source).write(tmp_path / "whole.npz", arcs=arcs)
    assert target.read_bytes() == (tmp_path / "whole.npz").read_bytes()
    assert not made.folder.exists()


def test_unfinished_work_on_another_file_is_not_used(tmp_path, monkeypatch):
    source, target = tmp_path / "edges.parquet", tmp_path / "here.npz"
    parquet.write_table(table("whole", 1000), source)
    with monkeypatch.context() as patch:
        patch.setattr(convert.native, "save", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            conversion_of(source, target, LEAST).run()
    parquet.write_table(table("whole", 2000, seed=1), source)
    assert same(source, tmp_path).num_edges == 2000


def test_unfinished_work_of_an_earlier_gascl_restarts(tmp_path, monkeypatch):
    """The notes are those of 0.1.0 as it was at first, with the limits of the ids."""
    source, target = tmp_path / "edges.parquet", tmp_path / "here.npz"
    parquet.write_table(table("gaps", 1000), source)
    with monkeypatch.context() as patch:
        patch.setattr(convert.native, "save", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            conversion_of(source, target, LEAST).run()
    path = conversion_of(source, target, LEAST).folder / "gascl-unfinished.json"
    notes = json.loads(path.read_text())
    del notes["identity"]["layout"]
    read = notes["stages"]["read"]
    for name in ("labels", "loops", "first_loop"):
        del read[name]
    notes["stages"] = {"read": read | {"limits": [0, 7000]}}
    path.write_text(json.dumps(notes))
    assert same(source, tmp_path).num_edges == 1000


def test_what_is_refused(tmp_path, monkeypatch):
    source, target = tmp_path / "edges.parquet", tmp_path / "g.npz"
    parquet.write_table(table("whole", 10), source)
    with pytest.raises(FormatError, match="at least 512 MiB"):
        conversion_of(source, target, 2**20)
    Graph.from_edges([0], [1]).write(tmp_path / "g.mtx")
    with pytest.raises(FormatError, match=r"matrixmarket are read as a whole; --memory reads"):
        conversion_of(tmp_path / "g.mtx", target, LEAST).run()
    Graph.from_edges([("b", "a")]).write(tmp_path / "g.arrow")
    with pytest.raises(FormatError, match="order of the labels is kept beside the rows"):
        conversion_of(tmp_path / "g.arrow", target, LEAST).run()
    folder = tmp_path / "h.npz.unfinished"
    folder.mkdir()
    with pytest.raises(FormatError, match="is in the way"):
        conversion_of(source, tmp_path / "h.npz", LEAST).run()
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(FormatError, match="--memory needs DuckDB: `pip install duckdb`"):
        conversion_of(source, target, LEAST)


def test_bad_values_are_named_with_their_place(tmp_path):
    target = tmp_path / "g.npz"
    ends = {"source": [1, 2, None], "target": [4, 5, 6]}
    parquet.write_table(pa.table(ends), tmp_path / "null.parquet", row_group_size=2)
    with pytest.raises(FormatError, match=r"row 2 \(the first is 0\) has no value for 'source'"):
        conversion_of(tmp_path / "null.parquet", target, LEAST).run()
    (tmp_path / "edges.csv").write_text("source,target,weight\n1,2,3\n1,2,many\n")
    with pytest.raises(FormatError, match="line 3: '1,2,many' has the weight 'many'"):
        conversion_of(
            tmp_path / "edges.csv", target, LEAST, columns=["source", "target", "weight"]
        ).run()


@pytest.mark.parametrize("self_loops", ["keep", "drop"])
@pytest.mark.parametrize(
    "ids",
    [
        [],
        [4],
        [0, 1, 2, 3],  # the vertices themselves
        [1, 2, 3],
        [*range(3000, -3000, -7)],
        [2**63 - 1, 2**63 - 9, 2**63 - 5],
        [9 - 2**63, 5 - 2**63, -(2**63)],
        [-5, 2**40],  # more than the table may have
    ],
)
def test_ids_that_rise_and_fall(ids, self_loops, tmp_path, monkeypatch):
    """The table of those in use grows as they are read, in both directions."""
    monkeypatch.setattr(arrow, "SPOOLED", 2)
    source = np.array(ids, np.int64)
    edges = pa.table({"source": source, "target": source[::-1]})
    parquet.write_table(edges, tmp_path / "edges.parquet")
    same(tmp_path / "edges.parquet", tmp_path, self_loops=self_loops)


class Counted(Progress):
    """Notes how far each piece of work came, and of how many."""

    def __init__(self):
        super().__init__()
        self.came = {}

    def begin(self, title, total=None, unit=""):
        self.title = title
        self.came[title] = [0, total]
        super().begin(title, total, unit)

    def at(self, done, note=""):
        if self.came and done:
            self.came[self.title][0] = done
        super().at(done, note)


@pytest.mark.parametrize("directed", [True, False])
def test_sorting_is_counted_until_it_ends(directed, tmp_path):
    """Not only what is given to be sorted, but also what comes back."""
    source, progress = tmp_path / "edges.parquet", Counted()
    parquet.write_table(table("wide", 20_000), source)
    edges = FileSource(source, directed=directed)
    options = {"arcs": True, "duplicates": "first", "progress": progress}
    done = Conversion(edges, tmp_path / "g.npz", LEAST, **options).run()
    arcs = Graph.read(tmp_path / "g.npz").num_arcs
    sides = ("out", "in") if directed else ("out",)
    assert all(progress.came[f"sorting arcs ({side})"] == [2 * arcs] * 2 for side in sides)
    assert progress.came["numbering vertices"] == [160_000] * 2
    assert progress.came["merging parallel edges"] == [40_000] * 2
    assert done.num_edges < 20_000


@pytest.mark.parametrize("arcs", [False, True])
def test_writing_is_counted(arcs, tmp_path):
    source, target, progress = tmp_path / "edges.parquet", tmp_path / "g.npz", Counted()
    parquet.write_table(table("gaps"), source)
    Conversion(FileSource(source), target, LEAST, arcs=arcs, progress=progress).run()
    with np.load(target) as members:
        size = sum(members[name].nbytes for name in members.files)
    assert progress.came["writing g.npz"] == [size] * 2


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
@pytest.mark.parametrize("ids", ["whole", "wide", "text"])
def test_memory_stays_bounded(ids, tmp_path):
    """2 * 10**7 edges, which take 320 MB as 64-bit ids alone, and the arcs as much again."""
    with parquet.ParquetWriter(tmp_path / "edges.parquet", table(ids, 1).schema) as file:
        for part in range(20):
            file.write_table(table(ids, 10**6, part))
    script = """
        import re, sys
        from pathlib import Path
        from gascl.io.outofcore.convert import Conversion
        from gascl.io.outofcore.file_source import FileSource
        Conversion(FileSource(Path(sys.argv[1])), Path(sys.argv[2]), 512 << 20, arcs=True).run()
        # Not ru_maxrss, which a process takes over from the one that started it.
        print(re.search("VmHWM: *\\t* *([0-9]+) kB", Path("/proc/self/status").read_text())[1])
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    paths = [str(tmp_path / name) for name in ("edges.parquet", "g.npz")]
    ran = subprocess.run([*command, *paths], capture_output=True, text=True, check=True)
    assert int(ran.stdout) / 1024 < 512
    assert Graph.read(tmp_path / "g.npz").num_edges == 2 * 10**7


def test_ctrl_c_while_pandas_is_imported(tmp_path):
    """pyarrow imports pandas when it first makes an array, and drops the KeyboardInterrupt."""
    parquet.write_table(table("text", 1000), tmp_path / "edges.parquet")
    script = """
        import sys

        class Pressed:
            def find_spec(self, name, path, target=None):
                if name == "pandas":
                    sys.meta_path.remove(self)
                    raise KeyboardInterrupt

        sys.meta_path.insert(0, Pressed())
        from gascl.cli.main import main

        sys.exit(main(["convert", "edges.parquet", "g.npz", "--memory", "1GiB"]))
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert ran.returncode == 130 and not (tmp_path / "g.npz").exists(), ran.stderr
