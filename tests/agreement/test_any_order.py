"""Programs with order = "any": every delivery and random schedules give the same fixed point."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import pytest
from support.agreement import PARTS, by_launches, check_case, find_device
from support.monotone_programs import FLAWS
from support.program_text import listing
from support.random_cases import Case, any_order_cases, case_of, differs

pytestmark = [
    pytest.mark.usefixtures("poisoned"),
    pytest.mark.filterwarnings("ignore:.*no edge field"),
]
#: The seeds of the default run, each by one part of the deliveries, and all of them.
QUICK, ALL = range(8), range(60)


def drawn(number: int, flaw: str | None = None) -> Case:
    case = case_of(any_order_cases(flaw), number)
    print(listing(case.program), case.dtype, dict(case.params), sep="\n")
    return case


@pytest.mark.parametrize("number", [*QUICK, *(pytest.param(n, marks=pytest.mark.slow) for n in ALL)])
def test_random_schedules_give_what_supersteps_give(number: int) -> None:
    """By the oracle: the programs that are drawn keep the promise."""
    case = drawn(number)
    for graph in case.plain:
        if len(graph.edges) < 250:
            outcome = case.outcome(graph)
            for seed in range(5):
                fields = case.in_random_order(graph, seed)
                for name, expected in outcome.fields.items():
                    assert fields[name].tolist() == expected.tolist(), (name, seed, graph)


@pytest.mark.parametrize(
    ("number", "part"),
    [
        *((number, part) for part, number in zip(cycle(PARTS), QUICK)),
        *(pytest.param(number, None, marks=pytest.mark.slow) for number in ALL),
    ],
)
def test_every_delivery(number: int, part: int | None) -> None:
    device = find_device((1, 8)[number % 2])
    device = by_launches(device) if number % 8 == 4 else device
    case = drawn(number)
    check_case(device, case, part=part)


@pytest.mark.parametrize("flaw", FLAWS)
def test_flaws_depend_on_the_order(flaw: str) -> None:
    case = drawn(1, flaw)
    (graph,) = case.plain
    assert any(differs(case, case.outcome(graph), seed) for seed in range(9, 30))
