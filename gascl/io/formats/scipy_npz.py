"""SciPy's sparse matrices in .npz files, as scipy.sparse.save_npz writes them."""

from __future__ import annotations

import io
import warnings
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import FormatError, GraphError
from gascl.graph.csr_ends import rises
from gascl.graph.raw_graph import RawGraph
from gascl.io.adapters.scipy import read_scipy
from gascl.io.files import check_fits, created, opened
from gascl.io.format import Format, check_limits
from gascl.io.mapped_npz import SIGNATURE, check_begin
from gascl.io.symmetry import ASSUMED_DIRECTED

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

#: The names that save_npz's first member may have, in any version of SciPy.
FIRST = ("indices", "indptr", "offsets", "row", "col", "coords", "format", "shape", "data")


def read(path: Path, directed: bool | None, field: str | None = "weight") -> RawGraph:
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
    report: list[str] = []
    matrix = _matrix(path, report)
    report.insert(0, f"SciPy .npz: {matrix.format}, {matrix.dtype}")
    if field is not None and matrix.dtype == bool and matrix.data.all():
        field = None
        report.append("bool entries, all true: a pattern, without a field")
    if directed is None:
        report.append(ASSUMED_DIRECTED)
    try:
        parsed = read_scipy(matrix, directed is not False, field)
    except GraphError as error:
        raise FormatError(f"{path}: ", error.message) from error
    parsed.report[:0] = report
    return parsed


def _matrix(path: Path, report: list[str]) -> Any:
    """The matrix, by SciPy's reader, and checked."""
    from scipy.sparse import load_npz

    with opened(path) as file:
        # zipfile seeks back and forth, which is slow in a compressed file
        source = file if isinstance(file, io.BufferedReader) else io.BytesIO(file.read())
        check_begin(path, source.read(4))
        source.seek(0)
        try:
            with zipfile.ZipFile(source) as archive:
                # Compressed members take their size twice: as bytes, and as arrays.
                packed = [info for info in archive.infolist() if info.compress_type]
                check_fits(path, 2 * sum(info.file_size for info in packed))
            source.seek(0)
            with warnings.catch_warnings(record=True) as warned:  # of headers that Python 2 wrote
                warnings.simplefilter("always")
                matrix = load_npz(source)
            offsets = getattr(matrix, "indptr", None)
            # Decreasing ones may end the process: SciPy checks nothing if the last is negative
            if offsets is not None and not rises(offsets, offsets[-1]):
                raise ValueError("its offsets (indptr) do not increase from 0")
            if hasattr(matrix, "check_format"):  # it has checked little of compressed ones
                matrix.check_format(full_check=True)
        except FormatError:
            raise
        except MemoryError as error:
            raise _damaged(path, "it claims to contain more than fits in memory") from error
        except Exception as error:  # damage makes zipfile, zlib and NumPy fail in many ways
            if "allow_pickle" in str(error):
                raise FormatError(
                    f"{path} contains an array of Python objects, which are never unpickled; save "
                    "a matrix of numbers"
                ) from error
            raise _damaged(path, str(error)[:200]) from error
    report += [f"NumPy: {warning.message}" for warning in warned]
    return matrix


def _damaged(path: Path, cause: str) -> FormatError:
    return FormatError(
        f"{path} is damaged, or not a sparse matrix from SciPy's save_npz: {cause}; fetch or save "
        "it again"
    )


def write(path: Path, graph: Graph) -> None:
    """Write the adjacency matrix with save_npz, not compressed, as coordinates in the edges' order.

    The only edge field gives the entries; without one they are true. An undirected edge is two
    entries, a self-loop one; read the file with directed=False.

    Raises:
        FormatError: the graph has labels, vertex fields, or more than one edge field.
    """
    from scipy.sparse import coo_array, save_npz

    several = len(graph.edge_fields) > 1
    name = "a SciPy matrix, which has one value an entry," if several else "a SciPy matrix"
    check_limits(path, graph, name, edge_fields=() if several else None)
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
    if not head.startswith(SIGNATURE):
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
