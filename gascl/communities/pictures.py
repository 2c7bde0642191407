"""Pictures of moving communities: particles in 3-D, and communities over time.

    from gascl.communities import pictures

    pictures.particles(result).figure.savefig("particles.png")
    moments = list(track(graphs))
    pictures.history(moments)[0].figure.savefig("history.png")
    pictures.alluvial(moments).figure.savefig("alluvial.png")
    pictures.page(moments).save("particles.html")
    pictures.film(moments).save("particles.gif")

`pip install 'gascl[plot]'` installs matplotlib.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.animation import FRAMES, Animation
from gascl.drawing.page import Page, packed
from gascl.errors import FieldError, GasclError
from gascl.graph.graph import Graph
from gascl.results.plots import pyplot
from gascl.results.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from mpl_toolkits.mplot3d.axes3d import Axes3D

    from gascl.communities.tracking import Moment

#: Edges are not drawn if there are more than this: they would hide the particles.
MOST_EDGES = 5000
#: The most positions of a page, which is 12 bytes each.
MOST_POSITIONS = 5_000_000
#: Frames from one moment to the next, in which the particles move.
FRAMES_BETWEEN = 8
#: Colors of communities, which are used again and again.
COLORS = 18
#: The part of an alluvial diagram that lies between the vertices of communities.
GAPS = 0.2


def particles(result: Result, ax: Any = None) -> Axes3D:
    """Draw the final particles of ParticleCommunities, colored by community, and the edges.

    Args:
        ax: the matplotlib Axes to draw on, with projection="3d"; default: those of a new figure.

    Returns:
        The Axes.

    Raises:
        GasclError: matplotlib is missing, or the result is not one of ParticleCommunities.
    """
    _check(result)
    if ax is None:
        ax = _figure(5, 5).add_subplot(projection="3d")
    _draw(ax, result.graph, result.position, result.community, result.position)
    drawn: Axes3D = ax
    return drawn


def history(moments: Iterable[Moment], shown: int = 5) -> Any:
    """Draw the moments that `gascl.communities.tracking.track` yields.

    The upper row shows the particles at some of the moments. Below, each vertex is a line from left
    to right, colored by its community; vertices that start in the same community are adjacent.
    A community keeps its color; gray means none. Dotted lines mark events.

    Args:
        shown: how many moments, evenly spread, appear in the upper row.

    Returns:
        The Axes of a new figure, in a NumPy array: those of the upper row, and the one below.

    Raises:
        GasclError: matplotlib is missing, or there are no such moments.
    """
    moments = _listed(moments, "history", "position")
    at = np.unique(np.linspace(0, len(moments) - 1, max(shown, 1)).round().astype(int))
    figure = _figure(2.2 * max(len(at), 2), 4.8)
    grid = figure.add_gridspec(2, len(at), height_ratios=(2.2, 2.0))
    everywhere = np.concatenate([moments[i].result.position for i in at])
    upper = [figure.add_subplot(grid[0, place], projection="3d") for place in range(len(at))]
    for ax, i in zip(upper, at, strict=True):
        _draw(
            ax, moments[i].result.graph, moments[i].result.position, moments[i].identity, everywhere
        )
        ax.set_title(f"moment {moments[i].number}", fontsize=9)
    identities = np.stack([m.identity for m in moments])
    rows = identities[:, np.lexsort(identities[::-1])].T
    below = figure.add_subplot(grid[1, :])
    first, last = moments[0].number, moments[-1].number
    extent = (first - 0.5, last + 0.5, len(rows), 0)
    if rows.size:
        below.imshow(_colors(rows), aspect="auto", extent=extent, interpolation="none")
    for moment in moments[1:]:
        for place, event in enumerate(moment.events):
            below.axvline(event.number - 0.5, color="black", linestyle=":", linewidth=1)
            share = (0.06 + 0.1 * place) * len(rows)
            below.text(event.number - 0.45, share, event.kind, fontsize=8)
    below.locator_params(axis="x", integer=True)
    below.set_xlabel("moment")
    below.set_ylabel("vertex")
    return np.array([*upper, below], dtype=object)


def alluvial(moments: Iterable[Moment], ax: Any = None) -> Axes:
    """Draw how vertices move between communities: a column for each moment, a block in it for each
    community, as high as it has vertices, and bands of the vertices that go from one to another.

    A community keeps its color and its place in the order of the columns. Vertices in none are
    left out.

    Args:
        moments: as `gascl.communities.tracking.track` yields them; they need no positions.
        ax: the matplotlib Axes to draw on; default: those of a new figure.

    Returns:
        The Axes.

    Raises:
        GasclError: matplotlib is missing, or there are no such moments.
    """
    moments = _listed(moments, "alluvial")
    if ax is None:
        ax = _figure(max(1.2 * len(moments), 5), 4).add_subplot()
    blocks = [_blocks(moment.identity) for moment in moments]
    way = np.linspace(0, 1, 25)
    rise = way * way * (3 - 2 * way)
    for i, moment in enumerate(moments):
        for one, (low, high) in blocks[i].items():
            color = _colors(np.array(one))
            ax.bar(i, high - low, 0.16, low, color=color, edgecolor="white", linewidth=0.5)
        if i == 0:
            continue
        before, after = moments[i - 1].identity, moment.identity
        both = (before >= 0) & (after >= 0)
        pairs, counts = np.unique(
            np.stack([before[both], after[both]], axis=1), axis=0, return_counts=True
        )
        left = {one: low for one, (low, _) in blocks[i - 1].items()}
        right = {one: low for one, (low, _) in blocks[i].items()}
        for (one, other), count in zip(pairs.tolist(), counts.tolist(), strict=True):
            bottom = left[one] + (right[other] - left[one]) * rise
            style = {"color": _colors(np.array(one)), "alpha": 0.4, "linewidth": 0}
            ax.fill_between(i - 0.92 + 0.84 * way, bottom, bottom + count, **style)
            left[one] += count
            right[other] += count
    ax.set_xticks(range(len(moments)), _titles(moments))
    ax.set_yticks([])
    ax.set_ylabel("vertices")
    for side in ("left", "right", "top"):
        ax.spines[side].set_visible(False)
    return ax


def _blocks(identity: np.ndarray) -> dict[int, tuple[float, float]]:
    """Where the block of each community begins and ends, in the order of their identities."""
    ids, sizes = np.unique(identity[identity >= 0], return_counts=True)
    gap = GAPS * len(identity) / max(len(ids), 1)
    low = np.append(0, np.cumsum(sizes[:-1])) + gap * np.arange(len(ids))
    return {
        one: (start, start + size)
        for one, start, size in zip(ids.tolist(), low.tolist(), sizes.tolist(), strict=True)
    }


def _titles(moments: list[Moment]) -> list[str]:
    """The times of the moments, without what is 0 in all dates; without times, their numbers."""
    times = [moment.time for moment in moments]
    there = [time for time in times if time is not None]
    if not there:
        return [str(moment.number) for moment in moments]
    if all(isinstance(time, np.datetime64) for time in there):
        there = np.datetime_as_string(np.array(there), unit="auto").tolist()
    texts = iter(map(str, there))
    return ["" if time is None else next(texts) for time in times]


def _captions(moments: list[Moment]) -> list[str]:
    return [
        f"moment {moment.number}" if moment.time is None else title
        for moment, title in zip(moments, _titles(moments), strict=True)
    ]


def page(moments: Iterable[Moment]) -> Page:
    """Make a page for browsers that shows the particles of all moments: move on with the slider or
    the space bar, turn by dragging, zoom with the wheel, point at a vertex to see its label and
    its community. The events of each moment are listed. Edges are shown where there are up to
    5,000.

    Returns:
        A Page, which notebooks show; its `save` writes one HTML file that needs no network.

    Raises:
        GasclError: matplotlib is missing, there are no such moments, or they have more than
            5,000,000 positions in all.
    """
    pyplot()
    from matplotlib.colors import to_hex

    moments = _listed(moments, "page", "position")
    graph = moments[0].result.graph
    if (positions := len(moments) * graph.num_vertices) > MOST_POSITIONS:
        raise GasclError(
            f"{len(moments):,} moments of {graph.num_vertices:,} vertices are {positions:,} "
            f"positions, and a page shows up to {MOST_POSITIONS:,}: give some of the moments, "
            "moments[::10]"
        )
    at = np.stack([moment.result.position for moment in moments])
    low, high = _box(at.reshape(-1, 3))
    frames = []
    for moment, title in zip(moments, _captions(moments), strict=True):
        drawn = moment.result.graph
        edges = drawn.num_edges <= MOST_EDGES
        ends = (drawn.edge_src, drawn.edge_dst) if edges else ([], [])
        frames.append(
            {
                "title": title,
                "identity": packed(moment.identity, "<i4"),
                "src": packed(ends[0], "<i4"),
                "dst": packed(ends[1], "<i4"),
                "events": [str(event).partition(": ")[2] for event in moment.events],
            }
        )
    data = {
        "at": packed((at - (low + high) / 2) / max(float((high - low).max()), 1e-6)),
        "labels": list(map(str, graph.labels_of(np.arange(graph.num_vertices)).tolist())),
        "colors": [to_hex(color) for color in _colors(np.arange(COLORS))],
        "frames": frames,
    }
    about = f"{len(moments):,} moments of {graph.num_vertices:,} vertices"
    return Page(("gascl.communities", "particles.html"), data, about)


def film(moments: Iterable[Moment], frames_per_second: float = 12) -> Animation:
    """Make an animation of the particles, which move from each moment to the next in eight frames.

    Returns:
        An Animation, which notebooks show; its `save` writes it as .gif, .mp4 or .html.

    Raises:
        GasclError: matplotlib is missing, there are no such moments, or too many for the most
            frames of an animation, 500.
    """
    pyplot()
    moments = _listed(moments, "film", "position")
    count = (len(moments) - 1) * FRAMES_BETWEEN + 1
    if count > FRAMES:
        most = (FRAMES - 1) // FRAMES_BETWEEN + 1
        raise GasclError(
            f"{len(moments):,} moments would be {count:,} frames; an animation shows up to {most} "
            f"moments: give some of them, moments[::{-(-len(moments) // most)}]"
        )
    if not isinstance(frames_per_second, float | int) or not frames_per_second > 0:
        raise GasclError(f"frames_per_second must be above 0, not {frames_per_second!r}")
    everywhere = np.concatenate([moment.result.position for moment in moments])
    captions = _captions(moments)

    def made() -> tuple[Any, Callable[[int], None]]:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(5, 5))
        FigureCanvasAgg(figure)
        axes = figure.add_subplot(projection="3d")

        def show(frame: int) -> None:
            number, step = divmod(frame, FRAMES_BETWEEN)
            moment, share = moments[number], step / FRAMES_BETWEEN
            following = moments[min(number + 1, len(moments) - 1)].result.position
            axes.clear()
            at = moment.result.position * (1 - share) + following * share
            _draw(axes, moment.result.graph, at, moment.identity, everywhere)
            axes.set_title(captions[number])

        show(0)
        return figure, show

    return Animation(moments[-1].result, count, made, frames_per_second)


def _listed(moments: Any, name: str, *fields: str) -> list[Moment]:
    """The moments as a list, if they can be drawn; otherwise raises GasclError."""
    from gascl.communities.tracking import Moment

    what = f"{name} draws the moments that track(graphs) yields"
    if not isinstance(moments, Iterable):
        raise GasclError(f"{what}, not {moments!r}: give list(track(graphs))")
    listed = list(moments)
    for each in listed:
        if not isinstance(each, Moment):
            raise GasclError(f"{what}, not {each!r}: give list(track(graphs))")
        if fields:
            _check(each.result, *fields)
    if not listed:
        raise GasclError(f"{name} needs at least one moment: give list(track(graphs))")
    return listed


def _check(result: Any, *names: str) -> None:
    """Raise GasclError unless it is a Result with these fields (default: position, community)."""
    if not isinstance(result, Result):
        raise GasclError(f"expected a Result, as Engine.run returns it, not {result!r}")
    for name in names or ("position", "community"):
        if name not in result.fields:
            try:
                result[name]
            except FieldError as error:
                raise GasclError(
                    f"there is nothing to draw: {error}; give the result of ParticleCommunities, "
                    "which has position and community"
                ) from None
    if result.position.ndim != 2 or result.position.shape[1] != 3:
        raise GasclError(f"position must have the shape (V, 3), not {result.position.shape}")


def _figure(width: float, height: float) -> Any:
    return pyplot().figure(figsize=(width, height), layout="constrained")


def _colors(number: np.ndarray) -> np.ndarray:
    """The RGBA color of each number: `COLORS` colors in rotation, gray for -1."""
    from matplotlib import colormaps

    colors = colormaps["tab20"](np.arange(20))
    # The dark colors first, then the light ones; 14 and 15 are gray.
    order = [i for i in (*range(0, 20, 2), *range(1, 20, 2)) if i not in (14, 15)]
    colors = np.concatenate([colors[order], [[0.8, 0.8, 0.8, 1]]])
    chosen: np.ndarray = colors[np.where(number < 0, len(order), number % len(order))]
    return chosen


def _box(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and the highest coordinates of positions (n, 3), 0 where there are none."""
    return (at.min(axis=0), at.max(axis=0)) if len(at) else (np.zeros(3), np.zeros(3))


def _draw(
    axes: Any, graph: Graph, at: np.ndarray, number: np.ndarray, everywhere: np.ndarray
) -> None:
    """Draw particles at (V, 3); the axes are large enough for the positions `everywhere`."""
    from mpl_toolkits.mplot3d.art3d import Line3DCollection

    if graph.num_edges <= MOST_EDGES:
        ends = np.stack([at[graph.edge_src], at[graph.edge_dst]], axis=1)
        axes.add_collection(Line3DCollection(ends, colors="0.6", linewidths=0.2, alpha=0.5))
    axes.scatter(*at.T, c=_colors(number), s=12, depthshade=False, linewidths=0)
    low, high = _box(everywhere)
    middle = (low + high) / 2
    reach = 1.05 * max(float((high - low).max()) / 2, 0.5)
    axes.set_box_aspect((1, 1, 1))
    for axis, at_middle in zip("xyz", middle, strict=True):
        axes.set(**{f"{axis}lim": (at_middle - reach, at_middle + reach), f"{axis}ticklabels": []})
