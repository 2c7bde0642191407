"""Edge lists: what NumPy reads and what is read line by line, headers, columns, and writing."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from filecases import CHANGES, changed_bytes, edges_of, put, read_or_refused, refused, shared
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from gascl.graph import Graph
from gascl.io import edgelist
from gascl.io.columns import Irregular, read_columns
from gascl.io.ids import numbered
from gascl.io.lines import Lines


@pytest.fixture
def write(tmp_path):
    return lambda name, content: put(tmp_path, name, content)


def slowly(monkeypatch):
    """Read line by line what NumPy would take."""
    monkeypatch.setattr(edgelist, "_read_integers", lambda lines, layout: None)


@pytest.mark.parametrize(
    "text",
    [
        "10 3\n3 7\n",
        "10\t3\n3\t7",
        "10,3\r\n3,7\r\n",
        "10 , 3\n 3 ,7\n",
        "10;3\n3;7",
        "10|3\n3|7\n",
        "# comment\n% another\n\n10 3\n3 7\n\n",
        "10 3\n# later\n3 7\n",
        "10 3 # trailing\n3\t7 %\n",
        "10   3\t\r\n  3 \t 7\r\n\r\n",
        "\ufeff10 3\n3 7\n",
        "+10 3\n03 7\n",
    ],
)
@pytest.mark.parametrize("slow", [False, True])
def test_two_integer_columns(write, monkeypatch, text, slow):
    if slow:
        slowly(monkeypatch)
    graph = Graph.read(write("a.txt", text))
    assert graph.labels.tolist() == [3, 7, 10] and graph.labels.dtype == np.int64
    assert edges_of(graph) == [(10, 3), (3, 7)]
    assert graph.directed and "ids taken as integers" in graph.report


def test_the_fast_way_takes_what_is_plain(write, monkeypatch):
    def never(path, layout):
        raise AssertionError("read line by line")

    monkeypatch.setattr(edgelist, "_read_any", never)
    text = "# c\n1 -2 0.5\r\n\r\n# d\n 3\t4 1e3 # e\n5 6 nan"
    assert edges_of(Graph.read(write("a.txt", text)))[:2] == [(1, -2, 0.5), (3, 4, 1000)]
    assert Graph.read(write("b.csv", "from,to,n,w\n1,2,x,3\n2,3,y,4\n")).num_edges == 2
    with pytest.raises(AssertionError):
        Graph.read(write("c.txt", "1 a\n"))


def test_report(write):
    graph = Graph.read(write("a.txt", "# one\n# two\n1 2 3\n1 2 4\n"), duplicates="sum")
    assert graph.report == [
        "edge list: rows: 2; comment lines skipped: 2",
        "column 2 (from 0) taken as edge field weight",
        "ids taken as integers",
        "read as directed, which the format can't say; else directed=False",
        "weight: int64",
        "duplicates='sum': merged 1 edge into others",
    ]
    assert edges_of(graph) == [(1, 2, 7)]
    assert "comment lines skipped: 1" in Graph.read(write("b.txt", "1 2\n#\n")).report[0]
    assert "comments behind rows left off: 1" in Graph.read(write("c.txt", "1 2 # x\n")).report


# Ids


def test_sparse_and_negative_ids(write):
    far = 2**63 - 1
    graph = Graph.read(write("a.txt", f"{far} -7\n-7 {-far - 1}\n"), directed=False)
    assert graph.labels.tolist() == [-far - 1, -7, far]
    assert edges_of(graph) == [(far, -7), (-7, -far - 1)]
    assert not graph.directed and graph.index_of("-7") == 1


@given(
    st.lists(
        st.tuples(*[st.integers(-9, 99) | st.integers(-(2**62), 2**62)] * 2),
        min_size=1,
        max_size=30,
    )
    | st.lists(st.tuples(*[st.integers(5, 40)] * 2), min_size=1, max_size=30)
)
def test_numbered_as_numpy_does(rows):
    src, dst = np.array(rows, dtype=np.int64).T
    labels, places = np.unique(np.concatenate([src, dst]), return_inverse=True)
    for kind in (np.int64, np.int32):
        if abs(labels).max() < np.iinfo(kind).max:
            found = numbered(src.astype(kind), dst.astype(kind))
            np.testing.assert_array_equal(found[0], labels)
            np.testing.assert_array_equal(np.concatenate(found[1:]), places)


@pytest.mark.parametrize("text", ["b a\na ü\n", "b,a\na, ü", "# x\nb\ta\r\na\tü"])
def test_text_ids(write, text):
    graph = Graph.read(write("a.csv", text))
    assert graph.labels.tolist() == ["a", "b", "ü"]
    assert edges_of(graph) == [("b", "a"), ("a", "ü")]
    assert "ids taken as text, since 'a' is not an integer of 64 bits" in graph.report


def test_ids_that_are_not_quite_integers_are_text(write):
    for odd in ("1.0", "1_0", "2e3", str(2**63)):
        graph = Graph.read(write("a.txt", f"1 2\n{odd} 2\n"))
        assert graph.labels.tolist() == sorted(["1", "2", odd])


# Weights


@pytest.mark.parametrize(
    ("weights", "expected", "dtype"),
    [
        (["3", "-4"], [3, -4], np.int64),
        (["3", "4.5"], [3, 4.5], np.float64),
        (["1e3", "inf"], [1000, np.inf], np.float64),
        (["7", str(2**63)], [7, 2.0**63], np.float64),
        (["nan", "-inf"], [np.nan, -np.inf], np.float64),
        (["-.5", "+2."], [-0.5, 2], np.float64),
    ],
)
@pytest.mark.parametrize("name", ["1", "x"])
def test_weights(write, weights, expected, dtype, name):
    text = "".join(f"{name} 2 {weight}\n" for weight in weights)
    weight = Graph.read(write("a.txt", text)).edge_fields["weight"]
    assert weight.dtype == dtype
    np.testing.assert_array_equal(weight, np.array(expected, dtype=dtype))


def test_nan_and_infinite_weights_are_kept_and_counted(write):
    graph = Graph.read(write("a.txt", "1 2 nan\n2 3 -inf\n3 1 inf\n1 3 2\n"))
    assert "weight: float64, of which 1 NaN and 2 inf (kept)" in graph.report


def column_of(texts):
    pieces = ["\n".join(f"1 {text}" for text in texts).encode()]
    return read_columns(pieces, 2, [0], [1], None, "#").values[1]


DIGITS = st.text("0123456789", min_size=1, max_size=19)
DECIMALS = st.builds(
    "{}{}.{}{}".format,
    st.sampled_from(["", "-", "+"]),
    DIGITS,
    DIGITS,
    st.just("")
    | st.builds("{}{}".format, st.sampled_from("e E e- E+".split()), st.integers(0, 400)),
)


@settings(max_examples=300)
@given(st.lists(st.floats().map(repr) | DECIMALS | DIGITS, min_size=1, max_size=20))
def test_decimals_are_rounded_as_python_does(texts):
    found = column_of([*texts, "0.5"])
    np.testing.assert_array_equal(found, np.array([*map(float, texts), 0.5]))


def test_many_decimals_are_rounded_as_python_does():
    """Where digits exceed 2^53, halfway between two floats, and as repr() writes floats."""
    rng = np.random.default_rng(1)
    values = rng.random(20_000) * 10.0 ** rng.integers(-3, 6, 20_000)
    texts = list(map(repr, values.tolist()))
    for digits in rng.integers(10**16, 10**18, 20_000).tolist():
        texts.append(f"{digits // 10**4}.{digits % 10**4:04}")
    texts += [f"{(2 * n + 1) * 2**k}.0" for n in range(2**52, 2**52 + 50) for k in range(4)]
    texts += [f"{n / 8:.17g}" for n in range(2**53 - 99, 2**53 + 99)]
    texts += [f"{value:.16e}" for value in values.tolist()]
    np.testing.assert_array_equal(column_of([*texts, "0.5"])[:-1], list(map(float, texts)))


@pytest.mark.parametrize(
    "odd", ["1e", "1.2.3", "--1", "+-1", "1-2", "0x10", "1_0", "1f", "٣", "e5", "."]
)
def test_what_is_no_number_is_refused(odd):
    for texts in ([odd], ["1", odd], ["0.5", odd]):
        with pytest.raises(Irregular):
            column_of(texts)


# Both ways of reading


IDS = st.integers(-20, 10**6) | st.integers(-(2**63), 2**63 - 1)
WEIGHTS = st.integers().map(str) | st.floats().map(repr) | st.sampled_from(["nan", "1e3", "-.5"])
ROWS = st.lists(st.tuples(IDS, IDS, WEIGHTS), min_size=1, max_size=12)


@given(
    ROWS,
    st.sampled_from([" ", "\t", ",", " , ", ";", "  "]),
    st.booleans(),
    st.sampled_from(["\n", "\r\n", "\n\n", " # x\n"]),
    st.booleans(),
)
def test_both_ways_of_reading_agree(tmp_path_factory, rows, separator, weighted, end, header):
    lines = ["source target weight".split()[: 2 + weighted]] if header else []
    lines += [[str(row[0]), str(row[1]), row[2]][: 2 + weighted] for row in rows]
    path = tmp_path_factory.mktemp("rows") / "a.txt"
    path.write_text("# rows\n" + end.join(map(separator.join, lines)), newline="")
    fast = Graph.read(path)
    with pytest.MonkeyPatch.context() as patch:
        slowly(patch)
        slow = Graph.read(path)
    np.testing.assert_array_equal(fast.labels, slow.labels)
    assert fast.labels.dtype == slow.labels.dtype
    np.testing.assert_array_equal(fast.edge_src, slow.edge_src)
    np.testing.assert_array_equal(fast.edge_dst, slow.edge_dst)
    assert fast.labels[fast.edge_src].tolist() == [row[0] for row in rows]
    assert fast.labels[fast.edge_dst].tolist() == [row[1] for row in rows]
    if weighted:
        weights = [fast.edge_fields["weight"], slow.edge_fields["weight"]]
        assert weights[0].dtype == weights[1].dtype
        np.testing.assert_array_equal(*weights)
        np.testing.assert_array_equal(weights[0], [float(row[2]) for row in rows])


def test_lines_across_pieces(write, monkeypatch):
    rng = np.random.default_rng(2)
    rows = rng.integers(0, 10 ** rng.integers(1, 18, (300, 2)))
    path = write("a.txt", "\n".join(f"{a} {b}" for a, b in rows.tolist()))
    for size in (1, 7, 64, 1000):
        monkeypatch.setattr("gascl.io.lines.PIECE", size)
        assert edges_of(Graph.read(path)) == list(map(tuple, rows.tolist()))
        with path.open("rb") as file:
            lines = Lines(path, file)
            first = lines.line()
            assert first + b"".join(lines.pieces()) == path.read_bytes()


@settings(max_examples=300)
@given(CHANGES)
def test_damaged_files_are_read_alike_or_refused(tmp_path_factory, changes):
    """Whatever NumPy takes, the reading of single lines takes for the same."""
    content = b"# a comment\n1 2 0.5\n10 -3 7\r\n\n3\t1 1e2 # x\n" * 2
    path = put(tmp_path_factory.mktemp("damaged"), "a.txt", changed_bytes(content, changes))
    fast = read_or_refused(path)
    with pytest.MonkeyPatch.context() as patch:
        slowly(patch)
        slow = read_or_refused(path)
    assert (fast is None) == (slow is None)
    if fast is not None:
        assert repr(edges_of(fast)) == repr(edges_of(slow))


# Columns and headers


TABLE = "id,from,to,cost,km,name\n7,1,2,0.5,3,a\n8,2,9,1.5,4,b\n"


def test_columns_by_name_and_number(write):
    path = write("a.csv", TABLE)
    graph = Graph.read(path, columns=("from", "to", "cost"))
    assert edges_of(graph) == [(1, 2, 0.5), (2, 9, 1.5)] and [*graph.edge_fields] == ["cost"]
    assert "line 1 is a header: id, from, to, cost, km, name" in graph.report
    assert "columns parted by commas" in graph.report
    ignored = "columns ignored: 0 ('id'), 4 ('km'), 5 ('name'); columns= takes them"
    assert ignored in graph.report
    graph = Graph.read(path, columns=["to", "from", "km", "cost"])
    assert edges_of(graph) == [(2, 1, 3, 0.5), (9, 2, 4, 1.5)]
    assert edges_of(Graph.read(path, columns=(1, 2, 4), header=True)) == [(1, 2, 3), (2, 9, 4)]
    bare = write("b.csv", TABLE.partition("\n")[2])
    graph = Graph.read(bare, columns=(1, 2, 3))
    assert edges_of(graph) == [(1, 2, 0.5), (2, 9, 1.5)] and [*graph.edge_fields] == ["weight"]
    graph = Graph.read(bare, columns=(1, 2, 3, 4))
    assert [*graph.edge_fields] == ["column3", "column4"]


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
    refused(["columns=('src', 'dst')"], lambda: Graph.read(tmp_path / "b.csv"))
    quoted = tmp_path / "c.csv"
    frame.astype({"src": str}).to_csv(quoted, index=False, quoting=2)
    graph = Graph.read(quoted)
    np.testing.assert_array_equal(graph.labels[graph.edge_src], frame["src"])
    np.testing.assert_array_equal(graph.edge_fields["weight"], frame["travel time"])


def test_trailing_columns_are_ignored_and_reported(write):
    graph = Graph.read(write("a.txt", "1 2 3 4 x\n5 6 7 8 y\n"))
    assert edges_of(graph) == [(1, 2, 3), (5, 6, 7)]
    assert "columns ignored: 3 (from 0), 4 (from 0); columns= takes them" in graph.report
    graph = Graph.read(write("b.txt", "1 2 friend\n5 6 foe\n"))
    assert not graph.edge_fields
    assert "column 2 (from 0) is no weight: 'friend' is no number" in graph.report


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("# from a table\nsrc,dst\n1,2\n2,3\n", [(1, 2), (2, 3)]),
        ("Source Target\na b\n", [("a", "b")]),
        ("FromNodeId\tToNodeId\n1\t2\n", [(1, 2)]),
        ("x y\n1 2\n", [(1, 2)]),
        ("x y z\na b 2.5\n", [("a", "b", 2.5)]),
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


def test_header_said(write):
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
        ({"columns": ("from", "cost to")}, ["'cost to' not", "id, from, to"]),
        ({"columns": (0, 9)}, ["no column 9", "0 to 5"]),
        ({"columns": (1, "from")}, ["twice"]),
        ({"columns": "from"}, ["columns='from'", "names or numbers"]),
        ({"columns": ("from",)}, ["names or numbers"]),
        ({"columns": ("from", "to"), "header": False}, ["need a header"]),
        ({"columns": ("from", "to", "name")}, ["line 2", "name 'a'", "not a number"]),
        ({"header": 3}, ["header=3"]),
        ({"separator": "ab"}, ["one ASCII character"]),
        ({"separator": "1"}, ["part of numbers"]),
        ({"comments": "1"}, ["comments='1'"]),
        ({"colums": (0, 1)}, ["no option 'colums'", "columns, header, separator, comments"]),
    ],
)
def test_wrong_options(write, options, words):
    path = write("a.csv", TABLE)
    refused([str(path), *words], lambda: Graph.read(path, **options))


# What comments say


def test_konect(write):
    rows = "1 2 1 1082040961\n2 3 \t-1\t1082155839\n"
    graph = Graph.read(write("out.demo", "% sym signed\n% 2 3 3\n" + rows))
    assert not graph.directed
    assert edges_of(graph) == [(1, 2, 1, 1082040961), (2, 3, -1, 1082155839)]
    assert [*graph.edge_fields] == ["weight", "time"]
    assert "read as undirected, as the comment '% sym signed' says" in graph.report
    assert Graph.read(write("out.demo", "% asym unweighted\n1 2\n")).directed
    assert Graph.read(write("out.demo", "% sym unweighted\n1 2\n"), directed=True).directed
    bipartite = write("out.demo", "% bip unweighted\n1 1\n")
    refused(["'% bip unweighted'", "two kinds", "letter"], lambda: Graph.read(bipartite))


def test_snap(write):
    graph = Graph.read(write("a.txt", "# Undirected graph: x.txt\n# Nodes: 3 Edges: 2\n1 2\n"))
    assert not graph.directed
    assert "a comment announces 3 vertices and 2 edges, and the file has 2 and 1" in graph.report
    assert Graph.read(write("a.txt", "# Directed graph: x.txt\n1 2\n")).directed


# Bad files


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n"])
def test_a_file_without_edges(write, text):
    graph = Graph.read(write("a.txt", text))
    assert (graph.num_vertices, graph.num_edges) == (0, 0)
    assert "the file has no edges: the graph is empty" in graph.report


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 2\n3\n", ["line 2", "'3'", "1 column,", "before it have 2"]),
        ("1\n", ["line 1", "'1'", "1 column;"]),
        ("1 2\n\n3 4 5\n", ["line 3", "'3 4 5'", "3 columns", "before it have 2"]),
        ("1 2 5\n3 4\n", ["line 2", "'3 4'", "2 columns", "before it have 3"]),
        ("1 2 5\n3 4 heavy\n", ["line 2", "weight 'heavy'", "not a number"]),
        ("1 2 heavy\n3 4 5\n", ["line 1", "weight 'heavy'", "not a number"]),
        ("1 2 3\n1 2 1_0\n", ["line 2", "weight '1_0'", "not a number"]),
        ("1,2\n3,\n", ["line 2", "'3,'", "empty column"]),
        ("1,2,\n3,4,5\n", ["line 1", "'1,2,'", "empty column"]),
    ],
)
def test_bad_rows(write, text, words):
    path = write("a.txt", text)
    more = [str(path), "expected source, target and perhaps a weight", "correct the line"]
    refused([*words, *more], lambda: Graph.read(path))


def test_no_text_at_all(write):
    refused(["0xff", "UTF-8"], lambda: Graph.read(write("a.txt", b"1 2\n\xff\xfe 3\n")))
    latin = b"# M\xfcller\n1 2 # \xfc\n% \xfc\n3 4\n"
    assert edges_of(Graph.read(write("a.txt", latin))) == [(1, 2), (3, 4)]
    for late in (b"1 2\n3 4\n5 \xff\n", b"\xff 2\n", b"1 2 3 x\n4 5 6 \xff\n"):
        refused(
            ["line", ": byte 0xff is not UTF-8"], lambda late=late: Graph.read(write("a.txt", late))
        )
    refused(["line 2", "NUL"], lambda: Graph.read(write("a.txt", b"1 2\n1\0 3\n")))
    refused(["line 1", "NUL"], lambda: Graph.read(write("a.txt", struct.pack("<9q", *range(9)))))
    refused(["line 1", "carriage return"], lambda: Graph.read(write("a.txt", b"1 2\r3 4\r")))


def test_a_line_without_end(write, monkeypatch):
    monkeypatch.setattr("gascl.io.lines.LONGEST", 1000)
    refused(["line 1 is longer"], lambda: Graph.read(write("a.txt", "1" * 2_000_000)))
    refused(["line 2 is longer"], lambda: Graph.read(write("a.txt", "1 2\n" + "x" * 5000)))


def test_packed_files(write):
    rows = "".join(f"{row} {row * 7 % 1000} {row / 8}\n" for row in range(1000)).encode()
    whole = edges_of(Graph.read(write("a.txt", rows)))
    for name, pack in ((".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)):
        assert edges_of(Graph.read(write(f"a.txt{name}", pack(rows)))) == whole
        cut = write(f"b.txt{name}", pack(rows)[:-20])
        refused(["cut off", "again"], lambda cut=cut: Graph.read(cut))
    zstandard = pytest.importorskip("zstandard")
    packed = zstandard.ZstdCompressor().compress(rows)
    assert edges_of(Graph.read(write("a.txt.zst", packed))) == whole


# Writing


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.tsv", "a.wel", "a.txt.gz"])
def test_networkx_reads_what_is_written(tmp_path, name):
    rng = np.random.default_rng(4)
    src, dst = np.arange(40), rng.integers(0, 40, 40)
    values = [0.1, np.inf, 1e-300, 2 / 3] * 10
    graph = Graph.from_edges(src, dst, labels=range(100, 140), weight=values)
    graph.write(tmp_path / name, format="edgelist")
    mark = "," if "csv" in name else None
    opened = (gzip.open if name.endswith("gz") else open)(tmp_path / name, "rb")
    with opened as file:
        lines = [line for line in file if not line.startswith(b"source")]
    theirs = nx.parse_edgelist(
        [line.decode() for line in lines],
        delimiter=mark,
        create_using=nx.MultiDiGraph,
        nodetype=int,
        data=[("weight", float)],
    )
    rows = [(tail, head, data["weight"]) for tail, head, data in theirs.edges(data=True)]
    assert sorted(rows) == sorted(edges_of(graph))
    back = Graph.read(tmp_path / name)
    assert edges_of(back) == edges_of(graph) and back.labels.tolist() == list(range(100, 140))


def test_what_is_written(tmp_path, write):
    graph = Graph.from_edges(
        [0, 1, 1], [1, 2, 2], directed=False, labels=["ü", "b", "c"], n=[1, -2, 3], w=[0.5, 1, 2]
    )
    graph.write(tmp_path / "a.txt")
    text = (
        "# gascl: undirected, 3 vertices, 3 edges\nsource\ttarget\tn\tw\n"
        "ü\tb\t1\t0.5\nb\tc\t-2\t1.0\nb\tc\t3\t2.0\n"
    )
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == text
    back = Graph.read(tmp_path / "a.txt")
    assert edges_of(back) == edges_of(graph) and not back.directed
    assert [*back.edge_fields] == ["n", "w"]
    assert "as the comment '# gascl: undirected, 3 vertices, 3 edges' says" in "".join(back.report)
    lost = write("b.txt", text[:-10])
    refused(["announces 3 vertices and 3 edges", "3 and 2"], lambda: Graph.read(lost))
    names = Graph.from_edges([0], [1], labels=["from", "to"])
    names.write(tmp_path / "c.txt")
    assert edges_of(Graph.read(tmp_path / "c.txt")) == [("from", "to")]
    Graph.from_edges([], []).write(tmp_path / "d.txt")
    assert Graph.read(tmp_path / "d.txt").num_vertices == 0


def test_gap(tmp_path, write):
    """.el and .wel as GAP's reader takes them: nothing but numbers."""
    assert edges_of(Graph.read(write("a.el", "0 1\n1 2\n"))) == [(0, 1), (1, 2)]
    assert edges_of(Graph.read(write("a.wel", "0 1 7\n1 2 8\n"))) == [(0, 1, 7), (1, 2, 8)]
    Graph.from_edges([0, 1], [1, 2], weight=[7, 8]).write(tmp_path / "b.wel")
    assert (tmp_path / "b.wel").read_text() == "0 1 7\n1 2 8\n"
    refused(["no edge fields"], lambda: Graph.read(tmp_path / "b.wel").write(tmp_path / "c.el"))
    both = Graph.from_edges([0], [1], directed=False)
    refused(["undirected"], lambda: both.write(tmp_path / "c.el"))
    named = Graph.from_edges([0], [1], labels="ab")
    refused(["integers as ids"], lambda: named.write(tmp_path / "c.el"))
    assert not (tmp_path / "c.el").exists()


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (Graph.from_edges([0], [1], num_vertices=3), ["no vertex without edges", "2 is one"]),
        (Graph.from_edges([0], [1], labels=["a b", "c"]), ["'a b'"]),
        (Graph.from_edges([0], [1], labels=["#a", "c"]), ["'#a'"]),
        (Graph.from_edges([0], [1], labels=[("a", 1), "c"]), ["('a', 1)"]),
        (Graph.from_edges([0], [1], labels=["1", "2"]), ["text", "integers"]),
    ],
)
def test_what_an_edge_list_cannot_hold(tmp_path, graph, words):
    refused([*words, "format='gascl'"], lambda: graph.write(tmp_path / "a.txt"))
    assert not (tmp_path / "a.txt").exists()


