"""`gascl draw`: pictures in files, of graphs and of what programs compute."""

from importlib import import_module

import pytest
from support.command_line import KARATE

import gascl
from gascl import drawing

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    matplotlib = pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    import_module("matplotlib.pyplot").close("all")


@pytest.fixture
def drawn(monkeypatch):
    """What `draw` was asked for: a list of (a Graph or a Result, its options)."""
    calls, real = [], drawing.draw

    def draw(what, **looks):
        calls.append((what, looks))
        return real(what, **looks)

    monkeypatch.setattr(drawing, "draw", draw)
    return calls


def test_a_graph(gascl_, folder, drawn):
    code, out, err = gascl_("draw", "karate")
    assert (code, err) == (0, "")
    assert "graph: 34 vertices" in out and "wrote karate.png: " in out
    assert (folder / "karate.png").read_bytes().startswith(PNG)
    what, looks = drawn[0]
    assert isinstance(what, gascl.Graph) and looks["color"] is None
    code, out, err = gascl_("draw", "karate")
    assert (code, out) == (1, "") and "give -o karate.png to replace it, or -o FILE" in err
    assert gascl_("draw", KARATE, "-o", "karate.png", "--no-labels", "--seed", "3")[0] == 0
    assert drawn[1][1]["labels"] is False and drawn[1][1]["seed"] == 3
    assert [path.name for path in folder.iterdir()] == ["karate.png"]


def test_what_a_program_computes(gascl_, folder, drawn):
    looks = ("--program", "PageRank", "--size", "rank", "--set", "damping=0.5")
    assert gascl_("draw", "karate", *looks, "-o", "ranks.svg")[0] == 0
    assert b"<svg" in (folder / "ranks.svg").read_bytes()
    what, given = drawn[0]
    assert (given["color"], given["size"]) == ("rank", "rank"), "the field that `run` prints"
    assert what["rank"].argmax() == 33
    assert gascl_("draw", "karate", "--program", "Hits", "--color", "authority")[0] == 0
    assert drawn[1][1]["color"] == "authority"


def test_fields_of_the_graph_and_colors(gascl_, write, drawn):
    text = "graph [ node [ id 1 age 30 ] node [ id 2 age 4 ] edge [ source 1 target 2 ] ]"
    path = write("people.gml", text)
    for color in ("age", "tab:red"):
        assert gascl_("draw", path, "--color", color, "-o", "people.png")[0] == 0
    assert [looks["color"] for _, looks in drawn] == ["age", "tab:red"]
    code, _, err = gascl_("draw", path, "--size", "aeg", "-o", "x.png")
    assert code == 1 and "--size aeg is not a vertex field; did you mean 'age'?" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--program", "PageRnk"], "did you mean 'PageRank'?"),
        (["--set", "damping=1"], "--set sets parameters of a program: give --program, too"),
        (["-o", "a.txt"], "-o a.txt: the name must end in .eps"),
        (["-o", "no/a.png"], "there is no folder no; create it first"),
        (["-o", "."], "-o .: the name must end in"),
        (
            ["--program", "Leiden", "--set", "resolution=1,2"],
            "a picture shows one run, and Leiden would make 2: give one value of each parameter",
        ),
    ],
)
def test_refused_before_the_graph_is_read(gascl_, folder, arguments, words):
    code, out, err = gascl_("draw", "missing.txt", *arguments)
    assert (code, out) == (1, "") and words in err
    assert not list(folder.iterdir())


def test_refused_before_the_run(gascl_, monkeypatch, drawn):
    code, _, err = gascl_("draw", "karate", "--program", "Hits", "--size", "hubs")
    assert code == 1 and "--size hubs is not a vertex field; did you mean 'hub'?" in err
    code, _, err = gascl_("draw", "karate", "--color", "rank")
    assert code == 1 and "--program runs a program and draws its fields" in err

    code, _, err = gascl_("draw", "karate", "--edge-width", "wieght")
    assert code == 1 and "--edge-width wieght is not an edge field" in err
    assert not drawn


def test_a_run_that_does_not_converge(gascl_, folder, write, monkeypatch):
    monkeypatch.setattr("gascl.run.options.MAX_SUPERSTEPS", 100)
    swapping = ("--program", "LabelPropagation", "--set", "supersteps=none")
    code, _, err = gascl_("draw", write("two.txt", "a b\n"), "--undirected", *swapping)
    assert code == 3 and "did not converge" in err
    assert (folder / "two.png").exists(), "what there is is drawn nevertheless"
