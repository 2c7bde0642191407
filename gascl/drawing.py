"""Pictures of graphs by matplotlib, and of their edges, where they are many, by datashader."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gascl.errors import GasclError
from gascl.graph.graph import Graph
from gascl.language.program import VertexProgram
from gascl.language.types import VERTEX
from gascl.programs import ForceLayout
from gascl.results.plots import heavy_tailed, pyplot
from gascl.results.result import Result
from gascl.results.snapshot import Snapshot
from gascl.run.engine import Engine
from gascl.user_messages import Option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: With more edges than this, matplotlib takes long, and lines hide each other.
LARGE = 20_000
#: Labels are drawn for up to so many vertices unless they are asked for, and so many arrows.
LABELED, ARROWS = 60, 1000
#: Pixels along the longer side of the image of many edges.
PIXELS = 1000
#: An integer with up to so many values is a category, each with its own color.
CATEGORIES = 20
#: How often the limits of axes are widened, since each round leaves a fraction of what is outside;
#: and to how many times what they were, since vertices must stay apart where labels are very long.
ROUNDS, WIDEST = 6, 3
#: What can be drawn.
Drawn: TypeAlias = Graph | Result | Snapshot


def draw(
    what: Drawn,
    *,
    color: Any = None,
    size: Any = None,
    labels: Any = None,
    position: Any = None,
    cmap: Any = None,
    seed: int = 0,
    device: Any = None,
    ax: Any = None,
) -> Axes:
    """Draw a graph by matplotlib, with vertices placed by `gascl.programs.ForceLayout`.

    More than 20,000 edges are drawn as an image by datashader, darker where there are more of
    them. Arrows show the direction of up to 1,000 edges of a directed graph. Self-loops and
    parallel edges cannot be told from others.

    Args:
        what: a Graph; or a Result, or a Snapshot of `Engine.steps`, whose fields can then be named.
        color: a field of the Result or Snapshot, or of the graph's vertices, by name; an array with
            a number per vertex; or a matplotlib color for all. Up to 20 different integers are
            categories, such as communities, which a legend lists; other numbers are shown with a
            color bar, on a logarithmic scale where `Result.plot` uses one and all are above 0.
            Vertices with NaN or infinity are gray.
        size: the area of vertices in points squared, as in matplotlib's `scatter`; or numbers of 0
            or more per vertex, an array or a field's name, to which the areas are in proportion.
        labels: whether vertices have their labels; by default, up to 60 vertices do.
        position: where the vertices are, (V, 2), an array or a field's name, such as "position" of
            a Result of ForceLayout. Two pictures with the same positions can be compared.
        cmap: a matplotlib colormap, or its name.
        seed: of the layout. The same seed gives the same picture.
        device: where the layout is computed, as in `Engine`.
        ax: the matplotlib Axes to draw on; default: those of a new figure.

    Returns:
        The Axes.

    Raises:
        GasclError: matplotlib is missing, or for many edges datashader; or an argument is not
            as above.
    """
    if not isinstance(what, Drawn):
        raise GasclError(f"draw takes a Graph or a Result, not {type(what).__name__}")
    graph = graph_of(what)
    check_installed(graph)  # before the layout is computed
    colors, areas = color_of(what, color), areas_of(graph, size_of(what, size))
    texts, name = texts_of(graph, labels), color if isinstance(color, str) else None
    at = positions_of(what, position, seed, device)
    kind, style, values = mapping(colors, cmap)
    categories = category_names(what, name, values)
    look = Look(graph, at, areas, texts, kind, style, name, categories)
    if ax is None:
        ax = pyplot().subplots(layout="constrained")[1]
    paint(ax, look)
    painted: Axes = ax
    return painted


@dataclass(frozen=True)
class Look:
    """What a picture of a graph looks like, or several of an animation.

    Attributes:
        at: (V, 2), where the vertices are.
        areas: as `areas_of` returns them.
        texts: the labels, as `texts_of` returns them.
        kind, style: as `mapping` returns them, with the colors.
        name: the field that the colors stand for.
        categories: the names of categories, in the order of their colors, for a legend.
    """

    graph: Graph
    at: np.ndarray
    areas: Any
    texts: list[str]
    kind: str
    style: Mapping[str, Any]
    name: str | None
    categories: list[str]


def paint(ax: Any, look: Look) -> Any:
    """Draw a graph by matplotlib.

    Returns:
        matplotlib's PathCollection of the vertices; None if there are none.
    """
    graph, at, areas = look.graph, look.at, look.areas
    ax.set_axis_off()
    ax.set_aspect("equal")
    if not graph.num_vertices:
        return None
    large = graph.num_edges > LARGE
    if large:
        _draw_density(ax, graph, at)
    else:
        _draw_edges(ax, graph, at, areas)
    marks = {"linewidths": 0, "zorder": 2, "rasterized": large, "clip_on": False}
    vertices = ax.scatter(*at.T, s=areas, **marks, **look.style)
    drawn = _draw_texts(ax, graph, at, areas, look.texts) if look.texts else []
    ax.margins(0.05)
    ax.autoscale()
    if look.kind == "number":
        ax.figure.colorbar(vertices, ax=ax, label=look.name, shrink=0.7)
    elif look.kind == "category":
        _draw_legend(ax, vertices, look.name, look.categories)
    if drawn:
        _make_room(ax, drawn)
    return vertices


def check_installed(graph: Graph) -> None:
    """Raise GasclError if a package is missing that a picture of the graph needs."""
    pyplot()
    if graph.num_edges > LARGE:
        _datashader()


def graph_of(what: Drawn) -> Graph:
    return what if isinstance(what, Graph) else what.graph


def fields_of(what: Drawn) -> Mapping[str, Any]:
    """The vertex fields that can be named; a Result's are read from the device when looked up."""
    if isinstance(what, Graph):
        return what.vertex_fields
    return ChainMap(what.fields, what.graph.vertex_fields)  # type: ignore[arg-type]


