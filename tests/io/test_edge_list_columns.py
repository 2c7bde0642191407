"""The columns of an edge list: headers, names and numbers of columns, what parts them."""

import networkx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from support.filecases import edges_of, refused

from gascl import FormatError, GraphError
from gascl.graph.graph import Graph

TABLE = "id,from,to,cost,km,name\n7,1,2,0.5,3,a\n8,2,9,1.5,4,b\n"


def test_columns_by_name_and_number(write):
    path = write("a.csv", TABLE)
    graph = Graph.read(path, columns=("from", "to", "cost"))
    assert edges_of(graph) == [(1, 2, 0.5), (2, 9, 1.5)] and [*graph.edge_fields] == ["weight"]
    assert "column 3 ('cost') read as edge field weight" in graph.report
    assert "line 1 is a header: id, from, to, cost, km, name" in graph.report
    assert "columns separated by commas" in graph.report
    assert "columns ignored: 0 ('id'), 4 ('km'); columns= reads them" in graph.report
    assert "columns of text ignored: 5 ('name'); columns= reads them" in graph.report
    graph = Graph.read(path, columns=["to", "from", "km", "cost"])
    assert edges_of(graph) == [(2, 1, 3, 0.5), (9, 2, 4, 1.5)]
    assert edges_of(Graph.read(path, columns=(1, 2, 4), header=True)) == [(1, 2, 3), (2, 9, 4)]
    bare = write("b.csv", TABLE.partition("\n")[2])
    graph = Graph.read(bare, columns=(1, 2, 3))
    assert edges_of(graph) == [(1, 2, 0.5), (2, 9, 1.5)] and [*graph.edge_fields] == ["weight"]
    graph = Graph.read(bare, columns=(1, 2, 3, 4))
    assert [*graph.edge_fields] == ["column3", "column4"]


NAMES = [
    "source,target",
    "SRC,dst",
    "From,To",
    "source_id,target_id",
    "from node,to node",
    "Origin,Destination",
]


@pytest.mark.parametrize("names", NAMES)
def test_ends_are_found_by_name_wherever_they_stand(write, names):
    source, target = names.split(",")
    for header in (f"{names},km,kind", f"kind,{names},km", f"km,{target},x,{source},kind"):
        order = header.split(",")
        row = {source: "a", target: "b", "km": 4, "kind": "road", "x": "y"}
        content = "".join(f"{','.join(str(each[c]) for c in order)}\n" for each in (row, row))
        path = write("a.csv", f"{header}\n{content}")
        for options in ({}, {"weight": "km"}):
            graph = Graph.read(path, **options)
            assert [graph.labels[end].tolist() for end in (graph.edge_src, graph.edge_dst)] == [
                ["a", "a"],
                ["b", "b"],
            ]
            after = options or order.index("km") > max(order.index(source), order.index(target))
            expected = [4, 4] if after else None
            assert graph.edge_fields.get("weight", np.array(None)).tolist() == expected
        frame = pd.read_csv(path)
        same = Graph.from_pandas(frame)
        assert same.labels[same.edge_src].tolist() == ["a", "a"]
        assert f"source and target: '{source}', '{target}'" in same.report[0]
        same = Graph.from_arrow(pa.table(frame))
        assert same.labels[same.edge_src].tolist() == ["a", "a"]


def test_against_pandas(tmp_path):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"src": rng.integers(0, 50, 99), "dst": rng.integers(0, 50, 99)})
    frame["travel time"] = rng.random(99)
    frame["lanes"] = rng.integers(1, 5, 99)
    for name, mark in (("a.csv", ","), ("a.tsv", "\t"), ("a.csv", ";"), ("a.txt", "|")):
        frame.to_csv(tmp_path / name, sep=mark, index=False)
        if mark in ";|" and name == "a.txt":
            refused(["two ways", "separator="], lambda path=tmp_path / name: Graph.read(path))
        columns = ("src", "dst", "lanes", "travel time")
        graph = Graph.read(tmp_path / name, columns=columns, separator="|" if mark == "|" else None)
        np.testing.assert_array_equal(graph.labels[graph.edge_src], frame["src"])
        np.testing.assert_array_equal(graph.labels[graph.edge_dst], frame["dst"])
        np.testing.assert_array_equal(graph.edge_fields["travel_time"], frame["travel time"])
        np.testing.assert_array_equal(graph.edge_fields["lanes"], frame["lanes"])
    frame.to_csv(tmp_path / "b.csv")  # with the index in front
    graph = Graph.read(tmp_path / "b.csv")
    np.testing.assert_array_equal(graph.labels[graph.edge_dst], frame["dst"])
    np.testing.assert_array_equal(graph.edge_fields["weight"], frame["travel time"])
    quoted = tmp_path / "c.csv"
    frame.astype({"src": str}).to_csv(quoted, index=False, quoting=2)
    graph = Graph.read(quoted)
    np.testing.assert_array_equal(graph.labels[graph.edge_src], frame["src"])
    np.testing.assert_array_equal(graph.edge_fields["weight"], frame["travel time"])


