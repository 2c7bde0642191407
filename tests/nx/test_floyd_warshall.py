"""Floyd's algorithm in dictionaries: NetworkX's values, types, predecessors and order."""

import random

import networkx as nx
import pytest

from gascl.nx.backend import backend

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
#: The weight of an edge, if it has one.
WEIGHTS = {
    "integers": lambda draw: draw.randint(0, 6),
    "floats": lambda draw: draw.random(),
    "floats, some 0": lambda draw: draw.choice((0.0, -0.0, draw.random())),
    "missing": lambda draw: None,
    "below 0": lambda draw: draw.randint(-1, 6),
}


def made(kind, weights, seed):
    draw = random.Random(seed)
    nodes = draw.sample("abcdefghijkl", draw.randint(0, 12))
    G = kind()
    G.add_nodes_from(nodes)
    for _ in range(draw.randint(0, 30) if nodes else 0):
        weight = WEIGHTS[weights](draw)
        G.add_edge(*draw.choices(nodes, k=2), **({} if weight is None else {"weight": weight}))
    return G


def listed(found):
    """Dictionaries with their order and types."""
    return [
        (type(row), source, [(target, type(value), value) for target, value in row.items()])
        for source, row in found.items()
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_answers_are_those_of_networkx(kind, weights):
    ran = 0
    for seed in range(20):
        G = made(kind, weights, seed)
        for weight in ("weight", None):
            expected = nx.floyd_warshall_predecessor_and_distance(G, weight)
            if any(distance[node] < 0 for node, distance in expected[1].items()):
                with pytest.raises(NotImplementedError) as raised:
                    nx.floyd_warshall(G, weight, backend="gascl")
                assert "negative length" in str(raised.value.__cause__)
                continue
            found = nx.floyd_warshall_predecessor_and_distance(G, weight, backend="gascl")
            ran += 1
            assert list(map(listed, found)) == list(map(listed, expected))
            distances = nx.floyd_warshall(G, weight, backend="gascl")
            assert listed(distances) == listed(expected[1])
    assert ran >= 20


def test_paths_and_pairs_that_are_not_there():
    G = nx.path_graph(4, nx.DiGraph)
    before, distance = nx.floyd_warshall_predecessor_and_distance(G, backend="gascl")
    assert nx.reconstruct_path(0, 3, before) == [0, 1, 2, 3]
    assert distance[0][3] == 3.0 and distance[3][0] == distance[0]["no node"] == float("inf")


def test_what_is_left_to_networkx():
    G = nx.Graph([(0, 1, {"weight": 2}), (1, 2, {"weight": 0.5}), (2, 3, {"weight": 1})])
    for _ in range(2):  # integers and floats; then one is missing
        with pytest.raises(NotImplementedError) as raised:
            nx.floyd_warshall(G, backend="gascl")
        assert "integers, floats or missing" in str(raised.value.__cause__)
        G = nx.Graph([(0, 1, {"weight": 2}), (1, 2)])
    assert "NetworkX is faster" in backend.should_run(
        "floyd_warshall", (nx.complete_graph(20),), {}
    )
    assert backend.should_run("floyd_warshall", (nx.path_graph(40),), {}) is True
    assert "300 nodes" in backend.should_run("floyd_warshall_numpy", (nx.complete_graph(90),), {})
    assert backend.should_run("floyd_warshall_numpy", (nx.path_graph(400),), {}) is True
