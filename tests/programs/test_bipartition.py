"""Sides of bipartite graphs against a plain walk and NetworkX."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.admitting_deliveries import admitted
from support.bundled import verified_run
from support.samples import grid, random_graph, to_networkx

from gascl import Graph
from gascl.programs import Bipartition, ConnectedComponents
from gascl.programs.bipartition import Levels


def run(graph: Graph, **options):
    side = verified_run(graph, Bipartition(), **options).side
    assert side.dtype == np.int8
    return side


def two_sided(seed: int, directed: bool, *, odd: int = 0) -> Graph:
    """Sparse, with several components, and some edges that join vertices of one side."""
    rng = np.random.default_rng(seed)
    src, dst = 2 * rng.integers(0, 100, 120), 2 * rng.integers(0, 100, 120) + 1
    dst[:odd] -= 1
    turned = rng.random(120) < 0.5
    ends = np.where(turned, dst, src), np.where(turned, src, dst)
    return Graph.from_edges(*ends, num_vertices=205, directed=directed)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("odd", [0, 30])
def test_random_graphs(odd, directed):
    graph = two_sided(3, directed, odd=odd)
    common = set(admitted(Levels())) & set(admitted(ConnectedComponents()))
    for delivery in ("auto", *sorted(common)):
        side = run(graph, delivery=delivery)
    made = nx.Graph(to_networkx(graph))
    assert (side >= 0).all() == nx.is_bipartite(made) == (odd == 0)
    if odd == 0:
        expected = nx.bipartite.color(made)
        expected |= dict.fromkeys(nx.isolates(made), 1)  # there, these are on the other side
        assert side.tolist() == [1 - expected[v] for v in range(205)]
    run(random_graph(2, directed=directed))


def test_shapes():
    assert run(grid(2, 3)).tolist() == [0, 1, 0, 1, 0, 1]
    for n in (0, 1, 4):
        assert run(Graph.from_edges([], [], num_vertices=n)).tolist() == [0] * n
    loops = Graph.from_edges([0, 1, 2, 4], [1, 1, 3, 2])
    assert run(loops).tolist() == [-1, -1, 0, 1, 1]
    for length in (6, 7, 501):
        ring = Graph.from_edges(np.arange(length), (np.arange(length) + 1) % length)
        assert run(ring).tolist() == [v % 2 if length % 2 == 0 else -1 for v in range(length)]
