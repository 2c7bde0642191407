"""The GAP Benchmark Suite's serialized graphs: `.sg`, and `.wsg` with weights.

Beamer, Asanović, Patterson, "The GAP Benchmark Suite", arXiv:1508.03619; the layout is that of
`WriteSerializedGraph` in its src/writer.h, little-endian: bool directed; int64 arcs, int64
vertices; int64 offsets (vertices + 1); the neighbors, int32 each, in `.wsg` followed by an int32
weight; of a directed graph also offsets and neighbors of the reversed arcs.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from gascl.errors import FormatError
from gascl.graph.arcs import INT32_MAX, Arcs, Order, index_dtype, stable_order
from gascl.graph.csr_ends import CsrEnds
from gascl.graph.parallel import blocks, in_threads
from gascl.graph.raw_graph import RawGraph
from gascl.io.files import created, opened, packing, plain
from gascl.io.format import Format, check_integers, check_limits
from gascl.io.symmetry import MADE_DIRECTED, unpaired
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
        about = (size is not None, num_vertices, num_arcs, dtype)
        given = _Neighbors.read(path, file, *about, forward=(True,) if stored else (True, False))
        inverse = None
        if stored:
            inverse = _Neighbors.read(path, file, *about, forward=(False,))
        if file.read(1):
            raise _damaged(path, "it continues after its last part")
    tail, head_of, weight = given.row, given.vertex, given.weight
    report = [f"GAP: {'directed' if stored else 'undirected'}, as the file says"]
    if inverse is not None:
        if inverse.sums != given.sums:
            _check_inverse(path, given, inverse)
        if directed is False:
            report.append(
                Message(Option("directed", False), ": every arc became an undirected edge")
            )
    else:
        if given.sums[0] != given.sums[1]:
            _check_pairs(path, given)
        if directed:
            report.append(MADE_DIRECTED)
        else:
            tail, head_of, weight = given.lower()
    directed = stored if directed is None else directed
    arcs = {}
    if directed == stored:
        known = given.known()
        out = Order(tail, head_of, num_vertices, both=not directed, known=known)
        into = out
        if inverse is not None:
            into = Order(head_of, tail, num_vertices, known=inverse.known())
        direction = "out" if directed else "both"
        arcs = {direction: Arcs(out, into, tail, direction)}
    return RawGraph(
        src=tail,
        dst=head_of,
        num_vertices=num_vertices,
        directed=directed,
        fields={} if weight is None else {"weight": weight},
        report=report,
        arcs=arcs,
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


#: Random odd factors, so that no file is made to deceive the sums of `_hashed`.
FACTORS = [np.uint64(int.from_bytes(os.urandom(8), "little") | 1) for _ in range(3)]


def _hashed(row: np.ndarray, end: np.ndarray, weight: np.ndarray | None) -> int:
    """A sum over arcs, modulo 2^64, that others than these have by a chance of about 2^-64."""
    keys = row.astype(np.uint64)
    keys <<= np.uint64(32)
    keys |= end.view(np.uint32)
    keys *= FACTORS[0]
    mixed = keys >> np.uint64(29)
    keys ^= mixed
    if weight is not None:
        keys += weight.view(np.uint32) * FACTORS[2]
        np.right_shift(keys, np.uint64(32), out=mixed)
        keys ^= mixed
    keys *= FACTORS[1]
    np.right_shift(keys, np.uint64(32), out=mixed)
    keys ^= mixed
    return int(keys.sum())


@dataclass
class _Neighbors:
    """Offsets and neighbors in a file, checked. A arcs, V vertices."""

    offsets: np.ndarray  # int64 (V+1,)
    row: np.ndarray  # int32 (A,): the vertex that each neighbor belongs to
    vertex: np.ndarray  # int32 (A,): the neighbors
    weight: np.ndarray | None  # int32 (A,)
    rises: bool  # the neighbors of each vertex are in order
    sums: list[int]  # of hashes of the arcs

    @classmethod
    def read(
        cls,
        path: Path,
        file: BinaryIO,
        plain: bool,
        num_vertices: int,
        num_arcs: int,
        dtype: np.dtype,
        forward: tuple[bool, ...],
    ) -> _Neighbors:
        """The next part of the file, in threads.

        Args:
            plain: the file is not compressed, and has the right size.
            forward: for each sum, whether the arcs run from their row.
        """
        offsets = np.frombuffer(_take(path, file, 8 * (num_vertices + 1)), dtype="<i8")
        falls = np.flatnonzero(offsets[1:] < offsets[:-1])
        if len(falls):
            raise _damaged(path, f"the offsets decrease after vertex {falls[0]}")
        if offsets[0] != 0 or offsets[-1] != num_arcs:
            raise _damaged(
                path, f"the offsets go from {offsets[0]} to {offsets[-1]}, not from 0 to {num_arcs}"
            )
        if plain:
            begin = file.tell()

            def taken(block: slice) -> np.ndarray:
                arcs = np.empty(block.stop - block.start, dtype)
                with path.open("rb", buffering=0) as own:
                    own.seek(begin + dtype.itemsize * block.start)
                    if own.readinto(arcs.view(np.uint8).data) != arcs.nbytes:
                        raise _damaged(path, "it ends too early")
                return arcs

            file.seek(begin + dtype.itemsize * num_arcs)
        else:
            whole = np.frombuffer(_take(path, file, dtype.itemsize * num_arcs), dtype=dtype)

            def taken(block: slice) -> np.ndarray:
                return whole[block]

        row, vertex = np.empty(num_arcs, np.int32), np.empty(num_arcs, np.int32)
        weight = np.empty(num_arcs, np.int32) if "weight" in (dtype.names or ()) else None

        runs = CsrEnds(offsets)

        def take(block: slice) -> tuple[int | None, bool, list[int]]:
            arcs = taken(block)
            ends, numbers = vertex[block], None
            ends[:] = arcs["vertex"]
            if weight is not None:
                numbers = weight[block]
                numbers[:] = arcs["weight"]
            if ends.view(np.uint32).max() >= num_vertices:
                outside = (ends < 0) | (ends >= num_vertices)
                return block.start + int(np.argmax(outside)), False, []
            rows = row[block]
            rows[:] = runs[block]
            rises = ((rows[1:] > rows[:-1]) | (ends[1:] >= ends[:-1])).all()
            pairs = [(rows, ends) if runs else (ends, rows) for runs in forward]
            return None, bool(rises), [_hashed(*pair, numbers) for pair in pairs]

        parts = blocks(num_arcs)
        pieces = in_threads(take, parts)
        outside = [place for place, *_ in pieces if place is not None]
        if outside:
            owner = int(np.searchsorted(offsets, outside[0], side="right")) - 1
            raise _damaged(
                path,
                f"vertex {owner} has the neighbor {vertex[outside[0]]}, and vertices are "
                f"0 to {num_vertices - 1}",
            )
        seams = np.array([part.start for part in parts[1:]], np.int64)
        rises = (
            all(each for _, each, _ in pieces)
            and not ((row[seams] == row[seams - 1]) & (vertex[seams] < vertex[seams - 1])).any()
        )
        sums = [sum(each[at] for _, _, each in pieces) % 2**64 for at in range(len(forward))]
        return cls(offsets, row, vertex, weight, rises, sums)

    def known(self) -> dict[str, np.ndarray]:
        """The arrays of an Order of these arcs."""
        known = {"offsets": self.offsets.astype(index_dtype(len(self.row)))}
        if self.rises:
            known["ends"] = self.vertex
        return known

    def lower(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Rows, neighbors and weights of the arcs whose row is not the higher end."""

        def chosen(block: slice) -> list[np.ndarray]:
            kept = self.row[block] <= self.vertex[block]
            return [each[block][kept] for each in arrays]

        arrays = [each for each in (self.row, self.vertex, self.weight) if each is not None]
        none = [each[:0] for each in arrays]
        found = in_threads(chosen, blocks(len(self.row)))
        row, vertex, *weight = map(np.concatenate, zip(none, *found, strict=True))
        return row, vertex, weight[0] if weight else None

    def arcs(self) -> np.ndarray:
        """(A,) with the fields vertex and perhaps weight."""
        names = ["vertex"] if self.weight is None else ["vertex", "weight"]
        arcs = np.empty(len(self.row), [(name, np.int32) for name in names])
        for name in names:
            arcs[name] = getattr(self, name)
        return arcs