# Real graphs

REAL = [
    ("edgelist/ego-Facebook.txt.gz", {"directed": False}, 4039, 88234, 1),
    ("edgelist/wiki-Vote.txt.gz", {}, 7115, 103689, 24),
    ("edgelist/email-Eu-core.txt", {}, 1005, 25571, 20),
    ("edgelist/ca-GrQc.txt.gz", {"directed": False, "duplicates": "first"}, 5242, 14496, 355),
    ("edgelist/p2p-Gnutella08.txt", {}, 6301, 20777, None),
]


@pytest.mark.parametrize(("name", "keywords", "vertices", "edges", "components"), REAL)
def test_real_graphs(name, keywords, vertices, edges, components, tmp_path):
    graph = Graph.read(shared(name), **keywords)
    assert (graph.num_vertices, graph.num_edges) == (vertices, edges)
    assert graph.directed == keywords.get("directed", True)
    if components is not None:
        assert connected_components(graph.to_scipy(), directed=True, connection="weak")[0] == (
            components
        )
    if "wiki-Vote" in name:
        assert np.count_nonzero(graph.out_degree == 0) == 1005
        assert graph.label_of(graph.index_of("4037")) == 4037
    if "email" in name:
        assert "self_loops='keep': 642 self-loops kept" in graph.report
    assert not any("announces" in line for line in graph.report)
    graph.write(tmp_path / "a.tsv.gz")
    back = Graph.read(tmp_path / "a.tsv.gz")
    assert edges_of(back) == edges_of(graph) and back.directed == graph.directed
    np.testing.assert_array_equal(back.labels, graph.labels)
