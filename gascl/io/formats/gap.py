"""The GAP Benchmark Suite's serialized graphs: `.sg`, and `.wsg` with weights.

Beamer, Asanović, Patterson, "The GAP Benchmark Suite", arXiv:1508.03619; the layout is that of
`WriteSerializedGraph` in its src/writer.h, little-endian: bool directed; int64 arcs, int64
vertices; int64 offsets (vertices + 1); the neighbors, int32 each, in `.wsg` followed by an int32
weight; of a directed graph also offsets and neighbors of the reversed arcs.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from gascl.errors import FormatError
from gascl.graph.arcs import INT32_MAX, index_dtype
from gascl.graph.csr_ends import CsrEnds
from gascl.graph.raw_graph import RawGraph
from gascl.io.files import created, opened, packing, plain
from gascl.io.format import Format, check_integers, check_limits
from gascl.io.symmetry import MADE_DIRECTED, WeightedArcs, unmatched, unpaired
from gascl.user_messages import Message, Option

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

HEADER = struct.Struct("<?qq")
INT32 = np.iinfo(np.int32)
PART = 1 << 24  # bytes read at once
NEIGHBORS = {
    ".sg": np.dtype([("vertex", "<i4")]),
    ".wsg": np.dtype([("vertex", "<i4"), ("weight", "<i4")]),
}


def read(path: Path, directed: bool | None) -> RawGraph:
    """Read a graph; edges are in the order of the file, by source. An undirected edge is read where
    its lower end lists it. The weights of a `.wsg` are the field "weight", int32.

    Args:
        directed: by default what the file says. True makes two edges of each undirected one, one in
            each direction; False makes every arc of a directed graph an undirected edge.

    Raises:
        FormatError: the file is shorter or longer than its header says, or its parts disagree.
    """
    with opened(path) as file:
        first = file.read(1)
        if first > b"\1":
            raise FormatError(
                f"{path} is not a serialized graph of the GAP suite: the first byte, {first[0]}, "
                "is neither 0 (undirected) nor 1; leave out ",
                Option("format", "gap"),
                ", name the right format, or fetch the file again",
            )
        suffix = _suffix(path)
        dtype = NEIGHBORS[suffix]
        head = first + _take(path, file, HEADER.size - len(first))
        stored, num_arcs, num_vertices = HEADER.unpack(head)
        if not 0 <= num_vertices <= INT32_MAX or num_arcs < 0:
            raise _damaged(
                path, f"its header declares {num_vertices:,} vertices and {num_arcs:,} arcs"
            )
        once = 8 * (num_vertices + 1) + dtype.itemsize * num_arcs
        needed, size = HEADER.size + once * (1 + stored), _size(path)
        if size is not None and size != needed:
            raise _damaged(
                path,
                f"it has {size:,} bytes, and the {num_vertices:,} vertices and {num_arcs:,} arcs "
                f"of its header take {needed:,}",
            )
        arcs = _arcs(path, file, num_vertices, num_arcs, dtype)
        back = _arcs(path, file, num_vertices, num_arcs, dtype) if stored else None
        if file.read(1):
            raise _damaged(path, "it continues after its last part")
    src, dst, weight = arcs
    row = src.rows
    report = [f"GAP: {'directed' if stored else 'undirected'}, as the file says"]
    ends: np.ndarray | CsrEnds = src
    if back is not None:
        _check_inverse(path, (row, dst, weight), (back[1], back[0].rows, back[2]), num_vertices)
        if directed is False:
            report.append(
                Message(Option("directed", False), ": every arc became an undirected edge")
            )
    else:
        _check_pairs(path, row, dst, weight, num_vertices)
        if directed:
            report.append(MADE_DIRECTED)
        else:
            lower = row <= dst
            ends, dst = row[lower], dst[lower]
            weight = None if weight is None else weight[lower]
    return RawGraph(
        src=ends,
        dst=dst,
        num_vertices=num_vertices,
        directed=stored if directed is None else directed,
        fields={} if weight is None else {"weight": weight},
        report=report,
        in_range=True,
    )


def write(path: Path, graph: Graph) -> None:
    """Write a graph sorted by source and then target: as `.sg`, or as `.wsg` with the field
    "weight", integers that fit int32.

    Raises:
        FormatError: the graph has labels, or other fields.
    """
    suffix = _suffix(path)
    dtype = NEIGHBORS[suffix]
    name = f"GAP ({suffix})"
    if suffix == ".sg" and list(graph.edge_fields) == ["weight"]:
        raise FormatError(f"{path}: {name} has no weights, and this graph has some; write a .wsg")
    check_limits(path, graph, name, edge_fields=["weight"])
    if suffix == ".wsg":
        if "weight" not in graph.edge_fields:
            raise FormatError(f"{path}: {name} has weights, and this graph has none; write a .sg")
        weight = graph.edge_fields["weight"]
        check_integers(path, name, "the edge field 'weight'", weight, INT32.min, INT32.max)
    arcs = graph.arcs()
    parts = [(arcs.out_offsets, arcs.out_targets, arcs.out_edges)]
    if graph.directed:
        parts.append((arcs.in_offsets, arcs.in_sources, arcs.in_edges))
    with created(path) as file:
        file.write(HEADER.pack(graph.directed, len(arcs.out_targets), graph.num_vertices))
        for offsets, vertices, edges in parts:
            neighbors = np.empty(len(vertices), dtype=dtype)
            neighbors["vertex"] = vertices
            if suffix == ".wsg":
                neighbors["weight"] = weight[edges]
            file.write(offsets.astype("<i8").tobytes())
            file.write(neighbors.data)


def _suffix(path: Path) -> str:
    suffix = plain(path).suffix.lower()
    if suffix not in NEIGHBORS:
        raise FormatError(
            f"{path}: whether a GAP graph has weights shows only in its name; name it .wsg, or .sg "
            "if it has none"
        )
    return suffix


def _damaged(path: Path, wrong: str) -> FormatError:
    other = ".sg" if _suffix(path) == ".wsg" else ".wsg"
    return FormatError(
        f"{path}: as a serialized graph of the GAP suite ({_suffix(path)}) it is damaged: {wrong}; "
        f"fetch or convert it again, or name it {other} if it is one"
    )


def _size(path: Path) -> int | None:
    """The size of a file in bytes; None if it is compressed."""
    with path.open("rb") as file:
        head = file.read(6)
    return None if packing(head) else path.stat().st_size


def _take(path: Path, file: BinaryIO, size: int) -> bytearray:
    """The next bytes. Memory grows as they arrive, since a header may ask for any amount."""
    data = bytearray()
    while len(data) < size:
        part = file.read(min(PART, size - len(data)))
        if not part:
            raise _damaged(path, "it ends too early")
        data += part
    return data


def _arcs(
    path: Path, file: BinaryIO, num_vertices: int, num_arcs: int, dtype: np.dtype
) -> tuple[CsrEnds, np.ndarray, np.ndarray | None]:
    """The next offsets and neighbors: the vertex that each neighbor belongs to, the neighbors and
    perhaps the weights, int32 (A,)."""
    offsets = np.frombuffer(_take(path, file, 8 * (num_vertices + 1)), dtype="<i8")
    falls = np.flatnonzero(offsets[1:] < offsets[:-1])
    if len(falls):
        raise _damaged(path, f"the offsets decrease after vertex {falls[0]}")
    if offsets[0] != 0 or offsets[-1] != num_arcs:
        raise _damaged(
            path, f"the offsets go from {offsets[0]} to {offsets[-1]}, not from 0 to {num_arcs}"
        )
    neighbors = np.frombuffer(_take(path, file, dtype.itemsize * num_arcs), dtype=dtype)
    columns = [np.ascontiguousarray(neighbors[name], np.int32) for name in dtype.names or ()]
    vertex, *weight = columns
    outside = np.flatnonzero((vertex < 0) | (vertex >= num_vertices))
    if len(outside):
        owner = int(np.searchsorted(offsets, outside[0], side="right")) - 1
        raise _damaged(
            path,
            f"vertex {owner} has the neighbor {vertex[outside[0]]}, and vertices are "
            f"0 to {num_vertices - 1}",
        )
    runs = CsrEnds(offsets.astype(index_dtype(num_arcs)))
    return runs, vertex, weight[0] if weight else None


def _check_pairs(
    path: Path, row: np.ndarray, vertex: np.ndarray, weight: np.ndarray | None, num_vertices: int
) -> None:
    """Raises FormatError for an arc of an undirected graph that has no equal one back."""
    lone = unpaired(row, vertex, weight, num_vertices)
    if lone is not None:
        raise _damaged(
            path,
            f"it is undirected, and the arc from {row[lone]} to {vertex[lone]} has no equal one "
            "back",
        )


def _check_inverse(path: Path, arcs: WeightedArcs, back: WeightedArcs, num_vertices: int) -> None:
    """Raises FormatError unless the reversed arcs, turned back, are those of the graph, in any
    order."""
    found = unmatched(arcs, back, num_vertices)
    if found is not None:
        number, place = found
        vertex = (arcs, back)[number][1][place]
        raise _damaged(path, f"the reversed arcs of vertex {vertex} are not those of the graph")


FORMAT = Format(
    name="gap",
    extensions=(".sg", ".wsg"),
    recognizes=lambda head: False,  # it starts with a byte 0 or 1, and numbers
    read=read,
    write=write,
)
