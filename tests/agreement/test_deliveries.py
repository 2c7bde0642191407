"""Deliveries in runs: the choice of `auto`, runs that repeat, and a user's own deliveries."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from support import agreement
from support.admission import expected_deliveries
from support.admitting_deliveries import admitted, some_admitted
from support.case_subsets import one_in, thinned
from support.random_cases import drawn
from support.random_graphs import SPECIAL
from support.special_programs import SPECIAL_PROGRAMS
from support.toy_deliveries import TOYS, registered

from gascl import Engine, Graph, ProgramError, VertexProgram, param, vertex
from gascl.delivery.cost import Costs
from gascl.delivery.registry import DELIVERIES
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find
from gascl.programs import PageRank
from gascl.results.result import Result
from gascl.run import loaded_program

pytestmark = pytest.mark.usefixtures("poisoned")

GROUPS = [pytest.param(g, id=f"group{g}") for g in (1, 8)]


class Launches(Device):
    """A device that runs no persistent kernel."""

    can_join = False


# Auto --------------------------------------------------------------------------------------------


class Levels(VertexProgram):
    """The distance from the first vertex, and the number of messages."""

    level = vertex.int32(init="v.id == 0 ? 0 : -1")
    told = vertex.int32()
    message, combine = "int32", "min"
    mask = "v.id == 0"
    scatter = "send(v.level + 1);"
    apply = """
        v.told += 1;
        if (v.level < 0) {
            v.level = msg;
            set_mask();
        }
    """


class Marking(Levels):
    """Whom it reaches, scatter marks: pull cannot run it."""

    told = vertex.int32(init="v.id == 0")
    scatter = "send(v.level + 1); if (!told_of(e.dst)) set_mask_of(e.dst);"
    apply = """
        if (v.level < 0)
            v.level = msg;
        v.told += 1;
    """


class Ahead(Levels):
    """What apply sends to anyone is under way from one superstep to the next, as the mask is; some
    mark themselves, and then not."""

    apply = """
        v.told += msg;
        if (v.level < 0) {
            v.level = msg;
            send_to(v.id * 7 % g.num_vertices, v.level + 2);
            set_mask_of(v.id);
            if (v.id % 5 == 0)
                unset_mask();
        }
    """


WIDTH, TAIL = 201, 12


@functools.cache
def bulge() -> Graph:
    """A path that opens into many vertices, beside each other, and closes into a path again."""
    first, last = range(TAIL), range(TAIL + WIDTH, 2 * TAIL + WIDTH)
    middle = range(TAIL, TAIL + WIDTH)
    pairs = [*pairwise(first), *((TAIL - 1, m) for m in middle)]
    pairs += [*((m, TAIL + WIDTH) for m in middle), *pairwise(last)]
    return Graph.from_edges(*zip(*pairs, strict=True))


def frontiers(result: Result, graph: Graph) -> list[int]:
    """Arcs that go out from those that scatter, in each superstep, by their levels."""
    return [int(graph.out_degree[result.level == s.superstep].sum()) for s in result.trace]


#: A run pulls from 1/3 of the arcs on, and continues down to 1/4.
SHARES = (3, 4)


def turn_at(shares: tuple[float, float], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `frontier` change its direction at 1 / these shares of the arcs."""
    begins, goes_on = shares

    def bounds(delivery: Any, traits: Any, costs: Costs, on_cpu: bool) -> tuple[int, int]:
        return int(costs.size.arcs / goes_on), int(costs.size.arcs / begins)

    monkeypatch.setattr(loaded_program, "pull_bounds", bounds)


def check_ways(result: Result, arcs: list[int], graph: Graph) -> None:
    """Each superstep's way is what the two bounds say, and tells the arcs that it went by."""
    begins, goes_on = SHARES
    way = "push"
    for step, ahead in zip(result.trace, arcs, strict=True):
        if way == "push":
            way = "pull" if ahead > graph.num_arcs // begins else "push"
        else:
            way = "push" if ahead < graph.num_arcs // goes_on else "pull"
        assert step.delivery == way, step
        said = f"the frontier has {ahead:,} of {graph.num_arcs:,} arcs: "
        assert step.why == said + ("few" if way == "push" else "many"), step


