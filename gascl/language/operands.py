"""Finds where operands, expressions and statements of C begin and end in tokens."""

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


def at(toks: list[Token], i: int) -> str:
    """The text of toks[i], or "" outside of the tokens."""
    return toks[i].text if 0 <= i < len(toks) else ""


def ends_operand(toks: list[Token], i: int, types: Set[str]) -> bool:
    """Whether toks[i] ends an operand, so that a `&` after it is not the address operator."""
    if i < 0 or (toks[i].kind == "word" and toks[i].text in OPENING):
        return False
    if toks[i].text != ")":
        return toks[i].kind != "sign" or toks[i].text in ("]", "++", "--")
    first = opening(toks, i)
    is_call = first > 0 and toks[first - 1].kind == "word"
    if is_call and toks[first - 1].text not in OPENING:
        return True
    return not _is_type(toks[first + 1 : i], types)  # `(real *)&v.rank`


def _is_type(inside: list[Token], types: Set[str]) -> bool:
    """Whether the tokens in parentheses are a type, so that these are a cast."""
    first = next((t.text for t in inside if t.text not in QUALIFIERS), "")
    return first in types or at(inside, len(inside) - 1) == "*"


def operand_start(toks: list[Token], i: int) -> int | None:
    """The start of the operand that ends at toks[i] and takes an index: a name, a call, or
    parentheses, with the members and indices after it; None: nothing there takes an index."""
    while i >= 0:
        if toks[i].text in ("++", "--"):
            i -= 1
        elif toks[i].text == "]":
            i = opening(toks, i) - 1
        elif toks[i].text == "}":  # of a compound literal
            i = opening(toks, i) - 1
            return opening(toks, i) if at(toks, i) == ")" else None
        elif toks[i].text == ")":
            i = opening(toks, i)
            if i == 0 or toks[i - 1].kind != "word" or toks[i - 1].text in OPENING:
                return i
            i -= 1
        elif toks[i].kind == "sign":
            return None
        elif at(toks, i - 1) in (".", "->"):
            i -= 2
        else:
            return i
    return None


def operand_end(toks: list[Token], i: int, types: Set[str]) -> int:
    """The end of the operand that starts at toks[i]: casts, signs, a name and its suffixes."""
    while at(toks, i) in _SIGNS:
        i += 1
    if at(toks, i) == "sizeof":
        end = closing(toks, i + 1)
        measures = at(toks, i + 1) == "(" and _is_type(toks[i + 2 : end - 1], types)
        return end if measures else operand_end(toks, i + 1, types)
    if at(toks, i) == "(":
        end = closing(toks, i)
        is_type = _is_type(toks[i + 1 : end - 1], types)
        i = end
        following = toks[i] if i < len(toks) else None
        # `(real)x`, `(real)(x)` and `(int)-x` are casts, so the operand continues; `(a) - x` is
        # not.
        if following and (following.kind != "sign" or following.text == "("):
            return operand_end(toks, i, types)
        if is_type and at(toks, i) in _SIGNS:
            return operand_end(toks, i, types)
        if is_type and at(toks, i) == "{":
            i = closing(toks, i)
    else:
        i += 1
    while at(toks, i) in (".", "->", "(", "[", "++", "--"):
        opens = at(toks, i) in ("(", "[")
        i = closing(toks, i) if opens else i + (2 if at(toks, i) in (".", "->") else 1)
    return min(i, len(toks))


def whole_end(toks: list[Token], i: int) -> int:
    """The end of the expression at toks[i]: the next `;`, `,` or closing bracket."""
    while i < len(toks) and at(toks, i) not in (";", ",", ")", "]", "}"):
        i = closing(toks, i) if at(toks, i) in ("(", "[", "{") else i + 1
    return i


def statement_end(toks: list[Token], i: int) -> int:
    """The end of the statement at toks[i]."""
    word = at(toks, i)
    if word == "{":
        return closing(toks, i)
    if word in ("if", "for", "while", "switch", "for_common"):
        end = statement_end(toks, closing(toks, i + 1))
        return statement_end(toks, end + 1) if word == "if" and at(toks, end) == "else" else end
    if word == "do":
        i = statement_end(toks, i + 1)
    while i < len(toks) and at(toks, i) != ";":
        i = closing(toks, i) if at(toks, i) in ("(", "[", "{") else i + 1
    return min(i + 1, len(toks))
