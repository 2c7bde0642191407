"""`SharedEdges`: the edges of a graph, of which each rank has read some.

When a program runs for the first time, edges travel to the rank of the vertex that receives on
them. All ranks have the data of all vertices, such as where the arcs of each begin, but for the
labels, of which each has a part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any
from uuid import uuid4

import numpy as np

from gascl.distributed.ranks import Ranks
from gascl.distributed.shared_labels import SharedLabelIndex, SharedLabels, numbered_in_all
from gascl.errors import GraphError
from gascl.graph.arcs import INT32_MAX, Arcs, ArcsPart, Order, index_dtype
from gascl.graph.edge_pieces import (
    FieldKinds,
    common_kinds,
    kinds_of,
    labels_of,
    placed,
)
from gascl.graph.field_stats import Summary, summary
from gascl.graph.field_types import FieldType
from gascl.graph.fingerprint import fingerprint, hash_of
from gascl.graph.graph import Graph
from gascl.graph.lazy import held
from gascl.graph.parallel import blocks
from gascl.graph.partial_array import PartialArray, RemoteDataError
from gascl.graph.partition import Division, Part, shares
from gascl.graph.raw_graph import RawGraph
from gascl.graph.remote_field import RemoteField
from gascl.graph.reordering import Numbering, by_number, numbering
from gascl.graph.validation import Duplicates, SelfLoops
from gascl.graph.vertex_partition import VertexPartition
from gascl.language.program import VertexProgram
from gascl.language.traits import Traits
from gascl.util.host import give_back

#: The most edges that a rank sends at a time. They take about 60 bytes each meanwhile.
AT_ONCE = 1 << 18
#: What is sent of arcs besides fields: their senders, their edges, and which run against these.
_ENDS, _ID, _REVERSED = "e.src", "e.id", "e.reversed"


def shared_graph(
    pieces: list[RawGraph],
    ranks: Ranks,
    directed: bool,
    num_vertices: int | None = None,
    report: Sequence[str] = (),
) -> Graph:
    """The graph of the edges that all ranks have read; all must call this.

    Args:
        pieces: what this rank has read, in the order of the edges; they are emptied. The first
            rank's edges are the first.
        num_vertices: the vertices, where the ends of edges are their numbers; None: they are
            labels.

    Raises:
        GraphError: in all ranks: the pieces do not fit together.
    """
    own: tuple[FieldKinds | None, np.ndarray | None] = None, None
    give_back()
    with ranks.errors_in_all():
        with_edges = [piece for piece in pieces if len(piece.src)]
        every_kinds = [kinds_of(piece) for piece in with_edges]
        own = common_kinds(every_kinds) if with_edges else None, labels_of(with_edges)
        without = common_kinds([kinds_of(piece) for piece in pieces[:1]])
        pieces.clear()
    told = ranks.allgather((own[0], without))
    kinds = common_kinds(
        [each for each, _ in told if each is not None] or [each for _, each in told if each]
    )
    labels, number = None, None
    if num_vertices is None:
        with ranks.ends_all():
            labels, number = numbered_in_all(own[1], ranks)
        num_vertices = len(labels)
    if num_vertices > INT32_MAX:
        raise GraphError(f"there are {num_vertices:,} vertices, and at most {INT32_MAX:,} can be")
    with ranks.errors_in_all():
        for place in range(len(with_edges)):  # the memory of each is freed at once
            with_edges[place] = placed(with_edges[place], kinds, own[1], number)
    with ranks.ends_all():
        edges = SharedEdges(with_edges, kinds, num_vertices, directed, labels, ranks)
        return edges.graph(list(report))


class SharedEdges:
    """The edges of all ranks.

    Args:
        pieces: this rank's edges, between the vertices of the whole.
        kinds: those of the fields, in all ranks.

    Attributes:
        num_edges: of all ranks.
        name: tells the graph from others, without its fingerprint, which takes time.
        keeps: this rank keeps its edges, for other programs; otherwise they are forgotten when
            they have been sent.
        runs: a program runs on these edges.
    """

    def __init__(
        self,
        pieces: list[RawGraph],
        kinds: FieldKinds,
        num_vertices: int,
        directed: bool,
        labels: SharedLabels | None,
        ranks: Ranks,
    ):
        self._pieces, self._forgotten, self.kinds = pieces, False, kinds
        self.num_vertices, self.directed = num_vertices, directed
        self.labels, self.ranks, self.keeps, self.runs = labels, ranks, True, False
        self._fingerprint = ""
        self._counts = ranks.allgather_counts(sum(len(piece.src) for piece in pieces))
        self.num_edges = int(self._counts.sum())
        absent: Any = PartialArray(self.num_edges, np.empty(0, np.int32))
        self._absent = absent
        sources, targets, loops = self._degrees_of_all()
        #: How often each vertex is both ends of an edge, in as few bytes as possible.
        self.loops = loops.astype(np.min_scalar_type(loops.max(initial=0)))
        arcs = Arcs(self._order(sources), self._order(targets), self._absent, "out")
        #: The arcs that have been made, by their direction, and whether vertices are renumbered.
        self._made: dict[tuple[str, bool], tuple[Arcs, Numbering | None]] = {
            ("out", False): (arcs, None)
        }
        self._remote = self._remote_fields()

    def _degrees_of_all(self) -> np.ndarray:
        """int32 (3, V): how often each vertex is a source, a target, and both of an edge."""
        degrees = np.zeros((3, self.num_vertices), np.int32)
        for piece in self._pieces:
            src, dst = np.asarray(piece.src), np.asarray(piece.dst)
            for degree, ends in zip(degrees, (src, dst, src[src == dst]), strict=True):
                np.add(degree, np.bincount(ends, minlength=len(degree)), degree, casting="unsafe")
        self.ranks.add_up(degrees)
        return degrees

    def _remote_fields(self) -> dict[str, RemoteField]:
        own = {
            name: summary_of_all([summary(piece.fields[name]) for piece in self._pieces])
            for name in self.kinds
        }
        every = self.ranks.allgather(own)
        return {
            name: RemoteField(
                name,
                self.num_edges,
                kind.dtype,
                summary_of_all([each[name] for each in every]),
                self._hash_of,
            )
            for name, kind in self.kinds.items()
        }

    def graph(self, report: list[str]) -> Graph:
        """The graph, of whose edges a rank can read only what `PartialArray` allows."""
        index = None if self.labels is None else SharedLabelIndex(self.labels)
        labels: Any = self.labels
        graph = Graph(
            self._absent,
            self._absent,
            self.num_vertices,
            self.directed,
            labels,
            dict[str, Any](self._remote),
            report=report,
            edge_types=self._types,
            _label_index=index,
        )
        self.name = self.ranks.broadcast(uuid4().hex)
        return graph._shared_by(self)

    @property
    def _types(self) -> dict[str, FieldType]:
        return {name: kind.type for name, kind in self.kinds.items() if kind.type is not None}

    def whole(self, duplicates: Duplicates = "keep", self_loops: SelfLoops = "keep") -> Graph:
        """The graph of all edges, in each rank; all must call this.

        Args:
            duplicates, self_loops: as in `Graph.from_edges`.

        Raises:
            RemoteDataError: the edges have been forgotten.
            GraphError: a policy refuses an edge.
        """
        ranks = self.ranks
        self._check_kept()

        def every(own: Iterable[Any], dtype: np.dtype) -> np.ndarray:
            rows = np.concatenate([np.empty(0, dtype), *own]).reshape(-1, 1)
            return ranks.allgather_rows(rows, self._counts).reshape(-1)

        index, labels = np.dtype(np.int32), None if self.labels is None else self.labels.gather()
        with ranks.ends_all():
            raw = RawGraph(
                src=every((piece.src for piece in self._pieces), index),
                dst=every((piece.dst for piece in self._pieces), index),
                num_vertices=self.num_vertices,
                directed=self.directed,
                labels=labels,
                fields={
                    name: every((piece.fields[name] for piece in self._pieces), kind.dtype)
                    for name, kind in self.kinds.items()
                },
                edge_types=self._types,
                in_range=True,
            )
        with ranks.errors_in_all():
            whole = Graph._from_raw(raw, duplicates, self_loops, own=True)
        return whole

    def whole_of(self, graph: Graph) -> Graph:
        """`whole` with the fields of a graph of these edges."""
        whole = self.whole()
        fields = {
            name: whole.edge_fields[each.name] if isinstance(each, RemoteField) else each
            for name, each in held(graph.edge_fields).items()
        }
        return whole._with_same_edges(
            edge_fields=fields,
            edge_types=graph.edge_types,
            vertex_fields=graph.vertex_fields,
            vertex_types=graph.vertex_types,
        )

    @contextmanager
    def running(self) -> Iterator[None]:
        """A block in which a program runs, together with those that it runs."""
        before, self.runs = self.runs, True
        try:
            with self.labels_in_all():
                yield
        finally:
            self.runs = before

    def labels_in_all(self) -> AbstractContextManager[None]:
        """A block in which all ranks look up labels together: see `SharedLabels.together`."""
        return nullcontext() if self.labels is None else self.labels.together()

    def apart(self, callback: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """The callback of a run, in which ranks may do different things: it cannot look up labels
        that other ranks have."""
        if self.labels is None:
            return callback
        labels = self.labels

        def called(step: Any) -> Any:
            with labels.together(False):
                return callback(step)

        return called

    def keep_labels(self, vertices: np.ndarray | None) -> None:
        """Fetch the labels of some vertices, or of all; all ranks must call this."""
        if self.labels is not None and vertices is None:
            self.labels.gather()
        elif self.labels is not None and vertices is not None:
            self.labels.keep(vertices)

    def fingerprint(self) -> str:
        """As `Graph.fingerprint`: the first rank reads all edges, some at a time."""
        if self._fingerprint:
            return self._fingerprint
        self._check_together()
        int32 = np.dtype(np.int32)
        ends = (
            self.ranks.in_order(
                (getattr(piece, end)[rows] for piece, rows in self._blocks()), int32
            )
            for end in ("src", "dst")
        )
        with self.ranks.ends_all():
            labels = None if self.labels is None else self.labels.canonical()
            made = fingerprint(self.num_vertices, self.directed, self.num_edges, ends, labels)
            self._fingerprint = str(self.ranks.broadcast(made))
        return self._fingerprint

    def _hash_of(self, name: str) -> str:
        """The `hash_of` the values of a field."""
        self._check_together()
        dtype = self.kinds[name].dtype
        own = (piece.fields[name][block] for piece, block in self._blocks())
        with self.ranks.ends_all():
            made = hash_of(dtype, (self.num_edges,), self.ranks.in_order(own, dtype))
            return str(self.ranks.broadcast(made))

    def identify(self, graph: Graph, program: VertexProgram) -> None:
        """Compute what a checkpoint says of the graph, before edges are forgotten; all ranks must
        call this."""
        self.fingerprint()
        for field in self._read(graph, program).values():
            field.hash()

    def weighted_degree(self, side: str, name: str) -> np.ndarray:
        """The sums of `Graph.weighted_out_degree`, or of the arcs into each vertex, in the order of
        the edges; all ranks must call this.

        Args:
            side: "out" or "in".
            name: the field's name where it was read.
        """
        self._check_together()
        end, other = ("src", "dst") if side == "out" else ("dst", "src")

        def add(total: np.ndarray, loops: bool, end: str) -> None:
            for piece, block in self._blocks():
                values = piece.fields[name][block]
                if not loops:
                    values = np.where(piece.src[block] != piece.dst[block], values, 0)
                np.add.at(total, getattr(piece, end)[block], values.astype(np.float64))

        with self.ranks.ends_all():
            count = self.num_vertices
            degree = self.ranks.added_in_order(count, lambda total: add(total, True, end))
            if not self.directed:
                degree += self.ranks.added_in_order(count, lambda total: add(total, False, other))
        return degree

    def targets(self, edges: np.ndarray) -> np.ndarray:
        """int32: the vertices that some of the edges lead to; all ranks must ask for the same."""
        self._check_together()
        begin = int(self._counts[: self.ranks.rank].sum())
        with self.ranks.ends_all():
            found = np.full(len(edges), -1, np.int32)
            for piece in self._pieces:
                end = begin + len(piece.dst)
                here = (edges >= begin) & (edges < end)
                found[here] = np.asarray(piece.dst)[edges[here] - begin]
                begin = end
            self.ranks.allreduce(found, self.ranks.MAX)
        return found

    def _check_together(self) -> None:
        """Raise RemoteDataError unless all ranks do the same, and have their edges."""
        if not self.runs:
            raise RemoteDataError(
                "each rank has a part of the edges, since the graph was read with comm=; only a "
                "run reads them all; read the graph without comm="
            )
        self._check_kept()

    def check_suffices(self, program: VertexProgram) -> None:
        """Raise RemoteDataError if a program is known to read more than the arcs into its rank's
        vertices. If it does read others, for example in `prepare`, that error is raised then."""
        traits = Traits.of(program.spec, program.lanes)
        if traits.reads_neighbors and not traits.own_neighbors:
            raise RemoteDataError(f"{program.title()} reads the neighbors of any vertex")

    def bring(
        self,
        graph: Graph,
        program: VertexProgram,
        debug: bool,
        partition: VertexPartition | None = None,
    ) -> None:
        """Send the arcs that a program reads to the ranks that need them, if that has not been
        done; all ranks must call this.

        Args:
            partition: which rank has which vertices; None: each has a range of them.
        """
        spec, traits = program.spec, Traits.of(program.spec, program.lanes)
        edges = spec.direction if self.directed else "both"
        names = [*self._read(graph, program)]
        renumbers = traits.renumbers and not debug
        order: Numbering | None
        with self.ranks.errors_in_all():
            if renumbers and partition is not None:
                order, arcs = partition.numbered(edges)
            else:
                arcs, order = self._arcs_made(edges, renumbers)
                if renumbers:
                    numbered = None if order is None else (order, arcs)
                    graph._numbered[edges, self.ranks.size] = numbered
        division = self._division(order, traits)
        alternates = spec.alternates and self.directed and edges != "both"
        ids = traits.reads_ids_of_edges
        if alternates:
            other = {"out": "in", "in": "out"}[edges]
            parts = shares(arcs.out.offsets, division)
            self._send(arcs.transposed(), other, order, names, ids, True, parts)
        if traits.own_neighbors and edges != "both":  # else they are the senders
            other = {"out": "in", "in": "out"}[edges]
            begins = arcs.out.offsets  # of the same vertices
            parts = [
                Part(first, last, int(begins[first]), int(begins[last]))
                for first, last, *_ in shares(arcs.into.offsets, division)
            ]
            self._send(arcs.transposed(), other, order, [], False, True, parts)
        parts = shares(arcs.into.offsets, division)
        self._send(arcs, edges, order, names, ids, self.keeps, parts)
        if spec.arc_fields:
            self._count_before(arcs, parts[self.ranks.rank])

    def _division(self, order: Numbering | None, traits: Traits) -> Division:
        bounds = () if order is None else order.bounds
        division = Division(self.ranks.rank, self.ranks.size, bounds=bounds)
        return division.of_pairs(self.num_vertices) if traits.pairs else division

    def _count_before(self, arcs: Arcs, part: Part) -> None:
        """Find the places of this rank's part of the arcs among all, which results and checkpoints
        need."""
        with self.ranks.ends_all():
            own = arcs.part(part)
            own.know_before(self.ranks.summed_before(np.diff(own.out.offsets)))

    def uploaded(self, arcs: ArcsPart) -> None:
        """Free the arcs of a part, which are on the device, if the edges have been forgotten."""
        if self._forgotten:
            arcs.drop_ends(self._absent)

    def _read(self, graph: Graph, program: VertexProgram) -> dict[str, RemoteField]:
        """The fields of these edges that a program reads, by the names where they were read.

        Args:
            graph: it has them under the names by which the program reads them.
        """
        fields = held(graph.edge_fields)
        read = [fields[name] for name in program.spec.edge_fields if name in fields]
        return {field.name: field for field in read if isinstance(field, RemoteField)}

    def arcs(self, direction: str) -> Arcs:
        """The arcs in the graph's own order, of which at first only the numbers are known."""
        return self._arcs_made(direction, False)[0]

    def _arcs_made(self, direction: str, renumbers: bool) -> tuple[Arcs, Numbering | None]:
        if direction == "in" and not renumbers:
            arcs = self.arcs("out")
            return self._kept("in", False, lambda: (arcs.transposed(), None))

        def make() -> tuple[Arcs, Numbering | None]:
            order = numbering(self._degrees(direction)[0], self.ranks.size) if renumbers else None
            if renumbers and order is None:
                return self._arcs_made(direction, False)
            return self.arcs_by(order, direction), order

        return self._kept(direction, renumbers, make)

    def arcs_by(self, order: Numbering | None, direction: str) -> Arcs:
        """The arcs by these numbers of the vertices, of which at first only how many are known."""
        out, into = self._degrees(direction)
        first = self._order(by_number(order, out))
        second = first if into is out else self._order(by_number(order, into))
        return Arcs(first, second, self._absent, direction)

    def _kept(
        self,
        direction: str,
        renumbers: bool,
        make: Callable[[], tuple[Arcs, Numbering | None]],
    ) -> tuple[Arcs, Numbering | None]:
        if (direction, renumbers) not in self._made:
            self._made[direction, renumbers] = make()
        return self._made[direction, renumbers]

    def _order(self, degree: np.ndarray) -> Order:
        offsets = np.zeros(len(degree) + 1, index_dtype(int(degree.sum(dtype=np.int64))))
        np.cumsum(degree, out=offsets[1:])
        offsets.setflags(write=False)
        return Order(self._absent, self._absent, len(degree), known={"offsets": offsets})

    def _degrees(self, direction: str) -> tuple[np.ndarray, np.ndarray]:
        """The number of arcs on which each vertex scatters, and receives."""
        arcs = self.arcs("out")
        sources, targets = np.diff(arcs.out_offsets), np.diff(arcs.in_offsets)
        if direction == "both":
            both = sources + targets - self.loops
            return both, both
        return (sources, targets) if direction == "out" else (targets, sources)

    def _send(
        self,
        arcs: Arcs,
        direction: str,
        numbers: Numbering | None,
        names: Sequence[str],
        ids: bool,
        keeps: bool,
        parts: Sequence[Part],
    ) -> None:
        """Send the arcs to the ranks of their receivers, and the fields that have not been sent
        yet.

        Args:
            ids: also the numbers of the edges, and which arcs run against them.
            keeps: this rank keeps its edges.
            parts: those of the ranks.
        """
        order, own = arcs.into, parts[self.ranks.rank]
        # Where it is kept, by what is sent. Programs divide the vertices in several ways.
        places: dict[str, tuple[Any, Any]] = {_ENDS: (order.kept, "ends")}
        places |= {name: (self._remote[name].own, order) for name in names}
        if ids:
            places[_ID] = order.kept, "places"
        if ids and direction == "both":
            places[_REVERSED] = arcs.kept, "in_reversed"

        def there(name: str) -> bool:
            kept, key = places[name]
            return key in kept and kept[key].holds(own.begin, own.end)

        lacking = self.ranks.allgather([name for name in places if not there(name)])
        missing = [name for name in places if any(name in each for each in lacking)]
        if not missing:
            return
        self._check_kept()
        received = self._received(parts, own, direction, numbers, missing, keeps)
        for name, items in received.items():
            kept, key = places[name]
            if key not in kept:
                kept[key] = PartialArray(int(order.offsets[-1]), items, own.begin)
            elif not there(name):
                kept[key].add(items, own.begin)

    def _received(
        self,
        parts: Sequence[Part],
        own: Part,
        direction: str,
        numbers: Numbering | None,
        names: Sequence[str],
        keeps: bool,
    ) -> dict[str, np.ndarray]:
        """The senders of this rank's arcs, in the order of receivers and of senders, as `_ENDS`,
        and what else of them has these names: the values of fields, `_ID` or `_REVERSED`; after all
        ranks have sent the others what is theirs."""
        ranks, total = self.ranks, own.end - own.begin
        bounds = np.array([part.last for part in parts], np.int32)
        counts, rounds = np.zeros(ranks.size, np.int64), 0
        with ranks.errors_in_all():
            for piece, block in self._blocks():
                _, _, arcs = _keys(piece, block, direction, numbers)
                counts += np.bincount(_owners(arcs, bounds), minlength=ranks.size)
                rounds += 1
        coming = ranks.exchanged_counts(counts)
        begins = np.cumsum(coming) - coming  # so that arcs of equal ends are in the edges' order
        own_types = {_ID: index_dtype(int(parts[-1].end)), _REVERSED: np.dtype(np.uint8)}
        types = {
            name: own_types[name] if name in own_types else self.kinds[name].dtype
            for name in names
            if name != _ENDS
        }
        with ranks.errors_in_all():
            keys = np.empty(total, np.int64)
            values = {name: np.empty(total, dtype) for name, dtype in types.items()}
        first = int(self._counts[: ranks.rank].sum())  # of the edges in the blocks
        left = self._blocks(keeps)
        last = max(ranks.allgather(rounds))
        with ranks.ends_all():
            for _ in range(last):
                piece, block = next(left, (self._nothing, slice(0, 0)))
                edge, against, arcs = _keys(piece, block, direction, numbers)
                owner = _owners(arcs, bounds)
                order = np.argsort(owner, kind="stable")
                counts = np.bincount(owner, minlength=ranks.size)
                coming = ranks.exchanged_counts(counts)
                sent = [(keys, arcs)]
                for name, into in values.items():
                    if name == _ID:
                        sent.append((into, (edge + first).astype(types[_ID])))
                    elif name == _REVERSED:
                        sent.append((into, against))
                    else:
                        sent.append((into, piece.fields[name][block].take(edge)))
                first += block.stop - block.start
                for into, each in sent:
                    received = ranks.exchanged(each.take(order), counts, coming)
                    each_rank = np.split(received, np.cumsum(coming)[:-1])
                    for begin, rows in zip(begins, each_rank, strict=True):
                        into[begin : begin + len(rows)] = rows
                begins += coming
        with ranks.errors_in_all():
            if values:
                place = np.argsort(keys, kind="stable")
                keys = keys[place]
                values = {name: each[place] for name, each in values.items()}
            else:
                keys.sort()
            values[_ENDS] = _senders(keys)
            return values

    def _check_kept(self) -> None:
        """Raise RemoteDataError if the edges have been forgotten, in all ranks."""
        if self._forgotten:
            raise RemoteDataError("the edges have been sent to the ranks that need them")

    def _blocks(self, keeps: bool = True) -> Iterator[tuple[RawGraph, slice]]:
        """The pieces, and some of the edges of each at a time; unless it keeps these, each piece is
        forgotten after its last ones."""
        pieces = self._pieces if keeps else self._pieces[::-1]
        if not keeps:
            self._pieces, self._forgotten = [], True
        for number in range(len(pieces)):
            piece = pieces[number] if keeps else pieces.pop()
            for block in blocks(len(piece.src), AT_ONCE):
                yield piece, block

    @property
    def _nothing(self) -> RawGraph:
        """A piece without edges."""
        none = np.empty(0, np.int32)
        fields = {name: np.empty(0, kind.dtype) for name, kind in self.kinds.items()}
        return RawGraph(none, none, self.num_vertices, self.directed, fields=fields)


