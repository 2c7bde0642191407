"""An edge attribute as an array, as NetworkX's functions would read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import islice
from operator import itemgetter
from typing import Any

import numpy as np

#: float64 holds every whole number up to this one.
EXACT = 2**53

#: Of values between these, inverses and sums of squares are normal numbers of float64.
LEAST, MOST = 1e-100, 1e100

#: The types of values. NetworkX computes with others by other rules: it adds up float32 in float32,
#: uint8 overflows, and a matrix of bool is of bool.
_INTEGERS: set[type] = {int, np.int64}
_FLOATS: set[type] = {float, np.float64}

#: The number of edges whose attributes are read at once.
CHUNK = 1024


@dataclass(frozen=True)
class Column:
    """The values of an edge attribute, in the order of `G.edges`.

    Attributes:
        values: int64 or float64 (E,), or None if they are not such numbers.
        refusal: why they are not; "" if they are.
        whole: all are integers.
        mixed: bool (E,), which are floats if some are and others are integers; or None.
        numpy: some are integers of NumPy, and so are their sums.
    """

    values: np.ndarray | None
    refusal: str = ""
    whole: bool = False
    mixed: np.ndarray | None = None
    numpy: bool = False

    @property
    def checked(self) -> np.ndarray:
        """int64 or float64 (E,).

        Raises:
            NotImplementedError: they are not finite numbers that a float can hold.
        """
        if self.values is None:
            raise NotImplementedError(self.refusal)
        return self.values

    @property
    def numbers(self) -> np.ndarray:
        """float64 (E,); raises as `checked`."""
        return self.checked.astype(np.float64, copy=False)

    @property
    def lengths(self) -> np.ndarray:
        """float64 (E,): numbers whose sums along a path are NetworkX's. Sums of integers are
        exact, and Python's.

        Raises:
            NotImplementedError: they are not such numbers.
        """
        values = self.numbers
        if self.numpy:
            raise NotImplementedError("integers of NumPy, whose sums NetworkX returns as NumPy's")
        if (self.whole or self.mixed is not None) and np.abs(values).sum() >= EXACT:
            raise NotImplementedError("whole weights that may sum to 2^53 or more")
        return values

    @property
    def floats(self) -> np.ndarray:
        """bool (E,): which of the numbers are floats: a sum with one of them is a float, too."""
        if self.mixed is not None:
            return self.mixed
        return np.broadcast_to(not self.whole, self.checked.shape)

    @property
    def all_one(self) -> bool:
        """Every value is 1, and not NumPy's, as where no edge has the attribute."""
        return self.values is not None and not self.numpy and bool((self.values == 1).all())


def column_of(
    records: Callable[[], Iterable[dict[str, Any]]], count: int, name: Any, default: Any
) -> Column:
    """The attribute `name` of every edge, of which there are `count`; those without it have
    `default`.

    They are read in chunks, so that a chunk that is read twice is still in the processor's cache.
    """
    if not any(records()):  # many graphs have no attributes at all, which is quicker to see
        column = column_of(lambda: [{name: default}], 1, name, default)
        if column.values is None:
            return column
        return replace(column, values=column.values.repeat(count))
    kinds: set[type] = set()
    parts: list[np.ndarray] = []
    floats: list[np.ndarray] = []
    remaining = iter(records())
    while chunk := list(islice(remaining, CHUNK)):
        try:
            values = list(map(itemgetter(name), chunk))  # twice as fast as `get`
        except KeyError:
            values = [record.get(name, default) for record in chunk]
        here = set(map(type, values))
        new = here - kinds
        for kind in new - _INTEGERS - _FLOATS:
            content = "hidden edges (None)" if kind is type(None) else f"values of {kind.__name__}"
            return Column(None, f"the edge attribute {name!r} has {content}")
        kinds |= new
        try:
            dtype = np.int64 if kinds <= _INTEGERS else np.float64
            parts.append(np.fromiter(values, dtype, len(values)))
        except OverflowError:
            return Column(None, f"the edge attribute {name!r} has integers of more than 64 bits")
        if here <= _INTEGERS or here <= _FLOATS:
            floats.append(np.full(len(values), here <= _FLOATS))
        else:
            floats.append(np.fromiter((type(v) in _FLOATS for v in values), bool, len(values)))
    return _column(np.concatenate(parts), kinds, name, np.concatenate(floats))


def column_of_values(values: np.ndarray, name: Any) -> Column:
    """The attribute `name` of every edge, whose values are here: numbers, bools, or objects."""
    if values.dtype == object:
        return column_of(lambda: ({name: value} for value in values), len(values), name, None)
    if values.dtype == bool:
        return Column(None, f"the edge attribute {name!r} has values of bool")
    if values.dtype.kind == "u" and values.size and values.max() >= EXACT:
        return Column(None, f"the edge attribute {name!r} has integers of more than 53 bits")
    whole = values.dtype.kind in "iu"
    return _column(
        values.astype(np.int64 if whole else np.float64), {int if whole else float}, name
    )


def _column(
    array: np.ndarray, kinds: set[type], name: Any, floats: np.ndarray | None = None
) -> Column:
    """A column of values of these types; `floats`: bool (E,), which are floats."""
    whole = kinds <= _INTEGERS
    if not array.size:
        return Column(array, whole=whole)
    mixed = None if whole or kinds.isdisjoint(_INTEGERS) else floats
    if (whole or mixed is not None) and max(array.max().item(), -array.min().item()) >= EXACT:
        return Column(None, f"the edge attribute {name!r} has integers of more than 53 bits")
    sizes = np.abs(array[array != 0])
    if not whole and not ((sizes > LEAST) & (sizes < MOST)).all():
        bounds = f"finite, or not between {LEAST} and {MOST}"
        return Column(None, f"the edge attribute {name!r} has values that are not {bounds}")
    return Column(array, whole=whole, mixed=mixed, numpy=np.int64 in kinds)
