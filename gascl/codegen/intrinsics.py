"""Writes the calls of the language (`send`, `set_mask_of`, ...) as macros of the header.

They are macros so that they can use names of the code around a snippet. Their parameters have the
prefix gascl_, because a parameter `id` would also be replaced in `v.id`. Each expansion starts with
a name, so that the compiler reports a semicolon that is missing before the call. The functions that
they call are in kernels/intrinsics.cl.
"""

from __future__ import annotations

from gascl.codegen.context import Context
from gascl.codegen.source_writer import Text
from gascl.codegen.traps import Traps
from gascl.language.keywords import ADD_TO, FROM
from gascl.language.snippet import Snippet


def _for_common(passed: str, edge: bool) -> str:
    """The macro `for_common`: a loop inside another one that runs once, so that `break` and
    `continue` mean what they say. The name of what they go through has that of w in it, so that
    loops can be inside each other."""
    walk, once = "gascl_walk_##gascl_w", "gascl_once_##gascl_w"
    step = "gascl_next_common_of_edge" if edge else "gascl_next_common"
    return (
        f"for (gascl_two_rows {walk}, *{once} = gascl_rows_of(&{walk}, {passed}, false); {once}; "
        f"{once} = 0) for (int gascl_w; {step}({once}, &gascl_w{', &e' if edge else ''});)"
    )


