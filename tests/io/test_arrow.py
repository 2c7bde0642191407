"""Parquet, Arrow and Feather files: pyarrow and pandas write what is read, and read what is
written; damage by hand and by chance."""

import gzip
import random
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from gascl.errors import FormatError
from gascl.graph.graph import Graph

SHARED = Path(__file__).parents[3] / "shared" / "data"
BOTH = pytest.mark.parametrize("suffix", [".parquet", ".arrow"])


def save(path, table, **options):
    if path.suffix == ".parquet":
        pq.write_table(table, path, **options)
    else:
        pyarrow.feather.write_feather(table, str(path), **options)
    return path


def edges_of(graph):
    return list(zip(graph.labels[graph.edge_src].tolist(), graph.labels[graph.edge_dst].tolist(),
                    strict=True))  # fmt: skip


def equal(one, other):
    assert one.fingerprint == other.fingerprint
    assert list(one.edge_fields) == list(other.edge_fields)
    for name, values in one.edge_fields.items():
        assert values.dtype == other.edge_fields[name].dtype
        np.testing.assert_array_equal(values, other.edge_fields[name])


@BOTH
@pytest.mark.parametrize(
    ("ids", "labels"),
    [
        (pa.array([7, -1, 7], pa.int64()), [-1, 7]),
        (pa.array([7, 1, 7], pa.uint8()), [1, 7]),
        (pa.array([2**63 + 1, 1, 2**63 + 1], pa.uint64()), [1, 2**63 + 1]),
        (pa.array([-(2**63), 2**63 - 1, 5]), [-(2**63), 5, 2**63 - 1]),
        (pa.array(["b", "ü", "b"]), ["b", "ü"]),
        (pa.array(["b", "a", "b"], pa.large_string()), ["a", "b"]),
        (pa.array(["b", "a", "b"]).dictionary_encode(), ["a", "b"]),
        (pa.array([9, 3, 9]).dictionary_encode(), [3, 9]),
    ],
)
def test_ids(tmp_path, suffix, ids, labels):
    """The labels are the ids, sorted; the edges are the rows, in order."""
    path = tmp_path / f"a{suffix}"
    graph = Graph.read(save(path, pa.table({"src": ids, "dst": ids.take(pa.array([1, 2, 0]))})))
    assert graph.labels.tolist() == labels
    expected = ids.to_pylist()
    assert edges_of(graph) == list(zip(expected, expected[1:] + expected[:1], strict=True))
    assert graph.directed and "read as directed, since the file does not say" in graph.report[1]


@BOTH
def test_columns(tmp_path, suffix):
    table = pa.table(
        {
            "weight": pa.array([0.5, float("nan")]),
            "Target": [2, 3],
            "when": pa.array([1, 2], pa.timestamp("ms")),
            "SOURCE": [1, 1],
            "half": np.array([1, 2], np.float16),
            "a b": [1, 2],
            "good": [True, False],
            "n": pa.array([1, 2], pa.uint16()),
        }
    )
    path = save(tmp_path / f"a{suffix}", table)
    graph = Graph.read(path)
    assert edges_of(graph) == [(1, 2), (1, 3)]
    kinds = {name: values.dtype.name for name, values in graph.edge_fields.items()}
    numbers = {"weight": "float64", "half": "float32", "good": "int8", "n": "uint16"}
    assert kinds == {**numbers, "when": "int64", "a_b": "int64"}
    assert graph.edges["when"].dtype == "M8[ms]" and graph.edge_fields["when"].tolist() == [1, 2]
    assert np.isnan(graph.edge_fields["weight"][1])
    report = "\n".join(graph.report)
    for words in (
        "rows: 2; source and target: columns 'SOURCE', 'Target'",
        "column 'when': times, int64: milliseconds since 1970",
        "column 'a b' read as edge field a_b",
        "'good': bool read as int8",
        "'half': halffloat read as float32",
    ):
        assert words in report
    for columns in (["n", "SOURCE", "weight"], "n,SOURCE,weight"):
        graph = Graph.read(path, columns=columns, directed=False)
        assert edges_of(graph) == [(1, 1), (2, 1)] and list(graph.edge_fields) == ["weight"]
        assert not graph.directed and "column 'Target' left out" in graph.report
    others = save(tmp_path / f"b{suffix}", pa.table({"x": [4], "weight": [5], "z": [6]}))
    assert "columns 'x', 'z'" in Graph.read(others).report[0]


