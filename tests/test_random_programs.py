"""Random programs on random graphs: every delivery gives what the oracle gives, bit for bit."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import networkx
import numpy as np
import pytest
from emphasis import EMPHASES, FUSED
from hypothesis import HealthCheck, Phase, assume, given, note, seed, settings
from hypothesis import strategies as st
from oracle import BUILT_IN, CUSTOM, Inexact, Outcome, PlainGraph, run
from program_tree import (
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
    build,
    listing,
    texts,
)
from random_programs import SPECIAL, graphs, programs

MOST = 6  # supersteps of a random program
DELIVERIES = ("slots", "pull", "outbox", "serial")
COMBINERS = [*BUILT_IN, *CUSTOM]
QUIET: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}


# The oracle itself, on what can be computed by hand ------------------------------------------


def v(name: str) -> Var:
    return Var("v", name)


MSG, ID = Var("", "msg"), v("id")
PATH_OF_5 = PlainGraph(5, ((0, 1), (1, 2), (2, 3), (3, 4)))


def test_oracle_breadth_first_on_a_path() -> None:
    shorter = Bin("<", MSG, v("depth"))
    outcome = run(
        Program(
            fields={"depth": Field("int32", Const(99))},
            message="int32",
            combine="min",
            mask=Bin("==", ID, Const(1)),
            init=(If(Bin("==", ID, Const(1)), (Assign("depth", Const(0)),)),),
            scatter=(Send(Bin("+", v("depth"), Const(1))),),
            apply=(If(shorter, (Assign("depth", MSG), SetMask())),),
        ),
        PATH_OF_5,
    )
    assert outcome.fields["depth"].tolist() == [99, 0, 1, 2, 3]
    assert (outcome.supersteps, outcome.converged) == (4, True)
    assert [s.active for s in outcome.trace] == [1, 1, 1, 1]
    assert [s.messages for s in outcome.trace] == [1, 1, 1, 0]


def test_oracle_counts_arcs() -> None:
    graph = PlainGraph(4, ((0, 1), (0, 1), (2, 1), (1, 1), (3, 0)))
    count = Program(
        fields={"n": Field("int32")},
        message="int32",
        combine="sum",
        scatter=(Send(Const(1)),),
        apply=(Assign("n", MSG),),
    )
    assert run(count, graph).fields["n"].tolist() == [1, 4, 0, 0]
    undirected = PlainGraph(4, graph.edges, directed=False)
    assert run(count, undirected).fields["n"].tolist() == [3, 4, 1, 1]
    assert run(count, undirected).trace[0].messages == 9  # two arcs an edge, one a self-loop


def test_oracle_page_rank() -> None:
    g = networkx.gnp_random_graph(20, 0.2, seed=3, directed=True)
    g.add_edges_from((i, (i + 1) % 20) for i in range(20))  # no vertex without an arc
    graph = PlainGraph(20, tuple(g.edges))
    spread = Bin("/", Const(1 - 0.85), Var("g", "num_vertices"))
    outcome = run(
        Program(
            fields={"rank": Field("real", Bin("/", Const(1.0), Var("g", "num_vertices")))},
            message="real",
            combine="sum",
            scatter_on="all",
            apply_on="all",
            scatter=(Send(Bin("/", v("rank"), v("out_degree"))),),
            apply=(Assign("rank", Bin("+", Bin("*", MSG, Const(0.85)), spread)),),
            supersteps=100,
        ),
        graph,
        dtype="float64",
    )
    expected = networkx.pagerank(g, alpha=0.85, tol=1e-12)
    ranks = outcome.fields["rank"].tolist()
    assert outcome.supersteps == 100
    assert ranks == pytest.approx([expected[i] for i in range(20)], abs=1e-10)


def test_oracle_refuses_what_is_inexact() -> None:
    big = Program(
        fields={"x": Field("real", Const(1))},
        message="real",
        combine="sum",
        scatter=(Send(Bin("*", Const(2**20), Const(2**5))),),
    )
    with pytest.raises(Inexact):
        run(big, PATH_OF_5)


# The engine against the oracle ---------------------------------------------------------------


@pytest.fixture(scope="module", params=[1, 8], ids=["group1", "group8"])
def device(request: pytest.FixtureRequest) -> Any:
    """The first CPU, else the first device, in both shapes of a work-group."""
    cl = pytest.importorskip("pyopencl")
    from gascl.device import Device

    try:
        found = [d for p in cl.get_platforms() for d in p.get_devices()]
    except cl.Error as error:
        pytest.skip(f"no OpenCL platform: {error}")
    if not found:
        pytest.skip("no OpenCL device")
    cpus = [d for d in found if d.type & cl.device_type.CPU]
    return Device((cpus or found)[0], group=request.param)


def gascl_graph(graph: PlainGraph) -> Any:
    from gascl import Graph

    ends = np.array(graph.edges, np.int64).reshape(-1, 2)
    return Graph.from_edges(
        ends[:, 0],
        ends[:, 1],
        num_vertices=graph.num_vertices,
        directed=graph.directed,
        **{name: np.asarray(values) for name, values in graph.fields.items()},
    )


def same(result: Any, outcome: Outcome, where: str) -> None:
    """Assert that the engine's result is the oracle's, of every field and superstep."""
    steps = [(s.superstep, s.active, s.messages) for s in outcome.trace]
    assert [(s.superstep, s.active, s.messages) for s in result.trace] == steps, where
    for step, expected in zip(result.trace, outcome.trace, strict=True):
        assert {n: step.aggregates[n] for n in expected.aggregates} == expected.aggregates, where
    for name, values in outcome.fields.items():
        assert result[name].dtype == values.dtype, where
        assert result[name].tolist() == values.tolist(), f"{name}, {where}"
    assert (result.supersteps, result.converged) == (outcome.supersteps, outcome.converged), where


def expected_deliveries(program: Program) -> set[str]:
    """Who must admit the program: see the table of deliveries."""
    scatter = texts(program)["scatter"]
    admitted = {"slots", "serial"}
    if "set_mask" not in scatter:
        admitted |= {"pull"} if re.search(r"\be\.", scatter) else {"pull", "outbox"}
    return admitted


def check(
    device: Any,
    program: Program,
    plain: list[PlainGraph],
    most: int | None = MOST,
    *,
    cls: Any = None,
    dtype: str = "float32",
    given: Any = None,
    **params: Any,
) -> None:
    """Every delivery of a program on every graph; `given(graph)` are fields passed as arrays."""
    from gascl import Engine, ProgramError

    cls = cls or build(program)
    admitted = expected_deliveries(program)
    for graph in plain:
        fields = given(graph) if given else {}
        outcome = run(program, graph, dtype=dtype, params=params, given=fields, max_supersteps=most)
        engine = Engine(gascl_graph(graph), device)
        instance = cls(dtype=dtype, **params, **fields)
        for delivery in ("auto", *DELIVERIES):
            if delivery == "serial" and device.group > 1:
                continue  # one work-item, whatever the group
            options = {"max_supersteps": most, "not_converged": "ignore", "delivery": delivery}
            if delivery == "auto" or delivery in admitted:
                where = f"{delivery} on {graph}\n{listing(program)}"
                same(engine.run(instance, **options), outcome, where)
            else:
                with pytest.raises(ProgramError, match=delivery):
                    engine.run(instance, **options)


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


@pytest.mark.parametrize("program", [DENSE, SPARSE], ids=["dense", "sparse"])
def test_every_special_graph(device: Any, program: Program) -> None:
    check(device, program, list(SPECIAL.values()), 8)


def alike(a: Outcome, b: Outcome) -> bool:
    """Whether two outcomes have the same trace, and the same of the fields that both have."""
    both = a.fields.keys() & b.fields.keys()
    return a.trace == b.trace and all(np.array_equal(a.fields[n], b.fields[n]) for n in both)


@st.composite
def cases(
    draw: Any, combine: str, change: Callable[[Program], Program] | None = None
) -> dict[str, Any]:
    """Arguments of `check`: a program that sends in two supersteps at least, and its graphs.

    With `change`, the program that it makes of the one drawn, and with another outcome.
    """
    dtype = draw(st.sampled_from(["float32", "float64"]))
    program = draw(programs(combine, dtype))
    plain = [draw(graphs()), SPECIAL[draw(st.sampled_from(sorted(SPECIAL)))]]
    params = {name: draw(st.integers(-9, 20)) for name in program.params if draw(st.integers(0, 1))}
    if program.has_supersteps and draw(st.booleans()):
        params["supersteps"] = draw(st.integers(0, MOST + 2))
    arrays = draw(st.integers(0, 3)) == 3
    given = (lambda graph: {"x0": np.arange(graph.num_vertices) * 7 % 90}) if arrays else None

    def outcomes(of: Program) -> list[Outcome]:
        options: dict[str, Any] = {"dtype": dtype, "params": params, "max_supersteps": MOST}
        return [run(of, graph, given=given and given(graph), **options) for graph in plain]

    try:
        found = outcomes(change(program) if change else program)
        assume(any(sum(step.messages > 0 for step in o.trace) > 1 for o in found))
        if change:
            assume(not all(map(alike, found, outcomes(program))))
    except Inexact:
        assume(False)
    chosen = change(program) if change else program
    assume(change not in FUSED or "outbox" in expected_deliveries(chosen))
    return {"program": chosen, "plain": plain, "dtype": dtype, "given": given, **params}


def random_case(device: Any, case: dict[str, Any]) -> None:
    note(listing(case["program"]))
    note(str({name: value for name, value in case.items() if name not in ("program", "plain")}))
    check(device, **case)


@pytest.mark.parametrize("number", range(len(COMBINERS)))
def test_random_programs(device: Any, number: int) -> None:
    """The same few in every run, others for each combiner, emphasis and shape of work-group.

    A failure is shown as drawn: to make it smaller, which compiles for minutes, let `phases` out.
    """

    @seed(number + 100 * device.group)  # derandomize=True would draw the same for all of them
    @settings(max_examples=2, database=None, phases=[Phase.generate], **QUIET)
    @given(case=cases(COMBINERS[number], EMPHASES[number]))
    def every_delivery(case: dict[str, Any]) -> None:
        random_case(device, case)

    every_delivery()


@pytest.mark.slow
@pytest.mark.parametrize("combine", COMBINERS)
def test_many_random_programs(device: Any, combine: str) -> None:
    changed = st.sampled_from([None, *EMPHASES]).flatmap(lambda change: cases(combine, change))

    @settings(max_examples=100, **QUIET)
    @given(case=changed)
    def every_delivery(case: dict[str, Any]) -> None:
        random_case(device, case)

    every_delivery()
