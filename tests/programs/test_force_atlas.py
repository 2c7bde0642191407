"""ForceAtlas2: against NetworkX's own function, and against sums over all pairs in NumPy."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.admitting_deliveries import some_admitted
from support.samples import random_graph

from gascl import Engine, Graph, GraphError, generators
from gascl.programs import ForceLayout
from gascl.programs.force_atlas import ForceAtlas, NearAndFar

# of a vertex's distance from itself, in NetworkX
pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in divide:RuntimeWarning")

#: Keywords of NetworkX's function, and those of the program with the same meaning.
OPTIONS = [
    ({}, {}),
    ({"gravity": 3.0, "scaling_ratio": 0.5}, {"gravity": 3, "scaling": 0.5}),
    ({"strong_gravity": True, "jitter_tolerance": 0.3}, {"strong": True, "jitter": 0.3}),
    ({"linlog": True}, {"logarithmic": True}),
    ({"distributed_action": True}, {"divided": True}),
    ({"node_size": {3: 0.2}}, {"sized": True}),
]


def start(graph: Graph, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 3, (graph.num_vertices, 2))


@pytest.mark.parametrize(("theirs", "ours"), OPTIONS, ids=lambda given: " ".join(given))
def test_positions_are_those_of_networkx(theirs, ours):
    """Directed, with loops and parallel edges, whose weights differ."""
    rng = np.random.default_rng(4)
    ends, weight = rng.integers(0, 20, (2, 60)), rng.uniform(0.5, 2, 60)
    G = nx.MultiDiGraph()
    G.add_nodes_from(range(22))
    G.add_weighted_edges_from(zip(*ends.tolist(), weight.tolist(), strict=True))
    graph = Graph.from_edges(*ends, num_vertices=22, weight=weight)
    at = start(graph)
    size = np.ones(22)
    size[3] = 0.2
    for iterations in (0, 1, 4):
        expected = nx.forceatlas2_layout(
            G, pos=dict(enumerate(at)), max_iter=iterations, weight="weight", **theirs
        )
        mass = [G.degree(node) + 1 for node in G]
        program = ForceAtlas(
            iterations=iterations, position=at, mass=mass, size=size, dtype="float64", **ours
        )
        found = Engine(graph.reversed()).run(program)
        assert found.converged
        assert found.position == pytest.approx(np.array(list(expected.values())), rel=1e-7)


def test_two_neighbors_come_to_rest():
    """The pull d is the push 2 * 2 * 2 / d, without gravity."""
    program = ForceAtlas(
        gravity=0, iterations=3000, position=[[0, 0], [1, 0.5]], mass=[2, 2], dtype="float64"
    )
    result = Engine(Graph.from_edges([0], [1], directed=False)).run(program)
    assert result.converged and result.supersteps < 6000
    assert np.linalg.norm(result.position[0] - result.position[1]) == pytest.approx(8**0.5)


def forces(graph: Graph, at: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Those of the first iteration, where edges pull both ends, (V, 2)."""
    d = at[:, None] - at[None]
    square = (d**2).sum(axis=2)
    np.fill_diagonal(square, 1)
    found = ((2 * np.outer(mass, mass) / square)[:, :, None] * d).sum(axis=1)
    for u, v, weight in zip(
        graph.edge_src, graph.edge_dst, graph.edge_fields["weight"], strict=True
    ):
        found[u] += weight * (at[v] - at[u])
        found[v] += weight * (at[u] - at[v])
    return found - 0.5 * mass[:, None] * (at - at.mean(axis=0))


