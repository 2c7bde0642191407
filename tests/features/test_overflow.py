"""Whether an integer sum or product overflows depends neither on the delivery nor on the order."""

from __future__ import annotations

import numpy as np
import pytest
from support.admitting_deliveries import admitted
from support.agreement import in_parts, part_of

from gascl import Engine, GasclError, Graph, VertexProgram, param, vertex
from gascl.language.combiners import SUM

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


RING = Graph.from_edges([0, 1, 2], [1, 2, 0])
#: The program, the graph, and what every delivery makes of vertex 0: supersteps and value.
OUTCOMES: dict[str, tuple[VertexProgram, Graph, tuple[int, int] | str]] = {
    "a sum leaves its range and comes back": (Long(), STAR, (1, 2**63 - 17)),
    "messages sent anywhere do so": (Posted(), STAR, (2, 2**63 - 17)),
    "a sum beyond 64 bits": (TooLong(), STAR, "overflow"),
    "a sum of uint64": (Unsigned(), STAR, "overflow"),
    "messages sent anywhere": (PostedTooMuch(), STAR, "overflow"),
    "a product with a zero first": (Product(zero=1), STAR, (1, 0)),
    "a product with a zero": (Product(zero=3), STAR, (1, 0)),
    "a product with a zero last": (Product(zero=19), STAR, (1, 0)),
    "a product without a zero": (Product(zero=-1), STAR, "overflow"),
    "a superstep that never runs": (Last(), RING, (1, 2**30)),
}


@pytest.mark.parametrize(
    ("name", "device", "part"), in_parts(OUTCOMES, turn=1, by=3), indirect=["device"]
)
def test_every_delivery_agrees(device, name, part):
    program, graph, expected = OUTCOMES[name]
    engine, found = Engine(graph, device), set()
    able = admitted(program, device)
    assert ("push" in able) == ("edges" in able) == (program.spec.combiner is SUM)
    for delivery in part_of(able, part):
        try:
            result = engine.run(program, delivery=delivery)
            found.add((result.supersteps, int(result.x[0])))
        except GasclError as error:
            found.add("overflow" if "overflowed" in str(error) else str(error))
    assert found == {expected}


PARTS = [
    (Parts, [0, 0, 0]),
    (Parts, [1, -1, 1, -1, 0]),
    (Parts, [2**31 - 1, -(2**31), 5, 0]),
    (Parts, [-(2**31), 0, 0]),
    (Parts, [2**31 - 1] * 9 + [-(2**31 - 1)] * 8),
    (PartsUnsigned, [2**32 - 1, 0]),
    (PartsUnsigned, [0]),
]


@pytest.mark.parametrize(
    ("case", "device", "part"), in_parts(range(len(PARTS)), turn=1, by=3), indirect=["device"]
)
def test_a_sum_of_narrow_messages_is_applied_once(device, case, part):
    """By each delivery: vertex 0 and those behind the senders all get the same messages."""
    program, parts = PARTS[case]
    n = len(parts)
    src, dst = np.tile(np.arange(1, n + 1), n), np.repeat(np.arange(n + 1, 2 * n + 1), n)
    graph = Graph.from_edges([*src, *range(1, n + 1)], [*dst, *[0] * n])
    started = program(x=np.array([0, *parts, *[0] * n]))
    for delivery in part_of(admitted(started, device), part):
        result = Engine(graph, device).run(started, delivery=delivery)
        reached = [0, *range(n + 1, 2 * n + 1)]
        assert result["sum"][reached].tolist() == [sum(parts)] * (n + 1), delivery
        assert result.times[reached].tolist() == [1] * (n + 1), delivery
        assert not result.times[1 : n + 1].any()
