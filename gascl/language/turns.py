"""Finds the loop of apply whose turns a work-group can try out at the same time, where vertices
apply in place: see gascl/codegen/kernels/in_place/long_rows.cl."""

from __future__ import annotations

from dataclasses import dataclass

from gascl.language.operands import at, statement_end
from gascl.language.reductions import _Finder
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
    """The first loop of apply that looks at neighbors, if a run can be continued before any of its
    turns, that is if all local variables before it are numbers."""
    apply = spec.snippets["apply"]
    toks = tokens(apply.text)
    if apply.has_directives or apply.uses(*_JUMPS):
        return None
    found = next((i for i, token in enumerate(toks) if token.text == "neighbor"), None)
    first = next((i for i in _loops(toks) if i < (found or 0) < statement_end(toks, i)), None)
    if first is None:
        return None
    index = _index(toks, first)
    end = statement_end(toks, first)
    local = _Finder(spec, apply, real)
    if index is None or _changes(toks, index, closing(toks, first + 1), end):
        return None
    names = [name for name, places in local.declared.items() if _sees(toks, places, first)]
    if local.places or not set(names) <= local.locals.keys():
        return None
    return Turns(_text(apply.text, toks, first, end, index), tuple((n, local.locals[n]) for n in names))


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
    instead[first + 5] = "gascl_turns_->first"  # instead of 0
    before = {0: "GASCL_CONTINUE ", first: "GASCL_BEFORE_TURNS "}
    before[head[0] + 1] = f"GASCL_TURN({index}) && ("
    before[head[1]] = ")"
    if first == 0:
        before[0] = "GASCL_CONTINUE GASCL_BEFORE_TURNS "
    return rewritten(text, toks, before, instead, {end - 1: " GASCL_AFTER_TURNS"})
