"""SciPy's sparse matrices in .npz files, as scipy.sparse.save_npz writes them."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import FormatError, GraphError
from gascl.graph.parsed import Parsed
from gascl.io.adapters.scipy import read_scipy
from gascl.io.files import created, opened
from gascl.io.format import Format, without
from gascl.io.undirected import ASSUMED_DIRECTED

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

#: The names that save_npz's first member may have, in any version of SciPy.
FIRST = ("indices", "indptr", "offsets", "row", "col", "coords", "format", "shape", "data")


def read(path: Path, directed: bool | None, field: str | None = "weight") -> Parsed:
    """Read a sparse matrix: every stored entry (i, j) is an edge from i to j, explicit zeros too.

    Nothing in it is unpickled.

    Args:
        directed: False needs a symmetric matrix, whose lower triangle gives the edges; by default
            directed.
        field: the edge field for the entries' values; None: no field. Bool entries that are all
            true are a pattern, without a field.

    Raises:
        FormatError: the file is damaged or contains no such matrix, or it is not square and real
            (and symmetric, if read as undirected).
    """
    from scipy.sparse import load_npz

    with opened(path) as file:
        # zipfile seeks back and forth, which is slow in a compressed file
        source = file if isinstance(file, io.BufferedReader) else io.BytesIO(file.read())
        begin = source.read(4)
        if not begin:
            raise FormatError(f"{path} is empty; fetch or save it again")
        if begin != b"PK\x03\x04":
            raise FormatError(
                f"{path} is not an .npz file, which starts with PK; name its format, or leave "
                "out format="
            )
        source.seek(0)
        try:
            with warnings.catch_warnings(record=True) as warned:  # of headers that Python 2 wrote
                warnings.simplefilter("always")
                matrix = load_npz(source)
            offsets = getattr(matrix, "indptr", None)
            # Decreasing ones may end the process: SciPy checks nothing if the last is negative
            if offsets is not None and (offsets[0] or (offsets[1:] < offsets[:-1]).any()):
                raise ValueError("its offsets (indptr) do not increase from 0")
            if hasattr(matrix, "check_format"):  # it has checked little of compressed ones
                matrix.check_format(full_check=True)
        except MemoryError as error:
            raise _damaged(path, "it claims to contain more than fits in memory") from error
        except Exception as error:  # damage makes zipfile, zlib and NumPy fail in many ways
            if "allow_pickle" in str(error):
                raise FormatError(
                    f"{path} contains an array of Python objects, which are never unpickled; "
                    "save a "
                    "matrix of numbers"
                ) from error
            raise _damaged(path, str(error)[:200]) from error
    report = [f"SciPy .npz: {matrix.format}, {matrix.dtype}"]
    report += [f"NumPy: {warning.message}" for warning in warned]
    if field is not None and matrix.dtype == bool and matrix.data.all():
        field = None
        report.append("bool entries, all true: a pattern, without a field")
    if directed is None:
        report.append(ASSUMED_DIRECTED)
    try:
        parsed = read_scipy(matrix, directed is not False, field)
    except GraphError as error:
        raise FormatError(f"{path}: {error}") from error
    parsed.report[:0] = report
    return parsed


def _damaged(path: Path, cause: str) -> FormatError:
    return FormatError(
        f"{path} is damaged, or not a sparse matrix from SciPy's save_npz: {cause}; fetch or "
        "save it "
        "again"
    )


def write(path: Path, graph: Graph) -> None:
    """Write the adjacency matrix with save_npz, not compressed, as coordinates in the edges' order.

    The only edge field gives the entries; without one they are true. An undirected edge is two
    entries, a self-loop one; read the file with directed=False.

    Raises:
        FormatError: the graph has labels, vertex fields, or more than one edge field.
    """
    from scipy.sparse import coo_array, save_npz

    extra, what = None, "labels"
    if graph.labels is not None:
        extra = "labels"
    elif graph.vertex_fields:
        what = "vertex-fields"
        extra = f"vertex fields ({', '.join(graph.vertex_fields)})"
    elif len(graph.edge_fields) > 1:
        what = "edge-fields"
        extra = f"more than one edge field ({', '.join(graph.edge_fields)})"
    if extra:
        raise FormatError(
            f"{path}: a SciPy matrix cannot hold {extra}; write gascl's own .npz, which can; "
            f"{without(what)}"
        )
    values: Any = next(iter(graph.edge_fields.values()), None)
    if values is None:
        values = np.ones(graph.num_edges, dtype=bool)
    row, col = graph.edge_src, graph.edge_dst
    if not graph.directed:
        # The reader takes the lower triangle: in the edges' order.
        low, high = np.minimum(row, col), np.maximum(row, col)
        across = low != high
        row, col = np.append(high, low[across]), np.append(low, high[across])
        values = np.append(values, values[across])
    shape = (graph.num_vertices, graph.num_vertices)
    with created(path) as file:
        save_npz(file, coo_array((values, (row, col)), shape=shape), compressed=False)


def recognizes(head: bytes) -> bool:
    """Whether it is a zip file whose first member is one of save_npz's."""
    if not head.startswith(b"PK\x03\x04"):
        return False
    name = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    return name in [f"{first}.npy".encode() for first in FIRST]


FORMAT = Format(
    name="scipynpz",
    extensions=(".npz",),
    recognizes=recognizes,
    read=read,
    write=write,
    packs=False,
)
