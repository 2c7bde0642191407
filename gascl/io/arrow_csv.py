"""Columns of numbers in text, parsed by pyarrow, which is optional.

Text that pyarrow refuses, or would read in another way, is left to `gascl.io.text_numbers`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

#: Bytes of text that make importing pyarrow worthwhile.
LEAST = 1 << 20
BOM = b"\xef\xbb\xbf"
#: A sign of numbers beyond the range of float64, and these numbers.
_FAR = re.compile(rb"[eE][-+]?\d{3}|\d{290}")
_EXTREME = re.compile(rb"[-+.\d]*[eE][-+]?\d{3,}|[-+.\d]*\d{290}[-+.\deE]*")


def load_pandas() -> None:
    """Import pandas, if it is there. pyarrow does so when it first makes an array of NumPy, and
    drops a Ctrl-C that comes meanwhile."""
    with suppress(ImportError):
        import_module("pandas")


@dataclass(frozen=True)
class Layout:
    """The columns of rows of text, of which the integers are read, and then the numbers.

    Attributes:
        width: the number of columns.
        integers, numbers: positions of columns, from 0.
        separator: one ASCII character, possibly with blanks around it; None: blanks and tabs.
        comments: the characters that start a comment, at the start of a line, or where blanks
            separate the columns after a blank.
        number: the type of the columns `numbers`, float64, int64 or uint64; None: int64 if all of a
            column are such integers, else float64.
    """

    width: int
    integers: Sequence[int]
    numbers: Sequence[int]
    separator: str | None = None
    comments: str = ""
    number: type | None = None

    @property
    def wanted(self) -> list[int]:
        """The columns to read."""
        return [*self.integers, *self.numbers]


class ArrowColumns:
    """Reads pieces of one text, in any number of threads.

    Args:
        begun: every row begins with a column that is not empty.
    """

    def __init__(self, layout: Layout, begun: bool):
        self.layout = layout
        self.names = [str(column) for column in range(layout.width)]
        # pyarrow sees an empty column between two blanks, which only a column that is read reveals.
        all_read = len(layout.wanted) + begun >= layout.width
        self.usable = find_spec("pyarrow") is not None and (layout.separator or all_read)
        self.wide = False  # an integer did not fit int32

    def read(self, piece: bytes) -> list[np.ndarray] | None:
        """The columns, (rows,) each: int32 or int64, and for numbers perhaps float64 or uint64;
        None if they are not plain rows of numbers, here or in an earlier piece.

        Args:
            piece: whole lines without comments, NULs and carriage returns.
        """
        # Hexadecimal integers, and nan(...), are numbers to pyarrow alone.
        odd = (b"x", b"X", b"n", b"N")
        if not self.usable or piece.startswith(BOM) or any(mark in piece for mark in odd):
            return None
        try:
            import pyarrow
        except ImportError:  # it is there, but made for another NumPy
            self.usable = False
            return None
        layout = self.layout
        row = piece.lstrip(b"\n")[:1024].partition(b"\n")[0]
        mark = (layout.separator or ("\t" if b"\t" in row else " ")).encode()
        first = row.split(mark)
        if len(first) != layout.width:
            self.usable = False
            return None
        real = [bool({*b".eE"} & {*first[column]}) for column in layout.numbers]
        if len(real) == 1 and len(layout.integers) == layout.width - 1:
            # All other columns are integers, so that such a mark is in this one.
            real = [any(mark in piece for mark in (b".", b"e", b"E"))]
        kinds = [layout.number or (np.float64 if each else None) for each in real]
        while True:
            whole = pyarrow.int64() if self.wide else pyarrow.int32()
            types = [whole] * len(layout.integers)
            types += [pyarrow.from_numpy_dtype(kind) if kind else whole for kind in kinds]
            try:
                columns = self._read(piece, mark, types)
                return columns if all_representable(columns, piece) else None
            except pyarrow.ArrowInvalid:
                if self.wide:
                    self.usable = False
                    return None
                self.wide = True

    def _read(self, piece: bytes, mark: bytes, types: list[Any]) -> list[np.ndarray]:
        import pyarrow
        from pyarrow import csv

        wanted = [self.names[column] for column in self.layout.wanted]
        table = csv.read_csv(
            pyarrow.BufferReader(piece),
            csv.ReadOptions(use_threads=False, block_size=len(piece) + 1, column_names=self.names),
            csv.ParseOptions(delimiter=mark.decode(), quote_char=False),
            csv.ConvertOptions(
                column_types=dict(zip(wanted, types, strict=True)),
                include_columns=wanted,
                null_values=[],
                check_utf8=False,
            ),
        )
        return [column.to_numpy() for column in table.columns]


def all_representable(columns: list[np.ndarray], piece: bytes) -> bool:
    """Whether no number has become 0 or infinite as it was read from the piece."""
    if any(c.dtype.kind == "f" and ((c == 0) | np.isinf(c)).any() for c in columns):
        return not _FAR.search(piece) or all(map(_is_held, set(_EXTREME.findall(piece))))
    return True


def _is_held(token: bytes) -> bool:
    try:
        return is_representable(float(token), token)
    except ValueError:  # of a column that is not read
        return True


def is_representable(value: float, number: bytes) -> bool:
    """Whether a number is held by its value in float64: it has not become 0 or infinite."""
    digits = number.lower().partition(b"e")[0].strip(b"+-0.") if value == 0 else b""
    return not digits and not (np.isinf(value) and number[-1:].isdigit())


def is_there() -> bool:
    """Whether pyarrow is installed."""
    return find_spec("pyarrow") is not None


def read_texts(
    file: Any, width: int, columns: list[int], separator: str, skipped: int
) -> list[tuple[np.ndarray, list[str]]] | None:
    """Columns of text, without quotes or comments, each as codes (rows,) and the texts that they
    number; None if pyarrow refuses the file.

    Args:
        file: of rows of `width` columns.
        skipped: the number of lines before the rows.
    """
    import pyarrow
    from pyarrow import csv

    names = [str(column) for column in range(width)]
    wanted = [str(column) for column in columns]
    kind = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    try:
        table = csv.read_csv(
            file,
            csv.ReadOptions(column_names=names, skip_rows=skipped),
            csv.ParseOptions(delimiter=separator, quote_char=False),
            csv.ConvertOptions(
                column_types=dict.fromkeys(wanted, kind), include_columns=wanted, null_values=[]
            ),
        )
    except pyarrow.ArrowInvalid:
        return None
    read = []
    for column in table.unify_dictionaries().columns:
        codes = [chunk.indices.to_numpy() for chunk in column.chunks]
        texts = column.chunk(0).dictionary.to_pylist() if codes else []
        place: dict[str, int] = {}
        known = [place.setdefault(text.strip(" \t\r"), len(place)) for text in texts]
        joined = np.concatenate(codes) if codes else np.empty(0, np.int32)
        read.append((np.array(known, np.int32)[joined], list(place)))
    return read
