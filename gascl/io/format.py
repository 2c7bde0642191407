"""The interface of a file format, and checks that it can hold a graph, made before writing."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gascl.errors import FormatError
from gascl.graph.field_types import Bools
from gascl.graph.labels import fit_int64
from gascl.graph.raw_graph import RawGraph
from gascl.io.outofcore.spool import Spooled
from gascl.user_messages import Message, Option

if TYPE_CHECKING:
    from gascl.graph.graph import Graph


@dataclass(frozen=True)
class Format:
    """A file format: its name, how its files are recognized, its reader and its writer.

    Attributes:
        extensions: in lower case, with the dot, without that of a compression (.gz and so on).
        recognizes: whether a file that starts with these bytes (its first KiB) is certainly in this
            format.
        read: (path, directed or None for the format's own, **options) -> RawGraph.
        write: (path, graph) -> None; raises FormatError, before anything is written, for a graph
            that the format cannot hold. None: the format is only read. With the option `arcs`, it
            also writes arcs.
        spool: (path, directed, EdgeSpool, **options) -> Spooled, with the options of `read`: reads
            what does not fit in memory. None: the format is only read as a whole.
        packs: files may be compressed as a whole (.gz and so on); else the format has its own
            compression, or must be mapped into memory.
    """

    name: str
    extensions: tuple[str, ...]
    recognizes: Callable[[bytes], bool]
    read: Callable[..., RawGraph]
    write: Callable[..., None] | None = None
    packs: bool = True
    spool: Callable[..., Spooled] | None = None


#: The remedy for a graph of the wrong direction, by whether it is directed.
OTHER_DIRECTION = {
    True: Message(
        "read it with ", Option("directed", False), ", which takes each edge as undirected"
    ),
    False: Message("read it with ", Option("directed", True), ", which makes two edges of each"),
}


def without(what: str) -> str:
    """The remedy where a format cannot hold "labels", "edge-fields" or "vertex-fields"."""
    return (
        f"leave them out with `gascl convert --drop {what}`, in Python with Graph.from_edges("
        "graph.edge_src, graph.edge_dst, ...)"
    )


def check_limits(
    path: Path,
    graph: Graph,
    name: str,
    *,
    directed: bool | None = None,
    labels: bool | None = False,
    edge_fields: Collection[str] | None = (),
    vertex_fields: Collection[str] = (),
    types: bool = False,
) -> None:
    """Raises FormatError if the format `name` cannot hold the graph.

    Args:
        directed: the only kind of graph that it holds; None: both.
        labels: whether it holds 64-bit integers as labels, or none; None: the caller checks them.
        edge_fields, vertex_fields: the names of the fields that it holds; None: any.
        types: whether it holds texts and times.
    """
    wrong, remedy = None, without("labels")
    if directed is not None and graph.directed != directed:
        kind = "directed" if graph.directed else "undirected"
        only = "directed" if directed else "undirected"
        wrong = f"{name} holds {only} graphs only, and this one is {kind}"
        remedy = OTHER_DIRECTION[graph.directed]
    elif graph.labels is not None and labels is False:
        wrong = f"{name} numbers its vertices and cannot hold this graph's labels"
    elif (
        graph.labels is not None
        and labels
        and not (graph.labels.dtype.kind in "iu" and fit_int64(graph.labels))
    ):
        wrong = f"{name} only has 64-bit integers as labels, and this graph has others"
    for noun, fields, held, kinds in (
        ("vertex", graph.vertex_fields, vertex_fields, graph.vertex_types),
        ("edge", graph.edge_fields, edge_fields, graph.edge_types),
    ):
        more = [] if held is None else [field for field in fields if field not in held]
        if more and not wrong:
            names = " and ".join(map(repr, held or ()))
            some = f"one {noun} field," if len(held or ()) == 1 else f"the {noun} fields"
            wrong = f"{name} holds {some} {names}, and not the {noun} field {more[0]!r}"
            if not held:
                wrong = f"{name} cannot hold {noun} fields ({', '.join(more)})"
            remedy = without(f"{noun}-fields")
        odd = [n for n, kind in kinds.items() if not isinstance(kind, Bools)]
        if odd and not types and not wrong:
            wrong = f"{name} holds numbers, and the {noun} field {odd[0]!r} is {kinds[odd[0]].name}"
            remedy = without(f"{noun}-fields")
    if wrong:
        own = "write gascl's own format (.npz), which holds any graph"
        raise FormatError(f"{path}: {wrong}; {own}; ", remedy)


def check_integers(
    path: Path, name: str, noun: str, values: np.ndarray, least: int, most: int
) -> None:
    """Raises FormatError unless `values` are integers from `least` to `most`."""
    if values.dtype.kind not in "iu":
        raise FormatError(
            f"{path}: {name} holds integers, and {noun} is {values.dtype}; convert the values "
            "to integers, or write gascl's own format (.npz)"
        )
    if values.size and not least <= int(values.min()) <= int(values.max()) <= most:
        wrong = int(values.min()) if int(values.min()) < least else int(values.max())
        raise FormatError(
            f"{path}: {noun} contains {wrong}, and {name} holds {least} to {most}; change the "
            "value, or write gascl's own format (.npz)"
        )
