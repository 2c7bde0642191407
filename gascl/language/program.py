"""`VertexProgram`: the class a user writes. Knows nothing of OpenCL devices.

A class is checked when it is defined: unknown or reserved names, types, a missing combiner, a
write where none is allowed, no way to stop. docs/programs.md is the language.
"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from gascl.errors import ProgramError
from gascl.language import checks as language
from gascl.language.combiners import refuse
from gascl.language.fields import (
    REQUIRED,
    Aggregate,
    ArcField,
    ChoiceParam,
    EdgeField,
    Field,
    Lanes,
    Param,
    SuperstepsParam,
    ToleranceParam,
    VertexField,
)
from gascl.language.preprocessor import NotUnderstood, Preprocessor
from gascl.language.snippet import Snippet
from gascl.language.source import ClassSource, Place
from gascl.language.types import Struct, name_of, struct

if TYPE_CHECKING:
    from gascl.graph.graph import Graph


class VertexProgram:
    """Base of every vertex program.

    A subclass declares fields (`vertex.*`, `edge.*`, `arc.*`, `param.*`, `aggregate.*`) and gives
    snippets of OpenCL C; see docs/programs.md. Construct it with its parameters by keyword (a list
    is one value a lane), and with initial values of a vertex field where these are data: an array
    of V values in the graph's vertex order, or a dict from labels to values, 0 for the rest.

    Args:
        dtype: what `real` is, "float32" or "float64".
    """

    message: Any = None
    combine: str | None = None
    identity: str | None = None
    mask: str | None = None
    init: str = ""
    scatter: str = ""
    pairs: str = ""
    gather: str = ""
    gathered: Any = None
    apply: str = ""
    functions: str = ""
    stop: str | None = None
    scatter_on: str = "mask"
    apply_on: str = "message"
    edges: str = "out"
    lanes: int = 1
    restart: str = "any"

    #: The program whose `solve` runs this one, for messages.
    run_by: str = ""

    vertex_fields: ClassVar[dict[str, VertexField]] = {}
    edge_fields: ClassVar[dict[str, EdgeField]] = {}
    arc_fields: ClassVar[dict[str, ArcField]] = {}
    params: ClassVar[dict[str, Param]] = {}
    aggregates: ClassVar[dict[str, Aggregate]] = {}
    structs: ClassVar[dict[str, Struct]] = {}
    snippets: ClassVar[dict[str, Snippet]] = {}
    class_source: ClassVar[ClassSource]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        frame = sys._getframe(1)
        while frame.f_code.co_name == "__init_subclass__" and frame.f_back:
            frame = frame.f_back
        cls.class_source = ClassSource.of(cls.__name__, frame)
        _collect(cls)
        language.check(cls)

    def __init__(self, *positional: Any, dtype: str = "float32", **values: Any) -> None:
        cls = type(self)
        if positional:
            first = next(iter(cls.params), "dtype")
            self._refuse(f"parameters are given by name: {cls.__name__}({first}=...)")
        try:
            self.dtype = np.dtype(dtype).name
        except TypeError:
            self.dtype = ""
        if self.dtype not in ("float32", "float64"):
            self._refuse(f"dtype={dtype!r}: `real` is 'float32' or 'float64'")
        self.initial: dict[str, Any] = {}
        for name, value in values.items():
            if name in cls.params:
                try:
                    self.__dict__[name] = cls.params[name].convert(value)
                except (ValueError, TypeError, OverflowError) as error:
                    self._refuse(f"{name}={value!r}: {error}")
            elif name in cls.vertex_fields:
                self.initial[name] = value
            else:
                known = [*cls.params, *cls.vertex_fields, "dtype"]
                near = get_close_matches(name, known, 1)
                hint = f"did you mean {near[0]!r}? " if near else ""
                self._refuse(f"no parameter {name!r}; {hint}it takes {', '.join(known)}")
        for name, param in cls.params.items():
            if name in self.__dict__:
                continue
            if param.default is REQUIRED:
                self._refuse(f"parameter {name!r} must be given: {cls.__name__}({name}=...)")
            self.__dict__[name] = param.convert(param.default)
        self._set_lanes()
        for param in cls.params.values():
            if isinstance(param, ToleranceParam) and param.unreachable(self):
                self._refuse(param.unreachable(self))

    def _set_lanes(self) -> None:
        """As many as a parameter has values, or as the class says."""
        for name in type(self).params:
            value = self.__dict__[name]
            if not isinstance(value, Lanes):
                continue
            if len(value) > language.MOST_LANES:
                self._refuse(f"{name}: {len(value)} lanes, {language.MOST_LANES} at most")
            if self.lanes not in (1, len(value)):
                self._refuse(f"{name} has {len(value)} values, for {self.lanes} lanes")
            self.lanes = len(value)

    def prepare(self, graph: Graph, initial: dict[str, np.ndarray]) -> None:
        """Called before a run, before any device memory is taken; override to refuse or adjust.

        Args:
            initial: the vertex fields that were given at construction, one array each in the
                field's type; change them in place. Raise ProgramError to refuse the run.
        """

    #: A Python form of `stop`, called after each superstep; slower. None: not defined.
    converged: ClassVar[Any] = None

    #: `solve(self, turns)` runs other programs by `turns.run` (see gascl.runtime.composite) and
    #: returns a dict of vertex fields. None: not defined.
    solve: ClassVar[Any] = None

    @classmethod
    def supersteps_param(cls) -> str | None:
        """The name of the declared `param.supersteps()`, if any."""
        found = [n for n, p in cls.params.items() if isinstance(p, SuperstepsParam)]
        return found[0] if found else None

    def fixed_supersteps(self) -> int | None:
        """How many supersteps this program asks for; None: until its rule holds."""
        name = self.supersteps_param()
        return getattr(self, name) if name else None

    def choices(self) -> dict[str, str]:
        """The compile-time parameters."""
        kinds = type(self).params
        return {n: getattr(self, n) for n, p in kinds.items() if isinstance(p, ChoiceParam)}

    def parameter_values(self) -> dict[str, Any]:
        """The parameters but for the number of supersteps."""
        skipped = self.supersteps_param()
        return {n: getattr(self, n) for n in type(self).params if n != skipped}

    def title(self) -> str:
        """The name for messages: that of the program that was asked for first."""
        name = type(self).__name__
        return f"{self.run_by} ({name})" if self.run_by else name

    def _refuse(self, why: str) -> NoReturn:
        raise ProgramError(f"{type(self).__name__}: {why}")

    def __repr__(self) -> str:
        values = [f"{n}={getattr(self, n)!r}" for n in type(self).params]
        return f"{type(self).__name__}({', '.join([*values, f'dtype={self.dtype!r}'])})"


def _collect(cls: type[VertexProgram]) -> None:
    """Gather the declarations and snippets of a class and its bases, the class's own last."""
    kinds: dict[type[Field], dict[str, Any]] = {
        VertexField: {},
        EdgeField: {},
        ArcField: {},
        Param: {},
        Aggregate: {},
    }
    for base in reversed(cls.__mro__):
        for name, value in list(vars(base).items()):
            for kind, table in kinds.items():
                if isinstance(value, kind):
                    table[name] = value  # one that is declared anew keeps its place
                else:
                    table.pop(name, None)
    cls.vertex_fields, cls.edge_fields = kinds[VertexField], kinds[EdgeField]
    cls.arc_fields = kinds[ArcField]
    cls.params, cls.aggregates = kinds[Param], kinds[Aggregate]
    cls.structs = _structs(cls)
    for name in ("message", "gathered"):
        if getattr(cls, name) is not None:
            try:
                setattr(cls, name, _named(cls, name_of(getattr(cls, name))))
            except ProgramError as error:
                place = cls.class_source.place(name)
                raise ProgramError(f"{place}: {cls.__name__}: {error}") from None
    for table in kinds.values():
        for name, declared in table.items():
            # A declaration may serve several classes and names: each has a copy of its own.
            own = replace(declared, name=name, type=_named(cls, declared.type))
            if (own.name, own.type) != (declared.name, declared.type):
                setattr(cls, name, own)
                table[name] = own
    cls.snippets = {}
    known = Preprocessor(language.reserved(cls), types=set(cls.structs))
    for name in language.SNIPPETS:
        # What `functions` defines holds in every snippet, what another one defines in that alone.
        scope = known if name == "functions" else known.copy()
        _add_snippet(cls, name, name, getattr(cls, name), scope)
    for table in (cls.vertex_fields, cls.arc_fields):
        for name, declared in table.items():
            if isinstance(declared.init, str):
                _add_snippet(cls, name, f"{name}.init", declared.init, known.copy())
    for name, declared in cls.aggregates.items():
        if declared.is_custom:
            _add_snippet(cls, name, f"{name}.combine", declared.op, known.copy())
            _add_snippet(cls, name, f"{name}.identity", declared.identity, known.copy())


