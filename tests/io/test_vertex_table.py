"""Vertex fields from a second table: `vertices=`, `Graph.with_vertices` and `--vertices`."""

import gzip

import numpy as np
import pytest

from gascl import FormatError, Graph, GraphError
from gascl.cli.main import main

igraph = pytest.importorskip("igraph")
pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")

EDGES = pandas.DataFrame({"from": ["Ann", "Bob"], "to": ["Bob", "Cid"], "days": [1, 2]})
PEOPLE = pandas.DataFrame(
    {
        "name": ["Zoe", "Cid", "Ann", "Bob"],
        "age": [3, 4, 5, 6],
        "team": ["red", "blue", "red", "blue"],
        "height": np.array([1.5, 2, np.nan, 1], dtype=np.float32),
        "here": [True, False, True, True],
        "bio": ["one", "of", "a", "kind"],
    }
)


@pytest.fixture
def files(tmp_path):
    """Text with commas, packed text with tabs, Parquet, Arrow."""
    EDGES.to_csv(tmp_path / "edges.csv", index=False)
    table = PEOPLE.drop(columns="height")
    table.to_csv(tmp_path / "people.csv", index=False)
    with gzip.open(tmp_path / "people.tsv.gz", "wt") as file:
        table.to_csv(file, index=False, sep="\t")
    table.to_parquet(tmp_path / "people.parquet")
    table.to_feather(tmp_path / "people.feather", compression="uncompressed")
    return tmp_path


def edges_of(graph):
    """The edges by label, with their weights."""
    ends = graph.labels[graph.edge_src].tolist(), graph.labels[graph.edge_dst].tolist()
    return list(zip(*ends, graph.edge_fields["weight"].tolist(), strict=True))


def test_a_data_frame_as_in_igraph():
    graph = Graph.from_pandas(EDGES, vertices=PEOPLE)
    other = igraph.Graph.DataFrame(EDGES, vertices=PEOPLE, use_vids=False)
    assert graph.labels.tolist() == other.vs["name"] == PEOPLE["name"].tolist()
    assert list(zip(graph.edge_src, graph.edge_dst, strict=True)) == other.get_edgelist()
    assert edges_of(graph) == [("Ann", "Bob", 1), ("Bob", "Cid", 2)]
    assert graph.out_degree.tolist() == other.degree(mode="out") == [0, 0, 1, 1]
    assert graph.vertex_fields["age"].tolist() == other.vs["age"]
    assert list(graph.vertex_fields) == ["age", "team", "height", "here", "bio"]
    assert graph.vertex_fields["team"].tolist() == [1, 0, 1, 0]
    assert graph.vertex_fields["height"].dtype == np.float32
    assert np.isnan(graph.vertex_fields["height"][2])
    assert graph.vertex_fields["here"].dtype == np.int8
    assert graph.vertex_fields["here"].tolist() == [1, 0, 1, 1]
    report = "\n".join(graph.report)
    for words in ("rows: 4; ids: column 'name'", "0 is 'blue', 1 is 'red'", "without edges: 1"):
        assert words in report
    assert graph.vertices["bio"].tolist() == PEOPLE["bio"].tolist()


@pytest.mark.parametrize(
    "name", ["people.csv", "people.tsv.gz", "people.parquet", "people.feather"]
)
def test_files(files, name):
    graph = Graph.read(files / "edges.csv", vertices=files / name)
    assert graph.labels.tolist() == PEOPLE["name"].tolist()
    assert edges_of(graph) == [("Ann", "Bob", 1), ("Bob", "Cid", 2)]
    assert graph.vertex_fields["age"].tolist() == [3, 4, 5, 6]
    assert graph.vertex_fields["here"].tolist() == [1, 0, 1, 1]
    assert f"vertices: {files / name}: rows: 4; ids: column 'name'" in graph.report


