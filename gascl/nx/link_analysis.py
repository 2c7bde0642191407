"""PageRank and its matrix, and hubs and authorities."""

from __future__ import annotations

import inspect
from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.convert_matrix import of_dense_matrix, to_numpy_array
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call, argument, backend_function
from gascl.nx.power_iteration import ScaledHubs, WeightedHubs, WeightedScaledHubs
from gascl.programs.hits import HubsAndAuthorities
from gascl.programs.page_rank import PageRank
from gascl.programs.weighted_page_rank import WeightedPageRank

#: Whether NetworkX's HITS is a power iteration, as in newer versions, and not ARPACK's.
ITERATES = "method" in inspect.signature(nx.hits).parameters

#: The supersteps of HITS after which two singular values seem to be equal.
MOST = 2000


def _alpha(call: Call) -> str:
    return "" if 0 <= call.alpha <= 1 else "alpha below 0 or above 1"


@backend_function(
    first=5_000,
    cached=2_000,
    limits="Weights below 0, and alpha outside 0 to 1, are left to NetworkX.",
    unsupported=[_alpha],
)
def pagerank(
    G: Converted,
    alpha: float = 0.85,
    personalization: Any = None,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: Any = None,
    weight: Any = "weight",
    dangling: Any = None,
) -> dict[Any, float]:
    """PageRank by power iteration, with NetworkX's start and stop rule."""
    count = len(G)
    if count == 0:
        return {}
    field = G.weight_field(weight)  # first: weights are declined before other arguments fail
    options: dict[str, Any] = {}
    if nstart is not None:
        options["rank"] = G.at_nodes(nstart)
    if personalization is not None:
        own = G.at_nodes(personalization)
        if own.sum() == 0:
            raise ZeroDivisionError
        options["personalization"] = own
    if dangling is not None:
        options.update(dangling="land", landing=G.at_nodes(dangling))
    program = (PageRank if field is None else WeightedPageRank)(
        damping=alpha, tolerance=count * tol, dtype="float64", **options
    )
    result = G.run(program, weight=field, max_supersteps=max_iter)
    if not result.converged:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return G.by_node(result["rank"])


def _method(call: Call) -> str:
    return "" if call.method == "power_iteration" else f"`method={call.method!r}`"


@backend_function(
    first=50_000,
    cached=10_000,
    limits="By power iteration: no `nstart`, no weights below 0; only a `max_iter` of 0 counts.",
    unsupported=[_method, argument("nstart")],
)
def hits(
    G: Converted,
    max_iter: int = 100,
    tol: float = 1.0e-8,
    nstart: Any = None,
    normalized: bool = True,
    *,
    method: Any = "power_iteration",
) -> tuple[dict[Any, float], dict[Any, float]]:
    """Hubs and authorities by power iteration, where NetworkX 3.6 takes the singular vector."""
    if len(G) == 0:
        return {}, {}
    if max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    if not G.number_of_edges() or len(G) == 1:
        raise NotImplementedError("a graph without edges, or of a single node")
    field = G.weight_field("weight")
    if ITERATES:
        return _scaled_hits(G, field, max_iter, tol, normalized)
    program = (HubsAndAuthorities if field is None else WeightedHubs)(
        tolerance=min(tol, 1e-12), dtype="float64"
    )
    result = G.run(program, weight=field, max_supersteps=MOST)
    if not result.converged:
        raise NotImplementedError("two singular values that hardly differ")
    hubs, authorities = result["hub"], result["authority"]
    if not (hubs.sum() and authorities.sum()):
        raise NotImplementedError("weights that are all 0")
    if normalized:
        return G.by_node(hubs / hubs.sum()), G.by_node(authorities / authorities.sum())
    authorities = authorities / np.linalg.norm(authorities)
    src, dst = G.ends
    weights = G.column("weight").numbers
    hubs = np.bincount(src, weights * authorities[dst], len(G))
    if not G.is_directed():
        hubs += np.bincount(dst, weights * authorities[src] * (src != dst), len(G))
    return G.by_node(hubs), G.by_node(authorities)


def _scaled_hits(
    G: Converted, field: Any, max_iter: int, tol: float, normalized: bool
) -> tuple[dict[Any, float], dict[Any, float]]:
    program = (ScaledHubs if field is None else WeightedScaledHubs)(bound=tol, dtype="float64")
    result = G.run(program, weight=field, max_supersteps=2 * max_iter + 1)
    if not result.converged:
        raise nx.PowerIterationFailedConvergence(max_iter)
    hubs, authorities = result["hub"], result["authority"]
    if normalized:
        return G.by_node(hubs / hubs.sum()), G.by_node(authorities / authorities.sum())
    return G.by_node(hubs), G.by_node(authorities / authorities.max())


@of_dense_matrix
def google_matrix(
    G: Converted,
    alpha: Any = 0.85,
    personalization: Any = None,
    nodelist: Any = None,
    weight: Any = "weight",
    dangling: Any = None,
) -> Any:
    """The matrix of which PageRank is an eigenvector, dense."""
    nodes = G.nodes if nodelist is None else nodelist
    matrix = to_numpy_array(G, nodelist=nodelist, weight=weight)
    count = len(G)
    if count == 0:
        return matrix
    if personalization is None:
        chance = np.repeat(1.0 / count, count)
    else:
        chance = np.array([personalization.get(node, 0) for node in nodes], dtype=float)
        if chance.sum() == 0:
            raise ZeroDivisionError
        chance /= chance.sum()
    rest = chance
    if dangling is not None:
        rest = np.array([dangling.get(node, 0) for node in nodes], dtype=float)
        rest /= rest.sum()
    matrix[np.flatnonzero(matrix.sum(axis=1) == 0)] = rest
    matrix /= matrix.sum(axis=1)[:, np.newaxis]
    return alpha * matrix + (1 - alpha) * chance
