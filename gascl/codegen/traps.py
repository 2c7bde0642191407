"""What debug mode adds to a header: traps for NaN, infinity, division by zero and indices.

Every trap notes the vertex under its kind and its line of the built text (words.cl), so that the
host can name the vertex, the superstep and the snippet's line.
"""

from __future__ import annotations

import re

from gascl.codegen.declarations import Declarations
from gascl.language.snippet import Snippet
from gascl.language.types import SCALARS, Type

_VECTOR = re.compile(rf"\b({'|'.join(['real', *SCALARS.values()])})(2|3|4|8|16)\b")


class Traps(Declarations):
    """Writes the traps; nothing at all where debug mode is off."""

    def traps(self) -> None:
        """Functions that tell of a value, one for each type that holds floats."""
        if not self.debug:
            return
        # Behind all includes: line n of this header is line gascl_first + n of what is built.
        self.put(f"enum {{ gascl_first = __LINE__ - {len(self.lines) + 1} }};")
        of = "{0} x, const int id, const int line, __global int *faults,"
        program, declared = self.program, [self.header.message, *self.header.types.values()]
        declared += [a.resolve(self.real) for a in program.aggregates.values()]
        for type_ in dict.fromkeys(t for t in declared if _floats(t, "x")):
            c = type_.c
            self.put(
                f"static {c} gascl_sound_{c}(const {of.format(c)}",
                "        __global gascl_control *control) {",
                f"    if ({_any('isnan', type_, 'x')})",
                "        gascl_trap(GASCL_NAN, line, id, faults, control);",
                "    return x;",
                "}",
                "",
                f"static void gascl_finite_{c}(const {c} before, const {of.format(c)}",
                "        __global gascl_control *control) {",
                f"    if (!({_any('isinf', type_, 'before')}) && ({_any('isinf', type_, 'x')}))",
                "        gascl_trap(GASCL_INFINITE, line, id, faults, control);",
                "}",
                "",
            )
        here = "v.id, __LINE__, gascl_faults, gascl_control_"
        self.put(
            # Once evaluated, for `a / i++`; of the type that a division would give: + 0 takes
            # what it lies in, such as __global, off it.
            "#define gascl_nonzero(x) ({ __typeof__((x) + 0) gascl_by = (x); \\",
            f"    gascl_by == 0 ? gascl_zero({here}) : gascl_by; }})",
            f"#define gascl_index(x) gascl_message_index((x), num_messages, {here})",
            "",
        )

    def sound(self, value: str, type_: Type) -> str:
        """C text of a value that is trapped where it is NaN."""
        if not self.debug or not _floats(type_, "x"):
            return value
        return f"gascl_sound_{type_.c}({value}, v.id, __LINE__, gascl_faults, gascl_control_)"

    def guarded(self, snippet: Snippet) -> None:
        """A snippet's lines, divisors and indices guarded; remembers where it stands.

        Divisors are not where the program has vectors: whether one is zero is a vector, too.
        """
        self.where = len(self.lines) + 1
        if not self.debug:
            return self.verbatim(snippet)
        texts = " ".join(s.text for s in self.program.snippets.values())
        types = " ".join(t.c for t in [self.header.message, *self.header.types.values()])
        divisors = None if _VECTOR.search(f"{texts} {types}") else "gascl_nonzero"
        return self.verbatim(snippet, snippet.guarded(divisors, "gascl_index"))

    def trap_init(self, init: Snippet | None) -> None:
        if self.debug:
            for name in self.program.vertex_fields:
                self._check(name, f"v.{name}", init, None)

    def trap_before(self, apply: Snippet | None) -> None:
        if self.debug and apply is not None:
            self.put("    const gascl_vertex gascl_before = v;")

    def trap_apply(self, apply: Snippet | None) -> None:
        if self.debug and apply is not None:
            for name in self.program.vertex_fields:
                if name in apply.writes("v"):
                    self._check(name, f"v.{name}", apply, f"gascl_before.{name}")

    def trap_scatter(self, scatter: Snippet | None) -> None:
        if self.debug and scatter is not None:
            for name in self.arcs:
                if name in scatter.writes("e"):
                    self._check(name, f"(*gascl_e).{name}", scatter, None)

    def _check(self, name: str, value: str, snippet: Snippet | None, before: str | None) -> None:
        """Trap a field that a snippet left as NaN, or made infinite, at the line that wrote it."""
        type_ = self.header.types[name]
        if not _floats(type_, "x"):
            return
        lines = [m.line for m in snippet.members if m.name == name and m.written] if snippet else []
        line = f"gascl_first + {self.where + lines[0]}" if lines else "gascl_first"
        rest = f"{value}, v.id, {line}, gascl_faults, gascl_control_"
        self.put(f"    gascl_sound_{type_.c}({rest});")
        if before:
            self.put(f"    gascl_finite_{type_.c}({before}, {rest});")


def _floats(type_: Type, value: str) -> list[tuple[str, Type]]:
    """C text and type of the parts of a value that are floats."""
    if type_.members:
        return [(f"{value}.{n}", t) for n, t in type_.members if t.is_float]
    return [(value, type_)] if type_.is_float else []


def _any(test: str, type_: Type, value: str) -> str:
    """C text: whether a test of floats holds anywhere in a value. `any` wants vectors."""
    parts = _floats(type_, value)
    return " || ".join(f"{test}({x})" if t.width == 1 else f"any({test}({x}))" for x, t in parts)
