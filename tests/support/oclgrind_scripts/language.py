"""The rest of the language: send_to, gather snippets, lanes, arc state, and continued runs.

    python language.py GROUP BLOCK [FILE OLD NEW]

As workload.py; results are compared with those of `serial`, which other tests look after.
"""

from __future__ import annotations

import re
import sys
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from support.oclgrind_scripts import pairs
from support.oclgrind_scripts.device import GROUP, oclgrind_device, patch_kernels
from support.oclgrind_scripts.refused import REFUSED, TRAPPED
from support.oclgrind_scripts.workload import (
    DIRECTED,
    FAR,
    GRAPH,
    HUB,
    Gossip,
    Levels,
    able,
)

import gascl.run.prepare
from gascl import (
    Engine,
    Graph,
    ProgramError,
    VertexProgram,
    aggregate,
    arc,
    by_key,
    edge,
    param,
    struct,
    vertex,
)
from gascl.codegen import constants
from gascl.opencl.device import Device
from gascl.results.result import Result
from gascl.run import loaded_program
from gascl.run.plan import Plan
from gascl.run.push_pull import NEVER


class ToFew(VertexProgram):
    """Many to few, in this superstep and in the next."""

    x = vertex.int64(init="v.id")
    supersteps = param.supersteps(3)
    message, combine = "int64", "sum"
    scatter_on = apply_on = "all"
    scatter = "send_to(e.dst % 3 * 16, x_of(e.src));"
    apply = "v.x = (msg + v.id) % 1000; send_to(v.id % 2 * 16, v.x); send_to(1, v.x);"


class Posting(VertexProgram):
    """To anyone, in this superstep and in the next; fields of others, copied and not; the
    adjacency; common neighbors; masks that others set and the vertex itself takes back; sums of
    64 bits."""

    x = vertex.int64(init="v.id")
    weight = edge.real(default=1)
    supersteps = param.supersteps(3)
    message, combine = "int64", "sum"
    mask = "v.id % 3 == 0"
    scatter = """
        send(x_of(e.dst) + 1);
        send_to((e.dst * 7 + 1) % g.num_vertices, num_neighbors + common(e.src, e.dst));
    """
    apply = """
        v.x = (msg + x_of((v.id + 1) % g.num_vertices)) % 1000;
        for (int i = 0; i < min(num_neighbors, 3); ++i)
            if (weight_to(i) > 0 && has_edge(neighbor(i), v.id))
                set_mask_of(neighbor(i));
        for_common(w, v.id, v.id * 3 % g.num_vertices)
            v.x += weight_from_first(w) < weight_from_second(w) ? w : 1;
        if (v.x % 2)
            unset_mask();
        send_to(v.id * 5 % g.num_vertices, v.x);
    """


class Reducing(VertexProgram):
    """Loops over neighbors that only reduce, in their order or not, and what else apply does."""

    x = vertex.int32(init="v.id")
    y = vertex.real(init="v.id")
    weight = edge.real(default=1)
    added = aggregate.int64("sum")
    supersteps = param.supersteps(3)
    message, combine = "int32", "sum"
    mask = "v.id % 3 == 0"
    apply_on = "all"
    scatter = "send(v.x);"
    apply = """
        real total = msg;
        for (int i = 0; i < num_neighbors; ++i)
            total += y_of(neighbor(i)) * weight_to(i);
        int most = 0;
        long sum = 0;
        if (v.id % 2)
            for (int i = 0; i < num_neighbors; ++i) {
                most = max(most, x_of(neighbor(i)));
                sum += neighbor(i);
            }
        aggregate_added(sum);
        set_mask_of((v.id + most) % g.num_vertices);
        v.x = (int)(sum % 100);
        v.y = total / 100;
    """


class Listed(VertexProgram):
    """The same with a frontier, in which only apply lists a vertex."""

    x = vertex.int32(init="v.id * 7 % 11")
    message, combine = "int32", "sum"
    mask = "v.id % 3 == 0"
    scatter = "send(1);"
    apply = """
        int most = v.x;
        for (int i = 0; i < num_neighbors; ++i)
            most = max(most, x_of(neighbor(i)));
        if (most > v.x)
            set_mask();
        v.x = most;
    """


class Telling(VertexProgram):
    """Scatter sends to common neighbors, whose messages are added up for each arc first."""

    x = vertex.int64(init="v.id")
    supersteps = param.supersteps(2)
    message, combine = "int64", "sum"
    scatter_on = apply_on = "all"
    scatter = """
        for_common(w, e.src, e.dst) {
            send_to(w, x_of(w));
            send_to((w + 1) % g.num_vertices, common(w, e.dst));
        }
        send(1);
        send_to(e.src, e.dst);
    """
    apply = "v.x = msg % 1000;"


