"""A proper coloring, each color as little as the neighbors allow; and what vertices remember, by
going through the supersteps in NumPy."""

from __future__ import annotations

import numpy as np

from gascl import Graph, Result
from gascl.programs import GreedyColoring

#: Colors that a vertex remembers at once, and those from which on it may leave one out.
WINDOW, SPREAD = 32, 64


def hashed(x: np.ndarray) -> np.ndarray:
    """The last step of MurmurHash3."""
    x = (x ^ x >> 16) * np.uint32(0x85EBCA6B)
    x = (x ^ x >> 13) * np.uint32(0xC2B2AE35)
    return x ^ x >> 16


def bits(color: np.ndarray, least: np.ndarray) -> np.ndarray:
    """A bit for each color among those remembered; for others, 0."""
    place = color.astype(np.int64) - least
    within = (place >= 0) & (place < WINDOW)
    return np.where(within, np.left_shift(1, np.where(within, place, 0)), 0).astype(np.uint32)


def colored(graph: Graph, program: GreedyColoring, precedence: np.ndarray) -> dict[str, np.ndarray]:
    """The fields after all supersteps."""
    count = graph.num_vertices
    other = graph.edge_src != graph.edge_dst
    ends = graph.edge_src[other], graph.edge_dst[other]
    src, dst = np.concatenate([ends[0], ends[1]]), np.concatenate([ends[1], ends[0]])
    order = np.argsort(src, kind="stable")
    src, dst = src[order], dst[order]
    offsets = np.searchsorted(src, np.arange(count + 1))
    rank = precedence.astype(np.int64)
    before = (rank[src] > rank[dst]) | ((rank[src] == rank[dst]) & (src < dst))

    color, least = np.full(count, -1), np.zeros(count, np.int64)
    awaited, taken = np.zeros(count, np.int64), np.zeros(count, np.uint32)
    active, superstep = np.arange(count), 0
    while len(active):
        rows = offsets[active + 1] - offsets[active]
        arcs = np.repeat(offsets[active + 1] - rows.cumsum(), rows) + np.arange(rows.sum())
        s, d, first = src[arcs], dst[arcs], before[arcs]
        mine, theirs = color[s], color[d]
        asks, chose = (mine == -1) & (superstep > 0), mine < -1
        found, counts = np.zeros(count, np.uint32), np.zeros(count, np.int64)
        clash, applies = np.zeros(count, bool), np.zeros(count, bool)
        answer = np.where(asks, bits(theirs, least[s]), 0).astype(np.uint32)
        np.bitwise_or.at(found, s, answer)
        tells = ~asks & ~chose & (theirs < 0)
        told = np.where(tells, bits(mine, least[d]), 0).astype(np.uint32)
        np.bitwise_or.at(found, d, told)
        np.add.at(counts, d[tells & first], 1)
        clash[d[chose & (mine == theirs) & first]] = True
        applies[active] = applies[d[told > 0]] = applies[d[tells & first]] = True
        ids = np.flatnonzero((applies | clash) & (color < 0))

        awaited[ids] += counts[ids] if superstep == 0 else -counts[ids]
        taken[ids] |= found[ids]
        chosen = -2 - color[ids]
        keeps = (chosen >= 0) & ~clash[ids] & (bits(chosen, least[ids]) & taken[ids] == 0)
        color[ids] = np.where(keeps, chosen, -1)
        full = ids[~keeps & (taken[ids] == 2**WINDOW - 1)]
        least[full] += WINDOW
        picks = ids[~keeps & (taken[ids] != 2**WINDOW - 1)]
        picks = picks[(awaited[picks] <= program.ahead) & ~clash[picks]]
        taken[full] = 0
        free = ~taken[picks]
        drawn = hashed(picks.astype(np.uint32) + hashed(np.full(1, superstep, np.uint32)))
        skipped = drawn % (np.minimum(least[picks] // SPREAD, awaited[picks]) + 1)
        for skip in range(int(skipped.max(initial=0))):
            rest = free & (free - np.uint32(1))
            free = np.where((skipped > skip) & (rest > 0), rest, free)
        lowest = least[picks] + np.log2(free & (~free + np.uint32(1))).astype(np.int64)
        color[picks] = -2 - lowest if program.ahead else lowest
        active = np.sort(np.concatenate([ids[keeps], full, picks]))
        superstep += 1
    return {"color": color, "awaited": awaited, "least": least, "taken": taken}


def verify(graph: Graph, result: Result, program: GreedyColoring) -> None:
    """Raises AssertionError at two neighbors alike, a color that could be less, or anything else
    that is not what the algorithm gives."""
    color = result.color.astype(np.int64)
    assert color.min(initial=0) >= 0, "there are vertices without a color"
    other = graph.edge_src != graph.edge_dst
    src, dst = graph.edge_src[other], graph.edge_dst[other]
    alike = np.flatnonzero(color[src] == color[dst])
    if len(alike):
        ends = (graph.label_of(int(x[alike[0]])) for x in (src, dst))
        raise AssertionError("{!r} and {!r} are adjacent and alike".format(*ends))
    # Each vertex has neighbors of all the colors below its own, but for those that are left out.
    src, dst = np.concatenate([src, dst]), np.concatenate([dst, src])
    lower = color[dst] < color[src]
    pairs = np.unique(np.stack([src[lower], color[dst[lower]]]), axis=1)
    below = np.bincount(pairs[0], minlength=graph.num_vertices)
    left_out = color // WINDOW * WINDOW // SPREAD if program.ahead else 0
    if not np.all(below >= color - left_out):
        first = int(np.flatnonzero(below < color - left_out)[0])
        why = f"has color {color[first]}, and its neighbors leave a smaller one free"
        raise AssertionError(f"{graph.label_of(first)!r} {why}")
    for name, expected in colored(graph, program, result.precedence).items():
        wrong = np.flatnonzero(result[name] != expected)
        assert not len(wrong), f"{name} of {graph.label_of(int(wrong[0]))!r} is wrong"
