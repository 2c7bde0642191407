"""The command: what it prints, writes and returns; expected values come from NetworkX and SciPy."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import get_args

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

import gascl
from gascl import cli, intake
from gascl.cli import main
from gascl.deliveries import DELIVERIES
from gascl.programs import ShortestPaths
from gascl.progress import Progress
from gascl.result import Result, Step

DATASETS = Path(__file__).parents[1] / "datasets"
DEBIAN = str(DATASETS / "debian-dependencies.txt.gz")
ROADS = str(DATASETS / "liechtenstein-roads.txt.gz")
KARATE = str(DATASETS / "karate.mtx")

HOPS = '''
from gascl import VertexProgram, param, vertex

class Hops(VertexProgram):
    """Steps from one vertex."""

    source = param.vertex()
    seen = vertex.int32(init="v.id == p.source")
    place = vertex.real2()
    hops = vertex.int32(init="v.id == p.source ? 0 : -1")

    message, combine = "int32", "max"
    mask = "v.id == p.source"
    scatter = "send(1);"
    apply = """
        if (v.hops < 0) {
            v.hops = superstep + 1;
            set_mask();
        }
    """
'''
ENDLESS = """
from gascl import VertexProgram, vertex

class Endless(VertexProgram):
    count = vertex.int32()
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(1);"
    apply = "v.count += 1;"
    stop = "superstep < 0"
"""


@pytest.fixture
def gascl_(capsys):
    """Runs the command in this process: gascl_(...) -> (exit code, stdout, stderr)."""

    def call(*arguments):
        code = main([str(a) for a in arguments])
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def write(tmp_path):
    def write_file(name, text):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write_file


@pytest.fixture
def small(write):
    """a -> b -> c, of 2 and 3, and d -> e, apart, of 4."""
    return write("small.txt", "a b 2\nb c 3\nd e 4\n")


def start(*arguments, **options):
    """The command in a process of its own, in which Ctrl-C is Python's, however pytest started."""
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from gascl.cli import main; sys.exit(main())"
    )
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], **options)


def table(out):
    """The printed table: its header, and its rows as (label, value as text)."""
    rows = [tuple(line.split()) for line in out.split("\n\n")[1].splitlines()]
    return rows[0], [row for row in rows[1:] if not row[0].startswith("(")]


