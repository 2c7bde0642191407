"""Pictures of graphs: what is drawn where, and what is refused."""

from __future__ import annotations

import base64
import datetime
import json
import re
import shutil
import subprocess
import sys

import numpy as np
import pandas
import pytest
from support.samples import grid, random_graph

import gascl
from gascl import Engine, GasclError, Graph, generators
from gascl.drawing import bundles, colors, edges, picture, spacing
from gascl.programs import BreadthFirst, ConnectedComponents, ForceLayout, Louvain, PageRank

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


def test_a_dollar_is_no_formula():
    """In matplotlib's texts, what stands between two of them is TeX."""
    names = ["$a_$", "$b_$", "$c^$", "$d"]
    graph = Graph.from_edges(names, names[1:] + names[:1], labels=names, name=names)
    ax = gascl.draw(graph, color=names, edge_color="name", edge_labels="name")
    ax.figure.canvas.draw()
    assert sorted(texts(ax)) == sorted(2 * names)
    ax = gascl.draw(graph, color=names, bundle=True, labels=False)
    ax.figure.canvas.draw()
    assert set(texts(ax)) & set(names), "of a disc's hub"


def distances(at) -> np.ndarray:
    """(V, V), of positions."""
    return np.linalg.norm(at[:, None] - at, axis=2)


def test_the_layout_is_that_of_the_program():
    """Turned, and with a little room between vertices."""
    graph = random_graph(1, directed=False)
    expected = distances(Engine(graph).run(ForceLayout(seed=3)).position)
    shown = distances(vertices(gascl.draw(graph, seed=3)).get_offsets())
    assert np.corrcoef(expected.ravel(), shown.ravel())[0, 1] > 0.95


