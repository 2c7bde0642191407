"""Ids of any kind as places in their sorted, unique values."""

from __future__ import annotations

import numpy as np

from gascl.errors import GraphError

CHUNK = 1 << 20  # ids at a time: temporary arrays stay small and in the cache
SPAN = 4  # a table over the ids' span is used where it has at most so many places an id


def numbered(src: np.ndarray, dst: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sorted unique integers of both (V,), and the places of `src` and `dst` in them, int32.

    Raises:
        GraphError: one has ids below zero, and the other ids beyond 64 bits with a sign.
    """
    src, dst = _alike(src, dst)
    columns = [column for column in (src, dst) if len(column)]
    if not columns:
        return np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int32)
    least = min(int(column.min()) for column in columns)
    span = max(int(column.max()) for column in columns) - least + 1
    if span > SPAN * (len(src) + len(dst)):
        labels = np.unique(np.concatenate([np.unique(column) for column in columns]))
        labels = labels.astype(np.int64) if labels.dtype == np.int32 else labels
        return labels, _places(src, labels), _places(dst, labels)
    used = np.zeros(span, dtype=bool)
    for column in columns:
        for start in range(0, len(column), CHUNK):
            used[column[start : start + CHUNK] - least] = True
    if least == 0 and src.dtype == np.int32 and used.all():
        return np.arange(span), src, dst
    rank = np.cumsum(used, dtype=np.int32) - np.int32(1)
    wide = np.dtype(np.uint64 if src.dtype == np.uint64 else np.int64)
    labels = np.flatnonzero(used).astype(wide) + wide.type(least)
    return labels, _looked_up(src, least, rank), _looked_up(dst, least, rank)


def _alike(src: np.ndarray, dst: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both as int64, or as uint64 where an id needs it."""
    wide = [c for c in (src, dst) if c.dtype == np.uint64 and len(c) and c.max() >= 2**63]
    if not wide:
        # int32 stays: differences within a span that fits a table cannot overflow it
        keep = src.dtype == dst.dtype == np.int32
        return (src, dst) if keep else (src.astype(np.int64), dst.astype(np.int64))
    if any(len(column) and column.min() < 0 for column in (src, dst)):
        raise GraphError("some ids are below 0 and some above 2^63 - 1; give them as text")
    return src.astype(np.uint64), dst.astype(np.uint64)


def _looked_up(column: np.ndarray, least: int, rank: np.ndarray) -> np.ndarray:
    places = np.empty(len(column), dtype=np.int32)
    for start in range(0, len(column), CHUNK):
        places[start : start + CHUNK] = rank[column[start : start + CHUNK] - least]
    return places


def _places(column: np.ndarray, labels: np.ndarray) -> np.ndarray:
    places = np.empty(len(column), dtype=np.int32)
    for start in range(0, len(column), CHUNK):
        places[start : start + CHUNK] = np.searchsorted(labels, column[start : start + CHUNK])
    return places
