"""Clustering by weights and directions against NetworkX and dense matrices."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.admitting_deliveries import some_admitted
from support.bundled import verified_run
from support.samples import grid, random_graph, skewed, weighted

from gascl import Engine, GasclError, Graph
from gascl.generators import rmat
from gascl.programs import LocalClustering, WeightedClustering
from gascl.programs.weighted_clustering import (
    Intensities,
    IntensitiesOfPairs,
    IntensitiesOfTriangles,
    joined,
    rising,
)


def run(graph: Graph, dtype: str = "float64", **options) -> np.ndarray:
    return verified_run(graph, WeightedClustering(dtype=dtype), **options).coefficient


@pytest.mark.parametrize("directed", [pytest.param(True, marks=pytest.mark.slow), False])
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_random_graphs(seed, directed):
    """With loops and parallel edges; and without, as NetworkX has it."""
    drawn = weighted(random_graph(seed, directed=directed, edges=500))
    for delivery in ("auto", *some_admitted(IntensitiesOfPairs())):
        run(drawn, delivery=delivery)
    run(drawn, "float32")
    simple = drawn.simple()
    weight = np.random.default_rng(0).integers(-2, 9, simple.num_edges)
    for graph in (simple, simple.with_edge_fields(weight=weight)):
        expected = nx.clustering(graph.to_networkx(), weight="weight")
        assert run(graph).tolist() == pytest.approx([expected[v] for v in range(64)], rel=1e-12)
    unweighted = simple.with_edge_fields(weight=None)
    expected = nx.clustering(unweighted.to_networkx())
    found = run(unweighted)
    assert found.tolist() == pytest.approx([expected[v] for v in range(64)], rel=1e-12)
    if not directed:
        local = Engine(unweighted).run(LocalClustering(dtype="float64")).coefficient
        assert found.tolist() == pytest.approx(local.tolist())


@pytest.mark.parametrize("directed", [True, False])
def test_hubs(directed):
    run(weighted(skewed(2, 300, 4000, directed=directed)))


def test_small_graphs():
    for vertices in (0, 1, 3):
        loops = np.arange(vertices)
        for src in (loops, loops[:0]):
            for directed in (True, False):
                graph = Graph.from_edges(src, src, num_vertices=vertices, directed=directed)
                assert run(graph).tolist() == [0] * vertices
    assert not run(grid(3, 3)).any()
    triangle = Graph.from_edges([0, 1, 2], [1, 2, 0], directed=False, weight=[8, 1, 1])
    assert run(triangle) == pytest.approx([0.25] * 3)
    both = Graph.from_edges([0, 1, 2, 1, 2, 0], [1, 2, 0, 0, 1, 2])
    assert run(both) == pytest.approx([1] * 3)


def test_a_loop_can_have_the_largest_weight():
    made = nx.cycle_graph(3)
    made.add_edge(0, 0)
    nx.set_edge_attributes(made, {(u, v): 8 if u == v else 1 for u, v in made.edges}, "weight")
    expected = nx.clustering(made, weight="weight")
    assert run(Graph.from_networkx(made)).tolist() == pytest.approx([expected[v] for v in made])


@pytest.mark.parametrize(
    ("weight", "said"),
    [
        ([1, np.inf], r"weight must be finite, but edge 1 \(1 to 2\) has inf"),
        ([1, np.nan], r"weight must be finite, but edge 1 \(1 to 2\) has nan"),
        ([0, 0], "the largest weight must be above 0, but is 0.0"),
        ([-1, -2], "the largest weight must be above 0, but is -1.0"),
    ],
)
def test_weights_that_are_refused(weight, said):
    graph = Graph.from_edges([0, 1], [1, 2], weight=np.array(weight, float))
    with pytest.raises(GasclError, match=f"WeightedClustering: {said}"):
        Engine(graph).run(WeightedClustering())


@pytest.mark.slow
@pytest.mark.parametrize("directed", [True, False])
def test_a_large_graph(directed):
    graph = rmat(14, 16, seed=1, directed=directed).simple()
    expected = nx.clustering(graph.to_networkx(), nodes=range(200))
    found = Engine(graph).run(WeightedClustering(dtype="float64")).coefficient[:200]
    assert found.tolist() == pytest.approx([expected[v] for v in range(200)])


@pytest.mark.parametrize(
    ("program", "make", "delivery"),
    [
        (IntensitiesOfPairs, joined, "pull"),
        (IntensitiesOfTriangles, rising, "auto"),
        (IntensitiesOfTriangles, rising, "serial"),
    ],
)
def test_each_pair_or_triangle_once(device, program, make, delivery):
    """The kind of device decides between them."""
    if delivery == "auto" and not device.is_cpu:
        pytest.skip("in triangles, floats are added in a fixed order on CPUs only")
    graph = weighted(skewed(2, 300, 4000, directed=False))
    largest = float(graph.edge_fields["weight"].max())
    pairs, made = joined(graph, largest), make(graph, largest)
    wanted = Engine(pairs).run(Intensities(dtype="float64")).total
    wanted = wanted[made.vertex_fields["vertex"]].tolist()
    result = Engine(made, device).run(program(dtype="float64"), delivery=delivery)
    assert result.total.tolist() == pytest.approx(wanted, rel=1e-12)