@pytest.mark.parametrize("directed", [True, False])
def test_groups_that_are_far_away_repel_as_one(directed):
    rng = np.random.default_rng(3)
    ends = rng.integers(0, 700, (2, 2000))
    graph = Graph.from_edges(*ends, num_vertices=700, directed=directed, weight=rng.random(2000))
    at, mass = start(graph), rng.integers(1, 9, 700).astype(float)
    values = {"gravity": 0.5, "iterations": 1, "position": at, "mass": mass, "dtype": "float64"}
    expected = forces(graph, at, mass)
    engine = Engine(graph)
    scale = np.abs(expected).max()
    assert np.allclose(engine.run(NearAndFar(**values, angle=0)).force, expected, rtol=1e-9)
    force = engine.run(NearAndFar(**values)).force
    error = np.abs(force - expected).max() / scale
    assert 1e-9 < error < 0.03


def test_communities_are_apart():
    """Nearer to each other, in proportion to the others, than by the law of distances."""
    graph = generators.stochastic_block_model([40, 40, 40], (0.4, 0.01), seed=1)
    group = graph.vertex_fields["community"]

    def inside(law: str) -> float:
        at = Engine(graph).run(ForceLayout(law=law)).position
        middle = np.stack([at[group == each].mean(axis=0) for each in range(3)])
        far = np.linalg.norm(at[:, None] - middle, axis=2)
        assert (far.argmin(axis=1) == group).mean() > 0.95
        return float(far.min(axis=1).mean() / far.mean())

    assert inside("forceatlas2") < 0.8 * inside("distances")


def test_heavy_edges_are_short():
    ends = [0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0]
    ring = Graph.from_edges(*ends, weight=[9, 1, 1, 9, 1, 1])
    at = Engine(ring).run(ForceLayout(law="forceatlas2")).position
    far = np.linalg.norm(at[ring.edge_src] - at[ring.edge_dst], axis=1)
    assert far[[0, 3]].max() < 0.5 * far[[1, 2, 4, 5]].min()
    assert far.mean() == pytest.approx(1, rel=1e-5)


@pytest.mark.parametrize("weight", [np.inf, np.nan, 1e300])
def test_only_this_law_reads_weights(weight):
    ends = [0, 1], [1, 2]
    plain = Engine(Graph.from_edges(*ends)).run(ForceLayout(supersteps=3)).position
    engine = Engine(Graph.from_edges(*ends, weight=[weight, 1]))
    assert np.array_equal(engine.run(ForceLayout(supersteps=3)).position, plain)
    with pytest.raises(GraphError, match="weight"):
        engine.run(ForceLayout(law="forceatlas2", supersteps=3))


def test_small_and_disconnected_ones():
    for count in (0, 1, 2, 5):
        graph = Graph.from_edges([], [], num_vertices=count)
        at = Engine(graph).run(ForceLayout(law="forceatlas2")).position
        assert len(np.unique(at, axis=0)) == count and np.isfinite(at).all()
    path = Graph.from_edges(range(9), range(1, 10), num_vertices=40, directed=False)
    for given in ({}, {"position": np.zeros((40, 2))}):
        at = Engine(path).run(ForceLayout(law="forceatlas2", supersteps=20, **given)).position
        assert np.isfinite(at).all()


@pytest.mark.slow
def test_deliveries_and_debug_mode_agree():
    graph = random_graph(3, directed=True)
    program = ForceLayout(law="forceatlas2", supersteps=3)
    first = Engine(graph).run(program).position
    assert Engine(graph).run(program).position.tobytes() == first.tobytes(), "a run repeats"
    for delivery in some_admitted(NearAndFar()):
        again = Engine(graph).run(program, delivery=delivery).position
        assert again == pytest.approx(first, abs=1e-3)


def test_debug_mode_agrees_without_groups():
    """Which vertices repel as one depends on the size of work-groups, which debug mode changes."""
    graph = random_graph(3, directed=True)
    mass = np.diff(graph.arcs().out_offsets) + 1
    program = NearAndFar(angle=0, iterations=3, position=start(graph), mass=mass)
    plain, debug = (Engine(graph, debug=debug).run(program).position for debug in (False, True))
    assert debug == pytest.approx(plain, rel=1e-3, abs=1e-3)
