"""Writes the functions and structs that kernels/pairs.cl needs for a pairs snippet."""

from __future__ import annotations

from gascl.codegen.context import Context
from gascl.codegen.intrinsics import Calls
from gascl.codegen.source_writer import Text
from gascl.codegen.traps import Traps
from gascl.language.combiners import SUM, added
from gascl.language.types import Type

#: Built-in functions that PoCL does not vectorize over receivers; kernels/math.cl implements them.
WRITTEN_OUT = ("exp", "rsqrt", "sqrt")
#: The minimum number of senders in each of the ranges that share one receiver.
_SHARE = 32
#: Of more ranges, joining takes as long as the pairs: on an H200, with 4,000 vertices, 53 us beside
#: 48 of 125 ranges, 18 beside 52 of 66.
_JOINED = 64
#: The number of groups, as a multiple of those that keep a device busy in other kernels: with 1,
#: 20,000 vertices took an H200 18 % longer.
_TIMES = 4


class Pairs:
    """Writes the additional code for a program with a pairs snippet."""

    def __init__(self, text: Text, context: Context, traps: Traps, calls: Calls):
        self.text, self.context, self.traps, self.calls = text, context, traps, calls

    def write(self) -> None:
        put = self.text.put
        c = self.context
        snippet = c.snippet("pairs")
        gives, receives = c.read_in_pairs("u"), c.read_in_pairs("v")
        put("", "// Every pair: what is read of the sender, and of the receiver.")
        if not c.traits.near:
            self.text.struct(c.other)
        self._loader("gascl_pair_sender", gives)
        self._loader("gascl_pair_receiver", receives)
        self._partial()
        if c.traits.near:
            self._near(gives)
            self._receivers(receives)
        else:
            put("// A tile of senders in local memory; or several receivers as arrays of scalars,")
            put("// so that the compiler can vectorize over them.", "#if GASCL_GROUP > 1")
            self._tile(gives)
            put("#else")
            self._receivers(receives)
            put("#endif", "")
        merge = c.snippet("pairs_merge")
        written_out = [w for w in WRITTEN_OUT if snippet.uses(w) or merge.uses(w)]
        if written_out:
            put("#if GASCL_GROUP == 1 && defined(POCL_DEVICE_ADDRESS_BITS)", '#include "math.cl"')
            for word in written_out:  # in PoCL they are macros
                put(f"#undef {word}", f"#define {word} gascl_{word}")
            put("#endif")
        if merge:
            put("// Whether a group at a distance sends as one.")
            put("static bool gascl_merges(const real distance, const real radius,")
            put("        const int gascl_id, GASCL_STATE GASCL_LANE) {")
            self.calls.declare_read(merge)
            self.traps.expression("    return (", merge, "    );", who="gascl_id")
            put("}", "")
        value = self.traps.sound("(__VA_ARGS__)", c.message)
        put("#undef send", f"#define send(...) gascl_pair_send(gascl_out, {value})", "")
        put(
            "// What u sends to v.",
            "static void gascl_pair_snippet(const gascl_vertex v, const gascl_vertex u,",
            "        gascl_partial *gascl_out, GASCL_STATE GASCL_LANE) {",
        )
        self.calls.declare_read(snippet)
        self.traps.snippet(snippet)
        put("}")

    def _receivers(self, receives: list[tuple[str, Type]]) -> None:
        """Write the structs of a work-item's receivers and of their messages."""
        self._struct_of_arrays("gascl_pair_receivers", "gascl_vertex", receives, "v")
        members = list(self.context.partial.members)
        self._struct_of_arrays("gascl_partials", "gascl_partial", members, "gascl_part")

    def _near(self, gives: list[tuple[str, Type]]) -> None:
        """Write what the kernels need to find pairs by their places (pairs/near.cl)."""
        c, put = self.context, self.text.put
        real, field = c.place.one.c, c.field_at(c.spec.pairs_at or "", "gascl_id")
        rest = ", 0" * (3 - c.place.width)
        put("// Where a vertex is, and the largest distance of a pair.")
        put(f"typedef {real}3 gascl_place;")
        put("static gascl_place gascl_place_of(const int gascl_id, GASCL_STATE GASCL_LANE) {")
        put(f"    return (gascl_place)({field}{rest});", "}", "")
        within, merge = (c.snippet(f"pairs_{n}") for n in ("within", "merge"))
        if within:
            put("static real gascl_reach(const int gascl_id, GASCL_STATE GASCL_LANE) {")
            self.calls.declare_read(within)
            self.traps.expression("    return (real)(", within, "    );", who="gascl_id")
            put("}", "")
        if merge:
            self.text.struct(c.other)
        self.text.struct(c.node)
        if merge:
            self._means(gives)

    def _means(self, gives: list[tuple[str, Type]]) -> None:
        """Write how senders are averaged, kept in a node, and sent from there as one."""
        c, put = self.context, self.text.put
        put("// Moves a mean by a share of the way to x.")
        put("static void gascl_average(gascl_vertex *gascl_mean, const gascl_vertex x,")
        put("        const real gascl_share) {")
        for n, type_ in gives:
            for at, _ in type_.parts():
                of = f"gascl_mean->{n}{at}"
                put(f"    {of} += (x.{n}{at} - {of}) * gascl_share;")
        put("}", "", "static gascl_vertex gascl_average_begin(void) {")
        put("    gascl_vertex v;", "    v.id = -1;")
        put(*(f"    v.{n} = {t.zero()};" for n, t in gives), "    return v;", "}", "")
        put("static gascl_vertex gascl_node_sender(const gascl_node gascl_from) {")
        put("    gascl_vertex v;", "    v.id = -1;")
        put(*(f"    v.{n} = gascl_from.mean.{n};" for n, _ in gives), "    return v;", "}", "")
        put("static void gascl_node_keep(gascl_node *gascl_to, const gascl_vertex v) {")
        put(*(f"    gascl_to->mean.{n} = v.{n};" for n, _ in gives), "}", "")
        put("// Adds what one of so many equal senders sends, as often as there are.")
        put("static void gascl_partial_add_times(gascl_partial *part, const gascl_partial one,")
        put("        const int times) {")
        combined = dict(c.partial.members)["combined"]
        put(*combined.by_component(lambda at, t: f"part->combined{at} = {_multiplied_sum(t, at)}"))
        put("    part->count += one.count * times;", "}", "")

    def _loader(self, name: str, members: list[tuple[str, Type]]) -> None:
        c, put = self.context, self.text.put
        put(f"static gascl_vertex {name}(const int gascl_id, GASCL_STATE GASCL_LANE) {{")
        put("    gascl_vertex v;", "    v.id = gascl_id;")
        for n, _ in members:
            degree = n in c.degrees
            of = f"gascl_{n}[gascl_id]" if degree else c.field_at(n, "gascl_id")
            put(f"    v.{n} = {of};")
        put("    return v;", "}", "")

    def _partial(self) -> None:
        """Write the struct of what a tile sends to a receiver, and how a message is added."""
        put = self.text.put
        c = self.context
        self.text.struct(c.partial)
        combined = dict(c.partial.members)["combined"]
        if c.sums_floats:
            total = added(combined, "gascl_message", "gascl_out->combined", "x", by_component=True)
        elif c.spec.combiner is SUM and c.message.itemsize < 8:
            total = "gascl_out->combined + x"
        else:
            overflow = ", &gascl_out->overflow, 0" if c.traits.overflows else ""
            total = f"gascl_combine(gascl_out->combined, x{overflow})"
        put(
            "static gascl_partial gascl_partial_empty(void) {",
            "    gascl_partial part;",
            f"    part.combined = {combined.zero() if c.sums_floats else 'gascl_identity()'};",
            "    part.count = 0;",
            *(["    part.overflow = 0;"] if c.traits.overflows else []),
            "    return part;",
            "}",
            "",
            "static void gascl_pair_send(gascl_partial *gascl_out, const gascl_message x) {",
            f"    gascl_out->combined = {total};",
            "    gascl_out->sent = 1;",
            "}",
            "",
        )

    def _tile(self, members: list[tuple[str, Type]]) -> None:
        """Write copies to and from local memory, by member: NVIDIA's compiler corrupts structs."""
        put = self.text.put
        names = [f"{n}.{m}" for n, t in members for m, _ in t.members]
        names += [n for n, t in members if not t.members]
        put("static void gascl_tile_sender_put(__local gascl_tile_sender *gascl_to,")
        put("        const gascl_vertex v) {")
        put(*(f"    gascl_to->{n} = v.{n};" for n in names), "}", "")
        put("static gascl_vertex gascl_tile_sender_get(")
        put("        __local const gascl_tile_sender *gascl_from, const int gascl_id) {")
        put("    gascl_vertex v;", "    v.id = gascl_id;")
        put(*(f"    v.{n} = gascl_from->{n};" for n in names), "    return v;", "}")

    def _struct_of_arrays(
        self, name: str, one: str, members: list[tuple[str, Type]], value: str
    ) -> None:
        """Write the structs of a work-item's receivers as a struct of arrays, one for each scalar,
        and how one of them is stored there and read again."""
        put = self.text.put
        scalars = [
            (f"gascl_{n}_{i}", part.c, f"{value}.{n}{at}")
            for n, t in members
            if n != "sent"
            for i, (at, part) in enumerate(t.parts())
        ]
        arrays = [f"    {c} {array}[GASCL_RECEIVERS_PER_ITEM];" for array, c, _ in scalars]
        put("typedef struct {", *(arrays or ["    int gascl_unused;"]), f"}} {name};", "")
        put(f"static void {name}_put({name} *gascl_to, const int gascl_i, const {one} {value}) {{")
        put(*(f"    gascl_to->{a}[gascl_i] = {of};" for a, _, of in scalars), "}", "")
        id_parameter = ", const int gascl_id" if value == "v" else ""
        put(
            f"static {one} {name}_get(const {name} *gascl_from, const int gascl_i{id_parameter}) {{"
        )
        put(f"    {one} {value};", *(["    v.id = gascl_id;"] if id_parameter else []))
        put(*(f"    {of} = gascl_from->{a}[gascl_i];" for a, _, of in scalars))
        put(f"    return {value};", "}", "")


def _multiplied_sum(type_: Type, at: str) -> str:
    """C text that adds a multiple of what one sender sends; vectors by component, so that a
    compiler can vectorize over receivers."""
    of = f"combined{at}"
    sums = [f"part->{of}{each} + one.{of}{each} * (real)times" for each, _ in type_.parts()]
    return f"({type_.c})({', '.join(sums)})"


def splits(vertices: int, receivers: int, groups: int) -> int:
    """The number of ranges into which the senders are split, so that a device is busy.

    Args:
        receivers: the number of receivers that a group handles at once.
        groups: the number of groups that keep it busy in kernels over vertices.
    """
    blocks = -(-vertices // receivers)
    wanted = min(-(-_TIMES * groups // max(blocks, 1)), max(_JOINED, -(-groups // max(blocks, 1))))
    return max(1, min(wanted, vertices // _SHARE))
