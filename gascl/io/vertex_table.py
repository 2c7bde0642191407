"""Tables of vertices, with a row for each: in files, or as a DataFrame or an Arrow table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from gascl.errors import FormatError, GraphError
from gascl.graph.field_types import Coded, listed
from gascl.graph.labels import label_array, shown
from gascl.graph.pandas_values import pandas_values
from gascl.graph.vertex_table import VertexTable
from gascl.io.adapters.arrow import arrow_table, arrow_values
from gascl.io.attributes import Values, fields_of, warn_of_left_out
from gascl.io.files import opened
from gascl.io.formats import arrow
from gascl.io.text_lines import Splitter, is_int64, is_number, numbered_lines, split_lines
from gascl.io.text_lines import shown as shown_line
from gascl.user_messages import Option
from gascl.util.paths import checked_path

#: What may separate columns, in the order in which they are looked for in the header; otherwise
#: blanks do.
SEPARATORS = "\t,;|"

Columns = dict[Any, Values]  # the values of each


def read_vertex_table(vertices: Any, vertex_id: Any = None, text_ids: bool = False) -> VertexTable:
    """The rows of a table as `Graph.with_vertices` takes them.

    Args:
        vertices: a path, a pandas DataFrame, or an Arrow table.
        vertex_id: the column of ids; None: the first one.
        text_ids: ids of a file of text stay text also where all are integers.

    Raises:
        GraphError: it is none of them, the column is missing, or a row has no id of its own; of a
            file, a FormatError.
    """
    name, error, text = "vertices", GraphError, False
    remarks: list[str] = []
    if isinstance(vertices, str | os.PathLike):
        path = checked_path(vertices)
        name, error = str(path), FormatError
        columns, count, text = _of_file(path)
        text = text and not text_ids
    elif hasattr(vertices, "iloc") and hasattr(vertices, "columns"):
        columns, count = _of_pandas(vertices, remarks)
    elif hasattr(vertices, "__arrow_c_stream__") or hasattr(vertices, "__arrow_c_array__"):
        table = arrow_table(vertices, "vertices")
        columns, count = _of_arrow(
            dict(zip(table.column_names, table.columns, strict=True)), len(table)
        )
    else:
        raise GraphError(
            "vertices must be a file, a DataFrame or an Arrow table with a row for each vertex, "
            f"not {type(vertices).__name__}; Graph.from_edges takes fields as vertex_fields={{...}}"
        )
    id_column = _id_column(name, columns, vertex_id, error)
    ids = _ids(name, columns.pop(id_column), id_column, text, error)
    report = [f"vertices: {name}: rows: {count:,}; ids: column {id_column!r}", *remarks]
    left_out: dict[str, str] = {}
    fields = fields_of(columns, "vertex column", report, True, True, left_out)
    partial = {n: why for n, why in left_out.items() if any(map(_is_number, _items(columns[n])))}
    remedy = "give each row a number and the column a name that is an identifier, or delete it"
    warn_of_left_out(f"{name}: the graph", "column", partial, remedy)
    return VertexTable(name, ids, [*columns], id_column, fields, report, error)


def _items(column: Values) -> Iterable[Any]:
    return column.values if isinstance(column, Coded) else column


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return is_number(value)
    return isinstance(value, int | float | np.number)


def _id_column(name: str, columns: Columns, vertex_id: Any, error: type[GraphError]) -> Any:
    if not columns:
        raise error(f"{name} is empty; its first column must have the ids of the vertices")
    if vertex_id is None:
        return next(iter(columns))
    if vertex_id in columns:
        return vertex_id
    near = get_close_matches(str(vertex_id), [str(each) for each in columns], 1)
    hint = f"; did you mean {near[0]!r}? The columns" if near else "; the columns"
    raise error(
        f"{name}: ",
        Option("id", vertex_id),
        f" is not a column{hint} are {', '.join(map(str, columns))}",
    )


def _ids(
    name: str,
    values: Values,
    column: Any,
    text: bool,
    error: type[GraphError],
) -> np.ndarray:
    """The ids as labels.

    Args:
        text: they are text that may be integers.
    """
    if isinstance(values, Coded):
        values = listed(*values)
    missing = 0 if isinstance(values, np.ndarray) else sum(value is None for value in values)
    if missing:
        raise error(
            f"{name}: {missing:,} of {len(values):,} rows have no id in column {column!r}; "
            "give each one, or delete these rows"
        )
    if text and all(map(is_int64, values)):
        values = np.array(list(map(int, values)), dtype=np.int64)
    try:
        ids = label_array(values)
    except GraphError as problem:
        raise error(f"{name}: column {column!r}, the ids: ", problem.message) from None
    distinct, first = np.unique(ids, return_index=True) if ids.dtype != object else ((), ())
    if ids.dtype != object and len(distinct) < len(ids):
        place = int(np.setdiff1d(np.arange(len(ids)), first)[0])
        raise error(
            f"{name}: the id {shown(ids[place])} in column {column!r} has several rows; give each "
            "vertex one"
        )
    return ids


def _of_pandas(frame: Any, report: list[str]) -> tuple[Columns, int]:
    """The columns of a DataFrame, the first of which is its index if that has a name."""
    if frame.index.name is not None and frame.index.name not in frame.columns:
        frame = frame.reset_index()
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise GraphError(f"vertices: two columns are called {twice[0]!r}; rename one")
    columns: Columns = {}
    for name in frame.columns:
        columns[name] = pandas_values(frame[name], report)
    return columns, len(frame)


def _of_arrow(table: Mapping[str, Any], count: int) -> tuple[Columns, int]:
    """Arrow's columns."""
    return {name: arrow_values(column) for name, column in table.items()}, count


