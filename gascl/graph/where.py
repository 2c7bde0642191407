"""Graphs of the edges or vertices that meet a condition, and of the edges of a span of time."""

from __future__ import annotations

import bisect
import datetime
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import GraphError
from gascl.graph.expressions import Names, columns_of, evaluated
from gascl.graph.field_table import FieldTable, read_as
from gascl.graph.field_types import NOT_A_TIME, PER_SECOND, Coded, Times, cells, coded, moment
from gascl.graph.subgraph import subgraph
from gascl.user_messages import Option, Placeholder
from gascl.util.host import check_host_memory

if TYPE_CHECKING:
    from gascl.graph.graph import Graph


def where(graph: Graph, edges: Any, vertices: Any) -> Graph:
    """The result of `Graph.where`."""
    if edges is None and vertices is None:
        raise GraphError(
            'where needs a condition for edges or for vertices, such as edges="minutes < 30"'
        )
    found = graph
    if edges is not None:
        mask = _mask(graph.edges, edges, lambda text: _of_edges(graph, text))
        found = with_kept_edges(found, mask, f"where: edges {_shown(edges)}")
    if vertices is not None:
        mask = _mask(found.vertices, vertices, lambda text: _of_vertices(found, text))
        found = replace(found, report=[*found.report, f"where: vertices {_shown(vertices)}"])
        found = subgraph(found, mask)
    return found


def _shown(condition: Any) -> str:
    """A condition in a report."""
    if isinstance(condition, str):
        return repr(condition)
    return "by a function" if callable(condition) else "by a mask"


def _mask(table: FieldTable, condition: Any, evaluate: Callable[[str], np.ndarray]) -> np.ndarray:
    """bool (n,): the rows of a table that meet a condition."""
    if isinstance(condition, str):
        return evaluate(condition)
    given = condition(table) if callable(condition) else condition
    noun = "edges" if table.ends else "vertices"
    mask = np.asarray(given)
    if mask.dtype != bool or mask.shape != (len(table),):
        raise GraphError(
            f"where: {noun} must be an expression, or one bool for each of the {len(table):,} "
            f"{noun}, or a function from the table to that, not {mask.dtype} of shape {mask.shape}"
        )
    return mask


def _of_vertices(graph: Graph, text: str) -> np.ndarray:
    columns = columns_of(graph.vertex_fields, graph.vertex_types)
    others: dict[str, Callable[[], Coded]] = {
        "vertex": lambda: _labels(graph, np.arange(graph.num_vertices)),
        "degree": lambda: Coded(graph.degree),
        "in_degree": lambda: Coded(graph.in_degree),
        "out_degree": lambda: Coded(graph.out_degree),
    }

    def find(name: str) -> Coded:
        return columns[name] if name in columns else others[name]()

    names = Names((*columns, *(n for n in others if n not in columns)), find, "vertices")
    return evaluated(text, names, graph.num_vertices)


def _of_edges(graph: Graph, text: str) -> np.ndarray:
    """Also the labels of the ends, as `source` and `target`, and their fields: `source.age`."""
    columns = columns_of(graph.edge_fields, graph.edge_types)
    of_ends = columns_of(graph.vertex_fields, graph.vertex_types)
    ends = {"source": graph.edge_src, "target": graph.edge_dst}

    def find(name: str) -> Coded:
        if name in columns:
            return columns[name]
        end, _, field = name.partition(".")
        if not field:
            return _labels(graph, ends[end])
        values, kind = of_ends[field]
        return Coded(values[ends[end]], kind)

    both = [f"{end}.{name}" for end in ends for name in of_ends]
    known = (*columns, *(end for end in ends if end not in columns), *both)
    names = Names(known, find, "edges", graph.report)
    return evaluated(text, names, graph.num_edges)


def _labels(graph: Graph, vertices: np.ndarray) -> Coded:
    """Labels as a column."""
    if graph.labels is None:
        return Coded(vertices)
    if graph.labels.dtype.kind in "iu":
        return Coded(graph.labels[vertices])
    found = coded(graph.labels)
    if found is None:
        raise GraphError("the labels are other objects than text, which expressions cannot compare")
    return Coded(found.values[vertices], found.type)


#: Sorting less than one in so many edges anew is faster than filtering the arcs of all
#: (benchmarks/NOTES.md).
SORTED_BELOW = 3


