"""`gascl generate`: what it writes, prints and refuses; other libraries read the files."""

import argparse
import inspect
import itertools
import os
import signal
import subprocess
import sys
import time

import networkx as nx
import numpy as np
import pytest
import scipy.io

from gascl import generators
from gascl.cli import generate_command as generate
from gascl.errors import FormatError, GraphError
from gascl.graph.graph import Graph

MAIN = """
import argparse, sys
from gascl.cli import generate_command as generate
parser = argparse.ArgumentParser()
generate.options(parser.add_argument)
assert "numpy" not in sys.modules
sys.exit(generate.run(parser.parse_args()))
"""


def run(*arguments):
    parser = argparse.ArgumentParser()
    generate.options(parser.add_argument)
    return generate.run(parser.parse_args([str(a) for a in arguments]))


def test_tables_are_those_of_the_generators():
    assert sorted(generate.GENERATORS) == sorted(generators.__all__)
    for name, (must, may) in generate.GENERATORS.items():
        parameters = dict(inspect.signature(getattr(generators, name)).parameters)
        parameters.pop("stored", None)  # a file would be
        assert (parameters.pop("progress", None) is not None) == (name in generate.WITH_PROGRESS)
        needed = [n for n, p in parameters.items() if p.default is inspect.Parameter.empty]
        assert list(must) == needed
        assert sorted([*must, *may, *generate.SHARED]) == sorted(parameters)


def test_a_file_that_scipy_reads(tmp_path, capsys):
    path = tmp_path / "grid.mtx"
    assert run("grid", "--rows", 4, "--columns", 5, "--weights", "1,9", "-o", path) == 0
    matrix = scipy.io.mmread(path).tocsr()
    assert matrix.shape == (20, 20) and abs(matrix - matrix.T).nnz == 0
    theirs = nx.grid_2d_graph(4, 5)
    ends = {(5 * a + b, 5 * c + d) for (a, b), (c, d) in theirs.edges}
    assert {tuple(sorted(e)) for e in zip(*matrix.nonzero(), strict=True)} == ends
    assert set(matrix.data.tolist()) <= set(range(1, 10))
    printed = capsys.readouterr().out
    for words in ("20 vertices, 31 edges, undirected", "seed=0", "weight", str(path), "time:"):
        assert words in printed


def test_options_reach_the_generator(tmp_path):
    path = tmp_path / "g.npz"
    run("rmat", "--scale", 6, "--seed", 9, "--undirected", "--no-renumber", "--self-loops", "drop",
        "--edges-per-vertex", 3, "--a", 0.4, "-o", path)  # fmt: skip
    written = Graph.read(path)
    graph = generators.rmat(6, 3, seed=9, directed=False, renumber=False, self_loops="drop", a=0.4)
    assert not written.directed
    np.testing.assert_array_equal(written.edge_src, graph.edge_src)
    np.testing.assert_array_equal(written.edge_dst, graph.edge_dst)


