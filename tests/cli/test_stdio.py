"""`-` for stdin and stdout, and what is said in the shell's words."""

from __future__ import annotations

import gzip
import io
import pickle
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from support.command_line import KARATE, ROADS, start, table

from gascl import Graph
from gascl.cli.shell_messages import for_shell
from gascl.errors import GraphError
from gascl.user_messages import DOUBLE, Message, Option, Placeholder

EDGES = b"a,b\nb,c\n"
COLUMNS = "--option columns=from,to"


@pytest.fixture
def given(monkeypatch):
    """Gives bytes on stdin."""

    def give(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return give


@pytest.mark.parametrize(
    "content",
    [
        EDGES,
        gzip.compress(EDGES, mtime=0),
        b"%%MatrixMarket matrix coordinate pattern general\n3 3 2\n",
        b"# made by hand\na b\nb c\n",
    ],
)
def test_stdin_of_any_format(gascl_, given, content):
    given(content + b"1 2\n2 3\n" * content.startswith(b"%%"))
    code, out, err = gascl_("info", "-")
    assert (code, err) == (0, "")
    assert out.startswith("graph: 3 vertices, 2 edges, directed\n")


def test_stdin_is_called_stdin_in_errors(gascl_, given):
    given(b"1,2\n1 2 x y\n")
    code, out, err = gascl_("info", "-")
    assert (code, out) == (1, "")
    assert err.startswith("gascl: error: stdin, line 2: ")


def test_from_stdin_to_stdout(tmp_path):
    """What is no CSV goes to stderr."""
    options = ("--undirected", "--set", "source=c", "--fields", "depth", "--output", "-")
    process = start("run", "BreadthFirst", "-", *options, stdin=-1)
    out, err = process.communicate(EDGES.decode(), timeout=120)
    assert process.returncode == 0
    assert out == "vertex,depth\na,2\nb,1\nc,0\n"
    assert "graph: 3 vertices, 2 edges, undirected\n" in err
    assert "\nBreadthFirst: 3 supersteps; " in err


def test_convert_to_stdout(tmp_path):
    process = start("convert", KARATE, "-", "--to", "matrixmarket")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "78 edges" in err
    (tmp_path / "again.mtx").write_text(out)
    assert Graph.read(tmp_path / "again.mtx").num_edges == 78


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "no format has extension ''; choose one with --to: "),
        (("--to", "dimacs"), "error: stdout: DIMACS (.gr) holds directed graphs only"),
        (("--to", "graphalytics"), "error: -: the format graphalytics is several files"),
    ],
)
def test_what_cannot_go_to_stdout(gascl_, options, words):
    code, out, err = gascl_("convert", KARATE, "-", *options)
    assert (code, out) == (1, "")
    assert words in err


def test_smallest(gascl_):
    source = "source=Vaduz:Landstrasse/Neugasse"
    _, out, _ = gascl_("run", "ShortestPaths", ROADS, "--set", source, "--smallest", "3")
    header, rows = table(out)
    assert header == ("vertex", "distance")
    assert len(rows) == 3 and rows[0] == ("Vaduz:Landstrasse/Neugasse", "0")
    assert [float(row[1]) for row in rows] == sorted(float(row[1]) for row in rows)
    _, out, _ = gascl_(
        "run", "ShortestPaths", ROADS, "--set", source, "--smallest", "1", "--top", "2"
    )
    largest, smallest = re.findall(r"^vertex .*\n((?:\S+:\S+ .*\n)+)", out, re.M)
    assert (largest.count("\n"), smallest.count("\n")) == (2, 1)
    assert smallest.split() == ["Vaduz:Landstrasse/Neugasse", "0"]


def test_fields(gascl_, tmp_path):
    path = tmp_path / "a.npz"
    code, _, _ = gascl_(
        "run", "ShortestPaths", KARATE, "--set", "source=0", "--output", path, "--fields", "parent"
    )
    assert code == 0
    with np.load(path) as saved:
        assert set(saved.files) == {"vertex", "parent"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--fields", "rank"), "--fields says what --output writes: give --output, too"),
        (
            ("--fields", "rank,rnak", "--output", "a.csv"),
            "PageRank has no vertex field 'rnak'; did you mean 'rank'?",
        ),
    ],
)
def test_fields_that_are_not_there(gascl_, monkeypatch, tmp_path, options, words):
    monkeypatch.chdir(tmp_path)
    code, _, err = gascl_("run", "PageRank", "missing.txt", *options)
    assert code == 1 and words in err


