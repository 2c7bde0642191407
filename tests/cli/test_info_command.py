"""`gascl info`: expected values come from NetworkX, or are written by hand."""

import re

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from support.command_line import KARATE, ROADS, read_with_networkx

import gascl
from gascl.graph.raw_graph import RawGraph
from gascl.io import FORMATS
from gascl.io.format import Format
from gascl.run import memory_estimate


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
        "parallel edges: 0 (besides the first between the same vertices)",
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
        "labels: none; vertices are numbered from 0",
        "edge field weight: float64, -2.5 to 1",
        "degree: 0 to 2, mean 1",
        "isolated vertices: 2",
        "self-loops: 1",
    ):
        assert line in out.splitlines()


def test_info_counts_parallel_edges_and_takes_an_empty_file(gascl_, write):
    path = write("multi.txt", "1 2\n1 2\n2 1\n2 2\n2 2\n1 2\n")
    assert "\nparallel edges: 3 (besides" in gascl_("info", path)[1]
    assert "\nparallel edges: 4 (besides" in gascl_("info", path, "--undirected")[1]
    assert "\nlabels: int64, such as 1, 2\n" in gascl_("info", path)[1]
    code, out, _ = gascl_("info", write("empty.txt", ""))
    assert code == 0
    assert "graph: 0 vertices, 0 edges" in out


@pytest.mark.parametrize(("option", "what"), [("duplicates", "a"), ("self-loops", "c")])
def test_policy_error_is_an_error(gascl_, write, option, what):
    path = write("graph.txt", "a b 7\na b 2\nc c 1\n")
    code, out, err = gascl_("info", path, f"--{option}", "error")
    assert (code, out) == (1, "")
    assert f"'{what}'" in err or what in err


@pytest.fixture
def taken(monkeypatch):
    """What a format of the tests' own, `toy`, was given as options."""
    taken = {}

    def read(path, directed, columns=None, header=None, skip=0):
        taken.update(columns=columns, header=header, skip=skip)
        fields = {
            "group": np.array([3, 1, 2]),
            "at": np.array([[0.5, 2], [1, 1], [-4, 0]]),
            "named": np.array(["a", "b", "c"]),
        }
        return RawGraph(np.array([0, 1]), np.array([1, 2]), 3, True, vertex_fields=fields)

    monkeypatch.setitem(FORMATS, "toy", Format("toy", (".toy",), lambda head: False, read))
    return taken


def test_vertex_fields(gascl_, write, taken):
    out = gascl_("info", write("a.toy", "."))[1].splitlines()
    assert "vertex field group: int64, 1 to 3" in out
    assert "vertex field at: float64, -4 to 2" in out
    assert "vertex field named: <U1" in out


def test_options_go_to_the_reader(gascl_, write, taken):
    options = ["--option", "columns=from,to", "--option", "header=true", "--option", "skip=2"]
    assert gascl_("info", write("a.toy", "."), *options)[0] == 0
    assert taken == {"columns": ["from", "to"], "header": True, "skip": 2}


@pytest.mark.parametrize("option", ["coordinates=5", "coordinates=1.5", "coordinates=a,b"])
def test_an_option_of_the_wrong_kind(gascl_, write, option):
    path = write("a.gr", "p sp 2 1\na 1 2 3\n")
    code, out, err = gascl_("info", path, "--option", option)
    assert (code, out) == (1, "")
    assert err.startswith("gascl: error: ")
    assert err.count("\n") == 1
    assert "coordinates=" in err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["colums=0,1"],
            "the reader of toy has no option 'colums'; did you mean --option columns=? ",
        ),
        (["directed=true"], "--option directed: no reader has this option; use --directed or --"),
        (["skip=1", "path=b"], "--option path: no reader has this option; use GRAPH"),
    ],
)
def test_an_option_that_the_reader_has_not(gascl_, write, taken, options, words):
    given = [text for option in options for text in ("--option", option)]
    code, out, err = gascl_("info", write("a.toy", "."), *given)
    assert (code, out) == (1, "")
    assert err.startswith("gascl: error: ")
    assert words in err
    assert err.count("\n") == 1


def test_an_option_of_a_reader_that_takes_none(gascl_):
    code, _, err = gascl_("info", KARATE, "--option", "columns=0,1")
    assert code == 1
    assert err == (
        f"gascl: error: {KARATE}: the reader of matrixmarket has no option 'columns'; "
        "it takes none\n"
    )


def test_memory_is_estimated_and_nothing_is_built(gascl_, monkeypatch, write):
    def build(*_, **__):
        raise AssertionError("arcs are built")

    monkeypatch.setattr("gascl.graph.graph.arcs_of", build)
    path = write("a.txt", "1 2 0.5\n2 3 1\n3 3 2\n")
    code, out, err = gascl_("info", path, "--memory")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "graph: 3 vertices, 3 edges, directed"
    start = lines.index(memory_estimate.described(gascl.Graph.read(path))[0])
    assert lines[start:] == memory_estimate.described(gascl.Graph.read(path))
    assert lines[start].startswith("host: ")
    assert "  ends of the edges: 24 bytes" in lines  # int32, two an edge
    assert "  edge fields: 24 bytes" in lines  # float64, one an edge
    assert any(line.startswith("device") for line in lines)
    assert "arcs: " not in out