def test_trailing_columns_are_ignored_and_reported(write):
    graph = Graph.read(write("a.txt", "1 2 3 4 x\n5 6 7 8 y\n"))
    assert edges_of(graph) == [(1, 2, 3), (5, 6, 7)]
    assert "columns ignored: 3 (from 0); columns= reads them" in graph.report
    assert any(line.startswith("columns of text ignored: 4 (from 0);") for line in graph.report)
    graph = Graph.read(write("b.txt", "1 2 friend\n5 6 foe\n"))
    assert not graph.edge_fields
    assert "column 2 (from 0) is not read as weight: 'friend' is not a number" in graph.report


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("# from a table\nsrc,dst\n1,2\n2,3\n", [(1, 2), (2, 3)]),
        ("Source Target\na b\n", [("a", "b")]),
        ("FromNodeId\tToNodeId\n1\t2\n", [(1, 2)]),
        ("x y\n1 2\n", [(1, 2)]),
        ("u v z\na b 2.5\n", [("a", "b", 2.5)]),
        ("src,dst\n", []),
        ("a b\nc d\n", [("a", "b"), ("c", "d")]),
        ("a 1\n1 2\n", [("a", "1"), ("1", "2")]),
        ("a b 1\n1 c 2\n", [("a", "b", 1), ("1", "c", 2)]),
    ],
)
def test_headers_are_known(write, text, edges):
    graph = Graph.read(write("a.txt", text))
    assert edges_of(graph) == edges
    assert any("is a header" in line for line in graph.report) == (
        len(edges) < len([line for line in text.splitlines() if line[0] != "#"])
    )


def test_an_explicit_header_option(write):
    path = write("a.csv", "a,b\n1,2\n")
    assert edges_of(Graph.read(path, header=False)) == [("a", "b"), ("1", "2")]
    assert edges_of(Graph.read(write("b.csv", "1,2\n3,4\n"), header=True)) == [(3, 4)]
    refused(["line 1", "'a b 1'"], lambda: Graph.read(write("b.txt", "a b 1\n1 2 2\n")))
    doubtful = write("c.csv", "a,b\n1,2\nx,3\n")
    refused(["line 1", "'a, b'", "'x'", "header=False"], lambda: Graph.read(doubtful))
    assert Graph.read(doubtful, header=True).num_edges == 2
    assert Graph.read(doubtful, header=False).num_edges == 3


def test_separators(write):
    path = write("a.txt", "New York\tBoston\n")
    refused(["line 1", "two ways", "separator="], lambda: Graph.read(path))
    assert edges_of(Graph.read(path, separator="\t")) == [("New York", "Boston")]
    assert edges_of(Graph.read(write("a.tsv", "New York\tBoston\n"))) == [("New York", "Boston")]
    assert edges_of(Graph.read(write("a.csv", "New York,Boston\n"))) == [("New York", "Boston")]
    assert edges_of(Graph.read(write("q.csv", '"A, ""B""",C\n'))) == [('A, "B"', "C")]
    refused(["line 1", "quotes"], lambda: Graph.read(write("q.csv", '"A,C\nB,D\n')))
    assert edges_of(Graph.read(write("b.txt", "1:2\n"), separator=":")) == [(1, 2)]
    hashes = write("c.txt", "#a #b\n")
    assert edges_of(Graph.read(hashes, comments="")) == [("#a", "#b")]
    assert edges_of(Graph.read(write("d.txt", "! x\n1 2\n"), comments="!")) == [(1, 2)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"columns": ("from", "cost to")}, ["no column 'cost to'", "id, from, to"]),
        ({"columns": ("from", "too")}, ["no column 'too'; did you mean 'to'? Its columns are id,"]),
        ({"columns": (0, 9)}, ["no column 9", "0 to 5"]),
        (
            {"columns": (1, "from")},
            ["columns=(1, 'from'): 1 and 'from' are the same column, 1 ('from'); each", "leave"],
        ),
        (
            {"columns": ("from", "to", "far=km"), "weight": "km"},
            ["'far=km' and 'weight=km' are the same column, 4 ('km')"],
        ),
        ({"weight": "cost", "header": False}, ["'weight=cost' has a name", "needs a header"]),
        ({"columns": "from"}, ["columns='from'", "a list of names of columns or of numbers"]),
        ({"columns": ("from",)}, ["a list of names of columns or of numbers"]),
        ({"columns": ("from", "to"), "header": False}, ["needs a header"]),
        ({"weight": "name"}, ["line 2", "weight 'a'", "not a number"]),
        (
            {"columns": ("from", "to", "weight=name", "km=cost")},
            ["leave the column out if it holds text: columns=('from', 'to', 'km=cost')"],
        ),
        ({"header": 3}, ["header=3"]),
        ({"separator": "ab"}, ["one ASCII character"]),
        ({"separator": "1"}, ["occurs in numbers"]),
        ({"comments": "1"}, ["comments='1'"]),
        ({"colums": (0, 1)}, ["no option 'colums'", "columns, header, separator, comments"]),
    ],
)
def test_wrong_options(write, options, words):
    path = write("a.csv", TABLE)
    refused([str(path), *words], lambda: Graph.read(path, **options))


