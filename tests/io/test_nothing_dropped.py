"""Nothing in a file is dropped or chosen silently: comments, separators, decimals, columns."""

import csv
import io
import warnings

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.case_subsets import thinned
from support.filecases import edges_of

from gascl import Graph
from gascl.errors import FormatError, GraphError
from gascl.io.outofcore.convert import LEAST, Conversion
from gascl.io.outofcore.file_source import FileSource


def read(path, **options):
    """Without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return Graph.read(path, **options)


# Comments


def test_a_comment_mark_inside_a_cell_is_text(write):
    graph = read(write("a.csv", "from,to\nBob,Anna #1\nBob,Anna #2\n"))
    assert edges_of(graph) == [("Bob", "Anna #1"), ("Bob", "Anna #2")]
    for name, mark in (("a.csv", ";"), ("a.csv", "|"), ("a.tsv", "\t")):
        graph = read(write(name, f"a{mark}b #1{mark}5\na{mark}%c{mark}6\n"))
        assert edges_of(graph) == [("a", "b #1", 5), ("a", "%c", 6)]


def test_a_comment_line_is_skipped(write):
    graph = read(write("a.csv", "from,to,w\n# 1,2,3\n1,2,3\n  % x, y\n2,3,4\n"))
    assert edges_of(graph) == [(1, 2, 3), (2, 3, 4)]
    assert "comment lines skipped: 2" in graph.report[0]


def test_a_comment_after_a_row_of_numbers(write):
    with pytest.raises(FormatError, match=r"line 3: .*'4 # x'.*on a line of its own"):
        read(write("a.csv", "from,to,w\n1,2,3\n2,3,4 # x\n"))
    graph = read(write("a.csv", "from,to\n1,2\n2,3 # x\n"))
    assert edges_of(graph) == [("1", "2"), ("2", "3 # x")]
    assert any("'3 # x' in line 3 is not a 64-bit integer" in line for line in graph.report)


@pytest.mark.parametrize("text", ["1 2 # x\n2 3 # y\n3 1\n", "a b # x\nb c\nc a # y\n"])
def test_comments_behind_blanks_are_removed_and_counted(write, text):
    assert "comments after rows removed: 2" in read(write("a.txt", text)).report


def test_a_skipped_line_that_may_be_a_row(write):
    path = write("a.csv", "source,target\nbob,#love\n#love,#cat\n#x,bob\n")
    with pytest.warns(UserWarning, match="line 3: '#love,#cat' is skipped .* give comments=''"):
        assert edges_of(Graph.read(path)) == [("bob", "#love")]
    assert len(edges_of(read(path, comments=""))) == 3
    path = write("a.csv", "# not a,row\ncall_id,caller,callee\n%1,bob,ann\n2,ann,bob\n")
    with pytest.warns(UserWarning, match="line 3: '%1,bob,ann' is skipped .* give comments=''"):
        assert edges_of(Graph.read(path)) == [("ann", "bob", 2)]


# Separators and decimals


@pytest.mark.parametrize("row", [0, 2])
@pytest.mark.parametrize("odd", ["1,5", "1.234,5", ",5e3"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("header", ["from,to,w", "from,to,name,w", ""])
def test_decimal_commas_are_refused_in_any_row(write, row, odd, separator, header):
    weights = ["10", "20", "30"]
    weights[row] = f'"{odd}"' if separator == "," else odd
    name = ["x"] if "name" in header else []
    lines = [header.split(",")] if header else []
    lines += [["ab"[i % 2], "c", *name, w] for i, w in enumerate(weights)]
    path = write("a.csv", "".join(separator.join(line) + "\n" for line in lines))
    number = row + len(lines) - 2
    with pytest.raises(FormatError, match=f"line {number}: .*{odd!r}, a number with a comma"):
        Graph.read(path)


def test_decimal_commas_between_blanks(write):
    with pytest.raises(FormatError, match=r"line 1: .*'1,5', a number with a comma"):
        Graph.read(write("a.txt", "a b 1,5\nb c 2\n"))


@pytest.mark.parametrize("text", ["a;b,c\n", "a,b;c\n", "a|b,c\n", "a\tb,c\td\n"])
def test_two_separators_are_ambiguous(write, text):
    with pytest.raises(FormatError, match="in two ways; name the separator with separator="):
        Graph.read(write("a.csv", text))


def test_a_separator_in_quotes_is_text(write):
    graph = read(write("a.csv", '"a;b","c|d"\n"a;b",e\n'))
    assert edges_of(graph) == [("a;b", "c|d"), ("a;b", "e")]


@pytest.mark.parametrize(
    ("weight", "tail", "rows"),
    thinned(["1e-400", "-1e-400", "1e400", "0." + 330 * "0" + "1"], ["a", "1"], [1, 100_000], by=6),
)
def test_numbers_that_float64_cannot_hold(write, weight, tail, rows):
    text = rows * f"{tail} 2 0.5\n{tail} 2 0\n" + f"{tail} 2 {weight}\n"
    with pytest.raises(FormatError, match=f"line {2 * rows + 1}: .*float64 cannot hold"):
        Graph.read(write("a.txt", text))


@pytest.mark.parametrize("weight", ["1e-400", "1e400"])
def test_other_formats_refuse_them(write, weight):
    matrix = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 "
    texts = {"a.mtx": f"{matrix}{weight}\n", "a.e": f"1 2 {weight}\n"}
    write("a.v", "1\n2\n")
    for name, text in texts.items():
        with pytest.raises(FormatError, match=r"line [13].*1e"):
            Graph.read(write(name, text))


# Columns


CALLS = "call_id,caller,callee,duration\n1,10,11,5\n2,11,12,6\n"


@pytest.mark.parametrize("options", [{}, {"comments": "%"}])
def test_ends_by_their_names(write, options):
    assert edges_of(read(write("a.csv", CALLS), **options)) == [(10, 11, 5, 1), (11, 12, 6, 2)]


def table_of(text, folder, kind):
    """A reader of the text's rows: a file, a table or a frame."""
    frame = pd.read_csv(io.StringIO(text))
    path = folder / f"a{kind}"
    if kind == ".csv":
        path.write_text(text)
    elif kind == ".parquet":
        frame.to_parquet(path)
    elif kind == "pandas":
        return lambda **options: Graph.from_pandas(frame, **options)
    elif kind == "arrow":
        pa = pytest.importorskip("pyarrow")
        return lambda **options: Graph.from_arrow(pa.Table.from_pandas(frame), **options)
    return lambda **options: Graph.read(path, **options)


