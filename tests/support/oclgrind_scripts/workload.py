"""Small programs that together launch every kernel, in every shape; run by test_oclgrind.py.

    python workload.py GROUP BLOCK [FILE OLD NEW]

GROUP items a work-group, blocks of BLOCK rows and arcs. With FILE, the kernel text OLD in it is
replaced by NEW first, and only a few programs run, whose results are not looked at.
Results are compared with plain Python; a wrong one ends the script with status 1.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pyopencl as cl
from support.admission import ANY_ORDER
from support.oclgrind_scripts.device import BLOCK, GROUP, oclgrind_device, patch_kernels

from gascl import Engine, Graph, VertexProgram, aggregate, param, vertex
from gascl.codegen import constants
from gascl.delivery import atomics_probe, run_layout
from gascl.delivery.admission import demand_of
from gascl.delivery.atomics import Atomics
from gascl.delivery.cost import Costs
from gascl.delivery.registry import DELIVERIES, admitted
from gascl.device_graph import gather, sort
from gascl.device_graph.device_arcs import DeviceOrder
from gascl.graph.arcs import Order
from gascl.graph.contract import summed
from gascl.opencl import device_check
from gascl.opencl.device import Device
from gascl.programs import PageRank, ShortestPaths
from gascl.run import prepare

LONG = max(GROUP, 8) + 12  # arcs of a row longer than a work-group, and than a block of 16
HUB, SMALL_HUB, FAR, V = 13, LONG + 5, LONG + 13, LONG + 18


def edges() -> tuple[list[int], list[int]]:
    """Stars around two hubs in the midst of the vertices, a doubled edge, a loop, a tail."""
    pairs = [(HUB, i) for i in range(LONG + 1) if i != HUB]
    pairs += [(SMALL_HUB, i) for i in range(LONG, LONG + 9) if i != SMALL_HUB]
    pairs += [(5, 6), (5, 6), (7, 7), (LONG + 8, FAR - 2), (FAR - 2, FAR - 1), (FAR - 1, FAR)]
    return [a for a, _ in pairs], [b for _, b in pairs]  # some vertices have no arc


def make(directed: bool) -> Graph:
    src, dst = edges()
    weight = [1 + i * 7 % 5 for i in range(len(src))]
    return Graph.from_edges(src, dst, num_vertices=V, directed=directed, weight=weight)


GRAPH, DIRECTED = make(False), make(True)
ARCS = list(zip(*(a.tolist() for a in GRAPH.coo()), strict=True))


# Programs, each with what it must give on GRAPH -----------------------------------------------

CASES: list[tuple[type[VertexProgram], dict[str, Any], Callable[[Any], None]]] = []


def case(cls: Any, **parameters: Any) -> Callable[[Any], Any]:
    def keep(check: Any) -> Any:
        CASES.append((cls, parameters, check))
        return check

    return keep


def same(got: Any, want: Any) -> None:
    np.testing.assert_array_equal(got, want)


@case(PageRank, supersteps=3)
def page_rank(result: Any) -> None:
    """Every arc sends; aggregators; outbox: fused."""
    rank = np.full(V, 1 / V)
    for _ in range(3):
        lost = rank[GRAPH.out_degree == 0].sum()
        share = rank / np.maximum(GRAPH.out_degree, 1)
        rank = np.full(V, (0.15 + 0.85 * lost) / V)
        for a, b in ARCS:
            rank[b] += 0.85 * share[a]
    np.testing.assert_allclose(result.rank, rank, rtol=1e-5)


@case(ShortestPaths, source=FAR)
@case(ShortestPaths, source=FAR, dtype="float64")
def shortest_paths(result: Any) -> None:
    """Messages of two components, an expression as combiner, a frontier."""
    weights = np.tile(GRAPH.edge_fields["weight"], 2)
    ends = np.stack([GRAPH.edge_src, GRAPH.edge_dst])
    relax = list(zip(*np.concatenate([ends, ends[::-1]], axis=1), weights, strict=True))
    distance = [0.0 if v == FAR else np.inf for v in range(V)]
    for _ in range(V):
        for a, b, weight in relax:
            distance[b] = min(distance[b], distance[a] + weight)
    same(result.distance, distance)
    for v, parent in enumerate(result.parent):
        if parent >= 0:
            assert any(
                (a, b) == (parent, v) and distance[a] + w == distance[b] for a, b, w in relax
            )
        else:
            assert v == FAR or distance[v] == np.inf


class Levels(VertexProgram):
    start = param.vertex()
    level = vertex.int32(init="v.id == p.start ? 0 : INT_MAX")
    message, combine = "int32", "min"
    mask = "v.id == p.start"
    scatter = "send(v.level + 1);"
    apply = "if (msg < v.level) { v.level = msg; set_mask(); }"


@case(Levels, start=FAR)
def levels(result: Any) -> None:
    """A frontier without a look at the arc; outbox: not fused, with a mask."""
    level = [0 if v == FAR else 2**31 - 1 for v in range(V)]
    for _ in range(V):
        for a, b in ARCS:
            if level[a] < 2**31 - 1:
                level[b] = min(level[b], level[a] + 1)
    same(result.level, level)


class Gossip(VertexProgram):
    value = vertex.int32(init="v.id")
    supersteps = param.supersteps(3)
    total = aggregate.int32("sum")
    least = aggregate.int32("min")
    most = aggregate.int32("max")
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "if (v.value % 3) send(v.value);"
    apply = """
        v.value = (v.value + (has_msg ? msg : 1)) % 1000;
        aggregate_total(v.value); aggregate_least(v.value); aggregate_most(v.value);
    """


@case(Gossip)
def gossip(result: Any) -> None:
    """Not every arc sends; sums checked for overflow; three aggregators; outbox: fused."""
    value = list(range(V))
    for step in result.trace:
        inbox: list[list[int]] = [[] for _ in range(V)]
        for a, b in ARCS:
            if value[a] % 3:
                inbox[b].append(value[a])
        value = [(x + (sum(i) if i else 1)) % 1000 for x, i in zip(value, inbox, strict=True)]
        want = {"total": sum(value), "least": min(value), "most": max(value)}
        assert dict(step.aggregates) == want
        assert (step.active, step.messages) == (V, sum(map(len, inbox)))
    same(result.value, value)


class Lagging(VertexProgram):
    value = vertex.int64(init="v.id")
    total = aggregate.int64("sum")
    message, combine = "int64", "max"
    scatter_on = "all"
    init = "aggregate_total(1);"
    scatter = "send(v.value + prev.total);"
    apply = "v.value = msg; aggregate_total(v.id);"
    stop = "superstep == 2"


@case(Lagging)
def lagging(result: Any) -> None:
    """Scatter reads an aggregator, so that outbox can't fuse."""
    value, total = list(range(V)), V
    for _ in range(3):
        inbox: list[list[int]] = [[] for _ in range(V)]
        for a, b in ARCS:
            inbox[b].append(value[a] + total)
        value = [max(i) if i else x for x, i in zip(value, inbox, strict=True)]
        total = sum(v for v in range(V) if inbox[v])
    same(result.value, value)


