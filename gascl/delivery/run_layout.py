"""The buffers of a run, with their types and sizes, and the buffers that each kernel uses.

`State` and memory estimates are based on it. It is a pure function of a program's
header, its delivery and the size of the graph, and needs no device.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from gascl.codegen.atomic_cells import cell_bits
from gascl.codegen.constants import (
    BUNDLES_OF_GROUP,
    DIGIT_BITS,
    KEYS_PER_ITEM,
    RECEIVERS_PER_ITEM,
    SEGMENT,
    STRIDE,
    Fault,
    Team,
    levels,
)
from gascl.codegen.header import Header
from gascl.codegen.pairs import splits
from gascl.delivery.buffers import ANYTHING, BUNDLES, COMMON, INBOX_SWAPS, ITEMS, ZERO, Buffer
from gascl.delivery.delivery import Delivery
from gascl.delivery.launch import (
    CLEAR_REMOTE_INBOXES,
    EMPTY_INBOX,
    FINISH,
    NANS,
    NEAR,
    NEAR_SORT,
    NEEDED,
    NUMBERS,
    PAIRS,
    PAIRS_JOIN,
    RADIX,
    RECEIVE_REMOTE,
    SNAPSHOT,
    START,
    START_ARCS,
    TABLES,
    TOTAL,
    Launch,
)
from gascl.errors import GasclError
from gascl.language.fields import EdgeField
from gascl.language.spec import ProgramSpec
from gascl.language.traits import Traits
from gascl.language.types import TIME, Type

#: The largest number of supersteps before the host reads their records: of supersteps in separate
#: launches, and of supersteps in one launch of a persistent kernel.
MOST_AHEAD, RECORDS = 64, 256
#: The largest number of remote messages that a launch puts into inboxes.
REMOTE_MESSAGES = 2**20
#: The most work-groups that look for the bounds of places, and that add up counts of digits.
MOST_BOUNDS, MOST_SUMS = 64, 512


class Owner(str, Enum):  # keys are sorted
    """What a buffer belongs to, if neither to a delivery nor to an active set."""

    VERTEX, ARC, COPY = "vertex field", "arc field", "copy of a vertex field"
    GRAPH, EDGE, RUN = "graph", "edge field", "run"
    NEXT = "graph of the next superstep"  # where edges alternate


VERTEX, ARC, COPY, GRAPH, EDGE, RUN, NEXT = Owner
#: The prefixes of buffers' names in messages and in headers.
_PREFIXES: dict[Owner | str, str] = {VERTEX: "v.", ARC: "a.", COPY: "old."}


#: The array of the vertices' ids, where vertices are renumbered on the device. No edge field can
#: have this name.
IDS = "v.id"


class Key(NamedTuple):
    """The identity of a buffer: its owner, and its name there.

    Attributes:
        owner: an Owner, the name of a delivery, or `ActiveSet.owner`.
    """

    owner: Owner | str
    name: str

    def __str__(self) -> str:
        return _PREFIXES.get(self.owner, "") + self.name


@dataclass(frozen=True)
class EdgeValues:
    """The content of an edge array: an edge field, `id` or `reversed`, one value per arc.

    Attributes:
        order: the order of the arcs, "out" or "in"; or "all_out", with the arcs of all ranks.
        field, type: None for `id` and `reversed`.
    """

    name: str
    order: str
    field: EdgeField | None
    type: Type | None


@dataclass(frozen=True)
class Array:
    """One buffer.

    Attributes:
        dtype, count: the type and number of its items, for all lanes; vectors are one item.
        begins: its initial content, if no earlier run has left it: see buffers.py.
        edge: the content of an edge array.
    """

    dtype: np.dtype
    count: int
    begins: str = ANYTHING
    edge: EdgeValues | None = None

    @property
    def nbytes(self) -> int:
        return self.dtype.itemsize * self.count


@dataclass(frozen=True)
class Extent:
    """The size of a run.

    Attributes:
        vertices, arcs: their numbers in the graph, as the program sees it.
        offset: NumPy's name of the type of arc offsets and edge ids.
        group: the number of items in a work-group.
        groups: the number of work-groups over the vertices.
        blocks: the largest number of row blocks.
        block_groups: the largest number of work-groups over row blocks, of all arcs or of one part
            of them, that keep a tally.
        lines: the number of lines of the longest source text.
        symmetric: every arc has its reverse, so that both orders of arcs are the same.
        parts: the number of parts in which arcs are streamed, each with at most `arcs`.
        rows: the most vertices in which the arcs of a part end; None: all vertices.
        all_arcs: the number of arcs of all ranks, if ranks share them; else None.
        own_arcs: the number of arcs out of this rank's vertices, if ranks share them.
        cut_rows, segments: of the rows that ranks share, those of this rank's vertices; and the
            number of segments that it has of them, or of boxes that it gets, whichever is larger.
        ids: how many vertices of the halo have an id of 64 bits in an array, and degrees have one
            byte, since a rule gives the arcs; None: all vertices have ids and degrees of 32 bits.
    """

    vertices: int
    arcs: int
    offset: str
    group: int
    groups: int
    blocks: int
    block_groups: int
    lines: int = 0
    symmetric: bool = False
    parts: int = 1
    rows: int | None = None
    all_arcs: int | None = None
    own_arcs: int = 0
    cut_rows: int = 0
    segments: int = 0
    ids: int | None = None

    @property
    def blocks_of_parts(self) -> int:
        """The largest number of row blocks of all parts together: the same in each part if a group
        is one item; otherwise blocks end when they are full, and at the end of a part."""
        if self.group == 1:
            return self.parts * self.blocks
        return self.blocks + 2 * (self.parts - 1)


#: The parameters, the control record, where faults are noted, and a persistent kernel's words.
RECORD, CONTROL = Key(RUN, "run"), Key(RUN, "control")
FAULTS, TEAM = Key(RUN, "faults"), Key(RUN, "team")


@dataclass(frozen=True)
class RunLayout:
    """The buffers of a run, and the kernels that use them.

    Attributes:
        extent: the size that it was made for.
        graph: the arrays of the graph, which runs share.
        own: the buffers of this run alone.
        arguments: the arguments of each kernel: buffers, the names of numbers in NUMBERS, and the
            names of buffers that the host chooses at each launch.
        swaps: the pairs of buffers that are swapped after a superstep.
        clears: the buffers that are set to 0 before a run, and before the mask is converted.
        lengths: those of them that have the lengths of lists.
        ranges: the number of ranges of senders, in programs with `pairs` (pairs.cl).
    """

    extent: Extent
    graph: Mapping[Key, Array]
    own: Mapping[Key, Array]
    arguments: Mapping[str, tuple[Key | str, ...]]
    swaps: tuple[tuple[Key, Key], ...]
    clears: tuple[Key, ...]
    lengths: tuple[Key, ...]
    ranges: int

    def set_at_start(self) -> dict[Key, int]:
        """The bytes of each buffer that the host sets at the start of a run; the last one, of a
        persistent kernel's team, only at its beginning."""
        keys = (RECORD, CONTROL, *self.lengths, FAULTS, TEAM)
        return {key: self.own[key].nbytes for key in keys if key in self.own}

    def own_bytes(self, alignment: int) -> dict[Key, int]:
        """The bytes of the buffers of this run. Those that are set at its start stand side by side.

        Args:
            alignment: in bytes, where a buffer within another one may begin.
        """
        sizes = {key: array.nbytes for key, array in self.own.items()}
        return sizes | {key: aligned(size, alignment) for key, size in self.set_at_start().items()}


