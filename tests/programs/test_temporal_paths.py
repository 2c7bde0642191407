"""Paths in time against a serial search, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from support.admitting_deliveries import some_admitted
from support.verifiers.temporal_paths import verify

from gascl import Engine, Graph, GraphError
from gascl.programs import EarliestArrival, TemporalReachability


def run(graph: Graph, program: EarliestArrival, **options):
    result = Engine(graph).run(program, **options)
    verify(graph, result, program)
    return result


def trips() -> Graph:
    """By bus from b to c before one can be in b, and later; d is met before a is left."""
    return Graph.from_edges(
        [("a", "b"), ("b", "c"), ("b", "c"), ("c", "d"), ("d", "e")],
        time=np.array(
            ["2024-05-01T08:00", "2024-05-01T07:00", "2024-05-01T09:00", "2024-05-01T08:30", "NaT"],
            "M8[m]",
        ),
        duration=[1800, 60, 600, 60, 60],
    )


def test_by_hand():
    graph = trips()
    found = run(graph, TemporalReachability(source="a"))
    assert found.reached.tolist() == [1, 1, 1, 0, 0]
    arrives = found.arrival[1:3].astype("M8[s]").tolist()
    assert [str(each) for each in arrives] == ["2024-05-01 08:30:00", "2024-05-01 09:10:00"]
    assert run(graph, TemporalReachability(source="b")).reached.tolist() == [0, 1, 1, 1, 0]
    nine = int(np.datetime64("2024-05-01T09:00", "s").astype(int))
    assert run(graph, TemporalReachability(source="b", begin=nine)).reached.sum() == 2
    assert run(graph, TemporalReachability(source="a", end=nine)).reached.sum() == 2
    two = Engine(graph).run(EarliestArrival(source=["a", "b"]))
    assert (two.arrival[:, 0] == found.arrival).all()
    with pytest.raises(GraphError, match="duration must be 0 or more"):
        run(graph.with_edge_fields(duration=[-1] * 5), EarliestArrival(source="a"))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("longest", [0, 5])
def test_random_graphs(directed, longest):
    rng = np.random.default_rng(longest)
    for count, edges in ((1, 3), (30, 150), (200, 500)):
        graph = Graph.from_edges(
            *rng.integers(0, count, (2, edges)),
            num_vertices=count,
            directed=directed,
            time=rng.integers(-20, 60, edges),
            duration=rng.integers(0, longest + 1, edges),
        )
        program = TemporalReachability(source=0, begin=-10, end=50)
        for delivery in ("auto", *some_admitted(program)):
            run(graph, program, delivery=delivery)


def test_a_long_chain_a_star_and_other_names():
    n = 400
    chain = Graph.from_edges(np.arange(n), np.arange(n) + 1, at=np.arange(n))
    assert run(chain.with_edge_fields(time="at"), EarliestArrival(source=0)).arrival[-1] == n - 1
    assert Engine(chain).run(EarliestArrival(source=0, time="at")).arrival[-1] == n - 1
    late = chain.with_edge_fields(time=np.arange(n)[::-1].copy())
    assert run(late, TemporalReachability(source=0)).reached.sum() == 2
    star = Graph.from_edges(np.zeros(5000, int), np.arange(1, 5001), time=np.arange(5000))
    assert run(star, TemporalReachability(source=0, begin=4000)).reached.sum() == 1001


def test_an_arrival_beyond_the_greatest_time_is_never():
    late = Graph.from_edges([0], [1], time=np.array([2**62]), duration=np.array([2**62]))
    assert Engine(late).run(EarliestArrival(source=0)).arrival.tolist() == [0, 2**63 - 1]