def read_with_networkx(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    graph = nx.DiGraph()
    graph.add_weighted_edges_from((a, b, int(w[0]) if w else 1) for a, b, *w in rows)
    return graph


# gascl run


def test_page_rank_prints_names_ranks_supersteps_why_and_device(gascl_):
    code, out, err = gascl_(
        "run", "PageRank", DEBIAN, "--set", "dtype=float64", "--set", "tolerance=1e-12"
    )
    ranks = nx.pagerank(read_with_networkx(DEBIAN), tol=1e-16, max_iter=1000, weight=None)
    best = sorted(ranks.items(), key=lambda item: -item[1])[:10]
    header, rows = table(out)
    assert (code, err) == (0, "")
    assert header == ("vertex", "rank")
    assert [label for label, _ in rows] == [label for label, _ in best]
    assert [float(value) for _, value in rows] == pytest.approx([r for _, r in best], rel=1e-5)
    assert "graph: 57,842 vertices, 247,686 edges, directed" in out
    assert "edge list: rows: 247,686" in out  # the reader's report
    assert re.search(r"^PageRank: \d+ supersteps; stop held: agg.change < p.tolerance$", out, re.M)
    assert re.search(r"^device: \S.*; delivery: outbox$", out, re.M)
    assert re.search(
        r"^time: read [\d.]+ s, build [\d.]+ s, upload [\d.]+ s, supersteps [\d.]+ s$", out, re.M
    )


def test_columns_of_the_table_are_aligned(gascl_, small):
    _, out, _ = gascl_("run", "ShortestPaths", small, "--set", "source=a")
    lines = out.split("\n\n")[1].splitlines()
    assert lines == [
        "vertex  distance",
        "c              5",
        "b              2",
        "a              0",
        "(2 vertices of infinite or no value left out)",
    ]


def test_every_format_of_output_holds_what_scipy_finds(gascl_, tmp_path):
    graph = read_with_networkx(ROADS)
    names = sorted(graph)
    source = names[17]
    expected = dijkstra(nx.to_scipy_sparse_array(graph, names), indices=17)
    for suffix in cli.OUTPUTS:
        path = tmp_path / f"out{suffix}"
        code, out, _ = gascl_(
            "run", "ShortestPaths", ROADS, "--set", f"source={source}", "--output", path
        )
        assert code == 0
        if suffix == ".csv":
            rows = list(csv.DictReader(path.open(newline="")))
            columns = {n: [row[n] for row in rows] for n in rows[0]}
        elif suffix == ".npz":
            columns = np.load(path)
        else:
            columns = pytest.importorskip("pyarrow.parquet").read_table(path).to_pydict()
        assert list(columns["vertex"]) == names
        # Sums of metres below 2^24 are exact in float32.
        np.testing.assert_array_equal(np.array(columns["distance"], float), expected)
        assert "parent" in columns
    farthest = sorted(zip(-expected, names, strict=True))[:10]
    assert table(out)[1] == [(name, f"{-d:.0f}") for d, name in farthest]


def test_trace_has_an_entry_a_superstep(gascl_, small, tmp_path):
    path = tmp_path / "trace.json"
    gascl_("run", "ShortestPaths", small, "--set", "source=a", "--trace", path)
    trace = json.loads(path.read_text())
    # a reaches b, b reaches c, c has no arc.
    assert [(s["active"], s["messages"]) for s in trace["trace"]] == [(1, 1), (1, 1), (1, 0)]
    assert trace["supersteps"] == 3
    assert trace["converged"] is True


def test_top_k(gascl_, small):
    for k, shown in ((2, 2), (100, 3)):
        _, out, _ = gascl_("run", "ShortestPaths", small, "--set", "source=a", "--top", k)
        assert len(table(out)[1]) == shown
    _, out, _ = gascl_("run", "ShortestPaths", small, "--set", "source=a", "--top", 0)
    assert "distance" not in out


@pytest.mark.parametrize(
    ("options", "distance"),
    [
        ((), {"a": "0", "b": "2"}),
        (("--duplicates", "sum"), {"a": "0", "b": "9"}),
        (("--duplicates", "first"), {"a": "0", "b": "7"}),
        (("--undirected",), {"a": "0", "b": "2", "c": "1"}),
    ],
)
def test_policies_and_undirected(gascl_, write, options, distance):
    path = write("graph.txt", "a b 7\na b 2\nc a 1\nc c 1\n")
    _, out, _ = gascl_("run", "ShortestPaths", path, "--set", "source=a", *options)
    assert dict(table(out)[1]) == distance


@pytest.mark.parametrize(("option", "what"), [("duplicates", "a"), ("self-loops", "c")])
def test_policy_error_is_an_error(gascl_, write, option, what):
    path = write("graph.txt", "a b 7\na b 2\nc c 1\n")
    code, out, err = gascl_("info", path, f"--{option}", "error")
    assert (code, out) == (1, "")
    assert f"'{what}'" in err or what in err


def test_every_delivery_and_a_device_by_index_and_name(gascl_):
    name = gascl.devices()[0].name
    outs = []
    for delivery in ("auto", *DELIVERIES):
        device = 0 if delivery == "auto" else name[:5].upper()
        options = ["--delivery", delivery, "--device", device, "--top", 5]
        if delivery in ("push", "edges"):
            code, _, err = gascl_("run", "PageRank", KARATE, *options)
            assert code == 1
            assert "can't take PageRank: " in err
            assert "deterministic=False" in err
            options.append("--nondeterministic")
        code, out, _ = gascl_("run", "PageRank", KARATE, *options)
        assert code == 0
        assert delivery == "auto" or f"device: {name}" in out
        assert delivery == "auto" or f"delivery: {delivery}\n" in out
        outs.append(table(out))
    assert all(out == outs[0] for out in outs)


def test_debug_names_the_line_of_a_division_by_zero(gascl_, write):
    program = HOPS.replace("v.hops = superstep + 1;", "v.hops = 1 / superstep;")
    program = program.replace("    place = vertex.real2()\n", "")  # vectors are not guarded
    file, graph = write("hops.py", program), write("g.txt", "a b\nb c\n")
    options = ["run", f"{file}:Hops", graph, "--set", "source=a"]
    code, _, err = gascl_(*options, "--debug")
    line = next(i for i, x in enumerate(program.split("\n"), 1) if "1 / superstep" in x)
    assert code == 1
    assert f"{file}:{line}: Hops: vertex 'b' divided by zero, in superstep 0" in err
    assert "v.hops = 1 / superstep;" in err


def test_not_converged_is_3_and_all_is_printed_and_written(gascl_, tmp_path):
    path = tmp_path / "ranks.csv"
    code, out, err = gascl_(
        "run", "PageRank", KARATE, "--max-supersteps", 2, "--output", path, "--top", 4
    )
    assert code == 3
    assert err == (
        "gascl: warning: PageRank did not converge: reached max_supersteps=2 before its rule held\n"
    )
    assert len(table(out)[1]) == 4
    assert "PageRank: 2 supersteps; reached max_supersteps=2 before its rule held" in out
    assert len(path.read_text().splitlines()) == 1 + 34


def test_a_number_of_supersteps_that_was_asked_for_is_done(gascl_):
    code, out, err = gascl_("run", "PageRank", KARATE, "--set", "supersteps=2")
    assert (code, err) == (0, "")
    assert "PageRank: 2 supersteps; ran the 2 supersteps asked for" in out


def test_empty_graph(gascl_, write, tmp_path):
    path = tmp_path / "out.csv"
    code, out, _ = gascl_("run", "PageRank", write("empty.txt", "# none\n"), "--output", path)
    assert code == 0
    assert "PageRank: 0 supersteps; the graph has no vertices" in out
    assert path.read_text() == "vertex,personalization,rank\n"


# What is shown


def test_the_first_scalar_that_apply_writes_is_printed(gascl_, write, small):
    program = f"{write('hops.py', HOPS)}:Hops"
    _, out, _ = gascl_("run", program, small, "--set", "source=a")
    assert table(out)[0] == ("vertex", "hops")
    assert table(out)[1] == [("c", "2"), ("b", "1"), ("a", "0"), ("d", "-1"), ("e", "-1")]
    _, out, _ = gascl_("run", program, small, "--set", "source=b", "--field", "seen")
    assert table(out)[0] == ("vertex", "seen")
    assert table(out)[1][0] == ("b", "1")
    code, out, err = gascl_("run", program, "missing.txt", "--set", "source=b", "--field", "place")
    assert (code, out) == (1, "")
    assert err == "gascl: error: --field place: it is a vector and has no order; use --output\n"
    code, out, err = gascl_("run", program, "missing.txt", "--set", "source=b", "--field", "hop")
    assert "no vertex field 'hop'; did you mean 'hops'? There is seen, place, hops" in err


def test_a_program_of_vectors_only_has_no_table(gascl_, write, small):
    text = HOPS.replace("int32(init", "int2(init").replace("v.hops < 0", "v.hops.x < 0")
    path = write("hops.py", text)
    code, out, _ = gascl_("run", f"{path}:Hops", small, "--set", "source=a")
    assert code == 0
    assert "\n\n" not in out


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5, "5"),
        (2**60, str(2**60)),
        (-1.0, "-1"),
        (1234567.0, "1234567"),
        (0.161441234, "0.161441"),
        (1e-9, "1e-09"),
        (1e30, "1e+30"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
    ],
)
def test_numbers(value, text):
    assert cli._number(value) == text