@pytest.mark.parametrize(("group", "device"), thinned(agreement.GROUPS, [Device, Launches], by=4))
def test_auto_changes_to_pulling_and_back(device, group, monkeypatch):
    turn_at(SHARES, monkeypatch)
    graph = bulge()
    engine = Engine(graph, device(find().cl, group))
    result = engine.run(Levels())
    expected = engine.run(Levels(), delivery="serial")
    assert result.level.tolist() == expected.level.tolist()
    assert result.told.tolist() == expected.told.tolist()
    columns = [(s.superstep, s.active, s.messages) for s in result.trace]
    assert columns == [(s.superstep, s.active, s.messages) for s in expected.trace]
    assert [s.active for s in result.trace] == [1] * TAIL + [WIDTH] + [1] * TAIL
    check_ways(result, frontiers(result, graph), graph)
    # The bulge's beginning and its end, and nothing else, is worth pulling.
    assert [s.delivery for s in result.trace].count("pull") == 2
    assert result.delivery == "push and pull"


class InLanes(Ahead):
    lanes = 3


@pytest.mark.parametrize("program", one_in(2, [Marking(), Ahead(), InLanes()]))
def test_auto_where_pulling_is_no_choice(program):
    expected = Engine(bulge()).run(program, delivery="serial")
    result = Engine(bulge()).run(program)
    assert result.level.tolist() == expected.level.tolist()
    assert {(s.delivery, s.why) for s in result.trace} == {(result.delivery, "")}
    assert result.delivery == ("pull" if program.lanes > 1 else "push")


class Moving(Levels):
    """Scatter reads nothing that apply writes, so that a vertex applies right after its pull."""

    scatter = "send(superstep + 1);"


#: The shares by which `auto` chooses, and what it then does.
CHANGES = {
    "as usual": ((3, 4), {"push", "pull"}),
    "a change at each superstep": ((10**9, 0.5), {"push", "pull"}),
    "a change before the first": ((10**9, 10**9), {"pull"}),
    "no change": ((1, 1), {"push"}),
}


@pytest.mark.parametrize(
    ("group", "program", "change"),
    thinned([*agreement.GROUPS, 32], [Levels(), Moving()], CHANGES, by=6),
)
def test_a_frontier_survives_each_change_of_its_form(group, program, change, monkeypatch):
    """From a list to bits and back, in vertices that do not fill the last word of these."""
    shares, chosen = CHANGES[change]
    turn_at(shares, monkeypatch)
    assert bulge().num_vertices % 32
    engine = Engine(bulge(), Device(find().cl, group))
    result = engine.run(program, delivery="frontier")
    expected = engine.run(program, delivery="serial")
    assert result.level.tolist() == expected.level.tolist()
    assert result.told.tolist() == expected.told.tolist()
    columns = [(s.superstep, s.active, s.messages) for s in result.trace]
    assert columns == [(s.superstep, s.active, s.messages) for s in expected.trace]
    assert {s.delivery for s in result.trace} == chosen
    if shares[1] == 0.5:
        assert all(a.delivery != b.delivery for a, b in pairwise(result.trace[:-1]))


def test_one_choice_needs_no_reason():
    result = Engine(bulge()).run(Levels(), delivery="push")
    assert {(s.delivery, s.why) for s in result.trace} == {("push", "")}
    assert result.delivery == "push"


@pytest.mark.parametrize("device", [Device, Launches])
def test_auto_as_a_callback_sees_it(device):
    seen = []
    result = Engine(bulge(), device(find().cl)).run(Levels(), callback=seen.append)
    assert seen == list(result.trace)


# Runs that repeat --------------------------------------------------------------------------------


@functools.cache
def tangle() -> Graph:
    rng = np.random.default_rng(7)
    ends = rng.integers(0, 3000, (2, 20_000))
    return Graph.from_edges(*ends, num_vertices=3000, weight=rng.random(20_000))


class Averaging(VertexProgram):
    """Sums of floats at every turn, over masks that change."""

    x = vertex.real(init="1.0f / (1 + v.id)")
    supersteps = param.supersteps(12)
    message, combine = "real", "sum"
    apply_on = "all"
    scatter = "send(v.x / v.out_degree);"
    apply = "v.x = 0.15f * v.x + 0.85f * msg; if ((v.id + superstep) % 3) set_mask();"


