"""Persistent kernels: the same as launch by launch, however their groups come and go."""

from __future__ import annotations

import functools
import signal
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from support.case_subsets import one_in

from gascl import (
    DeviceError,
    Engine,
    Graph,
    VertexProgram,
    aggregate,
    edge,
    param,
    vertex,
)
from gascl.codegen.constants import STRIDE, Team
from gascl.delivery import cost
from gascl.delivery.registry import DELIVERIES
from gascl.delivery.run_layout import RUN, Key, team_bytes
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find
from gascl.results.result import Result
from gascl.run import loaded_program, plan, supersteps
from gascl.run.launcher import Launcher
from gascl.run.plan import ALONE, Plan
from gascl.run.push_pull import NEVER
from gascl.run.supersteps import Loop

pytestmark = [
    pytest.mark.optimized,
    pytest.mark.usefixtures("poisoned"),
    pytest.mark.skipif(not find().can_join, reason="this device runs no persistent kernel"),
]


@functools.cache
def device(kind: type[Device] = Device) -> Device:
    return kind(find().cl)


class Launches(Device):
    """A device that runs no persistent kernel."""

    can_join = False


class Reach(VertexProgram):
    """The distance from the first vertex, and the sender of the first message."""

    level = vertex.int32(init="v.id == 0 ? 0 : -1")
    parent = vertex.int32(init="-1")
    message, combine = "int32", "first"
    receive_if = "v.level < 0"
    mask = "v.id == 0"
    scatter = "send(v.id);"
    apply = "v.level = superstep + 1; v.parent = msg; set_mask();"


class Least(VertexProgram):
    """The least id in reach, which scatter reads and apply writes; aggregators; a rule to end."""

    least = vertex.int32(init="(int)(v.id * 7919L % g.num_vertices)")
    changes = aggregate.int64("sum")
    most = aggregate.int32("max")
    message, combine = "int32", "min"
    scatter = "send(v.least);"
    apply = """
        if (msg < v.least) {
            v.least = msg;
            aggregate_changes(1);
            aggregate_most(msg);
            set_mask();
        }
    """
    stop = "superstep > 0 && agg.changes == 0"


class Nearest(VertexProgram):
    """The nearest first, by arcs' lengths."""

    length = edge.int32()
    distance = vertex.int32(init="v.id == 0 ? 0 : INT_MAX")
    message, combine = "int32", "min"
    receive_if = "msg < v.distance"
    priority = "v.distance"
    mask = "v.id == 0"
    scatter = "send(v.distance + e.length);"
    apply = "v.distance = msg; set_mask();"


class Marking(VertexProgram):
    """Masks that others set, and that are asked for; copies of fields that others read."""

    x = vertex.int32(init="v.id % 1000")
    supersteps = param.supersteps(7)
    message, combine = "int32", "max"
    mask = "v.id % 5 == 0"
    scatter = "send(v.x); if (v.id % 3 == 0) set_mask_of(e.dst);"
    apply = """
        v.x = (msg + x_of((v.id + 1) % g.num_vertices) + get_mask()) % 1000;
        if (v.x % 2)
            set_mask();
    """


class Everyone(VertexProgram):
    """All scatter, all apply."""

    x = vertex.int32(init="v.id % 1000")
    total = aggregate.int64("sum")
    supersteps = param.supersteps(5)
    message, combine = "int32", "max"
    scatter_on = apply_on = "all"
    scatter = "if (v.x % 3) send(v.x);"
    apply = "v.x = (v.x + (has_msg ? msg : 1)) % 1000; aggregate_total(v.x);"


class Backwards(VertexProgram):
    """Whose turn is earlier often comes late."""

    x = vertex.int32(init="v.id == 0 ? 0 : INT_MAX")
    message, combine = "int32", "min"
    mask = "v.id == 0"
    priority, delta = "v.id % 3 * 10", 1
    scatter = "send(v.x + 1 + e.dst % 4);"
    apply = "if (msg < v.x) { v.x = msg; set_mask(); }"


class Forwarding(VertexProgram):
    """Apply sends to others, whose sums of 64 bits arrive a superstep later."""

    x = vertex.int64(init="v.id % 1000")
    supersteps = param.supersteps(6)
    message, combine = "int64", "sum"
    mask = "v.id % 7 == 0"
    scatter = "send(v.x);"
    apply = """
        v.x = (v.x + msg) % 1000;
        send_to((v.id * 31L + superstep) % g.num_vertices, v.x);
        if (v.x % 3 == 0)
            set_mask();
    """


