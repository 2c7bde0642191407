"""Generates the graphs of the benchmarks without gascl."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

EDGES_PER_VERTEX = 16
#: Graph500's probabilities of the bits (0, 0), (0, 1) and (1, 0) of an edge.
A, B, C = 0.57, 0.19, 0.19


@dataclass
class Input:
    """A graph for contenders that do not clean it themselves.

    Attributes:
        raw: (2, E') int32 sources and targets as generated, with self-loops and duplicates.
        src, dst: (E,) int32, without these, sorted by target and then source.
        offsets: (V + 1,) int32, where the edges of each target start in src.
        out_degree: (V,) int32.
    """

    num_vertices: int
    raw: np.ndarray
    src: np.ndarray
    dst: np.ndarray
    offsets: np.ndarray
    out_degree: np.ndarray


def rmat(scale: int, seed: int, order: str) -> np.ndarray:
    """(2, 16 * 2**scale) int32: a directed R-MAT graph, cached in the temporary folder."""
    cached = Path(tempfile.gettempdir()) / f"gascl-rmat-{scale}-{seed}-{order}.npy"
    if cached.exists():
        return np.load(cached)
    edges = drawn(scale, seed, order)
    part = cached.with_suffix(f".{os.getpid()}.npy")
    np.save(part, edges)
    part.replace(cached)
    return edges


def drawn(scale: int, seed: int, order: str) -> np.ndarray:
    """`rmat` without the cache."""
    rng = np.random.default_rng(seed)
    count = EDGES_PER_VERTEX << scale
    edges = np.zeros((2, count), np.int32)
    for _ in range(scale):
        draw = rng.random(count, np.float32)
        edges[0] = 2 * edges[0] + (draw >= A + B)
        edges[1] = 2 * edges[1] + (((draw >= A) & (draw < A + B)) | (draw >= A + B + C))
    if order == "shuffled":
        edges = rng.permutation(1 << scale).astype(np.int32)[edges]
    return edges


def clean(raw: np.ndarray, num_vertices: int) -> Input:
    """Drop self-loops and duplicates without gascl, as a check of gascl's own policies."""
    src, dst = raw.astype(np.int64)
    keys = np.unique((dst * num_vertices + src)[src != dst])
    src, dst = (keys % num_vertices).astype(np.int32), (keys // num_vertices).astype(np.int32)
    counts = np.bincount(dst, minlength=num_vertices)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    out_degree = np.bincount(src, minlength=num_vertices).astype(np.int32)
    return Input(num_vertices, raw, src, dst, offsets, out_degree)


def grid(scale: int) -> np.ndarray:
    """(2, edges) int32: a square grid of about 2**scale vertices, each edge in both directions."""
    side = round(2 ** (scale / 2))
    ids = np.arange(side * side, dtype=np.int32).reshape(side, side)
    pairs = [(ids[:, :-1], ids[:, 1:]), (ids[:-1], ids[1:])]
    ends = np.concatenate([np.stack([a.ravel(), b.ravel()]) for a, b in pairs], axis=1)
    return np.concatenate([ends, ends[::-1]], axis=1)
