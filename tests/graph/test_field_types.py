"""Fields of texts, times and bools: what programs read of them, and what tables show."""

import copy
import datetime
import pickle

import networkx
import numpy as np
import pandas
import pytest

from gascl import Engine, Graph, GraphError, VertexProgram, edge, vertex
from gascl.graph.field_types import coded, coded_texts

TIMES = ["2024-01-01T08:00", "2024-01-01T09:30", "2024-01-02"]


def trips() -> Graph:
    return Graph.from_edges(
        [("a", "b"), ("b", "c"), ("a", "c")],
        kind=["tram", "bus", None],
        time=np.array(TIMES, "M8[s]"),
        paid=[True, False, True],
        minutes=[5, 7, 9],
        vertex_fields={"city": {"a": "Ulm", "b": "Bonn", "c": "Ulm"}, "xy": np.zeros((3, 2))},
    )


def test_what_programs_and_tables_have():
    graph = trips()
    assert graph.edge_fields["kind"].tolist() == [1, 0, -1]
    assert graph.edge_fields["time"].tolist() == [1704096000, 1704101400, 1704153600]
    assert graph.edge_fields["paid"].tolist() == [1, 0, 1]
    assert graph.edges["kind"].tolist() == ["tram", "bus", None]
    assert graph.edges["time"].tolist() == [datetime.datetime.fromisoformat(t) for t in TIMES]
    assert graph.edges["paid"].tolist() == [True, False, True]
    assert graph.vertices["city"].tolist() == ["Ulm", "Bonn", "Ulm"]
    assert graph.edges.loc("b", "c") == [
        {
            **{"kind": "bus", "time": datetime.datetime(2024, 1, 1, 9, 30)},
            **{"paid": False, "minutes": 7},
        }
    ]
    assert graph.vertices.loc("b")["city"] == "Bonn" and graph.edges.loc("c", "a") == []
    assert len(graph.edges) == 3 and list(graph.vertices) == ["city", "xy"]
    assert repr(graph.edges) == "3 edges, kind: text, time: time, paid: bool, minutes: int64"
    assert "Bonn" in graph.vertices._repr_html_() and "bus" in graph.edges._repr_html_()
    with pytest.raises(GraphError, match="no field 'kinds'; did you mean 'kind'"):
        graph.edges["kinds"]
    report = "\n".join(graph.report)
    assert "edge field 'kind': text, 2 different: 0 is 'bus', 1 is 'tram'; -1, for none" in report
    assert "seconds since 1970" in report


@pytest.mark.parametrize("same", [copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))])
def test_copies_keep_the_types(same):
    assert same(trips()).edges["kind"].tolist() == ["tram", "bus", None]


def test_parts_and_changes_keep_the_types():
    graph = trips()
    part = graph.subgraph(["a", "c"])
    assert part.edges["kind"].tolist() == [None] and part.vertices["city"].tolist() == ["Ulm"] * 2
    assert graph.reversed().edges["kind"].tolist() == ["tram", "bus", None]
    more = graph.with_edges(
        add=[("c", "a")],
        kind=["ferry"],
        time=[datetime.datetime(2024, 5, 1)],
        paid=[False],
        minutes=[1],
    )
    assert more.edges["kind"].tolist() == ["tram", "bus", None, "ferry"]
    assert more.edges["time"][-1] == np.datetime64("2024-05-01")
    assert graph.edges["kind"].tolist() == ["tram", "bus", None]
    with pytest.raises(GraphError, match="add: the edge field 'kind' has texts, and numbers are"):
        graph.with_edges([("c", "a")], kind=[3], time=TIMES[:1], paid=[True], minutes=[1])
    twice = Graph.from_edges(
        [0, 0], [1, 1], kind=["x", "y"], ok=[True, True], n=[2, 3], duplicates="sum"
    )
    assert twice.edges["kind"].tolist() == ["x"] and twice.edges["n"].tolist() == [5]
    assert twice.edges["ok"].tolist() == [2]  # two are true
    assert any("first edge's values kept" in line and "'kind'" in line for line in twice.report)


