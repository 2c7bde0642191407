"""A column of another name is the weight where it can be no other, and else where one says so."""

import re
import warnings

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from support.refusals import refused

from gascl import Engine, FormatError, Graph, GraphError, VertexProgram, edge, param, vertex
from gascl.programs import ShortestPaths

#: From a to c it is 3 minutes by way of b and 5 without; 2 hops and 1.
ROADS = {"from": ["a", "b", "a"], "to": ["b", "c", "c"], "minutes": [1.0, 2.0, 5.0]}
KM = {**ROADS, "km": [9, 9, 9]}
NAMED = {"from": ROADS["from"], "to": ROADS["to"], "name": ["x", "y", "z"], "minutes": [1, 2, 5]}
WEIGHT = {**KM, "Weight": ROADS["minutes"]}
ONLY = ["from", "to", "minutes"]
TWO = ["from", "to", "weight=minutes", "km"]


def csv(table, path):
    pd.DataFrame(table).to_csv(path, index=False)
    return path


def read_csv(table, folder, **options):
    return Graph.read(csv(table, folder / "roads.csv"), **options)


def read_text(table, folder, **options):
    pd.DataFrame(table).to_csv(folder / "roads.txt", index=False, sep=" ")
    return Graph.read(folder / "roads.txt", **options)


def read_parquet(table, folder, **options):
    pq.write_table(pa.table(table), folder / "roads.parquet")
    return Graph.read(folder / "roads.parquet", **options)


def read_arrow(table, folder, **options):
    pyarrow.feather.write_feather(pa.table(table), str(folder / "roads.arrow"))
    return Graph.read(folder / "roads.arrow", **options)


def from_arrow(table, folder, **options):
    return Graph.from_arrow(pa.table(table), **options)


def from_pandas(table, folder, columns=None):
    """`columns` as what it takes: a list of columns, or a dict where one is renamed."""
    fields = columns and columns[2:]
    if fields and any("=" in field for field in fields):
        fields = dict(f.split("=") if "=" in f else (f, f) for f in fields)
    return Graph.from_pandas(pd.DataFrame(table), "from", "to", fields=fields)


def from_pandas_by_weight(table, folder, weight):
    return Graph.from_pandas(pd.DataFrame(table), "from", "to", weight=weight)


READERS = [read_csv, read_text, read_parquet, read_arrow, from_arrow, from_pandas]
EACH = pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)


