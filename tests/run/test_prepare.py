"""How a run is prepared, without a device, and how `Engine.explain` shows it."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from inspect import signature
from types import SimpleNamespace

import numpy as np
import pytest

from gascl import Engine, Graph, ProgramError, VertexProgram, generators, param, vertex
from gascl.codegen import constants
from gascl.delivery import cost
from gascl.delivery.atomics import Atomics
from gascl.delivery.device_facts import DeviceFacts
from gascl.delivery.registry import DELIVERIES
from gascl.errors import DeviceError, GasclError
from gascl.graph import reordering
from gascl.programs import BreadthFirst, Louvain, PageRank, ShortestPaths
from gascl.run.bottlenecks import bottlenecks
from gascl.run.explanation import explained
from gascl.run.options import RunOptions
from gascl.run.plan import Variant, source_of
from gascl.run.prepare import Decision, Setting, prepare
from gascl.run.state import State

GPU = DeviceFacts(
    name="a GPU",
    kind="GPU",
    fp64=True,
    atomics=Atomics(int64=True, int64_extended=True),
    group=256,
    units=132,
    groups=64,
    local_memory=48 << 10,
    constant_memory=1 << 16,
    memory=1 << 34,
    largest_buffer=1 << 32,
    alignment=128,
    can_join=True,
    may_skip_optimizer=False,
)
CPU = replace(GPU, name="a CPU", kind="CPU", group=1)


class Peeks(VertexProgram):
    """Reads a field of another vertex, which apply writes."""

    supersteps = param.supersteps(3)
    x = vertex.int32()
    scatter_on = apply_on = "all"
    apply = "v.x += x_of(0);"


@pytest.fixture(scope="module")
def web():
    return generators.rmat(9, seed=4)


def test_options_are_those_of_run():
    options = {each.name: each.default for each in fields(RunOptions)}
    del options["watch"]  # Engine.steps sets it
    parameters = dict(signature(Engine.run).parameters)
    del parameters["self"], parameters["program"]
    assert options == {name: each.default for name, each in parameters.items()}
    assert [*options] == [*parameters]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"not_converged": "maybe"}, "not_converged must be warn, error or ignore, not 'maybe'"),
        ({"state": 3}, "state must be result.state"),
        ({"callback": 3}, "callback must be a function of a Step"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(GasclError, match=message):
        RunOptions(**options)


def test_far_vertices_are_listed_only_where_there_is_a_priority(web):
    sizes = prepare(ShortestPaths(source=0), web, GPU).named_sizes()
    assert sizes["lists"] == sizes["far_lists"] == 8 * web.num_vertices

    class Plain(ShortestPaths):
        priority = None

    sizes = prepare(Plain(source=0), web, GPU).named_sizes()
    assert sizes["lists"] == 8 * web.num_vertices
    assert not {"far_lists", "far_marks"} & sizes.keys()


@pytest.mark.parametrize("program", [PageRank(), BreadthFirst(source=0), ShortestPaths(source=0)])
def test_every_delivery_is_chosen_or_has_a_reason(web, program):
    choice = prepare(program, web, GPU).choice
    assert choice.why
    assert {choice.name, *choice.others} == set(DELIVERIES)
    assert choice.name not in choice.others and all(choice.others.values())
    assert not [why for why in choice.others.values() if "auto" in why], "what makes it slower"


def test_a_requested_delivery(web):
    prepared = prepare(PageRank(), web, GPU, delivery="pull")
    assert prepared.choice.name == "pull" and "requested" in prepared.choice.why
    assert "atomics would add its floats" in prepared.choice.others["edges"]
    with pytest.raises(ProgramError, match="delivery 'push' cannot run PageRank"):
        prepare(PageRank(), web, GPU, delivery="push")


def test_a_persistent_kernel_where_groups_can_wait_for_each_other(web):
    program = BreadthFirst(source=0)
    assert prepare(program, web, GPU).persistent.chosen
    for device, setting, why in (
        (replace(GPU, can_join=False), Setting(), "cannot wait"),
        (GPU, Setting(debug=True), "debug mode checks"),
        (GPU, Setting(ranks=2), "ranks exchange"),
    ):
        persistent = prepare(program, web, device, setting).persistent
        assert not persistent.chosen and why in persistent.why


class Turning(VertexProgram):
    """Its edges alternate, and it reads them."""

    x = vertex.int32()
    message, combine = "int32", "sum"
    edges = "alternate"
    scatter = "send(e.reversed);"
    apply = "v.x = msg;"


def test_a_persistent_kernel_that_visits_all_of_a_small_graph(web, monkeypatch):
    size = web.num_vertices + web.num_arcs
    assert prepare(PageRank(), web, GPU).persistent.chosen
    assert prepare(Turning(), generators.rmat(9, seed=4, directed=False), GPU).persistent.chosen
    for program, delivery, why in (
        (PageRank(), "slots", "takes longer than a launch"),
        (Turning(), "outbox", "edges alternate"),
        (ShortestPaths(source=0), "pull", "bucket"),
    ):
        persistent = prepare(program, web, GPU, delivery=delivery).persistent
        assert not persistent.chosen and why in persistent.why
    for largest in (size, size - 1):
        monkeypatch.setitem(cost.WHOLE, "GPU", largest)
        assert prepare(PageRank(), web, GPU).persistent.chosen == (largest == size)
    lanes = PageRank(damping=[0.8, 0.9], supersteps=3, dangling="ignore")
    monkeypatch.setitem(cost.WHOLE, "GPU", 2 * size - 1)
    persistent = prepare(lanes, web, GPU).persistent
    assert not persistent.chosen and f"all {2 * size:,} vertices and arcs" in persistent.why
    # What follows the frontier visits few of them.
    assert prepare(BreadthFirst(source=0), web, GPU).persistent.chosen


class Hops(VertexProgram):
    """Each vertex looks at another one, and nothing is sent along arcs."""

    to = vertex.int32(init="v.id / 2")
    scatter_on = apply_on = "all"
    apply = "v.to = to_of(v.to);"
    stop = "superstep > 2"


class Asks(Hops):
    apply = "v.to += has_edge(v.id, v.to / 2);"


class Looks(Hops):
    apply = """
        for (int i = 0; i < num_neighbors; ++i)
            if (to_of(neighbor(i)) == 3) {
                v.to = i;
                break;
            }
    """


@pytest.mark.parametrize("device", [CPU, GPU], ids=["CPU", "GPU"])
def test_where_nothing_is_sent_along_arcs_only_vertices_count(web, monkeypatch, device):
    monkeypatch.setitem(cost.WHOLE, device.kind, 0)
    for largest in (web.num_vertices, web.num_vertices - 1):
        monkeypatch.setitem(cost.WHOLE_APPLY, device.kind, largest)
        prepared = prepare(Hops(), web, device)
        assert prepared.delivery.name == "pull" and "edges" in prepared.choice.others
        assert "nothing is sent along arcs" in prepared.choice.others["edges"]
        assert prepared.persistent.chosen == (largest == web.num_vertices)
    assert f"all {web.num_vertices:,} vertices take" in prepared.persistent.why
    monkeypatch.setitem(cost.WHOLE_APPLY, device.kind, 2**30)
    assert prepare(PageRank(), web, device).persistent.chosen is False
    # Its items wait for memory, and a GPU has more of them at a time in launches.
    for program in (Asks(), Looks()):
        assert prepare(program, web, device).persistent.chosen == (device is CPU)


def test_numbering(web, monkeypatch):
    assert not prepare(PageRank(), web, GPU).renumbered.chosen
    monkeypatch.setattr(reordering, "LEAST", 10)
    graph = generators.rmat(9, seed=4)
    prepared = prepare(PageRank(), graph, GPU)
    assert prepared.renumbered.chosen and "hubs" in str(prepared.numbering)
    assert not prepare(PageRank(), graph, GPU, Setting(debug=True)).renumbered.chosen
    assert not prepare(BreadthFirst(source=0), graph, GPU).renumbered.chosen


def test_arcs_in_parts():
    """Where not all fit: the engine prepares the run once more, with the reason."""
    web = generators.uniform(1 << 10, 1 << 17, seed=1)
    every = sum(prepare(PageRank(), web, GPU).sizes.values())
    tight = Setting(device_memory=every - web.num_arcs)  # each takes 4 bytes
    at_once = prepare(PageRank(), web, GPU, tight)
    assert "the run needs" in at_once.short and at_once.streamed == 1
    parted = prepare(PageRank(), web, GPU, tight, at_once=at_once)
    assert parted.streamed > 1
    assert parted.delivery.in_parts and f"in {parted.streamed} parts" in parted.placement
    assert sum(parted.sizes.values()) <= tight.device_memory
    with pytest.raises(DeviceError, match="delivery 'slots' cannot take the arcs"):
        prepare(PageRank(), web, GPU, tight, "slots", at_once=at_once)


def test_ranks_share_the_arcs(web):
    parts = [prepare(PageRank(), web, GPU, Setting(rank=r, ranks=3)) for r in range(3)]
    assert sum(each.layout.extent.arcs for each in parts) == web.num_arcs
    assert {each.layout.extent.all_arcs for each in parts} == {web.num_arcs}
    assert [f"rank {r} of 3" in each.placement for r, each in enumerate(parts)] == [True] * 3


def test_a_rank_without_shared_memory_has_its_own_vertices_and_its_halo():
    """Of a ring, half of the vertices, and the one before them."""
    ids = np.arange(100)
    ring = Graph.from_edges(ids, (ids + 1) % 100)
    apart = Setting(rank=1, ranks=2, apart=True)

    def run(program, setting=apart, **options):
        return prepare(program, ring, GPU, setting, **options)

    prepared = run(PageRank())
    assert prepared.local.chosen and prepared.layout.extent.vertices == 51
    assert prepared.named_sizes()["v.rank"] == 4 * 51
    assert "has 51 vertices, its own range and those that send to it, and" in prepared.placement
    told = explained(PageRank(), ring, GPU, prepared).exchange
    assert told.endswith(
        "4 bytes of each vertex of other ranks that sends to its own, of which there are 1"
    )
    for program, setting, options, why in (
        (PageRank(), replace(apart, apart=False), {}, "ranks share the memory of their host"),
        (PageRank(), replace(apart, debug=True), {}, "debug mode keeps the graph's own numbers"),
        (PageRank(), apart, {"why_whole": "it is asked for"}, "it is asked for"),
        (Peeks(), apart, {}, "it reads fields of any vertex"),
    ):
        prepared = run(program, setting, **options)
        assert not prepared.local.chosen and prepared.layout.extent.vertices == 100
        assert f"has all vertices, since {why}, and" in prepared.placement
    empty = Graph.from_edges([], [], num_vertices=0)
    assert not prepare(PageRank(), empty, GPU, apart).local.chosen


def test_what_a_rank_receives():
    """Counted by hand: two ranks have half of a ring each, and one sender elsewhere."""
    ids = np.arange(100)
    ring = Graph.from_edges(ids, (ids + 1) % 100)

    def run(program):
        prepared = prepare(program, ring, GPU, Setting(rank=1, ranks=2))
        return explained(program, ring, GPU, prepared)

    balance = "ranks have 50 to 50 vertices and 50 to 50 arcs"
    assert run(PageRank()).placement.endswith(balance)
    begin = "after a superstep, a rank receives up to"
    assert run(PageRank()).exchange == (
        f"{begin} 4 bytes, 4 bytes of each vertex of other ranks that sends to its own, of which "
        "there are 1; on one host, 200 bytes, 4 bytes of each vertex of other ranks, through "
        "shared memory"
    )
    assert run(Peeks()).exchange == (
        f"{begin} 200 bytes, 4 bytes of each vertex of other ranks, since it reads fields of any "
        "vertex"
    )


def test_a_vertex_with_more_arcs_than_a_share():
    """It is named, with its label and how many ranks are of use, whatever the vertices' numbers."""
    spokes = np.arange(100)
    ends = [*spokes, *spokes], [*(0 * spokes + 7), *(spokes + 1) % 100]
    star, named = (
        Graph.from_edges(*ends, labels=labels) for labels in (None, [f"v{i}" for i in range(100)])
    )

    def told(graph, ranks):
        prepared = prepare(PageRank(), graph, GPU, Setting(ranks=ranks))
        return explained(PageRank(), graph, GPU, prepared).placement

    assert "alone" not in told(star, 1)
    assert told(star, 2).endswith(
        " arcs; 101 arcs end in vertex 7 alone, more than the 100 of an equal share, and all are "
        "on one rank, however many ranks there are, since only rows of more than 16,384 arcs are "
        "cut: use one device"
    )
    assert "end in vertex 'v7' alone, more than the 66 of" in told(named, 3)
    denser = Graph.from_edges([*ends[0], *spokes], [*ends[1], *(spokes + 2) % 100])
    assert "alone" not in told(denser, 2) and "use at most 2 ranks" in told(denser, 4)