class TellingReals(VertexProgram):
    """Floats for common neighbors, small whole numbers: their sums are exact."""

    x = vertex.real(init="v.id % 9")
    supersteps = param.supersteps(2)
    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    scatter = """
        for_common(w, e.src, e.dst)
            send_to(w, x_of(w) + 1);
        send_to(e.src, 2);
        if (e.src % 3)
            send(1);
    """
    apply = "v.x = (int)msg % 9;"


class Pointing(VertexProgram):
    """Structs, by compare-and-swap; outbox: fused, beside an inbox."""

    Pair = struct([("near", "float32"), ("who", "int32")])
    best = vertex.struct(Pair, init="(Pair){v.id % 7, v.id}")
    supersteps = param.supersteps(3)
    message, identity = Pair, "(Pair){INFINITY, -1}"
    combine = "a.near < b.near || (a.near == b.near && a.who < b.who) ? a : b"
    scatter_on = "all"
    scatter = "if (v.id % 4) send((Pair){v.best.near + 1, v.id});"
    apply = """
        if (msg.near < v.best.near)
            v.best = msg;
        send_to((v.id + 9) % g.num_vertices, (Pair){v.best.near / 2, v.id});
    """


class Product(VertexProgram):
    """Products, and what does not fit them, in one cell."""

    x = vertex.int32(init="v.id == 7 ? 2 : 1")
    message, combine = "int32", "prod"
    mask = "v.id < 9"
    scatter = "send(v.x * (e.dst == 3 ? -1 : 1));"
    apply = "v.x = msg;"


class Threefold(VertexProgram):
    """Three lanes: arc state, masks that some of them set, aggregators of every kind."""

    Far = struct([("d", "int32"), ("who", "int32")])
    x = vertex.int32(init="v.id + lane")
    kept = arc.int32(init="e.id")
    pair = arc.struct(Far, init="(Far){e.dst, lane}")
    weight = edge.int32(default=1)
    supersteps = param.supersteps(3)
    mean = aggregate.int32("mean")
    calls = aggregate.int32("count")
    most = aggregate.real("max")
    _rule = "a.d > b.d || (a.d == b.d && a.who < b.who) ? a : b"
    far = aggregate.struct(Far, _rule, identity="(Far){-1, -1}")
    message, combine = "int32", "max"
    lanes = 3
    mask = "v.id % 4 == lane"
    scatter = """
        e.kept += e.weight;
        e.pair.d += 1;
        if ((v.id + lane) % 3)
            send((e.kept + e.pair.d + v.x) % 1000);
    """
    apply = """
        v.x = (v.x + msg + (int)prev.calls) % 500;
        aggregate_mean(v.x);
        aggregate_calls(1);
        aggregate_most(v.x);
        Far far = {v.x, v.id};
        aggregate_far(far);
        if (msg % 2)
            set_mask();
        else
            unset_mask();
        set_mask_of((v.id + lane) % g.num_vertices);
    """


class Sending(VertexProgram):
    """Two lanes of pure messages, and some to anyone: pull, outbox, edges."""

    x = vertex.uint8(init="v.id + 5 * lane")
    supersteps = param.supersteps(3)
    message, combine = "uint8", "or"
    lanes = 2
    mask = "v.id % 4 == lane"
    scatter = "if ((v.x + lane) % 3) send(v.x & 63);"
    apply = (
        "v.x = v.x / 2 + msg; if (v.x % 5) set_mask(); send_to(v.id * 3 % g.num_vertices, lane);"
    )


class Sorting(VertexProgram):
    """Messages one by one, rewritten in their places, from some of the arcs."""

    x = vertex.int32(init="v.id * 7 % 11")
    supersteps = param.supersteps(3)
    message, gathered, identity = "int32", "float32", "-1"
    apply_on = "all"
    scatter = "if ((v.x + e.dst) % 3) send(v.x);"
    gather = """
        for (int i = 1; i < num_messages; ++i) {
            const int moved = messages[i];
            int j = i;
            for (; j > 0 && messages[j - 1] > moved; --j)
                messages[j] = messages[j - 1];
            messages[j] = moved;
        }
        msg = messages[num_messages / 2] / 2.0f + (num_neighbors ? x_of(neighbor(0)) : 0);
    """
    apply = "v.x = (int)(2 * msg) % 13; if (v.x % 4) set_mask();"


class SortingTwice(Sorting):
    """In two lanes, where messages of a lane lie apart from the other's."""

    lanes = 2
    x = vertex.int32(init="(v.id + lane) * 7 % 11")