def test_fields_are_attached_by_place_and_by_label():
    graph = trips()
    more = graph.with_edge_fields(
        fare={("a", "b"): 1.5, ("b", "c"): 2, ("a", "c"): 0}, paid=None, cost="minutes"
    )
    assert list(more.edge_fields) == ["kind", "time", "minutes", "cost", "fare"]
    assert more.edge_fields["fare"].tolist() == [1.5, 2, 0]
    assert more.arcs() is graph.arcs()
    named = graph.with_edge_fields(mode="kind")
    assert named.edges["mode"].tolist() == ["tram", "bus", None]
    ages = graph.with_vertex_fields(age=pandas.Series({"b": 2, "a": 1, "c": 3}), xy=None)
    assert ages.vertex_fields["age"].tolist() == [1, 2, 3] and "xy" not in ages.vertex_fields
    grade = pandas.Categorical(["low", "high", "low"], ["low", "high"], ordered=True)
    made = graph.with_vertex_fields(grade=grade)
    assert made.vertex_fields["grade"].tolist() == [0, 1, 0]
    assert made.vertices["grade"].tolist() == ["low", "high", "low"]


@pytest.mark.parametrize(
    ("attach", "words"),
    [
        (lambda g: g.with_vertex_fields(x={"a": 1, "zz": 2, "y": 3}), "2 of 3 labels are no ver"),
        (lambda g: g.with_vertex_fields(x={"a": 1}), "'b', one of 2 of 3 vertices without"),
        (lambda g: g.with_vertex_fields(x=[1, 2]), "one value, or one row, per vertex"),
        (lambda g: g.with_edge_fields(x={("a", "b"): 1}), "one of 2 of 3 edges without"),
        (
            lambda g: g.with_edge_fields(
                x={("a", "b"): 1, ("b", "c"): 2, ("a", "c"): 1, ("c", "a"): 3}
            ),
            "1 of 4 pairs are no edge",
        ),
        (lambda g: g.with_edge_fields(x=[1]), "there are 3 edges"),
        (lambda g: g.with_edge_fields(x="hours"), "no edge field 'hours'"),
        (lambda g: g.with_edge_fields(weight=["1", "2", "3"]), "'weight' has texts"),
    ],
)
def test_what_does_not_match_is_counted(attach, words):
    with pytest.raises(GraphError, match=words):
        attach(trips())


def test_a_pair_with_several_edges():
    with pytest.raises(GraphError, match=r"1 pairs have several edges, such as \(0, 1\)"):
        Graph.from_edges([0, 0], [1, 1]).with_edge_fields(x={(0, 1): 1})


class Departures(VertexProgram):
    """The last departure of a tram towards each vertex."""

    last = vertex.int64(init=-1)
    city = vertex.int32()
    kind = edge.int32()
    time = edge.int64()
    message = "int64"
    combine = "max"
    scatter = "if (e.kind == 1) send(e.time);"
    apply = "v.last = msg + v.city;"
    max_supersteps = 1


class Costs(VertexProgram):
    cost = vertex.real(init=0)
    kind = edge.real()
    message = "real"
    combine = "sum"
    scatter = "send(e.kind);"
    apply = "v.cost = msg;"
    max_supersteps = 1


def test_programs_read_codes_and_times():
    graph = trips().with_vertex_fields(city=["p", "q", "p"])
    assert Engine(graph).run(Departures()).last.tolist() == [-1, 1704096000 + 1, -1]


def test_texts_are_no_quantities():
    with pytest.raises(GraphError, match=r"edge field 'kind' is text, such as 'bus'; an integer"):
        Engine(trips()).run(Costs())
    with pytest.raises(GraphError, match="'kind' is text"):
        trips().to_scipy("kind")