def _field(what: Drawn, name: str, argument: str) -> np.ndarray:
    fields = fields_of(what)
    if name not in fields:
        raise no_field(argument, name, fields)
    values: np.ndarray = fields[name]
    return values


def check_names(programs: Iterable[type[VertexProgram]], graph: Graph, **arguments: Any) -> None:
    """Raise GasclError, before a run, if an argument of `draw` names no field that there can be.

    Args:
        programs: those whose fields there will be.
        arguments: by name: `color`, `size` or `position`.
    """
    known = dict.fromkeys(chain(*(cls.spec.vertex_fields for cls in programs), graph.vertex_fields))
    for argument, name in arguments.items():
        if _names(argument, name) and name not in known:
            raise no_field(argument, name, known)


def _names(argument: str, given: Any) -> bool:
    """Whether an argument can only be the name of a field."""
    return isinstance(given, str) and not (argument == "color" and is_color(given))


def no_field(argument: str, name: str, known: Iterable[str]) -> GasclError:
    """The error for an argument that names no field."""
    known = list(known)
    near = get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    more = " or a color of matplotlib" if argument == "color" else ""
    available = ", ".join(known) or "none"
    what = f" is not a vertex field{more}{hint} (available fields: {available})"
    return GasclError(Option(argument, name), what)


def _numbers(what: Drawn, given: Any, argument: str) -> np.ndarray:
    """(V,): a number per vertex."""
    graph = graph_of(what)
    values = _field(what, given, argument) if isinstance(given, str) else np.asarray(given)
    if values.shape != (graph.num_vertices,) or values.dtype.kind not in "biuf":
        raise GasclError(
            f"{argument} must have one number per vertex, shape ({graph.num_vertices},), not "
            f"{values.dtype} of shape {values.shape}"
        )
    return values


def color_of(what: Drawn, given: Any) -> Any:
    """None, a color of matplotlib, or numbers, (V,)."""
    if given is None:
        return None
    named = isinstance(given, str) and given in fields_of(what)
    return given if not named and is_color(given) else _numbers(what, given, "color")


def is_color(given: Any) -> bool:
    """Whether it is a color of matplotlib, for all vertices."""
    from matplotlib.colors import is_color_like

    return bool(is_color_like(given) and np.ndim(given) == 0)


