"""Columns of pandas, as values that a field can have."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from gascl.graph.field_types import Coded, Times, categories, coded


def as_series(values: Any) -> Any | None:
    """A column of pandas, such as an Index, as a Series; None for anything else."""
    pandas = sys.modules.get("pandas")  # importing it takes longer than a small run
    if pandas is None or not isinstance(
        values, pandas.Series | pandas.Index | pandas.api.extensions.ExtensionArray
    ):
        return None
    return None if isinstance(values, pandas.MultiIndex) else pandas.Series(values)


def pandas_values(column: Any, report: list[str]) -> Sequence[Any] | np.ndarray | Coded:
    """A Series of any type, with None for what is missing; in NumPy's columns, NaN is a number.

    Args:
        report: takes a line about a time zone that has no name.
    """
    dtype = column.dtype
    if hasattr(dtype, "categories") and all(isinstance(c, str) for c in dtype.categories):
        return categories(column.cat.codes.to_numpy(), list(dtype.categories), bool(dtype.ordered))
    if isinstance(dtype, np.dtype) and dtype.kind in "iufM":
        return column.to_numpy() if dtype.kind != "M" else coded(column.to_numpy()) or []
    if getattr(dtype, "tz", None) is not None:
        moments = coded(column.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
        assert moments is not None and isinstance(moments.type, Times)
        zone = _zone(dtype.tz)
        if zone is None:
            report.append(f"{column.name!r}: the time zone {dtype.tz!r} has no name; read as UTC")
        return Coded(moments.values, Times(moments.type.unit, zone or "UTC"))
    missing = column.isna().to_numpy()
    kind = getattr(dtype, "numpy_dtype", None)  # of a column with nulls
    if isinstance(kind, np.dtype) and kind.kind in "iuf" and not missing.any():
        return column.to_numpy(dtype=kind)
    values = column.tolist()
    return [None if none else v for v, none in zip(values, missing.tolist(), strict=True)]


def _zone(zone: Any) -> str | None:
    """The name of a time zone, or its difference from UTC, as "+02:00"; None if it has neither."""
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)  # of zoneinfo, and of pytz
    if name is not None:
        return str(name)
    ahead = zone.utcoffset(None)
    if ahead is None or ahead % timedelta(minutes=1):
        return None
    hours, minutes = divmod(abs(ahead) // timedelta(minutes=1), 60)
    sign = "-" if ahead < timedelta(0) else "+"
    return f"{sign}{hours:02}:{minutes:02}" if ahead else "UTC"
