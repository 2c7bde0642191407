"""Columns that pyarrow parses are those that NumPy parses, or are left to it."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gascl import Graph
from gascl.errors import FormatError
from gascl.io import arrow_csv
from gascl.io.arrow_csv import Layout
from gascl.io.text_lines import Splitter, is_int64, is_number
from gascl.io.text_numbers import Irregular, read_columns

pytest.importorskip("pyarrow")

PADDED = "0" * 25 + "1"
TOKENS = st.sampled_from(
    [
        *("0", "7", "-3", "+5", "007", "-0", "2147483647", "2147483648", "-2147483649"),
        *("9223372036854775807", "9223372036854775808", "-9223372036854775808", PADDED),
        *("0.5", "-.5", "1.", "1e3", "1E-2", "1e400", "1e-400", "12345678901234567890", "2e"),
        *("0.1000000000000000055511151231257827", "9007199254740993", "9007199254740993.0"),
        *("nan", "NaN", "inf", "-inf", "Infinity", "nan(1)", "0x10", "0X1F", "1_0", "1,5", "--1"),
        *("", "-", ".", "a", "x", "\ufeff1", "\u0661", "1\t", '"1"', "'1'", "1\v", "\x1c1", "é"),
    ]
)
SEPARATORS = {None: [" ", "\t", "  ", " \t"], ",": [",", ", ", " ,"], "|": ["|"]}


@st.composite
def texts(draw):
    """Rows of mostly plain numbers, with what may surround them."""
    separator = draw(st.sampled_from(list(SEPARATORS)))
    width = draw(st.integers(2, 4))
    usual = draw(st.sampled_from(["7", "0.5"]))
    lines = []
    for _ in range(draw(st.integers(1, 6))):
        row = [str(draw(st.integers(0, 99))), str(draw(st.integers(0, 99)))]
        row += [usual] * (width - 2)
        if draw(st.integers(0, 3)) == 0:
            row[draw(st.integers(0, width - 1))] = draw(TOKENS)
        mark = SEPARATORS[separator][0]
        if draw(st.integers(0, 5)) == 0:
            mark = draw(st.sampled_from(SEPARATORS[separator]))
        odd = draw(st.integers(0, 9)) == 0
        front = draw(st.sampled_from(["", " ", "\n", "# c\n", "\ufeff", mark])) if odd else ""
        end = draw(st.sampled_from(["\n", "\r\n", " \n", mark + "\n", "\n\n", " # c\n", "\r"]))
        lines.append(front + mark.join(row) + (end if odd else "\n"))
    text = "".join(lines)
    return separator, width, text if draw(st.booleans()) else text.rstrip("\n")


def columns_or_none(text, width, numbers, separator, least, size=None):
    whole = text.encode()
    pieces = [whole] if size is None else []
    for line in whole.splitlines(keepends=True) if size else ():
        if pieces and len(pieces[-1]) < size:
            pieces[-1] += line
        else:
            pieces.append(line)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow_csv, "LEAST", least)
        try:
            integers = [column for column in (0, 1) if column not in numbers]
            return read_columns(pieces, Layout(width, integers, numbers, separator, "#"))
        except Irregular:
            return None


def check_line_by_line(values, text, width, numbers, separator):
    splitter = Splitter(separator, "#")
    rows = [splitter.split(line) for line in text.split("\n")]
    rows = [row for row in rows if row]
    assert all(len(row) == width for row in rows), repr(text)
    integers = [column for column in (0, 1) if column not in numbers]
    for column, found in zip([*integers, *numbers], values, strict=True):
        texts = [row[column] for row in rows]
        if found.dtype == np.float64:
            assert not all(map(is_int64, texts)) and all(map(is_number, texts)), repr(text)
            assert found.tolist() == [float(text) for text in texts], repr(text)
        else:
            assert all(map(is_int64, texts)), repr(text)
            assert found.tolist() == [int(text) for text in texts], repr(text)


@settings(max_examples=8 * settings.default.max_examples)
@given(texts(), st.data())
def test_the_same_columns_as_numpys(case, data):
    """Where NumPy refuses, pyarrow must refuse, too: an error then names the line."""
    separator, width, text = case
    numbers = data.draw(st.sampled_from([[*range(2, width)], [], [1]]))
    size = data.draw(st.sampled_from([None, 1, 9]))
    with_arrow, without = (
        columns_or_none(text, width, numbers, separator, least, size) for least in (0, sys.maxsize)
    )
    if without is None:
        if with_arrow is not None:  # such as 0...01, or an empty column that nobody reads
            check_line_by_line(with_arrow.values, text, width, numbers, separator)
        return
    assert with_arrow is not None, repr(text)
    assert (with_arrow.comments, with_arrow.remarks) == (without.comments, without.remarks)
    for mine, its in zip(with_arrow.values, without.values, strict=True):
        assert mine.dtype == its.dtype, repr(text)
        np.testing.assert_array_equal(mine, its)
        assert (np.signbit(mine) == np.signbit(its)).all()


@pytest.mark.parametrize("seed", range(4))
def test_random_numbers(seed):
    """Integers of all sizes, and floats to the last bit."""
    random = np.random.default_rng(seed)
    high = [100, 2**31, 2**40, 2**63 - 1][seed]
    ids = random.integers(-high, high, (500, 2))
    values = random.integers(0, 2**63, 500).view(np.float64)
    values = np.where(np.isfinite(values), values, 0.5)
    rows = zip(ids.tolist(), values.tolist(), strict=True)
    text = "".join(f"{u} {v} {w!r}\n" for (u, v), w in rows)
    read = columns_or_none(text, 3, [2], None, 0).values
    assert np.array_equal(np.stack(read[:2], 1), ids) and np.array_equal(read[2], values)
    assert read[0].dtype == (np.int32 if seed < 2 else np.int64)


@pytest.fixture
def large(monkeypatch):
    """Text that is large enough for pyarrow, of rows and a last one: large(row, last) -> text."""
    monkeypatch.setattr(arrow_csv, "LEAST", 1 << 11)
    return lambda row, last="": row * (3 * arrow_csv.LEAST // len(row)) + last


@pytest.mark.parametrize("name", ["a.txt", "a.mtx", "a.e"])
def test_large_files_use_it(tmp_path, monkeypatch, large, name):
    used = []
    read = arrow_csv.ArrowColumns._read
    monkeypatch.setattr(
        arrow_csv.ArrowColumns, "_read", lambda *given: used.append(1) or read(*given)
    )
    text, path = large("12 345 6\n"), tmp_path / name
    count = text.count("\n")
    if name == "a.mtx":
        text = f"%%MatrixMarket matrix coordinate integer general\n400 400 {count}\n" + text
    if name == "a.e":
        (tmp_path / "a.v").write_text("345\n12\n")
    path.write_text(text)
    graph = Graph.read(path)
    assert used and graph.num_edges == count
    assert graph.edge_fields["weight"].tolist() == [6] * count
    ends = {graph.label_of(int(graph.edge_src[-1])), graph.label_of(int(graph.edge_dst[-1]))}
    assert ends == ({11, 344} if name == "a.mtx" else {12, 345})


@pytest.mark.parametrize("name", ["a.txt", "a.mtx", "a.e"])
@pytest.mark.parametrize("wrong", ["12 345\n", "12 345 6 7\n", "12 345 x\n", "12 3.5 6\n"])
def test_a_wrong_line_of_a_large_file_is_named(tmp_path, large, name, wrong):
    text, path = large("12 345 6\n", wrong), tmp_path / name
    line = text.count("\n")
    if name == "a.mtx":
        text = f"%%MatrixMarket matrix coordinate integer general\n400 400 {line}\n" + text
        line += 2
    if name == "a.e":
        (tmp_path / "a.v").write_text("345\n12\n")
    path.write_text(text)
    if name == "a.txt" and "3.5" in wrong:
        assert Graph.read(path).labels.tolist() == ["12", "3.5", "345"]  # ids may be text
        return
    with pytest.raises(FormatError, match=f"line {line}"):
        Graph.read(path)


def test_without_pyarrow(monkeypatch):
    monkeypatch.setattr(arrow_csv, "find_spec", lambda name: None)
    assert columns_or_none("1 2\n", 2, [], None, 0).values[0].tolist() == [1]


def test_with_a_pyarrow_that_cannot_be_imported(monkeypatch, tmp_path, large):
    """As one that was made for another NumPy."""
    monkeypatch.setattr(arrow_csv, "find_spec", lambda name: True)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "g.txt"
    path.write_text(large("3 4"), encoding="utf-8")
    assert Graph.read(path).num_edges > 0
