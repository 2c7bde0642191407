"""From a vertex program to one header of OpenCL C: a pure function, testable without a device.

The header holds what the kernels in kernels/*.cl ask of a program: structs, loads and stores of
exactly the fields that snippets mention, the combiner, and the snippets as functions. `places`
maps each generated line to the user's, so that a compiler's complaint can be translated whichever
driver wrote it (NVIDIA's ignores `#line`).
"""

from __future__ import annotations

import numpy as np

from gascl.codegen.aggregators import extreme
from gascl.codegen.header import Header
from gascl.codegen.pairs import Pairs, added
from gascl.language.combiners import COMBINERS
from gascl.language.program import VertexProgram
from gascl.language.snippet import Snippet
from gascl.language.types import Type


def generate(
    program: type[VertexProgram],
    *,
    real: str = "float32",
    choices: dict[str, str] | None = None,
    offset: str = "int32",
    fp64: bool = True,
    lanes: int = 1,
    debug: bool = False,
) -> Header:
    """The header of a program class.

    Args:
        real: what `real` is, "float32" or "float64".
        choices: values of the compile-time parameters; defaults where left out.
        offset: type of arc offsets and edge ids, "int32" or "int64".
        fp64: the device has double precision; without it sums of floats are float.
        lanes: how many runs at once.
        debug: with traps for NaN, infinity, division by zero and indices.
    """
    return _Writer(program, real, choices or {}, offset, fp64, lanes, debug).write()


