"""From a vertex program to one header of OpenCL C: a pure function, testable without a device.

The header holds what the kernels in kernels/*.cl ask of a program: structs, loads and stores of
exactly the fields that snippets mention, the combiner, and the snippets as functions. `places`
maps each generated line to the user's, so that a compiler's complaint can be translated whichever
driver wrote it (NVIDIA's ignores `#line`).
"""

from __future__ import annotations

import numpy as np

from gascl.header import Declarations, Header, extreme
from gascl.language import COMBINERS
from gascl.program import VertexProgram
from gascl.snippet import Snippet
from gascl.types import Type


def generate(
    program: type[VertexProgram],
    *,
    real: str = "float32",
    choices: dict[str, str] | None = None,
    offset: str = "int32",
    fp64: bool = True,
) -> Header:
    """The header of a program class.

    Args:
        real: what `real` is, "float32" or "float64".
        choices: values of the compile-time parameters; defaults where left out.
        offset: type of arc offsets and edge ids, "int32" or "int64".
        fp64: the device has double precision; without it sums of floats are float.
    """
    return _Writer(program, real, choices or {}, offset, fp64).write()


class _Writer(Declarations):
    """Adds the combiner and the snippets, as functions that the kernels call."""

    def write(self) -> Header:
        self.declare()
        if "functions" in self.program.snippets:
            self.verbatim(self.program.snippets["functions"])
        self._combiner()
        self._words()
        self._init()
        self._scatter()
        self._apply()
        self._stop()
        self.header.text = "\n".join(self.lines) + "\n"
        return self.header

    def _combiner(self) -> None:
        program, wide = self.program, self.accumulator
        combine = program.combine if program.message is not None else "or"
        self.put("static gascl_accumulator gascl_identity(void) {")
        if combine in COMBINERS:
            identity = {
                "sum": "0",
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
        if combine in ("sum", "prod"):
            self.put(*self._checked(combine, wide))
        elif combine in ("min", "max"):
            self.put(f"    return {extreme(combine, wide, 'a', 'b')};")
        elif combine in ("or", "and"):
            self.put(f"    return a {'|' if combine == 'or' else '&'} b;")
        else:
            self.expression("    return (", program.snippets["combine"], "    );")
        self.put("}", "")

    def _checked(self, op: str, wide: Type) -> list[str]:
        """A sum or product. Whether an integer one overflows must not depend on its order: a sum
        counts how often it wrapped up less down, and a product with a zero is zero.

        `gascl_overflow` is the count behind a, `gascl_more` the one behind b.
        """
        sign = "+" if op == "sum" else "*"
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

    def _words(self) -> None:
        """The calls of the language. Each is a macro, so that it can name what stands around it.

        Parameters carry the prefix: one called `id` would be replaced in `v.id`, too. Each begins
        with a name, so that a semicolon forgotten before it is what the compiler complains of.
        """
        masks = "__global const gascl_run *run, __global gascl_control *control"
        self.put(
            "// Defined in runtime.cl.",
            "static gascl_box gascl_box_empty(void);",
            "static void gascl_send(gascl_box *out, const gascl_message x);",
            "static gascl_message gascl_narrow(const gascl_box in, const int id,",
            "        __global gascl_control *control);",
            "static void gascl_put_mask(__global uchar *mask, const int id, const uchar value);",
            "static int gascl_read_mask(__global const uchar *mask, const int id);",
            "static void gascl_set_mask_of(const long id, const int sender, __global uchar *mask,",
            f"        {masks});",
            "static int gascl_get_mask_of(const long id, const int sender,",
            f"        __global const uchar *mask, {masks});",
            "",
        )
        id_of = "v.id, gascl_{}, gascl_run_, gascl_control_"
        words = {
            "send": "send(...) gascl_send(&gascl_out, (__VA_ARGS__))",
            "set_mask": "set_mask() gascl_put_mask(gascl_next, v.id, 1)",
            "unset_mask": "unset_mask() gascl_put_mask(gascl_next, v.id, 0)",
            "set_mask_of": "set_mask_of(gascl_whose) "
            f"gascl_set_mask_of((gascl_whose), {id_of.format('others')})",
            "get_mask": "get_mask() gascl_read_mask(gascl_mask, v.id)",
            "get_mask_of": "get_mask_of(gascl_whose) "
            f"gascl_get_mask_of((gascl_whose), {id_of.format('mask')})",
        }
        for name in self.program.aggregates:
            words[f"aggregate_{name}"] = (
                f"aggregate_{name}(gascl_x) gascl_aggregate_{name}(gascl_all, (gascl_x))"
            )
        snippets = self.program.snippets.values()
        for word, meaning in words.items():
            if any(s.uses(word) for s in snippets):
                self.put(f"#define {meaning}")
        self.put("")

    def _open(self, snippet: Snippet | None, after_superstep: str = "") -> None:
        """Bring what a snippet mentions into sight."""
        if snippet is None:
            return
        if snippet.reads("p"):
            self.put("    const gascl_params p = gascl_read_params(gascl_run_);")
        if snippet.reads("g"):
            self.put("    const gascl_graph g = gascl_run_->graph;")
        if snippet.reads("prev"):
            self.put("    const gascl_aggregates prev = gascl_control_->tally.aggregates;")
        if snippet.uses("superstep"):
            self.put(f"    const int superstep = gascl_control_->superstep{after_superstep};")
        if snippet.uses("set_mask_of"):
            marks = self.facts.marks and snippet.label.endswith(".apply")
            target = "gascl_marks" if marks else "gascl_next"
            self.put(f"    __global uchar *gascl_others = {target};")

    def _load(self, snippet: Snippet | None) -> None:
        self.put("    gascl_vertex v;", "    v.id = gascl_id;")
        read = snippet.reads("v") if snippet is not None else set()
        for degree in self.degrees:
            if degree in read:
                self.put(f"    v.{degree} = gascl_{degree}[gascl_id];")
        for name in self.program.vertex_fields:
            if name in read:
                self.put(f"    v.{name} = gascl_v_{name}[gascl_id];")

    def _body(self, snippet: Snippet | None) -> None:
        """A snippet whose `return` must still let its caller store: it returns the vertex."""
        if snippet is None:
            return
        returns = snippet.uses("return")
        self.put(*(["#define return return v"] if returns else []))
        self.verbatim(snippet)
        self.put(*(["#undef return"] if returns else []))

    def _init(self) -> None:
        program = self.program
        init, mask = program.snippets.get("init"), program.snippets.get("mask")
        state = "gascl_tally *gascl_all, GASCL_STATE"
        self.put(f"static gascl_vertex gascl_init_snippet(gascl_vertex v, {state}) {{")
        self._open(init)
        self._body(init)
        self.put("    return v;", "}", "")
        for name in program.vertex_fields:
            snippet = program.snippets.get(f"{name}.init")
            type_ = self.header.types[name]
            head = f"static {type_.c} gascl_init_{name}(const gascl_vertex v, GASCL_STATE) {{"
            if snippet is not None:
                self.put(head)
                self._open(snippet)
                self.expression("    return (", snippet, "    );")
                self.put("}", "")
        self.put(f"static void gascl_init(const int gascl_id, const ulong gascl_given, {state}) {{")
        self.put("    gascl_vertex v;", "    v.id = gascl_id;")
        self.put(*(f"    v.{d} = gascl_{d}[gascl_id];" for d in self.degrees))
        for i, name in enumerate(program.vertex_fields):
            value = f"gascl_init_{name}(v, GASCL_STATE_ON)"
            if f"{name}.init" not in program.snippets:
                value = (
                    f"({self.header.types[name].c})({_number(program.vertex_fields[name].init)})"
                )
            self.put(
                f"    if (gascl_given >> {i} & 1)",
                f"        v.{name} = gascl_v_{name}[gascl_id];",
                "    else",
                f"        v.{name} = {value};",
            )
        self.put("    v = gascl_init_snippet(v, gascl_all, GASCL_STATE_ON);")
        self.put(*(f"    gascl_v_{n}[gascl_id] = v.{n};" for n in program.vertex_fields))
        if self.facts.masked:
            if mask is not None:
                self._open(mask)
                self.expression("    if (", mask, "    ) gascl_next[gascl_id] = 1;")
            elif init is None or not init.uses("set_mask", "set_mask_of"):
                self.put("    gascl_next[gascl_id] = 1;")
        self.put("}", "")

    def _scatter(self) -> None:
        scatter = self.program.snippets.get("scatter")
        where = "const int gascl_src, const int gascl_dst, const gascl_offset gascl_arc"
        self.put(f"static gascl_edge gascl_edge_at({where} GASCL_EDGE) {{")
        self.put("    gascl_edge e;", "    e.src = gascl_src;", "    e.dst = gascl_dst;")
        self.put(*(f"    e.{n} = gascl_e_{n}[gascl_arc];" for n in self.header.edge))
        self.put("    return e;", "}", "")
        self.put("static gascl_vertex gascl_scattering(const int gascl_id, GASCL_STATE) {")
        self._load(scatter)
        self.put("    return v;", "}", "")
        self.put("// What v sends along one arc, in this superstep or, with 1, in the next.")
        self.put("static gascl_box gascl_scatter(const gascl_vertex v, const gascl_edge e,")
        self.put("        const int gascl_ahead, GASCL_STATE) {")
        self.put("    gascl_box gascl_out = gascl_box_empty();")
        self._open(scatter, " + gascl_ahead")
        if scatter is not None:
            returns = scatter.uses("return")
            self.put(*(["#define return return gascl_out"] if returns else []))
            self.verbatim(scatter)
            self.put(*(["#undef return"] if returns else []))
        self.put("    return gascl_out;", "}", "")

    def _apply(self) -> None:
        apply = self.program.snippets.get("apply")
        words = "const gascl_message msg, const bool has_msg"
        state = "gascl_tally *gascl_all, GASCL_STATE"
        self.put(f"static gascl_vertex gascl_apply_snippet(gascl_vertex v, {words},")
        self.put(f"        {state}) {{")
        self._open(apply)
        self._body(apply)
        self.put("    return v;", "}", "")
        self.put("static void gascl_apply(const int gascl_id, const gascl_box gascl_in,")
        self.put(f"        {state}) {{")
        self.put("    gascl_all->messages += gascl_in.count;")
        self.put("    if (!GASCL_APPLY_ALL && !gascl_in.count)", "        return;")
        self.put("    const gascl_message msg = gascl_narrow(gascl_in, gascl_id, gascl_control_);")
        self._load(apply)
        self.put(
            "    v = gascl_apply_snippet(v, msg, gascl_in.count > 0, gascl_all, GASCL_STATE_ON);"
        )
        written = apply.writes("v") if apply is not None else set()
        self.put(
            *(
                f"    gascl_v_{n}[gascl_id] = v.{n};"
                for n in self.program.vertex_fields
                if n in written
            )
        )
        self.put("}", "")

    def _stop(self) -> None:
        stop = self.program.snippets.get("stop")
        head = "static bool gascl_stop(const gascl_aggregates prev, const gascl_aggregates agg,"
        self.put(head, "        const int superstep, __global const gascl_run *gascl_run_) {")
        if stop is None:
            self.put("    return false;", "}")
            return
        if stop.reads("p"):
            self.put("    const gascl_params p = gascl_read_params(gascl_run_);")
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
