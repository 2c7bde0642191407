"""`draw`: a picture of a graph, by matplotlib or as a page for browsers."""

from __future__ import annotations

from dataclasses import dataclass, field
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np

from gascl.drawing import spacing
from gascl.drawing.arguments import (
    Drawn,
    color_of,
    colors_of,
    edges_of,
    fields_of,
    graph_of,
    positions_of,
    size_of,
    texts_of,
)
from gascl.drawing.bundles import Bundles, bundled, draw_bundles, draw_names, is_tangled
from gascl.drawing.colors import Colors, draw_keys
from gascl.drawing.edges import LARGE, EdgeLook, draw_density, draw_lines
from gascl.drawing.labels import draw_labels, make_room
from gascl.drawing.page import Page, graph_page
from gascl.errors import GasclError, check_flags
from gascl.graph.graph import Graph
from gascl.results.plots import pyplot

#: The radius of vertices, in points, at most; as a part of the distance between neighbors in the
#: picture; and as a part of the side of the square that there is for each.
RADIUS, OF_NEAREST, OF_ROOM = 6.0, 0.3, 0.11
#: Of the room of the axes, how much vertices fill, without their margins; and the margin on each
#: side, as a part of what vertices fill. Self-loops need two.
FILLED, MARGIN = 0.9, 0.05
#: The width of a caption's letter, in points.
LETTER = 4.5


def draw(
    what: Drawn,
    *,
    color: Any = None,
    size: Any = None,
    labels: Any = None,
    edge_width: Any = None,
    edge_color: Any = None,
    edge_labels: Any = None,
    position: Any = None,
    bundle: bool | None = None,
    cmap: Any = None,
    seed: int = 0,
    device: Any = None,
    ax: Any = None,
    interactive: bool = False,
) -> Any:
    """Draw a graph by matplotlib, with vertices placed by `gascl.programs.ForceLayout`.

    The layout is turned so that it fills the picture, and vertices that overlap are moved apart.
    Arrows show the direction of up to 1,000 edges of a directed graph. Edges between the same two
    vertices are curves, and self-loops circles.

    More than 20,000 edges hide each other as lines. Where most of them are short, as in meshes and
    roads, they are drawn as an image, darker where there are more. Else the vertices stand in
    discs, one for each community that Louvain finds, those with most neighbors in the middle, and
    the edges between two discs are one line, as wide as they are many. The caption says which.

    Args:
        what: a Graph; or a Result, or a Snapshot of `Engine.steps`, whose fields can then be named.
        color: a field of the Result or Snapshot, or of the graph's vertices, by name; an array with
            a number, text or time per vertex; or a matplotlib color for all. Texts, bools, up to 20
            different integers, and the groups of a program, such as communities, are categories,
            which a legend lists: the 20 with most vertices have colors, the others are gray.
            Integers that a program counts, such as depths, have shades instead. Times have a color
            bar with dates, and other numbers one on a logarithmic scale where `Result.plot` uses
            it and all are above 0. Vertices without a value, such as NaN, infinity, NaT or a depth
            of -1, are gray.
        size: the area of vertices in points squared, as in matplotlib's `scatter`; or numbers of 0
            or more per vertex, an array or a field's name, to which the areas are in proportion.
        labels: whether vertices have their labels; by default, up to 60 vertices do. Or other texts
            for them: a field's name, such as a column of full names, or an array.
        edge_width: of all edges, in points; or numbers of 0 or more per edge, an array or the name
            of an edge field, to which the widths are in proportion; none is thinner than 0.4.
        edge_color: as `color`, for edges.
        edge_labels: an edge field's name, or an array, with the label of each edge; none where it
            has no value.
        position: where the vertices are, (V, 2), an array or a field's name, such as "position" of
            a Result of ForceLayout; or the names of two fields, ("lon", "lat"). They stay exactly
            there. Two pictures with the same positions can be compared.
        bundle: whether vertices stand in discs, as above; default: where there are many edges.
        cmap: a matplotlib colormap, or its name.
        seed: of the layout. The same seed gives the same picture.
        device: where the layout is computed, as in `Engine`.
        ax: the matplotlib Axes to draw on; default: those of a new figure.
        interactive: whether to make a page for browsers, where one can zoom, search, and point at
            a vertex to see its label and its neighbors.

    Returns:
        matplotlib's Axes; or a Page, whose `save` writes one HTML file that needs no network.

    Raises:
        GasclError: matplotlib is missing, or an argument is not as above.
    """
    if not isinstance(what, Drawn):
        raise GasclError(f"draw takes a Graph or a Result, not {type(what).__name__}")
    check_flags(interactive=interactive, bundle=False if bundle is None else bundle)
    graph = graph_of(what)
    pyplot()  # before the layout is computed
    colors = colors_of(what, color, color_of(what, color), cmap)
    edges = edges_of(graph, edge_width, edge_color, edge_labels, cmap)
    sizes, texts = size_of(what, size), texts_of(what, labels)
    if bundle and position is not None:
        raise GasclError("bundle places the vertices: leave out position, or bundle")
    own = isinstance(color, str) and color == "community"
    group, discs = fields_of(what)[color] if own else None, None
    if bundle and graph.num_vertices:
        discs = bundled(graph, group, seed, device)
    else:
        at = positions_of(what, position, seed, device)
        many = bundle is None and position is None and graph.num_edges > LARGE
        if many and is_tangled(graph, at):
            discs = bundled(graph, group, seed, device)
    if discs:
        at = discs.at
    look = Look(graph, at, position is None, sizes, texts, colors, edges, discs)
    if interactive:
        if ax is not None:
            raise GasclError("an interactive page has no Axes: leave out ax, or interactive")
        return page_of(look)
    if ax is None:
        ax = pyplot().subplots(layout="constrained")[1]
    paint(ax, look)
    return ax


