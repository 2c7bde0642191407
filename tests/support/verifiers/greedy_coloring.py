"""A proper coloring, each color the least that the neighbors leave, by looking at each edge."""

from __future__ import annotations

import numpy as np

from gascl import Graph, Result
from gascl.programs import GreedyColoring


def verify(graph: Graph, result: Result, program: GreedyColoring) -> None:
    """Raises AssertionError at two neighbors alike, or a color that could be less."""
    color = result.color.astype(np.int64)
    assert color.min(initial=0) >= 0, "there are vertices without a color"
    other = graph.edge_src != graph.edge_dst
    src, dst = graph.edge_src[other], graph.edge_dst[other]
    alike = np.flatnonzero(color[src] == color[dst])
    if len(alike):
        ends = (graph.label_of(int(x[alike[0]])) for x in (src, dst))
        raise AssertionError("{!r} and {!r} are adjacent and alike".format(*ends))
    # Each vertex has neighbors of all the colors below its own: as many colors as its own is.
    src, dst = np.concatenate([src, dst]), np.concatenate([dst, src])
    lower = color[dst] < color[src]
    pairs = np.unique(np.stack([src[lower], color[dst[lower]]]), axis=1)
    below = np.bincount(pairs[0], minlength=graph.num_vertices)
    if not np.array_equal(below, color):
        first = int(np.flatnonzero(below != color)[0])
        why = f"has color {color[first]}, and its neighbors leave a smaller one free"
        raise AssertionError(f"{graph.label_of(first)!r} {why}")
    # What a vertex remembers of the colors before it, 32 at a time.
    order = np.empty(graph.num_vertices, np.int64)
    order[np.argsort(-result.precedence.astype(np.int64), kind="stable")] = np.arange(len(order))
    before = (order[dst] < order[src]) & (color[dst] // 32 == color[src] // 32)
    taken = np.zeros(graph.num_vertices, np.int64)
    np.bitwise_or.at(taken, src[before], 1 << color[dst[before]] % 32)
    remembered = {"awaited": 0, "least": color - color % 32, "taken": taken}
    for name, expected in remembered.items():
        wrong = np.flatnonzero(result[name] != expected)
        assert not len(wrong), f"{name} of {graph.label_of(int(wrong[0]))!r} is wrong"
