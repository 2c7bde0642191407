"""Ranks by iteration, and centralities by degree."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function
from gascl.nx.power_iteration import (
    Affine,
    Normed,
    ScaledHubs,
    WeightedAffine,
    WeightedHubs,
    WeightedNormed,
    WeightedScaledHubs,
)
from gascl.programs.hits import HubsAndAuthorities
from gascl.programs.page_rank import PageRank
from gascl.programs.weighted_page_rank import WeightedPageRank

#: Whether NetworkX's HITS is a power iteration, as in newer versions, and not ARPACK's.
ITERATES = "method" in inspect.signature(nx.hits).parameters

#: The supersteps of HITS after which two singular values seem to be equal.
MOST = 2000


def weight_of(G: Converted, weight: Any) -> tuple[Any, np.ndarray] | None:
    """The edge field for `Converted.run`; None where no edge has another weight than 1."""
    if weight is None:
        return None
    column = G.column(weight)
    return None if column.all_one else (("numbers", weight), column.numbers)


def at_nodes(G: Converted, values: Mapping[Any, Any]) -> np.ndarray:
    """float64 (V,): a dictionary's values, 0 where it has none."""
    return np.array([values.get(node, 0) for node in G.nodes], dtype=np.float64)


@backend_function(first=5_000, cached=2_000)
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
    field = weight_of(G, weight)  # what is declined is declined before errors of other arguments
    given: dict[str, Any] = {}
    if nstart is not None:
        given["rank"] = at_nodes(G, nstart)
    if personalization is not None:
        own = at_nodes(G, personalization)
        if own.sum() == 0:
            raise ZeroDivisionError
        given["personalization"] = own
    if dangling is not None:
        given.update(dangling="land", landing=at_nodes(G, dangling))
    program = PageRank if field is None else WeightedPageRank
    values = {"damping": alpha, "tolerance": count * tol, **given}
    result = G.run(program(dtype="float64", **values), weight=field, max_supersteps=max_iter)
    if not result.converged:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return G.by_node(result["rank"])


@pagerank.unless
def _(
    G: Any,
    alpha: Any,
    personalization: Any,
    max_iter: Any,
    tol: Any,
    nstart: Any,
    weight: Any,
    dangling: Any,
) -> str:
    return "" if 0 <= alpha <= 1 else "alpha below 0 or above 1"


@backend_function(first=5_000, cached=2_000)
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
    field = weight_of(G, "weight")
    if ITERATES:
        return _scaled_hits(G, field, max_iter, tol, normalized)
    program = HubsAndAuthorities if field is None else WeightedHubs
    made = program(tolerance=min(tol, 1e-12), dtype="float64")
    result = G.run(made, weight=field, max_supersteps=MOST)
    if not result.converged:
        raise NotImplementedError("two singular values that hardly differ")
    hubs, authorities = result["hub"], result["authority"]
    if not (hubs.sum() and authorities.sum()):
        raise NotImplementedError("weights that are all 0")
    if normalized:
        return G.by_node(hubs / hubs.sum()), G.by_node(authorities / authorities.sum())
    authorities = authorities / np.linalg.norm(authorities)
    src, dst = G.topology.adjacency.src, G.topology.adjacency.dst
    weights = G.column("weight").numbers
    hubs = np.bincount(src, weights * authorities[dst], len(G))
    if not G.is_directed():
        hubs += np.bincount(dst, weights * authorities[src] * (src != dst), len(G))
    return G.by_node(hubs), G.by_node(authorities)


def _scaled_hits(
    G: Converted, field: Any, max_iter: int, tol: float, normalized: bool
) -> tuple[dict[Any, float], dict[Any, float]]:
    program = ScaledHubs if field is None else WeightedScaledHubs
    made = program(bound=tol, dtype="float64")
    result = G.run(made, weight=field, max_supersteps=2 * max_iter + 1)
    if not result.converged:
        raise nx.PowerIterationFailedConvergence(max_iter)
    hubs, authorities = result["hub"], result["authority"]
    if normalized:
        return G.by_node(hubs / hubs.sum()), G.by_node(authorities / authorities.sum())
    return G.by_node(hubs), G.by_node(authorities / authorities.max())


@hits.unless
def _(G: Any, max_iter: Any, tol: Any, nstart: Any, normalized: Any, *, method: Any) -> str:
    if method != "power_iteration":
        return f"`method={method!r}`"
    return "`nstart`" if nstart is not None else ""


@backend_function(first=5_000, cached=2_000)
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
        own = at_nodes(G, beta)
    start = np.zeros(count)
    if nstart is not None:
        if list(nstart) != G.nodes:
            raise NotImplementedError("a start with other nodes, or in another order")
        start = at_nodes(G, nstart)
    field = weight_of(G, weight)
    program = Affine if field is None else WeightedAffine
    made = program(alpha=alpha, bound=count * tol, own=own, x=start, dtype="float64")
    result = G.run(made, weight=field, max_supersteps=max_iter)
    if not result.converged or not np.isfinite(result["x"]).all():
        raise nx.PowerIterationFailedConvergence(max_iter)
    found = result["x"]
    if normalized:
        found = found / (np.linalg.norm(found) or 1.0)
    return G.by_node(found)


@backend_function(first=5_000, cached=2_000)
def eigenvector_centrality(
    G: Converted,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: Any = None,
    weight: Any = None,
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
        start = at_nodes(G, nstart)
        if not start.sum():
            raise ZeroDivisionError("division by zero")
    field = weight_of(G, weight)
    program = Normed if field is None else WeightedNormed
    made = program(bound=count * tol, x=start / start.sum(), dtype="float64")
    # the first superstep only finds the length of what the second one takes
    result = G.run(made, weight=field, max_supersteps=max_iter + 1)
    if not result.converged or max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return G.by_node(result["x"])


def _by_degree(G: Converted, degree: np.ndarray) -> dict[Any, float]:
    return G.by_node(degree * (1.0 / (len(G) - 1.0)))


@backend_function(first=None, cached=100_000)
def degree_centrality(G: Converted) -> dict[Any, float]:
    """The share of the other nodes that a node is connected to."""
    return {node: 1 for node in G} if len(G) <= 1 else _by_degree(G, G.degree)


@backend_function(first=None, cached=100_000)
def in_degree_centrality(G: Converted) -> dict[Any, float]:
    """The share of the other nodes from which an edge leads to a node."""
    return {node: 1 for node in G} if len(G) <= 1 else _by_degree(G, G.in_degree)


@backend_function(first=None, cached=100_000)
def out_degree_centrality(G: Converted) -> dict[Any, float]:
    """The share of the other nodes to which an edge leads from a node."""
    return {node: 1 for node in G} if len(G) <= 1 else _by_degree(G, G.out_degree)
