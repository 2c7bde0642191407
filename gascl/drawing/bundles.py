"""A large graph as discs, one for each community, with the edges between two of them bundled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gascl.drawing.spacing import apart
from gascl.graph.graph import Graph
from gascl.programs import ForceLayout, Louvain
from gascl.run.engine import Engine

#: The golden angle, by which each vertex of a disc is turned from the one before.
GOLDEN = np.pi * (3 - 5**0.5)
#: Between discs with bundles, as a part of the largest radius.
GAP = 0.25
#: The widest bundle of edges, as a part of the largest disc's radius; and the most bundles.
WIDE, BUNDLES = 0.35, 600
#: A layout shows no structure if its edges are longer than this, as a part of the length of edges
#: that would join any vertices.
TANGLED = 0.1
#: Communities with labels.
NAMED = 12


@dataclass(frozen=True)
class Bundles:
    """The picture of a graph by its communities.

    Attributes:
        at: (V, 2) where the vertices are: those of a community in a disc, by decreasing degree.
        group: (V,) the disc of each.
        center: (N, 2) of the discs, the largest first; radius: (N,).
        ends: (M, 2) the discs that each bundle of edges joins; many: (M,) the edges in it.
        hubs: (N,) the vertex of the highest degree in each.
        left_out: how many bundles are not shown, the thinnest.
    """

    at: np.ndarray
    group: np.ndarray
    center: np.ndarray
    radius: np.ndarray
    ends: np.ndarray
    many: np.ndarray
    hubs: np.ndarray
    left_out: int

    def caption(self, graph: Graph) -> str:
        many = len(self.radius)
        noun = "communities" if many != 1 else "community"
        text = f"{graph.num_edges:,} edges, bundled between {many:,} {noun}"
        return text + (f"; {self.left_out:,} thin bundles left out" if self.left_out else "")


def is_tangled(graph: Graph, at: np.ndarray) -> bool:
    """Whether a layout has mostly long edges, as all layouts of a dense graph have."""
    if not graph.num_edges:
        return False
    tails, heads = at[graph.edge_src], at[graph.edge_dst]
    others = np.random.RandomState(0).permutation(heads)  # of edges that join anything
    return bool(_length(heads - tails) > TANGLED * _length(others - tails))


def _length(vectors: np.ndarray) -> float:
    return float(np.hypot(*vectors.T).mean())


def bundled(graph: Graph, group: np.ndarray | None, seed: int, device: Any) -> Bundles:
    """Place the communities of a graph, and its vertices in them.

    Args:
        group: (V,) the community of each vertex; default: found by Louvain.
    """
    if group is None:
        simple = graph.simple(undirected=True)
        names: dict[str, Any] = {} if "weight" in simple.edge_fields else {"weight": None}
        group = Engine(simple, device).run(Louvain(**names)).community
    _, group, sizes = np.unique(group, return_inverse=True, return_counts=True)
    rank = np.empty(len(sizes), np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    group, sizes = rank[group], np.sort(sizes)[::-1]
    radius = np.sqrt(sizes) + 0.5
    one, other = group[graph.edge_src], group[graph.edge_dst]
    between = one != other
    low, high = np.minimum(one, other)[between], np.maximum(one, other)[between]
    keys, many = np.unique(low * len(sizes) + high, return_counts=True)
    ends = np.stack([keys // len(sizes), keys % len(sizes)], axis=1)
    order = np.lexsort([np.arange(len(many)), -many])
    kept = order[:BUNDLES]
    center = _placed(ends[kept], many[kept], radius, seed, device)
    at = np.empty((graph.num_vertices, 2))
    places = np.lexsort([-graph.degree, group])
    first = np.cumsum(sizes) - sizes
    number = np.arange(len(places)) - np.repeat(first, sizes)
    far, angle = np.sqrt(number), number * GOLDEN
    inside = np.stack([far * np.cos(angle), far * np.sin(angle)], axis=1)
    at[places] = center[np.repeat(np.arange(len(sizes)), sizes)] + inside
    strong = ends[kept], many[kept]
    return Bundles(at, group, center, radius, *strong, places[first], len(order) - len(kept))


def _placed(
    ends: np.ndarray, many: np.ndarray, radius: np.ndarray, seed: int, device: Any
) -> np.ndarray:
    """(N, 2): the centers of discs; those without bundles are around the others."""
    count = len(radius)
    joined = np.unique(ends)
    center = np.zeros((count, 2))
    if len(joined):
        place = np.full(count, -1)
        place[joined] = np.arange(len(joined))
        # A strong bundle is several edges, which pull more; one that is thin for both is none.
        quotient = Graph.from_edges(*place[ends].T, num_vertices=len(joined), directed=False)
        at = Engine(quotient, device).run(ForceLayout(seed=seed)).position
        size = radius[joined]
        span = 3.2 * (size**2).sum() ** 0.5
        center[joined] = apart(
            at * span / np.ptp(at, axis=0).max(), size, (span, span), GAP * size.max()
        )
    alone = np.setdiff1d(np.arange(count), joined)
    inner = (np.hypot(*center[joined].T) + radius[joined]).max(initial=0)
    inner += radius[alone].max(initial=0)
    area = (1.05 * inner) ** 2 + 1.4 * np.cumsum((radius[alone] + 0.3) ** 2)
    angle = np.arange(len(alone)) * GOLDEN
    center[alone] = np.sqrt(area)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return apart(center, radius, None, 0)


def tints(bundles: Bundles, colors: np.ndarray) -> np.ndarray:
    """(N, 3): a light shade of the mean color of each disc's vertices."""
    count = np.bincount(bundles.group)
    mean = [np.bincount(bundles.group, colors[:, i]) / count for i in range(3)]
    return 1 - 0.35 * (1 - np.stack(mean, axis=1))