class Sums(VertexProgram):
    supersteps = param.supersteps(3)
    x = vertex.int32()
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.x + 1);"
    apply = "v.x = msg % 7;"


def changed(**declared):
    """`Sums` with other declarations."""
    return type("Changed", (Sums,), declared)()


def test_rows_that_ranks_share(monkeypatch):
    """They are named with their arcs; and so is the reason why others are not cut."""
    monkeypatch.setattr(constants, "SEGMENT", 8)
    spokes = np.arange(120)
    graph = Graph.from_edges([*spokes, *spokes], [*(0 * spokes + 7), *(0 * spokes + 90)])

    def told(program, delivery="auto", graph=graph, **setting):
        given = Setting(**{"rank": 1, "ranks": 3, **setting})
        prepared = prepare(program, graph, GPU, given, delivery)
        text = explained(program, graph, GPU, prepared).placement
        assert prepared.cut.chosen == prepared.source.traits.cuts == bool(prepared.share.segment)
        return text

    for program in (PageRank(), Sums(), changed(edges="alternate")):
        for setting in ({}, {"apart": True}):
            assert told(program, "pull", **setting).endswith(
                " arcs; ranks share the arcs that end in 7 (120), 90 (120)"
            )
    shares = re.search(r"and (\d+) to (\d+) arcs;", told(PageRank()))
    assert 72 <= int(shares[1]) <= 80 <= int(shares[2]) <= 88
    few = "however many ranks there are, since "
    assert "alone" not in told(PageRank(), graph=Graph.from_edges(spokes, (spokes + 1) % 120))
    assert f"{few}debug mode shuffles the arcs of a row: use" in told(PageRank(), debug=True)
    whole = prepare(PageRank(), graph, GPU, Setting(ranks=3))
    short = replace(whole, short="there is no room")
    parts = prepare(PageRank(), graph, GPU, Setting(ranks=3), at_once=short)
    assert whole.cut.chosen and parts.cut == Decision(False, "the arcs come to the device in parts")
    shared = Graph.from_edges(graph.edge_src, graph.edge_dst)
    shared.arcs().into.make()
    object.__setattr__(shared, "_shared", SimpleNamespace(runs=True))
    assert f"{few}ranks have read the edges by share: use" in told(PageRank(), graph=shared)
    for program, delivery, why in (
        (Sums(), "slots", "slots does not gather whole rows"),
        (BreadthFirst(source=0), "push", "push does not gather whole rows"),
        (changed(combine="first"), "pull", "a vertex may have enough before its last"),
        (changed(receive_if="v.x < 9"), "pull", "receive_if reads fields of a vertex that other"),
        (changed(lanes=2), "pull", "it has several lanes"),
        (changed(message="int32(3)", scatter="send(0);", apply=""), "pull", "its messages are arr"),
        (changed(apply="v.x = neighbor(0);"), "pull", "it reads neighbors"),
        (changed(pairs="send(1);"), "pull", "every pair of vertices interacts"),
        (
            changed(combine=None, gather="msg = num_messages;"),
            "outbox",
            "its gather snippet reads messages one by one",
        ),
    ):
        assert f"{few}{why}" in told(program, delivery), program
    many = Graph.from_edges(np.tile(spokes, 30), np.repeat(spokes[:30], 120))
    monkeypatch.setattr("gascl.run.explanation.MOST_NAMED", 2)
    text = told(PageRank(), graph=many, ranks=31)
    assert text.endswith("ranks share the arcs that end in 0 (120), 1 (120) and 28 more")


