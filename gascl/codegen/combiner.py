"""Writes the functions that combine messages."""

from __future__ import annotations

from gascl.codegen.context import Context
from gascl.codegen.source_writer import Text
from gascl.codegen.traps import Traps
from gascl.language.combiners import EXPRESSION, FIRST, OR, Combiner
from gascl.language.types import Type


def write_combiner(text: Text, c: Context, traps: Traps) -> None:
    """Write gascl_identity, gascl_combine, and gascl_nothing: `msg` if there was no message."""
    spec, wide, single = c.spec, c.accumulator, c.traits.reads_singly
    combiner = spec.combiner or OR  # if nothing is sent, any combiner will do
    text.put("static gascl_accumulator gascl_identity(void) {")
    if single:  # nothing is combined
        text.put(f"    return {wide.zero()};")
    elif combiner is EXPRESSION:
        traps.expression("    return (", spec.snippets["identity"], "    );", who="")
    elif wide.boxed and combiner is not FIRST:
        text.put(f"    return gascl_all_{wide.c}({combiner.identity(wide.one)});")
    else:
        text.put(f"    return {combiner.identity(wide)};")
    text.put("}", "", "static gascl_accumulator gascl_combine(")
    if c.traits.overflows:
        text.put("    const gascl_accumulator a, const gascl_accumulator b,")
        text.put("    int *gascl_overflow, const int gascl_more) {")
    else:
        text.put("    const gascl_accumulator a, const gascl_accumulator b) {")
    if single:
        text.put("    return b;")
    elif wide.has_arrays and combiner not in (EXPRESSION, FIRST):
        text.put(*_by_component(combiner, wide, c.traits.overflows))
    elif c.traits.overflows:
        text.put(*combiner.noticing_overflow(wide, c.message))
    elif combiner is EXPRESSION:
        traps.expression("    return (", spec.snippets["combine"], "    );", who="")
    else:
        text.put(f"    return {combiner.combined(wide, 'a', 'b')};")
    text.put("}", "")
    if c.message.boxed and combiner is not FIRST:
        text.put(f"#define GASCL_NO_COMPONENT {combiner.identity(wide.one)}")
        piece = combiner.combined(wide.part, "a", "b")
        for name, what in (("piece", "wide_piece"), ("component", "component")):
            text.put(
                f"static gascl_{what} gascl_combine_{name}(const gascl_{what} a,",
                f"        const gascl_{what} b) {{",
                f"    return {piece};",
                "}",
                "",
            )
    text.put("// What apply sees if there was no message.")
    text.put("static gascl_gathered gascl_nothing(void) {")
    if single and "identity" in spec.snippets:
        traps.expression("    return (", spec.snippets["identity"], "    );", who="")
    elif single:
        text.put(f"    return {c.gathered.zero()};")
    else:
        text.put("    return GASCL_TO_MESSAGE(gascl_identity());")
    text.put("}", "")


def _by_component(combiner: Combiner, wide: Type, overflows: bool) -> list[str]:
    """C statements that return the combination of a and b, which have arrays. A sum of integers
    cannot overflow, since messages have at most 32 bits, and their sum 64."""

    def combined(at: str, type_: Type) -> str:
        return f"gascl_c{at} = {combiner.combined(type_, f'a{at}', f'b{at}')}"

    return [
        "    gascl_accumulator gascl_c;",
        *wide.by_component(combined),
        *(["    *gascl_overflow += gascl_more;"] * overflows),
        "    return gascl_c;",
    ]
