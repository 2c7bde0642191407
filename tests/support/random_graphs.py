"""Graphs to run random programs on: special ones by name, and a hypothesis strategy."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from support.plain_graph import PlainGraph
from support.random_expressions import DRAW


def with_fields(num_vertices: int, edges: Any, directed: bool = True, every: int = 1) -> PlainGraph:
    """A graph with the edge field w0 and, if `every` is odd, w1."""
    edges = tuple(edges)
    values = {"w0": [(3 * i + every) % 10 for i in range(len(edges))]}
    if every % 2:
        values["w1"] = [float((7 * i) % 10) for i in range(len(edges))]
    return PlainGraph(num_vertices, edges, directed, values)


PATH = [(i, i + 1) for i in range(199)]
SPECIAL = {
    "empty": with_fields(0, []),
    "one vertex": with_fields(1, []),
    "one vertex, two self-loops": with_fields(1, [(0, 0), (0, 0)]),
    "no edges": with_fields(5, [], every=2),
    "self-loops": with_fields(4, [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 2), (2, 3)]),
    "self-loops, undirected": with_fields(3, [(0, 0), (0, 1), (1, 1), (2, 1), (2, 2)], False, 2),
    "parallel edges": with_fields(3, [(0, 1)] * 4 + [(1, 2)] * 3 + [(1, 0), (2, 0)]),
    "parallel, undirected": with_fields(3, [(0, 1), (1, 0), (0, 1), (2, 1)], False),
    "isolated vertices": with_fields(9, [(2, 5), (5, 7), (7, 2), (5, 2)], every=2),
    "star inwards": with_fields(301, [(i, 0) for i in range(1, 301)]),
    "star outwards": with_fields(301, [(300, i) for i in range(300)], every=2),
    "star, undirected": with_fields(301, [(150, i) for i in range(301) if i != 150], False),
    "path": with_fields(200, PATH),
    "path, undirected": with_fields(200, PATH, False, 2),
}
# For what is asked of every pair, which Python is slow at: blocks, and ranges, of several.
PAIRED = {name: graph for name, graph in SPECIAL.items() if graph.num_vertices < 20}
PAIRED["more than a block"] = with_fields(70, [(i * i % 70, i * 7 % 70) for i in range(90)])


@st.composite
def graphs(draw: DRAW, most: int = 12) -> PlainGraph:
    """A multigraph of up to `most` vertices."""
    n = draw(st.integers(1, most))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    edges = draw(st.lists(ends, max_size=3 * n))
    return with_fields(n, edges, draw(st.booleans()), draw(st.integers(1, 4)))