class Reading(VertexProgram):
    """One by one, from every arc."""

    x = vertex.int32(init="v.id")
    supersteps = param.supersteps(2)
    message = "int32"
    scatter_on = "all"
    scatter = "send(v.x);"
    gather = "for (int i = 0; i < num_messages; ++i) msg += messages[i] * messages[i] % 7;"
    apply = "v.x = msg;"


class Voting(VertexProgram):
    """By the most frequent key; long rows have more than a table takes at a time."""

    x = vertex.int32(init="v.id * 7 % 61")
    supersteps = param.supersteps(3)
    message, combine = "int32", by_key()
    prefer = "a.count > b.count"
    receive_if = "superstep < 2 || msg % 3"
    scatter_on = "all"
    scatter = "send(v.x);"
    apply = "v.x = (msg.key + msg.count) % 61;"


class Grouping(VertexProgram):
    """By groups, in two lanes; some arcs carry no message."""

    Kind = struct([("kind", "int16"), ("weight", "real")])
    lanes = 2
    x = vertex.int32(init="(v.id + lane) % 11")
    supersteps = param.supersteps(3)
    message, combine, gathered = Kind, by_key("kind", weight="sum"), "int32"
    mask = "v.id % 5 != 0"
    scatter = "if (e.dst % 4) send((Kind){v.x % 7, v.x});"
    gather = (
        "for (int i = 0; i < num_groups; ++i) msg = msg * 3 + groups[i].kind + groups[i].count;"
    )
    apply = "v.x = (msg & 255) % 11; if (v.x % 3) set_mask();"


class Counting(VertexProgram):
    """By groups without values, of few keys and then of many."""

    x = vertex.int32(init="v.id % 11")
    supersteps = param.supersteps(2)
    message, combine, gathered = "int32", by_key(), "int32"
    scatter_on = "all"
    scatter = "send(v.x);"
    gather = "for (int i = 0; i < num_groups; ++i) msg = msg * 3 + groups[i].key + groups[i].count;"
    apply = "v.x = msg + v.id;"


class Preferring(Grouping):
    """By the group of the largest sum, with keys of 64 bits."""

    Kind = struct([("kind", "int64"), ("weight", "real")])
    message, combine, gathered, gather = Kind, by_key("kind", weight="sum"), None, None
    prefer = "a.weight + v.x > b.weight + v.x"
    apply = "v.x = (int)(msg.kind + msg.count) % 11; if (v.x % 3) set_mask();"


class Weighing(VertexProgram):
    """By the group with the highest score, which is a sum of integers: of many keys, then of few;
    some vertices receive."""

    Kind = struct([("kind", "int32"), ("weight", "int64")])
    x = vertex.int32(init="v.id")
    supersteps = param.supersteps(3)
    message, combine = Kind, by_key("kind", weight="sum")
    prefer = "a.weight"
    receive_if = "(v.id + superstep) % 3"
    scatter_on = "all"
    scatter = "send((Kind){v.x, e.dst % 5 + v.x});"
    apply = "v.x = (msg.kind + msg.count) % 3;"


class ReadingTwice(Reading):
    """In two lanes, by those in the mask."""

    lanes = 2
    x = vertex.int32(init="v.id + lane")
    receive_if = "get_mask() || lane"
    apply = "v.x = msg; if (msg % 3) set_mask_of((v.id + 1) % g.num_vertices);"


class Least(VertexProgram):
    """All scatter: push has the frontier of all, once, with a mask to read and without."""

    x = vertex.real(init="v.id * 13 % 17")
    heard = vertex.int32()
    supersteps = param.supersteps(3)
    message, combine = "real", "min"
    scatter_on = "all"
    scatter = "if (v.x < 9) send(v.x - 1);"
    apply = "v.x = max(v.x, msg - 2); v.heard += 1;"


class LeastMasked(Least):
    apply = "v.x = max(v.x, msg - 2); v.heard += get_mask(); if (v.id % 2) set_mask();"


class Nearest(VertexProgram):
    """In any order: the least sum of a path's ids, and the vertex before on it."""

    start = param.int32()
    least = vertex.int32(init="v.id == p.start ? 0 : INT_MAX")
    before = vertex.int32(init=-1)
    message = struct([("sum", "int32"), ("sender", "int32")])
    combine = "a.sum < b.sum || (a.sum == b.sum && a.sender <= b.sender) ? a : b"
    identity = "(message){INT_MAX, INT_MAX}"
    order = "any"
    mask = "v.id == p.start"
    priority, delta = "v.least", 9
    receive_if = "msg.sum < v.least || (msg.sum == v.least && msg.sender < v.before)"
    scatter = "send((message){v.least + e.dst + 1, v.id});"
    apply = """
        if (msg.sum < v.least)
            set_mask();
        v.least = msg.sum;
        v.before = msg.sender;
    """