def draw_bundles(ax: Any, bundles: Bundles, unit: float, colors: np.ndarray) -> None:
    """Draw the discs, and the bundles below them.

    Args:
        unit: points per unit of the positions.
        colors: (V, 4) of the vertices.
    """
    from matplotlib.collections import EllipseCollection, LineCollection

    if len(bundles.many):
        strong = np.sqrt(bundles.many / bundles.many.max())
        width = np.maximum(WIDE * bundles.radius.max() * unit * strong, 0.4)
        shades = np.tile([0.35, 0.4, 0.5, 1.0], (len(strong), 1))
        shades[:, 3] = 0.06 + 0.6 * strong
        lines = bundles.center[bundles.ends]
        ax.add_collection(
            LineCollection(list(lines), linewidths=width, colors=shades, capstyle="butt", zorder=1)
        )
    size = 2 * bundles.radius + 0.5
    discs = EllipseCollection(
        size, size, 0, units="xy", offsets=bundles.center, offset_transform=ax.transData
    )
    discs.set(facecolor=tints(bundles, colors), edgecolor="0.8", linewidth=0.4, zorder=1.5)
    ax.add_collection(discs)
    ax.update_datalim(bundles.center + size[:, None] / 2)
    ax.update_datalim(bundles.center - size[:, None] / 2)


def draw_names(ax: Any, bundles: Bundles, graph: Graph, unit: float) -> None:
    """Write the label of its hub below each of the largest communities, if it is not much wider.

    Args:
        unit: points per unit of the positions.
    """
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=2, foreground="white")]
    for number in range(min(NAMED, len(bundles.radius))):
        if bundles.radius[number] < 0.25 * bundles.radius[0]:
            break
        text = str(graph.label_of(int(bundles.hubs[number])))
        if 3 * len(text) > 2 * bundles.radius[number] * unit:
            continue
        at = bundles.center[number] - [0, bundles.radius[number]]
        style = {"fontsize": "x-small", "path_effects": halo, "zorder": 3, "parse_math": False}
        ax.text(*at, text, ha="center", va="center", **style)
