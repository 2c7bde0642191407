"""What a snippet may see and do, as tables, and the check of a class against them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from inspect import signature
from typing import TYPE_CHECKING, NoReturn

from gascl.language.combiners import COMBINERS, check_messages, check_pairs, check_singles, refuse
from gascl.language.fields import (
    REQUIRED,
    ArcField,
    ChoiceParam,
    EdgeField,
    Field,
    Param,
    ToleranceParam,
    VertexField,
    is_lanes,
)
from gascl.language.snippet import Member, Snippet
from gascl.language.source import Place
from gascl.language.types import Struct, unfit

if TYPE_CHECKING:
    from gascl.language.program import VertexProgram

#: The attributes of a program that hold C: statements, then expressions.
SNIPPETS = (
    *("functions", "init", "scatter", "pairs", "gather", "apply"),
    *("mask", "stop", "combine", "identity"),
)
#: Those of them without which a program does nothing.
WORK = {"scatter", "pairs", "apply"}

_WORDS = (
    *(*SNIPPETS, "message", "gathered", "scatter_on", "apply_on", "edges"),
    *("lanes", "restart"),
)
#: Methods that a class may define, with what they take.
_HOOKS = {
    "prepare": ("self", "graph", "initial"),
    "converged": ("self", "step"),
    "solve": ("self", "turns"),
}

VERTEX_MEMBERS = ("id", "in_degree", "out_degree")
EDGE_MEMBERS = ("src", "dst", "id", "reversed")
GRAPH_MEMBERS = ("num_vertices", "num_edges")

#: The most lanes of a run.
MOST_LANES = 64

#: Snippet -> the namespaces it may read. A vertex field's init expression counts as "field", an
#: arc field's as "arc", an aggregator's combiner and identity as those of messages.
_READS = {
    "functions": "",
    "field": "v p g superstep",
    "arc": "e p g superstep",
    "init": "v p g superstep",
    "mask": "v p g",
    "scatter": "v e p g prev superstep",
    "pairs": "v u p g prev superstep",
    "gather": "v p g prev superstep",
    "apply": "v p g prev superstep",
    "stop": "agg prev p g superstep",
    "combine": "",
    "identity": "",
}
#: Function or word -> the snippets it may stand in. `aggregate_NAME` and `FIELD_of` are added per
#: class.
_CALLS = {
    "send": "scatter pairs",
    "send_to": "scatter apply",
    "set_mask": "init scatter apply",
    "set_mask_of": "init scatter apply",
    "unset_mask": "apply",
    "get_mask": "scatter gather apply",
    "get_mask_of": "scatter gather apply",
    "messages": "gather",
    "num_messages": "gather",
    "msg": "gather apply",
    "has_msg": "apply",
    "neighbor": "scatter gather apply",
    "num_neighbors": "scatter gather apply",
    "neighbor_of": "scatter gather apply",
    "num_neighbors_of": "scatter gather apply",
    "has_edge": "scatter gather apply",
    "hash": "functions field arc init mask scatter pairs gather apply stop combine identity",
    "lane": "field arc init mask scatter pairs gather apply",
    "superstep": "field arc init scatter pairs gather apply stop",
}
_PHASES = ("scatter", "gather", "apply")
_LATER_ATTRIBUTES = {
    "priority": "`priority`",
    "delta": "`delta`",
}

_C_WORDS = set(
    """auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef union
    unsigned void volatile while half bool true false kernel global local constant private
    read_only write_only read_write uchar ushort uint ulong size_t ptrdiff_t intptr_t uintptr_t
    event_t sampler_t image1d_t image2d_t image3d_t vec_step pipe complex imaginary NULL INFINITY
    NAN real""".split()
)
#: How many values a call takes.
_ARGUMENTS = {
    "send": 1, "send_to": 2, "set_mask_of": 1, "get_mask_of": 1, "neighbor": 1, "has_edge": 2,
    "neighbor_of": 2, "num_neighbors_of": 1, "hash": 1
}  # fmt: skip
#: What a `Result` has already, so that a field of that name could not be reached.
_RESULT_WORDS = set(
    "fields supersteps converged stopped trace top save save_trace device delivery graph seconds "
    "dtype initial state arc_fields".split()
)


def check(cls: type[VertexProgram]) -> None:
    """Raise ProgramError, naming the user's line, where a class breaks the rules."""
    _check_attributes(cls)
    for declared in _declared(cls):
        _check_declaration(cls, declared)
    check_messages(cls)
    for key, snippet in cls.snippets.items():
        kind = _kind_of(cls, key)
        _check_text(cls, snippet)
        _check_words(cls, snippet, kind)
        for member in snippet.members:
            _check_member(cls, snippet, kind, member)
        if kind in ("field", "arc"):
            _check_init_order(cls, snippet, key.removesuffix(".init"), kind)
    check_singles(cls)
    check_pairs(cls)
    _check_stop(cls)