def aligned(size: int, alignment: int) -> int:
    """The least multiple of the alignment that is not below the size."""
    return -(-size // alignment) * alignment


def block_type(offset: str) -> np.dtype:
    """The dtype of a row block, its arcs and its rows, as `gascl_block` in runtime.cl."""
    columns = [("begin", offset), ("end", offset), ("first", "i4"), ("last", "i4")]
    return np.dtype(columns, align=True)


#: Arrays in the order of receivers -> their counterparts in the order of senders: equal where every
#: arc has its reverse, and swapped in the transposed graph.
TWINS = {
    "in_offsets": "out_offsets",
    "in_sources": "out_targets",
    "in_blocks": "out_blocks",
    "in_segments": "out_segments",
}
#: Arrays of the arcs of all ranks -> the arrays of the arcs of this rank.
ALL = {"all_out_offsets": "out_offsets", "all_out_targets": "out_targets"}
#: Arrays of the arcs out of this rank's vertices, with the offsets of all less that of its first.
OWN = {"own_out_offsets": "out_offsets", "own_out_targets": "out_targets"}
#: Snippets that read neighbors use the arrays of the arcs of all ranks; if they read those of the
#: rank's own vertices alone, those of the arcs out of these.
_NEIGHBORS = {name: whole for whole, name in ALL.items()}
_OWN_NEIGHBORS = {name: own for own, name in OWN.items()}


def num_segments(arcs: int) -> int:
    """The most segments of very long rows among so many arcs, and the number of places for their
    boxes. The first segment of a row that begins with the i-th arc has the place 2 i / SEGMENT, the
    others those behind it: there are twice as many as a row with two segments or more can need."""
    return 2 * (arcs // SEGMENT) + 1


def graph_arrays(extent: Extent) -> dict[Key, Array]:
    """Every array of a graph that kernels can use, except edge fields; of equal `TWINS`, one."""
    rows, arcs = extent.vertices, extent.arcs
    offset, index = np.dtype(extent.offset), np.dtype("i4")
    block = block_type(extent.offset)
    degree = index if extent.ids is None else np.dtype("u1")
    arrays = {
        "out_offsets": Array(offset, rows + 1),
        "in_offsets": Array(offset, (rows if extent.rows is None else extent.rows) + 1),
        "out_sources": Array(index, arcs),
        "out_targets": Array(index, arcs),
        "in_sources": Array(index, arcs),
        "slot": Array(offset, arcs),
        "out_blocks": Array(block, extent.blocks),
        "in_blocks": Array(block, extent.blocks),
        "out_segments": Array(block, num_segments(arcs)),
        "in_segments": Array(block, num_segments(arcs)),
        "out_degree": Array(degree, rows),
        "in_degree": Array(degree, rows),
        IDS: Array(index, rows) if extent.ids is None else Array(np.dtype("i8"), extent.ids),
    }
    if extent.all_arcs is not None:
        arrays["all_out_offsets"] = Array(offset, rows + 1)
        arrays["all_out_targets"] = Array(index, extent.all_arcs)
        arrays["own_out_offsets"] = Array(offset, rows + 1)
        arrays["own_out_targets"] = Array(index, extent.own_arcs)
        arrays["cut_segments"] = Array(block, extent.segments)
        arrays["cut_rows"] = Array(block, extent.cut_rows)
    left_out = TWINS if extent.symmetric else ()
    return {Key(GRAPH, n): array for n, array in arrays.items() if n not in left_out}


def team_bytes(reals: int) -> int:
    """The bytes that the groups of a persistent kernel share (kernels/persistent/phases.cl), before
    its records: words, and two numbers for each field of floats."""
    return 4 * STRIDE * (len(Team) + -(-2 * reals // STRIDE))


def is_of_vertices(key: Key) -> bool:
    """Whether an array of the graph has an item for each vertex."""
    names = "in_offsets", "out_offsets", "all_out_offsets", "in_degree", "out_degree", IDS
    return key.owner == GRAPH and key.name in names


def is_streamed(key: Key, array: Array) -> bool:
    """Whether an array of the graph is streamed in parts, when the arcs are."""
    if array.edge is not None:
        return array.edge.order == "in"
    return key.owner == GRAPH and key.name in ("in_offsets", "in_sources", "in_blocks")


def transposed_arrays(arrays: Mapping[Key, Array]) -> dict[Key, Array]:
    """The arrays that the transposed graph cannot share."""
    counterpart = TWINS | {name: twin for twin, name in TWINS.items()}
    shared = {counterpart.get(key.name) for key in arrays if key.owner == GRAPH}
    return {k: a for k, a in arrays.items() if k.owner != GRAPH or k.name not in shared}


def run_layout(
    spec: ProgramSpec,
    header: Header,
    traits: Traits,
    delivery: Delivery,
    extent: Extent,
    persistent: bool = False,
) -> RunLayout:
    """The buffers and arguments that a run of a program with a delivery needs.

    Args:
        persistent: a persistent kernel runs all supersteps.
    """
    return _Builder(spec, header, traits, delivery, extent, persistent).build()


class _Builder:
    def __init__(
        self,
        spec: ProgramSpec,
        header: Header,
        traits: Traits,
        delivery: Delivery,
        extent: Extent,
        persistent: bool,
    ):
        self.spec, self.header, self.traits = spec, header, traits
        self.delivery, self.extent, self.persistent = delivery, extent, persistent
        self.ranges = self._ranges()
        self.run = self._run()
        self.fields = self._fields()
        self.arrays = graph_arrays(extent)

    def build(self) -> RunLayout:
        delivery, active = self.delivery, self.delivery.active
        alone = self.header.alone if delivery.in_place else ""
        memory = {} if alone else self._memory(delivery.name, delivery.buffers)
        listed = self._memory(active.owner, active.buffers)
        own = {key: array for _, key, array in (*self.fields, *self.run)} | memory | listed
        orders = (delivery.arcs, "in") if delivery.pulls else (delivery.arcs,)
        read = self.header.edge
        edges = {key: array for order in orders for _, key, array in self._edges(order, read)}
        edges |= {key: array for _, key, array in self._edges("all_out", self.traits.reads_to)}
        shared = self._names() | {key.name: key for key in listed}
        if delivery.in_place:  # the words are part of GASCL_STATE, and may be a field
            shared["words"] = Key(VERTEX, alone) if alone else Key(delivery.name, "words")
        names = shared | {key.name: key for key in memory}
        arguments = {
            launch.kernel: tuple(self._arguments(launch, shared, visible))
            for launch, visible in self._launches(shared, names)
        }
        swaps = (
            *_pairs(delivery.swaps, names),
            *_pairs(active.swaps, shared),
            *_pairs(INBOX_SWAPS if self.traits.apply_sends_to else (), shared),
        )
        clears = tuple(shared[n] for n in active.clears if n in shared)
        used = {key for keys in arguments.values() for key in keys}
        graph = {k: array for k, array in (self.arrays | edges).items() if k in used}
        counted = [b.name for b in active.buffers if b.item == "length"]
        lengths = tuple(key for key in clears if key.name in counted)
        return RunLayout(self.extent, graph, own, arguments, swaps, clears, lengths, self.ranges)

    # Buffers ----------------------------------------------------------------------------------

    def _ranges(self) -> int:
        extent = self.extent
        receivers = extent.group if extent.group > 1 else RECEIVERS_PER_ITEM
        if not self.traits.pairs or self.traits.near:
            return 1
        return splits(extent.vertices, receivers, extent.groups)

    def _skips(self) -> bool:
        """Whether arcs are streamed in parts, and a superstep may skip some of the parts."""
        return self.extent.parts > 1 and self.delivery.skips_parts(self.traits)

    def _exchanges_messages(self) -> bool:
        return self.extent.all_arcs is not None and self.delivery.exchanges_messages(self.traits)

    def _cell(self) -> np.dtype:
        """The type of a cell of the inbox."""
        if self.traits.first:  # the sender of the message
            return np.dtype(self.extent.offset if self.traits.reads_edge else "i4")
        return np.dtype(f"u{(cell_bits(self.header.accumulator) or 64) // 8}")

    def _remote_message_type(self) -> np.dtype:
        """The messages to a vertex and lane, as `gascl_remote_message` of remote_messages.cl."""
        members = [("place", "i8"), ("cell", self._cell()), ("arrived", "u4"), ("wraps", "i4")]
        return np.dtype(members, align=True)

    def _fields(self) -> list[tuple[str, Key, Array]]:
        """The fields of the program, by their names in the header."""
        types, rows = self.header.types, self.extent.vertices
        counts = {Key(VERTEX, name): rows for name in self.spec.vertex_fields}
        counts |= {Key(COPY, name): rows for name in self.traits.snapshots}
        counts |= {Key(ARC, name): self.extent.arcs for name in self.spec.arc_fields}
        return [
            (str(key), key, Array(_stored(types[key.name]), count * self.header.lanes))
            for key, count in counts.items()
        ]

    def _run(self) -> list[tuple[str, Key, Array]]:
        """The buffers of every run."""
        header, extent = self.header, self.extent
        places = extent.vertices * header.lanes
        boxes = self.ranges * places
        team = team_bytes(len(header.reals)) + RECORDS * header.control.itemsize
        faults = len(Fault) * extent.lines
        block_groups = min(extent.parts * extent.block_groups, extent.blocks_of_parts)
        bundles = BUNDLES_OF_GROUP * max(extent.block_groups, extent.groups)
        remote, bundle = min(places, REMOTE_MESSAGES), ITEMS[BUNDLES.item]
        arrays = {
            "run": Array(header.run, 1),
            "control": Array(header.control, 1),
            # One for each work-group, which handles some of the row blocks or vertices.
            "tallies": Array(header.tally, max(block_groups, extent.groups), ZERO),
            "counts": Array(np.dtype("2i8"), extent.groups, ZERO),
            "posted": Array(np.dtype("i8"), extent.groups, ZERO),
            "records": Array(header.control, 1 + MOST_AHEAD),  # and before the first
        }
        optional = {
            "tables": (bool(header.tables.names), Array(header.tables, 1)),
            "total": (extent.all_arcs is not None, Array(header.outcome, 1)),
            "remote_messages": (
                self._exchanges_messages(),
                Array(self._remote_message_type(), remote),
            ),
            "needed": (self._skips(), Array(np.dtype("u4"), extent.groups)),
            "boxes": (self.ranges > 1, Array(header.box, boxes)),
            "faults": ("faults" in header.state, Array(np.dtype("i4"), faults)),
            BUNDLES.name: (
                self.delivery.bundles_messages(self.traits, extent.group),
                Array(np.dtype(bundle.dtype), bundles, bundle.begins),
            ),
            "later": (self.traits.shares, Array(np.dtype("u4"), places, ZERO)),
            "later_messages": (self.traits.shares, Array(_stored(header.gathered), places)),
            "nans": (bool(header.reals), Array(np.dtype("2i4"), len(header.reals))),
            "team": (self.persistent, Array(np.dtype("u1"), team, ZERO)),
        }
        arrays |= {name: array for name, (is_needed, array) in optional.items() if is_needed}
        if self.traits.near:
            arrays |= self._near(places)
        arrays |= {b.name: self._array(b) for b in COMMON if self.delivery.needs(b, self.traits)}
        return [(name, Key(RUN, name), array) for name, array in arrays.items()]

    def _near(self, places: int) -> dict[str, Array]:
        """The buffers of pairs by distance (pairs/near.cl), for this many vertices in all lanes."""
        header, extent = self.header, self.extent
        keys, ids = Array(np.dtype("u8"), places), Array(np.dtype(extent.offset), places)
        real = np.dtype(header.node["x"])
        nodes = sum(levels(extent.vertices)) * header.lanes
        arrays = {
            "bounds": Array(real, MOST_BOUNDS * header.lanes * 2 * header.axes),
            "place_keys": keys,
            "place_keys_to": keys,
            "places": ids,
            "places_to": ids,
            "nodes": Array(header.node, nodes),
        }
        if extent.group > 1:
            counts = num_tiles(places, extent.group) << DIGIT_BITS
            arrays["digit_counts"] = Array(np.dtype(extent.offset), counts)
            arrays["digit_sums"] = Array(np.dtype(extent.offset), MOST_SUMS)
        return arrays

    def _memory(self, owner: str, buffers: Sequence[Buffer]) -> dict[Key, Array]:
        """The buffers of a delivery or active set that the program needs."""
        needed = (b for b in buffers if self.delivery.needs(b, self.traits))
        return {Key(owner, b.name): self._array(b) for b in needed}

    def _array(self, buffer: Buffer) -> Array:
        header, extent = self.header, self.extent
        item = ITEMS[buffer.item]
        own = {"message": _stored(header.stored), "box": header.box}
        own["outbox_entry"] = _stored(header.outbox_entry)
        own["credit"] = header.box
        own["cell"] = self._cell()
        own["applied"] = header.applied
        own["packed"] = np.dtype(f"u{header.packed or 8}")
        lanes = header.lanes
        counts = {"arc": lanes * extent.arcs, "vertex": lanes * extent.vertices}
        counts["row"] = extent.vertices
        counts["group"] = extent.groups
        counts["segment"] = extent.segments if self.traits.cuts else num_segments(extent.arcs)
        counts["cut row"] = extent.cut_rows
        wraps = self.traits.overflows and header.message.itemsize == 8
        unneeded = {"mark": self.traits.every_arc_sends, "wrap": not wraps}
        if unneeded.get(buffer.item):
            return Array(np.dtype(item.dtype), 1)
        if callable(buffer.per):
            count = buffer.per(extent.vertices, extent.arcs)
        else:
            count = counts[buffer.per]
        dtype = np.dtype(item.dtype) if item.dtype else own[buffer.item]
        return Array(dtype, count, item.begins)

    def _edges(self, order: str, names: Iterable[str]) -> Iterator[tuple[str, Key, Array]]:
        """Edge arrays in an order of arcs. Those with the same name can also differ in type and
        default."""
        plain = {"id": np.dtype(self.extent.offset), "reversed": np.dtype("u1")}
        all_arcs = self.extent.all_arcs
        for name in names:
            field = self.spec.edge_fields.get(name)
            if field is None and name not in plain:  # an arc field
                continue
            type_ = self.header.types[name] if field else None
            read = field and type_ and (TIME if field.type == TIME else type_.c)
            suffix = f":{read}:{field.default!r}" if field else ""
            dtype = _stored(type_) if type_ else plain[name]
            # An arc and its reverse differ only in their direction.
            stored = "out" if self.extent.symmetric and name != "reversed" else order
            count = self.extent.arcs
            if stored == "all_out":
                stored, count = ("out", count) if all_arcs is None else (stored, all_arcs)
            values = EdgeValues(name, stored, field, type_)
            key = Key(EDGE, f"{name}@{stored}{suffix}")
            yield name, key, Array(dtype, count, edge=values)

    # Arguments ---------------------------------------------------------------------------------

    def _names(self) -> dict[str, Key]:
        """The names of arguments that mean the same buffer for every kernel."""
        names = {key.name: key for key in self.arrays}
        if self.extent.symmetric:
            names |= {name: names[twin] for name, twin in TWINS.items()}
        if self.extent.all_arcs is None:
            names |= {name: names[own] for name, own in (ALL | OWN).items()}
        names |= {f"to.{n}": key for n, key, _ in self._edges("all_out", self.traits.reads_to)}
        return names | {name: key for name, key, _ in (*self.fields, *self.run)}

    def _launches(
        self, shared: Mapping[str, Key], names: Mapping[str, Key]
    ) -> Iterator[tuple[Launch, Mapping[str, Key]]]:
        """All launches that a run may enqueue, with the buffers by name."""
        traits, delivery, active = self.traits, self.delivery, self.delivery.active
        group = self.extent.group
        yield from ((launch, names) for launch in delivery.launches if launch.suits(traits, group))
        if self.persistent and delivery.persistent:
            yield delivery.persistent, names
        launches = [START, FINISH]
        if traits.arc_state:
            launches.append(START_ARCS)
        if traits.snapshots:
            launches.append(SNAPSHOT)
        if self.header.reals:
            launches.append(NANS)
        if traits.masked:
            commits = [commit for commit in active.commits if commit.suits(traits, group)]
            launches += [*commits, active.enter, *([active.leave] if active.leave else ())]
        if active.all_scatter and self.spec.scatter_on == "all":
            launches.append(active.all_scatter)
        if delivery.has_inbox(traits):
            launches.append(EMPTY_INBOX)
        if traits.near:
            launches += [*NEAR, *((NEAR_SORT,) if group == 1 else RADIX.values())]
        elif traits.pairs:
            launches += [PAIRS, PAIRS_JOIN]
        if traits.shares:
            launches.append(delivery.shared_rows(traits))
        if self._skips():
            launches.append(NEEDED)
        if self.extent.all_arcs is not None:
            launches.append(TOTAL)
        if self._exchanges_messages():
            launches += [CLEAR_REMOTE_INBOXES, RECEIVE_REMOTE]
        plain = {name: key for name, key in shared.items() if name not in CHOSEN}
        yield from ((launch, plain) for launch in launches)

    def _arguments(
        self, launch: Launch, shared: Mapping[str, Key], names: Mapping[str, Key]
    ) -> Iterator[Key | str]:
        delivery = self.delivery
        read = self.header.edge
        edges = {name: key for name, key, _ in self._edges(delivery.arcs, read)}
        pulled = {name: key for name, key, _ in self._edges("in", read)}
        owned = (*delivery.buffers, *delivery.active.buffers)
        unneeded = {b.name for b in owned if not delivery.needs(b, self.traits)}
        fills = delivery.name == "outbox" and launch in delivery.launches
        if fills and not (self.traits.can_fail or self.persistent):
            unneeded.add("all_out_offsets")  # GASCL_OUT_OFFSETS in kernels/outbox.cl
        if self.extent.ids is not None and launch in delivery.active.commits:
            unneeded.add("all_out_offsets")  # GASCL_COUNTS_ARCS in kernels/mask_kernels.cl
        if not self.traits.cuts:
            unneeded.add("cut_rows")
        if not self.traits.alternates:
            unneeded |= {name for name in launch.arguments if name.startswith("next_")}
        for name in launch.arguments:
            if name == "STATE":
                state = state_arguments(self.header, self.traits, delivery, self.extent.group)
                arcs = _OWN_NEIGHBORS if self.traits.own_neighbors else _NEIGHBORS
                yield from (shared[arcs.get(n, n)] for n in state)
            elif name == "EDGE":
                yield from (edges[n] if n in edges else shared[n] for n in self.header.edge)
            elif name == "EDGE_IN":
                yield from (pulled[n] for n in self.header.edge)
            elif name in unneeded:
                continue
            elif name.startswith("next_"):
                key = names[name.removeprefix("next_")]
                yield key if self.extent.symmetric else Key(NEXT, key.name)
                if name == "next_in_blocks":
                    yield f"num_{name}"
            elif name not in names and (name in NUMBERS or name in CHOSEN):
                yield name
            elif name not in names:
                raise GasclError(
                    f"delivery {delivery.name!r}: its kernel {launch.kernel} has the argument "
                    f"{name!r}, which is no array of the graph, no buffer of the delivery or of "
                    "the run, and no number: see gascl/delivery/launch.py"
                )
            else:
                yield names[name]
                if name in TABLES:
                    yield f"num_{name}"


#: Arguments for which the host chooses a buffer at each launch.
CHOSEN = (
    *("cells", "boxes", "partly", "reaches"),
    *("order", "from_keys", "from_places", "to_keys", "to_places"),  # of vertices by their places
)


def num_tiles(keys: int, group: int) -> int:
    """The number of tiles in which groups of this many items sort keys."""
    return -(-keys // (group * KEYS_PER_ITEM))


def _pairs(swaps: Sequence[tuple[str, str]], names: Mapping[str, Key]) -> list[tuple[Key, Key]]:
    """The pairs of buffers to swap, among those that the program needs."""
    return [(names[a], names[b]) for a, b in swaps if a in names and b in names]


def state_arguments(header: Header, traits: Traits, delivery: Delivery, group: int) -> list[str]:
    """The names of the arguments in GASCL_STATE, in order, with `group` items in a work-group."""
    buffers = (*delivery.mask_arguments(traits), *delivery.inbox_arguments(traits, group))
    return [*header.state, *(buffer.name for buffer in buffers)]


def _stored(type_: Type) -> np.dtype:
    """The type of a value as the device stores it: a vector of 3 takes the space of 4."""
    return np.dtype((type_.scalar, (type_.stored,))) if type_.width > 1 else type_.scalar