def distances(graph):
    """From a, without any warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = Engine(graph).run(ShortestPaths(source="a")).distance
    return dict(zip(graph.labels.tolist(), found.tolist(), strict=True))


@EACH
@pytest.mark.parametrize(
    ("table", "columns"),
    [
        (ROADS, None),
        (ROADS, ONLY),
        (KM, ONLY),
        (KM, TWO),
        (NAMED, None),
        (NAMED, ONLY),
        (WEIGHT, None),
    ],
)
def test_the_weights_are_used(read, table, columns, tmp_path):
    graph = read(table, tmp_path, columns=columns)
    assert distances(graph) == {"a": 0, "b": 1, "c": 3}
    taken = "Weight" if table is WEIGHT else "minutes"
    assert any(f"'{taken}'" in line and "field weight" in line for line in graph.report)


@EACH
def test_a_column_can_keep_its_name(read, tmp_path):
    columns = ["from", "to", "minutes=minutes"]
    assert list(read(KM, tmp_path, columns=columns).edge_fields) == ["minutes"]


@EACH
def test_of_several_none_is_guessed(read, tmp_path):
    graph = read(KM, tmp_path, columns=["from", "to", "minutes", "km"])
    assert set(graph.edge_fields) == {"minutes", "km"}
    assert any("no edge field is called weight" in line for line in graph.report)
    with pytest.warns(
        UserWarning, match=r"no edge field 'weight'.*construct the program with weight='FIELD'"
    ):
        Engine(graph).run(ShortestPaths(source="a"))


@EACH
def test_the_name_weight_goes_first(read, tmp_path):
    table = {**ROADS, "weight": [1, 1, 1], "Weight": [9, 9, 9]}
    assert distances(read(table, tmp_path))["c"] == 1


@EACH
def test_what_can_be_no_field(read, tmp_path):
    twice = ["from", "to", "weight=minutes", "weight=km"]
    if read is not from_pandas:  # a dict has each name once
        refused(["weight"], lambda: read(KM, tmp_path, columns=twice))
        path = tmp_path / "twice.csv"
        path.write_text("from,to,minutes,km\na,b,1,2\n", encoding="utf-8")
        said = ["columns 2 ('minutes') and 3 ('km') are both called 'weight'"]
        refused(said, lambda: Graph.read(path, columns=twice))
    refused([], lambda: read(NAMED, tmp_path, columns=["from", "to", "weight=name"]))  # it is text


def test_columns_by_number(tmp_path):
    path = tmp_path / "roads.csv"
    csv(KM, path).write_text("".join(path.read_text().splitlines(True)[1:]))
    graph = Graph.read(path, columns=(0, 1, "weight=2", 3))
    assert list(graph.edge_fields) == ["weight", "column3"]
    assert distances(graph)["c"] == 3


def test_an_empty_remark_is_no_weight(tmp_path):
    (tmp_path / "a.csv").write_text("from,to,name,remark\na,b,x,\nb,c,y,slow\n")
    graph = Graph.read(tmp_path / "a.csv")
    assert graph.edges["name"].tolist() == ["x", "y"]
    assert graph.edges["remark"].tolist() == [None, "slow"]
    assert "column 2 ('name') is not read as weight: 'x' is not a number" in graph.report


def test_what_gascl_writes_keeps_its_names(tmp_path):
    graph = Graph.from_edges([0, 1], [1, 2], minutes=[2, 3])
    for name in ("a.csv", "a.txt", "a.parquet", "a.arrow", "a.npz"):
        graph.write(tmp_path / name)
        assert list(Graph.read(tmp_path / name).edge_fields) == ["minutes"]
    assert list(Graph.from_arrow(graph.to_arrow()).edge_fields) == ["minutes"]


def test_a_program_that_reads_the_column_says_how(tmp_path):
    class Minutes(VertexProgram):
        minutes = edge.real()
        supersteps = param.supersteps(1)
        all = vertex.real()
        message, combine, scatter_on = "real", "sum", "all"
        scatter, apply = "send(e.minutes);", "v.all = msg;"

    graph = read_csv(ROADS, tmp_path)
    refused(
        ["reads minutes", "it has: weight", "with minutes='weight'"],
        lambda: Engine(graph).run(Minutes()),
    )
    kept = read_csv(ROADS, tmp_path, columns=["from", "to", "minutes=minutes"])
    assert Engine(kept).run(Minutes()).all.tolist() == [0, 1, 7]


@pytest.mark.parametrize("columns", ["from,to,minutes", "from,to,weight=minutes,km"])
def test_in_the_shell(gascl_, tmp_path, columns):
    path = csv(KM, tmp_path / "roads.csv")
    given = ("--option", f"columns={columns}", "--set", "source=a")
    code, out, err = gascl_("run", "ShortestPaths", path, *given)
    assert (code, err) == (0, "")
    assert "column 2 ('minutes') read as edge field weight" in out
    assert [line.split() for line in out.split("\n\n")[1].splitlines()] == [
        ["vertex", "distance"],
        ["c", "3"],
        ["b", "1"],
        ["a", "0"],
    ]


READERS = [read_csv, read_text, read_parquet, read_arrow, from_arrow, from_pandas_by_weight]


@pytest.mark.parametrize("take", READERS)
@pytest.mark.parametrize("table", [ROADS, KM, NAMED, WEIGHT])
def test_one_says_which_column_is_the_weight(take, table, tmp_path):
    graph = take(table, tmp_path, weight="minutes")
    assert graph.edge_fields["weight"].tolist() == [1, 2, 5]
    assert "minutes" not in graph.edge_fields
    assert any("minutes" in line and "read as edge field weight" in line for line in graph.report)


@pytest.mark.parametrize("take", READERS)
def test_the_weight_must_be_a_column_of_numbers(take, tmp_path):
    with pytest.raises(GraphError, match="hours"):
        take(KM, tmp_path, weight="hours")
    with pytest.raises(GraphError, match=r"not numeric|is of type|the weight 'x', which"):
        take(NAMED, tmp_path, weight="name")


@pytest.mark.parametrize("suffix", [".npz", ".graphml"])
def test_the_weight_of_files_with_fields(suffix, tmp_path):
    graph = Graph.from_edges([0, 1], [1, 2], minutes=[1.0, 2], weight=[7.0, 8])
    graph.write(tmp_path / f"g{suffix}")
    again = Graph.read(tmp_path / f"g{suffix}", weight="minutes")
    assert {n: v.tolist() for n, v in again.edge_fields.items()} == {"weight": [1, 2]}
    assert again.report[-2:] == [
        "edge field 'minutes' read as weight",
        "edge field 'weight' left out",
    ]
    same = Graph.read(tmp_path / f"g{suffix}", weight="weight")
    assert same.edge_fields["weight"].tolist() == [7, 8]
    with pytest.raises(GraphError, match="no edge field 'hours'; there are: minutes, weight"):
        Graph.read(tmp_path / f"g{suffix}", weight="hours")


def test_tables_of_other_libraries():
    """A table with nothing but Arrow's interface, and the hints of the wrong method."""

    class Table:
        def __init__(self, table):
            self.table = table

        def __arrow_c_stream__(self, schema=None):
            return self.table.__arrow_c_stream__(schema)

    graph = Graph.from_arrow(Table(pa.table(ROADS)))
    assert graph.edge_fields["weight"].tolist() == [1, 2, 5]
    batch = Graph.from_arrow(pa.RecordBatch.from_pydict(ROADS))
    assert batch.edge_fields["weight"].tolist() == [1, 2, 5]
    with pytest.raises(
        GraphError, match=r"not a test_weight_column.Table: give it to Graph.from_arrow"
    ):
        Graph.from_pandas(Table(pa.table(ROADS)))
    with pytest.raises(GraphError, match="an Arrow table, or one of pandas, polars or DuckDB with"):
        Graph.from_arrow({"source": [1]})


