"""Writes what a transaction on a vertex needs: its fields packed in one word.

A program with order = "any" may apply a message as soon as it is sent, if the fields that apply
writes fit one word: see kernels/asynchronous.cl.
"""

from __future__ import annotations

from gascl.codegen.atomic_cells import filled
from gascl.codegen.context import Context
from gascl.codegen.intrinsics import Calls
from gascl.codegen.source_writer import Text


class Transactions:
    """Writes the type gascl_packed, and how vertices and words become each other."""

    def __init__(self, text: Text, context: Context):
        self.text, self.context = text, context

    def write_types(self) -> None:
        packed = self.context.packed
        self.text.struct(packed)
        self.text.put(
            f"typedef {'ulong' if self.context.packed_bytes == 8 else 'uint'} gascl_packed;",
            "// What decides what a vertex sends.",
            f"#define GASCL_SENT_BITS (gascl_packed){self._sent_bits():#x}ul",
            "typedef union {",
            f"    {packed.c} fields;",
            "    gascl_packed word;",
            "} gascl_packing;",
            "",
        )

    def _sent_bits(self) -> int:
        """The bits of the word that scatter reads."""
        c = self.context
        read = c.snippet("scatter").reads("v")
        if "" in read:
            return filled(c.packed)
        places = {n: place[1] for n, place in (c.packed.scalar.fields or {}).items()}
        return sum(filled(type_, places[n]) for n, type_ in c.packed.members if n in read)

    def write_refusing(self, calls: Calls) -> None:
        """Write how a message is refused by a field in its own array, where the value may be an
        older one. Where the words have more than what refuses most messages, fewer of them are
        read."""
        c, put = self.context, self.text.put
        if c.refusing is None:
            return
        name, condition = c.refusing
        type_, at = c.field_types[name].c, c.field_at(name, "gascl_id")
        put(f"#define GASCL_REFUSING(gascl_id) (&{at})")
        put("static bool gascl_refuses(const int gascl_id, const gascl_message msg, GASCL_STATE) {")
        put("    gascl_vertex v;", "    v.id = gascl_id;", "    v.gascl_set = 0;")
        put(*(f"    v.{d} = gascl_{d}[gascl_id];" for d in c.degrees))
        for other in c.vertex_fields:
            if other != name and other in condition.reads("v"):
                put(f"    v.{other} = {c.field_at(other, 'gascl_id')};")
        put(f"    v.{name} = *(volatile __global const {type_} *)GASCL_REFUSING(gascl_id);")
        calls.declare_read(condition)
        put("    return !(", *c.as_arrays(condition, condition.text).split("\n"), "    );", "}", "")
        put("static void gascl_keep_refusing(const gascl_vertex v, GASCL_STATE) {")
        put(f"    *(volatile __global {type_} *)GASCL_REFUSING(v.id) = v.{name};", "}", "")

    def write_current(self) -> None:
        """Write how apply reads the current value of a field of another vertex; on GPUs that may be
        an older one, but of the same pass."""
        c, put = self.context, self.text.put
        names = [n for n, _ in c.packed.members if n in c.traits.snapshots]
        for name in names:
            put(
                f"static {c.field_types[name].c} gascl_current_{name}(const long id,",
                "        const int sender, const int line, __global int *faults,",
                "        __global gascl_control *control, __global const gascl_run *run,",
                "        __global const gascl_packed *words) {",
                "    const bool is = gascl_is_vertex(id, sender, line, faults, control, run);",
                "    gascl_packing packing;",
                # Most read the same few vertices: the cache of a unit has a value of this pass.
                "#if GASCL_GROUP > 1",
                "    packing.word = words[is ? id : 0];",
                "#else",
                "    packing.word = *(volatile __global const gascl_packed *)&words[is ? id : 0];",
                "#endif",
                f"    return packing.fields.{name};",
                "}",
                "",
            )

    def write(self) -> None:
        c, put = self.context, self.text.put
        packed = c.packed
        names = [n for n, _ in packed.members if n in c.vertex_fields]
        put(
            "static gascl_packed gascl_pack(const gascl_vertex v) {",
            "    gascl_packing packing;",
            "    packing.word = 0;",
            *(f"    packing.fields.{n} = v.{n};" for n in names),
            # The bytes of gaps take any values when a value is stored (C99, 6.2.6.1).
            f"    return packing.word & (gascl_packed){filled(packed):#x}ul;",
            "}",
            "",
        )
        of = "const int gascl_id, GASCL_STATE"
        put(f"static gascl_packed gascl_pack_fields({of}) {{", "    gascl_vertex v;")
        put(*(f"    v.{n} = {c.field_at(n, 'gascl_id')};" for n in names))
        put("    return gascl_pack(v);", "}", "")
        put(f"static void gascl_unpack_fields(const gascl_packed gascl_word, {of}) {{")
        put("    gascl_packing packing;", "    packing.word = gascl_word;")
        put(*(f"    {c.field_at(n, 'gascl_id')} = packing.fields.{n};" for n in names), "}", "")
        put("// A vertex as snippets see it.")
        put(f"static gascl_vertex gascl_unpacked(const gascl_packed gascl_word, {of}) {{")
        put("    gascl_packing packing;", "    packing.word = gascl_word;", "    gascl_vertex v;")
        put("    v.id = gascl_id;", "    v.gascl_set = 0;")
        put(*(f"    v.{d} = gascl_{d}[gascl_id];" for d in c.degrees))
        for name in c.vertex_fields:
            at = f"packing.fields.{name}" if name in names else c.field_at(name, "gascl_id")
            put(f"    v.{name} = {at};")
        put("    return v;", "}", "")