class Relaying(VertexProgram):
    """As Forwarding, but so few vertices send that apply goes by the list of receivers."""

    x = vertex.int32(init="v.id")
    supersteps = param.supersteps(6)
    message, combine = "int32", "max"
    mask = "v.id % 97 == 0"
    scatter = "if (e.dst % 13 == 0) send(v.x + 1);"
    apply = """
        v.x = max(v.x, msg) % 10007;
        send_to((v.x * 31L + superstep) % g.num_vertices, v.x);
        if (v.x % 3 == 0)
            set_mask();
    """


class Looking(VertexProgram):
    """Apply reads a field of others that it writes, and the mask; scatter reads the arc."""

    length = edge.int32()
    x = vertex.int32(init="v.id % 1000")
    total = aggregate.int64("sum")
    supersteps = param.supersteps(5)
    message, combine = "int32", "max"
    mask = "v.id % 3 == 0"
    apply_on = "all"
    scatter = "send(v.x + e.length);"
    apply = """
        v.x = ((has_msg ? msg : 1) + x_of((v.id + 1) % g.num_vertices) + get_mask()) % 1000;
        aggregate_total(v.x);
        if (v.x % 2)
            set_mask();
    """


class Lanes(VertexProgram):
    """The distance from several vertices, and who was first to say so."""

    lanes = 5
    level = vertex.int32(init="v.id == lane ? 0 : -1")
    parent = vertex.int32(init="-1")
    message, combine = "int32", "first"
    receive_if = "v.level < 0"
    mask = "v.id == lane"
    scatter = "if (v.level == superstep) send(v.id);"
    apply = "v.level = superstep + 1; v.parent = msg; set_mask();"


class Middle(VertexProgram):
    """A gather snippet, which reads the messages one by one."""

    x = vertex.int32(init="(int)(v.id * 7919L % 1000)")
    changes = aggregate.int64("count")
    supersteps = param.supersteps(4)
    message, gathered = "int32", "int32"
    scatter_on = "all"
    scatter = "send(v.x);"
    gather = (
        "msg = 0; for (int i = 0; i < num_messages; ++i) msg = (31 * msg + messages[i]) % 1000;"
    )
    apply = "aggregate_changes(msg != v.x); v.x = msg;"


class Alone(VertexProgram):
    """No messages."""

    x = vertex.int32(init="v.id % 17")
    most = aggregate.int32("max")
    init = "aggregate_most(v.x);"
    scatter_on = apply_on = "all"
    apply = "v.x -= 1; aggregate_most(v.x);"
    stop = "agg.most < 0"


class Turning(VertexProgram):
    """Messages go along the arcs and back again; the mask decides who sends."""

    x = vertex.int32(init="v.id % 1000")
    total = aggregate.int64("sum")
    supersteps = param.supersteps(5)
    edges = "alternate"
    message, combine = "int32", "max"
    mask = "v.id % 3 > 0"
    scatter = "send(v.x);"
    apply = "v.x = (v.x + msg) % 1000; aggregate_total(v.x); if (v.x % 3) set_mask();"


#: Programs, with the deliveries whose persistent kernels run them.
PROGRAMS: dict[str, tuple[type[VertexProgram], tuple[str, ...]]] = {
    "Reach": (Reach, ("push", "frontier")),
    "Least": (Least, ("push", "frontier", "pull", "outbox")),
    "Nearest": (Nearest, ("push",)),
    "Backwards": (Backwards, ("push",)),
    "Forwarding": (Forwarding, ("push", "pull", "outbox")),
    "Relaying": (Relaying, ("push",)),
    "Marking": (Marking, ("push",)),
    "Everyone": (Everyone, ("push", "pull", "outbox")),
    "Looking": (Looking, ("pull", "outbox")),
    "Lanes": (Lanes, ("pull",)),
    "Middle": (Middle, ("outbox",)),
    "Alone": (Alone, ("pull",)),
    "Turning": (Turning, ("pull", "outbox")),
}
#: Lists, turns, masks, receivers and aggregators are each in one of these; the others are slow.
FAST = ("Reach-frontier", "Nearest-push", "Relaying-push", "Looking-pull", "Turning-outbox")
CASES = [
    pytest.param(name, delivery, marks=[] if f"{name}-{delivery}" in FAST else pytest.mark.slow)
    for name, (_, its) in PROGRAMS.items()
    for delivery in its
]