# Errors


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["PageRnk"], "no bundled program 'PageRnk'; did you mean 'PageRank'? There is"),
        (["Xyzzy"], "no bundled program 'Xyzzy'. There is"),
        (["Xyzzy"], "your own is given as my_program.py:Class"),
        (["none.py:A"], "none.py: there is no such file; check the path"),
        (["PageRank", "--set", "dampin=1"], "no parameter 'dampin'; did you mean 'damping'?"),
        (["PageRank", "--set", "damping=x"], "damping='x'"),
        (["PageRank", "--set", "supersteps=-1"], "expected 0 or more supersteps"),
        (["PageRank", "--set", "dangling=x"], "expected one of 'spread', 'ignore'"),
        (["PageRank", "--set", "dtype=float16"], "float32"),
        (["PageRank", "--set", "dtype=x"], "'x'"),
        (["PageRank", "--set", "rank=1"], "rank is a vertex field, whose initial values are data"),
        (["ShortestPaths"], "parameter 'source' must be given: ShortestPaths(source=...)"),
        (["ShortestPaths", "--set", "source=a", "--delivery", "outbox"], "outbox"),
        (["PageRank", "--delivery", "pigeon"], "no delivery 'pigeon'; there is auto"),
        (["PageRank", "--device", "99"], "no device 99; there is 0: "),
        (["PageRank", "--device", "abacus"], "no device named 'abacus'; there is 0: "),
        (["PageRank", "--output", "a.txt"], "expected a name that ends in .csv, .npz, .parquet"),
        (["PageRank", "--output", "no/a.csv"], "there is no folder no; make it first"),
        (["PageRank", "--trace", "no/a.json"], "there is no folder no; make it first"),
        (["PageRank", "--trace", "."], "--trace . cannot be written; name another file"),
        (["PageRank", "--trace", "a.csv", "--output", "a.csv"], "name two files"),
    ],
)
def test_wrong_choices_are_refused_before_the_graph_is_read(
    gascl_, monkeypatch, tmp_path, arguments, words
):
    monkeypatch.chdir(tmp_path)
    code, out, err = gascl_("run", arguments[0], "missing.txt", *arguments[1:])
    assert (code, out) == (1, "")
    assert err.startswith("gascl: error: ")
    assert words in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_no_such_graph(gascl_):
    for command in (["run", "PageRank"], ["info"]):
        expected = "gascl: error: missing.txt: there is no such file; check the path\n"
        assert gascl_(*command, "missing.txt") == (1, "", expected)


