"""Writes Matrix Market files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gascl.errors import FormatError
from gascl.io.files import created
from gascl.io.limits import without

if TYPE_CHECKING:
    from gascl.graph.graph import Graph

PART = 1 << 16  # rows written at a time
ELSE = "format='gascl' holds it"


def write(path: Path, graph: Graph) -> None:
    """Write the adjacency matrix, coordinate: an entry an edge, in order.

    A directed graph is general, an undirected one symmetric with its edges in the lower triangle.
    The edge field "weight" gives the values, real or integer; without it the matrix is a pattern.
    Floats have as many digits as tell them from all others. Labels 0 ... V-1 in order say nothing
    and are left out.

    Raises:
        FormatError: the graph has other labels, other edge fields, or vertex fields.
    """
    wrong = _unfit(graph)
    if wrong:
        raise FormatError(f"{path}: {wrong}")
    weight = graph.edge_fields.get("weight")
    kind = "pattern"
    if weight is not None:
        kind = "real" if weight.dtype.kind == "f" else "integer"
        if weight.dtype == np.uint64 and len(weight) and weight.max() >= 2**63:
            kind = "unsigned-integer"  # which SciPy writes and reads, too
    symmetry = "general" if graph.directed else "symmetric"
    with created(path) as file:
        file.write(
            f"%%MatrixMarket matrix coordinate {kind} {symmetry}\n"
            f"{graph.num_vertices} {graph.num_vertices} {graph.num_edges}\n".encode()
        )
        for at in range(0, graph.num_edges, PART):
            part = slice(at, at + PART)
            row, column = graph.edge_src[part], graph.edge_dst[part]
            if not graph.directed:
                row, column = np.maximum(row, column), np.minimum(row, column)
            texts: list[Iterable[str]] = [
                map(str, (ids.astype(np.int64) + 1).tolist()) for ids in (row, column)
            ]
            if weight is not None:
                texts.append(map(repr, weight[part].tolist()))
            file.write(("\n".join(map(" ".join, zip(*texts, strict=True))) + "\n").encode())


def _unfit(graph: Graph) -> str | None:
    """Why no Matrix Market file can hold the graph."""
    if graph.vertex_fields:
        names = ", ".join(graph.vertex_fields)
        return f"Matrix Market holds no vertex fields ({names}); {ELSE}; {without('vertex-fields')}"
    others = [name for name in graph.edge_fields if name != "weight"]
    if others:
        return (
            f"Matrix Market holds one edge field, 'weight', and the graph has {', '.join(others)}; "
            f"an edge list holds any, and {ELSE}; {without('edge-fields')}"
        )
    labels = graph.labels
    if labels is not None and not (
        labels.dtype.kind in "iu" and np.array_equal(labels, np.arange(len(labels)))
    ):
        return (
            f"Matrix Market holds no labels, such as {graph.label_of(0)!r} of vertex 0; an edge "
            f"list holds them, and {ELSE}; {without('labels')}"
        )
    return None
