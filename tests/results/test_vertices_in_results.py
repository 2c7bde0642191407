"""Vertices in results are labels: in DataFrames, files, rankings and paths; results of arcs.

The graph is drawn by hand: from a, two minutes to c by way of b are less than five without; d leads
to e, where nobody else gets to.
"""

from __future__ import annotations

import csv
import math
import pickle
from itertools import pairwise

import numpy as np
import pandas
import pyarrow.parquet
import pytest
from support.samples import random_graph, to_networkx

from gascl import (
    Engine,
    FieldError,
    GasclError,
    Graph,
    GraphError,
    ProgramError,
    VertexProgram,
    aggregate,
    arc,
    edge,
    struct,
    vertex,
)
from gascl.programs import (
    BellmanFord,
    BreadthFirst,
    ConnectedComponents,
    LabelPropagation,
    PageRank,
    ShortestPaths,
    SpanningForest,
    StronglyConnected,
    TrussNumber,
)

TEXT = ["a", "b", "c", "d", "e"]
NUMBERS = [50, 10, 30, 20, 40]
TUPLES = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
#: The vertex before each one on a shortest path from the first; None: no vertex.
BEFORE = [None, 0, 1, None, None]


def roads(labels=TEXT, **options) -> Graph:
    weight = [1.0, 1, 5, 1]
    return Graph.from_edges(
        [0, 1, 0, 3], [1, 2, 2, 4], labels=labels, num_vertices=5, weight=weight, **options
    )


def found(labels=TEXT):
    graph = roads(labels)
    return Engine(graph).run(ShortestPaths(source=graph.label_of(0)))


def before(labels):
    names = range(5) if labels is None else labels
    return [None if v is None else names[v] for v in BEFORE]


@pytest.mark.parametrize("labels", [TEXT, NUMBERS, TUPLES, None])
def test_a_data_frame_of_labels(labels):
    result = found(labels)
    frame = result.to_pandas()
    assert list(frame.columns) == ["distance", "parent"]
    assert frame.index.name == "vertex"
    assert frame.index.tolist() == (list(range(5)) if labels is None else labels)
    assert frame.distance.tolist() == [0, 1, 2, math.inf, math.inf]
    assert [None if pandas.isna(v) is True else v for v in frame.parent] == before(labels)
    assert result.parent.tolist() == [-1, 0, 1, -1, -1]  # indices stay available


def test_whole_numbers_stay_whole_where_there_is_no_vertex():
    frame = found(NUMBERS).to_pandas(["parent"])
    assert str(frame.parent.dtype) == "Int64"
    assert frame.parent.isna().tolist() == [True, False, False, True, True]
    assert frame.parent[30] == 10


def test_chosen_fields(tmp_path):
    result = found()
    assert list(result.to_pandas(["distance"]).columns) == ["distance"]
    result.save(tmp_path / "out.csv", ["parent"])
    assert (tmp_path / "out.csv").read_text() == "vertex,parent\na,\nb,a\nc,b\nd,\ne,\n"
    with pytest.raises(FieldError, match=r"no field 'parnt'; did you mean 'parent'\?"):
        result.to_pandas(["parnt"])
    with pytest.raises(FieldError, match=r"a list of names: fields=\['parent'\]"):
        result.save(tmp_path / "out.csv", "parent")