def test_a_column_or_an_index_of_ids_and_arrow():
    moved = PEOPLE[["age", "name"]]
    tables = [
        (moved, "name"),
        (moved.set_index("name"), None),
        (pyarrow.table({"age": moved["age"], "name": moved["name"]}), "name"),
    ]
    for vertices, vertex_id in tables:
        for graph in (
            Graph.from_pandas(EDGES, vertices=vertices, id=vertex_id),
            Graph.from_arrow(pyarrow.Table.from_pandas(EDGES), vertices=vertices, id=vertex_id),
            Graph.from_pandas(EDGES).with_vertices(vertices, vertex_id),
        ):
            assert graph.labels.tolist() == ["Zoe", "Cid", "Ann", "Bob"]
            assert graph.vertex_fields["age"].tolist() == [3, 4, 5, 6]
    with pytest.raises(GraphError, match="id='nam' is not a column; did you mean 'name'"):
        Graph.from_pandas(EDGES, vertices=moved, id="nam")
    with pytest.raises(GraphError, match=r"id='name' .* give vertices="):
        Graph.from_pandas(EDGES, id="name")


def test_random_graphs_agree_with_a_join():
    rng = np.random.default_rng(5)
    for count in (1, 7, 300):
        ids = rng.permutation(10 * count)[:count] - 3
        pairs = rng.choice(ids, (4 * count, 2))
        used = np.unique(pairs)
        table = pandas.DataFrame({"id": ids, "x": rng.random(count)})
        graph = Graph.from_edges(
            *np.searchsorted(used, pairs.T), labels=used, vertex_fields={"y": used}
        )
        graph.arcs()
        if len(used) < count:
            with pytest.raises(GraphError, match="vertex field 'y' of its own"):
                graph.with_vertices(table)
            table = table[np.isin(ids, used)]
        made = graph.with_vertices(table)
        assert made.labels.tolist() == table["id"].tolist()
        assert made.vertex_fields["x"].tolist() == table["x"].tolist()
        assert made.vertex_fields["y"].tolist() == table["id"].tolist()
        assert np.array_equal(made.labels[np.stack([made.edge_src, made.edge_dst])], pairs.T)
        degrees = pandas.Series(pairs[:, 0]).value_counts()
        assert made.out_degree.tolist() == [degrees.get(i, 0) for i in table["id"]]


def test_in_the_same_order_arcs_are_shared():
    graph = Graph.from_edges([0, 1], [1, 2], vertex_fields={"x": [1, 2, 3], "z": [4, 5, 6]})
    arcs = graph.arcs()
    made = graph.with_vertices(pandas.DataFrame({"id": [0, 1, 2], "x": [7.5, 8.5, 9.5]}))
    assert made.arcs() is arcs and made.labels is None
    assert made.vertex_fields["x"].tolist() == [7.5, 8.5, 9.5]
    assert made.vertex_fields["z"].tolist() == [4, 5, 6]
    assert "vertex field 'x' replaced by the table's" in made.report
    more = Graph.from_edges([0, 1], [1, 2]).with_vertices(pandas.DataFrame({"id": range(5)}))
    assert more.num_vertices == 5 and more.labels is None
    turned = graph.with_vertices(pandas.DataFrame({"id": [2, 0, 1]}))
    assert turned.labels.tolist() == [2, 0, 1] and turned.vertex_fields["z"].tolist() == [6, 4, 5]
    assert turned.edge_src.tolist() == [1, 2] and turned.edge_dst.tolist() == [2, 0]


def test_vertices_without_a_row_and_rows_without_an_id():
    with pytest.raises(
        GraphError, match=r"1 of 3 vertices of the graph have no row: 'Ann'; .* add"
    ):
        Graph.from_pandas(EDGES, vertices=PEOPLE[PEOPLE["name"] != "Ann"])
    twice = pandas.concat([PEOPLE, PEOPLE[:1]])
    with pytest.raises(GraphError, match="the id 'Zoe' in column 'name' has several rows"):
        Graph.from_pandas(EDGES, vertices=twice)
    with pytest.raises(GraphError, match="1 of 4 rows have no id in column 'name'; give each"):
        Graph.from_pandas(EDGES, vertices=PEOPLE.replace({"name": {"Zoe": None}}))
    with pytest.raises(GraphError, match=r"'age' are integers, such as 3, and .* 'Ann'.*id="):
        Graph.from_pandas(EDGES, vertices=PEOPLE, id="age")
    with pytest.raises(GraphError, match=r"'height', the ids: labels must be .* not float32"):
        Graph.from_pandas(EDGES, vertices=PEOPLE, id="height")
    with pytest.raises(GraphError, match=r"not list; .*vertex_fields="):
        Graph.from_pandas(EDGES, vertices=["Ann"])
    same = pandas.DataFrame([[1, 2, 3]], columns=["id", "x", "x"])
    with pytest.raises(GraphError, match="two columns are called 'x'"):
        Graph.from_pandas(EDGES, vertices=same)