class Nearest(VertexProgram):
    """The least of floats, and how many there were: whatever the order, the same."""

    near = vertex.real(init="v.id % 100 == 0 ? 0 : INFINITY")
    heard = vertex.int32()
    message, combine = "real", "min"
    mask = "v.id % 100 == 0"
    scatter = "send(v.near + (1 + e.dst % 7) * 0.1f);"
    apply = "v.heard += 1; if (msg < v.near) { v.near = msg; set_mask(); }"


def bits(result: Result) -> list[bytes]:
    numbers = [tuple(s.aggregates.values()) for s in result.trace]
    return [*(values.tobytes() for values in result.fields.values()), repr(numbers).encode()]


@pytest.mark.parametrize("group", one_in(2, GROUPS))
@pytest.mark.parametrize(
    "program",
    [
        PageRank(supersteps=12),
        pytest.param(Averaging(), marks=pytest.mark.slow),
        pytest.param(Nearest(), marks=pytest.mark.slow),
    ],
    ids=lambda p: type(p).__name__,
)
def test_runs_repeat_bit_for_bit(program, group):
    """Runs repeat with every delivery that a deterministic engine takes, also in another engine."""
    shape = Device(find().cl, group)
    engine = Engine(tangle(), shape)
    for delivery in ["auto", *some_admitted(program, shape)]:
        first = bits(engine.run(program, delivery=delivery))
        assert bits(engine.run(program, delivery=delivery)) == first, delivery
        assert bits(Engine(tangle(), shape).run(program, delivery=delivery)) == first, delivery


@pytest.mark.parametrize(
    ("program", "device"), agreement.in_turn([Nearest(), Averaging()], by=2), indirect=["device"]
)
def test_deliveries_agree_bit_for_bit(program, device):
    """`slots`, `pull` and `outbox` add floats up in one order; of the least there is but one."""
    engine = Engine(tangle(), device)
    summed = isinstance(program, Averaging)
    able = ("slots", "pull", "outbox") if summed else admitted(program)
    found = {d: bits(engine.run(program, delivery=d)) for d in able}
    assert len({tuple(x) for x in found.values()}) == 1, program


def test_without_order_a_sum_is_nearly_the_same():
    anyhow = Engine(tangle(), deterministic=False)
    expected = Engine(tangle()).run(Averaging(dtype="float64")).x
    for delivery in ("push", "edges"):
        result = anyhow.run(Averaging(dtype="float64"), delivery=delivery)
        assert np.abs(result.x - expected).max() < 1e-15


# Deliveries of one's own -------------------------------------------------------------------------


@pytest.fixture(params=TOYS)
def toy(request: pytest.FixtureRequest, monkeypatch) -> Iterator[str]:
    """A delivery that gascl knows nothing of, and only that one, for the checks of programs."""
    name = request.param

    def expected(program, *args):
        takes = expected_deliveries(program, *args)
        if takes == {"serial"}:  # which nothing else can take
            return {"serial"}
        lanes = args[-1]
        combines = program.gather is None and program.grouping is None
        admitted = {
            "by_frontier": "push" in takes,
            "by_bits": combines and lanes == 1,
        }
        return {name} if admitted.get(name, combines) else set()

    monkeypatch.setattr(agreement, "DELIVERIES", (name,))
    monkeypatch.setattr(agreement, "expected_deliveries", expected)
    with registered(name):
        yield name
    assert name not in DELIVERIES


@pytest.mark.parametrize(
    ("name", "device", "toy"),
    thinned(SPECIAL_PROGRAMS, agreement.GROUPS, TOYS, by=12),
    indirect=["device", "toy"],
)
@pytest.mark.filterwarnings("ignore:.*no edge field")
def test_a_toy_on_every_special_graph(device, toy, name):
    agreement.check(device, SPECIAL_PROGRAMS[name], SPECIAL.values(), 8)


#: Of the recipes of random programs: sums, to anyone, lanes, arc state, structs, vectors, masks.
NUMBERS = (1, 10, 13, 44, 2, 3, 4, 8, 14, 16, 17)
#: Three that are soon drawn and built by one or two of the deliveries, so that each has one; slow,
#: all by all.
NUMBERS_BY_TOY = [
    pytest.param(number, toy, marks=[] if quick else pytest.mark.slow)
    for place, number in enumerate(NUMBERS)
    for which, toy in enumerate(TOYS)
    for quick in [place < 3 and which % 3 == place]
]