class Marks(VertexProgram):
    seen = vertex.int32()
    supersteps = param.supersteps(3)
    message, combine = "int32", "max"
    mask = "v.id % 2"
    scatter = """
        if (v.id < e.dst)
            set_mask_of(e.dst);
        if (v.id % 5 == 0)
            set_mask();
        send(v.id);
    """
    apply = """
        v.seen += 1 + get_mask();
        if (msg % 2)
            unset_mask();
        set_mask_of((v.id * 7 + superstep) % g.num_vertices);
        if (msg % 7 == 3)
            set_mask();
    """


@case(Marks)
def marks(result: Any) -> None:
    """Scatter and apply both set other vertices' masks, apply unsets its own."""
    mask, seen = {v for v in range(V) if v % 2}, [0] * V
    for superstep in range(3):
        assert result.trace[superstep].active == len(mask)
        inbox: list[list[int]] = [[] for _ in range(V)]
        following, others = set(), set()
        for a, b in ARCS:
            if a in mask:
                inbox[b].append(a)
                following |= {b} if a < b else set()
                following |= {a} if a % 5 == 0 else set()
        for v in range(V):
            if inbox[v]:
                seen[v] += 1 + (v in mask)
                if max(inbox[v]) % 2:
                    following.discard(v)
                others.add((v * 7 + superstep) % V)
                if max(inbox[v]) % 7 == 3:
                    following.add(v)
        mask = following | others
    same(result.seen, seen)


