"""Writes the aggregators, the message counts, and the loop's own state on the device."""

from __future__ import annotations

from gascl.codegen.context import Context
from gascl.codegen.source_writer import Text
from gascl.language.fields import Aggregate
from gascl.language.types import Type


def write_aggregators(text: Text, c: Context) -> None:
    """Write the partial sums that each work-group keeps, and the values that snippets see."""
    declared = c.spec.aggregates
    if c.float_sums:
        text.struct(c.float_sum)
        write_copier(text, c.float_sum)
        text.put('#include "float_sum.cl"', "")
    for type_ in (c.aggregates, c.sums, c.tally):
        text.struct(type_)
    types, seen = dict(c.sums.members), {n: a.value(c.real, c.fp64) for n, a in declared.items()}
    for name, aggregator in declared.items():
        _write_aggregator(text, c, name, aggregator, types[name])
    for type_ in (c.aggregates, c.sums, c.tally):
        write_copier(text, type_)
    counts = [f"{n}_" for n in c.means]
    text.macro(
        "GASCL_ZERO_TALLY(gascl_all)",
        "(gascl_all).messages = 0",
        *(f"(gascl_all).sums.{n} = gascl_none_of_{n}()" for n in declared),
        *(f"(gascl_all).sums.{n} = 0" for n in counts),
    )
    both = "(gascl_all).sums.{0}, (gascl_more).sums.{0}"
    text.macro(
        "GASCL_ADD_TALLY(gascl_all, gascl_more)",
        "(gascl_all).messages += (gascl_more).messages",
        *(f"(gascl_all).sums.{n} = gascl_merge_of_{n}({both.format(n)})" for n in declared),
        *(f"(gascl_all).sums.{n} += (gascl_more).sums.{n}" for n in counts),
    )
    text.macro(
        "GASCL_SETTLE(gascl_seen, gascl_all)",
        *(f"(gascl_seen).{n} = {_settled(c, n, type_)}" for n, type_ in seen.items()),
        *([] if declared else ["(gascl_seen).gascl_unused = 0"]),
    )


def _settled(c: Context, name: str, type_: Type) -> str:
    """C text of an aggregator's value, of this type."""
    of_all = f"(gascl_all).sums.{name}"
    total = f"gascl_sum_of_floats({of_all})" if name in c.float_sums else of_all
    return f"({type_.c}){total} / {of_all}_" if name in c.means else total  # 0 / 0 is NaN


def _write_aggregator(
    text: Text, c: Context, name: str, aggregator: Aggregate, type_: Type
) -> None:
    """Write an aggregator's first value, how two partial values merge, and how a value is added."""
    combiner, snippets = aggregator.combiner, c.spec.snippets
    taken, added = type_.c, f"all->sums.{name} = gascl_merge_of_{name}(all->sums.{name}, x);"
    if name in c.float_sums:
        none, merged = "gascl_no_floats()", "gascl_merged_floats(a, b)"
        taken, added = "gascl_addend", f"gascl_add_float(&all->sums.{name}, x);"
    elif not aggregator.is_custom:
        none, merged = combiner.identity(type_), combiner.combined(type_, "a", "b")
    if aggregator.op == "count":
        taken, added = aggregator.resolve(c.real).c, f"++all->sums.{name};"
    text.put(f"static {type_.c} gascl_none_of_{name}(void) {{")
    if aggregator.is_custom:
        text.expression("    return (", snippets[f"{name}.identity"], "    );")
    else:
        text.put(f"    return {none};")
    text.put("}", "")
    text.put(f"static {type_.c} gascl_merge_of_{name}(const {type_.c} a, const {type_.c} b) {{")
    if aggregator.is_custom:
        text.expression("    return (", snippets[f"{name}.combine"], "    );")
    else:
        text.put(f"    return {merged};")
    text.put(
        "}",
        "",
        f"static void gascl_aggregate_{name}(gascl_tally *all, const {taken} x) {{",
        f"    {added}",
        *([f"    ++all->sums.{name}_;"] if name in c.means else []),
        "}",
        "",
    )


def write_control(text: Text, c: Context) -> None:
    """Write the structs of the loop's own state, and of what a rank tells the others of it."""
    text.struct(c.control)
    write_copier(text, c.control)
    text.struct(c.outcome)


def write_copier(text: Text, type_: Type) -> None:
    """Write GASCL_COPY_..., which copies a struct member by member, to and from any address space.

    NVIDIA's compiler corrupts assignments of whole structs that contain structs or vectors.
    """
    ours = [f"gascl_{n}" for n in ("sums", "tally", "aggregates", "float_sum")]
    text.macro(
        f"{_copier_of(type_)}(gascl_to, gascl_from)",
        *(
            f"{_copier_of(t)}((gascl_to).{n}, (gascl_from).{n})"
            if t.c in ours
            else f"(gascl_to).{n} = (gascl_from).{n}"
            for n, t in type_.members
        ),
    )


def _copier_of(type_: Type) -> str:
    return f"GASCL_COPY_{type_.c.removeprefix('gascl_').upper()}"
