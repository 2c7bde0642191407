"""Programs on graphs with more vertices than 32 bits can number: `vertex` then has 64 bits, and
fields that have the same value at every vertex are not stored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from itertools import takewhile
from types import MappingProxyType
from typing import Any

from gascl.language.fields import Field, VertexParam
from gascl.language.keywords import CALLS
from gascl.language.program import VertexProgram
from gascl.language.snippet import Snippet
from gascl.language.spec import ProgramSpec
from gascl.language.types import VERTEX, Struct

#: The type that `vertex` stands for.
WIDE = "int64"
#: What makes 32 bits or fewer of an integer without a word of a compiler.
_NARROWS = re.compile(
    r"\([\s\w]*\b(?:u?(?:int|short|char)|unsigned|signed)\b[\s\w]*\)"
    r"|\b(?:convert|as)_u?(?:int|short|char)\w*|\b(?:typedef|union)\b"
)
#: Compilers do not warn of these.
_COMPOUND = {f"{operator}=" for operator in ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")}
#: Words of the language whose values are ids.
_IDS = {"id", "src", "dst", "neighbor", "neighbor_of", "num_vertices", "num_edges"}
#: Types that local variables with an id may have.
_LONG = re.compile(r"\bu?long\d*\b|\b(?:size_t|ptrdiff_t|u?intptr_t)\b|typeof|__auto_type")


def wide_form(program: VertexProgram) -> VertexProgram:
    """The same program, in which fields, messages and parameters of type `vertex` have 64 bits;
    results still take them for vertices. Fields that have the same value at every vertex are
    computed when they are read, and results do not have them."""
    cls = type(program)
    if "_wide" not in vars(cls):
        cls._wide = type(cls.__name__, (cls,), {"__module__": cls.__module__})
        cls._wide.spec = _widened(cls.spec)
    made = copy(program)
    made.__class__ = cls._wide
    return made


def narrowing(spec: ProgramSpec) -> str:
    """What a snippet may do to an id that has 64 bits: text such as `(int)` or `+= v.id`; "" if
    nothing."""
    ids = _IDS | {"msg"} if _is_long(spec.message) else _IDS
    groups = spec.vertex_fields, spec.edge_fields, spec.arc_fields, spec.params
    for name, field in (item for group in groups for item in group.items()):
        if isinstance(field, VertexParam) or _is_long(field.type):
            ids = ids | {name}
    for snippet in spec.snippets.values():
        found = _NARROWS.search(snippet.text)
        if found:
            return found[0]
        # Where variables have 64 bits, any name may stand for one of them.
        if compound := _compound(snippet, None if _LONG.search(snippet.text) else ids):
            return compound
    return ""


def _compound(snippet: Snippet, ids: set[str] | None) -> str:
    """The first compound assignment with one of these names, or with any (None), from its operator
    on; or ""."""
    toks = snippet.tokens
    for i, token in enumerate(toks):
        if token.text in _COMPOUND:
            value = [*takewhile(lambda t: t.text != ";", toks[i + 1 :])]
            names = {t.text for t in value if t.kind == "word"}
            if names if ids is None else names & ids:
                return f"{token.text} {''.join(t.text for t in value)}"
    return ""


def _is_long(type_: Any) -> bool:
    """Whether a type has ids or other integers of 64 bits."""
    if isinstance(type_, Struct):
        return any(_is_long(member) for _, member in type_.members)
    return type_ in (VERTEX, WIDE, "uint64")


def _widened(spec: ProgramSpec) -> ProgramSpec:
    structs = {name: _wide(struct) for name, struct in spec.structs.items()}
    groups = "vertex_fields", "edge_fields", "arc_fields", "params", "aggregates"
    declared: dict[str, Any] = {name: _declared(getattr(spec, name)) for name in groups}
    types = {"message": _wide(spec.message), "gathered": _wide(spec.gathered)}
    form = replace(spec, structs=MappingProxyType(structs), **types, **declared)
    names, fields = _computed(spec), form.vertex_fields
    stored = {name: each for name, each in fields.items() if name not in names}
    computed = {name: fields[name] for name in names}
    form = replace(
        form, vertex_fields=MappingProxyType(stored), computed=MappingProxyType(computed)
    )
    vars(form)["types"] = spec.types  # where cached_property stores it
    return form


def _computed(spec: ProgramSpec) -> list[str]:
    """The vertex fields that have the same value at every vertex: that which their `init` gives,
    since no snippet writes them."""
    read, found = spec.snippet("scatter").reads("v"), list[str]()  # the outbox keeps what it reads
    if any("" in snippet.reads("v") for snippet in spec.snippets.values()):
        return found
    for name, declared in spec.vertex_fields.items():
        init, type_ = spec.snippet(f"{name}.init"), declared.resolve("float32")
        if name in read or name in spec.written or type_.width > 1 or type_.members:
            continue
        if init.reads("v") - {*found} or init.uses(*CALLS):
            continue
        found.append(name)
    return found


def _declared(fields: Mapping[str, Field]) -> Mapping[str, Field]:
    wide = {n: isinstance(f, VertexParam) for n, f in fields.items()}
    return MappingProxyType(
        {n: replace(f, type=WIDE if wide[n] else _wide(f.type)) for n, f in fields.items()}
    )


def _wide(type_: Any) -> Any:
    if isinstance(type_, Struct):
        members = tuple((name, _wide(member)) for name, member in type_.members)
        return replace(type_, members=members)
    return WIDE if type_ == VERTEX else type_
