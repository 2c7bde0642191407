"""Aggregators add floats without regard to their order where that varies: in the deliveries that
follow the frontier, in every form, the same bits each time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from support.agreement import GROUPS, by_launches, find_device

from gascl import Engine, Graph, VertexProgram, aggregate, param, vertex
from gascl.run import plan

DELIVERIES = ("push", "frontier", "reached")
#: With the number of items in a work-group.
EVERY = [*itertools.product(DELIVERIES, GROUPS)]
SOME = [("push", 8), ("frontier", 1), ("reached", 8)]
#: Of the largest number, what may be left out of a sum of doubles for each of them.
LEFT_OUT = Fraction(1, 2**78)
VALUES = [1e30, 1, -1e30, 0.1, -7e-9, 5e-324, -3e-310, 2.0**-1022, 1e12 + 0.3, -1e300]


class Waves(VertexProgram):
    """A search, which adds up a number of each vertex that it finds."""

    source = param.vertex()
    depth = vertex.int32(init="v.id == p.source ? 0 : -1")
    x = vertex.real()
    total = aggregate.real("sum")
    mean = aggregate.real("mean")
    whole = aggregate.int32("mean")
    most = aggregate.real("max")
    init = "aggregate_total(v.x);"
    message, combine = "int32", "min"
    mask = "v.id == p.source"
    receive_if = "v.depth < 0"
    scatter = "send(v.depth + 1);"
    apply = """
        v.depth = msg;
        aggregate_total(v.x);
        aggregate_mean(v.x);
        aggregate_most(v.x);
        aggregate_whole((v.id % 7 - 3) * 500000000);
        set_mask();
    """


def graph() -> Graph:
    """Of more arcs than one work-item runs alone; the search takes several supersteps."""
    rng = np.random.default_rng(5)
    vertices, arcs = 9_000, 27_000
    assert vertices + arcs > plan.ALONE
    return Graph.from_edges(*rng.integers(0, vertices, (2, arcs)), num_vertices=vertices)


def waves(graph: Graph) -> list[list[int]]:
    """The vertices at each distance from vertex 0, serially."""
    after: list[list[int]] = [[] for _ in range(graph.num_vertices)]
    for source, target in zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True):
        after[source].append(target)
    seen, found = {0}, [[0]]
    while found[-1]:
        next_ = {w for v in found[-1] for w in after[v]} - seen
        seen |= next_
        found.append(sorted(next_))
    return found[1:]


def is_near(found: float, values: list[float]) -> bool:
    """Whether it is the sum of finite numbers, rounded once, but for what may be left out."""
    exact = sum(map(Fraction, values), Fraction(0))
    apart = LEFT_OUT * len(values) * Fraction(max(map(abs, values), default=0))
    return float(exact - apart) <= found <= float(exact + apart)


def results(
    graph: Graph, program: VertexProgram, shapes: Iterable[tuple[str, int]], times: int = 1
) -> list[list[dict[str, Any]]]:
    """The aggregators of each superstep, in runs by deliveries with groups of so many items, by
    persistent kernels and by launches."""
    found = []
    for delivery, group in shapes:
        device = find_device(group)
        for form in (device, by_launches(device)):
            for _ in range(times):
                result = Engine(graph, form).run(program, delivery=delivery)
                found.append([step.aggregates for step in result.trace])
    return found


@pytest.mark.parametrize(
    ("dtype", "shapes"),
    [
        ("float64", SOME),
        pytest.param("float64", EVERY, marks=pytest.mark.slow, id="float64-all"),
        pytest.param("float32", EVERY, marks=pytest.mark.slow, id="float32-all"),
    ],
)
def test_the_same_bits_in_every_run(dtype, shapes):
    graph_ = graph()
    rng = np.random.default_rng(6)
    with np.errstate(over="ignore", under="ignore"):
        x = rng.choice(np.array(VALUES[:9], dtype), graph_.num_vertices)
    every = results(graph_, Waves(source=0, x=x, dtype=dtype), shapes, 5 if shapes is SOME else 20)
    first, *others = every
    assert all(repr(each) == repr(first) for each in others)
    for step, wave in zip(first, waves(graph_), strict=True):
        values = x[wave].astype(float).tolist()
        assert is_near(step["total"], values)
        if not wave:
            assert math.isnan(step["mean"])
            continue
        assert step["mean"] == step["total"] / len(wave)
        whole = sum((v % 7 - 3) * 500_000_000 for v in wave)
        assert step["whole"] == whole / len(wave)


ENDS = {
    "infinite": ([math.inf, 1.0], math.inf),
    "negative infinite": ([-math.inf, 1.0, 1e300], -math.inf),
    "both": ([math.inf, 1.0, -math.inf], math.nan),
    "not a number": ([math.nan, 1.0], math.nan),
    "too large": ([1.7e308, 1.0], math.inf),
    "sums to zero": ([-0.0], 0.0),
}


@pytest.mark.filterwarnings("ignore:.*NaN")
@pytest.mark.parametrize("name", ENDS)
def test_infinities_and_nan(name):
    values, expected = ENDS[name]
    star = Graph.from_edges(np.zeros(60, int), np.arange(1, 61))
    x = np.resize(np.array(values), 61)
    for found in results(star, Waves(source=0, x=x, dtype="float64"), [("frontier", 1)]):
        assert repr(found[0]["total"]) == repr(expected)


@pytest.mark.parametrize("delivery", ["pull", "frontier"])
def test_a_state_is_continued_by_another_delivery(delivery):
    """The records of all deliveries are alike, though the sums are not."""
    graph_ = graph()
    program = Waves(source=0, x=np.arange(graph_.num_vertices) / 7, dtype="float64")
    engine = Engine(graph_)
    whole = engine.run(program, delivery="pull")
    for other in ("pull", "frontier"):
        begun = engine.run(
            program, delivery=other, max_supersteps=3, keep_state=True, not_converged="ignore"
        )
        result = engine.run(program, delivery=delivery, state=begun.state)
        assert result.depth.tolist() == whole.depth.tolist()
        mine, theirs = result.trace[0].aggregates, whole.trace[3].aggregates
        assert mine == pytest.approx(theirs, rel=1e-12)
