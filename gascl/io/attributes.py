"""Attributes of edges and vertices, or columns of a table of vertices, as the fields of a graph."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import numpy as np

from gascl.errors import FormatError, GraphError, warn
from gascl.graph.field_table import field_name
from gascl.graph.field_types import (
    NO_TEXT,
    Coded,
    Texts,
    Times,
    coded,
    coded_texts,
    described,
)
from gascl.graph.labels import INTEGER, shown
from gascl.graph.rounding import warn_of_rounding
from gascl.io.arrow_csv import is_representable
from gascl.io.column_names import WEIGHT
from gascl.io.format import without
from gascl.io.text_lines import is_float64

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

Records = list[dict[str, Any]]  # the attributes of every edge, or of every node
#: A column: with None for what is missing, or an array, which has all.
Values: TypeAlias = Sequence[Any] | np.ndarray | Coded


def attributes_of(
    records: Records,
    noun: str,
    report: list[str],
    text: bool = False,
    left_out: dict[str, str] | None = None,
    declared: Collection[str] = (),
) -> dict[str, Coded]:
    """`fields_of` of the attributes of all edges, or nodes, by the noun."""
    columns = {}
    for name in dict.fromkeys(chain.from_iterable(records)):
        try:
            columns[name] = list(map(itemgetter(name), records))
        except KeyError:
            columns[name] = [attributes.get(name) for attributes in records]
    return fields_of(columns, f"{noun} attribute", report, noun == "node", text, left_out, declared)


def fields_of(
    columns: Mapping[Any, Values],
    what: str,
    report: list[str],
    of_vertices: bool,
    text: bool,
    left_out: dict[str, str] | None = None,
    declared: Collection[str] = (),
) -> dict[str, Coded]:
    """The columns of numbers, bools, texts and times as fields; reports the others. Texts and times
    may be missing in some rows.

    Args:
        columns: the values of each; arrays are copied.
        what: what the report calls a column.
        of_vertices: values may be lists of numbers of one length: (V, n).
        text: numbers, bools and times may be written as text.
        left_out: takes the columns that are not read, each with the reason.
        declared: columns that the file says are text, of which only times are written so.
    """
    taken: dict[str, Coded] = {}
    for column, values in columns.items():
        wrong, name = "", field_name(column) if isinstance(column, str) else column
        field = _times(values) if column in declared else None
        if field is None:
            field = _field(values, of_vertices, text and column not in declared)
        if field is not None and name == WEIGHT and isinstance(field.type, Texts | Times):
            field = None if not of_vertices else field  # programs read a weight as a number
        missing = 0 if isinstance(values, (np.ndarray, Coded)) else sum(v is None for v in values)
        if field is None and missing:
            wrong = f"{missing:,} of {len(values):,} do not have it"
        elif field is None:
            wrong = "not all its values are numbers"
            wrong += "" if name == WEIGHT else ", or all texts, or all times"
        elif not (isinstance(name, str) and name.isidentifier()):
            wrong = "its name is not an identifier"
        elif name in taken or (name != column and name in columns):
            wrong = f"another one is called {name!r}"
        else:
            taken[name] = field
            first = None if isinstance(values, Coded) or not len(values) else values[0]
            if name != column:
                report.append(f"{what} {column!r} read as {name}")
            if isinstance(first, str) and field.type is None:
                report.append(f"{what} {name!r}: text read as numbers, {field.values.dtype}")
            if field.type is None:
                warn_of_rounding(
                    lambda number: f"{what.split()[0]} {number}", name, values, field.values
                )
            else:
                report.append(f"{what} {name!r}: {described(field)}")
        if wrong:
            report.append(f"{what} {column!r} left out: {wrong}")
            if left_out is not None:
                left_out[column] = wrong
    return taken


def _field(values: Values, vectors: bool, text: bool) -> Coded | None:
    """A column as a field; None if it cannot be one."""
    if isinstance(values, Coded):
        return values
    numbers = _numbers(values, vectors)
    if numbers is None and text and not isinstance(values, np.ndarray):
        numbers = _numbers_in_text(values)
    if numbers is not None:
        return Coded(numbers)
    texts = _texts(values) if text else []
    if not texts:
        return coded(values)
    present = [value for value in texts if value is not None]
    if len(present) < len(texts) and _numbers_in_text(present) is not None:
        return None  # a number is missing
    return coded_texts(texts) or coded(texts)


def _texts(values: Values) -> list[Any]:
    """A column of texts, of which some may be missing; empty if it has anything else."""
    if isinstance(values, np.ndarray | Coded):
        return []
    return list(values) if all(isinstance(value, str | None) for value in values) else []


def _times(values: Values) -> Coded | None:
    """A column of texts as a field of times; None if they are not all times."""
    found = coded_texts(_texts(values))
    return found if found is not None and isinstance(found.type, Times) else None


def check_texts(path: Path, graph: Graph, format: str, numbers: bool = True) -> None:
    """Raises FormatError if the texts of a field would be something else if they were read again.

    Args:
        format: one that does not tell texts from times.
        numbers: nor from numbers and bools.
    """
    for noun, fields, types in (
        ("edge", graph.edge_fields, graph.edge_types),
        ("vertex", graph.vertex_fields, graph.vertex_types),
    ):
        for name, type_ in types.items():
            if not isinstance(type_, Texts):
                continue
            used = np.unique(fields[name])
            texts = type_.values[used[used != NO_TEXT]].tolist()
            found = coded_texts(texts)
            kind = None if found is None or found.type is None else found.type.name
            if texts and (all(map(is_float64, texts)) or _numbers_in_text(texts) is not None):
                kind = "number"
            if kind is not None and (numbers or kind == Times.name):
                raise FormatError(
                    f"{path}: {format} cannot tell the texts of the {noun} field {name!r}, such as "
                    f"{texts[0]!r}, from {kind}s, as which they would be read back; gascl's own "
                    f"format (.npz), Parquet and Arrow can; {without(f'{noun}-fields')}"
                )


def warn_of_left_out(where: str, what: str, left_out: Mapping[str, str], remedy: str) -> None:
    """Warn of what `fields_of` has left out.

    Args:
        where: the function or file that the attributes or columns are of.
        what: as in `fields_of`.
        remedy: what to do about it.
    """
    if left_out:
        listed = ", ".join(f"{name!r} ({why})" for name, why in left_out.items())
        plural = "s" if len(left_out) > 1 else ""
        warn(f"{where} leaves out the {what}{plural} {listed}; {remedy}")


def warn_of_weights(path: Path, left_out: Mapping[str, str]) -> None:
    """Warn if `fields_of` has left out the weights of a file, which programs read."""
    if WEIGHT in left_out:
        remedy = "programs take every edge to weigh 1; write a number for each edge"
        warn_of_left_out(str(path), "edge attribute", {WEIGHT: left_out[WEIGHT]}, remedy)


def named_attributes(
    records: Records, whose: Callable[[int], str], names: Iterable[str], argument: str
) -> dict[str, Coded]:
    """The attributes of these names, of all edges or nodes.

    Args:
        whose: what errors call an edge or a node, by its number.
        argument: of the function that was called: "fields" or "vertex_fields".

    Raises:
        GraphError: one of them is neither numbers or bools, nor texts or times, an edge or a node
            does not have it, or two are called the same. It may have None for a text or a time.
    """
    if isinstance(names, str):
        raise GraphError(f"{argument}={names!r} must be a list of names: {argument}=[{names!r}]")
    taken: dict[str, Coded] = {}
    vectors = argument == "vertex_fields"
    for name in dict.fromkeys(names):
        if field_name(name) in taken:
            raise GraphError(
                f"{argument}: {name!r} and another attribute would both be the field "
                f"{field_name(name)!r}; rename one of them"
            )
        field = None
        values: list[Any] = []
        if all(name in attributes for attributes in records):
            values = [attributes[name] for attributes in records]
            field = _field(values, vectors, False)
        if field is None:
            _refuse(records, whose, name, argument, vectors)
        taken[field_name(name)] = field
        if field.type is None:
            warn_of_rounding(whose, name, values, field.values)
    return taken


def _refuse(
    records: Records, whose: Callable[[int], str], name: str, argument: str, vectors: bool
) -> NoReturn:
    """Raises the GraphError that says which attribute is missing, or cannot be part of a field."""
    for number, attributes in enumerate(records):
        who = whose(number)
        if name not in attributes:
            raise GraphError(
                f"{who} has no attribute {name!r}; set it on all {who.split()[0]}s or "
                f"leave it out of {argument}"
            )
        if _field([attributes[name]], vectors, False) is None:
            raise GraphError(
                f"{who} has {name}={shown(attributes[name])}, which is neither a number nor text "
                f"nor a time; convert it or leave it out of {argument}"
            )
    raise GraphError(
        f"the values of {name!r} are not all numbers of 64 bits, or all text, or all times; "
        f"convert them or leave it out of {argument}"
    )


def _numbers(values: Sequence[Any] | np.ndarray, vectors: bool = False) -> np.ndarray | None:
    """`values` as an array of real numbers; None if one is something else."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf":
        odd = values.dtype.char in "eg"  # programs have no longdouble or float16
        return np.array(values, np.float64 if odd else values.dtype.newbyteorder("="))
    kinds = set(map(type, values))
    if vectors and kinds and kinds <= {list, tuple, np.ndarray}:
        if any(isinstance(value, np.ndarray) and value.ndim != 1 for value in values):
            return None
        width = len(values[0])
        if not width or any(len(value) != width for value in values):
            return None
        flat = _numbers([number for vector in values for number in vector])
        return None if flat is None else flat.reshape(len(values), width)
    for kind in kinds:
        if not issubclass(kind, (int, float, np.integer, np.floating)) or kind is bool:
            return None
    numbers = np.array(values)
    whole = all(issubclass(kind, (int, np.integer)) for kind in kinds)
    if whole and kinds and numbers.dtype.kind not in "iu":  # NumPy may have made floats of them
        fit = min(values) >= 0 and max(values) < 2**64
        return np.array(values, dtype=np.uint64) if fit else None
    return numbers if numbers.dtype.kind in "iuf" and numbers.dtype.char not in "eg" else None


def _numbers_in_text(values: Sequence[Any]) -> np.ndarray | None:
    """`values` as numbers if each is one, or text of one; else None."""
    numbers: list[Any] = []
    for value in values:
        if isinstance(value, str):
            if not value.isascii() or "_" in value:  # Python allows this, and no file means it
                return None
            try:
                text, value = value, int(value) if INTEGER.fullmatch(value) else float(value)
            except ValueError:
                return None
            if isinstance(value, float) and not is_representable(value, text.strip().encode()):
                return None
        numbers.append(value)
    return _numbers(numbers)