class Spread(VertexProgram):
    """In any order, and without a priority: the least id that leads to each vertex."""

    x = vertex.int32(init="v.id")
    message, combine = "int32", "min"
    order = "any"
    scatter = "send(v.x);"
    apply = "if (msg < v.x) { v.x = msg; set_mask(); }"


class Within(Spread):
    """Not in any order after all: who calls no `set_mask()` does not scatter."""

    x = vertex.int32(init="v.id == p.start ? 0 : INT_MAX")
    start = param.int32()
    mask = "v.id == p.start"
    priority, delta = "v.x", 1
    scatter = "send(v.x + 1);"
    apply = "if (msg < v.x) { v.x = msg; if (v.x < 2) set_mask(); }"


class Hooked(VertexProgram):
    """In place: trees of pointers, and the parity of their roots."""

    x = vertex.int32(init="v.id")
    odd = vertex.int8(init="v.id & 1")
    message, combine, edges = "int32", "min", "both"
    order, apply_on = "any", "all"
    receive_if = "v.x == v.id"
    apply = """
        int root = has_msg ? min(v.x, msg) : x_of(v.x);
        if (!has_msg && get_mask())
            for (int i = 0; i < num_neighbors; ++i) {
                const int other = x_of(neighbor(i));
                if (other != root)
                    send_to(max(root, other), min(root, other));
                if (other != root || x_of(root) != root || x_of(other) != other)
                    set_mask();
            }
        if (has_msg || root != v.x)
            set_mask();
        v.x = root;
        v.odd = v.x & 1;
    """


class Gathering(Levels):
    """Who is reached is marked by those that reach it, all at once."""

    scatter = "send(v.level + 1); set_mask_of(e.dst); if (get_mask_of(e.dst)) set_mask();"
    apply = "if (msg < v.level) v.level = msg; else unset_mask();"
    mask = "v.id % 3 == 0"


class Reached(Levels):
    """The first sender counts, and only for those that nobody has reached; scatter reads nothing
    that apply writes, so that pulling applies at once. Floats are added up in any order."""

    who = vertex.int32(init="-1")
    quarters = aggregate.real("sum")
    combine = "first"
    receive_if = "v.level == INT_MAX"
    scatter = "send(v.id);"
    apply = """
        v.level = superstep + 1;
        v.who = msg;
        aggregate_quarters(v.level / 4.0f - v.id);
        set_mask();
    """


class Paths(Levels):
    """Sums of reals that depend on the arc, to those that nobody has reached."""

    paths = vertex.real(init="v.id == p.start")
    total = aggregate.real("sum")
    message, combine = "real", "sum"
    receive_if = "v.level == INT_MAX"
    scatter = "send(v.paths * (e.id % 3 + 1));"
    apply = "v.level = superstep + 1; v.paths = msg; aggregate_total(msg); set_mask();"


class Halving(VertexProgram):
    """Arrays, and all vertices apply."""

    start = param.vertex()
    supersteps = param.supersteps(5)
    x = vertex.real(3, init="v.id == p.start")
    message, combine = "real(3)", "sum"
    ends, apply_on = "stop", "all"
    mask = "v.id == p.start"
    scatter = "send(v.x);"
    apply = """
        for (int i = 0; i < 3; ++i)
            v.x[i] = (v.x[i] + msg[i]) / 2;
        if (v.x[0] > 0)
            set_mask();
    """


class ReachedThrice(Reached):
    """From three vertices at once: which lanes a vertex sends in is noted once for each vertex."""

    lanes = 3
    level = vertex.int32(init="v.id % 5 == lane ? 0 : INT_MAX")
    mask = "v.id % 5 == lane"
    scatter = "if (v.level == superstep) send(v.id);"


class ReachedBy(Reached):
    """The first arc, by what lies on it."""

    weight = edge.int32(default=1)
    scatter = "send(2 * v.id + e.weight);"


class Enough(Levels):
    """A message of 0 ends the gathering; others only reach those that they would change."""

    receive_if = "msg < v.level"
    enough = "msg == 0"
    scatter = "send(max(0, v.level - 1 + e.dst % 3));"


class Spreading(VertexProgram):
    """Bits of several vertices, in three lanes, until a vertex has all of them."""

    lanes = 3
    seen = vertex.uint32(init="v.id % 5 == lane ? 1u << v.id % 3 : 0")
    message, combine = "uint32", "or"
    receive_if, enough = "v.seen != 7", "(msg | v.seen) == 7"
    mask = "v.seen != 0"
    scatter = "if (v.seen) send(v.seen);"
    apply = "if (msg & ~v.seen) { v.seen |= msg; set_mask(); }"


