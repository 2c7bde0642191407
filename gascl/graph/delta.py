"""Graphs with edges added and removed, and the record of the change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gascl.errors import GraphError
from gascl.graph import validation
from gascl.graph.field_types import Coded, coded_as, continued, types_of
from gascl.graph.labels import label_array

if TYPE_CHECKING:
    from gascl.graph.graph import Graph


@dataclass(frozen=True, eq=False)
class Change:
    """The difference between a graph and the one that it was made from.

    Attributes:
        vertices: int32, sorted: the ends of all edges added or removed; read-only.
        added: the number of edges added; they are the last ones.
        gone: int64, sorted: the ids of the removed edges in the original graph; read-only.
        before: the fingerprint of the original graph.
    """

    vertices: np.ndarray
    added: int
    gone: np.ndarray
    before: str

    def __post_init__(self) -> None:
        self.vertices.setflags(write=False)
        self.gone.setflags(write=False)

    def __reduce__(self) -> tuple[Any, ...]:  # an unpickled array could be written to
        return Change, (self.vertices, self.added, self.gone, self.before)

    @property
    def removed(self) -> int:
        """The number of edges removed."""
        return len(self.gone)


def changed(graph: Graph, add: Any, remove: Any, fields: Mapping[str, Any]) -> Graph:
    """The result of `Graph.with_edges`."""
    removed = _removed(graph, *_ends(graph, remove, "remove"))
    src, dst = _ends(graph, add, "add")
    added = _added_fields(graph, fields, len(src))
    kept = ~removed
    touched = (graph.edge_src[removed], graph.edge_dst[removed], src, dst)
    return replace(
        graph,
        src=np.concatenate([graph.edge_src[kept], src]),
        dst=np.concatenate([graph.edge_dst[kept], dst]),
        edge_fields={
            name: np.concatenate([values[kept], added[name].values])
            for name, values in graph.edge_fields.items()
        },
        edge_types=types_of(added),
        report=list(graph.report),
        change=Change(
            vertices=np.unique(np.concatenate(touched)),
            added=len(src),
            gone=np.flatnonzero(removed),
            before=graph.fingerprint,
        ),
    )


def _ends(graph: Graph, edges: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The ends of edges given by labels, int32 each."""
    src, dst = (label_array(labels) for labels in validation.ends_of_pairs(edges, name))
    if len(src) != len(dst):
        raise GraphError(
            f"{name} has {len(src):,} sources and {len(dst):,} destinations; give the same number"
        )
    try:
        return graph.indices_of(src), graph.indices_of(dst)
    except GraphError as error:
        raise GraphError(f"{name}: ", error.message, "; with_edges does not add vertices") from None


def _removed(graph: Graph, src: np.ndarray, dst: np.ndarray) -> np.ndarray:
    """bool (E,): the edges that are among the pairs (src[i], dst[i]).

    Raises:
        GraphError: there is none for some i.
    """
    if not len(src):
        return np.zeros(graph.num_edges, dtype=bool)
    wanted = _keys(graph, src, dst)
    sought = np.unique(wanted)
    keys = _keys(graph, graph.edge_src, graph.edge_dst)
    place = np.minimum(np.searchsorted(sought, keys), len(sought) - 1)
    removed: np.ndarray = sought[place] == keys
    present = np.zeros(len(sought), dtype=bool)
    present[place[removed]] = True
    if not present.all():
        absent = int(np.argmin(present[np.searchsorted(sought, wanted)]))
        tail, head = graph.label_of(src[absent]), graph.label_of(dst[absent])
        where = f"from {tail!r} to {head!r}" if graph.directed else f"between {tail!r} and {head!r}"
        raise GraphError(f"remove: there is no edge {where}; remove only edges of the graph")
    return removed


