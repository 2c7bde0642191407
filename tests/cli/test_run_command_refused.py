"""What `gascl run` refuses: wrong choices before the graph is read, errors in a user's program."""

import sys
from pathlib import Path

import pytest
from support.command_line import HOPS, KARATE, ROADS, table

from gascl.results.result import Result


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["PageRnk"], "there is no bundled program 'PageRnk'; did you mean 'PageRank'? `gascl p"),
        (["Xyzzy"], "there is no bundled program 'Xyzzy'; `gascl programs` lists them, and a pro"),
        (["Xyzzy"], "a program of your own is given as my_program.py:Class"),
        (["none.py:A"], "none.py: there is no such file; check the path"),
        (["PageRank", "--set", "dampin=1"], "no parameter 'dampin'; did you mean 'damping'?"),
        (["PageRank", "--set", "damping=x"], "damping='x'"),
        (["PageRank", "--set", "supersteps=-1"], "expected a number of supersteps, 0 or more"),
        (["PageRank", "--set", "dangling=x"], "expected one of 'spread', 'ignore'"),
        (["PageRank", "--set", "dtype=float16"], "float32"),
        (["Closeness", "--set", "sources=0"], "0, with a comma, is one label"),
        (["Closeness", "--set", "sources=[a]"], 'a list of labels in JSON, such as \'["Doe, J.",'),
        (
            ["Closeness", "--set", "sources=[null]"],
            "null in the list is not a label: give texts or",
        ),
        (["PageRank", "--set", "damping=none"], "damping=None: expected a number"),
        (["Leiden", "--set", "resolution=1,x"], "resolution=['1', 'x']: expected a number"),
        (["PageRank", "--set", "supersteps=1,2"], "supersteps=['1', '2']: expected a number"),
        (
            ["PageRank", "--path", "5"],
            "PageRank finds no paths: leave out --path, or run a program",
        ),
        (["GreedyColoring", "--set", "seed=-1"], "seed='-1': expected a value 0 or more"),
        (["MaximalIndependentSet", "--set", "seed=-1"], "seed='-1': expected a value 0 or more"),
        (["PageRank", "--set", "dtype=x"], "'x'"),
        (["ShortestPaths"], "parameter 'source' is required: give --set source=..., or --set "),
        (["ShortestPaths", "--set", "source=1", "--set", "sources=2,"], "give --set source=... or"),
        (["PageRank", "--output", "-", "--trace", "-"], "--output and --trace are both -, and"),
        (["PageRank", "--delivery", "push"], "delivery 'push' cannot run PageRank"),
        (["PageRank", "--delivery", "pigeon"], "there is no delivery 'pigeon'; known: auto"),
        (["PageRank", "--device", "99"], "there is no device 99; devices: 0: "),
        (["PageRank", "--device", "abacus"], "there is no device named 'abacus'; devices: 0: "),
        (["PageRank", "--output", "a.txt"], "the name must end in .csv, .npz, .parquet"),
        (["PageRank", "--output", "no/a.csv"], "there is no folder no; create it first"),
        (["PageRank", "--trace", "no/a.json"], "there is no folder no; create it first"),
        (["PageRank", "--trace", "."], "--trace . cannot be written: it is a folder; name another"),
        (["PageRank", "--trace", "a.csv", "--output", "a.csv"], "name two files"),
        (["PageRank", "--checkpoint", "no/a"], "there is no folder no; create it first"),
        (["PageRank", "--checkpoint", "a.csv", "--output", "a.csv"], "name two files"),
        (["PageRank", "--checkpoint", "a", "--every", "x"], "--every x must be a time, such as"),
        (["PageRank", "--checkpoint", "a", "--every", "0"], "--every 0 must be a time, such as"),
        (["PageRank", "--resume"], "--resume is about a checkpoint: give --checkpoint FILE"),
        (["Hits", "--checkpoint", "a"], "Hits: --checkpoint a: a checkpoint has the supersteps"),
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


def test_no_such_vertex(gascl_):
    code, _, err = gascl_("run", "ShortestPaths", ROADS, "--set", "source=Vaduz:Auringg")
    assert code == 1
    assert "no vertex has the label 'Vaduz:Auringg'" in err
    assert "did you mean 'Vaduz:Auring'?" in err


def test_missing_pyarrow_is_reported_first(gascl_, monkeypatch, tmp_path):
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
    def full(self, path, fields):
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(Result, "save", full)
    path = tmp_path / "a.csv"
    code, out, err = gascl_("run", "PageRank", KARATE, "--output", path)
    assert code == 1
    assert err == f"gascl: error: {path}: No space left on device\n"
    assert len(table(out)[1]) == 10


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("option", ["--output", "--trace"])
def test_an_error_of_writing_names_the_file(gascl_, tmp_path, option):
    path = tmp_path / "out.csv"
    path.symlink_to("/dev/full")
    code, out, err = gascl_("run", "PageRank", KARATE, option, path)
    assert code == 1
    assert err.startswith(f"gascl: error: {path} cannot be written: No space left on device; make")
    assert err.count("\n") == 1
    assert len(table(out)[1]) == 10


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
    assert "has no vertex program 'Hop'; did you mean 'Hops'? Known: Hops\n" in err
    for text in (f"{path}", f"{path}:"):
        code, _, err = gascl_("kernel", text)
        assert code == 1
        assert f"give the class, too: {path}:Class. Known: Hops\n" in err
    _, _, err = gascl_("kernel", f"{path}:VertexProgram")
    assert "has no vertex program 'VertexProgram'" in err
    _, _, err = gascl_("kernel", f"{write('text.txt', HOPS)}:Hops")
    assert "must end in .py" in err


def test_a_module_beside_the_users_file_is_found(gascl_, write, small):
    write("beside_hops.py", "FIRST = 'a'\n")
    path = write("uses.py", "from beside_hops import FIRST\n" + HOPS)
    assert gascl_("run", f"{path}:Hops", small, "--set", "source=a")[0] == 0