def _keys(
    piece: RawGraph, block: slice, direction: str, numbers: Numbering | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The arcs of some edges: the edge of each, in the block; uint8, whether it runs against that;
    and int64, its receiver and in the low 32 bits its sender, by the numbers."""
    src, dst = np.asarray(piece.src)[block], np.asarray(piece.dst)[block]
    if numbers is not None:
        src, dst = numbers.number.take(src), numbers.number.take(dst)
    edge = np.arange(len(src))
    if direction != "both":
        receiver, sender = (dst, src) if direction == "out" else (src, dst)
        against = np.full(len(src), direction == "in", np.uint8)
        return edge, against, receiver.astype(np.int64) << 32 | sender
    keys = np.empty((len(src), 2), np.int64)  # each followed by its reverse
    keys[:, 0] = dst.astype(np.int64) << 32 | src
    keys[:, 1] = src.astype(np.int64) << 32 | dst
    there = np.ones(keys.shape, bool)
    there[:, 1] = src != dst
    against = np.tile(np.array([0, 1], np.uint8), len(src))
    flat = there.reshape(-1)
    return edge.repeat(2)[flat], against[flat], keys[there]


def _owners(arcs: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """uint8 or more: the rank that receives on each arc.

    Args:
        bounds: (ranks,) the vertex after each rank's last.
    """
    found = np.searchsorted(bounds.astype(np.int64) << 32, arcs, "right")
    return found.astype(np.min_scalar_type(len(bounds)))


def _senders(keys: np.ndarray) -> np.ndarray:
    """int32: the low bits of keys, in the first half of the memory of these; the other is freed."""
    count, into = len(keys), keys.view(np.int32)
    low = into[0 if np.little_endian else 1 :: 2]
    for block in blocks(count, AT_ONCE):
        into[block] = low[block].copy()
    del into, low
    keys.resize(count // 2 + 1, refcheck=False)
    return keys.view(np.int32)[:count]


def summary_of_all(every: Sequence[Summary]) -> Summary:
    """The statistics of the values of all ranks."""
    least = [each.least for each in every if each.least is not None]
    greatest = [each.greatest for each in every if each.greatest is not None]
    return Summary(
        count=sum(each.count for each in every),
        least=min(least, default=None),
        greatest=max(greatest, default=None),
        total=sum(each.total for each in every),
        magnitude=min((each.magnitude for each in every), default=np.inf),
        finite=all(each.finite for each in every),
        whole=all(each.whole for each in every),
    )