def test_what_texts_of_files_mean():
    def of(*texts):
        made = coded_texts(texts)
        return None if made is None else (made.type.name, made.type.decoded(made.values).tolist())

    utc = [datetime.datetime(2024, 5, 1, 10), datetime.datetime(2024, 5, 1, 8)]
    assert of("2024-05-01T12:00+02:00", "2024-05-01T08:00Z") == ("time", utc)
    assert of("2024-05-01", None)[1] == [datetime.datetime(2024, 5, 1), None]
    assert coded_texts(["2024-05-01T10:00:00.25"]).type.unit == "ms"
    assert of("True", "false") == ("bool", [True, False])
    for others in (["2024-13-01"], ["2024-02-30"], ["2024-05-01", "x"], ["true", "no"], ["5"], []):
        assert of(*others) is None
    assert of("2024-05-01T12:00Z", "2024-05-01T12:00") is None  # of which zone is the second?
    assert coded([datetime.date(2024, 5, 1), None]).values[1] == np.iinfo(np.int64).min
    assert coded([1, "a"]) is None and coded([None]) is None and coded([True, None]) is None


def test_groups_of_text():
    quotient = trips().contract("city", minutes="sum")
    assert quotient.labels.tolist() == ["Bonn", "Ulm"]
    assert quotient.edges["minutes"].tolist() == [7, 5, 9] and not quotient.edge_types
    edges = zip(quotient.edges["source"], quotient.edges["target"], strict=True)
    assert list(edges) == [("Bonn", "Ulm"), ("Ulm", "Bonn"), ("Ulm", "Ulm")]


def test_merged_texts_times_and_bools():
    graph = Graph.from_edges(
        [0, 0, 1, 0],
        [1, 1, 0, 1],
        kind=["b", None, "a", "c"],
        time=np.array(["2024-01-02", "NaT", "NaT", "2024-01-01"], "M8[s]"),
        ok=[True, True, False, True],
    )
    least = graph.contract([0, 1], kind="min", time="min", ok="sum").edges
    assert least["kind"].tolist() == ["b", "a"] and least["ok"].tolist() == [3, 0]
    assert least["time"].tolist() == [datetime.datetime(2024, 1, 1), None]
    most = graph.contract([0, 1], kind="max", time="count", ok="max").edges
    assert most["kind"].tolist() == ["c", "a"] and most["ok"].tolist() == [True, False]
    assert most["time"].tolist() == [3, 1]
    for name in ("kind", "time"):
        with pytest.raises(GraphError, match=rf"{name}='sum': .*has no sum.*{name}='first'"):
            graph.contract([0, 1], **{name: "sum"})


@pytest.mark.parametrize("none", [pandas.NA, pandas.NaT, None, np.datetime64("NaT")])
def test_a_missing_group(none):
    with pytest.raises(GraphError, match="the group of 1 is"):
        Graph.from_edges([0], [1]).contract(["x", none])
    when = np.array(["2024-01-02", "NaT"], "M8[s]")
    with pytest.raises(GraphError, match="the group of 1 is None"):
        Graph.from_edges([0], [1], vertex_fields={"t": when}).contract("t")


def test_columns_of_pandas_keep_their_type():
    times = pandas.to_datetime(["2024-01-01 00:00:00.123456789", None]).tz_localize("Europe/Berlin")
    series = pandas.Series(times)
    graph = Graph.from_edges(
        [("a", "b"), ("b", "a")],
        at=series,
        listed=series.tolist(),
        kind=pandas.Series(["x", None], dtype="string"),
        vertex_fields={
            "at": series,
            "kind": pandas.Series({"b": "x", "a": None}, dtype="string"),
            "size": pandas.Series(pandas.Categorical(["low", None], ["low", "high"]), ["b", "a"]),
        },
    )
    exact = np.array(["2023-12-31T23:00:00.123456789", "NaT"], "M8[ns]")
    for column in (graph.edges["at"], graph.edges["listed"], graph.vertices["at"]):
        assert np.array_equal(column, exact, equal_nan=True)
    assert graph.edge_types["at"].zone == "Europe/Berlin"
    assert graph.edges["kind"].tolist() == ["x", None]
    assert graph.vertices["kind"].tolist() == [None, "x"]
    assert graph.vertices["size"].tolist() == [None, "low"]
    assert graph.vertex_types["size"].values.tolist() == ["low", "high"]