class Turns(VertexProgram):
    """The nearest first; the arcs' lengths make many wait."""

    start = param.vertex()
    weight = edge.int32(default=1)
    distance = vertex.int32(init="v.id == p.start ? 0 : INT_MAX")
    message, combine = "int32", "min"
    mask = "v.id == p.start"
    priority, delta = "v.distance", 2.0
    scatter = "send(v.distance + e.weight * (1 + e.dst % 5));"
    apply = "if (msg < v.distance) { v.distance = msg; set_mask(); }"


class Back(Levels):
    """Those whose turn is earlier come late."""

    priority, delta = "v.id % 4 * 4", 1.0


class Masked(Levels):
    """Apply runs for who scatters, and for who hears of it."""

    turns = vertex.int32()
    apply_on = "mask"
    apply = "v.turns += 1 + has_msg; if (has_msg && msg < v.level) { v.level = msg; set_mask(); }"


class MaskedOfAll(VertexProgram):
    """Every vertex scatters, and apply runs for the mask and for who hears of it: a few of both."""

    turns = vertex.int32()
    message, combine, scatter_on, apply_on = "int32", "sum", "all", "mask"
    supersteps = param.supersteps(2)
    mask = "v.id % 3 == 0"
    scatter = "send(1);"
    apply = "v.turns += 1 + msg; if (v.id % 2) set_mask();"


PROGRAMS: list[VertexProgram] = [
    *(Posting(), Telling(), TellingReals(), Pointing(), Product(), Threefold(), Sending()),
    *(Sorting(), SortingTwice()),
    *(
        Voting(),
        Grouping(),
        Counting(),
        Preferring(),
        Weighing(),
        Reading(),
        ReadingTwice(),
        Least(),
        LeastMasked(),
        Gathering(start=FAR),
    ),
    *(Reached(start=FAR), ReachedBy(start=HUB), Enough(start=FAR), Turns(start=FAR)),
    *(Spreading(), Paths(start=FAR), Halving(start=FAR)),
    *(MaskedOfAll(), Masked(start=FAR), Back(start=FAR), Levels(start=FAR, level={HUB: 1})),
]
#: Those that follow a frontier both ways, in three forms of pulling; and those that pull in either
#: way.
BOTH_WAYS: list[tuple[VertexProgram, str]] = [
    *((Levels(start=FAR), "frontier"), (Reached(start=FAR), "frontier")),
    *((ReachedBy(start=HUB), "frontier"), (Paths(start=FAR), "reached")),
    (Halving(start=FAR), "reached"),
]


class Averaging(VertexProgram):
    """Sums of floats by atomics: only without `deterministic`."""

    x = vertex.real(init="v.id / 3.0f")
    total = aggregate.real("sum")
    supersteps = param.supersteps(2)
    message, combine = "real", "sum"
    mask = "v.id % 2"
    scatter = "send(v.x / num_neighbors);"
    apply = "v.x = msg / 2; aggregate_total(v.x); send_to(v.id / 2, 1); set_mask();"


# Running them ---------------------------------------------------------------------------------


def same(one: Result, other: Result) -> None:
    """Fields and traces are the same."""
    for name in other.fields:
        np.testing.assert_array_equal(one[name], other[name])
    for name in other.arc_fields:
        np.testing.assert_array_equal(one.arc_fields[name], other.arc_fields[name])
    steps = [[(s.active, s.messages, s.aggregates) for s in r.trace] for r in (one, other)]
    assert steps[0] == steps[1]


def run_all(device: Device) -> None:
    engine = Engine(GRAPH, device)
    for program in PROGRAMS:
        expected = engine.run(program, delivery="serial")
        for name in set(able(program, device)) - {"serial"}:
            same(engine.run(program, delivery=name), expected)
    thrice = ReachedThrice(start=FAR)
    same(engine.run(thrice, delivery="pull"), engine.run(thrice, delivery="serial"))
    for program in (Posting(), Threefold()):
        both = type("Both", (type(program),), {"edges": "both"})()
        directed = Engine(DIRECTED, device)
        expected = directed.run(both, delivery="serial")
        for name in set(able(both, device)) - {"serial"}:
            same(directed.run(both, delivery=name), expected)
    anyhow = Engine(GRAPH, device, deterministic=False)
    expected = engine.run(Averaging(), delivery="serial")
    for name in ("push", "edges", "slots"):
        result = anyhow.run(Averaging(), delivery=name)
        np.testing.assert_allclose(result.x, expected.x, rtol=1e-6)
    told = TellingReals()
    same(anyhow.run(told, delivery="pull"), engine.run(told, delivery="serial"))
    run_reducing(device)
    run_to_few(device)
    run_changing(engine)
    run_unordered(engine)
    run_whole(engine)
    run_on(engine)
    run_parts(engine)
    run_ranks(device)
    for cls, error, words in REFUSED:
        for name in able(cls(), device):
            with pytest.raises(error, match=re.escape(words)):
                engine.run(cls(), delivery=name)
    run_random(Engine(GRAPH, device, debug=True))
    if GROUP == 1:  # debug mode has no other shape
        run_debug(device)
    pairs.run_pairs(device, debug=GROUP == 1)


