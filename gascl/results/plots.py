"""Plots by matplotlib: the distribution of a field, and the supersteps of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import GasclError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: A field is heavy-tailed if its largest value is this many times its median, of those above 0.
HEAVY = 50
#: Integers with fewer than this many different values get a bar for each.
BARS = 100
#: Values of a trace of which the largest is this many times the smallest have a logarithmic axis.
WIDE = 20
KINDS = ("auto", "histogram", "ccdf")


def pyplot() -> Any:
    """matplotlib.pyplot.

    Raises:
        GasclError: matplotlib is missing.
    """
    try:
        from matplotlib import pyplot as module
    except ImportError:
        raise GasclError("pictures need matplotlib: pip install 'gascl[plot]'") from None
    return module


def plot_distribution(values: np.ndarray, name: str, kind: str = "auto", ax: Any = None) -> Axes:
    """Draw the distribution of values: see `Result.plot`."""
    if kind not in KINDS:
        raise GasclError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
    finite = values[np.isfinite(values)]
    if not len(finite):
        raise GasclError(f"field {name!r} has no finite values to draw")
    if ax is None:
        ax = pyplot().subplots(layout="constrained")[1]
    times = values.dtype.kind == "M"
    if times and kind == "ccdf":
        raise GasclError(
            f"field {name!r} has times, which have no logarithm; give kind='histogram'"
        )
    if kind == "auto":
        kind = "ccdf" if not times and heavy_tailed(finite) else "histogram"
    if kind == "ccdf":
        _draw_ccdf(ax, finite, name)
    else:
        _draw_histogram(ax, finite, name)
    if len(finite) < len(values):
        without = "without a time" if times else "with infinity or NaN"
        left = f"{len(values) - len(finite):,} {without} not shown"
        ax.set_title(left, fontsize="small")
    drawn: Axes = ax
    return drawn


def heavy_tailed(values: np.ndarray) -> bool:
    """Whether none of the values is below 0, and a few are far above most others."""
    above = values[values > 0]
    return bool(values.min() >= 0 and len(above) and above.max() >= HEAVY * np.median(above))


def _draw_ccdf(ax: Any, values: np.ndarray, name: str) -> None:
    """The share of the values that are x or more, for every x above 0, on logarithmic axes.

    Unlike a histogram's, its noise in the tail is small, and a power law is a straight line with
    any bins. Source: Newman, "Power laws, Pareto distributions and Zipf's law" (2005).
    """
    if values.max() <= 0:
        raise GasclError(
            f"field {name!r} has no value above 0, which logarithmic axes need; give kind="
            "'histogram'"
        )
    x, counts = np.unique(values, return_counts=True)
    share = counts[::-1].cumsum()[::-1] / len(values)
    ax.plot(x[x > 0], share[x > 0], marker=".", markersize=3, linewidth=1, drawstyle="steps-pre")
    ax.set(xscale="log", yscale="log", xlabel=name, ylabel=f"share of vertices with {name} ≥ x")


def _draw_histogram(ax: Any, values: np.ndarray, name: str) -> None:
    bins: Any = min(100, max(10, int(len(values) ** 0.5)))
    if values.dtype.kind == "M":
        from matplotlib import dates as module

        dates: Any = module  # without types

        values = dates.date2num(values)
        ticks = dates.AutoDateLocator(minticks=3, maxticks=7)
        ax.xaxis.set_major_locator(ticks)
        ax.xaxis.set_major_formatter(dates.ConciseDateFormatter(ticks))
    low, high = values.min().item(), values.max().item()
    if values.dtype.kind in "iu" and high - low < BARS:
        bins = np.arange(low, high + 2) - 0.5
    ax.hist(values, bins=bins)
    ax.set(xlabel=name, ylabel="vertices")


def plot_trace(columns: Mapping[str, Sequence[Any]], axes: Any = None) -> Any:
    """Draw a trace: see `Trace.plot`; `columns` are those of its table, by name."""
    from matplotlib.ticker import EngFormatter

    names = ("seconds", "active", "messages")
    values = [np.array(columns[name], np.float64) for name in names]
    if axes is None:
        high = [3.0 if np.ptp(y) else 1.8 for y in values]  # a line that stays level needs less
        options = {"figsize": (6.4, 1.2 + sum(high) * 0.58), "sharex": True}
        options |= {"layout": "constrained", "height_ratios": high}
        axes = pyplot().subplots(3, 1, **options)[1]
    axes = np.asarray(axes, dtype=object).ravel()
    if len(axes) != 3:
        raise GasclError(f"axes must be three matplotlib Axes, not {len(axes)}")
    x, deliveries = np.array(columns["superstep"]), np.array(columns["delivery"])
    for ax, y, label in zip(
        axes, values, ("kernel time", "active vertices", "messages"), strict=True
    ):
        ax.plot(x, y, color="0.8", linewidth=1, zorder=0)
        for delivery in dict.fromkeys(columns["delivery"]):
            by = deliveries == delivery
            ax.scatter(x[by], y[by], s=12, label=delivery)
        _fit(ax, y)
        ax.set_ylabel(label)
    axes[0].yaxis.set_major_formatter(EngFormatter("s", sep=" "))
    if any(columns["delivery"]):
        axes[0].legend(title="delivery", fontsize="small", title_fontsize="small")
    axes[-1].set_xlabel("superstep")
    axes[-1].locator_params(axis="x", integer=True)
    return axes


def _fit(ax: Any, y: np.ndarray) -> None:
    """Set the scale and the limits of an axis so that values of 0 or more fill it."""
    above = y[y > 0]
    if not len(above):
        ax.set_ylim(-0.5, 1)
        return
    if above.max() < WIDE * above.min():
        low = y.min() if y.min() < 0.5 * y.max() else 0.0  # else the height tells how much it is
        margin = 0.08 * (y.max() - low)
        ax.set_ylim(low - margin if 0 in y or low else 0, y.max() + margin)
        return
    low, high = above.min(), above.max()
    if len(above) < len(y):  # from 0 to the smallest other value, as far as to its double
        ax.set_yscale("symlog", linthresh=low, linscale=0.3)
    else:
        ax.set_yscale("log")
    scale = ax.yaxis.get_transform()
    bottom, top = scale.transform([0 if len(above) < len(y) else low, high])
    margin = 0.06 * (top - bottom)  # so that no point lies on the frame
    ax.set_ylim(*scale.inverted().transform([bottom - margin, top + margin]))
