"""Pictures: that they are drawn of what they should be, and what is said without matplotlib."""

from __future__ import annotations

import base64
import json
import re
import sys
from collections import Counter

import numpy as np
import pytest

from gascl import Engine, GasclError, Graph, VertexProgram, param, vertex
from gascl.communities import pictures
from gascl.communities.pictures import _colors, alluvial, film, history, page, particles
from gascl.communities.tracking import track
from gascl.programs import ConnectedComponents, PageRank, ParticleCommunities

TRIANGLES = Graph.from_edges([0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3], num_vertices=7, directed=False)


@pytest.fixture(autouse=True)
def no_window():
    matplotlib = pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    matplotlib.use("Agg")
    yield
    matplotlib.pyplot.close("all")


def png(ax, tmp_path) -> int:
    ax.figure.savefig(tmp_path / "a.png", dpi=30)
    return (tmp_path / "a.png").stat().st_size


def test_particles(tmp_path):
    from matplotlib import pyplot

    result = Engine(TRIANGLES).run(ParticleCommunities())
    ax = particles(result)
    lines, points = ax.collections
    assert len(lines._segments3d) == 6
    assert np.allclose(np.transpose(points._offsets3d), result.position)
    ax.figure.draw_without_rendering()  # sorts them by depth
    shown = Counter(tuple(color) for color in points.get_facecolor())
    assert shown == Counter(tuple(color) for color in _colors(result.community))
    assert sorted(shown.values()) == [1, 3, 3]
    low, high = np.transpose([getattr(ax, f"get_{a}lim")() for a in "xyz"])
    assert (low <= result.position).all() and (result.position <= high).all()
    assert png(ax, tmp_path) > 1000
    mine = pyplot.figure().add_subplot(projection="3d")
    assert particles(result, ax=mine) is mine and len(mine.collections) == 2


def test_history(tmp_path):
    joined = TRIANGLES.with_edges(add=[(u, v) for u in range(3) for v in range(3, 6)])
    moments = list(track([TRIANGLES, joined, joined]))
    assert [str(e) for e in moments[1].events] == ["1: merge 0 + 1 -> 0"]
    axes = history(iter(moments), shown=2)
    assert [ax.get_title() for ax in axes] == ["moment 0", "moment 2", ""]
    below = axes[-1]
    assert [text.get_text() for text in below.texts] == ["merge"]
    assert below.images[0].get_array().shape[:2] == (7, 3)
    assert png(below, tmp_path) > 1000
    assert len(history(moments[:1])) == 2
    nothing = Graph.from_edges([], [], num_vertices=1)
    assert png(history(list(track([nothing])))[0], tmp_path) > 1000


def joined_triangles() -> list:
    """Three moments: two triangles and a vertex alone, one group of six, and the same again."""
    joined = TRIANGLES.with_edges(add=[(u, v) for u in range(3) for v in range(3, 6)])
    return list(track([TRIANGLES, joined, joined]))


def test_alluvial(tmp_path):
    ax = alluvial(joined_triangles())
    blocks = [
        (bar.get_x() + bar.get_width() / 2, bar.get_y(), bar.get_height()) for bar in ax.patches
    ]
    gap = 0.2 * 7 / 2
    assert [tuple(round(x, 6) for x in block) for block in blocks] == [
        *((0, 0, 3), (0, 3 + gap, 3)),
        *((1, 0, 6), (2, 0, 6)),
    ]
    # The bands: three vertices from each triangle, then all six, where the blocks are.
    ends = []
    for band in ax.collections:
        xs, ys = band.get_paths()[0].vertices.T
        ends.append(
            [sorted({round(float(y), 6) for y in ys[xs == x]}) for x in (xs.min(), xs.max())]
        )
    assert ends == [
        [[0, 3], [0, 3]],
        [[3 + gap, 6 + gap], [3, 6]],
        [[0, 6], [0, 6]],
    ]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0", "1", "2"]
    assert png(ax, tmp_path) > 1000
    # Of any program's groups, without positions, with dates.
    table = {"source": [2], "target": [3], "time": np.array(["2024-03-04"], "M8[s]")}
    moments = list(track(TRIANGLES, ConnectedComponents(), events=table))
    labels = alluvial(iter(moments)).get_xticklabels()
    assert [text.get_text() for text in labels] == ["", "2024-03-04"]


