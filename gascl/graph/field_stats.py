"""Cached statistics of an edge field, computed in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

#: Values examined at a time, so that temporary arrays stay in the cache.
_PART = 1 << 16


@dataclass(frozen=True)
class Summary:
    """Statistics of the numbers of an edge field.

    Attributes:
        count: the number of finite values.
        least, greatest: of the finite values, in the field's dtype; None if there are none.
        total: the sum of the finite values, in float64.
        magnitude: the smallest absolute value other than 0; inf if there is none.
        finite: no value is NaN or infinite.
        whole: all finite values are whole numbers; also if there are none.
    """

    count: int
    least: Any
    greatest: Any
    total: float
    magnitude: float
    finite: bool
    whole: bool

    @property
    def mean(self) -> float:
        """The mean of the finite values; NaN if there are none."""
        return self.total / self.count if self.count else np.nan

    def fits(self, dtype: np.dtype) -> bool:
        """Whether `dtype` holds all values, except for rounding of floats: no fraction is lost, no
        value is out of range, and only 0 becomes 0."""
        if not self.count:
            return self.finite or dtype.kind == "f"
        if dtype.kind != "f":
            info = np.iinfo(dtype)
            within = info.min <= int(self.least) and int(self.greatest) <= info.max
            return self.finite and self.whole and within
        with np.errstate(all="ignore"):
            ends = np.array([self.least, self.greatest]).astype(dtype)
            return bool(np.isfinite(ends).all() and dtype.type(self.magnitude) != 0)


def summary(values: np.ndarray) -> Summary:
    """The statistics of the values (E,), integers or floats."""
    floats = values.dtype.kind == "f"
    least = greatest = None
    count, total, magnitude, whole = 0, 0.0, np.inf, True
    with np.errstate(all="ignore"):  # a sum may overflow
        for begin in range(0, len(values), _PART):
            part = values[begin : begin + _PART]
            low, high = part.min(), part.max()
            if floats and not (np.isfinite(low) and np.isfinite(high)):
                part = part[np.isfinite(part)]
                if not len(part):
                    continue
                low, high = part.min(), part.max()
            least = low if least is None else min(low, least)
            greatest = high if greatest is None else max(high, greatest)
            count += len(part)
            total += float(part.sum(dtype=np.float64))
            if floats and whole:
                whole = bool((np.trunc(part) == part).all())
            if low > 0:
                magnitude = min(magnitude, float(low))
            elif floats or low < 0 or high > 0:
                sizes = np.abs(part[part != 0], dtype=np.float64)
                magnitude = min(magnitude, float(sizes.min(initial=np.inf)))
    return Summary(count, least, greatest, total, magnitude, count == len(values), whole)