class Watching(VertexProgram):
    count = vertex.int32()
    supersteps = param.supersteps(3)
    message, combine = "uint8", "or"
    mask = "v.id % 3 == 0"
    scatter_on = apply_on = "all"
    scatter = "if (get_mask_of((v.id + 1) % g.num_vertices)) send(1 << v.id % 8);"
    apply = """
        v.count = 1000 * v.count + msg + (get_mask_of((v.id + 2) % g.num_vertices) ? 500 : 0);
        if (msg % 2)
            set_mask_of((v.id + 5) % g.num_vertices);
    """


@case(Watching)
def watching(result: Any) -> None:
    """Masks of others read in scatter and in apply; outbox: not fused, with a mask."""
    mask, count = {v for v in range(V) if v % 3 == 0}, np.zeros(V, np.int32)
    for _ in range(3):
        inbox = [0] * V
        for a, b in ARCS:
            if (a + 1) % V in mask:
                inbox[b] |= 1 << a % 8
        count = 1000 * count + inbox + [500 * ((v + 2) % V in mask) for v in range(V)]
        mask = {(v + 5) % V for v in range(V) if inbox[v] % 2}
    same(result.count, count)


class Threes(VertexProgram):
    place = vertex.real3(init="(real3)(v.id, 1, 2)")
    given = vertex.int16()
    supersteps = param.supersteps(2)
    message, combine, identity = "real3", "a + b", "(real3)(0)"
    scatter_on = "all"
    scatter = "send(v.place * (real)(v.given + 1));"
    apply = "v.place = msg;"


@case(Threes, given={3: 2})
def threes(result: Any) -> None:
    """Vectors of three, which take the room of four; an initial value from the host."""
    place = np.array([[v, 1, 2] for v in range(V)], float)
    for _ in range(2):
        following, hears = place.copy(), {b for _, b in ARCS}
        following[list(hears)] = 0
        for a, b in ARCS:
            following[b] += place[a] * (3 if a == 3 else 1)
        place = following
    np.testing.assert_allclose(result.place, place, rtol=1e-5)


class Countdown(VertexProgram):
    left = vertex.int32(init="5 + v.id")
    least = aggregate.int32("min")
    scatter_on = apply_on = "all"
    init = "aggregate_least(v.left);"
    apply = "v.left -= 1; aggregate_least(v.left);"
    stop = "agg.least <= 0 && prev.least == 1"


@case(Countdown)
def countdown(result: Any) -> None:
    """No message at all; the device stops by itself while supersteps are under way."""
    assert (result.supersteps, result.converged) == (5, True)
    same(result.left, range(V))


class Arcs(VertexProgram):
    total = vertex.int64()
    me = vertex.int32(init="v.id")
    supersteps = param.supersteps(1)
    message, combine = "int64", "sum"
    scatter_on = "all"
    edges = "both"
    scatter = "send(10000 * e.id + 1000 * e.reversed + (v.me + e.src) / 2);"
    apply = "v.total = msg + 100000 * v.in_degree;"


class ArcsIn(Arcs):
    edges = "in"


class ArcsTurned(Arcs):
    """In the second superstep, those of ArcsIn."""

    edges = "alternate"
    supersteps = param.supersteps(2)
    scatter = f"if (superstep) {Arcs.scatter}"


def check_arcs(result: Any, both: bool) -> None:
    """Ids and directions of arcs, along `edges` of a directed graph."""
    total, ends = [0] * V, list(zip(*edges(), strict=True))
    for i, (a, b) in enumerate(ends):
        total[a] += 10000 * i + 1000 + b if a != b or not both else 0
        total[b] += 10000 * i + a if both else 0
    hears = {v for pair in ends for v in pair} if both else {a for a, _ in ends}
    indegree = [sum(b == v for _, b in ends) for v in range(V)]
    same(result.total, [x + 100000 * indegree[v] * (v in hears) for v, x in enumerate(total)])


# Running them ---------------------------------------------------------------------------------


