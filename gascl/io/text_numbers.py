"""Columns of numbers in text, parsed piece by piece: by pyarrow, if it is installed, else by NumPy.

NumPy's loadtxt, which reads every layout but holds Python's lock, takes about twice the processor
time of pyarrow. Both round decimals correctly.
"""

from __future__ import annotations

import io
import re
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gascl.graph.parallel import in_order, joined
from gascl.io import arrow_csv
from gascl.io.arrow_csv import Layout

#: Control characters, which NumPy takes for blanks.
CONTROLS = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
#: An integer that may need more than 63 bits.
LONG = re.compile(rb"(?<![.\d])0*[1-9]\d{18,}(?![.\deE])")
RETURNS = re.compile(rb"\A\r+|(?<=\n)\r+|\r+(?=\n|\Z)")  # at the start or the end of a line
WARNINGS = threading.Lock()  # of `warnings.catch_warnings`, which changes what all threads share


class Irregular(Exception):
    """The text is not rows of the columns that are expected."""


@dataclass
class Columns:
    """The columns that were read; R rows."""

    values: list[np.ndarray]  # (R,) each: int32 or int64; of numbers int64 or float64
    comments: int  # lines
    remarks: int  # comments after a row


def read_columns(
    pieces: Iterable[bytes],
    layout: Layout,
    prepare: Callable[[bytes], bytes] | None = None,
) -> Columns:
    """The columns that the layout wants.

    Args:
        pieces: the text, in pieces of whole lines.
        prepare: returns the text to parse in place of a piece, in which every row begins with a
            column that is not empty; may raise Irregular.

    Raises:
        Irregular: a row has another width, a value is not a number or is an integer that does not
            fit its type, or there are quotes or bytes that are not text.
    """
    parts: list[list[np.ndarray]] = [[] for _ in layout.wanted]
    lines = remarks = 0
    for piece in column_pieces(pieces, layout, prepare):
        for part, column in zip(parts, piece.values, strict=False):
            part.append(column)
        lines += piece.comments
        remarks += piece.remarks
    values = []
    for place, part in enumerate(parts):  # one at a time, so that not all are in memory twice
        is_number = place >= len(layout.integers)
        values.append(joined(part, (layout.number or np.int64) if is_number else None))
        part.clear()
    return Columns(values, lines, remarks)


def column_pieces(
    pieces: Iterable[bytes],
    layout: Layout,
    prepare: Callable[[bytes], bytes] | None = None,
) -> Iterator[Columns]:
    """The columns of each piece, which `read_columns` joins; a piece without rows has no values."""
    whole, behind = comment_patterns(layout.separator, layout.comments)
    marks, separator = layout.comments.encode("ascii"), layout.separator
    fast = arrow_csv.ArrowColumns(layout, begun=prepare is not None)

    def columns_of(piece: bytes) -> Columns:
        lines = remarks = 0
        if b"\r" in piece:
            piece = piece.replace(b"\r\n", b"\n")
            piece = RETURNS.sub(b"", piece) if b"\r" in piece else piece
        if prepare:
            piece = prepare(piece)
        if b"\0" in piece or (separator and b'"' in piece):
            raise Irregular
        commented = any(mark in piece for mark in marks)
        if commented:
            piece, lines = whole.subn(b"", piece)
        if b"\r" in piece:  # in a comment behind a row, too: it may hide other rows
            raise Irregular
        if commented:
            piece, remarks = behind.subn(b"", piece)
        if not piece or (piece.isspace() and not piece.strip(b" \t\n")):  # strip copies
            return Columns([], lines, remarks)
        if not piece.isascii():
            try:
                piece.decode()
            except UnicodeDecodeError:
                raise Irregular from None
        parsed = fast.read(piece) if len(piece) >= arrow_csv.LEAST else None
        values = [
            _narrow(column) if column.dtype == np.int64 else column
            for column in (_by_numpy(piece, layout) if parsed is None else parsed)
        ]
        return Columns(values, lines, remarks)

    yield from in_order(columns_of, pieces)


def _by_numpy(piece: bytes, layout: Layout) -> list[np.ndarray]:
    """The columns of a piece, (rows,) each.

    Raises:
        Irregular: as `read_columns`.
    """
    # NumPy takes control characters, and many that are not in ASCII, for blanks.
    if not piece.isascii() or CONTROLS.search(piece):
        raise Irregular
    types: dict[int, Any] = dict.fromkeys(layout.integers, np.int64)
    row = piece.lstrip(b" \t\n").partition(b"\n")[0]
    first = row.split(None if layout.separator is None else layout.separator.encode())
    for column in layout.numbers:
        real = column < len(first) and {*b".eE"} & {*first[column]}
        types[column] = layout.number or (np.float64 if real else np.int64)
    try:
        try:
            table = _table(piece, layout, types)
        except ValueError:
            if layout.number:
                raise
            for column in layout.numbers:
                types[column] = _type_of(piece, layout, column)
            table = _table(piece, layout, types)
    except ValueError:
        raise Irregular from None
    columns = [np.ascontiguousarray(table[f"{at}"]) for at in layout.wanted]
    for column, values in zip(layout.wanted, columns, strict=True):
        # Integers of more than 63 bits may be meant as such.
        wide = types[column] is np.float64 and not layout.number and np.abs(values) >= 2.0**63
        if np.any(wide) and (values == np.floor(values)).all() and LONG.search(piece):
            raise Irregular
    if not arrow_csv.all_representable(columns, piece):
        raise Irregular
    return columns


def _type_of(piece: bytes, layout: Layout, column: int) -> type:
    """The type of a column, by its content."""
    try:
        _table(piece, layout, {column: np.int64})
    except ValueError:
        return np.float64
    return np.int64


def _table(piece: bytes, layout: Layout, types: Mapping[int, Any]) -> np.ndarray:
    """Structured (rows,), with fields "0", "1" and so on of these types. A column without a type is
    not parsed, and has only its first character.

    Raises:
        ValueError: a row has other columns.
    """
    dtype = [(f"{at}", types.get(at, "U1")) for at in range(layout.width)]
    with WARNINGS, warnings.catch_warnings():
        # NumPy before 2 reads 1.5 as the integer 1, with a warning.
        warnings.simplefilter("error", DeprecationWarning)
        try:
            return np.loadtxt(
                io.BytesIO(piece),
                dtype,
                comments=None,
                delimiter=layout.separator,
                ndmin=1,
                encoding="ascii",
            )
        except DeprecationWarning as error:
            raise ValueError from error


def comment_patterns(
    separator: str | None, comments: str
) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Patterns of bytes: lines that are comments, with their line ends, and comments after rows,
    without. There are such only where blanks separate the columns."""
    none = b"(?!)"
    marks = b"[" + re.escape(comments.encode("ascii")) + b"]" if comments else none
    whole = re.compile(b"(?m)^[ \t]*" + marks + b"[^\n]*\n?")
    return whole, re.compile(b"(?<=[ \t])" + marks + b"[^\n]*" if separator is None else none)


def _narrow(values: np.ndarray) -> np.ndarray:
    """A contiguous copy, int32 if the values fit."""
    limits = np.iinfo(np.int32)
    fits = limits.min <= values.min() and values.max() <= limits.max
    return values.astype(np.int32 if fits else np.int64, order="C")