def test_what_would_undo_the_cut_of_a_row_is_not_proposed(monkeypatch):
    monkeypatch.setattr(constants, "SEGMENT", 8)
    graph, program = Graph.from_edges(range(120), [7] * 120), _program()
    for ranks, cut in ((1, False), (3, True)):
        prepared = prepare(program, graph, GPU, Setting(ranks=ranks), "pull")
        found = [each.remedy for each in bottlenecks(program, graph, GPU, prepared)]
        assert prepared.cut.chosen == cut != any("receive_if=" in each for each in found)


@pytest.mark.parametrize("program", [PageRank(), BreadthFirst(source=0), ShortestPaths(source=0)])
def test_memory_is_what_a_run_allocates(web, program, monkeypatch):
    computed = []
    check = State.__init__.__globals__["check_memory"]

    def note(device, sizes, resident):
        computed.append(sum(sizes.values()) + resident)
        return check(device, sizes, resident)

    monkeypatch.setitem(State.__init__.__globals__, "check_memory", note)
    graph = Graph.from_edges(web.edge_src, web.edge_dst)
    (run,) = Engine(graph).explain(program).runs
    Engine(graph).run(program)
    assert sum(run.memory.values()) == computed[0]


def test_nothing_is_built_or_run(web, monkeypatch):
    def refuse(*_):
        raise AssertionError("a kernel is built")

    monkeypatch.setattr("gascl.run.plan._built", refuse)
    text = str(Engine(web).explain(PageRank(), max_supersteps=3))
    for words in ("delivery: outbox", "not push: ", "numbering: ", "placement: ", "memory: "):
        assert words in text
    found = Engine(web).explain(PageRank())
    assert repr(found) == str(found)
    assert "outbox" in found._repr_html_()