def run_reducing(device: Device) -> None:
    """By groups of one item, too, in which no row is shared."""
    shared = device if GROUP > 1 else Several(device.cl, 8)
    for program in (Reducing(), Listed()):
        expected = Engine(GRAPH, shared).run(program, delivery="serial")
        for each in (device, shared):
            for name in set(able(program, each)) - {"serial"}:
                same(Engine(GRAPH, each).run(program, delivery=name), expected)


def run_to_few(device: Device) -> None:
    """By groups of one item, which combines messages to the same vertex."""
    constants.MANY_ARRIVED = 4
    engine = Engine(GRAPH, Several(device.cl, 1))
    expected = engine.run(ToFew(), delivery="serial")
    for name in sorted({*able(ToFew(), engine.device)} - {"serial"}):
        same(engine.run(ToFew(), delivery=name), expected)


def change_always() -> None:
    """Make `frontier` and `reached` change to pulling by all and back after each superstep."""
    loaded_program.pull_bounds = lambda *given: (NEVER, 0)


def run_changing(engine: Engine) -> None:
    """Pushing and pulling in turn; as launches, and as one, in which one group has all phases."""
    bounds = loaded_program.pull_bounds
    change_always()
    # Engines of their own, since one keeps the shares with what else its runs have in common.
    devices = engine.device, Joining(engine.device.cl, GROUP)
    for each in (Engine(GRAPH, device) for device in devices):
        for program, delivery in BOTH_WAYS:
            result = each.run(program, delivery=delivery)
            assert len({s.delivery for s in result.trace}) == 2
            same(result, engine.run(program, delivery="serial"))
    by_lists = (Turns(start=FAR), Back(start=FAR), Gathering(start=FAR), Least())
    for program in (*by_lists, Masked(start=FAR)):
        result = Engine(GRAPH, Joining(engine.device.cl, GROUP)).run(program, delivery="push")
        same(result, engine.run(program, delivery="serial"))
    loaded_program.pull_bounds = bounds


def run_unordered(engine: Engine) -> None:
    """Programs in any order: one group has all phases, in the forms for CPUs and for GPUs."""
    cl = engine.device.cl
    devices = OneItem(cl, 1), Joining(cl, max(GROUP, 8))
    for program in (Nearest(start=FAR), Spread()):
        expected = engine.run(program, delivery="serial")
        for device in devices:
            result = Engine(GRAPH, device).run(program, delivery="asynchronous")
            for field in expected.fields:
                np.testing.assert_array_equal(result[field], expected[field])
    expected = engine.run(Within(start=FAR), delivery="serial")
    for device in devices:
        again = Engine(GRAPH, device).run(Within(start=FAR), delivery="asynchronous")
        assert again.delivery != "asynchronous"
        np.testing.assert_array_equal(again.x, expected.x)
    result = Engine(GRAPH, OneItem(cl, 1)).run(Hooked(), delivery="in_place")
    expected = engine.run(Hooked(), delivery="serial")
    for field in expected.fields:
        np.testing.assert_array_equal(result[field], expected[field])


def run_whole(engine: Engine) -> None:
    """All supersteps of deliveries that visit all rows, as one launch."""
    alternating = type("Alternating", (Levels,), {"edges": "alternate"})(start=FAR)
    for graph, programs in ((GRAPH, PROGRAMS), (DIRECTED, (alternating,))):
        whole = Engine(graph, Joining(engine.device.cl, GROUP))
        for program in programs:
            expected = whole.run(program, delivery="serial")
            for name in {"pull", "outbox"} & {*able(program, engine.device)}:
                same(whole.run(program, delivery=name), expected)


