"""Labels: the names of a graph's vertices outside gascl."""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from gascl.errors import GraphError

INTEGER = re.compile(r"[+-]?[0-9]+")  # stricter than int(), which also accepts 1_0

# difflib takes about 10 microseconds per candidate; this bounds the cost of a wrong label.
MAX_CANDIDATES = 100_000


def label_array(labels: Iterable[Any]) -> np.ndarray:
    """A copy of `labels` as a 1-D array of integers, str, or else object.

    Raises:
        GraphError: `labels` is not one-dimensional, or has floats, bytes, bools or the like.
    """
    if not isinstance(labels, np.ndarray):
        listed = list(labels)
        array = np.empty(len(listed), dtype=object)
        array[:] = listed
        labels = array
    if labels.ndim != 1:
        raise GraphError(f"labels must have shape (vertices,), not {labels.shape}")
    if labels.dtype.kind in "iuU":
        return labels.astype(labels.dtype.newbyteorder("="))
    if labels.dtype != object:
        raise GraphError(
            f"labels must be integers, str or object, not {labels.dtype}; "
            "convert them with labels.astype(str) or labels.astype(int)"
        )
    kinds = {type(label) for label in labels}
    if kinds and all(issubclass(kind, (int, np.integer)) and kind is not bool for kind in kinds):
        try:
            return labels.astype(np.int64)
        except OverflowError:
            return labels.copy()
    if kinds and all(issubclass(kind, str) for kind in kinds):
        return labels.astype(str)
    return labels.copy()


