"""Rows that a work-group's items share: a hub in lanes, and one whose messages are read singly."""

from __future__ import annotations

import numpy as np
import pytest
from support.case_subsets import one_in, thinned

from gascl import Engine, Graph, VertexProgram, aggregate, param, vertex
from gascl.delivery.cost import Costs
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find
from gascl.programs import BreadthFirst

V, HUB, MIDDLING = 700, 5000, 70
#: How many items a work-group has.
GROUPS = (8, 64)


def hubs() -> Graph:
    """One vertex has more arcs than a block holds, others more than an item gathers alone."""
    rng = np.random.default_rng(0)
    ends = [
        np.zeros(HUB, int),
        np.full(MIDDLING, 7),
        np.full(MIDDLING, 8),
        rng.integers(0, V, 2000),
    ]
    dst = np.concatenate(ends)
    return Graph.from_edges(rng.integers(1, V, len(dst)), dst, num_vertices=V)


GRAPH = hubs()
ARCS = sorted(zip(GRAPH.edge_src.tolist(), GRAPH.edge_dst.tolist(), strict=True))


def search(source: int) -> tuple[list[int], list[int]]:
    """Depths and smallest parents."""
    depth, parent = [-1] * V, [-1] * V
    depth[source], level = 0, {source}
    while level:
        reached: set[int] = set()
        for a, b in ARCS:  # by sender
            if a in level and depth[b] < 0 and b not in reached:
                parent[b] = a
                reached.add(b)
        for b in reached:
            depth[b] = depth[parent[b]] + 1
        level = reached
    return depth, parent


@pytest.mark.parametrize(
    ("sources", "group"), thinned([[5, 6], [9, 3, 30], list(range(40, 52))], GROUPS, by=6)
)
def test_breadth_first_in_lanes(sources, group):
    """The first sender's message is found, whichever item comes across it."""
    expected = [search(source) for source in sources]
    for delivery in ("pull", "outbox", "slots"):
        engine = Engine(GRAPH, Device(find().cl, group=group))
        result = engine.run(BreadthFirst(source=sources), delivery=delivery)
        for lane, (depth, parent) in enumerate(expected):
            assert result.depth[:, lane].tolist() == depth, delivery
            assert result.parent[:, lane].tolist() == parent, delivery


class Highest(VertexProgram):
    """The highest value with a path to a vertex: scatter reads what apply writes, and every message
    counts."""

    value = vertex.int32(init="(v.id * 7919) % 1009")
    message, combine = "int32", "max"
    scatter = "send(v.value - (e.src % 3 == 0));"
    apply = "if (msg > v.value) { v.value = msg; set_mask(); }"


def highest() -> tuple[list[int], list[int]]:
    """The values, and the number of messages in each superstep, of `Highest`."""
    value, messages, senders = [v * 7919 % 1009 for v in range(V)], [], set(range(V))
    while senders:
        best = [-1] * V
        sent = [(a, b) for a, b in ARCS if a in senders]
        messages.append(len(sent))
        for a, b in sent:
            best[b] = max(best[b], value[a] - (a % 3 == 0))
        senders = {v for v in range(V) if best[v] > value[v]}
        for v in senders:
            value[v] = best[v]
    return value, messages


@pytest.mark.parametrize(
    ("group", "delivery"), thinned(GROUPS, ["frontier", "push", "pull", "slots"], by=4)
)
def test_the_only_lane_of_a_hub(group, delivery, monkeypatch):
    """A hub's arcs are shared by items of a group, with and without a first message to find."""
    monkeypatch.setattr(Costs, "share_to_pull", lambda *_: 0.1)
    engine, (depth, parent) = Engine(GRAPH, Device(find().cl, group=group)), search(9)
    value, messages = highest()
    result = engine.run(BreadthFirst(source=9), delivery=delivery)
    assert result.depth.tolist() == depth
    assert result.parent.tolist() == parent
    result = engine.run(Highest(), delivery=delivery)
    assert result.value.tolist() == value
    assert [step.messages for step in result.trace] == messages
    if delivery == "frontier":
        assert {step.delivery for step in result.trace} == {"push", "pull"}


