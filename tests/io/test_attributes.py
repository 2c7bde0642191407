"""Texts, times and bools at edges and vertices: read from, and written to, all that holds them."""

import datetime
import warnings

import igraph
import networkx as nx
import numpy as np
import pandas
import pytest

from gascl import FormatError, Graph, GraphError

pyarrow = pytest.importorskip("pyarrow")

EDGES = """from,to,kind,minutes,at,paid,note
ann,bob,tram,5,2024-05-01T08:00:00,true,"a, b"
bob,cid,bus,7,2024-05-01T09:30:00,false,
ann,cid,tram,9,2024-05-02T10:00:00,true,#1
"""
PEOPLE = """name,age,team,born,active
bob,41,red,1983-02-01,true
ann,35,blue,1989-07-30,false
cid,28,red,1996-12-24,true
zoe,63,,1961-01-01,true
"""


def trips(tmp_path) -> Graph:
    (tmp_path / "edges.csv").write_text(EDGES, encoding="utf-8")
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    return Graph.read(tmp_path / "edges.csv", vertices=tmp_path / "people.csv", id="name")


def check(graph, vertices=True):
    """The values of the two tables; NetworkX has edges in an order of its own."""
    order = np.argsort(graph.edges["at"])
    assert [*graph.edges["kind"][order]] == ["tram", "bus", "tram"]
    assert [*graph.edges["note"][order]] == ["a, b", None, "#1"]
    assert graph.edges["paid"].astype(bool)[order].tolist() == [True, False, True]
    at = graph.edges["at"].astype("M8[s]")[order].tolist()
    assert at[1] == datetime.datetime(2024, 5, 1, 9, 30) and at[2] > at[1] > at[0]
    ends = (graph.edges[end][order].tolist() for end in ("source", "target"))
    assert list(zip(*ends, strict=True)) == [("ann", "bob"), ("bob", "cid"), ("ann", "cid")]
    if vertices:
        place = [graph.index_of(name) for name in ("bob", "ann", "cid", "zoe")]
        assert graph.vertices["age"][place].tolist() == [41, 35, 28, 63]
        assert [*graph.vertices["team"][place]] == ["red", "blue", "red", None]
        born = graph.vertices["born"].astype("M8[s]").tolist()
        assert born[place[2]] == datetime.datetime(1996, 12, 24)
        assert graph.vertices["active"].astype(bool)[place].tolist() == [True, False, True, True]


def test_two_csv_files(tmp_path):
    graph = trips(tmp_path)
    check(graph)
    assert graph.edge_fields["weight"].tolist() == [5, 7, 9]
    assert "column 3 ('minutes') read as edge field weight" in graph.report
    assert graph.vertices.loc("zoe")["team"] is None


@pytest.mark.parametrize("name", ["a.npz", "a.graphml"])
def test_files_of_everything(tmp_path, name):
    trips(tmp_path).write(tmp_path / name)
    check(Graph.read(tmp_path / name))


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.parquet", "a.arrow"])
def test_files_of_edges(tmp_path, name):
    graph = trips(tmp_path).subgraph(["ann", "bob", "cid"])
    graph = graph.with_vertex_fields(**dict.fromkeys(graph.vertex_fields))
    graph.write(tmp_path / name)
    again = Graph.read(tmp_path / name)
    check(again, vertices=False)
    assert again.edge_fields["weight"].tolist() == [5, 7, 9]


def test_what_files_cannot_hold(tmp_path):
    graph = trips(tmp_path).subgraph(["ann", "bob", "cid"])
    graph = graph.with_vertex_fields(**dict.fromkeys(graph.vertex_fields))
    with pytest.raises(FormatError, match=r"cannot hold .* in the edge field 'note'; a \.csv can"):
        graph.write(tmp_path / "a.tsv")
    numbered = Graph.from_edges([0], [1], time=np.array(["2024-05-01"], "M8"))
    numbered = numbered.with_edge_fields(weight=[1])
    with pytest.raises(FormatError, match="holds numbers, and the edge field 'time' is time"):
        numbered.write(tmp_path / "a.mtx")


def test_libraries(tmp_path):
    graph = trips(tmp_path)
    made = graph.to_networkx()
    assert made.edges["bob", "cid"]["kind"] == "bus" and "note" not in made.edges["bob", "cid"]
    assert made.nodes["ann"]["born"] == datetime.datetime(1989, 7, 30)
    check(Graph.from_networkx(made))
    other = graph.to_igraph()
    assert isinstance(other, igraph.Graph) and other.es["kind"] == ["tram", "bus", "tram"]
    check(Graph.from_igraph(other))


def test_tables(tmp_path):
    graph = trips(tmp_path)
    edges, people = graph.edges.to_pandas(), graph.vertices.to_pandas()
    assert edges["kind"].dtype == "category" and edges["at"].dtype.kind == "M"
    assert people.index.tolist() == ["bob", "ann", "cid", "zoe"] and people.index.name == "vertex"
    check(Graph.from_pandas(edges, vertices=people))
    tables = graph.edges.to_arrow(), graph.vertices.to_arrow()
    assert pyarrow.types.is_dictionary(tables[0].schema.field("kind").type)
    assert pyarrow.types.is_timestamp(tables[1].schema.field("born").type)
    assert tables[1].column_names == ["vertex", "age", "team", "born", "active"]
    check(Graph.from_arrow(tables[0], vertices=tables[1]))
    assert pyarrow.table(graph.vertices).equals(tables[1])


