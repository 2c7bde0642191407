"""Declarations: the typed fields, parameters and aggregators of a vertex program.

`vertex`, `edge`, `arc`, `param` and `aggregate` are namespaces with one function per type::

    rank = vertex.real(init="(real)1 / g.num_vertices")
    weight = edge.real(default=1)
    damping = param.real(0.85)
    change = aggregate.real("sum")
    features = vertex.real(64)
    weights = param.array((64, 16))
"""

from __future__ import annotations

import datetime
import math
import operator
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from inspect import signature
from typing import Any, ClassVar

import numpy as np

from gascl.errors import ProgramError
from gascl.graph.field_types import Times, coded_texts
from gascl.graph.labels import INTEGER
from gascl.language import parameter_text
from gascl.language.combiners import SUM, Combiner, combiner_of
from gascl.language.types import (
    NAMES,
    SCALARS,
    TIME,
    VERTEX,
    Struct,
    Type,
    array_name,
    array_type,
    name_of,
    resolve,
    struct,
    unfit,
)
from gascl.user_messages import DOUBLE, Message, Option

Bound = float | None
REQUIRED: Any = type("Required", (), {"__repr__": lambda self: "required"})()
UNSET: Any = type("Unset", (), {"__repr__": lambda self: "unset"})()


def span(low: Bound, high: Bound) -> str:
    """A range as text for messages."""
    if low is None or high is None:
        return f"{low} or more" if high is None else f"{high} or less"
    return f"from {low} to {high}"


def within(values: Any, low: Bound, high: Bound) -> Any:
    """Whether a number, or each number of an array, is in a range; NaN never is."""
    above = values == values if low is None else values >= low
    return above if high is None else above & (values <= high)


@dataclass(frozen=True)
class Field:
    """One declaration. Each class keeps its own copy, with the `name` that it has there."""

    type: str | Struct
    doc: str = ""
    name: str = ""
    kind: ClassVar[str] = "field"

    def resolve(self, real: str) -> Type:
        return resolve(self.type, real)


@dataclass(frozen=True)
class VertexField(Field):
    """State: one value per vertex, written by init and apply.

    Attributes:
        rest: what a vertex begins with that a dict of initial values leaves out; None: `init`.
        has_init: the declaration gives `init`.
    """

    init: str | float | int = 0
    rest: float | int | None = None
    has_init: bool = field(default=True, repr=False)
    kind: ClassVar[str] = "vertex field"


@dataclass(frozen=True)
class EdgeField(Field):
    """Input, read only: the graph's edge field of the same name, or else the default.

    Attributes:
        low, high: a graph with values outside, or NaN, is refused; None: no bound.
        finite: a graph with infinity or NaN is refused, too.
        optional: graphs without the field are not warned of.
    """

    default: Any = REQUIRED
    low: Bound = None
    high: Bound = None
    finite: bool = False
    optional: bool = False
    kind: ClassVar[str] = "edge field"


@dataclass(frozen=True)
class ArcField(Field):
    """State: one value per arc, that is per direction of travel, written by scatter."""

    init: str | float | int = 0
    kind: ClassVar[str] = "arc field"


