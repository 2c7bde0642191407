"""Eigenvector centrality."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function
from gascl.nx.power_iteration import Normed, WeightedNormed


@backend_function(
    first=5_000, cached=2_000, limits="`nstart` must have the graph's nodes in their order."
)
def eigenvector_centrality(
    G: Converted, max_iter: int = 100, tol: float = 1.0e-6, nstart: Any = None, weight: Any = None
) -> dict[Any, float]:
    """Eigenvector centrality by power iteration, with NetworkX's start and stop rule."""
    count = len(G)
    if count == 0:
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    start = np.ones(count)
    if nstart is not None:
        if all(value == 0 for value in nstart.values()):
            raise nx.NetworkXError("initial vector cannot have all zero values")
        if list(nstart) != G.nodes:
            raise NotImplementedError("a start with other nodes, or in another order")
        start = G.at_nodes(nstart)
        if not start.sum():
            raise ZeroDivisionError("division by zero")
    field = G.weight_field(weight)
    program = (Normed if field is None else WeightedNormed)(
        bound=count * tol, x=start / start.sum(), dtype="float64"
    )
    # the first superstep only computes the length that the second one divides by
    result = G.run(program, weight=field, max_supersteps=max_iter + 1)
    if not result.converged or max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return G.by_node(result["x"])