def _of_file(path: Path) -> tuple[Columns, int, bool]:
    """The columns and the number of rows, and whether they are text."""
    with opened(path) as file:
        head = file.read(1024)
    for format, kind in ((arrow.PARQUET, "Parquet"), (arrow.ARROW, "Arrow")):
        if format.recognizes(head):
            return *_of_arrow(*arrow.read_columns(path, kind)), False
    return *_of_text(path), True


def _of_text(path: Path) -> tuple[Columns, int]:
    """The columns of rows of text, the first of which has their names; empty cells are missing.

    Raises:
        FormatError: the first row does not have names, or a row has more or fewer columns; names
            the line.
    """
    names: list[str] = []
    columns: dict[str, list[str | None]] = {}
    count = 0
    for number, line, cells in split_lines(path, Splitter(_separator(path), "#%")):
        if not cells:
            continue
        if not names:
            names = cells
            _check_names(path, number, line, names)
            columns = {name: [] for name in names}
            continue
        if len(cells) != len(names):
            raise FormatError(
                f"{path}, line {number}: {shown_line(line)} has {len(cells)} columns, and the "
                f"first line has {len(names)}: {', '.join(names)}; correct the line, or put text "
                "with separators in quotes"
            )
        count += 1
        for name, cell in zip(names, cells, strict=True):
            columns[name].append(cell or None)
    return dict(columns), count


def _check_names(path: Path, number: int, line: str, names: list[str]) -> None:
    """Raises FormatError unless the first row has the names of the columns, each once."""
    wrong = next((name for name in names if is_number(name) or not name), None)
    if wrong is not None:
        raise FormatError(
            f"{path}, line {number}: {shown_line(line)} must name the columns, as in `id,age`, and "
            f"{wrong!r} is not a name; add such a line"
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise FormatError(f"{path}, line {number}: two columns are called {twice!r}; rename one")


def _separator(path: Path) -> str | None:
    """The character that separates the columns; None for blanks."""
    for _, line in numbered_lines(path):
        line = line.strip(" \r")
        if line and line[0] not in "#%":
            found = next((mark for mark in SEPARATORS if mark in line), None)
            return found if found or " " in line else ","
    return None
