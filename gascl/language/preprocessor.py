"""Expands the macros of a program's C, and records the types that it defines.

gascl finds out from a snippet's tokens what it reads and writes, and a macro could hide that. So
macros are expanded here, by the rules of C99 (6.10), and the expanded text is compiled: the code
that was checked is the code that runs, and a user's macros cannot affect the code around a snippet.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from gascl.language.tokens import Token, closing, needs_blank, raw_tokens, tokens

#: A line that continues on the next one; compilers ignore blanks after the backslash.
_CONTINUED = re.compile(r"\\[ \t\v\f]*(\n|\Z)")
_DIGRAPHS = {"<:", ":>", "<%", "%>", "%:", "%:%:"}
_CONDITIONALS = {"if", "ifdef", "ifndef", "elif", "else", "endif"}
_KEPT = {"pragma", "error", "warning"}


class NotUnderstood(Exception):
    """Why a text is refused, and at which of its lines, counted from 0."""

    def __init__(self, line: int, why: str):
        super().__init__(why)
        self.line, self.why = line, why


@dataclass(frozen=True)
class _Macro:
    """A macro; `params` is None if it takes no arguments."""

    name: str
    params: tuple[str, ...] | None
    body: tuple[Token, ...]

    @property
    def variadic(self) -> bool:
        return bool(self.params) and self.params[-1] == "__VA_ARGS__"  # type: ignore[index]


@dataclass
class Preprocessor:
    """Expands macros, and remembers what earlier code has defined.

    Attributes:
        is_reserved: whether a name must not be defined as a macro.
        macros: the macros by name.
        types: the names in each `typedef`, outside braces.
    """

    is_reserved: Callable[[str], bool] = lambda name: False
    macros: dict[str, _Macro] = field(default_factory=dict)
    types: set[str] = field(default_factory=set)

    def copy(self) -> Preprocessor:
        return replace(self, macros=dict(self.macros), types=set(self.types))

    def expand(self, text: str) -> str:
        """The text without macros and continued lines; every line stays at its place.

        Afterwards the preprocessor knows the macros and types that the text defines. `#if` and its
        relatives remain, since they depend on the compiler, as do `#pragma`, `#error` and
        `#warning`.

        Raises:
            NotUnderstood: the text cannot be analyzed.
        """
        found, joined = _joined(text)
        if joined or any(t.text == "#" or t.text in self.macros for t in found):
            text = _Expansion(self, found).write(text.count("\n"))
        self._note_types(text)
        return text

    def _note_types(self, text: str) -> None:
        inside, depth = False, 0
        for token in tokens(text):
            depth += (token.text == "{") - (token.text == "}")
            inside = token.text == "typedef" or (inside and (token.text != ";" or depth > 0))
            if inside and token.kind == "word" and not depth:
                self.types.add(token.text)


def _joined(text: str) -> tuple[list[Token], bool]:
    """The tokens of a text after joining continued lines, each with its original line; and whether
    there are any continued lines."""
    if "??/" in text:
        raise NotUnderstood(
            text[: text.index("??/")].count("\n"), "`??/` is a trigraph: write \\ instead"
        )
    cuts: list[int] = []
    whole, last = "", 0
    for match in _CONTINUED.finditer(text):
        whole += text[last : match.start()]
        cuts.append(len(whole))
        last = match.end()
    whole += text[last:]
    found = []
    for token in raw_tokens(whole):
        token = replace(token, line=token.line + bisect_right(cuts, token.start))
        if token.text == "/*":
            raise NotUnderstood(token.line, "unterminated comment: `*/` is missing")
        if token.text in _DIGRAPHS or token.text.startswith("??"):
            why = f"`{token.text}` is a digraph or trigraph: write the character it stands for"
            raise NotUnderstood(token.line, why)
        found.append(token)
    return found, bool(cuts)


class _Expansion:
    """The expansion of one text, one logical line after the other."""

    def __init__(self, known: Preprocessor, found: list[Token]):
        self.known, self.macros = known, known.macros
        self.code: list[Token] = []  # since the last directive
        self.done: list[Token] = []
        self.last = ";"  # the last token of `done`
        self.open: list[int] = []  # the line of each #if without an #endif so far
        line: list[Token] = []
        for token in [*found, Token("\n", "end", 0)]:
            if token.kind != "end":
                line.append(token)
                continue
            if line and line[0].text == "#":
                self._directive(line)
            else:
                self.code += line
            line = []
        self._flush()
        if self.open:
            raise NotUnderstood(self.open[-1], "#if without #endif")

    def write(self, breaks: int) -> str:
        """The text, which has `breaks` line breaks."""
        parts, line = [], 0
        previous: Token | None = None
        for token in self.done:
            further = max(token.line - line, 0)
            parts.append("\n" * further)
            line += further
            if token.before or further or (previous and needs_blank(previous.text, token.text)):
                parts.append(token.before or ("" if further else " "))
            parts.append(token.text)
            previous = token
        return "".join(parts) + "\n" * (breaks - line)

    def _flush(self) -> None:
        expanded = self._expanded(self.code)
        for token in expanded:
            if token.text in ("#", "##"):
                why = f"`{token.text}` is only allowed at the start of a line or in a #define"
                raise NotUnderstood(token.line, why)
        self.done += expanded
        self.last = expanded[-1].text if expanded else self.last
        self.code = []

    def _directive(self, line: list[Token]) -> None:
        self._flush()
        if len(line) == 1:
            return  # a `#` alone has no effect
        at, word = line[1].line, line[1].text
        if word not in {"define", "undef", *_CONDITIONALS, *_KEPT}:
            remedy = ": copy the text of the file into `functions`" if "include" in word else ""
            raise NotUnderstood(at, f"#{word} is not supported{remedy}")
        if self.last in self.macros:
            why = f"#{word} comes between the macro `{self.last}` and its arguments"
            raise NotUnderstood(at, why)
        if word in _CONDITIONALS:
            if self.last not in (";", "{", "}", ":"):
                why = f"#{word} is inside a statement: write each branch as whole statements"
                raise NotUnderstood(at, why)
            self._conditional(line, word)
        elif word in ("define", "undef"):
            if self.open:
                why = f"#{word} inside #if: only the compiler knows which branch is taken; "
                raise NotUnderstood(at, f"{why}#define it outside, or choose in Python")
            self._define(line, word)
        else:
            if len(line) > 2 and line[2].text in ("push_macro", "pop_macro"):
                raise NotUnderstood(at, f"#pragma {line[2].text} is not supported")
            self._keep([*line[:2], *self._expanded(line[2:])])

    def _keep(self, line: list[Token]) -> None:
        """Keep a directive unchanged, on a line of its own."""
        self.done += [replace(t, line=line[0].line) for t in line]

    def _conditional(self, line: list[Token], word: str) -> None:
        at = line[1].line
        if word in ("if", "ifdef", "ifndef"):
            self.open.append(at)
        elif not self.open:
            raise NotUnderstood(at, f"#{word} without #if")
        elif word == "endif":
            self.open.pop()
        if word in ("ifdef", "ifndef") and len(line) > 2 and line[2].text in self.macros:
            holds = replace(line[2], text=str(int(word == "ifdef")), kind="number")
            line = [line[0], replace(line[1], text="if"), holds]
        elif word in ("if", "elif"):
            line = [*line[:2], *self._expanded(self._without_defined(line[2:]))]
        self._keep(line)

    def _without_defined(self, condition: list[Token]) -> list[Token]:
        """Replace `defined NAME` by 1 for macros known here; the compiler evaluates the rest."""
        found: list[Token] = []
        rest = list(condition)
        while rest:
            token = rest.pop(0)
            count = 3 if rest and rest[0].text == "(" else 1
            of = rest[count // 3].text if token.text == "defined" and len(rest) >= count else ""
            if of in self.macros:
                found.append(replace(token, text="1", kind="number"))
                rest = rest[count:]
            elif of:
                found += [token, *rest[:count]]
                rest = rest[count:]
            else:
                found.append(token)
        return found

    def _define(self, line: list[Token], word: str) -> None:
        at = line[1].line
        if len(line) < 3 or line[2].kind != "word":
            raise NotUnderstood(at, f"#{word} needs the name of a macro")
        name, rest = line[2].text, line[3:]
        if self.known.is_reserved(name):
            raise NotUnderstood(at, f"{name!r} is a word of the language and cannot be a macro")
        if word == "undef":
            self.macros.pop(name, None)
            return
        params: tuple[str, ...] | None = None
        if rest and rest[0].text == "(" and not rest[0].before:
            end = closing(rest, 0)
            if rest[end - 1].text != ")":
                raise NotUnderstood(at, f"`)` is missing after the parameters of macro {name}")
            params = _params(name, rest[1 : end - 1], at)
            rest = rest[end:]
        body = tuple(replace(t, before=" " * bool(t.before and i)) for i, t in enumerate(rest))
        hashes = [i for i, t in enumerate(body) if t.text == "##"]
        if hashes and (hashes[0] == 0 or hashes[-1] == len(body) - 1):
            raise NotUnderstood(at, "`##` needs a word on both sides")
        if any(t.text == "__VA_OPT__" for t in body):
            raise NotUnderstood(at, "__VA_OPT__ is not supported")
        self.macros[name] = _Macro(name, params, body)

    def _expanded(self, given: list[Token]) -> list[Token]:
        """The tokens with all macros expanded, by Prosser's algorithm."""
        found: list[Token] = []
        rest = given[::-1]  # reversed: the next token is the last
        while rest:
            token = rest.pop()
            macro = self.macros.get(token.text)
            if macro is None or token.text in token.hidden:
                found.append(token)
                continue
            if macro.params is None:
                new = self._replaced(macro, token, {}, token.hidden)
            elif rest and rest[-1].text == "(":
                values, end = _values(macro, token, rest)
                new = self._replaced(macro, token, values, token.hidden & end.hidden)
            else:
                found.append(token)
                continue
            rest += new[::-1]
        return found

    def _replaced(
        self, macro: _Macro, call: Token, values: dict[str, list[Token]], hidden: frozenset[str]
    ) -> list[Token]:
        """The macro's body with its parameters replaced by the arguments."""
        pieces: list[list[Token]] = [[]]
        body, i = macro.body, 0
        while i < len(body):
            token, glues = body[i], False
            if token.text == "##":
                i, glues = i + 1, True
                token = body[i]
            following = body[i + 1].text if i + 1 < len(body) else ""
            if macro.params is not None and token.text == "#":
                if following not in values:
                    raise NotUnderstood(
                        call.line, f"in macro {macro.name}, `#` needs a parameter after it"
                    )
                piece = [replace(token, text=_quoted(values[following]), kind="text")]
                i += 1
                following = body[i + 1].text if i + 1 < len(body) else ""
            elif token.text in values:
                raw = values[token.text]
                piece = list(raw if glues or following == "##" else self._expanded(raw))
                piece[:1] = [replace(t, before=token.before) for t in piece[:1]]
            else:
                piece = [replace(token, line=call.line)]
            if glues:
                piece = _glued(macro, token, pieces.pop(), piece, call)
            pieces.append(piece)
            i += 1
        found = [t for piece in pieces for t in piece]
        found[:1] = [replace(t, before=call.before) for t in found[:1]]
        return [replace(t, hidden=t.hidden | hidden | {macro.name}) for t in found]