@functools.cache
def random_graph() -> Graph:
    """Some very large degrees, some vertices alone, a tail; larger than one item's."""
    rng = np.random.default_rng(5)
    n, m = 9_000, 40_000
    src = np.minimum((rng.pareto(0.6, m) * 3).astype(np.int64), n - 1)
    dst = rng.integers(0, n, m)
    tail = np.arange(n, n + 100)
    src, dst = np.concatenate([src, [0], tail[:-1]]), np.concatenate([dst, tail])
    order = rng.permutation(n + 200)
    order = order[order != 0]
    order = np.concatenate([[0], order])
    length = rng.integers(1, 200, len(src))
    graph = Graph.from_edges(
        order[src], order[dst], num_vertices=n + 200, directed=False, length=length
    )
    assert graph.num_vertices + graph.num_arcs > ALONE
    return graph


@functools.cache
def directed_graph() -> Graph:
    """Whose arcs and those back differ in the number of their blocks, too."""
    rng = np.random.default_rng(6)
    src = np.minimum((rng.pareto(0.6, 30_000) * 3).astype(np.int64), 8_999)
    dst = rng.integers(0, 9_000, len(src))
    return Graph.from_edges(src, dst, num_vertices=9_000, length=rng.integers(1, 9, len(src)))


def graph_of(name: str) -> Graph:
    return directed_graph() if PROGRAMS[name][0].spec.alternates else random_graph()


@functools.cache
def long_path() -> Graph:
    n = 5_000
    return Graph.from_edges(
        np.arange(n - 1), np.arange(1, n), num_vertices=n, directed=False, length=np.ones(n - 1)
    )


def columns(result: Result) -> list[tuple[Any, ...]]:
    return [
        (s.superstep, s.active, s.messages, s.aggregates, s.delivery, s.why) for s in result.trace
    ]


def same(one: Result, other: Result) -> None:
    for name in other.fields:
        np.testing.assert_array_equal(one[name], other[name])
    assert columns(one) == columns(other)
    assert (one.stopped, one.converged) == (other.stopped, other.converged)
    assert one.delivery == other.delivery


@functools.cache
def by_launches(name: str, delivery: str) -> Result:
    """What launch by launch gives, and `serial`, which knows neither lists nor bits."""
    launches = Engine(graph_of(name), device(Launches))
    result = launches.run(PROGRAMS[name][0](), delivery=delivery)
    serial = launches.run(PROGRAMS[name][0](), delivery="serial")
    for field in serial.fields:
        np.testing.assert_array_equal(result[field], serial[field])
    assert [c[:4] for c in columns(result)] == [c[:4] for c in columns(serial)]
    return result


@pytest.fixture
def launched(monkeypatch) -> list[str]:
    """The names of the kernels that runs have launched so far."""
    names: list[str] = []
    launch = Launcher.launch

    def noting(self, launched_kernel, *args, **given):
        names.append(launched_kernel.kernel)
        return launch(self, launched_kernel, *args, **given)

    monkeypatch.setattr(Launcher, "launch", noting)
    return names


@pytest.fixture(autouse=True)
def whole(monkeypatch):
    """However large a graph is."""
    for most in (cost.WHOLE, cost.WHOLE_APPLY):
        for kind in most:
            monkeypatch.setitem(most, kind, 2**40)


def groups(count: int | None, monkeypatch) -> None:
    if count is not None:
        monkeypatch.setattr(Plan, "persistent_groups", lambda *_: count)


#: Fewer and more groups than a device runs at once, up to as many as runs have memory for. Those of
#: `FAST` by default with one of the first two, in turn.
IN_GROUPS = [
    pytest.param(*case.values, count, marks=[] if quick else pytest.mark.slow)
    for place, case in enumerate(CASES)
    for number, count in enumerate((None, 3, 1, device().groups))
    for quick in [not case.marks and number == place % 2]
]


@pytest.mark.parametrize(("name", "delivery", "count"), IN_GROUPS)
def test_a_launch_does_what_many_do(name, delivery, count, launched, monkeypatch):
    expected = by_launches(name, delivery)
    launched.clear()
    groups(count, monkeypatch)
    result = Engine(graph_of(name), device()).run(PROGRAMS[name][0](), delivery=delivery)
    assert launched.count("gascl_persistent") == 1
    assert not {*launched} & {each.kernel for each in DELIVERIES[delivery].launches}
    same(result, expected)


@pytest.mark.parametrize("program", one_in(2, [Reach, Least]))
def test_each_change_of_direction(program, launched, monkeypatch):
    """To pulling and back after each superstep, both ways."""
    monkeypatch.setattr(loaded_program, "pull_bounds", lambda *given: (NEVER, 0))
    result = Engine(random_graph(), device()).run(program(), delivery="frontier")
    assert launched.count("gascl_persistent") == 1
    expected = Engine(random_graph(), device(Launches)).run(program(), delivery="frontier")
    same(result, expected)
    ways = [s.delivery for s in result.trace]
    assert ways[:-1] == (["pull", "push"] * len(ways))[: len(ways) - 1]