def run_on(engine: Engine) -> None:
    """Runs that go on from a kept State, and from vertices that are given."""
    options: dict[str, Any] = {"keep_state": True, "max_supersteps": 2, "not_converged": "ignore"}
    for cls, deliveries in ((Levels, ("push", "slots")), (Posting, ("push", "edges", "slots"))):
        program = cls(start=FAR) if cls is Levels else cls(supersteps=None)
        rest = {**options, "max_supersteps": 3}
        whole = engine.run(program, delivery="serial", max_supersteps=5, not_converged="ignore")
        for name, other in zip(deliveries, (*deliveries[1:], deliveries[0]), strict=True):
            first = engine.run(program, delivery=name, **options)
            second = engine.run(program, delivery=other, state=first.state, **rest)
            for field in whole.fields:
                np.testing.assert_array_equal(second[field], whole[field])
    first = engine.run(Threefold(), delivery="slots", **options)
    second = engine.run(Threefold(), delivery="edges", state=first.state, **options)
    assert (second.arc_fields["kept"] >= GRAPH.arcs("out").out_edges[:, None]).all()
    started = [
        engine.run(Levels(start=FAR), start=[FAR, HUB], delivery=d) for d in ("push", "edges")
    ]
    same(*started)


def run_parts(engine: Engine) -> None:
    """Runs whose arcs come in parts."""
    programs = (Levels(start=FAR), "pull"), (Gossip(), "pull"), (Turns(start=HUB), "outbox")
    alone = [engine.run(program, delivery=name) for program, name in programs]
    shortage = gascl.run.prepare.shortage
    gascl.run.prepare.shortage = lambda *given, **limit: "the device is small"
    parts = Engine(engine.graph, engine.device)  # an engine keeps its prepared runs
    for (program, name), result in zip(programs, alone, strict=True):
        same(parts.run(program, delivery=name), result)
    gascl.run.prepare.shortage = shortage


class Echo(MPI.Intracomm):
    """A communicator of two ranks, of which the other is only heard by what this one says."""

    def Get_size(self) -> int:
        return 2

    def Get_rank(self) -> int:
        return 0

    def allgather(self, value: Any) -> list[Any]:
        return [value, value]

    def bcast(self, value: Any) -> Any:
        return value

    def Allgather(self, sent: np.ndarray, into: np.ndarray) -> None:
        into[:] = np.tile(sent, 2)

    def Allgatherv(self, sent: Any, into: Any) -> None:
        into[0].reshape(-1).view(np.uint8)[:] = 0

    def Alltoall(self, sent: np.ndarray, into: np.ndarray) -> None:
        into[:] = sent

    def Alltoallv(self, sent: Any, into: Any) -> None:
        into[0][:] = 0
        into[0][: len(sent[0])] = sent[0][: len(into[0])]


def run_ranks(device: Device) -> None:
    """A rank with half of the arcs, to which comes back what it sends to the other."""
    Engine(GRAPH, device, comm=Echo()).run(Pointing(), delivery="outbox")
    bounds = loaded_program.pull_bounds
    change_always()
    Engine(GRAPH, device, comm=Echo()).run(
        Levels(start=HUB), delivery="frontier", max_supersteps=3, not_converged="ignore"
    )
    loaded_program.pull_bounds = bounds
    with pytest.MonkeyPatch.context() as patch:  # they share the arcs of a hub
        patch.setattr(constants, "SEGMENT", 3)
        star = Graph.from_edges(range(1, 40), [0] * 39)
        for name in ("pull", "outbox"):
            result = Engine(star, device, comm=Echo()).run(Pointing(), delivery=name)
            assert "gascl_join_segments" in {k.name for s in result.trace for k in s.kernels}


def run_debug(device: Device) -> None:
    """What debug mode adds, also the order of messages."""
    debug = Engine(GRAPH, device, debug=True, seed=3)
    plain = Engine(GRAPH, device)
    for program in (Posting(), Sorting(), Reading(), Least(), Gossip()):
        expected = plain.run(program, delivery="serial")
        for name in set(able(program, device)) & {"slots", "pull", "outbox", "push"}:
            same(debug.run(program, delivery=name), expected)
    for cls, words in TRAPPED:
        with pytest.raises(ProgramError, match=re.escape(words)):
            debug.run(cls(), delivery="slots")


def run_random(debug: Engine) -> None:
    """Programs in any order, which debug mode runs by a random schedule, too."""
    for program in (Nearest(start=FAR), Spread()):
        result, expected = (debug.run(program, delivery=name) for name in ("random", "serial"))
        for field in expected.fields:
            np.testing.assert_array_equal(result[field], expected[field])