@dataclass(frozen=True)
class Param(Field):
    """A number given when the program is constructed; a new value does not rebuild the kernels.

    Attributes:
        low, high: values outside, and NaN, are refused; None: no bound.
        in_run: it is passed to the kernels.
    """

    default: Any = REQUIRED
    low: Bound = None
    high: Bound = None
    kind: ClassVar[str] = "parameter"
    in_run: ClassVar[bool] = True

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        if self.name not in instance.__dict__:
            title = type(instance).__name__
            why = "parameters must be declared in the class statement"
            raise AttributeError(f"{title} has no parameter {self.name!r}: {why}")
        return instance.__dict__[self.name]

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError(
            f"{type(instance).__name__}.{self.name} cannot be changed after construction: "
            f"construct another program, {type(instance).__name__}({self.name}={value!r})"
        )

    def text(self, value: Any) -> str:
        """A value in a message."""
        return repr(value)

    def compared(self, value: Any) -> Any:
        """What is the same for equal values, and can be printed."""
        return value

    def convert(self, value: Any) -> Any:
        """The value, or `Lanes` of values, in the parameter's type; ValueError if it can't be."""
        if not is_lanes(value):
            return self.convert_one(value)
        if not len(value):
            raise ValueError(
                "expected a value, or a list with one for each lane, not an empty list"
            )
        values = value.tolist() if isinstance(value, np.ndarray) else value
        return Lanes(map(self.convert_one, values))

    def convert_one(self, value: Any) -> Any:
        if isinstance(value, str):
            value = parameter_text.number(value)
        why = unfit(value, self.type)
        if why:
            several = "; several values are a list" if isinstance(value, tuple) else ""
            raise ValueError(f"{why}{several}")
        if (self.low, self.high) != (None, None) and not within(value, self.low, self.high):
            raise ValueError(f"expected a value {span(self.low, self.high)}")
        return float(value) if self.resolve("float64").is_float else int(value)


@dataclass(frozen=True)
class VertexParam(Param):
    """A vertex, given by its label (by its index if the graph has no labels).

    A list gives one vertex per lane; a tuple is a single label.
    """

    def convert_one(self, value: Any) -> Any:
        return value


@dataclass(frozen=True)
class FlagParam(Param):
    """True or False; in C 1 or 0."""

    words: ClassVar[dict[str, bool]] = {"true": True, "1": True, "false": False, "0": False}

    def convert_one(self, value: Any) -> Any:
        if isinstance(value, str):  # from a shell
            value = self.words.get(value.lower(), value)
        if not isinstance(value, bool | np.bool_):
            raise ValueError("expected True or False")
        return bool(value)


#: Times that `TimeParam` knows by a word: that of the graph's first edge, and one that never comes.
FIRST, NEVER = "first", "never"


@dataclass(frozen=True)
class TimeParam(Param):
    """A point in time, as text in ISO 8601, or a number where the graph's times are numbers."""

    def convert_one(self, value: Any) -> Any:
        if isinstance(value, str) and value in (FIRST, NEVER):
            return value
        if isinstance(value, str) and INTEGER.fullmatch(value):  # from a shell
            value = int(value)
        if isinstance(value, int | float | np.number) and not isinstance(value, np.timedelta64):
            return super().convert_one(value)
        text = value
        if isinstance(value, np.datetime64):
            short = np.datetime_data(value.dtype)[0] in ("Y", "M", "W", "D", "h", "m")
            text = str(value.astype("M8[s]") if short else value)
        elif isinstance(value, datetime.date):
            text = value.isoformat()
        found = coded_texts([text]) if isinstance(text, str) else None
        if found is None or not isinstance(found.type, Times):
            raise ValueError(
                "expected a point in time such as '2024-05-31' or '2024-05-31T18:30', a number if "
                f"the graph's times are numbers, {FIRST!r} or {NEVER!r}"
            )
        return text


@dataclass(frozen=True)
class ChoiceParam(Param):
    """One of a few words, known when the kernels are built: `p.NAME == NAME_word`."""

    words: tuple[str, ...] = ()
    in_run: ClassVar[bool] = False

    def convert(self, value: Any) -> Any:
        if not isinstance(value, str) or value not in self.words:
            raise ValueError(f"expected one of {', '.join(map(repr, self.words))}")
        return value


@dataclass(frozen=True)
class SuperstepsParam(Param):
    """The number of supersteps to run, whatever `stop` and `converged` say; None: they decide."""

    in_run: ClassVar[bool] = False

    def convert(self, value: Any) -> Any:
        if value in (None, ""):
            return None
        whole = self.convert_one(value)
        if whole < 0:
            raise ValueError("expected a number of supersteps, 0 or more, or None")
        return whole