def test_a_layout_fills_its_picture():
    """A rectangle that stands on a corner is turned until it is level, or upright."""
    turn = np.radians(39)
    plane = np.random.default_rng(1).random((2000, 2)) * [10, 6]
    at = plane @ [[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]
    turned = spacing.turned(at, (400, 300))
    assert distances(turned[:50]) == pytest.approx(distances(at[:50]))
    assert np.ptp(turned, axis=0) == pytest.approx([10, 6], rel=0.05)
    assert np.ptp(spacing.turned(at, (300, 400)), axis=0) == pytest.approx([6, 10], rel=0.05)


@pytest.mark.parametrize("size", [None, "degree"])
@pytest.mark.parametrize("seed", [1, 2])
def test_vertices_do_not_overlap(size, seed):
    """In the club they did, and so they do in any picture whose vertices are not moved apart."""
    graph = Graph.dataset("karate") if seed == 1 else random_graph(seed, directed=False)
    size = (1 + graph.degree) ** 2 if size else None
    ax = gascl.draw(graph, size=size, seed=seed)
    shown = vertices(ax)
    points = ax.transData.transform(shown.get_offsets()) * 72 / ax.figure.dpi
    radius = np.broadcast_to(np.sqrt(shown.get_sizes()) / 2, len(points))
    gap = distances(points) - radius - radius[:, None]
    np.fill_diagonal(gap, 1)
    assert gap.min() > -0.1, "points"
    if size is not None:
        assert shown.get_sizes() / size == pytest.approx(shown.get_sizes()[0] / size[0])


def test_vertices_at_given_positions_are_made_smaller():
    at = np.array([[0, 0], [1, 0], [1.02, 0], [4, 3]])
    ax = gascl.draw(ring(), position=at, size=[1, 1, 4, 9])
    shown = vertices(ax)
    assert shown.get_offsets().tolist() == at.tolist()
    points = ax.transData.transform(at) * 72 / ax.figure.dpi
    radius = np.sqrt(shown.get_sizes()) / 2
    assert radius[1] + radius[2] <= distances(points)[1, 2] + 0.1
    same = gascl.draw(ring(), position=[[0, 0], [0, 0], [1, 0], [1, 1]])
    assert vertices(same).get_sizes()[0] > 20, "those at one place are no reason to hide the rest"


def test_edges_can_be_seen():
    """In a grid of 40 x 40 they were 0.16 points wide, and below vertices that touched."""
    ax = gascl.draw(grid(40, 40))
    lines = ax.collections[0]
    assert min(lines.get_linewidths()) >= 0.4
    red, green, blue, opacity = lines.get_edgecolors()[0]
    assert opacity * (1 - max(red, green, blue)) > 0.2, "as dark as a line must be on white"
    points = ax.transData.transform(vertices(ax).get_offsets()) * 72 / ax.figure.dpi
    between = np.sort(distances(points), axis=1)[:, 1]
    assert np.median(between) > 1.3 * np.sqrt(vertices(ax).get_sizes()[0]), "half is edge"


def test_edges_take_columns():
    graph = Graph.from_edges(
        [0, 1, 2, 3], [1, 2, 3, 0], directed=False, km=[1.0, 2.0, 4.0, 0.0], kind=[7, 8, 7, 8]
    )
    ax = gascl.draw(graph, position=SQUARE, edge_width="km", edge_color="kind", edge_labels="km")
    lines = ax.collections[0]
    order = [2, 1, 0, 3]  # wide ones first, below others
    assert [line.tolist() for line in lines.get_segments()] == [
        [SQUARE[i], SQUARE[(i + 1) % 4]] for i in order
    ]
    assert list(lines.get_linewidths()) == pytest.approx([4, 2, 1, 0.4]), "0 can be seen"
    one, two = (matplotlib.colors.to_rgba(color) for color in colors.PALETTE[:2])
    assert [tuple(shade) for shade in lines.get_edgecolors()] == [one, two, one, two]
    legend = ax.get_legend()
    assert legend.get_title().get_text() == "kind"
    assert [text.get_text() for text in legend.get_texts()] == ["7", "8"]
    assert texts(ax) == ["1", "2", "4", "0", "0", "1", "2", "3"]
    both = gascl.draw(graph, position=SQUARE, color=list("xyxy"), edge_color=list("abab"))
    both.figure.canvas.draw()
    shown = [each for each in both.get_children() if isinstance(each, matplotlib.legend.Legend)]
    assert [[t.get_text() for t in each.get_texts()] for each in shown] == [["x", "y"], ["a", "b"]]
    assert not shown[0].get_window_extent().overlaps(shown[1].get_window_extent())
    ax = gascl.draw(graph, position=SQUARE, edge_color="km", edge_width=2)
    assert ax.figure.axes[1].get_ylabel() == "km" and set(ax.collections[0].get_linewidths()) == {2}
    arrows = Graph.from_edges([0, 1], [1, 2], w=[1.0, 2.0])
    drawn = gascl.draw(arrows, edge_width="w", edge_color="red").texts
    patches = [text.arrow_patch for text in drawn if text.arrow_patch is not None]
    assert [patch.get_linewidth() for patch in patches] == [2, 4]
    assert patches[0].get_edgecolor()[:3] == (1, 0, 0)


def test_arrows_in_directed_graphs():
    ax = gascl.draw(ring(directed=True), position=SQUARE)
    arrows = [text for text in ax.texts if text.arrow_patch is not None]
    ends = [(list(arrow.xyann), list(arrow.xy)) for arrow in arrows]
    assert ends == [(SQUARE[i], SQUARE[(i + 1) % 4]) for i in range(4)]


def test_an_infinite_number_of_the_first_vertex_is_gray(recwarn):
    color = [np.inf, 1.0, 10.0, 1000.0]
    shades = vertices(gascl.draw(ring(), position=SQUARE, color=color)).get_facecolor()
    assert shades[0][:3] == pytest.approx([0.72] * 3)
    assert len(np.unique(shades, axis=0)) == 4
    assert not recwarn.list


def test_colors():
    graph = ring()
    one = vertices(gascl.draw(graph, position=SQUARE, color="red"))
    assert one.get_facecolor().tolist() == [[1, 0, 0, 1]]
    ax = gascl.draw(graph, position=SQUARE, color=[0.0, 1.0, 2.0, np.nan])
    shades = vertices(ax).get_facecolor()
    assert len(np.unique(shades, axis=0)) == 4
    assert shades[3][:3] == pytest.approx([0.72] * 3), "NaN is gray"
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


def test_the_colors_of_categories_are_distinguishable():
    """In Lab, a difference of 2.3 is just noticeable; small dots need far more than patches."""
    rgb = np.array([matplotlib.colors.to_rgb(c) for c in (*colors.PALETTE, colors.GRAY, "white")])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    x, y, z = np.cbrt(linear @ to_xyz.T / to_xyz.sum(axis=1)).T
    lab = np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)
    far = distances(lab)
    np.fill_diagonal(far, np.inf)
    assert len(colors.PALETTE) == 20 and far.min() > 18


def test_more_categories_than_colors():
    """They had a continuous color bar with ticks 2.5 and 17.5."""
    sizes = [3] * 10 + [2] * 10 + [5] * 5
    group = np.repeat(np.arange(25), sizes)
    graph = Graph.from_edges([], [], num_vertices=len(group))
    at = np.random.default_rng(1).random((len(group), 2))
    for color in (group.astype(str), [None if i == 3 else f"g{i}" for i in group]):
        ax = gascl.draw(graph, position=at, color=color)
        assert len(ax.figure.axes) == 1
        entries = [text.get_text() for text in ax.get_legend().get_texts()]
        there = 25 if color[9] is not None else 24
        assert len(entries) == 21 and entries[-1] == f"{there - 20} more"
        assert [name.strip("g") for name in entries[:5]] == ["20", "21", "22", "23", "24"], (
            "largest"
        )
        shades = vertices(ax).get_facecolor()
        gray = matplotlib.colors.to_rgb(colors.GRAY)
        shown = {name.strip("g") for name in entries[:-1]}
        for value, shade in zip(group, shades, strict=True):
            assert (tuple(shade[:3]) == gray) == (str(value) not in shown)