def test_memory_of_a_run_within_a_limit(gascl_, tmp_path):
    path = tmp_path / "g.npz"
    gascl.generators.uniform(300, 40_000, seed=1).write(path)
    run = ("info", path, "--memory", "--program", "PageRank")
    _, out, _ = gascl_(*run)
    assert "come to it" not in out
    needed = float(re.search(r"^device, .*: ([\d.]+) KiB of ", out, re.M)[1])
    _, out, _ = gascl_(*run, "--device-memory", f"{0.8 * needed}KiB")
    assert re.search(r", and may take \d+\.\d KiB; so the arcs come to it in \d+ parts$", out)
    code, _, err = gascl_("info", ROADS, "--device-memory", "1MiB")
    assert code == 1 and "--device-memory limits a run: give --memory and --program, too" in err


def test_memory_of_a_run_from_any_vertex(gascl_):
    """Its label need not be known, and one that is given changes nothing."""
    run = ("info", "karate", "--memory", "--program", "BreadthFirst")
    code, out, err = gascl_(*run)
    assert (code, err) == (0, "")
    assert gascl_(*run, "--set", "source=33")[1] == gascl_(*run, "--set", "sources=0,33")[1] == out
    code, _, err = gascl_(*run, "--set", "sorce=33")
    assert code == 1 and "no parameter 'sorce'; did you mean 'source'?" in err


def test_a_dataset_by_its_name_unless_there_is_such_a_file(gascl_, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    code, out, _ = gascl_("info", "karate")
    assert code == 0 and "graph: 34 vertices, 78 edges, undirected" in out
    assert "dataset karate of gascl" in out
    assert "78 edges, undirected" not in gascl_("info", "karate", "--directed")[1]
    monkeypatch.setenv("GASCL_DATA", str(tmp_path / "none"))
    code, _, err = gascl_("info", "wiki-Vote")
    assert code == 1 and "not downloaded yet: run `gascl datasets wiki-Vote --download`" in err
    code, _, err = gascl_("info", "karat")
    assert code == 1 and "karat: there is no such file" in err
    (tmp_path / "karate").write_text("1 2\n")
    assert "graph: 2 vertices, 1 edge," in gascl_("info", "karate", "--format", "edgelist")[1]


def test_selections(gascl_, tmp_path):
    path = tmp_path / "trips.csv"
    path.write_text(
        "from,to,kind,at\na,b,tram,2024-05-01\nb,c,bus,2024-05-02\nc,a,tram,2024-06-01\n",
        encoding="utf-8",
    )
    out = gascl_(
        "info", path, "--where", "kind == 'tram'", "--between", "2024-05-01", "2024-06-01"
    )[1]
    assert "1 edge, directed" in out and "where: edges \"kind == 'tram'\": 2 of 3 edges" in out
    assert "edge field kind: text, 2 different: 0 is 'bus', 1 is 'tram'" in out
    twice = gascl_("info", path, "--where", "kind == 'tram' or True", "--where", "kind == 'tram'")
    assert (
        twice[1].splitlines()[0]
        == gascl_("info", path, "--where", "kind == 'tram'")[1].splitlines()[0]
    )
    assert "2 vertices" in gascl_("info", path, "--where-vertices", "vertex != 'c'")[1]
    two = tmp_path / "two.csv"
    two.write_text(
        "from,to,at,late,n\na,b,2024-05-01,2024-06-01,9007199254740993\n"
        "b,c,2024-05-02,2024-05-01,9007199254740992\n",
        encoding="utf-8",
    )
    code, _, err = gascl_("info", two, "--between", "2024-05-02", "2024-07-01")
    assert code and "several fields of times: at, late; name one by --time FIELD" in err
    out = gascl_("info", two, "--between", "2024-05-02", "2024-07-01", "--time", "late")[1]
    assert "edges with 'late' from 2024-05-02T00:00:00" in out and "1 of 2 edges" in out
    integers = "9007199254740993", "9007199254740994"
    assert "1 of 2 edges" in gascl_("info", two, "--between", *integers, "--time", "weight")[1]
    code, _, err = gascl_("info", two, "--time", "late")
    assert code and "--time names the field for --between" in err
    code, _, err = gascl_("info", path, "--where", "knd == 'tram'")
    assert code and "no field 'knd'; did you mean 'kind'" in err
    code, _, err = gascl_(
        "convert", path, tmp_path / "a.npz", "--memory", "1GiB", "--where", "True"
    )
    assert code and "--where needs the graph in memory" in err