@pytest.mark.parametrize(("name", "delivery"), CASES)
def test_a_run_that_is_cut_by_its_records(name, delivery, launched, monkeypatch):
    expected = by_launches(name, delivery)
    launched.clear()
    monkeypatch.setattr(supersteps, "RECORDS", 2)
    result = Engine(graph_of(name), device()).run(PROGRAMS[name][0](), delivery=delivery)
    assert launched.count("gascl_persistent") >= len(result.trace) // 2
    same(result, expected)


@pytest.mark.parametrize(("name", "delivery"), one_in(2, CASES))
def test_a_run_that_is_cut_by_its_work(name, delivery, launched, monkeypatch):
    expected = by_launches(name, delivery)
    launched.clear()
    monkeypatch.setattr(supersteps, "_MOST_WORK", dict.fromkeys(supersteps._MOST_WORK, 1))
    result = Engine(graph_of(name), device()).run(PROGRAMS[name][0](), delivery=delivery)
    assert launched.count("gascl_persistent") == len(result.trace)
    same(result, expected)


def test_more_supersteps_than_records(launched):
    result = Engine(long_path(), device()).run(Reach())
    assert result.level.tolist() == list(range(5_000))
    assert [(s.superstep, s.active) for s in result.trace] == [(i, 1) for i in range(5_000)]
    assert launched.count("gascl_persistent") == 20  # of 256 records


@pytest.mark.parametrize(("name", "delivery"), one_in(2, CASES))
@pytest.mark.parametrize("cut", [2, *(pytest.param(cut, marks=pytest.mark.slow) for cut in (0, 1))])
def test_persistent_kernels_and_launches_continue_each_other(name, delivery, cut):
    """From one persistent kernel to another, and to launches, and back."""
    kinds = (Device, Launches)
    expected = by_launches(name, delivery)
    for first in kinds:
        for second in kinds:
            if first is second is Launches:
                continue
            options: dict[str, Any] = {"delivery": delivery, "not_converged": "ignore"}
            program = PROGRAMS[name][0]
            rest = {}
            if "supersteps" in program.spec.params:
                rest = {"supersteps": len(expected.trace) - cut}
            begun = Engine(graph_of(name), device(first)).run(
                program(), max_supersteps=cut, keep_state=True, **options
            )
            assert len(begun.trace) == cut
            result = Engine(graph_of(name), device(second)).run(
                program(**rest), state=begun.state, **options
            )
            for field in expected.fields:
                np.testing.assert_array_equal(result[field], expected[field])
            trace = [c[:4] for c in columns(begun) + columns(result)]
            assert trace == [c[:4] for c in columns(expected)]


@pytest.mark.parametrize("start", [[3, 4], [0]])
def test_starts_that_are_given(start):
    found = [
        Engine(random_graph(), device(kind)).run(Reach(), start=start, delivery="frontier")
        for kind in (Device, Launches)
    ]
    same(*found)


def test_callbacks_get_every_step_in_order(monkeypatch):
    monkeypatch.setattr(supersteps, "RECORDS", 3)
    seen: list[Any] = []
    result = Engine(random_graph(), device()).run(Nearest(), callback=seen.append)
    assert len(seen) > 9
    assert seen == list(result.trace)
    assert [s.superstep for s in seen] == list(range(len(seen)))


def test_a_step_takes_its_share_of_the_launch(monkeypatch):
    events: list[Any] = []
    launch = Launcher.launch

    def noting(self, its, *args, **given):
        launched = launch(self, its, *args, **given)
        if its.kernel == "gascl_persistent":
            events.append(launched.event)
        return launched

    monkeypatch.setattr(Launcher, "launch", noting)
    result = Engine(random_graph(), device()).run(Nearest())
    seconds = sum((e.profile.end - e.profile.start) * 1e-9 for e in events)
    assert sum(s.seconds for s in result.trace) == pytest.approx(seconds)
    assert all(s.seconds >= 0 for s in result.trace)


# When it cannot be -------------------------------------------------------------------------------


class Halving(VertexProgram):
    """The host decides after each superstep."""

    x = vertex.int32(init="64")
    message, combine = "int32", "max"
    scatter = "send(v.x / 2);"
    apply = "v.x = msg; set_mask();"

    def converged(self, step):
        return step.superstep == 4


