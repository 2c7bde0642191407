"""Many vertices send to one or to a few, add to their fields, and put them into the mask. What
meets in one place is combined on the way there on some devices (kernels/warp.cl): the result is the
same."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from support.admitting_deliveries import some_admitted

from gascl import Engine, Graph, VertexProgram, param, struct, vertex

VERTICES, STEPS = 300, 4
PAIR = struct([("x", "int32"), ("y", "int32")])
#: Of each type of messages: the type, the combiner, its identity, how a number becomes a message
#: and back, and how two numbers combine. All sums are exact.
MESSAGES = {
    "int32 sum": ("int32", "sum", "0", "{}", "(int)({} & 1023)", lambda a, b: a + b),
    "int64 sum": ("int64", "sum", "0", "({} - 100l) << 44", "(int)({} >> 44 & 1023)", None),
    "uint8 max": ("uint8", "max", "0", "{}", "{}", max),
    "int64 min": ("int64", "min", "0", "{}", "(int){}", min),
    "xor": ("uint64", "a ^ b", "0", "(ulong){} << 9", "(int)({} >> 9)", lambda a, b: a ^ b),
    "float min": ("float32", "min", "0", "{} / 4.0f", "(int)({} * 4)", min),
    "float sum": ("float32", "sum", "0", "{} / 4.0f", "(int)({} * 4) & 1023", lambda a, b: a + b),
    "struct": (
        PAIR,
        "a.x < b.x || (a.x == b.x && a.y > b.y) ? a : b",
        "(Pair){INT_MAX, 0}",
        "(Pair){{{0} % 16, {0}}}",
        "({0}.x + 3 * {0}.y)",
        None,
    ),
}


def graph() -> Graph:
    """A hub, parallel arcs, self-loops, and vertices without arcs."""
    rng = np.random.default_rng(11)
    src, dst = rng.integers(0, VERTICES - 20, (2, 700))
    src[:150] = 5
    return Graph.from_edges(src, dst, num_vertices=VERTICES)


def program(name: str, spread: int, sender: str, **more) -> VertexProgram:
    """Vertices of which some send twice, and some do not. `spread`: to how many; 0: to any."""
    type_, combine, identity, message, read, _ = MESSAGES[name]
    to = f"(TWICE + superstep) % {spread}" if spread else "(TWICE * TWICE + superstep) % 300"
    send = f"send_to({to}, {message.format('VALUE')});"
    twice = f"for (int k = 0; k < 1 + (v.id % 5 == 0); ++k) if (v.x % 4 != 1) {{ {send} }}"
    got = f"v.x = (v.x + (has_msg ? {read.format('msg')} : 7)) % 1009;"
    body = {
        "__module__": __name__,
        "Pair": PAIR,
        "functions": """
            #define TWICE (7 * v.id + k)
            #define VALUE ((v.x * 5 + k) & 255)
        """,
        "x": vertex.int32(init="v.id * 31 % 97"),
        "supersteps": param.supersteps(STEPS),
        "message": type_,
        "combine": combine,
        "scatter_on": "all",
        "apply_on": "all",
        "apply": got + twice if sender == "apply" else got,
        **({"scatter": twice} if sender == "scatter" else {}),
        **({"identity": identity} if combine not in ("sum", "min", "max") else {}),
        **more,
    }
    return type("Sends", (VertexProgram,), body)()


def combined(name: str, values: list[int]) -> int:
    """What apply reads of messages that were made of some numbers."""
    if name == "int64 sum":
        return sum(value - 100 for value in values) & 1023
    if name == "struct":
        least = min(values, key=lambda value: (value % 16, -value))
        return least % 16 + 3 * least
    found = functools.reduce(MESSAGES[name][-1], values)
    return found & 1023 if "sum" in name else found


def simulated(name: str, spread: int, sender: str, start: int = 0) -> tuple[list[int], list[int]]:
    """The values after all supersteps, and how many messages arrived in each superstep."""
    x = [(v * 31 + start) % 97 for v in range(VERTICES)]
    degree = graph().out_degree if sender == "scatter" else np.ones(VERTICES, int)

    def sent(step: int) -> list[list[int]]:
        heard: list[list[int]] = [[] for _ in range(VERTICES)]
        for v in range(VERTICES):
            for k in range(1 + (v % 5 == 0)):
                if x[v] % 4 != 1:
                    twice = 7 * v + k
                    to = (twice + step) % spread if spread else (twice**2 + step) % VERTICES
                    heard[to] += [(x[v] * 5 + k) & 255] * int(degree[v])
        return heard

    waiting: list[list[int]] = [[] for _ in range(VERTICES)]
    counts = []
    for step in range(STEPS):
        heard = sent(step) if sender == "scatter" else waiting
        counts.append(sum(map(len, heard)))
        for v in range(VERTICES):
            x[v] = (x[v] + (combined(name, heard[v]) if heard[v] else 7)) % 1009
        waiting = sent(step)
    return x, counts


CASES = [
    *itertools.product(["int32 sum", "struct"], ["apply", "scatter"], [1, 3, 0]),
    *itertools.product(MESSAGES.keys() - {"int32 sum", "struct"}, ["apply"], [1]),
]


@pytest.mark.parametrize(("name", "sender", "spread"), sorted(CASES))
def test_messages(device, name, sender, spread):
    x, counts = simulated(name, spread, sender)
    made = program(name, spread, sender)
    engine = Engine(graph(), device, deterministic=name != "float sum")
    for delivery in some_admitted(made, device) if engine.deterministic else ["auto"]:
        found = engine.run(made, delivery=delivery)
        assert found.x.tolist() == x, delivery
        assert [step.messages for step in found.trace] == counts, delivery


def test_lanes(device):
    first = vertex.int32(init="(v.id * 31 + p.start) % 97")
    made = program("int32 sum", 1, "apply", start=param.int32(0), x=first)
    expected = [simulated("int32 sum", 1, "apply", start)[0] for start in (0, 40)]
    found = Engine(graph(), device).run(type(made)(start=[0, 40]))
    assert found.x.T.tolist() == expected


class Marks(VertexProgram):
    """All vertices put one into the mask, and add to a field of it; some do so twice."""

    supersteps = param.supersteps(STEPS)
    x = vertex.int32(init="v.id % 8")
    total = vertex.int64()
    message, combine = "int32", "sum"
    apply_on = "all"
    ends = "stop"
    init = "set_mask_of(5);"
    scatter = "send(v.x); set_mask_of(e.dst % 2);"
    apply = """
        v.x = (v.x + msg + 1) % 1009;
        for (int k = 0; k <= v.id % 3; ++k)
            if (v.x % 4) {
                set_mask_of(superstep % 2 ? 5 : 7 * v.id % 300);
                add_to_total(3 + k, v.x);
            }
    """


def test_marks_and_added_fields(device):
    rows = [graph().arcs("out").out.offsets[v : v + 2].tolist() for v in range(VERTICES)]
    targets = graph().arcs("out").out_targets.tolist()
    x, total, active = [v % 8 for v in range(VERTICES)], [0] * VERTICES, {5}
    counts = []
    for step in range(STEPS):
        counts.append(len(active))
        heard, coming = [0] * VERTICES, set()
        for v in active:
            for to in targets[slice(*rows[v])]:
                heard[to] += x[v]
                coming.add(to % 2)
        for v in range(VERTICES):
            x[v] = (x[v] + heard[v] + 1) % 1009
            for k in range(v % 3 + 1):
                if x[v] % 4:
                    coming.add(5 if step % 2 else 7 * v % 300)
                    total[3 + k] += x[v]
        active = coming
    for delivery in some_admitted(Marks(), device):
        found = Engine(graph(), device).run(Marks(), delivery=delivery)
        assert found.x.tolist() == x, delivery
        assert found.total.tolist() == total, delivery
        assert [step.active for step in found.trace] == counts, delivery
