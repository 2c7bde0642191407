"""Writes what a trial of the order of messages needs: whole vertices, and whether two are the same.

See kernels/random.cl.
"""

from __future__ import annotations

from collections.abc import Iterable

from gascl.codegen.context import Context
from gascl.codegen.source_writer import Text


class Trials:
    """Writes the type gascl_applied, the fields that apply writes, and functions of vertices."""

    def __init__(self, text: Text, context: Context):
        self.text, self.context = text, context

    def write(self) -> None:
        c, text, put = self.context, self.text, self.text.put
        names = [n for n, _ in c.applied.members if n in c.vertex_fields]
        read = c.snippet("scatter").reads("v")
        text.struct(c.applied)
        of = "const int gascl_id, GASCL_STATE GASCL_LANE"
        put(f"static gascl_vertex gascl_whole({of}) {{", "    gascl_vertex v;")
        put(f"    v.id = {c.id_of('gascl_id')};", "    v.gascl_set = 0;")
        put(*(f"    v.{d} = gascl_{d}[gascl_id];" for d in c.degrees))
        put(*(f"    v.{n} = {c.field_at(n, 'gascl_id')};" for n in c.vertex_fields))
        put("    return v;", "}", "")
        put("static void gascl_put(const int gascl_id, const gascl_vertex v,")
        put("        GASCL_STATE GASCL_LANE) {")
        put(*(f"    {c.field_at(n, 'gascl_id')} = v.{n};" for n in names), "}", "")
        put("static void gascl_keep(__global gascl_applied *gascl_to, const gascl_vertex v) {")
        put(*(f"    gascl_to->{n} = v.{n};" for n in names), "}", "")
        put("static gascl_vertex gascl_with(gascl_vertex v,")
        put("        __global const gascl_applied *gascl_from) {")
        put(*(f"    v.{n} = gascl_from->{n};" for n in names), "    return v;", "}", "")
        put("// Whether two states of a vertex are the same, or the same to scatter.")
        self._compare("gascl_is_same", names)
        self._compare("gascl_sends_same", [n for n in names if n in read or "" in read])

    def _compare(self, name: str, fields: Iterable[str]) -> None:
        put, types = self.text.put, self.context.vertex_fields
        put(f"static bool {name}(const gascl_vertex gascl_a, const gascl_vertex gascl_b) {{")
        put("    return true")
        for field in fields:
            parts = [f"{field}{at}" for at, _ in types[field].parts()]
            put(*(f"        && gascl_a.{part} == gascl_b.{part}" for part in parts))
        put("    ;", "}", "")
