"""Where snippets use arrays: fields, messages and parameters with several components."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gascl.language.operands import at
from gascl.language.snippet import Snippet
from gascl.language.tokens import Token, closing
from gascl.language.types import Struct, resolve

if TYPE_CHECKING:
    from gascl.language.spec import ProgramSpec


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
        tested: a condition stands before it, so that it may not be reached.
    """

    name: str
    lengths: tuple[int, ...]
    line: int
    indices: tuple[str, ...]
    sent: bool
    assigned: bool
    tested: bool


#: What makes code behind it run only sometimes.
CONDITIONS = frozenset(
    ("if", "for", "while", "switch", "?", "&&", "||", "return", "continue", "break", "goto")
)


def array_uses(spec: ProgramSpec, snippet: Snippet) -> Iterator[ArrayUse]:
    """The uses of arrays in a snippet, except in structs."""
    toks = snippet.tokens
    tested = False
    for i, token in enumerate(toks):
        tested |= token.text in CONDITIONS
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
        assigned = at(toks, end) == "="
        yield ArrayUse(name, lengths, token.line, tuple(indices), sent, assigned, tested)


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


@dataclass(frozen=True)
class FieldIndex:
    """A field whose values are indices of an array parameter, as in `p.price[v.kind]`.

    Attributes:
        field: its name.
        of_edges: it is a field of edges, not of vertices.
        array: the array, as `p.price`.
        length: the number of its entries.
        text: how it is read there, as `p.price[v.kind]`.
        snippet: the snippet that reads it whenever it runs; None: the read may be skipped.
    """

    field: str
    of_edges: bool
    array: str
    length: int
    text: str
    snippet: str | None


_FIELD = re.compile(r"([vue])\.(\w+)|(\w+)_of\(.*\)")


def field_indices(spec: ProgramSpec) -> Iterator[FieldIndex]:
    """The fields that no snippet writes, and that are read as indices of array parameters and
    nowhere else: a field that is also read elsewhere may be tested there."""
    found: list[FieldIndex] = []
    for where, snippet in spec.snippets.items():
        for use in array_uses(spec, snippet):
            text = use.name + "".join(f"[{index}]" for index in use.indices)
            for index, length in zip(use.indices, use.lengths, strict=False):
                match = _FIELD.fullmatch(index) if use.name.startswith("p.") else None
                if match:
                    name, of_edges = match[2] or match[3], match[1] == "e"
                    own = match[1] in ("v", "e")
                    surely = own and not use.tested and _runs_for_all(spec, where)
                    reader = where if surely else None
                    found.append(FieldIndex(name, of_edges, use.name, length, text, reader))
    as_indices = Counter((each.field, each.of_edges) for each in found)
    reads = Counter(read for snippet in spec.snippets.values() for read in _reads(spec, snippet))
    for each in dict.fromkeys(found):
        inputs = spec.edge_fields if each.of_edges else spec.vertex_fields.keys() - {*spec.written}
        key = each.field, each.of_edges
        if each.field in inputs and reads[key] == as_indices[key]:
            yield each


def _runs_for_all(spec: ProgramSpec, snippet: str) -> bool:
    """Whether a snippet runs for every vertex or arc, in each superstep or before the first."""
    if snippet == "scatter":
        return spec.scatter_on == "all" and "receive_if" not in spec.snippets
    return snippet == "init" or (snippet == "apply" and spec.apply_on == "all")


def _reads(spec: ProgramSpec, snippet: Snippet) -> Iterator[tuple[str, bool]]:
    """Each mention of a field in a snippet: its name, and whether it is one of edges."""
    toks = snippet.tokens
    for i, token in enumerate(toks):
        if token.kind != "word" or at(toks, i - 1) in (".", "->"):
            continue
        if token.text in ("v", "u", "e") and at(toks, i + 1) in (".", "->"):
            yield at(toks, i + 2), token.text == "e"
        elif token.text.endswith(("_of", "_to", "_from")):
            name, _, way = token.text.rpartition("_")
            yield name, way != "of"
