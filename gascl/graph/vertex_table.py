"""A table with a row for each vertex, joined to a graph by the ids."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import GraphError
from gascl.graph.field_types import Coded, types_of
from gascl.graph.labels import LabelIndex, shown
from gascl.user_messages import Option, Placeholder

if TYPE_CHECKING:
    from gascl.graph.graph import Graph


@dataclass(frozen=True)
class VertexTable:
    """The rows of a table of vertices.

    Attributes:
        name: what errors call it: its file, or "vertices".
        ids: (V,), as `label_array` gives them, each once.
        columns: all names.
        id_column: the name of the column of ids.
        fields: name -> (V,) or (V, n), and what they mean.
        report: how it was interpreted.
        error: to raise for it.
    """

    name: str
    ids: np.ndarray
    columns: list[Any]
    id_column: Any
    fields: Mapping[str, Coded]
    report: list[str]
    error: type[GraphError]


def with_vertices(graph: Graph, table: VertexTable) -> dict[str, Any]:
    """The attributes of the Graph that `Graph.with_vertices` makes, which differ from the graph's.

    Raises:
        table.error: a vertex of the graph has no row, or a field of the graph no value for a row.
    """
    old = np.arange(graph.num_vertices) if graph.labels is None else graph.labels
    place = LabelIndex(table.ids).places(old)
    _check_all_found(graph, table, old, place)
    report = [*graph.report, *table.report]
    added = len(table.ids) - len(old)
    if added:
        report.append(f"vertices that only the table has, without edges: {added:,}")
    own = {name: values for name, values in graph.vertex_fields.items() if name not in table.fields}
    report += [
        f"vertex field {name!r} replaced by the table's"
        for name in graph.vertex_fields
        if name not in own
    ]
    fields = {name: field.values for name, field in table.fields.items()}
    kept_types = {name: kind for name, kind in graph.vertex_types.items() if name in own}
    types = {**kept_types, **types_of(table.fields)}
    same_order = not added and bool((place == np.arange(len(place))).all())
    if same_order:
        return {"vertex_fields": {**own, **fields}, "vertex_types": types, "report": report}
    if added and own:
        name = next(iter(own))
        new = np.setdiff1d(np.arange(len(table.ids)), place)[0]
        raise table.error(
            f"{table.name}: the graph has the vertex field {name!r} of its own, which has no value "
            f"for {shown(table.ids[new])}, a vertex that only the table has; add a column {name!r} "
            "to the table, or delete the rows of vertices that the graph does not have"
        )
    order = np.argsort(place)
    numbered = graph.labels is None and np.array_equal(table.ids, np.arange(len(table.ids)))
    return {
        "src": place[graph.edge_src],
        "dst": place[graph.edge_dst],
        "num_vertices": len(table.ids),
        "labels": None if numbered else table.ids,
        "vertex_fields": {**{name: own[name][order] for name in own}, **fields},
        "vertex_types": types,
        "report": report,
    }


def _check_all_found(graph: Graph, table: VertexTable, old: np.ndarray, place: np.ndarray) -> None:
    """Raises table.error if a vertex of the graph has no row."""
    missing = np.flatnonzero(place < 0)
    if not len(missing):
        return
    kinds = ["integers" if ids.dtype.kind in "iu" else "text" for ids in (old, table.ids)]
    ids = f"the ids in column {table.id_column!r}"
    if kinds[0] != kinds[1] and len(table.ids):
        raise table.error(
            f"{table.name}: {ids} are {kinds[1]}, such as {shown(table.ids[0])}, and those of the "
            f"graph are {kinds[0]}, such as {shown(old[0])}; convert one of them",
            *_other_column(table),
        )
    listed = ", ".join(shown(label) for label in old[missing[:3]])
    listed += ", ..." if len(missing) > 3 else ""
    raise table.error(
        f"{table.name}: {len(missing):,} of {len(old):,} vertices of the graph have no row: "
        f"{listed}; {ids} must have all: add rows, or leave out the edges of these vertices",
        *_other_column(table),
    )


def _other_column(table: VertexTable) -> tuple[str | Option, ...]:
    others = [str(name) for name in table.columns if name != table.id_column]
    if not others:
        return ()
    option = Option("id", Placeholder("COLUMN"))
    return ("; if another column has the ids, name it with ", option, f": {', '.join(others)}")
