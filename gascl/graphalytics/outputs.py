"""Output files of LDBC Graphalytics: for each vertex a line with its id and its value."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gascl.errors import FormatError, GraphError
from gascl.graph.graph import Graph
from gascl.io.files import created
from gascl.io.number_rows import read_rows

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
    kind = "a number" if np.dtype(dtype).kind == "f" else "a 64-bit integer"
    wrong = f"is not a vertex and its value; expected an id and {kind}; fetch the file again"
    labels, values = read_rows(path, 1, [np.dtype(dtype).type], wrong, comments="#")
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
