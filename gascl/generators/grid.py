"""Grids of two and three dimensions: like road networks, of small degree and large diameter."""

from __future__ import annotations

import numpy as np

from gascl.errors import GraphError
from gascl.generators.made import Weights, graph_of, room, seeded, vertices, weighted
from gascl.graph.arcs import INT32_MAX
from gascl.graph.graph import Graph


def grid(
    rows: int,
    columns: int,
    layers: int = 1,
    *,
    periodic: bool = False,
    seed: int = 0,
    weights: Weights = None,
) -> Graph:
    """An undirected grid; vertex (layer * rows + row) * columns + column is joined to the next in
    its row, in its column, and across layers.

    Args:
        rows, columns, layers: 1 or more; more than one layer makes it three-dimensional.
        periodic: the last is joined to the first, in each direction with more than two.
        seed: for the weights.
        weights: (least, highest): each edge gets a "weight", an integer drawn uniformly, like
            the length of a road.

    Raises:
        GraphError: an argument is not as above, or the graph would be too large.
    """
    sides = tuple(
        vertices(name, value)
        for name, value in (("layers", layers), ("rows", rows), ("columns", columns))
    )
    seed, span = seeded(seed), weighted(weights)
    count = sides[0] * sides[1] * sides[2]
    if count > INT32_MAX:
        raise GraphError(
            f"the grid would have {count:,} vertices; it can have {INT32_MAX:,}: ask for fewer "
            "rows, columns or layers"
        )
    closed = [periodic and side > 2 for side in sides]
    sizes = [
        count // side * (side if ring else side - 1)
        for side, ring in zip(sides, closed, strict=True)
    ]
    room(sum(sizes), 2 * count)
    ids = np.arange(count, dtype=np.int32).reshape(sides)
    src, dst = np.empty(sum(sizes), np.int32), np.empty(sum(sizes), np.int32)
    begin = 0
    for axis in (2, 1, 0):  # along rows first
        end = begin + sizes[axis]
        along = np.moveaxis(ids, axis, -1)
        heads = np.roll(along, -1, axis=-1) if closed[axis] else along[..., 1:]
        tails = along if closed[axis] else along[..., :-1]
        src[begin:end].reshape(tails.shape)[...] = tails
        dst[begin:end].reshape(heads.shape)[...] = heads
        begin = end
    about = f"grid, rows={sides[1]}, columns={sides[2]}, layers={sides[0]}, periodic={periodic}"
    return graph_of(about, src, dst, count, seed=seed, weights=span)