def _kind_of(cls: type[VertexProgram], key: str) -> str:
    """What rules a snippet obeys: `distance.init` those of fields, `best.combine` of combiners."""
    name, _, part = key.rpartition(".")
    if part == "init" and name:
        return "arc" if name in cls.arc_fields else "field"
    return part


def reserved(cls: type[VertexProgram]) -> Callable[[str], bool]:
    """Whether a name means something in snippets already, and can name no macro or struct."""
    words = {*_C_WORDS, *_CALLS, *_READS["pairs"].split(), *_READS["stop"].split(), "e", "defined"}
    words |= {f"{name}_of" for name in cls.vertex_fields}
    prefixes = ("__", "gascl", "GASCL", "aggregate_")
    return lambda name: name in words or name.startswith(prefixes)


def _declared(cls: type[VertexProgram]) -> Iterator[Field]:
    tables = (cls.vertex_fields, cls.edge_fields, cls.arc_fields, cls.params, cls.aggregates)
    for table in tables:
        yield from table.values()


def _check_attributes(cls: type[VertexProgram]) -> None:
    base = next(b for b in cls.__mro__ if b.__module__ == "gascl.language.program")
    known = vars(base)
    for name, value in vars(cls).items():
        place = cls.class_source.place(name)
        if name in _LATER_ATTRIBUTES:
            refuse(place, cls, f"{_LATER_ATTRIBUTES[name]} is not supported yet")
        if isinstance(value, Struct) and reserved(cls)(name):
            refuse(place, cls, f"{name!r} is a word of C or reserved and can't name a struct")
        if isinstance(value, Struct):
            for member, _ in value.members:
                if member in _C_WORDS or member.startswith("gascl"):
                    why = f"{member!r} is a word of C or reserved and can't name a member"
                    refuse(place, cls, f"{why} of {name}")
        if name.startswith("_") or isinstance(value, Field | Struct) or name in known:
            continue
        near = get_close_matches(name, _HOOKS if callable(value) else _WORDS, 1, 0.7)
        if near:
            refuse(place, cls, f"unknown attribute {name!r}; did you mean {near[0]!r}?")
    for name, arguments in _HOOKS.items():
        hook = vars(cls).get(name)
        fits = True
        try:
            if callable(hook):
                signature(hook).bind(*arguments)
        except (TypeError, ValueError):
            fits = False
        if not fits:
            form = ", ".join(arguments)
            refuse(cls.class_source.place(), cls, f"define it as {name}({form})")
    if cls.solve is not None and WORK & set(cls.snippets):
        why = "solve runs other programs: put scatter and apply into one of those"
        refuse(cls.class_source.place(min(WORK & set(cls.snippets))), cls, why)
    if len(cls.vertex_fields) > 64:
        refuse(cls.class_source.place(), cls, f"{len(cls.vertex_fields)} vertex fields; 64 at most")
    for name, words in (
        ("scatter_on", ("mask", "all")),
        ("apply_on", ("message", "all")),
        ("edges", ("out", "in", "both")),
        ("restart", ("any", "added", "never")),
    ):
        if getattr(cls, name) not in words:
            quoted = " or ".join(map(repr, words))
            why = f"{name} is {quoted}, not {getattr(cls, name)!r}"
            refuse(cls.class_source.place(name), cls, why)
    if type(cls.lanes) is not int or not 1 <= cls.lanes <= MOST_LANES:
        place = cls.class_source.place("lanes")
        refuse(place, cls, f"lanes is a number from 1 to {MOST_LANES}, not {cls.lanes!r}")


