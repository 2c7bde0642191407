"""Positions by the forces' formula, in float64 and with all pairs or the same samples."""

from __future__ import annotations

import numpy as np

from gascl import Graph, Result
from gascl.programs import ForceLayout


def hashed(x) -> np.ndarray:
    """The last step of MurmurHash3."""
    x = np.atleast_1d(np.asarray(x, np.uint32))  # of scalars, NumPy warns that they wrap
    x = (x ^ x >> 16) * np.uint32(0x85EBCA6B)
    x = (x ^ x >> 13) * np.uint32(0xC2B2AE35)
    return x ^ x >> 16


def others_of(count: int, samples: int, seed: int, superstep: int) -> np.ndarray:
    """(V, samples): who repels each vertex."""
    step = np.arange(count - 1)
    if count > 16 * samples:
        first = hashed(hashed(seed) + np.uint32(superstep))
        drawn = hashed(first + np.arange(samples, dtype=np.uint32)).astype(np.uint64)
        step = (drawn * np.uint64(count - 1) >> np.uint64(32)).astype(np.int64)
    return (np.arange(count)[:, None] + 1 + step) % count


def move(graph: Graph, position: np.ndarray, program: ForceLayout) -> np.ndarray:
    """Positions after the program's supersteps."""
    at, count = position.astype(np.float64), graph.num_vertices
    pairs = np.sort([graph.edge_src, graph.edge_dst], axis=0)
    low, high = np.unique(pairs[:, pairs[0] != pairs[1]], axis=1)
    adjacent = np.zeros((count, count))
    adjacent[low, high] = adjacent[high, low] = 1
    heat = 0.05 * max(np.ptp(at, axis=0).max(), 1)
    for superstep in range(program.supersteps):
        d = at[None, :, :] - at[:, None, :]  # from the first to the second
        pull = ((adjacent * np.linalg.norm(d, axis=2))[:, :, None] * d).sum(axis=1)
        push = np.zeros_like(at)
        if count > 1:
            other = others_of(count, program.samples, program.seed, superstep)
            d = at[:, None, :] - at[other]
            near = np.maximum((d**2).sum(axis=2), 1e-4)
            push = (d / near[:, :, None] ** 1.5).mean(axis=1)
        force = pull + (count - 1) * push - program.gravity * at
        length = np.linalg.norm(force, axis=1)[:, None]
        most = heat * (1 - superstep / program.supersteps)
        at = at + force * most / np.maximum(length, most)
    return at


def verify(graph: Graph, result: Result, program: ForceLayout) -> None:
    """Raises AssertionError where positions are not those of the model, if it is known where they
    began; and otherwise where neighbors are no nearer to each other than all vertices are."""
    at = result.position.astype(np.float64)
    assert at.shape == (graph.num_vertices, 2) and np.isfinite(at).all()
    if "position" in program.initial:
        expected = move(graph, np.asarray(program.initial["position"]), program)
        width = max(np.ptp(expected, axis=0).max(), 1) if len(expected) else 1
        far = np.abs(at - expected).max(initial=0) / width
        # Rounding grows where vertices pass close to each other.
        assert far < (1e-9 if result.position.dtype == np.float64 else 1e-2), f"off by {far}"
        return
    drawn = np.random.default_rng(0).integers(0, max(graph.num_vertices, 1), (2, 10_000))
    edges, pairs = (
        np.linalg.norm(at[u[u != v]] - at[v[u != v]], axis=1)
        for u, v in ((graph.edge_src, graph.edge_dst), drawn)
    )
    if len(edges):
        assert edges.mean() < 1.001 * pairs.mean(), "neighbors are no nearer than others"