@dataclass(frozen=True)
class ToleranceParam(Param):
    """The change, relative to a total of 1, below which a run ends.

    Attributes:
        rate: a parameter with a value below 1: without rounding, each superstep would multiply the
            change by this value or less; "" if no such rate is known.
    """

    rate: str = ""

    def time_to_fall(self, program: Any, change: float) -> float:
        """The number of supersteps after which a change that began as `change` can be above the
        tolerance only through rounding; infinity if that is not known."""
        rate = float(np.max(getattr(program, self.rate))) if self.rate else 1.0
        tolerance = float(np.ravel(getattr(program, self.name))[0])  # `stop` reads the first lane's
        if not (0 < rate < 1 and 0 < tolerance < change < math.inf):
            return math.inf
        # Some more supersteps, since the rate is rounded, too.
        return 10 + math.ceil(1.1 * math.log(tolerance / change) / math.log(rate))

    def unreachable(self, program: Any) -> str:
        """Why a run cannot reach the tolerance; "" if it can. Rounding alone changes a few eps."""
        least = 8 * np.finfo(program.dtype).eps * program.lanes
        value = getattr(program, self.name)
        if program.fixed_supersteps() is not None or np.all(np.asarray(value) >= least):
            return ""
        ways: list[str | Option] = [f"at least {least:.0e}"]
        ways += [] if program.dtype == "float64" else [DOUBLE]
        ways += ["a number of supersteps"] if program.spec.supersteps_param else []
        listed = Message(*(part for way in ways for part in (", or ", way)))
        return Message(
            f"{self.name}={value} cannot be reached in {program.dtype}; give ", *listed.parts[1:]
        )


@dataclass(frozen=True)
class VerticesParam(Param):
    """Vertices for `solve`: None for all, a number of vertices to draw, or a list of labels."""

    in_run: ClassVar[bool] = False

    def convert(self, value: Any) -> Any:
        if isinstance(value, str):
            value = parameter_text.vertices(value)
        if is_lanes(value):
            value = value.tolist() if isinstance(value, np.ndarray) else list(value)
            if not value:
                raise ValueError("expected labels, not an empty list")
            return value
        if value is None or (not unfit(value, "int32") and value > 0):
            return value if value is None else int(value)
        raise ValueError(
            "expected None (all vertices), a number of vertices to draw (at least 1), or a list of "
            "labels"
        )


@dataclass(frozen=True)
class ArrayParam(Param):
    """An array of numbers, which all lanes share: `p.NAME[i][j]`.

    Attributes:
        shape: its lengths.
    """

    shape: tuple[int, ...] = ()

    def resolve(self, real: str) -> Type:
        return array_type(resolve(self.type, real), self.shape)

    def text(self, value: Any) -> str:
        if isinstance(value, np.ndarray):
            return f"<{value.dtype} array of shape {value.shape}>"
        return reprlib.repr(value)

    def compared(self, value: np.ndarray) -> str:
        return f"{self.text(value)} {blake2b(value.data, digest_size=16).hexdigest()}"

    def convert(self, value: Any) -> np.ndarray:
        """The values, read only: float64, or of the declared integer type; ValueError if they don't
        fit."""
        if isinstance(value, str):
            raise ValueError(
                f"expected an array of shape {self.shape}; in the shell, a file: @W.npy"
            )
        if isinstance(value, Mapping):
            raise ValueError(
                f"expected an array of shape {self.shape}, not a dict: list its values in the "
                "order of the indices, as in [table[kind] for kind in kinds]"
            )
        try:
            given = np.asarray(value)
        except ValueError:
            raise ValueError(
                f"expected an array of shape {self.shape}, not lists of different lengths"
            ) from None
        if given.shape != self.shape:
            raise ValueError(f"expected an array of shape {self.shape}, not {given.shape}")
        if given.dtype.kind not in "iuf":
            raise ValueError(f"expected numbers ({self.type}), not {given.dtype}")
        scalar = self.resolve("float64").scalar
        right = np.ones(self.shape, bool)
        if (self.low, self.high) != (None, None):
            right = np.asarray(within(given, self.low, self.high))
            self._check(given, right, f"a value {span(self.low, self.high)}")
        if scalar.kind != "f":
            info = np.iinfo(scalar)
            # Floats are compared with the power of two after the last number, which they hold.
            fits = given < 2.0**info.bits / (2 if info.min else 1)
            if given.dtype.kind != "f":
                fits = given <= info.max
            with np.errstate(invalid="ignore"):
                right = (given >= info.min) & fits & (given == np.floor(given))
            self._check(given, right, f"a whole number from {info.min} to {info.max} ({self.type})")
        converted = given.astype(scalar if scalar.kind != "f" else np.float64, order="C")
        converted.setflags(write=False)
        return converted

    def _check(self, given: np.ndarray, right: np.ndarray, what: str) -> None:
        """Raise ValueError about the first value that is not right."""
        if not right.all():
            at = tuple(map(int, np.argwhere(~right)[0]))
            where = "".join(f"[{i}]" for i in at)
            raise ValueError(f"expected {what}, but {self.name}{where} is {given[at]}")