def with_kept_edges(graph: Graph, kept: np.ndarray, what: str) -> Graph:
    """The graph of some edges, with all vertices; arcs that the graph has sorted are filtered if
    many remain.

    Args:
        kept: bool (E,).
        what: what the report calls the selection.
    """
    check_host_memory(9 * graph.num_edges, f"the numbers of {graph.num_edges:,} edges")
    ids = np.flatnonzero(kept)
    line = f"{what}: {len(ids):,} of {graph.num_edges:,} edges"
    made = replace(
        graph,
        src=graph.edge_src[ids],
        dst=graph.edge_dst[ids],
        edge_fields={name: np.asarray(v)[ids] for name, v in graph.edge_fields.items()},
        report=[*graph.report, line],
        change=None,
    )
    number, many = None, len(ids) * SORTED_BELOW >= graph.num_edges
    for direction, arcs in graph.arcs_made()[0].items():
        if many and arcs.is_complete:
            number = np.cumsum(kept) - 1 if number is None else number
            made._arcs[direction] = arcs.selected(kept, number, made.edge_src, made.edge_dst)
    return made


def between(graph: Graph, begin: Any, end: Any, field: str | None) -> Graph:
    """The result of `Graph.between`."""
    name, times = time_field(graph, field)
    values = np.asarray(graph.edge_fields[name])
    kept = values != NOT_A_TIME if isinstance(times, Times) else np.ones(len(values), bool)
    first = None if begin is None else _limit(begin, times, "between: begin")
    last = None if end is None else _limit(end, times, "between: end")
    if first is not None and last is not None and last < first:
        raise GraphError(
            f"between: end={end!r} is before begin={begin!r}: give the earlier of the two first"
        )
    if first is not None:
        kept &= values >= first
    if last is not None:
        kept &= values < last
    return with_kept_edges(graph, kept, _span(name, times, first, last))


def windows(
    graph: Graph, width: Any, step: Any, begin: Any, end: Any, field: str | None
) -> Iterator[Graph]:
    """The result of `Graph.windows`."""
    name, times = time_field(graph, field)
    values = np.asarray(graph.edge_fields[name])
    wide = duration(width, times, "windows: width")
    far = wide if step is None else duration(step, times, "windows: step")
    there = values != NOT_A_TIME if isinstance(times, Times) else np.isfinite(values)
    if not there.any() and (begin is None or end is None):
        return iter(())
    first = values[there].min().item() if begin is None else _limit(begin, times, "windows: begin")
    last = None if end is None else _limit(end, times, "windows: end")
    most = values[there].max().item() if last is None else last
    for what, limit in (("begin", first), ("end", most)):
        if not math.isfinite(limit):
            raise GraphError(f"windows: {what}={limit!r} must be finite")
    return _windows(graph, name, times, there, (wide, far), first, most, last is None)


def _windows(
    graph: Graph,
    name: str,
    times: Times | None,
    there: np.ndarray,
    lengths: tuple[Any, Any],
    first: Any,
    most: Any,
    inclusive: bool,
) -> Iterator[Graph]:
    """Windows from `first` as long as they begin before `most`, or at it.

    Args:
        there: bool (E,): which edges have a time.
        lengths: their width, and the step from one to the next.
    """
    values, (width, step) = np.asarray(graph.edge_fields[name]), lengths
    places = np.flatnonzero(there)
    order = places[np.argsort(values[places], kind="stable")]
    ordered = values[order] if values.dtype.kind in "iu" else values[order].astype(np.float64)
    number, begin = 0, first
    while begin < most or (inclusive and begin == most):
        # NumPy's searchsorted would convert limits that the field's type cannot hold.
        low, high = (bisect.bisect_left(ordered, limit) for limit in (begin, begin + width))
        kept = np.zeros(len(values), bool)
        kept[order[low:high]] = True
        yield with_kept_edges(graph, kept, _span(name, times, begin, begin + width))
        number += 1
        begin = first + number * step


def _span(name: str, times: Times | None, begin: Any, end: Any) -> str:
    """What a report calls a span of time."""
    if times is not None:
        least, most = NOT_A_TIME + 1, np.iinfo(np.int64).max
        texts = [
            None if v is None else _text(np.array([min(max(v, least), most)]), times)
            for v in (begin, end)
        ]
    else:
        texts = [None if v is None else f"{v}" for v in (begin, end)]
    parts = [f"from {texts[0]}"] * (texts[0] is not None)
    parts += [f"before {texts[1]}"] * (texts[1] is not None)
    return f"edges with {name!r} {' and '.join(parts) or 'at any time'}"


