"""Clusters cut by the lengths of edges, by hand; how alike groupings are, against igraph."""

from __future__ import annotations

import igraph
import numpy as np
import pytest

from gascl import GasclError, Graph
from gascl.programs.clusters import adjusted_rand, by_length, mutual_information, simple


def lengths(edges: list[tuple[int, int, float]], vertices: int) -> list[int]:
    src, dst, length = np.transpose(edges) if edges else np.empty((3, 0))
    graph = Graph.from_edges(
        src.astype(int), dst.astype(int), num_vertices=vertices, directed=False
    )
    found = by_length(graph, length)
    assert found.dtype == np.int32
    return found.tolist()


TRIANGLES = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.5), (3, 4, 1.0), (4, 5, 1.0), (3, 5, 1.0)]


def test_by_hand():
    assert lengths([*TRIANGLES, (2, 3, 9.0)], 6) == [0, 0, 0, 1, 1, 1]
    assert lengths([*TRIANGLES, (2, 3, 0.0)], 6) == [0] * 6, "what lies together is not cut"
    assert lengths([(u, v, 0.0) for u, v, _ in TRIANGLES], 6) == [0, 0, 0, 1, 1, 1]
    assert lengths(TRIANGLES, 7) == [0, 0, 0, 1, 1, 1, 2]
    assert lengths([], 3) == [0, 1, 2]
    assert lengths([], 0) == []


def test_small_ones_join_by_their_shortest_edge():
    """6 hangs on 0 and, nearer, on 5; 7 on 6; 8 and 9 have no way out."""
    edges = [*TRIANGLES, (2, 3, 9.0), (0, 6, 6.0), (5, 6, 5.0), (6, 7, 7.0), (8, 9, 3.0)]
    assert lengths(edges, 10) == [0, 0, 0, 1, 1, 1, 1, 1, 2, 2]


def test_numbers_are_in_the_order_of_first_vertices():
    turned = [(5 - u, 5 - v, d) for u, v, d in TRIANGLES]
    assert lengths([*turned, (2, 3, 9.0)], 6) == [0, 0, 0, 1, 1, 1]


def test_simple():
    graph = Graph.from_edges([0, 1, 0, 2, 2], [1, 0, 1, 2, 1], labels=["a", "b", "c"])
    found = simple(graph)
    assert not found.directed and found.labels.tolist() == ["a", "b", "c"]
    ends = zip(found.edge_src.tolist(), found.edge_dst.tolist(), strict=True)
    assert sorted(map(sorted, ends)) == [[0, 1], [1, 2]]


@pytest.mark.parametrize("seed", range(12))
def test_how_alike_against_igraph(seed):
    rng = np.random.default_rng(seed)
    one = rng.integers(0, seed + 1, 50)
    other = np.where(rng.random(50) < seed / 12, one, rng.integers(0, 4, 50))
    for value, method in ((adjusted_rand, "adjusted_rand"), (mutual_information, "nmi")):
        expected = igraph.compare_communities(one.tolist(), other.tolist(), method=method)
        if not np.isnan(expected):
            assert value(one, other) == pytest.approx(expected, abs=1e-12), method
        assert value(one, other) == pytest.approx(value(other, one), abs=1e-12)
        assert [value(one, one), value(-one, one)] == pytest.approx([1, 1])


def test_how_alike_of_words_and_of_one_group():
    words = np.array(["x", "y", "x"])
    assert adjusted_rand(words, [3, 1, 3]) == mutual_information(words, [3, 1, 3]) == 1
    assert adjusted_rand([0, 0], [5, 5]) == mutual_information([0, 0], [5, 5]) == 1
    assert adjusted_rand([0, 0, 0], [0, 1, 2]) == mutual_information([0, 0, 0], [0, 1, 2]) == 0


@pytest.mark.parametrize("alike", [adjusted_rand, mutual_information])
@pytest.mark.parametrize("other", [[0, 1], [[0, 1, 2]], 3])
def test_groupings_of_other_vertices_are_refused(alike, other):
    with pytest.raises(GasclError, match=r"have a number for each, not the shapes \(3,\) and"):
        alike([0, 0, 1], other)
    assert alike([0, 0, 1], [5, 5, 2]) == 1
