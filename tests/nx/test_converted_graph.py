"""Graphs of NetworkX as the backend sees them: classes, views, caches, copies and changes."""

import copy
import itertools
import logging
import pickle
import warnings

import networkx as nx
import numpy as np
import pytest

from gascl import Graph
from gascl.nx.backend import backend
from gascl.nx.converted_graph import Converted

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]


def example(kind):
    """Mixed nodes, None-like ones, loops, parallel edges, missing weights."""
    G = kind([("b", 3), (3, (1, 2)), ("b", "b"), (0.5, 3), (3, "b"), (frozenset(), 0.5)])
    G.add_node("alone")
    G.add_edge("b", (1, 2), weight=2.5)
    G.add_edge("b", (1, 2), weight=4)
    return G


def edges_of(converted):
    nodes, adjacency = converted.nodes, converted.topology.adjacency
    pairs = zip(adjacency.src.tolist(), adjacency.dst.tolist(), strict=True)
    return [(nodes[u], nodes[v]) for u, v in pairs]


@pytest.mark.parametrize("kind", KINDS)
def test_nodes_edges_and_weights_are_in_the_order_of_networkx(kind):
    G = example(kind)
    converted = backend.convert_from_nx(G, edge_attrs={"weight": 1})
    assert converted.nodes == list(G)
    assert edges_of(converted) == [edge[:2] for edge in G.edges]
    assert converted.column("weight").values.tolist() == [
        w for *_, w in G.edges(data="weight", default=1)
    ]
    assert converted.degree.tolist() == [degree for _, degree in G.degree]
    offsets, neighbors = converted.rows()
    rows = [neighbors[a:b].tolist() for a, b in itertools.pairwise(offsets)]
    assert [[converted.nodes[v] for v in row] for row in rows] == [list(G[n]) for n in G]
    if G.is_directed():
        assert converted.in_degree.tolist() == [degree for _, degree in G.in_degree]
        offsets, neighbors = converted.rows(reverse=True)
        rows = [neighbors[a:b].tolist() for a, b in itertools.pairwise(offsets)]
        assert [[converted.nodes[v] for v in row] for row in rows] == [
            list(G.predecessors(n)) for n in G
        ]


@pytest.mark.parametrize("kind", KINDS)
def test_more_neighbors_than_are_packed_at_a_time(kind):
    """Nodes that are their own places are packed as they are, others by their places."""
    G = nx.gnm_random_graph(200, 3_000, seed=1, directed=kind(()).is_directed())
    G = kind(G)
    for graph in (G, nx.relabel_nodes(G, str)):
        converted = backend.convert_from_nx(graph)
        assert edges_of(converted) == [edge[:2] for edge in graph.edges]


@pytest.mark.parametrize("kind", KINDS)
def test_neighbors_that_equal_a_node_but_are_no_integers(kind):
    G = kind()
    G.add_nodes_from(range(4))
    G.add_edges_from([(0, 1.0), (1, np.int64(2)), (2, True), (3, 2.0)])
    converted = backend.convert_from_nx(G)
    assert edges_of(converted) == [edge[:2] for edge in G.edges]


@pytest.mark.parametrize("kind", KINDS)
def test_views_and_subclasses_show_what_they_show(kind):
    G = example(kind)

    class Fewer(kind):
        """Shows no edges to "b", though it holds them."""

        def adjacency(self):
            for node, row in super().adjacency():
                yield node, {v: data for v, data in row.items() if v != "b"}

    views = [G.subgraph(["b", 3, "alone", 0.5]), nx.restricted_view(G, [3], [])]
    if G.is_directed():
        views.append(G.reverse(copy=False))
    if G.is_multigraph():
        hidden = {("b", (1, 2), 1), (3, (1, 2), 0)}
        hidden |= {(v, u, key) for u, v, key in hidden}
        views.append(nx.subgraph_view(G, filter_edge=lambda *edge: edge not in hidden))
    for view in views:
        converted = backend.convert_from_nx(view)
        assert converted.nodes == list(view)
        assert edges_of(converted) == [edge[:2] for edge in view.edges]
        assert Graph.from_networkx(view, fields=[]).num_edges == len(list(view.edges))
    assert all(v != "b" for _, v in edges_of(backend.convert_from_nx(Fewer(G))))


def test_the_complement_that_approximations_show():
    G = nx.approximation.kcomponents._AntiGraph([(0, 1), (1, 2), (2, 3), (0, 4)])
    converted = backend.convert_from_nx(G)
    shown = {frozenset((u, v)) for u in G for v in G.neighbors(u)}
    assert set(map(frozenset, edges_of(converted))) == shown