@pytest.mark.parametrize("library", ["polars", "duckdb"])
def test_frames_of_polars_and_relations_of_duckdb(library):
    module = pytest.importorskip(library)
    table = pa.table(ROADS)
    frame = module.from_arrow(table)
    if not hasattr(frame, "__arrow_c_stream__"):
        pytest.skip(f"{library} {module.__version__} has no interface of Arrow")
    graph = Graph.from_arrow(frame, weight="minutes")
    assert graph.edge_fields["weight"].tolist() == [1, 2, 5]
    if library == "polars":
        with pytest.raises(GraphError, match=r"not polars.DataFrame; use Graph.from_arrow"):
            Graph.from_pandas(frame)


def test_a_column_keeps_its_name_where_a_dict_says_so():
    graph = Graph.from_pandas(pd.DataFrame(ROADS), "from", "to", fields={"minutes": "minutes"})
    assert list(graph.edge_fields) == ["minutes"]


def test_one_label_is_no_list_of_labels():
    graph = Graph.from_edges(["ann"], ["bob"])
    with pytest.raises(
        GraphError, match=r"'ann' is one label, not several: give a list, \['ann'\]"
    ):
        graph.indices_of("ann")


def test_text_below_the_first_rows_of_a_column_taken_for_the_weight(gascl_, tmp_path):
    """What the error says to do works, in Python and in the shell."""
    path = tmp_path / "trips.csv"
    path.write_text("from,to,code,km\na,b,12,1\nb,c,13,2\nc,d,A5,3\n")
    _, out, err = gascl_("info", path)
    assert out == "" and "line 4: 'c,d,A5,3' has the weight 'A5', which is not a number" in err
    without, instead = re.search(r"holds text: (.+); (.+) reads another column", err).groups()
    assert "out-degree" in gascl_("info", path, *without.split())[1]
    assert "edge field weight: int64, 1 to 3" in gascl_("info", path, *instead.split())[1]
    with pytest.raises(FormatError, match=r"columns=\('from', 'to'\); weight='km' reads another"):
        Graph.read(path)
    path.write_text("a b 12 1\nb c 13 2\nc d A5 3\n")
    with pytest.raises(FormatError, match=r"columns=\(0, 1\); weight=3 reads another"):
        Graph.read(path)
    assert Graph.read(path, weight=3).edge_fields["weight"].tolist() == [1, 2, 3]


@pytest.mark.parametrize("ending", ["gml", "graphml"])
@pytest.mark.parametrize(
    ("weights", "why"),
    [
        ([5, 7, None], r"1 of 3 do not have it"),
        (["5", "7 km", "8"], r"not all its values are numbers"),
    ],
)
def test_weights_that_a_file_lacks_are_warned_of(ending, weights, why, tmp_path):
    networkx = pytest.importorskip("networkx")
    graph, path = networkx.path_graph(4), tmp_path / f"roads.{ending}"
    for (tail, head), weight in zip(list(graph.edges), weights, strict=True):
        if weight is not None:
            graph.edges[tail, head]["weight"] = weight
    getattr(networkx, f"write_{ending}")(graph, path)
    words = rf"roads.{ending} leaves out the edge attribute 'weight' \({why}\); programs take every"
    with pytest.warns(UserWarning, match=words):
        read = Graph.read(path)
    assert not read.edge_fields
