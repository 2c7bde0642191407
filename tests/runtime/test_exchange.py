"""The end of a superstep in two steps, with an exchange between parts in between."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest
from support.resumes import same_result

from gascl import Engine, GasclError, Graph, VertexProgram, aggregate, param, vertex
from gascl.result import Result
from gascl.runtime import engine as engine_module
from gascl.runtime.device import Device, find
from gascl.runtime.exchange import Exchange, Totals
from gascl.runtime.loop import Loop
from gascl.runtime.state import State

pytestmark = pytest.mark.usefixtures("poisoned")

GROUPS = [pytest.param(g, id=f"group{g}") for g in (1, 8)]
V = 40


class Launches(Device):
    """A device that makes no whole runs, in which nothing could be exchanged."""

    can_join = False


def exchanged(monkeypatch, group: int, program: VertexProgram, exchange: Exchange, **how) -> Result:
    """What a run comes to whose loop is given an exchange."""
    with monkeypatch.context() as patch:
        patch.setattr(engine_module, "Loop", functools.partial(Loop, exchange=exchange))
        return Engine(graph(), Launches(find().cl, group)).run(program, **how)


@functools.cache
def graph() -> Graph:
    """A path through all, and chords."""
    src = [*range(V - 1), *range(0, V - 9, 4)]
    dst = [*range(1, V), *range(9, V, 4)]
    return Graph.from_edges(src, dst[: len(src)])


class Counting(VertexProgram):
    """Sums, a mean and a rule over them."""

    x = vertex.real(init="1 + v.id % 3")
    seen = aggregate.int64("sum")
    mean = aggregate.real("mean")
    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.x / v.out_degree);"
    apply = "v.x = 0.5f + msg / 2; aggregate_seen(1); aggregate_mean(v.x);"
    stop = "superstep == 6"


class Ahead(VertexProgram):
    """Masks, and messages that are under way between two supersteps."""

    level = vertex.int32(init="v.id == 0 ? 0 : -1")
    message, combine = "int32", "min"
    mask = "v.id == 0"
    scatter = "send(v.level + 1);"
    apply = """
        if (v.level < 0) {
            v.level = msg;
            set_mask();
            if (v.id % 5 == 0)
                send_to(v.id * 7 % g.num_vertices, v.level + 2);
        }
    """


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize(
    ("program", "delivery"),
    [
        (Counting(), "outbox"),
        (Counting(), "slots"),
        (Ahead(), "push"),
        (Ahead(), "pull"),
        (Ahead(), "auto"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_an_exchange_that_changes_nothing(monkeypatch, program, delivery, group):
    """One call before the first superstep and one in each; and all is as without."""
    calls = []

    def nothing(state: State, totals: Totals) -> Totals:
        calls.append(totals.active)
        return totals

    alone = Engine(graph(), Device(find().cl, group)).run(program, delivery=delivery)
    result = exchanged(monkeypatch, group, program, nothing, delivery=delivery)
    same_result(result, alone)
    assert [s.delivery for s in result.trace] == [s.delivery for s in alone.trace]
    assert len(calls) == result.supersteps + 1
    if isinstance(program, Ahead):  # each superstep's mask is what the one before came to
        assert calls[:-1] == [s.active for s in alone.trace]


class Tallying(VertexProgram):
    """Each vertex counts itself; as many as two graphs have are enough."""

    x = vertex.int32()
    seen = aggregate.int64("sum")
    supersteps = param.int32(9)
    message, combine = "int32", "max"
    scatter_on = apply_on = "all"
    scatter = "send(1);"
    apply = "v.x += 1; aggregate_seen(superstep);"
    stop = f"agg.seen >= {3 * V + 7}"


@pytest.mark.parametrize("group", GROUPS)
def test_what_another_part_counts_is_in_the_aggregates(monkeypatch, group):
    """By itself the sum is V times the superstep and the rule holds in superstep 4; with V + 7
    more, in superstep 2."""

    def another(state: State, totals: Totals) -> Totals:
        tally = totals.tally.copy()
        tally["sums"]["seen"] += V + 7
        tally["messages"] += 1000
        return replace(totals, tally=tally)

    alone = Engine(graph(), Device(find().cl, group)).run(Tallying())
    assert [s.aggregates["seen"] for s in alone.trace] == [0, V, 2 * V, 3 * V, 4 * V]
    result = exchanged(monkeypatch, group, Tallying(), another)
    assert [s.aggregates["seen"] for s in result.trace] == [V + 7, 2 * V + 7, 3 * V + 7]
    assert [s.messages for s in result.trace] == [graph().num_arcs + 1000] * 3
    assert result.converged and (result.x == 3).all()


@pytest.mark.parametrize("delivery", ["push", "pull"])
def test_a_run_goes_on_while_another_part_is_active(monkeypatch, delivery):
    """The whole is done when no part's mask holds a vertex, or a message is under way."""
    calls = []

    def active_elsewhere(state: State, totals: Totals) -> Totals:
        calls.append(totals)
        late = len(calls)
        if late <= V + 5:  # a mask there, then only a message under way
            return replace(totals, active=totals.active + 1)
        return replace(totals, under_way=late == V + 6)

    result = exchanged(monkeypatch, 1, Ahead(), active_elsewhere, delivery=delivery)
    assert result.stopped == "no vertex is active and no message is pending"
    assert result.supersteps == V + 6
    assert [s.active for s in result.trace][-2:] == [1, 0]
    alone = Engine(graph()).run(Ahead())
    assert alone.supersteps < V
    assert result.level.tolist() == alone.level.tolist()


def test_a_fault_in_another_part_ends_the_run(monkeypatch):
    class Sum(Ahead):
        combine = "sum"

    def overflown(state: State, totals: Totals) -> Totals:
        assert totals.overflow == np.iinfo(np.int32).max
        return replace(totals, overflow=7)

    with pytest.raises(GasclError, match="a message at vertex 7 overflowed int32"):
        exchanged(monkeypatch, 1, Sum(), overflown)


def test_an_exchange_reads_and_writes_the_state(monkeypatch):
    """As parts tell each other what their vertices hold."""
    from gascl.delivery.runspec import VERTEX, Key

    def ten_more(state: State, totals: Totals) -> Totals:
        values = state.read(Key(VERTEX, "x"), np.empty(V, np.int32))
        state.write(Key(VERTEX, "x"), values + 10)
        return totals

    result = exchanged(monkeypatch, 1, Tallying(), ten_more)
    # Once before the first of the 5 supersteps, too.
    assert (result.x == 5 + 6 * 10).all()
