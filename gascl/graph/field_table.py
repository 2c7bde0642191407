"""`FieldTable`: the fields of a graph's vertices or edges as columns, with the labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import GraphError
from gascl.graph.field_types import FieldType, decoded, listed
from gascl.graph.provided import provided
from gascl.util import notebook_html

if TYPE_CHECKING:
    from gascl.graph.graph import Graph


@dataclass(frozen=True, eq=False, repr=False)
class FieldTable:
    """Fields with one row per vertex or per edge, as `graph.vertices` and `graph.edges`.

    `table["kind"]` is a column as an array: numbers, texts and None (object), datetime64, or bool.
    pyarrow, polars and others take a table as it is.

    Attributes:
        ends: the columns with the ends of edges; of vertices, none.
    """

    graph: Graph
    ends: Mapping[str, np.ndarray]
    fields: Mapping[str, np.ndarray]
    types: Mapping[str, FieldType]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(self.fields)

    def __len__(self) -> int:
        return self.graph.num_edges if self.ends else self.graph.num_vertices

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __contains__(self, name: object) -> bool:
        return name in self.fields or name in self.ends

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self.ends and name not in self.fields:
            return self.graph.labels_of(self.ends[name])
        self._check(name)
        return decoded(np.asarray(self.fields[name]), self.types.get(name))

    def _check(self, name: str) -> None:
        """Raises GraphError if there is no such field; suggests the nearest."""
        if name not in self.fields:
            report = self.graph.report if self.ends else ()
            raise no_column(name, self.columns, "edges" if self.ends else "vertices", report)

    def loc(self, *labels: Any) -> dict[str, Any] | list[dict[str, Any]]:
        """The fields of a vertex by name, or of all edges from one vertex to another.

        Args:
            labels: that of the vertex, or those of both ends.

        Raises:
            GraphError: there is no such vertex, or there are not as many labels.
        """
        if len(labels) != len(self.ends or "v"):
            what = "the labels of both ends" if self.ends else "the label of a vertex"
            raise GraphError(f"loc takes {what}, and {len(labels)} were given")
        vertices = [self.graph.index_of(label) for label in labels]
        if not self.ends:
            return self._rows(np.array(vertices))[0]
        src, dst = self.ends.values()
        tail, head = vertices
        found = (src == tail) & (dst == head)
        if not self.graph.directed:
            found |= (src == head) & (dst == tail)
        return self._rows(np.flatnonzero(found))

    def _rows(self, places: np.ndarray) -> list[dict[str, Any]]:
        columns = [
            listed(np.asarray(values)[places], self.types.get(name))
            for name, values in self.fields.items()
        ]
        return [dict(zip(self.fields, row, strict=True)) for row in zip(*columns, strict=True)] or [
            {} for _ in places
        ]

    def to_arrow(self) -> Any:
        """A pyarrow.Table: the labels, as `vertex`, or `source` and `target`, then the fields.
        Texts are dictionaries.

        Raises:
            GraphError: pyarrow is not installed, or a table cannot hold the labels.
        """
        return provided("to_arrow" if self.ends else "vertices_to_arrow")(self.graph)

    def to_pandas(self) -> Any:
        """A DataFrame: of vertices with the labels as its index, of edges with columns `source` and
        `target`. Texts are categories.

        Raises:
            GraphError: pandas is not installed.
        """
        return provided("to_pandas" if self.ends else "vertices_to_pandas")(self.graph)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        kinds = (
            f"{name}: {self.types[name].name if name in self.types else values.dtype}"
            for name, values in self.fields.items()
        )
        noun = "edges" if self.ends else "vertices"
        return f"{len(self):,} {noun}, {', '.join(kinds) or 'without fields'}"

    def _repr_html_(self) -> str:
        return notebook_html.page(repr(self), self.html_table())

    def html_table(self) -> str:
        """The first rows, as a table in HTML."""
        count = min(len(self), notebook_html.ROWS)
        places = np.arange(count)
        keys = self.ends or {"vertex": np.arange(len(self))}
        labels = (self.graph.labels_of(ids[:count]).tolist() for ids in keys.values())
        rows = (row.values() for row in self._rows(places))
        lines = [(*key, *row) for key, row in zip(zip(*labels, strict=True), rows, strict=True)]
        return notebook_html.table((*keys, *self.fields), lines, len(self) - count)


def field_name(column: str) -> str:
    """The name of the field that a column becomes: with _ for what a field's name cannot have."""
    return "".join(c if f"a{c}".isidentifier() else "_" for c in column)


def read_as(report: Sequence[str], column: str) -> Iterator[tuple[str, str]]:
    """The lines of a report that say that a column was read as an edge field of another name, with
    this name."""
    for line in report:
        found = re.search(r" read as (?:edge field )?(\w+)$", line)
        if found and repr(column) in line and "edge field" in line and found[1] != column:
            yield line, found[1]


def no_column(
    name: str, columns: tuple[str, ...], noun: str, report: Sequence[str] = ()
) -> GraphError:
    """The error for a column that the table of `noun` does not have.

    Args:
        report: that of the graph, if the table has the fields of edges.
    """
    near = get_close_matches(name, columns, 1, 0.5)
    hint = f"; did you mean {near[0]!r}? The" if near else "; the"
    if name in ("true", "false"):  # as files have it
        hint = f"; write {name.title()}, which is a bool; the"
    for line, field in read_as(report, name):
        hint = f" ({line}: write {field}); the" if field in columns else hint
    return GraphError(
        f"the {noun} have no field {name!r}{hint} fields are: {', '.join(columns) or 'none'}"
    )