@pytest.mark.parametrize("labels", [TEXT, NUMBERS, TUPLES, None])
def test_files(tmp_path, labels):
    result, texts = found(labels), [None if v is None else str(v) for v in before(labels)]
    result.save(tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["parent"] or None for row in rows] == texts
    result.save(tmp_path / "out.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    wanted = texts if labels in (TEXT, TUPLES) else before(labels)
    assert table["parent"].to_pylist() == wanted
    result.save(tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz") as arrays:  # places among those of `vertex`
        assert arrays["parent"].tolist() == [-1, 0, 1, -1, -1]


def test_no_vertex_is_never_the_last_label():
    graph = roads()
    assert graph.labels_of([-1, 0, 4, 5, -7]).tolist() == [None, "a", "e", None, None]
    assert graph.labels_of([[0, 1], [2, -1]]).tolist() == [["a", "b"], ["c", None]]
    assert graph.labels_of(np.array([4, 0])).dtype == graph.labels.dtype
    assert roads(None).labels_of([3, -1]).tolist() == [3, None]
    assert roads(TUPLES).labels_of([2]).tolist() == [(0, 2)]
    assert Graph.from_edges([], []).labels_of([-1]).tolist() == [None]
    assert Graph.from_edges([], [], labels=[]).labels_of([]).tolist() == []
    with pytest.raises(GraphError, match=r"must be integers, not float64"):
        graph.labels_of([0.5])


def test_ranked_vertices_are_labels():
    result = found()
    assert result.top("parent") == [("c", "b"), ("b", "a")]  # the others have none
    assert result.top("parent", 3, largest=False) == [("b", "a"), ("c", "b")]


@pytest.mark.parametrize("program", [ShortestPaths, BreadthFirst, BellmanFord])
def test_paths(program):
    result = Engine(roads()).run(program(source="a"))
    assert result.path("c") == (["a", "c"] if program is BreadthFirst else ["a", "b", "c"])
    assert result.path("a") == ["a"]
    with pytest.raises(GraphError, match=r"no path to 'e': .* paths begin at 'a'; .* -1 at all"):
        result.path("e")
    with pytest.raises(GraphError, match="no vertex has the label 'x'"):
        result.path("x")


def test_paths_from_several_sources_and_in_lanes():
    engine = Engine(roads())
    both = engine.run(ShortestPaths(sources=["b", "d"]))
    assert both.path("c") == ["b", "c"] and both.path("e") == ["d", "e"]
    with pytest.raises(GraphError, match="paths begin at 'b', 'd'"):
        both.path("a")
    lanes = engine.run(ShortestPaths(source=["a", "d"]))
    assert lanes.path("c", lane=0) == ["a", "b", "c"] and lanes.path("e", lane=1) == ["d", "e"]
    with pytest.raises(GraphError, match="paths begin at 'd'"):
        lanes.path("c", lane=1)
    with pytest.raises(GasclError, match=r"2 lanes; say which one: path\(target, lane=0\)"):
        lanes.path("c")
    with pytest.raises(GasclError, match="lane=2: the run has 2; give one from 0 to 1"):
        lanes.path("c", lane=2)
    frame = lanes.to_pandas(["parent"])
    assert frame.parent_0.dropna().to_dict() == {"b": "a", "c": "b"}
    assert frame.parent_1.dropna().to_dict() == {"e": "d"}


def test_paths_on_random_graphs_are_as_long_as_the_distances():
    networkx = pytest.importorskip("networkx")
    for seed in range(5):
        graph = random_graph(seed, directed=bool(seed % 2), edges=60)
        result = Engine(graph).run(BreadthFirst(source=0))
        lengths = networkx.single_source_shortest_path_length(to_networkx(graph), 0)
        for target in range(graph.num_vertices):
            if target in lengths:
                path = result.path(target)
                assert (path[0], path[-1], len(path)) == (0, target, lengths[target] + 1)
                assert all(to_networkx(graph).has_edge(*pair) for pair in pairwise(path))
            else:
                with pytest.raises(GraphError, match="there is no path to"):
                    result.path(target)


def test_what_cannot_be_followed():
    engine = Engine(roads())
    with pytest.raises(FieldError, match=r"no field 'parent' to follow; run a program that finds"):
        engine.run(PageRank()).path("a")
    with pytest.raises(FieldError, match="its fields of vertices are component"):
        engine.run(ConnectedComponents()).path("a")
    with pytest.raises(
        GasclError, match=r"does not hold vertices; declare it as vertex.vertex\(\)"
    ):
        engine.run(PageRank()).path("a", "rank")

    class Ring(VertexProgram):
        parent = vertex.vertex(init="(v.id + 1) % g.num_vertices")
        apply_on, apply = "all", "v.parent = v.parent;"
        stop = "superstep == 0"

    with pytest.raises(GasclError, match="'parent' leads round in a circle before 'a'"):
        engine.run(Ring()).path("a")
    assert engine.run(ConnectedComponents()).path("c", "component") == ["a", "c"]


@pytest.mark.parametrize(
    ("program", "field", "expected"),
    [
        (ConnectedComponents(), "component", ["a", "a", "a", "d", "d"]),
        (StronglyConnected(), "component", TEXT),
        (SpanningForest(), "tree", ["a", "a", "a", "d", "d"]),
        (LabelPropagation(supersteps=0), "label", TEXT),
    ],
    ids=lambda p: type(p).__name__,
)
def test_bundled_programs_declare_vertices(program, field, expected):
    assert Engine(roads()).run(program).to_pandas()[field].tolist() == expected


def test_a_struct_with_a_vertex(tmp_path):
    class Nearest(VertexProgram):
        Best = struct([("cost", "real"), ("by", "vertex")])
        best = vertex.struct(Best, init="(Best){0, -1}")
        weight = edge.real(default=1)
        message = Best
        combine, identity = "a.cost <= b.cost ? a : b", "(Best){INFINITY, -1}"
        mask = "1"
        scatter = "send((Best){e.weight, v.id});"
        apply = "v.best = msg;"

    result = Engine(roads()).run(Nearest())
    frame = result.to_pandas()
    assert list(frame.columns) == ["best_cost", "best_by"]
    assert frame.best_by.dropna().to_dict() == {"b": "a", "c": "b", "e": "d"}
    assert result.best["by"].tolist() == [-1, 0, 1, -1, 3]
    again = pickle.loads(pickle.dumps(Engine(roads()).run(ShortestPaths(source="a"))))
    assert again.to_pandas().parent.dropna().to_dict() == {"b": "a", "c": "b"}


def test_the_type_of_vertices():
    class Senders(VertexProgram):
        first = vertex.vertex()
        message, combine = "vertex", "first"
        mask = "1"
        scatter = "send(v.id);"
        apply = "v.first = msg;"

    assert Senders.spec.vertex_fields["first"].init == -1
    result = Engine(roads()).run(Senders())
    assert result.first.dtype == np.int32 and result.first.tolist() == [-1, 0, 0, -1, 3]
    given = Engine(roads()).run(Senders(first={"d": 4}))
    assert given.first.tolist() == [-1, 0, 0, 4, 3]  # the rest are no vertices
    with pytest.raises(ProgramError, match=r"'vertex' is the type of vertices, but edge fields"):
        edge.vertex()


# Arcs ---------------------------------------------------------------------------------------------


def test_arcs_of_a_forest(tmp_path):
    result = Engine(roads(directed=False)).run(SpanningForest())
    rows = [
        ("a", "b", 0, 1), ("a", "c", 2, 0), ("b", "a", 0, 1), ("b", "c", 1, 1),
        ("c", "a", 2, 0), ("c", "b", 1, 1), ("d", "e", 3, 1), ("e", "d", 3, 1),
    ]  # fmt: skip
    frame = result.to_pandas(arcs=True)
    assert list(frame.columns) == ["source", "target", "edge", "member"]
    assert list(frame.itertuples(index=False, name=None)) == rows
    result.save(tmp_path / "out.csv", arcs=True)
    with (tmp_path / "out.csv").open(newline="") as file:
        assert list(csv.reader(file))[1:] == [[str(x) for x in row] for row in rows]
    result.save(tmp_path / "out.parquet", arcs=True)
    columns = pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pydict()
    assert list(zip(*columns.values(), strict=True)) == rows
    result.save(tmp_path / "out.npz", ["member"], arcs=True)
    with np.load(tmp_path / "out.npz") as arrays:
        assert sorted(arrays.files) == ["edge", "member", "source", "target"]
        assert arrays["source"].tolist() == [row[0] for row in rows]


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("way", ["out", "in", "both"])
def test_arc_results_name_the_sender_and_the_receiver(way, directed):
    """e.src is `source`, e.dst `target`, whichever way messages go."""

    class Ends(VertexProgram):
        tail, head, number = arc.vertex(), arc.vertex(), arc.int32()
        seen = vertex.int32()
        message, combine, edges = "int32", "sum", way
        mask = "1"
        scatter = "e.tail = e.src; e.head = e.dst; e.number = e.id; send(1);"
        apply = "v.seen = msg;"

    graph = Graph.from_edges(
        [0, 3, 2, 2, 0, 1], [1, 0, 2, 0, 1, 3], labels=list("wxyz"), directed=directed
    )
    frame = Engine(graph).run(Ends()).to_pandas(arcs=True)
    assert len(frame) == graph.num_arcs + (5 if directed and way == "both" else 0)
    assert (frame.source == frame["tail"]).all() and (frame.target == frame["head"]).all()
    assert (frame.edge == frame.number).all()


def test_arcs_that_are_not_there(tmp_path):
    result = found()
    with pytest.raises(FieldError, match="no arc fields: leave out arcs=True"):
        result.to_pandas(arcs=True)
    forest = Engine(roads()).run(SpanningForest())
    with pytest.raises(FieldError, match=r"no arc field 'tree'. Arc fields: member"):
        forest.save(tmp_path / "out.csv", ["tree"], arcs=True)
    truss = Engine(roads()).run(TrussNumber())
    assert list(truss.to_pandas().columns) == []
    assert truss.to_pandas(arcs=True).truss.tolist() == [3, 3, 3, 2]


def test_an_arc_field_called_like_a_column(tmp_path):
    class Clashes(VertexProgram):
        source, edge = arc.int32(init=7), arc.int32(init=8)
        seen = vertex.int32()
        message, combine, mask = "int32", "sum", "1"
        scatter = "e.source += 1; e.edge += 1; send(1);"
        apply = "v.seen = msg;"

    result = Engine(roads()).run(Clashes())
    result.save(tmp_path / "out.npz", arcs=True)
    names = ["source", "target", "edge", "fields.source", "fields.edge"]
    assert list(result.to_pandas(arcs=True).columns) == names
    with np.load(tmp_path / "out.npz") as arrays:
        assert sorted(arrays.files) == sorted(names)
        assert arrays["fields.edge"].tolist() == [9] * 4


# Numbers of the whole graph -----------------------------------------------------------------------


def test_aggregates_are_those_of_the_last_superstep_or_of_init():
    class Count(VertexProgram):
        left = vertex.int32(init="v.id")
        total = aggregate.int64("sum")
        apply_on, apply = "all", "v.left -= 1; aggregate_total(v.left);"
        stop, ends = "superstep == 1", "stop"

    assert Engine(roads()).run(Count()).aggregates == {"total": 0 + 1 + 2 + 3 + 4 - 10}
    assert Engine(roads()).run(Count(), max_supersteps=0, not_converged="ignore").aggregates == {
        "total": 0
    }


class Spread(VertexProgram):
    """What `solve` returns beside vertex fields."""

    depth = vertex.int32()
    deepest = aggregate.int32(doc="of all depths")
    mean = aggregate.real()

    def solve(self, stages):
        depth = stages.run(BreadthFirst(source="a")).depth
        return {"depth": depth, "deepest": depth.max(), "mean": depth[depth >= 0].mean()}


def test_solve_returns_numbers():
    result = Engine(roads()).run(Spread())
    assert result.aggregates == {"deepest": 1, "mean": pytest.approx(2 / 3)}
    assert type(result.aggregates["deepest"]) is int
    assert pickle.loads(pickle.dumps(result)).aggregates == result.aggregates
    nothing = Engine(Graph.from_edges([], [])).run(Spread()).aggregates
    assert nothing == {"deepest": 0, "mean": pytest.approx(math.nan, nan_ok=True)}
    cut = Engine(roads()).run(Spread(), max_supersteps=1, not_converged="ignore")
    assert cut.aggregates == {} and cut.missing == ("deepest", "mean")
    with pytest.raises(FieldError, match="'mean' is not computed yet: the run ended too early"):
        cut["mean"]


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        ({}, "solve did not compute 'deepest': return it"),
        ({"deepest": 1.5, "mean": 1}, r"returned deepest=1.5: expected a whole number"),
        ({"deepest": [1], "mean": 1}, r"returned deepest=\[1\]: expected a number"),
        ({"deepest": "1", "mean": 1}, r"returned deepest='1': expected a number"),
        ({"deepst": 1}, r"dict of its fields \(depth, deepest, mean\), not depth, deepst"),
    ],
)
def test_numbers_that_solve_must_return(returned, words):
    class Wrong(Spread):
        def solve(self, stages):
            return {"depth": np.zeros(5, np.int32), **returned}

    with pytest.raises(ProgramError, match=words):
        Engine(roads()).run(Wrong())


def test_an_aggregator_without_operation():
    with pytest.raises(ProgramError, match="'total' needs an operation, such as 'sum'; only"):

        class Bare(VertexProgram):
            total = aggregate.int64()
            apply_on, apply = "all", "aggregate_total(1);"
            stop = "1"


def test_fields_by_name():
    result = found()
    assert list(result) == ["distance", "parent"]
    assert "parent" in result and "paren" not in result
    assert {name: result[name].shape for name in result} == {"distance": (5,), "parent": (5,)}