def test_communities_are_written(tmp_path):
    path = tmp_path / "b.npz"
    matrix = "0.5,0.1;0.1,0.9"
    run("stochastic-block-model", "--sizes", "5,7", "--probabilities", matrix, "-o", path)
    assert Graph.read(path).vertex_fields["community"].tolist() == [0] * 5 + [1] * 7


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (["star", "-o", "g.npz"], GraphError, ["star needs --vertices"]),
        (
            ["star", "--vertices", "3", "--scale", "2", "--no-renumber", "-o", "g.npz"],
            GraphError,
            ["star has no option --scale", "its options: --vertices, --directed"],
        ),
        (["star", "--vertices", "3", "--periodic", "-o", "g.npz"], GraphError, ["--periodic"]),
        (["rmat", "--scale", "31", "-o", "g.npz"], GraphError, ["scale is 31"]),
        (["rmat", "--scale", "30", "-o", "g.foo"], FormatError, ["g.foo: no format", "'.foo'"]),
        (
            ["rmat", "--scale", "30", "-o", "no/g.npz"],
            FormatError,
            ["no/g.npz: there is no folder no"],
        ),
        (["rmat", "--scale", "30", "-o", "."], FormatError, [". is a folder"]),
        (["rmat", "--scale", "30", "--format", "x", "-o", "g"], FormatError, ["no format 'x'"]),
        (
            "lfr --vertices 100000 --average-degree 5 --max-degree 99 -o x.sg".split(),
            FormatError,
            ["x.sg", "community", "npz"],
        ),
    ],
)
def test_what_is_wrong_is_refused_before_the_work(arguments, error, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error) as caught:
        run(*arguments)
    for words in said:
        assert words in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_memory_writes_the_same_file(tmp_path, capsys):
    graph = "uniform --vertices 90 --edges 300 --weights 1,9 --seed 4".split()
    assert run(*graph, "-o", tmp_path / "there.npz") == 0
    expected = capsys.readouterr().out.splitlines()
    assert run(*graph, "-o", tmp_path / "here.npz", "--memory", "1GiB") == 0
    assert capsys.readouterr().out.splitlines()[:3] == expected[:3]
    assert (tmp_path / "here.npz").read_bytes() == (tmp_path / "there.npz").read_bytes()


def test_memory_keeps_the_policies(tmp_path):
    pytest.importorskip("duckdb")
    options = "rmat --scale 7 --duplicates first --self-loops drop --arcs --memory 1GiB".split()
    run(*options, "-o", tmp_path / "g.npz")
    graph = generators.rmat(7, duplicates="first", self_loops="drop")
    written = Graph.read(tmp_path / "g.npz")
    assert written.fingerprint == graph.fingerprint and "out" in written.arcs_made()[0]


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (
            "barabasi-albert --vertices 9 --edges-per-vertex 2 -o g.npz",
            GraphError,
            "barabasi-albert makes its edges all together in memory; leave out --memory, or "
            "generate one of complete, grid, path, rmat, star, uniform",
        ),
        ("star --vertices 9 -o g.mtx", FormatError, "g.mtx: --memory writes gascl's own .npz"),
        ("star --vertices 9 --format parquet -o g.npz", FormatError, "--memory writes gascl's own"),
    ],
)
def test_what_memory_refuses(arguments, error, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=said):
        run(*arguments.split(), "--memory", "1GiB")
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_says_how_to_resume(tmp_path, monkeypatch):
    from gascl.io.outofcore.convert import Conversion

    def pressed(*_, **__):
        raise KeyboardInterrupt

    arguments = "star", "--vertices", 90, "-o", tmp_path / "g.npz", "--memory", "1GiB"
    with monkeypatch.context() as patch:
        patch.setattr(Conversion, "_run", pressed)
        with pytest.raises(KeyboardInterrupt, match="the same command resumes from the stages in"):
            run(*arguments)
    assert run(*arguments) == 0
    assert Graph.read(tmp_path / "g.npz").num_edges == 89


def test_wrong_text_is_wrong_usage(capsys):
    for option, text in (("--scale", "x"), ("--weights", "3"), ("--sizes", "3,y"), ("--a", "?")):
        with pytest.raises(SystemExit) as caught:
            run("rmat", option, text, "-o", "g.npz")
        assert caught.value.code == 2
        assert "expected" in capsys.readouterr().err


def test_long_work_tells_how_far_it_is(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(time, "monotonic", itertools.count(0, 100).__next__)
    run("rmat", "--scale", 4, "-o", tmp_path / "g.npz")
    assert "gascl: rmat: 100%|##########| 256/256 [" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for a child")
def test_ctrl_c_leaves_no_half_file(tmp_path):
    path = tmp_path / "g.npz"
    path.write_text("what stood there")
    arguments = ["watts-strogatz", "--vertices", "3000000", "--neighbors", "8", "--rewire", "1"]
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *arguments, "-o", str(path)], stderr=subprocess.PIPE
    )
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1].decode()
    assert process.returncode != 0 and "KeyboardInterrupt" in said
    assert path.read_text() == "what stood there"
    assert list(tmp_path.iterdir()) == [path]