def test_page(tmp_path, monkeypatch):
    moments = joined_triangles()
    made = page(moments)
    assert repr(made) == "Page(3 moments of 7 vertices)"
    made.save(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    data = json.loads(re.search(r"const data = (.*);\n", text)[1])
    at = unpacked(data["at"], "<f4").reshape(3, 7, 3)
    positions = np.stack([moment.result.position for moment in moments])
    scale = np.ptp(positions.reshape(-1, 3), axis=0).max()
    assert np.allclose(np.diff(at, axis=1), np.diff(positions, axis=1) / scale, atol=1e-6)
    assert np.abs(at).max() <= 0.5 + 1e-6
    assert data["labels"] == list("0123456")
    assert [frame["title"] for frame in data["frames"]] == ["moment 0", "moment 1", "moment 2"]
    assert [frame["events"] for frame in data["frames"]] == [
        ["appear 0", "appear 1"],
        ["merge 0 + 1 -> 0"],
        [],
    ]
    for frame, moment in zip(data["frames"], moments, strict=True):
        assert np.array_equal(unpacked(frame["identity"], "<i4"), moment.identity)
        assert np.array_equal(unpacked(frame["dst"], "<i4"), moment.result.graph.edge_dst)
    assert not re.search(r"https?:", text)  # it needs no network
    monkeypatch.setattr(pictures, "MOST_POSITIONS", 20)
    with pytest.raises(GasclError, match=r"are 21 positions, and a page shows up to 20.*\[::10\]"):
        page(moments)
    monkeypatch.setattr(pictures, "MOST_EDGES", 14)
    many = json.loads(re.search(r"const data = (.*);\n", page(moments[:2]).html)[1])
    assert [len(unpacked(frame["src"], "<i4")) for frame in many["frames"]] == [6, 0]


def unpacked(text: str, dtype: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype)


def test_film(tmp_path, monkeypatch):
    image = pytest.importorskip("PIL.Image")
    moments = joined_triangles()[:2]
    made = film(moments)
    assert len(made) == 9 and made.result is moments[1].result
    figure, show = made._figure()
    show(4)  # half of the way
    points = figure.axes[0].collections[-1]
    half = (moments[0].result.position + moments[1].result.position) / 2
    assert np.allclose(np.transpose(points._offsets3d), half)
    assert figure.axes[0].get_title() == "moment 0"
    made.save(tmp_path / "film.gif")
    with image.open(tmp_path / "film.gif") as saved:
        assert 1 < saved.n_frames <= 9  # equal frames are one
    assert len(film(moments[:1])) == 1
    monkeypatch.setattr(pictures, "FRAMES", 8)
    with pytest.raises(GasclError, match=r"2 moments would be 9 frames.* up to 1 .*moments\[::2\]"):
        film(moments)
    with pytest.raises(GasclError, match="frames_per_second must be above 0"):
        film(moments[:1], frames_per_second=0)


def test_no_vertices(tmp_path):
    moments = list(track([Graph.from_edges([], [], num_vertices=0)]))
    page(moments).save(tmp_path / "page.html")
    film(moments).save(tmp_path / "film.gif")
    assert png(history(moments)[0], tmp_path) > 1000
    assert not alluvial(moments).patches


def test_colors():
    found = _colors(np.arange(-1, 19))
    assert len({tuple(color) for color in found}) == 19, "gray, 18 others, and the first again"
    assert tuple(found[1]) == tuple(found[19])


def test_without_matplotlib(monkeypatch):
    result = Engine(TRIANGLES).run(ParticleCommunities())
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(GasclError, match=r"pip install 'gascl\[plot\]'"):
        particles(result)
    with pytest.raises(GasclError, match="at least one moment"):
        history([])


def test_what_can_not_be_drawn():
    class Flat(VertexProgram):
        position = vertex.real2()
        community = vertex.int32()
        supersteps = param.supersteps(0)
        apply = "v.community = 1;"

    engine = Engine(TRIANGLES)
    for wrong, said in (
        (TRIANGLES, "expected a Result, .*, not Graph"),
        (engine.run(PageRank()), "no field 'position'.*give the result of ParticleCommunities"),
        (engine.run(Flat()), r"must have the shape \(V, 3\), not \(7, 2\)"),
        (
            engine.run(ParticleCommunities(), max_supersteps=21, not_converged="ignore"),
            "nothing to draw: field 'community' is not computed yet",
        ),
    ):
        with pytest.raises(GasclError, match=said):
            particles(wrong)
    for wrong in (3, [3], engine.run(PageRank())):
        with pytest.raises(
            GasclError, match=r"history draws the moments that track\(graphs\) yields, not"
        ):
            history(wrong)
    for draw in (history, alluvial, page, film):
        with pytest.raises(GasclError, match=f"{draw.__name__} needs at least one moment"):
            draw(iter([]))
    without = list(track([TRIANGLES], ConnectedComponents()))
    for draw in (history, page, film):
        with pytest.raises(GasclError, match="no field 'position'"):
            draw(without)
