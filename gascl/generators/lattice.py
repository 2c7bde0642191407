"""The arcs of grids and paths as a rule, so that they need not be stored."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


class Lattice:
    """The arcs between neighbors in a lattice, as an `implicit_arcs.Rule`: vertex
    (layer * rows + row) * columns + column has arcs from the one before it and after it along each
    axis.

    Args:
        sides: the layers, rows and columns, or fewer of them; each 1 or more.
        closed: for each side, whether the last one is joined to the first; it has more than two.
        before, after: whether a row has arcs from these.
    """

    def __init__(
        self,
        sides: Sequence[int],
        closed: Sequence[bool],
        before: bool = True,
        after: bool = True,
    ):
        strides = [math.prod(sides[axis + 1 :]) for axis in range(len(sides))]
        axes = zip(sides, strides, closed, strict=True)
        self._axes = [axis for axis in axes if axis[0] > 1]
        self._before, self._after = before, after
        ways = before + after
        self.most = sum(min(ways, side - 1) if not ring else ways for side, _, ring in self._axes)
        self.least = sum(ways if ring else ways - 1 for *_, ring in self._axes)

    def begins(self, rows: np.ndarray) -> np.ndarray:
        total = np.zeros(rows.shape, np.int64)
        for side, stride, ring in self._axes:
            total += (self._before + self._after) * rows
            if not ring:
                whole, rest = np.divmod(rows, side * stride)
                whole *= stride
                if self._before:  # the first of a line has none before it
                    total -= whole + np.minimum(rest, stride)
                if self._after:
                    total -= whole + (rest - (side - 1) * stride).clip(0)
        return total

    def ends(self, first: int, last: int) -> np.ndarray:
        rows, ends, there = np.arange(first, last), list[np.ndarray](), list[np.ndarray | bool]()
        before = [(axis, -1) for axis in self._axes] if self._before else []
        after = [(axis, 1) for axis in self._axes[::-1]] if self._after else []
        for (side, stride, ring), step in (*before, *after):  # so that they rise, but for rings
            place = rows // stride % side
            edge = place == (0 if step < 0 else side - 1)
            ends.append(rows + step * stride - edge * (step * side * stride))
            there.append(True if ring else ~edge)
        if not ends:
            return np.empty(0, np.int64)
        found = np.stack(ends, axis=1)
        is_there = np.stack(np.broadcast_arrays(rows >= 0, *there)[1:], axis=1)
        if any(ring for *_, ring in self._axes):
            order = np.argsort(found, axis=1, kind="stable")
            found, is_there = (np.take_along_axis(a, order, axis=1) for a in (found, is_there))
        return found[is_there]
