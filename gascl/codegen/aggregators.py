"""What a superstep counts: aggregators and messages, and the loop's own state on the device."""

from __future__ import annotations

from gascl.codegen.header import Lines
from gascl.language.fields import Aggregate
from gascl.language.types import Type, resolve


class Tallies(Lines):
    """Writes the structs of tallies and of control, and how they are added and copied."""

    def _aggregates(self) -> None:
        """Accumulators, which groups keep apart and add up, and what snippets see of them."""
        program = self.program
        sums = {n: a.accumulator(self.real, self.fp64) for n, a in program.aggregates.items()}
        seen = dict(sums)  # a mean's accumulator is as wide as the mean
        means = [n for n, a in program.aggregates.items() if a.op == "mean"]
        sums.update({f"{n}_": resolve("int64", "") for n in means})
        self.seen = self._struct("gascl_aggregates", seen.items())
        kept = self._struct("gascl_sums", sums.items())
        members = [("messages", resolve("int64", "")), ("sums", kept)]
        self.tally = self._struct("gascl_tally", members)
        self.header.tally = self.tally.scalar
        for name, aggregator in program.aggregates.items():
            self._aggregate(name, aggregator, sums[name])
        for type_ in (self.seen, kept, self.tally):
            self._copier(type_)
        counts = [f"{n}_" for n in means]
        self._macro(
            "GASCL_ZERO_TALLY(gascl_all)",
            "(gascl_all).messages = 0",
            *(f"(gascl_all).sums.{n} = gascl_none_of_{n}()" for n in program.aggregates),
            *(f"(gascl_all).sums.{n} = 0" for n in counts),
        )
        both = "(gascl_all).sums.{0}, (gascl_more).sums.{0}"
        self._macro(
            "GASCL_ADD_TALLY(gascl_all, gascl_more)",
            "(gascl_all).messages += (gascl_more).messages",
            *(
                f"(gascl_all).sums.{n} = gascl_merge_of_{n}({both.format(n)})"
                for n in program.aggregates
            ),
            *(f"(gascl_all).sums.{n} += (gascl_more).sums.{n}" for n in counts),
        )
        over = " / (gascl_all).sums.{}_"  # of none: NaN
        means_of = {n: over.format(n) if n in means else "" for n in seen}
        self._macro(
            "GASCL_SETTLE(gascl_seen, gascl_all)",
            *(f"(gascl_seen).{n} = (gascl_all).sums.{n}{mean}" for n, mean in means_of.items()),
            *([] if seen else ["(gascl_seen).gascl_unused = 0"]),
        )

    def _aggregate(self, name: str, aggregator: Aggregate, type_: Type) -> None:
        """What an aggregator begins with, how two of it merge, and how a value is added."""
        op, c = aggregator.op, type_.c
        start = {"min": type_.highest, "max": type_.lowest}.get(op, lambda: "0")()
        none, merge = [f"    return {start};"], ["    return a + b;"]
        if op in ("min", "max"):
            merge = [f"    return {extreme(op, type_, 'a', 'b')};"]
        self.put(f"static {c} gascl_none_of_{name}(void) {{")
        if aggregator.is_custom:
            self.expression("    return (", self.program.snippets[f"{name}.identity"], "    );")
        else:
            self.put(*none)
        self.put("}", "", f"static {c} gascl_merge_of_{name}(const {c} a, const {c} b) {{")
        if aggregator.is_custom:
            self.expression("    return (", self.program.snippets[f"{name}.combine"], "    );")
        else:
            self.put(*merge)
        added = "1" if op == "count" else "x"
        taken = aggregator.resolve(self.real).c if op == "count" else c
        self.put(
            "}",
            "",
            f"static void gascl_aggregate_{name}(gascl_tally *all, const {taken} x) {{",
            f"    all->sums.{name} = gascl_merge_of_{name}(all->sums.{name}, {added});",
            *([f"    ++all->sums.{name}_;"] if op == "mean" else []),
            "}",
            "",
        )

    def _control(self) -> None:
        """The loop's own state, kept on the device so that it can stop without the host."""
        counts = ("active", "next_active", "next_arcs")
        numbers = ("superstep", "stopped", "overflow", "fault", "under_way")
        int32, int64 = resolve("int32", ""), resolve("int64", "")
        control = self._struct(
            "gascl_control",
            [
                *((n, int64) for n in counts),
                ("tally", self.tally),
                ("aggregates", self.seen),
                *((n, int32) for n in numbers),
            ],
        )
        self._copier(control)
        self.header.control = control.scalar

    def _copier(self, type_: Type) -> None:
        """GASCL_COPY_..., which copies a struct of ours a member at a time, to and from any memory.

        NVIDIA's compiler garbles whole ones that have structs or vectors in them.
        """
        ours = [f"gascl_{n}" for n in ("sums", "tally", "aggregates")]
        self._macro(
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


def extreme(op: str, type_: Type, a: str, b: str) -> str:
    """min or max of a and b; NaN wins, as in NumPy."""
    sign = "<" if op == "min" else ">"
    nan = f" || {b} != {b}" if type_.is_float else ""
    return f"{b} {sign} {a}{nan} ? {b} : {a}"
