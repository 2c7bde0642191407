"""Programs for one rule of a superstep each: the engine, the oracle and a result by hand agree."""

from __future__ import annotations

from typing import Any

import pytest
from support.admission import DELIVERIES, expected_deliveries
from support.agreement import check, flat, in_parts, lanes_of
from support.by_hand import changing_deliveries, frontiers, lanes, messages, rules  # noqa: F401
from support.by_hand.case import CASES
from support.oracle import run
from support.program_text import build

from gascl.delivery.admission import demand_of
from gascl.delivery.registry import admitted
from gascl.opencl.device_choice import find


def plain(values: Any) -> Any:
    """Structs as tuples, axes as lists."""
    return [tuple(x) if isinstance(x, tuple) else x for x in values.tolist()]


@pytest.mark.parametrize("name", CASES)
def test_oracle(name: str) -> None:
    c = CASES[name]
    outcome = run(c.tree, c.graph, params=c.params)
    assert {n: plain(values) for n, values in outcome.fields.items()} == c.fields
    assert [(step.active, step.messages) for step in outcome.trace] == c.steps
    found = [{n: flat(x) for n, x in step.aggregates.items()} for step in outcome.trace]
    expected = c.aggregates or [{} for _ in c.steps]
    assert found == [{n: flat(x) for n, x in step.items()} for step in expected]
    assert {n: plain(values) for n, values in outcome.arc_fields.items()} == c.arc_fields
    assert outcome.converged


@pytest.mark.parametrize(("name", "device", "part"), in_parts(CASES, by=3), indirect=["device"])
def test_engine(device: Any, name: str, part: int) -> None:
    c = CASES[name]
    check(device, c.tree, [c.graph], 100, part=part, **c.params)


@pytest.mark.parametrize("name", CASES)
def test_admission(name: str) -> None:
    c = CASES[name]
    demand = demand_of(build(c.tree)(**c.params), find().atomics, find().fp64, True)
    expected = expected_deliveries(c.tree, lanes=lanes_of(c.tree, c.params))
    assert set(admitted(demand)) & set(DELIVERIES) == expected
