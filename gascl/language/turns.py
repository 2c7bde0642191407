"""Finds the loop of apply whose turns a work-group can try out at the same time, where vertices
apply in place: see gascl/codegen/kernels/in_place/long_rows.cl."""

from __future__ import annotations

from dataclasses import dataclass

from gascl.language.operands import at, statement_end
from gascl.language.reductions import Finder
from gascl.language.spec import ProgramSpec
from gascl.language.tokens import Token, closing, rewritten, tokens

_STEPS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"}
#: What ends up elsewhere than in the vertex, in local variables and in messages.
_JUMPS = ("goto", "switch", "needs_order")


@dataclass(frozen=True)
class Turns:
    """A loop whose turns can be tried out.

    Attributes:
        text: of apply, with macros before and after the loop (codegen/turns.py); its lines keep
            their places.
        kept: the local variables that the loop sees, each with its type in C.
    """

    text: str
    kept: tuple[tuple[str, str], ...]


def turns_of(spec: ProgramSpec, real: str) -> Turns | None:
    """The only loop of apply in which it looks at neighbors, if it can be continued before any of
    its turns, that is if all local variables before it are numbers."""
    apply = spec.snippets.get("apply")
    if apply is None or apply.has_directives or apply.uses(*_JUMPS):
        return None
    toks = tokens(apply.text)
    looks = {i for i, token in enumerate(toks) if token.text == "neighbor"}
    loops = [i for i in _loops(toks) if looks & {*range(i, statement_end(toks, i))}]
    if len(loops) != 1:
        return None
    first, end = loops[0], statement_end(toks, loops[0])
    body, index = closing(toks, first + 1), _index(toks, first)
    inner = {k for i in _all_loops(toks, body, end) for k in range(i, statement_end(toks, i))}
    if (
        index is None
        or _changes(toks, index, body, end)
        or looks - {*range(body, end)}
        or looks & inner
    ):
        return None
    local = Finder(spec, apply, real)
    names = [name for name, places in local.declared.items() if _sees(toks, places, first)]
    if local.places or not set(names) <= local.locals.keys():
        return None
    kept = tuple((name, local.locals[name]) for name in names)
    return Turns(_text(apply.text, toks, first, end, index), kept)


def _depth(toks: list[Token], i: int) -> int:
    """In how many brackets toks[i] is."""
    before = [t.text for t in toks[:i]]
    return sum(before.count(b) for b in "([{") - sum(before.count(b) for b in ")]}")


def _loops(toks: list[Token]) -> list[int]:
    """The places of `for` that are in no brackets, and in no other statement."""
    places, i = [], 0
    while i < len(toks):
        if toks[i].text == "for":
            places.append(i)
        i = statement_end(toks, i)
    return places


def _all_loops(toks: list[Token], begin: int, end: int) -> list[int]:
    """The places of loops between two tokens, also of those in others."""
    return [i for i in range(begin, end) if toks[i].text in ("for", "while", "do", "for_common")]


def _index(toks: list[Token], i: int) -> str | None:
    """The variable that counts the turns of the loop at toks[i], if it counts from 0."""
    head = [t.text for t in toks[i + 2 : closing(toks, i + 1) - 1]]
    if len(head) < 9 or head[0] not in ("int", "long") or head[2:5] != ["=", "0", ";"]:
        return None
    name, step = head[1], head[len(head) - head[::-1].index(";") :]
    counts = step in (["++", name], [name, "++"], [name, "+=", "1"])
    return name if counts and head.count(";") == 2 else None


def _changes(toks: list[Token], index: str, body: int, end: int) -> bool:
    """Whether the body of the loop may change its index."""
    return any(
        toks[i].text == index
        and (at(toks, i + 1) in _STEPS or at(toks, i - 1) in ("++", "--", "&"))
        for i in range(body, end)
    )


def _sees(toks: list[Token], places: list[int], loop: int) -> bool:
    """Whether a variable that is declared at these places is one at the loop."""
    return any(place < loop and _depth(toks, place) == 0 for place in places)


def _text(text: str, toks: list[Token], first: int, end: int, index: str) -> str:
    head = [i for i in range(first, closing(toks, first + 1)) if toks[i].text == ";"]
    # What is continued assigns to variables, also to those that are constant otherwise.
    instead = {i: "" for i in range(first) if toks[i].text == "const"}
    instead[first + 5] = f"({toks[first + 2].text})gascl_turns_->first"  # instead of 0
    before = {0: "GASCL_CONTINUE ", first: "GASCL_BEFORE_TURNS "}
    before[head[0] + 1] = f"GASCL_TURN({index}) && ("
    before[head[1]] = ")"
    if first == 0:
        before[0] = "GASCL_CONTINUE GASCL_BEFORE_TURNS "
    return rewritten(text, toks, before, instead, {end - 1: " GASCL_AFTER_TURNS"})
