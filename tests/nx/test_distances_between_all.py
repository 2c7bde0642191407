"""Distances between all pairs on the device, for graphs so small that SciPy would compute them; and
the numbers of edges from which either is used."""

from math import inf

import networkx as nx
import numpy as np
import pytest
from support.backend_answers import agree, outcome, public
from support.backend_cases import KINDS, calls, small

from gascl.nx import all_pairs
from gascl.nx.backend import FUNCTIONS, backend

NAMES = [
    *("average_shortest_path_length", "closeness_centrality", "diameter", "eccentricity"),
    *("global_efficiency", "global_reaching_centrality", "harmonic_centrality", "wiener_index"),
]


@pytest.mark.parametrize("name", NAMES)
def test_answers_of_the_device_equal_those_of_networkx(name, monkeypatch):
    monkeypatch.setattr(all_pairs, "SMALL", -1)
    kind = KINDS[NAMES.index(name) % len(KINDS)]
    for label, G in small(kind).items():
        for arguments, keywords in calls(name, G)[:2]:
            found = outcome(public(name), G, *arguments, backend="gascl", **keywords)
            if not isinstance(found, str):
                expected = outcome(public(name), G, *arguments, **keywords)
                assert agree(name, G, expected, found), (label, arguments, keywords)


@pytest.mark.parametrize("kind", KINDS)
def test_the_matrix_is_that_of_small_graphs(kind):
    G = kind([(0, 1), (1, 2), (2, 2), (0, 1)])
    G.add_node(3)
    far = inf if G.is_directed() else 1
    expected = [[0, 1, 2, inf], [far, 0, 1, inf], [far * 2, far, 0, inf], [inf, inf, inf, 0]]
    assert np.array_equal(all_pairs.matrix(backend.convert_from_nx(G)), expected)
    assert all_pairs.matrix(backend.convert_from_nx(nx.empty_graph(450, kind))) is None


def test_small_graphs_are_taken_where_networkx_would_call_itself_for_each_node():
    G = nx.gnm_random_graph(20, 60, seed=1)
    assert backend.should_run("diameter", (G,), {}) is True
    assert isinstance(backend.should_run("diameter", (nx.path_graph(5),), {}), str)
    assert "by weight" in backend.should_run("diameter", (G,), {"weight": "weight"})
    assert FUNCTIONS["hyper_wiener_index"].should_run((G,), {}) is not True
