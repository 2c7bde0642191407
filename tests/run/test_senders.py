"""A run whose mask is not as expected begins again by another delivery."""

from __future__ import annotations

import numpy as np
import pytest
from support.admitting_deliveries import demand_of

from gascl import Engine, VertexProgram, aggregate, generators, param, uniform, vertex
from gascl.delivery.cost import Size, costs_of
from gascl.run import senders, supersteps
from gascl.run.senders import Senders


class SomeSums(VertexProgram):
    """In each superstep, other vertices send, one of so many. Since apply asks for the mask, no
    delivery follows the frontier."""

    supersteps = param.supersteps(40)
    every = param.int32(1000)
    x = vertex.real(init="1 + v.id % 8")

    message, combine = "real", "sum"
    apply_on = "all"
    ends = "stop"
    mask = "uniform(3, v.id, 0) * p.every < 1"
    scatter = "send(v.x);"
    apply = """
        v.x = 1 + v.id % 8 + msg / 64 + 0 * get_mask();
        if (uniform(3, v.id, superstep + 1) * p.every < 1)
            set_mask();
    """


class Measured(SomeSums):
    """The order in which floats are aggregated depends on the delivery."""

    total = aggregate.float64("sum")
    apply = SomeSums.spec.snippets["apply"].text + "aggregate_total(v.x);"


#: Too large for a single launch.
GRAPH = generators.rmat(13, seed=5)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Runs begin again although they take no time, and are watched from their first supersteps."""
    monkeypatch.setattr(senders, "BUILDING", 0.0)
    monkeypatch.setattr(supersteps, "_FIRST_BATCH", {"CPU": 1})


def expected(every: int) -> np.ndarray:
    ids, adjacency = np.arange(GRAPH.num_vertices), np.zeros(GRAPH.num_vertices)
    own = x = 1.0 + ids % 8
    for superstep in range(40):
        sent = np.where(uniform(3, ids, superstep) * np.float32(every) < 1, x, 0)
        heard = np.bincount(GRAPH.edge_dst, sent[GRAPH.edge_src], len(adjacency))
        x = own + heard / 64
    return x


def test_a_run_begins_again():
    engine = Engine(GRAPH)
    assert engine.explain(SomeSums()).runs[0].delivery == "outbox"
    first = engine.run(SomeSums())
    again = engine.run(SomeSums())
    for result in (first, again):
        assert result.delivery == "slots"
        assert result.supersteps == len(result.trace) == 40
        assert np.allclose(result.x, expected(1000), rtol=1e-5)
    assert any("began again by slots" in note for note in first.trace.notes)
    assert not again.trace.notes
    (run,) = engine.explain(SomeSums()).runs
    assert "of the arcs" in run.why and "outbox" in run.not_chosen
    # A run of the same program with other messages: `auto` changes its mind.
    many = engine.run(SomeSums(every=2))
    assert many.delivery == "outbox"
    assert np.allclose(many.x, expected(2), rtol=1e-5)
    by_name = [engine.run(SomeSums(), delivery=name) for name in ("outbox", "pull", "slots")]
    for result in (first, again, *by_name):
        assert result.x.tobytes() == first.x.tobytes()


def test_runs_do_not_change_from_one_to_the_other_for_ever():
    """Each delivery is left once at most, however many messages later runs have."""
    engine = Engine(GRAPH)
    every = [1000, 2, 1000, 2, 1000, 2]
    results = [engine.run(SomeSums(every=each)) for each in every]
    assert [result.delivery for result in results] == ["slots"] + ["outbox"] * 5
    assert [len(result.trace.notes) for result in results] == [1, 1, 0, 0, 0, 0]
    for each, result in zip(every, results, strict=True):
        assert np.allclose(result.x, expected(each), rtol=1e-5)
    (run,) = engine.explain(SomeSums()).runs
    assert run.delivery == "outbox" and "of the arcs" in run.why


def test_a_run_that_does_not_begin_again():
    engine = Engine(GRAPH)
    kept = engine.run(SomeSums(), keep_state=True)
    assert kept.delivery == "slots"
    engine = Engine(GRAPH)
    assert engine.run(Measured()).delivery == "outbox"
    assert engine.run(SomeSums(), delivery="outbox").delivery == "outbox"
    seen = []
    assert engine.run(SomeSums(), callback=seen.append).delivery == "outbox"
    assert len(seen) == 40
    assert engine.run(SomeSums(every=2)).delivery == "outbox"


def test_when_it_pays(monkeypatch):
    monkeypatch.setattr(senders, "BUILDING", 0.5)
    size = Size(2**16, 2**21, 100)
    costs = costs_of(SomeSums(), demand_of(SomeSums()), size)
    few, slow = np.full(10, size.arcs / 1000), costs.seconds("outbox", 1e-3)
    ratio = costs.seconds("slots", 2**-10) / slow

    def decided(arcs: np.ndarray, seconds: float, supersteps: int | None, fits: bool = True) -> str:
        watched = Senders(costs, "outbox", ("slots", "pull"), supersteps, lambda name: fits)
        watched.see(arcs, seconds)
        return watched.better

    assert ratio < 0.4
    assert decided(few, 0.4, None) == ""  # too early
    assert decided(few, 10, None) == decided(few, 10, 100) == "slots"
    assert decided(few, 10, 10) == decided(few, 10, 11) == ""  # nothing, and too little is left
    assert decided(few, 10, None, fits=False) == ""
    assert decided(np.full(10, size.arcs / 2), 10, None) == ""