def test_it_shows_the_programs_that_a_program_runs(web):
    found = Engine(web).explain(Louvain())
    assert [run.program for run in found.runs] == ["Move"]
    assert "Louvain runs: Move" in str(found)


def test_what_run_refuses_is_refused(web):
    with pytest.raises(ProgramError, match="cannot run PageRank"):
        Engine(web).explain(PageRank(), delivery="push")
    with pytest.raises(GasclError, match="max_supersteps must be"):
        Engine(web).explain(PageRank(), max_supersteps=-1)
    with pytest.raises(ProgramError, match="not the class PageRank"):
        Engine(web).explain(PageRank)
    with pytest.raises(TypeError, match="deliver"):
        Engine(web).explain(PageRank(), deliver="push")


def _program(**body):
    base = {"x": vertex.int32(), "message": "int32", "combine": "sum", "mask": "v.id == 0"}
    base |= {"scatter": "send(1);", "apply": "v.x += msg; set_mask();", "stop": "superstep == 3"}
    body = {name: text for name, text in {**base, **body}.items() if text is not None}
    return type("Changed", (VertexProgram,), body)()


@pytest.mark.parametrize(
    ("body", "what", "remedy"),
    [
        ({"apply": "v.x += has_edge(0, v.id);"}, "of other vertices, in apply", "for_common"),
        ({"scatter": "send(common(e.src, e.dst));"}, "common neighbors in long", "oriented"),
        (
            {"gather": "msg = num_messages;", "combine": None},
            "gather reads messages one by one",
            "combine=",
        ),
        (
            {"scatter": "send(1); set_mask();"},
            "scatter does more than send",
            "call send_to in apply",
        ),
        ({"combine": "or"}, "all messages to a vertex", "combine = 'first'"),
        ({}, "every vertex receives", "receive_if="),
        ({"scatter_on": "all", "mask": None}, "every arc is visited", "mask="),
    ],
)
def test_bottlenecks(web, body, what, remedy):
    if "scatter_on" in body:
        body = {**body, "apply": "v.x += msg;"}
    (run,) = Engine(web).explain(_program(**body)).runs
    found = [each for each in run.bottlenecks if what in each.what]
    assert len(found) == 1 and remedy in found[0].remedy


