"""`Graph.from_edges` takes ids of any kind, pairs and vertex fields; fields by another name."""

from __future__ import annotations

import networkx
import numpy as np
import pandas
import pytest

from gascl import Engine, Graph, GraphError
from gascl.programs import PageRank, ShortestPaths


def ends(graph: Graph) -> list[tuple]:
    both = (graph.labels_of(graph.edge_src), graph.labels_of(graph.edge_dst))
    return list(zip(*(end.tolist() for end in both), strict=True))


@pytest.mark.parametrize(
    "given",
    [
        (["c", "a"], ["a", "b"]),
        (np.array(["c", "a"]), np.array(["a", "b"], object)),
        ([("c", "a"), ("a", "b")],),
        (np.array([["c", "a"], ["a", "b"]]),),
        (iter([("c", "a"), ("a", "b")]),),
        ((("c", "a"), ("a", "b")),),
    ],
    ids=["lists", "arrays", "pairs", "array of pairs", "iterator", "tuple of ends"],
)
def test_text_is_sorted(given):
    graph = Graph.from_edges(*given, weight=[1, 2])
    assert graph.labels.tolist() == ["a", "b", "c"]
    expected = [("c", "a"), ("a", "b")]
    assert ends(graph) == expected
    assert graph.edge_fields["weight"].tolist() == [1, 2]


def test_objects_come_as_they_are():
    graph = Graph.from_edges([((1, 2), (0, 0)), ((0, 0), "x")])
    assert graph.labels.tolist() == [(1, 2), (0, 0), "x"]
    assert ends(graph) == [((1, 2), (0, 0)), ((0, 0), "x")]
    mixed = Graph.from_edges([1, "1"], ["1", 2])  # 1 and "1" are two vertices
    assert mixed.labels.tolist() == [1, "1", 2]


def test_integers_are_the_vertices_themselves():
    pairs = networkx.DiGraph([(0, 5), (5, 2)]).edges
    for graph in (Graph.from_edges(pairs), Graph.from_edges(np.array([[0, 5], [5, 2]]))):
        assert graph.labels is None and graph.num_vertices == 6
        assert ends(graph) == [(0, 5), (5, 2)]
    objects = Graph.from_edges(np.array([0, 5], object), [5, 2])
    assert objects.labels is None and ends(objects) == [(0, 5), (5, 2)]
    named = Graph.from_edges([(0, 1)], labels=["x", "y"])
    assert ends(named) == [("x", "y")]


def test_text_among_given_labels():
    graph = Graph.from_edges([("b", "a")], labels=["b", "lonely", "a"])
    assert graph.labels.tolist() == ["b", "lonely", "a"] and ends(graph) == [("b", "a")]
    with pytest.raises(GraphError, match="no vertex has the label 'bb'"):
        Graph.from_edges([("bb", "a")], labels=["b", "a"])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((["a"], [1]), "src has labels and dst int64; give both alike"),
        (([1], ["a"]), "dst has labels and src int64; give both alike"),
        ((["a"], []), "src has 1 ids and dst has 0; give both the same length"),
        (([None, "a"], ["a", "b"]), "edge 0: src is None; leave out such edges"),
        (("a", "b"), "src must be a list or an array with an id per edge, not 'a'"),
        ((["a"], 3), "dst must be a list or an array with an id per edge, not 3"),
        (([("a", "b", "c")],), r"item 0 is \('a', 'b', 'c'\), which is not a pair"),
        (([("a", "b", 1.5)],), r"is not a pair; give the weights separately: .* weight=\["),
        ((np.array([[1, 2, 3]]),), r"not \(1, 3\); give the weights separately: "),
        ((pandas.DataFrame({"a": [1]}),), "not pandas's: use Graph.from_pandas"),
        ((networkx.path_graph(3),), "not networkx's: use Graph.from_networkx"),
        ((["ab", "cd"],), "item 0 is 'ab', which is not a pair"),
        ((5,), r"edges must be a list of pairs, as \[\(1, 2\), \(1, 3\)\], or a tuple"),
        ((np.array([b"a"]), np.array([b"b"])), "src must be integers or text, not"),
    ],
)
def test_ids_that_are_refused(given, words):
    with pytest.raises(GraphError, match=words):
        Graph.from_edges(*given)


