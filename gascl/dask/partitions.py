"""Graphs with only the arcs of a worker's rank, for programs that read no others.

Each step is a task of Dask. Edges are sent to the rank of the vertex that receives on them. All
workers have the data of all vertices, such as where the arcs of each begin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Any

import numpy as np

from gascl.graph.arcs import Arcs, Order, index_dtype
from gascl.graph.graph import Graph
from gascl.graph.partial_array import PartialArray
from gascl.graph.partition import Division, Part, shares
from gascl.graph.raw_graph import RawGraph
from gascl.graph.reordering import Numbering, by_number, numbering
from gascl.language.program import VertexProgram
from gascl.language.traits import Traits


def suffice(program: VertexProgram, fields: Sequence[str]) -> bool:
    """Whether a program seems to read only the arcs into its rank's vertices, and no edge field. If
    it does read others, for example in `prepare`, RemoteDataError is raised.

    Args:
        fields: the graph's edge fields.
    """
    spec = program.spec
    traits = Traits.of(spec, program.lanes)
    read = {program.edge_names.get(name, name) for name in spec.edge_fields}
    others = traits.reads_neighbors or traits.alternates or traits.pairs or spec.arc_fields
    return type(program).solve is None and not others and not read & set(fields)


def fields_of(part: Graph) -> dict[str, np.dtype] | None:
    """The edge fields of a partition, and their dtypes; None: it has no rows."""
    if not part.num_edges:
        return None
    return {name: values.dtype for name, values in part.edge_fields.items()}


def ends_of(part: Graph, labels: np.ndarray) -> np.ndarray:
    """int32 (2, E): the sources and targets in a partition, by their numbers in the whole."""
    if not part.num_edges:
        return np.empty((2, 0), np.int32)
    number = np.searchsorted(labels, np.asarray(part.labels)).astype(np.int32)
    return np.stack([number.take(part.edge_src), number.take(part.edge_dst)])


def degrees_of(ends: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """int32 (3, V): how often each vertex is a source, a target, and both of an edge."""
    degrees = np.empty((3, len(labels)), np.int32)
    for degree, vertices in zip(degrees, (*ends, ends[0, ends[0] == ends[1]]), strict=True):
        degree[:] = np.bincount(vertices, minlength=len(labels))
    return degrees


def added(degrees: Sequence[np.ndarray]) -> np.ndarray:
    """The degrees in several partitions together."""
    return reduce(add, degrees)


@dataclass(frozen=True, eq=False)
class Layout:
    """Which arcs each rank has.

    Attributes:
        degrees: of all edges, as `degrees_of`.
        directed: the graph is.
        edges: the arcs along which the program scatters, as in `Graph.arcs`.
        renumbers: vertices may have other numbers, as `Graph.numbered` gives them.
        ranks: the number of ranks.
        name: identifies the graph in all ranks.
    """

    degrees: np.ndarray
    directed: bool
    edges: str
    renumbers: bool
    ranks: int
    name: str

    @property
    def direction(self) -> str:
        """As in `Arcs`."""
        return self.edges if self.directed else "both"

    @cached_property
    def numbering(self) -> Numbering | None:
        return numbering(self._degrees(self.direction)[0], self.ranks) if self.renumbers else None

    @cached_property
    def begins(self) -> np.ndarray:
        """I (V+1): where the arcs that each vertex receives on begin, by the numbers."""
        return _offsets(by_number(self.numbering, self._degrees(self.direction)[1]))

    @cached_property
    def parts(self) -> list[Part]:
        """The rows of each rank."""
        return shares(self.begins, Division(0, self.ranks))

    def split(self, ends: np.ndarray) -> list[np.ndarray]:
        """For each rank int64 (arcs,): of its arcs among those of some edges, the receivers and in
        the low 32 bits the senders, by the numbers."""
        if self.numbering is not None:
            ends = self.numbering.number.take(ends)
        src, dst = ends
        others = src != dst
        pairs = {
            "out": [(dst, src)],
            "in": [(src, dst)],
            "both": [(dst, src), (src[others], dst[others])],
        }[self.direction]
        arcs = np.concatenate(
            [receiver.astype(np.int64) << 32 | sender for receiver, sender in pairs]
        )
        bounds = np.array([part.last for part in self.parts], np.int64) << 32
        rank = np.searchsorted(bounds, arcs, "right")
        return [arcs[rank == number] for number in range(self.ranks)]

    def graph(
        self, labels: np.ndarray, fields: Mapping[str, np.dtype], rank: int, ends: np.ndarray
    ) -> Graph:
        """The graph of a rank, from which only the arrays that `PartialArray` allows can be read.

        Args:
            ends: int32 (arcs,), the senders of its arcs, in the order of receivers and of senders.
        """
        count, edges = len(labels), int(self.degrees[0].sum(dtype=np.int64))
        absent: Any = PartialArray(edges, np.empty(0, np.int32))

        def order(**known: Any) -> Order:
            return Order(absent, absent, count, known=known)

        held = PartialArray(int(self.begins[-1]), ends, self.parts[rank].begin)
        arcs = {}
        for direction in ("out", "both") if self.directed else ("both",):
            out, into = (order(offsets=_offsets(degree)) for degree in self._degrees(direction))
            arcs[direction] = Arcs(out, into, absent, direction)
        if self.directed:
            arcs["in"] = arcs["out"].transposed()
        numbered = {}
        if self.numbering is None:
            into = order(offsets=self.begins, ends=held)
            arcs[self.direction] = Arcs(arcs[self.direction].out, into, absent, self.direction)
        else:
            degree = by_number(self.numbering, self._degrees(self.direction)[0])
            out, into = order(offsets=_offsets(degree)), order(offsets=self.begins, ends=held)
            numbered[self.direction] = self.numbering, Arcs(out, into, absent, self.direction)
        of_edges: Any = {
            name: PartialArray(edges, np.empty(0, dtype)) for name, dtype in fields.items()
        }
        raw = RawGraph(
            src=absent,
            dst=absent,
            num_vertices=count,
            directed=self.directed,
            labels=labels,
            fields=of_edges,
            arcs=arcs,
            numbered=numbered,
            fingerprint=self.name,
            checked=True,
        )
        return Graph._from_raw(raw, "keep", "keep")

    def _degrees(self, direction: str) -> tuple[np.ndarray, np.ndarray]:
        """The number of arcs on which each vertex scatters, and receives."""
        sources, targets, loops = self.degrees
        both = sources + targets - loops
        return {"out": (sources, targets), "in": (targets, sources), "both": (both, both)}[
            direction
        ]


@dataclass(frozen=True, eq=False)
class OwnArcs:
    """The part of the graph that a worker has."""

    layout: Layout
    labels: np.ndarray
    fields: Mapping[str, np.dtype]
    rank: int
    ends: np.ndarray

    def graph(self) -> Graph:
        """The graph of this rank, as `Layout.graph` makes it."""
        return self.layout.graph(self.labels, self.fields, self.rank, self.ends)


def own_arcs(
    layout: Layout,
    labels: np.ndarray,
    fields: Mapping[str, np.dtype],
    rank: int,
    pieces: Sequence[np.ndarray],
) -> OwnArcs:
    """The arcs of a rank.

    Args:
        pieces: of each partition, those that `Layout.split` gives the rank.
    """
    arcs = np.concatenate(pieces)
    arcs.sort()
    return OwnArcs(layout, labels, fields, rank, arcs.astype(np.int32))  # the low bits


def _offsets(degree: np.ndarray) -> np.ndarray:
    offsets = np.zeros(len(degree) + 1, index_dtype(int(degree.sum(dtype=np.int64))))
    np.cumsum(degree, out=offsets[1:])
    return offsets