@pytest.mark.parametrize("kind", KINDS)
def test_there_and_back(kind):
    G = example(kind)
    for edge in G.edges:
        G.edges[edge].setdefault("weight", 1)
    again = backend.convert_to_nx(backend.convert_from_nx(G, edge_attrs={"weight": 1}))
    assert type(again) is kind
    assert list(again) == list(G)
    assert [*again.edges(data=True)] == [*G.edges(data=True)]
    assert backend.convert_to_nx(5) == 5


def test_attributes_share_one_topology_on_the_device():
    G = nx.gnm_random_graph(50, 100, seed=1)
    nx.set_edge_attributes(G, 2, "length")
    nx.pagerank(G, backend="gascl")
    nx.single_source_dijkstra_path_length(G, 0, weight="length", backend="gascl")
    found = G.__networkx_cache__["backends"]["gascl"].values()
    assert len({id(converted.topology) for converted in found}) == 1
    assert isinstance(next(iter(found)), Converted)


COPIES = {
    "pickle": lambda G: pickle.loads(pickle.dumps(G)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (nx.pagerank, ()),
        (nx.minimum_spanning_edges, ()),
        (nx.jaccard_coefficient, ()),
        (nx.attribute_assortativity_coefficient, ("group",)),
    ],
)
def test_copies_of_a_graph_that_was_on_a_device(copied, function, arguments):
    """Also of functions that read attributes, of which conversions have none."""
    G = nx.gnm_random_graph(50, 100, seed=1)
    nx.set_node_attributes(G, {node: node % 3 for node in G}, "group")
    expected, of_fewer = function(G, *arguments), function(G.subgraph(range(40)), *arguments)
    function(G, *arguments, backend="gascl")
    again = copied(G)
    del G
    assert equal(function(again, *arguments, backend="gascl"), expected)
    again.remove_nodes_from(range(40, 50))
    assert equal(function(again, *arguments, backend="gascl"), of_fewer)


def equal(found, expected):
    if hasattr(found, "__next__"):
        return list(found) == list(expected)
    return found == pytest.approx(expected)


def test_pickles_do_not_grow_by_the_cache():
    G = nx.gnm_random_graph(500, 1_000, seed=1)
    before = len(pickle.dumps(G))
    nx.pagerank(G, backend="gascl")
    assert len(pickle.dumps(G)) < before + 500


def test_a_conversion_whose_graph_was_deleted():
    converted = backend.convert_from_nx(nx.path_graph(3), edge_attrs={"weight": 1})
    assert list(nx.core_number(converted)) == [0, 1, 2]
    with pytest.raises(NotImplementedError, match="was deleted"):
        list(backend.minimum_spanning_edges(converted))


def test_methods_that_change_a_graph_are_seen():
    G = nx.path_graph(5)
    assert nx.shortest_path_length(G, 0, backend="gascl")[4] == 4
    G.add_edge(0, 4)
    assert nx.shortest_path_length(G, 0, backend="gascl")[4] == 1


VIEWS = {
    "subgraph": lambda G: G.subgraph([0, 1, 2, 3]),
    "edge_subgraph": lambda G: G.edge_subgraph(list(G.edges)),
    "restricted_view": lambda G: nx.restricted_view(G, [], []),
    "subgraph_view": nx.subgraph_view,
    "copy": lambda G: G.copy(as_view=True),
    "to_directed": lambda G: G.to_directed(as_view=True),
    "to_undirected": lambda G: G.to_undirected(as_view=True),
    "reverse_view": lambda G: nx.reverse_view(G) if G.is_directed() else G.copy(as_view=True),
}


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("how", ["on request", "by itself", "inside another function"])
def test_views_follow_their_graph(kind, view, how, monkeypatch):
    """`pagerank` of NetworkX itself asks for a matrix, which the backend makes."""
    monkeypatch.setattr(type(backend), "should_run", lambda *_: True)
    G = nx.path_graph(4, kind)
    V = VIEWS[view](G)

    def ranks(V):
        asked = {"on request": "gascl", "by itself": None, "inside another function": "networkx"}
        with nx.config(backend_priority=["gascl"]):
            return nx.pagerank(V, weight=None, backend=asked[how])

    before = ranks(V)
    assert before == pytest.approx(nx.pagerank(V))
    G.remove_edge(1, 2)
    after = ranks(V)
    assert after == pytest.approx(nx.pagerank(V))
    assert after != pytest.approx(before)


def test_a_view_of_a_view_and_what_it_hides():
    G = nx.path_graph(4)
    V = G.subgraph([0, 1, 2, 3]).copy(as_view=True)
    assert nx.number_connected_components(V, backend="gascl") == 1
    G.remove_edge(1, 2)
    assert nx.number_connected_components(V, backend="gascl") == 2
    lopsided = nx.subgraph_view(G, filter_edge=lambda u, v: u < v)
    with pytest.raises(NotImplementedError, match="gascl"):
        nx.number_connected_components(lopsided, backend="gascl")