class Lanes(tuple[Any, ...]):
    """The values of a parameter, one per lane."""


def is_lanes(value: Any) -> bool:
    """Whether it is a list of values, one per lane. A tuple is not: it may be a vertex's label."""
    return isinstance(value, list | range) or (isinstance(value, np.ndarray) and value.ndim == 1)


@dataclass(frozen=True)
class Aggregate(Field):
    """A value to which all vertices contribute; `prev.NAME` in snippets, `agg.NAME` in `stop`.

    Attributes:
        op: one of OPS, or a C expression over `a` and `b`; "" if `solve` returns the value.
        identity: C text of the expression's identity.
    """

    op: str = "sum"
    identity: str | None = None
    kind: ClassVar[str] = "aggregator"
    OPS: ClassVar = ("sum", "min", "max", "count", "mean")

    @property
    def is_custom(self) -> bool:
        return self.op not in ("", *self.OPS)

    @property
    def combiner(self) -> Combiner:
        """How contributions are combined. A count and a mean are sums, too."""
        return SUM if self.op in ("count", "mean") else combiner_of(self.op)

    @property
    def adds(self) -> bool:
        """Whether what is contributed is added up."""
        return self.op in ("sum", "mean")

    def value(self, real: str, fp64: bool) -> Type:
        """The type of the value that snippets and results see."""
        if self.op == "mean":
            return resolve("float64" if fp64 else "float32", real)
        return self.accumulator(real, fp64)

    def accumulator(self, real: str, fp64: bool) -> Type:
        """The type of the running value. Sums are wide: double for floats, 64 bits for integers. A
        mean of integers of 64 bits, whose sum may not fit, adds doubles."""
        type_ = self.resolve(real)
        if self.op == "count":
            return resolve("int64", real)
        if not self.adds:
            return type_
        if type_.is_float or (self.op == "mean" and type_.itemsize == 8):
            return resolve("float64" if fp64 else "float32", real)
        return resolve("uint64" if type_.scalar.kind == "u" else "int64", real)


