"""The pairs snippet, as the functions and structs that kernels/pairs.cl asks for."""

from __future__ import annotations

from gascl.codegen.calls import Words
from gascl.language.types import Type, resolve

#: Functions of OpenCL that PoCL calls one receiver at a time; kernels/math.cl has them written out.
WRITTEN_OUT = ("exp", "rsqrt", "sqrt")
#: Vertices that give, at least, to each of the groups that share out a receiver's.
_SHARE = 32


class Pairs(Words):
    """Writes what a program with a pairs snippet needs beside the rest; else nothing at all."""

    def pairs(self) -> None:
        snippet = self.program.snippets.get("pairs")
        if snippet is None:
            return
        gives, receives = self._seen("u"), self._seen("v")
        self.put("", "// Every pair: what is read of the vertex that gives, and of the receiver.")
        self.header.other = self._struct("gascl_other", gives).scalar
        self._loader("gascl_giving", gives)
        self._loader("gascl_receiving", receives)
        self._partial()
        self.put("// A tile's vertices in local memory; or receivers side by side, whose parts")
        self.put(
            "// lie apart, so that a compiler can take several at once.", "#if GASCL_GROUP > 1"
        )
        self._tile(gives)
        self.put("#else")
        self._abreast("gascl_receivers", "gascl_vertex", receives, "v")
        self._abreast("gascl_partials", "gascl_partial", self.partial, "gascl_part")
        self.put("#endif", "")
        written_out = [w for w in WRITTEN_OUT if snippet.uses(w)]
        if written_out:
            self.put(
                "#if GASCL_GROUP == 1 && defined(POCL_DEVICE_ADDRESS_BITS)", '#include "math.cl"'
            )
            for word in written_out:  # PoCL's are macros, too
                self.put(f"#undef {word}", f"#define {word} gascl_{word}")
            self.put("#endif")
        value = self.sound("(__VA_ARGS__)", self.header.message)
        self.put("#undef send", f"#define send(...) gascl_give(gascl_out, {value})", "")
        self.put(
            "// What u gives to v.",
            "static void gascl_pair_snippet(const gascl_vertex v, const gascl_vertex u,",
            "        gascl_partial *gascl_out, GASCL_STATE GASCL_LANE) {",
        )
        self._open(snippet)
        self.guarded(snippet)
        self.put("}")

    def _seen(self, space: str) -> list[tuple[str, Type]]:
        """The degrees and fields that the snippet reads of v or u."""
        read = self.program.snippets["pairs"].reads(space)
        degrees = [(d, resolve("int32", "")) for d in self.degrees if d in read]
        fields = [(n, self.header.types[n]) for n in self.program.vertex_fields if n in read]
        return degrees + fields

    def _loader(self, name: str, members: list[tuple[str, Type]]) -> None:
        self.put(f"static gascl_vertex {name}(const int gascl_id, GASCL_STATE GASCL_LANE) {{")
        self.put("    gascl_vertex v;", "    v.id = gascl_id;")
        for n, _ in members:
            degree = n in self.degrees
            of = f"gascl_{n}[gascl_id]" if degree else f"gascl_v_{n}[GASCL_AT(gascl_id)]"
            self.put(f"    v.{n} = {of};")
        self.put("    return v;", "}", "")

    def _partial(self) -> None:
        """What a tile's vertices give to one. A float's sum is in the message's own type: a tile is
        short. An integer's of 32 bits can't leave its 64 there."""
        header, summed = self.header, self.program.combine == "sum"
        floats = summed and header.message.all_floats
        type_ = header.message if floats else header.accumulator
        int32, uint32 = resolve("int32", ""), resolve("uint32", "")
        self.partial = [("combined", type_), ("count", uint32), ("sent", int32)]
        self.partial += [("overflow", int32)] * self.facts.overflows
        self._struct("gascl_partial", self.partial)
        if floats:
            total = added(type_, "gascl_message", "gascl_out->combined", "x", apart=True)
        elif summed and header.message.itemsize < 8:
            total = "gascl_out->combined + x"
        else:
            overflow = ", &gascl_out->overflow, 0" if self.facts.overflows else ""
            total = f"gascl_combine(gascl_out->combined, x{overflow})"
        self.put(
            "static gascl_partial gascl_partial_empty(void) {",
            "    gascl_partial part;",
            f"    part.combined = {type_.zero() if floats else 'gascl_identity()'};",
            "    part.count = 0;",
            *(["    part.overflow = 0;"] if self.facts.overflows else []),
            "    return part;",
            "}",
            "",
            "static void gascl_give(gascl_partial *gascl_out, const gascl_message x) {",
            f"    gascl_out->combined = {total};",
            "    gascl_out->sent = 1;",
            "}",
            "",
        )

    def _tile(self, members: list[tuple[str, Type]]) -> None:
        """To and from local memory, a member at a time: NVIDIA's compiler garbles whole structs."""
        its = [f"{n}.{m}" for n, t in members for m, _ in t.members]
        its += [n for n, t in members if not t.members]
        self.put(
            "static void gascl_other_put(__local gascl_other *gascl_to, const gascl_vertex v) {"
        )
        self.put(*(f"    gascl_to->{n} = v.{n};" for n in its), "}", "")
        self.put("static gascl_vertex gascl_other_get(")
        self.put("        __local const gascl_other *gascl_from, const int gascl_id) {")
        self.put("    gascl_vertex v;", "    v.id = gascl_id;")
        self.put(*(f"    v.{n} = gascl_from->{n};" for n in its), "    return v;", "}")

    def _abreast(self, name: str, one: str, members: list[tuple[str, Type]], value: str) -> None:
        """The structs of an item's receivers, each scalar of them in an array of its own, and how
        one is put there and taken out again."""
        scalars = [
            (f"gascl_{n}_{i}", part.c, f"{value}.{n}{at}")
            for n, t in members
            if n != "sent"
            for i, (at, part) in enumerate(t.parts())
        ]
        arrays = [f"    {c} {array}[GASCL_RECEIVERS_PER_ITEM];" for array, c, _ in scalars]
        self.put("typedef struct {", *(arrays or ["    int gascl_unused;"]), f"}} {name};", "")
        self.put(
            f"static void {name}_put({name} *gascl_to, const int gascl_i, const {one} {value}) {{"
        )
        self.put(*(f"    gascl_to->{a}[gascl_i] = {of};" for a, _, of in scalars), "}", "")
        given = ", const int gascl_id" if value == "v" else ""
        self.put(f"static {one} {name}_get(const {name} *gascl_from, const int gascl_i{given}) {{")
        self.put(f"    {one} {value};", *(["    v.id = gascl_id;"] if given else []))
        self.put(*(f"    {of} = gascl_from->{a}[gascl_i];" for a, _, of in scalars))
        self.put(f"    return {value};", "}", "")


def added(type_: Type, c: str, a: str, b: str, apart: bool = False) -> str:
    """C text of a + b, member by member in a struct called `c`; `apart`: also the components of a
    vector, which a compiler can then take side by side with those of others."""
    if type_.members:
        sums = (added(t, t.c, f"{a}.{n}", f"{b}.{n}", apart) for n, t in type_.members)
        return f"({c}){{{', '.join(sums)}}}"
    if type_.width > 1 and apart:
        return f"({type_.c})({', '.join(f'{a}{at} + {b}{at}' for at, _ in type_.parts())})"
    return f"{a} + {b}"


def splits(vertices: int, receivers: int, groups: int) -> int:
    """Into how many ranges the vertices that give are split, so that `groups` are busy.

    Args:
        receivers: how many a group takes at once.
    """
    blocks = -(-vertices // receivers)
    return max(1, min(-(-groups // max(blocks, 1)), vertices // _SHARE))