def test_an_undirected_view_whose_edges_have_two_weights():
    G = nx.DiGraph([(0, 1, {"weight": 2}), (1, 0, {"weight": 5})])
    V = G.to_undirected(as_view=True)
    with pytest.raises(NotImplementedError, match="gascl"):
        nx.single_source_dijkstra_path_length(V, 1, backend="gascl")
    assert nx.number_connected_components(V, backend="gascl") == 1


@pytest.mark.parametrize("kind", KINDS)
def test_changes_by_hand_that_dictionaries_show(kind):
    G = nx.path_graph(5, kind)

    def lengths():
        return nx.single_source_shortest_path_length(G, 0, backend="gascl")

    assert lengths()[4] == 4
    G._adj[0][4] = {0: {}} if G.is_multigraph() else {}
    (G._pred if G.is_directed() else G._adj)[4][0] = G._adj[0][4]
    assert lengths()[4] == 1
    assert lengths()[4] == 1
    with pytest.raises(nx.NetworkXError):
        G.add_edges_from([(0, "new"), (0,)])  # which fails after the first edge
    assert lengths()["new"] == 1


def weighted(G):
    nx.set_edge_attributes(G, 1.5, "weight")
    return G


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [3, 2_000])
def test_a_changed_attribute_of_a_sample_is_seen(kind, count):
    """Of graphs with up to 500 edges, the sample is every edge."""
    G = weighted(nx.path_graph(count, kind))

    def length():
        return nx.single_source_dijkstra_path_length(G, 0, backend="gascl")[count - 1]

    before = length()
    chosen = [(0, 1)] if count == 3 else list(G.edges())[:100]
    for u, v in chosen:
        for record in G[u][v].values() if G.is_multigraph() else [G[u][v]]:
            record["weight"] = 10.0
    assert length() == before + len(chosen) * 8.5
    assert length() == before + len(chosen) * 8.5


@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_attribute_is_seen_at_any_edge_of_500(kind):
    """Of a star, the sample had the first five edges of the hub."""
    G = kind()
    nx.add_star(G, range(501), weight=1.5)
    G.add_nodes_from(range(501, 2000))
    for v in (50, 250, 500):
        assert nx.single_source_dijkstra_path_length(G, 0, backend="gascl")[v] == 1.5
        (G[0][v][0] if G.is_multigraph() else G[0][v])["weight"] = 50.0
        assert nx.single_source_dijkstra_path_length(G, 0, backend="gascl")[v] == 50


def test_a_changed_attribute_is_missed_until_the_cache_is_cleared():
    """As docs/networkx.md says, with the remedy: one edge of many, by hand."""
    G = weighted(nx.path_graph(20_001))

    def length():
        return nx.single_source_dijkstra_path_length(G, 0, backend="gascl")[20_000]

    assert length() == 30_000
    G[1][2]["weight"] = 10.0
    assert length() == 30_000
    G.__networkx_cache__.clear()
    assert length() == 30_008.5
    G[1][2]["weight"] = 20.0
    G.add_edge(1, 2, weight=20.0)  # a method does it, too
    assert length() == 30_018.5


@pytest.mark.parametrize("kind", KINDS)
def test_a_replaced_edge_of_a_sample_is_seen(kind):
    """Every node keeps its number of neighbors."""
    G = kind([(0, 1), (2, 3)])

    def reached():
        return set(nx.single_source_shortest_path_length(G, 0, backend="gascl"))

    assert reached() == {0, 1}
    for rows, ends in ((G._adj, (0, 2)), (G._pred if G.is_directed() else G._adj, (1, 3))):
        first, second = ends
        rows[first], rows[second] = rows[second], rows[first]
    assert reached() == {0, 3}


def test_attributes_that_cannot_be_compared():
    G = nx.path_graph(3)
    nx.set_edge_attributes(G, np.ones(2), "weight")
    for _ in range(2):
        with pytest.raises(NotImplementedError):
            nx.single_source_dijkstra_path_length(G, 0, backend="gascl")
        nx.set_edge_attributes(G, np.ones(2), "other")


