"""Pictures of graphs: what is drawn where, and what is refused."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from support.samples import random_graph

import gascl
from gascl import Engine, GasclError, Graph, drawing, generators
from gascl.programs import ConnectedComponents, ForceLayout, PageRank

matplotlib = pytest.importorskip("matplotlib", reason="pictures need matplotlib")
matplotlib.use("Agg")
pyplot = pytest.importorskip("matplotlib.pyplot")

SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def ring(directed: bool = False) -> Graph:
    return Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], labels=list("abcd"), directed=directed)


def vertices(ax):
    """The scattered points."""
    ax.figure.canvas.draw()
    return ax.collections[-1]


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.texts if text.get_text()]


def test_places_edges_and_labels():
    ax = gascl.draw(ring(), position=SQUARE)
    assert vertices(ax).get_offsets().tolist() == SQUARE
    lines = [line.tolist() for line in ax.collections[0].get_segments()]
    assert lines == [[SQUARE[i], SQUARE[(i + 1) % 4]] for i in range(4)]
    assert texts(ax) == list("abcd")
    assert texts(gascl.draw(ring(), position=SQUARE, labels=False)) == []
    assert texts(gascl.draw(random_graph(1, directed=False))) == []
    assert len(texts(gascl.draw(random_graph(1, directed=False), labels=True))) == 64


def test_labels_are_beside_their_vertices():
    """None lies on its vertex, nor on an edge to a neighbor, where there is room."""
    star = Graph.from_edges(["hub"] * 3, ["east", "north", "west"], directed=False)
    ax = gascl.draw(star, position=[[2, 0], [0, 0], [0, 2], [-2, 0]], size=400)
    points = vertices(ax).get_offsets()
    for text, point in zip(ax.texts, ax.transData.transform(points), strict=True):
        box = text.get_window_extent()
        nearest = np.clip(point, [box.x0, box.y0], [box.x1, box.y1])
        radius = np.sqrt(400) / 2 * ax.figure.dpi / 72
        assert np.hypot(*(nearest - point)) > radius, text.get_text()
    at = {text.get_text(): text.xyann for text in ax.texts}
    assert at["east"][0] > 10 and at["west"][0] < -10 and at["north"][1] > 10
    assert at["hub"][1] < -10, "there is no edge below"
    alone = gascl.draw(Graph.from_edges([], [], num_vertices=1), position=[[0, 0]])
    assert alone.texts[0].xyann[1] > 0 == alone.texts[0].xyann[0]


def test_labels_leave_heads_of_arrows_free():
    """One vertex has arrows from all sides, where the label used to be above it."""
    turns = np.array([90, 210, 330]) / 180 * np.pi
    at = np.vstack([[0, 0], np.stack([np.cos(turns), np.sin(turns)], axis=1)])
    graph = Graph.from_edges(["a", "b", "c"], ["middle"] * 3, labels=["middle", "a", "b", "c"])
    ax = gascl.draw(graph, position=at)
    ax.figure.canvas.draw()
    label = next(text for text in ax.texts if text.get_text() == "middle").get_window_extent()
    arrows = [text.arrow_patch for text in ax.texts if text.arrow_patch]
    assert len(arrows) == 3
    for arrow in arrows:
        # The head is the last part of the path, from one barb by the tip to the other one.
        barbs = arrow.get_transform().transform(arrow.get_path().vertices[-3:])
        assert not any(label.contains(*barb) for barb in barbs)


def test_the_layout_is_that_of_the_program():
    graph = random_graph(1, directed=False)
    expected = Engine(graph).run(ForceLayout(seed=3)).position
    assert np.allclose(vertices(gascl.draw(graph, seed=3)).get_offsets(), expected)


def test_arrows_in_directed_graphs():
    ax = gascl.draw(ring(directed=True), position=SQUARE)
    arrows = [text for text in ax.texts if text.arrow_patch is not None]
    ends = [(list(arrow.xyann), list(arrow.xy)) for arrow in arrows]
    assert ends == [(SQUARE[i], SQUARE[(i + 1) % 4]) for i in range(4)]


def test_an_infinite_number_of_the_first_vertex_is_gray(recwarn):
    color = [np.inf, 1.0, 10.0, 1000.0]
    shades = vertices(gascl.draw(ring(), position=SQUARE, color=color)).get_facecolor()
    assert shades[0][:3] == pytest.approx([0.7] * 3)
    assert len(np.unique(shades, axis=0)) == 4
    assert not recwarn.list


def test_colors():
    graph = ring()
    one = vertices(gascl.draw(graph, position=SQUARE, color="red"))
    assert one.get_facecolor().tolist() == [[1, 0, 0, 1]]
    ax = gascl.draw(graph, position=SQUARE, color=[0.0, 1.0, 2.0, np.nan])
    shades = vertices(ax).get_facecolor()
    assert len(np.unique(shades, axis=0)) == 4
    assert shades[3][:3] == pytest.approx([0.7] * 3), "NaN is gray"
    assert len(ax.figure.axes) == 2, "numbers have a color bar"
    ax = gascl.draw(graph, position=SQUARE, color=[5, 900, 5, -1])
    shades = vertices(ax).get_facecolor().tolist()
    assert shades[0] == shades[2] and len({tuple(s) for s in shades}) == 3
    assert len(ax.figure.axes) == 1, "categories have none"
    legend = ax.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["-1", "5", "900"]
    to_rgba = matplotlib.colors.to_rgba
    dots = [to_rgba(dot.get_color()) for dot in legend.legend_handles]
    assert dots == [tuple(shades[vertex]) for vertex in (3, 0, 1)]
    assert gascl.draw(graph, position=SQUARE, color="red").get_legend() is None
    ax = gascl.draw(graph, position=SQUARE, color=[0, 1, 1, 0], cmap="gray")
    assert vertices(ax).get_facecolor()[:, 0].tolist() == [0, 1, 1, 0], "all of the colormap"


def test_a_legend_is_beside_the_graph_and_names_vertices():
    result = Engine(ring()).run(ConnectedComponents())
    ax = gascl.draw(result, color="component", position=SQUARE)
    ax.figure.canvas.draw()
    legend = ax.get_legend()
    assert legend.get_title().get_text() == "component"
    assert [text.get_text() for text in legend.get_texts()] == ["a"]
    box = legend.get_window_extent()
    assert not any(box.overlaps(text.get_window_extent()) for text in ax.texts)
    assert within(ax.figure.bbox, box)
    numbers = gascl.draw(ring(), position=SQUARE, color=np.arange(4) * 7, ax=pyplot.subplots()[1])
    assert [text.get_text() for text in numbers.get_legend().get_texts()] == ["0", "7", "14", "21"]
    assert within(numbers.figure.bbox, numbers.get_legend().get_window_extent())


def within(outer, inner) -> bool:
    """Whether a box is in another one, but for a pixel."""
    low, high = outer.get_points(), inner.get_points()
    return bool((high[0] >= low[0] - 1).all() and (high[1] <= low[1] + 1).all())


@pytest.mark.parametrize("own", [False, True])
def test_long_labels_are_not_cut_off(own):
    names = ["from the west", "in the middle", "towards the east", "the northernmost"]
    graph = Graph.from_edges(names[:3], names[1:], directed=False)
    at = {names[0]: (-1, 0), names[1]: (0, 0), names[2]: (1, 0), names[3]: (0, 0.1)}
    ax = pyplot.subplots()[1] if own else None
    ax = gascl.draw(graph, position=[at[name] for name in graph.labels.tolist()], ax=ax)
    ax.figure.canvas.draw()
    labels = [text for text in ax.texts if text.get_text()]
    assert len(labels) == 4
    for text in labels:
        assert within(ax.figure.bbox, text.get_window_extent()), text.get_text()
    assert not vertices(ax).get_clip_on()


def test_fields_by_name():
    result = Engine(ring()).run(PageRank(personalization={"a": 1}))
    ax = gascl.draw(result, color="rank", size="rank", position=SQUARE)
    area = vertices(ax).get_sizes()
    assert area / area.sum() == pytest.approx(result.rank / result.rank.sum(), rel=1e-5)
    assert ax.figure.axes[1].get_ylabel() == "rank"
    blocks = generators.stochastic_block_model([5, 5], (0.9, 0.1))
    assert (
        len(np.unique(vertices(gascl.draw(blocks, color="community")).get_facecolor(), axis=0)) == 2
    )
    placed = Engine(ring()).run(ForceLayout())
    assert np.allclose(
        vertices(gascl.draw(placed, position="position")).get_offsets(), placed.position
    )


def test_a_heavy_tail_has_a_logarithmic_scale():
    from matplotlib.colors import LogNorm

    graph = Graph.from_edges([], [], num_vertices=200)
    tail = np.where(np.arange(200) < 198, 1.0, 1000.0)
    assert isinstance(vertices(gascl.draw(graph, color=tail)).norm, LogNorm)
    assert not isinstance(vertices(gascl.draw(graph, color=-tail)).norm, LogNorm)


def test_axes_of_one_s_own_and_small_graphs():
    mine = pyplot.subplots()[1]
    assert gascl.draw(ring(), ax=mine) is mine
    for count in (0, 1, 2):
        gascl.draw(Graph.from_edges([], [], num_vertices=count)).figure.canvas.draw()


def test_many_edges_are_an_image(monkeypatch):
    pytest.importorskip("datashader", reason="images of many edges need datashader")
    monkeypatch.setattr(drawing, "LARGE", 3)
    monkeypatch.setattr(drawing, "PIXELS", 11)
    ax = gascl.draw(ring(), position=SQUARE, color="red")
    image = ax.images[0].get_array()
    there = np.zeros((11, 11), bool)
    there[[0, -1]] = there[:, [0, -1]] = True
    assert np.array_equal(~np.ma.getmaskarray(image), there), "the border of the square"
    assert vertices(ax).get_offsets().tolist() == SQUARE
    gascl.draw(ring(), position=[[0, 0], [1, 0], [2, 0], [3, 0]]).figure.canvas.draw()


def test_without_what_it_needs(monkeypatch):
    monkeypatch.setattr(drawing, "LARGE", 3)
    monkeypatch.setitem(sys.modules, "datashader", None)
    with pytest.raises(
        GasclError, match=r"more than 3 edges needs datashader: pip install 'gascl\[draw]'"
    ):
        gascl.draw(ring())
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(GasclError, match=r"pictures need matplotlib: pip install 'gascl\[plot]'"):
        gascl.draw(ring())


WRONG = [
    ({"color": "rnak"}, "color='rnak' is not a vertex field or a color of matplotlib"),
    ({"color": [1, 2]}, r"color must have one number per vertex, shape \(4,\), not int64 of shape"),
    ({"size": "big"}, r"size='big' is not a vertex field \(available fields: none\)"),
    ({"size": [1, 2, 3, -1]}, "size must be finite and 0 or more"),
    ({"position": [[0, 0]]}, r"position must have two finite numbers per vertex, shape \(4, 2\)"),
    ({"position": [[0, np.nan]] * 4}, "position must have two finite numbers"),
    ({"labels": "yes"}, "labels must be True, False or None, not 'yes'"),
]


@pytest.mark.parametrize(("given", "says"), WRONG)
def test_what_is_refused(given, says):
    with pytest.raises(GasclError, match=says):
        gascl.draw(ring(), **given)


def test_what_is_no_graph():
    with pytest.raises(GasclError, match="draw takes a Graph or a Result, not list"):
        gascl.draw([1, 2])
    result = Engine(ring()).run(PageRank())
    with pytest.raises(GasclError, match=r"color='rnak' .*; did you mean 'rank'"):
        gascl.draw(result, color="rnak")
