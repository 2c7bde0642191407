"""Sizes of neighborhoods by igraph, a search a vertex."""

from __future__ import annotations

from support.verifiers.compare import agree

from gascl import Graph, Result
from gascl.programs import Neighborhoods


def verify(graph: Graph, result: Result, program: Neighborhoods) -> None:
    """Raises AssertionError where a size is another than igraph's."""
    order = min(program.hops, graph.num_vertices)
    agree(graph, "size", result.size, graph.to_igraph().neighborhood_size(order=order, mode="out"))