def test_networkx_warns_of_its_cache():
    nx.config.warnings_to_ignore.discard("cache")
    G = nx.path_graph(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nx.core_number(G, backend="gascl")
    with pytest.warns(UserWarning, match="cached graph is being used"):
        nx.core_number(G, backend="gascl")


def test_the_log_tells_conversion_and_run_apart(caplog):
    G = nx.gnm_random_graph(30, 60, seed=1)
    with caplog.at_level(logging.DEBUG, logger="gascl.nx"):
        nx.core_number(G, backend="gascl")
        nx.core_number(G, backend="gascl")
    lines = [record.message for record in caplog.records if record.levelno == logging.INFO]
    assert [line.split(" in ")[0] for line in lines] == [
        "core_number: converted 30 nodes, 60 edges",
        "core_number: ran",
        "core_number: ran",
    ]
    assert any("CoreNumber on " in record.message for record in caplog.records)


def test_what_is_declined_is_run_by_networkx_with_the_reason_in_its_log(caplog):
    G = nx.gnm_random_graph(30, 60, seed=1)
    with (
        caplog.at_level(logging.DEBUG, logger="networkx"),
        nx.config(backend_priority=["gascl"]),
    ):
        length = nx.shortest_path_length(G, 0, 9)
        assert length == nx.shortest_path_length(G, 0, 9, backend="networkx")
        nx.pagerank(G)
    text = caplog.text
    assert (
        "gascl does not support a single pair, for which NetworkX searches from both ends" in text
    )
    assert "because: NetworkX is faster with so few nodes" in text
    with pytest.raises(NotImplementedError, match="gascl"):
        nx.shortest_path_length(G, 0, 9, backend="gascl")


@pytest.mark.parametrize(
    "value",
    [
        *("text", None, float("nan"), float("inf"), 1e308, 5e-324, 2**60, 2**70, -1),
        *(True, np.bool_(True), np.float32(0.1), np.int8(1), np.uint8(1), np.int64(1)),
    ],
    ids=repr,
)
@pytest.mark.parametrize("beside", [1, 0.5])
def test_weights_that_are_not_exact_are_declined(value, beside):
    G = nx.path_graph(3)
    G[0][1]["weight"] = value
    G[1][2]["weight"] = beside
    with pytest.raises(NotImplementedError):
        nx.single_source_dijkstra_path_length(G, 0, backend="gascl")
    assert nx.core_number(G, backend="gascl") == {0: 1, 1: 1, 2: 1}


@pytest.mark.parametrize(
    "given",
    [
        [None] * 7,
        [None, None, None, 2, None, None, None],
        [3, 2, 1, 0, -1, -2, 9],
        [1, 2, 3, 4, 0.5, None, 7],  # whole at first
        [0.5, 0.5, 1, np.float64(0.5), np.int64(3), None],
        [np.int64(3), 2, None],
        [2**53 - 1, 1, 1, 1, 1, 1, 0.25],
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_attributes_are_read_some_at_a_time(kind, given, monkeypatch):
    monkeypatch.setattr("gascl.nx.edge_attribute.CHUNK", 2)
    G = kind()
    for node, value in enumerate(given):
        G.add_edge(node, node + 1, other=5)
        if value is not None:
            nx.set_edge_attributes(G, {edge: value for edge in [*G.edges][-1:]}, "weight")
    expected = [value for *_, value in G.edges(data="weight", default=1)]
    found = backend.convert_from_nx(G, edge_attrs={"weight": 1}).column("weight")
    whole = [isinstance(value, int | np.integer) for value in expected]
    assert found.values.tolist() == expected
    assert found.values.dtype == (np.int64 if all(whole) else np.float64)
    assert found.whole == all(whole)
    assert (found.mixed is not None) == (not all(whole) and any(whole))
    assert found.floats.tolist() == [not each for each in whole]
    assert found.numpy == any(type(value) is np.int64 for value in expected)


NO_NUMBERS = ["text", None, [1], 2**70, True, np.bool_(True), np.float32(0.5), np.uint8(3)]


@pytest.mark.parametrize("value", NO_NUMBERS, ids=repr)
def test_a_value_that_is_no_number_is_found_wherever_it_is(value, monkeypatch):
    monkeypatch.setattr("gascl.nx.edge_attribute.CHUNK", 2)
    for place in range(5):
        G = nx.path_graph(6)
        nx.set_edge_attributes(G, {(place, place + 1): value}, "weight")
        found = backend.convert_from_nx(G, edge_attrs={"weight": 1}).column("weight")
        assert found.values is None and "'weight'" in found.refusal


def test_whole_weights_give_integers():
    G = nx.path_graph(3)
    found = nx.single_source_dijkstra_path_length(G, 0, backend="gascl")
    assert found == {0: 0, 1: 1, 2: 2}
    assert {type(value) for value in found.values()} == {int}
    nx.set_edge_attributes(G, np.float64(0.5), "weight")
    found = nx.single_source_dijkstra_path_length(G, 0, backend="gascl")
    assert [type(value) for value in found.values()] == [int, float, float]


def test_matrices_of_integers_of_numpy():
    G = nx.path_graph(3)
    nx.set_edge_attributes(G, np.int64(3), "weight")
    found = nx.to_scipy_sparse_array(G, backend="gascl")
    assert found.dtype == nx.to_scipy_sparse_array(G).dtype == np.int64
    assert found.toarray().tolist() == [[0, 3, 0], [3, 0, 3], [0, 3, 0]]
