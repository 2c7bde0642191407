"""`gascl convert`: what it says, writes and refuses, most of it with a format of the tests' own."""

import gzip
import lzma
import os
import re
import signal
import time
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import scipy.io
from support.command_line import KARATE, ROADS, start

from gascl.errors import FormatError
from gascl.io import FORMATS
from gascl.io.files import created
from gascl.io.format import Format


def write_rows(path, graph):
    if not graph.num_edges:
        raise FormatError(f"{path}: rows cannot hold a graph without edges; write Matrix Market")
    names = range(graph.num_vertices) if graph.labels is None else graph.labels.tolist()
    with created(path) as file:
        for u, v in zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True):
            file.write(f"{names[u]} {names[v]}\n".encode())


@pytest.fixture(autouse=True)
def rows(monkeypatch):
    """A format `rows`, which is written and not read, and `sealed`, which packs itself."""

    def read(path, directed):
        raise FormatError(f"{path}: rows are not read")

    for name, packs in (("rows", True), ("sealed", False)):
        toy = Format(name, (f".{name}",), lambda head: False, read, write_rows, packs)
        monkeypatch.setitem(FORMATS, name, toy)
    silent = Format("silent", (".silent",), lambda head: False, read)
    monkeypatch.setitem(FORMATS, "silent", silent)


def test_a_dataset_by_its_name(gascl_, tmp_path):
    path = tmp_path / "karate.txt"
    code, out, err = gascl_("convert", "karate", path)
    assert (code, err) == (0, "")
    assert "read karate: a dataset in " in out and "34 vertices, 78 edges, undirected" in out
    assert len(path.read_text().splitlines()) >= 78


def test_the_report_names_files_read_and_written(gascl_, tmp_path):
    path = tmp_path / "karate.rows"
    code, out, err = gascl_("convert", KARATE, path)
    assert (code, err) == (0, "")
    first, graph, taken, ids, last = out.splitlines()
    count = os.path.getsize(KARATE)
    assert re.fullmatch(rf"read {re.escape(KARATE)}: {count:,} bytes in \d+\.\d{{3}} s", first)
    assert graph == "graph: 34 vertices, 78 edges, undirected"
    assert taken == "  Matrix Market: pattern, symmetric"
    assert ids == "  ids, which start at 1, became vertices from 0"
    count = path.stat().st_size
    assert re.fullmatch(
        rf"wrote {re.escape(str(path))}: rows, {count:,} bytes in \d+\.\d{{3}} s", last
    )
    matrix = scipy.io.mmread(KARATE).tocoo()
    lower = {(i, j) for i, j in zip(matrix.row, matrix.col, strict=True) if i > j}
    rows = [tuple(map(int, row.split())) for row in path.read_text().splitlines()]
    assert len(rows) == 78
    assert {(max(row), min(row)) for row in rows} == lower


def test_labels_and_order_of_a_packed_file(gascl_, tmp_path):
    path = tmp_path / "roads.rows"
    assert gascl_("convert", ROADS, path)[0] == 0
    with gzip.open(ROADS, "rt", encoding="utf-8") as file:
        expected = [line.split()[:2] for line in file if not line.startswith("#")]
    assert [row.split() for row in path.read_text().splitlines()] == expected


def test_the_formats_are_named(gascl_, write, tmp_path):
    path = tmp_path / "b.txt"
    code, out, _ = gascl_(
        "convert", write("a.mtx", "1 2\n2 3\n"), path, "--from", "edgelist", "--to", "rows"
    )
    assert code == 0
    assert path.read_text() == "1 2\n2 3\n"
    assert f"wrote {path}: rows, 8 bytes in " in out


def test_policies(gascl_, write, tmp_path):
    source, path = write("a.txt", "1 2\n2 1\n2 2\n3 1\n1 2\n"), tmp_path / "b.rows"
    options = ["--undirected", "--duplicates", "first", "--self-loops", "drop"]
    code, out, _ = gascl_("convert", source, path, *options)
    assert code == 0
    assert path.read_text() == "1 2\n3 1\n"
    assert "graph: 3 vertices, 2 edges, undirected\n" in out
    assert "\n  --self-loops drop: dropped 1 self-loop\n" in out
    assert "\n  --duplicates first: merged 2 edges into others\n" in out


def test_b_takes_the_place_of_an_older_file(gascl_, write):
    path = write("b.rows", "older and longer than what is written\n")
    assert gascl_("convert", write("a.txt", "1 2\n"), path)[0] == 0
    assert path.read_text() == "1 2\n"


