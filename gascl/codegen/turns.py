"""Writes what a work-group needs to try out the turns of a loop of apply: see
kernels/in_place/long_rows.cl."""

from __future__ import annotations

from gascl.codegen.source_writer import Text
from gascl.language.turns import Turns

_BITS = {"float": "as_uint", "double": "as_ulong"}


class Turned:
    """Writes the types and the macros of a program's loop."""

    def __init__(self, text: Text, turns: Turns):
        self.text, self.turns = text, turns

    def write_types(self) -> None:
        put, kept = self.text.put, [(f"x{i}", t) for i, (_, t) in enumerate(self.turns.kept)]
        put("// The local variables of apply before a turn of the loop.", "typedef struct {")
        put(*(f"    {type_} {name};" for name, type_ in kept), "    int gascl_unused;")
        put("} gascl_kept;", "")
        self.text.macro(
            "GASCL_COPY_KEPT(gascl_to, gascl_from)",
            *(f"(gascl_to).{name} = (gascl_from).{name}" for name, _ in kept),
        )
        put(
            "// The turns from `first` to before `last`, unless `at` is where the loop ended;",
            "// `reached`: it did not. If apply does not continue, it runs from its beginning.",
            "// If it `tries`, it sends nothing, and ends with the loop; `acts`: it would have",
            "// sent something, the loop would end, or a local variable has another value.",
            "typedef struct {",
            "    bool waited, continues, tries, reached, acts;",
            "    long first, last, at;",
            "    gascl_kept kept;",
            "} gascl_turns;",
            "",
        )

    def begin(self, words: list[str]) -> list[str]:
        """Write the macros around the loop, and those that trying changes; returns the names of the
        new ones."""
        put, kept = self.text.put, [(n, f"x{i}", t) for i, (n, t) in enumerate(self.turns.kept)]
        given = " ".join(f"{name} = gascl_turns_->kept.{x};" for name, x, _ in kept)
        taken = " ".join(f"gascl_turns_->kept.{x} = {name};" for name, x, _ in kept)
        changed = [f"{_of(t, name)} != {_of(t, f'gascl_turns_->kept.{x}')}" for name, x, t in kept]
        put(
            "#define GASCL_CONTINUE if (gascl_turns_->continues) goto gascl_continued;",
            "#define GASCL_BEFORE_TURNS gascl_continued: gascl_turns_->reached = false; "
            f"if (gascl_turns_->continues) {{ {given} }}",
            "#define GASCL_TURN(i) (gascl_turns_->at = (i)) < gascl_turns_->last",
            "#define GASCL_AFTER_TURNS "
            "gascl_turns_->reached = gascl_turns_->at == gascl_turns_->last; "
            "if (gascl_turns_->tries) { gascl_turns_->acts |= "
            f"{' || '.join(['!gascl_turns_->reached', *changed])}; return; }} "
            f"if (gascl_turns_->reached) {{ {taken} return; }}",
        )
        names = ["GASCL_CONTINUE", "GASCL_BEFORE_TURNS", "GASCL_TURN", "GASCL_AFTER_TURNS"]
        if "send_to" in words:
            self.text.put(
                "#undef send_to",
                "#define send_to(gascl_to, ...) (gascl_turns_->tries ? "
                "(void)(gascl_turns_->acts = true) : gascl_send_now((gascl_to), __VA_ARGS__, v.id, "
                "__LINE__, gascl_faults, gascl_control_, gascl_run_, gascl_all, GASCL_STATE_ON))",
            )
        return names


def _of(type_: str, name: str) -> str:
    """C text of a value that is compared bit by bit."""
    return f"{_BITS[type_]}({name})" if type_ in _BITS else name
