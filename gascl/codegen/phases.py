"""Writes the functions for each phase: init, scatter, gather, apply and stop.

Such a function loads what the snippet reads of the vertex, runs the snippet, and stores what it
writes.
"""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from gascl.codegen.context import INT32, Context
from gascl.codegen.intrinsics import Calls
from gascl.codegen.reductions import Reductions
from gascl.codegen.source_writer import Text
from gascl.codegen.traps import Traps
from gascl.codegen.turns import Turned
from gascl.language.message_loops import by_windows
from gascl.language.snippet import ABSENT, Snippet
from gascl.language.types import Type


class Phases:
    """Writes the functions of every phase."""

    def __init__(
        self,
        text: Text,
        context: Context,
        traps: Traps,
        calls: Calls,
        reductions: Reductions,
    ):
        self.text, self.context, self.traps, self.calls = text, context, traps, calls
        self.reductions = reductions

    def write(self) -> None:
        self._init()
        self._init_arc()
        self._scatter()
        self._receive()
        self._gather()
        self._copy()
        self._apply()
        self._stop()
        self._reals()

    def _load(self, snippet: Snippet) -> None:
        c, put = self.context, self.text.put
        put("    gascl_vertex v;", f"    v.id = {c.id_of('gascl_id')};")
        put(*["    v.gascl_set = 0;"] * c.traits.masked)
        read = snippet.reads("v")
        for name in reversed([*c.computed]):
            read |= c.snippet(f"{name}.init").reads("v") if name in read else set()
        for degree in c.degrees:
            if degree in read:
                put(f"    v.{degree} = gascl_{degree}[gascl_id];")
        for name in c.spec.vertex_fields:
            if name in read:
                put(f"    v.{name} = {c.field_at(name, 'gascl_id')};")
        self._compute(read)

    def _compute(self, read: Container[str]) -> None:
        """Write the values of those of these fields that are not stored."""
        for name, declared in self.context.spec.computed.items():
            if name in read:
                value = self._initial(name, declared.init, "v, GASCL_STATE_ON")
                self.text.put(f"    v.{name} = {value};")

    def _body(
        self,
        snippet: Snippet,
        returned: str,
        late: bool = False,
        owned: bool = True,
        text: str | None = None,
        receives: bool = False,
    ) -> None:
        """Write a snippet, or `text` in its place. Its `return` returns what it changed, which the
        caller then stores. `receives`: as `Calls.begin_phase` takes it."""
        put = self.text.put
        if not snippet:
            return
        returns = snippet.uses("return")
        words = self.calls.begin_phase(snippet, late, owned, receives=receives)
        put(*([f"#define return return {returned}"] if returns else []))
        if text is None:
            self.traps.snippet(snippet)
        else:
            self.text.snippet(snippet, text)
        put(*(["#undef return"] if returns else []), *(f"#undef {w}" for w in words))

    def _init(self) -> None:
        put = self.text.put
        c = self.context
        init, mask = c.snippet("init"), c.snippet("mask")
        state = "gascl_tally *gascl_all, GASCL_STATE GASCL_LANE"
        put(f"static gascl_vertex gascl_init_snippet(gascl_vertex v, {state}) {{")
        self.calls.declare_read(init)
        self._body(init, "v")
        put("    return v;", "}", "")
        for name in (*c.computed, *c.spec.vertex_fields):
            self._init_value(name, "const gascl_vertex v, GASCL_STATE GASCL_LANE")
        put("// Prefetches what init may read of other vertices.")
        put("static void gascl_prefetch_init(const int gascl_id, GASCL_STATE) {")
        inits = [c.snippet(f"{name}.init") for name in c.spec.vertex_fields]
        if any(each.uses("neighbor") for each in (init, *inits)):
            put("    GASCL_PREFETCH(&gascl_targets[gascl_offsets[gascl_id]]);")
        put("}", "")
        put("// Fields given by the user, or kept from another run, are not changed by init.")
        put("// Returns whether the vertex is in the first mask.")
        put("static bool gascl_init(const int gascl_id, const ulong gascl_given,")
        put(f"        const ulong gascl_kept, const int gascl_own_mask, {state}) {{")
        put("    gascl_vertex v;", f"    v.id = {c.id_of('gascl_id')};")
        put(*["    v.gascl_set = 0;"] * c.traits.masked)
        put(*(f"    v.{d} = gascl_{d}[gascl_id];" for d in c.degrees))
        self._compute(c.computed)
        for i, name in enumerate(c.spec.vertex_fields):
            value = self._initial(name, c.spec.vertex_fields[name].init, "v, GASCL_STATE_ON")
            put(
                f"    if (gascl_given >> {i} & 1)",
                f"        v.{name} = {c.field_at(name, 'gascl_id')};",
                "    else",
                f"        v.{name} = {value};",
            )
        put("    v = gascl_init_snippet(v, gascl_all, GASCL_STATE_ON GASCL_LANE_ON);")
        for i, name in enumerate(c.spec.vertex_fields):
            put(f"    if (!(gascl_kept >> {i} & 1))")
            put(f"        {c.field_at(name, 'gascl_id')} = v.{name};")
        self.traps.after_init(init)
        if c.traits.masked and mask:
            self.calls.declare_read(mask)
            self.traps.expression("    if (gascl_own_mask && (", mask, "    ))")
            put("        v.gascl_set = GASCL_SET;")
        elif c.traits.masked and not init.uses("set_mask", "set_mask_of"):
            put("    if (gascl_own_mask)", "        v.gascl_set = GASCL_SET;")
        in_mask = "v.gascl_set == GASCL_SET" if c.traits.masked else "false"
        put(f"    return {in_mask};", "}", "")

    def _init_value(self, name: str, seen: str) -> None:
        """Write a field's init expression as a function."""
        c, put = self.context, self.text.put
        snippet, type_ = c.snippet(f"{name}.init"), c.field_types[name]
        if snippet:
            one = type_.one if type_.boxed else type_
            put(f"static {one.c} gascl_first_of_{name}({seen}) {{")
            self.calls.declare_read(snippet)
            who = "e.src" if name in c.arc_fields else "v.id"
            self.traps.expression("    return (", snippet, "    );", who)
            put("}", "")

    def _initial(self, name: str, number: str | float | int, seen: str) -> str:
        """C text of a field's initial value."""
        c = self.context
        type_ = c.field_types[name]
        if f"{name}.init" in c.spec.snippets:
            first = f"gascl_first_of_{name}({seen} GASCL_LANE_ON)"
        elif type_.members:
            return type_.zero()
        else:
            first = f"({type_.one.c if type_.boxed else type_.c})({_number(number)})"
        return f"gascl_all_{type_.c}({first})" if type_.boxed else first

    def _init_arc(self) -> None:
        c, put = self.context, self.text.put
        where = "const int gascl_src, const int gascl_dst, const gascl_offset gascl_arc"
        put(f"static gascl_edge gascl_edge_at({where} GASCL_EDGE GASCL_LANE) {{")
        put("    gascl_edge e;", "    e.src = gascl_src;", "    e.dst = gascl_dst;")
        plain = [n for n in c.edge_members if not n.startswith("a.")]
        put(*(f"    e.{n} = gascl_e_{n}[gascl_arc];" for n in plain))
        put(*(f"    e.{n} = gascl_a_{n}[GASCL_AT(gascl_arc)];" for n in c.arc_fields))
        if c.traits.scatter_finds_common:
            put("    e.gascl_held = 0;", "    e.gascl_common = -1;", "    e.gascl_arc = 0;")
        put(*["    e.gascl_answer = gascl_box_empty();"] * c.traits.answers)
        put("    return e;", "}", "")
        if not c.arc_fields:
            return
        for name in c.arc_fields:
            self._init_value(name, "const gascl_edge e, GASCL_STATE GASCL_LANE")
        put("static void gascl_init_arc(gascl_edge e, const gascl_offset gascl_arc,")
        put("        const ulong gascl_kept, GASCL_STATE GASCL_EDGE GASCL_LANE) {")
        for i, name in enumerate(c.arc_fields):
            value = self._initial(name, c.spec.arc_fields[name].init, "e, GASCL_STATE_ON")
            put(f"    if (!(gascl_kept >> {i} & 1))")
            put(f"        gascl_a_{name}[GASCL_AT(gascl_arc)] = e.{name} = {value};")
        put("}", "", "static void gascl_store_arc(const gascl_edge e,")
        put("        const gascl_offset gascl_arc GASCL_EDGE GASCL_LANE) {")
        written = c.snippet("scatter").writes("e")
        for name in c.arc_fields:
            if name in written:
                put(f"    gascl_a_{name}[GASCL_AT(gascl_arc)] = e.{name};")
        put("}", "")

    def _scatter(self) -> None:
        c, put = self.context, self.text.put
        scatter = c.snippet("scatter")
        put("static gascl_vertex gascl_scattering(const int gascl_id, GASCL_STATE GASCL_LANE) {")
        self._load(scatter)
        put("    return v;", "}", "")
        state = "GASCL_STATE GASCL_LANE"
        put("// What v sends along one arc, in this superstep or, with 1, in the next.")
        put("static gascl_edge gascl_scatter_snippet(const gascl_vertex v, gascl_edge e,")
        put(f"        gascl_box *gascl_out, const int gascl_ahead, {state}) {{")
        self.calls.declare_read(scatter, " + gascl_ahead")
        if c.numbered and c.traits.scatter_reads_ends:
            put(*(f"    e.{end} = {c.id_of(f'e.{end}')};" for end in ("src", "dst")))
        self._body(scatter, "e", owned=False)
        put("    return e;", "}", "")
        put("static gascl_box gascl_scatter(const gascl_vertex v, gascl_edge *gascl_e,")
        put(f"        const int gascl_ahead, {state}) {{")
        put("    gascl_box gascl_out = gascl_box_empty();")
        put("    *gascl_e = gascl_scatter_snippet(v, *gascl_e, &gascl_out, gascl_ahead,")
        put("        GASCL_STATE_ON GASCL_LANE_ON);")
        self.traps.after_scatter(scatter)
        put("    return gascl_out;", "}", "")
        self._outbox_entries()

    def _outbox_entries(self) -> None:
        """Write what the outbox keeps of a vertex and, where that is no message, how it is kept and
        becomes the vertex that scatters."""
        c, put = self.context, self.text.put
        if not c.traits.reads_edge:
            if c.traits.every_arc_sends:
                put("typedef gascl_message gascl_outbox_entry;", "")
            else:
                self.text.struct(c.outbox_entry)
            return
        names = [n for n, _ in c.outbox_entry.members if n in (*c.degrees, *c.vertex_fields)]
        self.text.struct(c.outbox_entry)
        # Member by member: NVIDIA's compiler garbles copies of some structs.
        put("static void gascl_write_outbox_entry(__global gascl_outbox_entry *gascl_to,")
        put("        const int gascl_id, GASCL_STATE GASCL_LANE) {")
        self._load(c.snippet("scatter"))
        put(*(f"    gascl_to->{n} = v.{n};" for n in names), "}", "")
        put("static gascl_vertex gascl_read_outbox_entry(")
        put("        __global const gascl_outbox_entry *gascl_from, const int gascl_id,")
        put("        GASCL_STATE GASCL_LANE) {", "    gascl_vertex v;")
        put(f"    v.id = {c.id_of('gascl_id')};", *["    v.gascl_set = 0;"] * c.traits.masked)
        put(*(f"    v.{n} = gascl_from->{n};" for n in names), "    return v;", "}", "")

    def _receive(self) -> None:
        """Write which messages a vertex receives, when it has enough, and its bucket."""
        put, snippet = self.text.put, self.context.snippet
        receive_if, filters = snippet("receive_if"), self.context.traits.filters
        of = "const int gascl_id, GASCL_STATE GASCL_LANE"
        if self.context.packed_bytes or self.context.tries_orders:
            self._wants()
        put(f"static bool gascl_receives({of}) {{")
        self._receives(ABSENT if filters else receive_if)
        put(f"static bool gascl_receives_message(const gascl_message msg, {of}) {{")
        self._receives(receive_if if filters else ABSENT)
        put("// Prefetches what gascl_receives() and gascl_receives_message() read of a vertex.")
        put(f"static void gascl_prefetch_receiver({of}) {{")
        read = receive_if.reads("v")
        for name in self.context.spec.vertex_fields:
            if name in read:
                put(f"    GASCL_PREFETCH(&{self.context.field_at(name, 'gascl_id')});")
        put("}", "")
        put("// Prefetches what apply reads and writes of a vertex.")
        put(f"static void gascl_prefetch_apply({of}) {{")
        used = snippet("apply").reads("v")
        for name in self.context.spec.vertex_fields:
            if name in used:
                put(f"    GASCL_PREFETCH(&{self.context.field_at(name, 'gascl_id')});")
        put("}", "")
        self._prefetch_others(of)
        put("// Prefetches what scatter reads of an arc.")
        put("static void gascl_prefetch_edge(const gascl_offset gascl_arc GASCL_EDGE) {")
        edges = self.context.edge_members
        put(*(f"    GASCL_PREFETCH(&gascl_e_{n}[gascl_arc]);" for n in edges), "}", "")
        put(f"static bool gascl_has_enough(const gascl_message msg, {of}) {{")
        self._condition(snippet("enough"), "false")
        priority = snippet("priority")
        if priority:
            put("static real gascl_priority_of(const gascl_vertex v, GASCL_STATE GASCL_LANE) {")
            self.calls.declare_read(priority)
            self.traps.expression("    return (real)(", priority, "    );")
            put("}", "")
            put(f"static int gascl_bucket({of}) {{")
            self._load(priority)
            put("    const real gascl_scaled = gascl_priority_of(v, GASCL_STATE_ON GASCL_LANE_ON)")
            put("        / gascl_run_->graph.gascl_delta;")
            # The least and the largest numbers are no buckets, but none at all.
            put("    if (isnan(gascl_scaled))", "        return INT_MAX - 1;")
            put("    return clamp(convert_int_sat_rtn(gascl_scaled), -INT_MAX, INT_MAX - 1);")
            put("}", "")

    def _wants(self) -> None:
        """Write receive_if of a vertex that is not in memory as it is."""
        put, receive_if = self.text.put, self.context.snippet("receive_if")
        put("static bool gascl_wants(const gascl_vertex v, const gascl_message msg,")
        put("        GASCL_STATE GASCL_LANE) {")
        if not receive_if:
            put("    return true;", "}", "")
            return
        self.calls.declare_read(receive_if)
        self.traps.expression("    return (", receive_if, "    );")
        put("}", "")

    def _receives(self, receive_if: Snippet) -> None:
        """Write the body of a function that evaluates receive_if."""
        if not (receive_if and self.context.packed_bytes):
            self._condition(receive_if)
            return
        self._load(receive_if)
        known = "msg" if receive_if.uses("msg") else "GASCL_TO_MESSAGE(gascl_identity())"
        self.text.put(f"    return gascl_wants(v, {known}, GASCL_STATE_ON);", "}", "")

    def _prefetch_others(self, of: str) -> None:
        """Write a function that prefetches what apply is likely to read of other vertices: those
        whose ids are in fields, and the first neighbor."""
        c, put = self.context, self.text.put
        put("// Prefetches what apply may read of other vertices. Others may write these fields")
        put("// at the same time; prefetching changes no result.")
        put(f"static void gascl_prefetch_others({of}) {{", "#if GASCL_PREFETCHES")
        apply = c.snippet("apply")
        ids = apply.reads("v")
        read = [n for n in c.vertex_fields if apply.uses(f"{n}_of")]
        for name, type_ in c.vertex_fields.items():
            if read and name in ids and type_ == INT32:
                other = f"gascl_other_{name}"
                put(f"    const int {other} = {c.field_at(name, 'gascl_id')};")
                put(f"    if ((uint){other} < (uint)gascl_run_->graph.gascl_rows) {{")
                put(*(f"        {line}" for line in self._prefetched(read, other)))
                put("    }")
        if apply.uses("neighbor"):
            put("    GASCL_PREFETCH(&gascl_targets[gascl_offsets[gascl_id]]);")
        put("#endif", "}", "")

    def _prefetched(self, fields: list[str], other: str) -> list[str]:
        """Lines that prefetch fields of another vertex, as they were before this superstep."""
        c, lines = self.context, []
        packed = {name for name, _ in c.packed.members} if c.in_place else set()
        for name in fields:
            place = c.field_at(name, other)
            if name in c.traits.snapshots:
                place = f"gascl_old_{name}[GASCL_AT({other})]"
            line = f"GASCL_PREFETCH(&{place});"
            if name in packed:
                word = f"GASCL_PREFETCH(&gascl_words[{other}]);"
                lines += ["#if GASCL_IN_PLACE", word, "#else", line, "#endif"]
            else:
                lines.append(line)
        return lines

    def _condition(self, snippet: Snippet, otherwise: str = "true") -> None:
        """Write the body of a function that returns a condition on a vertex."""
        if not snippet:
            self.text.put(f"    return {otherwise};", "}", "")
            return
        self._load(snippet)
        self.calls.declare_read(snippet)
        self.traps.expression("    return (", snippet, "    );")
        self.text.put("}", "")

    def _gather(self) -> None:
        """Write the gather snippet, which reads a vertex's messages or groups from an array, or
        which of two groups is preferred."""
        c, put = self.context, self.text.put
        gather, prefer = c.snippet("gather"), c.snippet("prefer")
        if not (gather or prefer) or c.traits.votes:
            return
        put("static gascl_vertex gascl_gathering(const int gascl_id, GASCL_STATE GASCL_LANE) {")
        self._load(gather or prefer)
        put("    return v;", "}", "")
        if prefer:
            self._prefer(prefer)
            return
        if c.traits.groups:
            read = ["__global const gascl_group *groups", "const int num_groups"]
            self._gather_from(gather, "gascl_gather_snippet", read)
            return
        read = ["__global gascl_message *messages", "const int num_messages"]
        self._gather_from(gather, "gascl_gather_snippet", read)
        if c.traits.indexes_messages and not c.debug:
            put("#if GASCL_GROUP > 1")
            local = ["__local gascl_message *messages", "const int num_messages"]
            self._gather_from(gather, "gascl_gather_local_snippet", local)
            windows = by_windows(gather) if c.traits.gathers_by_windows else None
            if windows is not None:
                put('#include "gather/windows.cl"')
                seen = [
                    "__global const gascl_message *messages",
                    "__local gascl_message *gascl_window",
                    "__local int *gascl_shared",
                    "const int gascl_sent",
                    "const int num_messages",
                ]
                self._gather_from(gather, "gascl_gather_windows_snippet", seen, windows)
            put("#endif", "")

    def _prefer(self, prefer: Snippet) -> None:
        """Write which of two groups counts: of equally good ones, that with the smaller key."""
        c, put = self.context, self.text.put
        of = "const gascl_vertex v, const gascl_group a"
        put("// The score of a group." if c.traits.scores else "// Whether a is better than b.")
        if c.traits.scores:
            put(f"static real gascl_score({of}, GASCL_STATE GASCL_LANE) {{")
        else:
            put(f"static bool gascl_prefers({of}, const gascl_group b, GASCL_STATE GASCL_LANE) {{")
        self.calls.declare_read(prefer)
        words = self.calls.begin_phase(prefer, late=True, owned=False)
        if c.traits.scores:
            self.traps.expression("    const real gascl_found = (", prefer, "    );")
            put("    return isnan(gascl_found) ? -INFINITY : gascl_found;", "}", "")
        else:
            self.traps.expression("    return (", prefer, "    );")
            put("}", "")
        put(*(f"#undef {w}" for w in words))
        put("// Prefetches what that reads of a vertex whose id is a key.")
        put("static void gascl_prefetch_key(const gascl_key gascl_id, GASCL_STATE GASCL_LANE) {")
        assert c.spec.grouping is not None
        if dict(c.group.members)[c.spec.grouping.keyed] == INT32:
            read = [n for n in c.vertex_fields if prefer.uses(f"{n}_of")]
            put("    if ((uint)gascl_id < (uint)gascl_run_->graph.gascl_rows) {")
            put(*(f"        {line}" for line in self._prefetched(read, "gascl_id")), "    }")
        put("}", "")
        put("// Whether a counts rather than b: of equally good groups, that with the smaller key.")
        put(f"static bool gascl_is_better({of},")
        put("        const gascl_group b, GASCL_STATE GASCL_LANE) {")
        if c.traits.scores:
            put("    const real of_a = gascl_score(v, a, GASCL_STATE_ON GASCL_LANE_ON);")
            put("    const real of_b = gascl_score(v, b, GASCL_STATE_ON GASCL_LANE_ON);")
            put("    return of_a > of_b || (of_a == of_b && GASCL_KEY(a) < GASCL_KEY(b));")
        else:
            put("    return gascl_prefers(v, a, b, GASCL_STATE_ON GASCL_LANE_ON) ||")
            put("        (!gascl_prefers(v, b, a, GASCL_STATE_ON GASCL_LANE_ON) &&")
            put("         GASCL_KEY(a) < GASCL_KEY(b));")
        put("}", "")

    def _gather_from(
        self, gather: Snippet, name: str, arguments: list[str], text: str | None = None
    ) -> None:
        """Write a form of the gather snippet; `text` instead of its own."""
        self.text.put(f"static gascl_gathered {name}(const gascl_vertex v,")
        self.text.put(*(f"        {argument}," for argument in arguments))
        self.text.put("        GASCL_STATE GASCL_LANE) {")
        self.text.put("    gascl_gathered msg = gascl_nothing();")
        self.calls.declare_read(gather)
        self._body(gather, "msg", late=True, text=text)
        self.text.put("    return msg;", "}", "")

    def _copy(self) -> None:
        """Write copies of the fields that apply writes while other vertices read them."""
        c, put = self.context, self.text.put
        if not c.traits.snapshots:
            return
        put("static void gascl_copy_fields(const int gascl_id, GASCL_STATE GASCL_LANE) {")
        for name in c.traits.snapshots:
            at = "[GASCL_AT(gascl_id)]"
            put(f"    gascl_old_{name}{at} = gascl_v_{name}{at};")
        put("}", "")

    def _apply(self) -> None:
        c, put = self.context, self.text.put
        apply = c.snippet("apply")
        state = "gascl_tally *gascl_all, GASCL_STATE GASCL_LANE"
        if c.in_place:
            put("#if GASCL_IN_PLACE")
            self._apply_snippet("gascl_receive_snippet", apply, state, receives=True)
            put("#endif", "")
        self._apply_snippet("gascl_apply_snippet", apply, state)
        if c.turns is not None:
            put("#if GASCL_IN_PLACE && GASCL_GROUP > 1")
            Turned(self.text, c.turns).write_types()
            put(
                "// Runs apply, or goes on with it, up to the end of a part of the turns of a loop."
            )
            put("static gascl_vertex gascl_apply_turns(gascl_vertex v,")
            put("        const gascl_gathered msg, const bool has_msg, gascl_turns *gascl_turns_,")
            put(f"        {state}) {{")
            self.calls.declare_read(apply)
            put("    const bool gascl_waited = gascl_turns_->waited;")
            words = self.calls.begin_phase(apply, late=True, owned=True)
            words += Turned(self.text, c.turns).begin(words)
            put("#define return return v")
            self.text.snippet(apply, c.turns.text)
            put("#undef return", *(f"#undef {word}" for word in words), "    return v;", "}")
            put("#endif", "")
        put("// Returns what v said of itself: GASCL_SET or GASCL_UNSET for the next mask, or 0.")
        put("GASCL_NOT_INLINED static int gascl_apply_message(")
        put("        const int gascl_id, const gascl_gathered msg,")
        put(f"        const uint gascl_count, {state}) {{")
        put("    if (!GASCL_APPLIES(gascl_id, gascl_count))", "        return 0;")
        if c.traits.shares:
            least = "LONG_ROW_OF_LOOPS" if any(r.nests for r in c.reductions) else "LONG_ROW"
            put("    if (gascl_offsets[gascl_id + 1] - gascl_offsets[gascl_id] >")
            put(f"        GASCL_{least}) {{")
            put("        gascl_later[GASCL_AT(gascl_id)] = gascl_count + 1;")
            put("        gascl_later_messages[GASCL_AT(gascl_id)] = msg;")
            put("        return 0;", "    }")
        self._load(apply)
        self.traps.before_apply(apply)
        put(
            "    v = gascl_apply_snippet(v, msg, gascl_count > 0, gascl_all,",
            "        GASCL_STATE_ON GASCL_LANE_ON);",
        )
        self._store(apply)
        self.traps.after_apply(apply)
        put(f"    return {self._own_mask()};", "}", "")
        if c.traits.shares:
            self._apply_part(apply, state)

    def _apply_snippet(self, name: str, apply: Snippet, state: str, receives: bool = False) -> None:
        """Write apply as a function; `receives`: as `Calls.begin_phase` takes it."""
        put = self.text.put
        put(f"static gascl_vertex {name}(gascl_vertex v,")
        put(f"        const gascl_gathered msg, const bool has_msg, {state}) {{")
        self.calls.declare_read(apply)
        if self.context.in_place:
            put("    const bool gascl_waited = v.gascl_set == GASCL_WAITED;")
        self._body(apply, "v", late=True, receives=receives)
        put("    return v;", "}", "")

    def _store(self, apply: Snippet) -> None:
        c, put = self.context, self.text.put
        written, known = apply.writes("v"), apply.reads("v")
        for name, type_ in c.vertex_fields.items():
            if name not in written:
                continue
            at = c.field_at(name, "gascl_id")
            whole = type_.width == 1 and type_.scalar.kind in "iu"
            if c.traits.applies_to_all and name in known and whole:  # of all, few may change
                put("#if GASCL_GROUP > 1", f"    if (v.{name} != {at})", "#endif")
            put(f"    {at} = v.{name};")

    def _own_mask(self) -> str:
        return "v.gascl_set" if self.context.traits.masked else "0"

    def _apply_part(self, apply: Snippet, state: str) -> None:
        """Write apply with only a part of the turns of a loop that a work-group shares."""
        put = self.text.put
        part = "gascl_part *gascl_part_"
        self.reductions.write_types()
        put("// Runs apply up to the end of a part of the turns of a loop.")
        put("static gascl_vertex gascl_apply_part_snippet(gascl_vertex v,")
        put(f"        const gascl_gathered msg, const bool has_msg, {part}, {state}) {{")
        self.calls.declare_read(apply)
        last = "gascl_part_->loop == GASCL_REDUCTIONS"
        words = self.calls.begin_phase(apply, late=True, owned=True, effective=last)
        words += self.reductions.begin_parts()
        put("#define return return v")
        self.text.snippet(apply, self.reductions.in_parts(apply.text))
        put("#undef return", *(f"#undef {word}" for word in words), "    return v;", "}", "")
        put("// As gascl_apply_message(); stores nothing before all turns have run.")
        put("static int gascl_apply_part(const int gascl_id, const gascl_gathered msg,")
        put(f"        const uint gascl_count, {part}, {state}) {{")
        self._load(apply)
        put(
            "    v = gascl_apply_part_snippet(v, msg, gascl_count > 0, gascl_part_, gascl_all,",
            "        GASCL_STATE_ON GASCL_LANE_ON);",
            "    if (gascl_part_->loop < GASCL_REDUCTIONS)",
            "        return 0;",
        )
        self._store(apply)
        put(f"    return {self._own_mask()};", "}", "")

    def _stop(self) -> None:
        c, put = self.context, self.text.put
        stop = c.snippet("stop")
        put(
            "static bool gascl_stop(const gascl_aggregates *gascl_prev,",
            "        const gascl_aggregates *gascl_agg, const int superstep,",
            "        __global const gascl_run *gascl_run_) {",
        )
        if not stop:
            put("    return false;", "}")
            return
        for name in ("prev", "agg"):
            if stop.reads(name):
                put(f"    gascl_aggregates {name};")
                put(f"    GASCL_COPY_AGGREGATES({name}, *gascl_{name});")
        if stop.reads("p"):  # those of the first lane: one rule stops all lanes
            lane = ", 0" if c.lanes > 1 else ""
            put(f"    const gascl_params p = gascl_read_params(gascl_run_{lane});")
        if stop.reads("g"):
            put("    const gascl_graph g = gascl_run_->graph;")
        self.traps.expression("    return (", stop, "    );", who="")
        put("}")

    def _reals(self) -> None:
        """Write a macro that calls another one for each field of floats: with its number, and
        whether it is NaN at the vertex `id`."""
        c, calls = self.context, []

        def is_nan(at: str, type_: Type) -> str:
            holds = f"isnan((*x){at})"
            return f"found |= {holds if type_.width == 1 else f'any({holds})'} != 0"

        for type_ in dict.fromkeys(c.field_types[name] for name in c.reals):
            if type_.boxed:
                self.text.put(
                    f"static bool gascl_any_nan_{type_.c}(__global const {type_.c} *x) {{",
                    "    bool found = false;",
                    *type_.by_component(is_nan),
                    "    return found;",
                    "}",
                    "",
                )
        for number, name in enumerate(c.reals):
            type_, value = c.field_types[name], c.field_at(name, "id")
            holds = f"isnan({value})"
            if type_.boxed:
                holds = f"gascl_any_nan_{type_.c}(&{value})"
            elif type_.width > 1:
                holds = f"any({holds})"
            calls.append(f"gascl_call({number}, {holds})")
        self.text.put(" ".join(["#define GASCL_FOR_REALS(gascl_call)", *calls]))


def _number(value: str | float | int) -> str:
    """C text of a Python number."""
    if isinstance(value, float):
        if np.isnan(value):
            return "NAN"
        return f"{'-' if value < 0 else ''}INFINITY" if np.isinf(value) else repr(value)
    return str(int(value)) if -(2**31) < int(value) < 2**31 else f"{int(value)}L"