class Calls:
    """Writes the macros that a program's snippets use."""

    def __init__(self, text: Text, context: Context, traps: Traps):
        self.text, self.context, self.traps = text, context, traps

    def write(self) -> None:
        """Write the macros that are the same in every phase."""
        c, text, sound = self.context, self.text, self.traps.sound
        masks, here = "GASCL_MASKS_ON", "v.id, __LINE__, gascl_faults, gascl_control_"
        arcs = "gascl_run_, gascl_offsets, gascl_targets"
        single = f", {here}" if c.traits.reads_singly else ""
        value = sound(c.sent, c.message)
        words = {
            "send": f"send(...) gascl_send(gascl_out, {value}{single})",
            "needs_order": "needs_order() gascl_needs_order(gascl_control_)",
            "unset_mask": "unset_mask() (v.gascl_set = GASCL_UNSET)",
            "get_mask": f"get_mask() gascl_get_mask(v.id, gascl_control_ {masks})",
            "get_mask_of": "get_mask_of(gascl_whose) "
            f"gascl_get_mask_of((gascl_whose), {here}, gascl_run_ {masks})",
            "num_neighbors": "num_neighbors "
            "gascl_num_neighbors(v.id, gascl_control_, gascl_offsets)",
            "neighbor": "neighbor(gascl_i) "
            f"gascl_arc_end(v.id, (gascl_i), {here}, gascl_offsets, gascl_targets)",
            "num_neighbors_of": "num_neighbors_of(gascl_whose) "
            f"gascl_num_neighbors_of((gascl_whose), {here}, gascl_run_, gascl_offsets)",
            "neighbor_of": "neighbor_of(gascl_whose, gascl_i) "
            f"gascl_neighbor_of((gascl_whose), (gascl_i), {here}, {arcs})",
            "has_edge": "has_edge(gascl_from, gascl_to) "
            f"gascl_has_edge((gascl_from), (gascl_to), {here}, {arcs})",
            "lane": "lane gascl_lane",
        }
        for name in c.read_to:
            words[f"{name}_to"] = (
                f"{name}_to(gascl_i) "
                f"gascl_read_to_{name}(v.id, (gascl_i), __LINE__, gascl_faults, gascl_control_, "
                f"gascl_offsets, gascl_to_{name})"
            )
            for ending, negation in zip(FROM, ("!", ""), strict=True):
                walk = "gascl_walk_##gascl_w"
                place = f"gascl_common_arc(&{walk}, {negation}{walk}.swapped, gascl_targets)"
                words[name + ending] = f"{name}{ending}(gascl_w) gascl_to_{name}[{place}]"
        for name, aggregator in c.spec.aggregates.items():
            value = sound("(__VA_ARGS__)", aggregator.resolve(c.real))
            words[f"aggregate_{name}"] = (
                f"aggregate_{name}(...) gascl_aggregate_{name}(gascl_all, {value})"
            )
        snippets = c.spec.snippets.values()
        if c.in_place:  # it differs between deliveries: see `in_place`
            words.pop("get_mask")
        for word, meaning in words.items():
            if any(s.uses(word) for s in snippets):
                text.put(f"#define {meaning}")
        text.put("")
        for name in c.traits.reads_others:
            t = c.field_types[name].c
            # Of an array, not all components are read.
            given = f"__global const {t} *" if c.field_types[name].boxed else t
            of = "&values" if c.field_types[name].boxed else "values"
            text.put(
                f"static {given} gascl_read_of_{name}(const long id, const int sender, "
                "const int line,",
                "        __global int *faults, __global gascl_control *control,",
                f"        __global const gascl_run *run, __global const {t} *values GASCL_LANE) {{",
                "    const bool is = gascl_is_vertex(id, sender, line, faults, control, run);",
                f"    return {of}[GASCL_AT(is ? id : 0)];",
                "}",
                "",
            )
        if c.spec.added_to:
            text.put('#include "added_fields.cl"', "")
        for name, type_ in c.read_to.items():
            text.put(
                f"static {type_.c} gascl_read_to_{name}(const int vertex, const long i,",
                "        const int line, __global int *faults, __global gascl_control *control,",
                "        __global const gascl_offset *offsets,",
                f"        __global const {type_.c} *values) {{",
                "    const bool is =",
                "        gascl_has_arc(vertex, i, vertex, line, faults, control, offsets);",
                f"    return is ? values[offsets[vertex] + i] : {type_.zero()};",
                "}",
                "",
            )

    def begin_phase(
        self,
        snippet: Snippet,
        late: bool,
        owned: bool,
        effective: str = "",
        receives: bool = False,
    ) -> list[str]:
        """Write the macros that differ between phases; returns their names, for #undef.

        Args:
            late: the phase is gather or apply, which must not see what apply does to other
                vertices.
            owned: the phase may write v.
            effective: C text of when calls have an effect on other vertices; "": always.
            receives: apply runs in place for a message that has just been sent.
        """
        only = f"!({effective}) ? (void)0 : " if effective else ""
        here = "v.id, __LINE__, gascl_faults, gascl_control_, gascl_run_"
        words = {}
        edge = self.context.traits.scatter_finds_common and not late and not owned
        pair = f"(gascl_one), (gascl_other), {here}, gascl_offsets, gascl_targets"
        pair += ", e.gascl_held" if edge else ", 0"
        if snippet.uses("common"):
            words["common(gascl_one, gascl_other)"] = f"gascl_common({pair})"
        if snippet.uses("for_common"):
            words["for_common(gascl_w, gascl_one, gascl_other)"] = _for_common(pair, edge)
        if snippet.uses("set_mask"):
            # Init and apply return what v said of itself; scatter cannot write v.
            put = "gascl_put_mask(v.id, GASCL_SET, gascl_control_ GASCL_MASKS_ON GASCL_LANE_ON)"
            words["set_mask()"] = "(v.gascl_set = GASCL_SET)" if owned else put
        if snippet.uses("set_mask_of"):
            function = "gascl_mark_of" if late else "gascl_set_mask_of"
            call = f"{function}((gascl_whose), {here} GASCL_MASKS_ON GASCL_LANE_ON)"
            words["set_mask_of(gascl_whose)"] = f"{only}{call}"
            if effective:
                words["gascl_set_mask_now(gascl_whose)"] = call
        if self.context.in_place and snippet.uses("get_mask"):
            mask = "gascl_get_mask(v.id, gascl_control_ GASCL_MASKS_ON)"
            words["get_mask()"] = mask
        if snippet.uses("send_to"):
            value = self.traps.sound(self.context.sent, self.context.message)
            keeps = not late and self.context.traits.keeps_by_arc
            sends = "gascl_send_by_arc(&e, " if keeps else "gascl_send_to("
            words["send_to(gascl_to, ...)"] = (
                f"{only}{sends}(gascl_to), {value}, {int(late)}, v.id, __LINE__, "
                f"GASCL_POST({'_next' if late else ''}), GASCL_STATE_ON GASCL_LANE_ON)"
            )
        for name in self.context.spec.added_to:
            if snippet.uses(ADD_TO + name):
                words[f"{ADD_TO}{name}(gascl_whose, ...)"] = (
                    f"{only}gascl_add_to((gascl_whose), (__VA_ARGS__), {here}, gascl_v_{name} "
                    "GASCL_LANE_ON)"
                )
        for name in self.context.traits.reads_others:
            if snippet.uses(f"{name}_of"):
                copied = late and name in self.context.traits.snapshots
                words[f"{name}_of(gascl_whose)"] = (
                    f"gascl_read_of_{name}((gascl_whose), {here}, "
                    f"gascl_{'old' if copied else 'v'}_{name} GASCL_LANE_ON)"
                    f"{'->at' if self.context.field_types[name].boxed else ''}"
                )
        current = self._in_place(snippet, here, receives) if late and self.context.in_place else {}
        for word, meaning in words.items():
            if word in current:
                self.text.put("#if GASCL_IN_PLACE", f"#define {word} {current[word]}", "#else")
            self.text.put(f"#define {word} {meaning}", *["#endif"] * (word in current))
        return [word.split("(")[0] for word in words]

    def _in_place(self, snippet: Snippet, here: str, receives: bool) -> dict[str, str]:
        """What words of apply mean in delivery `in_place` (kernels/in_place/)."""
        value = self.traps.sound(self.context.sent, self.context.message)
        sends = f"gascl_send_now((gascl_to), {value}, {here}, gascl_all, GASCL_STATE_ON)"
        words = {
            "get_mask()": "(gascl_waited)",
            # OpenCL C has no recursion: an apply that receives cannot send in place.
            "send_to(gascl_to, ...)": "gascl_needs_order(gascl_control_)" if receives else sends,
        }
        for name in self.context.traits.snapshots:
            words[f"{name}_of(gascl_whose)"] = (
                f"gascl_current_{name}((gascl_whose), {here}, gascl_words)"
                f"{'.at' if self.context.field_types[name].boxed else ''}"
            )
        return words

    def declare_read(self, snippet: Snippet, after_superstep: str = "") -> None:
        """Declare `p`, `g`, `prev` and `superstep` if the snippet reads them."""
        if snippet.reads("p"):
            self.text.put("    const gascl_params p = gascl_read_params(gascl_run_ GASCL_LANE_ON);")
        if snippet.reads("g"):
            self.text.put("    const gascl_graph g = gascl_run_->graph;")
        if snippet.reads("prev"):
            self.text.put("    gascl_aggregates prev;")
            self.text.put("    GASCL_COPY_AGGREGATES(prev, gascl_control_->aggregates);")
        if snippet.uses("superstep"):
            self.text.put(f"    const int superstep = gascl_control_->superstep{after_superstep};")