class Items(Device):
    """Eight items in a group, which PoCL cannot have wait in a branch."""

    def __init__(self, cl):
        super().__init__(cl, 8)


@pytest.mark.parametrize(
    ("program", "options"),
    one_in(
        2,
        [
            (Halving(), {}),
            (Reach(), {"delivery": "slots"}),
            (Reach(), {"kind": Items}),
            (Reach(), {"debug": True}),
        ],
    ),
    ids=["the host decides", "slots", "groups of 8", "debug"],
)
def test_where_launches_it_must_be(program, options, launched):
    kind = options.pop("kind", Device)
    if kind is Items and find().is_nvidia:
        pytest.skip("its groups may wait in branches")
    debug = options.pop("debug", False)
    graph = Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 3])
    result = Engine(graph, device(kind), debug=debug).run(program, **options)
    assert result.converged
    assert "gascl_persistent" not in launched


# When groups do not come, or somebody does not want to wait --------------------------------------


@pytest.fixture
def impatient(monkeypatch):
    """Kernels that give others up early, built for a test alone."""
    original = plan.persistent_options

    def few(*given):
        return ["-DGASCL_PATIENCE=1000000UL" if "PATIENCE" in o else o for o in original(*given)]

    monkeypatch.setattr(plan, "persistent_options", few)


def test_a_group_that_never_arrives(impatient, monkeypatch):
    """The words of the team record a group that has joined and never takes part."""

    class Lonely(Reach):
        pass

    launch = Loop._launch_persistent

    def one_more(self, most):
        words = np.zeros(team_bytes(0) // 4, np.int32)
        if self.device.is_cpu:
            words[0] = 1 << 20
        else:  # where the first to join begins
            words[STRIDE * Team.RANKS] = 1
        self.state.write(Key(RUN, "team"), words)
        return launch(self, most)

    monkeypatch.setattr(Loop, "_launch_persistent", one_more)
    monkeypatch.setattr(Plan, "persistent_groups", lambda *_: 2)
    with pytest.raises(DeviceError, match=r"did not run all the work-groups .* Give delivery="):
        Engine(random_graph(), device()).run(Lonely())
    monkeypatch.undo()
    # The device is none the worse for it.
    same(
        Engine(random_graph(), device()).run(Reach(), delivery="push"),
        by_launches("Reach", "push"),
    )


@pytest.mark.skipif(not find().is_cpu, reason="on a GPU, groups go on by one word alone")
def test_a_group_that_pauses_while_it_releases_others(monkeypatch):
    """Between the words that say so: others may be ahead of the second one then."""
    expected = by_launches("Least", "push")
    original = plan.assemble
    pause = "if (next % 3 == 0) for (int i = 0; i < 3000; ++i) gascl_yield();"

    def paused(*given):
        text, places = original(*given)
        before = "    GASCL_TEAM(RELEASED) = (int)next;"
        assert before in text
        return text.replace(before, f"{pause}{before}", 1), places

    monkeypatch.setattr(plan, "assemble", paused)

    class Slow(Least):
        pass

    for _ in range(20):
        same(Engine(random_graph(), device()).run(Slow(), delivery="push"), expected)


# Ctrl-C ------------------------------------------------------------------------------------------

ENDLESS = """
import signal, sys, time
from gascl import Engine, Graph, Interrupted, VertexProgram, vertex
from gascl.run.supersteps import Loop

class Round(VertexProgram):
    visits = vertex.int64()
    message, combine = "int32", "max"
    mask = "v.id == 0"
    scatter = "send(1);"
    apply = "v.visits += 1; set_mask();"

signal.signal(signal.SIGINT, signal.default_int_handler)
engine = Engine(Graph.from_edges([0, 1, 2], [1, 2, 0]))
original, launches = Loop._launch_persistent, []

def said(self, *args):
    launches.append(1)
    if len(launches) == 3:
        print("goes on", flush=True)
    return original(self, *args)

Loop._launch_persistent = said
try:
    engine.run(Round(), max_supersteps=10**9, delivery=sys.argv[1])
except Interrupted as pressed:
    at = time.time()
    assert pressed.result.visits.sum() == pressed.result.supersteps == len(pressed.result.trace)
    print("interrupted", at)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
@pytest.mark.parametrize("delivery", ["push", "outbox"])
def test_ctrl_c_between_two_launches_of_a_run(delivery):
    """A run that has no end is many launches; the result is what is done so far."""
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, delivery],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while process.stdout.readline() not in ("goes on\n", ""):
            pass
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert out.startswith("interrupted"), out + err