def _check_declaration(cls: type[VertexProgram], declared: Field) -> None:
    name, kind = declared.name, declared.kind
    what = f"{'an' if kind[0] in 'ae' else 'a'} {kind}"
    place = cls.class_source.place(name)
    builtin: tuple[str, ...] = VERTEX_MEMBERS if isinstance(declared, VertexField) else ()
    if isinstance(declared, EdgeField | ArcField):
        builtin = EDGE_MEMBERS
    if isinstance(declared.type, Struct) and not declared.type.name:
        refuse(
            place,
            cls,
            f"{name!r} is a struct without a name: put it in the class, as Pair = struct(...)",
        )
    if name in _C_WORDS or name in _CALLS or name in ("v", "e", "p", "g", "prev", "agg"):
        refuse(place, cls, f"{name!r} is a word of the language and can't name {what}")
    if name in builtin or name.startswith("gascl") or name.endswith("_"):
        refuse(place, cls, f"{name!r} is reserved and can't name {what}")
    base = next(b for b in cls.__mro__ if b.__module__ == "gascl.language.program")
    taken = (*_RESULT_WORDS, *vars(base)) if kind == "vertex field" else vars(base)
    if name in taken:
        refuse(
            place, cls, f"{name!r} is an attribute of every program or result; take another name"
        )
    if isinstance(declared, Param) and declared.default is not REQUIRED:
        try:
            if is_lanes(declared.default):
                raise ValueError("a default is one value; lanes are given at construction")
            declared.convert(declared.default)
        except (ValueError, TypeError) as error:
            refuse(place, cls, f"default {declared.default!r} of parameter {name!r}: {error}")
    if isinstance(declared, ToleranceParam) and declared.rate:
        numbers = [n for n, p in cls.params.items() if type(p) is Param]
        if declared.rate not in numbers:
            _unknown(place, cls, f"rate {declared.rate!r} of {name!r}", numbers)
        stop = cls.snippets.get("stop")
        if stop is None or len(stop.reads("agg")) != 1:
            refuse(
                place,
                cls,
                f"rate= is that of the one aggregator that `stop` compares with {name!r}",
            )
    number: object = 0
    is_state = isinstance(declared, VertexField | ArcField)
    if isinstance(declared, VertexField | ArcField):
        if isinstance(declared.init, str):
            return
        number = declared.init
    if isinstance(declared, EdgeField) and declared.default is not REQUIRED:
        number = declared.default
    struct_zero = isinstance(declared.type, Struct) and number == 0
    why = "" if struct_zero else unfit(number, declared.type)
    if why:
        if is_state:
            also = "" if isinstance(declared.type, Struct) else " or a C expression"
            refuse(place, cls, f"init of {name!r} is {number!r}: {why}{also}")
        refuse(place, cls, f"default of {name!r} is {number!r}: {why}")


def _check_text(cls: type[VertexProgram], snippet: Snippet) -> None:
    """What a compiler would complain of elsewhere, or not at all."""
    alone = snippet.unbalanced()
    branches = snippet is cls.snippets.get("functions") and snippet.has_directives
    if alone and not branches:
        refuse(snippet.place(alone[0]), cls, f"`{alone[1]}` has no other half in {snippet.label}")
    for line in snippet.strings():
        if not snippet.uses("printf"):
            refuse(snippet.place(line), cls, "text has no meaning in a snippet")
    for word in snippet.words:
        count = 1 if word.startswith("aggregate_") else _ARGUMENTS.get(word)
        for line, given in snippet.calls(word) if count else ():
            if given != count:
                many = f"{given} value{'s' * (given != 1)}"
                refuse(snippet.place(line), cls, f"{word} takes {count}, not {many}")


