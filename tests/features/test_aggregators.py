"""Aggregators of every kind against NumPy: in the trace, in `stop`, and one superstep later."""

import math

import numpy as np
import pytest
from support.case_subsets import thinned
from support.samples import random_graph

from gascl import Engine, Graph, ProgramError, VertexProgram, aggregate, param, struct, vertex

DELIVERIES = ("auto", "slots", "pull", "push", "edges", "serial")


class Statistics(VertexProgram):
    """Every aggregator, of values that change in each superstep."""

    Far = struct([("value", "real"), ("who", "int32")])
    supersteps = param.supersteps(4)
    x = vertex.float64()
    seen = vertex.float64(doc="what prev says of the mean")
    seen_far = vertex.int32(doc="and of who is farthest")
    total = aggregate.float64("sum")
    least = aggregate.float64("min")
    most = aggregate.int32("max")
    calls = aggregate.int32("count", doc="an int64 all the same")
    mean = aggregate.float32("mean")
    product = aggregate.int64("a * b % 1000003", identity="1")
    far = aggregate.struct(
        Far,
        "a.value > b.value || (a.value == b.value && a.who <= b.who) ? a : b",
        identity="(Far){-INFINITY, INT_MAX}",
    )
    message, combine = "float64", "max"
    scatter_on = apply_on = "all"
    scatter = "send(v.x);"
    apply = """
        if (superstep > 0) {
            v.seen = prev.mean;
            v.seen_far = prev.far.who;
        }
        v.x = v.x / 2 + v.id % 7;
        if (v.id % 3 == superstep % 3)
            return;
        aggregate_total(v.x);
        aggregate_least(v.x);
        aggregate_most((int)v.x);
        aggregate_calls(0);
        if (v.id % 2)
            aggregate_calls(17);
        aggregate_mean((float)v.id);
        aggregate_product(v.id + 1);
        aggregate_far((Far){floor(v.x), v.id});
    """


@pytest.mark.parametrize(("vertices", "delivery"), thinned([64, 700], DELIVERIES, by=4))
def test_every_kind_against_numpy(vertices, delivery):
    graph = random_graph(1, directed=True, vertices=vertices)
    start = np.random.default_rng(0).random(vertices) * 100
    runner = Engine(graph, deterministic=delivery != "push")  # its frontier has any order
    result = runner.run(Statistics(x=start, dtype="float64"), delivery=delivery)
    x, ids, means = start.copy(), np.arange(vertices), []
    for superstep, step in enumerate(result.trace):
        x = x / 2 + ids % 7
        those = ids % 3 != superstep % 3
        some, who = x[those], ids[those]
        found = step.aggregates
        assert found["total"] == pytest.approx(math.fsum(some), rel=1e-14)
        assert found["least"] == some.min()
        assert found["most"] == int(some.max())
        assert found["calls"] == len(some) + np.count_nonzero(who % 2)
        assert found["mean"] == pytest.approx(who.mean(), rel=1e-15)
        product = 1
        for one in who.tolist():
            product = product * (one + 1) % 1000003
        assert found["product"] == product
        farthest = np.lexsort((who, -np.floor(some)))[0]
        value, vertex_ = tuple(found["far"])
        assert (value, vertex_) == (math.floor(some[farthest]), who[farthest])
        means.append((who.mean(), who[farthest]))
    assert result.x == pytest.approx(x, rel=1e-15)
    assert np.allclose(result.seen, means[-2][0], rtol=1e-15)
    assert (result.seen_far == means[-2][1]).all()


class Extent(VertexProgram):
    """A vector: the least and the greatest at once."""

    supersteps = param.supersteps(1)
    x = vertex.real()
    calls = aggregate.int32("count")
    extent = aggregate.real2(
        "(real2)(min(a.x, b.x), max(a.y, b.y))", identity="(real2)(INFINITY, -INFINITY)"
    )
    scatter_on = apply_on = "all"
    apply = """
        aggregate_calls(1);
        aggregate_extent((real2)(v.x, v.x));
    """