def look_at_shape(engine: Engine) -> None:
    """That every row longer than a block is one of its own."""
    layout, group = engine.resident("out", GROUP, BLOCK), GROUP
    degrees = engine.graph.out_degree
    for name in ("in_blocks", "out_blocks"):
        blocks = layout.blocks(name)
        alone = {int(a) for a, b in pairwise(blocks) if b - a == 1}
        long = set(np.flatnonzero(degrees > BLOCK).tolist()) if group > 1 else set()
        assert long <= alone, f"{long - alone} not alone in {name}"
        assert len(blocks) > 3 or BLOCK > LONG, "too few groups to race"
    assert group == 1 or BLOCK > LONG or HUB in long


def able(program: VertexProgram, device: Device) -> list[str]:
    """Names of the deliveries that take a program."""
    of_device = device.atomics, device.fp64
    return admitted(demand_of(program, *of_device, deterministic=True, group=device.group))


def add_floats(device: Device) -> None:
    """The kernel that tries atomic additions, by compare-and-swap."""
    program = cl.Program(device.context, atomics_probe.probe("float32"))
    sums = np.zeros(atomics_probe.CELLS, np.float32)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    cells = cl.Buffer(device.context, flags, hostbuf=sums)
    kernel = cl.Kernel(
        program.build([*Atomics(native=False).options(), "-DGASCL_OCLGRIND"]), "gascl_probe"
    )
    kernel(device.queue, (atomics_probe.ITEMS,), None, cells)
    cl.enqueue_copy(device.queue, sums, cells)
    assert sums.tolist() == [384.0] * 4


def sort_arcs(device: Device) -> None:
    """In several tiles, with self-loops, both ways and one way, whose counts several groups add."""
    rng = np.random.default_rng(0)
    row, end = rng.integers(0, 50, (2, 700)).astype(np.int32)
    for both in (True, False):
        sort.FEW_COUNTS = 8 * both
        sorted_ = Order(row, end, 50, both=both)
        known = Order(row, end, 50, both=both)
        pairs = len(known.places)
        made = sort.Sorted(device, sorted_, pairs, np.dtype(np.int32), places=True)
        found = np.empty(pairs, np.float32)
        cl.enqueue_copy(device.queue, found, made.gathered(row.astype(np.float32), pairs))
        same(sorted_.offsets, known.offsets)
        same(found, row[known.places])


def move_rows(device: Device) -> None:
    """Rows of three values, to every other place and back."""
    before, rows = np.zeros((100, 12), np.uint8), np.arange(600).astype(np.uint8).reshape(50, 12)
    places = np.arange(0, 100, 2, dtype=np.int32)
    to, rows_, places_ = (device.upload(each) for each in (before, rows, places))
    gather.put_rows(device, to, rows_, places_, *rows.shape)
    cl.enqueue_copy(device.queue, before, to)
    same(before[::2], rows)
    back = np.zeros_like(rows)
    gather.get_rows(device, rows_, to, places_, *rows.shape)
    cl.enqueue_copy(device.queue, back, rows_)
    same(back, rows)


def list_vertices(device: Device) -> None:
    """Those of a frontier, in which each vertex has two pieces."""
    pieces = np.stack([np.repeat(np.arange(40), 2), np.tile([0, 1], 40)], 1).astype(np.int32)
    lengths, found = np.array([80, 0], np.int32), np.zeros(40, np.int32)
    pieces_, lengths_, found_ = (device.upload(each) for each in (pieces, lengths, found))
    gather.list_vertices(device, pieces_, 0, lengths_, 0, 1, found_)
    cl.enqueue_copy(device.queue, found, found_)
    same(np.sort(found), np.arange(40))


def add_lanes(device: Device) -> None:
    """Those of more vertices than there are items, of which one lane is left out."""
    values = np.arange(5000, dtype=np.int32).reshape(-1, 5)
    sums = np.empty(len(values), np.int64)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    lanes, added = (cl.Buffer(device.context, flags, hostbuf=each) for each in (values, sums))
    gather.add_lanes(device, added, lanes, len(values), 5, 4, "int")
    cl.enqueue_copy(device.queue, sums, added)
    same(sums, values[:, :4].sum(axis=1))