def _check_pairs(path: Path, given: _Neighbors) -> None:
    """Raises FormatError for an arc of an undirected graph that has no equal one back."""
    lone = unpaired(given.row, given.vertex, given.weight, len(given.offsets) - 1)
    if lone is not None:
        u, v = int(given.row[lone]), int(given.vertex[lone])
        raise _damaged(path, f"it is undirected, and the arc from {u} to {v} has no equal one back")


def _check_inverse(path: Path, given: _Neighbors, inverse: _Neighbors) -> None:
    """Raises FormatError unless the reversed arcs are those of the graph, in any order."""
    order = stable_order(given.vertex, len(given.offsets) - 1)
    expected, arcs, head = given.arcs()[order], inverse.arcs(), inverse.row
    names = arcs.dtype.names or ()
    expected["vertex"] = given.row[order]
    if (given.vertex[order] != head).any():
        differ = given.vertex[order] != head
    else:
        keys = [head, *(arcs[name] for name in names)]
        arcs = arcs[np.lexsort(keys[::-1])]
        keys = [head, *(expected[name] for name in names)]
        expected = expected[np.lexsort(keys[::-1])]
        differ = arcs != expected
    if differ.any():
        vertex = int(head[np.argmax(differ)])
        raise _damaged(path, f"the reversed arcs of vertex {vertex} are not those of the graph")


FORMAT = Format(
    name="gap",
    extensions=(".sg", ".wsg"),
    recognizes=lambda head: False,  # it starts with a byte 0 or 1, and numbers
    read=read,
    write=write,
)
