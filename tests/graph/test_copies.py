"""Copies of a graph: the same as the graph of all their edges."""

from __future__ import annotations

import numpy as np
import pytest
from support.samples import random_graph

from gascl import Graph
from gascl.graph.arcs import ARRAYS
from gascl.graph.copies import repeated


@pytest.mark.parametrize("directed", [True, False])
def test_three_copies(directed):
    """With loops, parallel edges and fields."""
    graph = random_graph(1, directed=directed, edges=150)
    graph = graph.with_edge_fields(weight=np.arange(graph.num_edges) / 2)
    count, made = graph.num_vertices, repeated(graph, 3)
    ends = [
        np.concatenate([end, end + count, end + 2 * count])
        for end in (graph.edge_src, graph.edge_dst)
    ]
    whole = Graph.from_edges(*ends, num_vertices=3 * count, directed=directed)
    assert made.num_vertices == whole.num_vertices and made.directed == directed
    assert made.edge_src.tolist() == ends[0].tolist() and made.num_loops == whole.num_loops
    assert made.edge_fields["weight"].tolist() == [*graph.edge_fields["weight"]] * 3
    for name in ARRAYS:
        one, other = getattr(made.arcs("both"), name), getattr(whole.arcs("both"), name)
        assert one.dtype == other.dtype and one.tolist() == other.tolist(), name


def test_one_copy_is_the_graph():
    graph = random_graph(2, directed=True)
    assert repeated(graph, 1) is graph
