"""Sizes of neighbourhoods by SciPy's distances."""

from __future__ import annotations

import numpy as np
from verifiers.compare import agree
from verifiers.distances import distances

from gascl import Graph, Result
from gascl.programs import Neighbourhoods


def verify(graph: Graph, result: Result, program: Neighbourhoods) -> None:
    """Raises AssertionError where a size is another."""
    everyone = np.arange(graph.num_vertices)
    ways = [(way <= program.hops).sum(1) for _, way in distances(graph, everyone)]
    agree(graph, "size", result.size, np.concatenate([*ways, np.zeros(0, int)]))
