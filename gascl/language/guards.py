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
from gascl.language.tokens import Token, closing, opening, tokens

_TAGS = {"struct", "union", "enum"}
_STORAGE = {"static", "extern", "typedef", "register"}
#: Words before an operand that do not make it a declaration.
_BEFORE_OPERAND = OPENING | {"sizeof"}


def functions_in(text: str) -> frozenset[str]:
    """The names of the functions that a text declares or defines."""
    return frozenset(found.text for found, _ in _heads(tokens(text)))


def guarded(
    text: str,
    types: Set[str],
    *,
    divisors: bool,
    helpers: Set[str] = frozenset(),
    defines: bool = False,
) -> str:
    """The text for debug mode. Its lines keep their places.

    Divisors become `gascl_nonzero(x)`, indices of `messages` become `gascl_index(i)`, and `a[i]`
    becomes `gascl_element((a), (i), 0)`: with 1 after `&`, since the address of the element after
    the last one may be taken. Calls of helper functions pass on whom to blame.

    Args:
        types: the names of types.
        divisors: whether divisors are guarded.
        helpers: the names of the user's functions.
        defines: the text defines these functions; only their bodies are guarded.
    """
    found = tokens(text)
    left_out = _constants(found, types)
    heads = {}
    if defines:
        heads = {id(name): name for name, _ in _heads(found)}
        bodies = [body for _, body in _heads(found) if body]
        left_out |= set(range(len(found))).difference(*bodies)
    wraps: list[tuple[int, int, str, str]] = []  # from a token to before another one, in what
    instead: dict[int, str] = {}
    for i, token in enumerate(found):
        if token.text in helpers and at(found, i + 1) == "(" and at(found, i - 1) != ".":
            is_empty = at(found, i + 2) == ")"
            if at(found, i + 2) == "void" and at(found, i + 3) == ")":
                instead[i + 2], is_empty = "", True
            passed = "GASCL_BLAMED" if id(token) in heads else "GASCL_BLAMED_ON"
            instead[i + 1] = f"({passed}{'' if is_empty else ', '}"
        if i in left_out:
            continue
        if token.text == "[":
            start, end = operand_start(found, i - 1), closing(found, i)
            if start is None or end == i + 2:
                continue
            if start == i - 1 and found[start].text == "messages":
                wraps.append((i + 1, end - 1, "gascl_index(", ")"))
                continue
            is_address = at(found, start - 1) == "&" and not ends_operand(found, start - 2, types)
            is_last = at(found, end) not in (".", "->", "[", "(", "++", "--")
            wraps.append((start, end, "gascl_element((", ""))
            instead[i], instead[end - 1] = "), (", f"), {int(is_address and is_last)})"
        elif divisors and token.kind == "sign" and token.text in ("/", "%", "/=", "%="):
            assigns = "=" in token.text
            end = whole_end(found, i + 1) if assigns else operand_end(found, i + 1, types)
            if end > i + 1:
                wraps.append((i + 1, end, "gascl_nonzero(", ")"))
    return _written(text, found, wraps, instead)


def _written(
    text: str,
    found: list[Token],
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
    parts, last = [], 0
    for i, token in enumerate(found):
        parts += [text[last : token.start], before.get(i, ""), instead.get(i, token.text)]
        parts.append(after.get(i, ""))
        last = token.start + len(token.text)
    return "".join(parts) + text[last:]


def _heads(found: list[Token]) -> Iterator[tuple[Token, range | None]]:
    """The name of each function that is declared outside of braces, and where its body is."""
    i = 0
    while i < len(found):
        end = closing(found, i) if found[i].text in ("(", "[", "{") else i + 1
        named = found[i].text == "(" and i > 1 and found[i - 1].kind == "word"
        if named and (found[i - 2].kind == "word" or found[i - 2].text == "*"):
            k = end
            while at(found, k) == "__attribute__":
                k = closing(found, k + 1)
            if at(found, k) in ("{", ";"):
                is_body = found[k].text == "{"
                end = closing(found, k)
                yield found[i - 1], range(k, end) if is_body else None
        i = end


def _constants(found: list[Token], types: Set[str]) -> set[int]:
    """Where C allows only constants: the sizes of arrays, the values of an enum, after `case`."""
    inside: set[int] = set()
    for i, token in enumerate(found):
        if token.text == "[":
            start = operand_start(found, i - 1)
            if start is None or _is_declared(found, start, types):
                inside.update(range(i, closing(found, i)))
        elif token.text == "enum":
            body = i + 1 if at(found, i + 1) == "{" else i + 2
            if at(found, body) == "{":
                inside.update(range(body, closing(found, body)))
        elif token.text == "case":
            end = i
            while at(found, end) not in (":", ""):
                end += 1
            inside.update(range(i, end))
    return inside


def _is_declared(found: list[Token], start: int, types: Set[str]) -> bool:
    """Whether an operand with an index, at found[start], is a declared name and its size, or a
    type such as `int[4]`."""
    before = at(found, start - 1)
    if found[start].text in types:
        return True
    if start > 0 and found[start - 1].kind == "word":
        return before not in _BEFORE_OPERAND
    i = start - 1
    while before == "*" and (at(found, i) == "*" or at(found, i) in QUALIFIERS):
        i -= 1
    last = at(found, i)
    if last == ",":
        return _begins_declaration(found, _statement(found, i), types)
    named = last in types or at(found, i - 1) in _TAGS
    return (before == "*" and named) or (last == "}" and _is_tagged(found, opening(found, i)))


def _statement(found: list[Token], i: int) -> int:
    """Where the statement, or the list in parentheses, begins in which found[i] is."""
    while i > 0:
        before = found[i - 1].text
        if before in (")", "]", "}"):
            start = opening(found, i - 1)
            if before == "}" and at(found, start - 1) != "=" and not _is_tagged(found, start):
                break
            i = start
        elif before in (";", "{", "(", "["):
            break
        else:
            i -= 1
    return i


def _is_tagged(found: list[Token], i: int) -> bool:
    """Whether the brace at found[i] opens the members of a struct, a union or an enum."""
    return at(found, i - 1) in _TAGS or at(found, i - 2) in _TAGS


def _begins_declaration(found: list[Token], i: int, types: Set[str]) -> bool:
    first = at(found, i)
    if first in types or first in QUALIFIERS or first in _TAGS | _STORAGE:
        return True
    names = i + 1 < len(found) and found[i].kind == found[i + 1].kind == "word"
    return names and first not in _BEFORE_OPERAND