def test_no_such_vertex(gascl_):
    code, _, err = gascl_("run", "ShortestPaths", ROADS, "--set", "source=Vaduz:Auringg")
    assert code == 1
    assert "no vertex has the label 'Vaduz:Auringg'" in err
    assert "did you mean 'Vaduz:Auring'?" in err


def test_missing_pyarrow_is_said_first(gascl_, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "a.parquet"
    code, _, err = gascl_("run", "PageRank", "missing.txt", "--output", path)
    assert code == 1
    assert "pip install pyarrow" in err


def test_the_graph_is_not_written_over(gascl_, write):
    path = write("graph.csv", "1,2\n")
    code, _, err = gascl_("run", "PageRank", path, "--output", path)
    assert code == 1
    assert "is the graph's own file; name another" in err
    assert path.read_text() == "1,2\n"


def test_a_full_disk_does_not_lose_what_was_found(gascl_, monkeypatch, tmp_path):
    def full(self, path):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(Result, "save", full)
    path = tmp_path / "a.csv"
    code, out, err = gascl_("run", "PageRank", KARATE, "--output", path)
    assert code == 1
    assert err == f"gascl: error: {path}: No space left on device\n"
    assert len(table(out)[1]) == 10


def test_ctrl_c_while_reading(gascl_, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(gascl.Graph, "read", interrupted)
    assert gascl_("info", KARATE) == (130, "", "gascl: interrupted\n")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["fly"],
        ["run"],
        ["run", "PageRank"],
        ["run", "PageRank", "g", "--set", "damping"],
        ["run", "PageRank", "g", "--set", "=1"],
        ["run", "PageRank", "g", "--top", "-1"],
        ["run", "PageRank", "g", "--top", "1.5"],
        ["run", "PageRank", "g", "--max-supersteps", "many"],
        ["run", "PageRank", "g", "--duplicates", "lose"],
        ["info"],
        ["devices", "all"],
    ],
)
def test_wrong_usage_is_2(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: gascl" in capsys.readouterr().err


# A program of the user's own


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("x = 1\nclass A(:\n", 2, "invalid syntax\n    class A(:"),
        ("\nimport no_such_module\n", 2, "ModuleNotFoundError: No module named 'no_such_module'"),
        ("def f():\n    return 1 / 0\n\nf()\n", 2, "ZeroDivisionError: division by zero"),
        (HOPS.replace("send(1)", "send(v.hop)"), 14, "unknown v.hop; did you mean v.hops?"),
        (HOPS.replace("superstep + 1", "later"), 17, "error: use of undeclared identifier"),
    ],
)
def test_an_error_in_a_users_file_names_file_and_line(gascl_, write, small, text, line, words):
    path = write("mine.py", text)
    code, _, err = gascl_("run", f"{path}:Hops", small, "--set", "source=a")
    assert code == 1
    assert err.startswith("gascl: error: ")
    assert f"{path}:{line}: " in err
    assert words in err
    assert "Traceback" not in err