def size_of(what: Drawn, given: Any) -> Any:
    """None, an area for all vertices, or numbers, (V,), to which the areas are in proportion."""
    if given is None or (np.ndim(given) == 0 and not isinstance(given, str)):
        return given
    values = _numbers(what, given, "size").astype(np.float64)
    if not np.all(np.isfinite(values) & (values >= 0)):
        raise GasclError("size must be finite and 0 or more for every vertex")
    return values


def areas_of(graph: Graph, size: Any) -> Any:
    """The area of vertices in points squared: for all, or (V,), or (frames, V).

    Args:
        size: as `size_of` returns it; for several pictures on the same scale, (frames, V).
    """
    usual = min(150.0, max(0.3, 15_000 / max(graph.num_vertices, 1)))
    if size is None:
        return usual
    return size if np.ndim(size) == 0 else usual * size / (size.mean() or 1)


def texts_of(graph: Graph, labels: bool | None) -> list[str]:
    """The labels to be drawn; none, or one per vertex."""
    if labels not in (None, True, False):
        raise GasclError(f"labels must be True, False or None, not {labels!r}")
    if labels is None:
        labels = graph.num_vertices <= LABELED
    return [str(graph.label_of(i)) for i in range(graph.num_vertices)] if labels else []


def positions_of(what: Drawn, given: Any, seed: int, device: Any) -> np.ndarray:
    """(V, 2): where the vertices are."""
    graph = graph_of(what)
    if given is None:
        computed: np.ndarray = Engine(graph, device).run(ForceLayout(seed=seed)).position
        return computed
    values = _field(what, given, "position") if isinstance(given, str) else np.asarray(given)
    if values.shape != (graph.num_vertices, 2) or not np.isfinite(values).all():
        raise GasclError(
            f"position must have two finite numbers per vertex, shape ({graph.num_vertices}, 2), "
            f"not {values.dtype} of shape {values.shape}"
        )
    return values


def mapping(color: Any, cmap: Any) -> tuple[str, dict[str, Any], np.ndarray]:
    """What colors mean ("one", "category" or "number"), the options of `scatter` for them, and the
    values of the categories, if they are any.

    Args:
        color: as `color_of` returns it; or (frames, V), the numbers of several pictures, whose
            colors are then `c` in the options, in the same shape and on the same scale.
    """
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap, LogNorm, Normalize

    if not isinstance(color, np.ndarray):
        return "one", {"color": color or "C0"}, np.empty(0)
    values = color
    if values.dtype.kind in "biu":
        kinds, number = np.unique(values, return_inverse=True)
        if len(kinds) <= CATEGORIES:
            twenty = colormaps["tab20"](np.r_[0:20:2, 1:20:2])  # the dark ones first
            style = {
                "c": number.reshape(values.shape),
                "cmap": ListedColormap(twenty) if cmap is None else cmap,
                "vmin": 0,
                "vmax": len(twenty) - 1 if cmap is None else max(1, len(kinds) - 1),
            }
            return "category", style, kinds
    finite = np.where(np.isfinite(values), values, np.nan)
    chosen = colormaps[cmap or "viridis"] if isinstance(cmap, str | None) else cmap
    chosen = chosen.with_extremes(bad="0.7")
    shown = np.ma.masked_invalid(finite)
    style = {"c": finite, "cmap": chosen, "plotnonfinite": True}
    if shown.count():
        heavy = shown.min() > 0 and heavy_tailed(shown.compressed())
        style["norm"] = (LogNorm if heavy else Normalize)(shown.min(), shown.max())
    return "number", style, np.empty(0)


def category_names(what: Drawn, name: str | None, values: np.ndarray) -> list[str]:
    """The texts of a legend; those of vertices, such as a component's, are their labels."""
    if isinstance(what, Result) and name is not None and what.types.get(name) == VERTEX:
        values = graph_of(what).labels_of(values)
    return [str(value) for value in values.tolist()]