#: Of which kernel file -> what shows that an error in it is found.
SHOWN: dict[str, list[tuple[VertexProgram, str]]] = {
    "pull.cl": [(ReachedThrice(start=HUB), "pull")],
    "outbox.cl": [(Turns(start=HUB), "outbox")],
    "outbox/senders.cl": [(Turns(start=HUB), "outbox")],
    "push.cl": [(MaskedOfAll(), "push")],
    "push/group.cl": [
        *((Least(), "push"), (Product(), "push")),
        *BOTH_WAYS,
    ],
    "push/pull_step.cl": BOTH_WAYS,
    "push/pull_by_item.cl": BOTH_WAYS,
    "push/launches.cl": [],
    "push/reached.cl": [(Paths(start=FAR), "reached")],
    "push/reached_rows.cl": [(p(start=s), "reached") for p in (Paths, Halving) for s in (FAR, HUB)],
    "frontier_kernels.cl": [
        *((Least(), "push"), (Gathering(start=FAR), "push"), (Levels(start=FAR), "frontier")),
    ],
    "frontier/commit.cl": [(Least(), "push"), (Gathering(start=FAR), "push")],
    "frontier/buckets.cl": [(Turns(start=HUB), "push"), (Back(start=HUB), "push")],
    "mask_kernels.cl": [(Turns(start=HUB), "slots")],
    "persistent/phases.cl": [(Levels(start=FAR), "frontier")],
    "asynchronous/visits.cl": [],
    "asynchronous/relax.cl": [],
    "asynchronous/gpu_phases.cl": [],
    "random.cl": [],
    "in_place/transactions.cl": [],
    "persistent/rows.cl": [(Least(), "pull")],
    "gather/windows.cl": [(Reading(), "outbox")],
    "gather/group_lane_bitmasks.cl": [(ReachedThrice(start=HUB), "pull")],
    "gather/group_lane_lists.cl": [(Spreading(), "pull")],
    "frontier.cl": [(Gathering(start=FAR), "push")],
    "edges.cl": [(Levels(start=FAR), "edges")],
    "inbox/messages.cl": [(Posting(), "slots")],
    "inbox/bundles.cl": [],
    "intrinsics.cl": [(Posting(), "slots"), (Threefold(), "slots")],
    "common.cl": [(Posting(), "slots"), (Telling(), "pull")],
    "arc_messages_kernels.cl": [(Telling(), "pull"), (TellingReals(), "pull")],
    "superstep.cl": [
        *((Posting(), "slots"), (Threefold(), "slots"), (Least(), "slots")),
        (Levels(start=FAR, level={HUB: 1}), "slots"),
    ],
    "slots.cl": [(Threefold(), "slots")],
    "runtime.cl": [(Sorting(), "slots")],
    "shared_rows.cl": [(Reducing(), "slots")],
    "needed_parts.cl": [],
    "remote_messages.cl": [],
    "cut_rows.cl": [],
}


def run_patched(device: Device, file: str, *patch: str) -> None:
    patch_kernels(file, *patch)
    if file == "pairs.cl" or file.startswith("pairs/"):
        return pairs.run_patched(device)
    change_always()
    device = Joining(device.cl, GROUP) if file.startswith("persistent/") else device
    for program, delivery in SHOWN[file]:
        Engine(GRAPH, device, deterministic=False).run(
            program, delivery=delivery, max_supersteps=4, not_converged="ignore"
        )
    if file.startswith(("asynchronous/", "in_place/")):
        run_unordered(Engine(GRAPH, device))
    if file == "inbox/bundles.cl":
        run_to_few(device)
    if file == "random.cl":
        run_random(Engine(GRAPH, device, debug=True))
    if file in ("superstep.cl", "needed_parts.cl"):
        run_parts(Engine(GRAPH, device))
    if file in ("superstep.cl", "remote_messages.cl", "push/launches.cl", "cut_rows.cl"):
        run_ranks(device)
    if file in ("frontier_kernels.cl", "superstep.cl"):
        # From a form of the mask to another; and without an inbox at first.
        program, engine = Gathering(start=FAR), Engine(GRAPH, device)
        options: dict[str, Any] = {"max_supersteps": 1, "not_converged": "ignore"}
        for delivery in ("push", "pull"):
            begun = engine.run(program, delivery=delivery, keep_state=True, **options)
            engine.run(program, delivery="push", state=begun.state, **options)


class Several(Device):
    """Groups that race."""

    groups = 3


class Joining(Several):
    """Runs in one launch, of one group: what two write in turn, with a fence in between, is a race
    to Oclgrind."""

    can_join = True


class OneItem(Joining):
    """Has the form of kernels for CPUs."""

    kind = "CPU"


def main() -> None:
    device = oclgrind_device(Several)
    Plan.persistent_groups = lambda *_: 1  # type: ignore[method-assign]
    if sys.argv[3:]:
        run_patched(device, *sys.argv[3:])
    else:
        run_all(device)


if __name__ == "__main__":
    main()
