"""Pictures: that they are drawn of what they should be, and what is said without matplotlib."""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
import pytest

from gascl import Engine, GasclError, Graph, VertexProgram, param, vertex
from gascl.communities.pictures import _colors, history, particles
from gascl.communities.tracking import track
from gascl.programs import PageRank, ParticleCommunities

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
            engine.run(ParticleCommunities(), max_supersteps=1, not_converged="ignore"),
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
    with pytest.raises(GasclError, match="needs at least one moment"):
        history(iter([]))