def test_results_and_graphs_have_the_same_line_ends(gascl_, small, tmp_path):
    result, graph = tmp_path / "result.csv", tmp_path / "graph.csv"
    gascl_("run", "PageRank", small, "--output", result)
    gascl_("convert", small, graph)
    for path in (result, graph):
        assert b"\n" in path.read_bytes() and b"\r" not in path.read_bytes()


@pytest.mark.parametrize(
    ("name", "near"),
    [("karat", "karate"), ("graph.cvs", "graph.csv"), ("wiki-vote", "wiki-Vote")],
)
def test_spelling(gascl_, write, monkeypatch, name, near):
    path = write("graph.csv", "1,2\n")
    monkeypatch.chdir(Path(path).parent)
    expected = f"gascl: error: {name}: there is no such file; did you mean '{near}'?\n"
    for command in (["run", "PageRank"], ["info"]):
        assert gascl_(*command, name) == (1, "", expected)
    folder = Path(path).parent
    _, _, err = gascl_("info", folder / "grahp.csv")
    assert f"did you mean '{folder / 'graph.csv'}'?" in err


def test_one_vertex(gascl_, write):
    _, out, _ = gascl_("info", write("one.csv", "0,0\n"), "--undirected")
    assert out.startswith("graph: 1 vertex, 1 edge, undirected\n")


def test_the_report_is_in_the_shells_words(gascl_, small):
    _, out, _ = gascl_("info", small)
    assert "read as directed, since the file does not say; --undirected: undirected\n" in out


@pytest.mark.parametrize(
    ("option", "python", "shell"),
    [
        (Option("directed", True), "directed=True", "--directed"),
        (Option("directed", False), "directed=False", "--undirected"),
        (Option("duplicates", "sum"), "duplicates='sum'", "--duplicates sum"),
        (Option("self_loops", "drop"), "self_loops='drop'", "--self-loops drop"),
        (Option("format"), "format=", "--format"),
        (Option("weight", Placeholder("COLUMN")), "weight=COLUMN", "--weight COLUMN"),
        (Option("max_supersteps", 2), "max_supersteps=2", "--max-supersteps 2"),
        (Option("checkpoint", "a b"), "checkpoint='a b'", "--checkpoint 'a b'"),
        (Option("partition", "hash"), "partition='hash'", "--partition hash"),
        (Option("resume", True), "resume=True", "--resume"),
        (DOUBLE, "dtype='float64'", "--set dtype=float64"),
        (Option("source", Placeholder("..."), "program"), "source=...", "--set source=..."),
        (Option("columns", ("from", "to"), "reader"), "columns=('from', 'to')", COLUMNS),
        (
            Option("columns", ["from node", 3], "reader"),
            "columns=['from node', 3]",
            "--option 'columns=from node,3'",
        ),
        (Option("header", False, "reader"), "header=False", "--option header=false"),
        (Option("separator", of="reader"), "separator=", "--option separator="),
        (
            Option("weight", "FIELD", "edge field"),
            "construct the program with weight='FIELD'",
            "give --weight FIELD",
        ),
        (
            Option("km", "FIELD", "edge field"),
            "construct the program with km='FIELD'",
            "give --set km=FIELD",
        ),
    ],
)
def test_options_in_python_and_in_the_shell(option, python, shell):
    message = Message("a.txt: try ", option, ", please")
    assert message == f"a.txt: try {python}, please"
    assert for_shell(message) == f"a.txt: try {shell}, please"
    assert for_shell("b: " + message.replace("a.txt", "stdin") + ".") == (
        f"b: stdin: try {shell}, please."
    )


def test_text_without_options_is_printed_as_it_is():
    """Even where it looks like an option of Python, as a user's own line may."""
    assert for_shell("a.py:3: wrong: directed=True") == "a.py:3: wrong: directed=True"


def test_errors_keep_the_options_of_their_message():
    error = GraphError("a: ", Message("give ", Option("directed", False)))
    assert str(error) == "a: give directed=False"
    assert pickle.loads(pickle.dumps(error)).options == (Option("directed", False),)
