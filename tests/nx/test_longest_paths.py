"""Lengths of longest paths with a length for all edges."""

import networkx as nx
import pytest


@pytest.mark.parametrize("default", [7, 0.5, 0, -2])
def test_a_length_for_all_edges(default):
    graph = nx.DiGraph([(0, 1), (1, 2), (2, 3), (0, 3)])
    expected = nx.dag_longest_path_length(graph, weight=None, default_weight=default)
    found = nx.dag_longest_path_length(graph, weight=None, default_weight=default, backend="gascl")
    assert found == expected
