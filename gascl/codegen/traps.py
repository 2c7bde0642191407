"""Writes the traps of debug mode: for NaN, infinity, division by zero and indices out of range.

A trap records its kind, the line of the compiled text, and the vertex (kernels/traps.cl), so that
the host can name the vertex, the superstep and the snippet's line.
"""

from __future__ import annotations

import re

from gascl.codegen.context import Context
from gascl.codegen.source_writer import Text
from gascl.language.guards import functions_in, guarded
from gascl.language.snippet import Snippet
from gascl.language.types import SCALARS, Type

_VECTOR = re.compile(rf"\b({'|'.join(['real', *SCALARS.values()])})(2|3|4|8|16)\b")


class Traps:
    """Writes the traps; nothing if debug mode is off."""

    def __init__(self, text: Text, context: Context):
        self.text, self.context = text, context
        self._first_line = 0  # of the snippet that was written last

    def write(self) -> None:
        """Write functions that check a value, one pair for each type that contains floats."""
        c, text = self.context, self.text
        if not c.debug:
            return
        # After all includes: line n of this header is line gascl_first + n of the compiled text.
        text.put(f"enum {{ gascl_first = __LINE__ - {len(text.lines) + 1} }};")
        of = "{0} x, const int id, const int line, __global int *faults,"
        declared = [c.message, *c.field_types.values()]
        declared += [a.resolve(c.real) for a in c.spec.aggregates.values()]
        for type_ in dict.fromkeys(t for t in declared if _floats(t)):
            name = type_.c
            text.put(
                f"static {name} gascl_sound_{name}(const {of.format(name)}",
                "        __global gascl_control *control) {",
                "    bool found = false;",
                *_any("found", "isnan", type_, "x"),
                "    if (found)",
                "        gascl_trap(GASCL_NAN, line, id, faults, control);",
                "    return x;",
                "}",
                "",
                f"static void gascl_finite_{name}(const {name} before, const {of.format(name)}",
                "        __global gascl_control *control) {",
                "    bool was = false, is = false;",
                *_any("was", "isinf", type_, "before"),
                *_any("is", "isinf", type_, "x"),
                "    if (!was && is)",
                "        gascl_trap(GASCL_INFINITE, line, id, faults, control);",
                "}",
                "",
            )

    def write_guards(self) -> None:
        """Write the macros in which debug mode wraps divisors and indices, and what the user's
        functions get besides their own arguments: the vertex to blame, and where traps go."""
        if not self.context.debug:
            return
        here = "gascl_who, __LINE__, gascl_faults, gascl_control_"
        many = "num_groups" if self.context.traits.groups else "num_messages"
        self.text.put(
            '#include "traps.cl"',
            "#define GASCL_BLAMED const int gascl_who, __global int *gascl_faults, \\",
            "    __global gascl_control *gascl_control_",
            "#define GASCL_BLAMED_ON gascl_who, gascl_faults, gascl_control_",
            # x is evaluated once, for `a / i++`, in the type that a division would use: + 0 removes
            # qualifiers such as __global.
            "#define gascl_nonzero(x) ({ __typeof__((x) + 0) gascl_by = (x); \\",
            f"    gascl_by == 0 && gascl_faults ? gascl_zero({here}) : gascl_by; }})",
            f"#define gascl_index(x) gascl_message_index((x), {many}, {here})",
            # An element of an array or vector; a pointer does not say how many there are.
            "#define gascl_element(x, i, more) (x)[gascl_array_index((i), \\",
            "    __builtin_types_compatible_p(__typeof__(x), __typeof__((x)[0]) *) \\",
            f"        ? LONG_MAX : (long)(sizeof(x) / sizeof((x)[0])) + more, {here})]",
            # As in C, i[x] is x[i]: the type class of an array or a pointer is 5.
            "#define gascl_if_array(x, yes, no) \\",
            "    __builtin_choose_expr(__builtin_classify_type(x) == 5, yes, no)",
            "#define gascl_either(x, i, more) \\",
            "    gascl_element(gascl_if_array(i, i, x), gascl_if_array(i, x, i), more)",
            "",
        )

    def sound(self, value: str, type_: Type) -> str:
        """C text of the value, with a trap for NaN in debug mode."""
        if not self.context.debug or not _floats(type_):
            return value
        return f"gascl_sound_{type_.c}({value}, v.id, __LINE__, gascl_faults, gascl_control_)"

    def functions(self, functions: Snippet) -> None:
        """Write the user's functions."""
        self._guarded(functions, defines=True)

    def snippet(self, snippet: Snippet) -> None:
        """Write a snippet's lines, in a function where `v` is the vertex at work."""
        self._blame("v.id")
        self._first_line = len(self.text.lines) + 1
        self._guarded(snippet)

    def expression(self, before: str, snippet: Snippet, after: str, who: str = "v.id") -> None:
        """Write a snippet that is an expression, on its own lines.

        Args:
            who: C text of the vertex to blame; "": no vertex.
        """
        self._blame(who)
        self.text.put(before)
        self._guarded(snippet)
        self.text.put(after)

    def _blame(self, who: str) -> None:
        """Write what guards need: the vertex to blame and, if there is none, no place for traps."""
        if not self.context.debug:
            return
        self.text.put(f"    const int gascl_who = {who or -1};")
        if not who:
            self.text.put(
                "    __global int *const gascl_faults = 0;",
                "    __global gascl_control *const gascl_control_ = 0;",
            )

    def _guarded(self, snippet: Snippet, defines: bool = False) -> None:
        """Write a snippet's lines; in debug mode, with its divisors and indices guarded.

        Divisors are not guarded in programs with vectors, whose comparison with zero is a vector.
        """
        c = self.context
        if not c.debug:
            return self.text.snippet(snippet)
        snippets = c.spec.snippets
        texts = " ".join(s.text for s in snippets.values())
        types = " ".join(t.c for t in [c.message, *c.field_types.values()])
        divisors = not _VECTOR.search(f"{texts} {types}")
        helpers = functions_in(c.snippet("functions").text)
        guards = guarded(
            snippet.text, snippet.types, divisors=divisors, helpers=helpers, defines=defines
        )
        return self.text.snippet(snippet, guards)

    def after_init(self, init: Snippet) -> None:
        if self.context.debug:
            for name in self.context.spec.vertex_fields:
                self._check(name, f"v.{name}", init, None)

    def before_apply(self, apply: Snippet) -> None:
        if self.context.debug and apply:
            self.text.put("    const gascl_vertex gascl_before = v;")

    def after_apply(self, apply: Snippet) -> None:
        if self.context.debug:
            for name in self.context.spec.vertex_fields:
                if name in apply.writes("v"):
                    self._check(name, f"v.{name}", apply, f"gascl_before.{name}")

    def after_scatter(self, scatter: Snippet) -> None:
        if self.context.debug:
            for name in self.context.arc_fields:
                if name in scatter.writes("e"):
                    self._check(name, f"(*gascl_e).{name}", scatter, None)

    def _check(self, name: str, value: str, snippet: Snippet, before: str | None) -> None:
        """Trap a field that is NaN or has become infinite, at the snippet's line that wrote it."""
        type_ = self.context.field_types[name]
        if not _floats(type_):
            return
        lines = [m.line for m in snippet.members if m.name == name and m.written]
        line = f"gascl_first + {self._first_line + lines[0]}" if lines else "gascl_first"
        rest = f"{value}, v.id, {line}, gascl_faults, gascl_control_"
        self.text.put(f"    gascl_sound_{type_.c}({rest});")
        if before:
            self.text.put("    if (gascl_run_->graph.gascl_finite)")
            self.text.put(f"        gascl_finite_{type_.c}({before}, {rest});")


def _floats(type_: Type) -> bool:
    """Whether a part of a value is a float."""
    return any(scalar.kind == "f" for scalar in type_.scalars)


def _any(found: str, test: str, type_: Type, value: str) -> list[str]:
    """Statements that set a variable if a test holds for any float in a value. `any` only takes
    vectors."""

    def tested(at: str, part: Type) -> str:
        if not part.is_float:
            return "(void)0"
        holds = f"{test}({value}{at})"
        return f"{found} |= {holds if part.width == 1 else f'any({holds})'} != 0"

    return type_.by_component(tested)
