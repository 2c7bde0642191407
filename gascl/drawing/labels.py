"""The labels of vertices: beside them, where there are the fewest edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from gascl.drawing.edges import has_arrows
from gascl.graph.graph import Graph

#: How often the limits of axes are widened, since each round leaves a fraction of what is outside;
#: and to how many times what they were, since vertices must stay apart where labels are very long.
ROUNDS, WIDEST = 6, 3


def draw_labels(
    ax: Any, graph: Graph, at: np.ndarray, radius: np.ndarray, unit: float, texts: list[str]
) -> list[Any]:
    """Draw labels beside their vertices: where they cover the least of other labels, vertices and
    heads of arrows, and of such places that where there are the fewest edges.

    Args:
        radius: (V,) of the vertices, in points.
        unit: the points of a unit of the positions.

    Returns:
        matplotlib's Annotations, in the order of the vertices.
    """
    from matplotlib.font_manager import FontProperties
    from matplotlib.patheffects import withStroke

    height = FontProperties(size="small").get_size_in_points()
    halo = [withStroke(linewidth=2, foreground="white")]  # readable on edges, too
    style = {"textcoords": "offset points", "fontsize": "small", "path_effects": halo, "zorder": 3}
    style["parse_math"] = False  # "$" is a letter
    away, heads = _away(graph, at), _heads(graph, at)
    points = at * unit
    # What labels should not cover: squares in the circles of vertices, and labels before.
    low, high = points - 0.9 * radius[:, None], points + 0.9 * radius[:, None]
    drawn: list[Any] = [None] * len(texts)
    for vertex in np.argsort(-radius, kind="stable").tolist():
        size = np.array([0.6 * height * max(len(texts[vertex]), 1), height])
        boxes = low - points[vertex], high - points[vertex]
        direction = _free_direction(away[vertex], heads[vertex], radius[vertex], size, boxes)
        ha, va = _anchor(direction)
        place = direction * (radius[vertex] + 2)
        drawn[vertex] = ax.annotate(texts[vertex], at[vertex], place, ha=ha, va=va, **style)
        corner = points[vertex] + _corner(direction, radius[vertex], size)
        low, high = np.vstack([low, corner]), np.vstack([high, corner + size])
    return drawn


def make_room(ax: Any, texts: list[Any]) -> None:
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
    """(V, 2): for each vertex the direction opposite to its neighbors, and to its self-loops, which
    are above it, of length 1; upwards where they are on all sides, or there are none."""
    src, dst = graph.edge_src, graph.edge_dst
    directions = _unit(at[dst] - at[src])
    total = np.zeros((graph.num_vertices, 2))
    np.add.at(total, src, -directions)
    np.add.at(total, dst, directions)
    np.add.at(total, src[src == dst], [0, -1])
    total[np.hypot(*total.T) < 1e-6] = 0, 1
    return _unit(total)


def _heads(graph: Graph, at: np.ndarray) -> list[np.ndarray]:
    """(N, 2) for each vertex: the directions, of length 1, in which the heads of arrows are."""
    if not has_arrows(graph):
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


def _corner(direction: np.ndarray, radius: float, size: np.ndarray) -> np.ndarray:
    """Where the lower left corner of a label is that is in some direction, from its vertex."""
    share = {"left": 0.0, "bottom": 0.0, "center": 0.5, "right": 1.0, "top": 1.0}
    return direction * (radius + 2) - [share[side] for side in _anchor(direction)] * size


def _free_direction(
    wanted: np.ndarray,
    heads: np.ndarray,
    radius: float,
    size: np.ndarray,
    boxes: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """(2,): where to put a label: in the direction nearest to the wanted one in which it covers the
    fewest heads of arrows, and the least of some boxes.

    Args:
        heads: (N, 2), their directions, of length 1.
        radius: of the vertex, in points.
        size: of the label, in points.
        boxes: their lower left and upper right corners, in points from the vertex.
    """
    turns = np.arange(16) * (2 * np.pi / 16)
    directions = np.vstack([wanted, np.stack([np.cos(turns), np.sin(turns)], axis=1)])
    # A head is 4 points long; with its width, and the label's halo, it takes 3 on each side.
    tips = (heads[:, None] * (radius + np.array([0.0, 2.5, 5.0]))[:, None]).reshape(-1, 2)
    covered = []
    for direction in directions:
        corner = _corner(direction, radius, size)
        inside = (tips > corner - 3) & (tips < corner + size + 3)
        common = np.minimum(boxes[1], corner + size) - np.maximum(boxes[0], corner)
        hidden = np.maximum(common, 0).prod(axis=1).sum() / size.prod()
        covered.append(np.count_nonzero(inside.all(axis=1)) + round(8 * hidden))
    best: np.ndarray = directions[np.lexsort([-(directions @ wanted), covered])[0]]
    return best


def _unit(directions: np.ndarray) -> np.ndarray:
    """The vectors (N, 2) with length 1; those of length 0 stay so."""
    length = np.hypot(*directions.T)[:, None]
    return directions / np.where(length > 0, length, 1)