class _Namespace:
    """`vertex.real(...)`, `vertex.int32(...)`: one function for each type's name."""

    _plain: ClassVar[str] = "edge fields and parameters"

    def __init__(self, declare: Callable[..., Field], kinds: str = "scalars", arrays: bool = False):
        """`kinds`: the accepted types: "scalars"; or "structs", vectors and vertices, too.
        `arrays`: a first argument is a number of components, as in `vertex.real(64)`."""
        self._declare, self._kinds, self._arrays = declare, kinds, arrays
        numbers = [n for n in NAMES if n != VERTEX and resolve(n, "float32").width == 1]
        self._names = numbers if kinds == "scalars" else list(NAMES)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        self._check_word(name)
        canonical = name_of(name)
        if canonical not in self._names:
            what = "the type of vertices" if canonical == VERTEX else "a vector type"
            raise ProgramError(f"{name!r} is {what}, but {type(self)._plain} must be scalars")

        def declaration(*args: Any, **kwargs: Any) -> Any:
            if self._arrays and args:
                return self._make(name, _array_of(canonical, args[0]), args[1:], kwargs)
            if args and self._no_arrays(args[0]):
                raise ProgramError(f"{name}({args[0]!r}): {self._no_arrays(args[0])}")
            return self._make(name, canonical, args, kwargs)

        return declaration

    def _check_word(self, name: str) -> None:
        """Raise ProgramError if a type's name is something else that can be put right."""

    def _no_arrays(self, first: Any) -> str:
        """Why a first argument, which may be meant as a number of components, is refused; "" if it
        is none."""
        return ""

    def struct(self, type_: Any, *args: Any, **kwargs: Any) -> Any:
        """A declaration with a struct type: `vertex.struct(Pair, init="(Pair){0, -1}")`."""
        if self._kinds != "structs":
            raise ProgramError(f"{type(self)._plain} must be scalars, not structs")
        if not isinstance(type_, Struct):
            type_ = struct(type_)
        return self._make("struct", type_, args, kwargs)

    def _make(self, name: str, type_: str | Struct, args: Any, kwargs: Any) -> Any:
        try:
            signature(self._declare).bind(type_, *args, **kwargs)
        except TypeError as error:
            takes = list(signature(self._declare).parameters)[1:]
            raise ProgramError(f"{name}(...): {error}; its arguments: {', '.join(takes)}") from None
        return self._declare(type_, *args, **kwargs)

    def __dir__(self) -> list[str]:
        return list(self._names)


class _Edges(_Namespace):
    def _no_arrays(self, first: Any) -> str:
        number = isinstance(first, int | float | np.number)
        return f"edge fields are not arrays; a default value is default={first!r}" if number else ""


class _Params(_Namespace):
    def vertex(self, default: Any = REQUIRED, doc: str = "") -> Any:
        """A vertex of the graph, given by its label."""
        return VertexParam("int32", doc, default=default)

    def vertices(self, default: Any = None, doc: str = "") -> Any:
        """Vertices for `solve`: None (all), a number of vertices to draw, or a list of labels."""
        return VerticesParam("int32", doc, default=default)

    def flag(self, default: bool = REQUIRED, doc: str = "") -> Any:
        """True or False."""
        return FlagParam("int32", doc, default=default)

    def time(self, default: Any = REQUIRED, doc: str = "") -> Any:
        """A point in time: a date or time of Python, NumPy or pandas, or text such as
        '2024-05-31T18:30'; a number if the graph's times are numbers; "first", the least time of
        the graph's edges; or "never", the greatest int64."""
        return TimeParam(TIME, doc, default=default)

    def choice(self, *words: str, doc: str = "") -> Any:
        """One of `words`; the first is the default."""
        if not words or not all(isinstance(w, str) and w.isidentifier() for w in words):
            raise ProgramError(f"param.choice needs identifiers, not {words!r}")
        return ChoiceParam("int32", doc, default=words[0], words=words)

    def tolerance(self, default: float = 1e-6, doc: str = "", rate: str = "") -> Any:
        """A bound for relative changes, for `stop`; refused if rounding alone exceeds it.

        Args:
            rate: a parameter: without rounding, each superstep would multiply the change by its
                value or less.
        """
        return ToleranceParam("real", doc, default=default, rate=rate)

    def array(
        self,
        shape: int | tuple[int, ...],
        type: Any = "real",
        default: Any = REQUIRED,
        doc: str = "",
        low: Bound = None,
        high: Bound = None,
    ) -> Any:
        """An array of numbers with up to three dimensions, `p.NAME[i][j]` in snippets.

        Args:
            shape: its lengths, or its length.
            type: that of a number.
            default: an array, or lists.
            low, high: values outside, and NaN, are refused; None: no bound.
        """
        lengths = shape if isinstance(shape, tuple) else (shape,)
        right = all(isinstance(n, int | np.integer) and n > 0 for n in lengths)
        if not right or not 1 <= len(lengths) <= 3:
            raise ProgramError(f"param.array: shape={shape!r}: give one to three lengths from 1")
        name = name_of(type)
        if name not in ("real", *SCALARS):
            raise ProgramError(f"param.array: its numbers must be scalars, not {name!s}")
        if default is not REQUIRED:
            default = _nested(np.asarray(default).tolist())
        lengths = tuple(map(int, lengths))
        return ArrayParam(name, doc, default=default, low=low, high=high, shape=lengths)

    def supersteps(self, default: int | None = None, doc: str = "") -> Any:
        """A number of supersteps to run, whatever `stop` says; None: `stop` decides."""
        return SuperstepsParam("int32", doc, default=default)


