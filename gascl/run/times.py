"""Fields and parameters of type `time`: counts in kernels, and points in time in Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gascl.errors import GraphError, ProgramError
from gascl.graph.field_types import LATEST, NOT_A_TIME, Times, moment
from gascl.graph.graph import Graph
from gascl.graph.lazy import NamedFields
from gascl.language.fields import FIRST, NEVER, Param
from gascl.language.program import VertexProgram
from gascl.language.spec import ProgramSpec
from gascl.language.types import TIME, FieldTypes


def times_of(spec: ProgramSpec, graph: Graph) -> Times | None:
    """What the fields of type `time` count in a run: units since 1970, as those fields of the graph
    do that the program reads as times; None: the graph has just numbers.

    Raises:
        GraphError: it reads fields with different units, or with and without a time zone.
    """
    found: dict[str, Times | None] = {}
    inputs = {n: f for n, f in spec.vertex_fields.items() if n not in spec.written}
    for noun, declared, fields, types in (
        ("edge", spec.edge_fields, graph.edge_fields, graph.edge_types),
        ("vertex", inputs, graph.vertex_fields, graph.vertex_types),
    ):
        for name, field in declared.items():
            if field.type == TIME and name in fields:
                kind = types.get(name)
                found[f"{noun} field {name!r}"] = kind if isinstance(kind, Times) else None
    kinds = {kind and (kind.unit, kind.zone is None) for kind in found.values()}
    if len(kinds) > 1:
        raise GraphError(
            f"{spec.name} reads times in different units: {', '.join(map(_counts, found.items()))}"
            "; convert them, such as by .astype('datetime64[s]')"
        )
    return next(iter(found.values()), None)


def _counts(item: tuple[str, Times | None]) -> str:
    name, kind = item
    what = f"{kind.unit}{' with a time zone' if kind.zone else ''}" if kind else "numbers"
    return f"the {name} has {what}"


def count_of(program: VertexProgram, graph: Graph, param: Param, value: Any) -> int:
    """A parameter of type `time` as kernels read it.

    Raises:
        ProgramError: it is a point in time and the graph has numbers, or the reverse, or it is
            between two counts.
    """
    if value == NEVER:
        return int(LATEST)
    if value == FIRST:
        return _first(program.spec, graph)
    times, what = times_of(program.spec, graph), f"{program.title()}: {param.name}"
    if times is None:
        if isinstance(value, str):
            raise ProgramError(
                f"{what}={value!r} is a point in time, and the graph's times are numbers; give a "
                "number"
            )
        return int(value)
    if not isinstance(value, str):
        raise ProgramError(
            f"{what}={value} is a number, and the graph has times; give a point in time, such as "
            f"{param.name}='2024-05-31T18:30'"
        )
    return _count(value, times, what)


def _count(value: Any, times: Times, what: str) -> int:
    count, exact = moment(value, times, what)
    if not exact or not NOT_A_TIME < count < LATEST:
        raise _uncounted(value, times, what)
    return count


def _uncounted(value: Any, times: Times, what: str) -> ProgramError:
    return ProgramError(
        f"{what}={str(value)!r} cannot be counted in {times.unit}, as the graph does; give another "
        "time, or convert the graph's, as by .astype('datetime64[us]')"
    )


def _first(spec: ProgramSpec, graph: Graph) -> int:
    """The least time of the graph's edges; without any, never, or 0 where times are numbers."""
    least = LATEST
    for name, field in spec.edge_fields.items():
        if field.type == TIME and name in graph.edge_fields:
            found = graph.edge_summary(name).least
            if found == NOT_A_TIME and isinstance(graph.edge_types.get(name), Times):
                values = np.asarray(graph.edge_fields[name])
                found = values[values != NOT_A_TIME].min(initial=LATEST)
            least = least if found is None else min(least, int(found))
    return int(least) if least != LATEST or times_of(spec, graph) is not None else 0


def counts(given: Any, times: Times | None, what: str) -> Any:
    """Initial values of a field of type `time` with counts instead of points in time, and with
    `LATEST` for NaT; numbers as they are. NumPy's datetime64 is in UTC where the graph's times have
    a time zone, as in results; other points in time without a zone are in that of the graph.

    Args:
        given: an array, one value, or a dict from labels to values.

    Raises:
        GraphError: a value is no point in time.
        ProgramError: they are points in time, and the graph's times are numbers; or one is between
            two counts or beyond all of them.
    """
    if isinstance(given, Mapping):
        return {k: counts(v, times, f"{what} for {k!r}") for k, v in given.items()}
    values = np.asarray(given)
    if values.dtype.kind not in "MUO":
        return given
    if times is None:
        raise ProgramError(
            f"{what} has points in time, and the graph's times are numbers; give numbers"
        )
    if values.dtype.kind != "M":
        one_by_one = values.ravel().tolist()
        each = [LATEST if v is None or v != v else _count(v, times, what) for v in one_by_one]
        return np.array(each, np.int64).reshape(values.shape)
    moved = values.astype(f"M8[{times.unit}]")
    inexact = (moved.astype(values.dtype) != values) & ~np.isnat(values)
    if inexact.any():
        raise _uncounted(values[inexact][0], times, what)
    return np.where(np.isnat(moved), LATEST, moved.view(np.int64))


class TimedFields(NamedFields):
    """Fields, of which those of type `time` are datetime64, and NaT for a time that never comes."""

    def __init__(self, fields: Mapping[str, np.ndarray], types: FieldTypes, times: Times):
        self._names = self._fields = fields
        self._types, self._times = types, times
        self._converted: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if self._types.get(name) != TIME:
            return self._fields[name]
        if name not in self._converted:
            values = self._fields[name]
            known = np.where(values == LATEST, NOT_A_TIME, values)
            self._converted[name] = self._times.decoded(known)
        return self._converted[name]

    def __repr__(self) -> str:
        return repr(self._fields)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


def shown_fields(
    fields: Mapping[str, np.ndarray], types: FieldTypes, times: Times | None
) -> Mapping[str, np.ndarray]:
    """The fields as Python shows them: see `TimedFields`."""
    if times is None or TIME not in types.values():
        return fields
    return TimedFields(fields, types, times)
