"""Writes edge lists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gascl.errors import FormatError
from gascl.graph.labels import INTEGER
from gascl.io.files import created, plain
from gascl.io.limits import OTHER_WAY, without

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

PART = 1 << 16  # rows written at a time

#: Text ids that a reader would not part from what is around them, or take for something else.
UNFIT = re.compile(r"""[\s,;|"\0\ud800-\udfff]|^[#%]|^$""")
#: Those that stand in quotes in a .csv, and those that can't.
QUOTED = re.compile(r"""[\s,;|"#%]""")
UNFIT_QUOTED = re.compile(r"""[\r\n\0\ud800-\udfff]|^[ \t]|[ \t]$|^$""")
ELSE = "format='gascl' holds it"


def write(path: Path, graph: Graph) -> None:
    """Write an edge list: a row an edge, in order, with its edge fields.

    The first line is "# gascl: directed, V vertices, E edges" (or undirected); where there are edge
    fields, and in a .csv file, a header comes next. Columns are parted by commas in a .csv file,
    where labels with commas, blanks and the like stand in quotes, and by tabs elsewhere.
    Labels are the ids, without labels a vertex's index; read again, they are labels, sorted. Floats
    have as many digits as tell them from all others.

    GAP's .el and .wel (Beamer, Asanovic, Patterson, "The GAP Benchmark Suite", 2015) have neither
    comment nor header: they take directed graphs, without a field and with "weight".

    Raises:
        FormatError: the graph has vertices without edges, vertex fields, or labels that an edge
            list can't hold.
    """
    suffix = plain(path).suffix.lower()
    wrong = _unfit(graph, suffix) or _unfit_for_gap(graph, suffix)
    if wrong:
        raise FormatError(f"{path}: {wrong}")
    mark = {".csv": ",", ".el": " ", ".wel": " "}.get(suffix, "\t")
    ids = range(graph.num_vertices) if graph.labels is None else graph.labels
    texts = [str(label) for label in ids]
    if suffix == ".csv" and graph.labels is not None and graph.labels.dtype.kind == "U":
        texts = [_quoted(text) if QUOTED.search(text) else text for text in texts]
    names = np.array(texts, dtype=object)
    fields = graph.edge_fields
    with created(path) as file:
        if suffix not in (".el", ".wel"):
            kind = "directed" if graph.directed else "undirected"
            counts = f"{graph.num_vertices} vertices, {graph.num_edges} edges"
            file.write(f"# gascl: {kind}, {counts}\n".encode())
            if fields or suffix == ".csv":
                file.write((mark.join(["source", "target", *fields]) + "\n").encode())
        for at in range(0, graph.num_edges, PART):
            part = slice(at, at + PART)
            columns = [names[graph.edge_src[part]], names[graph.edge_dst[part]]]
            cells: list[Iterable[str]] = [column.tolist() for column in columns]
            cells += [number_texts(values[part]) for values in fields.values()]
            rows = map(mark.join, zip(*cells, strict=True))
            file.write(("\n".join(rows) + "\n").encode())


def number_texts(values: np.ndarray) -> Iterator[str]:
    """Each number as text that gives the same number again, as int64 or float64."""
    return map(repr, values.tolist())


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _unfit(graph: Graph, suffix: str) -> str | None:
    """Why no edge list of this extension can hold the graph."""
    if graph.vertex_fields:
        names = ", ".join(graph.vertex_fields)
        return f"an edge list holds no vertex fields ({names}); {ELSE}; {without('vertex-fields')}"
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
        if not isinstance(label, str) or UNFIT_QUOTED.search(label):
            return f"an edge list can't hold the label {label!r}; {ELSE}; {without('labels')}"
        if suffix != ".csv" and UNFIT.search(label):
            return (
                f"{suffix or 'such a file'} can't hold the label {label!r}; a .csv can, in quotes, "
                f"and {ELSE}; {without('labels')}"
            )
    if all(INTEGER.fullmatch(label) for label in labels.tolist()):
        return (
            f"the labels are text, and would be read as integers: {labels[0].item()!r}; {ELSE}; "
            f"{without('labels')}"
        )
    return None


def _unfit_for_gap(graph: Graph, suffix: str) -> str | None:
    if suffix not in (".el", ".wel"):
        return None
    if not graph.directed:
        return (
            f"{suffix} can't say that the graph is undirected; name the file .txt, which can, or "
            f"{OTHER_WAY[False]}"
        )
    if [*graph.edge_fields] != (["weight"] if suffix == ".wel" else []):
        has = ", ".join(graph.edge_fields) or "none"
        held = "the edge field 'weight'" if suffix == ".wel" else "no edge fields"
        return (
            f"{suffix} holds {held}, and the graph has {has}; name the file .txt, which holds any"
        )
    kind = graph.labels is None or graph.labels.dtype.kind in "iu"
    return None if kind else f"{suffix} holds integers as ids, no text; name the file .txt"
