"""Tables, wherever they are, and their columns as arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gascl.errors import GraphError


@dataclass(frozen=True)
class Source:
    """A table in memory or in a file.

    Attributes:
        name: of the file, or what errors call the table.
        rows: how many.
        load: a column's name -> its pyarrow.ChunkedArray.
        error: what is raised of it.
    """

    name: str
    schema: Any
    rows: int
    load: Callable[[str], Any]
    error: type[GraphError] = GraphError


def without_nulls(source: Source, name: str) -> Any:
    """A column as it is stored, a pyarrow.ChunkedArray of all rows.

    Raises:
        source.error: it has other rows than announced, or a null; names its row.
    """
    column = source.load(name)
    if len(column) != source.rows:
        raise source.error(
            f"{source.name}: column {name!r} has {len(column):,} rows, and {source.rows:,} are "
            "announced; the file is damaged: fetch or write it again"
        )
    check_nulls(source, name, column)
    return column


def check_nulls(source: Source, name: str, column: Any) -> None:
    """Raises source.error for the first row that has no value."""
    row = 0
    for chunk in column.chunks if column.null_count else ():
        found = np.flatnonzero(chunk.is_null().to_numpy(zero_copy_only=False))
        if len(found):
            raise source.error(
                f"{source.name}: row {row + found[0]} (the first is 0) has no value for {name!r}; "
                "drop such rows, or fill them"
            )
        row += len(chunk)


def has_dictionary(column: Any) -> bool:
    """Whether it holds places in a dictionary of its values."""
    from pyarrow import types

    return types.is_dictionary(column.type)


def concatenated(chunks: list[Any]) -> np.ndarray:
    """Chunks of numbers as one array; without a copy where there is one chunk."""
    parts = [chunk.to_numpy(zero_copy_only=False) for chunk in chunks]
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