class _Writer(Pairs):
    """Adds the combiner and the snippets, as functions that the kernels call."""

    def write(self) -> Header:
        self.declare()
        if "functions" in self.program.snippets:
            self.verbatim(self.program.snippets["functions"])
        self._combiner()
        self.put('#include "words.cl"', "")
        self.traps()
        self.words()
        self._init()
        self._init_arc()
        self._scatter()
        self._gather()
        self._copy()
        self._apply()
        self._stop()
        self.pairs()
        self.header.text = "\n".join(self.lines) + "\n"
        return self.header

    def _combiner(self) -> None:
        program, wide = self.program, self.header.accumulator
        combine = program.combine if program.message is not None else "or"
        self.put("static gascl_accumulator gascl_identity(void) {")
        if self.facts.single:  # nothing is combined
            self.put(f"    return {wide.zero()};")
        elif combine in COMBINERS:
            identity = {
                "sum": wide.zero() if wide.members else "0",
                "prod": "1",
                "min": wide.highest(),
                "max": wide.lowest(),
                "or": "0",
                "and": "~(gascl_accumulator)0",
            }[combine]
            self.put(f"    return {identity};")
        else:
            self.expression("    return (", program.snippets["identity"], "    );")
        self.put("}", "", "static gascl_accumulator gascl_combine(")
        if self.facts.overflows:
            self.put("    const gascl_accumulator a, const gascl_accumulator b,")
            self.put("    int *gascl_overflow, const int gascl_more) {")
        else:
            self.put("    const gascl_accumulator a, const gascl_accumulator b) {")
        if self.facts.single:
            self.put("    return b;")
        elif combine in ("sum", "prod"):
            self.put(*self._checked(combine, wide))
        elif combine in ("min", "max"):
            self.put(f"    return {extreme(combine, wide, 'a', 'b')};")
        elif combine in ("or", "and"):
            self.put(f"    return a {'|' if combine == 'or' else '&'} b;")
        else:
            self.expression("    return (", program.snippets["combine"], "    );")
        self.put("}", "", "// What apply sees where no message came.")
        self.put("static gascl_gathered gascl_nothing(void) {")
        if self.facts.single and "identity" in program.snippets:
            self.expression("    return (", program.snippets["identity"], "    );")
        elif self.facts.single:
            self.put(f"    return {self.header.gathered.zero()};")
        else:
            self.put("    return GASCL_TO_MESSAGE(gascl_identity());")
        self.put("}", "")

    def _checked(self, op: str, wide: Type) -> list[str]:
        """A sum or product. Whether an integer one overflows must not depend on its order: a sum
        counts how often it wrapped up less down, and a product with a zero is zero.

        `gascl_overflow` is the count behind a, `gascl_more` the one behind b.
        """
        sign = "+" if op == "sum" else "*"
        if wide.members:
            return [f"    return {added(wide, 'gascl_accumulator', 'a', 'b')};"]
        if not self.facts.overflows:
            return [f"    return a {sign} b;"]
        unsigned = wide.c == "ulong"
        lines = [
            f"    const gascl_accumulator c = (gascl_accumulator)((ulong)a {sign} (ulong)b);",
        ]
        if op == "prod":
            high = "0" if unsigned else "(c < 0 ? -1 : 0)"
            lines += [
                "    const bool gascl_zero =",
                "        (a == 0 && !*gascl_overflow) || (b == 0 && !gascl_more);",
                "    *gascl_overflow = !gascl_zero",
                f"        && (*gascl_overflow || gascl_more || mul_hi(a, b) != {high});",
            ]
        elif unsigned:
            lines.append("    *gascl_overflow += gascl_more + (c < a);")
        else:
            lines += [
                "    const int gascl_wrap = ((a ^ c) & (b ^ c)) < 0 ? (a < 0 ? -1 : 1) : 0;",
                "    *gascl_overflow += gascl_more + gascl_wrap;",
            ]
        return [*lines, "    return c;"]

    def _load(self, snippet: Snippet | None) -> None:
        self.put("    gascl_vertex v;", "    v.id = gascl_id;")
        read = snippet.reads("v") if snippet is not None else set()
        for degree in self.degrees:
            if degree in read:
                self.put(f"    v.{degree} = gascl_{degree}[gascl_id];")
        for name in self.program.vertex_fields:
            if name in read:
                self.put(f"    v.{name} = gascl_v_{name}[GASCL_AT(gascl_id)];")

    def _body(self, snippet: Snippet | None, returned: str, late: bool = False) -> None:
        """A snippet whose `return` must still let its caller store: it returns what it changed."""
        if snippet is None:
            return
        returns = snippet.uses("return")
        words = self.phase(snippet, late)
        self.put(*([f"#define return return {returned}"] if returns else []))
        self.guarded(snippet)
        self.put(*(["#undef return"] if returns else []), *(f"#undef {w}" for w in words))

    def _init(self) -> None:
        program = self.program
        init, mask = program.snippets.get("init"), program.snippets.get("mask")
        state = "gascl_tally *gascl_all, GASCL_STATE GASCL_LANE"
        self.put(f"static gascl_vertex gascl_init_snippet(gascl_vertex v, {state}) {{")
        self._open(init)
        self._body(init, "v")
        self.put("    return v;", "}", "")
        for name in program.vertex_fields:
            self._init_value(name, "const gascl_vertex v, GASCL_STATE GASCL_LANE")
        self.put(
            "// Fields are given by the user, or kept from another run: init can't change those."
        )
        self.put("static void gascl_init(const int gascl_id, const ulong gascl_given,")
        self.put(f"        const ulong gascl_kept, const int gascl_own_mask, {state}) {{")
        self.put("    gascl_vertex v;", "    v.id = gascl_id;")
        self.put(*(f"    v.{d} = gascl_{d}[gascl_id];" for d in self.degrees))
        for i, name in enumerate(program.vertex_fields):
            value = self._initial(name, program.vertex_fields[name].init, "v, GASCL_STATE_ON")
            self.put(
                f"    if (gascl_given >> {i} & 1)",
                f"        v.{name} = gascl_v_{name}[GASCL_AT(gascl_id)];",
                "    else",
                f"        v.{name} = {value};",
            )
        self.put("    v = gascl_init_snippet(v, gascl_all, GASCL_STATE_ON GASCL_LANE_ON);")
        for i, name in enumerate(program.vertex_fields):
            self.put(f"    if (!(gascl_kept >> {i} & 1))")
            self.put(f"        gascl_v_{name}[GASCL_AT(gascl_id)] = v.{name};")
        self.trap_init(init)
        if self.facts.masked and mask is not None:
            self._open(mask)
            self.expression("    if (gascl_own_mask && (", mask, "    ))")
            self.put(
                "        gascl_put_mask(gascl_id, 1, gascl_control_ GASCL_MASKS_ON GASCL_LANE_ON);"
            )
        elif self.facts.masked and (init is None or not init.uses("set_mask", "set_mask_of")):
            self.put("    if (gascl_own_mask)")
            self.put(
                "        gascl_put_mask(gascl_id, 1, gascl_control_ GASCL_MASKS_ON GASCL_LANE_ON);"
            )
        self.put("}", "")

    def _init_value(self, name: str, seen: str) -> None:
        """A function of a field's init expression."""
        snippet, type_ = self.program.snippets.get(f"{name}.init"), self.header.types[name]
        if snippet is not None:
            self.put(f"static {type_.c} gascl_first_of_{name}({seen}) {{")
            self._open(snippet)
            self.expression("    return (", snippet, "    );")
            self.put("}", "")

    def _initial(self, name: str, number: str | float | int, seen: str) -> str:
        """C text of a field's first value."""
        if f"{name}.init" in self.program.snippets:
            return f"gascl_first_of_{name}({seen} GASCL_LANE_ON)"
        type_ = self.header.types[name]
        return type_.zero() if type_.members else f"({type_.c})({_number(number)})"

    def _init_arc(self) -> None:
        where = "const int gascl_src, const int gascl_dst, const gascl_offset gascl_arc"
        self.put(f"static gascl_edge gascl_edge_at({where} GASCL_EDGE GASCL_LANE) {{")
        self.put("    gascl_edge e;", "    e.src = gascl_src;", "    e.dst = gascl_dst;")
        plain = [n for n in self.header.edge if not n.startswith("a.")]
        self.put(*(f"    e.{n} = gascl_e_{n}[gascl_arc];" for n in plain))
        self.put(*(f"    e.{n} = gascl_a_{n}[GASCL_AT(gascl_arc)];" for n in self.arcs))
        self.put("    return e;", "}", "")
        if not self.arcs:
            return
        for name in self.arcs:
            self._init_value(name, "const gascl_edge e, GASCL_STATE GASCL_LANE")
        self.put("static void gascl_init_arc(gascl_edge e, const gascl_offset gascl_arc,")
        self.put("        const ulong gascl_kept, GASCL_STATE GASCL_EDGE GASCL_LANE) {")
        for i, name in enumerate(self.arcs):
            value = self._initial(name, self.program.arc_fields[name].init, "e, GASCL_STATE_ON")
            self.put(f"    if (!(gascl_kept >> {i} & 1))")
            self.put(f"        gascl_a_{name}[GASCL_AT(gascl_arc)] = e.{name} = {value};")
        self.put("}", "", "static void gascl_store_arc(const gascl_edge e,")
        self.put("        const gascl_offset gascl_arc GASCL_EDGE GASCL_LANE) {")
        written = self.program.snippets["scatter"].writes("e")
        for name in self.arcs:
            if name in written:
                self.put(f"    gascl_a_{name}[GASCL_AT(gascl_arc)] = e.{name};")
        self.put("}", "")

    def _scatter(self) -> None:
        scatter = self.program.snippets.get("scatter")
        self.put(
            "static gascl_vertex gascl_scattering(const int gascl_id, GASCL_STATE GASCL_LANE) {"
        )
        self._load(scatter)
        self.put("    return v;", "}", "")
        state = "GASCL_STATE GASCL_LANE"
        self.put("// What v sends along one arc, in this superstep or, with 1, in the next.")
        self.put("static gascl_edge gascl_scatter_snippet(const gascl_vertex v, gascl_edge e,")
        self.put(f"        gascl_box *gascl_out, const int gascl_ahead, {state}) {{")
        self._open(scatter, " + gascl_ahead")
        self._body(scatter, "e")
        self.put("    return e;", "}", "")
        self.put("static gascl_box gascl_scatter(const gascl_vertex v, gascl_edge *gascl_e,")
        self.put(f"        const int gascl_ahead, {state}) {{")
        self.put("    gascl_box gascl_out = gascl_box_empty();")
        self.put("    *gascl_e = gascl_scatter_snippet(v, *gascl_e, &gascl_out, gascl_ahead,")
        self.put("        GASCL_STATE_ON GASCL_LANE_ON);")
        self.trap_scatter(scatter)
        self.put("    return gascl_out;", "}", "")

    def _gather(self) -> None:
        """A gather snippet, over the messages that came, which lie side by side."""
        gather = self.program.snippets.get("gather")
        if gather is None:
            return
        self.put(
            "static gascl_gathered gascl_gather_snippet(const gascl_vertex v,",
            "        __global gascl_message *messages, const int num_messages,",
            "        GASCL_STATE GASCL_LANE) {",
            "    gascl_gathered msg = gascl_nothing();",
        )
        self._open(gather)
        self._body(gather, "msg", late=True)
        self.put("    return msg;", "}", "")
        self.put(
            "static gascl_vertex gascl_gathering(const int gascl_id, GASCL_STATE GASCL_LANE) {"
        )
        self._load(gather)
        self.put("    return v;", "}", "")

    def _copy(self) -> None:
        """The fields that apply writes and other vertices read, as they are before it."""
        if not self.facts.snapshots:
            return
        self.put("static void gascl_copy_fields(const int gascl_id, GASCL_STATE GASCL_LANE) {")
        for name in self.facts.snapshots:
            at = "[GASCL_AT(gascl_id)]"
            self.put(f"    gascl_old_{name}{at} = gascl_v_{name}{at};")
        self.put("}", "")

    def _apply(self) -> None:
        apply = self.program.snippets.get("apply")
        state = "gascl_tally *gascl_all, GASCL_STATE GASCL_LANE"
        self.put("static gascl_vertex gascl_apply_snippet(gascl_vertex v,")
        self.put(f"        const gascl_gathered msg, const bool has_msg, {state}) {{")
        self._open(apply)
        self._body(apply, "v", late=True)
        self.put("    return v;", "}", "")
        self.put("static void gascl_apply_message(const int gascl_id, const gascl_gathered msg,")
        self.put(f"        const uint gascl_count, {state}) {{")
        self.put("    gascl_all->messages += gascl_count;")
        self.put("    if (!GASCL_APPLY_ALL && !gascl_count)", "        return;")
        self._load(apply)
        self.trap_before(apply)
        self.put(
            "    v = gascl_apply_snippet(v, msg, gascl_count > 0, gascl_all,",
            "        GASCL_STATE_ON GASCL_LANE_ON);",
        )
        written = apply.writes("v") if apply is not None else set()
        self.put(
            *(
                f"    gascl_v_{n}[GASCL_AT(gascl_id)] = v.{n};"
                for n in self.program.vertex_fields
                if n in written
            )
        )
        self.trap_apply(apply)
        self.put("}", "")

    def _stop(self) -> None:
        stop = self.program.snippets.get("stop")
        self.put(
            "static bool gascl_stop(const gascl_aggregates *gascl_prev,",
            "        const gascl_aggregates *gascl_agg, const int superstep,",
            "        __global const gascl_run *gascl_run_) {",
        )
        if stop is None:
            self.put("    return false;", "}")
            return
        for name in ("prev", "agg"):
            if stop.reads(name):
                self.put(f"    gascl_aggregates {name};")
                self.put(f"    GASCL_COPY_AGGREGATES({name}, *gascl_{name});")
        if stop.reads("p"):  # of the first lane: one rule ends them all
            lane = ", 0" if self.header.lanes > 1 else ""
            self.put(f"    const gascl_params p = gascl_read_params(gascl_run_{lane});")
        if stop.reads("g"):
            self.put("    const gascl_graph g = gascl_run_->graph;")
        self.expression("    return (", stop, "    );")
        self.put("}")


def _number(value: str | float | int) -> str:
    """A Python number as C text."""
    if isinstance(value, float):
        if np.isnan(value):
            return "NAN"
        return f"{'-' if value < 0 else ''}INFINITY" if np.isinf(value) else repr(value)
    return str(int(value)) if -(2**31) < int(value) < 2**31 else f"{int(value)}L"
