"""Splits C into tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<skip>[^\S\n]+ | //[^\n]* | /\*.*?\*/)
      | (?P<end>\n)
      | (?P<text>"(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*')
      | (?P<word>[A-Za-z_]\w*)
      | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
      | (?P<sign>/\* | \?\?[=/'()!<>-] | %:%: | <: | :> | <% | %> | %: | \#\# | \.\.\.
          | <<= | >>= | -> | \+\+ | -- | [-+*/%&|^<>=!]= | << | >> | && | \|\| | .)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Token:
    """A token of C.

    Attributes:
        kind: "word", "number", "text" (a string or a character) or "sign".
        line: its line, counted from 0.
        start: its position in the text.
        before: the white space before it on its line.
        hidden: the macros whose expansion produced it; they must not be expanded in it again.
    """

    text: str
    kind: str
    line: int
    start: int = 0
    before: str = ""
    hidden: frozenset[str] = frozenset()


def raw_tokens(text: str) -> Iterator[Token]:
    """The tokens of a text, including directives, and its line ends (kind "end")."""
    line, before = 0, ""
    for match in _TOKEN.finditer(text):
        kind, piece = str(match.lastgroup), match.group()
        if kind == "skip":
            before += " " if piece[0] == "/" else piece
        else:
            yield Token(piece, kind, line, match.start(), before)
            before = ""
        line += piece.count("\n")


def tokens(text: str) -> list[Token]:
    """The tokens of a text without directives."""
    toks: list[Token] = []
    begins, directive = True, False
    for token in raw_tokens(text):
        directive = token.kind != "end" and (directive or (begins and token.text == "#"))
        begins = token.kind == "end"
        if not begins and not directive:
            toks.append(token)
    return toks


def needs_blank(first: str, second: str) -> bool:
    """Whether two tokens need a blank between them, so as not to become one."""
    match = _TOKEN.match(first + second)
    return match is None or match.group() != first


def closing(toks: list[Token], i: int) -> int:
    """The index after the bracket that closes the one at toks[i]."""
    depth = 0
    while i < len(toks):
        depth += (toks[i].text in ("(", "[", "{")) - (toks[i].text in (")", "]", "}"))
        i += 1
        if depth == 0:
            break
    return i


def opening(toks: list[Token], i: int) -> int:
    """The index of the bracket that the one at toks[i] closes, or 0."""
    depth = 0
    while i > 0:
        depth += (toks[i].text in (")", "]", "}")) - (toks[i].text in ("(", "[", "{"))
        if depth == 0:
            break
        i -= 1
    return i


def rewritten(
    text: str,
    toks: list[Token],
    before: Mapping[int, str],
    instead: Mapping[int, str],
    after: Mapping[int, str],
) -> str:
    """The text with other text before, instead of or after some of its tokens, by their indices."""
    parts, last = [], 0
    for i, token in enumerate(toks):
        parts += [text[last : token.start], before.get(i, ""), instead.get(i, token.text)]
        parts.append(after.get(i, ""))
        last = token.start + len(token.text)
    return "".join(parts) + text[last:]
