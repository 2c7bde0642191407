"""Parts of graphs, neighbors and degrees: by hand, and as NetworkX has them."""

from __future__ import annotations

import numpy as np
import pytest
from support.samples import random_graph, to_networkx

from gascl import Graph, GraphError

networkx = pytest.importorskip("networkx")

#: a -> b twice, b -> c, c -> c, d -> c, and e alone.
ENDS = [("a", "b"), ("a", "b"), ("b", "c"), ("c", "c"), ("d", "c")]


def small(directed=True) -> Graph:
    return Graph.from_edges(
        ENDS,
        labels=list("abcde"),
        directed=directed,
        weight=[1, 2, 3, 4, 5],
        vertex_fields={"at": np.arange(10).reshape(5, 2)},
    )


def edges(graph: Graph) -> list[tuple]:
    ends = (graph.labels_of(graph.edge_src), graph.labels_of(graph.edge_dst))
    return list(zip(*(end.tolist() for end in ends), strict=True))


def test_subgraph():
    part = small().subgraph(["d", "b", "c"])  # in the graph's order
    assert part.labels.tolist() == ["b", "c", "d"]
    assert edges(part) == [("b", "c"), ("c", "c"), ("d", "c")]
    assert part.edge_fields["weight"].tolist() == [3, 4, 5]
    assert part.vertex_fields["at"].tolist() == [[2, 3], [4, 5], [6, 7]]
    assert part.report[-1] == "subgraph: 3 of 5 vertices, 3 of 5 edges"
    assert part.index_of("d") == 2 and part.out_degree.tolist() == [1, 1, 1]
    same = small().subgraph(np.array([False, True, True, True, False]))
    assert edges(same) == edges(part)
    assert small().subgraph([]).num_vertices == 0
    assert small().subgraph(np.zeros(5, bool)).num_edges == 0


def test_vertices_without_labels_keep_their_numbers():
    part = Graph.from_edges([0, 3, 4], [3, 4, 0]).subgraph([4, 3])
    assert part.labels.tolist() == [3, 4] and edges(part) == [(3, 4)]


def test_what_a_subgraph_cannot_be_made_of():
    with pytest.raises(GraphError, match="no vertex has the label 'x'"):
        small().subgraph(["x"])
    with pytest.raises(GraphError, match=r"the mask has shape \(3,\), and the graph has 5 vert"):
        small().subgraph(np.ones(3, bool))


def test_neighbors():
    graph = small()
    assert graph.neighbors("a").tolist() == ["b"]
    assert graph.neighbors("c", "in").tolist() == ["b", "c", "d"]
    assert graph.neighbors("b", "both").tolist() == ["a", "c"]
    assert graph.neighbors("e").tolist() == []
    assert small(directed=False).neighbors("b").tolist() == ["a", "c"]
    assert Graph.from_edges([0, 0], [2, 1]).neighbors(0).tolist() == [1, 2]
    with pytest.raises(GraphError, match="edges='up' is not known; use one of out, in, both"):
        graph.neighbors("a", "up")
    with pytest.raises(GraphError, match="no vertex has the label 'x'"):
        graph.neighbors("x")


def test_degrees():
    assert small().degree.tolist() == [2, 3, 3, 1, 0]
    assert small(directed=False).degree.tolist() == [2, 3, 3, 1, 0]
    assert small().out_degree.tolist() == [2, 1, 1, 1, 0]


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_as_in_networkx(seed, directed):
    graph = random_graph(seed, directed=directed, edges=40)
    G = to_networkx(graph)
    count = graph.num_vertices
    chosen = np.random.default_rng(seed).permutation(count)[: count // 2]
    assert sorted(edges(graph.subgraph(chosen))) == sorted(_edges(G.subgraph(chosen), graph))
    assert graph.neighbors(0).tolist() == sorted(G.neighbors(0))
    loops = np.bincount(
        graph.edge_src[graph.edge_src == graph.edge_dst], minlength=graph.num_vertices
    )
    assert graph.degree.tolist() == [G.degree(v) - loops[v] for v in range(count)]
    for hops in range(4):
        ego = networkx.ego_graph(G, 0, hops)
        assert graph.ego(0, hops).labels.tolist() == sorted(ego)
        both = networkx.ego_graph(G, 0, hops, undirected=True)
        assert graph.ego(0, hops, "both").labels.tolist() == sorted(both)
    parts = [sorted(p) for p in networkx.connected_components(G.to_undirected())]
    best = min(parts, key=lambda p: (-len(p), p))
    assert graph.largest_component().labels.tolist() == best


def _edges(part, graph):
    """Each edge as the graph has it: NetworkX may turn round one without direction."""
    known = {*edges(graph)}
    return [e if e in known else e[::-1] for e in part.edges()]


def test_ego_and_component_of_what_is_small():
    assert edges(small().ego("a")) == [("a", "b"), ("a", "b")]
    assert small().ego("e", 7).labels.tolist() == ["e"]
    assert small().ego("a", 0).num_edges == 0
    for hops in (-1, 1.5, "2"):
        with pytest.raises(GraphError, match=r"ego: hops=.* must be a whole number, 0 or more"):
            small().ego("a", hops)
    assert small().largest_component().labels.tolist() == list("abcd")
    pairs = Graph.from_edges([3, 1], [2, 0]).largest_component()
    assert pairs.labels.tolist() == [0, 1]  # of two components, the one with the first vertex
    assert Graph.from_edges([], []).largest_component().num_vertices == 0
    assert Graph.from_edges([], [], num_vertices=3).largest_component().labels.tolist() == [0]
