"""The arcs of grids and paths as a rule, so that they need not be stored."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

#: The length of an axis, how far apart two neighbors along it are, and whether it is closed.
_Axis = tuple[int, int, bool]
#: In place of a neighbor, where there is none: it is higher than any.
_NONE = np.iinfo(np.int64).max


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
        self._axes: list[_Axis] = [axis for axis in axes if axis[0] > 1]
        # In the order of the neighbors' numbers, but where an axis is closed.
        self._ways = [(axis, -1) for axis in self._axes] if before else []
        self._ways += [(axis, 1) for axis in self._axes[::-1]] if after else []
        self._before, self._after = before, after
        self._near = np.empty((0, len(self._ways)), np.int64)  # of the first rows, without ends
        ways = before + after
        self.most = sum(min(ways, side - 1) if not ring else ways for side, _, ring in self._axes)
        # Where an axis is closed, from one end to the other.
        reach = (stride * (side - 1 if ring else 1) for side, stride, ring in self._axes)
        self.reach = max(reach, default=0)
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

    def counts(self, first: int, last: int) -> np.ndarray:
        counts = np.full(last - first, len(self._ways), np.int32)
        for axis, step in self._ways:
            if not axis[2]:
                counts[self._ends_of_lines(axis, step, first, last)] -= 1
        return counts

    def ends(self, first: int, last: int) -> np.ndarray:
        near = self._near
        if last - first > len(near):
            steps = [step * stride for (_, stride, _), step in self._ways]
            self._near = near = np.add.outer(np.arange(last - first), np.array(steps, np.int64))
        found = near[: last - first] + first
        some, rings = False, list[np.ndarray]()
        for column, (axis, step) in enumerate(self._ways):
            rows, (side, stride, ring) = self._ends_of_lines(axis, step, first, last), axis
            if ring:
                found[rows, column] -= step * side * stride
                rings.append(rows)
            else:
                found[rows, column] = _NONE
                some |= len(rows) > 0
        for rows in rings:  # their ends no longer rise
            found[rows] = np.sort(found[rows], axis=1)
        ends = found.reshape(-1)
        return ends[ends != _NONE] if some else ends

    @staticmethod
    def _ends_of_lines(axis: _Axis, step: int, first: int, last: int) -> np.ndarray:
        """The rows of a range at the end of a line along an axis, counted from the first."""
        side, stride, _ = axis
        period, place = side * stride, 0 if step < 0 else side - 1
        begins = np.arange(first // period * period + place * stride, last, period)
        if stride > 1:
            parts = [np.arange(max(b, first), min(b + stride, last)) for b in begins.tolist()]
            begins = np.concatenate([np.empty(0, np.int64), *parts])
        return begins[begins >= first] - first
