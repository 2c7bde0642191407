"""Katz centrality."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function
from gascl.nx.power_iteration import Affine, WeightedAffine


@backend_function(
    first=5_000, cached=2_000, limits="`nstart` must have the graph's nodes in their order."
)
def katz_centrality(
    G: Converted,
    alpha: float = 0.1,
    beta: Any = 1.0,
    max_iter: int = 1000,
    tol: float = 1.0e-6,
    nstart: Any = None,
    normalized: bool = True,
    weight: Any = None,
) -> dict[Any, float]:
    """Katz centrality by power iteration, with NetworkX's start and stop rule."""
    count = len(G)
    if count == 0:
        return {}
    try:
        own = np.full(count, float(beta))
    except (TypeError, ValueError, AttributeError) as error:
        if set(beta) != set(G):
            message = "beta dictionary must have a value for every node"
            raise nx.NetworkXError(message) from error
        own = G.at_nodes(beta)
    start = np.zeros(count)
    if nstart is not None:
        if list(nstart) != G.nodes:
            raise NotImplementedError("a start with other nodes, or in another order")
        start = G.at_nodes(nstart)
    field = G.weight_field(weight)
    program = (Affine if field is None else WeightedAffine)(
        alpha=alpha, bound=count * tol, own=own, x=start, dtype="float64"
    )
    result = G.run(program, weight=field, max_supersteps=max_iter)
    if not result.converged or not np.isfinite(result["x"]).all():
        raise nx.PowerIterationFailedConvergence(max_iter)
    x = result["x"]
    return G.by_node(x / (np.linalg.norm(x) or 1.0) if normalized else x)
