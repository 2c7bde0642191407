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


#: The folders whose tests build kernels, which takes longer than all else.
BUILD = {"agreement", "communities", "device_graph", "features", "programs", "run"}


def mark_repeated_values(items: Iterable[pytest.Item]) -> None:
    """Of the quick cases of each test in these folders, leave a few in which each value of each
    parameter is shown; the others become slow tests."""
    tests: dict[tuple[Any, ...], list[Any]] = {}
    for item in items:
        quick = hasattr(item, "callspec") and item.get_closest_marker("slow") is None
        if quick and item.path.parent.name in BUILD:
            tests.setdefault((item.path, item.parent, item.originalname), []).append(item)
    for cases in tests.values():
        shown = [{(n, id(v)) for n, v in case.callspec.params.items()} for case in cases]
        left = set().union(*shown)
        while left:
            most = max(range(len(cases)), key=lambda place: len(shown[place] & left))
            left -= shown[most]
            cases[most] = None
        for case in filter(None, cases):
            case.add_marker(pytest.mark.slow)


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
