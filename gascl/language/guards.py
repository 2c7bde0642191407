"""Wraps the divisors and indices of a snippet in macros, so that debug mode can check them.

This works on tokens. Whether an operand is an array, and how many elements it has, is left to the
compiler: see `gascl_element` in gascl/codegen/traps.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from gascl.language.operands import (
    OPENING,
    QUALIFIERS,
    at,
    ends_operand,
    operand_end,
    operand_start,
    whole_end,
)
from gascl.language.tokens import Token, closing, opening, rewritten, tokens

_TAGS = {"struct", "union", "enum"}
_STORAGE = {"static", "extern", "typedef", "register"}
#: Words before an operand that do not make it a declaration.
_BEFORE_OPERAND = OPENING | {"sizeof"}


def functions_in(text: str) -> frozenset[str]:
    """The names of the functions that a text declares or defines."""
    return frozenset(name.text for name, _ in _heads(tokens(text)))


def guarded(
    text: str,
    types: Set[str],
    *,
    divisors: bool,
    helpers: Set[str] = frozenset(),
    defines: bool = False,
) -> str:
    """The text for debug mode. Its lines keep their places.

    Divisors become `gascl_nonzero(x)`, indices of `messages` and `groups` become `gascl_index(i)`,
    and `a[i]` becomes `gascl_element((a), (i), 0)`: with 1 after `&`, since the address of the
    element after the last one may be taken. Where `i` is a name, it is `gascl_either((a), (i), 0)`,
    since C lets the name be the array. Calls of helper functions pass on the vertex to blame.

    Args:
        types: the names of types.
        divisors: whether divisors are guarded.
        helpers: the names of the user's functions.
        defines: the text defines these functions; only their bodies are guarded.
    """
    toks = tokens(text)
    left_out = _constants(toks, types)
    heads = {}
    if defines:
        heads = {id(name): name for name, _ in _heads(toks)}
        bodies = [body for _, body in _heads(toks) if body]
        left_out |= set(range(len(toks))).difference(*bodies)
    wraps: list[tuple[int, int, str, str]] = []  # from a token to before another one, in what
    instead: dict[int, str] = {}
    for i, token in enumerate(toks):
        if token.text in helpers and at(toks, i + 1) == "(" and at(toks, i - 1) != ".":
            is_empty = at(toks, i + 2) == ")"
            if at(toks, i + 2) == "void" and at(toks, i + 3) == ")":
                instead[i + 2], is_empty = "", True
            passed = "GASCL_BLAMED" if id(token) in heads else "GASCL_BLAMED_ON"
            instead[i + 1] = f"({passed}{'' if is_empty else ', '}"
        if i in left_out:
            continue
        if token.text == "[":
            start, end = operand_start(toks, i - 1), closing(toks, i)
            if start is None or end == i + 2:
                continue
            if start == i - 1 and toks[start].text in ("messages", "groups"):
                wraps.append((i + 1, end - 1, "gascl_index(", ")"))
                continue
            is_address = at(toks, start - 1) == "&" and not ends_operand(toks, start - 2, types)
            is_last = at(toks, end) not in (".", "->", "[", "(", "++", "--")
            inside = toks[i + 1 : end - 1]
            is_name = all(t.kind == "word" or t.text in (".", "->") for t in inside)
            wraps.append((start, end, f"gascl_{'either' if is_name else 'element'}((", ""))
            instead[i], instead[end - 1] = "), (", f"), {int(is_address and is_last)})"
        elif divisors and token.kind == "sign" and token.text in ("/", "%", "/=", "%="):
            assigns = "=" in token.text
            end = whole_end(toks, i + 1) if assigns else operand_end(toks, i + 1, types)
            if end > i + 1:
                wraps.append((i + 1, end, "gascl_nonzero(", ")"))
    return _written(text, toks, wraps, instead)


def _written(
    text: str,
    toks: list[Token],
    wraps: list[tuple[int, int, str, str]],
    instead: dict[int, str],
) -> str:
    """The text with some of its tokens replaced, and ranges of them wrapped."""
    before: dict[int, str] = {}
    after: dict[int, str] = {}
    # What is wrapped in something else comes later, so that it begins later and ends earlier.
    for start, end, opened, closed in sorted(wraps, key=lambda wrap: (wrap[0], -wrap[1])):
        before[start] = before.get(start, "") + opened
        after[end - 1] = closed + after.get(end - 1, "")
    return rewritten(text, toks, before, instead, after)


def _heads(toks: list[Token]) -> Iterator[tuple[Token, range | None]]:
    """The name of each function that is declared outside of braces, and where its body is."""
    i = 0
    while i < len(toks):
        end = closing(toks, i) if toks[i].text in ("(", "[", "{") else i + 1
        named = toks[i].text == "(" and i > 1 and toks[i - 1].kind == "word"
        if named and (toks[i - 2].kind == "word" or toks[i - 2].text == "*"):
            k = end
            while at(toks, k) == "__attribute__":
                k = closing(toks, k + 1)
            if at(toks, k) in ("{", ";"):
                is_body = toks[k].text == "{"
                end = closing(toks, k)
                yield toks[i - 1], range(k, end) if is_body else None
        i = end


def _constants(toks: list[Token], types: Set[str]) -> set[int]:
    """Where C allows only constants: the sizes of arrays, the values of an enum, after `case`."""
    inside: set[int] = set()
    for i, token in enumerate(toks):
        if token.text == "[":
            start = operand_start(toks, i - 1)
            if start is None or _is_declared(toks, start, types):
                inside.update(range(i, closing(toks, i)))
        elif token.text == "enum":
            body = i + 1 if at(toks, i + 1) == "{" else i + 2
            if at(toks, body) == "{":
                inside.update(range(body, closing(toks, body)))
        elif token.text == "case":
            end = i
            while at(toks, end) not in (":", ""):
                end += 1
            inside.update(range(i, end))
    return inside


def _is_declared(toks: list[Token], start: int, types: Set[str]) -> bool:
    """Whether an operand with an index, at toks[start], is a declared name and its size, or a
    type such as `int[4]`."""
    before = at(toks, start - 1)
    if toks[start].text in types:
        return True
    if start > 0 and toks[start - 1].kind == "word":
        return before not in _BEFORE_OPERAND
    i = start - 1
    while before == "*" and (at(toks, i) == "*" or at(toks, i) in QUALIFIERS):
        i -= 1
    last = at(toks, i)
    if last == ",":
        return _begins_declaration(toks, _statement(toks, i), types)
    named = last in types or at(toks, i - 1) in _TAGS
    return (before == "*" and named) or (last == "}" and _is_tagged(toks, opening(toks, i)))


def _statement(toks: list[Token], i: int) -> int:
    """Where the statement, or the list in parentheses, begins in which toks[i] is."""
    while i > 0:
        before = toks[i - 1].text
        if before in (")", "]", "}"):
            start = opening(toks, i - 1)
            if before == "}" and at(toks, start - 1) != "=" and not _is_tagged(toks, start):
                break
            i = start
        elif before in (";", "{", "(", "["):
            break
        else:
            i -= 1
    return i


def _is_tagged(toks: list[Token], i: int) -> bool:
    """Whether the brace at toks[i] opens the members of a struct, a union or an enum."""
    return at(toks, i - 1) in _TAGS or at(toks, i - 2) in _TAGS


def _begins_declaration(toks: list[Token], i: int, types: Set[str]) -> bool:
    first = at(toks, i)
    if first in types or first in QUALIFIERS or first in _TAGS | _STORAGE:
        return True
    names = i + 1 < len(toks) and toks[i].kind == toks[i + 1].kind == "word"
    return names and first not in _BEFORE_OPERAND
