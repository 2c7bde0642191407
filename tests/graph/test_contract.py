"""`Graph.contract`: quotient graphs on the host, compared with products of matrices."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array

from gascl import Engine, GasclError, Graph, GraphError
from gascl.programs import PageRank


def random_graph(rng: np.random.Generator, directed: bool, **fields: np.ndarray) -> Graph:
    ends = rng.integers(0, 30, (2, 200))
    return Graph.from_edges(*ends, num_vertices=30, directed=directed, **fields)


def between(graph: Graph, number: np.ndarray, count: int, values: np.ndarray) -> np.ndarray:
    """(count, count): the sums of the values of the edges from one group to another; of an
    undirected graph, in the triangle above the diagonal."""
    ends = number[graph.edge_src], number[graph.edge_dst]
    if not graph.directed:
        ends = np.minimum(*ends), np.maximum(*ends)
    return coo_array((values, ends), (count, count)).toarray()


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("kind", ["float64", "int32", None])
def test_weights_add_up(directed, kind):
    rng = np.random.default_rng(1)
    weight = rng.integers(1, 100, 200)
    fields = {} if kind is None else {"weight": weight.astype(kind)}
    graph = random_graph(rng, directed, **fields)
    group = rng.integers(0, 7, 30)
    quotient = graph.contract(group)
    assert quotient.directed == directed and quotient.num_vertices == 7
    assert quotient.labels is None  # since the groups are 0 to 6
    values = np.ones(200, int) if kind is None else weight
    expected = between(graph, group, 7, values)
    found = between(quotient, np.arange(7), 7, quotient.edge_fields["weight"])
    np.testing.assert_array_equal(found, expected)
    assert quotient.num_edges == np.count_nonzero(expected)  # no parallel edges
    assert quotient.edge_fields["weight"].dtype == (kind if kind == "float64" else "int64")
    order = np.lexsort((quotient.edge_dst, quotient.edge_src))
    np.testing.assert_array_equal(order, np.arange(quotient.num_edges))


def test_fields_are_merged_as_asked():
    graph = Graph.from_edges(
        [(0, 2), (1, 3), (2, 0), (0, 1), (1, 2)],
        length=[5.0, 3.0, 1.0, 2.0, 4.0],
        lanes=np.array([1, 2, 3, 4, 5], np.int8),
    )
    quotient = graph.contract(
        ["left", "left", "right", "right"], length="min", lanes="max", roads="count"
    )
    assert quotient.labels.tolist() == ["left", "right"]
    edges = zip(quotient.edge_src.tolist(), quotient.edge_dst.tolist(), strict=True)
    assert list(edges) == [(0, 0), (0, 1), (1, 0)]
    assert quotient.edge_fields["length"].tolist() == [2, 3, 1]
    assert quotient.edge_fields["lanes"].tolist() == [4, 5, 3]
    assert quotient.edge_fields["roads"].tolist() == [1, 3, 1]
    assert sorted(quotient.edge_fields) == ["lanes", "length", "roads"]
    assert graph.contract([0, 0, 1, 1], lanes="first").edge_fields["lanes"].tolist() == [4, 1, 3]


def test_self_loops_and_direction():
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 1), (2, 0)], weight=[1, 2, 4, 8])
    assert graph.contract([0, 0, 1]).edge_fields["weight"].tolist() == [1, 2, 12]
    assert graph.contract([0, 0, 1], self_loops="drop").edge_fields["weight"].tolist() == [2, 12]
    undirected = graph.contract([0, 0, 1], undirected=True)
    assert not undirected.directed
    assert undirected.edge_fields["weight"].tolist() == [1, 14]
    with pytest.raises(GraphError, match="self-loop"):
        graph.contract([0, 0, 1], self_loops="error")


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        ([7, -2, 7], [-2, 7]),
        (["b", "a", "b"], ["a", "b"]),
        ([("b", 1), "a", ("b", 1)], [("b", 1), "a"]),  # as they come
        (np.array([True, False, True]), None),
        ({"x": 5, "z": 5, "y": 4}, [4, 5]),
        (pd.Series([5, 4, 5], index=["z", "y", "x"]), [4, 5]),
        (pd.Categorical(["q", "p", "q"]), ["p", "q"]),
        ("team", [3, 9]),
    ],
)
def test_what_can_be_a_group(labels, names):
    graph = Graph.from_edges([("x", "y"), ("y", "z"), ("z", "x")])
    graph = Graph.from_edges(
        graph.edge_src, graph.edge_dst, labels=graph.labels, vertex_fields={"team": [9, 3, 9]}
    )
    quotient = graph.contract(labels)
    assert (None if quotient.labels is None else quotient.labels.tolist()) == names
    assert sorted(quotient.edge_fields["weight"].tolist()) == [1, 1, 1]
    assert quotient.num_loops == 1 and not quotient.vertex_fields


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        ([0.0, 1.0, 0.0], "the group of 'x' is 0.0: groups are integers"),
        (np.array([1, np.nan, 2]), "the group of 'y' is nan"),
        ([0, None, 0], "the group of 'y' is None"),
        ([0, [1], 0], r"the group of 'y' is \[1\]"),
        ([0, 1], "2 groups for 3 vertices"),
        ({"x": 1}, "there is no group for 'y'"),
        ("team", "no vertex field 'team'; it has: none"),
        (np.zeros((3, 2), int), "must have shape"),
    ],
)
def test_what_cannot(labels, why):
    graph = Graph.from_edges([("x", "y"), ("y", "z"), ("z", "x")])
    with pytest.raises(GraphError, match=why):
        graph.contract(labels)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"length": "sum"}, "no edge field 'length' .it has: weight.; length='count' counts"),
        ({"weight": "mean"}, "weight='mean' is not known; use one of sum, min"),
    ],
)
def test_how_edges_cannot_be_merged(fields, why):
    graph = Graph.from_edges([0, 1], [1, 0], weight=[1, 2])
    with pytest.raises(GraphError, match=why):
        graph.contract([0, 0], **fields)


def test_a_sum_that_does_not_fit():
    graph = Graph.from_edges([0, 1], [1, 0], weight=[2**62, 2**62])
    with pytest.raises(GraphError, match=r"9223372036854775808, which does not fit int64"):
        graph.contract([0, 0])


def test_graphs_without_edges_or_vertices():
    quotient = Graph.from_edges([], [], num_vertices=3).contract([4, 2, 4])
    assert (quotient.num_vertices, quotient.num_edges) == (2, 0)
    assert Graph.from_edges([], []).contract([]).num_vertices == 0


@pytest.mark.parametrize("wrong", ["no", 0, 1, None, "False"])
def test_flags_are_true_or_false(wrong):
    graph = Graph.from_edges([0, 1], [1, 0])
    for call in (
        lambda: graph.contract([0, 1], undirected=wrong),
        lambda: graph.simple(undirected=wrong),
        lambda: graph.to_scipy(copy=wrong),
        lambda: graph.to_networkx(lazy=wrong),
        lambda: Graph.from_edges([0], [1], directed=wrong),
        lambda: Engine(graph, debug=wrong),
        lambda: Engine(graph, deterministic=wrong),
        lambda: Engine(graph).run(PageRank(), keep_state=wrong),
    ):
        with pytest.raises(GasclError, match=r"=.* must be True or False"):
            call()
    assert not graph.contract([0, 1], undirected=np.True_).directed
