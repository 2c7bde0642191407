"""`VertexProgram`: the base class of what users write. It knows nothing of OpenCL devices.

A class is checked when it is defined, for unknown or reserved names, wrong types, a missing
combiner, writes where none are allowed, and programs that cannot stop. docs/programs.md defines the
language.
"""

from __future__ import annotations

import sys
from difflib import get_close_matches
from inspect import Signature
from typing import Any, ClassVar, NoReturn

import numpy as np

from gascl.errors import ProgramError
from gascl.graph.graph import Graph
from gascl.language.checks import MOST_LANES, check
from gascl.language.combined_form import combined_form
from gascl.language.fields import (
    REQUIRED,
    Lanes,
    ToleranceParam,
    VertexParam,
    VerticesParam,
)
from gascl.language.grouping import Grouping
from gascl.language.keywords import reserved
from gascl.language.signatures import constructor_signature
from gascl.language.source import ClassSource
from gascl.language.spec import ProgramSpec, collect
from gascl.user_messages import Message, Option, Placeholder, ProgramName
from gascl.util import notebook_html


class VertexProgram:
    """Base class of all vertex programs.

    A subclass declares fields (`vertex.*`, `edge.*`, `arc.*`, `param.*`, `aggregate.*`) and gives
    snippets of OpenCL C; see docs/programs.md. It is constructed with its parameters as keyword
    arguments (a list gives one value per lane), the names of the graph's edge fields that it reads
    if they differ from its own (`weight="minutes"`; None: the default for every edge), and initial
    values of vertex fields: an array of V values in the graph's vertex order, one value for all, or
    a dict or a pandas Series from labels to values (all other vertices begin with the field's
    `rest`, or as its `init` says).

    Args:
        dtype: the type that `real` stands for, "float32" or "float64".

    Raises:
        ProgramError: a parameter is missing, unknown or wrong.
    """

    message: Any = None
    combine: str | Grouping | None = None
    identity: str | None = None
    prefer: str | None = None
    mask: str | None = None
    init: str = ""
    scatter: str = ""
    pairs: str = ""
    pairs_at: str | None = None
    pairs_within: str | None = None
    pairs_merge: str | None = None
    gather: str = ""
    gathered: Any = None
    apply: str = ""
    receive_if: str | None = None
    enough: str | None = None
    priority: str | None = None
    delta: float | None = None
    functions: str = ""
    stop: str | None = None
    scatter_on: str = "mask"
    apply_on: str = "message"
    edges: str = "out"
    lanes: int = 1
    restart: str = "any"
    ends: str = "mask"
    order: str = "supersteps"

    #: The name of the program whose `solve` runs this one, for messages.
    run_by: str = ""
    #: The vertex fields that it declares; a stage takes no others from the graph.
    outer_fields: frozenset[str] | None = None

    #: What the class declares, and the form that runs; each class has its own.
    _declared: ClassVar[ProgramSpec]
    spec: ClassVar[ProgramSpec]
    __signature__: ClassVar[Signature]
    #: The class of its `wide_form`, once that has been needed.
    _wide: ClassVar[type[VertexProgram]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        frame = sys._getframe(1)
        while frame.f_code.co_name == "__init_subclass__" and frame.f_back:
            frame = frame.f_back
        cls._declared = collect(cls, ClassSource.of(cls.__name__, frame), reserved)
        check(cls._declared, vars(cls), vars(VertexProgram))
        cls.spec = combined_form(cls._declared)
        cls.__signature__ = constructor_signature(cls.spec, cls.__init__)

    def __init__(self, *positional: Any, dtype: str = "float32", **values: Any) -> None:
        spec = self.spec
        if positional:
            first = next(iter(spec.params), "dtype")
            self._refuse(f"give parameters by name: {spec.name}({first}=...)")
        try:
            self.dtype = np.dtype(dtype).name
        except TypeError:
            self.dtype = ""
        if self.dtype not in ("float32", "float64"):
            self._refuse(f"dtype={dtype!r}: expected 'float32' or 'float64'")
        self.initial: dict[str, Any] = {}
        self.edge_names: dict[str, str | None] = {}
        for name, value in values.items():
            if name in spec.params:
                try:
                    self.__dict__[name] = spec.params[name].convert(value)
                except (ValueError, TypeError, OverflowError) as error:
                    self._refuse(f"{name}={spec.params[name].text(value)}: {error}")
            elif name in spec.vertex_fields:
                self.initial[name] = value
            elif name in spec.edge_fields:
                self.edge_names[name] = self._edge_name(name, value)
            else:
                known = [*spec.params, *spec.edge_fields, *spec.vertex_fields, "dtype"]
                near = get_close_matches(name, known, 1)
                near = [n for n in known if n.lower() == name.lower()] or near
                hint = f"; did you mean {near[0]!r}?" if near else "."
                parameters = [*spec.params, *spec.edge_fields, "dtype"]
                self._refuse(
                    f"no parameter {name!r}{hint} Parameters: {', '.join(parameters)}; fields that "
                    f"may be given initial values: {', '.join(spec.vertex_fields)}"
                )
        for name, param in spec.params.items():
            if name in self.__dict__:
                continue
            if param.default is REQUIRED:
                self._refuse(
                    f"parameter {name!r} is required: give ",
                    Option(name, Placeholder("..."), of="program"),
                )
            self.__dict__[name] = param.convert(param.default)
        self._set_lanes()
        for param in spec.params.values():
            if isinstance(param, ToleranceParam) and param.unreachable(self):
                self._refuse(param.unreachable(self))

    def _edge_name(self, name: str, value: Any) -> str | None:
        """The name of an edge field as it was given, or None for the default."""
        if value is None:
            if self.spec.edge_fields[name].default is REQUIRED:
                self._refuse(
                    f"{name}=None: {name} has no default; give the name of an edge field of the "
                    "graph"
                )
            return None
        if not isinstance(value, str):
            self._refuse(
                f"{name}={value!r}: expected the name of an edge field of the graph, or None for "
                f"the default; give values to the graph: graph.with_edge_fields({name}=...)"
            )
        return value

    def _set_lanes(self) -> None:
        """Set the number of lanes: that of a parameter's values, or what the class says."""
        for name in self.spec.params:
            value = self.__dict__[name]
            if not isinstance(value, Lanes):
                continue
            if len(value) > MOST_LANES:
                self._refuse(
                    f"{name} has {len(value)} values; at most {MOST_LANES} lanes are supported"
                )
            if self.lanes not in (1, len(value)):
                self._refuse(f"{name} has {len(value)} values, but there are {self.lanes} lanes")
            self.lanes = len(value)

    def prepare(self, graph: Graph, initial: dict[str, np.ndarray]) -> None:
        """Called before a run allocates device memory; override it to check or adjust.

        Raise ProgramError to refuse the run.

        Args:
            initial: the vertex fields that were given at construction, as arrays of the field's
                type; change them in place. Where a dict leaves out vertices of a field whose
                `init` is an expression, the array is masked there (`numpy.ma`).
        """

    #: `stop` in Python: called after each superstep, and slower. None: not defined.
    converged: ClassVar[Any] = None

    #: `solve(self, stages)` runs other programs by `stages.run` (see gascl.run.stages) and
    #: returns a dict of vertex fields. None: not defined.
    solve: ClassVar[Any] = None

    def largest_runs(self, size: Any) -> tuple[int, Any]:
        """For estimates of memory, of a program with `solve`: how many lanes the programs that it
        runs have at most, and the size of the largest graph that they run on. Override it where
        they have more than one lane, or run on a graph that is larger than the program's own.

        Args:
            size: that of the program's graph, a `gascl.memory.GraphSize`.
        """
        return 1, size

    def in_any_order(self) -> VertexProgram | None:
        """A program with order = "any" that computes the same vertex fields, for a run of this one:
        it is run instead where its vertices can apply in place, or else where a run on a GPU has
        had many supersteps. Subclasses do not inherit it. None: there is none."""
        return None

    def fixed_supersteps(self) -> int | None:
        """The requested number of supersteps; None: until it converges."""
        name = self.spec.supersteps_param
        return getattr(self, name) if name else None

    def choices(self) -> dict[str, str]:
        """The compile-time parameters."""
        return {name: getattr(self, name) for name in self.spec.choice_params}

    def parameter_values(self) -> dict[str, Any]:
        """All parameters except the number of supersteps, to be compared or printed: of an array,
        its hash."""
        skipped = self.spec.supersteps_param
        declared = self.spec.params.items()
        return {n: param.compared(getattr(self, n)) for n, param in declared if n != skipped}

    def named_vertices(self) -> list[list[Any]]:
        """For each lane, the labels of the vertices that parameters name: a list in preference to a
        single vertex, which may stand for its first."""
        named: list[list[Any]] = [[] for _ in range(self.lanes)]
        for name, param in self.spec.params.items():
            value = getattr(self, name)
            if isinstance(param, VerticesParam) and isinstance(value, list):
                return [value] * self.lanes
            if isinstance(param, VertexParam):
                for lane, labels in enumerate(named):
                    labels.append(value[lane] if isinstance(value, Lanes) else value)
        return named

    def title(self) -> Message:
        """The name for messages; it starts with the program whose `solve` runs this one."""
        name = type(self).__name__
        if not self.run_by:
            return Message(ProgramName(name))
        return Message(ProgramName(self.run_by), f" ({name})")

    def _refuse(self, *why: str | Option) -> NoReturn:
        raise ProgramError(self.title(), ": ", *why)

    def __repr__(self) -> str:
        values = [f"{n}={p.text(getattr(self, n))}" for n, p in self.spec.params.items()]
        values += [f"{n}={given!r}" for n, given in self.edge_names.items()]
        return f"{type(self).__name__}({', '.join([*values, f'dtype={self.dtype!r}'])})"

    def _repr_html_(self) -> str:
        rows = [(n, p.text(getattr(self, n)), p.doc) for n, p in self.spec.params.items()]
        rows += [(n, repr(given), "edge field") for n, given in self.edge_names.items()]
        return notebook_html.page(
            type(self).__name__,
            notebook_html.table(("", "", ""), [*rows, ("dtype", repr(self.dtype), "")]),
        )


VertexProgram.spec = collect(VertexProgram, ClassSource(VertexProgram.__name__), reserved)