def _nested(values: Any) -> Any:
    """Lists as tuples, whose text is whole and does not change."""
    return tuple(map(_nested, values)) if isinstance(values, list) else values


def _array_of(component: str | Struct, length: Any) -> str:
    """The type of arrays with this many components."""
    try:
        return array_name(str(component), operator.index(length))
    except TypeError:
        raise ProgramError(
            f"{component}({length!r}): the first argument is a number of components; an initial "
            f"value is init={length!r}"
        ) from None


def _vertex(
    type_: str | Struct,
    init: Any = UNSET,
    doc: str = "",
    rest: float | int | None = None,
) -> VertexField:
    has_init = init is not UNSET
    return VertexField(type_, doc, init=_begins(type_, init), rest=rest, has_init=has_init)


def _begins(type_: str | Struct, init: Any) -> Any:
    """`init`, which is no vertex by default, or else 0."""
    return init if init is not UNSET else -1 if type_ == VERTEX else 0


class _Aggregates(_Namespace):
    def _no_arrays(self, first: Any) -> str:
        number = isinstance(first, int | float | np.number)
        return "an aggregator cannot be an array; declare one for each component" if number else ""

    def _check_word(self, name: str) -> None:
        if name == TIME:
            raise ProgramError(
                "aggregate.time: times are only in fields; write aggregate.int64(...)"
            )
        if name in Aggregate.OPS:
            type_ = "int64" if name == "count" else "real"
            raise ProgramError(
                f"aggregate.{name}: {name!r} is an operation, not a type; write "
                f"aggregate.{type_}({name!r})"
            )


def _edge(
    type_: str,
    default: Any = REQUIRED,
    doc: str = "",
    low: Bound = None,
    high: Bound = None,
    finite: bool = False,
    optional: bool = False,
) -> EdgeField:
    declared = EdgeField(type_, doc, default=default, low=low, high=high)
    return replace(declared, finite=finite, optional=optional)


def _param(
    type_: str, default: Any = REQUIRED, doc: str = "", low: Bound = None, high: Bound = None
) -> Param:
    return Param(type_, doc, default=default, low=low, high=high)


def _arc(type_: str | Struct, init: Any = UNSET, doc: str = "") -> ArcField:
    return ArcField(type_, doc, init=_begins(type_, init))


def _aggregate(
    type_: str | Struct, op: str = "", doc: str = "", identity: str | None = None
) -> Aggregate:
    if op and op not in Aggregate.OPS and identity is None:
        raise ProgramError(
            f"an aggregator's op must be one of {', '.join(Aggregate.OPS)}, or a C expression over "
            f"a and b with identity='...', not {op!r}"
        )
    declared = Aggregate(type_, doc, op=op, identity=identity)
    if not declared.is_custom and identity is not None:
        raise ProgramError(f"an aggregator with {op!r} needs no identity: remove it")
    wide = isinstance(type_, Struct) or resolve(type_, "float32").width > 1
    if wide and not declared.is_custom:
        raise ProgramError(
            f"an aggregator with {op!r} needs scalars; write an expression over a and b"
        )
    return declared


vertex = _Namespace(_vertex, "structs", arrays=True)
edge = _Edges(_edge)
arc = _Namespace(_arc, "structs", arrays=True)
param = _Params(_param)
aggregate = _Aggregates(_aggregate, "structs")
