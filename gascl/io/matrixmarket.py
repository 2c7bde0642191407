"""Matrix Market: square real coordinate matrices.

Boisvert, Pozo, Remington, "The Matrix Market Exchange Formats: Initial Design", NISTIR 5935, 1996.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import BinaryIO

import numpy as np

from gascl.errors import FormatError
from gascl.io.files import opened
from gascl.io.parsed import Format, Parsed, load_rows

VALUE_TYPES = {"real": np.float64, "integer": np.int64, "unsigned-integer": np.uint64}


def read(path: Path, directed: bool | None) -> Parsed:
    """Read a matrix: every stored entry (i, j) is an edge from i to j, explicit zeros too.

    A general matrix is directed and a symmetric one, which stores one triangle, undirected, unless
    `directed` says otherwise: True takes both triangles of a symmetric matrix, False every entry
    of a general one as an undirected edge. Entries are the field "weight"; a pattern has none.

    SciPy reads the header, NumPy the entries: SciPy 1.17's `mmread` takes 0.5x for 0.5 and ends the
    process at a NUL or at a last value 1e-, and its `mminfo` can abort where it is given a file
    object, so that it gets the header's bytes.

    Raises:
        FormatError: the file is damaged, or the matrix is not square, sparse and real.
    """
    from scipy.io import mminfo

    with opened(path) as file:
        header = _header(file)
        try:
            height, width, count, layout, kind, symmetry = mminfo(io.BytesIO(b"".join(header)))
        except (ValueError, OverflowError) as error:
            raise FormatError(
                f"{path} has no Matrix Market header: {str(error).rstrip('.')}; mend the file, or, "
                "if it is a bare list of edges, read it with format='edgelist'"
            ) from error
        _check(path, height, width, layout, kind, symmetry)
        columns: dict[str, type] = {"row": np.int64, "column": np.int64}
        if kind != "pattern":
            columns["value"] = VALUE_TYPES[kind]
        text = io.TextIOWrapper(file, encoding="utf-8")
        try:
            entries = load_rows(text, columns, comments="%")
        except ValueError as error:
            raise FormatError(f"{path}: {_damage(path, len(header), columns) or error}") from error
    if len(entries) != count:
        raise FormatError(
            f"{path}: the header announces {count:,} entries, and the file has {len(entries):,}; "
            "it may be cut off: fetch it again"
        )
    src, dst = entries["row"] - 1, entries["column"] - 1
    outside = np.flatnonzero((src < 0) | (src >= height) | (dst < 0) | (dst >= height))
    if len(outside):
        entry = entries[outside[0]]
        raise FormatError(
            f"{path}: entry {outside[0] + 1} is at ({entry['row']}, {entry['column']}), outside "
            f"the {height} rows and columns, which count from 1; correct the entry or the header"
        )
    fields = {} if kind == "pattern" else {"weight": entries["value"]}
    report = [f"Matrix Market: {kind}, {symmetry}"]
    if directed and symmetry == "symmetric":
        report.append("directed=True: both triangles of the symmetric matrix are edges")
        across = np.flatnonzero(src != dst)
        src, dst = np.append(src, dst[across]), np.append(dst, src[across])
        fields = {name: np.append(values, values[across]) for name, values in fields.items()}
    if directed is False and symmetry == "general":
        report.append("directed=False: every entry of the general matrix is an undirected edge")
    return Parsed(
        src=src,
        dst=dst,
        num_vertices=height,
        directed=symmetry == "general" if directed is None else directed,
        fields=fields,
        report=report,
    )


def _header(file: BinaryIO) -> list[bytes]:
    """The lines up to the first that is no comment, which gives the sizes."""
    lines = []
    for line in file:
        lines.append(line)
        if line.strip() and not line.lstrip().startswith(b"%"):
            break
    return lines


def _check(path: Path, height: int, width: int, layout: str, kind: str, symmetry: str) -> None:
    wrong = None
    if layout != "coordinate":
        wrong = f"its layout is {layout!r}, and a graph needs 'coordinate'"
    elif kind not in ("pattern", *VALUE_TYPES):
        wrong = f"its entries are {kind}, and a graph needs real, integer or pattern"
    elif symmetry not in ("general", "symmetric"):
        wrong = f"its symmetry is {symmetry!r}, and a graph needs 'general' or 'symmetric'"
    elif height != width:
        wrong = f"it has {height} rows and {width} columns, and an adjacency matrix is square"
    if wrong:
        raise FormatError(
            f"{path}: {wrong}; convert it with SciPy and use Graph.from_scipy, or write it anew"
        )


def _damage(path: Path, header: int, columns: dict[str, type]) -> str | None:
    """Which line after the header cannot be read, and what it should hold."""
    with opened(path) as file:
        for number, line in enumerate(file, start=1):
            if number <= header:
                continue
            try:
                load_rows([line.decode()], columns, comments="%")
            except ValueError:
                held = ", ".join(f"{name} ({np.dtype(t).name})" for name, t in columns.items())
                return (
                    f"line {number} is {line.decode().strip()!r}, and an entry here is {held}; "
                    "correct the line or fetch the file again"
                )
    return None


FORMAT = Format(
    name="matrixmarket",
    extensions=(".mtx", ".mm"),
    recognizes=lambda head: head.lower().startswith(b"%%matrixmarket"),
    read=read,
)