def test_communities_are_categories_however_many():
    graph = generators.stochastic_block_model([3] * 30, (1.0, 0.0))
    ax = gascl.draw(Engine(graph).run(Louvain()), color="community")
    assert [text.get_text() for text in ax.get_legend().get_texts()][-1] == "10 more"


def test_what_a_program_counts_has_shades():
    """Depths are integers with an order; those that are not reached are gray."""
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], num_vertices=5)
    at = [[x, 0] for x in range(5)]
    ax = gascl.draw(Engine(graph).run(BreadthFirst(source=0)), color="depth", position=at)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0", "1", "2", "3"]
    shades = vertices(ax).get_facecolor()
    light = shades[:4, :3].sum(axis=1)
    assert (np.diff(light) > 0).all(), "viridis gets lighter"
    assert shades[4, :3] == pytest.approx([0.72] * 3)


def test_legends_fit_small_pictures():
    """Of 21 entries, one column would be higher than the figure, with no room for the graph."""
    group = np.repeat(np.arange(30), 2).astype(str)
    graph = Graph.from_edges(range(59), range(1, 60), num_vertices=60, directed=False)
    ax = pyplot.subplots(figsize=(3.2, 2.6), layout="constrained")[1]
    gascl.draw(graph, color=group, labels=False, ax=ax)
    ax.figure.canvas.draw()
    assert within(ax.figure.bbox, ax.get_legend().get_window_extent())
    assert ax.bbox.width > 0.3 * ax.figure.bbox.width


def test_two_legends_are_not_cut_off():
    """The first of them had no room."""
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], urgent=[True, False, True])
    ax = pyplot.subplots(figsize=(4.5, 3), layout="constrained")[1]
    teams = ["Finance and Purchasing", "Sales", "Legal", "Sales"]
    gascl.draw(graph, color=teams, edge_color="urgent", ax=ax)
    ax.figure.canvas.draw()
    legends = ax.findobj(matplotlib.legend.Legend)
    assert len(legends) == 2
    for legend in legends:
        assert within(ax.figure.bbox, legend.get_window_extent())


def test_columns_of_texts_and_bools_are_categories():
    graph = Graph.from_edges(
        [0, 1, 2, 3], [1, 2, 3, 0], kind=["bus", "tram", "bus", "tram"],
        vertex_fields={"team": ["red", "blue", "red", None], "old": [True, False, True, True]},
    )  # fmt: skip
    for name, entries in (("team", ["blue", "red"]), ("old", ["False", "True"])):
        for what in (graph, Engine(graph).run(PageRank())):
            legend = gascl.draw(what, color=name, position=SQUARE).get_legend()
            assert [text.get_text() for text in legend.get_texts()] == entries
    ax = gascl.draw(graph, edge_color="kind", edge_labels="kind", position=SQUARE, labels=False)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["bus", "tram"]
    assert texts(ax) == ["bus", "tram", "bus", "tram"]


def journeys(unit: str = "s", zone: str = "") -> Graph:
    """A ring with texts and times, the last of each missing."""
    days = [f"2024-05-0{day}T08:30:00" for day in (1, 3, 4)]
    when = np.array([*days, "NaT"], f"M8[{unit}]")
    if zone:
        moments = [datetime.datetime.fromisoformat(day + zone) for day in days]
        when = np.array([*moments, None], object)
    kind = np.array(["bus", "tram", "bus", None], object)
    return Graph.from_edges(
        [0, 1, 2, 3], [1, 2, 3, 0], directed=False, kind=kind, when=when, km=[1.0, 2.0, np.nan, 3],
        vertex_fields={"city": kind, "since": when, "old": [1, 2, 3, 4]},
    )  # fmt: skip


