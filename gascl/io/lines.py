"""The lines of a text file: the first ones singly, the rest in pieces, or all of them split."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from gascl.errors import FormatError
from gascl.io.files import UTF16, opened

PIECE = 1 << 18  # bytes: what the arrays of a piece's numbers need stays in the cache
LONGEST = 1 << 24  # bytes or characters of a line; more is no text of rows
BOM = b"\xef\xbb\xbf"
ODD = "surrogateescape"  # how bytes that are not UTF-8 are decoded: comments may have them


class Lines:
    """The lines of an open file, from its beginning."""

    def __init__(self, path: Path, file: BinaryIO):
        self._path = path
        self._file = file
        self._kept = b""
        self._at = 0
        self.number = 0  # of the line that `line` gave last, counted from 1
        self._fill()
        if self._kept.startswith(BOM):
            self._at = len(BOM)
        elif self._kept.startswith(UTF16):
            self._kept[:2].decode()  # which says so

    @property
    def head(self) -> bytes:
        """How what is not read yet begins."""
        return self._kept[self._at : self._at + 1024]

    def line(self) -> bytes | None:
        """The next line, with its end; None: there is none.

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
        """`first` and what is left, in pieces of some size that end with a line."""
        self._kept = first + self._kept[self._at :]
        self._at = 0
        while True:
            end = self._kept.rfind(b"\n") + 1
            if end:
                piece, self._kept = self._kept[:end], self._kept[end:]
                yield piece
            if not self._fill():
                break
        if self._kept:
            yield self._kept

    def _fill(self) -> bool:
        block = self._file.read(PIECE)
        self._kept = self._kept[self._at :] + block
        self._at = 0
        if len(self._kept) > LONGEST and b"\n" not in self._kept:
            raise too_long(self._path, self.number + 1)
        return bool(block)


class Splitter:
    """How a line is parted into columns.

    Args:
        separator: one character, perhaps among blanks; None: blanks and tabs.
        comments: the characters that begin one at the begin of a line or behind a separator.
    """

    def __init__(self, separator: str | None, comments: str):
        self.separator = separator
        self._marks = comments
        self._comment = None
        if comments:
            before = re.escape(separator or "")
            marks = re.escape(comments)
            self._comment = re.compile(rf"(?:^|(?<=[ \t{before}]))[{marks}].*", re.DOTALL)

    def split(self, line: str) -> list[str]:
        """The columns; none of an empty line or a comment.

        Raises:
            ValueError: a quote has no end.
        """
        line = line.strip(" \t\r\n")
        quoted = self.separator is not None and '"' in line
        if quoted and line[0] in self._marks:
            return []
        if self._comment and not quoted and any(mark in line for mark in self._marks):
            line = self._comment.sub("", line).rstrip(" \t")
        if not line:
            return []
        if self.separator is None:
            return [column for column in line.replace("\t", " ").split(" ") if column]
        if quoted:
            try:
                columns = next(
                    csv.reader([line], delimiter=self.separator, skipinitialspace=True, strict=True)
                )
            except csv.Error as error:
                raise ValueError(str(error)) from None
        else:
            columns = line.split(self.separator)
        return [column.strip(" \t") for column in columns]


def split_lines(path: Path, splitter: Splitter) -> Iterator[tuple[int, str, list[str]]]:
    """Number (from 1), text and columns of each line.

    Raises:
        FormatError: a line is binary, too long, not UTF-8 outside comments, or has a quote without
            end or a carriage return inside; names it.
    """
    with opened(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", errors=ODD, newline="\n")
        number = 0
        while line := text.readline(LONGEST):
            number += 1
            if len(line) == LONGEST and not line.endswith("\n"):
                raise too_long(path, number)
            line = line.strip("\r\n")
            if "\0" in line:
                raise _binary(path, number, line)
            try:
                columns = splitter.split(line)
            except ValueError as error:
                raise FormatError(
                    f"{path}, line {number}: {shown(line)} cannot be parted ({error}); correct its "
                    "quotes"
                ) from None
            if not line.isascii():
                check_text(path, number, columns)
            if "\r" in line and columns:
                raise return_inside(path, number, line)
            yield number, line, columns


def check_text(path: Path, number: int, columns: list[str]) -> None:
    """Raises FormatError where one has bytes that were not UTF-8."""
    odd = next((c for column in columns for c in column if "\udc80" <= c <= "\udcff"), None)
    if odd:
        raise FormatError(
            f"{path}, line {number}: byte {ord(odd) - 0xDC00:#04x} is not UTF-8 text; convert the "
            "file to UTF-8"
        )


def shown(line: str) -> str:
    """A line for an error message, not too long."""
    line = line.strip()
    return repr(line if len(line) <= 100 else f"{line[:97]}...")


def _binary(path: Path, number: int, line: str) -> FormatError:
    return FormatError(
        f"{path}, line {number} has a NUL byte: {shown(line)}; this is no text; name its format "
        "with format=, or fetch the file again"
    )


def return_inside(path: Path, number: int, line: str) -> FormatError:
    return FormatError(
        f"{path}, line {number}: {shown(line)} has a carriage return inside; end the lines with a "
        "line feed"
    )


def too_long(path: Path, number: int) -> FormatError:
    return FormatError(
        f"{path}, line {number} is longer than {LONGEST >> 20} MiB, so that this is no text of "
        "rows; name the file's format with format=, or fetch the file again"
    )
