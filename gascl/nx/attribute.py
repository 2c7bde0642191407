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

#: The edges whose attributes are read at a time.
AT_A_TIME = 1024


@dataclass(frozen=True)
class Column:
    """The values of an edge attribute, in the order of `G.edges`.

    Attributes:
        values: int64 or float64 (E,), or None if they are not such numbers.
        refusal: why they are not; "" if they are.
        whole: all are integers in Python, and so are their sums.
        mixed: some are integers and some floats.
    """

    values: np.ndarray | None
    refusal: str = ""
    whole: bool = False
    mixed: bool = False

    @property
    def numbers(self) -> np.ndarray:
        """float64 (E,).

        Raises:
            NotImplementedError: they are not finite numbers that a float can hold.
        """
        if self.values is None:
            raise NotImplementedError(self.refusal)
        return self.values.astype(np.float64, copy=False)

    @property
    def lengths(self) -> np.ndarray:
        """float64 (E,): numbers whose sums along a path are exact if they are whole.

        Raises:
            NotImplementedError: they are not such numbers.
        """
        found = self.numbers
        if self.whole and np.abs(found).sum() > EXACT:
            raise NotImplementedError("whole weights that may sum to more than 2^53")
        return found

    @property
    def all_one(self) -> bool:
        """Every value is 1, as where no edge has the attribute."""
        return self.values is not None and bool((self.values == 1).all())


def column_of(
    records: Callable[[], Iterable[dict[str, Any]]], count: int, name: Any, default: Any
) -> Column:
    """The attribute `name` of every edge, of which there are `count`; those without it have
    `default`.

    They are read some at a time, so that what is read twice is still in the cache.
    """
    if not any(records()):  # many graphs have no attributes at all, and that shows sooner
        one = column_of(lambda: [{name: default}], 1, name, default)
        return one if one.values is None else replace(one, values=one.values.repeat(count))
    kinds: set[type] = set()
    parts: list[np.ndarray] = []
    left = iter(records())
    while some := list(islice(left, AT_A_TIME)):
        try:
            values = list(map(itemgetter(name), some))  # twice as fast as the other
        except KeyError:
            values = [record.get(name, default) for record in some]
        new = set(map(type, values)) - kinds
        if refusal := _refusal(name, new):
            return Column(None, refusal)
        kinds |= new
        try:
            dtype = np.int64 if _whole(kinds) else np.float64
            parts.append(np.fromiter(values, dtype, len(values)))
        except OverflowError:
            return Column(None, f"the edge attribute {name!r} has integers of more than 64 bits")
    whole = _whole(kinds)
    found = np.concatenate(parts)
    if not whole and not np.isfinite(found).all():
        return Column(None, f"the edge attribute {name!r} has values that are not finite")
    if whole and len(found) and max(found.max(), -found.min()) > EXACT:
        return Column(None, f"the edge attribute {name!r} has integers of more than 53 bits")
    mixed = not whole and any(issubclass(kind, int | np.integer) for kind in kinds)
    return Column(found, whole=whole, mixed=mixed)


def _refusal(name: Any, kinds: set[type]) -> str:
    """Why values of these types are not numbers; "" if they are."""
    for kind in kinds:
        if not issubclass(kind, int | float | np.integer | np.floating):
            what = "hidden edges (None)" if kind is type(None) else f"values of {kind.__name__}"
            return f"the edge attribute {name!r} has {what}"
    return ""


def _whole(kinds: set[type]) -> bool:
    return all(issubclass(kind, int | np.integer) for kind in kinds)
