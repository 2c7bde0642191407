"""What a file reader must do with any bytes, reader by reader: give a sound graph that says what an
independent reading of the bytes says, or raise a GasclError."""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from support import naive_formats
from support.naive_formats import Expected, Unknown, Wrong

from gascl.errors import GasclError
from gascl.graph.graph import Graph
from gascl.io import text_lines
from gascl.io.files import PACKED

UNMARKED = "it may have been cut off"  # in the report of a format that can't tell
PART = b"\n@@@@\n"  # between the files of a bundle


class Finding(AssertionError):
    """A reader did what it must not."""


def require(holds: bool, *words: object) -> None:
    if not holds:
        raise Finding(" ".join(map(str, words)))


def read(path: Path, **options: object) -> Graph | None:
    """The graph in a file, found sound; None: it was refused."""
    try:
        graph = Graph.read(path, **options)
    except GasclError as error:
        require(0 < len(str(error)) < 3000, "an error of", len(str(error)), "characters")
        require("Traceback" not in str(error), "a traceback in an error")
        return None
    check_sound(graph)
    return graph


def check_sound(graph: Graph) -> None:
    size, count = graph.num_vertices, graph.num_edges
    require(type(size) is int and 0 <= size < 2**31, "vertices:", repr(size))
    for ends in (graph.edge_src, graph.edge_dst):
        require(ends.dtype == np.int32 and ends.shape == (count,), "ends", ends.dtype, ends.shape)
        require(not count or 0 <= ends.min() <= ends.max() < size, "an end is no vertex")
    labels = graph.labels
    if labels is not None:
        require(labels.shape == (size,), "labels", labels.shape)
        require(len(set(labels.tolist())) == size, "labels repeat")
    for name, values in graph.edge_fields.items():
        require(values.shape == (count,) and values.dtype.kind in "iuf", "field", name)
    for name, values in graph.vertex_fields.items():
        require(values.shape[:1] == (size,), "vertex field", name, values.shape)
    require(all(isinstance(line, str) for line in graph.report), "the report")
    require(type(graph.directed) is bool, "directed is", repr(graph.directed))
    for arcs in graph._arcs.values():  # of gascl's .npz: as they are stored
        many = len(arcs.out_targets)
        for values, limit in (
            *((arcs.out_targets, size), (arcs.in_sources, size), (arcs.slot, many)),
            *((arcs.out_edges, count), (arcs.in_edges, count)),
        ):
            require(len(values) == many, "as many arcs everywhere")
            require(not many or 0 <= values.min() <= values.max() < limit, "arcs out of range")
        for offsets in (arcs.out_offsets, arcs.in_offsets):
            require(len(offsets) == size + 1, "offsets", len(offsets))
            require(offsets[0] == 0 and offsets[-1] == many, "ends of the offsets")
            require(bool((np.diff(offsets) >= 0).all()), "offsets decrease")


def agree(graph: Graph | None, expected: Callable[[], Expected], indices: bool = False) -> None:
    """Raises Finding where a graph was read, and an independent reading gives another or none.

    Args:
        indices: `expected` has vertices for ends, though the graph has labels.
    """
    if graph is None:
        return
    try:
        naive = expected()
    except Unknown:
        return
    except Wrong as error:
        raise Finding(f"read, though: {error}") from error
    ends = [graph.edge_src, graph.edge_dst]
    if graph.labels is not None and not indices:
        ends = [graph.labels[end] for end in ends]
    columns = [*ends, *([] if indices else graph.edge_fields.values())]
    edges = list(zip(*(column.tolist() for column in columns), strict=True))
    require(len(edges) == len(naive.edges), len(edges), "edges, not", len(naive.edges))
    for found, wanted in zip(edges, naive.edges, strict=True):
        same = len(found) == len(wanted) and all(map(_same, found, wanted))
        require(same, "an edge is", found, "and not", wanted)
    if naive.num_vertices is None:
        used = {end for edge in naive.edges for end in edge[:2]}
        require(graph.num_vertices == len(used), graph.num_vertices, "vertices, not", len(used))
    else:
        require(graph.num_vertices == naive.num_vertices, graph.num_vertices, "vertices")
    for name, values in naive.vertex_fields.items():
        found = graph.vertex_fields[name].tolist()
        require([*map(list, values)] == found if _nested(values) else values == found, name)


