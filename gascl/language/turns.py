"""Finds the loop of apply whose turns a work-group can try out at the same time, where vertices
apply in place: see gascl/codegen/kernels/in_place/long_rows.cl."""

from __future__ import annotations

from dataclasses import dataclass

from gascl.language.operands import QUALIFIERS, at, statement_end, whole_end
from gascl.language.spec import ProgramSpec
from gascl.language.tokens import Token, closing, rewritten
from gascl.language.types import SCALARS

_NUMBERS = {*SCALARS.values(), "real", "bool"}
#: Statements whose variables are their own.
_BLOCKS = {"{", "if", "for", "while", "do", "for_common", "return"}
_STEPS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"}
#: Words whose effect depends on where apply is, or reaches beyond the vertex and its messages.
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
    its turns, that is if all local variables before it are known to be numbers."""
    apply = spec.snippet("apply")
    if apply.has_directives or apply.uses(*_JUMPS):
        return None
    toks = apply.tokens
    looks = {i for i, token in enumerate(toks) if token.text == "neighbor"}
    loops = [i for i in _loops(toks) if looks & {*range(i, statement_end(toks, i))}]
    if len(loops) != 1:
        return None
    first, end = loops[0], statement_end(toks, loops[0])
    body, index = closing(toks, first + 1), _index(toks, first)
    inner = {k for i in _all_loops(toks, body, end) for k in range(i, statement_end(toks, i))}
    if (
        index is None
        or _changes(toks, index, [*_condition(toks, first), *range(body, end)])
        or looks - {*range(body, end)}
        or looks & inner
    ):
        return None
    kept = _numbers(toks, first, apply.types)
    if kept is None:
        return None
    named = tuple((name, SCALARS[real] if type_ == "real" else type_) for name, type_ in kept)
    return Turns(_text(apply.text, toks, first, end, index), named)


def _numbers(toks: list[Token], loop: int, types: frozenset[str]) -> list[tuple[str, str]] | None:
    """The variables that statements before the loop declare for it, each with its type; None: one
    may be no number, or a statement is of no known form. What is continued skips these statements,
    so that any other variable would have no value."""
    found, i = list[tuple[str, str]](), 0
    while i < loop:
        end = statement_end(toks, i)
        while at(toks, i) == "const":
            i += 1
        if at(toks, i) in _NUMBERS:
            declared = _declared(toks, i, types)
            if declared is None:
                return None
            found += declared
        elif at(toks, i) not in _BLOCKS and not _is_expression(toks, i, end, types):
            return None
        i = end
    return found


def _declared(toks: list[Token], i: int, types: frozenset[str]) -> list[tuple[str, str]] | None:
    """The variables of a declaration whose type is at toks[i]; None: it has another form than
    `int a = 1, b;`."""
    type_, found, sign = toks[i].text, list[tuple[str, str]](), ","
    while sign == ",":
        name, follows = toks[i + 1], at(toks, i + 2)
        i = whole_end(toks, i + 2)
        sign = at(toks, i)
        known = name.text in types or name.text in QUALIFIERS
        if name.kind != "word" or known or follows not in ("=", ",", ";"):
            return None
        found.append((name.text, type_))
    return found if sign == ";" else None


def _is_expression(toks: list[Token], i: int, end: int, types: frozenset[str]) -> bool:
    """Whether the statement at toks[i] is a call, or assigns to a variable or a field."""
    if at(toks, i) in ("++", "--", ";"):
        return True
    if toks[i].kind != "word" or toks[i].text in types or toks[i].text in QUALIFIERS:
        return False
    if at(toks, i + 1) == "(":
        return closing(toks, i + 1) == end - 1
    return at(toks, i + 1) in {*_STEPS, ".", "->", "["}


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
    if head[5] == ";":  # without a condition
        return None
    name, step = head[1], head[len(head) - head[::-1].index(";") :]
    counts = step in (["++", name], [name, "++"], [name, "+=", "1"])
    return name if counts and head.count(";") == 2 else None


def _condition(toks: list[Token], i: int) -> range:
    """The places of the condition of the loop at toks[i]."""
    begin = next(k for k in range(i, len(toks)) if toks[k].text == ";") + 1
    return range(begin, whole_end(toks, begin))


def _changes(toks: list[Token], index: str, places: list[int]) -> bool:
    """Whether tokens at some places may change the index."""
    for i in places:
        if toks[i].text != index:
            continue
        first, last = i, i
        while at(toks, first - 1) == "(" and at(toks, last + 1) == ")":
            first, last = first - 1, last + 1
        if at(toks, last + 1) in _STEPS or at(toks, first - 1) in ("++", "--", "&"):
            return True
    return False


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
