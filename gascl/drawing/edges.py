"""How edges are drawn: as lines, as arrows, as an image of many, or bundled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gascl.drawing.colors import Colors, one
from gascl.graph.graph import Graph

#: Arrows are drawn for up to so many edges of a directed graph.
ARROWS = 1000
#: With more edges than this, lines hide each other: an image, or bundles, show where many are.
LARGE = 20_000
#: Pixels along the longer side of the image of many edges; and the points of lines that it counts,
#: at most: of more, it takes a sample of the edges.
PIXELS, POINTS = 1400, 100_000_000
#: The width of a line in points: the largest, and the smallest, which print and screens show.
WIDEST, THINNEST = 4.0, 0.4
#: The color of lines, which are not opaque.
DARK = "0.2"
#: How far apart the control points of two edges between the same vertices are, and those of all of
#: several, as a part of the distance of the vertices. The curves are half as far apart.
APART, TOGETHER = 0.25, 1.0
#: The diameter of a self-loop beyond its vertex, and of each further one, in points.
LOOP, LOOPS = 9.0, 5.0
#: The points of a curve that are drawn.
SHARES = np.linspace(0, 1, 13)


@dataclass(frozen=True)
class EdgeLook:
    """How the edges of a graph look.

    Attributes:
        width: in points, for all or (E,); None if nothing was said.
        colors: of the lines; None if nothing was said.
        texts: the labels, none or (E,).
    """

    width: Any = None
    colors: Colors | None = None
    texts: tuple[str, ...] = ()


def widths_of(values: np.ndarray) -> np.ndarray:
    """The widths of lines in points, in proportion to the values, but none invisible."""
    return np.maximum(WIDEST * values / (values.max(initial=0) or 1), THINNEST)


def has_arrows(graph: Graph) -> bool:
    return graph.directed and graph.num_edges <= ARROWS


def bends(graph: Graph) -> np.ndarray:
    """(E,): how far edges between the same two vertices bend, so that each can be seen: how far a
    curve's control point is to the right of the middle of the straight edge, as a part of its
    length. 0 for edges without parallel or opposite ones, and for self-loops."""
    bend = np.zeros(graph.num_edges)
    src, dst = graph.edge_src.astype(np.int64), graph.edge_dst.astype(np.int64)
    _, group, many = np.unique(
        np.minimum(src, dst) * graph.num_vertices + np.maximum(src, dst),
        return_inverse=True,
        return_counts=True,
    )
    several = np.flatnonzero((many[group] > 1) & (src != dst))
    place = _places(group)[several]
    count = many[group[several]]
    step = np.minimum(APART, TOGETHER / (count - 1))
    bend[several] = (place - (count - 1) / 2) * step * np.sign(dst - src)[several]
    return bend


def _places(group: np.ndarray) -> np.ndarray:
    """(n,): how many before each are of the same group."""
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    place = np.empty(len(group), np.int64)
    sizes = np.diff(begins, append=len(ordered))
    place[order] = np.arange(len(ordered)) - np.repeat(begins, sizes)
    return place


def curves(tails: np.ndarray, heads: np.ndarray, bend: np.ndarray, share: float) -> np.ndarray:
    """(E, 2): the points of edges that bend, after some share of their way."""
    along = heads - tails
    control = (tails + heads) / 2 + bend[:, None] * np.stack([along[:, 1], -along[:, 0]], axis=1)
    rest = 1 - share
    points: np.ndarray = rest**2 * tails + 2 * rest * share * control + share**2 * heads
    return points


def plain_style(count: int, side: float = 300) -> tuple[float, float]:
    """The width, in points, and opacity of so many edges: each alone can be seen on white, and
    where many cross, they get darker.

    Args:
        side: that of the picture, in points.
    """
    width = float(np.clip(side / (10 * max(count, 1) ** 0.5), THINNEST, 1.0))
    return width, float(np.clip(18 / max(count, 1) ** 0.5, 0.3, 0.7))


def draw_lines(
    ax: Any, graph: Graph, at: np.ndarray, look: EdgeLook, radius: np.ndarray, side: float
) -> None:
    """Draw each edge as a line or an arrow, wide ones first; those between the same vertices as
    curves, and self-loops as circles.

    Args:
        radius: (V,) of the vertices, in points.
        side: of the picture, in points.
    """
    from matplotlib.collections import LineCollection

    count = graph.num_edges
    tails, heads = at[graph.edge_src], at[graph.edge_dst]
    usual, opacity = plain_style(count, side)
    width = np.broadcast_to(usual if look.width is None else look.width, count)
    shades = (look.colors or one(DARK)).rgba(count)
    if look.colors is None:
        shades[:, 3] = opacity
    bend, loops = bends(graph), graph.edge_src == graph.edge_dst
    if has_arrows(graph):
        style = {"arrowstyle": "->", "shrinkA": 0}
        for i in np.flatnonzero(~loops).tolist():
            end = graph.edge_dst[i]
            more = {"color": shades[i], "linewidth": width[i], "shrinkB": float(radius[end])}
            more["connectionstyle"] = f"arc3,rad={bend[i]}"
            ax.annotate("", heads[i], tails[i], arrowprops={**style, **more}, zorder=1)
        ax.update_datalim(at)
    else:
        order = np.argsort(-width, kind="stable")
        lines = list(np.stack([tails, heads], axis=1)[order])
        bent = np.flatnonzero(bend[order])
        some = order[bent]
        ways = [curves(tails[some], heads[some], bend[some], share) for share in SHARES]
        for i, line in zip(bent.tolist(), np.stack(ways, axis=1), strict=True):
            lines[i] = line
        ax.add_collection(
            LineCollection(lines, colors=shades[order], linewidths=width[order], zorder=1)
        )
    middles, tall = curves(tails, heads, bend, 0.5), np.zeros(count)
    ax.update_datalim(middles)
    if loops.any():
        ends = graph.edge_src[loops]
        tall[loops] = 2 * radius[ends] + LOOP + LOOPS * _places(ends)
        _draw_loops(ax, tails[loops], tall[loops], shades[loops], width[loops])
    if look.texts:
        _draw_texts(ax, tails, heads, middles, tall, look.texts)


def _draw_loops(
    ax: Any, at: np.ndarray, tall: np.ndarray, shades: np.ndarray, width: np.ndarray
) -> None:
    """Draw self-loops as circles above their vertices, from these to `tall` points above them."""
    from matplotlib.path import Path

    circle = Path.unit_circle()
    points = np.asarray(circle.vertices, np.float64)
    above = Path(points / 2 + [0, 0.5], circle.codes)  # from the vertex to 1 above it
    style: dict[str, Any] = {
        "facecolors": "none",
        "edgecolors": shades,
        "linewidths": width,
        "zorder": 1,
    }
    # matplotlib scales a marker so that it reaches half of the root of its area.
    ax.scatter(*at.T, s=(2 * tall) ** 2, marker=above, clip_on=False, **style)


def _draw_texts(
    ax: Any,
    tails: np.ndarray,
    heads: np.ndarray,
    middles: np.ndarray,
    tall: np.ndarray,
    texts: tuple[str, ...],
) -> None:
    """Draw labels on the middles of edges, along them, and of self-loops `tall` points above."""
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=2, foreground="white")]
    style = {"fontsize": "x-small", "path_effects": halo, "color": "0.25", "zorder": 2.5}
    style["parse_math"] = False
    for tail, head, middle, up, text in zip(tails, heads, middles, tall, texts, strict=True):
        x, y = head - tail
        angle = np.degrees(np.arctan2(y, x))
        angle = (angle + 90) % 180 - 90  # readable from below
        turned = {"rotation": angle, "rotation_mode": "anchor", "transform_rotates_text": True}
        if up:
            above = {"xytext": (0, up), "textcoords": "offset points"}
            ax.annotate(text, middle, **above, ha="center", va="center", **style)
        else:
            ax.text(*middle, text, ha="center", va="center", **turned, **style)


def density(graph: Graph, at: np.ndarray) -> tuple[np.ndarray, tuple[float, ...], int]:
    """Count for each pixel of an image the edges that cross it.

    Returns:
        int (height, width), from below; the bounds left, right, bottom and top; and how many edges
        were counted: all, or a random sample.
    """
    low, high = at.min(axis=0).astype(float), at.max(axis=0).astype(float)
    span = np.maximum(high - low, 1e-6)
    width, height = np.maximum(1, np.ceil(PIXELS * span / span.max())).astype(int).tolist()
    place = np.rint((at - low) / span * [width - 1, height - 1]).astype(np.int64)
    src, dst = graph.edge_src, graph.edge_dst
    steps = np.abs(place[dst] - place[src]).max(axis=1) + 1  # one pixel in each row or column
    chosen = np.arange(len(src))
    if steps.sum() > POINTS:
        share = POINTS / steps.sum()
        drawn = np.random.RandomState(0).choice(len(src), int(share * len(src)), replace=False)
        chosen = np.sort(drawn)
    counts = np.zeros(width * height, np.int64)
    begin = 0
    ends = np.cumsum(steps[chosen])
    while begin < len(chosen):  # some millions of points at a time
        before = ends[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + 4_000_000, "right")))
        part = chosen[begin:end]
        many = steps[part]
        edge = np.repeat(part, many)
        first = np.repeat(np.cumsum(many) - many, many)
        share = (np.arange(len(edge)) - first) / np.maximum(np.repeat(many, many) - 1, 1)
        x, y = np.rint(place[src[edge]] + share[:, None] * (place[dst[edge]] - place[src[edge]])).T
        counts += np.bincount((y * width + x).astype(np.int64), minlength=len(counts))
        begin = end
    bounds = (low[0], low[0] + span[0], low[1], low[1] + span[1])
    return counts.reshape(height, width), bounds, len(chosen)


def draw_density(ax: Any, graph: Graph, at: np.ndarray) -> str:
    """Draw the edges as an image: the more of them cross a pixel, the darker it is.

    Returns:
        What a caption says of it.
    """
    from matplotlib.colors import LogNorm

    counts, bounds, taken = density(graph, at)
    # From a middle gray on, since one line in a pixel is also to be seen.
    scale = LogNorm(0.1, max(counts.max(), 1))
    image = np.ma.masked_equal(counts, 0)
    ax.imshow(image, cmap="Greys", norm=scale, extent=bounds, origin="lower", zorder=1)
    sample = "" if taken == graph.num_edges else f", of a random sample of {taken:,}"
    return f"{graph.num_edges:,} edges as an image: darker where more cross{sample}"
