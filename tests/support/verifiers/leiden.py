"""What `Louvain` is verified by; and every community is connected."""

from __future__ import annotations

from support.verifiers import louvain

from gascl import Graph, Result
from gascl.programs import Leiden


def verify(graph: Graph, result: Result, program: Leiden) -> None:
    """Raises AssertionError where communities are disconnected, or bad ones."""
    louvain.verify(graph, result, program)
    assert louvain.disconnected(graph, result.community) == 0, "a community is not connected"
