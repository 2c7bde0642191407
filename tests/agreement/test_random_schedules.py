"""Programs with order = "any": every delivery and random schedules give the same fixed point."""

from __future__ import annotations

import re
from itertools import cycle
from typing import Any

import pytest
from support.agreement import PARTS, by_launches, check_case, find_device, gascl_graph, same
from support.case_subsets import one_in
from support.in_place_programs import IN_PLACE_FLAWS
from support.monotone_programs import FLAWS
from support.oracle import run
from support.plain_graph import PlainGraph
from support.program_text import build, listing
from support.program_tree import Assign, Bin, Const, Field, If, Program, Send, SetMask, Var
from support.random_cases import Case, any_order_cases, case_of
from support.random_schedules import run_in_random_order

pytestmark = [
    pytest.mark.usefixtures("poisoned"),
    pytest.mark.filterwarnings("ignore:.*no edge field"),
]
#: The seeds of the default run, each by one part of the deliveries, and all of them.
QUICK, ALL = range(4), range(60)


def drawn(number: int, flaw: str | None = None) -> Case:
    case = case_of(any_order_cases(flaw), number)
    print(listing(case.program), case.dtype, dict(case.params), sep="\n")
    return case


@pytest.mark.parametrize(
    "number", [*QUICK, *(pytest.param(n, marks=pytest.mark.slow) for n in ALL)]
)
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


def test_a_message_that_an_older_value_refuses_is_lost() -> None:
    """Two vertices answer each other. No message comes before the receiver has sent what it
    answers, so that neither order nor repetition matters, but the value that `receive_if` reads."""
    x, msg = Var("v", "x"), Var("", "msg")
    more = Bin("-", msg, x)
    program = Program(
        fields={"x": Field("int32", Bin("==", Var("v", "id"), Const(0)))},
        message="int32",
        combine="max",
        order="any",
        mask=Bin("==", Var("v", "id"), Const(0)),
        receive_if=Bin("&&", Bin(">=", more, Const(1)), Bin("<=", more, Const(2))),
        scatter=(If(Bin("<", x, Const(9)), (Send(Bin("+", x, Const(1))),)),),
        apply=(Assign("x", msg), SetMask()),
    )
    pair = PlainGraph(2, ((0, 1),), directed=False)
    assert run(program, pair).fields["x"].tolist() == [9, 8]
    found = {tuple(run_in_random_order(program, pair, seed)["x"]) for seed in range(20)}
    assert (9, 8) in found
    assert len(found) > 1


@pytest.mark.parametrize(
    ("number", "part"),
    [
        *((number, part) for part, number in zip(cycle(PARTS), QUICK)),
        *(pytest.param(number, None, marks=pytest.mark.slow) for number in ALL),
    ],
)
def test_every_delivery(number: int, part: int | None) -> None:
    device = find_device((1, 8)[number % 2])
    device = by_launches(device) if number % 8 == 2 else device
    case = drawn(number)
    check_case(device, case, part=part)


@pytest.mark.parametrize(
    ("number", "part"),
    [
        *((number, part) for part, number in zip(cycle(PARTS), QUICK[::2])),
        *(pytest.param(number, None, marks=pytest.mark.slow) for number in ALL),
    ],
)
def test_debug_mode_finds_nothing(number: int, part: int | None) -> None:
    """Where there is nothing to find: it runs each program by a random schedule, too."""
    check_case(find_device((1, 8)[number % 2]), drawn(number + 1000), debug=True, part=part)


@pytest.mark.parametrize(
    ("flaw", "number"),
    [
        *one_in(2, ((flaw, number) for number, flaw in enumerate((*FLAWS, *IN_PLACE_FLAWS)))),
        *(
            pytest.param(flaw, number, marks=pytest.mark.slow)
            for number in range(10, 25)
            for flaw in (*FLAWS, *IN_PLACE_FLAWS)
        ),
    ],
)
def test_debug_mode_finds_what_depends_on_the_order(flaw: str, number: int) -> None:
    """Where most schedules of the oracle differ, so do some of the engine's."""
    from gascl import Engine, ProgramError

    case = drawn(number, flaw)
    (graph,) = case.plain
    outcome, device = case.outcome(graph), find_device(1)
    program = build(case.program)(dtype=case.dtype, **dict(case.params))
    told = ""
    for seed in range(8):
        try:
            result = Engine(gascl_graph(graph), device, debug=True, seed=seed).run(program)
        except ProgramError as error:
            told = str(error)
            break
        same(result, outcome, f"seed {seed}")
    match = re.search(
        r"order = 'any' does not hold: field '(\w+)' of vertex (\d+) is (.+) in supersteps, and "
        r"(.+) by the random schedule of seed=\d; "
        r"(two messages|a message|at no vertex|vertices that)",
        told,
    )
    assert match, told
    name, vertex, value, other, _ = match.groups()
    assert value != other
    assert value == shown(outcome.fields[name][int(vertex)], case.program.fields[name].type)


def shown(value: Any, kind: str) -> str:
    """A value as messages have it."""
    if kind == "vertex":
        return "no vertex" if value < 0 else str(value)
    if value.dtype.names:
        return f"{{x: {value['x']}, parent: {shown(value['parent'], 'vertex')}}}"
    return str(value.tolist())
