"""The values of fields on the host: which are set, and how OpenCL stores them.

A vertex field that only some vertices are given is a masked array.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gascl.language.types import Type


def has_rest(values: np.ndarray) -> bool:
    """Whether the device computes the initial value of some vertices."""
    return isinstance(values, np.ma.MaskedArray) and not set_at(values).all()


def set_at(values: np.ndarray) -> np.ndarray:
    """(V,): which vertices have an initial value."""
    mask: Any = np.ma.getmaskarray(values)
    if mask.dtype.names:
        mask = mask[mask.dtype.names[0]]
    set_: np.ndarray = ~mask.reshape(len(mask), math.prod(mask.shape[1:])).any(axis=1)
    return set_


def stored(values: np.ndarray, type_: Type) -> np.ndarray:
    """The values as OpenCL stores them: a vector of 3 takes the space of 4."""
    if type_.width == type_.stored:
        return np.ascontiguousarray(values)
    pad = [(0, 0)] * (values.ndim - 1) + [(0, type_.stored - type_.width)]
    return np.pad(values, pad)


def listed(values: np.ndarray) -> list[Any]:
    """The values as Python objects: a struct's are tuples, a vector's are lists."""
    if values.dtype.names:  # whose tolist() leaves the vectors within as arrays
        return list(zip(*(listed(values[name]) for name in values.dtype.names), strict=True))
    return list(values.tolist())
