"""Attributes of edges and vertices, or columns of a table of vertices, as the fields of a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, NoReturn, TypeAlias

import numpy as np

from gascl.errors import GraphError, warn
from gascl.graph.labels import INTEGER, shown
from gascl.graph.rounding import warn_of_rounding
from gascl.io.arrow_csv import is_representable

MAX_GROUPS = 64  # distinct texts of an attribute that are still read as groups of vertices

Records = list[dict[str, Any]]  # the attributes of every edge, or of every node
Values: TypeAlias = Sequence[Any] | np.ndarray


def numeric_attributes(
    records: Records,
    noun: str,
    report: list[str],
    text: bool = False,
    left_out: dict[str, str] | None = None,
) -> dict[str, np.ndarray]:
    """`fields_of` of the attributes of all edges, or nodes, by the noun."""
    columns = {}
    for name in dict.fromkeys(chain.from_iterable(records)):
        try:
            columns[name] = list(map(itemgetter(name), records))
        except KeyError:
            columns[name] = [attributes[name] for attributes in records if name in attributes]
    of_vertices = noun == "node"
    return fields_of(
        columns, len(records), f"{noun} attribute", report, of_vertices, text, left_out
    )


def fields_of(
    columns: Mapping[Any, Values],
    count: int,
    what: str,
    report: list[str],
    of_vertices: bool,
    text: bool,
    left_out: dict[str, str] | None = None,
) -> dict[str, np.ndarray]:
    """The columns of numbers or bools that have `count` values, as fields; reports the others.

    Args:
        columns: the values of each, without those that are missing; arrays are copied.
        what: what the report calls a column.
        of_vertices: values may be lists of numbers of one length: (V, n).
        text: numbers may be written as text, and vertices' texts, if few, are numbered as groups.
        left_out: takes the columns that are not read, each with the reason.
    """
    taken = {}
    for name, values in columns.items():
        wrong = ""
        numbers = _numbers(values, of_vertices)
        missing = count - len(values)
        if numbers is None and text and not missing:
            numbers = _numbers_in_text(values)
            if numbers is not None:
                report.append(f"{what} {name!r}: text read as numbers, {numbers.dtype}")
            elif of_vertices and _few_texts(values):
                texts, numbers = np.unique(np.array(values), return_inverse=True)
                listed = ", ".join(f"{number} is {t!r}" for number, t in enumerate(texts.tolist()))
                report.append(f"{what} {name!r}: its texts became numbers of groups: {listed}")
        if missing:
            wrong = f"{missing:,} of {count:,} do not have it"
        elif numbers is None:
            wrong = "not all its values are numbers"
        elif not (isinstance(name, str) and name.isidentifier()):
            wrong = "its name is not an identifier"
        else:
            taken[name] = numbers
            warn_of_rounding(lambda number: f"{what.split()[0]} {number}", name, values, numbers)
            if len(values) and isinstance(values[0], (bool, np.bool_)):
                report.append(f"{what} {name!r}: bool read as int8")
        if wrong:
            report.append(f"{what} {name!r} left out: {wrong}")
            if left_out is not None:
                left_out[name] = wrong
    return taken


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


def named_attributes(
    records: Records, whose: Callable[[int], str], names: Iterable[str], argument: str
) -> dict[str, np.ndarray]:
    """The attributes of these names, of all edges or nodes.

    Args:
        whose: what errors call an edge or a node, by its number.
        argument: of the function that was called: "fields" or "vertex_fields".

    Raises:
        GraphError: one of them is not a number, or is missing.
    """
    if isinstance(names, str):
        raise GraphError(f"{argument}={names!r} must be a list of names: {argument}=[{names!r}]")
    taken = {}
    vectors = argument == "vertex_fields"
    for name in names:
        numbers = None
        values: list[Any] = []
        if all(name in attributes for attributes in records):
            values = [attributes[name] for attributes in records]
            numbers = _numbers(values, vectors)
        if numbers is None:
            _refuse(records, whose, name, argument, vectors)
        taken[name] = numbers
        warn_of_rounding(whose, name, values, numbers)
    return taken


def _refuse(
    records: Records, whose: Callable[[int], str], name: str, argument: str, vectors: bool
) -> NoReturn:
    """Raises the GraphError that says which attribute is not a number."""
    for number, attributes in enumerate(records):
        who = whose(number)
        if name not in attributes:
            raise GraphError(
                f"{who} has no attribute {name!r}; set it on all {who.split()[0]}s or "
                f"leave it out of {argument}"
            )
        if _numbers([attributes[name]], vectors) is None:
            raise GraphError(
                f"{who} has {name}={shown(attributes[name])}, which is not a "
                f"number; convert it or leave it out of {argument}"
            )
    raise GraphError(
        f"the values of {name!r} do not fit one array of 64-bit integers or floats; "
        f"convert them or leave it out of {argument}"
    )


def _numbers(values: Values, vectors: bool = False) -> np.ndarray | None:
    """`values` as an array of real numbers, bools as int8; None if one is something else."""
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
    if kinds and kinds <= {bool, np.bool_}:
        return np.array(values, dtype=np.int8)
    for kind in kinds:
        if not issubclass(kind, (int, float, np.integer, np.floating)) or kind is bool:
            return None
    numbers = np.array(values)
    whole = all(issubclass(kind, (int, np.integer)) for kind in kinds)
    if whole and kinds and numbers.dtype.kind not in "iu":  # NumPy may have made floats of them
        fit = min(values) >= 0 and max(values) < 2**64
        return np.array(values, dtype=np.uint64) if fit else None
    return numbers if numbers.dtype.kind in "iuf" and numbers.dtype.char not in "eg" else None


def _numbers_in_text(values: Values) -> np.ndarray | None:
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


def _few_texts(values: Values) -> bool:
    return all(isinstance(v, str) for v in values) and (
        len(set(values)) <= min(MAX_GROUPS, len(values) // 2)
    )
