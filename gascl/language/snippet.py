"""A snippet of C as a user wrote it: its text, the places of its lines, and what it does.

The results of this analysis are data: codegen, deliveries and `auto` read only these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from gascl.errors import Place
from gascl.language.operands import (
    OPENING,
    POINTERS,
    QUALIFIERS,
    TYPES,
    at,
    ends_operand,
    whole_end,
)
from gascl.language.preprocessor import Preprocessor
from gascl.language.tokens import Token, closing, raw_tokens, tokens

_ASSIGN = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"}
_BRANCHES = {"if", "else", "for", "while", "do", "switch", "case", "goto", "return", "break"}
_BRANCHES |= {"continue", "for_common"}

#: The names through which a snippet reaches members: `v.rank`, `prev.change`.
NAMESPACES = ("v", "e", "p", "g", "prev", "agg")
#: Words that count as namespaces where they are written.
WHAT_ARRIVED = ("msg", "groups")
#: A comparison between two of these is an operand by itself.
_BEFORE = {"", "(", "{", ";", ",", "=", "&&", "||", "?", ":", "return"}
_AFTER = {"", ")", ";", ",", "&&", "||", "?", ":"}
#: Arguments that are vertices for certain.
_ENDS = ("v.id", "e.src", "e.dst")
#: Namespaces of one snippet only; in all others these are ordinary names.
_MORE_NAMESPACES = {"pairs": ("u",)}


@dataclass(frozen=True)
class Member:
    """One `namespace.name` in a snippet; `name` is empty if the namespace is used alone."""

    namespace: str
    name: str
    line: int
    written: bool


class Call(NamedTuple):
    """One call of a function or macro.

    Attributes:
        line: counted from 0.
        arguments: the tokens of each.
    """

    line: int
    arguments: list[list[Token]]

    @property
    def first(self) -> str:
        """The first argument, with blanks only between two words; "" if there is none."""
        toks = self.arguments[0] if self.arguments else []
        rest = (f" {b.text}" if a.kind == b.kind == "word" else b.text for a, b in pairwise(toks))
        return "".join([*(token.text for token in toks[:1]), *rest])


@dataclass(frozen=True)
class Snippet:
    """A piece of C and what it does.

    Attributes:
        label: `Class.attribute`, for messages.
        text: the C after macro expansion.
        places: for each line of the text, its place in the user's file.
        types: the names of types that it or `functions` defines.
        members: every `v.x`, `e.x`, ... in it.
        words: every other identifier with its first line.
        sends_always: `send` is certain to be called, whatever the data.
        has_directives: it still contains `#if` or `#pragma`.
    """

    label: str
    text: str
    places: tuple[Place, ...]
    types: frozenset[str]
    members: tuple[Member, ...]
    words: Mapping[str, int]
    sends_always: bool
    has_directives: bool

    @classmethod
    def make(
        cls, label: str, text: str, places: Iterable[Place], known: Preprocessor | None = None
    ) -> Snippet:
        """Analyze a text; `known` then also has its macros and types.

        Raises:
            NotUnderstood: the text cannot be analyzed.
        """
        known = known or Preprocessor()
        expanded = known.expand(text)
        types = frozenset(TYPES | POINTERS | known.types)
        toks = tokens(expanded)
        more = _MORE_NAMESPACES.get(label.rpartition(".")[2], ())
        members, words = _members(toks, (*NAMESPACES, *more), types)
        directives = any(t.text == "#" for t in raw_tokens(expanded))
        return cls(
            label,
            expanded,
            tuple(places),
            types,
            tuple(members),
            MappingProxyType(words),
            not directives and _always_calls(toks, "send"),
            directives,
        )

    def __bool__(self) -> bool:
        """Whether the program has it: False for `ABSENT` alone."""
        return self is not ABSENT

    @cached_property
    def tokens(self) -> list[Token]:
        """The tokens of the text without directives."""
        return tokens(self.text)

    def reads(self, namespace: str) -> set[str]:
        """The members of a namespace that the text uses."""
        return {m.name for m in self.members if m.namespace == namespace}

    def writes(self, namespace: str) -> set[str]:
        """The members of a namespace that the text assigns to."""
        return {m.name for m in self.members if m.namespace == namespace and m.written}

    def uses(self, *words: str) -> bool:
        """Whether any of these identifiers occurs."""
        return any(w in self.words for w in words)

    @property
    def may_send_again(self) -> bool:
        """Whether `send` may be called more than once."""
        loops = self.uses("for", "while", "do", "goto", "for_common")
        return len(list(self.calls("send"))) > 1 or loops

    def asks_of_ends(self, word: str) -> bool:
        """Whether `word(id)` is only called for the vertex itself or an end of its arc, which are
        vertices for certain."""
        return all(len(c.arguments) == 1 and c.first in _ENDS for c in self.calls(word))

    def call_with(self, word: str, argument: str) -> list[bool]:
        """For each call of a word, whether this is its first argument, and not the only one."""
        return [c.first == argument and len(c.arguments) > 1 for c in self.calls(word)]

    def assigns(self, name: str) -> bool:
        """Whether a variable is given a value, also where it is declared."""
        toks = self.tokens
        return any(
            token.text == name
            and at(toks, i - 1) not in (".", "->")
            and is_written(toks, i, i + 1, self.types)
            for i, token in enumerate(toks)
        )

    def only_compares(self, one: str, other: str) -> bool:
        """Whether two members, such as e.src and e.dst, only occur as `one == other` or `!=`."""
        toks, pair, i = self.tokens, {one, other}, 0
        texts = [t.text for t in toks]
        while i < len(texts):
            here, then = "".join(texts[i : i + 3]), "".join(texts[i + 4 : i + 7])
            if {here, then} == pair and texts[i + 3] in ("==", "!="):
                if at(toks, i - 1) not in _BEFORE or at(toks, i + 7) not in _AFTER:
                    return False
                i += 7
            elif here in pair:
                return False
            else:
                i += 1
        return True

    def unbalanced(self) -> tuple[int, str] | None:
        """The line of an unbalanced bracket, and the bracket; None if there is none."""
        halves = {")": "(", "]": "[", "}": "{"}
        open_: list[Token] = []
        for token in self.tokens:
            if token.text in halves.values():
                open_.append(token)
            elif token.text in halves and (not open_ or open_.pop().text != halves[token.text]):
                return token.line, token.text
        return (open_[-1].line, open_[-1].text) if open_ else None

    def set_from(self, word: str) -> Iterator[tuple[str, int]]:
        """The fields that straight-line code sets by `v.FIELD = ...`, from an expression in `word`
        that does not read the field; with the lines."""
        toks = self.tokens
        if self.has_directives or any(t.text in _BRANCHES for t in toks):
            return
        for i in range(len(toks) - 4):
            if [t.text for t in toks[i : i + 2]] != ["v", "."] or at(toks, i + 3) != "=":
                continue
            if at(toks, i - 1) not in ("", ";", "{", "}"):
                continue
            name, end = toks[i + 2].text, whole_end(toks, i + 4)
            texts = [t.text for t in toks[i + 4 : end]]
            again = any(texts[k : k + 3] == ["v", ".", name] for k in range(len(texts)))
            if word in texts and not again:
                yield name, toks[i].line

    def powers(self) -> Iterator[int]:
        """The lines of `x**y`, which C takes for `x * *y`."""
        toks = self.tokens
        for i, token in enumerate(toks):
            twice = token.text == at(toks, i + 1) == "*" and not toks[i + 1].before
            if twice and ends_operand(toks, i - 1, self.types) and not self._is_named(toks, i):
                yield token.line

    def _is_named(self, toks: list[Token], i: int) -> bool:
        """Whether the type of a declaration stands before toks[i], as in `real **x`."""
        before = at(toks, i - 1)
        return before in self.types or before in QUALIFIERS or at(toks, i - 2) == "struct"

    def undeclared(self, names: Set[str], declares: bool) -> Iterator[tuple[str, int]]:
        """Those of these names that are used as values, and not declared before, with the lines.

        Args:
            declares: the text is statements, which may declare variables.
        """
        toks = self.tokens
        if any(t.text in ("enum", "typeof", "__typeof__") for t in toks):
            return  # after which names look like values
        known: set[str] = set()
        for i, token in enumerate(toks):
            word, before = token.text, at(toks, i - 1)
            if word not in names or word in known or before in (".", "->"):
                continue
            known.add(word)
            after = at(toks, i + 1)
            named = i > 0 and toks[i - 1].kind == "word" and before not in OPENING
            named |= at(toks, i - 2) == "for_common"
            # `int x, word`, `int *word`, and a label.
            named |= declares and (before in (",", "*") or after == ":")
            if not named and after != "(":
                yield word, token.line

    def strings(self) -> Iterator[int]:
        """The lines of string literals."""
        return (t.line for t in self.tokens if t.kind == "text" and t.text[0] == '"')

    def calls(self, word: str) -> Iterator[Call]:
        """Each call `word(...)`."""
        toks = self.tokens
        for i, token in enumerate(toks):
            if token.text != word or at(toks, i + 1) != "(":
                continue
            arguments, k, end = [], i + 2, closing(toks, i + 1) - 1
            while k < end:
                stop = min(whole_end(toks, k), end)
                arguments.append(toks[k:stop])
                k = stop + 1
            yield Call(token.line, arguments)

    def has(self, text: str) -> bool:
        """Whether a text, written without blanks, is somewhere in the snippet."""
        return text in "".join(token.text for token in self.tokens)

    def always_calls(self, word: str) -> bool:
        """Whether a function without arguments or result is certain to be called."""
        return not self.has_directives and _always_calls(self.tokens, word)

    def passes_values(self, word: str) -> bool:
        """Whether the last argument of some call `word(...)` is more than constants."""
        return any(
            token.kind == "word" and token.text not in self.types
            for call in self.calls(word)
            for token in (call.arguments[-1] if call.arguments else ())
        )

    def place(self, line: int) -> Place:
        """The place of a line of the text, counted from 0."""
        return self.places[min(line, len(self.places) - 1)]


#: The snippet that a program does not have: it reads, writes and calls nothing.
ABSENT = Snippet("", "", (), frozenset(), (), MappingProxyType({}), False, False)


def _members(
    toks: list[Token], namespaces: tuple[str, ...], types: Set[str]
) -> tuple[list[Member], dict[str, int]]:
    """The uses of namespaces in a text, and all other words with their first lines."""
    members: list[Member] = []
    words: dict[str, int] = {}
    for i, token in enumerate(toks):
        if token.kind != "word" or at(toks, i - 1) in (".", "->"):
            continue
        if token.text not in namespaces:
            words.setdefault(token.text, token.line)
            if token.text in WHAT_ARRIVED and is_written(toks, i, i + 1, types):
                members.append(Member(token.text, "", token.line, True))
            continue
        name, end = "", i + 1
        if at(toks, i + 1) == "." and i + 2 < len(toks) and toks[i + 2].kind == "word":
            name, end = toks[i + 2].text, i + 3
        members.append(Member(token.text, name, token.line, is_written(toks, i, end, types)))
    return members, words


def is_written(toks: list[Token], start: int, end: int, types: Set[str]) -> bool:
    """Whether the operand toks[start:end] is assigned, incremented, or has its address taken."""
    while True:  # extend it by a component, an index or parentheses around it
        if at(toks, end) == ".":
            end += 2
        elif at(toks, end) == "[":
            end = closing(toks, end)
        elif at(toks, start - 1) == "(" and at(toks, end) == ")":
            if (
                start >= 2
                and toks[start - 2].kind == "word"
                and toks[start - 2].text not in OPENING
            ):
                break  # `if (v.x) ++y;` or a call
            start, end = start - 1, end + 1
        else:
            break
    before = at(toks, start - 1)
    if before in ("++", "--") or (before == "&" and not ends_operand(toks, start - 2, types)):
        return True
    return at(toks, end) in _ASSIGN


def _always_calls(toks: list[Token], word: str) -> bool:
    """Whether it is straight-line code with `word(...)` as a statement: of `send`, a message on
    every arc.

    Inside parentheses, as in GNU C's ({ send(1); }), a call may depend on a condition.
    """
    depth = 0
    calls = False
    for i, token in enumerate(toks):
        if token.text in _BRANCHES:
            return False
        depth += (token.text == "(") - (token.text == ")")
        calls |= token.text == word and not depth and at(toks, i - 1) in ("", ";", "{", "}")
    return calls