def _draw_legend(ax: Any, vertices: Any, name: str | None, categories: list[str]) -> None:
    """Draw the colors of categories: beside the graph where the layout makes room for it."""
    from matplotlib.lines import Line2D

    colors = vertices.cmap(vertices.norm(np.arange(len(categories))))
    dots = [
        Line2D([], [], linestyle="", marker="o", color=color, label=text)
        for color, text in zip(colors, categories, strict=True)
    ]
    style: dict[str, Any] = {"title": name, "fontsize": "small", "handletextpad": 0}
    if ax.figure.get_layout_engine() is None:
        ax.legend(handles=dots, loc="best", **style)
    else:
        beside = {"loc": "center left", "bbox_to_anchor": (1, 0.5), "frameon": False}
        ax.legend(handles=dots, **beside, **style)


def _has_arrows(graph: Graph) -> bool:
    return graph.directed and graph.num_edges <= ARROWS


def _draw_edges(ax: Any, graph: Graph, at: np.ndarray, area: Any) -> None:
    from matplotlib.collections import LineCollection

    tails, heads = at[graph.edge_src], at[graph.edge_dst]
    if _has_arrows(graph):
        # Half a vertex's width, in points, so that its marker does not hide the head.
        radius = np.sqrt(np.broadcast_to(area, graph.num_vertices)) / 2
        style = {"arrowstyle": "->", "color": "0.6", "linewidth": 0.7, "shrinkA": 0}
        for tail, head, end in zip(tails, heads, graph.edge_dst.tolist(), strict=True):
            arrow = {**style, "shrinkB": float(radius[end])}
            ax.annotate("", head, tail, arrowprops=arrow, zorder=1)
        return
    width = min(1.0, max(0.1, 500 / max(graph.num_edges, 1)))
    lines = np.stack([tails, heads], axis=1)
    ax.add_collection(LineCollection(list(lines), colors="0.6", linewidths=width, zorder=1))


def _draw_texts(ax: Any, graph: Graph, at: np.ndarray, area: Any, texts: list[str]) -> list[Any]:
    """Draw labels beside their vertices, on the side where there are the fewest edges.

    Returns:
        matplotlib's Annotations.
    """
    from matplotlib.font_manager import FontProperties
    from matplotlib.patheffects import withStroke

    # Behind the rim of the marker, whose area is that of the square around it.
    radius = np.sqrt(np.broadcast_to(area, graph.num_vertices)) / 2
    height = FontProperties(size="small").get_size_in_points()
    halo = [withStroke(linewidth=2, foreground="white")]  # readable on edges, too
    style = {"textcoords": "offset points", "fontsize": "small", "path_effects": halo, "zorder": 3}
    away, heads = _away(graph, at), _heads(graph, at)
    drawn = []
    for vertex, text in enumerate(texts):
        size = 0.6 * height * len(text), height
        direction = _free_direction(away[vertex], heads[vertex], radius[vertex], size)
        ha, va = _anchor(direction)
        place = direction * (radius[vertex] + 2)
        drawn.append(ax.annotate(text, at[vertex], place, ha=ha, va=va, **style))
    return drawn


def _make_room(ax: Any, texts: list[Any]) -> None:
    """Widen the limits of the axes until all texts are inside, as far as that is possible."""
    from matplotlib.transforms import Bbox

    width = np.ptp(ax.get_xlim())
    for _ in range(ROUNDS):
        ax.figure.canvas.figure.draw_without_rendering()  # which decides where the axes are
        union = Bbox.union([ax.bbox, *(text.get_window_extent() for text in texts)])
        low, high = ax.transData.inverted().transform(union.get_points())
        outside = np.abs(union.get_points() - ax.bbox.get_points()).max()  # pixels
        if outside < 1 or high[0] - low[0] > WIDEST * width:
            return
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))


def _away(graph: Graph, at: np.ndarray) -> np.ndarray:
    """(V, 2): for each vertex the direction opposite to its neighbors, of length 1; upwards where
    they are on all sides, or there are none."""
    src, dst = graph.edge_src, graph.edge_dst
    directions = _unit(at[dst] - at[src])
    total = np.zeros((graph.num_vertices, 2))
    np.add.at(total, src, -directions)
    np.add.at(total, dst, directions)
    total[np.hypot(*total.T) < 1e-6] = 0, 1
    return _unit(total)


