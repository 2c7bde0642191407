"""Random programs on random graphs: every delivery gives what the oracle gives, bit for bit."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, note, settings
from support.admission import DELIVERIES, expected_deliveries
from support.agreement import check, device, find_device
from support.disguise import Disguise
from support.features import EXPECTED
from support.program_text import listing, namespace
from support.program_tree import (
    Aggregate,
    Assign,
    Bin,
    Const,
    Field,
    GetMask,
    If,
    Program,
    Send,
    SetMask,
    ToInt,
    UnsetMask,
    Var,
    Vertex,
)
from support.random_cases import MOST, QUIET, RECIPES, Case, any_case, drawn, shown
from support.random_graphs import SPECIAL
from support.values import components, is_real

from gascl import VertexProgram
from gascl.codegen.generate import generate
from gascl.language.tokens import tokens

__all__ = ["DELIVERIES", "check", "device", "expected_deliveries"]


pytestmark = pytest.mark.usefixtures("poisoned")


def v(name: str) -> Var:
    return Var("v", name)


MSG, ID = Var("", "msg"), v("id")
NOW, DST, TOTAL = Var("", "superstep"), Var("e", "dst"), Var("agg", "total")
# One that every delivery admits, and one whose scatter reads the arc and sets masks.
DENSE = Program(
    fields={"x": Field("real", Bin("+", ID, Const(1)))},
    message="int32",
    combine="sum",
    scatter_on="all",
    apply_on="all",
    aggregates={"total": ("real", "sum"), "least": ("int32", "min")},
    scatter=(Send(ToInt(v("x"))),),
    apply=(
        Assign("x", Bin("%", Bin("+", ToInt(v("x")), MSG), Const(1000))),
        Aggregate("total", v("x")),
        If(Var("", "has_msg"), (Aggregate("least", MSG),)),
    ),
    stop=Bin("||", Bin(">=", NOW, Const(3)), Bin("==", TOTAL, Var("prev", "total"))),
)
SPARSE = Program(
    fields={"x": Field("int64", ID), "heard": Field("uint8")},
    edge_fields={"w0": ("int32", None), "w1": ("real", 3)},
    message="real",
    combine="min",
    edges="both",
    aggregates={"total": ("int64", "max")},
    mask=Bin("<", Bin("%", ID, Const(7)), Const(3)),
    scatter=(
        If(Bin("!=", v("x"), Var("e", "w0")), (Send(Bin("+", v("x"), Var("e", "w1"))),)),
        If(Bin("==", Bin("%", DST, Const(5)), Const(0)), (SetMask(DST),)),
    ),
    apply=(
        Aggregate("total", ToInt(MSG)),
        Assign("heard", Bin("+", NOW, GetMask())),
        If(Bin("<", MSG, v("x")), (Assign("x", MSG), SetMask())),
        If(Bin("==", ID, Const(2)), (UnsetMask(), SetMask(Vertex(Bin("+", ID, Const(1)))))),
    ),
)


SPECIALS = pytest.mark.parametrize("program", [DENSE, SPARSE], ids=["dense", "sparse"])


@SPECIALS
@pytest.mark.filterwarnings("ignore:.*no edge field")
def test_every_special_graph(program: Program) -> None:
    """Each in one of the two shapes of a work-group: the slow tests have both."""
    check(find_device(8 if program is DENSE else 1), program, SPECIAL.values(), 8)


@SPECIALS
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*no edge field")
def test_every_special_graph_in_both_shapes(device: Any, program: Program) -> None:
    check(device, program, SPECIAL.values(), 8)


def check_case(device: Any, case: Case, debug: bool = False) -> None:
    options: dict[str, Any] = {"dtype": case.dtype, "given": case.given, "debug": debug}
    check(device, case.program, case.plain, MOST, **options, **dict(case.params))


@pytest.mark.parametrize("number", range(len(RECIPES)))
@pytest.mark.filterwarnings("ignore:.*no edge field")
def test_random_programs(number: int) -> None:
    """The same program of each recipe in every run, in one of the two shapes of a work-group."""
    group = (1, 8)[number % 2]
    check_case(find_device(group), drawn(number, group))


def test_recipes_use_the_whole_language() -> None:
    found: set[str] = set()
    for number in range(len(RECIPES)):
        found |= shown(drawn(number, (1, 8)[number % 2]))
    assert not EXPECTED - found


def tokens_of(cls: Any, debug: bool) -> list[str]:
    """Of the generated header, but for the lines that traps name."""
    text = generate(cls.spec, debug=debug).text
    return [t.text for t in tokens(re.sub(r"(__LINE__ -|gascl_first \+) \d+", "", text))]


@pytest.mark.parametrize("number", range(len(RECIPES)))
def test_random_programs_in_disguise(number: int) -> None:
    """Behind macros and continued lines, a program is the same to the last word."""
    body = namespace(drawn(number, (1, 8)[number % 2]).program)
    for debug in (False, True):
        plain = tokens_of(type("Random", (VertexProgram,), dict(body)), debug)
        for seed in range(3):
            hidden = type("Random", (VertexProgram,), Disguise(100 * number + seed).of(body))
            assert tokens_of(hidden, debug) == plain


@SPECIALS
@pytest.mark.filterwarnings("ignore:.*no edge field")
def test_special_programs_in_disguise(program: Program) -> None:
    graphs = list(SPECIAL.values())[:3]
    hidden = type("Random", (VertexProgram,), Disguise(7).of(namespace(program)))
    check(find_device(8), program, graphs, 8, cls=hidden)


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


def may_be_infinite(program: Program) -> bool:
    """A field may take an identity, at which debug mode stops."""
    raw = [f.type for name, f in program.fields.items() if name.startswith("raw")]
    parts = [its for kind in raw for _, its in components(kind, program.structs) or [("", kind)]]
    return any(map(is_real, parts))


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
