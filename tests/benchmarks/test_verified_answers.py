"""The benchmark passes right answers and refuses wrong ones."""

from __future__ import annotations

import answers
import graphs
import numpy as np
import pytest
from contenders import Near, Row, take_turns
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components, dijkstra


@pytest.fixture(scope="module", params=["rmat8", "kron8", "grid12", "holes12"])
def edges(request, tmp_path_factory) -> graphs.Edges:
    return graphs.made(request.param, tmp_path_factory.mktemp("graphs"))


def matrix(edges: graphs.Edges) -> csr_array:
    shape = (edges.num_vertices,) * 2
    # SciPy before 1.15 takes no other offsets.
    offsets = edges.offsets.astype(np.int32)
    return csr_array((edges.weights.astype(float), edges.targets, offsets), shape=shape)


def searched(edges: graphs.Edges) -> tuple[np.ndarray, np.ndarray]:
    """Depths by SciPy, and the smallest vertex of each one's possible parents."""
    hops = dijkstra(matrix(edges), indices=edges.hub, unweighted=True)
    depth = np.where(np.isfinite(hops), hops, -1).astype(np.int32)
    parent = np.full(len(depth), -1)
    for u, v in zip(edges.sources[::-1], edges.targets[::-1], strict=True):
        if depth[u] >= 0 and depth[v] == depth[u] + 1:
            parent[v] = u  # arcs come in descending order of sources
    return depth, parent


def relaxed(edges: graphs.Edges) -> tuple[np.ndarray, np.ndarray]:
    distance, parent = dijkstra(matrix(edges), indices=edges.hub, return_predecessors=True)
    return distance.astype(np.float32), np.where(parent < 0, -1, parent)


def changed(values: np.ndarray, at: int, to) -> np.ndarray:
    values = values.copy()
    values[at] = to
    return values


def refused(verify, *arguments) -> None:
    with pytest.raises(AssertionError):
        verify(*arguments)


def test_search(edges):
    depth, parent = searched(edges)
    answers.search(edges, edges.hub, depth, parent)
    answers.search(edges, edges.hub, depth, None)
    last = int(np.argmax(depth))
    for wrong in (depth[last] + 1, depth[last] - 1, -1, -2, 0):
        refused(answers.search, edges, edges.hub, changed(depth, last, wrong), None)
    refused(answers.search, edges, edges.hub, changed(depth, edges.hub, 1), None)
    refused(answers.search, edges, edges.hub, depth[:-1], None)
    several = np.bincount(edges.targets[depth[edges.sources] + 1 == depth[edges.targets]])
    vertex = int(np.argmax(several))  # with several possible parents
    sources = edges.sources[edges.targets == vertex]
    larger = sources[depth[sources] + 1 == depth[vertex]].max()
    for wrong in (-1, last, larger):
        refused(answers.search, edges, edges.hub, depth, changed(parent, vertex, wrong))
    refused(answers.search, edges, edges.hub, depth, changed(parent, edges.hub, 0))


def test_distances(edges):
    distance, parent = relaxed(edges)
    answers.distances(edges, edges.hub, distance, parent)
    answers.distances(edges, edges.hub, distance, None)
    last = int(np.argmax(np.where(np.isfinite(distance), distance, -1)))
    for wrong in (distance[last] + 1, distance[last] - 1, np.inf, -1, 0):
        refused(answers.distances, edges, edges.hub, changed(distance, last, wrong), None)
    for wrong in (-1, last):
        refused(answers.distances, edges, edges.hub, distance, changed(parent, last, wrong))


def test_unreachable_vertices_have_no_value():
    """Both arcs of 0 - 1, and 2 - 3 apart."""
    targets = np.array([1, 0, 3, 2], np.int32)
    two = graphs.Edges("two", np.arange(5), targets, np.ones(4, np.float32), False)
    alone = np.array([0, 1, -1, -1])
    answers.search(two, 0, alone, np.array([-1, 0, -1, -1]))
    refused(answers.search, two, 0, np.array([0, 1, 2, 3]), None)
    refused(answers.search, two, 0, np.array([0, 1, 0, 1]), None)
    refused(answers.search, two, 0, alone, np.array([-1, 0, 3, -1]))
    answers.components(two, np.array([0, 0, 2, 2]))
    refused(answers.components, two, np.array([0, 0, 0, 0]))
    refused(answers.components, two, np.array([0, 0, 2, 3]))


