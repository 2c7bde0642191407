"""Matrix Market: square real matrices, coordinate and array.

Boisvert, Pozo, Remington, "The Matrix Market Exchange Formats: Initial Design", NISTIR 5935, 1996.
"""

from __future__ import annotations

import io
import itertools
from array import array
from pathlib import Path
from typing import Any

import numpy as np

from gascl.errors import FormatError
from gascl.graph.labels import INTEGER
from gascl.graph.parsed import Format, Parsed
from gascl.io.barematrix import read_bare
from gascl.io.bothways import both_ways
from gascl.io.columns import Irregular, read_columns
from gascl.io.edgelayout import is_number
from gascl.io.files import opened, unended
from gascl.io.lines import ODD, Lines, Splitter, return_inside, shown, split_lines
from gascl.io.matrixrows import write

BANNER = b"%%matrixmarket"
VALUE_TYPES = {"real": np.float64, "integer": np.int64, "unsigned-integer": np.uint64}


def read(path: Path, directed: bool | None) -> Parsed:
    """Read a matrix: every stored entry (i, j) is an edge from i to j, explicit zeros too.

    A general matrix is directed and a symmetric one, which stores one triangle, undirected, unless
    `directed` says otherwise: True takes both triangles of a symmetric matrix, False every entry
    of a general one as an undirected edge. A skew-symmetric matrix is directed, with both
    triangles: -x at (j, i) for x at (i, j). Entries are the field "weight"; a pattern has none. Of
    an array, which stores all entries, those that are not zero are edges.

    A file without the header is a list of coordinates: rows "i j" or "i j value", perhaps after a
    row of sizes "V V E". Ids count from 0 if one is 0, else from 1; the report says what was taken
    for what.

    SciPy reads the header, and not the entries: SciPy 1.17's `mmread` takes 0.5x for 0.5 and ends
    the process at a NUL or at a last value 1e-, and its `mminfo` can abort where it is given a file
    object, so that it gets the header's bytes.

    Raises:
        FormatError: the file is damaged, or the matrix is not square and real.
    """
    from scipy.io import mminfo

    with opened(path) as file:
        lines = Lines(path, file)
        header = _header(path, lines)
        if header and not header[0].lower().startswith(BANNER):
            bare = read_bare(path, lines, header, directed)
            if bare is not None:
                return bare
        try:
            height, width, count, layout, kind, symmetry = mminfo(io.BytesIO(b"".join(header)))
        except (ValueError, OverflowError) as error:
            raise FormatError(
                f"{path} has no Matrix Market header: {str(error).rstrip('.')}; mend the file, or, "
                "if it is a bare list of edges, read it with format='edgelist'"
            ) from error
        _check(path, height, width, layout, kind, symmetry, directed)
        dense = layout == "array"
        header_line = lines.number
        dtype = None if kind == "pattern" else VALUE_TYPES[kind]
        columns = _columns(path, lines, 0 if dense else 2, dtype)
    if dense:
        count = height * height
        if symmetry != "general":
            count = height * (height + (1 if symmetry == "symmetric" else -1)) // 2
    if len(columns[0]) != count:
        lost = "it may be cut off: fetch it again"
        raise FormatError(
            f"{path}: the header announces {count:,} entries, and the file has {len(columns[0]):,};"
            f" {lost if len(columns[0]) < count else 'correct the header, or fetch the file again'}"
        )
    report = [f"Matrix Market: {kind}, {symmetry}", *unended(path)]
    if dense:
        src, dst, values = _entries(columns[0], height, symmetry)
        report[0] += ", array"
        report.append(
            f"zeros are no edges: {len(values):,} of {count:,} entries of the array are edges"
        )
        columns = [src, dst, values]
    else:
        _check_places(path, header_line, columns[0], columns[1], height)
        for ids in columns[:2]:
            ids -= 1
        report.append("ids, which count from 1, taken as vertices from 0")
    src, dst, *values_list = columns
    fields = {"weight": values_list[0]} if values_list else {}
    if directed is False and symmetry == "general":
        report.append("directed=False: every entry of the general matrix is an undirected edge")
    if symmetry == "symmetric" and (twice := _mirrored(src, dst)):
        report.append(
            f"the matrix, though symmetric, stores both triangles: {twice:,} entries are there in "
            "each; duplicates='first' makes one edge of both"
        )
    if symmetry == "skew-symmetric" or (directed and symmetry == "symmetric"):
        sign, said = (-1, symmetry) if symmetry == "skew-symmetric" else (1, "directed=True")
        if symmetry == "skew-symmetric" and (src == dst).any():
            raise FormatError(
                f"{path}: a skew-symmetric matrix has entries on its diagonal, where it is zero; "
                "correct the header or the entries"
            )
        report.append(f"{said}: both triangles of the {symmetry} matrix are edges")
        src, dst, fields = both_ways(src, dst, fields, sign)
        directed = True
    return Parsed(
        src=src,
        dst=dst,
        num_vertices=height,
        directed=symmetry == "general" if directed is None else directed,
        fields=fields,
        report=report,
    )


FORMAT = Format(
    name="matrixmarket",
    extensions=(".mtx", ".mm"),
    recognizes=lambda head: head.lower().startswith(BANNER),
    read=read,
    write=write,
)


def _header(path: Path, lines: Lines) -> list[bytes]:
    """The lines up to the first that is no comment, which gives the sizes."""
    header = []
    while (line := lines.line()) is not None:
        header.append(line)
        if line.strip() and not line.lstrip().startswith(b"%"):
            if b"\r" in line.rstrip(b"\r\n"):
                raise return_inside(path, lines.number, line.decode(errors=ODD))
            break
    return header


