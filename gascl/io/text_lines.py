"""The lines of a text file: one by one, in blocks, or split into columns; and integers in them."""

from __future__ import annotations

import csv
import io
import itertools
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gascl.errors import FormatError
from gascl.graph.labels import INTEGER
from gascl.io.arrow_csv import is_representable
from gascl.io.files import UTF16, opened
from gascl.user_messages import Message, Option

PIECE = 1 << 22  # bytes: few enough to be spread over threads
FIRST = 1 << 16  # bytes read for the first lines
LONGEST = 1 << 24  # bytes or characters of a line; a longer one means that this is not rows of text
BOM = b"\xef\xbb\xbf"
ODD = "surrogateescape"  # how bytes that are not UTF-8 are decoded: comments may contain them
INT64 = np.iinfo(np.int64)


class LineReader:
    """The lines of an open file from its start: the first ones singly, the rest in pieces."""

    def __init__(self, path: Path, file: BinaryIO):
        self._path = path
        self._file = file
        self._kept = b""
        self._at = 0
        self.number = 0  # of the line that `line` returned last, counted from 1
        self._fill()
        if self._kept.startswith(BOM):
            self._at = len(BOM)
        elif self._kept.startswith(UTF16):
            self._kept[:2].decode()  # fails, which `opened` explains

    def following(self, count: int) -> list[str]:
        """The next lines, at most `count` and no more than have been read from the file already;
        `line` and `pieces` return them, too."""
        lines = self._kept[self._at :].split(b"\n", count)[:-1]
        return [line.decode(errors=ODD) for line in lines]

    @property
    def head(self) -> bytes:
        """The start of what has not been read yet."""
        return self._kept[self._at : self._at + 1024]

    def line(self) -> bytes | None:
        """The next line, with its end; None at the end of the file.

        Raises:
            FormatError: it is binary, or too long.
        """
        while True:
            end = self._kept.find(b"\n", self._at) + 1
            if end:
                break
            if not self._fill():
                end = len(self._kept)
                break
        line = self._kept[self._at : end]
        self._at = end
        self.number += bool(line)
        if b"\0" in line:
            raise _binary(self._path, self.number, line.decode("utf-8", "replace"))
        return line or None

    def pieces(self, first: bytes = b"") -> Iterator[bytes]:
        """`first` and the rest of the file, in pieces of whole lines."""
        piece = first + self._kept[self._at :]
        piece += self._file.read(max(PIECE - len(piece), 0))
        self._kept, self._at = b"", 0
        while piece:
            if not piece.endswith(b"\n"):
                rest = self._file.readline(LONGEST)
                if len(rest) == LONGEST:
                    raise too_long(self._path, self.number + 1)
                piece += rest
            yield piece
            piece = self._file.read(PIECE)

    def _fill(self) -> bool:
        block = self._file.read(PIECE if self._kept else min(PIECE, FIRST))
        self._kept = self._kept[self._at :] + block
        self._at = 0
        if len(self._kept) > LONGEST and b"\n" not in self._kept:
            raise too_long(self._path, self.number + 1)
        return bool(block)


class Splitter:
    """Splits a line into columns.

    Args:
        separator: one character, possibly with blanks around it; None: blanks and tabs.
        comments: the characters that start a comment, at the start of a line; where blanks separate
            the columns also after a blank.

    Attributes:
        removed: whether a comment was removed behind the columns of the last line.
    """

    def __init__(self, separator: str | None, comments: str):
        self.separator = separator
        self._marks = comments
        self.removed = False
        self._comment = None
        if comments and separator is None:
            self._comment = re.compile(rf"(?<=[ \t])[{re.escape(comments)}].*", re.DOTALL)

    def split(self, line: str) -> list[str]:
        """The columns; none for an empty line or a comment.

        Raises:
            ValueError: a quote is not closed.
        """
        line = line.strip(" \t\r\n")
        self.removed = False
        if not line or line[0] in self._marks:
            return []
        if self.separator is None:
            if self._comment and any(mark in line for mark in self._marks):
                line, count = self._comment.subn("", line)
                self.removed = bool(count)
            return [column for column in line.replace("\t", " ").split(" ") if column]
        if '"' not in line:
            return [column.strip(" \t") for column in line.split(self.separator)]
        try:
            columns = next(
                csv.reader([line], delimiter=self.separator, skipinitialspace=True, strict=True)
            )
        except csv.Error as error:
            raise ValueError(str(error)) from None
        return [column if quoted(column) in line else column.strip(" \t") for column in columns]