@pytest.mark.parametrize("packing", ["", ".gz", ".xz"])
def test_from_networkx_by_way_of_matrix_market_to_scipy(gascl_, tmp_path, packing):
    drawn = nx.gnm_random_graph(30, 80, seed=3, directed=True)
    for at, (_, _, attributes) in enumerate(drawn.edges(data=True)):
        attributes["weight"] = at + 0.5
    table, matrix = tmp_path / "a.csv", tmp_path / f"b.mtx{packing}"
    rows = [f"{u},{v},{w}" for u, v, w in drawn.edges(data="weight")]
    table.write_text("\r\n".join(["from,to,weight", *rows]))
    graphml = tmp_path / "c.graphml"
    assert gascl_("convert", table, graphml)[0] == 0
    read = nx.read_graphml(graphml, node_type=int)
    assert dict(read.edges) == dict(drawn.edges)
    # Matrix Market has no labels, so that the vertices must be those of the table.
    whole = tmp_path / "e.mtx"
    rows = [f"{u + 1} {v + 1} {w}\n" for u, v, w in drawn.edges(data="weight")]
    header = "%%MatrixMarket matrix coordinate real general\n"
    whole.write_text(f"{header}30 30 {len(rows)}\n{''.join(rows)}")
    code, _, err = gascl_("convert", whole, matrix)
    assert (code, err) == (0, "")
    unpacked = {"": open, ".gz": gzip.open, ".xz": lzma.open}[packing]
    with unpacked(matrix, "rb") as file:
        found = scipy.io.mmread(file).toarray()
    np.testing.assert_array_equal(found, nx.to_numpy_array(drawn))


def test_all_files_of_graphalytics_are_named_and_none_of_a_is_written_over(
    gascl_, write, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    source = write("a.txt", "1 2 5\n2 3 7\n")
    write("g.log", "not of the graph\n")
    code, out, err = gascl_("convert", source, "g.e")
    assert (code, err) == (0, "")
    assert (tmp_path / "g.e").read_text() == "1 2 5\n2 3 7\n"
    assert (tmp_path / "g.v").read_text() == "1\n2\n3\n"
    count = sum((tmp_path / f"g.{end}").stat().st_size for end in ("e", "v", "properties"))
    assert f"\nwrote g.e, g.properties, g.v: graphalytics, {count} bytes in " in out
    (tmp_path / "folder").mkdir()
    for a, b in (("g.properties", "g.e"), ("g.v", "g.properties"), ("g.e", "folder/../g.v")):
        code, out, err = gascl_("convert", a, b)
        assert (code, out) == (1, "")
        assert err.endswith(f"{a} is the file to be read; name another file\n")
    code, out, _ = gascl_("convert", "g.properties", "g.e.gz")
    assert code == 0
    assert "\nwrote g.e.gz, g.properties.gz, g.v.gz: graphalytics, " in out


def test_a_closed_pipe_is_quiet_and_b_is_written(tmp_path):
    path = tmp_path / "karate.txt"
    process = start("convert", KARATE, path)
    process.stdout.close()
    err = process.stderr.read()
    assert (process.wait(timeout=60), err) == (0, "")
    assert len(path.read_text().splitlines()) >= 78


# Errors


@pytest.mark.parametrize(
    "name", ["a.rows", "./a.rows", "link.rows", "hard.rows", "folder/../a.rows"]
)
def test_a_is_not_written_over(gascl_, write, tmp_path, name):
    path = write("a.rows", "1 2\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.rows").symlink_to(path)
    (tmp_path / "hard.rows").hardlink_to(path)
    target = f"{tmp_path}/{name}"
    code, out, err = gascl_("convert", path, target, "--from", "edgelist")
    assert (code, out) == (1, "")
    assert re.fullmatch(r"gascl: error: \S+ is the file to be read; name another file\n", err)
    assert path.read_text() == "1 2\n"
    assert (tmp_path / "link.rows").is_symlink()


@pytest.mark.parametrize(
    ("target", "options", "words"),
    [
        ("b", (), "no format has extension ''; choose one with --to: "),
        ("b.xyz", (), "no format has extension '.xyz'; choose one with --to: "),
        ("b.xyz.gz", (), "no format has extension '.xyz'; choose one with --to: "),
        ("b.rows", ("--to", "row"), "--to: unknown format 'row'; choose one with --to: "),
        ("b.silent", (), "gascl cannot write the format silent; choose one with --to: "),
        (
            "b.rows",
            ("--to", "silent"),
            "gascl cannot write the format silent; choose one with --to: ",
        ),
        ("no/b.rows", (), "there is no folder no; create it first"),
        ("folder.rows", (), "folder.rows cannot be written: it is a folder; name another file"),
        ("pipe.rows", (), "pipe.rows cannot be written: it is a device or a pipe; name "),
        ("/dev/null", ("--to", "rows"), "/dev/null cannot be written: it is a device or a pipe"),
        ("b.sealed.gz", (), "the format sealed has its own compression; name the file b.sealed"),
    ],
)
def test_what_cannot_be_written_is_refused_before_a_is_read(
    gascl_, monkeypatch, tmp_path, target, options, words
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.rows").mkdir()
    os.mkfifo("pipe.rows")
    before = sorted(tmp_path.iterdir())
    code, out, err = gascl_("convert", "missing.txt", target, *options)
    assert (code, out) == (1, "")
    assert err.startswith("gascl: error: ")
    assert words in err
    assert err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before
    assert not os.path.isfile("/dev/null")


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("1 2\n3\n", (), "a.txt, line 2: '3' has 1 column"),
        ("1 2\n", ("--from", "gxf"), "there is no format 'gxf'; the formats are "),
        ("1 2\n", ("--option", "nose=1"), "the reader of edgelist has no option 'nose'; "),
        ("1 2\n", ("--option", "format=rows"), "--option format: no reader has this option; use"),
        ("1 2\n1 2\n", ("--duplicates", "error"), "repeats edge 0; "),
        ("", (), "rows cannot hold a graph without edges; write Matrix Market"),
    ],
)
def test_where_it_fails_b_stays_as_it_was(gascl_, write, tmp_path, text, options, words):
    path = write("b.rows", "before\n")
    code, _, err = gascl_("convert", write("a.txt", text), path, *options)
    assert code == 1
    assert err.startswith("gascl: error: ")
    assert words in err
    assert err.count("\n") == 1
    assert path.read_text() == "before\n"
    assert len(list(tmp_path.iterdir())) == 2