class Box(Extent):
    """The same under a name that the runtime has, too, behind its prefix."""

    box = aggregate.real2("(real2)(a.x + b.x, 0)", identity="(real2)(0, 0)")
    apply = Extent.apply + "aggregate_box((real2)(1, 2));"


@pytest.mark.parametrize(
    ("program", "dtype"), [(Extent, "float32"), (Extent, "float64"), (Box, "float32")]
)
def test_vectors(program, dtype):
    x = np.random.default_rng(0).random(64).astype(dtype)
    result = Engine(random_graph(0, directed=True)).run(program(x=x, dtype=dtype))
    found = result.trace[0].aggregates
    assert list(found["extent"]) == [x.min(), x.max()]
    assert found["calls"] == 64
    assert program is Extent or list(found["box"]) == [64, 0]


class Nobody(VertexProgram):
    """Aggregators that only vertex 5 adds to, from superstep 2 on."""

    Pair = struct([("one", "int32"), ("two", "real")])
    supersteps = param.supersteps(3)
    told = vertex.int32()
    count = aggregate.int64("count")
    mean = aggregate.real("mean")
    least = aggregate.real("min")
    most = aggregate.int16("max")
    pair = aggregate.struct(Pair, "a.one > b.one ? a : b", identity="(Pair){-7, 2.5f}")
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    apply = """
        v.told += isnan(prev.mean) && prev.count == 0;
        if (v.id == 5 && superstep == 2) {
            aggregate_count(1);
            aggregate_mean(4);
            aggregate_least(4);
            aggregate_most(4);
            aggregate_pair((Pair){4, 1});
        }
    """


@pytest.mark.parametrize("delivery", ["slots", "serial"])
def test_where_nothing_was_added(delivery):
    result = Engine(random_graph(0, directed=True)).run(Nobody(), delivery=delivery)
    first, _, last = (step.aggregates for step in result.trace)
    assert first["count"] == 0 and math.isnan(first["mean"])
    assert (first["least"], first["most"]) == (math.inf, -(2**15))
    assert tuple(first["pair"]) == (-7, 2.5)
    assert (last["count"], last["mean"], last["least"], last["most"]) == (1, 4, 4, 4)
    assert tuple(last["pair"]) == (4, 1)
    assert (result.told == 3).all()


class UntilFew(VertexProgram):
    """Stops where the mean of what is left, and how much it is, say so."""

    x = vertex.int32(init="v.id")
    left = aggregate.int64("count")
    size = aggregate.int64("mean")
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    init = """
        aggregate_left(1);
        aggregate_size(v.x);
    """
    apply = """
        v.x /= 2;
        if (v.x > 0 && prev.left > 0) {
            aggregate_left(1);
            aggregate_size(v.x);
        }
    """
    stop = "agg.left <= 40 && prev.left > 40 && agg.size < 2"


def test_stop_reads_counts_and_means():
    result = Engine(Graph.from_edges([0], [1], num_vertices=100)).run(UntilFew())
    x, left = np.arange(100), [100]
    while not (left[-1] <= 40 < left[-2:][0] and x[x > 0].mean() < 2):
        x = x // 2
        left.append(np.count_nonzero(x))
    assert (
        [step.aggregates["left"] for step in result.trace] == left[1:] == [98, 96, 92, 84, 68, 36]
    )
    assert result.trace[-1].aggregates["size"] == 1


@pytest.mark.parametrize("seed", [0, 1])
def test_the_same_to_the_last_bit_each_time(seed):
    graph = random_graph(seed, directed=False, vertices=900, edges=2000)
    start = np.random.default_rng(seed).standard_normal(900) * 1e6
    runs = [Engine(graph).run(Statistics(x=start)) for _ in range(2)]
    totals = [[step.aggregates["total"] for step in run.trace] for run in runs]
    assert totals[0] == totals[1]


def test_refused():
    with pytest.raises(ProgramError, match="identity"):
        aggregate.int32("a + b")
    with pytest.raises(ProgramError, match="write an expression over a and b"):
        aggregate.real2("sum")
    with pytest.raises(ProgramError, match="needs no identity"):
        aggregate.real("mean", identity="0")
