"""Runs that are interrupted and resumed, by the same delivery or another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from support.admission import expected_deliveries
from support.agreement import flat, gascl_graph, same
from support.program_text import build, listing
from support.random_cases import MOST, Case

from gascl import Engine, VertexProgram, aggregate, arc, param, vertex
from gascl.results.result import Result
from gascl.results.trace import Step


class Posts(VertexProgram):
    """Messages are under way between supersteps: each vertex writes ahead to another."""

    supersteps = param.supersteps(9)
    token = vertex.int32(init="v.id + 1")
    total = aggregate.int64("sum")
    seen = vertex.int64()
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.token % 5 + superstep);"
    apply = """
        v.token = (v.token * 3 + msg) % 1009;
        v.seen += prev.total + (has_msg ? 1 : 0);
        aggregate_total(v.token);
        send_to((v.id * 7 + superstep) % g.num_vertices, v.token % 11);
    """


class Waves(VertexProgram):
    """State on arcs, and a mask that depends on the superstep."""

    supersteps = param.supersteps(9)
    level = vertex.int32(init="v.id")
    passed = arc.int32()
    message, combine = "int32", "max"
    mask = "v.id % 3 == 0"
    scatter = """
        e.passed += 1 + superstep;
        send((v.level + e.passed) % 1009);
    """
    apply = """
        v.level = max(v.level, msg);
        if ((v.id + superstep) % 2 == 0)
            set_mask();
    """


class Part(NamedTuple):
    """Supersteps (None: to the end), by which delivery and which engine."""

    count: int | None
    delivery: str
    engine: Engine


def in_parts(
    make: Callable[[int | None, bool], VertexProgram],
    fixed: int | None,
    parts: Iterable[Part],
    most: int | None = None,
) -> tuple[Result, int]:
    """A run in parts, each of which goes on from the State of the one before.

    Args:
        make: the program, for so many supersteps where it asks for a number; and whether it is the
            first part's.
        fixed: that number, or None.
        most: supersteps of the whole, at most.

    Returns:
        The parts as one Result, and how often the run was taken up.
    """
    trace: list[Step] = []
    state, taken_up = None, -1
    for count, delivery, engine in parts:
        left = most and most - len(trace)
        limits = [n for n in (count, left) if n is not None]
        result = engine.run(
            make(fixed and fixed - len(trace), state is None),
            delivery=delivery,
            max_supersteps=min(limits, default=None),
            state=state,
            keep_state=True,
            not_converged="ignore",
        )
        trace, taken_up = [*trace, *result.trace], taken_up + 1
        if result.converged:  # as on the empty graph, which leaves no State
            break
        state = result.state
    assert [step.superstep for step in trace] == list(range(len(trace)))
    return replace(result, trace=trace, supersteps=len(trace)), taken_up


def same_trace(one: Result, other: Result, exact: bool = True) -> None:
    """Assert that two runs went the same way; floats nearly, where sums may have other orders."""
    assert [(s.active, s.messages) for s in one.trace] == [
        (s.active, s.messages) for s in other.trace
    ]
    for mine, theirs in zip(one.trace, other.trace, strict=True):
        for name, value in theirs.aggregates.items():
            near = flat(value) if exact else pytest.approx(flat(value), rel=1e-9, nan_ok=True)
            assert flat(mine.aggregates[name]) == near, (name, mine.superstep)


def same_result(one: Result, other: Result, exact: bool = True) -> None:
    """Assert that two runs went the same way to the same end."""
    same_trace(one, other, exact)
    assert (one.supersteps, one.converged) == (other.supersteps, other.converged)
    if one.converged:  # else it tells the limit, which is that of the last part
        asked = "ran the requested"
        assert one.stopped == other.stopped or (asked in one.stopped and asked in other.stopped)
    for name, values in [*other.fields.items(), *other.arc_fields.items()]:
        mine = one.fields[name] if name in one.fields else one.arc_fields[name]
        assert (mine.dtype, mine.shape) == (values.dtype, values.shape)
        if exact or values.dtype.kind not in "f":
            assert mine.tobytes() == values.tobytes(), name
        else:
            np.testing.assert_allclose(mine, values, rtol=1e-9, err_msg=name)


def resume_case(device: Any, case: Case, rng: Random, *, debug: bool = False) -> int:
    """Of a random program, every pair of deliveries and some chains; how often a run was taken up.

    Each is checked against what the oracle says of the whole run.

    Args:
        debug: one of the two engines between which runs change is in debug mode.
    """
    program, params = case.program, dict(case.params)
    cls = build(program)
    lists = [len(v) for v in params.values() if isinstance(v, list)]
    lanes = lists[0] if lists else program.lanes or 1
    names = sorted(expected_deliveries(program, case.dtype, False, lanes))
    names += ["auto"] if names != ["serial"] else []
    fixed = cls(dtype=case.dtype, **params).fixed_supersteps()
    taken_up = 0
    for plain in case.plain:
        outcome, fields = case.outcome(plain), case.given(plain) if case.given else {}
        # Sums of small whole numbers are the same in any order.
        engines = [
            Engine(gascl_graph(plain), device, deterministic=False, debug=debugging, seed=MOST)
            for debugging in (False, debug)
        ]

        def make(left: int | None, first: bool, fields: Any = fields) -> VertexProgram:
            asked = {} if left is None else {cls.spec.supersteps_param: left}
            # Given once more, fields would begin once more.
            return cls(dtype=case.dtype, **{**params, **(fields if first else {}), **asked})

        steps = max(outcome.supersteps, 1)
        plans = [([rng.randrange(steps)], pair) for pair in product(names, repeat=2)]
        for _ in range(2):
            cuts = [rng.choice((1, 1, 2, 0)) for _ in range(steps)]
            plans.append((cuts, rng.choices(names, k=len(cuts) + 1)))
        for cuts, chain in plans:
            parts = [
                Part(n, d, rng.choice(engines)) for n, d in zip([*cuts, None], chain, strict=True)
            ]
            result, times = in_parts(make, fixed, parts, MOST)
            where = f"{chain} cut at {cuts} on {plain}, {params}\n{listing(program)}"
            same(result, outcome, where)
            taken_up += times
    return taken_up
