"""Lists of coordinates that are named .mtx and lack the header of Matrix Market."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gascl.errors import FormatError
from gascl.graph.parsed import Parsed
from gascl.io.columns import Irregular, read_columns
from gascl.io.edgelayout import is_int64, is_number
from gascl.io.files import unended
from gascl.io.lines import ODD, Lines, Splitter, shown, split_lines

ANYWAY = "read it with format='edgelist', which takes every row as an edge, or give it a header"


def read_bare(
    path: Path, lines: Lines, header: list[bytes], directed: bool | None
) -> Parsed | None:
    """Read rows "i j" or "i j value", perhaps after one of sizes; None: they are something else.

    Args:
        header: the lines that were read, of which the last is the first row.

    Raises:
        FormatError: a row is none, or it cannot be told whether the first row gives sizes.
    """
    splitter = Splitter(None, "%")
    first = splitter.split(header[-1].decode(errors=ODD))
    following: list[str] = []
    rows = [*header]
    while not following and (line := lines.line()) is not None:
        rows.append(line)
        following = splitter.split(line.decode(errors=ODD))
    if len(first) not in (2, 3) or not all(map(is_number, first)):
        return None
    report = ["no Matrix Market header: taken as a bare list of coordinates", *unended(path)]
    sizes = None
    if len(first) == 3 and len(following) == 2:
        sizes = _sizes(path, first)
    width = len(following) if sizes else len(first)
    table = _rows(path, lines, rows, width, bool(sizes))
    src, dst, *values = table
    if width == 3 and sizes is None and values[0].dtype.kind == "i":
        sizes = _first_as_sizes(path, src, dst, values[0])
        if sizes:
            src, dst, values = src[1:], dst[1:], [values[0][1:]]
    if sizes and sizes[2] != len(src):
        lost = "it may be cut off: fetch it again"
        raise FormatError(
            f"{path}: the first row, {' '.join(first)!r}, announces {sizes[2]:,} entries, and the "
            f"file has {len(src):,}; {lost if len(src) < sizes[2] else 'correct it'}, or {ANYWAY}"
        )
    least = min((int(ids.min()) for ids in (src, dst) if len(ids)), default=1)
    most = max((int(ids.max()) for ids in (src, dst) if len(ids)), default=0)
    base = 0 if least == 0 else 1
    size = sizes[0] if sizes else most + 1 - base
    if least < 0 or most >= size + base:
        raise FormatError(
            f"{path}: the ids are {least} to {most}, and those of a matrix "
            + (f"of {size} rows and columns are {base} to {size - 1 + base}" if sizes else "are")
            + f"{'' if sizes else ' not negative'}; correct them, or {ANYWAY}"
        )
    if sizes:
        report.append(f"first row {' '.join(first)!r} taken as rows, columns and entries")
    else:
        report.append(f"no row of sizes: {size:,} vertices by the highest id, {most}")
    report.append(f"ids taken as counted from {base}, by the lowest id, {least}")
    if values:
        report.append(f"third column taken as weight, {values[0].dtype}")
    if directed is None:
        report.append("read as directed, which the file can't say; else directed=False")
    return Parsed(
        src=src - base,
        dst=dst - base,
        num_vertices=size,
        directed=directed is not False,
        fields={"weight": values[0]} if values else {},
        report=report,
    )


def _sizes(path: Path, row: list[str]) -> tuple[int, int, int]:
    """The row as sizes: nothing else has three columns before rows of two."""
    if not all(map(is_int64, row)):
        raise FormatError(
            f"{path}: the first row, {' '.join(row)!r}, has three columns, and the next has two; "
            f"expected sizes, 'V V E', or no such row; correct it, or {ANYWAY}"
        )
    height, width, count = map(int, row)
    if height != width:
        raise _not_square(path, height, width)
    return height, width, count


def _first_as_sizes(
    path: Path, src: np.ndarray, dst: np.ndarray, values: np.ndarray
) -> tuple[int, int, int] | None:
    """The first of rows with integer values, if it gives the sizes of a matrix of the others."""
    height, width, count = int(src[0]), int(dst[0]), int(values[0])
    rest = len(src) - 1
    within = not rest or (src[1:].max() <= height and dst[1:].max() <= width)
    if count == rest and within and height != width:
        raise _not_square(path, height, width)
    if count == rest and within:
        return height, width, count
    if height == width and within and rest and height > 1:
        raise FormatError(
            f"{path}: the first row, '{height} {width} {count}', may be an edge, or sizes 'V V E' "
            f"of a file that has {rest:,} more rows; correct it, or {ANYWAY}"
        )
    return None


def _not_square(path: Path, height: int, width: int) -> FormatError:
    return FormatError(
        f"{path}: the first row says that there are {height} rows and {width} columns, and an "
        f"adjacency matrix is square; correct it, or, if it is an edge, {ANYWAY}"
    )


def _rows(path: Path, lines: Lines, head: list[bytes], width: int, skip: bool) -> list[np.ndarray]:
    """The columns of all rows, up to the second of them in `head`, but for the first if `skip`."""
    rows = b"".join(head[-1:] if skip else head)
    try:
        table = read_columns(lines.pieces(rows), width, (0, 1), range(2, width), None, "%")
    except Irregular:
        return _line_by_line(path, width, skip)
    if len(table.values) == 3 and table.values[2].dtype.kind == "i":
        table.values[2] = table.values[2].astype(np.int64)
    return table.values


def _line_by_line(path: Path, width: int, skip: bool) -> list[np.ndarray]:
    """As `_rows`, slower, and naming the line that is wrong."""
    columns: list[list[str]] = [[] for _ in range(width)]
    for number, line, texts in split_lines(path, Splitter(None, "%")):
        if not texts or skip:
            skip = skip and not texts
            continue
        if not (
            len(texts) == width and all(map(is_int64, texts[:2])) and all(map(is_number, texts[2:]))
        ):
            raise FormatError(
                f"{path}, line {number}: {shown(line)} is no entry as those before it: expected "
                f"row and column{' and a value' if width == 3 else ''}; correct the line, or, if "
                "the ids are no numbers of rows, read it with format='edgelist'"
            )
        for column, text in zip(columns, texts, strict=True):
            column.append(text)
    ids = [np.array(list(map(int, column)), dtype=np.int64) for column in columns[:2]]
    values = []
    for column in columns[2:]:
        kind = np.int64 if all(map(is_int64, column)) else np.float64
        values.append(np.array(list(map(kind, column)), dtype=kind))
    return [*ids, *values]