def test_labels_of_texts_and_times():
    """A missing text was None, and times were counts of seconds."""
    for graph, end in ((journeys(), ""), (journeys(zone="+02:00"), "Z")):
        shown = gascl.draw(graph, edge_labels="when", labels=False, position=SQUARE)
        hour = "06" if end else "08"
        assert texts(shown) == [f"2024-05-0{day} {hour}:30{end}" for day in (1, 3, 4)]
    for name, labels in (("kind", ["bus", "tram", "bus"]), ("km", ["1", "2", "3"])):
        for given in (name, graph.edges[name]):
            shown = gascl.draw(graph, edge_labels=given, labels=False, position=SQUARE)
            assert texts(shown) == labels
    shown = gascl.draw(graph, edge_labels=np.array(["2024-05-01", "NaT"] * 2, "M8[D]"))
    assert texts(shown).count("2024-05-01") == 2
    trips = np.array(["2024-05-01T08:10:20", "2024-05-01T09:00", "NaT", "NaT"], "M8[s]")
    assert texts(gascl.draw(graph, edge_labels=trips, labels=False)) == ["08:10:20", "09:00:00"]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize(
    ("first", "second", "labels"),
    [
        ("2024-05-01T08:10", "2024-05-01T09:00", ["08:10", "09:00"]),
        ("2024-05-01T00:00", "2024-05-02T00:00", ["2024-05-01", "2024-05-02"]),
        ("2024-05-01T00:00", "2024-05-01T00:00", ["2024-05-01"] * 2),
        ("2024-05-01T08:10", "2024-05-02T08:10:20", ["2024-05-01 08:10:00", "2024-05-02 08:10:20"]),
    ],
)
def test_labels_of_times_have_no_zeros_that_all_have(unit, first, second, labels):
    """Columns of pandas count microseconds, most of which are 0."""
    graph = journeys()
    times = np.array([first, second, "NaT", "NaT"], f"M8[{unit}]")
    assert texts(gascl.draw(graph, edge_labels=times, labels=False, position=SQUARE)) == labels


def paths(ax):
    """The points of the curves of arrows, or of the lines of edges."""
    arrows = [text.arrow_patch for text in ax.texts if text.arrow_patch is not None]
    if arrows:
        ax.figure.draw_without_rendering()
        return [arrow.get_path().vertices[:3] for arrow in arrows]
    return [path.vertices for path in ax.collections[0].get_paths()]