def _text(count: np.ndarray, times: Times) -> str:
    """A point in time as text, without a fraction of a second that is 0."""
    return re.sub(r"\.0+(?=Z?$)", "", str(cells(count, times)[0]))


#: Fields of numbers that are times if there are no others, in this order.
NUMBERS = ("time", "timestamp", "t", "when", "date")


def time_field(graph: Graph, field: str | None) -> tuple[str, Times | None]:
    """The edge field with the times, and its type; None: it has numbers."""
    known = {name: kind for name, kind in graph.edge_types.items() if isinstance(kind, Times)}
    if field is None:
        numbers = [name for name in NUMBERS if name in graph.edge_fields]
        found = [*known] or [name for name in numbers if name not in graph.edge_types][:1]
        if len(found) != 1:
            what = f"several fields of times: {', '.join(found)}" if found else "no field of times"
            there = ", ".join(graph.edge_fields) or "none"
            there += "".join(f" ({r})" for n in NUMBERS for r, _ in read_as(graph.report, n))
            option = Option("field", Placeholder("FIELD"))
            raise GraphError(
                f"the edges have {what}; name one by ",
                option,
                f", also of numbers; there are: {there}",
            )
        field = found[0]
    graph._held_field(field)
    kind = graph.edge_types.get(field)
    if kind is not None and not isinstance(kind, Times):
        name = Option("field", field)
        raise GraphError(name, f" is {kind.name}; name a field of times or numbers")
    return field, kind


def _limit(value: Any, times: Times | None, what: str) -> Any:
    """A point in time as the field has it, or the next that it could have."""
    if times is not None:
        return moment(value, times, what)[0]
    if _is_number(value):
        return value.item() if isinstance(value, np.number) else value
    raise GraphError(f"{what}: {value!r} must be a number, since the field of times has numbers")


def _is_number(value: Any) -> bool:
    # NumPy's timedelta64 is a signedinteger, too.
    return isinstance(value, int | float | np.number) and not isinstance(
        value, bool | np.timedelta64
    )


SECONDS: dict[str, int | Fraction] = {
    **{"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400},
    **{"s": 1, "sec": 1, "min": 60, "h": 3600, "d": 86400, "w": 7 * 86400},
    **{"ms": Fraction(1, 10**3), "us": Fraction(1, 10**6), "ns": Fraction(1, 10**9)},
}
#: NumPy's units of time that are not always as long.
UNEVEN = ("month", "year", "M", "Y")


def duration(value: Any, times: Times | None, what: str) -> Any:
    """A length of time in the units of a field: "2 weeks", a timedelta, or for a field of numbers a
    number.

    Raises:
        GraphError: it is none of these, or not more than 0.
    """
    wrong = f"{what}={value!r} must be "
    if times is None:
        if _is_number(value) and math.isfinite(value) and value > 0:
            return value.item() if isinstance(value, np.number) else value
        raise GraphError(f"{wrong}a number above 0, since the field of times has numbers")
    wrong += "a length of time such as '2 weeks', '36 hours' or '90 s', or a timedelta, above 0"
    number, unit = _length(value)
    if unit in UNEVEN:
        raise GraphError(f"{wrong}; months and years differ in length: give days")
    ticks = number * SECONDS[unit] * PER_SECOND[times.unit] if unit in SECONDS else Fraction(0)
    if ticks < 1 or ticks.denominator > 1:
        raise GraphError(f"{wrong}; the field counts {times.unit}")
    return int(ticks)


def _length(value: Any) -> tuple[Fraction, str]:
    """A length of time as a number and its unit, which is "" if it is no such length."""
    if isinstance(value, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)?\s*([a-z]+?)(s?)\s*", value.lower())
        if found is None:
            return Fraction(0), ""
        whole = found[2] + found[3]
        return Fraction(found[1] or 1), whole if whole in SECONDS else found[2]
    if isinstance(value, np.timedelta64) and not np.isnat(value):
        unit, many = np.datetime_data(value.dtype)
        length = Fraction(int(value.astype(np.int64)) * many)
        return length, {"m": "min", "D": "d", "W": "w"}.get(str(unit), str(unit))
    if isinstance(value, datetime.timedelta) and value == value:  # unlike pandas.NaT
        nanoseconds = value // datetime.timedelta(microseconds=1) * 1000
        return Fraction(nanoseconds + getattr(value, "nanoseconds", 0)), "ns"
    return Fraction(0), ""
