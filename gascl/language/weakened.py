"""Weakens a condition that reads values which are not all known."""

from __future__ import annotations

from collections.abc import Iterator, Set

from gascl.language.tokens import Token, closing, rewritten, tokens

#: Signs that bind less than `||`.
_WEAKER = frozenset("? : , ; = += -= *= /= %= &= |= ^= <<= >>=".split())


def weakened(text: str, known: Set[str]) -> str:
    """A condition that holds wherever `text`, an expression, does, and reads no members of `v` but
    these.

    Of conditions that are joined by && and ||, those that read others become 1.
    """
    toks = tokens(text)
    instead: dict[int, str] = {}
    for part in _parts(toks, 0, len(toks)):
        if not all(_is_known(toks, i, known) for i in part):
            instead |= {i: "1" if i == part.start else "" for i in part}
    return rewritten(text, toks, {}, instead, {})


def _parts(toks: list[Token], begin: int, end: int) -> Iterator[range]:
    """The conditions that && and || join in toks[begin:end]."""
    while toks[begin].text == "(" and closing(toks, begin) == end:
        begin, end = begin + 1, end - 1
    outside = []  # of all brackets
    i = begin
    while i < end:
        outside.append(i)
        i = closing(toks, i) if toks[i].text in ("(", "[", "{") else i + 1
    signs = {toks[i].text for i in outside}
    join = next((sign for sign in ("||", "&&") if sign in signs), None)
    if join is None or signs & _WEAKER:
        yield range(begin, end)
        return
    for i in [i for i in outside if toks[i].text == join] + [end]:
        yield from _parts(toks, begin, i)
        begin = i + 1


def _is_known(toks: list[Token], i: int, known: Set[str]) -> bool:
    """Whether a token is not `v`, or the start of `v.name` with a known name."""
    if toks[i].text != "v" or (i > 0 and toks[i - 1].text in (".", "->")):
        return True
    after = [token.text for token in toks[i + 1 : i + 3]]
    return len(after) == 2 and after[0] == "." and after[1] in known
