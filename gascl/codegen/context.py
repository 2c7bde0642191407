"""What the writers of a header share: the spec, the options, and what follows from them.

All of this is derived from the spec and the options before anything is written: the types of fields
and messages, and the structs that host and device share.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gascl.codegen.atomic_cells import cell_bits
from gascl.language.combiners import SUM
from gascl.language.fields import ChoiceParam
from gascl.language.reductions import Reduction, reductions
from gascl.language.snippet import Snippet
from gascl.language.spec import ProgramSpec
from gascl.language.traits import Traits
from gascl.language.turns import Turns, turns_of
from gascl.language.types import Type, resolve, struct_dtype
from gascl.language.weakened import weakened

INT32, INT64, UINT8, UINT32 = (resolve(n, "") for n in ("int32", "int64", "uint8", "uint32"))
#: A pointer to the row that an item of a CPU holds in a table (kernels/common.cl).
HELD_ROW = Type("gascl_held_row *", np.dtype("u8"))


def struct_of(name: str, members: Iterable[tuple[str, Type]]) -> Type:
    """A struct with the same layout on host and device; never empty, as C allows no empty ones."""
    members = tuple(members) or (("gascl_unused", INT32),)
    return Type(name, struct_dtype(members), 1, members)


def without_gaps(name: str, members: list[tuple[str, Type]]) -> Type:
    """A struct whose members stand by decreasing alignment, so that no gap is between them.

    NVIDIA's compiler (seen on an H100 in November 2026) copies a struct with gaps wrongly where a
    function returns it: bytes next to the gap become zero, or keep their old values.
    """
    return struct_of(name, sorted(members, key=lambda member: -member[1].alignment))


def packed_fields(spec: ProgramSpec, real: str) -> Type:
    """The vertex fields that apply writes, side by side."""
    names, fields = spec.snippet("apply").writes("v"), spec.vertex_fields.items()
    written = [(n, f.resolve(real)) for n, f in fields if n in names]
    return without_gaps("gascl_packed_fields", written)


@dataclass(frozen=True)
class Context:
    """A program, and the options that its header is generated with.

    Attributes:
        traits: what its snippets do.
        real: the type that `real` stands for, "float32" or "float64".
        choices: values of the compile-time parameters; for those not given, the defaults hold.
        offset: the type of arc offsets and edge ids.
        fp64: whether the device has double precision; without it, float sums are float.
        debug: whether there are traps for NaN, infinity, division by zero and indices.
        numbered: whether vertices have other places on the device than their ids.
        wide: whether ids have 64 bits, and all places but the halo's are consecutive vertices.
        constant: whether array parameters are in constant memory, and not in global memory.
        reorders: whether aggregators add in an order that varies.
    """

    spec: ProgramSpec
    traits: Traits
    real: str
    choices: Mapping[str, str]
    offset: Type
    fp64: bool
    debug: bool
    numbered: bool
    wide: bool
    constant: bool
    reorders: bool

    @property
    def lanes(self) -> int:
        """The number of runs at once."""
        return self.traits.lanes

    def snippet(self, name: str) -> Snippet:
        return self.spec.snippet(name)

    @cached_property
    def reductions(self) -> tuple[Reduction, ...]:
        """The loops of apply that a work-group shares."""
        return reductions(self.spec, self.real) if self.traits.shares else ()

    # Messages ---------------------------------------------------------------------------------

    @cached_property
    def message(self) -> Type:
        return self.spec.message_type(self.real)

    @property
    def sent(self) -> str:
        """C text of a message that a macro is given as its last argument."""
        return "GASCL_BOXED(__VA_ARGS__)" if self.message.boxed else "(__VA_ARGS__)"

    @cached_property
    def group(self) -> Type:
        """The type of a group of messages with the same key."""
        assert self.spec.grouping is not None
        members = [*self.spec.grouping.members(self.message, self.fp64)]
        group = without_gaps("gascl_group", members)
        if self.spec.grouping.values and group.itemsize < 12:  # what outbox/grouped_group.cl needs
            return without_gaps("gascl_group", [*members, ("gascl_room", INT32)])
        return group

    @property
    def narrow_keys(self) -> bool:
        """Whether messages are grouped by keys of at most 32 bits."""
        grouping = self.spec.grouping
        return grouping is not None and dict(self.group.members)[grouping.keyed].itemsize <= 4

    @property
    def staged(self) -> int:
        """The bytes of local memory for each arc of a block, as `Header.staged`."""
        if self.traits.votes:
            return self.message.itemsize + 15
        if self.traits.hashes:
            # A key, a value, its count, the start of a row, and a slot and a half: 22 bytes, of
            # which what a group combines otherwise overlaps 3.
            return 19
        if self.traits.groups:
            # A code and numbers of rows and groups; or counters, or a group for each item.
            return max(16 if self.narrow_keys else 18, self.group.itemsize // 4)
        return self.message.itemsize + 3

    @cached_property
    def stored(self) -> Type:
        """What is stored of each message, where messages are stored: a group of its own, or the
        message."""
        return self.group if self.traits.groups and not self.traits.votes else self.message

    @cached_property
    def gathered(self) -> Type:
        """The type of `msg` in apply: the preferred group, what a gather snippet assigns, or a
        message."""
        if self.traits.prefers:
            return self.group
        gathered_type = self.spec.gathered
        return self.message if gathered_type is None else resolve(gathered_type, self.real)

    @cached_property
    def accumulator(self) -> Type:
        """The type in which messages are combined."""
        return self.spec.accumulator(self.real, self.fp64)

    @cached_property
    def box(self) -> Type:
        """Messages combined into one, and their number."""
        overflow = [("overflow", INT32)] * self.traits.overflows
        return struct_of(
            "gascl_box", [("combined", self.accumulator), ("count", UINT32), *overflow]
        )

    @cached_property
    def outbox_entry(self) -> Type:
        """The entry of a vertex in the outbox: its message, and whether there is one, since each
        address that is read for an arc takes time; or, where scatter reads the arc, what scatter
        reads of the vertex."""
        if self.traits.reads_edge:
            read = self.snippet("scatter").reads("v")
            members = {**dict.fromkeys(self.degrees, INT32), **self.vertex_fields}
            kept = [(n, t) for n, t in members.items() if n in read]
        elif self.traits.every_arc_sends:
            return self.message
        else:
            kept = [("message", self.message), ("sent", UINT8)]
        return struct_of("gascl_outbox_entry", kept)

    # Fields -----------------------------------------------------------------------------------

    @cached_property
    def boxes(self) -> dict[str, Type]:
        """The arrays that are values, by the names of their structs in C."""
        types = [*self.vertex_fields.values(), *self.arc_fields.values(), self.message]
        return {t.c: t for t in (*types, self.accumulator) if t.boxed}

    def as_arrays(self, snippet: Snippet, text: str) -> str:
        """A snippet's text in which the words for arrays stand for the arrays in structs."""
        if not self._arrays or snippet in self._without_namespaces:
            return text
        return self._arrays.sub(lambda match: self._array(match[0]), text)

    @cached_property
    def _without_namespaces(self) -> list[Snippet]:
        """The snippets in which `v`, `p` and `msg` mean nothing, or something of the user's."""
        snippets = self.spec.snippets.items()
        kinds = ("functions", "combine", "identity")
        return [snippet for key, snippet in snippets if key.rpartition(".")[2] in kinds]

    @cached_property
    def _arrays(self) -> re.Pattern[str] | None:
        """What matches the words for arrays in snippets."""
        fields = [n for n, t in self.vertex_fields.items() if t.boxed]
        spaces = {"[vu]": fields, "e": [n for n, t in self.arc_fields.items() if t.boxed]}
        spaces["p"] = [*self.spec.arrays]
        words = [
            rf"{space}\s*\.\s*(?:{'|'.join(names)})" for space, names in spaces.items() if names
        ]
        words += ["msg"] * self.message.boxed
        return re.compile(rf"(?<![\w.])(?<!->)(?:{'|'.join(words)})\b") if words else None

    def _array(self, word: str) -> str:
        """C text of an array that a snippet calls so."""
        if not word.startswith("p"):
            return f"{word}.at"
        return re.sub(r"p(\s*)\.", r"gascl_tables_\1->", word)

    @cached_property
    def vertex_fields(self) -> dict[str, Type]:
        return {n: f.resolve(self.real) for n, f in self.spec.vertex_fields.items()}

    @cached_property
    def computed(self) -> dict[str, Type]:
        """The vertex fields that are computed when they are read."""
        return {n: f.resolve(self.real) for n, f in self.spec.computed.items()}

    def field_at(self, name: str, place: str) -> str:
        """C text of a vertex field in its array, at a place on the device."""
        return f"gascl_v_{name}[GASCL_AT({place})]"

    @cached_property
    def reals(self) -> list[str]:
        """The vertex fields whose values, or components, are floats."""
        return [name for name, type_ in self.vertex_fields.items() if type_.is_float]

    @cached_property
    def arc_fields(self) -> dict[str, Type]:
        return {n: f.resolve(self.real) for n, f in self.spec.arc_fields.items()}

    @cached_property
    def edge_members(self) -> dict[str, Type]:
        """The members of `e` that snippets read and that have an array on the device: `id`,
        `reversed` and edge fields."""
        snippets = [self.snippet("scatter"), *(self.snippet(f"{n}.init") for n in self.arc_fields)]
        read = set().union(*(s.reads("e") for s in snippets))
        known = {"id": self.offset, "reversed": resolve("uint8", "")}
        known |= {n: f.resolve(self.real) for n, f in self.spec.edge_fields.items()}
        return {n: t for n, t in known.items() if n in read}

    @cached_property
    def read_to(self) -> dict[str, Type]:
        """The edge fields that snippets read of the arc to a neighbor."""
        return {n: self.spec.edge_fields[n].resolve(self.real) for n in self.traits.reads_to}

    @cached_property
    def field_types(self) -> dict[str, Type]:
        """The types of vertex fields, of the edge fields that are read, and of arc fields."""
        edge_fields = {n: t for n, t in self.edge_members.items() if n in self.spec.edge_fields}
        stored = {**self.vertex_fields, **edge_fields, **self.read_to, **self.arc_fields}
        return stored | self.computed

    @cached_property
    def looks_up_ids(self) -> bool:
        """Whether the id of a vertex is read, or reported with a fault, and is not its place on the
        device."""
        read = set().union(*(s.reads("v") for s in self.spec.snippets.values()))
        reported = self.traits.can_trap or self.traits.scatter_reads_ends
        return self.numbered and (bool(read & {"id", ""}) or reported)

    def id_of(self, place: str) -> str:
        """C text of the user's id of the vertex at a place on the device."""
        if not self.looks_up_ids:
            return place
        return (
            f"gascl_id_at({place}, gascl_run_, gascl_ids)" if self.wide else f"gascl_ids[{place}]"
        )

    @property
    def id(self) -> Type:
        """The type of the ids of vertices."""
        return INT64 if self.wide else INT32

    @cached_property
    def degrees(self) -> list[str]:
        """The degrees that snippets read."""
        snippets = self.spec.snippets.values()
        read = set().union(*(s.reads(space) for s in snippets for space in ("v", "u")))
        return [d for d in ("in_degree", "out_degree") if d in read]

    @cached_property
    def packed(self) -> Type:
        return packed_fields(self.spec, self.real)

    @property
    def tries_orders(self) -> bool:
        """Whether the order of messages can be tried: delivery `random`."""
        return self.debug and self.traits.any_order

    @cached_property
    def applied(self) -> Type:
        """The fields that apply writes, in memory."""
        return replace(self.packed, c="gascl_applied")

    @property
    def packed_bytes(self) -> int:
        """The size of a word that holds them, 4 or 8 bytes; 0 if the program's messages may not be
        applied one by one, or the fields do not fit."""
        bits = cell_bits(self.packed) if self.traits.any_order and self.lanes == 1 else None
        return (bits or 0) // 8

    @property
    def alone(self) -> str:
        """The field that makes up the word by itself, in its own array; "" if there is none."""
        (name, type_), *more = self.packed.members
        whole = not more and name in self.vertex_fields and type_.itemsize == self.packed_bytes
        return name if whole else ""

    @cached_property
    def refusing(self) -> tuple[str, Snippet] | None:
        """The field by which receive_if refuses messages, and what it says of that field alone.

        It is the one field that scatter reads of a word that has others, too. With order = "any",
        a program promises that older values of it do no harm. In debug mode, each condition is
        evaluated where the user wrote it.
        """
        receive_if, scatter = self.snippet("receive_if"), self.snippet("scatter")
        if self.debug or self.packed_bytes != 8 or not (receive_if and scatter):
            return None
        read, sends = receive_if.reads("v"), scatter.reads("v")
        of_others = any(receive_if.uses(f"{name}_of") for name in self.vertex_fields)
        if "" in read | sends or of_others or receive_if.has_directives:
            return None
        packed = {n: t for n, t in self.packed.members if n in self.vertex_fields}
        name, *more = sends & packed.keys() or [""]
        if more or len(packed) == 1 or name not in read or packed[name].itemsize != 4:
            return None
        text = weakened(receive_if.text, read - (packed.keys() - {name}))
        alone = Snippet.make(receive_if.label, text, receive_if.places)
        return (name, alone) if name in alone.reads("v") else None

    @property
    def in_place(self) -> bool:
        """Whether apply can change fields in place: delivery `in_place`."""
        return self.traits.applies_in_place and self.packed_bytes > 0

    @cached_property
    def turns(self) -> Turns | None:
        """The loop of apply whose turns a work-group tries out, in place."""
        return turns_of(self.spec, self.real) if self.in_place else None

    # Structs ----------------------------------------------------------------------------------

    @cached_property
    def vertex(self) -> Type:
        ids = [("id", self.id), *((n, INT32) for n in self.degrees)]
        mask = [("gascl_set", INT32)] * self.traits.masked
        fields = {**self.vertex_fields, **self.computed}
        return without_gaps("gascl_vertex", [*ids, *fields.items(), *mask])

    @cached_property
    def edge(self) -> Type:
        ends = [(n, self.id) for n in ("src", "dst")]
        members = [*ends, *self.edge_members.items(), *self.arc_fields.items()]
        if self.traits.scatter_finds_common:  # see kernels/common.cl
            members.append(("gascl_held", HELD_ROW))
            members += [("gascl_common", INT32), ("gascl_arc", self.offset)]
        if self.traits.answers:  # see kernels/arc_messages.cl
            members.append(("gascl_answer", self.box))
        return without_gaps("gascl_edge", members)

    @cached_property
    def chosen(self) -> list[ChoiceParam]:
        """The compile-time parameters."""
        return [p for p in self.spec.params.values() if isinstance(p, ChoiceParam)]

    @cached_property
    def params(self) -> Type:
        tables = self.spec.arrays
        given = [p for n, p in self.spec.params.items() if p.in_run and n not in tables]
        plain = [(p.name, p.resolve(self.real)) for p in given]
        return struct_of("gascl_params", [*plain, *((p.name, INT32) for p in self.chosen)])

    @cached_property
    def tables(self) -> Type:
        """The array parameters, which all lanes share."""
        declared = self.spec.arrays.items()
        return without_gaps("gascl_tables", [(n, p.resolve(self.real)) for n, p in declared])

    @cached_property
    def graph(self) -> Type:
        # A rank may have only some of the vertices on its device: `gascl_rows` of them.
        members = [("num_vertices", self.id), ("gascl_rows", INT32), ("num_edges", INT64)]
        if self.traits.init_adds or self.wide:  # the places of a rank's own vertices
            members += [("gascl_first", INT32), ("gascl_last", INT32)]
        members += [("gascl_base", INT64)] * self.wide  # the first of them, less its place
        members += [("hub", INT32)] * self.traits.reads_hub
        if self.traits.prioritized:
            members.append(("gascl_delta", resolve("real", self.real)))
        if self.debug:  # whether the run begins with finite values
            members.append(("gascl_finite", INT32))
        return struct_of("gascl_graph", members)

    @property
    def run_padding(self) -> int:
        """Bytes between the lanes' parameters and what follows. They round up to a multiple of all
        alignments, so that host and device agree."""
        return -(self.params.itemsize * self.lanes) % 16

    @cached_property
    def run(self) -> np.dtype:
        """The parameters of each lane, and the graph's counts."""
        first = self.params.itemsize * self.lanes + self.run_padding
        widest = max(self.params.alignment, self.graph.alignment)
        return np.dtype(
            {
                "names": ["params", "graph"],
                "formats": [(self.params.scalar, (self.lanes,)), self.graph.scalar],
                "offsets": [0, first],
                "itemsize": -(-(first + self.graph.itemsize) // widest) * widest,
            }
        )

    @cached_property
    def means(self) -> list[str]:
        """The aggregators that are means; each also keeps a count."""
        return [n for n, a in self.spec.aggregates.items() if a.op == "mean"]

    @cached_property
    def aggregates(self) -> Type:
        """The aggregators as snippets see them."""
        declared = self.spec.aggregates.items()
        return struct_of(
            "gascl_aggregates", [(n, a.value(self.real, self.fp64)) for n, a in declared]
        )

    @cached_property
    def sums(self) -> Type:
        """The partial sums of the aggregators that each work-group keeps."""
        sums = [
            (n, self.float_sum if n in self.float_sums else a.accumulator(self.real, self.fp64))
            for n, a in self.spec.aggregates.items()
        ]
        return struct_of("gascl_sums", [*sums, *((f"{n}_", INT64) for n in self.means)])

    @cached_property
    def float_sums(self) -> list[str]:
        """The aggregators whose sums of floats must not depend on the order of additions."""
        declared = self.spec.aggregates.items() if self.reorders else ()
        added = [(n, a.accumulator(self.real, self.fp64)) for n, a in declared if a.adds]
        return [n for n, type_ in added if type_.is_float]

    @cached_property
    def float_sum(self) -> Type:
        """The type of such a sum (kernels/float_sum.cl): bins, which bin the first one is, and
        whether infinities or NaN were added."""
        bins = [(f"w{i}", INT64) for i in range(4)]
        return struct_of("gascl_float_sum", [*bins, ("low", INT32), ("infinite", INT32)])

    @cached_property
    def tally(self) -> Type:
        return struct_of("gascl_tally", [("messages", INT64), ("sums", self.sums)])

    @cached_property
    def control(self) -> Type:
        """The loop's own state. It is on the device, so that a run can stop without the host."""
        counts = ("messages", "active", "next_active", "arcs", "next_arcs", "clock", "ticks")
        numbers: tuple[str, ...] = (
            "superstep",
            "stopped",
            "overflow",
            "fault",
            "under_way",
            "pulled",
            "pulls",
            "bits",
        )
        if self.traits.may_need_order:
            numbers += ("ordered",)
        if self.traits.prioritized:  # buckets: see frontier/buckets.cl and mask_kernels.cl
            numbers += ("low", "bucket", "near_end", "near_side", "far_side", "near_low", "far_low")
            numbers += ("near_low_next", "far_low_next", "near_lowest", "far_lowest")
        return struct_of(
            "gascl_control",
            [
                *((n, INT64) for n in counts),
                ("aggregates", self.aggregates),
                *((n, INT32) for n in numbers),
            ],
        )

    @cached_property
    def outcome(self) -> Type:
        """What a rank tells the others after a superstep."""
        return struct_of("gascl_outcome", [("control", self.control), ("tally", self.tally)])

    # Every pair -------------------------------------------------------------------------------

    def read_in_pairs(self, space: str) -> list[tuple[str, Type]]:
        """The degrees and fields of v, or of u, that the pairs snippet reads."""
        read = self.snippet("pairs").reads(space)
        members = [(d, INT32) for d in self.degrees] + list(self.vertex_fields.items())
        return [(n, t) for n, t in members if n in read]

    @cached_property
    def other(self) -> Type:
        """What the pairs snippet reads of the sender `u`."""
        return struct_of("gascl_tile_sender", self.read_in_pairs("u"))

    @cached_property
    def partial(self) -> Type:
        """What the vertices of a tile send to one receiver. Floats are added in the message's own
        type, since a tile is short. Sums of 32-bit integers cannot overflow 64 bits there."""
        combined = self.message if self.sums_floats else self.accumulator
        overflow = [("overflow", INT32)] * self.traits.overflows
        members = [("combined", combined), ("count", UINT32), ("sent", INT32), *overflow]
        return struct_of("gascl_partial", members)

    @cached_property
    def place(self) -> Type:
        """The type of the field that `pairs_at` names."""
        return self.vertex_fields[self.spec.pairs_at or ""]

    @cached_property
    def node(self) -> Type:
        """A group of vertices that lie near each other: the mean place of those that send, how far
        they are from it at most, their number and, if a group may send as one, what it would."""
        real = self.place.one
        members = [*((axis, real) for axis in "xyz"), ("radius", real), ("count", INT32)]
        mean = [("mean", self.other)] * self.traits.merges
        return struct_of("gascl_node", [*members, *mean])

    @property
    def sums_floats(self) -> bool:
        """Whether messages are added up and consist of floats alone."""
        return self.spec.combiner is SUM and self.message.all_floats
