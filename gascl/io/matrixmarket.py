"""Matrix Market: square real coordinate matrices, read by SciPy.

Boisvert, Pozo, Remington, "The Matrix Market Exchange Formats: Initial Design", NISTIR 5935, 1996.
"""

from __future__ import annotations

from pathlib import Path

from gascl.errors import FormatError
from gascl.io.parsed import Format, Parsed, opened


def read(path: Path, directed: bool | None) -> Parsed:
    """Read a matrix: every stored entry (i, j) is an edge from i to j, explicit zeros too.

    A general matrix is directed and a symmetric one, which stores one triangle, undirected, unless
    `directed` says otherwise: True takes both triangles of a symmetric matrix, False every entry
    of a general one as an undirected edge. Entries are the field "weight"; a pattern has none.

    Raises:
        FormatError: the file is damaged, or the matrix is not square, sparse and real.
    """
    from scipy.io import mminfo, mmread

    try:
        with opened(path) as file:
            height, width, _, layout, kind, symmetry = mminfo(file)
        _check(path, height, width, layout, kind, symmetry)
        with opened(path) as file:
            matrix = mmread(file)
    except (ValueError, OverflowError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(
            f"{path} is not a Matrix Market file as it should be: {error} If it is a bare list of "
            "edges, read it with format='edgelist'"
        ) from error
    src, dst, values = matrix.row, matrix.col, matrix.data
    report = [f"Matrix Market: {kind}, {symmetry}"]
    if directed is None:
        directed = symmetry == "general"
    elif directed and symmetry == "symmetric":
        report.append("directed=True: both triangles of the symmetric matrix are edges")
    elif not directed and symmetry == "general":
        report.append("directed=False: every entry of the general matrix is an undirected edge")
    if not directed and symmetry == "symmetric":
        # SciPy adds the other triangle.
        stored = src >= dst
        src, dst, values = src[stored], dst[stored], values[stored]
    return Parsed(
        src=src,
        dst=dst,
        num_vertices=height,
        directed=directed,
        fields={} if kind == "pattern" else {"weight": values},
        report=report,
    )


def _check(path: Path, height: int, width: int, layout: str, kind: str, symmetry: str) -> None:
    wrong = None
    if layout != "coordinate":
        wrong = f"its layout is {layout!r}, and a graph needs 'coordinate'"
    elif kind == "complex":
        wrong = "its entries are complex, and a graph needs real, integer or pattern"
    elif symmetry not in ("general", "symmetric"):
        wrong = f"its symmetry is {symmetry!r}, and a graph needs 'general' or 'symmetric'"
    elif height != width:
        wrong = f"it has {height} rows and {width} columns, and an adjacency matrix is square"
    if wrong:
        raise FormatError(
            f"{path}: {wrong}; convert it with SciPy and use Graph.from_scipy, or write it anew"
        )


FORMAT = Format(
    name="matrixmarket",
    extensions=(".mtx", ".mm"),
    recognizes=lambda head: head.lower().startswith(b"%%matrixmarket"),
    read=read,
)
