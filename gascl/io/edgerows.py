"""Writes edge lists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gascl.errors import FormatError
from gascl.io.files import created, plain
from gascl.labels import INTEGER

if TYPE_CHECKING:
    from gascl.graph import Graph

PART = 1 << 16  # rows written at a time

#: Text ids that a reader would not part from what is around them, or take for something else.
UNFIT = re.compile(r"""[\s,;|"\0]|^[#%]|^$""")
ELSE = "format='gascl' holds it"


def write(path: Path, graph: Graph) -> None:
    """Write an edge list: a row an edge, in order, with its edge fields.

    The first line is "# gascl: directed, V vertices, E edges" (or undirected); where there are edge
    fields, a header comes next. Columns are parted by commas in a .csv file, by tabs elsewhere.
    Labels are the ids, without labels a vertex's index; read again, they are labels, sorted. Floats
    have as many digits as tell them from all others.

    GAP's .el and .wel (Beamer, Asanovic, Patterson, "The GAP Benchmark Suite", 2015) have neither
    comment nor header: they take directed graphs, without a field and with "weight".

    Raises:
        FormatError: the graph has vertices without edges, vertex fields, or labels that an edge
            list can't hold.
    """
    suffix = plain(path).suffix.lower()
    wrong = _unfit(graph) or _unfit_for_gap(graph, suffix)
    if wrong:
        raise FormatError(f"{path}: {wrong}")
    mark = {".csv": ",", ".el": " ", ".wel": " "}.get(suffix, "\t")
    ids = range(graph.num_vertices) if graph.labels is None else graph.labels
    names = np.array([str(label) for label in ids], dtype=object)
    fields = graph.edge_fields
    with created(path) as file:
        if suffix not in (".el", ".wel"):
            kind = "directed" if graph.directed else "undirected"
            counts = f"{graph.num_vertices} vertices, {graph.num_edges} edges"
            file.write(f"# gascl: {kind}, {counts}\n".encode())
            if fields:
                file.write((mark.join(["source", "target", *fields]) + "\n").encode())
        for at in range(0, graph.num_edges, PART):
            part = slice(at, at + PART)
            columns = [names[graph.edge_src[part]], names[graph.edge_dst[part]]]
            texts: list[Iterable[str]] = [column.tolist() for column in columns]
            texts += [number_texts(values[part]) for values in fields.values()]
            rows = map(mark.join, zip(*texts, strict=True))
            file.write(("\n".join(rows) + "\n").encode())


def number_texts(values: np.ndarray) -> Iterator[str]:
    """Each number as text that gives the same number again, as int64 or float64."""
    return map(repr, values.tolist())


def _unfit(graph: Graph) -> str | None:
    """Why no edge list can hold the graph."""
    if graph.vertex_fields:
        names = ", ".join(graph.vertex_fields)
        return f"an edge list holds no vertex fields ({names}); {ELSE}"
    used = np.zeros(graph.num_vertices, dtype=bool)
    used[graph.edge_src] = used[graph.edge_dst] = True
    if not used.all():
        alone = int(np.argmin(used))
        return (
            f"an edge list holds no vertex without edges, and {graph.label_of(alone)!r} is one, of "
            f"{np.count_nonzero(~used):,}; {ELSE}"
        )
    labels = graph.labels
    if labels is None or labels.dtype.kind in "iu" or not len(labels):
        return None
    for label in labels.tolist():
        if not isinstance(label, str) or UNFIT.search(label):
            return f"an edge list can't hold the label {label!r}; {ELSE}"
    if all(INTEGER.fullmatch(label) for label in labels.tolist()):
        return f"the labels are text, and would be read as integers: {labels[0]!r}; {ELSE}"
    return None


def _unfit_for_gap(graph: Graph, suffix: str) -> str | None:
    if suffix not in (".el", ".wel"):
        return None
    if not graph.directed:
        return f"{suffix} can't say that the graph is undirected; name the file .txt, which can"
    if [*graph.edge_fields] != (["weight"] if suffix == ".wel" else []):
        has = ", ".join(graph.edge_fields) or "none"
        held = "the edge field 'weight'" if suffix == ".wel" else "no edge fields"
        return (
            f"{suffix} holds {held}, and the graph has {has}; name the file .txt, which holds any"
        )
    kind = graph.labels is None or graph.labels.dtype.kind in "iu"
    return None if kind else f"{suffix} holds integers as ids, no text; name the file .txt"