def _params(name: str, inside: list[Token], line: int) -> tuple[str, ...]:
    """The names in the parentheses of `#define NAME(...)`."""
    names = [t.text for t in inside[::2]]
    if names and names[-1] == "...":
        names[-1] = "__VA_ARGS__"
    fits = all(t.text == "," for t in inside[1::2]) and len(inside) % 2 == bool(inside)
    if not fits or not all(n.isidentifier() for n in names) or len(set(names)) < len(names):
        raise NotUnderstood(
            line, f"the parameters of macro {name} are not a list of distinct names"
        )
    return tuple(names)


def _values(macro: _Macro, call: Token, rest: list[Token]) -> tuple[dict[str, list[Token]], Token]:
    """The arguments of a macro call by parameter, and its `)`; taken off the end of `rest`."""
    params = macro.params or ()
    given: list[list[Token]] = [[]]
    rest.pop()  # the `(`
    depth = 1
    while rest:
        token = rest.pop()
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0:
            break
        if token.text == "," and depth == 1 and not (macro.variadic and len(given) == len(params)):
            given.append([])
        else:
            given[-1].append(token)
    else:
        raise NotUnderstood(call.line, f"`)` is missing after the arguments of macro {macro.name}")
    if not params and given == [[]]:
        given = []
    if macro.variadic and len(given) == len(params) - 1:
        given.append([])
    if len(given) != len(params):
        many = f"{len(params)} argument{'s' * (len(params) != 1)}, not {len(given)}"
        raise NotUnderstood(call.line, f"macro {macro.name} takes {many}")
    return dict(zip(params, given, strict=True)), token