def _heads(graph: Graph, at: np.ndarray) -> list[np.ndarray]:
    """(N, 2) for each vertex: the directions, of length 1, in which the heads of arrows are."""
    if not _has_arrows(graph):
        return [np.empty((0, 2))] * graph.num_vertices
    src, dst = graph.edge_src, graph.edge_dst
    order = np.argsort(dst, kind="stable")
    directions = _unit(at[src] - at[dst])[order]
    return np.split(directions, np.searchsorted(dst[order], np.arange(1, graph.num_vertices)))


def _anchor(direction: np.ndarray) -> tuple[str, str]:
    """Which side of a label that is in some direction is next to the vertex."""
    x, y = direction
    ha = "left" if x > 0.4 else "right" if x < -0.4 else "center"
    va = "bottom" if y > 0.4 else "top" if y < -0.4 else "center"
    return ha, va


def _free_direction(
    wanted: np.ndarray, heads: np.ndarray, radius: float, size: tuple[float, float]
) -> np.ndarray:
    """(2,): where to put a label: in the direction nearest to the wanted one in which it covers the
    fewest heads of arrows.

    Args:
        heads: (N, 2), their directions, of length 1.
        radius: of the vertex, in points.
        size: of the label, in points.
    """
    turns = np.arange(16) * (2 * np.pi / 16)
    directions = np.vstack([wanted, np.stack([np.cos(turns), np.sin(turns)], axis=1)])
    # A head is 4 points long; with its width, and the label's halo, it takes 3 on each side.
    tips = (heads[:, None] * (radius + np.array([0.0, 2.5, 5.0]))[:, None]).reshape(-1, 2)
    share = {"left": 0.0, "bottom": 0.0, "center": 0.5, "right": 1.0, "top": 1.0}
    covered = []
    for direction in directions:
        corner = direction * (radius + 2) - [share[side] for side in _anchor(direction)] * np.array(
            size
        )
        inside = (tips > corner - 3) & (tips < corner + size + 3)
        covered.append(np.count_nonzero(inside.all(axis=1)))
    best: np.ndarray = directions[np.lexsort([-(directions @ wanted), covered])[0]]
    return best


def _unit(directions: np.ndarray) -> np.ndarray:
    """The vectors (N, 2) with length 1; those of length 0 stay so."""
    length = np.hypot(*directions.T)[:, None]
    return directions / np.where(length > 0, length, 1)


def _datashader() -> Any:
    try:
        import datashader
    except ImportError:
        raise GasclError(
            f"to draw more than {LARGE:,} edges needs datashader: pip install 'gascl[draw]'"
        ) from None
    return datashader


def _draw_density(ax: Any, graph: Graph, at: np.ndarray) -> None:
    """Draw the edges as an image: the more of them cross a pixel, the darker it is."""
    import pandas
    from matplotlib.colors import LogNorm

    ds = _datashader()
    low, high = at.min(axis=0).astype(float), at.max(axis=0).astype(float)
    span = np.maximum(high - low, 1e-6)
    width, height = np.maximum(1, PIXELS * span / span.max()).astype(int).tolist()
    high = low + span
    ranges = {"x_range": (low[0], high[0]), "y_range": (low[1], high[1])}
    canvas = ds.Canvas(plot_width=width, plot_height=height, **ranges)
    (x0, y0), (x1, y1) = at[graph.edge_src].T, at[graph.edge_dst].T
    ends = pandas.DataFrame({"x0": x0, "y0": y0, "x1": x1, "y1": y1})
    lines = {"x": ["x0", "x1"], "y": ["y0", "y1"], "axis": 1}
    count = canvas.line(ends, **lines, agg=ds.count()).to_numpy()
    extent = (low[0], high[0], low[1], high[1])
    # From a light gray on, since one line in a pixel is also to be seen.
    scale = LogNorm(0.2, max(count.max(), 1))
    image = np.ma.masked_equal(count, 0)
    ax.imshow(image, cmap="Greys", norm=scale, extent=extent, origin="lower", zorder=1)
