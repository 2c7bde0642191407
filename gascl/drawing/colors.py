"""What colors stand for: categories, which have a legend, or numbers, which have a color bar."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gascl.errors import GasclError
from gascl.results.plots import heavy_tailed

#: The colors of categories, each at least 0.128 from any other one, white and grays in OKLab, where
#: the closest two of matplotlib's tab20 are 0.054 apart: those of tab10, without gray, and then
#: greedily the color farthest from all before, within the lightness and chroma of print. Source of
#: the method: Glasbey et al., Colour displays for categorical images (2007).
PALETTE = (
    "#1f77b4 #ff7f0e #2ca02c #d62728 #9467bd #8c564b #e377c2 #17becf #bcbd22 #47148f "
    "#005200 #00f5ad #700a3d #a38f66 #004766 #7099ff #ffadff #ad297a #5247c2 #5c3300"
).split()
#: The color of no value, and of all categories beyond the palette.
GRAY = "0.72"
#: An integer with up to so many values is a category, or has a legend with a shade for each.
CATEGORIES = len(PALETTE)
#: The first and the last year that matplotlib's dates have.
YEARS = np.array(["0001", "9999"], "M8[Y]")
#: The height of a line of a legend, in points.
LINE = 12


@dataclass(frozen=True)
class Colors:
    """The colors of vertices or edges.

    Attributes:
        kind: "one" color for all, "category" or "number".
        style: matplotlib's options of a collection: `c`, the numbers that colors stand for, `cmap`
            and `norm`; or `color`.
        names: of categories, in the order of their numbers.
        title: of the legend or color bar.
        whole: whether the numbers are integers.
        dates: whether they are days since 1970 began.
    """

    kind: str
    style: dict[str, Any]
    names: tuple[str, ...] = ()
    title: str | None = None
    whole: bool = False
    dates: bool = False

    def of(self, number: int) -> Colors:
        """Those of one picture among several with the same scale."""
        return replace(self, style={**self.style, "c": self.style["c"][number]})

    def rgba(self, count: int) -> np.ndarray:
        """(count, 4), from 0 to 1."""
        from matplotlib.colors import to_rgba

        if "color" in self.style:
            return np.tile(to_rgba(self.style["color"]), (count, 1))
        return self.style["cmap"](self.style["norm"](np.ma.masked_invalid(self.style["c"])))

    def legend_colors(self) -> np.ndarray:
        """(names, 4): the color of each category."""
        return self.style["cmap"](self.style["norm"](np.arange(len(self.names))))

    def text(self, number: float, digits: int) -> str:
        """A number as text: a time, or with some digits; "" for NaN."""
        if not np.isfinite(number):
            return ""
        if self.dates:
            return str(np.datetime64(round(number * 86400), "s")).removesuffix("T00:00:00")
        return f"{number:.{digits}g}"

    def ticks(self) -> Any:
        """matplotlib's Locator of a color bar, whose ticks are round numbers, or times."""
        from matplotlib.colors import LogNorm
        from matplotlib.dates import AutoDateLocator
        from matplotlib.ticker import LogLocator, MaxNLocator

        if self.dates:
            return AutoDateLocator()  # type: ignore[no-untyped-call]
        norm: Any = self.style["norm"]
        if not isinstance(norm, LogNorm):
            return MaxNLocator(6, integer=self.whole, steps=[1, 2, 5, 10])
        few = float(norm.vmax or 1) < 1000 * float(norm.vmin or 1)
        return LogLocator(subs=(1, 2, 5) if few else (1,))


def one(color: Any) -> Colors:
    """The same color everywhere."""
    return Colors("one", {"color": color})


def colors_for(
    values: np.ndarray,
    *,
    title: str | None = None,
    cmap: Any = None,
    grouped: bool = False,
    ordered: bool = False,
    names: Any = None,
) -> Colors:
    """Colors that stand for values, in the shape of these: (V,), or (pictures, V).

    Args:
        grouped: the values are numbers of groups, or vertices, less than 0 for none.
        ordered: integers are no categories, but depths, say: a colormap of numbers shades them.
        names: for an array of some values their texts; default: str of each.
    """
    if values.dtype.kind in "USOb" or grouped:
        return _categories(values, title, cmap, grouped, names)
    if values.dtype.kind in "iu":
        kinds = np.unique(values)
        if len(kinds) <= CATEGORIES:
            colors = _categories(values, title, cmap, ordered, names)
            return colors if cmap is not None or not ordered else _shaded(colors, kinds)
    return _numbers(values, title, cmap)