KINDS = pytest.mark.parametrize("kind", [".csv", ".parquet", "pandas", "arrow"])


@KINDS
def test_columns_with_unknown_names_must_be_named(tmp_path, kind):
    text = "number,person,friend,years\n1,10,11,5\n2,11,12,6\n"
    with pytest.raises(GraphError, match="which are source and target: 'number', 'person', 'fr"):
        table_of(text, tmp_path, kind)()
    with pytest.raises(GraphError, match="which are source and target"):
        table_of(text, tmp_path, kind)(weight="years")
    with pytest.raises(GraphError, match="could be 'from' and 'to', or 'u' and 'v'"):
        table_of("u,v,from,to\n1,2,3,4\n", tmp_path, kind)()
    three = table_of("person,friend,years\n10,11,5\n11,12,6\n", tmp_path, kind)
    assert edges_of(three(weight="years")) == [(10, 11, 5), (11, 12, 6)]
    named = table_of(text, tmp_path, kind)
    if kind == "pandas":
        graph = named(source="person", target="friend", fields=["years"])
    else:
        graph = named(columns=["person", "friend", "years"])
    assert edges_of(graph)[0][:2] == (10, 11)


def test_messages_in_the_shell_name_its_options(write, gascl_):
    path = write("a.csv", "number,person,friend,years\n1,10,11,5\n2,11,12,6\n")
    code, _, err = gascl_("info", path)
    assert code and "name them with --option columns=SOURCE,TARGET, and the weight, if" in err
    assert not gascl_("info", path, "--option", "columns=person,friend,years")[0]


@pytest.mark.parametrize("kind", [".csv", ".parquet", "arrow"])
def test_the_remedy_for_unclear_ends_keeps_the_weight(tmp_path, kind):
    read = table_of("person,friend,km,note\n10,11,5,a\n11,12,6,b\n", tmp_path, kind)
    with pytest.raises(GraphError) as error:
        read()
    assert "name them with columns=(SOURCE, TARGET), weight='km'" in str(error.value)
    named = {option.name: option.value for option in error.value.options}
    assert named["weight"] == "km"
    assert edges_of(read(columns=("person", "friend"), weight=named["weight"])) == [
        (10, 11, 5),
        (11, 12, 6),
    ]
    with pytest.raises(GraphError, match="with weight=COLUMN"):
        table_of("person,friend,years,a\n1,2,3,4\n", tmp_path, kind)()


@KINDS
def test_columns_that_look_like_weights_are_not_left_out_silently(tmp_path, kind):
    text = "from,to,note,cost\na,b,x,5%\nb,c,y,6%\n"
    with pytest.warns(UserWarning, match="column 'cost' looks like a weight and is not read"):
        table_of(text, tmp_path, kind)()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table_of("from,to,note\na,b,x\nb,c,y\n", tmp_path, kind)()