def _glued(
    macro: _Macro, right: Token, before: list[Token], piece: list[Token], call: Token
) -> list[Token]:
    """Two pieces of a body joined by `##`; either may be empty."""
    if not before or not piece:
        drops = right.text == "__VA_ARGS__" and before and before[-1].text == ","
        return before[:-1] if drops else before + piece
    if right.text == "__VA_ARGS__" and before[-1].text == ",":
        return before + piece  # GNU: `, ## __VA_ARGS__` drops the comma if there are no arguments
    text = before[-1].text + piece[0].text
    made = list(raw_tokens(text))
    if len(made) != 1 or made[0].text != text:
        why = f"in macro {macro.name}, `##` cannot join {before[-1].text} and {piece[0].text} "
        raise NotUnderstood(call.line, f"{why}into one word")
    kind, hidden = made[0].kind, before[-1].hidden & piece[0].hidden
    one = replace(before[-1], text=text, kind=kind, hidden=hidden)
    return [*before[:-1], one, *piece[1:]]


def _quoted(value: list[Token]) -> str:
    """`#PARAM`: the spelling of an argument as a string literal."""
    spelled = "".join(
        " " * bool(t.before and i)
        + (re.sub(r'(["\\])', r"\\\1", t.text) if t.kind == "text" else t.text)
        for i, t in enumerate(value)
    )
    return f'"{spelled}"'
