"""Whatever a program declares is in its result, with the declared shape and type, even if nothing
uses it and no superstep runs."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from support.admission import ANY_ORDER, DELIVERIES
from support.bundled import NAMES, example, with_needed_fields
from support.case_subsets import one_in, thinned
from support.declared import (
    BODIES,
    GRAPHS,
    check_result,
    check_values,
    graph_of,
    program_class,
    same,
)

from gascl import Engine, ProgramError, VertexProgram, aggregate, arc, param, vertex

# The bundled programs -----------------------------------------------------------------------------

#: The graphs that a program refuses.
REFUSED = {("BipartiteMatching", "a self-loop")}
DIRECTED = {"StronglyConnected"}


def check_program(name: str, delivery: str) -> None:
    ran = 0
    for graph_name in GRAPHS:
        if (name, graph_name) in REFUSED:
            continue
        program = example(name)
        graph = with_needed_fields(graph_of(graph_name, directed=name in DIRECTED), name)
        try:
            result = Engine(graph).run(program, delivery=delivery)
        except ProgramError:
            continue
        form = program.in_any_order() if result.delivery in ANY_ORDER else None
        check_result(form or program, graph, result)
        ran += 1
    assert ran or delivery != "auto"


@pytest.mark.parametrize("name", NAMES)
def test_bundled_programs(name):
    check_program(name, "auto")


@pytest.mark.slow
@pytest.mark.parametrize("delivery", DELIVERIES)
@pytest.mark.parametrize("name", NAMES)
def test_bundled_programs_by_every_delivery(name, delivery):
    check_program(name, delivery)


# Programs that declare what they do not use -------------------------------------------------------


@pytest.mark.parametrize(("body", "arcs"), thinned(BODIES, [False, True], by=5))
def test_what_nothing_uses(body, arcs):
    made = program_class(BODIES[body], arcs)
    ran = []
    for delivery in ("auto", *DELIVERIES):
        for name in GRAPHS:
            program, graph = made(start=0), graph_of(name)
            try:
                result = Engine(graph).run(program, delivery=delivery)
            except ProgramError:
                break
            check_result(program, graph, result)
            check_values(result)
            ran.append(delivery)
    assert {"auto", "slots", "serial"} <= {*ran}


def test_lanes():
    made = program_class(BODIES["scatters"], True, lanes=3)
    for name in GRAPHS:
        program, graph = made(start=[0, 0, 0]), graph_of(name)
        check_result(program, graph, Engine(graph).run(program))


def test_debug_mode():
    made = program_class(BODIES["scatters"], True)
    for name in GRAPHS:
        program, graph = made(start=0), graph_of(name)
        result = Engine(graph, debug=True).run(program)
        check_result(program, graph, result)
        check_values(result)


class Counts(VertexProgram):
    """Aggregates in init, and in each superstep."""

    x = vertex.int32()
    supersteps = param.supersteps()
    many = aggregate.int32("sum")
    most = aggregate.int32("max")
    init = "aggregate_many(1); aggregate_most(v.id);"
    scatter_on = apply_on = "all"
    apply = "aggregate_many(10);"
    stop = "superstep == 1"


@pytest.mark.parametrize(
    "delivery", one_in(4, ["auto", *(name for name in DELIVERIES if name not in ANY_ORDER)])
)
def test_without_a_superstep_aggregators_are_those_after_init(delivery):
    least = -(2**31)
    for name, expected in (
        ("no edges", {"many": 3, "most": 2}),
        ("empty", {"many": 0, "most": least}),
    ):
        engine = Engine(graph_of(name))
        for program, limit in ((Counts(), 0), (Counts(supersteps=0), None)):
            options: dict[str, Any] = {"max_supersteps": limit, "not_converged": "ignore"}
            result = engine.run(program, delivery=delivery, keep_state=True, **options)
            assert (dict(result.aggregates), len(result.trace)) == (expected, 0)
            again = engine.run(program, state=result.state, delivery=delivery, **options)
            assert dict(again.aggregates) == expected
    engine = Engine(graph_of("no edges"))
    half = engine.run(Counts(supersteps=1), delivery=delivery, keep_state=True)
    whole = {"many": 30, "most": least}
    assert dict(half.aggregates) == whole
    left = engine.run(
        Counts(), state=half.state, delivery=delivery, max_supersteps=0, not_converged="ignore"
    )
    assert (dict(left.aggregates), left.supersteps) == (whole, 0)


def test_first_masks_without_vertices():
    """Those of the program, of `start`, and where it goes on with an empty mask."""

    class Marked(Counts):
        scatter_on, apply_on, stop = "mask", "message", ""
        message, combine, scatter = "int32", "sum", "send(1);"
        mask = "v.id < 0"

    engine = Engine(graph_of("no edges"))
    expected = {"many": 3, "most": 2}
    ended = engine.run(Marked(), keep_state=True)
    assert (dict(ended.aggregates), ended.converged) == (expected, True)
    assert dict(engine.run(Marked(), start=[]).aggregates) == expected
    assert dict(engine.run(Marked(), state=ended.state).aggregates) == expected


def test_a_checkpoint_of_a_run_without_supersteps(tmp_path):
    for name in ("no edges", "empty"):
        for _ in range(2):
            result = Engine(graph_of(name)).run(
                Counts(supersteps=0), checkpoint=tmp_path / name, resume=True
            )
            assert result.aggregates["many"] == len(result.x) and result.converged


def test_a_state_of_the_empty_graph():
    engine = Engine(graph_of("empty"))
    made = program_class(BODIES["scatters"], True)
    first = engine.run(made(), keep_state=True)
    assert first.state is not None
    check_values(engine.run(made(), state=first.state))


def test_traces_of_the_empty_graph(tmp_path):
    result = Engine(graph_of("empty")).run(program_class(BODIES["scatters"], True)())
    result.save_trace(tmp_path / "trace.json")
    saved = json.loads((tmp_path / "trace.json").read_text())
    assert set(saved["aggregates"]) == set(result.aggregates)
    assert saved["aggregates"]["agg4"] == "-inf" and saved["trace"] == []


@pytest.mark.parametrize("suffix", ["csv", "npz", "parquet"])
def test_files_of_the_empty_graph(suffix, tmp_path):
    result = Engine(graph_of("empty")).run(program_class(BODIES["scatters"], True)())
    for arcs in (False, True):
        path = tmp_path / f"{arcs}.{suffix}"
        result.save(path, None if arcs else [*result], arcs=arcs)
        before = "on" if arcs else "x"
        if suffix == "csv":
            head = path.read_text().strip().split(",")
        elif suffix == "npz":
            with np.load(path) as file:
                head = file.files
        else:
            head = pytest.importorskip("pyarrow.parquet").read_schema(path).names
        assert {f"{before}0", f"{before}6"} <= {*head}


# Programs of several stages -----------------------------------------------------------------------


class Stages(VertexProgram):
    """Runs a program that does nothing."""

    total = vertex.int64()
    best = vertex.real2()
    kept = arc.int32()
    many = aggregate.int32()
    mean = aggregate.real()

    def solve(self, stages):
        inner = stages.run(program_class(BODIES["nobody scatters"], True)())
        check_values(inner)
        count = stages.graph.num_vertices
        return {
            "total": np.ones(count, int),
            "best": np.ones((count, 2)),
            "kept": np.zeros(stages.graph.num_arcs),
            "many": inner.aggregates["agg8"],
            "mean": 0.5,
        }


@pytest.mark.parametrize("name", GRAPHS)
def test_stages(name):
    graph = graph_of(name)
    result = Engine(graph).run(Stages())
    check_result(Stages(), graph, result)
    expected = {"many": 0, "mean": math.nan} if name == "empty" else {"many": 42, "mean": 0.5}
    assert all(same(result.aggregates[n], value) for n, value in expected.items())


def test_stages_that_end_early():
    class Early(Stages):
        def solve(self, stages):
            return stages.run(Counts()) and {}

    result = Engine(graph_of("no edges")).run(Early(), max_supersteps=0, not_converged="ignore")
    assert set(result.missing) == {"total", "best", "kept", "many", "mean"}
