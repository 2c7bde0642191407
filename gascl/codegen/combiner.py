"""Writes the functions that combine messages."""

from __future__ import annotations

from gascl.codegen.context import Context
from gascl.codegen.source_writer import Text
from gascl.codegen.traps import Traps
from gascl.language.combiners import EXPRESSION, OR


def write_combiner(text: Text, c: Context, traps: Traps) -> None:
    """Write gascl_identity, gascl_combine, and gascl_nothing: `msg` if there was no message."""
    spec, wide, single = c.spec, c.accumulator, c.traits.reads_singly
    combiner = spec.combiner or OR  # if nothing is sent, any combiner will do
    text.put("static gascl_accumulator gascl_identity(void) {")
    if single:  # nothing is combined
        text.put(f"    return {wide.zero()};")
    elif combiner is EXPRESSION:
        traps.expression("    return (", spec.snippets["identity"], "    );", who="")
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
    elif c.traits.overflows:
        text.put(*combiner.noticing_overflow(wide))
    elif combiner is EXPRESSION:
        traps.expression("    return (", spec.snippets["combine"], "    );", who="")
    else:
        text.put(f"    return {combiner.combined(wide, 'a', 'b')};")
    text.put("}", "", "// What apply sees if there was no message.")
    text.put("static gascl_gathered gascl_nothing(void) {")
    if single and "identity" in spec.snippets:
        traps.expression("    return (", spec.snippets["identity"], "    );", who="")
    elif single:
        text.put(f"    return {c.gathered.zero()};")
    else:
        text.put("    return GASCL_TO_MESSAGE(gascl_identity());")
    text.put("}", "")