def test_zones_and_ordered_categories():
    frame = pandas.DataFrame({"source": ["a", "b"], "target": ["b", "c"]})
    frame["at"] = pandas.to_datetime(["2024-05-01 08:00", None]).tz_localize("Europe/Berlin")
    frame["grade"] = pandas.Categorical(["low", "high"], ["low", "mid", "high"], ordered=True)
    for graph in (
        Graph.from_pandas(frame),
        Graph.from_arrow(pyarrow.Table.from_pandas(frame)),
    ):
        assert graph.edge_fields["grade"].tolist() == [0, 2]
        assert np.isnat(graph.edges["at"]).tolist() == [False, True]
        again = graph.edges.to_pandas()
        assert str(again["at"].dtype.tz) == "Europe/Berlin"
        assert again["at"][0] == frame["at"][0] and pandas.isna(again["at"][1])
        assert again["grade"].cat.categories.tolist() == ["low", "mid", "high"]


def test_texts_that_look_like_weights_are_warned_of(tmp_path):
    frame = pandas.DataFrame({"from": ["a"], "to": ["b"], "cost": ["5 EUR"]})
    (tmp_path / "a.csv").write_text("from,to,cost\na,b,5 EUR\n", encoding="utf-8")
    for read in (
        lambda: Graph.from_pandas(frame),
        lambda: Graph.from_arrow(pyarrow.Table.from_pandas(frame)),
        lambda: Graph.read(tmp_path / "a.csv"),
    ):
        with pytest.warns(UserWarning, match="column 'cost' looks like a weight and is not read"):
            assert read().edges["cost"].tolist() == ["5 EUR"]


def test_a_column_with_gaps_and_one_with_decimal_commas(tmp_path):
    (tmp_path / "a.csv").write_text(
        'from,to,weight,age,km\na,b,1,,"1,5"\nb,c,2,30,"2,25"\n', encoding="utf-8"
    )
    with pytest.warns(UserWarning, match="the km is read as text, since '1,5' has a comma"):
        graph = Graph.read(tmp_path / "a.csv")
    assert np.isnan(graph.edge_fields["age"]).tolist() == [True, False]
    assert graph.edges["km"].tolist() == ["1,5", "2,25"]


def test_a_text_of_numbers_is_no_weight():
    made = nx.Graph([("a", "b", {"weight": "5", "zip": "01234"})])
    with pytest.warns(UserWarning, match=r"leaves out the edge attribute 'weight' \(not all"):
        graph = Graph.from_networkx(made)
    assert graph.edges["zip"].tolist() == ["01234"]