@dataclass(frozen=True)
class Look:
    """What a picture of a graph looks like, or several of an animation.

    Attributes:
        at: (V, 2), where the vertices are.
        movable: whether they may be turned, and moved apart.
        size: as `size_of` returns it; for several pictures on the same scale, (pictures, V).
        texts: the labels, as `texts_of` returns them.
        colors: of the vertices.
        edges: how the edges look.
        discs: where vertices stand by communities.
    """

    graph: Graph
    at: np.ndarray
    movable: bool
    size: Any
    texts: list[str]
    colors: Colors
    edges: EdgeLook = field(default_factory=EdgeLook)
    discs: Bundles | None = None


class Arranged(NamedTuple):
    """Where vertices are drawn, and how large.

    Attributes:
        at: (V, 2), in the units of the axes.
        radius: (V,) in points, of several pictures the largest.
        areas: (V,), or (pictures, V), in points squared, as in matplotlib's `scatter`.
    """

    at: np.ndarray
    radius: np.ndarray
    areas: np.ndarray


def arranged(look: Look, room: tuple[float, float]) -> Arranged:
    """Places and sizes of the vertices in a picture of some width and height, in points."""
    at, count = look.at.astype(np.float64), len(look.at)
    if not count:
        return Arranged(at, np.empty(0), np.empty(0))
    room = FILLED * room[0], FILLED * room[1]
    if look.movable and look.discs is None:
        at = spacing.turned(at, room)
    unit = spacing.scale(at, room)
    relative = np.ones(count)
    if look.size is not None and np.ndim(look.size):
        relative = np.sqrt(look.size / (look.size.mean() or 1))
    if look.discs is not None:
        usual = 0.42 * unit / relative.max(initial=1)
    else:
        share = (room[0] * room[1] / count) ** 0.5
        between = spacing.nearest(at) * unit if count > 1 else share
        usual = max(OF_NEAREST * between, OF_ROOM * share if look.movable else 0)
    radius = np.clip(usual, spacing.LEAST, RADIUS) * relative
    largest = radius.reshape(-1, count).max(axis=0)
    if look.size is not None and not np.ndim(look.size):
        radius = largest = np.full(count, np.sqrt(look.size) / 2)
    elif look.discs is None:
        before = largest
        if look.movable:
            largest = spacing.fitted(largest, room)
            at = spacing.apart(at * unit, largest, room, 0.25 * largest.mean()) / unit
        # What fills the room now may be a little larger, or smaller, than before.
        unit = spacing.scale(at, room)
        if 1 < count <= spacing.MOVED:
            largest = spacing.shrunk(at * unit, largest)
        radius = radius * (largest.max() / (before.max() or 1))
    return Arranged(at, largest, (2 * radius) ** 2)


def paint(ax: Any, look: Look) -> tuple[Any, np.ndarray]:
    """Draw a graph by matplotlib.

    Returns:
        matplotlib's PathCollection of the vertices, None if there are none; and the areas, as in
        `Arranged`.
    """
    graph = look.graph
    ax.set_axis_off()
    ax.set_aspect("equal")
    if not graph.num_vertices:
        return None, np.empty(0)
    draw_keys(ax, [look.colors, *([look.edges.colors] if look.edges.colors else [])])
    room = _room(ax)
    margin = MARGIN
    if graph.num_loops and graph.num_edges <= LARGE and look.discs is None:
        margin *= 2
        room = room[0] * FILLED, room[1] * FILLED
    at, radius, areas = arranged(look, room)
    unit = spacing.scale(at, (FILLED * room[0], FILLED * room[1]))
    caption, large = "", graph.num_edges > LARGE
    if look.discs is not None:
        draw_bundles(ax, look.discs, unit, look.colors.rgba(len(at)))
        caption = look.discs.caption(graph)
    elif large:
        caption = draw_density(ax, graph, at)
    else:
        draw_lines(ax, graph, at, look.edges, radius, min(room))
    marks: dict[str, Any] = {
        "zorder": 2,
        "rasterized": large,
        "clip_on": False,
        "plotnonfinite": True,
    }
    # A white rim, so that vertices that touch can be told apart.
    marks |= {"linewidths": np.where(radius > 2, 0.5, 0), "edgecolors": "white"}
    area = areas.reshape(-1, len(at))[-1]
    vertices = ax.scatter(*at.T, s=area, **marks, **look.colors.style)
    drawn = draw_labels(ax, graph, at, radius, unit, look.texts) if look.texts else []
    if look.discs is not None and not look.texts and graph.labels is not None:
        draw_names(ax, look.discs, graph, unit)
    ax.margins(margin)
    ax.autoscale()
    if caption:
        caption = fill(caption, max(int(room[0] / LETTER), 20))
        style = {"ha": "center", "va": "top", "fontsize": "small", "color": "0.35"}
        ax.text(0.5, -0.01, caption, transform=ax.transAxes, **style)
    if drawn:
        make_room(ax, drawn)
    return vertices, areas


def _room(ax: Any) -> tuple[float, float]:
    """The width and height that the axes may have, in points; what is beside them is drawn."""
    figure = ax.figure.canvas.figure
    figure.draw_without_rendering()  # which decides where the axes are
    box = ax.get_position(original=True)
    width, height = ax.figure.bbox.size * 72 / figure.dpi
    return float(box.width * width), float(box.height * height)


def page_of(look: Look) -> Page:
    """The page of a picture."""
    room = (900.0, 640.0)
    at, _, areas = arranged(look, room)
    return graph_page(look, at * spacing.scale(at, room), np.sqrt(areas) / 2)
