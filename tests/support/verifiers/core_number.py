"""Core numbers by igraph (Batagelj and Zaveršnik's buckets), of the graph without its loops."""

from __future__ import annotations

from support.verifiers.compare import agree

from gascl import Graph, Result
from gascl.programs import CoreNumber


def verify(graph: Graph, result: Result, program: CoreNumber) -> None:
    """Raises AssertionError where a vertex's core number is another than igraph's."""
    other = graph.to_igraph().simplify(multiple=False, loops=True)
    agree(graph, "core", result.core, other.coreness(mode="all"))
