"""Whether an integer sum or product overflows depends neither on the delivery nor on the order."""

from __future__ import annotations

import numpy as np
import pytest
from support.demands import admitted

from gascl import Engine, GasclError, Graph, VertexProgram, param, vertex
from gascl.language.combiners import SUM
from gascl.runtime.device import Device, find

pytestmark = pytest.mark.unoptimized

SHAPES = [pytest.param(g, id=f"group{g}") for g in (1, 8)]
STAR = Graph.from_edges(range(1, 20), [0] * 19)


class Long(VertexProgram):
    """A sum of int64 that leaves the range on its way and comes back: 2^63-1 + 1 - 17."""

    x = vertex.int64()
    message, combine = "int64", "sum"
    scatter = "send(v.id == 1 ? LONG_MAX : v.id == 2 ? 1 : -1);"
    apply = "v.x = msg;"


class TooLong(Long):
    scatter = "send(v.id == 1 ? LONG_MAX : v.id < 5 ? 1 : 0);"


class Unsigned(VertexProgram):
    x = vertex.uint64()
    message, combine = "uint64", "sum"
    scatter = "send(v.id == 1 ? ULONG_MAX : v.id == 2 ? 1 : 0);"
    apply = "v.x = msg;"


class Product(VertexProgram):
    """Factors of 2^40 and, where `zero` is a vertex, a zero."""

    zero = param.int32()
    x = vertex.int64(init=5)
    message, combine = "int64", "prod"
    scatter = "send(v.id == p.zero ? 0 : (long)1 << 40);"
    apply = "v.x = msg;"


class Last(VertexProgram):
    """Would overflow in the superstep after the last."""

    x = vertex.int32(init="1 << 29")
    message, combine = "int32", "sum"
    scatter_on = "all"
    scatter = "send(v.x); send(v.x);"
    apply = "v.x = msg;"
    stop = "superstep >= 0"


class Parts(VertexProgram):
    """Sums of int32 from values with both signs; how often apply runs. Some messages are 0, or add
    up to 0: they are messages nevertheless."""

    x = vertex.int32()
    sum = vertex.int32(init=-5)
    times = vertex.int32()
    message, combine = "int32", "sum"
    mask = "v.id > 0"
    scatter = "send(v.x);"
    apply = """
        v.sum = msg;
        v.times += 1;
    """


class PartsUnsigned(Parts):
    x = vertex.uint32()
    sum = vertex.uint32(init=5)
    message = "uint32"


class Posted(VertexProgram):
    """`Long` by way of the inbox: what is sent to any vertex, in this superstep and in the next."""

    x = vertex.int64()
    supersteps = param.supersteps(2)
    message, combine = "int64", "sum"
    scatter = "if (superstep && v.id > 2) send(-1);"
    scatter_on = apply_on = "all"
    apply = """
        if (superstep)
            v.x = msg;
        else if (v.id == 1 || v.id == 2)
            send_to(0, v.id == 1 ? LONG_MAX : 1);
    """


class PostedTooMuch(Posted):
    scatter = "if (superstep && v.id > 2) send_to(0, v.id < 5);"


def outcomes(program: VertexProgram, graph: Graph, group: int) -> set:
    """What every delivery makes of vertex 0, or that it overflows: one thing, if all agree."""
    device = Device(find().cl, group)
    engine = Engine(graph, device)
    found = set()
    able = admitted(program, device)
    assert ("push" in able) == ("edges" in able) == (program.spec.combiner is SUM)
    for delivery in able:
        try:
            result = engine.run(program, delivery=delivery)
            found.add((result.supersteps, int(result.x[0])))
        except GasclError as error:
            found.add("overflow" if "overflowed" in str(error) else str(error))
    return found


@pytest.mark.parametrize("group", SHAPES)
def test_a_sum_may_leave_its_range_and_come_back(group):
    assert outcomes(Long(), STAR, group) == {(1, 2**63 - 17)}


@pytest.mark.parametrize("group", SHAPES)
def test_a_sum_of_messages_sent_anywhere_may_leave_its_range_and_come_back(group):
    assert outcomes(Posted(), STAR, group) == {(2, 2**63 - 17)}


@pytest.mark.parametrize("group", SHAPES)
@pytest.mark.parametrize("program", [TooLong, Unsigned, PostedTooMuch])
def test_a_sum_beyond_64_bits_is_an_error(group, program):
    assert outcomes(program(), STAR, group) == {"overflow"}


@pytest.mark.parametrize("group", SHAPES)
@pytest.mark.parametrize("zero", [1, 3, 19])
def test_a_product_with_a_zero_is_zero(group, zero):
    assert outcomes(Product(zero=zero), STAR, group) == {(1, 0)}


@pytest.mark.parametrize("group", SHAPES)
def test_a_product_without_one_overflows(group):
    assert outcomes(Product(zero=-1), STAR, group) == {"overflow"}


@pytest.mark.parametrize("group", SHAPES)
@pytest.mark.parametrize(
    ("program", "parts"),
    [
        (Parts, [0, 0, 0]),
        (Parts, [1, -1, 1, -1, 0]),
        (Parts, [2**31 - 1, -(2**31), 5, 0]),
        (Parts, [-(2**31), 0, 0]),
        (Parts, [2**31 - 1] * 9 + [-(2**31 - 1)] * 8),
        (PartsUnsigned, [2**32 - 1, 0]),
        (PartsUnsigned, [0]),
    ],
)
def test_a_sum_of_narrow_messages_is_applied_once(group, program, parts):
    """By each delivery: vertex 0 and those behind the senders all get the same messages."""
    n = len(parts)
    src, dst = np.tile(np.arange(1, n + 1), n), np.repeat(np.arange(n + 1, 2 * n + 1), n)
    graph = Graph.from_edges([*src, *range(1, n + 1)], [*dst, *[0] * n])
    device = Device(find().cl, group)
    started = program(x=np.array([0, *parts, *[0] * n]))
    for delivery in admitted(started, device):
        result = Engine(graph, device).run(started, delivery=delivery)
        reached = [0, *range(n + 1, 2 * n + 1)]
        assert result["sum"][reached].tolist() == [sum(parts)] * (n + 1), delivery
        assert result.times[reached].tolist() == [1] * (n + 1), delivery
        assert not result.times[1 : n + 1].any()


@pytest.mark.parametrize("group", SHAPES)
def test_a_superstep_that_never_runs_overflows_nothing(group):
    ring = Graph.from_edges([0, 1, 2], [1, 2, 0])
    assert outcomes(Last(), ring, group) == {(1, 2**30)}