def star(leaves: int) -> Graph:
    return Graph.from_edges([0] * leaves, range(1, leaves + 1), directed=False)


def looping(apply: str) -> VertexProgram:
    body = {"message": None, "combine": None, "scatter": None, "mask": None}
    body |= {"scatter_on": "all", "apply_on": "all", "stop": "superstep == 3"}
    return _program(**body, apply=apply)


SUMS = "for (int i = 0; i < num_neighbors; ++i) v.x += x_of(neighbor(i));"
CHAINS = "for (int i = 0; i < num_neighbors; ++i) v.x = 3 * v.x + neighbor(i);"
MEETS = """
    for (int i = 0; i < num_neighbors; ++i)
        for (int j = 0; j < num_neighbors; ++j)
            v.x += has_edge(neighbor(i), neighbor(j));
"""


def test_work_groups_share_loops_that_only_reduce_where_rows_are_long():
    launches = replace(GPU, can_join=False)
    for leaves, device, apply, shared in (
        (500, launches, SUMS, True),
        (100, launches, SUMS, False),
        (5000, GPU, SUMS, True),
        (500, GPU, SUMS, False),  # where one launch for all supersteps saves more
        (5000, GPU, CHAINS, False),
        (500, replace(GPU, kind="CPU", group=1), SUMS, False),
    ):
        prepared = prepare(looping(apply), star(leaves), device)
        assert prepared.shares.chosen == shared
        assert prepared.source.traits.shares == shared
        assert ("gascl_apply_shared_rows" in prepared.source.text) == shared
    assert not prepare(looping(SUMS), star(5000), GPU, Setting(debug=True)).shares.chosen
    assert not prepare(looping(SUMS), star(5000), GPU, delivery="serial").shares.chosen
    woken = _program(apply=SUMS + " set_mask();")
    for leaves, device, shared in (
        (5000, GPU, True),
        (500, GPU, False),
        (500, launches, True),
    ):
        listed = prepare(woken, star(leaves), device, delivery="frontier")
        assert listed.shares.chosen == shared
        assert listed.persistent.chosen == (device.can_join and not shared)
    waits = _program(apply=SUMS + " set_mask();", combine="min", priority="v.x")
    listed = prepare(waits, star(5000), GPU, delivery="push")
    assert listed.shares.why == "with a priority, a vertex waits right after its apply"


