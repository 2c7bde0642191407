"""Animations: a frame for each state, on one layout and scale; files that need nothing else."""

from __future__ import annotations

import itertools
import os
import re
import stat
import sys

import networkx as nx
import numpy as np
import pytest
from support.samples import grid, to_networkx

import gascl
from gascl import Engine, GasclError, Graph, NotConverged, VertexProgram, animation, vertex
from gascl.programs import BreadthFirst, ForceLayout, Louvain, PageRank, StronglyConnected

PLACES = [[x, y] for y in range(2) for x in range(4)]


@pytest.fixture(autouse=True)
def no_window():
    matplotlib = pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    matplotlib.use("Agg")


@pytest.fixture
def search() -> animation.Animation:
    """From the corner of a grid of 2 x 4, whose other corner is 4 arcs away."""
    return gascl.animate(BreadthFirst(source=0), grid(2, 4), color="depth", position=PLACES)


def frames(film):
    """The figure in each frame's state: title, vertices (a PathCollection)."""
    figure, show = film._figure()
    ax = figure.axes[0]
    for number in range(len(film)):
        show(number)
        figure.canvas.draw()
        yield ax.get_title(), ax.collections[-1]


def test_a_frame_for_each_state(search):
    """The colors and the rings are those of NetworkX's layers."""
    layers = nx.single_source_shortest_path_length(to_networkx(grid(2, 4)), 0)
    depth = np.array([layers[v] for v in range(8)])
    titles, colors = [], {}
    for number, (title, vertices) in enumerate(frames(search)):
        titles.append(title)
        assert vertices.get_offsets().tolist() == PLACES
        shown = np.where(depth <= number, depth, -1)
        faces = vertices.get_facecolor()
        for value, face in zip(shown.tolist(), faces.tolist(), strict=True):
            assert colors.setdefault(value, face) == face, "the same in all frames"
        ringed = np.array(vertices.get_linewidths()) > 0
        assert np.array_equal(ringed, (depth == number) & (number < len(search) - 1))
    assert len({tuple(face) for face in colors.values()}) == len(colors) == 6
    assert titles == [
        "superstep 0: 1 of 8 active",
        "superstep 1: 2 of 8 active",
        "superstep 2: 2 of 8 active",
        "superstep 3: 2 of 8 active",
        "superstep 4: 1 of 8 active",
        "the result, after 5 supersteps",
    ]
    assert search.result.converged and "6 frames of Result(depth" in repr(search)


def test_numbers_have_one_scale_and_areas_too():
    film = gascl.animate(PageRank(supersteps=3), grid(2, 4), color="rank", size="rank")
    ranks = [s["rank"] for s in Engine(grid(2, 4)).steps(PageRank(supersteps=3))]
    least, most = np.min(ranks), np.max(ranks)
    areas = []
    for (_, vertices), rank in zip(frames(film), ranks, strict=True):
        assert (vertices.norm.vmin, vertices.norm.vmax) == (least, most)
        assert np.array_equal(vertices.get_array(), rank)
        areas.append(vertices.get_sizes() / rank)
        assert not np.any(vertices.get_linewidths()), "all are active: none stands out"
    assert np.allclose(areas, areas[0][0])


def test_the_default_color_and_that_of_all_vertices():
    film = gascl.animate(PageRank(supersteps=1), grid(2, 4))
    (_, vertices), *_ = frames(film)
    assert vertices.get_array() is not None and vertices.figure.axes[1].get_ylabel() == "rank"
    film = gascl.animate(PageRank(supersteps=1), grid(2, 4), color="red")
    (_, vertices), *_ = frames(film)
    assert vertices.get_facecolor().tolist() == [[1, 0, 0, 1]]


def test_places_are_those_at_the_end():
    film = gascl.animate(ForceLayout(supersteps=5), grid(2, 4), color="C1", position="position")
    for _, vertices in frames(film):
        assert np.allclose(vertices.get_offsets(), film.result.position)


def test_programs_of_several_stages():
    graph = Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3])
    film = gascl.animate(StronglyConnected(), graph, color="component", position=PLACES[:4])
    titles = [title for title, _ in frames(film)]
    assert any(re.match(r"\w+, superstep \d+: \d of 4 active", title) for title in titles[:-1])
    assert titles[-1].startswith("the result, after ")
    film = gascl.animate(Louvain(), graph, color="community", labels=False, cmap="viridis")
    assert [title for title, _ in frames(film)][-1].startswith("the result")


def test_gif(search, tmp_path):
    from PIL import Image, ImageSequence

    search.save(tmp_path / "search.gif")
    with Image.open(tmp_path / "search.gif") as image:
        pictures = [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(image)]
        assert image.info["duration"] == 500 and image.info["loop"] == 0
    assert len(pictures) == len(search) == 6
    assert all((one != other).any() for one, other in itertools.pairwise(pictures))