@BOTH
@pytest.mark.parametrize(
    ("columns", "options", "words"),
    [
        ({"src": [1, None], "dst": [1, 2]}, {}, "row 1 .* has no value for 'src'"),
        ({"src": ["a", "b"], "dst": ["a", None]}, {}, "row 1 .* has no value for 'dst'"),
        ({"src": [1, 2], "dst": [1, 2], "w": [None, 2.5]}, {}, "row 0 .* has no value for 'w'"),
        ({"src": [1.0], "dst": [1]}, {}, "column 'src' is of type double, and ids are integers"),
        ({"src": [1], "dst": ["a"]}, {}, "'src' is of type int64 and 'dst' of string"),
        ({"src": [1]}, {}, "has 1 column, and an edge needs two"),
        ({"src": [1], "dst": [1]}, {"columns": ["src", "to"]}, "no column 'to'; there are src"),
        ({"src": [1], "dst": [1]}, {"columns": ["src"]}, "name at least two columns"),
        (
            {"src": [1], "dst": [1], "t": ["x"]},
            {"weight": "t"},
            "column 't' cannot be a field: its type, string, is not numeric; convert it",
        ),
        ({"src": pa.array([2**63], pa.uint64()), "dst": [-1]}, {}, "negative and some above"),
        ({"src": ["a"], "dst": ["a\0"]}, {}, "differ only in NUL"),
    ],
)
def test_bad_tables(tmp_path, suffix, columns, options, words):
    path = save(tmp_path / f"a{suffix}", pa.table(columns))
    with pytest.raises(FormatError, match=rf"a\{suffix}: .*{words}"):
        Graph.read(path, **options)


def test_null_is_reported_in_later_parts(tmp_path):
    path = tmp_path / "a.parquet"
    ids = pa.array([*range(25), None])
    pq.write_table(pa.table({"src": range(26), "dst": ids}), path, row_group_size=10)
    with pytest.raises(FormatError, match="row 25 "):
        Graph.read(path)
    dictionary = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None]))
    path = save(tmp_path / "b.arrow", pa.table({"src": dictionary, "dst": dictionary}))
    with pytest.raises(FormatError, match="row 1 "):
        Graph.read(path)


@BOTH
@pytest.mark.parametrize(
    "labels",
    [None, [3, 4, 9, 11], [9, 4, 3, 1], ["b", "a", "é", "c"], np.array([1, 2, 3, 2**64 - 1], "u8")],
)
def test_written_for_others_and_for_us(tmp_path, suffix, labels):
    """The last vertex has no edge; labels in any order."""
    for directed in (True, False):
        graph = Graph.from_edges(
            *([1, 0, 2, 1], [0, 1, 2, 0]),
            num_vertices=4,
            labels=labels,
            directed=directed,
            weight=np.array([1, np.nan, np.inf, -0.5], np.float32),
            n=np.arange(4, dtype=np.uint64),
        )
        path = tmp_path / f"a{suffix}"
        graph.write(path)
        df = pd.read_parquet(path) if suffix == ".parquet" else pd.read_feather(path)
        names = np.arange(4) if labels is None else np.array(labels)
        assert df["source"].tolist() == names[graph.edge_src].tolist()
        assert df["target"].tolist() == names[graph.edge_dst].tolist()
        np.testing.assert_array_equal(df["weight"], graph.edge_fields["weight"])
        equal(graph, Graph.read(path))
        assert Graph.read(path, directed=not directed).directed != directed


@BOTH
def test_nothing(tmp_path, suffix):
    for graph in (Graph.from_edges([], []), Graph.from_edges([], [], labels=["b", "a"]),
                  Graph.from_edges([], [], labels=[])):  # fmt: skip
        graph.write(tmp_path / f"a{suffix}")
        again = Graph.read(tmp_path / f"a{suffix}")
        assert (again.num_vertices, again.num_edges) == (graph.num_vertices, 0)


def test_other_forms_of_arrow(tmp_path):
    table = pa.table({"src": ["x", "y"], "dst": ["y", "z"], "w": [1, 2]})
    plain = save(tmp_path / "a.feather", table, compression="uncompressed")
    expected = Graph.read(plain)
    assert expected.labels.tolist() == ["x", "y", "z"]
    equal(expected, Graph.read(save(tmp_path / "b.feather", table, compression="lz4")))
    with pa.ipc.new_stream(str(tmp_path / "c.arrows"), table.schema) as writer:
        writer.write_table(table)
    equal(expected, Graph.read(tmp_path / "c.arrows"))
    (tmp_path / "d.dat").write_bytes(gzip.compress(plain.read_bytes()))
    equal(expected, Graph.read(tmp_path / "d.dat"))
    packed = save(tmp_path / "e.parquet", table)
    (tmp_path / "e.gz").write_bytes(gzip.compress(packed.read_bytes()))
    equal(expected, Graph.read(tmp_path / "e.gz"))


@BOTH
def test_real_graph(tmp_path, suffix):
    path = SHARED / "edgelist" / "wiki-Vote.txt.gz"
    if not path.exists():
        pytest.skip(f"needs {path}, which is not part of the package")
    df = pd.read_csv(path, sep="\t", comment="#", names=["src", "dst"])
    graph = Graph.read(save(tmp_path / f"a{suffix}", pa.Table.from_pandas(df)))
    assert (graph.num_vertices, graph.num_edges) == (7115, 103689)
    assert np.count_nonzero(graph.out_degree == 0) == 1005
    assert edges_of(graph) == list(df.itertuples(index=False, name=None))