def test_components(edges):
    whole = edges.undirected()
    _, group = connected_components(matrix(whole), directed=False)
    _, first = np.unique(group, return_index=True)
    right = first[group]
    answers.components(whole, right)
    refused(answers.components, whole, right[:-1])
    refused(answers.components, whole, np.arange(len(right)))
    refused(answers.components, whole, np.zeros_like(right) - 1)
    largest = np.flatnonzero(right == np.bincount(right).argmax())
    refused(answers.components, whole, changed(right, largest, largest[1]))
    if len(first) > 2:
        refused(answers.components, whole, np.zeros_like(right))
        refused(answers.components, whole, np.where(right == first[2], first[1], right))


def test_ranks(edges):
    """Against SciPy's matrix in float64; the grid with holes has vertices without edges, too."""
    whole = edges.undirected()
    links = csr_array(matrix(whole) > 0, dtype=float)
    degree, n = whole.out_degree, whole.num_vertices
    right = np.full(n, 1 / n)
    for _ in range(20):
        share = np.divide(right, degree, out=np.zeros(n), where=degree > 0)
        right = 0.85 * (links @ share + right[degree == 0].sum() / n) + 0.15 / n
    answers.ranks(whole, right, 20)
    answers.ranks(whole, right.astype(np.float32), 20)
    refused(answers.ranks, whole, right[:-1], 20)
    refused(answers.ranks, whole, right, 2)
    refused(answers.ranks, whole, changed(right, whole.hub, right[whole.hub] * 1.01), 20)
    refused(answers.ranks, whole, np.full(n, 1 / n), 20)


def test_paths_through_many_vertices():
    """Names of components travel along a path of vertices in any order."""
    n = 3000
    order = np.random.default_rng(4).permutation(n)
    links = np.concatenate([graphs.keys_of(order[:-1], order[1:]), [0]])
    path = graphs.collected("path", n + 5, [lambda: graphs.both_ways(links)], False)
    right = np.r_[np.zeros(n, int), np.arange(n, n + 5)]
    answers.components(path, right)
    refused(answers.components, path, changed(right, n - 1, n - 1))


def test_parts_cover_all_arcs(edges):
    for arcs in (1, 7, 1 << 20):
        parts = edges.parts(arcs)
        assert np.concatenate([edges.sources_of(rows) for rows, _ in parts]).tolist() == (
            edges.sources.tolist()
        )
        assert [rows.start for rows, _ in parts[1:]] == [rows.stop for rows, _ in parts[:-1]]
        assert parts[0][0].start == 0 and parts[-1][0].stop == edges.num_vertices
        assert sum(part.stop - part.start for _, part in parts) == len(edges.targets)


def test_equal_bits_are_verified_once():
    calls = []
    truth = answers.Truth(calls.append, ("depth",))
    one, same, other = ({"depth": np.array([0, 1, x])} for x in (1, 1, 2))
    for result in (one, same, other):
        truth(result)
    assert calls == [one, other]
    assert truth.answer == one


def test_take_turns_refuses_a_wrong_answer():
    near = Near(np.array([1.0, 2.0]), 0.5)
    answered = [np.array([1.0, 2.25]), np.array([1.0, 3.0])]
    row = Row("peer", lambda: (0.1, answered.pop(0), ""), near)
    with pytest.raises(SystemExit, match=r"refused: peer: 1\.00e\+00 from the verifier"):
        take_turns([row], rounds=1)
    assert near.distance == 1


def test_take_turns_times_quick_contenders_three_times_and_slow_ones_once():
    seconds = {"quick": [9.0, 0.3, 0.1, 0.2, 0.1, 0.1, 0.4], "slow": [40.0]}
    rows = [
        Row(name, lambda left=left: (left.pop(0), None, ""), lambda _: None, trials=3)
        for name, left in seconds.items()
    ]
    take_turns(rows, rounds=2, slow=30)
    assert rows[0].seconds == [0.2, 0.1]
    assert rows[1].seconds == [40.0]
    assert seconds == {"quick": [], "slow": []}


def test_depths_of_a_tree(edges):
    from peers import Inputs, depths_of_tree

    depth, _ = searched(edges)
    found = breadth_first_order(matrix(edges), edges.hub)
    assert (depths_of_tree(found, Inputs(edges)) == depth).all()
