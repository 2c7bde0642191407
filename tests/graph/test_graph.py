"""Graphs from edges: what they accept, refuse, merge and report, and their labels."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.refusals import refused

import gascl.graph.graph
from gascl.errors import GraphError
from gascl.graph.graph import Graph

# Building


def test_from_edges():
    graph = Graph.from_edges([0, 2, 1], [1, 1, 1], weight=[1.5, 2.5, 3.5], kind=np.int8([1, 2, 3]))
    assert (graph.num_vertices, graph.num_edges, graph.num_arcs) == (3, 3, 3)
    assert graph.directed and graph.labels is None
    assert graph.edge_src.tolist() == [0, 2, 1] and graph.edge_src.dtype == np.int32
    assert graph.edge_dst.tolist() == [1, 1, 1] and graph.edge_dst.dtype == np.int32
    assert graph.edge_fields["weight"].dtype == np.float64
    assert graph.edge_fields["kind"].dtype == np.int8
    assert graph.out_degree.tolist() == [1, 1, 1] and graph.in_degree.tolist() == [0, 3, 0]
    assert graph.out_degree.dtype == graph.in_degree.dtype == np.int32
    assert [ends.tolist() for ends in graph.coo()] == [[0, 1, 2], [1, 1, 1]]


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("num_vertices", [None, 0, 3])
def test_no_edges(directed, num_vertices):
    graph = Graph.from_edges([], [], num_vertices=num_vertices, directed=directed, weight=[])
    count = num_vertices or 0
    assert (graph.num_vertices, graph.num_edges, graph.num_arcs) == (count, 0, 0)
    assert graph.arcs().out_offsets.tolist() == [0] * (count + 1)
    assert graph.to_scipy().shape == (count, count)
    assert graph.out_degree.tolist() == [0] * count


@pytest.mark.parametrize("ids", [np.uint8, np.uint64, np.int16, ">i4", np.float32, list])
def test_whole_numbers_of_any_type(ids):
    src, dst = ([0, 1, 2], [2, 0, 1])
    if ids is not list:
        src, dst = np.array(src, dtype=ids), np.array(dst, dtype=ids)
    graph = Graph.from_edges(src, dst, weight=np.array([1, 2, 3], dtype=">f4"))
    assert graph.edge_src.tolist() == [0, 1, 2]
    assert graph.edge_fields["weight"].dtype == np.dtype("=f4")
    assert graph.edge_fields["weight"].tolist() == [1, 2, 3]


def test_nothing_is_shared_or_writable():
    src, weight = np.array([0, 1], dtype=np.int32), np.array([1.0, 2.0])
    labels = np.array(["a", "b"])
    graph = Graph.from_edges(src, src, labels=labels, weight=weight)
    src[:] = 7
    weight[:] = 7
    labels[:] = "c"
    assert graph.edge_src.tolist() == [0, 1]
    assert graph.edge_fields["weight"].tolist() == [1, 2]
    strided = Graph.from_edges(src[::2], src[::2], weight=weight[::2])
    assert strided.edge_src.flags.c_contiguous
    assert strided.edge_fields["weight"].flags.c_contiguous
    assert graph.labels.tolist() == ["a", "b"]
    for array in (graph.edge_src, graph.labels, graph.edge_fields["weight"], graph.out_degree):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(TypeError):
        graph.edge_fields["weight"] = weight
    with pytest.raises(AttributeError):
        graph.num_vertices = 3


def test_pickle_keeps_all():
    graph = Graph.from_edges([0, 1], [1, 0], labels=["a", "b"], weight=[1, 2], directed=False)
    graph.arcs()
    copy = pickle.loads(pickle.dumps(graph))
    assert repr(copy) == repr(graph)
    assert copy.index_of("b") == 1
    assert copy.edge_fields["weight"].tolist() == [1, 2]
    assert not copy.edge_src.flags.writeable


def test_repr():
    src = np.zeros(88234, dtype=int)
    graph = Graph.from_edges(src, src, num_vertices=4039, directed=False, weight=src)
    assert repr(graph) == "Graph(4,039 vertices, 88,234 edges, undirected, fields: weight)"
    assert repr(Graph.from_edges([0], [1])) == "Graph(2 vertices, 1 edges, directed)"


def test_imports_are_light():
    """Without the package's own __init__, which may import anything."""
    code = f"""
import sys, types
package = types.ModuleType("gascl")
package.__path__ = [{str(Path(gascl.graph.graph.__file__).parents[1])!r}]
sys.modules["gascl"] = package
import gascl.graph.graph, gascl.io.registry
print([name for name in ("scipy", "networkx", "pyopencl") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Refusals: each names the cause, the value and the remedy


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0, 1.5], [1, 1]), ["edge 1", "src is 1.5", "whole number"]),
        (([0], [np.nan]), ["edge 0", "dst is nan", "whole number"]),
        (([True], [1]), ["src", "bool", "astype(int)"]),
        (([0], ["b"]), ["dst has labels", "src int64", "alike"]),
        (([0, -4], [1, 1]), ["edge 1", "src is -4", "start at 0", "labels="]),
        (([[0]], [[1]]), ["src", "(1, 1)", "(edges,)"]),
        (([0], [1, 2]), ["src has 1", "dst has 2", "same length"]),
        (([0], [2**31 - 1]), ["2,147,483,648 vertices", "2,147,483,647", "labels="]),
    ],
)
def test_bad_ids(arguments, words):
    refused(words, lambda: Graph.from_edges(*arguments))


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"num_vertices": 3}, ["edge 1", "dst is 5", "3 vertices", "0 to 2", "num_vertices=6"]),
        ({"num_vertices": 0}, ["edge 0", "src is 0", "0 vertices", "none", "num_vertices=1"]),
        ({"labels": "abc"}, ["edge 1", "dst is 5", "6 labels"]),
        ({"num_vertices": 7, "labels": "abc"}, ["3 labels", "7 vertices", "one label per vertex"]),
        ({"num_vertices": -1}, ["-1 vertices"]),
        ({"num_vertices": 6.5}, ["num_vertices is 6.5", "whole number"]),
        ({"num_vertices": 2**31}, ["2,147,483,648 vertices", "2,147,483,647"]),
        ({"labels": "abcdea"}, ["vertices 0 and 5", "'a'", "unique"]),
        ({"labels": [1, 2, 3, 4, 5, 2]}, ["vertices 1 and 5", "2", "unique"]),
        ({"labels": [1, "a", 2, 3, 4, 1]}, ["vertices 0 and 5", "unique"]),
        ({"labels": [1, [], 3, 4, 5, 6]}, ["vertex 1", "[]", "hashed", "tuples"]),
        ({"labels": np.zeros(6)}, ["float64", "astype"]),
        ({"labels": np.zeros((6, 1), int)}, ["(6, 1)"]),
        ({"weight": [1]}, ["'weight'", "(1,)", "2 edges", "one value per edge"]),
        ({"weight": ["a", "b"]}, ["'weight'", "texts", "read weights as numbers", "astype"]),
        ({"weight": True}, ["'weight'", "bool", "astype"]),
        ({"weight": [1, 2j]}, ["'weight'", "complex128", "astype"]),
        ({"weight": np.float16([1, 2])}, ["'weight'", "float16", "astype"]),
        ({"a b": [1, 2]}, ["'a b'", "letters, digits"]),
        ({"duplicates": "mean"}, ["'mean'", "keep, sum, min, max, first, error"]),
        ({"self_loops": "sum"}, ["'sum'", "keep, drop, error"]),
    ],
)
def test_bad_keywords(keywords, words):
    refused(words, lambda: Graph.from_edges([0, 1], [2, 5], **keywords))


# Policies

PARALLEL = {"src": [0, 1, 1, 0, 1], "dst": [1, 0, 1, 1, 2], "w": [5, 1, 7, 3, 9]}


@pytest.mark.parametrize(
    ("policy", "weights"), [("sum", [8, 1, 7, 9]), ("min", [3, 1, 7, 9]), ("max", [5, 1, 7, 9])]
)
def test_merging_directed(policy, weights):
    graph = Graph.from_edges(**PARALLEL, duplicates=policy)
    assert graph.edge_src.tolist() == [0, 1, 1, 1]
    assert graph.edge_dst.tolist() == [1, 0, 1, 2]
    assert graph.edge_fields["w"].tolist() == weights
    assert f"duplicates='{policy}': merged 1 edge into others" in graph.report


def test_merging_undirected_and_dropping_loops():
    graph = Graph.from_edges(**PARALLEL, directed=False, duplicates="first", self_loops="drop")
    assert graph.edge_src.tolist() == [0, 1]
    assert graph.edge_dst.tolist() == [1, 2]
    assert graph.edge_fields["w"].tolist() == [5, 9]
    assert graph.report == [
        "self_loops='drop': dropped 1 self-loop",
        "duplicates='first': merged 2 edges into others",
    ]


def test_keeping_is_reported_for_loops_only():
    assert Graph.from_edges(**PARALLEL).report == ["self_loops='keep': 1 self-loop kept"]
    assert Graph.from_edges([0], [1]).report == []


def test_policies_with_nothing_to_do_say_nothing():
    graph = Graph.from_edges([0], [1], duplicates="error", self_loops="error")
    assert graph.report == [] and graph.num_edges == 1


@given(
    st.lists(st.tuples(*[st.integers(0, 4)] * 2, st.integers(-9, 9)), max_size=30),
    st.booleans(),
    st.sampled_from(["sum", "min", "max", "first"]),
)
def test_merging_against_a_dictionary(edges, directed, policy):
    groups: dict = {}
    for src, dst, weight in edges:
        ends = (src, dst) if directed else frozenset((src, dst))
        groups.setdefault(ends, []).append((src, dst, weight))
    merge = {"sum": sum, "min": min, "max": max, "first": lambda values: values[0]}[policy]
    expected = [(*group[0][:2], merge([edge[2] for edge in group])) for group in groups.values()]
    src, dst, weight = np.array(edges, dtype=np.int64).reshape(-1, 3).T
    graph = Graph.from_edges(src, dst, directed=directed, duplicates=policy, w=weight, x=weight / 4)
    assert (
        list(zip(graph.edge_src, graph.edge_dst, graph.edge_fields["w"], strict=True)) == expected
    )
    assert (graph.edge_fields["x"] * 4).tolist() == graph.edge_fields["w"].tolist()


def test_sum_widens_and_merge_propagates_nan():
    small = np.array([127, 127], dtype=np.int8)
    graph = Graph.from_edges([0, 0], [1, 1], duplicates="sum", a=small, b=small.view(np.uint8))
    assert graph.edge_fields["a"].tolist() == [254] and graph.edge_fields["a"].dtype == np.int64
    assert graph.edge_fields["b"].tolist() == [254] and graph.edge_fields["b"].dtype == np.uint64
    for policy in ("sum", "min", "max"):
        graph = Graph.from_edges([0, 0], [1, 1], duplicates=policy, a=[1, np.nan])
        assert np.isnan(graph.edge_fields["a"]).all()


def test_sum_at_the_edge_of_int64():
    top = 2**63 - 1
    graph = Graph.from_edges([0] * 3, [1] * 3, duplicates="sum", w=[top, -5, 5])
    assert graph.edge_fields["w"].tolist() == [top]
    for weights, total in (([top, 1], 2**63), ([-top, -1, -1], -(2**63) - 1)):
        ends = [0] * len(weights)
        words = ["'w'", str(total), "does not fit int64", "float64"]
        with pytest.raises(GraphError) as caught:
            Graph.from_edges(ends, ends, duplicates="sum", w=weights)
        for word in words:
            assert word in str(caught.value)


def test_refused_edges_are_named_by_label():
    edges = {"src": [0, 1, 0, 1, 2], "dst": [1, 2, 1, 2, 2], "labels": ["x", "y", "z"]}
    words = [
        "edge 2 ('x' to 'y')",
        "repeats edge 0",
        "earlier one: 2",
        "first",
        "duplicates='keep'",
    ]
    refused(words, lambda: Graph.from_edges(**edges, duplicates="error"))
    words = ["edge 4 ('z' to 'z')", "one of 1", "'drop'", "'keep'"]
    refused(words, lambda: Graph.from_edges(**edges, self_loops="error"))
    refused(
        ["edge 1 (2 to 1)", "edge 0"],
        lambda: Graph.from_edges([1, 2], [2, 1], directed=False, duplicates="error"),
    )


# Labels


def test_integer_labels():
    graph = Graph.from_edges([0, 1], [1, 2], labels=np.array([4037, -5, 15], dtype=np.int16))
    assert [graph.index_of(label) for label in (4037, np.int64(-5), "15", "+15")] == [0, 1, 2, 2]
    assert graph.label_of(0) == 4037 and type(graph.label_of(np.int32(0))) is int
    words = ["3 labels", "integers from -5 to 4037"]
    for wrong in (7, "7", "x", "1_5", 15.0, None, 10**30):
        refused([repr(wrong) if wrong != "7" else "7", *words], lambda w=wrong: graph.index_of(w))


def test_text_labels():
    graph = Graph.from_edges([0, 1], [1, 2], labels=["alice", "bob", "7"])
    assert graph.labels.dtype.kind == "U"
    assert graph.index_of("bob") == graph.index_of(np.str_("bob")) == 1
    assert graph.label_of(0) == "alice" and type(graph.label_of(0)) is str
    refused(["'alcie'", "3 labels", "did you mean 'alice'"], lambda: graph.index_of("alcie"))
    refused(["no vertex has the label 7", "did you mean '7'"], lambda: graph.index_of(7))
    refused(["'zzzz'", "such as 'alice'"], lambda: graph.index_of("zzzz"))
    upper = Graph.from_edges([("GOJ", "GOR")])
    refused(["did you mean 'GOJ'"], lambda: upper.index_of("goj"))


def test_object_labels():
    labels = [("a", 1), "b", 3]
    graph = Graph.from_edges([0, 1], [1, 2], labels=labels)
    assert graph.labels.dtype == object
    assert [graph.index_of(label) for label in labels] == [0, 1, 2]
    assert [graph.label_of(index) for index in range(3)] == labels
    refused(["('a', 2)", "did you mean ('a', 1)"], lambda: graph.index_of(("a", 2)))
    refused(["[]"], lambda: graph.index_of([]))


def test_without_labels_a_vertex_is_its_index():
    graph = Graph.from_edges([0], [2])
    assert graph.index_of(1) == graph.index_of("1") == graph.index_of(np.int8(1)) == 1
    assert graph.label_of(2) == 2
    for wrong in (3, -1, "x", 1.0):
        refused([repr(wrong), "0 to 2"], lambda wrong=wrong: graph.index_of(wrong))
    refused(["3", "0 to 2"], lambda: graph.label_of(3))
    refused(["0", "empty"], lambda: Graph.from_edges([], []).label_of(0))


def test_unknown_ways_and_fields():
    graph = Graph.from_edges([0], [1], weight=[1])
    refused(["'outward'", "out, in, both"], lambda: graph.arcs("outward"))
    refused(["'wieght'", "it has: weight"], lambda: graph.to_scipy("wieght"))


def test_bool_fields_are_int8():
    graph = Graph.from_edges([0, 1], [1, 2], toll=[True, False], w=np.array([False, True]))
    assert graph.edge_fields["toll"].dtype == np.int8 and graph.edge_fields["toll"].tolist() == [
        1,
        0,
    ]
    assert graph.edge_fields["w"].tolist() == [0, 1]
    assert "edge field 'toll': bool read as int8" in graph.report


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"selfloops": "drop"}, "self_loops"),
        ({"selfLoops": np.ones(1)}, "self_loops"),
        ({"self_loop": "drop"}, "self_loops"),
        ({"duplicate": "sum"}, "duplicates"),
        ({"num_vertice": 5}, "num_vertices"),
        ({"numvertices": 5}, "num_vertices"),
        ({"direct": False}, "directed"),
        ({"label": None}, "labels"),
    ],
)
def test_arguments_that_are_nearly_right(given, meant):
    with pytest.raises(GraphError, match=f"did you mean {meant}="):
        Graph.from_edges([0], [1], **given)
    assert list(Graph.from_edges([0], [1], label=[4]).edge_fields) == ["label"]


def test_numpy_s_scalars_in_messages():
    named = Graph.from_edges([0], [1], labels=["a", "b"])
    numbered = Graph.from_edges([0], [1])
    for call in (
        lambda: named.index_of(np.str_("1")),
        lambda: named.indices_of(np.array(["1"])),
        lambda: numbered.index_of(np.int64(7)),
        lambda: numbered.index_of(np.float64(0.5)),
        lambda: Graph.from_edges([0], [1], labels=np.array(["a", "a"])),
        lambda: Graph.from_edges([0], [1], num_vertices=np.float64(2)),
        lambda: Graph.from_edges([0, 0], [0, 1], labels=np.array(["a", "b"]), self_loops="error"),
        lambda: Graph.from_edges([0], [1], labels=[np.str_("a"), (1, 2)]).index_of(np.str_("c")),
    ):
        with pytest.raises(GraphError) as caught:
            call()
        assert "np." not in str(caught.value)


@pytest.mark.parametrize("directed", ["no", 0, None, np.array([True])])
def test_a_direction_that_is_not_a_bool_is_refused(directed):
    refused(["directed=", "True or False"], lambda: Graph.from_edges([0], [1], directed=directed))


def test_a_direction_may_be_a_bool_of_numpy():
    assert not Graph.from_edges([0], [1], directed=np.bool_(False)).directed


def test_masked_values_are_refused():
    ids, masked = [0, 1], np.ma.array([1, 7], mask=[False, True])
    words = ["masked values, the first at place 1", ".filled("]
    refused(["src", *words], lambda: Graph.from_edges(masked, ids))
    refused(["dst", *words], lambda: Graph.from_edges(ids, masked))
    refused(["edge field 'weight'", *words], lambda: Graph.from_edges(ids, ids, weight=masked))
    refused(["vertex field 'x'"], lambda: Graph.from_edges([0], [1], vertex_fields={"x": masked}))
    unmasked = np.ma.array([1, 0], mask=[False, False])
    assert Graph.from_edges(ids, unmasked, weight=unmasked).edge_fields["weight"].tolist() == [1, 0]