@pytest.mark.parametrize(("number", "toy"), NUMBERS_BY_TOY, indirect=["toy"])
@pytest.mark.filterwarnings("ignore:.*no edge field")
def test_a_toy_on_random_programs(toy, number):
    group = (1, 8)[number % 2]
    agreement.check_case(agreement.find_device(group), drawn(number, group))


def test_a_toy_is_one_of_them(monkeypatch):
    turn_at(SHARES, monkeypatch)
    with registered("backwards"):
        engine = Engine(bulge())
        result = engine.run(Levels(), delivery="backwards")
        assert result.level.tolist() == engine.run(Levels()).level.tolist()
        assert result.delivery == "backwards"
        assert "backwards" in admitted(Levels())
        assert {s.delivery for s in engine.run(Levels()).trace} == {"push", "pull"}
        single = type("Single", (Levels,), {"combine": None, "gather": "msg = messages[0];"})()
        words = "delivery 'backwards' cannot run Single: it keeps no single messages; use one of: "
        with pytest.raises(ProgramError, match=re.escape(words + "slots, serial")):
            engine.run(single, delivery="backwards")
    with pytest.raises(ProgramError, match="no delivery 'backwards'; known: auto, slots"):
        Engine(bulge()).run(Levels(), delivery="backwards")  # an engine keeps its prepared runs


@pytest.mark.parametrize(
    ("group", "cut"),
    [
        *((1, TAIL), (8, TAIL + 1)),
        *(
            pytest.param(g, c, marks=pytest.mark.slow)
            for g, c in ((1, 1), (8, 1), (8, TAIL), (1, TAIL + 1))
        ),
    ],
)
@pytest.mark.parametrize("toy_name", ["by_frontier", "by_bits"])
@pytest.mark.parametrize("other", one_in(3, ["push", "edges", "pull"]))
def test_a_toy_delivery_continues_states_of_others_and_they_its_own(group, other, toy_name, cut):
    """Masks, frontiers and messages under way pass from each form to each."""
    with registered(toy_name):
        engine = Engine(bulge(), Device(find().cl, group))
        expected = engine.run(Ahead(), delivery="serial")
        for first, then in ((toy_name, other), (other, toy_name)):
            begun = engine.run(
                Ahead(),
                delivery=first,
                max_supersteps=cut,
                keep_state=True,
                not_converged="ignore",
            )
            result = engine.run(Ahead(), delivery=then, state=begun.state)
            assert result.level.tolist() == expected.level.tolist()
            assert result.told.tolist() == expected.told.tolist()
            trace = [*begun.trace, *result.trace]
            columns = [(s.superstep, s.active, s.messages) for s in trace]
            assert columns == [(s.superstep, s.active, s.messages) for s in expected.trace]


class Rotating(VertexProgram):
    """All scatter in every superstep, and the mask only says whose value counts twice."""

    x = vertex.int32(init="v.id % 7")
    supersteps = param.supersteps(4)
    scatter_on = "all"
    message, combine = "int32", "max"
    scatter = "send(v.x);"
    apply = "v.x = (msg + (get_mask() ? 2 : 1)) % 100; if (v.x % 3) set_mask();"


@pytest.mark.parametrize("cut", [None, 2])
def test_a_sparse_toy_where_all_scatter(cut):
    with registered("by_frontier"):
        engine = Engine(bulge())
        expected = engine.run(Rotating(), delivery="serial")
        if cut is None:
            result = engine.run(Rotating(), delivery="by_frontier")
        else:
            begun = engine.run(Rotating(supersteps=cut), delivery="by_frontier", keep_state=True)
            result = engine.run(
                Rotating(supersteps=4 - cut), delivery="by_frontier", state=begun.state
            )
        assert result.x.tolist() == expected.x.tolist()


def test_a_toy_names_lines_and_overflows():
    with registered("by_arcs"):
        engine = Engine(bulge())
        wrong = type("Wrong", (Levels,), {"scatter": "send(told_of(-1));"})()
        with pytest.raises(ProgramError, match=r"^Wrong\.scatter:1: .*vertex 0 used an id"):
            engine.run(wrong, delivery="by_arcs")
        names = {
            "combine": "sum",
            "scatter": "send(1 << 30);",
            "apply": "v.told = msg; set_mask();",
        }
        much = type("Much", (Levels,), names)()
        with pytest.raises(Exception, match=f"vertex {TAIL + WIDTH} overflowed int32"):
            engine.run(much, delivery="by_arcs")