def labeled(
    labels: np.ndarray | None, num_vertices: int, ids: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The labels of vertices, or without labels the vertices themselves, in the labels' dtype; and
    a mask of the `ids` that are no vertices, whose labels are arbitrary.

    Args:
        labels: (V,) or None.
        ids: integers, of any shape.
    """
    none = (ids < 0) | (ids >= num_vertices)
    vertices = np.where(none, 0, ids)
    if labels is None:
        return vertices, none
    return (labels[vertices] if num_vertices else np.zeros(ids.shape, labels.dtype)), none


def fit_int64(labels: np.ndarray) -> bool:
    """Whether labels that are integers fit in int64; True for others."""
    if labels.dtype.kind != "u" or not len(labels):
        return True
    return int(labels.max()) <= np.iinfo(np.int64).max


def has_surrogate(text: str) -> bool:
    """Whether a text has a lone surrogate, which UTF-8 cannot encode."""
    return not text.isascii() and re.search("[\ud800-\udfff]", text) is not None


def shown(value: Any) -> str:
    """A label or number for messages, without NumPy's types: '1' and not np.str_('1')."""
    return repr(value.item() if isinstance(value, np.generic) else value)


class LabelIndex:
    """Finds the vertex of a label.

    Args:
        labels: (V,) as `label_array` gives them.

    Raises:
        GraphError: two vertices have the same label, or a label cannot be hashed.
    """

    def __init__(self, labels: np.ndarray):
        self.labels = labels
        if labels.dtype == object:
            self._places = self._hash_places(labels)
            return
        self._order = np.argsort(labels, kind="stable")
        ordered = labels[self._order]
        same = np.flatnonzero(ordered[1:] == ordered[:-1])
        if len(same):
            first, second = self._order[same[0]], self._order[same[0] + 1]
            raise _repeated(labels[first].item(), first, second)

    @staticmethod
    def _hash_places(labels: np.ndarray) -> dict[Hashable, int]:
        places: dict[Hashable, int] = {}
        for place, label in enumerate(labels):
            try:
                first = places.setdefault(label, place)
            except TypeError:
                raise GraphError(
                    f"the label of vertex {place}, {shown(label)}, cannot be hashed; "
                    "use integers, str or tuples as labels"
                ) from None
            if first != place:
                raise _repeated(label, first, place)
        return places

    def find(self, label: Any) -> int:
        """The vertex with this label; integer labels are also found by text ('4037' finds 4037).

        Raises:
            GraphError: no vertex has the label.
        """
        if self.labels.dtype == object:
            try:
                return self._places[label]
            except (KeyError, TypeError):
                raise self._unknown(label) from None
        wanted = self._wanted(label)
        if wanted is None or not len(self.labels):
            raise self._unknown(label)
        place = np.searchsorted(self.labels, wanted, sorter=self._order)
        if place == len(self.labels) or self.labels[self._order[place]] != wanted:
            raise self._unknown(label)
        return int(self._order[place])

    def find_all(self, labels: np.ndarray) -> np.ndarray:
        """`find` for each of `labels`, an array from `label_array`: int32.

        Raises:
            GraphError: one of them is not the label of a vertex.
        """
        if not self._is_alike(labels):
            return np.array([self.find(label) for label in labels.tolist()], dtype=np.int32)
        places = self._sorted_places(labels)
        wrong = np.flatnonzero(places < 0)
        if len(wrong):
            raise self._unknown(labels[wrong[0]].item())
        return places

    def places(self, labels: np.ndarray) -> np.ndarray:
        """The vertices of `labels`, an array from `label_array`, -1 where there is none: int32.

        Other than for `find_all`, text is no integer.
        """
        if self._is_alike(labels):
            return self._sorted_places(labels)
        known = {label: place for place, label in enumerate(self.labels.tolist())}
        return np.array([known.get(label, -1) for label in labels.tolist()], dtype=np.int32)

    def _is_alike(self, labels: np.ndarray) -> bool:
        """Whether NumPy compares these labels with the index's own, of which there are some."""
        mine = self.labels
        if not len(mine):
            return False
        if labels.dtype.kind in "iu" and mine.dtype.kind in "iu":
            # int64 and uint64 would be compared as floats
            return np.result_type(labels, mine).kind in "iu"
        return labels.dtype.kind == mine.dtype.kind == "U"

    def _sorted_places(self, labels: np.ndarray) -> np.ndarray:
        mine = self.labels
        places = np.searchsorted(mine, labels, sorter=self._order)
        places = self._order[np.minimum(places, len(mine) - 1)]
        return np.where(mine[places] == labels, places, -1).astype(np.int32)

    def _wanted(self, label: Any) -> np.ndarray | None:
        """`label` in the labels' own dtype; None if it cannot be one of them."""
        if self.labels.dtype.kind == "U":
            return np.array(label) if isinstance(label, str) else None
        if isinstance(label, str) and INTEGER.fullmatch(label):
            label = int(label)
        if isinstance(label, bool):
            return None
        try:
            return np.array(operator.index(label), dtype=self.labels.dtype)
        except (TypeError, OverflowError):
            return None

    def _unknown(self, label: Any) -> GraphError:
        labels = self.labels
        if labels.dtype.kind in "iu":
            ends = labels[self._order[[0, -1]]].tolist() if len(labels) else []
            return unknown_label(label, len(labels), labels.dtype, ends, [])
        near, first = near_labels(label, labels), labels[:1].tolist()
        return unknown_label(label, len(labels), labels.dtype, first, near)


def near_labels(label: Any, labels: np.ndarray) -> list[Any]:
    """The label that a wrong one was meant to be, or none."""
    names = {str(name): name for name in labels[:MAX_CANDIDATES].tolist()}
    text = str(label).lower()
    same = [name for name in names if name.lower() == text]
    near = same or difflib.get_close_matches(str(label), names, n=1, cutoff=0.5)
    return [names[each] for each in near[:1]]


def unknown_label(
    label: Any, count: int, dtype: np.dtype, ends: list[Any], near: list[Any]
) -> GraphError:
    """The error for a label that no vertex has.

    Args:
        count: the number of labels.
        ends: the first of them and, of integers, the last, if there are any.
        near: as `near_labels`.
    """
    message = f"no vertex has the label {shown(label)}; the graph has {count:,} labels"
    if dtype.kind in "iu":
        if ends:
            message += f", integers from {min(ends)} to {max(ends)}"
    elif near:
        message += f"; did you mean {shown(near[0])}?"
    elif ends:
        message += f", such as {shown(ends[0])}"
    return GraphError(message)


def _repeated(label: Any, first: int, second: int) -> GraphError:
    return GraphError(
        f"vertices {first} and {second} have the same label, {shown(label)}; labels must be unique"
    )