def _check_words(cls: type[VertexProgram], snippet: Snippet, kind: str) -> None:
    if snippet is cls.snippets.get("combine") and cls.combine in COMBINERS:
        return
    for word, line in snippet.words.items():
        place = snippet.place(line)
        if word.endswith("_of") and word[:-3] in cls.vertex_fields and kind not in _PHASES:
            refuse(place, cls, f"{word} stands in {', '.join(_PHASES)} only")
        if word.lower().startswith("gascl_"):
            refuse(place, cls, f"{word!r}: names that begin with gascl_ are reserved")
        if word in _CALLS and kind not in _CALLS[word].split():
            where = " and ".join(_CALLS[word].split())
            refuse(place, cls, f"{word} stands in {where} only, not in {snippet.label}")
        if word.startswith("aggregate_"):
            name = word.removeprefix("aggregate_")
            if name not in cls.aggregates:
                _unknown(place, cls, word, [f"aggregate_{a}" for a in cls.aggregates])
            if kind not in ("init", "apply"):
                refuse(place, cls, f"{word} stands in init and apply only")
        if word in ("get_mask", "get_mask_of", "set_mask", "set_mask_of", "unset_mask", "send"):
            continue
        near = get_close_matches(word, [*_CALLS], 1, 0.75)
        helpers = cls.snippets["functions"].words if "functions" in cls.snippets else {}
        is_call = f"{word}(" in snippet.text.replace(" ", "") and word not in helpers
        if near and word not in _CALLS and is_call:
            refuse(place, cls, f"unknown function {word!r}; did you mean {near[0]!r}?")


def _check_member(cls: type[VertexProgram], snippet: Snippet, kind: str, member: Member) -> None:
    place = snippet.place(member.line)
    space, name = member.namespace, member.name
    if space == "msg":
        if kind == "gather":
            return
        refuse(place, cls, "msg is read only")
    if space not in _READS[kind].split():
        if kind in ("functions", "combine", "identity"):
            return  # their own parameters may be called v, e, p or g
        refuse(place, cls, f"`{space}` can't be seen in {snippet.label}")
    tables: dict[str, list[str]] = {
        "v": [*VERTEX_MEMBERS, *cls.vertex_fields],
        "u": [*VERTEX_MEMBERS, *cls.vertex_fields],
        "e": [*EDGE_MEMBERS, *cls.edge_fields, *cls.arc_fields],
        "p": [n for n, p in cls.params.items() if p.in_run or isinstance(p, ChoiceParam)],
        "g": list(GRAPH_MEMBERS),
        "prev": list(cls.aggregates),
        "agg": list(cls.aggregates),
    }
    if not name:
        refuse(place, cls, f"`{space}` alone is no value: write {space}.NAME")
    if name not in tables[space]:
        _unknown(place, cls, f"{space}.{name}", [f"{space}.{n}" for n in tables[space]])
    arc_state = space == "e" and kind == "scatter" and name in cls.arc_fields
    if member.written and not arc_state and not (space == "v" and kind in ("init", "apply")):
        fields = space in ("v", "u")
        where = "v's fields are written in init and apply" if fields else "it is read only"
        refuse(place, cls, f"{space}.{name} is written in {snippet.label}, but {where}")
    if member.written and name in VERTEX_MEMBERS:
        refuse(place, cls, f"v.{name} is read only")


def _check_init_order(cls: type[VertexProgram], snippet: Snippet, name: str, kind: str) -> None:
    order = list(cls.vertex_fields if kind == "field" else cls.arc_fields)
    space = "v" if kind == "field" else "e"
    for member in snippet.members:
        if member.namespace == space and member.name in order[order.index(name) :]:
            what = f"{space}.{member.name}"
            why = f"init of {name!r} reads {what}, which is declared later or is itself"
            refuse(snippet.place(member.line), cls, why)


def _check_stop(cls: type[VertexProgram]) -> None:
    if not WORK & set(cls.snippets):
        return  # an abstract base: it can't be run, and the engine says so
    ends = cls.stop or cls.converged or cls.supersteps_param()
    if cls.scatter_on == "all" and not ends:
        refuse(
            cls.class_source.place("scatter_on"),
            cls,
            "scatters on all and never stops: give stop = '...', def converged(self, step), "
            "or supersteps = param.supersteps(20)",
        )


def _unknown(place: Place, cls: type[VertexProgram], name: str, known: list[str]) -> NoReturn:
    near = get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]}?" if near else f"; there is {', '.join(known) or 'none'}"
    refuse(place, cls, f"unknown {name}{hint}")