def _structs(cls: type[VertexProgram]) -> dict[str, Struct]:
    """The structs among a class's attributes, each under its attribute's name."""
    found: dict[str, Struct] = {}
    for base in reversed(cls.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, np.dtype) and value.names:
                value = struct(value)
            if isinstance(value, Struct):
                found[name] = replace(value, name=value.name or name)
    return found


def _named(cls: type[VertexProgram], type_: str | Struct) -> str | Struct:
    """A type; a struct under the name it has, from another class perhaps, or else under the first
    that the class gives to it."""
    if not isinstance(type_, Struct):
        return type_
    if type_.name and cls.structs.setdefault(type_.name, type_).members == type_.members:
        return type_
    names = [n for n, s in cls.structs.items() if s.members == type_.members]
    return replace(type_, name=names[0] if names else "")


def _add_snippet(
    cls: type[VertexProgram], attribute: str, key: str, text: Any, known: Preprocessor
) -> None:
    if text is not None and not isinstance(text, str):
        place = cls.class_source.place(attribute)
        raise ProgramError(f"{place}: {cls.__name__}.{attribute} must be text, not {text!r}")
    if not text or not text.strip():
        return
    text = re.sub("\r\n?", "\n", text)  # compilers end lines at either
    label, places = _origin(cls, attribute, key, text)
    try:
        cls.snippets[key] = Snippet.make(label, text, places, known)
    except NotUnderstood as error:
        refuse(places[error.line], cls, error.why)


def _origin(
    cls: type[VertexProgram], attribute: str, key: str, text: str
) -> tuple[str, list[Place]]:
    """The name of a snippet and the places of its lines: where `attribute` is assigned, in the
    class or in a base."""
    owner = next(b for b in cls.__mro__ if attribute in vars(b))
    if owner is not cls and issubclass(owner, VertexProgram) and key in owner.snippets:
        inherited = owner.snippets[key]
        return inherited.label, inherited.places
    places = cls.class_source.places(attribute, text)
    if attribute != key:
        # An init expression stands inside its declaration: its lines are not the attribute's.
        places = [cls.class_source.place(attribute)] * len(places)
    return f"{cls.__name__}.{attribute}", places
