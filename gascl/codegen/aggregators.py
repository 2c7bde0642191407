"""Writes the aggregators, the message counts, and the loop's own state on the device."""

from __future__ import annotations

from gascl.codegen.context import Context
from gascl.codegen.source_writer import Text
from gascl.language.fields import Aggregate
from gascl.language.types import Type


def write_aggregators(text: Text, c: Context) -> None:
    """Write the partial sums that each work-group keeps, and the values that snippets see."""
    declared = c.spec.aggregates
    for type_ in (c.aggregates, c.sums, c.tally):
        text.struct(type_)
    types = dict(c.sums.members)
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
    over = " / (gascl_all).sums.{}_"  # 0 / 0 is NaN
    means_of = {n: over.format(n) if n in c.means else "" for n in declared}
    text.macro(
        "GASCL_SETTLE(gascl_seen, gascl_all)",
        *(f"(gascl_seen).{n} = (gascl_all).sums.{n}{mean}" for n, mean in means_of.items()),
        *([] if declared else ["(gascl_seen).gascl_unused = 0"]),
    )


def _write_aggregator(
    text: Text, c: Context, name: str, aggregator: Aggregate, type_: Type
) -> None:
    """Write an aggregator's first value, how two partial values merge, and how a value is added."""
    combiner, snippets = aggregator.combiner, c.spec.snippets
    text.put(f"static {type_.c} gascl_none_of_{name}(void) {{")
    if aggregator.is_custom:
        text.expression("    return (", snippets[f"{name}.identity"], "    );")
    else:
        text.put(f"    return {combiner.identity(type_)};")
    text.put("}", "")
    text.put(f"static {type_.c} gascl_merge_of_{name}(const {type_.c} a, const {type_.c} b) {{")
    if aggregator.is_custom:
        text.expression("    return (", snippets[f"{name}.combine"], "    );")
    else:
        text.put(f"    return {combiner.combined(type_, 'a', 'b')};")
    counts = aggregator.op == "count"
    taken, added = (aggregator.resolve(c.real).c, "1") if counts else (type_.c, "x")
    text.put(
        "}",
        "",
        f"static void gascl_aggregate_{name}(gascl_tally *all, const {taken} x) {{",
        f"    all->sums.{name} = gascl_merge_of_{name}(all->sums.{name}, {added});",
        *([f"    ++all->sums.{name}_;"] if name in c.means else []),
        "}",
        "",
    )


def write_control(text: Text, c: Context) -> None:
    """Write the struct of the loop's own state."""
    text.struct(c.control)
    write_copier(text, c.control)


def write_copier(text: Text, type_: Type) -> None:
    """Write GASCL_COPY_..., which copies a struct member by member, to and from any address space.

    NVIDIA's compiler corrupts assignments of whole structs that contain structs or vectors.
    """
    ours = [f"gascl_{n}" for n in ("sums", "tally", "aggregates")]
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