def test_a_class_that_the_file_has_not(gascl_, write):
    path = write("hops.py", HOPS)
    _, _, err = gascl_("kernel", f"{path}:Hop")
    assert "has no vertex program 'Hop'; did you mean 'Hops'? There is Hops\n" in err
    for text in (f"{path}", f"{path}:"):
        code, _, err = gascl_("kernel", text)
        assert code == 1
        assert f"name a class: {path}:Class. There is Hops\n" in err
    _, _, err = gascl_("kernel", f"{path}:VertexProgram")
    assert "has no vertex program 'VertexProgram'" in err
    _, _, err = gascl_("kernel", f"{write('text.txt', HOPS)}:Hops")
    assert "must end in .py" in err


def test_a_module_beside_the_users_file_is_found(gascl_, write, small):
    write("beside_hops.py", "FIRST = 'a'\n")
    path = write("uses.py", "from beside_hops import FIRST\n" + HOPS)
    assert gascl_("run", f"{path}:Hops", small, "--set", "source=a")[0] == 0


def test_warnings_are_lines(gascl_, write, small):
    text = HOPS + (
        "    def prepare(self, graph, initial):\n"
        "        import warnings\n"
        "        warnings.warn('mind the gap')\n"
    )
    code, _, err = gascl_("run", f"{write('warns.py', text)}:Hops", small, "--set", "source=a")
    assert (code, err) == (0, "gascl: warning: mind the gap\n")


# gascl info, devices, kernel


def test_info_of_a_directed_graph_with_labels(gascl_):
    code, out, err = gascl_("info", ROADS)
    graph = read_with_networkx(ROADS)
    weights = [w for _, _, w in graph.edges(data="weight")]
    assert (code, err) == (0, "")
    count = f"{len(graph):,} vertices, {graph.size():,} edges"
    for line in (
        f"graph: {count}, directed",
        f"arcs: {graph.size():,}",
        "labels: text, such as " + ", ".join(map(repr, sorted(graph)[:3])),
        f"edge field weight: int64, {min(weights)} to {max(weights)}",
        "isolated vertices: 0",
        "self-loops: 0",
        "parallel edges: 0 beyond the first with the same ends",
    ):
        assert line in out.splitlines()
    for way, degrees in (("out", graph.out_degree), ("in", graph.in_degree)):
        degrees = [d for _, d in degrees]
        mean = f"{np.mean(degrees):.6g}"
        assert f"{way}-degree: {min(degrees)} to {max(degrees)}, mean {mean}" in out