def test_numbers_in_some_rows_alone_are_warned_of(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("id,age,note\n0,5,a\n1,,b\n2,7,c\n")
    graph = Graph.from_edges([0, 1], [1, 2])
    with pytest.warns(UserWarning, match=r"leaves out the column 'age' \(1 of 3 do .*; give each"):
        made = graph.with_vertices(path)
    assert list(made.vertex_fields) == ["note"] and made.labels is None
    nulls = pandas.DataFrame({"id": [0, 1, 2], "age": pandas.array([5, None, 7], dtype="Int64")})
    with pytest.warns(UserWarning, match="'age'"):
        assert not graph.with_vertices(nulls).vertex_fields


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "is empty"),
        ("1,2\n2,3\n", "line 1: '1,2' must name the columns, as in `id,age`, and '1' is not"),
        ("id,,x\n", "'' is not a name"),
        ("id,x\n1,2,3\n", "line 2: '1,2,3' has 3 columns, and the first line has 2: id, x"),
        ("id,x,x\n", "line 1: two columns are called 'x'"),
        ('id,x\n"1,2\n', "cannot be split into columns"),
    ],
)
def test_damaged_text(tmp_path, text, wrong):
    path = tmp_path / "p.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=r"p.csv") as error:
        Graph.from_edges([0], [1]).with_vertices(path)
    assert wrong in str(error.value)


def test_text_with_blanks_comments_and_quotes(tmp_path):
    path = tmp_path / "p.txt"
    path.write_text("# people\nid  age\n\n1 5\n0 6\n")
    made = Graph.from_edges([0], [1]).with_vertices(path)
    assert made.vertex_fields["age"].tolist() == [5, 6] and made.labels.tolist() == [1, 0]
    path.write_text('id\n"a b"\nc\n')
    assert Graph.from_edges([("a b", "c")]).with_vertices(path).labels.tolist() == ["a b", "c"]


def test_in_the_shell(files, capsys):
    edges, people, target = files / "edges.csv", files / "people.csv", files / "graph.npz"
    assert main(["convert", str(edges), str(target), "--vertices", str(people)]) == 0
    assert "ids: column 'name'" in capsys.readouterr().out
    graph = Graph.read(target)
    assert graph.labels.tolist() == PEOPLE["name"].tolist()
    assert graph.vertex_fields["age"].tolist() == [3, 4, 5, 6]
    run = ["run", "BreadthFirst", str(edges), "--set", "source=Ann", "--vertices", str(people)]
    assert main(run) == 0
    out = capsys.readouterr().out
    assert "graph: 4 vertices, 2 edges" in out and "(1 vertex with no" not in out
    assert main([*run, "--id", "nam"]) == 1
    assert "--id nam is not a column; did you mean 'name'" in capsys.readouterr().err
    assert main(["info", str(edges), "--id", "name"]) == 1
    assert "give --vertices" in capsys.readouterr().err
    assert main(["info", str(edges), "--option", "vertices=x"]) == 1
    assert "use --vertices" in capsys.readouterr().err
    files_alone = [
        "convert",
        str(edges),
        str(target),
        "--vertices",
        str(people),
        "--memory",
        "1GiB",
    ]
    assert main(files_alone) == 1
    assert "--vertices" in capsys.readouterr().err
    assert main(["convert", str(edges), str(people), "--vertices", str(people)]) == 1
    assert "is the file to be read" in capsys.readouterr().err