def test_a_column_that_is_read_may_become_the_weight(write):
    path = write("roads.csv", "from,to,minutes,km\na,b,3,4\nb,c,5,6\n")
    graph = Graph.read(path, columns=("from", "to", "minutes", "km"), weight="minutes")
    fields = {name: values.tolist() for name, values in graph.edge_fields.items()}
    assert fields == {"weight": [3, 5], "km": [4, 6]}


def test_a_first_row_that_may_be_a_header_is_warned_of(write, recwarn):
    path = write("friends.csv", "person,friend\nAnn,Bob\nBob,Cid\n")
    with pytest.warns(
        UserWarning, match=r"friends.csv, line 1: 'person,friend' is read as an edge"
    ):
        assert Graph.read(path).num_edges == 3
    recwarn.clear()
    assert Graph.read(path, header=True).num_edges == 2
    assert Graph.read(path, header=False).num_edges == 3
    assert Graph.read(write("more.csv", "Ann,Bob\nBob,Cid\nCid,Dan\n")).num_edges == 3
    assert not recwarn.list


def test_columns_with_unknown_names_are_in_the_report(write):
    graph = Graph.read(write("a.csv", "one,weight,other\na,3,b\nb,4,c\n"))
    assert "source and target: columns 0 ('one') and 2 ('other')" in graph.report
    named = Graph.read(write("b.csv", "source,target\na,b\n"))
    assert not any("source and target" in line for line in named.report)


@pytest.mark.parametrize(
    ("names", "ends"),
    [
        (["line", "from stop", "to stop", "crowding"], ("a", "b")),
        (["x", "Sender_email", "Recipient_email", "y"], ("a", "b")),
        (["stop to", "y", "stop from", "x"], ("b", "1")),
        (["start date", "from node", "to node", "end date"], ("a", "b")),
    ],
)
@pytest.mark.filterwarnings("error")
def test_names_of_ends_with_a_word_in_common(names, ends, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(";".join(names) + "\n1;a;b;low\n")
    graph = Graph.read(path)
    source, target = (graph.labels[end[0]] for end in (graph.edge_src, graph.edge_dst))
    assert (source, target) == ends


def test_names_with_a_word_in_common_that_are_no_ends(tmp_path):
    path = tmp_path / "a.csv"
    for names, says in (
        ("n,start date,end date", "the names of the columns do not say"),
        ("n,start price,end price", "the names of the columns do not say"),
        ("from zone,to zone,from stop,to stop", "source and target could be 'from zone' and"),
    ):
        row = ",".join("abcd"[: names.count(",") + 1])
        path.write_text(f"{names}\n{row}\n")
        with pytest.raises(FormatError, match=says):
            Graph.read(path, header=True)


@pytest.mark.parametrize("names", [("a b", "a_b"), ("a_b", "a b")])
def test_a_column_keeps_its_name_where_that_of_another_one_would_become_the_same(names, tmp_path):
    """Also in tables of vertices; the other column is in the report."""
    path = tmp_path / "a.csv"
    table = pd.DataFrame({"source": ["x", "y"], "target": ["y", "z"], "n": [5, 6]})
    for name in names:
        table[name] = [1, 2] if name == "a_b" else [3, 4]
    table.to_csv(path, index=False)
    people = pd.DataFrame({"id": ["x", "y", "z"]})
    people = people.assign(**{name: [1, 2, 3] if name == "a_b" else 0 for name in names})
    for graph in (
        Graph.from_pandas(table, vertices=people),
        Graph.from_arrow(pa.Table.from_pandas(table), vertices=people),
        Graph.read(path, vertices=people),
    ):
        assert graph.edge_fields["a_b"].tolist() == [1, 2]
        assert graph.vertex_fields["a_b"].tolist() == [1, 2, 3]
        assert any("'a b'" in line and "left out" in line for line in graph.report)


def test_two_attributes_of_networkx_that_would_be_one_field():
    G = networkx.Graph([(0, 1, {"a b": 1, "a_b": 2}), (1, 2, {"a b": 3, "a_b": 4})])
    assert Graph.from_networkx(G, fields=["a b", "a b"]).edge_fields["a_b"].tolist() == [1, 3]
    assert Graph.from_networkx(G).edge_fields["a_b"].tolist() == [2, 4]
    for names in (["a b", "a_b"], ["a_b", "a b"]):
        with pytest.raises(GraphError, match="would both be the field 'a_b'"):
            Graph.from_networkx(G, fields=names)
