"""`ProgramSpec`: what a program class declares, frozen; collected once, when the class is defined.

Everything else (checks, traits, codegen, deliveries, the runtime) reads the spec and never the
class. The spec holds copies of the declarations, so that several classes can share a declaration,
and later changes to a class do not affect what was checked and compiled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, NoReturn

import numpy as np

from gascl.errors import Place, ProgramError
from gascl.language.arrays import FieldIndex, field_indices
from gascl.language.combiners import Combiner, combiner_of
from gascl.language.fields import (
    Aggregate,
    ArcField,
    ArrayParam,
    ChoiceParam,
    EdgeField,
    Field,
    Param,
    SuperstepsParam,
    ToleranceParam,
    VertexField,
)
from gascl.language.grouping import Grouping, by_key
from gascl.language.keywords import ADD_TO, reads_field
from gascl.language.preprocessor import NotUnderstood, Preprocessor
from gascl.language.snippet import ABSENT, Snippet
from gascl.language.source import ClassSource
from gascl.language.types import FieldTypes, Struct, Type, name_of, resolve, struct
from gascl.user_messages import ProgramName

#: The attributes of a program that hold C: statements, then expressions.
SNIPPETS = (
    *("functions", "init", "scatter", "pairs", "gather", "apply"),
    *("mask", "stop", "combine", "identity", "prefer", "receive_if", "enough", "priority"),
    *("pairs_within", "pairs_merge"),
)
#: Expressions that are left out, not empty.
_NEVER_EMPTY = ("receive_if", "enough", "priority", "pairs_within", "pairs_merge")
#: Snippets that do something: a program needs at least one of them.
WORK = {"scatter", "pairs", "apply"}


@dataclass(frozen=True)
class ProgramSpec:
    """What a program class declares.

    Attributes:
        name: the name of the class.
        source: where the class and its attributes are in the user's file.
        message, gathered: the type of a message, and of what a gather snippet makes of several.
        combiner: how messages are combined; None if they are read one by one or grouped by key, or
            there are none.
        grouping: how they are grouped by key; None if they are not.
        vertex_fields, edge_fields, arc_fields, params, aggregates: declarations by name.
        structs: the structs by the names that the class gives them.
        snippets: the snippets by attribute name; those inside declarations have names such as
            `distance.init`.
        scatter_on, apply_on, edges, restart, ends, lanes, delta, order: as the class gives them.
        pairs_at: the same, the name of the field with the places of vertices; None without one.
        stop: the text of `stop` in one line, for messages.
        asks_converged: the class defines `converged`.
        composite: it defines `solve`, which runs other programs.
    """

    name: str
    source: ClassSource
    message: str | Struct | None
    gathered: str | Struct | None
    combiner: Combiner | None
    grouping: Grouping | None
    vertex_fields: Mapping[str, VertexField]
    edge_fields: Mapping[str, EdgeField]
    arc_fields: Mapping[str, ArcField]
    params: Mapping[str, Param]
    aggregates: Mapping[str, Aggregate]
    structs: Mapping[str, Struct]
    snippets: Mapping[str, Snippet]
    scatter_on: str
    apply_on: str
    edges: str
    restart: str
    ends: str
    lanes: int
    delta: float | None
    order: str
    pairs_at: str | None
    stop: str
    asks_converged: bool
    composite: bool

    @cached_property
    def works(self) -> bool:
        """Whether the program can be run; otherwise it is only a base class."""
        return bool(WORK & set(self.snippets))

    @cached_property
    def loops(self) -> dict[str, Any]:
        """What `neighbor_loops` has found, by the type that `real` stands for: parsing takes
        milliseconds, and programs of several stages run on many graphs."""
        return {}

    @cached_property
    def declarations(self) -> str:
        """Everything that determines what a run computes, as text: the same for two classes exactly
        if they declare the same, wherever they are and whatever gascl makes of it."""
        options = ["scatter_on", "apply_on", "edges", "restart", "ends", "lanes", "delta"]
        if self.order != "supersteps":  # else checkpoints from before there was a choice fit
            options.append("order")
        if self.pairs_at is not None:
            options.append("pairs_at")
        if self.grouping is not None:
            options.append("grouping")
        fields: list[Mapping[str, Field]] = [
            *(self.vertex_fields, self.edge_fields, self.arc_fields, self.params, self.aggregates)
        ]
        lines = [
            *(f"{name}: {getattr(self, name)}" for name in [*options, "asks_converged"]),
            f"message: {self.message}, {self.gathered}, {self.combiner and self.combiner.name}",
            *(f"struct {name}: {struct.members}" for name, struct in self.structs.items()),
            *(repr(replace(each, doc="")) for group in fields for each in group.values()),
            *(f"{name}: {snippet.text}" for name, snippet in self.snippets.items()),
        ]
        return "\n".join(lines)

    @property
    def alternates(self) -> bool:
        """Whether odd supersteps use the reversed arcs of even ones."""
        return self.edges == "alternate"

    @cached_property
    def direction(self) -> str:
        """The arcs of superstep 0, as `Graph.arcs` calls them."""
        return "out" if self.alternates else self.edges

    @property
    def ends_on_empty_mask(self) -> bool:
        """Whether a run ends when the mask is empty."""
        return self.scatter_on == "mask" and self.ends == "mask"

    def snippet(self, name: str) -> Snippet:
        """The snippet of this name, or `ABSENT`."""
        return self.snippets.get(name, ABSENT)

    @cached_property
    def added_to(self) -> tuple[str, ...]:
        """The vertex fields to which apply adds, at any vertex (`add_to_FIELD`)."""
        apply = self.snippet("apply")
        return tuple(n for n in self.vertex_fields if apply.uses(ADD_TO + n))

    @cached_property
    def written(self) -> tuple[str, ...]:
        """The vertex fields that snippets change: those of apply, then those of init alone."""
        names = [{*self.added_to}, *(self.snippet(s).writes("v") for s in ("apply", "init"))]
        return tuple(dict.fromkeys(n for group in names for n in self.vertex_fields if n in group))

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """The vertex fields without an `init` that snippets read, and none writes."""
        snippets = self.snippets.values()
        read = {name for snippet in snippets for space in "vu" for name in snippet.reads(space)}
        if self.pairs_at is not None:
            read.add(self.pairs_at)
        return tuple(
            name
            for name, declared in self.vertex_fields.items()
            if not declared.has_init
            and name not in self.written
            and (name in read or any(snippet.uses(f"{name}_of") for snippet in snippets))
        )

    @cached_property
    def result_order(self) -> dict[str, int]:
        """The place of each vertex field among those of a result: what a snippet writes comes
        before what only has initial values."""
        names = dict.fromkeys([*self.written, *self.vertex_fields])
        return {name: place for place, name in enumerate(names)}

    def first_scalar(self, real: str) -> str | None:
        """The first vertex field, in the order of results, with a scalar for each vertex, not a
        vector or a struct; None if there is none."""
        for name in self.result_order:
            type_ = self.vertex_fields[name].resolve(real)
            if type_.width == 1 and not type_.members:
                return name
        return None

    @cached_property
    def types(self) -> FieldTypes:
        """The types of vertex and arc fields, as they were declared. Where no snippet writes a
        vertex field, none is an input."""
        fields = (*self.vertex_fields.values(), *self.arc_fields.values())
        inputs = frozenset(self.vertex_fields) - {*self.written} if self.written else frozenset()
        return FieldTypes({f.name: f.type for f in fields}, inputs)

    @cached_property
    def supersteps_param(self) -> str | None:
        """The name of the declared `param.supersteps()`, if any."""
        names = [n for n, p in self.params.items() if isinstance(p, SuperstepsParam)]
        return names[0] if names else None

    @cached_property
    def falling(self) -> tuple[ToleranceParam, str] | None:
        """A tolerance with a rate, and the aggregator that `stop` compares with it, if any."""
        for param in self.params.values():
            if isinstance(param, ToleranceParam) and param.rate and "stop" in self.snippets:
                (name,) = self.snippets["stop"].reads("agg")
                return param, name
        return None

    @cached_property
    def reads_superstep(self) -> bool:
        """Whether a snippet reads the number of the superstep."""
        return any(snippet.uses("superstep") for snippet in self.snippets.values())

    @cached_property
    def arrays(self) -> dict[str, ArrayParam]:
        """The array parameters."""
        return {n: p for n, p in self.params.items() if isinstance(p, ArrayParam)}

    @cached_property
    def field_indices(self) -> tuple[FieldIndex, ...]:
        """The fields whose values are indices of array parameters."""
        return tuple(field_indices(self)) if self.arrays else ()

    @cached_property
    def choice_params(self) -> tuple[str, ...]:
        """The names of the compile-time parameters."""
        return tuple(n for n, p in self.params.items() if isinstance(p, ChoiceParam))

    def message_type(self, real: str) -> Type:
        """The type of a message; a scalar type if there are no messages."""
        return resolve(self.message or "uint8", real)

    def accumulator(self, real: str, fp64: bool) -> Type:
        """The type in which messages are combined, which may be wider than a message."""
        message = self.message_type(real)
        return message if self.combiner is None else self.combiner.accumulator(message, fp64)

    def refuse(self, place: Place, why: str) -> NoReturn:
        """Raise ProgramError about a line of the class."""
        _refuse(place, self.name, why)


def collect(cls: type, source: ClassSource, reserved: Callable[[str], bool]) -> ProgramSpec:
    """The spec of a class: the declarations of its base classes, then its own.

    Parameters are descriptors, so the class gets the copies that the spec holds.

    Args:
        reserved: whether a name already has a meaning in snippets, so that no macro can have it.

    Raises:
        ProgramError: a type is unknown, or a snippet cannot be analyzed.
    """
    structs = _structs(cls)
    types = {}
    for name in ("message", "gathered"):
        types[name] = given = getattr(cls, name)
        if given is not None:
            try:
                types[name] = _named(structs, name_of(given))
            except ProgramError as error:
                what = ProgramName(cls.__name__), ": ", error.message
                raise ProgramError(*what, place=source.place(name)) from None
    tables = _declarations(cls)
    for table in tables.values():
        for name, declared in table.items():
            # Classes and names may share a declaration: each gets its own copy.
            own = replace(declared, name=name, type=_named(structs, declared.type))
            if (own.name, own.type) != (declared.name, declared.type):
                setattr(cls, name, own)
                table[name] = own
    vertex_fields, edge_fields, arc_fields, params, aggregates = tables.values()
    got: Any = cls  # which has every attribute of a program
    rule = got.combine
    grouping = rule if isinstance(rule, Grouping) else None
    combiner = combiner_of(rule) if isinstance(rule, str) and rule.strip() else None
    named = grouping is not None or (combiner is not None and rule == combiner.name)
    known = Preprocessor(
        lambda word: reserved(word) or reads_field(word, vertex_fields, edge_fields),
        types=set(structs),
    )
    snippets: dict[str, Snippet] = {}

    def add(attribute: str, key: str, text: Any, scope: Preprocessor) -> None:
        snippet = _snippet(cls, source, attribute, key, text, scope)
        if snippet is not None:
            snippets[key] = snippet

    for name in SNIPPETS:
        if name == "combine" and named:
            continue  # a name, not C
        # Macros in `functions` hold for all snippets, macros in any other only for that one.
        scope = known if name == "functions" else known.copy()
        add(name, name, getattr(cls, name), scope)
    for name, field in (*vertex_fields.items(), *arc_fields.items()):
        if isinstance(field.init, str):
            add(name, f"{name}.init", field.init, known.copy())
    for name, declared in aggregates.items():
        if declared.is_custom:
            add(name, f"{name}.combine", declared.op, known.copy())
            add(name, f"{name}.identity", declared.identity, known.copy())
    return ProgramSpec(
        name=cls.__name__,
        source=source,
        message=types["message"],
        gathered=types["gathered"],
        combiner=combiner,
        grouping=grouping,
        vertex_fields=MappingProxyType(vertex_fields),
        edge_fields=MappingProxyType(edge_fields),
        arc_fields=MappingProxyType(arc_fields),
        params=MappingProxyType(params),
        aggregates=MappingProxyType(aggregates),
        structs=MappingProxyType(structs),
        snippets=MappingProxyType(snippets),
        scatter_on=got.scatter_on,
        apply_on=got.apply_on,
        edges=got.edges,
        restart=got.restart,
        ends=got.ends,
        lanes=got.lanes,
        delta=got.delta,
        order=got.order,
        pairs_at=got.pairs_at,
        stop=" ".join((got.stop or "").split()),
        asks_converged=got.converged is not None,
        composite=got.solve is not None,
    )


def _declarations(cls: type) -> dict[type[Field], dict[str, Any]]:
    """The declarations of each kind by name; one that is declared again keeps its position."""
    tables: dict[type[Field], dict[str, Any]] = {
        VertexField: {},
        EdgeField: {},
        ArcField: {},
        Param: {},
        Aggregate: {},
    }
    for base in reversed(cls.__mro__):
        for name, value in vars(base).items():
            for kind, table in tables.items():
                if isinstance(value, kind):
                    table[name] = value
                else:
                    table.pop(name, None)
    return tables


def _structs(cls: type) -> dict[str, Struct]:
    """The structs among a class's attributes, each under its attribute's name."""
    found: dict[str, Struct] = {}
    for base in reversed(cls.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, np.dtype) and value.names:
                value = struct(value)
            if isinstance(value, Struct):
                found[name] = replace(value, name=value.name or name)
    return found


def _named(structs: dict[str, Struct], type_: str | Struct) -> str | Struct:
    """The type. A struct gets a name: the one it has, perhaps from another class, or else the first
    one that this class gives it."""
    if not isinstance(type_, Struct):
        return type_
    if type_.name and structs.setdefault(type_.name, type_).members == type_.members:
        return type_
    names = [n for n, s in structs.items() if s.members == type_.members]
    return replace(type_, name=names[0] if names else "")


def _snippet(
    cls: type, source: ClassSource, attribute: str, key: str, text: Any, known: Preprocessor
) -> Snippet | None:
    if text is by_key:
        what = ProgramName(cls.__name__), ": combine = by_key is not called: write by_key()"
        raise ProgramError(*what, place=source.place(attribute))
    if text is not None and not isinstance(text, str):
        raise ProgramError(
            f"{cls.__name__}.{attribute} must be a string of C, not {text!r}: write it in quotes",
            place=source.place(attribute),
        )
    if not text or not text.strip():
        if text is not None and attribute in _NEVER_EMPTY:
            raise ProgramError(
                f"{cls.__name__}.{attribute} is empty: write one, or leave it out",
                place=source.place(attribute),
            )
        return None
    text = re.sub("\r\n?", "\n", text)  # compilers accept both as line ends
    label, places = _origin(cls, source, attribute, key, text)
    try:
        return Snippet.make(label, text, places, known)
    except NotUnderstood as error:
        _refuse(places[error.line], cls.__name__, error.why)


def _origin(
    cls: type, source: ClassSource, attribute: str, key: str, text: str
) -> tuple[str, Sequence[Place]]:
    """The label of a snippet and the places of its lines, in the class or in the base class that
    assigns `attribute`."""
    owner = next(b for b in cls.__mro__ if attribute in vars(b))
    spec: ProgramSpec | None = vars(owner).get("_declared")
    if owner is not cls and spec is not None and key in spec.snippets:
        inherited = spec.snippets[key]
        return inherited.label, inherited.places
    places = source.places(attribute, text)
    if attribute != key:
        # An init expression is inside a declaration: use the line of the declaration.
        places = [source.place(attribute)] * len(places)
    return f"{cls.__name__}.{attribute}", places


def _refuse(place: Place, name: str, why: str) -> NoReturn:
    raise ProgramError(ProgramName(name), f": {why}", place=place)