def test_several_columns_of_numbers_without_a_weight(write):
    path = write("a.csv", "from,to,note,big,small\na,b,x,5,1\nb,c,y,6,2\n")
    with pytest.warns(UserWarning, match="looks like a weight and is not read") as warned:
        assert list(Graph.read(path).edge_fields) == ["note", "big", "small"]
    found = [str(each.message).partition(" looks ")[0] for each in warned]
    assert found == [f"{path}: column 'big'", f"{path}: column 'small'"]
    graph = Graph.read(path, weight="small")
    assert list(graph.edge_fields) == ["weight", "note", "big"]
    assert graph.edge_fields["weight"].tolist() == [1, 2]


def test_a_wrong_first_value_does_not_hide_a_column(write):
    text = "from,to,w\na,b,n/a\nb,c,20\na,c,30\n"
    with pytest.raises(FormatError, match=r"line 2: .*the weight 'n/a', which is not a number"):
        Graph.read(write("a.csv", text))


@pytest.mark.parametrize(
    "text",
    [
        "from,to\nBob,Anna #1\n# x\nBob,Anna #2\n",
        "1 2 5 # x\n2 3 6\n",
        "a b 5 # x\n# y\nb c 6\n",
        f"a b 5\nb c {2**64 - 1}\n",
        f"1 2 5\n2 3 {2**63}\n",
        f"a b -5\nb c {2**63}\n",
        CALLS,
        '"a ";b\n" a";b\n',
    ],
)
@pytest.mark.parametrize("chunk", [1, 1 << 16])
def test_reading_in_files_agrees(tmp_path, monkeypatch, text, chunk):
    pytest.importorskip("duckdb")
    monkeypatch.setattr("gascl.io.formats.edge_list.CHUNK", chunk)
    source, target = tmp_path / "a.csv", tmp_path / "a.npz"
    source.write_text(text)
    graph, written = read(source), Conversion(FileSource(source), target, LEAST).run()
    assert written.report == graph.report
    graph.write(tmp_path / "b.npz")
    assert target.read_bytes() == (tmp_path / "b.npz").read_bytes()


# Against Python's csv


CELLS = st.text(st.sampled_from("ab1 #%;|,\"'\\é\u2028.-"), min_size=1, max_size=6)


@given(
    st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=5),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    st.sampled_from(",;|\t"),
)
def test_cells_are_those_of_pythons_csv(tmp_path_factory, rows, quoting, separator):
    """Exactly, or with a refusal; what is quoted keeps its blanks."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator="\n")
    writer.writerows([("source", "note", "target"), *rows])
    path = tmp_path_factory.mktemp("rows") / "a.csv"
    path.write_text(text.getvalue(), newline="")
    expected = list(csv.reader(io.StringIO(text.getvalue(), newline=""), delimiter=separator))[1:]
    if quoting == csv.QUOTE_MINIMAL:
        expected = [
            [cell if any(c in cell for c in f'"{separator}') else cell.strip(" ") for cell in row]
            for row in expected
        ]
        # These begin a comment, are empty, or were taken for a quote.
        if any(row[0].startswith(("#", "%")) or not row[0] or not row[2] for row in expected):
            return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = Graph.read(path, separator=separator, columns=["source", "target"])
    pairs = zip(graph.edge_src, graph.edge_dst, strict=True)
    labels = [str(label) for label in graph.labels]
    ends = [[labels[v] for v in (src, dst)] for src, dst in pairs]
    if graph.labels.dtype.kind == "U":
        assert ends == [[row[0], row[2]] for row in expected]
    else:
        assert ends == [[str(int(row[0])), str(int(row[2]))] for row in expected]


def test_rows_below_a_header_that_are_all_comments(write):
    path = write("a.csv", "source,target\n#love,#cat\n#x,#love\n")
    with pytest.warns(UserWarning, match="line 2: '#love,#cat' is skipped .* the header; if it is"):
        assert Graph.read(path).num_edges == 0


def test_attributes_that_networkx_writes(tmp_path):
    nx = pytest.importorskip("networkx")
    G = nx.Graph()
    G.add_edge(0, 1, weight=5)
    G.add_edge(1, 2, weight=6)
    path = tmp_path / "nx.edgelist"
    nx.write_edgelist(G, path)
    with pytest.warns(UserWarning, match="column 2 .* is not read: .*write_weighted_edgelist"):
        graph = Graph.read(path)
    assert graph.num_edges == 2 and not graph.edge_fields


def test_quotes_where_blanks_separate_the_columns(write):
    path = write("a.txt", '"a b" c 3\n"d e" f 4\n')
    with pytest.warns(UserWarning, match="'\"a' begins with a quote, .* by tabs or commas"):
        Graph.read(path)


def test_two_columns_called_weight(write):
    path = write("a.csv", "from,to,weight,weight\n1,2,3,4\n2,3,5,6\n")
    with pytest.raises(FormatError, match="line 1: the header has more than one column 'weight'"):
        Graph.read(path)
    assert edges_of(Graph.read(path, columns=(0, 1, 3), header=True)) == [(1, 2, 4), (2, 3, 6)]