def test_info_of_a_matrix(gascl_, tmp_path):
    dense = np.zeros((5, 5))
    dense[0, 0], dense[0, 1], dense[1, 0], dense[1, 2], dense[2, 1] = 1, 0.5, 0.5, -2.5, -2.5
    scipy.io.mmwrite(tmp_path / "a.mtx", sp.coo_array(dense), symmetry="symmetric")
    _, out, _ = gascl_("info", tmp_path / "a.mtx")
    for line in (
        "graph: 5 vertices, 3 edges, undirected",
        "arcs: 5",
        "labels: none; a vertex is its index from 0",
        "edge field weight: float64, -2.5 to 1",
        "degree: 0 to 2, mean 1",
        "isolated vertices: 2",
        "self-loops: 1",
    ):
        assert line in out.splitlines()


def test_info_counts_parallel_edges_and_takes_an_empty_file(gascl_, write):
    path = write("multi.txt", "1 2\n1 2\n2 1\n2 2\n2 2\n1 2\n")
    assert "\nparallel edges: 3 beyond" in gascl_("info", path)[1]
    assert "\nparallel edges: 4 beyond" in gascl_("info", path, "--undirected")[1]
    assert "\nlabels: int64, such as 1, 2\n" in gascl_("info", path)[1]
    code, out, _ = gascl_("info", write("empty.txt", ""))
    assert code == 0
    assert "graph: 0 vertices, 0 edges" in out


def test_devices(gascl_, monkeypatch):
    monkeypatch.delenv("GASCL_DEVICE", raising=False)
    code, out, err = gascl_("devices")
    assert (code, err) == (0, "")
    for index, device in enumerate(gascl.devices()):
        assert f" {index}: {device.kind}, {device.name} ({device.platform})\n" in out
        assert f"{device.cl.max_compute_units} compute units" in out
        assert all(f"lacks {missing}" in out for missing in device.lacks())
    assert len(re.findall(r"^\* \d+: ", out, re.M)) == 1
    monkeypatch.setenv("GASCL_DEVICE", "abacus")
    code, out, err = gascl_("devices")
    assert code == 0
    assert err.startswith("gascl: warning: no device named GASCL_DEVICE='abacus'")
    assert not re.search(r"^\*", out, re.M)


@pytest.mark.parametrize("delivery", ["auto", "slots", "pull", "push", "edges", "serial"])
def test_kernel_prints_what_a_compiler_takes_and_needs_no_device(gascl_, monkeypatch, delivery):
    import pyopencl as cl

    found = gascl.devices()[0]
    with monkeypatch.context() as patch:
        patch.setattr(cl, "get_platforms", None)
        code, out, err = gascl_("kernel", "ShortestPaths", "--delivery", delivery)
    assert (code, err) == (0, "")
    assert ShortestPaths.scatter in out
    sparse, inbox = delivery in ("auto", "push"), delivery in ("auto", "push", "edges")
    numbers = {"GROUP": 1, "BLOCK": 1024, "LINES": 9999, "SPARSE": int(sparse), "INBOX": int(inbox)}
    options = [f"-DGASCL_{name}={number}" for name, number in numbers.items()]
    cl.Program(found.context, out).build([*options, *found.atomics.options()])


def test_kernel_of_a_delivery_that_can_not_take_it(gascl_):
    code, out, err = gascl_("kernel", "ShortestPaths", "--delivery", "outbox")
    assert (code, out) == (1, "")
    assert "delivery 'outbox' can't take ShortestPaths: its scatter reads the arc" in err


def test_kernel_follows_dtype_and_choices(gascl_):
    single, double, ignoring = (
        gascl_("kernel", "PageRank", *options)[1]
        for options in ((), ("--set", "dtype=float64"), ("--set", "dangling=ignore"))
    )
    assert len({single, double, ignoring}) == 3
    code, out, err = gascl_("kernel", "PageRank", "--set", "dangling=keep")
    assert (code, out) == (1, "")
    assert "expected one of 'spread', 'ignore'" in err


