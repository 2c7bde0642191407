"""Spanning forests against Kruskal's algorithm, NetworkX's and SciPy's."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from support.admitting_deliveries import some_admitted
from support.bundled import verified_run as run
from support.case_subsets import thinned
from support.samples import grid, random_graph, weighted
from support.verifiers.matrices import least

from gascl import Engine, Graph, ProgramError
from gascl.generators import rmat
from gascl.programs import SpanningForest
from gascl.programs.spanning_forest import Best


def few_weights(seed: int, directed: bool) -> Graph:
    """Many are equal, some below 0."""
    graph = random_graph(seed, directed=directed, edges=200)
    weight = np.random.default_rng(seed).integers(-2, 4, graph.num_edges)
    return graph.with_edge_fields(weight=weight)


@pytest.mark.parametrize(
    ("seed", "directed", "maximum"), thinned([0, 1], [True, False], [True, False], by=4)
)
def test_random_graphs(seed, directed, maximum):
    program = SpanningForest(maximum=maximum)
    for graph in (few_weights(seed, directed), weighted(random_graph(seed, directed=directed))):
        for delivery in ("auto", *some_admitted(Best())):
            result = run(graph, program, delivery=delivery)
        made = nx.MultiGraph()
        ends = graph.edge_src.tolist(), graph.edge_dst.tolist()
        made.add_weighted_edges_from(zip(*ends, graph.edge_fields["weight"], strict=True))
        edges = getattr(nx, f"{'max' if maximum else 'min'}imum_spanning_edges")(made, data=True)
        expected = sum(data["weight"] for *_, data in edges)
        weight = np.zeros(graph.num_edges)
        weight[graph.arcs().out_edges] = result.arc_fields["member"]
        assert (weight * graph.edge_fields["weight"]).sum() == pytest.approx(expected)


def test_more_edges_than_ranks():
    edges = np.broadcast_to(np.int32(0), 2**31)  # which takes no memory
    with pytest.raises(ProgramError, match="SpanningForest: the graph has 2,147,483,648 edges"):
        Engine(Graph(edges, edges, num_vertices=1, directed=True)).run(SpanningForest())


def test_without_weights_and_small_graphs():
    for vertices in (0, 1, 3):
        loops = np.arange(vertices)
        for src in (loops, loops[:0]):
            result = run(Graph.from_edges(src, src, num_vertices=vertices), SpanningForest())
            assert not result.arc_fields["member"].any()
    path = run(grid(1, 200), SpanningForest())
    assert path.arc_fields["member"].all() and not path.tree.any()
    parallel = Graph.from_edges([0, 0, 1], [1, 1, 0], directed=False)
    assert run(parallel, SpanningForest()).arc_fields["member"].tolist() == [1, 0, 0, 1, 0, 0]


def test_weights_that_are_no_numbers():
    graph = Graph.from_edges([0, 1], [1, 2], weight=[1, np.nan])
    with pytest.raises(
        ProgramError, match=r"SpanningForest: weight must be a number, but edge 1 \(1 to 2\)"
    ):
        Engine(graph).run(SpanningForest())


def test_a_larger_graph():
    graph = weighted(rmat(12, 8, seed=1, directed=False))
    result = run(graph, SpanningForest())
    member = np.zeros(graph.num_edges, bool)
    member[graph.arcs().out_edges] = result.arc_fields["member"]
    expected = minimum_spanning_tree(least(graph, "weight")).sum()
    assert graph.edge_fields["weight"][member].sum() == pytest.approx(expected)
