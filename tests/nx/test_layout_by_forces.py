"""forceatlas2_layout, which NetworkX runs itself unless gascl is asked for by name."""

import networkx as nx
import numpy as np
import pytest

from gascl.nx.backend import backend

# of a node's distance from itself, in NetworkX
pytestmark = pytest.mark.filterwarnings("ignore:.*encountered in divide:RuntimeWarning")

layout = nx.forceatlas2_layout


def same(G, **options):
    expected = layout(G, **options, backend="networkx")
    found = layout(G, **options, backend="gascl")
    assert list(found) == list(expected)
    for node, place in found.items():
        assert place.dtype == expected[node].dtype
        tolerance = 1e-4 if place.dtype == np.float32 else 1e-8
        assert place == pytest.approx(expected[node], rel=tolerance, abs=tolerance)


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph])
def test_positions_are_those_of_networkx(kind):
    G = kind(nx.les_miserables_graph())
    G.add_edge("Valjean", "Valjean", weight=3)
    G.add_edge("Valjean", "Cosette", weight=2.5)
    at = {node: np.random.default_rng(place).random(2) for place, node in enumerate(G)}
    same(G, pos=at, max_iter=4)
    same(G, pos=at, max_iter=3, weight="weight", linlog=True, node_mass={"Valjean": 90})
    same(G, pos=at, max_iter=3, distributed_action=True, strong_gravity=True, gravity=0.2)
    same(G, pos=at, max_iter=3, node_size={"Cosette": 0.1}, jitter_tolerance=0.5, scaling_ratio=5)


def test_the_beginning_is_random_as_in_networkx():
    G = nx.karate_club_graph()
    same(G, seed=3, max_iter=3)
    first = layout(G, seed=np.random.RandomState(3), max_iter=0, backend="gascl")
    assert all((place == first[node]).all() for node, place in nx.random_layout(G, seed=3).items())
    same(G, seed=3, max_iter=3, pos={0: np.array([0.0, 3.0]), 33: np.array([2.0, 1.0])})
    same(nx.star_graph(50), seed=1)  # to the end
    np.random.seed(5)
    expected = layout(G, max_iter=0, backend="networkx")
    np.random.seed(5)
    found = layout(G, max_iter=0, backend="gascl")
    assert all((found[node] == expected[node]).all() for node in G)


def test_what_is_left_to_networkx():
    G = nx.gnp_random_graph(60, 0.2, seed=1)
    assert layout(nx.Graph(), backend="gascl") == {}
    assert "differ from NetworkX's" in backend.should_run("forceatlas2_layout", (G,), {})
    for options in ({"dim": 3}, {"store_pos_as": "place"}, {"pos": dict.fromkeys(G, np.ones(3))}):
        with pytest.raises(NotImplementedError):
            layout(G, **options, backend="gascl")
        with nx.config(backend_priority=["gascl"]):
            assert len(layout(G, **options, max_iter=1)) == 60