class Bits(VertexProgram):
    """The bits received from other vertices; a vertex with all bits receives no more."""

    shift = param.int32()
    supersteps = param.supersteps(3)
    seen = vertex.uint32(init="1u << (v.id + p.shift) % 9")
    message, combine = "uint32", "or"
    receive_if = "v.seen != 0x1ff"
    enough = "(msg | v.seen) == 0x1ff"
    scatter_on = "all"
    scatter = "if (v.id % 5 != p.shift % 5) send(v.seen);"
    apply = "v.seen |= msg;"


@pytest.mark.parametrize("group", one_in(2, GROUPS))
def test_enough_in_lanes(group):
    shifts = [0, 1, 2, 5, 7]
    expected = []
    for shift in shifts:
        seen = [1 << (v + shift) % 9 for v in range(V)]
        for _ in range(3):
            new = list(seen)
            for a, b in ARCS:
                if a % 5 != shift % 5:
                    new[b] |= seen[a]
            seen = new
        expected.append(seen)
    assert min(map(min, expected)) < 0x1FF == max(map(max, expected))
    for delivery in ("pull", "outbox", "slots"):
        engine = Engine(GRAPH, Device(find().cl, group=group))
        result = engine.run(Bits(shift=shifts), delivery=delivery)
        assert result.seen.T.tolist() == expected, delivery


class Listener(VertexProgram):
    """Messages that not every arc carries, read one by one."""

    k = param.int32(1)
    supersteps = param.supersteps(3)
    x = vertex.int32(init="v.id")
    total = aggregate.int64("sum")
    message, gathered = "int32", "int64"
    scatter_on = "all"
    scatter = "if ((v.x + p.k) % 3) send(v.x);"
    gather = """
        for (int i = 0; i < num_messages; ++i)
            msg += (long)messages[i] * (messages[i] % 7 + 1);
    """
    apply = "v.x = (int)((3 * v.x + msg) % 10007); aggregate_total(v.x);"


@pytest.mark.parametrize(("group", "k"), thinned(GROUPS, [1, [0, 1, 2], list(range(12))], by=6))
def test_messages_of_a_hub_read_one_by_one(group, k):
    lanes = k if isinstance(k, list) else [k]
    expected = [np.arange(V) for _ in lanes]
    src, dst = np.array(ARCS).T
    messages, totals = [0] * 3, [0] * 3
    for superstep in range(3):
        for lane, shift in enumerate(lanes):
            x = expected[lane]
            sent = x[src][(x[src] + shift) % 3 > 0]
            hears = dst[(x[src] + shift) % 3 > 0]
            heard = np.zeros(V, np.int64)
            np.add.at(heard, hears, sent * (sent % 7 + 1))
            has = np.bincount(hears, minlength=V) > 0
            expected[lane] = np.where(has, (3 * x + heard) % 10007, x)
            messages[superstep] += len(sent)
            totals[superstep] += int(expected[lane][has].sum())
    result = Engine(GRAPH, Device(find().cl, group=group)).run(Listener(k=k), delivery="slots")
    assert result.x.reshape(V, -1).T.tolist() == [x.tolist() for x in expected]
    assert [step.messages for step in result.trace] == messages
    assert [step.aggregates["total"] for step in result.trace] == totals


class SendsAhead(VertexProgram):
    """Each arc carries a message, and apply sends another one."""

    supersteps = param.supersteps(2)
    heard = vertex.int64()
    message, combine = "int64", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.id + 1);"
    apply = "v.heard = v.heard * 3 + msg; send_to(v.id, 1000000);"


@pytest.mark.parametrize("group", [1, 8])
def test_every_arc_sends_and_apply_sends_to_any_vertex(group):
    """The items behind the last arc of a block leave its message as it is."""
    rng = np.random.default_rng(7)
    src, dst = rng.integers(0, 300, (2, 2000))
    graph = Graph.from_edges(src, dst, num_vertices=300)
    first = np.zeros(300, np.int64)
    np.add.at(first, dst, src + 1)
    result = Engine(graph, Device(find().cl, group=group)).run(SendsAhead(), delivery="pull")
    assert result.heard.tolist() == (first * 3 + first + 1_000_000).tolist()
