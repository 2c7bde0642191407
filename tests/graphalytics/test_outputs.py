"""Files of vertices' values, as LDBC Graphalytics has them."""

import gzip

import numpy as np
import pytest

from gascl import FormatError, Graph
from gascl.graphalytics.outputs import read_values, write_values

BIG = 2**63 - 1
GRAPH = Graph.from_edges([0], [1], labels=[7, -3, BIG])
WHOLE = np.array([0, BIG, -5])
REAL = np.array([2 / 3, np.inf, 1e-300])


@pytest.mark.parametrize("values", [WHOLE, REAL], ids=["integers", "floats"])
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_written_and_read_again(tmp_path, values, suffix):
    path = tmp_path / f"a-X{suffix}"
    write_values(path, GRAPH, values)
    read = read_values(path, GRAPH, values.dtype.type)
    assert read.dtype == values.dtype
    if values is WHOLE:
        assert read.tolist() == values.tolist()
    else:  # 16 digits
        assert read == pytest.approx(values, rel=1e-15)
    assert [path.name for path in tmp_path.iterdir()] == [path.name]


def test_the_form_of_the_published_files(tmp_path):
    write_values(tmp_path / "a", GRAPH, WHOLE)
    assert (tmp_path / "a").read_text() == f"7 0\n-3 {BIG}\n{BIG} -5\n"
    write_values(tmp_path / "a", GRAPH, np.array([2 / 3, np.inf, 0]))
    expected = f"7 6.666666666666666e-01\n-3 Infinity\n{BIG} 0.000000000000000e+00\n"
    assert (tmp_path / "a").read_text() == expected
    write_values(tmp_path / "a", GRAPH, np.array([np.nan, -np.inf, -1]))
    assert "7 NaN\n-3 -Infinity\n" in (tmp_path / "a").read_text()


def test_without_labels_and_without_vertices(tmp_path):
    plain, empty = Graph.from_edges([0], [1]), Graph.from_edges([], [], labels=[])
    write_values(tmp_path / "a", plain, np.array([5, 6]))
    assert (tmp_path / "a").read_text() == "0 5\n1 6\n"
    assert read_values(tmp_path / "a", plain, np.int64).tolist() == [5, 6]
    write_values(tmp_path / "a", empty, np.empty(0))
    assert (tmp_path / "a").read_text() == ""
    assert read_values(tmp_path / "a", empty, np.float64).tolist() == []


@pytest.mark.parametrize(
    "text",
    [
        "7 1\n-3 2\n9223372036854775807 3\n",
        "9223372036854775807 3\n7 1\n-3 2",
        "# of a run\r\n7\t1\r\n\r\n -3  2 \r\n+9223372036854775807 3\r\n",
        "\ufeff7 1\n-3 2\n9223372036854775807 3\n",
    ],
)
def test_order_and_blanks_do_not_matter(tmp_path, text):
    (tmp_path / "a").write_bytes(text.encode())
    assert read_values(tmp_path / "a", GRAPH, np.int64).tolist() == [1, 2, 3]
    assert read_values(tmp_path / "a", GRAPH, np.float64).tolist() == [1, 2, 3]


@pytest.mark.parametrize(("word", "value"), [("Infinity", np.inf), ("inf", np.inf), ("1e3", 1e3)])
def test_floats_of_any_spelling(tmp_path, word, value):
    (tmp_path / "a").write_text(f"7 {word}\n-3 1\n{BIG} 3\n")
    assert read_values(tmp_path / "a", GRAPH, np.float64).tolist() == [value, 1, 3]


REST = f"-3 2\n{BIG} 3\n"
WRONG = [
    (
        np.int64,
        f"7 1.5\n{REST}",
        "a-X, line 1: '7 1.5' is not a vertex and its value; expected an id",
    ),
    (np.int64, f"7 Infinity\n{REST}", "line 1: .* and a 64-bit integer; fetch"),
    (np.int64, f"{REST}7 9223372036854775808\n", "line 3: .* and a 64-bit integer"),
    (np.float64, f"{REST}7 one\n", "line 3: '7 one' is .* expected an id and a number"),
    (np.float64, f"{REST}7 1_0\n", "line 3"),
    (np.float64, f"{REST}7\n", "line 3: '7' is not a vertex and its value"),
    (np.float64, f"{REST}7 1 2\n", "line 3: '7 1 2' is not a vertex and its value"),
    (np.float64, f"{REST}7.0 1\n", "line 3: '7.0 1' is not a vertex and its value"),
    (np.int64, REST, "vertex 7 is missing, and each must occur once"),
    (np.int64, f"7 1\n7 1\n{REST}", "vertex 7 occurs 2 times, and each must occur once"),
    (
        np.int64,
        f"7 1\n8 1\n{REST}",
        "a-X: no vertex has the label 8; .*; the file belongs to another graph",
    ),
    (np.int64, "", "vertex 7 is missing"),
]


@pytest.mark.parametrize(("dtype", "text", "said"), WRONG)
def test_refused(tmp_path, dtype, text, said):
    (tmp_path / "a-X").write_text(text)
    with pytest.raises(FormatError, match=said):
        read_values(tmp_path / "a-X", GRAPH, dtype)


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(FormatError, match="there is no such file"):
        read_values(tmp_path / "a", GRAPH, np.int64)
    cut = gzip.compress(b"7 1\n-3 2\n")[:-9]
    (tmp_path / "a.gz").write_bytes(cut)
    with pytest.raises(FormatError, match="cut off or damaged"):
        read_values(tmp_path / "a.gz", GRAPH, np.int64)
    with pytest.raises(FormatError, match="cannot be written"):
        write_values(tmp_path / "none" / "a", GRAPH, WHOLE)


def test_large_files(tmp_path):
    """More lines than are written and read at once."""
    n = 300_000
    ids = np.random.default_rng(0).permutation(n) * 1000
    graph = Graph.from_edges([0], [1], labels=ids)
    values = np.random.default_rng(1).random(n)
    write_values(tmp_path / "a", graph, values)
    assert np.allclose(read_values(tmp_path / "a", graph, np.float64), values, 1e-15, 0)
    write_values(tmp_path / "a", graph, ids)
    assert np.array_equal(read_values(tmp_path / "a", graph, np.int64), ids)
