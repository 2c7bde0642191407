"""Columns of numbers in text, parsed by pyarrow: several times faster than NumPy.

pyarrow is optional, and reads less than `gascl.io.text_numbers` does. Text that pyarrow refuses or
would read differently is left to that module.
"""

from __future__ import annotations

import re
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

#: Bytes of text from which on importing pyarrow is worth while.
LEAST = 1 << 20
BOM = b"\xef\xbb\xbf"
#: What numbers beyond the range of float64 have.
_EXTREME = re.compile(rb"[eE][+-]?\d{3}|\d{290}")


def load_pandas() -> None:
    """Import pandas, if it is there. pyarrow does so when it first makes an array of NumPy, and
    drops a Ctrl-C that comes meanwhile."""
    with suppress(ImportError):
        import_module("pandas")


class ArrowColumns:
    """Reads pieces of one text, in any number of threads.

    Args:
        width, integers, numbers, separator: as for `gascl.io.text_numbers.read_columns`.
        begun: every row begins with a column that is not empty.
    """

    def __init__(
        self,
        width: int,
        integers: list[int],
        numbers: list[int],
        separator: str | None,
        begun: bool = False,
    ):
        self.width, self.integers, self.numbers = width, integers, numbers
        self.separator = separator
        self.names = [str(column) for column in range(width)]
        # A column that is not read could be the nothing between two blanks.
        all_read = len(integers) + len(numbers) + begun >= width
        self.usable = find_spec("pyarrow") is not None and (separator is not None or all_read)
        self.wide = False  # an integer did not fit int32

    def read(self, piece: bytes, letters: bool = True) -> list[np.ndarray] | None:
        """The columns, (rows,) each: int32 or int64, and for numbers perhaps float64; None if they
        are not plain rows of numbers, here or in an earlier piece.

        Args:
            piece: whole lines without comments, NULs and carriage returns.
            letters: whether it may have bytes above the digits.
        """
        # Hexadecimal integers, and nan(...), are numbers to pyarrow alone.
        odd = (b"x", b"X", b"n", b"N")
        if not self.usable:
            return None
        if letters and (piece.startswith(BOM) or any(mark in piece for mark in odd)):
            return None
        try:
            import pyarrow
        except ImportError:  # it is there, but made for another NumPy
            self.usable = False
            return None
        row = piece.lstrip(b"\n")[:1024].partition(b"\n")[0]
        mark = (self.separator or ("\t" if b"\t" in row else " ")).encode()
        first = row.split(mark)
        if len(first) != self.width:
            self.usable = False
            return None
        marked = [bool({*b".eE"} & {*first[column]}) for column in self.numbers]
        if len(self.numbers) == 1 and len(self.integers) == self.width - 1:
            marks = (b".", b"e", b"E") if letters else (b".",)
            marked = [any(mark in piece for mark in marks)]  # it must be in there
        while True:
            whole = pyarrow.int64() if self.wide else pyarrow.int32()
            types = [whole] * len(self.integers)
            types += [pyarrow.float64() if real else whole for real in marked]
            try:
                found = self._read(piece, mark, types)
                return found if all_held(found, piece) else None
            except pyarrow.ArrowInvalid:
                if self.wide:
                    self.usable = False
                    return None
                self.wide = True

    def _read(self, piece: bytes, mark: bytes, types: list[Any]) -> list[np.ndarray]:
        import pyarrow
        from pyarrow import csv

        wanted = [self.names[column] for column in (*self.integers, *self.numbers)]
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


def all_held(columns: list[np.ndarray], piece: bytes) -> bool:
    """Whether no number can have become 0 or infinite as it was read."""
    ends = (c for c in columns if c.dtype.kind == "f" and ((c == 0) | np.isinf(c)).any())
    return not any(True for _ in ends) or not _EXTREME.search(piece)
