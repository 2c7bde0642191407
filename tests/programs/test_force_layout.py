"""Layouts: positions against the model in NumPy, and what they look like."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import networkx
import numpy as np
import pytest
from support.admitting_deliveries import some_admitted
from support.bundled import verified_run as run
from support.samples import grid, random_graph
from support.verifiers.force_layout import verify

from gascl import Engine, Graph, ProgramError, generators
from gascl.programs import ForceLayout
from gascl.programs.force_layout import Forces


def start(graph: Graph, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 3, (graph.num_vertices, 2))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("samples", [64, 3])
def test_trajectories(directed, samples):
    """All pairs, and samples; some edges are loops or parallel, and some vertices have none."""
    graph = random_graph(5, directed=directed, edges=150)
    values = {"position": start(graph), "samples": samples, "seed": 7, "gravity": 0.5}
    for supersteps in (0, 1, 2, 10):
        for dtype in ("float64", "float32"):
            if dtype == "float32" and supersteps > 2:
                continue  # their rounding grows
            run(graph, ForceLayout(**values, supersteps=supersteps, dtype=dtype))


def test_by_hand():
    """Two neighbors at distance 2 on a line: they pull with 4, and repel with 1/4."""
    program = ForceLayout(position=[[0, 0], [2, 0]], gravity=0, supersteps=1, dtype="float64")
    graph = Graph.from_edges([0], [1])
    assert run(graph, program).position.tolist() == [[0.1, 0], [1.9, 0]]  # no farther than heat
    close = [[0, 0], [1.01, 0]]
    program = ForceLayout(position=close, gravity=0, supersteps=1, dtype="float64")
    force = 1.01**2 - 1 / 1.01**2
    assert run(graph, program).position == pytest.approx(np.array([[force, 0], [1.01 - force, 0]]))


def test_two_neighbors_come_to_rest_at_distance_1():
    position = run(Graph.from_edges([0], [1]), ForceLayout(gravity=0)).position
    assert np.linalg.norm(position[0] - position[1]) == pytest.approx(1, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("supersteps", [0, 3])
def test_deliveries_and_debug_mode_agree(supersteps):
    graph = random_graph(3, directed=True)
    first = run(graph, ForceLayout(supersteps=supersteps))
    assert run(graph, ForceLayout(supersteps=supersteps)).position.tobytes() == (
        first.position.tobytes()
    ), "a run repeats"
    for delivery in some_admitted(Forces()):
        again = run(graph, ForceLayout(supersteps=supersteps), delivery=delivery)
        assert again.position == pytest.approx(first.position, abs=1e-3)
    checked = Engine(graph, debug=True).run(ForceLayout(supersteps=supersteps))
    assert checked.position == pytest.approx(first.position, abs=1e-3)


def test_a_grid_is_unrolled():
    """Neighbors are near each other, and opposite corners as far apart as can be."""
    graph = grid(20, 20)
    position = run(graph, ForceLayout()).position
    edges = np.linalg.norm(position[graph.edge_src] - position[graph.edge_dst], axis=1)
    apart = np.linalg.norm(position - position[0], axis=1)
    assert edges.max() < 3 * edges.mean()
    assert apart.argmax() == len(apart) - 1 and apart.max() > 20 * edges.mean()


def test_communities_are_apart():
    graph = generators.stochastic_block_model([40, 40, 40], (0.4, 0.01), seed=1)
    position, group = run(graph, ForceLayout()).position, graph.vertex_fields["community"]
    middle = np.stack([position[group == each].mean(axis=0) for each in range(3)])
    nearest = np.linalg.norm(position[:, None] - middle, axis=2).argmin(axis=1)
    assert np.mean(nearest == group) > 0.95


def test_small_and_disconnected_ones():
    for count in (0, 1, 2, 5):
        graph = Graph.from_edges([], [], num_vertices=count)
        position = run(graph, ForceLayout()).position
        assert len(np.unique(position, axis=0)) == count
    path = Graph.from_edges(range(9), range(1, 10), num_vertices=300, directed=False)
    position = run(path, ForceLayout()).position
    assert len(np.unique(position, axis=0)) == 300
    far = np.linalg.norm(position, axis=1)
    assert far.max() < 20 * far[:10].max(), "single vertices do not fly away"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_components_are_apart(seed):
    """Also those that forces alone leave in each other, such as two of the same size."""
    rng = np.random.default_rng(seed)
    sizes = [60, 60, *rng.integers(1, 12, 30)]
    first = np.cumsum([0, *sizes[:-1]])
    ends = [rng.integers(0, n, (2, 2 * n)) + at for n, at in zip(sizes, first, strict=True)]
    graph = Graph.from_edges(*np.concatenate(ends, axis=1), num_vertices=sum(sizes))
    position = run(graph, ForceLayout()).position
    parts = networkx.connected_components(graph.to_networkx().to_undirected())
    placed = [position[sorted(part)] for part in parts]
    boxes = [(each.min(axis=0), each.max(axis=0)) for each in placed]
    for (low, high), (other_low, other_high) in combinations(boxes, 2):
        gap = np.maximum(low - other_high, other_low - high).max()
        assert gap >= 1, "as far as neighbors"
    span = np.ptp(position, axis=0)
    assert 0.4 < span[0] / span[1] < 2.5
    given = run(graph, ForceLayout(position=position, supersteps=0)).position
    assert given.tolist() == position.tolist(), "given places are kept"


def test_what_is_refused():
    graph = Graph.from_edges([0], [1])
    with pytest.raises(ProgramError, match="coordinates are numbers between -1e6 and 1e6"):
        Engine(graph).run(ForceLayout(position=[[0, 0], [np.nan, 0]]))


def test_the_verifier_refuses_wrong_positions():
    graph = random_graph(2, directed=False)
    program = ForceLayout(position=start(graph), supersteps=2, dtype="float64")
    result = run(graph, program)
    wrong = result.position.copy()
    wrong[7, 1] += 1e-3
    with pytest.raises(AssertionError, match="off by"):
        verify(graph, replace(result, fields={"position": wrong}), program)
    board = Engine(grid(8, 8)).run(ForceLayout())
    apart = [[1000.0 * ((row + column) % 2), 0] for row in range(8) for column in range(8)]
    with pytest.raises(AssertionError, match="no nearer"):
        verify(grid(8, 8), replace(board, fields={"position": np.array(apart)}), ForceLayout())
