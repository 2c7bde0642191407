"""Folders of Parquet files as one table of edges."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from gascl import FormatError, Graph

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")


def frame(rows: int = 500):
    rng = np.random.default_rng(3)
    ends = rng.integers(0, 90, (2, rows)) * 7 - 100
    table = {"from": ends[0], "to": ends[1], "weight": rng.random(rows), "n": np.arange(rows)}
    return pd.DataFrame(table | {"kind": np.array(["tram", "bus", "x"])[ends[0] % 3]})


def written(folder, df, cuts=(0, 0, 200, 201, 500), **options):
    """The rows in files, whose first one is empty, and one in a folder inside."""
    (folder / "more").mkdir(parents=True)
    for number, (first, last) in enumerate(pairwise(cuts)):
        inside = folder / "more" if number == 3 else folder
        df[first:last].to_parquet(inside / f"{number:03}.parquet", index=False, **options)
    (folder / "more").rename(folder / "4")  # the last one by name
    (folder / "_SUCCESS").touch()
    return folder


@pytest.mark.parametrize("directed", [None, False])
@pytest.mark.parametrize("ids", ["integers", "text"])
@pytest.mark.parametrize("piece", [1 << 22, 64])
def test_it_is_read_as_one_table(tmp_path, directed, ids, piece, monkeypatch):
    """Whatever is read at a time, and however the rows are divided into groups."""
    monkeypatch.setattr("gascl.io.parquet_table.BATCH", 50)
    monkeypatch.setattr("gascl.io.parquet_table.PIECE", piece)
    df = frame()
    if ids == "text":
        df = df.astype({"from": str, "to": str})
    df.to_parquet(tmp_path / "one.parquet")
    options = {"directed": directed, "weight": "weight"}
    one = Graph.read(tmp_path / "one.parquet", **options)
    found = Graph.read(written(tmp_path / "edges", df, row_group_size=130), **options)
    assert found.fingerprint == one.fingerprint and found.directed == one.directed
    assert found.labels.dtype == one.labels.dtype
    for name, values in one.edge_fields.items():
        np.testing.assert_array_equal(found.edge_fields[name], values, strict=True)
    assert found.edges["kind"].tolist() == one.edges["kind"].tolist()
    assert found.report[0] == "4 files of Parquet, read as one table"
    assert "rows: 500; source and target: columns 'from', 'to'" in found.report[1]


def test_what_gascl_has_written(tmp_path):
    """Without labels, the ids are the vertices; other labels keep their order."""
    for labels in (None, ["b", "a", "c", "d"]):
        graph = Graph.from_edges([0, 1, 1], [1, 0, 1], num_vertices=4, labels=labels)
        folder = tmp_path / str(labels is None)
        folder.mkdir()
        graph.write(folder / "a.parquet")
        assert Graph.read(folder).fingerprint == graph.fingerprint
    Graph.from_edges([0], [1], num_vertices=2).write(folder / "b.parquet")
    Graph.from_edges([0], [1], num_vertices=3).write(folder / "a.parquet")
    with pytest.raises(FormatError, match=r"b\.parquet and a\.parquet are of different graphs"):
        Graph.read(folder)


def test_an_undirected_table_read_as_directed(tmp_path):
    graph = Graph.from_edges([0, 1, 1], [1, 2, 1], directed=False)
    graph.write(tmp_path / "a.parquet")
    expected = Graph.read(tmp_path / "a.parquet", directed=True)
    assert Graph.read(tmp_path, directed=True).fingerprint == expected.fingerprint


def test_what_is_wrong_is_told(tmp_path):
    with pytest.raises(FormatError, match="is a folder without Parquet files"):
        Graph.read(tmp_path)
    df = frame(300)
    folder = written(tmp_path / "edges", df, (0, 100, 200, 300))
    with pytest.raises(FormatError, match="is a folder, and one is read only of Parquet files"):
        Graph.read(folder, format="metis")
    with pytest.raises(FormatError, match="the reader of parquet has no option 'sep'"):
        Graph.read(folder, sep=",")
    with pytest.raises(FormatError, match="there is no column 'a'"):
        Graph.read(folder, columns="a,b")
    df[200:].astype({"to": float}).to_parquet(folder / "002.parquet", index=False)
    wrong = r"002\.parquet has the columns from \(int64\), to \(double\).*and 000\.parquet has from"
    with pytest.raises(FormatError, match=wrong):
        Graph.read(folder)
    lacks = df[200:].astype({"to": "Int64"})
    lacks.iloc[70, 1] = None
    lacks.to_parquet(folder / "002.parquet", index=False, row_group_size=30)
    with pytest.raises(FormatError, match=r"002\.parquet: row 70 \(the first is 0\) has no value"):
        Graph.read(folder)
    (folder / "002.parquet").write_bytes(b"PAR1 and nothing else PAR1")
    with pytest.raises(FormatError, match=r"002\.parquet is damaged, or not a table"):
        Graph.read(folder)
