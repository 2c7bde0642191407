"""Vertices for ids that may leave gaps."""

from __future__ import annotations

import numpy as np

PART = 1 << 20  # ids at a time, which bounds the memory on the way


def numbered(src: np.ndarray, dst: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ids in use, sorted (int64 (V,)), and for `src` and `dst` (E,) their places there, int32
    while those fit.

    `src` and `dst`, integers, may be what is returned.
    """
    if not len(src):
        none = np.empty(0, dtype=np.int32)
        return np.empty(0, dtype=np.int64), none, none
    least = min(int(src.min()), int(dst.min()))
    span = max(int(src.max()), int(dst.max())) - least + 1
    if span > 8 * len(src):
        labels = np.union1d(np.unique(src), np.unique(dst)).astype(np.int64, copy=False)
        return labels, _found(labels, src), _found(labels, dst)
    # A table over the whole span is small, and much faster than sorting.
    used = np.zeros(span, dtype=bool)
    for ids in (src, dst):
        for at in range(0, len(ids), PART):
            used[_above(ids[at : at + PART], least)] = True
    labels = np.flatnonzero(used) + least
    if least == 0 and len(labels) == span:
        return labels, src, dst
    place = np.cumsum(used, dtype=np.int32 if span < 2**31 else np.int64)
    np.subtract(place, 1, out=place)
    return labels, _taken(place, src, least), _taken(place, dst, least)


def _above(ids: np.ndarray, least: int) -> np.ndarray:
    return ids.astype(np.int64) - least if least else ids


def _taken(place: np.ndarray, ids: np.ndarray, least: int) -> np.ndarray:
    places = np.empty(len(ids), dtype=place.dtype)
    for at in range(0, len(ids), PART):
        places[at : at + PART] = place[_above(ids[at : at + PART], least)]
    return places


def _found(labels: np.ndarray, ids: np.ndarray) -> np.ndarray:
    places = np.empty(len(ids), dtype=np.int32 if len(labels) < 2**31 else np.int64)
    for at in range(0, len(ids), PART):
        part = ids[at : at + PART]
        order = np.argsort(part)  # sorted ids are found faster: their labels are near each other
        places[at : at + PART][order] = np.searchsorted(labels, part[order])
    return places
