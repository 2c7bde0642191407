"""Random programs on random graphs: every delivery gives what the oracle gives, bit for bit."""

from __future__ import annotations

import re
from collections import Counter
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given, note, settings
from support.admission import ANY_ORDER, DELIVERIES, expected_deliveries
from support.agreement import PARTS, by_launches, check, check_case, find_device, in_parts
from support.case_subsets import one_in
from support.features import EXPECTED
from support.obfuscation import Disguise
from support.program_text import listing, namespace
from support.program_tree import Program
from support.random_cases import (
    QUIET,
    RECIPES,
    Case,
    any_case,
    drawn,
    may_be_infinite,
    shown,
)
from support.random_graphs import SPECIAL
from support.special_programs import SPECIAL_PROGRAMS

from gascl import VertexProgram
from gascl.codegen.generate import generate
from gascl.language.tokens import tokens

pytestmark = [pytest.mark.usefixtures("poisoned"), pytest.mark.optimized]


#: The recipes of the default run, in both shapes of a work-group. They are among those whose cases
#: are drawn in less than a second: of others, thousands are drawn before one shows what it must.
QUICK_NUMBERS = (0, 57, 75)
NUMBERS = [
    number if number in QUICK_NUMBERS else pytest.param(number, marks=pytest.mark.slow)
    for number in range(len(RECIPES))
]


@pytest.mark.parametrize(
    ("name", "device", "part"),
    in_parts(sorted(SPECIAL_PROGRAMS, reverse=True), turn=1, by=2),  # the one that builds sooner
    indirect=["device"],
)
@pytest.mark.filterwarnings("ignore:.*no edge field")
def test_every_special_graph(device: Any, name: str, part: int) -> None:
    check(device, SPECIAL_PROGRAMS[name], SPECIAL.values(), 8, part=part)


@pytest.mark.parametrize(
    ("number", "part"),
    [
        *((number, part) for part, number in zip(cycle(PARTS), QUICK_NUMBERS)),
        *(pytest.param(number, None, marks=pytest.mark.slow) for number in range(len(RECIPES))),
    ],
)
@pytest.mark.filterwarnings("ignore:.*no edge field")
def test_random_programs(number: int, part: int | None) -> None:
    """The same program of each recipe in every run, in one of the two shapes of a work-group; by
    default, by one `part_of` its deliveries; every other one launch by launch, where a persistent
    kernel could run it."""
    group = (1, 8)[number % 2]
    device = find_device(group)
    check_case(by_launches(device) if number % 4 == 0 else device, drawn(number, group), part=part)


@pytest.mark.slow
def test_recipes_use_the_whole_language() -> None:
    found: set[str] = set()
    for number in range(len(RECIPES)):
        found |= shown(drawn(number, (1, 8)[number % 2]))
    assert not EXPECTED - found


@pytest.mark.slow
def test_recipes_are_for_all_deliveries() -> None:
    cases = [drawn(number, (1, 8)[number % 2]) for number in range(len(RECIPES))]
    taken = Counter(d for c in cases for d in expected_deliveries(c.program, c.dtype))
    assert min(taken[d] for d in {*DELIVERIES} - {*ANY_ORDER}) > 2


def tokens_of(cls: Any, debug: bool) -> list[str]:
    """Of the generated header, but for the lines that traps name."""
    text = generate(cls.spec, debug=debug).text
    return [t.text for t in tokens(re.sub(r"(__LINE__ -|gascl_first \+) \d+", "", text))]


@pytest.mark.parametrize("number", one_in(2, NUMBERS))
def test_random_programs_in_disguise(number: int) -> None:
    """Behind macros and continued lines, a program is the same to the last word."""
    body = namespace(drawn(number, (1, 8)[number % 2]).program)
    for debug in (False, True):
        plain = tokens_of(type("Random", (VertexProgram,), dict(body)), debug)
        for seed in range(3):
            hidden = type("Random", (VertexProgram,), Disguise(100 * number + seed).of(body))
            assert tokens_of(hidden, debug) == plain


@pytest.mark.parametrize("program", SPECIAL_PROGRAMS.values(), ids=SPECIAL_PROGRAMS)
@pytest.mark.parametrize("part", one_in(len(PARTS), PARTS))
@pytest.mark.filterwarnings("ignore:.*no edge field")
def test_special_programs_in_disguise(program: Program, part: int) -> None:
    graphs = list(SPECIAL.values())[:3]
    hidden = type("Random", (VertexProgram,), Disguise(7).of(namespace(program)))
    check(find_device(8), program, graphs, 8, cls=hidden, part=part)


def show(case: Case) -> None:
    note(listing(case.program))
    note(f"{case.dtype}, {dict(case.params)}, {case.given}")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*no edge field")
def test_many_random_programs(device: Any) -> None:
    @settings(max_examples=400, **QUIET)
    @given(case=any_case())
    def every_delivery(case: Case) -> None:
        show(case)
        check_case(device, case)

    every_delivery()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*no edge field")
def test_many_random_programs_in_debug_mode(device: Any) -> None:
    """Which checks more, and shuffles messages, and changes nothing."""

    @settings(max_examples=150, **QUIET)
    @given(case=any_case().filter(lambda case: not may_be_infinite(case.program)))
    def every_delivery(case: Case) -> None:
        show(case)
        check_case(device, case, debug=True)

    every_delivery()