def test_no_such_a(gascl_, tmp_path):
    code, out, err = gascl_("convert", tmp_path / "a.txt", tmp_path / "b.rows")
    assert (code, out) == (1, "")
    assert err == f"gascl: error: {tmp_path}/a.txt: there is no such file; check the path\n"
    assert not list(tmp_path.iterdir())


def test_ctrl_c_leaves_nothing_behind(gascl_, monkeypatch, write, tmp_path):
    def interrupted(path, graph):
        with created(path) as file:
            file.write(b"1 2\n")
            assert len(list(tmp_path.iterdir())) == 3
            raise KeyboardInterrupt

    monkeypatch.setitem(FORMATS, "rows", replace(FORMATS["rows"], write=interrupted))
    source, path = write("a.txt", "1 2\n"), write("b.rows", "before\n")
    code, _, err = gascl_("convert", source, path)
    assert (code, err) == (130, "gascl: interrupted\n")
    assert path.read_text() == "before\n"
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")
def test_ctrl_c_of_a_process_leaves_nothing_behind(write, tmp_path):
    numbers = np.random.default_rng(0).integers(0, 10**9, (120_000, 2))
    source = write("a.txt", "".join(f"{u} {v}\n" for u, v in numbers.tolist()))
    path = tmp_path / "b.txt.xz"  # packing takes seconds
    process = start("convert", source, path)
    try:
        deadline = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) == 1 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not path.exists()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, err) == (130, "gascl: interrupted\n")
    assert list(tmp_path.iterdir()) == [source]


def test_memory_gives_the_same_report(gascl_, write, tmp_path):
    pytest.importorskip("duckdb")
    source = write("edges.csv", "source,target,weight\n5,7,1\n7,7,2\n5,7,4\n")
    options = ["--undirected", "--duplicates", "sum", "--arcs"]
    code, here, err = gascl_("convert", source, tmp_path / "a.npz", *options, "--memory", "1GiB")
    assert (code, err) == (0, "")
    _, there, _ = gascl_("convert", source, tmp_path / "b.npz", *options)
    assert here.splitlines()[:-1] == there.splitlines()[1:-1]
    assert (tmp_path / "a.npz").exists() and not [*tmp_path.glob("*.unfinished")]


def test_memory_writes_only_gascls_own_format(gascl_, write, tmp_path):
    source = write("edges.csv", "1,2\n")
    code, _, err = gascl_("convert", source, tmp_path / "g.mtx", "--memory", "1GiB")
    assert code == 1 and "--memory writes gascl's own .npz, and not matrixmarket" in err
    code, _, err = gascl_("convert", source.parent, tmp_path / "g.npz", "--memory", "1GiB")
    assert code == 1 and "--memory reads one file, and this is a folder; leave out --memory" in err
    with pytest.raises(SystemExit):
        gascl_("convert", source, tmp_path / "g.npz", "--memory", "4x")
