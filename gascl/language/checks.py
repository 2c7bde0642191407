"""The rules of the language as tables, and the check of a class against them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from difflib import get_close_matches
from inspect import signature
from numbers import Real
from typing import Any, Literal, NoReturn

import numpy as np

from gascl.errors import Place
from gascl.language.arrays import array_uses
from gascl.language.combiners import EXPRESSION, FIRST, NAMED, PRODUCT, SUM
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
from gascl.language.keywords import (
    ADD_TO,
    ARGUMENTS,
    C_WORDS,
    CALLS,
    CONSTRUCTION,
    EDGE_MEMBERS,
    FOREIGN,
    FROM,
    GRAPH_MEMBERS,
    LANGUAGE,
    MOST_KEYS,
    OF_GROUPS,
    PHASES,
    RANDOM,
    READS,
    READS_OTHERS,
    RESULT,
    VERTEX_MEMBERS,
    meaning,
    reads_field,
    reserved,
)
from gascl.language.snippet import Member, Snippet
from gascl.language.spec import SNIPPETS, WORK, ProgramSpec
from gascl.language.types import Struct, resolve, unfit

_WORDS = (
    *(*SNIPPETS, "message", "gathered", "scatter_on", "apply_on", "edges"),
    *("lanes", "restart", "ends", "delta", "order", "pairs_at"),
)
#: The Python methods that a class may define, with their parameters.
_HOOKS = {
    "prepare": ("self", "graph", "initial"),
    "converged": ("self", "step"),
    "solve": ("self", "stages"),
    "in_any_order": ("self",),
}

_LEAST_DELTA, _MOST_DELTA = float(np.finfo("f4").tiny), float(np.finfo("f4").max)

#: Where a rule is broken, if it is, and the message.
Rules = Iterator[tuple[Place | Literal[False] | None, str]]

#: The largest number of lanes in a run.
MOST_LANES = 64

#: The types of places (`pairs_at`).
PLACES = ("real", "real2", "real3")

#: The snippets that may set the mask.
_MARKING = tuple(CALLS["set_mask"].split())


def check(spec: ProgramSpec, own: Mapping[str, Any], base: Collection[str]) -> None:
    """Raise ProgramError, naming the user's line, if a class breaks the rules.

    Args:
        own: the class's own attributes.
        base: the names of the attributes that every program has.
    """
    _check_attributes(spec, own, base)
    for declared in _declared(spec):
        _check_declaration(spec, declared, base)
    _check_messages(spec)
    for key, snippet in spec.snippets.items():
        kind = _kind_of(spec, key)
        _check_text(spec, snippet)
        _check_words(spec, snippet, kind)
        _check_bare(spec, snippet, kind)
        _check_arrays(spec, snippet, kind)
        for member in snippet.members:
            _check_member(spec, snippet, kind, member)
        if kind in ("field", "arc"):
            _check_init_order(spec, snippet, key.removesuffix(".init"), kind)
    for rules in _RULES:
        for place, message in rules(spec):
            if place:
                spec.refuse(place, message)


def _kind_of(spec: ProgramSpec, key: str) -> str:
    """Which rules hold for a snippet: `distance.init` is a "field", `best.combine` a "combine"."""
    name, _, part = key.rpartition(".")
    if part == "init" and name:
        return "arc" if name in spec.arc_fields else "field"
    return part


def _declared(spec: ProgramSpec) -> Iterator[Field]:
    tables = (spec.vertex_fields, spec.edge_fields, spec.arc_fields, spec.params, spec.aggregates)
    for table in tables:
        yield from table.values()


def _check_attributes(spec: ProgramSpec, own: Mapping[str, Any], base: Collection[str]) -> None:
    for name, value in own.items():
        place = spec.source.place(name)
        if isinstance(value, Struct):
            _check_struct(spec, place, name, value)
        if name.startswith("_") or isinstance(value, Field | Struct) or name in base:
            continue
        near = get_close_matches(name, _HOOKS if callable(value) else _WORDS, 1, 0.7)
        if near:
            spec.refuse(place, f"unknown attribute {name!r}; did you mean {near[0]!r}?")
    for name, arguments in _HOOKS.items():
        hook = own.get(name)
        fits = True
        try:
            if callable(hook):
                signature(hook).bind(*arguments)
        except (TypeError, ValueError):
            fits = False
        if not fits:
            form = ", ".join(arguments)
            spec.refuse(spec.source.place(), f"define it as {name}({form})")
    if spec.composite and spec.works:
        why = (
            "a program with solve has no snippets of its own: move them into a program that it runs"
        )
        spec.refuse(spec.source.place(min(WORK & set(spec.snippets))), why)
    bare = next((n for n, a in spec.aggregates.items() if not a.op), None)
    if bare and not spec.composite:
        why = f"aggregator {bare!r} needs an operation, such as 'sum'; only `solve` returns values"
        spec.refuse(spec.source.place(bare), why)
    if spec.alternates and spec.arc_fields:
        why = "arc fields are kept in the order of the arcs, which edges = 'alternate' reverses"
        spec.refuse(spec.source.place("edges"), f"{why}: leave out {', '.join(spec.arc_fields)}")
    if len(spec.vertex_fields) > 64:
        spec.refuse(
            spec.source.place(),
            f"{len(spec.vertex_fields)} vertex fields, but at most 64 are supported: put some into "
            "a struct",
        )
    for name, words in (
        ("scatter_on", ("mask", "all")),
        ("apply_on", ("message", "mask", "all")),
        ("edges", ("out", "in", "both", "alternate")),
        ("restart", ("any", "added", "never")),
        ("ends", ("mask", "stop")),
        ("order", ("supersteps", "any")),
    ):
        if getattr(spec, name) not in words:
            quoted = " or ".join(map(repr, words))
            why = f"{name} must be {quoted}, not {getattr(spec, name)!r}"
            spec.refuse(spec.source.place(name), why)
    if type(spec.lanes) is not int or not 1 <= spec.lanes <= MOST_LANES:
        place = spec.source.place("lanes")
        spec.refuse(
            place, f"lanes must be a whole number from 1 to {MOST_LANES}, not {spec.lanes!r}"
        )


def _check_struct(spec: ProgramSpec, place: Place, name: str, struct: Struct) -> None:
    """The names of a struct and of its members must be free."""
    is_ = meaning(name) or ("a word of the language" if reserved(name) else "")
    if _reads_field(spec, name):
        is_ = "a word of the language"
    if is_:
        spec.refuse(place, f"{name!r} is {is_} and cannot be the name of a struct")
    if not name[0].isupper() and name not in ("message", "gathered"):
        spec.refuse(
            place,
            f"{name!r} cannot be the name of a struct, which must begin with a capital letter: "
            "functions and variables of C begin with small ones",
        )
    for member, _ in struct.members:
        if is_ := meaning(member):
            spec.refuse(place, f"{member!r} is {is_} and cannot be the name of a member of {name}")


def _check_name(spec: ProgramSpec, place: Place, declared: Field, base: Collection[str]) -> None:
    """The name of a declaration must be free, in C and in Python."""
    name, kind = declared.name, declared.kind
    builtin: tuple[str, ...] = VERTEX_MEMBERS if isinstance(declared, VertexField) else ()
    if isinstance(declared, EdgeField | ArcField):
        builtin = EDGE_MEMBERS
    is_ = meaning(name) or ("a word of the language" if name in LANGUAGE else "")
    is_ = is_ or ("reserved" if name in builtin or name.endswith("_") else "")
    if name in base or (isinstance(declared, Param | VertexField) and name in CONSTRUCTION):
        is_ = is_ or "an attribute of every program"
    if isinstance(declared, VertexField) and name in RESULT:
        is_ = is_ or f"an attribute of every result (result.{name})"
    if is_:
        what = f"{'an' if kind[0] in 'ae' else 'a'} {kind}"
        spec.refuse(place, f"{name!r} is {is_} and cannot be the name of {what}; choose another")


def _check_declaration(spec: ProgramSpec, declared: Field, base: Collection[str]) -> None:
    name = declared.name
    place = spec.source.place(name)
    if isinstance(declared.type, Struct) and not declared.type.name:
        spec.refuse(
            place,
            f"the struct of {name!r} has no name: assign it to an attribute, as Pair = struct(...)",
        )
    _check_name(spec, place, declared, base)
    if isinstance(declared, Param) and declared.default is not REQUIRED:
        try:
            if is_lanes(declared.default):
                raise ValueError("a default must be a single value; give lanes at construction")
            declared.convert(declared.default)
        except (ValueError, TypeError) as error:
            spec.refuse(place, f"default {declared.default!r} of parameter {name!r}: {error}")
    if isinstance(declared, ToleranceParam) and declared.rate:
        numbers = [n for n, p in spec.params.items() if type(p) is Param]
        if declared.rate not in numbers:
            _unknown(place, spec, f"rate {declared.rate!r} of {name!r}", numbers)
        if len(spec.snippet("stop").reads("agg")) != 1:
            spec.refuse(
                place,
                f"rate= needs a `stop` that compares exactly one aggregator with {name!r}",
            )
    number: object = 0
    is_state = isinstance(declared, VertexField | ArcField)
    rest = declared.rest if isinstance(declared, VertexField) else None
    if rest is not None and (why := unfit(rest, declared.type)):
        spec.refuse(place, f"rest of {name!r} is {rest!r}: {why}")
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
            spec.refuse(place, f"init of {name!r} is {number!r}: {why}{also}")
        spec.refuse(place, f"default of {name!r} is {number!r}: {why}")


def _check_text(spec: ProgramSpec, snippet: Snippet) -> None:
    """Refuse mistakes that a compiler would report at a wrong place, or not at all."""
    alone = snippet.unbalanced()
    branches = snippet is spec.snippet("functions") and snippet.has_directives
    if alone and not branches:
        spec.refuse(snippet.place(alone[0]), f"unbalanced `{alone[1]}` in {snippet.label}")
    for line in snippet.powers():
        spec.refuse(snippet.place(line), "C has no `**`: write pow(x, y), or x * x for a square")
    for line in snippet.strings():
        if not snippet.uses("printf"):
            spec.refuse(snippet.place(line), "snippets cannot use strings")
    for word in snippet.words:
        own = word.startswith("aggregate_") or _reads_field(spec, word)
        count = 1 if own else 2 if word.startswith(ADD_TO) else ARGUMENTS.get(word)
        for call in snippet.calls(word) if count else ():
            given = len(call.arguments)
            if word == "uniform" and 0 < given <= MOST_KEYS:
                continue
            if given != count:
                some = f"1 to {MOST_KEYS}" if word == "uniform" else count
                many = f"{some} argument{'s' * (some != 1)}"
                spec.refuse(snippet.place(call.line), f"{word} takes {many}, not {given}")
    _check_loops(spec, snippet)


def _check_loops(spec: ProgramSpec, snippet: Snippet) -> None:
    """`for_common` declares a variable, and only of that one can its arcs be read."""
    bound = set()
    for call in snippet.calls("for_common"):
        name = call.first
        if not name.isidentifier():
            why = f"for_common declares its first argument, which must be a name, not {name!r}"
            spec.refuse(snippet.place(call.line), f"{why}: for_common(w, a, b) {{ ... }}")
        bound.add(name)
    helpers = spec.snippet("functions").words
    for word in snippet.words:
        ending = next((each for each in FROM if word.endswith(each)), "")
        if not ending or word in helpers:
            continue
        declared = word.removesuffix(ending)
        for call in snippet.calls(word):
            place = snippet.place(call.line)
            if declared not in spec.edge_fields:
                words = [f"{each}{ending}" for each in spec.edge_fields]
                what = f"{word}: there is no edge field {declared!r}"
                _unknown(place, spec, what, words)
            if call.first not in bound:
                why = f"{word} takes the vertex that a for_common declares, not {call.first!r}"
                known = f"{word}({min(bound, default='w')})"
                where = f"write {known} inside for_common({min(bound, default='w')}, a, b)"
                spec.refuse(place, f"{why}: {where}")


def _check_words(spec: ProgramSpec, snippet: Snippet, kind: str) -> None:
    for word, line in snippet.words.items():
        place = snippet.place(line)
        readers = READS_OTHERS if word.endswith("_of") else PHASES
        if _reads_field(spec, word) and kind not in readers:
            where = ", ".join(readers)
            spec.refuse(place, f"{word} can only be used in {where}, not in {snippet.label}")
        if word.lower().startswith("gascl_"):
            spec.refuse(place, f"{word!r}: names that start with gascl_ are reserved")
        if word in FOREIGN:
            spec.refuse(place, f"C has no `{word}`: write `{FOREIGN[word]}`")
        if word in CALLS and kind not in CALLS[word].split():
            where = ", ".join(CALLS[word].split())
            spec.refuse(place, f"{word} can only be used in {where}, not in {snippet.label}")
        if word.startswith("aggregate_"):
            name = word.removeprefix("aggregate_")
            if kind not in ("init", "apply"):
                spec.refuse(place, f"{word} can only be used in init and apply")
            if name not in spec.aggregates:
                _unknown(place, spec, word, [f"aggregate_{a}" for a in spec.aggregates])
        if word.startswith(ADD_TO):
            if kind != "apply":
                spec.refuse(place, f"{word} can only be used in apply")
            if word.removeprefix(ADD_TO) not in spec.vertex_fields:
                _unknown(place, spec, word, [ADD_TO + name for name in spec.vertex_fields])
        if word in ("get_mask", "get_mask_of", "set_mask", "set_mask_of", "unset_mask", "send"):
            continue
        near = get_close_matches(word, [*CALLS, *_readers(spec, word)], 1, 0.75)
        helpers = spec.snippet("functions").words
        is_call = f"{word}(" in snippet.text.replace(" ", "") and word not in helpers
        if word in RANDOM and is_call:
            spec.refuse(
                place,
                f"there is no {word}(): uniform(seed, v.id, superstep) is a repeatable random "
                "number from 0 up to 1",
            )
        own = word.startswith(("aggregate_", ADD_TO)) or _reads_field(spec, word)
        known = word in CALLS or own
        if known or not is_call:
            continue
        if near:
            spec.refuse(place, f"unknown function {word!r}; did you mean {near[0]!r}?")
        kinds = (("_of", "vertex", spec.vertex_fields), ("_to", "edge", spec.edge_fields))
        for ending, of, fields in kinds:
            name = word.removesuffix(ending)
            if word.endswith(ending):
                what = f"{word}: there is no {of} field {name!r}"
                _unknown(place, spec, what, [f"{each}{ending}" for each in fields])


def _check_bare(spec: ProgramSpec, snippet: Snippet, kind: str) -> None:
    """A field or parameter must be read through its namespace: `p.tolerance`."""
    if kind in ("functions", "combine", "identity"):
        return  # which have none
    helpers = spec.snippet("functions").words
    found: dict[str, str] = {}
    for space in READS[kind].split():
        for name in _members_of(spec, space):
            found.setdefault(name, f"{space}.{name}")
    if kind == "pairs_merge":
        found = {name: where for name, where in found.items() if name not in OF_GROUPS}
    declares = kind in ("init", "scatter", "pairs", "gather", "apply")
    for word, line in snippet.undeclared(found.keys() - helpers.keys(), declares):
        spec.refuse(snippet.place(line), f"unknown {word!r}; did you mean {found[word]}?")


def _members_of(spec: ProgramSpec, space: str) -> list[str]:
    """What can be read as `space.NAME`."""
    return {
        "v": [*VERTEX_MEMBERS, *spec.vertex_fields],
        "u": [*VERTEX_MEMBERS, *spec.vertex_fields],
        "e": [*EDGE_MEMBERS, *spec.edge_fields, *spec.arc_fields],
        "p": [n for n, p in spec.params.items() if p.in_run or isinstance(p, ChoiceParam)],
        "g": list(GRAPH_MEMBERS),
        "prev": list(spec.aggregates),
        "agg": list(spec.aggregates),
    }.get(space, [])


def _check_member(spec: ProgramSpec, snippet: Snippet, kind: str, member: Member) -> None:
    place = snippet.place(member.line)
    space, name = member.namespace, member.name
    if space == "msg":
        if kind == "gather":
            return
        spec.refuse(place, "msg is read only")
    if space == "groups":
        spec.refuse(place, "groups[i] is read only: copy what you change into a variable")
    if space not in READS[kind].split():
        if kind in ("functions", "combine", "identity"):
            return  # their own parameters may be called v, e, p or g
        remedy = ": test it in scatter, before send" if (space, kind) == ("e", "receive_if") else ""
        if space == "agg":
            remedy = _instead_of_agg(kind, name, member.written)
        spec.refuse(place, f"`{space}` is not available in {snippet.label}{remedy}")
    known = _members_of(spec, space)
    if not name:
        spec.refuse(place, f"`{space}` is not a value by itself: write {space}.NAME")
    if name not in known:
        _unknown(place, spec, f"{space}.{name}", [f"{space}.{n}" for n in known])
    arc_state = space == "e" and kind == "scatter" and name in spec.arc_fields
    if member.written and not arc_state and not (space == "v" and kind in ("init", "apply")):
        fields = space in ("v", "u")
        where = "only init and apply can write v's fields" if fields else "it is read only"
        spec.refuse(place, f"{space}.{name} is written in {snippet.label}, but {where}")
    if member.written and name in VERTEX_MEMBERS:
        spec.refuse(place, f"v.{name} is read only")


def _instead_of_agg(kind: str, name: str, written: bool) -> str:
    """What to write instead of `agg.name`, which only `stop` has."""
    adds = kind in ("init", "apply") and f"write aggregate_{name}(x) to add x"
    reads = "prev" in READS[kind].split() and f"prev.{name} is its value after the last superstep"
    remedies = [adds, not written and reads] if adds else [reads]
    return "".join(f": {remedy}" for remedy in ["; ".join(r for r in remedies if r)] if remedy)


def _check_arrays(spec: ProgramSpec, snippet: Snippet, kind: str) -> None:
    """Arrays are used by component; only `send` takes one as a whole."""
    if kind in ("functions", "combine", "identity"):
        return  # where arrays have names of the user's
    for use in array_uses(spec, snippet):
        place, lengths = snippet.place(use.line), use.lengths
        if kind in ("pairs", "stop", "pairs_within", "pairs_merge"):
            spec.refuse(place, f"{use.name} is an array, which {snippet.label} cannot read")
        if len(use.indices) == len(lengths):
            for index, length in zip(use.indices, lengths, strict=True):
                if re.fullmatch(r"-?\d+", index) and not 0 <= int(index) < length:
                    whole = use.name + "".join(f"[{each}]" for each in use.indices)
                    spec.refuse(place, f"{whole}: its index {index} is not from 0 to {length - 1}")
            continue
        indexed = use.name + "".join(f"[{i}]" for i in "ijk"[: len(lengths)])
        remedy = f"write {indexed}"
        if use.sent and not use.indices and len(lengths) == 1:
            message = spec.message_type("float32")
            if message.boxed and message.shape == lengths:
                continue
            remedy = f"a message is a {spec.message}"
        elif use.assigned:
            remedy = f"set {indexed} in a loop"
        has = f"{' x '.join(map(str, lengths))} numbers"
        spec.refuse(place, f"{use.name} is an array of {has}: {remedy}")


def _check_init_order(spec: ProgramSpec, snippet: Snippet, name: str, kind: str) -> None:
    order = list(spec.vertex_fields if kind == "field" else spec.arc_fields)
    space = "v" if kind == "field" else "e"
    for member in snippet.members:
        if member.namespace == space and member.name in order[order.index(name) :]:
            what = f"{space}.{member.name}"
            why = f"init of {name!r} reads {what}, which is not declared before it"
            spec.refuse(snippet.place(member.line), why)


def _check_messages(spec: ProgramSpec) -> None:
    """Messages need a type and a rule that combines those to one vertex."""
    snippets, combiner = spec.snippets, spec.combiner
    senders = ("scatter", "pairs", "apply")
    sends = [n for n in senders if spec.snippet(n).uses("send", "send_to")]
    if spec.message is None:
        if sends or combiner is not None or spec.grouping is not None or "gather" in snippets:
            spec.refuse(
                spec.source.place(sends[0] if sends else "combine"),
                "declare the messages: message = 'real' (or another type) and combine = 'sum' ...",
            )
        if spec.snippet("apply").uses("msg"):
            spec.refuse(spec.source.place("apply"), "`msg` is read, but no `message` is declared")
        return
    if spec.grouping is not None:
        why = spec.grouping.refuses(spec.message_type("float32"))
        if why:
            spec.refuse(spec.source.place("combine"), f"combine = {spec.grouping} {why}")
        return
    if "gather" in snippets:
        return
    if combiner is None:
        spec.refuse(
            spec.source.place("message"),
            f"combine is missing: give one of {', '.join(NAMED)}, a C expression over a and b, "
            "by_key(...), or a gather snippet that reads messages[i]",
        )
    place = spec.source.place("combine")
    if combiner is not EXPRESSION:
        if "identity" in snippets:
            spec.refuse(place, f"combine = {combiner.name!r} needs no identity: remove it")
        why = combiner.refuses(spec.message_type("float32"))
        if why:
            spec.refuse(place, f"combine = {combiner.name!r} {why}")
        return
    why = combiner.refuses(spec.message_type("float32"))
    if why:
        spec.refuse(place, f"combine = {snippets['combine'].text!r} {why}")
    rule = snippets["combine"]
    if "a" not in rule.words or "b" not in rule.words:
        near = get_close_matches(rule.text, NAMED, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        if rule.text in ("mean", "average", "avg"):
            hint = (
                ": combine = 'sum' of message = 'real2', send((real2)(x, 1)), and the mean is "
                "msg.x / msg.y"
            )
        if rule.text.startswith("by_key"):
            hint = ": by_key(...) is a function in Python: from gascl import by_key, and no quotes"
        if rule.text == "count":
            hint = ": combine = 'sum' of message = 'int32', and send(1)"
        spec.refuse(place, f"combine = {rule.text!r} is not an expression over a and b{hint}")
    if "identity" not in snippets:
        spec.refuse(place, "a combine expression needs an identity: give identity = '...'")


# The rules about declarations that go together. Each yields, in the order in which they are tested,
# where the user's line is (None: the rule is kept), and the message: cause and remedy.


def _gather_rules(spec: ProgramSpec) -> Rules:
    """A gather snippet reads messages one by one, and excludes all that needs a combiner."""
    gather = spec.snippet("gather")
    if not gather:
        yield (
            spec.gathered is not None and spec.source.place("gathered"),
            "gathered is the type that a gather snippet assigns, but there is none",
        )
        return
    other, instead = ("groups", "messages") if spec.grouping is None else ("messages", "groups")
    why = "are grouped" if spec.grouping is not None else "are not grouped by by_key(...)"
    for word in (other, f"num_{other}"):
        yield (
            gather.uses(word) and gather.place(gather.words.get(word, 0)),
            f"messages {why}: read {instead}[i] and num_{instead}",
        )
    for name in ("message", "gathered"):
        given = getattr(spec, name)
        yield (
            given is not None and resolve(given, "float32").boxed and spec.source.place(name),
            f"a gather snippet cannot read or assign whole arrays: give {name} as a struct, as in "
            f"Row = struct([('x', '{given}')])",
        )
    yield (
        spec.combiner is not None and spec.source.place("gather"),
        "messages are either combined or read one by one: give combine or gather, not both",
    )
    yield (
        _send_to(spec),
        "send_to needs a combiner: a gather snippet can only read messages sent along arcs",
    )
    assigns = any(member.namespace == "msg" for member in gather.members)
    yield not assigns and spec.source.place("gather"), "gather must assign `msg`"


def _grouping_rules(spec: ProgramSpec) -> Rules:
    """Groups are read by a gather snippet, or one of them is preferred."""
    prefer = spec.snippet("prefer")
    if spec.grouping is None:
        yield (
            bool(prefer) and spec.source.place("prefer"),
            "prefer says which group of messages counts, but there are none: give "
            "combine = by_key(...)",
        )
        return
    place = spec.source.place("combine")
    yield (
        "gather" in spec.snippets and _place_of(spec, "prefer"),
        "either one group is preferred or gather reads all: give prefer or gather, not both",
    )
    yield (
        not prefer and "gather" not in spec.snippets and place,
        "combine = by_key(...) makes groups of messages: say which one counts, as in "
        'prefer = "a.count > b.count", or read groups[i] in a gather snippet',
    )
    if prefer:
        yield (
            "a" not in prefer.words and spec.source.place("prefer"),
            f"prefer = {prefer.text!r} neither compares two groups, a and b, as a.count > b.count "
            "does, nor is it a score of a group a, as a.weight / 2",
        )
    yield "identity" in spec.snippets and place, "by_key(...) needs no identity: remove it"
    yield (
        _send_to(spec),
        "send_to needs another combiner: by_key(...) groups only messages sent along arcs",
    )
    yield (
        _place_of(spec, "pairs"),
        "by_key(...) groups only messages sent along arcs, and pairs have none: remove pairs",
    )


def _added_rules(spec: ProgramSpec) -> Rules:
    """What apply adds to a field arrives while other vertices apply, which read older values."""
    for name in spec.added_to:
        place, type_ = spec.source.place(name), spec.vertex_fields[name].resolve("float32")
        yield (
            (type_.scalar != np.int64 or type_.width > 1) and place,
            f"{ADD_TO}{name} adds to fields of type int64, whose sums do not depend on the order: "
            f"declare {name} = vertex.int64()",
        )
        yield (
            spec.order == "any" and place,
            f"{ADD_TO}{name} counts how often apply runs, and with order = 'any' a message may be "
            "applied several times: remove it or order",
        )
        for key, snippet in spec.snippets.items():
            kind = _kind_of(spec, key)
            if kind in ("field", "init", "mask"):
                continue
            read = f"read {name}_of(v.id), the value from before, and add what you would write"
            if kind not in ("scatter", "gather", "prefer", "apply"):
                read = f"decide in apply, by {name}_of(v.id), the value from before"
            for member in snippet.members:
                yield (
                    member.namespace in ("v", "u")
                    and member.name == name
                    and snippet.place(member.line),
                    f"{member.namespace}.{name} changes while vertices apply, by {ADD_TO}{name}: "
                    f"{read}",
                )


def _pairs_rules(spec: ProgramSpec) -> Rules:
    """A pairs snippet must send, and needs a combiner."""
    pairs = spec.snippet("pairs")
    if not pairs:
        return
    yield (
        not pairs.uses("send") and spec.source.place("pairs"),
        "pairs sends nothing: call send(x) with what u sends to v",
    )
    yield (
        spec.message_type("float32").has_arrays and spec.source.place("message"),
        "the messages of pairs cannot have arrays: use vectors such as 'real16', or send along "
        "arcs",
    )
    yield (
        _place_of(spec, "gather"),
        "a gather snippet reads messages one by one, and there would be one for each pair: use "
        "combine instead",
    )


def _near_rules(spec: ProgramSpec) -> Rules:
    """Pairs by distance need places, and groups that send as one need means and multiples."""
    pairs, merge = spec.snippet("pairs"), spec.snippet("pairs_merge")
    place = spec.source.place("pairs_at")
    if spec.pairs_at is None:
        for name in ("pairs_within", "pairs_merge"):
            yield (
                _place_of(spec, name),
                f"{name} compares distances between vertices: say which field has their places, "
                "as in pairs_at = 'position'",
            )
        return
    yield (
        not pairs and place,
        "pairs_at names the places of vertices, but there is no pairs snippet: give pairs, "
        "or remove pairs_at",
    )
    yield (
        not (merge or "pairs_within" in spec.snippets) and place,
        "pairs_at has no effect alone: give pairs_within = '...', the largest distance of a "
        "pair, or pairs_merge = '...', which groups may send as one; or remove pairs_at",
    )
    field = spec.vertex_fields.get(str(spec.pairs_at))
    yield (
        (field is None or field.type not in PLACES) and place,
        f"pairs_at = {spec.pairs_at!r} must be the name of a vertex field of type "
        f"{', '.join(PLACES[:-1])} or {PLACES[-1]}",
    )
    if not merge:
        return
    place = spec.source.place("pairs_merge")
    yield (
        not merge.uses("radius") and place,
        "pairs_merge must read radius, the largest distance of a member of the group from their "
        "mean, as in 'radius < 0.5f * distance'",
    )
    yield (
        not (spec.combiner is SUM and spec.message_type("float32").all_floats) and place,
        "with pairs_merge a group sends a multiple of one message, which needs combine = 'sum' and "
        "messages of reals: change those, or remove pairs_merge",
    )
    for member in pairs.members:
        known = spec.vertex_fields.get(member.name)
        real = known is not None and known.resolve("float32").all_floats
        yield (
            member.namespace == "u" and not real and pairs.place(member.line),
            f"with pairs_merge `u` may be the mean of a group, which has no u.{member.name}: read "
            "fields of reals alone, to which init or apply may copy it; or remove pairs_merge",
        )


def _product_rules(spec: ProgramSpec) -> Rules:
    """Atomics combine the messages of `send_to`, and cannot detect an overflow of 64 bits."""
    message = spec.message_type("float32")
    if spec.combiner is PRODUCT and message.itemsize == 8 and PRODUCT.overflows(message):
        yield (
            _send_to(spec),
            f"send_to cannot be combined by a product of {spec.message}, whose overflow could not "
            "be detected: give message = 'int32' or 'real'",
        )


def _array_rules(spec: ProgramSpec) -> Rules:
    """Atomics combine the messages of `send_to`, which are at most 8 bytes."""
    if spec.message_type("float32").boxed:
        yield (
            _send_to(spec),
            f"send_to combines messages of up to 8 bytes, and {spec.message} is an array: send it "
            "along arcs, or give a scalar message",
        )


def _first_rules(spec: ProgramSpec) -> Rules:
    """The first message is that of the first arc, so every message must come along an arc."""
    if spec.combiner is not FIRST:
        return
    yield (
        _send_to(spec),
        "combine = 'first' takes the message of the first arc, and send_to has no arc: call "
        "send, or give another combine",
    )
    yield (
        _place_of(spec, "pairs"),
        "combine = 'first' takes the message of the first arc, and pairs have no arcs: give "
        "another combine",
    )


def _receive_if_rules(spec: ProgramSpec) -> Rules:
    """A snippet that reads `msg` must see each message by itself."""
    rule = spec.snippet("receive_if")
    if not rule:
        return
    yield (
        spec.message is None and spec.source.place("receive_if"),
        "receive_if says which messages are received, but no `message` is declared: declare "
        "it, or remove receive_if",
    )
    if not rule.uses("msg"):
        return
    msg = rule.place(rule.words["msg"])
    yield (
        "gather" in spec.snippets and spec.grouping is None and msg,
        "receive_if cannot read msg if there is a gather snippet: test messages[i] in gather",
    )
    yield (
        "pairs" in spec.snippets and msg,
        "receive_if cannot read msg if there is a pairs snippet: test in pairs before send",
    )
    yield (
        _use(spec, "send_to", "apply") and msg,
        "receive_if reads msg, but messages that apply sends by send_to are already combined when "
        "the next superstep begins: leave out msg, or call send_to in scatter",
    )


def _enough_rules(spec: ProgramSpec) -> Rules:
    """Only where no further message can change what has been combined."""
    rule = spec.snippet("enough")
    if not rule:
        return
    place, combiner = spec.source.place("enough"), spec.combiner
    why = "no messages are combined: give message and combine, or remove enough"
    if "gather" in spec.snippets:
        why = "a gather snippet reads every message: remove enough"
    if spec.grouping is not None:
        why = "every message counts in its group: remove enough"
    yield combiner is None and place, f"enough says when combining may stop, but {why}"
    if combiner in (SUM, PRODUCT, FIRST):
        why = "one message is enough" if combiner is FIRST else "every message counts"
        yield (
            place,
            f"with combine = {combiner.name!r} {why}: remove enough, which is for min, max, or, "
            "and, and for an expression over a and b",
        )
    yield (
        not rule.uses("msg") and place,
        'enough must read msg, the combination of the messages so far, as in "msg == 0"',
    )


def _mask_rules(spec: ProgramSpec) -> Rules:
    """`apply_on = "mask"` needs a mask."""
    has_mask = spec.scatter_on == "mask" or "mask" in spec.snippets
    if spec.apply_on == "mask" and not has_mask:
        sets = any(_use(spec, word, *_MARKING) for word in ("set_mask", "set_mask_of"))
        yield (
            not sets and spec.source.place("apply_on"),
            "apply_on = 'mask' with scatter_on = 'all' needs a mask: give mask = '...', call "
            "set_mask(), or say apply_on = 'all'",
        )


def _delta_rules(spec: ProgramSpec) -> Rules:
    delta = spec.delta
    if delta is None:
        return
    place = spec.source.place("delta")
    yield (
        "priority" not in spec.snippets and place,
        "delta is the width of a bucket of priorities, but there is no priority: give "
        "priority = '...', or remove delta",
    )
    number = isinstance(delta, Real) and not isinstance(delta, bool)
    yield (
        not (number and _LEAST_DELTA <= delta <= _MOST_DELTA) and place,
        f"delta must be a positive number from 1.2e-38 to 3.4e38, or None, not {delta!r}",
    )


def _priority_rules(spec: ProgramSpec) -> Rules:
    """Vertices wait for those of lower priority: nothing may depend on when they scatter."""
    if "priority" not in spec.snippets:
        return
    if spec.combiner in (SUM, PRODUCT):
        yield (
            spec.source.place("combine"),
            f"combine = {spec.combiner.name!r} depends on when vertices scatter, and with a "
            "priority they wait: remove priority, or combine by 'min', 'max', 'or' or 'and'",
        )
    yield (
        spec.grouping is not None and spec.source.place("combine"),
        "by_key(...) counts messages, which depends on when vertices scatter, and with a priority "
        "they wait: remove priority, or combine by 'min', 'max', 'or' or 'and'",
    )
    for name in spec.aggregates:
        yield (
            spec.source.place(name),
            f"aggregator {name!r} depends on when vertices scatter, and with a priority they "
            "wait: remove priority or the aggregator",
        )
    yield (
        _place_of(spec, "pairs"),
        "pairs are for all vertices at once, and with a priority most wait: remove priority",
    )
    for attribute, wrong, right in (
        ("scatter_on", "all", "scatter_on = 'mask'"),
        ("apply_on", "all", "apply_on = 'message' or 'mask'"),
        ("ends", "stop", "ends = 'mask'"),
    ):
        yield (
            getattr(spec, attribute) == wrong and spec.source.place(attribute),
            f"a priority orders the vertices in the mask, which needs {right}, not {wrong!r}",
        )
    yield from _own_mask_rules(spec, "a priority")


def _order_rules(spec: ProgramSpec) -> Rules:
    """With order = "any" there are no supersteps: nothing may depend on which messages come
    together, on how often one comes, or on when a vertex scatters."""
    if spec.order != "any":
        yield (
            _use(spec, "needs_order", "scatter", "apply"),
            "needs_order is for programs with order = 'any': this one always runs in supersteps; "
            "remove it",
        )
        return
    instead = "remove order, so that the program runs in supersteps"
    everywhere = spec.apply_on == "all"
    yield (
        not everywhere and "scatter" not in spec.snippets and spec.source.place("order"),
        "order = 'any' is about the order in which vertices scatter or apply, but there is no "
        "scatter, and only vertices with a message apply: give scatter, or apply_on = 'all', or "
        "remove order",
    )
    yield (
        everywhere and _place_of(spec, "scatter"),
        "with order = 'any' and apply_on = 'all', vertices apply many times, and would scatter as "
        "often: send from apply, with send_to, or " + instead,
    )
    if spec.combiner in (SUM, PRODUCT):
        yield (
            spec.source.place("combine"),
            f"combine = {spec.combiner.name!r} counts a message as often as it is applied, and "
            "with order = 'any' that may be more than once: combine by 'min', 'max', 'or' or "
            f"'and', or {instead}",
        )
    yield (
        spec.combiner is FIRST and spec.source.place("combine"),
        "combine = 'first' depends on which messages come in the same superstep, and order = "
        "'any' has none: send the id of the sender in the message and combine by its minimum, or "
        f"{instead}",
    )
    yield (
        spec.grouping is not None and spec.source.place("combine"),
        f"by_key(...) groups all messages of a superstep, and order = 'any' has none: {instead}",
    )
    for name, why in (
        ("gather", "a gather snippet reads all messages of a superstep at once"),
        ("pairs", "pairs send in every superstep"),
        ("stop", "stop is evaluated at the end of a superstep"),
    ):
        yield _place_of(spec, name), f"{why}, and order = 'any' has none: remove {name} or order"
    for name in spec.aggregates:
        yield (
            spec.source.place(name),
            f"aggregator {name!r} depends on how often apply runs, and with order = 'any' a "
            "message may be applied several times: remove the aggregator or order",
        )
    yield (
        spec.asks_converged and spec.source.place("converged"),
        "converged is called after each superstep, and order = 'any' has none: remove converged "
        "or order",
    )
    yield (
        spec.supersteps_param is not None and spec.source.place(spec.supersteps_param or ""),
        f"parameter {spec.supersteps_param!r} is a number of supersteps, and order = 'any' has "
        "none: remove the parameter or order",
    )
    for name in spec.arc_fields:
        yield (
            spec.source.place(name),
            f"arc field {name!r} depends on when vertices scatter: remove it, or {instead}",
        )
    for attribute, allowed in (
        ("scatter_on", "mask"),
        ("apply_on", "message"),
        ("ends", "mask"),
    ):
        value = getattr(spec, attribute)
        yield (
            value not in (allowed, "all" if attribute == "apply_on" else allowed)
            and spec.source.place(attribute),
            f"{attribute} = {value!r} concerns every vertex in each superstep, and order = 'any' "
            f"has none: give {attribute} = {allowed!r}, or {instead}",
        )
    yield (
        spec.alternates and spec.source.place("edges"),
        f"edges = 'alternate' depends on the superstep: give other edges, or {instead}",
    )
    for word in ("superstep", "get_mask", "get_mask_of"):
        own = everywhere and word == "get_mask"  # a vertex's own state
        yield (
            _use(spec, word, "scatter", *([] if own else ["apply"]), "receive_if", "enough"),
            f"{word} {'counts supersteps' if word == 'superstep' else 'depends on the superstep'}, "
            f"and order = 'any' has none: use a field that the message carries, or {instead}",
        )
    yield from _own_mask_rules(spec, "order = 'any'")


def _own_mask_rules(spec: ProgramSpec, why: str) -> Rules:
    """A vertex enters the mask by its own apply alone, and leaves it when it scatters."""
    for word, names in (
        ("unset_mask", ("apply",)),
        ("set_mask_of", ("scatter", "apply")),
        ("set_mask", ("scatter",)),
    ):
        yield (
            _use(spec, word, *names),
            f"{word} cannot be used here with {why}: a vertex is put into the mask by "
            "set_mask() in its own apply, and leaves it when it scatters",
        )


def _stop_rules(spec: ProgramSpec) -> Rules:
    stops = spec.ends_on_empty_mask or spec.stop or spec.asks_converged or spec.supersteps_param
    name, value = ("scatter_on", "all") if spec.scatter_on == "all" else ("ends", "stop")
    yield (  # a class without snippets is an abstract base, which the engine refuses to run
        bool(spec.works) and not stops and spec.source.place(name),
        f"with {name} = {value!r} the program never stops: give stop = '...', "
        "def converged(self, step), or supersteps = param.supersteps(20)",
    )


#: In the order in which they are tested.
_RULES: tuple[Callable[[ProgramSpec], Rules], ...] = (
    *(_gather_rules, _grouping_rules, _added_rules, _pairs_rules, _near_rules, _array_rules),
    *(_first_rules, _product_rules),
    *(_receive_if_rules, _enough_rules, _mask_rules, _delta_rules, _priority_rules, _order_rules),
    _stop_rules,
)


def _place_of(spec: ProgramSpec, name: str) -> Place | None:
    """Where a snippet is, if there is one."""
    return spec.source.place(name) if name in spec.snippets else None


def _send_to(spec: ProgramSpec) -> Place | None:
    """Where scatter or apply uses `send_to`."""
    return _use(spec, "send_to", "scatter", "apply")


def _use(spec: ProgramSpec, word: str, *names: str) -> Place | None:
    """Where the first of these snippets that uses a word does so."""
    for name in names:
        snippet = spec.snippet(name)
        if snippet.uses(word):
            return snippet.place(snippet.words[word])
    return None


def _reads_field(spec: ProgramSpec, name: str) -> bool:
    """Whether a name is `FIELD_of` or `FIELD_to` for one of the program's fields."""
    return reads_field(name, spec.vertex_fields, spec.edge_fields)


def _readers(spec: ProgramSpec, word: str) -> list[str]:
    """`FIELD_of`, `FIELD_to` and so on, if a word looks like one; `sizeof` does not."""
    if word in C_WORDS or not word.lower().endswith(("of", "to", "first", "second")):
        return []
    of_edges = ("to", "from_first", "from_second")
    return [f"{name}_of" for name in spec.vertex_fields] + [
        f"{name}_{end}" for name in spec.edge_fields for end in of_edges
    ]


def _unknown(place: Place, spec: ProgramSpec, name: str, known: list[str]) -> NoReturn:
    near = get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(known) or 'none'}"
    spec.refuse(place, f"unknown {name}{hint}")