def test_what_tables_cannot_hold(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    fields = Graph.from_edges([0], [1], vertex_fields={"x": [1, 2]})
    with pytest.raises(FormatError, match=r"cannot hold vertex fields \(x\); write gascl's own"):
        fields.write(path)
    with pytest.raises(FormatError, match="field 'source' has the name of the column"):
        Graph.from_edges([0], [1], source=[1]).write(path)
    with pytest.raises(FormatError, match="integers or text"):
        Graph.from_edges([0], [1], labels=[1, "a"]).write(path)
    with pytest.raises(FormatError, match=r"files are not compressed as a whole; write a\.parquet"):
        Graph.from_edges([0], [1]).write(tmp_path / "a.parquet.gz")
    assert not path.exists()
    (tmp_path / "a.arrow").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for module in ("parquet", "feather", "ipc"):
        monkeypatch.setitem(sys.modules, f"pyarrow.{module}", None)
    for call in (
        lambda: Graph.from_edges([0], [1]).write(path),
        lambda: Graph.read(tmp_path / "a.arrow", format="parquet"),
        lambda: Graph.read(tmp_path / "a.arrow"),
    ):
        with pytest.raises(FormatError, match="needs pyarrow: `pip install pyarrow`"):
            call()


def test_damaged_metadata(tmp_path):
    good = Graph.from_edges([0, 1], [1, 2]).to_arrow()
    for text in (b"x", b"{}", good.schema.metadata[b"gascl"].replace(b'"none"', b"7")):
        path = save(tmp_path / "a.arrow", good.replace_schema_metadata({b"gascl": text}))
        with pytest.raises(FormatError, match=r"metadata from gascl .* is damaged"):
            Graph.read(path)
    fewer = good.schema.metadata[b"gascl"].replace(b'"num_vertices": 3', b'"num_vertices": 2')
    path = save(tmp_path / "a.arrow", good.replace_schema_metadata({b"gascl": fewer}))
    with pytest.raises(FormatError, match=r"row 1 .* has the target 2, and the graph has 2 vert"):
        Graph.read(path)


@BOTH
@pytest.mark.parametrize("content", [b"", b"PAR1", b"ARROW1\0\0", b"1 2\n3 4\n", b"\xff" * 64])
def test_no_table(tmp_path, suffix, content):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(content)
    with pytest.raises(
        FormatError, match=rf"a\{suffix} is damaged, or not a table in the \w+ format"
    ):
        Graph.read(path, format=suffix[1:])


@BOTH
def test_bytes_changed_by_chance(tmp_path, suffix):
    """Either an error that says so, or a graph: no crash. With our checksums, the same graph."""
    rng = np.random.default_rng(3)
    graph = Graph.from_edges(*rng.integers(0, 50, (2, 400)), weight=rng.random(400))
    path = tmp_path / f"a{suffix}"
    graph.write(path)
    whole = path.read_bytes()
    chance = random.Random(5)
    refused = 0
    for _ in range(300):
        damaged = bytearray(whole)
        damaged[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        if chance.random() < 0.2:
            del damaged[chance.randrange(len(whole)) :]
        path.write_bytes(damaged)
        try:
            Graph.read(path, format=suffix[1:])
        except FormatError:
            refused += 1
    assert refused > (250 if suffix == ".parquet" else 50)


def test_a_batch_that_claims_to_be_the_end_of_a_stream(tmp_path):
    path = save(tmp_path / "a.arrow", pa.table({"src": [1, 2], "dst": [2, 3]}))
    data = path.read_bytes()
    length = (
        data.index(b"\xff" * 4, data.index(b"\xff" * 4) + 4) + 4
    )  # of the message with the rows
    path.write_bytes(data[:length] + bytes(4) + data[length + 4 :])
    with pytest.raises(FormatError, match=r"a\.arrow is damaged"):
        Graph.read(path)


@pytest.mark.parametrize(
    ("first", "second", "ordered"),
    [("SML", "SML", True), ("SM", "SML", True), ("SML", "LMS", False), ("SL", "SML", False)],
)
def test_ordered_categories_whose_chunks_have_other_orders(first, second, ordered):
    chunks = [
        pyarrow.DictionaryArray.from_arrays([0, None, 1], list(texts), ordered=True)
        for texts in (first, second)
    ]
    table = {"source": range(6), "target": [6] * 6, "size": pyarrow.chunked_array(chunks)}
    graph = Graph.from_arrow(pyarrow.table({name: table[name] for name in table}))
    expected = [first[0], None, first[1], second[0], None, second[1]]
    assert graph.edges["size"].tolist() == expected
    assert graph.edge_types["size"].ordered is ordered
