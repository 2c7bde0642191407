"""Where snippets use arrays: fields, messages and parameters with several components."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gascl.language.operands import at
from gascl.language.snippet import Snippet
from gascl.language.spec import ProgramSpec
from gascl.language.tokens import Token, closing, tokens
from gascl.language.types import Struct, resolve


@dataclass(frozen=True)
class ArrayUse:
    """One use of an array.

    Attributes:
        name: how the snippet calls it, as `v.x`, `p.W` or `msg`.
        lengths: those of the array.
        line: its line in the snippet.
        indices: the texts of the indices after it.
        sent: it is the whole argument of `send`, or the last one of `send_to`.
        assigned: it is on the left of an assignment.
    """

    name: str
    lengths: tuple[int, ...]
    line: int
    indices: tuple[str, ...]
    sent: bool
    assigned: bool


def array_uses(spec: ProgramSpec, snippet: Snippet) -> Iterator[ArrayUse]:
    """The uses of arrays in a snippet, except in structs."""
    toks = tokens(snippet.text)
    for i, token in enumerate(toks):
        if token.kind != "word" or at(toks, i - 1) in (".", "->"):
            continue
        found = _array_at(spec, toks, i)
        if found is None:
            continue
        name, lengths, end = found
        indices = []
        while at(toks, end) == "[":
            after = closing(toks, end)
            indices.append("".join(t.text for t in toks[end + 1 : after - 1]))
            end = after
        before, call = at(toks, i - 1), at(toks, i - 2)
        sent = at(toks, end) == ")" and (before == "," or (before == "(" and call == "send"))
        yield ArrayUse(name, lengths, token.line, tuple(indices), sent, at(toks, end) == "=")


def _array_at(
    spec: ProgramSpec, toks: list[Token], i: int
) -> tuple[str, tuple[int, ...], int] | None:
    """The array whose name begins at toks[i]: as it is called, its lengths, and where it ends."""
    word = toks[i].text
    if at(toks, i + 1) == "." and i + 2 < len(toks):
        name = toks[i + 2].text
        fields = {"v": spec.vertex_fields, "u": spec.vertex_fields, "e": spec.arc_fields}
        if word == "p" and name in spec.arrays:
            return f"p.{name}", spec.arrays[name].shape, i + 3
        if word in fields and name in fields[word]:
            return _as_array(f"{word}.{name}", fields[word][name].type, i + 3)
        return None
    if word == "msg" and spec.grouping is None and spec.message is not None:
        return _as_array(word, spec.message if spec.gathered is None else spec.gathered, i + 1)
    field = spec.vertex_fields.get(word.removesuffix("_of"))
    if field is not None and word.endswith("_of") and at(toks, i + 1) == "(":
        end = closing(toks, i + 1)
        text = "".join(t.text for t in toks[i:end])
        return _as_array(text, field.type, end)
    return None


def _as_array(name: str, type_: str | Struct, end: int) -> tuple[str, tuple[int, ...], int] | None:
    shape = resolve(type_, "float32").shape
    return (name, shape, end) if shape else None
