"""A snippet of C as a user wrote it: its text, where its lines stand, and what it does.

What is found out here is data: codegen, the admission of deliveries and `auto` read only that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from gascl.source import ClassSource, Place
from gascl.types import SCALARS

_TOKEN = re.compile(
    r"""(?P<skip>\s+ | //[^\n]* | /\*.*?\*/)
      | (?P<text>"(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*')
      | (?P<word>[A-Za-z_]\w*)
      | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
      | (?P<sign><<=|>>=|->|\+\+|--|[-+*/%&|^<>=!]=|<<|>>|&&|\|\||.)""",
    re.VERBOSE | re.DOTALL,
)
_ASSIGN = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"}
_BRANCHES = {"if", "else", "for", "while", "do", "switch", "case", "goto", "return", "break"}
_BRANCHES |= {"continue", "#"}

_TYPES = {"real", "unsigned", "signed", "size_t", "bool", *SCALARS.values()}

#: The names through which a snippet reaches members: `v.rank`, `prev.change`.
NAMESPACES = ("v", "e", "p", "g", "prev", "agg")
#: And those that only one has; in others they are names like any.
_MORE_NAMESPACES = {"pairs": ("u",)}


@dataclass(frozen=True)
class Token:
    text: str
    kind: str
    line: int
    start: int


@dataclass(frozen=True)
class Member:
    """One `namespace.name` in a snippet; `name` is empty where the namespace stands alone."""

    namespace: str
    name: str
    line: int
    written: bool


@dataclass
class Snippet:
    """A piece of C and what it does.

    Attributes:
        label: `Class.attribute`, for messages.
        text: the C, as written.
        places: for each line of the text, where the user finds it.
        members: every `v.x`, `e.x`, ... in it.
        words: every other identifier with its first line.
        sends_always: `send` is called on every path, whatever the data (conservative).
    """

    label: str
    text: str
    places: list[Place]
    members: list[Member] = field(default_factory=list)
    words: dict[str, int] = field(default_factory=dict)
    sends_always: bool = False

    @classmethod
    def make(cls, source: ClassSource, attribute: str, text: str) -> Snippet:
        snippet = cls(f"{source.name}.{attribute}", text, source.places(attribute, text))
        tokens = list(_tokens(text))
        snippet._find_members(tokens, (*NAMESPACES, *_MORE_NAMESPACES.get(attribute, ())))
        snippet.sends_always = _sends_always(tokens)
        return snippet

    def reads(self, namespace: str) -> set[str]:
        """Members of a namespace that the text mentions."""
        return {m.name for m in self.members if m.namespace == namespace}

    def writes(self, namespace: str) -> set[str]:
        """Members of a namespace that the text assigns to."""
        return {m.name for m in self.members if m.namespace == namespace and m.written}

    def uses(self, *words: str) -> bool:
        """Whether any of these identifiers occurs."""
        return any(w in self.words for w in words)

    def guarded(self, divisors: str | None, indices: str) -> str:
        """The text with every divisor, and every index of `messages`, in the call of a macro, for
        debug mode; lines stay. Divisors are left alone where `divisors` is None."""
        tokens = list(_tokens(self.text))
        marks = []
        for i, token in enumerate(tokens):
            if token.text == "messages" and _at(tokens, i + 1) == "[":
                end = _closing(tokens, i + 1) - 1
                if i + 2 < end < len(tokens):
                    marks += [(tokens[i + 2].start, f"{indices}("), (tokens[end].start, ")")]
            if divisors is None or token.kind != "sign" or token.text not in ("/", "%", "/=", "%="):
                continue
            end = _whole_end(tokens, i + 1) if "=" in token.text else _operand_end(tokens, i + 1)
            if end > i + 1:
                last = tokens[end - 1]
                marks += [(tokens[i + 1].start, f"{divisors}("), (last.start + len(last.text), ")")]
        text = self.text
        for position, mark in sorted(marks, key=lambda m: m[0], reverse=True):
            text = text[:position] + mark + text[position:]
        return text

    def unbalanced(self) -> tuple[int, str] | None:
        """The line of a bracket that has no other half, and the bracket."""
        halves = {")": "(", "]": "[", "}": "{"}
        open_: list[Token] = []
        for token in _tokens(self.text):
            if token.text in halves.values():
                open_.append(token)
            elif token.text in halves and (not open_ or open_.pop().text != halves[token.text]):
                return token.line, token.text
        return (open_[-1].line, open_[-1].text) if open_ else None

    def strings(self) -> Iterator[int]:
        """The lines of string literals."""
        return (t.line for t in _tokens(self.text) if t.kind == "text" and t.text[0] == '"')

    def calls(self, word: str) -> Iterator[tuple[int, int]]:
        """Line and number of arguments of each `word(...)`."""
        tokens = list(_tokens(self.text))
        for i, token in enumerate(tokens):
            if token.text != word or _at(tokens, i + 1) != "(":
                continue
            end = _closing(tokens, i + 1) - 1
            count, at = int(end > i + 2), i + 2
            while at < end:
                count += tokens[at].text == ","
                at = _closing(tokens, at) if tokens[at].text in ("(", "[", "{") else at + 1
            yield token.line, count

    def place(self, line: int) -> Place:
        """Where line `line` (from 0) of the text stands."""
        return self.places[min(line, len(self.places) - 1)]

    def _find_members(self, tokens: list[Token], namespaces: tuple[str, ...]) -> None:
        for i, token in enumerate(tokens):
            if token.kind != "word" or (i and tokens[i - 1].text in (".", "->")):
                continue
            if token.text not in namespaces:
                self.words.setdefault(token.text, token.line)
                if token.text == "msg" and _is_written(tokens, i, i + 1):
                    self.members.append(Member("msg", "", token.line, True))
                continue
            name, end = "", i + 1
            if _at(tokens, i + 1) == "." and i + 2 < len(tokens) and tokens[i + 2].kind == "word":
                name, end = tokens[i + 2].text, i + 3
            written = _is_written(tokens, i, end)
            self.members.append(Member(token.text, name, token.line, written))


def _tokens(text: str) -> Iterator[Token]:
    line = 0
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        if kind != "skip":
            yield Token(match.group(), kind, line, match.start())
        line += match.group().count("\n")


def _at(tokens: list[Token], i: int) -> str:
    return tokens[i].text if 0 <= i < len(tokens) else ""


def _is_written(tokens: list[Token], start: int, end: int) -> bool:
    """Whether the operand tokens[start:end] is assigned to, stepped, or has its address taken."""
    while _at(tokens, start - 1) == "(" and _at(tokens, end) == ")":
        if start >= 2 and tokens[start - 2].kind == "word" and tokens[start - 2].text != "else":
            break  # `if (v.x) ++y;` or a call, not parentheses around the operand
        start, end = start - 1, end + 1
    before = _at(tokens, start - 1)
    if before in ("++", "--"):
        return True
    if before == "&":  # a unary & follows no operand
        further = tokens[start - 2] if start >= 2 else None
        is_cast = _at(tokens, start - 3) == "*"  # `(real *)&v.rank`
        ends_operand = further is not None and (
            further.kind != "sign" or further.text in (")", "]")
        )
        if is_cast or not ends_operand:
            return True
    while _at(tokens, end) in (".", "["):  # a vector's component, or an index
        if _at(tokens, end) == ".":
            end += 2
        else:
            depth = 0
            while end < len(tokens):
                depth += (_at(tokens, end) == "[") - (_at(tokens, end) == "]")
                end += 1
                if depth == 0:
                    break
    return _at(tokens, end) in _ASSIGN


def _operand_end(tokens: list[Token], i: int) -> int:
    """The end of the operand that begins at tokens[i]: casts, signs, a name and what follows it."""
    while _at(tokens, i) in ("-", "+", "!", "~", "*", "&", "++", "--"):
        i += 1
    if _at(tokens, i) == "(":
        inside = {t.text for t in tokens[i + 1 : _closing(tokens, i) - 1]}
        i = _closing(tokens, i)
        following = tokens[i] if i < len(tokens) else None
        # `(real)x`, `(real)(x)` and `(int)-x` are casts: the operand goes on. `(a) - x` is none.
        if following and (following.kind in ("word", "number") or following.text == "("):
            return _operand_end(tokens, i)
        if inside <= _TYPES and _at(tokens, i) in ("-", "+", "!", "~", "*", "&"):
            return _operand_end(tokens, i)
    else:
        i += 1
    while _at(tokens, i) in (".", "->", "(", "[", "++", "--"):
        opens = _at(tokens, i) in ("(", "[")
        i = _closing(tokens, i) if opens else i + (2 if _at(tokens, i) in (".", "->") else 1)
    return min(i, len(tokens))


def _whole_end(tokens: list[Token], i: int) -> int:
    """The end of the expression at tokens[i], as far as `;`, `,` or a bracket that closes."""
    while i < len(tokens) and _at(tokens, i) not in (";", ",", ")", "]", "}"):
        i = _closing(tokens, i) if _at(tokens, i) in ("(", "[", "{") else i + 1
    return i


def _closing(tokens: list[Token], i: int) -> int:
    """Behind the bracket that closes the one at tokens[i]."""
    depth = 0
    while i < len(tokens):
        depth += (_at(tokens, i) in ("(", "[", "{")) - (_at(tokens, i) in (")", "]", "}"))
        i += 1
        if depth == 0:
            break
    return i


def _sends_always(tokens: list[Token]) -> bool:
    """Straight-line code with `send(...)` as a statement: one message on every arc.

    Where a parenthesis is open, as in GNU C's ({ send(1); }), it may stand behind a condition.
    """
    depth = 0
    sends = False
    for i, token in enumerate(tokens):
        if token.text in _BRANCHES:
            return False
        depth += (token.text == "(") - (token.text == ")")
        sends |= token.text == "send" and not depth and _at(tokens, i - 1) in ("", ";", "{", "}")
    return sends