def quoted(text: str) -> str:
    """A column in quotes."""
    return '"' + text.replace('"', '""') + '"'


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Number (from 1) and text of each line, without its end.

    Raises:
        FormatError: a line is too long.
    """
    with opened(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", errors=ODD, newline="\n")
        number = 0
        while line := text.readline(LONGEST):
            number += 1
            if len(line) == LONGEST and not line.endswith("\n"):
                raise too_long(path, number)
            yield number, line.rstrip("\r\n")


def split_lines(path: Path, splitter: Splitter) -> Iterator[tuple[int, str, list[str]]]:
    """Number (from 1), text and columns of each line.

    Raises:
        FormatError: a line is binary or too long, is not UTF-8 outside comments, has a quote that
            is not closed, or has a carriage return inside; names the line.
    """
    for number, line in numbered_lines(path):
        if "\0" in line:
            raise _binary(path, number, line)
        try:
            columns = splitter.split(line)
        except ValueError as error:
            raise cannot_split(path, number, line, error) from None
        if not line.isascii():
            check_text(path, number, columns)
        if "\r" in line.lstrip("\r") and columns:
            raise return_inside(path, number, line)
        yield number, line, columns


def locate_bad_line(path: Path, layout: Callable[[int, str], str | Message | None]) -> FormatError:
    """The error that names the first line that is wrong, for a reader of columns that has failed.

    Args:
        layout: number (from 1) and text of a line -> what is wrong with it, and the remedy, as the
            end of a sentence that the line begins; None if nothing is.
    """
    odd = None
    for number, line in numbered_lines(path):
        if "\0" in line or "\r" in line:
            odd = odd or (number, line)
        if wrong := layout(number, line):
            if "\r" in line:
                break
            if not line.isascii():
                check_text(path, number, [line])
            return FormatError(f"{path}, line {number}: {shown(line)} ", wrong)
    if odd is None:
        return FormatError(f"{path}: its rows cannot be read; fetch it again")
    return (_binary if "\0" in odd[1] else return_inside)(path, *odd)


def line_of_row(path: Path, row: int, is_row: Callable[[int, str], Any]) -> tuple[int, str]:
    """Number (from 1) and text of the line with a row.

    Args:
        row: from 0, among the lines for which `is_row`, called with number and text, is true.
    """
    rows = (each for each in numbered_lines(path) if is_row(*each))
    return next(itertools.islice(rows, row, None))


def integers(block: bytes) -> tuple[np.ndarray, np.ndarray] | None:
    """The numbers in lines that contain only integers, separated by blanks and tabs.

    Returns:
        The values, int64 (N,), and the count of each line, int64 (lines,); None if the block
        contains anything else, or an integer that does not fit.
    """
    if block.translate(None, b"0123456789+- \t\r\n"):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        try:
            values = np.fromstring(block if block.strip() else b"", dtype=np.int64, sep=" ")
        except (ValueError, DeprecationWarning):
            return None
    text = np.frombuffer(block, dtype=np.uint8)
    blank = text <= ord(" ")
    begins = ~blank
    begins[1:] &= blank[:-1]
    places = np.flatnonzero(begins)
    # NumPy reads 1-2 as two numbers and - 1 as one, and clips what does not fit.
    if len(values) != len(places):
        return None
    if len(values) and (values.min() == INT64.min or values.max() == INT64.max):
        words = [word.decode() for word in block.split()]
        if not all(map(is_int64, words)):
            return None
    signs = np.flatnonzero((text == ord("-")) | (text == ord("+")))
    if len(signs) and not (begins[signs].all() and not blank[signs + 1].any()):
        return None
    ends = np.searchsorted(places, np.flatnonzero(text == ord("\n")))
    return values, np.diff(ends, prepend=0)


def integer(text: str) -> int | None:
    """The 64-bit integer that `text` is, or None."""
    if not INTEGER.fullmatch(text):
        return None
    value = int(text) if len(text) < 1000 else INT64.max + 1  # int() refuses very long ones
    return value if INT64.min <= value <= INT64.max else None


def is_int64(text: str) -> bool:
    """Whether `text` is an integer that fits 64 bits."""
    return integer(text) is not None


def is_number(text: str) -> bool:
    """Whether `text` is a number, NaN and infinities included."""
    try:
        float(text)
    except ValueError:
        return False
    # Python allows these, and no file means them.
    return text.isascii() and "_" not in text and not (text[0].isspace() or text[-1].isspace())


def is_float64(text: str) -> bool:
    """Whether `text` is a number that float64 can hold: it does not become 0 or infinite."""
    return is_number(text) and is_representable(float(text), text.encode())


#: A number with a decimal comma, or with commas between its thousands.
_COMMAS = re.compile(
    r"[+-]?(\d+|\d{1,3}([. '\u2019\u00a0]\d{3})+)?,\d+([eE][+-]?\d+)?|[+-]?\d{1,3}(,\d{3})+(\.\d*)?"
)


def has_comma(text: str) -> bool:
    """Whether `text` is a number that is written with a comma, such as 1,5."""
    return _COMMAS.fullmatch(text) is not None


def shown(line: str | bytes) -> str:
    """A line as quoted in an error message, cut if it is long."""
    text = line if isinstance(line, str) else line.decode("utf-8", "replace")
    text = text.strip()
    return repr(text if len(text) <= 100 else f"{text[:97]}...")


def check_text(path: Path, number: int, columns: list[str]) -> None:
    """Raises FormatError if a column contains bytes that are not UTF-8."""
    odd = next((c for column in columns for c in column if "\udc80" <= c <= "\udcff"), None)
    if odd:
        raise FormatError(
            f"{path}, line {number}: byte {ord(odd) - 0xDC00:#04x} is not UTF-8 text; convert the "
            "file to UTF-8"
        )


def cannot_split(path: Path, number: int, line: str, error: ValueError) -> FormatError:
    """The error for a line whose quotes are not closed."""
    return FormatError(
        f"{path}, line {number}: {shown(line)} cannot be split into columns ({error}); correct its "
        "quotes"
    )


def return_inside(path: Path, number: int, line: str) -> FormatError:
    """The error for a line with a carriage return inside."""
    return FormatError(
        f"{path}, line {number}: {shown(line)} contains a carriage return; end the lines with a "
        "line feed"
    )


def too_long(path: Path, number: int) -> FormatError:
    """The error for a line that is too long to be a row."""
    return FormatError(
        f"{path}, line {number} is longer than {LONGEST >> 20} MiB, so this is not a text file of "
        "rows; name the file's format with ",
        Option("format"),
        ", or fetch the file again",
    )


def _binary(path: Path, number: int, line: str) -> FormatError:
    return FormatError(
        f"{path}, line {number} contains a NUL byte: {shown(line)}; this is not a text file; name "
        "its format with ",
        Option("format"),
        ", or fetch the file again",
    )
