"""Grids of two and three dimensions: like road networks, with small degree and large diameter."""

from __future__ import annotations

import numpy as np

from gascl.errors import GraphError
from gascl.generators.builder import MOST, Weights, check_rule, seeded, vertices, weighted
from gascl.generators.chunked import CHUNK, Chunks, Recipe, generator
from gascl.generators.lattice import Lattice
from gascl.graph.parallel import blocks
from gascl.io.outofcore.spool import EdgeSpool


@generator
def grid(
    rows: int,
    columns: int,
    layers: int = 1,
    *,
    periodic: bool = False,
    seed: int = 0,
    weights: Weights = None,
    stored: bool = True,
) -> Recipe:
    """An undirected grid; vertex (layer * rows + row) * columns + column is joined to the next in
    its row, in its column, and across layers.

    Args:
        rows, columns, layers: 1 or more; more than one layer makes it three-dimensional.
        periodic: the last is joined to the first, in each direction with more than two.
        seed: for the weights.
        weights: (least, highest): each edge gets a "weight", an integer drawn uniformly, like
            the length of a road.
        stored: False: the edges are not stored, and there may be any number of vertices; each of
            several ranks makes its own arcs (docs/scale.md).

    Raises:
        GraphError: an argument is not as above, or the graph would be too large.
    """
    check_rule(stored, weights)
    sides = tuple(
        vertices(name, value)
        for name, value in (("layers", layers), ("rows", rows), ("columns", columns))
    )
    seed, span = seeded(seed), weighted(weights)
    count = sides[0] * sides[1] * sides[2]
    if count > MOST:
        raise GraphError(
            f"the grid would have {count:,} vertices; it can have {MOST:,}: ask for fewer rows, "
            "columns or layers"
        )
    closed = [periodic and side > 2 for side in sides]
    sizes = [
        count // side * (side if ring else side - 1)
        for side, ring in zip(sides, closed, strict=True)
    ]

    def chunks(_: EdgeSpool | None) -> Chunks:
        for axis in (2, 1, 0):  # along rows first
            yield from _along(axis, sides, closed[axis])

    size = f"rows={sides[1]}, columns={sides[2]}, layers={sides[0]}"
    description = f"grid, {size}, periodic={periodic}"
    into = None if stored else Lattice(sides, closed)
    return Recipe(description, count, sum(sizes), chunks, seed, weights=span, into=into)


def _along(axis: int, sides: tuple[int, ...], closed: bool) -> Chunks:
    """The edges along an axis, line by line; the lines in the order of the other axes."""
    steps = sides[1] * sides[2], sides[2], 1
    one, other = (a for a in range(3) if a != axis)
    length = sides[axis] if closed else sides[axis] - 1
    if not length:
        return
    for lines in blocks(sides[one] * sides[other], max(CHUNK // length, 1)):
        row, column = np.divmod(np.arange(lines.start, lines.stop), sides[other])
        first = (row * steps[one] + column * steps[other])[:, np.newaxis]
        for part in blocks(length, CHUNK):
            places = np.arange(part.start, part.stop)
            tails = first + steps[axis] * places
            heads = first + steps[axis] * ((places + 1) % sides[axis])
            yield tails.ravel().astype(np.int32), heads.ravel().astype(np.int32)