def test_no_edges():
    assert Graph.from_edges([]).num_vertices == 0
    assert Graph.from_edges([], labels=["a"]).num_vertices == 1


def test_a_series_is_by_its_index():
    edges = [("a", "b"), ("b", "c")]
    named = pandas.Series([0.0, 0, 1], index=list("cba"))
    graph = Graph.from_edges(edges, vertex_fields={"x": named})
    assert graph.vertex_fields["x"].tolist() == [1, 0, 0]
    for values in (named, pandas.Series([1.0], index=["a"]), pandas.Series([1.0, 0, 0])):
        rank = Engine(graph).run(PageRank(personalization=values, supersteps=0)).personalization
        assert rank.tolist() == [1, 0, 0]
    plain = Graph.from_edges([(0, 1), (1, 2)])
    turned = pandas.Series([0.0, 0, 1], index=[2, 1, 0])
    rank = Engine(plain).run(PageRank(personalization=turned, supersteps=0)).personalization
    assert rank.tolist() == [1, 0, 0]
    with pytest.raises(GraphError, match="'a' occurs twice in the index of a Series"):
        Graph.from_edges(edges, vertex_fields={"x": pandas.Series([1, 2, 3], index=list("aab"))})


def test_vertex_fields():
    place = [[0.0, 1], [2, 3], [4, 5]]
    graph = Graph.from_edges(
        [("c", "a"), ("a", "b")],
        vertex_fields={
            "place": place,
            "group": {"b": 2, "a": 1, "c": 3},
            "open": [True, False, 1 > 0],
        },
    )
    assert graph.vertex_fields["place"].tolist() == place
    assert graph.vertex_fields["group"].tolist() == [1, 2, 3]
    assert graph.vertex_fields["open"].dtype == np.int8
    assert "vertex field 'open': bool read as int8" in graph.report


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"x": [1, 2]}, r"vertex field 'x' has shape \(2,\), and there are 3 vertices"),
        ({"x": {"a": 1, "b": 2}}, "vertex field 'x' has no value for 'c'"),
        ({"x": {"q": 1}}, "no vertex has the label 'q'"),
        ({"x": ["p", 1.5, {}]}, "vertex field 'x' must be integers, float32, float64, text, times"),
        ({"2x": [1, 2, 3]}, "the vertex field '2x' needs a name"),
    ],
)
def test_vertex_fields_refused(fields, words):
    with pytest.raises(GraphError, match=words):
        Graph.from_edges([("c", "a"), ("a", "b")], vertex_fields=fields)


def test_a_field_by_another_name():
    graph = Graph.from_edges([0, 0, 1], [1, 2, 2], minutes=[1, 5, 1], km=[3, 1, 3])
    renamed = graph.with_edge_fields(weight="minutes", km="km")
    assert renamed.edge_fields["weight"] is graph.edge_fields["minutes"]
    assert list(renamed.edge_fields) == ["minutes", "weight", "km"]
    assert list(renamed.with_edge_fields(minutes=None).edge_fields) == ["weight", "km"]
    assert renamed.arcs() is graph.arcs() and renamed.reversed() is not graph.reversed()
    assert Engine(renamed).run(ShortestPaths(source=0)).distance.tolist() == [0, 1, 2]
    assert renamed.weighted_out_degree().tolist() == [6, 1, 0]
    assert graph.weighted_out_degree("km").tolist() == [4, 3, 0]
    with pytest.raises(GraphError, match="no edge field 'hours'; it has: minutes, km"):
        graph.with_edge_fields(weight="hours")