def edge_values(given: Mapping[Any, Any], graph: Graph, name: str) -> list[Any]:
    """The values of a dict from pairs of labels, for each edge.

    Raises:
        GraphError: an edge has no value or several, or a pair is no edge; counts them.
    """
    src, dst = _ends(graph, list(given), f"the edge field {name!r}")
    wanted, keys = (
        _keys(graph, src, dst),
        _keys(graph, graph.edge_src, graph.edge_dst),
    )
    place = {key: number for number, key in enumerate(wanted.tolist())}
    found = np.array([place.get(key, -1) for key in keys.tolist()], dtype=np.int64)
    what = f"the edge field {name!r}"

    def named(edge: int) -> str:
        ends = (graph.label_of(end[edge]) for end in (graph.edge_src, graph.edge_dst))
        return f"the edge {tuple(ends)!r}"

    missing = np.flatnonzero(found < 0)
    pairs = list(given)
    used = np.zeros(len(pairs), bool)
    used[found[found >= 0]] = True
    if len(missing):
        raise GraphError(
            f"{what} has no value for {named(missing[0])}, one of {len(missing):,} of "
            f"{graph.num_edges:,} edges without; give one for every edge"
        )
    if not used.all():
        unused = np.flatnonzero(~used)
        raise GraphError(
            f"{what}: {len(unused):,} of {len(pairs):,} pairs are no edge of their own, such as "
            f"{pairs[unused[0]]!r}; leave them out"
        )
    if len(found) > len(pairs):
        counts = np.bincount(found, minlength=len(pairs))
        raise GraphError(
            f"{what}: {np.count_nonzero(counts > 1):,} pairs have several edges, such as "
            f"{pairs[counts.argmax()]!r}; give an array with a value for each edge"
        )
    values = list(given.values())
    return [values[at] for at in found]


def _keys(graph: Graph, src: np.ndarray, dst: np.ndarray) -> np.ndarray:
    """int64, equal for edges with the same ends, in an undirected graph in either direction."""
    if not graph.directed:
        src, dst = np.minimum(src, dst), np.maximum(src, dst)
    return src.astype(np.int64) * graph.num_vertices + dst


def _added_fields(graph: Graph, fields: Mapping[str, Any], added: int) -> dict[str, Coded]:
    """Each edge field's values for the added edges, in the graph's own dtypes and types, whose
    dictionaries get the texts that are new.

    Raises:
        GraphError: a field is missing or unknown, or its values do not fit or are not one per edge.
    """
    for name in fields:
        if name not in graph.edge_fields:
            names = ", ".join(graph.edge_fields) or "none"
            raise GraphError(f"the graph has no edge field {name!r}; it has: {names}")
    missing = [name for name in graph.edge_fields if name not in fields]
    if missing and added:
        raise GraphError(
            f"add: values of the edge field {missing[0]!r} are missing; give {missing[0]}=[...], "
            f"one for each of the {added:,} added edges"
        )
    meant = {name: coded_as(values, graph.edge_types.get(name)) for name, values in fields.items()}
    checked = validation.checked_fields(meant, added, "added edges")
    made = {}
    for name, own in graph.edge_fields.items():
        values, old = np.empty(0, own.dtype), graph.edge_types.get(name)
        if added:
            given = Coded(checked["edge_fields"][name], checked["edge_types"].get(name))
            values, old = continued(old, given, f"add: the edge field {name!r}")
        made[name] = Coded(_cast(name, values, own.dtype), old)
    return made


def _cast(name: str, values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """`values` in `dtype`; floats may be rounded, integers must be preserved."""
    with np.errstate(invalid="ignore", over="ignore"):
        cast = values.astype(dtype)
        if dtype.kind == "f":
            return cast
        wrong = (cast.astype(values.dtype) != values) | ((cast < 0) != (values < 0))
    if wrong.any():
        value = values[np.argmax(wrong)].item()
        raise GraphError(
            f"add: {value} does not fit the edge field {name!r}, which is {dtype}; change the value"
        )
    return cast
