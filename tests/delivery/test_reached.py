"""Delivery `reached`: what the frontier reaches pulls, so that sums of reals follow it, too."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from gascl import Engine, Graph, VertexProgram, struct, vertex
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find
from gascl.run import loaded_program, supersteps


class Paths(VertexProgram):
    """What comes from vertex 0 on shortest paths, in thirds, so that sums are rounded."""

    depth = vertex.int32(init="v.id == 0 ? 0 : -1")
    paths = vertex.float32(init="v.id == 0 ? 1 / 3.0f : 0")
    message, combine = "float32", "sum"
    mask = "v.id == 0"
    scatter = "send(v.paths * (1 + e.id % 3) / 2);"
    receive_if = "v.depth < 0"
    apply = "v.depth = superstep + 1; v.paths = msg; set_mask();"


class Nearest(VertexProgram):
    """Messages of 16 bytes, for which the inbox has no room."""

    message = struct([("depth", "int64"), ("parent", "int64")])
    combine = "a.depth < b.depth || (a.depth == b.depth && a.parent < b.parent) ? a : b"
    identity = "(message){LONG_MAX, LONG_MAX}"
    depth = vertex.int64(init="v.id == 0 ? 0 : LONG_MAX")
    parent = vertex.int64(init=-1)
    mask = "v.id == 0"
    scatter = "send((message){v.depth + 1, v.id});"
    apply = "if (msg.depth < v.depth) { v.depth = msg.depth; v.parent = msg.parent; set_mask(); }"


def path(vertices: int) -> Graph:
    return Graph.from_edges(*zip(*pairwise(range(vertices)), strict=True), directed=False)


def star(leaves: int) -> Graph:
    """A leaf is the source: the hub is reached from one of its many arcs."""
    return Graph.from_edges(
        np.full(leaves, leaves // 2), np.delete(np.arange(leaves + 1), leaves // 2), directed=False
    )


def uniform(vertices: int, edges: int) -> Graph:
    ends = np.random.default_rng(7).integers(0, vertices, (2, edges))
    return Graph.from_edges(*ends, num_vertices=vertices, directed=False)


GRAPHS = {"path": path(300), "star": star(3000), "uniform": uniform(500, 1500)}


def levels(graph: Graph) -> np.ndarray:
    """The depths of breadth-first search from vertex 0; -1 where it does not come."""
    neighbors: list[set[int]] = [set() for _ in range(graph.num_vertices)]
    for a, b in zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True):
        neighbors[a].add(b)
        neighbors[b].add(a)
    depth = np.full(graph.num_vertices, -1)
    level, frontier = 0, {0}
    while frontier:
        depth[list(frontier)] = level
        level += 1
        frontier = {w for v in frontier for w in neighbors[v] if depth[w] < 0}
    return depth


@pytest.mark.parametrize("group", [1, 8])
@pytest.mark.parametrize("name", GRAPHS)
def test_values_and_ways(name, group, monkeypatch):
    graph = GRAPHS[name]
    engine = Engine(graph, Device(find().cl, group))
    depth = levels(graph)
    monkeypatch.setattr(loaded_program, "pull_bounds", lambda *_: (2**62, 2**62))
    result = engine.run(Paths(), delivery="reached")
    assert {step.delivery for step in result.trace} == {"reached"}
    np.testing.assert_array_equal(result.depth, depth)
    expected = engine.run(Paths(), delivery="serial")
    np.testing.assert_allclose(result.paths, expected.paths, rtol=1e-5)
    active = [(step.active, step.messages) for step in result.trace]
    assert active == [(step.active, step.messages) for step in expected.trace]
    nearest = engine.run(Nearest(), delivery="reached")
    np.testing.assert_array_equal(nearest.depth[depth >= 0], depth[depth >= 0])
    tree = np.flatnonzero(depth > 0)
    np.testing.assert_array_equal(depth[nearest.parent[tree]], depth[tree] - 1)


def test_runs_repeat_bit_for_bit():
    graph = uniform(2000, 20_000)
    runs = [Engine(graph).run(Paths(), delivery="reached").paths.tobytes() for _ in range(20)]
    assert len(set(runs)) == 1


@pytest.mark.parametrize("program", [Paths(), Nearest()])
def test_auto_takes_it_where_a_frontier_cannot_be_posted(program):
    engine = Engine(path(3000))
    result = engine.run(program)
    assert result.delivery == "reached"
    np.testing.assert_array_equal(result.depth, np.arange(3000))
    assert "reached" in str(engine.explain(program))


def test_a_run_goes_on_from_another_delivery_and_back():
    engine = Engine(GRAPHS["uniform"])
    expected = engine.run(Paths(), delivery="pull").paths
    for first, then in (("reached", "pull"), ("pull", "reached"), ("slots", "reached")):
        options = {"max_supersteps": 2, "keep_state": True, "not_converged": "ignore"}
        begun = engine.run(Paths(), delivery=first, **options)
        result = engine.run(Paths(), delivery=then, state=begun.state)
        np.testing.assert_allclose(result.paths, expected, rtol=1e-5)


def test_debug_mode_takes_a_delivery_that_it_can_shuffle():
    result = Engine(GRAPHS["path"], debug=True).run(Paths())
    assert result.delivery not in ("reached", "frontier", "push")


class Lengths(VertexProgram):
    """The length of a path, sent along it, and in each superstep to a hub besides."""

    length = vertex.float32(init=0)
    message, combine = "float32", "sum"
    mask = "v.id == 1"
    scatter = "send(v.length + 1);"
    apply = "v.length = msg; if (v.id) set_mask();"


def test_rows_of_hubs_count_as_work_of_a_launch(monkeypatch):
    """The host can react to Ctrl-C only between launches."""
    on_path, launches = np.arange(1, 5000), []
    path, hub = (on_path[:-1], on_path[1:]), (on_path, np.zeros_like(on_path))
    run = supersteps.Loop._run_persistent
    monkeypatch.setattr(supersteps, "_MOST_WORK", dict.fromkeys(("CPU", "GPU"), 40))
    monkeypatch.setattr(loaded_program, "pull_bounds", lambda *_: (2**62, 2**62))
    monkeypatch.setattr(
        supersteps.Loop, "_run_persistent", lambda *args: (launches.append(1), run(*args))[1]
    )
    engine = Engine(Graph.from_edges(*np.concatenate((path, hub), axis=1), directed=True))
    result = engine.run(Lengths(), delivery="reached", max_supersteps=64, not_converged="ignore")
    np.testing.assert_array_equal(result.length[:66], [64, 0, *range(1, 65)])
    assert len(launches) > 6  # of 40 supersteps each, there would be two
