"""Plots of moving communities: particles in 3-D, and communities over time.

    from gascl.communities import pictures

    pictures.particles(result).figure.savefig("particles.png")
    pictures.history(list(track(graphs)))[0].figure.savefig("history.png")

`pip install 'gascl[plot]'` installs matplotlib.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import FieldError, GasclError
from gascl.results.plots import pyplot
from gascl.results.result import Result

if TYPE_CHECKING:
    from mpl_toolkits.mplot3d.axes3d import Axes3D

    from gascl.communities.tracking import Moment

#: Edges are not drawn if there are more than this: they would hide the particles.
MOST_EDGES = 5000


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
    _draw(ax, result, result.community, result.position)
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
    moments = _listed(moments)
    if not moments:
        raise GasclError("history needs at least one moment: give list(track(graphs))")
    at = np.unique(np.linspace(0, len(moments) - 1, max(shown, 1)).round().astype(int))
    figure = _figure(2.2 * max(len(at), 2), 4.8)
    grid = figure.add_gridspec(2, len(at), height_ratios=(2.2, 2.0))
    everywhere = np.concatenate([moments[i].result.position for i in at])
    upper = [figure.add_subplot(grid[0, place], projection="3d") for place in range(len(at))]
    for ax, i in zip(upper, at, strict=True):
        _draw(ax, moments[i].result, moments[i].identity, everywhere)
        ax.set_title(f"moment {moments[i].number}", fontsize=9)
    identities = np.stack([m.identity for m in moments])
    rows = identities[:, np.lexsort(identities[::-1])].T
    below = figure.add_subplot(grid[1, :])
    first, last = moments[0].number, moments[-1].number
    extent = (first - 0.5, last + 0.5, len(rows), 0)
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


def _listed(moments: Any) -> list[Moment]:
    """The moments as a list, if they can be drawn; otherwise raises GasclError."""
    from gascl.communities.tracking import Moment

    what = "history draws the moments that track(graphs) yields"
    if not isinstance(moments, Iterable):
        raise GasclError(f"{what}, not {moments!r}: give list(track(graphs))")
    listed = list(moments)
    for each in listed:
        if not isinstance(each, Moment):
            raise GasclError(f"{what}, not {each!r}: give list(track(graphs))")
        _check(each.result, "position")
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
    """The RGBA color of each number: 18 colors in rotation, gray for -1."""
    from matplotlib import colormaps

    colors = colormaps["tab20"](np.arange(20))
    # The dark colors first, then the light ones; 14 and 15 are gray.
    order = [i for i in (*range(0, 20, 2), *range(1, 20, 2)) if i not in (14, 15)]
    colors = np.concatenate([colors[order], [[0.8, 0.8, 0.8, 1]]])
    chosen: np.ndarray = colors[np.where(number < 0, len(order), number % len(order))]
    return chosen


def _draw(axes: Any, result: Result, number: np.ndarray, everywhere: np.ndarray) -> None:
    """Draw one moment; the axes are large enough for the positions `everywhere`."""
    from mpl_toolkits.mplot3d.art3d import Line3DCollection

    at, graph = result.position, result.graph
    if graph.num_edges <= MOST_EDGES:
        ends = np.stack([at[graph.edge_src], at[graph.edge_dst]], axis=1)
        axes.add_collection(Line3DCollection(ends, colors="0.6", linewidths=0.2, alpha=0.5))
    axes.scatter(*at.T, c=_colors(number), s=12, depthshade=False, linewidths=0)
    middle = (everywhere.max(0) + everywhere.min(0)) / 2
    reach = 1.05 * max(float(np.abs(everywhere - middle).max()), 0.5)
    axes.set_box_aspect((1, 1, 1))
    for axis, at_middle in zip("xyz", middle, strict=True):
        axes.set(**{f"{axis}lim": (at_middle - reach, at_middle + reach), f"{axis}ticklabels": []})