def _check(
    path: Path,
    height: int,
    width: int,
    layout: str,
    kind: str,
    symmetry: str,
    directed: bool | None,
) -> None:
    wrong = None
    if kind not in ("pattern", *VALUE_TYPES):
        wrong = f"its entries are {kind}, and a graph needs real, integer or pattern"
    elif symmetry not in ("general", "symmetric", "skew-symmetric"):
        wrong = f"its symmetry is {symmetry!r}, and a graph needs 'general' or 'symmetric'"
    elif kind in ("pattern", "unsigned-integer") and symmetry == "skew-symmetric":
        wrong = f"its entries are {kind}, and those of a skew-symmetric matrix have signs"
    elif kind == "pattern" and layout == "array":
        wrong = "it is an array of a pattern, which has no values to store"
    elif height != width:
        wrong = f"it has {height} rows and {width} columns, and an adjacency matrix is square"
    if wrong:
        raise FormatError(
            f"{path}: {wrong}; convert it with SciPy and use Graph.from_scipy, or write it anew"
        )
    if symmetry == "skew-symmetric" and directed is False:
        raise FormatError(
            f"{path}: a skew-symmetric matrix has other values in each direction, so that the "
            "graph is directed; leave out directed=False"
        )


def _columns(path: Path, lines: Lines, ids: int, dtype: type | None) -> list[np.ndarray]:
    """So many columns of ids and, if `dtype` says of what, one of values: what is left in the
    file."""
    names = ["row", "column"][:ids]
    header = lines.number
    values = [] if dtype is None else [ids]
    try:
        table = read_columns(lines.pieces(), ids + len(values), range(ids), values, None, "%")
        columns = table.values
        if dtype is not None and dtype is not np.float64:
            whole = columns[-1].dtype.kind == "i"
            if not whole or (dtype is np.uint64 and (columns[-1] < 0).any()):
                raise Irregular
    except Irregular:
        columns = _line_by_line(path, header, names, dtype)
    if dtype is not None:
        columns[-1] = columns[-1].astype(dtype)
    return columns


def _line_by_line(
    path: Path, header: int, names: list[str], dtype: type | None
) -> list[np.ndarray]:
    """As `_columns`, slower, and naming the line that is wrong."""
    held = [f"{name} (int64)" for name in names]
    if dtype is not None:
        held.append(f"value ({np.dtype(dtype).name})")
    columns: list[Any] = [array("q") for _ in names]
    if dtype is not None:
        columns.append(array(np.dtype(dtype).char.replace("l", "q").replace("L", "Q")))
    for number, line, texts in split_lines(path, Splitter(None, "%")):
        if number <= header or not texts:
            continue
        try:
            if len(texts) != len(columns):
                raise ValueError
            for column, text in zip(columns, texts, strict=True):
                column.append(_value(text, column.typecode))
        except (ValueError, OverflowError):
            raise FormatError(
                f"{path}: line {number} is {shown(line)}, and an entry here is {', '.join(held)}; "
                "correct the line or fetch the file again"
            ) from None
    return [np.array(column, dtype=np.dtype(column.typecode)) for column in columns]


def _value(text: str, typecode: str) -> int | float:
    if typecode != "d":
        if not INTEGER.fullmatch(text):
            raise ValueError
        return int(text)
    if not is_number(text):
        raise ValueError
    return float(text)


def _check_places(
    path: Path, header: int, rows: np.ndarray, columns: np.ndarray, size: int
) -> None:
    if not len(rows):
        return
    if min(rows.min(), columns.min()) >= 1 and max(rows.max(), columns.max()) <= size:
        return
    outside = (rows < 1) | (rows > size) | (columns < 1) | (columns > size)
    entry = int(np.argmax(outside))
    entries = (
        number
        for number, _, texts in split_lines(path, Splitter(None, "%"))
        if number > header and texts
    )
    line = next(itertools.islice(entries, entry, None))
    raise FormatError(
        f"{path}, line {line}: the entry is at ({rows[entry]}, {columns[entry]}), outside the "
        f"{size} rows and columns, which count from 1; correct the entry or the header"
    )


def _mirrored(src: np.ndarray, dst: np.ndarray) -> int:
    """Entries of the upper triangle that stand in the lower one, too."""
    upper = np.flatnonzero(src < dst)
    if not len(upper) or not (src > dst).any():
        return 0
    lower = np.flatnonzero(src > dst)
    size = int(max(src.max(), dst.max())) + 1
    keys = dst[upper].astype(np.int64) * size + src[upper]
    return int(np.isin(keys, src[lower].astype(np.int64) * size + dst[lower]).sum())


def _entries(
    values: np.ndarray, size: int, symmetry: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, column and value of the entries of an array that are not zero, in the file's order:
    column by column, of a matrix that is not general from the diagonal or below it on."""
    found = np.flatnonzero(values)
    if symmetry == "general":
        row, column = found % max(size, 1), found // max(size, 1)
    else:
        below = int(symmetry == "skew-symmetric")  # how far below the diagonal columns begin
        lengths = np.arange(size - below, -below if below else 0, -1)[: size or None]
        begins = np.cumsum(lengths) - lengths
        column = np.searchsorted(begins, found, side="right") - 1
        row = found - begins[column] + column + below
    return row, column, values[found]
