"""Finds the operands of C expressions in tokens: where they begin and end."""

from __future__ import annotations

from collections.abc import Set

from gascl.language.tokens import Token, closing, opening
from gascl.language.types import SCALARS, WIDTHS

TYPES = {"real", "unsigned", "signed", "size_t", "bool", *SCALARS.values()}
TYPES |= {f"{name}{width}" for name in ("real", *SCALARS.values()) for width in WIDTHS}
POINTERS = {"intptr_t", "uintptr_t", "ptrdiff_t", "void", "half", "struct", "union"}
QUALIFIERS = {
    f"{under}{word}" for word in "private global local constant".split() for under in ("", "__")
}
QUALIFIERS |= {"const", "volatile"}
#: Words after which an operand starts. Any other word before a parenthesis makes it a call.
OPENING = {"return", "else", "do", "case", "__extension__"}
_SIGNS = ("-", "+", "!", "~", "*", "&", "++", "--")


def at(found: list[Token], i: int) -> str:
    """The text of found[i], or "" outside of the tokens."""
    return found[i].text if 0 <= i < len(found) else ""


def ends_operand(found: list[Token], i: int, types: Set[str]) -> bool:
    """Whether found[i] ends an operand, so that a `&` after it is not the address operator."""
    if i < 0 or (found[i].kind == "word" and found[i].text in OPENING):
        return False
    if found[i].text != ")":
        return found[i].kind != "sign" or found[i].text in ("]", "++", "--")
    first = opening(found, i)
    is_call = first > 0 and found[first - 1].kind == "word"
    if is_call and found[first - 1].text not in OPENING:
        return True
    return not _is_type(found[first + 1 : i], types)  # `(real *)&v.rank`


def _is_type(inside: list[Token], types: Set[str]) -> bool:
    """Whether the tokens in parentheses are a type, so that these are a cast."""
    first = next((t.text for t in inside if t.text not in QUALIFIERS), "")
    return first in types or at(inside, len(inside) - 1) == "*"


def operand_start(found: list[Token], i: int) -> int | None:
    """The start of the operand that ends at found[i] and takes an index: a name, a call, or
    parentheses, with the members and indices after it; None: nothing there takes an index."""
    while i >= 0:
        if found[i].text in ("++", "--"):
            i -= 1
        elif found[i].text == "]":
            i = opening(found, i) - 1
        elif found[i].text == "}":  # of a compound literal
            i = opening(found, i) - 1
            return opening(found, i) if at(found, i) == ")" else None
        elif found[i].text == ")":
            i = opening(found, i)
            if i == 0 or found[i - 1].kind != "word" or found[i - 1].text in OPENING:
                return i
            i -= 1
        elif found[i].kind == "sign":
            return None
        elif at(found, i - 1) in (".", "->"):
            i -= 2
        else:
            return i
    return None


def operand_end(found: list[Token], i: int, types: Set[str]) -> int:
    """The end of the operand that starts at found[i]: casts, signs, a name and its suffixes."""
    while at(found, i) in _SIGNS:
        i += 1
    if at(found, i) == "sizeof":
        end = closing(found, i + 1)
        measures = at(found, i + 1) == "(" and _is_type(found[i + 2 : end - 1], types)
        return end if measures else operand_end(found, i + 1, types)
    if at(found, i) == "(":
        end = closing(found, i)
        is_type = _is_type(found[i + 1 : end - 1], types)
        i = end
        following = found[i] if i < len(found) else None
        # `(real)x`, `(real)(x)` and `(int)-x` are casts, so the operand continues; `(a) - x` is
        # not.
        if following and (following.kind != "sign" or following.text == "("):
            return operand_end(found, i, types)
        if is_type and at(found, i) in _SIGNS:
            return operand_end(found, i, types)
        if is_type and at(found, i) == "{":
            i = closing(found, i)
    else:
        i += 1
    while at(found, i) in (".", "->", "(", "[", "++", "--"):
        opens = at(found, i) in ("(", "[")
        i = closing(found, i) if opens else i + (2 if at(found, i) in (".", "->") else 1)
    return min(i, len(found))


def whole_end(found: list[Token], i: int) -> int:
    """The end of the expression at found[i]: the next `;`, `,` or closing bracket."""
    while i < len(found) and at(found, i) not in (";", ",", ")", "]", "}"):
        i = closing(found, i) if at(found, i) in ("(", "[", "{") else i + 1
    return i
