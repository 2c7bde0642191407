"""`VertexPartition`: which rank has which vertices, where that is not left to the degrees."""

from __future__ import annotations

from functools import cached_property
from zlib import crc32

import numpy as np

from gascl.errors import GraphError
from gascl.graph.arcs import Arcs
from gascl.graph.field_types import Texts
from gascl.graph.graph import Graph
from gascl.graph.reordering import Numbering, numbering, numbering_by
from gascl.graph.unstored import Unstored
from gascl.user_messages import Option

#: By ranges of vertices with about as much work; that needs no `VertexPartition`.
RANGES = "ranges"
#: By a hash of the vertices' numbers.
HASH = "hash"
#: Fibonacci hashing: 2^64 divided by the golden ratio.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class VertexPartition:
    """Which rank has which vertices.

    Args:
        by: HASH, or the name of a vertex field of integers, or of text, which has a number for each
            text: the number modulo the number of ranks is the rank.

    Attributes:
        by: as given.
    """

    def __init__(self, graph: Graph, by: str, ranks: int):
        self.by = by
        owner: np.ndarray
        if by == HASH:
            mixed = np.arange(graph.num_vertices, dtype=np.uint64) * _MULTIPLIER >> np.uint64(32)
            owner = mixed % np.uint64(ranks)
        else:
            values = graph.vertex_fields[by]  # small types may have no room for `ranks`
            owner = (values if values.itemsize == 8 else values.astype(np.int64)) % ranks
        self._graph, self._ranks, self._owner = graph, ranks, owner.astype(np.uint16)
        self._known: dict[str, tuple[Numbering, Arcs]] = {}

    def numbered(self, edges: str) -> tuple[Numbering, Arcs]:
        """Numbers by which the vertices of each rank are a range, and the arcs by these numbers.

        Args:
            edges: as in `Graph.arcs`.
        """
        direction = edges if self._graph.directed else "both"
        if direction not in self._known:
            degree = np.diff(self._graph.arcs(direction).out_offsets)
            by_degree = numbering(degree)
            number = numbering_by(self._owner, self._ranks, by_degree)
            self._known[direction] = number, self._graph.arcs_by(number, direction)
        return self._known[direction]

    @cached_property
    def identity(self) -> str:
        """The same text for each partition that is equal."""
        return f"partition={self.by!r} ({crc32(self._owner.tobytes()):08x})"

    def __str__(self) -> str:
        return "a hash of their numbers" if self.by == HASH else f"the vertex field {self.by!r}"


def check_partition(graph: Graph, partition: object) -> None:
    """Raise GraphError unless the vertices of a graph can be partitioned by this."""
    given = partition if isinstance(partition, str) else ""
    if given == RANGES:
        return
    if isinstance(graph.src, Unstored):
        raise GraphError(
            Option("partition", partition),
            f": the edges of the graph are not stored, and each rank makes those of a range of its "
            f"{graph.num_vertices:,} vertices: leave it out",
        )
    if given == HASH:
        return
    fields = graph.vertex_fields
    there = ", ".join(fields) or "none"
    if given not in fields:
        raise GraphError(
            Option("partition", partition),
            f": give {RANGES!r}, {HASH!r}, or the name of a vertex field with the part of each "
            f"vertex, a number or a text; the graph has: {there}",
        )
    values = fields[given]
    if values.ndim > 1 or values.dtype.kind not in "iu":
        shape = f"{values.dtype}" if values.ndim == 1 else f"{values.shape[1]} values each"
        raise GraphError(
            Option("partition", partition),
            f": the vertex field {partition!r} has {shape}; a part is one integer, 0 or more, or a "
            "text",
        )
    if len(values) and values.min() < 0:
        first = graph.label_of(int(values.argmin()))
        missing = isinstance(graph.vertex_types.get(given), Texts)
        its = "no text" if missing else f"{values.min()}; a part is 0 or more"
        raise GraphError(Option("partition", partition), f": vertex {first!r} has {its}")
