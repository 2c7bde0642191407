"""What a format can hold of a graph, asked before anything is written."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gascl.errors import FormatError

if TYPE_CHECKING:
    from gascl.graph.graph import Graph


OTHER_WAY = {
    True: "read it with directed=False (`--undirected`), which takes each edge as undirected",
    False: "read it with directed=True (`--directed`), which makes two edges of each",
}


def without(what: str) -> str:
    """The remedy where a format can't hold "labels", "edge-fields" or "vertex-fields"."""
    return (
        f"leave them out by `gascl convert --drop {what}`, in Python by Graph.from_edges("
        "graph.edge_src, graph.edge_dst, ...)"
    )


def check_limits(
    path: Path,
    graph: Graph,
    name: str,
    *,
    directed: bool | None = None,
    labels: bool = False,
    edge_fields: Collection[str] | None = (),
    vertex_fields: Collection[str] = (),
) -> None:
    """Raises FormatError where the format `name` can't hold the graph.

    Args:
        directed: the only kind of graph that it holds; None: both.
        labels: whether it holds integers of 64 bits as labels; else it holds none.
        edge_fields, vertex_fields: the names of fields that it holds; None: any.
    """
    wrong, remedy = None, without("labels")
    if directed is not None and graph.directed != directed:
        kind = "directed" if graph.directed else "undirected"
        only = "directed" if directed else "undirected"
        wrong = f"{name} holds {only} graphs, and this one is {kind}"
        remedy = OTHER_WAY[graph.directed]
    elif graph.labels is not None and not labels:
        wrong = f"{name} numbers its vertices and can't hold this graph's labels"
    elif graph.labels is not None and not _fit_int64(graph.labels):
        wrong = f"{name} has integers of 64 bits for labels, and this graph's are others"
    for noun, fields, held in (
        ("edge", graph.edge_fields, edge_fields),
        ("vertex", graph.vertex_fields, vertex_fields),
    ):
        more = [] if held is None else [field for field in fields if field not in held]
        if more and not wrong:
            wrong = f"{name} can't hold the {noun} field {more[0]!r}"
            remedy = without(f"{noun}-fields")
    if wrong:
        raise FormatError(f"{path}: {wrong}; gascl's own format (.npz) holds every graph; {remedy}")


def check_integers(
    path: Path, name: str, noun: str, values: np.ndarray, least: int, most: int
) -> None:
    """Raises FormatError where `values` are not integers from `least` to `most`."""
    if values.dtype.kind not in "iu":
        raise FormatError(
            f"{path}: {name} holds whole numbers, and {noun} is {values.dtype}; convert the values "
            "to integers, or write gascl's own format (.npz)"
        )
    if values.size and not least <= int(values.min()) <= int(values.max()) <= most:
        wrong = int(values.min()) if int(values.min()) < least else int(values.max())
        raise FormatError(
            f"{path}: {noun} holds {wrong}, and {name} takes {least} to {most}; change the value, "
            "or write gascl's own format (.npz)"
        )


def _fit_int64(labels: np.ndarray) -> bool:
    if labels.dtype.kind not in "iu":
        return False
    return not len(labels) or int(labels.max()) <= np.iinfo(np.int64).max