def _nested(values: list) -> bool:
    return bool(values) and isinstance(values[0], (list, tuple))


def _same(a: object, b: object) -> bool:
    return a == b or (a != a and b != b)


def check_cut_off(
    data: bytes, lengths: Iterable[int], format: str, suffixes: Iterable[str], folder: Path
) -> None:
    """Raises Finding where a binary file that is cut off is read as a whole one."""
    for suffix in suffixes:
        path = folder / f"cut{suffix}"
        for length in lengths:
            path.write_bytes(data[:length])
            graph = read(path, format=format)
            told = graph is None or any(UNMARKED in line for line in graph.report)
            require(told, "cut off at", length, "and read")
            path.unlink()


@contextmanager
def in_pieces(choice: int) -> Iterator[None]:
    """Read in small pieces now and then, so that their borders are met in small files."""
    kept = text_lines.PIECE
    size = (None, None, 64, 7)[choice // 16 % 4]
    if size:
        text_lines.PIECE = size
    try:
        yield
    finally:
        text_lines.PIECE = kept


def _packed(data: bytes) -> bool:
    return data.startswith(tuple(PACKED.values()))


def _direction(choice: int) -> bool | None:
    return (None, None, True, False)[choice % 4]


def text_check(
    format: str,
    names: tuple[str, ...],
    naive: Callable[[bytes, Graph, bool | None], Expected],
    indices: bool = False,
    options: tuple[dict, ...] = ({},),
) -> Callable[[bytes, Path], None]:
    """The check of a format of one file, with one of the names and of the reader's options."""

    def check(data: bytes, folder: Path) -> None:
        choice = zlib.crc32(data)
        path = folder / names[choice // 64 % len(names)]
        path.write_bytes(data)
        directed = _direction(choice)
        chosen = options[choice // 1024 % len(options)]
        with in_pieces(choice):
            graph = read(path, format=format, directed=directed, **chosen)
        if not _packed(data):
            agree(graph, lambda: naive(data, graph, directed), indices)

    return check


def _is_doubled(graph: Graph) -> bool:
    return any(line.startswith("directed=True: each edge became two") for line in graph.report)


def both_ways(expected: Expected, graph: Graph) -> Expected:
    """As it is, or where the report says that each edge was made two: but for self-loops, those the
    other way round come last."""
    if _is_doubled(graph):
        expected.edges += [
            (head, tail, *rest) for tail, head, *rest in expected.edges if tail != head
        ]
    return expected


def check_dimacs(data: bytes, folder: Path) -> None:
    parts = data.split(PART, 1)
    choice = zlib.crc32(data)
    paths = [folder / "a.gr", folder / "a.co"]
    paths[1].unlink(missing_ok=True)
    for path, part in zip(paths, parts, strict=False):
        path.write_bytes(part)
    with in_pieces(choice):
        graph = read(paths[0], format="dimacs", directed=_direction(choice))
    if not any(map(_packed, parts)):
        agree(graph, lambda: naive_formats.dimacs(parts[0], parts[1] if len(parts) > 1 else None))


def check_graphalytics(data: bytes, folder: Path) -> None:
    """.properties, .v and .e; or .v and .e alone."""
    parts = data.split(PART, 2)
    if len(parts) < 2:
        return
    choice = zlib.crc32(data)
    properties = parts[0] if len(parts) > 2 else None
    paths = {end: folder / f"a.{end}" for end in ("properties", "v", "e")}
    for path, part in zip(paths.values(), [properties, *parts[-2:]], strict=True):
        path.unlink(missing_ok=True)
        if part is not None:
            path.write_bytes(part)
    ends = ["v", "e"] if properties is None else ["properties", "v", "e"]
    path = paths[ends[choice // 64 % len(ends)]]
    directed = _direction(choice)
    with in_pieces(choice):
        graph = read(path, format="graphalytics", directed=directed)
    if not any(map(_packed, parts)):
        agree(graph, lambda: naive_formats.graphalytics(properties, *parts[-2:], directed))


def check_gap(data: bytes, folder: Path) -> None:
    """One and the same file as .sg and as .wsg."""
    choice = zlib.crc32(data)
    for suffix, width in ((".sg", 1), (".wsg", 2)):
        path = folder / f"a{suffix}"
        path.write_bytes(data)
        directed = _direction(choice)
        graph = read(path, directed=directed)
        if graph is not None and not _packed(data):
            _agree_gap(graph, data, width, directed)


def _agree_gap(graph: Graph, data: bytes, width: int, directed: bool | None) -> None:
    stored, count, size = struct.unpack_from("<?qq", data)
    take = 17 + 8 * (size + 1)
    require(len(data) == 17 + (1 + stored) * (8 * (size + 1) + 4 * width * count), "bytes remain")
    offsets = struct.unpack_from(f"<{size + 1}q", data, 17)
    values = struct.unpack_from(f"<{width * count}i", data, take)
    arcs = []
    for vertex in range(size):
        for arc in range(offsets[vertex], offsets[vertex + 1]):
            arcs.append((vertex, *values[width * arc : width * (arc + 1)]))
    require(len(arcs) == count, "the header has", count, "arcs")
    if not stored and not directed:
        arcs = [arc for arc in arcs if arc[0] <= arc[1]]
    agree(graph, lambda: Expected(size, arcs))


def table_check(format: str, suffix: str) -> Callable[[bytes, Path], None]:
    def check(data: bytes, folder: Path) -> None:
        import pyarrow
        from pyarrow import ipc, parquet

        path = folder / f"a{suffix}"
        path.write_bytes(data)
        graph = read(path, format=format, directed=_direction(zlib.crc32(data)))
        path.unlink()  # which may still be mapped
        if graph is None or _packed(data):
            return
        file = pyarrow.BufferReader(data)
        if format == "parquet":
            rows = parquet.read_metadata(file).num_rows
        else:
            open_table = ipc.open_file if data.startswith(b"ARROW1") else ipc.open_stream
            try:
                rows = open_table(file).read_all().num_rows
            except (pyarrow.ArrowException, OSError):  # in a column that is left out
                return
        most = 2 * rows if _is_doubled(graph) else rows
        require(rows <= graph.num_edges <= most, graph.num_edges, "edges of", rows, "rows")

    return check


def check_scipynpz(data: bytes, folder: Path) -> None:
    from scipy.sparse import load_npz

    path = folder / "a.npz"
    path.write_bytes(data)
    directed = _direction(zlib.crc32(data))
    graph = read(path, format="scipynpz", directed=directed)
    if graph is None or _packed(data):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of headers that Python 2 wrote
        matrix = load_npz(io.BytesIO(data))
    require(matrix.shape == (graph.num_vertices,) * 2, "the shape is", matrix.shape)
    if directed is not False and graph.num_vertices < 10_000:  # SciPy takes time for every row
        count = matrix.tocoo().nnz
        require(count == graph.num_edges, graph.num_edges, "edges of", count, "entries")


def check_gascl(data: bytes, folder: Path) -> None:
    path = folder / "a.npz"
    path.write_bytes(data)
    choice = zlib.crc32(data)
    graph = read(path, format="gascl", directed=_direction(choice), mmap=choice & 64 > 0)
    if graph is not None and graph.num_edges and not _packed(data):
        with np.load(io.BytesIO(data)) as members:
            require(len(members["edge_src"]) <= graph.num_edges, "edges lack")
    path.unlink()


def check_any(data: bytes, folder: Path) -> None:
    """No format named: content and extension tell."""
    ends = ("txt", "csv", "mtx", "gr", "graph", "v", "e", "sg", "gml", "graphml", "npz", "unknown")
    path = folder / f"any.{ends[zlib.crc32(data) % len(ends)]}"
    path.write_bytes(data)
    read(path)
    path.unlink()
