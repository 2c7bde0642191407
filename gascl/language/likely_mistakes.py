"""Finds what a program declares that is allowed, and yet most likely a mistake.

Each rule is a function of a class that yields its findings. A rule belongs here only if no sensible
program breaks it: a test applies all of them to the bundled programs and to those in the docs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from gascl.errors import Place
from gascl.language.combiners import FIRST, MAX, MIN
from gascl.language.fields import Field, SuperstepsParam
from gascl.language.keywords import VERTEX_MEMBERS, words_to
from gascl.language.program import VertexProgram
from gascl.language.snippet import Snippet
from gascl.language.spec import ProgramSpec
from gascl.language.stage_discovery import globals_of, words_of_code
from gascl.language.stale_fields import stale_field
from gascl.language.traits import Traits

#: What code may call to use all parameters at once.
_ALL_PARAMETERS = {"vars", "getattr", "__dict__", "parameter_values", "params"}


class Mistake(NamedTuple):
    """A likely mistake.

    Attributes:
        text: the cause and the remedy, without the name of the program.
    """

    place: Place
    text: str


def likely_mistakes(cls: type[VertexProgram]) -> list[Mistake]:
    """The likely mistakes of a class, apart from the declarations that it inherits."""
    rules = RULES if cls.spec.works else RULES[:1]
    return [mistake for rule in rules for mistake in rule(cls)]


def _unused(cls: type[VertexProgram]) -> Iterator[Mistake]:
    """Declarations that nothing uses: no snippet of the class or of a class that inherits from it,
    nor the Python code of its methods."""
    spec, classes = cls.spec, [cls, *_subclasses(cls)]
    code = {word for each in classes for word in words_of_code(each)}
    specs = [each.spec for each in classes]
    tables: list[tuple[Mapping[str, Field], Callable[[ProgramSpec, str], bool], str]] = [
        (spec.vertex_fields, _uses_vertex_field, "reads or writes v.{}"),
        (spec.edge_fields, _uses_edge_field, "reads e.{}"),
        (spec.arc_fields, _uses_arc_field, "reads or writes e.{}"),
        (spec.params, _uses_parameter, "reads p.{}"),
        (spec.aggregates, _uses_aggregator, "calls aggregate_{}(x)"),
    ]
    if not spec.works:
        # `solve` returns the fields, and the engine checks that a graph has the edge fields; of a
        # base class without snippets, a class in another file may use everything.
        tables = tables[3:4] if spec.composite else []
    for table, uses, how in tables:
        for name, declared in table.items():
            if name not in vars(cls) or name in code:
                continue
            if table is spec.params and code & _ALL_PARAMETERS:
                continue
            if any(uses(each, name) for each in specs):
                continue
            who = "nothing" if spec.composite else "no snippet"
            text = f"{declared.kind} {name!r} is not used: {who} {how.format(name)}; remove it"
            yield Mistake(spec.source.place(name), text)


def _subclasses(cls: type[VertexProgram]) -> Iterator[type[VertexProgram]]:
    for each in cls.__subclasses__():
        yield each
        yield from _subclasses(each)


def _uses_vertex_field(spec: ProgramSpec, name: str) -> bool:
    # An init that is an expression may be all that a result needs.
    computed = isinstance(spec.vertex_fields[name].init, str)
    used = _reads(spec.snippets.values(), "vu", name) or name in spec.added_to
    return computed or used or _word(spec, f"{name}_of")


def _uses_edge_field(spec: ProgramSpec, name: str) -> bool:
    return _reads(spec.snippets.values(), "e", name) or any(
        _word(spec, word) for word in words_to(name)
    )


def _uses_arc_field(spec: ProgramSpec, name: str) -> bool:
    computed = isinstance(spec.arc_fields[name].init, str)
    return computed or _reads(spec.snippets.values(), "e", name)


def _uses_parameter(spec: ProgramSpec, name: str) -> bool:
    rates = [getattr(param, "rate", "") for param in spec.params.values()]
    counts = isinstance(spec.params[name], SuperstepsParam)
    return counts or name in rates or _reads(spec.snippets.values(), "p", name)


def _uses_aggregator(spec: ProgramSpec, name: str) -> bool:
    return _word(spec, f"aggregate_{name}") or _reads_aggregator(spec, name) is not None


def _reads(snippets: Iterable[Snippet], spaces: Iterable[str], name: str) -> bool:
    return any(name in snippet.reads(space) for snippet in snippets for space in spaces)


def _word(spec: ProgramSpec, word: str) -> bool:
    return any(snippet.uses(word) for snippet in spec.snippets.values())


def _reads_aggregator(spec: ProgramSpec, name: str) -> Place | None:
    """Where a snippet first reads an aggregator."""
    for snippet in spec.snippets.values():
        for member in snippet.members:
            if member.namespace in ("agg", "prev") and member.name == name:
                return snippet.place(member.line)
    return None


def _mask_is_never_set(cls: type[VertexProgram]) -> Iterator[Mistake]:
    """A program that scatters on its mask, and ends after its first superstep, although scatter
    would send what apply writes."""
    spec = cls.spec
    scatter, apply = spec.snippet("scatter"), spec.snippet("apply")
    if not spec.ends_on_empty_mask:
        return
    if any(each.uses("set_mask", "set_mask_of") for each in (scatter, apply)):
        return
    sent = sorted(scatter.reads("v") & apply.writes("v"))
    if sent and not apply.uses("send_to"):
        fields = ", ".join(f"v.{name}" for name in sent)
        yield Mistake(
            spec.source.place("apply"),
            f"apply writes {fields}, which is never sent: no snippet puts a vertex into the next "
            "mask, so that the run ends after superstep 0; call set_mask() where the value changes",
        )


def _mask_without_effect(cls: type[VertexProgram]) -> Iterator[Mistake]:
    """A mask that decides nothing."""
    spec, traits = cls.spec, Traits.of(cls.spec)
    if not traits.scatters_on_all or traits.reads_mask or _is_stage(cls):
        return
    for name in ("mask", "init", "scatter", "apply"):
        snippet = spec.snippet(name)
        words = [w for w in ("set_mask", "set_mask_of", "unset_mask") if snippet.uses(w)]
        if snippet and name in vars(cls) and (name == "mask" or words):
            what = f"{words[0]}()" if words else "mask"
            line = snippet.words[words[0]] if words else 0
            yield Mistake(
                snippet.place(line),
                f"{what} has no effect: with scatter_on = 'all' every vertex scatters, and no "
                "snippet reads the mask; leave out scatter_on, or the mask",
            )
            return


def _is_stage(cls: type[VertexProgram]) -> bool:
    """Whether its module has a program that may run it; a later stage can start from its mask."""
    others = [each for each in globals_of(cls) if isinstance(each, type)]
    return any(issubclass(each, VertexProgram) and each.solve is not None for each in others)


def _messages_that_nobody_reads(cls: type[VertexProgram]) -> Iterator[Mistake]:
    """Messages, or values of messages, without a reader."""
    spec = cls.spec
    apply = spec.snippet("apply")
    senders = [
        (snippet, word)
        for name in ("scatter", "pairs", "apply")
        for word in ("send", "send_to")
        if (snippet := spec.snippet(name)).uses(word)
    ]
    if not senders:
        return
    snippet, word = senders[0]
    place = snippet.place(snippet.words[word])
    if not apply:
        yield Mistake(place, f"{word} sends a message, but there is no apply to receive it")
        return
    if apply.uses("msg", "has_msg"):
        return
    if "gather" in spec.snippets:
        text = "gather assigns msg, but apply does not read it: use msg in apply"
        yield Mistake(spec.source.place("gather"), text)
        return
    if spec.apply_on == "all":
        text = "apply runs for every vertex, and reads neither msg nor has_msg"
        yield Mistake(place, f"nothing uses what {word} sends: {text}; remove {word}, or use msg")
        return
    # Of the values that `first` may take, one is as good as any other.
    signals = spec.combiner is FIRST or Traits.of(spec).filters
    if not signals and any(each.passes_values(name) for each, name in senders):
        constant = "send_to(id, 1)" if word == "send_to" else "send(1)"
        yield Mistake(
            place,
            f"nothing reads the value that {word} sends: use msg in apply or, if only the arrival "
            f"of a message matters, send a constant, such as {constant}",
        )


def _values_that_nobody_writes(cls: type[VertexProgram]) -> Iterator[Mistake]:
    """Aggregators and arc fields that are read, and always have the same value."""
    spec, scatter = cls.spec, cls.spec.snippet("scatter")
    for name in spec.aggregates:
        place = _reads_aggregator(spec, name)
        if place is not None and not _word(spec, f"aggregate_{name}"):
            text = f"aggregator {name!r} is read, and always has the value of its identity: call "
            yield Mistake(place, text + f"aggregate_{name}(x) in apply")
    for name, field in spec.arc_fields.items():
        members = [m for m in scatter.members if (m.namespace, m.name) == ("e", name)]
        if members and not isinstance(field.init, str) and not any(m.written for m in members):
            text = f"scatter reads e.{name}, which is always {field.init}: no snippet writes it"
            yield Mistake(scatter.place(members[0].line), text)


def _the_same_messages_again(cls: type[VertexProgram]) -> Iterator[Mistake]:
    """A program in which every vertex sends the same in every superstep."""
    spec = cls.spec
    scatter, apply, stop = (spec.snippet(name) for name in ("scatter", "apply", "stop"))
    if spec.scatter_on != "all" or spec.alternates:
        return
    written = sorted(apply.writes("v"))
    read = sorted(scatter.reads("v") - {*VERTEX_MEMBERS, ""})
    others = [f"{name}_of" for name in spec.vertex_fields]
    changes = scatter.uses("superstep", "get_mask", "get_mask_of", *others) or scatter.reads("prev")
    changes = changes or scatter.writes("e")
    # Where no result of a superstep decides how many there are, there may be meant to be one.
    if not read or not written or changes or not stop.reads("agg") or {*read} & {*written}:
        return
    sent, computed = (", ".join(f"v.{name}" for name in names) for names in (read, written))
    yield Mistake(
        spec.source.place("scatter"),
        f"scatter sends the same in every superstep: it reads {sent}, and apply writes {computed}; "
        "send what apply writes",
    )


def _never_stops(cls: type[VertexProgram]) -> Iterator[Mistake]:
    """A rule that cannot end the run, or never changes."""
    spec = cls.spec
    scatter, apply, stop = (spec.snippet(name) for name in ("scatter", "apply", "stop"))
    if spec.supersteps_param or spec.asks_converged:
        return
    if stop and not (
        stop.reads("agg") or stop.reads("prev") or stop.uses("superstep", "uniform", "hash")
    ):
        text = "stop has the same value after every superstep: compare agg.NAME or superstep"
        yield Mistake(spec.source.place("stop"), text)
    if stop or not spec.ends_on_empty_mask:
        return
    if "receive_if" in spec.snippets or apply.uses("unset_mask") or not scatter.sends_always:
        return
    if apply.always_calls("set_mask"):
        yield Mistake(
            apply.place(apply.words["set_mask"]),
            "the run never ends if the graph has a cycle: every message puts its receiver into the "
            "next mask; call set_mask() only where a value changes, or give receive_if",
        )


def _stale(cls: type[VertexProgram]) -> Iterator[Mistake]:
    """A field that keeps an old value where no message comes."""
    stale = stale_field(cls.spec)
    if stale is not None:
        some = "in a superstep" if stale.sometimes else "in any superstep"
        yield Mistake(stale.place, stale.why(f"vertices without messages {some}"))


def _identity_as_a_value(cls: type[VertexProgram]) -> Iterator[Mistake]:
    """A field that gets the identity of an integer min or max where no message comes. That of a
    real one is infinite, and that of an unsigned max is 0, which may be meant."""
    spec, apply = cls.spec, cls.spec.snippet("apply")
    if spec.apply_on != "all" or spec.combiner not in (MIN, MAX):
        return
    message = spec.message_type("float32")
    identity = spec.combiner.identity(message)
    # An apply that decides anything, or names a limit, may have thought of it.
    limits = [word for word in apply.words if word.endswith(("_MAX", "_MIN"))]
    if message.is_float or identity == "0" or apply.uses("has_msg", "min", "max", "clamp", *limits):
        return
    if "?" in apply.text:
        return
    for name, line in apply.set_from("msg"):
        yield Mistake(
            apply.place(line),
            f"v.{name} is {identity} at vertices without a message, since apply_on = 'all' runs "
            f"apply there, and msg is the identity of {spec.combiner.name}: leave out apply_on, or "
            f"write if (has_msg) v.{name} = ...",
        )


#: The first one holds for all classes, the others for programs with snippets.
RULES: tuple[Callable[[type[VertexProgram]], Iterator[Mistake]], ...] = (
    *(_unused, _mask_is_never_set, _mask_without_effect, _messages_that_nobody_reads),
    *(_values_that_nobody_writes, _the_same_messages_again, _never_stops, _stale),
    _identity_as_a_value,
)
