"""The graphs that a table of changes makes of a graph, one after each step of time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gascl.errors import GraphError
from gascl.graph.field_types import NOT_A_TIME, Bools, FieldType, Texts, Times, decoded
from gascl.graph.graph import Graph
from gascl.graph.where import duration, time_field

#: What a table calls the two kinds of changes, in lower case.
ADDED = ("add", "added", "+", "+1", "1", "true")
REMOVED = ("remove", "removed", "-", "-1", "0", "false")
#: The most steps of a table: each is a run.
MOST_STEPS = 1_000_000
#: The columns that are not fields of the edges.
COLUMNS = ("source", "target", "time", "change")


def changed_graphs(graph: Graph, events: Any, every: Any = None) -> Iterator[tuple[Any, Graph]]:
    """(None, the graph), and then (time, graph) after each step: see `tracking.track`.

    Raises:
        GraphError: the events are not as `track` says.
    """
    table = events if isinstance(events, Graph) else _read(events)
    if isinstance(table.edge_types.get("time"), Texts):
        raise GraphError("events: the times are text: convert them, as by pandas.to_datetime")
    name, times = time_field(table, "time" if "time" in table.edge_fields else None)
    when = np.asarray(table.edge_fields[name])
    missing = when == NOT_A_TIME if isinstance(times, Times) else ~np.isfinite(when)
    if missing.any():
        row = int(missing.argmax())
        raise GraphError(f"events: row {row} has no {name}: leave it out or fill it in")
    added = _added(table)
    ends = [_vertices(graph, table, end) for end in (table.edge_src, table.edge_dst)]
    fields = {
        f: decoded(np.asarray(values), table.edge_types.get(f))
        for f, values in table.edge_fields.items()
        if f in graph.edge_fields
    }
    if absent := [f for f in graph.edge_fields if f not in fields]:
        raise GraphError(
            f"events: there is no column {absent[0]!r}, and the edges of the graph have this "
            "field: add it, or leave it out of the graph"
        )
    order = np.argsort(when, kind="stable")
    wide = None if every is None else duration(every, times, "track: every")
    return _steps(graph, (*ends, added), fields, order, when[order], times, wide)


def _steps(
    graph: Graph,
    changes: tuple[np.ndarray, ...],
    fields: Mapping[str, np.ndarray],
    order: np.ndarray,
    when: np.ndarray,
    times: FieldType | None,
    every: Any,
) -> Iterator[tuple[Any, Graph]]:
    """As `changed_graphs`.

    Args:
        changes: sources and targets, (n,) indices, and bool (n,): which of them are added.
        order: the rows by their times, and `when` these times.
        every: the length of a step, in units of the times; None: each time is one.
    """
    yield None, graph
    if not len(when):
        return
    if every is None:
        moments, counts = np.unique(when, return_counts=True)
        ends, bounds = moments, np.cumsum(counts)
    else:
        number = (when - when[0]) // every
        if isinstance(every, float) or when.dtype.kind == "f":  # with room for rounding
            number = np.floor((when - when[0]) / every + 1e-9)
        steps = int(number[-1]) + 1
        if steps > MOST_STEPS:
            raise GraphError(
                f"track: every={every!r} would make {steps:,} steps, and each is a run: give a "
                f"longer one, for up to {MOST_STEPS:,}"
            )
        ends = when[0] + every * np.arange(1, steps + 1)
        bounds = np.searchsorted(number, np.arange(1, steps + 1))
    first = 0
    for end, bound in zip(ends, bounds.tolist(), strict=True):
        time = times.decoded(np.array([end]))[0] if isinstance(times, Times) else end.item()
        rows = order[first:bound]
        if len(rows):
            graph = _changed(graph, [part[rows] for part in changes], fields, rows, time)
        first = bound
        yield time, graph


def _changed(
    graph: Graph,
    changes: list[np.ndarray],
    fields: Mapping[str, np.ndarray],
    rows: np.ndarray,
    time: Any,
) -> Graph:
    """The graph after the changes of one step, in their order.

    For each pair of vertices, its last removal counts, and what is added after it.
    """
    src, dst, added = changes
    key = _keys(graph, src, dst)
    order = np.argsort(key, kind="stable")
    sorted_key, sorted_added = key[order], added[order]
    first = np.append(True, sorted_key[1:] != sorted_key[:-1])
    there = np.isin(sorted_key, _keys(graph, graph.edge_src, graph.edge_dst))
    before = np.where(first, there, np.append(False, sorted_added[:-1]))
    wrong = ~sorted_added & ~before
    if wrong.any():
        row = int(order[wrong].min())
        one, other = graph.label_of(int(src[row])), graph.label_of(int(dst[row]))
        raise GraphError(
            f"events: row {rows[row]} removes the edge ({one!r}, {other!r}) at {time}, and it is "
            "not there: correct the row, or leave it out"
        )
    group = np.cumsum(first) - 1
    last_removal = np.full(group[-1] + 1, -1)
    places = np.arange(len(key))
    np.maximum.at(last_removal, group[~sorted_added], places[~sorted_added])
    come = np.sort(order[sorted_added & (places > last_removal[group])])
    go = order[first & there & (last_removal[group] >= 0)]
    labels = np.arange(graph.num_vertices) if graph.labels is None else np.asarray(graph.labels)
    return graph.with_edges(
        add=(labels[src[come]], labels[dst[come]]),
        remove=(labels[src[go]], labels[dst[go]]),
        **{name: values[rows[come]] for name, values in fields.items()},
    )


def _keys(graph: Graph, src: np.ndarray, dst: np.ndarray) -> np.ndarray:
    """int64 (n,): a number for each pair; of an undirected graph, in either direction."""
    if not graph.directed:
        src, dst = np.minimum(src, dst), np.maximum(src, dst)
    return src.astype(np.int64) * graph.num_vertices + dst


def _read(table: Any) -> Graph:
    """A table of changes as a graph with an edge for each row."""
    names = getattr(table, "column_names", None) or getattr(table, "columns", None)
    if names is None and isinstance(table, Mapping):
        names = table.keys()
    if names is None:
        raise GraphError(
            f"events must be a table with the columns {', '.join(COLUMNS)}, or a Graph with these "
            f"edge fields, not {type(table).__name__}: give a DataFrame, a dict of arrays, or "
            "Graph.read(file)"
        )
    given = list(map(str, names))
    if absent := [name for name in COLUMNS[:3] if name not in given]:
        raise GraphError(
            f"events: there is no column {absent[0]!r}; the columns are: {', '.join(given)}"
        )
    columns = {name: _column(table[name]) for name in given}
    if not len(columns[COLUMNS[0]]):  # no types are known of nothing
        columns = {name: np.empty(0, np.int64) for name in given}
    source, target = (columns.pop(name) for name in COLUMNS[:2])
    return Graph.from_edges(source, target, **columns)


def _column(values: Any) -> Any:
    return values.to_numpy() if hasattr(values, "to_numpy") else values


def _vertices(graph: Graph, table: Graph, ends: np.ndarray) -> np.ndarray:
    """The vertices of the graph that the ends of the changes are."""
    try:
        return graph.indices_of(table.labels_of(ends))
    except GraphError as error:
        raise GraphError(
            "events: ",
            error.message,
            "; create the graph with all vertices that will ever have edges",
        ) from None


def _added(table: Graph) -> np.ndarray:
    """bool (n,): which changes are added edges."""
    if "change" not in table.edge_fields:
        return np.ones(table.num_edges, bool)
    values, kind = np.asarray(table.edge_fields["change"]), table.edge_types.get("change")
    if isinstance(kind, Bools):
        return values.astype(bool)
    if isinstance(kind, Texts):
        texts = kind.decoded(values)
        words = np.array([str(text).lower() for text in texts.tolist()], object)
    else:
        texts, words = values, np.array([f"{value:g}" for value in values.tolist()], object)
    known = np.isin(words, ADDED + REMOVED)
    if not known.all():
        row = int(np.argmin(known))
        given = texts.tolist()[row]
        raise GraphError(
            f"events: the change of row {row} is {given!r}, and must be 'add' or 'remove'"
        )
    return np.isin(words, ADDED)