def _categories(
    values: np.ndarray, title: str | None, cmap: Any, signed: bool, names: Any
) -> Colors:
    """Up to 20 kinds in their order; of more, the 20 with most vertices, by these numbers."""
    from matplotlib.colors import ListedColormap, Normalize

    if values.dtype.kind == "O":
        values = np.array([text_of(value) for value in values.ravel()], str).reshape(values.shape)
    kinds, number, sizes = np.unique(values, return_inverse=True, return_counts=True)
    none = np.zeros(len(kinds), bool)
    if kinds.dtype.kind == "U":
        none = kinds == ""
    elif signed and kinds.dtype.kind in "if":
        none = kinds < 0
    there = np.flatnonzero(~none)
    shown = there
    if len(there) > CATEGORIES:
        shown = there[np.argsort(-sizes[there], kind="stable")[:CATEGORIES]]
    place = np.full(len(kinds), len(shown) + 1)  # of those that are none
    place[there] = len(shown)  # of those beyond the palette
    place[shown] = np.arange(len(shown))
    chosen = [*PALETTE[: len(shown)], GRAY, GRAY]
    style: dict[str, Any] = {
        "c": place[number].reshape(values.shape),
        "cmap": ListedColormap(chosen),
        "norm": Normalize(0, len(chosen) - 1),
    }
    if cmap is not None:
        from matplotlib import colormaps

        spread = (colormaps[cmap] if isinstance(cmap, str) else cmap)(
            np.linspace(0, 1, max(len(shown), 2))[: len(shown)]
        )
        style["cmap"] = ListedColormap([*map(tuple, spread), GRAY, GRAY])
    texts = [str(text) for text in (names(kinds[shown]) if names else kinds[shown].tolist())]
    beyond = len(there) - len(shown)
    texts += [f"{beyond:,} more"] if beyond else []
    return Colors("category", style, tuple(texts), title)


def text_of(value: Any) -> str:
    """A value as text; "" for None and NaN."""
    return "" if value is None or value != value else str(value)


def _shaded(colors: Colors, kinds: np.ndarray) -> Colors:
    """The colors of integers by how large they are; those below 0 stay gray."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    kinds = kinds[kinds >= 0].astype(float)
    span = np.ptp(kinds) if len(kinds) else 0
    shades = colormaps["viridis"]((kinds - kinds.min()) / span if span else np.zeros(len(kinds)))
    style = {**colors.style, "cmap": ListedColormap([*map(tuple, shades), GRAY, GRAY])}
    return replace(colors, style=style)


def _numbers(values: np.ndarray, title: str | None, cmap: Any) -> Colors:
    from matplotlib import colormaps
    from matplotlib.colors import LogNorm, Normalize

    dates = values.dtype.kind == "M"
    if dates:
        years = values.astype("M8[Y]")
        if np.any((years < YEARS[0]) | (years > YEARS[1])):
            raise GasclError(
                f"{title or 'color'}: matplotlib writes the years {YEARS[0]} to {YEARS[1]}, and "
                f"the times are from {np.nanmin(years)} to {np.nanmax(years)}: is their unit right?"
            )
        values = (values - np.datetime64(0, "s")) / np.timedelta64(1, "D")  # NaN for NaT
    finite = np.where(np.isfinite(values), values, np.nan)
    chosen = colormaps[cmap or "viridis"] if isinstance(cmap, str | None) else cmap
    style = {"c": finite, "cmap": chosen.with_extremes(bad=GRAY), "norm": Normalize(0, 1)}
    shown = np.ma.masked_invalid(finite).compressed()
    if len(shown):
        heavy = not dates and shown.min() > 0 and heavy_tailed(shown)
        style["norm"] = (LogNorm if heavy else Normalize)(shown.min(), shown.max())
    return Colors("number", style, title=title, whole=values.dtype.kind in "iu", dates=dates)


def draw_keys(ax: Any, keys: Iterable[Colors]) -> None:
    """Draw legends of categories and color bars of numbers beside a picture; where the figure has
    no layout that makes room for them, legends are in the corners."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.dates import ConciseDateFormatter
    from matplotlib.lines import Line2D

    room = ax.figure.get_layout_engine() is not None
    legends = []
    for colors in keys:
        if colors.kind == "number":
            scale = ScalarMappable(colors.style["norm"], colors.style["cmap"])
            ticks = colors.ticks()
            written: Any = None
            if colors.dates:
                written = ConciseDateFormatter(ticks)  # type: ignore[no-untyped-call]
            bar = ax.figure.colorbar(
                scale, ax=ax, label=colors.title, shrink=0.7, ticks=ticks, format=written
            )
            bar.outline.set_visible(False)
        elif colors.kind == "category":
            legends.append(colors)
    for place, colors in enumerate(legends):
        dots = [
            Line2D([], [], linestyle="", marker="o", color=color, label=text)
            for color, text in zip(colors.legend_colors(), colors.names, strict=True)
        ]
        style: dict[str, Any] = {"title": colors.title, "handletextpad": 0, "frameon": False}
        style["fontsize"] = "small" if len(dots) <= 15 else "x-small"
        # As many columns as it takes to stand in the figure.
        rows = ax.figure.bbox.height * 72 / ax.figure.canvas.figure.dpi / len(legends) / LINE - 1
        style |= {"ncols": -(-len(dots) // max(int(rows), 1)), "labelspacing": 0.3}
        if room:  # one below the other
            high = 1 - (place + 0.5) / len(legends)
            style |= {"loc": "center left", "bbox_to_anchor": (1, high)}
        else:
            style["loc"] = ("best", "lower left")[place % 2]
        if place:
            ax.add_artist(ax.get_legend()).set_clip_on(False)  # or else layouts leave it no room
        legend = ax.legend(handles=dots, **style)
        for text in legend.get_texts():
            text.set_parse_math(False)
