"""Matrix Market: square real matrices, coordinate and array.

Boisvert, Pozo, Remington, "The Matrix Market Exchange Formats: Initial Design", NISTIR 5935, 1996.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gascl.errors import FormatError
from gascl.graph.parallel import extremes, filled
from gascl.graph.raw_graph import RawGraph
from gascl.io.files import created, opened, unended
from gascl.io.format import Format, check_limits, without
from gascl.io.number_rows import read_rows, write_rows
from gascl.io.symmetry import both_ways
from gascl.io.text_lines import (
    ODD,
    LineReader,
    Splitter,
    line_of_row,
    return_inside,
)
from gascl.user_messages import Message, Option

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

BANNER = b"%%matrixmarket"
SPLITTER = Splitter(None, "%")
VALUE_TYPES = {"real": np.float64, "integer": np.int64, "unsigned-integer": np.uint64}


def read(path: Path, directed: bool | None) -> RawGraph:
    """Read a matrix: every stored entry (i, j) is an edge from i to j, explicit zeros too.

    A general matrix is directed and a symmetric one, which stores one triangle, undirected, unless
    `directed` says otherwise: True makes edges of both triangles of a symmetric matrix, False makes
    every entry of a general one an undirected edge. A skew-symmetric matrix is directed, with both
    triangles: -x at (j, i) for x at (i, j). Values are the field "weight"; a pattern has none. In
    an array, which stores all entries, the nonzero ones are edges.

    SciPy reads the header but not the entries: SciPy 1.17's `mmread` reads 0.5x as 0.5 and ends the
    process at a NUL or at a final value 1e-, and its `mminfo` can abort when given a file object,
    so it is given the header's bytes.

    Raises:
        FormatError: the file is damaged, or the matrix is not square and real.
    """
    from scipy.io import mminfo

    with opened(path) as file:
        lines = LineReader(path, file)
        header = _header(path, lines)
        try:
            height, width, count, layout, kind, symmetry = mminfo(io.BytesIO(b"".join(header)))
        except (ValueError, OverflowError) as error:
            raise FormatError(
                f"{path} has no Matrix Market header: {str(error).rstrip('.')}; correct the file: "
                "write '%%MatrixMarket matrix coordinate real general' (or pattern) and a row of "
                "sizes, 'V V E', before its rows; or, if it is a list of edges, read it with ",
                Option("format", "edgelist"),
            ) from error
        _check(path, height, width, layout, kind, symmetry, directed)
        dense = layout == "array"
        header_line = lines.number
        dtype = None if kind == "pattern" else VALUE_TYPES[kind]
    columns = _columns(path, header_line, 0 if dense else 2, dtype)
    if dense:
        count = height * height
        if symmetry != "general":
            count = height * (height + (1 if symmetry == "symmetric" else -1)) // 2
    if len(columns[0]) != count:
        lost = "it may be cut off: fetch it again"
        raise FormatError(
            f"{path}: the header declares {count:,} entries, and the file has {len(columns[0]):,};"
            f" {lost if len(columns[0]) < count else 'correct the header, or fetch the file again'}"
        )
    report = [f"Matrix Market: {kind}, {symmetry}", *unended(path)]
    if dense:
        src, dst, values = _entries(columns[0], height, symmetry)
        report[0] += ", array"
        report.append(
            f"zeros are not edges: {len(values):,} of {count:,} entries of the array are edges"
        )
        columns = [src, dst, values]
    else:
        _check_places(path, header_line, columns[0], columns[1], height)
        columns[:2] = [_from_zero(ids) for ids in columns[:2]]
        report.append("ids, which start at 1, became vertices from 0")
    src, dst, *values_list = columns
    fields = {"weight": values_list[0]} if values_list else {}
    if directed is False and symmetry == "general":
        report.append(
            Message(
                Option("directed", False),
                ": every entry of the general matrix became an undirected edge",
            )
        )
    if symmetry == "symmetric" and (twice := _mirrored(src, dst)):
        report.append(
            Message(
                "the matrix is symmetric but stores both triangles: "
                f"{twice:,} entries occur in each; ",
                Option("duplicates", "first"),
                " merges them",
            )
        )
    if symmetry == "skew-symmetric" or (directed and symmetry == "symmetric"):
        sign, cause = (
            (-1, symmetry)
            if symmetry == "skew-symmetric"
            else (1, Message(Option("directed", True)))
        )
        if symmetry == "skew-symmetric" and (src == dst).any():
            raise FormatError(
                f"{path}: a skew-symmetric matrix has entries on its diagonal, which must be zero; "
                "correct the header or the entries"
            )
        report.append(cause + f": both triangles of the {symmetry} matrix became edges")
        src, dst, fields = both_ways(src, dst, fields, sign)
        directed = True
    return RawGraph(
        src=src,
        dst=dst,
        num_vertices=height,
        directed=symmetry == "general" if directed is None else directed,
        fields=fields,
        report=report,
        in_range=True,
    )


def _header(path: Path, lines: LineReader) -> list[bytes]:
    """The lines up to the first one that is not a comment, which gives the sizes."""
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
        wrong = f"its entries are {kind}, and those of a skew-symmetric matrix need signs"
    elif kind == "pattern" and layout == "array":
        wrong = "it is a pattern stored as an array, and a pattern has no values to store"
    elif height != width:
        wrong = f"it has {height} rows and {width} columns, and an adjacency matrix is square"
    if wrong:
        raise FormatError(
            f"{path}: {wrong}; convert it with SciPy and use Graph.from_scipy, or write it again"
        )
    if symmetry == "skew-symmetric" and directed is False:
        raise FormatError(
            f"{path}: a skew-symmetric matrix has different values in the two directions, so the "
            "graph is directed; leave out ",
            Option("directed", False),
        )


def _columns(path: Path, header: int, ids: int, dtype: type | None) -> list[np.ndarray]:
    """The columns after the header's lines: `ids` of ids and, unless `dtype` is None, values.

    Raises:
        FormatError: a row is not an entry; names the line.
    """
    names = [f"{name} (int64)" for name in ("row", "column")[:ids]]
    names += [] if dtype is None else [f"value ({np.dtype(dtype).name})"]
    expected = ", ".join(names)
    wrong = f"is no entry; expected {expected}; correct the line or fetch the file again"
    types = [] if dtype is None else [dtype]
    return read_rows(path, ids, types, wrong, comments="%", skip=header)


def _check_places(
    path: Path, header: int, rows: np.ndarray, columns: np.ndarray, size: int
) -> None:
    if not len(rows):
        return
    if all(least >= 1 and most <= size for least, most in map(extremes, (rows, columns))):
        return
    outside = (rows < 1) | (rows > size) | (columns < 1) | (columns > size)
    entry = int(np.argmax(outside))
    line, _ = line_of_row(path, entry, lambda at, text: at > header and SPLITTER.split(text))
    raise FormatError(
        f"{path}, line {line}: the entry is at ({rows[entry]}, {columns[entry]}), outside the "
        f"{size} rows and columns, which start at 1; correct the entry or the header"
    )


def _from_zero(ids: np.ndarray) -> np.ndarray:
    """`ids` less 1, in place."""
    return filled(ids, lambda block: ids[block] - 1)


def _mirrored(src: np.ndarray, dst: np.ndarray) -> int:
    """The number of entries of the upper triangle that are also in the lower one."""
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
    """Row, column and value of the nonzero entries of an array, in the file's order: column by
    column, for a matrix that is not general starting at the diagonal or below it."""
    nonzero = np.flatnonzero(values)
    if symmetry == "general":
        row, column = nonzero % max(size, 1), nonzero // max(size, 1)
    else:
        below = int(symmetry == "skew-symmetric")  # how far below the diagonal columns begin
        lengths = np.arange(size - below, -below if below else 0, -1)[: size or None]
        begins = np.cumsum(lengths) - lengths
        column = np.searchsorted(begins, nonzero, side="right") - 1
        row = nonzero - begins[column] + column + below
    return row, column, values[nonzero]


def write(path: Path, graph: Graph) -> None:
    """Write the adjacency matrix in coordinates: one entry per edge, in order.

    A directed graph is general, an undirected one symmetric with its edges in the lower triangle.
    The edge field "weight" gives the values, real or integer; without it the matrix is a pattern.
    Floats have as many digits as distinguish them from all others. Labels 0 ... V-1 in order are
    redundant and left out.

    Raises:
        FormatError: the graph has other labels, other edge fields, or vertex fields.
    """
    check_limits(path, graph, "Matrix Market", labels=None, edge_fields=None)
    if others := [name for name in graph.edge_fields if name != "weight"]:
        raise FormatError(
            f"{path}: Matrix Market holds one edge field, 'weight', and the graph has "
            f"{', '.join(others)}; an edge list and gascl's own format (.npz) can hold any; "
            f"{without('edge-fields')}"
        )
    labels = graph.labels
    if (labels is not None and len(labels)) and not (
        labels.dtype.kind in "iu" and np.array_equal(labels, np.arange(len(labels)))
    ):
        raise FormatError(
            f"{path}: Matrix Market cannot hold labels, such as {graph.label_of(0)!r} of vertex 0; "
            f"an edge list and gascl's own format (.npz) can; {without('labels')}"
        )
    weight = graph.edge_fields.get("weight")
    kind = "pattern"
    if weight is not None:
        kind = "real" if weight.dtype.kind == "f" else "integer"
        if weight.dtype == np.uint64 and len(weight) and weight.max() >= 2**63:
            kind = "unsigned-integer"  # which SciPy writes and reads, too
    symmetry = "general" if graph.directed else "symmetric"

    def entries(part: slice) -> list[np.ndarray]:
        row, column = graph.edge_src[part], graph.edge_dst[part]
        if not graph.directed:
            row, column = np.maximum(row, column), np.minimum(row, column)
        return [row + 1, column + 1, *([] if weight is None else [weight[part]])]

    with created(path) as file:
        file.write(
            f"%%MatrixMarket matrix coordinate {kind} {symmetry}\n"
            f"{graph.num_vertices} {graph.num_vertices} {graph.num_edges}\n".encode()
        )
        write_rows(file, graph.num_edges, entries)


FORMAT = Format(
    name="matrixmarket",
    extensions=(".mtx", ".mm"),
    recognizes=lambda head: head.lower().startswith(BANNER),
    read=read,
    write=write,
)
