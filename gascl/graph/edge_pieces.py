"""Edges that were read in pieces, each with vertices of its own, as those of one graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gascl.errors import GraphError
from gascl.graph.field_types import NO_TEXT, FieldType, Texts, dictionary
from gascl.graph.raw_graph import RawGraph
from gascl.graph.validation import checked_graph

#: Labels of so many pieces are sorted at once, or more where there are more in all.
AT_ONCE = 1 << 20


@dataclass(frozen=True)
class FieldKind:
    """What the values of an edge field are.

    Attributes:
        type: of those that are not just numbers.
    """

    dtype: np.dtype
    type: FieldType | None = None

    def __str__(self) -> str:
        return str(self.dtype) if self.type is None else self.type.name


#: The edge fields by name.
FieldKinds = Mapping[str, FieldKind]


def checked_piece(piece: RawGraph) -> RawGraph:
    """A piece as it was read, checked as a graph is, with ends of 4 bytes.

    Raises:
        GraphError: it has ids or fields that a graph cannot have.
    """
    return replace(checked_graph(piece, "keep", "keep", own=True), report=[])


def kinds_of(piece: RawGraph) -> FieldKinds:
    """The kinds of a piece's edge fields."""
    types = piece.edge_types
    return {name: FieldKind(v.dtype, types.get(name)) for name, v in piece.fields.items()}


def common_kinds(every: Sequence[FieldKinds]) -> FieldKinds:
    """The kinds of the edge fields of all pieces together.

    Raises:
        GraphError: pieces have fields of other names, or one is of unlike types.
    """
    common: dict[str, FieldKind] = dict(every[0]) if every else {}
    for kinds in every[1:]:
        if kinds.keys() != common.keys():
            some, others = (", ".join(one) or "none" for one in (common, kinds))
            raise GraphError(
                f"the edges have the fields {some} in some parts, and {others} in others; give all "
                "parts the same columns"
            )
        for name, kind in kinds.items():
            common[name] = _common_kind(name, common[name], kind)
    return common


def _common_kind(name: str, one: FieldKind, other: FieldKind) -> FieldKind:
    if isinstance(one.type, Texts) and isinstance(other.type, Texts):
        if _same_texts(one.type, other.type):
            return one
        return FieldKind(one.dtype, dictionary(sorted({*one.type.values, *other.type.values})))
    if one.type != other.type:
        raise GraphError(
            f"the edge field {name!r} is {one} in some parts, and {other} in others; convert one"
        )
    return FieldKind(np.result_type(one.dtype, other.dtype), one.type)


def _same_texts(one: Texts, other: Texts) -> bool:
    return one.ordered == other.ordered and np.array_equal(one.values, other.values)


def common_labels(labels: Sequence[np.ndarray]) -> np.ndarray:
    """All labels of several sorted arrays, sorted.

    Raises:
        GraphError: they are text in some, and integers in others.
    """
    pending: list[np.ndarray] = []
    for number, one in enumerate(labels):
        pending.append(one)
        size = sum(map(len, pending[1:]))
        if size > max(len(pending[0]), AT_ONCE) or number + 1 == len(labels):
            check_alike([each.dtype for each in pending])
            pending = [_distinct(np.concatenate(pending))]
    return pending[0]


def _distinct(values: np.ndarray) -> np.ndarray:
    """As np.unique, which would make a copy: values are sorted in place."""
    values.sort()
    differs = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=differs[1:])
    return values[differs]


def check_alike(dtypes: Sequence[np.dtype]) -> None:
    """Raise GraphError unless labels of these dtypes can be those of one graph."""
    if len({dtype.kind == "U" for dtype in dtypes}) > 1:
        raise GraphError(
            "ids are integers in some parts of the edges, and text in others; convert them"
        )
    if dtypes and np.result_type(*dtypes).kind == "f":
        raise GraphError(
            "ids are below 0 in some parts of the edges, and above 2^63 - 1 in others; convert "
            "them to text"
        )


def labels_of(pieces: Sequence[RawGraph]) -> np.ndarray | None:
    """The labels that occur in pieces, sorted; None: there are none."""
    labels = [p.labels for p in pieces if p.labels is not None and len(p.labels)]
    return common_labels(labels) if labels else None


def placed(
    piece: RawGraph,
    kinds: FieldKinds,
    labels: np.ndarray | None,
    number: np.ndarray | None = None,
) -> RawGraph:
    """A piece with the vertices of the whole as ends, and its fields as they are there.

    Args:
        kinds: those of the fields.
        labels: as `labels_of`; None: the ends are the vertices.
        number: int32, the vertex of each label; None: its place.
    """
    src, dst = np.asarray(piece.src), np.asarray(piece.dst)
    if labels is not None and piece.labels is not None:
        vertex = np.searchsorted(labels, piece.labels)
        vertex = vertex.astype(np.int32) if number is None else number.take(vertex)
        src, dst = vertex.take(src), vertex.take(dst)
    fields = {
        name: _recoded(values, piece.edge_types.get(name), kinds[name])
        for name, values in piece.fields.items()
    }
    return replace(piece, src=src, dst=dst, labels=None, fields=fields)


def _recoded(values: np.ndarray, own: FieldType | None, kind: FieldKind) -> np.ndarray:
    """The values of a piece, texts by their places in the dictionary of the whole."""
    if not isinstance(own, Texts) or not isinstance(kind.type, Texts):
        return values.astype(kind.dtype, copy=False)
    if _same_texts(own, kind.type):
        return values
    place = {text: number for number, text in enumerate(kind.type.values)}
    table = np.array([*(place[text] for text in own.values), NO_TEXT], np.int32)
    return table[values]


def joined(pieces: list[RawGraph], directed: bool, report: list[str]) -> RawGraph:
    """The graph of all pieces, which are emptied; labels are sorted."""
    with_edges = [piece for piece in pieces if len(piece.src)]
    kinds = common_kinds([kinds_of(piece) for piece in with_edges or pieces])
    labels = labels_of(with_edges)
    counts = {p.num_vertices for p in pieces if p.labels is None}
    if labels is None and not counts:
        labels = np.empty(0, np.int64)
    pieces.clear()
    count = sum(len(piece.src) for piece in with_edges)
    src, dst = (np.empty(count, np.int32) for _ in range(2))
    fields = {name: np.empty(count, kind.dtype) for name, kind in kinds.items()}
    with_edges.reverse()
    begin = 0
    while with_edges:  # whose memory is freed one by one
        piece = placed(with_edges.pop(), kinds, labels)
        rows = slice(begin, begin + len(piece.src))
        begin, src[rows], dst[rows] = rows.stop, piece.src, piece.dst
        for name, values in piece.fields.items():
            fields[name][rows] = values
    return RawGraph(
        src=src,
        dst=dst,
        num_vertices=counts.pop() if labels is None else len(labels),
        directed=directed,
        labels=labels,
        fields=fields,
        report=report,
        edge_types={name: kind.type for name, kind in kinds.items() if kind.type is not None},
        in_range=True,
    )
