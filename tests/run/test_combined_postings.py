"""Push by work-groups, which combine messages to the same vertex before they post them."""

from __future__ import annotations

import functools
import operator

import numpy as np
import pytest

from gascl import Engine, Graph, VertexProgram, param, vertex

VERTICES = 200
#: A combiner, its identity, and how it combines two messages. Messages may be the identity, too.
COMBINERS = {
    "sum": ("a ^ b", "0", operator.xor, 0),
    "least": ("min(a, b)", "INT_MAX", min, 2**31 - 1),
    "both": ("a & b", "~0", operator.and_, -1),
    "product modulo 101": ("(int)((long)a * b % 101)", "1", lambda a, b: a * b % 101, 1),
}


def graph() -> Graph:
    """Two hubs, one with more messages than a group holds back; parallel arcs, a self-loop, a hub
    that sends, and vertices without arcs."""
    rng = np.random.default_rng(7)
    pairs = (
        [(v, 4) for v in range(190)] + [(v, 36) for v in range(60)] + [(4, v) for v in range(90)]
    )
    pairs += [*zip(*rng.integers(0, 190, (2, 500)).tolist(), strict=True), (3, 9), (3, 9), (3, 9)]
    src, dst = zip(*pairs, strict=True)
    return Graph.from_edges(src, dst, num_vertices=VERTICES)


@pytest.mark.parametrize("device", [8], indirect=True)
@pytest.mark.parametrize("sends", ["all", "mask"])
@pytest.mark.parametrize("name", COMBINERS)
def test_messages_to_hubs(name, sends, device):
    combiner, identity, combine, nothing = COMBINERS[name]
    body = {
        "__module__": __name__,
        "x": vertex.int32(init="1 + v.id * 7 % 31"),
        "supersteps": param.supersteps(4),
        "message": "int32",
        "combine": combiner,
        "identity": identity,
        "mask": "v.id % 3 != 1",
        "scatter_on": sends,
        "scatter": f"send(v.x % 5 ? v.x % 97 : {identity});",
        "apply": "v.x = ((has_msg ? msg & 1023 : 5) + v.id + v.x) % 1009; if (v.x % 3) set_mask();",
    }
    program = type("Sends", (VertexProgram,), body)()
    found = Engine(graph(), device).run(program, delivery="push")
    arcs = list(zip(*(ends.tolist() for ends in graph().coo()), strict=True))
    x = [1 + v * 7 % 31 for v in range(VERTICES)]
    active = [sends == "all" or v % 3 != 1 for v in range(VERTICES)]
    for step in found.trace:
        heard = [[] for _ in range(VERTICES)]
        for a, b in arcs:
            if active[a]:
                heard[b].append(x[a] % 97 if x[a] % 5 else nothing)
        assert step.messages == sum(map(len, heard))
        for v, messages in enumerate(heard):
            if messages:
                x[v] = ((functools.reduce(combine, messages) & 1023) + v + x[v]) % 1009
            active[v] = sends == "all" or (bool(messages) and x[v] % 3 != 0)
    assert len(found.trace) == 4
    np.testing.assert_array_equal(found.x, x)


class Answers(VertexProgram):
    """Senders in the mask tell neighbors their bit, and note the bits of these neighbors; senders
    with odd numbers do only that."""

    supersteps = param.supersteps(5)
    seen = vertex.uint64(init="1ul << v.id % 24")
    # Bits above, and the number of messages along arcs below.
    message, combine = "uint64", "((a | b) & ~0xfful) | ((a + b) & 0xff)"
    identity = "0"
    mask = "v.id % 3 != 1"
    scatter = """
        send_to(e.src, seen_of(e.dst) << 8);
        if (v.id % 2 == 0)
            send(v.seen << 8 | 1);
    """
    apply = """
        v.seen |= msg >> 8 & 0xffffff;
        v.seen ^= 1ul << (24 + (msg & 0xff) % 8);
        if ((msg & 0xff) % 3 || v.id % 5 == 0)
            set_mask();
    """


@pytest.mark.parametrize("device", [1, 8], indirect=True)
def test_messages_back_to_the_sender(device):
    """They are combined with those that come along arcs."""
    expected = Engine(graph(), device).run(Answers(), delivery="serial")
    found = Engine(graph(), device).run(Answers(), delivery="push")
    np.testing.assert_array_equal(found.seen, expected.seen)
    assert [step.messages for step in found.trace] == [step.messages for step in expected.trace]
    assert [step.active for step in found.trace] == [step.active for step in expected.trace]


class Reached(VertexProgram):
    """The superstep in which a message comes first."""

    at = vertex.int32(init="v.id == 0 ? 0 : -1")
    message, combine = "int32", "sum"
    receive_if = "v.at < 0"
    mask = "v.id == 0"
    scatter = "send(1);"
    apply = "v.at = superstep + 1; set_mask();"


@pytest.mark.parametrize("device", [8], indirect=True)
def test_groups_list_long_rows(device):
    """A row of several thousand arcs, which has many pieces, among short ones."""
    leaves = np.arange(2, 6002)
    src = np.concatenate([np.zeros(60, int), np.full(6000, 1), np.arange(2, 62)])
    dst = np.concatenate([np.arange(1, 61), leaves, np.arange(6002, 6062)])
    star = Graph.from_edges(src, dst, num_vertices=6062)
    at = Engine(star, device).run(Reached(), delivery="push").at
    expected = Engine(star, device).run(Reached(), delivery="serial").at
    np.testing.assert_array_equal(at, expected)
    assert at[1] == 1 and at[6001] == 2