# Help


def test_help_waits_for_nothing():
    code = (
        "import sys\nfrom gascl.cli import main\n"
        "try:\n    main(['run', '--help'])\n"
        "except SystemExit as e:\n    assert e.code == 0\n"
        "heavy = {'pyopencl', 'scipy', 'numpy', 'pyarrow', 'networkx'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: gascl run")


@pytest.mark.parametrize("command", ["", "run", "info", "devices", "kernel"])
def test_every_help_has_an_example(capsys, command):
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"] if command else ["--help"])
    assert caught.value.code == 0
    assert f"\n  gascl {command or 'run'}" in capsys.readouterr().out


def test_version(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"gascl {gascl.__version__}\n"


def test_policies_are_those_of_the_graph():
    assert get_args(intake.Duplicates) == cli.DUPLICATES
    assert get_args(intake.SelfLoops) == cli.SELF_LOOPS


# Long runs, Ctrl-C, pipes


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("kind", "between"), [(Terminal, 0.5), (io.StringIO, 10.0)])
def test_progress(monkeypatch, kind, between):
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(sys, "stderr", kind())
    progress = Progress(cli._say)
    lines = []
    for i in range(4000):
        clock[0] = 100 + i / 100
        before = len(sys.stderr.getvalue())
        progress(Step(i, 1500, 2 * i, {}, 0.0))
        if len(sys.stderr.getvalue()) > before:
            lines.append(i)
    assert lines[0] == 200  # nothing for two seconds
    assert all(np.diff(lines) >= 100 * between)
    assert len(lines) >= 38 / between * 0.9
    progress.clear()
    text = sys.stderr.getvalue()
    assert "gascl: superstep 200: 1,500 active, 400 messages" in text
    if kind is Terminal:
        assert "\n" not in text
        assert text.endswith("\r\033[K")
    else:
        assert text.count("\n") == len(lines)
        assert "\r" not in text


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")
def test_ctrl_c_prints_and_writes_the_partial_result(write, tmp_path):
    program, graph = f"{write('endless.py', ENDLESS)}:Endless", write("g.txt", "1 2\n2 1\n")
    path = tmp_path / "out.csv"
    process = start("run", program, graph, "--output", path, "--max-supersteps", 10**9)
    try:
        line = process.stderr.readline()  # the first line of progress: it runs
        assert re.fullmatch(r"gascl: superstep [\d,]+: 2 active, 2 messages\n", line)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    supersteps = re.search(r"Endless: ([\d,]+) supersteps; interrupted by Ctrl-C", out)[1]
    supersteps = int(supersteps.replace(",", ""))
    assert (
        f"gascl: warning: interrupted after {supersteps} supersteps; the result is partial" in err
    )
    assert "Traceback" not in err
    assert table(out)[1] == [("1", str(supersteps)), ("2", str(supersteps))]
    assert path.read_text().splitlines() == ["vertex,count", f"1,{supersteps}", f"2,{supersteps}"]


@pytest.mark.parametrize("command", [["kernel", "PageRank"], ["run", "PageRank", KARATE]])
def test_a_closed_pipe_is_quiet_and_the_output_is_written(tmp_path, command):
    path = tmp_path / "out.csv"
    options = ["--output", path] if command[0] == "run" else []
    process = start(*command, *options)
    process.stdout.close()
    err = process.stderr.read()
    assert (process.wait(timeout=60), err) == (0, "")
    assert not options or len(path.read_text().splitlines()) == 1 + 34


def test_a_label_that_the_terminal_cannot_show(write):
    path = write("g.txt", "")
    path.write_text("ž a\n", encoding="utf-8")
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    process = start("run", "PageRank", path, env=environment)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert "\\u017e" in out