def test_html_needs_no_other_file_and_no_network(search, tmp_path):
    search.save(str(tmp_path / "a <search>.html"))
    page = (tmp_path / "a <search>.html").read_text("utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["a <search>.html"]
    assert page.startswith("<!DOCTYPE html>") and "<title>a &lt;search&gt;</title>" in page
    for text in (page, search._repr_html_()):
        assert text.count("data:image/png;base64,") == 6
        assert not re.search(r"https?:|<link|@import|\burl\(|class=\"fa|\bsrc=\"(?!data:)", text)
        assert "▶" in text
    assert search._repr_html_() is search._repr_html_(), "drawn once"


def fake_ffmpeg(folder, script: str, monkeypatch) -> None:
    path = folder / "ffmpeg"
    path.write_text(f"#!{sys.executable}\nimport sys\n{script}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.skipif(sys.platform == "win32", reason="the program in its place is a script")
def test_mp4_is_written_by_ffmpeg(search, tmp_path, monkeypatch):
    """A program in its place gets six frames, and the name of the file to write."""
    script = """
if "-version" not in sys.argv:
    args = sys.argv
    width, height = map(int, args[args.index("-s") + 1].split("x"))
    frames = len(sys.stdin.buffer.read()) / (4 * width * height)
    open(args[-1], "w").write(f"{frames} frames, {args[args.index('-framerate') + 1]} a second")
"""
    (tmp_path / "bin").mkdir()
    fake_ffmpeg(tmp_path / "bin", script, monkeypatch)
    search.save(tmp_path / "search.mp4")
    assert (tmp_path / "search.mp4").read_text() == "6.0 frames, 2.0 a second"
    failing = "if '-version' not in sys.argv:\n    sys.stdin.buffer.read()\n"
    failing += "    sys.exit('no encoder libx264')\n"
    fake_ffmpeg(tmp_path / "bin", failing, monkeypatch)
    with pytest.raises(GasclError, match="failed with exit code 1: no encoder libx264; save"):
        search.save(tmp_path / "search.mp4")
    assert (tmp_path / "search.mp4").read_text().startswith("6.0 frames"), "as it was"


def test_files_that_are_refused(search, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GasclError, match=r"needs the program ffmpeg.*save a \.gif or \.html"):
        search.save(tmp_path / "a.mp4")
    with pytest.raises(GasclError, match=r"a\.png: the name of an animation must end in \.gif,"):
        search.save(tmp_path / "a.png")
    with pytest.raises(GasclError, match="no folder"):
        search.save(tmp_path / "none" / "a.gif")
    assert not list(tmp_path.iterdir())


class Never(VertexProgram):
    """Refuses every graph, so that an error before that one comes before the run."""

    x = vertex.int32()
    y = vertex.real2()
    message, combine = "int32", "max"
    scatter = "send(v.x);"
    apply = "v.x = max(v.x, msg);"

    def prepare(self, graph, initial):
        raise AssertionError("too late")


WRONG = [
    ({"color": "z"}, r"color='z' is not a vertex field or a color .*available fields: x, y\)"),
    ({"size": "xx"}, "size='xx' is not a vertex field; did you mean 'x'"),
    ({"position": "place"}, "position='place' is not a vertex field"),
    ({"labels": 5}, "labels must be True, False, or"),
    ({"frames_per_second": 0}, "frames_per_second must be above 0, not 0"),
    ({"max_supersteps": -1}, "max_supersteps must be a whole number"),
]


@pytest.mark.parametrize(("given", "says"), WRONG)
def test_refused_before_the_run(given, says):
    with pytest.raises(GasclError, match=says):
        gascl.animate(Never(), grid(2, 4), **given)


def test_what_cannot_be_shown(monkeypatch):
    graph = grid(2, 4)
    with pytest.raises(GasclError, match="a program and a Graph, not Engine"):
        gascl.animate(BreadthFirst(source=0), Engine(graph))
    with pytest.raises(GasclError, match="not the class BreadthFirst"):
        gascl.animate(BreadthFirst, graph)
    with pytest.raises(GasclError, match="no vertices: there is nothing to animate"):
        gascl.animate(PageRank(), Graph.from_edges([], []))
    with pytest.raises(GasclError, match="color must have one value per vertex"):
        gascl.animate(BreadthFirst(source=[0, 1]), graph, color="depth")
    monkeypatch.setattr(animation, "FRAMES", 3)
    with pytest.raises(GasclError, match=r"more than 3 frames.*give max_supersteps=2, or less"):
        gascl.animate(BreadthFirst(source=0), graph)
    with pytest.warns(NotConverged):
        film = gascl.animate(BreadthFirst(source=0), graph, max_supersteps=2)
    assert len(film) == 3 and not film.result.converged
    monkeypatch.setattr(animation, "VERTICES", 7)
    with pytest.raises(GasclError, match=r"8 vertices, and an animation shows up to 7: .*subgraph"):
        gascl.animate(BreadthFirst(source=0), graph)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(GasclError, match=r"pictures need matplotlib: pip install 'gascl\[plot]'"):
        gascl.animate(Never(), grid(2, 4))
