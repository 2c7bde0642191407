"""Output files of LDBC Graphalytics: for each vertex a line with its id and its value."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gascl.errors import FormatError, GraphError
from gascl.graph.graph import Graph
from gascl.io.files import created, opened
from gascl.io.text_lines import blocks, integer, shown
from gascl.io.text_numbers import Irregular, read_columns

ROWS = 1 << 18  # rows written at once


def write_values(path: Path, graph: Graph, values: np.ndarray) -> None:
    """Write the values of the vertices, (V,) integers or floats, the latter as in Graphalytics' own
    files, with 16 digits and Infinity.

    Raises:
        FormatError: the file cannot be written; an existing file is then unchanged.
    """
    labels = np.arange(graph.num_vertices) if graph.labels is None else graph.labels
    row = "{} {:.15e}\n" if values.dtype.kind == "f" else "{} {}\n"
    with created(path) as file:
        for at in range(0, len(labels), ROWS):
            ids, these = labels[at : at + ROWS].tolist(), values[at : at + ROWS].tolist()
            text = "".join(map(row.format, ids, these))
            file.write(text.replace("inf", "Infinity").replace("nan", "NaN").encode())


def read_values(path: Path, graph: Graph, dtype: type) -> np.ndarray:
    """The vertices' values in a file, which may be compressed and in any order: (V,) of int64 or
    float64.

    Raises:
        FormatError: the file cannot be read, a line is not a vertex and its value, or there is not
            exactly one line for each vertex of the graph.
    """
    with opened(path) as file:
        parts = list(_parts(path, blocks(file), dtype))
    labels = np.concatenate([np.empty(0, np.int64), *(part[0] for part in parts)])
    values = np.concatenate([np.empty(0, dtype), *(part[1] for part in parts)])
    try:
        places = graph.indices_of(labels) if len(labels) else np.empty(0, np.int32)
    except GraphError as error:
        raise FormatError(f"{path}: {error}; the file belongs to another graph") from None
    count = np.bincount(places, minlength=graph.num_vertices)
    if (count != 1).any():
        vertex = int(np.argmax(count != 1))
        often = f"occurs {count[vertex]} times" if count[vertex] else "is missing"
        raise FormatError(
            f"{path}: vertex {graph.label_of(vertex)} {often}, and each must occur once; fetch "
            "the file again"
        )
    ordered: np.ndarray = np.empty(graph.num_vertices, dtype)
    ordered[places] = values
    return ordered


def _parts(
    path: Path, texts: Iterator[tuple[int, bytes]], dtype: type
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Ids, int64, and values of each block of lines."""
    columns = ([0, 1], []) if dtype is np.int64 else ([0], [1])
    for first, text in texts:
        try:
            read = read_columns([text], 2, *columns, None, "#")
            ids, values = read.values
            yield ids.astype(np.int64, copy=False), values.astype(dtype, copy=False)
        except (Irregular, ValueError):
            yield _row_by_row(path, first, text, dtype)


def _row_by_row(path: Path, first: int, text: bytes, dtype: type) -> tuple[np.ndarray, np.ndarray]:
    rows = []
    for number, line in enumerate(text.split(b"\n")[:-1], start=first):
        words = line.split() if line.lstrip()[:1] != b"#" else []
        if not words:
            continue
        row = [
            _value(word.decode("latin-1"), np.int64 if place == 0 else dtype)
            for place, word in enumerate(words)
        ]
        if len(row) != 2 or None in row:
            kind = "a 64-bit integer" if dtype is np.int64 else "a number"
            raise FormatError(
                f"{path}, line {number}: {shown(line)} is not a vertex and its value; expected "
                f"an id and {kind}; fetch the file again"
            )
        rows.append(row)
    ids, values = zip(*rows, strict=True) if rows else ((), ())
    return np.array(ids, np.int64), np.array(values, dtype)


def _value(word: str, dtype: type) -> int | float | None:
    if dtype is np.int64:
        return integer(word)
    try:
        return None if "_" in word else float(word)
    except ValueError:
        return None
