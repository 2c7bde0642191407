"""Reading edge lists: what NumPy reads and what is read line by line, ids, weights, bad files."""

import bz2
import gzip
import lzma
import struct
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.filecases import CHANGES, changed_bytes, edges_of, put, read_or_refused, refused

from gascl.graph.graph import Graph
from gascl.io.arrow_csv import Layout
from gascl.io.formats import edge_list
from gascl.io.text_lines import LineReader
from gascl.io.text_numbers import Irregular, read_columns
from gascl.io.vertex_ids import numbered


def slowly(monkeypatch):
    """Read line by line what NumPy would take."""
    monkeypatch.setattr(edge_list, "_read_integers", lambda path, lines, layout: None)


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
    assert graph.directed and "ids read as integers" in graph.report


def test_the_fast_way_takes_what_is_plain(write, monkeypatch):
    def never(path, layout):
        raise AssertionError("read line by line")

    monkeypatch.setattr(edge_list, "_read_any", never)
    text = "# c\n1 -2 0.5\r\n\r\n# d\n 3\t4 1e3 # e\n5 6 nan"
    assert edges_of(Graph.read(write("a.txt", text)))[:2] == [(1, -2, 0.5), (3, 4, 1000)]
    assert Graph.read(write("b.csv", "from,to,n,w\n1,2,7,3\n2,3,8,4\n")).num_edges == 2
    with pytest.raises(AssertionError):
        Graph.read(write("c.txt", "1 a\n"))


def test_report(write):
    graph = Graph.read(write("a.txt", "# one\n# two\n1 2 3\n1 2 4\n"), duplicates="sum")
    assert graph.report == [
        "edge list: rows: 2; comment lines skipped: 2",
        "column 2 (from 0) read as edge field weight",
        "ids read as integers",
        "read as directed, since the file does not say; directed=False: undirected",
        "weight: int64",
        "duplicates='sum': merged 1 edge into others",
    ]
    assert edges_of(graph) == [(1, 2, 7)]
    assert "comment lines skipped: 1" in Graph.read(write("b.txt", "1 2\n#\n")).report[0]
    assert "comments after rows removed: 1" in Graph.read(write("c.txt", "1 2 # x\n")).report


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
    line = 2 if text[0] == "#" else 1
    said = f"ids read as text, since 'b' in line {line} is not a 64-bit integer"
    assert said in graph.report


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
        (["7", str(2**63)], [7, 2**63], np.uint64),
        (["-7", str(2**63)], [-7, 2.0**63], np.float64),
        (["7", str(2**64)], [7, 2.0**64], np.float64),
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
    return read_columns(pieces, Layout(2, [0], [1], comments="#")).values[1]


DIGITS = st.text("0123456789", min_size=1, max_size=19)
DECIMALS = st.builds(
    "{}{}.{}{}".format,
    st.sampled_from(["", "-", "+"]),
    DIGITS,
    DIGITS,
    st.just("")
    | st.builds("{}{}".format, st.sampled_from("e E e- E+".split()), st.integers(0, 400)),
)


@settings(max_examples=3 * settings.default.max_examples)
@given(st.lists(st.floats().map(repr) | DECIMALS | DIGITS, min_size=1, max_size=20))
def test_decimals_are_rounded_as_python_does(texts):
    exact = [Decimal(text) for text in texts if text not in ("nan", "inf", "-inf")]
    if any((float(x) == 0 and x) or np.isinf(float(x)) for x in exact):
        with pytest.raises(Irregular):
            column_of(["0.5", *texts])
        return
    found = column_of(["0.5", *texts])
    np.testing.assert_array_equal(found, np.array([0.5, *map(float, texts)]))


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


@settings(deadline=None)
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
    end = "\n" if {*",;"} & {*separator} else end  # a comment there is text
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
        monkeypatch.setattr("gascl.io.text_lines.PIECE", size)
        assert edges_of(Graph.read(path)) == list(map(tuple, rows.tolist()))
        with path.open("rb") as file:
            lines = LineReader(path, file)
            first = lines.line()
            assert first + b"".join(lines.pieces()) == path.read_bytes()


@settings(max_examples=3 * settings.default.max_examples)
@given(CHANGES)
@example([(0.96875, 0, b"\r")])  # in a comment behind a row
def test_damaged_files_are_read_the_same_by_both_readers_or_refused(tmp_path_factory, changes):
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


# What comments say


def test_konect(write):
    rows = "1 2 1 1082040961\n2 3 \t-1\t1082155839\n"
    graph = Graph.read(write("out.demo", "% sym signed\n% 2 3 3\n" + rows))
    assert not graph.directed
    assert edges_of(graph) == [(1, 2, 1, 1082040961), (2, 3, -1, 1082155839)]
    assert [*graph.edge_fields] == ["weight", "time"]
    assert not any("declares" in line for line in graph.report)
    assert "read as undirected, as the comment '% sym signed' says" in graph.report
    graph = Graph.read(write("out.demo", "% asym unweighted\n% 7 3\n1 2\n"))
    assert graph.directed
    assert "a comment declares 3 vertices and 7 edges, and the file has 2 and 1" in graph.report
    assert Graph.read(write("out.demo", "% sym unweighted\n1 2\n"), directed=True).directed
    bipartite = write("out.demo", "% bip unweighted\n1 1\n")
    refused(["'% bip unweighted'", "two kinds", "letter"], lambda: Graph.read(bipartite))


def test_snap(write):
    graph = Graph.read(write("a.txt", "# Undirected graph: x.txt\n# Nodes: 3 Edges: 2\n1 2\n"))
    assert not graph.directed
    assert "a comment declares 3 vertices and 2 edges, and the file has 2 and 1" in graph.report
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
    expected = "expected source, target and possibly a weight"
    if "not a number" in words:
        expected = "or leave the column out if it holds text: columns=(0, 1)"
    refused([*words, str(path), expected, "correct the line"], lambda: Graph.read(path))


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
    monkeypatch.setattr("gascl.io.text_lines.LONGEST", 1000)
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


def test_integers_with_a_point_are_text_and_a_hint_says_so(write):
    graph = Graph.read(write("a.txt", "# c\n1 2\n2 1.000e+00\n1 3.0\n"))
    assert graph.labels.tolist() == ["1", "1.000e+00", "2", "3.0"]
    said = "ids read as text, since '1.000e+00' in line 3 is not a 64-bit integer"
    at = graph.report.index(said)
    assert "fmt='%d'" in graph.report[at + 1]
    for text in ("1 1.5\n", f"1 {2**64}\n", "1 inf\n", "1 e\n"):
        assert not any("fmt=" in line for line in Graph.read(write("b.txt", text)).report)


def test_integers_written_in_two_ways(write):
    assert Graph.read(write("a.txt", "01 1\n+1 2\n")).labels.tolist() == [1, 2]
    assert Graph.read(write("b.txt", "01 1\n+1 x\n")).labels.tolist() == ["+1", "01", "1", "x"]