def test_integer_ids_beside_texts(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("from,to,kind\n1,2,x\n2,3,y\n", encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph = Graph.read(path)
    assert graph.labels.dtype == np.int64 and graph.edges["kind"].tolist() == ["x", "y"]
    assert not Graph.read(path, columns=("from", "to")).edge_fields
    assert Graph.read(path, columns=("from", "to", "sort=kind")).edges["sort"].tolist() == [
        "x",
        "y",
    ]


def test_long_files_are_read_alike(tmp_path, monkeypatch):
    """pyarrow reads columns of text beside integers, with the same result as line by line."""
    rng = np.random.default_rng(0)
    kinds = np.array(["tram", " bus ", "", "2024", "x"])[rng.integers(0, 5, 300)]
    days = np.array(["2024-05-01", "2024-06-02", ""])[rng.integers(0, 3, 300)]
    rows = zip(*rng.integers(0, 50, (2, 300)).tolist(), kinds, days, range(300), strict=True)
    text = "from,to,kind,day,weight\r\n" + "".join(",".join(map(str, row)) + "\r\n" for row in rows)
    (tmp_path / "a.csv").write_bytes(text.encode())
    slow = Graph.read(tmp_path / "a.csv")
    monkeypatch.setattr("gascl.io.formats.edge_list.TEXTS", 1)
    monkeypatch.setattr("gascl.io.formats.edge_list._read_any", None)
    fast = Graph.read(tmp_path / "a.csv")
    assert fast.report == slow.report and fast.fingerprint == slow.fingerprint
    for name in ("kind", "day"):
        assert fast.edges[name].tolist() == slow.edges[name].tolist()
    assert set(fast.edges["kind"]) == {"tram", "bus", None, "2024", "x"}
    assert fast.edges["day"].dtype.kind == "M"


def test_dictionaries_of_any_kind():
    kinds = [["x", None, "x"], ["y", "x"]]
    chunks = [
        pyarrow.DictionaryArray.from_arrays(
            pyarrow.array([0, 1, None, len(kind) - 1], pyarrow.uint8()), pyarrow.array(kind)
        )
        for kind in kinds
    ]
    ends = pyarrow.array(range(8))
    for text in (chunks, [chunk.cast(pyarrow.string()) for chunk in chunks]):
        table = {"source": ends, "target": ends, "kind": pyarrow.chunked_array(text)}
        graph = Graph.from_arrow(pyarrow.table(table))
        assert graph.edges["kind"].tolist() == ["x", None, None, "x", "y", "x", None, "x"]
        assert sorted(graph.edge_types["kind"].values) == ["x", "y"]


@pytest.mark.parametrize(
    ("zone", "name"),
    [
        (datetime.timezone(datetime.timedelta(hours=-3, minutes=-30), "X"), "-03:30"),
        (datetime.timezone.utc, "UTC"),
        ("Europe/Berlin", "Europe/Berlin"),
        (datetime.timezone(datetime.timedelta(seconds=1)), "UTC"),
    ],
)
def test_time_zones_of_pandas(zone, name):
    at = pandas.Series(pandas.to_datetime(["2024-01-01"]).tz_localize("UTC").tz_convert(zone))
    graph = Graph.from_pandas(pandas.DataFrame({"source": [0], "target": [1], "at": at}))
    assert graph.edge_types["at"].zone == name
    assert graph.to_pandas()["at"].tolist() == at.tolist()
    assert any("has no name; read as UTC" in line for line in graph.report) == (
        name == "UTC" != str(zone)
    )


def test_columns_of_the_same_name():
    fields = {"x": np.zeros((2, 2)), "x_0": [1, 2]}
    graph = Graph.from_edges([0], [1], vertex_fields=fields)
    for write in (graph.vertices.to_pandas, graph.vertices.to_arrow):
        with pytest.raises(GraphError, match="the vertex field 'x_0' has the column 'x_0'"):
            write()


def test_a_field_of_a_file_as_the_weight(tmp_path):
    graph = Graph.from_edges([0], [1], kind=["bus"], at=np.array(["2024"], "M8[s]"), ok=[True])
    graph.write(tmp_path / "a.npz")
    for name in ("kind", "at"):
        with pytest.raises(FormatError, match=f"{name!r} is (text|time), and a weight is a number"):
            Graph.read(tmp_path / "a.npz", weight=name)
    read = Graph.read(tmp_path / "a.npz", weight="ok")
    assert read.edges["weight"].tolist() == [True] and read.edges["kind"].tolist() == ["bus"]


@pytest.mark.parametrize("header", [True, False])
def test_columns_whose_first_rows_do_not_tell_what_they_are(tmp_path, header):
    count, path = 1000, tmp_path / "a.csv"
    fields = {
        "late": [None] * 300 + ["x", "y"] * 350,
        "at": np.array(["NaT"] * 300 + ["2024-01-01"] * 700, "M8[s]"),
    }
    if header:
        fields["digits"] = ["5"] * 300 + ["x"] * 700
        fields["large"] = np.arange(count, dtype=np.uint64) + np.uint64(2**63)
    ends = np.arange(count)
    graph = Graph.from_edges(ends, (ends + 1) % count, labels=ends, **fields)
    graph.write(path)
    if not header:
        path.write_text(path.read_text().split("\n", 1)[1])
    table = graph.edges.to_pandas()
    pandas.testing.assert_frame_equal(Graph.read(path).edges.to_pandas(), table)
    columns = ["source", "target", "late"]
    one = Graph.read(path, columns=columns).edges.to_pandas()
    pandas.testing.assert_frame_equal(one, table[columns])


@pytest.mark.parametrize(
    ("texts", "kind"),
    [(["1", "2.5"], "numbers"), (["2024-01-01"] * 2, "times"), (["true", "false"], "bools")],
)
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.gml", "a.graphml"])
def test_texts_that_would_be_something_else_when_read_again(tmp_path, texts, kind, name):
    graph = Graph.from_edges([0, 1, 1], [1, 0, 0], x=[*texts, "word"])
    graph.write(tmp_path / name)
    assert Graph.read(tmp_path / name).edges["x"].tolist() == [*texts, "word"]
    graph = graph.with_edge_fields(x=[*texts, texts[0]])
    if name == "a.graphml" and kind != "times":  # it says what is text
        graph.write(tmp_path / name)
        assert Graph.read(tmp_path / name).edges["x"].tolist() == [*texts, texts[0]]
        return
    with pytest.raises(FormatError, match=f"cannot tell the texts of the edge field 'x'.*{kind}"):
        graph.write(tmp_path / name)


@pytest.mark.parametrize("name", ["a.gml", "a.graphml"])
def test_nanoseconds_in_files(tmp_path, name):
    at = np.array(["2024-01-01T00:00:00.123456789", "NaT"], "M8[ns]")
    Graph.from_edges([0, 1], [1, 0], at=at).write(tmp_path / name)
    assert np.array_equal(Graph.read(tmp_path / name).edges["at"], at, equal_nan=True)


def test_a_column_without_values_is_not_written_as_text(tmp_path):
    none = Graph.from_edges([0], [1], at=np.array(["NaT"], "M8[s]"))
    with pytest.raises(FormatError, match="no edge has a time in the edge field 'at'"):
        none.write(tmp_path / "a.csv")
