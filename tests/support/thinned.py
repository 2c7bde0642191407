"""Parameters of which only some are in the default run."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest


def one_in(by: int, cases: Iterable[Any]) -> list[Any]:
    """Cases for `pytest.mark.parametrize`, each a value, or a tuple of one for each argument. The
    first of each `by` is quick; the others are slow tests."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=pytest.mark.slow if place % by else [],
        )
        for place, case in enumerate(cases)
    ]


def thinned(*lists: Iterable[Any], by: int = 2) -> list[Any]:
    """All combinations of the lists' values, for `pytest.mark.parametrize`. One in `by` is quick,
    in a Latin square: where the places in the lists add up to a multiple of `by`, so that each
    value has quick ones, as long as another list has `by` values. The others are slow tests."""
    return [
        pytest.param(
            *(value for _, value in chosen),
            marks=pytest.mark.slow if sum(place for place, _ in chosen) % by else [],
        )
        for chosen in product(*(tuple(enumerate(values)) for values in lists))
    ]