@pytest.mark.parametrize("directed", [True, False])
def test_edges_between_the_same_vertices_do_not_cover_each_other(directed):
    ends = [0, 1, 0, 0, 1, 2], [1, 0, 1, 1, 2, 3]
    ax = gascl.draw(Graph.from_edges(*ends, directed=directed), position=SQUARE)
    drawn = paths(ax)
    # The first four join the first two vertices, and are as far from each other as can be seen.
    middles = [path[len(path) // 2] for path in drawn[:4]]
    length = np.hypot(*(drawn[4][-1] - drawn[4][0]))
    apart = [np.hypot(*(a - b)) for n, a in enumerate(middles) for b in middles[:n]]
    assert min(apart) > 0.1 * length
    for path in drawn[4:]:  # straight
        (x, y), (u, v) = path[len(path) // 2] - path[0], path[-1] - path[0]
        assert abs(x * v - y * u) < 1e-6 * length**2
    many = edges.bends(Graph.from_edges([0] * 40, [1] * 40))
    assert np.ptp(many) == pytest.approx(edges.TOGETHER) and len(np.unique(many)) == 40
    assert edges.bends(Graph.from_edges([], [])).tolist() == []


def test_ordered_categories_have_shades_in_their_order():
    kind = pandas.CategoricalDtype(["low", "medium", "high"], ordered=True)
    crowding = pandas.Series(["high", "low", "medium", None], dtype=kind)
    graph = ring().with_edge_fields(crowding=crowding).with_vertex_fields(crowding=crowding)
    ax = gascl.draw(graph, position=SQUARE, color="crowding", edge_color="crowding")
    shades = matplotlib.colormaps["viridis"]([1.0, 0.0, 0.5])
    gray = matplotlib.colors.to_rgba(colors.GRAY)
    assert np.allclose(ax.collections[0].get_edgecolors(), [*shades, gray])
    assert np.allclose(vertices(ax).to_rgba(vertices(ax).get_array()), [*shades, gray])
    legend = ax.get_legend().get_texts()
    assert [text.get_text() for text in legend] == ["low", "medium", "high"]


def test_labels_from_a_column():
    names = ["Ann Lee", "Bo", None, "Di"]
    graph = Graph.from_edges([0, 1], [1, 2], num_vertices=4, vertex_fields={"name": names})
    for given in ("name", np.array(names, object)):
        assert texts(gascl.draw(graph, labels=given, position=SQUARE)) == ["Ann Lee", "Bo", "Di"]
    assert '"labels":["Ann Lee",' in gascl.draw(graph, labels="name", interactive=True).html
    with pytest.raises(GasclError, match="labels must have one"):
        gascl.draw(graph, labels=["a"])


def test_positions_from_two_columns():
    across, up = np.transpose(SQUARE)
    graph = ring().with_vertex_fields(lon=across, lat=up, name=list("abcd"))
    ax = gascl.draw(graph, position=("lon", "lat"))
    assert vertices(ax).get_offsets().tolist() == SQUARE
    for wrong, words in (
        (("lon", "la"), "position='la' is not a"),
        (("lon", "name"), "field of texts"),
    ):
        with pytest.raises(GasclError, match=words):
            gascl.draw(graph, position=wrong)


def test_self_loops_are_circles_above_their_vertices():
    graph = Graph.from_edges([0, 1, 1, 1], [1, 1, 1, 2], num_vertices=4, name=list("abcd"))
    ax = gascl.draw(graph, position=SQUARE, edge_labels="name", edge_color="name")
    loops = ax.collections[0]
    at = ax.transData.transform(loops.get_offsets())
    assert (loops.get_offsets() == SQUARE[1]).all() and len(at) == 2
    points = ax.figure.dpi / 72
    boxes = [path.get_extents() for path in loops.get_paths()]
    tall = np.sqrt(loops.get_sizes()) * boxes[0].y1
    assert boxes[0].y0 == pytest.approx(0) and tall[1] == tall[0] + edges.LOOPS
    labels = {text.get_text(): text for text in ax.texts if text.get_text()}
    ax.figure.draw_without_rendering()
    label = labels["c"].get_window_extent()
    high = ax.transData.transform(SQUARE[1])[1] + tall[1] * points
    assert (label.y0 + label.y1) / 2 == pytest.approx(high, abs=3)
    page = gascl.draw(graph, position=SQUARE, interactive=True).html
    assert '"bend"' not in page


@pytest.mark.parametrize("unit", ["s", "ns"])
def test_times_have_a_color_bar_of_dates(unit, recwarn):
    """They were counts, of which a missing one is so far below all others that these were alike."""
    graph = journeys(unit)
    for what in ({"color": "since"}, {"color": graph.vertices["since"]}):
        ax = gascl.draw(graph, position=SQUARE, **what)
        shades = vertices(ax).get_facecolor()
        assert len(np.unique(shades, axis=0)) == 4
        assert shades[3][:3] == pytest.approx([0.72] * 3), "no time is gray"
        bar = ax.figure.axes[1].yaxis
        written = " ".join(text.get_text() for text in bar.get_ticklabels())
        assert "02" in written and "2024-May" in bar.get_offset_text().get_text() + written
    edges = gascl.draw(graph, position=SQUARE, edge_color="when").collections[0].get_edgecolors()
    assert len(np.unique(edges, axis=0)) == 4
    data = data_of(gascl.draw(graph, color="since", interactive=True))
    assert data["values"][0] == "since: 2024-05-01T08:30:00" and data["values"][3] == ""
    assert data["legends"][0]["ends"] == ["2024-05-01T08:30:00", "2024-05-04T08:30:00"]
    for moments in (["2024-05-01"] * 4, ["NaT"] * 4, ["0001-01-01", "9999-12-31"] * 2):
        gascl.draw(graph, color=np.array(moments, "M8[s]")).figure.canvas.draw()
    with pytest.raises(GasclError, match="0001 to 9999, and the times are from 2024 to 20000: is"):
        gascl.draw(graph, color=np.array(["2024", "NaT", "20000", "2025"], "M8[Y]"))
    assert not recwarn.list


@pytest.mark.parametrize("name", ["size", "edge_width"])
def test_texts_and_times_are_no_quantities(name):
    """Codes of texts were drawn as such."""
    fields = ("city", "text"), ("since", "time")
    if name == "edge_width":
        fields = ("kind", "text"), ("when", "time")
    number = "old" if name == "size" else "km"
    for field, kind in fields:
        says = (
            rf"{name}='{field}' is a field of {kind}s, not of numbers \(fields of numbers: {number}"
        )
        with pytest.raises(GasclError, match=says):
            gascl.draw(journeys(), **{name: field})


def test_color_bars_have_round_ticks():
    graph = Graph.from_edges([], [], num_vertices=200)
    at = np.random.default_rng(1).random((200, 2))
    for color in (np.arange(200) % 37, np.linspace(0.0123, 0.0987, 200)):
        bar = gascl.draw(graph, color=color, position=at).figure.axes[1]
        bar.figure.canvas.draw()
        low, high = color.min(), color.max()
        ticks = [tick for tick in bar.get_yticks() if low <= tick <= high]
        assert len(ticks) >= 3
        for tick in ticks:
            digits = f"{abs(tick):.3e}".partition("e")[0].rstrip("0")
            assert len(digits) <= 3, tick  # such as 2. or 2.5
            assert color.dtype.kind == "f" or tick == int(tick)


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
        empty = Graph.from_edges([], [], num_vertices=count)
        for bundle in (None, True):
            gascl.draw(empty, bundle=bundle).figure.canvas.draw()
            assert data_of(gascl.draw(empty, bundle=bundle, interactive=True))["src"].size == 0
    same = gascl.draw(ring(), position=np.zeros((4, 2)))
    same.figure.canvas.draw()
    for size in ([0, 0, 0, 0], [0, 0, 1, 5]):
        assert np.isfinite(vertices(gascl.draw(ring(), size=size)).get_offsets()).all()
    triangle = Graph.from_edges([0, 1, 2], [1, 2, 0], directed=False)
    assert "1 communities" not in texts(gascl.draw(triangle, bundle=True))[-1]


def test_many_edges_are_an_image(monkeypatch):
    monkeypatch.setattr(picture, "LARGE", 3)
    monkeypatch.setattr(edges, "PIXELS", 11)
    ax = gascl.draw(ring(), position=SQUARE, color="red")
    image = ax.images[0].get_array()
    there = np.zeros((11, 11), bool)
    there[[0, -1]] = there[:, [0, -1]] = True
    assert np.array_equal(~np.ma.getmaskarray(image), there), "the border of the square"
    assert vertices(ax).get_offsets().tolist() == SQUARE
    assert "4 edges as an image: darker where more cross" in texts(ax)
    gascl.draw(ring(), position=[[0, 0], [1, 0], [2, 0], [3, 0]]).figure.canvas.draw()


def test_an_image_counts_edges(monkeypatch):
    """A star of 7 rays, and a sample of its edges."""
    monkeypatch.setattr(edges, "PIXELS", 21)
    graph = Graph.from_edges([0] * 7, range(1, 8), directed=False)
    turns = np.arange(7) * 2 * np.pi / 7
    at = np.vstack([[0, 0], np.stack([np.cos(turns), np.sin(turns)], axis=1)])
    counts, (left, right, _, _), taken = edges.density(graph, at)
    assert taken == 7 and (left, right) == pytest.approx((at[:, 0].min(), 1))
    assert counts.max() == 7 and (counts > 0).sum() > 7 * 7
    monkeypatch.setattr(edges, "POINTS", 30)
    assert 0 < edges.density(graph, at)[2] < 7


def tangle() -> Graph:
    return generators.stochastic_block_model([40, 30, 20, 5], (0.3, 0.02), seed=2)


def test_a_tangle_is_bundled(monkeypatch):
    graph = tangle()
    monkeypatch.setattr(picture, "LARGE", graph.num_edges - 1)
    ax = gascl.draw(graph, color="community")
    (caption,) = [text for text in texts(ax) if "edges" in text]
    assert caption.startswith(f"{graph.num_edges:,} edges, bundled between ")
    assert len(vertices(ax).get_offsets()) == graph.num_vertices
    monkeypatch.setattr(picture, "LARGE", 100)
    assert "as an image" in texts(gascl.draw(grid(30, 30)))[-1], "a mesh is no tangle"
    assert gascl.draw(graph, bundle=False).images, "unless one wants an image"


def test_bundles_by_hand():
    """Two triangles and a pair, joined by three edges and one; and a vertex alone."""
    src = [0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 5]
    dst = [1, 2, 0, 4, 5, 3, 7, 3, 4, 5, 6]
    graph = Graph.from_edges(src, dst, num_vertices=9, directed=False)
    found = bundles.bundled(graph, np.array([4, 4, 4, 2, 2, 2, 7, 7, 9]), 0, None)
    pairs = {tuple(sorted(found.group[[u, v]])) for u, v in ((0, 3), (5, 6))}
    assert {tuple(pair) for pair in found.ends.tolist()} == pairs
    assert sorted(found.many.tolist()) == [1, 3] and found.left_out == 0
    assert np.bincount(found.group).tolist() == [3, 3, 2, 1], "the largest first"
    assert found.hubs[found.group[5]] == 5
    far = np.linalg.norm(found.at - found.center[found.group], axis=1)
    assert (far + 0.5 < found.radius[found.group] + 0.01).all(), "each in its disc"
    gap = distances(found.center) - found.radius - found.radius[:, None]
    assert gap[~np.eye(4, dtype=bool)].min() > -0.01, "no two discs overlap"
    assert distances(found.at)[~np.eye(9, dtype=bool)].min() > 0.5, "no two vertices"
    assert found.caption(graph) == "11 edges, bundled between 4 communities"


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(GasclError, match=r"pictures need matplotlib: pip install 'gascl\[plot]'"):
        gascl.draw(ring())


WRONG = [
    ({"color": "rnak"}, "color='rnak' is not a vertex field or a color of matplotlib"),
    ({"color": [1, 2]}, r"color must have one value per vertex, shape \(4,\), not int64 of shape"),
    ({"labels": ["a"]}, r"labels must have one value per vertex, shape \(4,\), not <U1 of shape"),
    ({"size": "big"}, r"size='big' is not a vertex field \(available fields: none\)"),
    (
        {"size": [1, 2, 3, -1]},
        "size must be finite and 0 or more for every vertex, and vertex 'd' has -1",
    ),
    ({"position": [[0, 0]]}, r"position must have two numbers per vertex, shape \(4, 2\), not"),
    (
        {"position": [[0, 1], [0, np.nan]] * 2},
        r"must be finite for every vertex, and vertex 'b' has \[",
    ),
    ({"edge_width": "km"}, r"edge_width='km' is not an edge field \(available fields: none\)"),
    ({"edge_color": "km"}, "edge_color='km' is not an edge field or a color of matplotlib"),
    ({"edge_width": [1, 2]}, r"edge_width must have one number per edge, shape \(4,\), not int64"),
    ({"edge_width": [1, 2, 3, -1]}, "edge_width must be finite and 0 or more for every edge"),
    ({"edge_labels": ["a"]}, r"edge_labels must have one value per edge, shape \(4,\)"),
    ({"bundle": True, "position": SQUARE}, "bundle places the vertices: leave out position"),
    ({"labels": "yes"}, "labels='yes' is not a vertex field"),
    ({"labels": 5}, "labels must be True, False, or the name of a vertex field or an array, not 5"),
]


@pytest.mark.filterwarnings("error")
def test_what_is_meant():
    """Fields of edges, components of arrays, and bundles of a graph without weights."""
    graph = ring().with_edge_fields(urgent=[1, 0, 1, 0])
    graph = graph.with_vertex_fields(at=np.arange(8.0).reshape(4, 2))
    with pytest.raises(GasclError, match="but a field of edges: give edge_color='urgent'"):
        gascl.draw(graph, color="urgent")
    with pytest.raises(GasclError, match=r"as size=graph\.vertex_fields\['at'\]\[:, 0\]"):
        gascl.draw(graph, size="at")
    gascl.draw(graph, bundle=True)


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


# Pages --------------------------------------------------------------------------------------------


def data_of(page) -> dict:
    """What a page's script draws, with its arrays unpacked."""
    data = json.loads(re.search(r"const data = (.*);\n", page.html)[1])
    for name, kind in (("at", "<f4"), ("radius", "<f4"), ("src", "<i4"), ("dst", "<i4")):
        data[name] = np.frombuffer(base64.b64decode(data[name]), kind)
    for name in ("color", "edgeColors"):
        if name in data:
            of = np.frombuffer(base64.b64decode(data[name]["of"]), "<i4")
            data[name] = [data[name]["colors"][i] for i in of]
    return data


def test_a_page_needs_no_network(tmp_path):
    graph = Graph.from_edges(["a</script>", "b"], ["b", "c & d"], w=[1.0, 2.0])
    page = gascl.draw(graph, color=["x", "y", "x"], edge_width="w", interactive=True)
    assert repr(page) == "Page(3 vertices, 2 edges)"
    page.save(tmp_path / "graph.html")
    text = (tmp_path / "graph.html").read_text("utf-8")
    assert text == page.html and text.startswith("<!DOCTYPE html>")
    assert not re.search(r"https?:|<link|@import|\burl\(|\bsrc=", text)
    assert text.count("</script>") == 1, "no label ends the script"
    assert data_of(page)["labels"] == ["a</script>", "b", "c & d"]
    assert "srcdoc" in page._repr_html_()
    for name, message in (("graph.svg", "must end in .html"), ("no/graph.html", "no folder")):
        with pytest.raises(GasclError, match=message):
            page.save(tmp_path / name)


def test_what_a_page_shows():
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], directed=False, kind=[0, 1, 0, 1])
    result = Engine(graph).run(BreadthFirst(source=0))
    data = data_of(
        gascl.draw(result, color="depth", position=SQUARE, edge_color="kind", interactive=True)
    )
    at = data["at"].reshape(-1, 2) * [1, -1]  # from above
    assert distances(at) / distances(at)[0, 1] == pytest.approx(distances(np.array(SQUARE)))
    assert data["src"].tolist() == [0, 1, 2, 3] and data["dst"].tolist() == [1, 2, 3, 0]
    assert data["values"] == ["depth: 0", "depth: 1", "depth: 2", "depth: 1"]
    assert data["color"][1] == data["color"][3] and len(set(data["color"])) == 3
    assert data["edgeColors"] == [colors.PALETTE[0], colors.PALETTE[1]] * 2
    depth, kind = data["legends"]
    assert (depth["title"], depth["names"], kind["names"]) == ("depth", ["0", "1", "2"], ["0", "1"])
    assert depth["colors"] == [data["color"][i] for i in (0, 1, 2)]
    number = data_of(gascl.draw(graph, color=[0.5, 1.0, np.nan, 2.0], interactive=True))
    assert number["legends"][0]["ends"] == ["0.5", "2"]
    assert number["values"] == ["value: 0.5", "value: 1", "", "value: 2"]


def test_a_page_of_bundles():
    graph = tangle()
    page = gascl.draw(graph, color="community", bundle=True, interactive=True)
    data = data_of(page)
    centers = np.frombuffer(base64.b64decode(data["discs"]), "<f4").reshape(-1, 2)
    radius = np.frombuffer(base64.b64decode(data["discRadius"]), "<f4")
    far = np.linalg.norm(data["at"].reshape(-1, 1, 2) - centers, axis=2)
    assert ((far + data["radius"][:, None] < radius + 0.01).sum(axis=1) == 1).all(), "in one disc"
    assert "bundled between" in data["about"]


def test_pages_that_are_refused(monkeypatch):
    with pytest.raises(GasclError, match="an interactive page has no Axes"):
        gascl.draw(ring(), interactive=True, ax=pyplot.subplots()[1])
    monkeypatch.setattr("gascl.drawing.page.VERTICES", 3)
    with pytest.raises(GasclError, match="the graph has 4 vertices and 4 edges, and a page shows"):
        gascl.draw(ring(), interactive=True)
    monkeypatch.undo()
    monkeypatch.setattr("gascl.drawing.page.EDGES", 3)
    for bundle in (False, True):
        with pytest.raises(GasclError, match="4 edges, and a page shows up to 200,000 and 3: draw"):
            gascl.draw(ring(), bundle=bundle, interactive=True)


def test_the_script_of_a_page_runs(tmp_path):
    """In Node, with a canvas that counts what is drawn."""
    node = shutil.which("node")
    if not node:
        pytest.skip("Node is not installed")
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0], labels=["anna", "bob", "carl"], w=[1, 2, 3])
    page = gascl.draw(
        graph, edge_width="w", edge_labels="w", color=["x", "y", "y"], interactive=True
    )
    script = re.search(r"<script>(.*)</script>", page.html, re.S)[1]
    (tmp_path / "page.js").write_text(BROWSER + script + EVENTS)
    done = subprocess.run([node, tmp_path / "page.js"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, near, found, zoomed = json.loads(done.stdout)
    assert first["arc"] == 3 and first["stroke"] >= 6, "3 vertices, 3 edges and their rims"
    assert {"anna", "bob", "carl", "1", "2", "3"} <= set(first["texts"])
    assert near["tip"] == "anna\nvalue: x\n2 edges"
    assert found["arc"] == 4, "a ring around what was searched"
    assert zoomed["radius"] > 1.2 * first["radius"]


BROWSER = """
const tally = { arc: 0, stroke: 0, texts: [], radius: 0 };
const fake = new Proxy({}, { get: (_, name) => (...given) => {
  if (name === "arc") { tally.arc++; tally.radius = given[2]; }
  if (name === "stroke") tally.stroke++;
  if (name === "fillText") tally.texts.push(given[0]);
}, set: () => true });
const made = () => {
  const listeners = {};
  return { style: {}, children: [], listeners, getContext: () => fake, offsetWidth: 9,
    addEventListener: (name, act) => { listeners[name] = act; }, setPointerCapture() {},
    append() {}, appendChild(child) { this.children.push(child); return child; } };
};
const parts = {};
globalThis.document = { querySelector: name => parts[name] ??= made(), createElement: made };
globalThis.innerWidth = 800; globalThis.innerHeight = 600; globalThis.window = globalThis;
globalThis.addEventListener = () => {}; globalThis.requestAnimationFrame = act => act();
"""
EVENTS = """
const shots = [], look = () => {
  shots.push({ ...tally, tip: tip.textContent });
  Object.assign(tally, { arc: 0, stroke: 0, texts: [] });
};
look();
const place = { offsetX: X(0), offsetY: Y(0) };
canvas.listeners.pointermove(place); look();
canvas.listeners.pointerleave(); look();
shots.pop();
search.value = "Bob"; search.listeners.input(); look();
search.value = ""; search.listeners.input();
Object.assign(tally, { arc: 0, stroke: 0, texts: [] });
canvas.listeners.wheel({ ...place, deltaY: -500, preventDefault() {} }); look();
console.log(JSON.stringify(shots));
"""