def contract_groups(device: Device) -> None:
    """As on a CPU and as on a GPU."""
    number = np.arange(V, dtype=np.int32) % 9
    weighed = DIRECTED.with_edge_fields(weight=np.linspace(0.5, 3, DIRECTED.num_edges))
    for shape in (1, 64):
        for graph in (GRAPH.with_edge_fields(weight=None), weighed):
            engine = Engine(graph, Device(device.cl, shape))
            quotient, expected = (
                engine.contracted(number, 9, False),
                summed(graph, number, 9, False),
            )
            assert isinstance(quotient.arcs().out, DeviceOrder)
            same(quotient.edge_src, expected.edge_src)
            same(quotient.edge_dst, expected.edge_dst)
            same(quotient.edge_fields["weight"], expected.edge_fields["weight"])


def share_long_rows(device: Device) -> None:
    """Groups combine segments of a hub's row, which is longer than two blocks."""
    constants.VERY_LONG_ROW = prepare.VERY_LONG_ROW = 2 * BLOCK
    constants.SEGMENT = run_layout.SEGMENT = BLOCK
    Costs.waits_for_row = lambda self, delivery: True
    shared = Few(device.cl, max(GROUP, 8))
    leaves = 3 * BLOCK + 5
    graph = Graph.from_edges(range(1, leaves + 1), [0] * leaves)
    for name in ("pull", "outbox", "slots"):
        result = Engine(graph, shared).run(Hears(), delivery=name)
        assert "gascl_gather_segments" in {k.name for s in result.trace for k in s.kernels}
        same(result.heard, [3 * sum(range(leaves + 1)) % 1009, *[0] * leaves])


class Hears(VertexProgram):
    heard = vertex.int32()
    supersteps = param.supersteps(1)
    message, combine = "int32", "sum"
    scatter_on = "all"
    scatter = "send(3 * v.id);"
    apply = "v.heard = msg % 1009;"


def run_all(device: Device) -> None:
    engine, directed = Engine(GRAPH, device), Engine(DIRECTED, device)
    look_at_shape(engine)
    assert device_check.run(device) == ""
    add_floats(device)
    sort_arcs(device)
    move_rows(device)
    list_vertices(device)
    add_lanes(device)
    contract_groups(device)
    used = set()
    for cls, parameters, check in CASES:
        for name in able(cls(**parameters), device):
            check(engine.run(cls(**parameters), delivery=name))
            used.add(name)
    assert used >= {*DELIVERIES} - {*ANY_ORDER}  # which need other devices: see language.py
    for cls in (Arcs, ArcsIn, ArcsTurned):
        for name in able(cls(), device):
            check_arcs(directed.run(cls(), delivery=name), cls is Arcs)
    for pairs, n in (([], 1), ([(0, 0)], 1), ([], 3), ([(0, 1)], 2)):
        src, dst = [a for a, _ in pairs], [b for _, b in pairs]
        least = Engine(Graph.from_edges(src, dst, num_vertices=n), device)
        for cls in (Gossip, Countdown, Arcs, Watching):
            results = [least.run(cls(), delivery=name) for name in able(cls(), device)]
            field = next(iter(cls.spec.vertex_fields))
            for result in results:
                same(result[field], results[-1][field])  # the last one is serial
    share_long_rows(device)


def run_patched(device: Device, *patch: str) -> None:
    """What shows that an error is found: a few programs under every delivery."""
    name = patch_kernels(*patch)
    device_check.run(device)
    if "atomics_probe.cl" in patch:
        return add_floats(device)
    if {"sort.cl", "sort_arcs.cl", "gather_values.cl"} & set(patch):
        sort_arcs(device)
        move_rows(device)
        return list_vertices(device)
    if any("segments[" in part for part in patch):
        return share_long_rows(device)
    if "lane_sums.cl" in patch:
        return add_lanes(device)
    if any(part.startswith("contract/") for part in patch):
        return contract_groups(device)
    engine = Engine(GRAPH, device)
    for program in (Gossip(), Levels(start=FAR)):
        for delivery in [name or "slots"]:
            engine.run(program, delivery=delivery, max_supersteps=4, not_converged="ignore")


class Few(Device):
    """Fewer groups than there are blocks of rows, so that a group goes through several."""

    groups = 1


def main() -> None:
    device = oclgrind_device(Few if GROUP > 1 else Device)
    if sys.argv[3:]:
        run_patched(device, *sys.argv[3:])
    else:
        run_all(device)


if __name__ == "__main__":
    main()