def test_a_series_of_integer_labels_in_another_order():
    graph = Graph.from_edges([0, 1], [1, 2], labels=[2, 0, 1])
    given = graph.with_vertex_fields(x=pandas.Series([10, 11, 12]))
    assert given.vertex_fields["x"].tolist() == [12, 10, 11]


def test_a_dictionary_is_read_only():
    with pytest.raises(ValueError, match="read-only"):
        trips().edge_types["kind"].values[0] = "x"
    again = pickle.loads(pickle.dumps(trips()))
    assert not again.edge_types["kind"].values.flags.writeable


def test_added_values_are_of_the_type_of_their_field():
    graph = trips()
    rest = {"paid": [True], "minutes": [1]}
    more = graph.with_edges([("c", "a")], kind=[None], time=["2024-05-31T18:30"], **rest)
    assert more.edges["kind"].tolist() == ["tram", "bus", None, None]
    assert more.edges["time"][-1] == np.datetime64("2024-05-31T18:30")
    none = graph.with_edges([("c", "a")], kind=np.array(["2024"]), time=[None], **rest)
    assert none.edges["kind"][-1] == "2024" and np.isnat(none.edges["time"][-1])
    with pytest.raises(GraphError, match="'time' has times, and texts are added"):
        graph.with_edges([("c", "a")], kind=["bus"], time=["soon"], **rest)


@pytest.mark.parametrize("name", ["kind", "time"])
def test_a_text_or_a_time_is_no_weight(name):
    with pytest.raises(GraphError, match=rf"weight='{name}': .* a weight is a number"):
        trips().with_edge_fields(weight=name)
    assert trips().with_edge_fields(weight="paid").edges["weight"].tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("unit", "added"),
    [("s", np.datetime64("2024-05-02T08:00:00.5")), ("ns", np.datetime64("3000-01-01"))],
)
def test_added_times_that_the_field_cannot_count(unit, added):
    graph = Graph.from_edges([0], [1], time=np.array(["2024-05-01"], f"M8[{unit}]"))
    with pytest.raises(GraphError, match=f"cannot be counted in {unit}, as the field is; give"):
        graph.with_edges(add=([1], [0]), time=np.array([added]))
    later = graph.with_edges(add=([1], [0]), time=np.array(["2024-05-02"], "M8[D]"))
    assert later.edge_fields["time"][1] == np.datetime64("2024-05-02", unit).astype(np.int64)


@pytest.mark.parametrize("far", ["9999-12-31", "1066-10-14"])
def test_times_that_nanoseconds_cannot_count_stay_text(far, tmp_path):
    """NumPy counts others instead, such as 1816 for 9999."""
    near = "2024-01-01T00:00:00.123456789"
    path = tmp_path / "a.csv"
    path.write_text(f"source,target,until\na,b,{far}\nb,c,{near}\n")
    assert Graph.read(path).edges["until"].tolist() == [far, near]
    path.write_text(f"source,target,until\na,b,{far}\nb,c,{near[:-3]}\n")
    expected = np.array([far, near[:-3]], "M8[us]")
    assert np.array_equal(Graph.read(path).edges["until"], expected)
    G = networkx.Graph([(0, 1, {"until": datetime.datetime.fromisoformat(far)})])
    G.add_edge(1, 2, until=pandas.Timestamp(near))
    assert "until" not in Graph.from_networkx(G).edge_fields
    G[1][2]["until"] = pandas.Timestamp(near[:-3]).as_unit("us")
    assert np.array_equal(Graph.from_networkx(G).edges["until"], expected)


@pytest.mark.parametrize("unit", ["ps", "fs", "as"])
def test_times_that_no_field_can_count(unit):
    """They were cut to whole seconds."""
    with pytest.raises(
        GraphError, match=rf"times that count {unit} .*astype\('datetime64\[ns\]'\)"
    ):
        Graph.from_edges([0], [1], time=np.array([1_500], f"M8[{unit}]"))


def test_times_that_count_several_of_a_unit():
    graph = Graph.from_edges([0], [1], time=np.array([3], "M8[500ms]"))
    assert graph.edges["time"].tolist() == [np.datetime64(1_500, "ms").item()]
