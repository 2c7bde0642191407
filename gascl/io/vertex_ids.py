"""Vertices for ids that need not be consecutive."""

from __future__ import annotations

import numpy as np

from gascl.errors import GraphError
from gascl.graph.parallel import blocks, extremes, filled, in_threads

PART = 1 << 20  # ids handled at a time, which bounds the temporary memory


def numbered(src: np.ndarray, dst: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ids in use, sorted, and the positions of `src` and `dst` (E,) among them.

    Returns:
        Ids (V,), int64, or uint64 if one needs it; the positions of `src` and of `dst` (E,),
        int32 while those fit. `src` and `dst` themselves may be returned.

    Raises:
        GraphError: some ids are negative and others beyond 2^63 - 1.
    """
    if any(ids.dtype == np.uint64 and len(ids) and ids.max() >= 2**63 for ids in (src, dst)):
        return _numbered_wide(src, dst)
    src, dst = (
        ids if ids.dtype in (np.int32, np.int64) else ids.astype(np.int64) for ids in (src, dst)
    )
    if not len(src):
        none = np.empty(0, dtype=np.int32)
        return np.empty(0, dtype=np.int64), none, none
    least, most = extremes(src, dst)
    span = most - least + 1
    if span > 8 * len(src):
        labels = np.union1d(np.unique(src), np.unique(dst)).astype(np.int64, copy=False)
        return labels, _found(labels, src), _found(labels, dst)
    # A table over the whole span is small, and much faster than sorting.
    used = np.zeros(span, dtype=bool)

    def mark(part: np.ndarray) -> None:
        used[_above(part, least)] = True

    in_threads(mark, [ids[block] for ids in (src, dst) for block in blocks(len(ids))])
    labels = np.flatnonzero(used) + least
    if least == 0 and len(labels) == span:
        return labels, src, dst
    place = np.cumsum(used, dtype=np.int32 if span < 2**31 else np.int64)
    np.subtract(place, 1, out=place)
    return labels, _taken(place, src, least), _taken(place, dst, least)


def _numbered_wide(src: np.ndarray, dst: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`numbered` of ids that need uint64."""
    if any(len(ids) and ids.min() < 0 for ids in (src, dst)):
        raise GraphError("some ids are negative and some above 2^63 - 1; give them as text")
    src, dst = src.astype(np.uint64), dst.astype(np.uint64)
    labels = np.union1d(src, dst)
    places = [np.searchsorted(labels, ids).astype(np.int32) for ids in (src, dst)]
    return labels, places[0], places[1]


def _above(ids: np.ndarray, least: int) -> np.ndarray:
    """`ids` less the least, of the type by which NumPy indexes fastest."""
    return np.subtract(ids, least, dtype=np.intp)


def _taken(place: np.ndarray, ids: np.ndarray, least: int) -> np.ndarray:
    places = np.empty(len(ids), dtype=place.dtype)
    return filled(places, lambda block: place[_above(ids[block], least)])


def _found(labels: np.ndarray, ids: np.ndarray) -> np.ndarray:
    places = np.empty(len(ids), dtype=np.int32 if len(labels) < 2**31 else np.int64)
    for at in range(0, len(ids), PART):
        part = ids[at : at + PART]
        order = np.argsort(part)  # sorted ids are found faster, since their labels are neighbors
        places[at : at + PART][order] = np.searchsorted(labels, part[order])
    return places
