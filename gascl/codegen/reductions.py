"""Writes what a work-group needs to share the loops of apply that only reduce: see
kernels/shared_rows.cl."""

from __future__ import annotations

import re
from collections.abc import Callable

from gascl.codegen.context import Context
from gascl.codegen.source_writer import Text
from gascl.language.reductions import Accumulator

_SET_MASK_OF = re.compile(r"\bset_mask_of\b")


class Reductions:
    """Writes the types, the macros and the text of a program's reductions."""

    def __init__(self, text: Text, context: Context):
        self.text, self.context = text, context
        #: For each loop, its members of the struct of values, and what they accumulate.
        self.members: list[list[tuple[str, Accumulator]]] = []
        for number, loop in enumerate(context.reductions):
            names = (f"x{number}_{i}" for i in range(len(loop.accumulators)))
            self.members.append(list(zip(names, loop.accumulators, strict=True)))

    def write_types(self) -> None:
        """Write the structs of what loops reduce to and of a part of the turns, and how the values
        of two parts join."""
        put = self.text.put
        put("// What each loop over neighbors in apply reduces to.", "typedef struct {")
        put(*(f"    {each.type} {name};" for loop in self.members for name, each in loop))
        put(*([] if any(self.members) else ["    int gascl_unused;"]))
        put(
            "} gascl_reduced;",
            "",
            "// A part of the turns of a loop, and the values that they reduce to; `had` are those",
            "// from before the loop. If `loop` is GASCL_REDUCTIONS, all turns have run.",
            "typedef struct {",
            "    int loop, reached, first, last, step;",
            "    gascl_reduced had, values;",
            "} gascl_part;",
            "",
        )

        def copied(name: str, each: Accumulator) -> str:
            return f"(gascl_to).{name} = (gascl_from).{name}"

        def joined(name: str, each: Accumulator) -> str:
            a, b, had = (f"(gascl_{part}).{name}" for part in ("to", "from", "had"))
            leaders = None
            if each.leader:
                number = int(name[1:].partition("_")[0])
                (leader,) = (n for n, one in self.members[number] if one.name == each.leader)
                leaders = f"(gascl_to).{leader}", f"(gascl_from).{leader}"
            return f"(gascl_to).{name} = {each.joined(a, b, had, leaders)}"

        # Member by member: NVIDIA's compiler garbles copies of some structs.
        self._macro("COPY_REDUCED(gascl_loop, gascl_to, gascl_from)", copied)
        self._macro("JOIN_REDUCED(gascl_loop, gascl_to, gascl_from, gascl_had)", joined)
        self._test("IS_ORDERED", [loop.ordered for loop in self.context.reductions])
        self._test("IN_CHUNKS", [loop.in_chunks for loop in self.context.reductions])
        put("")

    def _test(self, name: str, holds: list[bool]) -> None:
        """Write a macro that says whether something holds for a loop."""
        tests = " || ".join(f"(gascl_loop) == {n}" for n, does in enumerate(holds) if does)
        self.text.put(f"#define GASCL_{name}(gascl_loop) ({tests or 'false'})")

    def _macro(self, head: str, statement: Callable[[str, Accumulator], str]) -> None:
        """Write a macro with a statement for each accumulator of the loop."""
        self.text.macro(
            f"GASCL_{head}",
            *(
                f"if ((gascl_loop) == {number}) {statement(name, each)}"
                for number, loop in enumerate(self.members)
                for name, each in loop
            ),
        )

    def begin_parts(self) -> list[str]:
        """Write the macros around a loop in the text of `in_parts`; returns their names."""
        names = list[str]()
        for number, loop in enumerate(self.members):
            here = f"gascl_part_->loop == {number}"
            before = [f"if (gascl_part_->loop < {number}) return;", f"if ({here}) {{"]
            before += [f"gascl_part_->had.{name} = {each.name};" for name, each in loop]
            before += [f"{each.name} = {each.starts};" for _, each in loop if each.starts]
            after = [f"if ({here}) {{", "gascl_part_->reached = 1;"]
            after += [f"gascl_part_->values.{name} = {each.name};" for name, each in loop]
            after += ["return; }"]
            after += [f"{each.name} = gascl_part_->values.{name};" for name, each in loop]
            index = self.context.reductions[number]
            turns = f"{index.index_type} {index.index} = gascl_part_->first; "
            turns += f"{here} && {index.index} < gascl_part_->last; "
            turns += f"{index.index} += gascl_part_->step"
            macros = {
                f"GASCL_BEFORE_{number}": " ".join([*before, "}"]),
                f"GASCL_TURNS_{number}": f"for ({turns})",
                f"GASCL_AFTER_{number}": " ".join(after),
            }
            self.text.put(*(f"#define {name} {meaning}" for name, meaning in macros.items()))
            names += macros
        return names

    def in_parts(self, text: str) -> str:
        """The text of apply, in which each of the loops runs only some of its turns; its lines keep
        their places."""
        parts, last = [], 0
        for number, loop in enumerate(self.context.reductions):
            lines = "\n" * text.count("\n", loop.first, loop.body)
            parts += [text[last : loop.first], f"{{ GASCL_BEFORE_{number} GASCL_TURNS_{number} "]
            # Of all calls in these turns, this is the only one with an effect.
            body = _SET_MASK_OF.sub("gascl_set_mask_now", text[loop.body : loop.last])
            parts += [lines, body, f" GASCL_AFTER_{number} }}"]
            last = loop.last
        return "".join([*parts, text[last:]])
