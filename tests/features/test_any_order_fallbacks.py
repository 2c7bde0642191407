"""Where programs with order = "any" run in supersteps: `explain` says why; answers are the same."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from support.agreement import by_launches, find_device, find_joining_device

from gascl import Engine, Graph, ProgramError, VertexProgram, aggregate, edge, param, struct, vertex
from gascl.delivery.atomics import Atomics
from gascl.opencl.device import Device
from gascl.programs import Distances, ShortestPaths
from gascl.run.prepare import Setting, prepare

VERTICES, EDGES = 900, 4000


class Farthest(VertexProgram):
    """Distances from a vertex by whole weights, and the number of bits in each."""

    source = param.vertex(default=0)
    distance = vertex.int32(init="v.id == p.source ? 0 : INT_MAX")
    bits = vertex.int32()
    weight = edge.int32(default=1)

    message, combine = "int32", "min"
    order = "any"
    mask = "v.id == p.source"
    receive_if = "msg < v.distance"
    priority = "v.distance"
    scatter = "send(v.distance + e.weight);"
    apply = """
        v.distance = msg;
        v.bits = popcount(msg);
        set_mask();
    """


class Wide(Farthest):
    """Apply writes 12 bytes."""

    twice = vertex.int32()
    apply = Farthest.apply + "v.twice = 2 * msg;"


class Posting(Farthest):
    """Sends to any vertex."""

    scatter = "send_to(e.dst, v.distance + e.weight);"


class Looking(Farthest):
    """Reads what apply writes of others."""

    scatter = "if (v.distance + e.weight < distance_of(e.dst)) send(v.distance + e.weight);"


def graph() -> Graph:
    rng = np.random.default_rng(34)
    src, dst = rng.integers(0, VERTICES, (2, EDGES))
    weight = rng.integers(1, 40, EDGES)
    return Graph.from_edges(src, dst, num_vertices=VERTICES, weight=weight.astype(np.int32))


def lengths(graph: Graph) -> np.ndarray:
    """By SciPy; of parallel edges the shortest."""
    least: dict[tuple[int, int], int] = {}
    columns = graph.src, graph.dst, graph.edge_fields["weight"]
    for a, b, weight in np.stack(columns, axis=1).tolist():
        least[a, b] = min(weight, least.get((a, b), weight))
    places = np.array([*least]).T
    matrix = csr_array(([*least.values()], (places[0], places[1])), 2 * [graph.num_vertices])
    return dijkstra(matrix, indices=0)


class WithoutWideAtomics(Device):
    """Has no atomic operations on 64 bits."""

    atomics = Atomics()


def least_atomics() -> Device:
    return WithoutWideAtomics(find_device(1).cl, 1)


class Fallback(NamedTuple):
    """What is different about a run, and why it is made in supersteps; "" if that may change."""

    why: str
    cls: type[VertexProgram] = Farthest
    device: Callable[[], Any] = functools.partial(find_device, 1)
    settings: Mapping[str, Any] = MappingProxyType({})
    options: Mapping[str, Any] = MappingProxyType({})


FALLBACKS = {
    "a launch that is not resident": Fallback(
        "cannot wait for each other", device=lambda: by_launches(find_device(1))
    ),
    "no atomics on 64 bits": Fallback("no atomic operations on 64 bits", device=least_atomics),
    "groups of several items": Fallback("", device=lambda: find_device(8)),
    "streamed arcs": Fallback(
        "it cannot take the arcs of this program in parts", settings={"device_memory": "64 KiB"}
    ),
    "a checkpoint": Fallback("has checkpoint", options={"checkpoint": "run"}),
    "a callback": Fallback("has callback", options={"callback": repr}),
    "a limit": Fallback("has max_supersteps", options={"max_supersteps": 999}),
    "debug mode": Fallback("debug mode", settings={"debug": True}),
    "12 bytes": Fallback("12 bytes", Wide),
    "messages to any vertex": Fallback("", Posting),
    "fields of others": Fallback("", Looking),
}


@pytest.mark.parametrize("what", FALLBACKS)
def test_answers_and_reasons(what: str, tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    why, cls, device, settings, options = FALLBACKS[what]
    if what == "streamed arcs" and not find_device(1).is_cpu:
        pytest.skip("what a GPU needs besides the arcs is more than these take")
    device = device()
    engine = Engine(graph(), device, **settings)
    (explained,) = engine.explain(cls(), **options).runs
    result = engine.run(cls(), **options)
    assert result.delivery in (explained.delivery, "push", "pull")  # those of frontier
    if why:
        assert result.delivery != "asynchronous"
        reasons = [why, *(() if device.facts.can_join else ["cannot wait for each other"])]
        assert any(reason in explained.not_chosen["asynchronous"] for reason in reasons)
        assert f"not asynchronous: {explained.not_chosen['asynchronous']}" in str(explained)
    expected = lengths(engine.graph)
    reached = np.isfinite(expected)
    np.testing.assert_array_equal(result.distance[reached], expected[reached])
    assert (result.distance[~reached] == 2**31 - 1).all()
    assert result.bits[reached].tolist() == [int(x).bit_count() for x in expected[reached]]


def test_steps_and_lanes() -> None:
    engine = Engine(graph(), find_device(1))
    expected = lengths(engine.graph)
    steps = engine.steps(Distances(source=0))
    assert [step.superstep for step in steps] == [*range(len(steps.result.trace) + 1)]
    np.testing.assert_array_equal(steps.result.distance, expected)
    lanes = engine.run(Distances(source=[0, 5]))
    np.testing.assert_array_equal(lanes.distance[:, 0], expected)


def test_ranks() -> None:
    """Whose answers tests/distributed compares."""
    device = find_joining_device(1)
    prepared = prepare(Farthest(), graph(), device.facts, Setting(ranks=2))
    why = prepared.choice.others["asynchronous"]
    assert why == "the run has 2 ranks, and it does not run this program on several ranks"


def test_aggregators_are_refused() -> None:
    with pytest.raises(ProgramError, match="'changed' depends on how often apply runs, and"):

        class Counting(VertexProgram):
            label = vertex.int32(init="v.id")
            changed = aggregate.int64("sum")
            message, combine = "int32", "min"
            order = "any"
            scatter = "send(v.label);"
            apply = "if (msg < v.label) { v.label = msg; set_mask(); aggregate_changed(1); }"


def test_a_run_that_begins_again_says_so() -> None:
    loose = graph().with_edge_fields(weight=np.zeros(EDGES, np.float32))
    engine = Engine(loose, find_joining_device(1))
    result = engine.run(ShortestPaths(source=0))
    assert result.delivery == "push"
    (note,) = result.trace.notes
    why = "the order of messages matters for these values"
    assert note == f"the run began again in supersteps, since {why}"
    assert note in str(result.trace) and note in result.trace._repr_html_()
    (explained,) = engine.explain(ShortestPaths(source=0)).runs
    assert explained.delivery == "asynchronous"
    assert explained.supersteps.endswith("; by push, if it turns out that the order matters")


class Ties(VertexProgram):
    """The least number of arcs from vertex 0, and a vertex before, in one field."""

    Way = struct([("arcs", "int32"), ("before", "vertex")])
    way = vertex.struct(Way, init="(Way){v.id ? 9999 : 0, -1}")
    message, order = Way, "any"
    functions = """
        #define RANK(x) ((x).before * 37 % 64)
        #define BEFORE(a, b) ((a).arcs == (b).arcs && RANK(a) < RANK(b))
    """
    combine = "a.arcs < b.arcs || BEFORE(a, b) ? a : b"
    identity = "(Way){9999, 1}"
    mask = "v.id == 0"
    scatter = "send((Way){v.way.arcs + 1, v.id});"
    apply = """
        if (msg.arcs < v.way.arcs) {
            v.way = msg;
            set_mask();
        } else if (BEFORE(msg, v.way))
            v.way = msg;
    """


def test_the_note_says_why_a_run_began_again_that_called_no_needs_order() -> None:
    n = 64  # a vertex and its n neighbors, which all have the next ones in common
    ends = [(0, i) for i in range(1, n + 1)]
    ends += [(i, n + j) for i in range(1, n + 1) for j in range(1, n + 1)]
    result = Engine(Graph.from_edges(ends), find_joining_device(1)).run(Ties())
    best = min(range(1, n + 1), key=lambda v: v * 37 % 64)
    assert result.way["before"].tolist() == [-1] + [0] * n + [best] * n
    assert result.trace.notes == [
        "the run began again in supersteps, since apply changed a field that scatter or priority "
        "reads, and did not call set_mask()"
    ]


def test_an_explanation_has_an_estimate_and_rounds() -> None:
    (explained,) = Engine(graph(), find_joining_device(1)).explain(Farthest()).runs
    assert explained.delivery == "asynchronous"
    assert ": about 0." in explained.why and "if each vertex scatters once" in explained.why
    assert explained.supersteps.startswith("none, but rounds, all in one launch, since ")
    assert "needs_order" not in explained.supersteps