def test_rows_that_are_too_long_in_place_on_a_gpu():
    stops = "int most = max(g.hub, 0); if (x_of(most) == v.x) return;"
    looks = "for (int i = 0; i < num_neighbors; ++i) send_to(neighbor(i), v.x);"
    body = {"order": "any", "combine": "min", "apply_on": "all"}
    body |= dict.fromkeys(("scatter", "stop", "mask"))

    def found(apply, leaves=5000, device=GPU):
        program = _program(**body, apply="if (has_msg) { v.x = msg; return; }" + apply)
        prepared = prepare(program, star(leaves), device)
        assert prepared.delivery.in_place
        return [str(each) for each in bottlenecks(program, star(leaves), device, prepared)]

    (shared,) = found(looks)
    assert "5,000 neighbors: one work-item runs those turns of the loop" in shared
    (long,) = found("if (v.x) " + looks)
    assert "a vertex has 5,000 neighbors, of which one work-item looks at 64" in long
    assert "begins again in supersteps" in long and "let apply stop early" in long
    assert not found(looks, leaves=64) and not found(stops + looks)
    assert not found(looks, device=CPU)


def test_loops_that_stay_with_one_work_item():
    graph = star(5000)

    def found(apply, device=GPU, **body):
        program = _program(**body, apply=apply) if body else looping(apply)
        prepared = prepare(program, graph, device)
        return [each for each in bottlenecks(program, graph, device, prepared) if each.seconds]

    assert not found(SUMS)
    assert not found(SUMS, replace(GPU, kind="CPU", group=1))  # which are not so slow at it
    (chain,) = found(CHAINS)
    assert "one work-item loops over 5,000 neighbors of a vertex, in apply (" in chain.what
    assert chain.what.endswith("since it assigns to v.x, but no sum, minimum or the like")
    assert 5e-4 < chain.seconds < 5e-3
    waits = {"combine": "min", "priority": "v.x"}
    (woken,) = found(SUMS + " set_mask();", **waits)
    assert woken.remedy == "a message with combine='sum' would be balanced"
    assert woken.what.endswith("since with a priority, a vertex waits right after its apply")
    assert not found(MEETS)
    loop, meets = found(MEETS.replace("v.x +=", "do v.x +=").replace(");\n", "); while (false);\n"))
    assert "there is another loop in it" in loop.what
    assert "neighbors of the 5,000 neighbors" in meets.what and "for_common" in meets.remedy
    first = {"functions": "int first(__global int *m) { return m[0]; }", "combine": None}
    (gather,) = found("v.x = msg;", gather="msg = first(messages);", **first)
    assert "5,000 to the largest hub" in gather.what
    squares = "msg = 0; for (int i = 0; i < num_messages; ++i) msg += messages[i] * messages[i];"
    (window,) = found("v.x = msg;", gather=squares, combine=None)
    assert gather.seconds / 10 < window.seconds < gather.seconds / 2
    both = "for (int i = 0; i < num_neighbors; ++i) {{ v.x += 1; v.y = {}(v.y, neighbor(i)); }}"
    (two,) = found(both.format("min") + " set_mask();", y=vertex.int32(), **waits)
    assert two.remedy == (
        "a message with a member for each reduction, and a combiner that joins these by 'sum' and "
        "'min', would be balanced"
    )


def test_no_mask_is_advised_for_a_single_superstep(web):
    body = {"scatter_on": "all", "mask": None, "stop": None, "apply": "v.x += msg;"}
    for supersteps, advised in ((1, False), (2, True), (None, True)):
        program = _program(**body, supersteps=param.supersteps(supersteps))
        (run,) = Engine(web).explain(program).runs
        assert any("declare mask=" in each.remedy for each in run.bottlenecks) == advised


@pytest.mark.parametrize(
    ("memory", "most", "group"), [(48, 256, 256), (32, 256, 128), (1024, 1024, 512)]
)
def test_a_group_that_sorts_places_has_room_for_their_keys(memory, most, group):
    """The kernels that sort take 37 KB of local memory in groups of 256; those that search count
    fewer than 1,024 items."""

    class Near(VertexProgram):
        supersteps = param.supersteps(1)
        at, total = vertex.real2(), vertex.real()
        message, combine, scatter_on, apply_on = "real", "sum", "all", "all"
        pairs_at, pairs_within, pairs = "at", "1", "send(1);"
        apply = "v.total = msg;"

    facts = replace(GPU, local_memory=memory << 10, group=most)
    assert source_of(Near(at=0), facts, DELIVERIES["slots"], "int32", Variant()).group == group
