"""`gascl animate`: animations in files."""

import pytest

from gascl import animation


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    monkeypatch.chdir(tmp_path)
    return tmp_path


SEARCH = ("BreadthFirst", "karate", "--set", "source=1")


def test_a_gif_by_default(gascl_, folder):
    code, out, err = gascl_("animate", *SEARCH)
    assert (code, err) == (0, "")
    assert "graph: 34 vertices" in out and "wrote karate.gif: 5 frames, " in out
    assert (folder / "karate.gif").read_bytes().startswith(b"GIF89a")
    code, out, err = gascl_("animate", *SEARCH)
    assert (code, out) == (1, "") and "give -o karate.gif to replace it, or -o FILE" in err


def test_options(gascl_, folder, monkeypatch):
    calls, real = [], animation.animate

    def animate(*what, **looks):
        calls.append(looks)
        return real(*what, **looks)

    monkeypatch.setattr(animation, "animate", animate)
    looks = ("--color", "depth", "--size", "parent", "--no-labels", "--seed", "3", "--fps", "4")
    code, out, err = gascl_(
        "animate", *SEARCH, *looks[:2], *looks[4:], "--max-supersteps", "2", "-o", "a.html"
    )
    assert code == 3 and "did not converge" in err
    assert "wrote a.html: 3 frames" in out
    assert (folder / "a.html").read_text().count("data:image/png") == 3
    (given,) = calls
    assert given["color"] == "depth" and given["labels"] is False and given["seed"] == 3
    assert given["frames_per_second"] == 4.0 and given["max_supersteps"] == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["BreadthFrst"], "did you mean 'BreadthFirst'?"),
        (["BreadthFirst"], "--set source=..."),
        (["PageRank", "-o", "a.png"], "-o a.png: the name must end in .gif, .mp4, .html"),
        (["PageRank", "-o", "no/a.gif"], "there is no folder no; create it first"),
        (["Leiden", "--set", "resolution=1,2"], "an animation shows one run, and L"),
    ],
)
def test_refused_before_the_graph_is_read(gascl_, folder, arguments, words):
    program, *more = arguments
    code, out, err = gascl_("animate", program, "missing.txt", *more)
    assert (code, out) == (1, "") and words in err
    assert not list(folder.iterdir())


def test_mp4_without_ffmpeg(gascl_, folder, monkeypatch):
    monkeypatch.setenv("PATH", str(folder))
    code, out, err = gascl_("animate", "PageRank", "missing.txt", "-o", "a.mp4")
    assert (code, out) == (1, "") and "needs the program ffmpeg" in err


def test_refused_before_the_run(gascl_, monkeypatch):
    code, _, err = gascl_("animate", *SEARCH, "--color", "dpth")
    assert code == 1 and "--color dpth is not a vertex field or a color of matplotlib; did" in err
    monkeypatch.setattr(animation, "VERTICES", 30)
    code, _, err = gascl_("animate", *SEARCH)
    assert code == 1 and "the graph has 34 vertices, and an animation shows up to 30" in err


@pytest.mark.parametrize("speed", ["0", "-1", "fast", "nan", "1000"])
def test_speeds_that_are_none(gascl_, speed):
    with pytest.raises(SystemExit):
        gascl_("animate", *SEARCH, "--fps", speed)
