"""Truss numbers against peeling in plain Python, and NetworkX's k-trusses."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.admitting_deliveries import some_admitted
from support.bundled import verified_run
from support.case_subsets import one_in
from support.samples import grid, random_graph, skewed

from gascl import Engine, Graph
from gascl.generators import watts_strogatz
from gascl.programs import TrussNumber
from gascl.programs.truss_number import Peeling, PeelingByRounds, paired


def run(graph: Graph, **options) -> np.ndarray:
    return verified_run(graph, TrussNumber(), **options).arc_fields["truss"]


@pytest.mark.parametrize("directed", one_in(2, [True, False]))
def test_random_graphs(directed):
    graph = random_graph(1, directed=directed, edges=600)
    for delivery in ("auto", *some_admitted(Peeling())):
        truss = run(graph, delivery=delivery)
    assert truss.max() > 4 and (truss == 0).any()
    run(skewed(2, 200, 3000, directed=directed))


def test_by_rounds(device):
    """As GPUs do it."""
    graph = skewed(2, 200, 3000, directed=False).simple()
    rows = paired(graph)
    ends = {name: rows.vertex_fields[name] for name in ("one", "other")}
    found = Engine(rows, device).run(PeelingByRounds(**ends)).truss[: graph.num_edges]
    src, dst = graph.coo()
    of = dict(zip(zip(src.tolist(), dst.tolist(), strict=True), run(graph).tolist(), strict=True))
    names = [ends[name][: graph.num_edges] - graph.num_edges for name in ends]
    assert found.tolist() == [of[pair] for pair in zip(*map(np.ndarray.tolist, names), strict=True)]


def test_networkx():
    graph = skewed(2, 200, 2000, directed=False).simple()
    truss, made = run(graph), graph.to_networkx()
    src, dst = graph.coo()
    for k in range(2, int(truss.max()) + 2):
        expected = {tuple(sorted(edge)) for edge in nx.k_truss(made, k).edges}
        inside = truss >= k
        assert {(u, v) for u, v in zip(src[inside], dst[inside], strict=True) if u < v} == expected


def test_shapes():
    for n in (0, 1, 3):
        loops = np.arange(n)
        assert run(Graph.from_edges(loops, loops, num_vertices=n)).tolist() == [0] * n
        assert run(Graph.from_edges([], [], num_vertices=n)).shape == (0,)
    assert set(run(grid(4, 4)).tolist()) == {2}
    src, dst = np.triu_indices(7, 1)
    assert set(run(Graph.from_edges(src, dst)).tolist()) == {7}
    ring = watts_strogatz(400, 6, 0.0, seed=1)
    whole = run(ring)
    assert set(whole.tolist()) == {4}


def test_edges_that_are_removed_one_after_another():
    """A strip of triangles, with one edge left out, comes apart from there."""
    n = 300
    src = np.concatenate([np.arange(n - 1), np.arange(n - 2)])
    dst = np.concatenate([np.arange(1, n), np.arange(2, n)])
    assert set(run(Graph.from_edges(src, dst)).tolist()) == {3}
    ring = np.arange(n)
    src, dst = np.tile(ring, 3), np.concatenate([(ring + step) % n for step in (1, 2, 3)])
    kept = ~((src == 5) & (dst == 6))
    assert run(Graph.from_edges(src[kept], dst[kept])).min() == 3
