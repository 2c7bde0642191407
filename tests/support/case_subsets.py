"""Test parameters of which the default run takes a subset."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest

#: Whether slow tests are run, too: `conftest.py` says so.
ALL = True

#: The type of what `pytest.param` returns.
PARAM = type(pytest.param())


def one_in(by: int, cases: Iterable[Any]) -> list[Any]:
    """Cases for `pytest.mark.parametrize`, each a value, or a tuple of one for each argument, or a
    `pytest.param`. The first of each `by` is quick, unless it is marked itself; the others are slow
    tests."""
    params = [case if isinstance(case, PARAM) else pytest.param(*values(case)) for case in cases]
    return [
        param._replace(marks=[pytest.mark.slow]) if place % by else param
        for place, param in enumerate(params)
    ]


def values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)


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
