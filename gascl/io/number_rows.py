"""Text files whose rows are numbers of known types: reading and writing them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gascl.graph.labels import INTEGER
from gascl.graph.parallel import blocks, copied
from gascl.io.arrow_csv import Layout
from gascl.io.files import opened
from gascl.io.text_lines import LineReader, Splitter, is_float64, locate_bad_line
from gascl.io.text_numbers import Irregular, read_columns
from gascl.user_messages import Message
from gascl.util.decimals import decimals

ROWS = 1 << 16  # written at a time


def read_rows(
    path: Path,
    ids: int,
    types: Sequence[type | None],
    wrong: str | Message,
    *,
    comments: str = "",
    skip: int = 0,
    prepare: Callable[[bytes], bytes] | None = None,
    split: Callable[[str], list[str]] | None = None,
) -> list[np.ndarray]:
    """The columns of a file, (R,) each: `ids` of 64-bit integers, as int32 if they fit, and then
    those of the types.

    Args:
        types: int64, and either float64 or uint64; None: int64 if all are such integers, else
            float64.
        wrong: the end of the error message for a row with other columns: what is wrong, and the
            remedy.
        skip: the number of lines before the rows.
        comments, prepare: as for `Layout` and `read_columns`.
        split: the columns of a line, none of a comment; by default separated by blanks.

    Raises:
        FormatError: a row has other columns; names the line.
    """
    columns: list[type | None] = [np.int64] * ids + [*types]
    wholes = [at for at, kind in enumerate(columns) if kind is np.int64]
    others = [at for at, kind in enumerate(columns) if kind is not np.int64]
    number = next((columns[at] for at in others), None)
    # Where the type is not known, values are floats if they are integers beyond 64 bits.
    for each in (number,) if number or not others else (None, np.float64):
        with opened(path) as file, suppress(Irregular):
            lines = LineReader(path, file)
            for _ in range(skip):
                lines.line()
            layout = Layout(len(columns), wholes, others, None, comments, each)
            read = read_columns(lines.pieces(), layout, prepare).values
            values = [read[place] for place in np.argsort(wholes + others)]
            for at, kind in enumerate(types, start=ids):
                dtype = np.dtype(kind or np.result_type(values[at], np.int64))
                values[at] = values[at] if values[at].dtype == dtype else copied(values[at], dtype)
            return values
    split = split or Splitter(None, comments).split

    def problem(at: int, line: str) -> str | Message | None:
        texts = split(line) if at > skip else []
        return None if not texts or _are(texts, columns) else wrong

    raise locate_bad_line(path, problem)


def _are(texts: list[str], types: Sequence[type | None]) -> bool:
    """Whether the columns of a row are of these types; None: an integer or a float."""
    return len(texts) == len(types) and all(
        is_float64(text) if kind in (None, np.float64) else _is_integer(text, kind)
        for text, kind in zip(texts, types, strict=True)
    )


def _is_integer(text: str, kind: Any) -> bool:
    limits = np.iinfo(kind)
    fits = INTEGER.fullmatch(text) is not None and len(text) < 1000  # int() refuses very long ones
    return fits and int(limits.min) <= int(text) <= int(limits.max)


def write_rows(
    file: BinaryIO,
    count: int,
    columns: Callable[[slice], Sequence[np.ndarray]],
    separator: str = " ",
    begin: str = "",
) -> None:
    """Write rows, some at a time.

    Args:
        columns: those of some of the rows, (n,) each, of numbers, or of objects that are text.
        begin: what each row begins with.
    """
    for part in blocks(count, ROWS):
        texts = (c.tolist() if c.dtype == object else decimals(c) for c in columns(part))
        rows = map(separator.join, zip(*texts, strict=True))
        file.write((begin + f"\n{begin}".join(rows) + "\n").encode())
