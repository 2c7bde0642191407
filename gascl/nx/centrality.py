"""Centralities of nodes, but for betweenness."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from gascl.nx import weighted
from gascl.nx.all_pairs import by_distances, inverse_sums
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import argument, backend_function
from gascl.nx.power_iteration import Affine, Normed, WeightedAffine, WeightedNormed
from gascl.nx.unweighted import depths
from gascl.programs.closeness import Closeness, WeightedCloseness
from gascl.programs.eccentricity import Eccentricity
from gascl.programs.harmonic_closeness import HarmonicCloseness, WeightedHarmonicCloseness

# --- by degree ---


def _shares(G: Converted, degree: np.ndarray) -> dict[Any, float]:
    return G.by_node(degree * (1.0 / (len(G) - 1.0))) if len(G) > 1 else dict.fromkeys(G, 1)


@backend_function(first=None, cached=100_000, numpy=True)
def degree_centrality(G: Converted) -> dict[Any, float]:
    """The share of the other nodes that a node is connected to."""
    return _shares(G, G.degree)


@backend_function(first=None, cached=100_000, numpy=True)
def in_degree_centrality(G: Converted) -> dict[Any, float]:
    """The share of the other nodes from which an edge leads to a node."""
    return _shares(G, G.in_degree)


@backend_function(first=None, cached=100_000, numpy=True)
def out_degree_centrality(G: Converted) -> dict[Any, float]:
    """The share of the other nodes to which an edge leads from a node."""
    return _shares(G, G.out_degree)


# --- by distances ---


def _of_one(G: Converted, u: Any, weight: Any, wf_improved: bool) -> float:
    """The closeness of one node, by NetworkX's formula."""
    if u not in G:
        message = f"Source {u} is not in G" if weight is None else f"Node {u} not found in graph"
        raise nx.NodeNotFound(message)
    if weight is None:
        lengths = depths(G, u, reverse=True)
        lengths = lengths[lengths >= 0]
    else:
        lengths = weighted.distances(G, G.places([u]), weight, reverse=True)
        lengths = lengths[np.isfinite(lengths)]
    total = lengths.sum()
    if not (total > 0.0 and len(G) > 1):
        return 0.0
    num_others = len(lengths) - 1.0
    closeness = num_others / float(total)
    return closeness * (num_others / (len(G) - 1)) if wf_improved else closeness


@by_distances(
    *("No `sp`.", argument("sp")),
    slower=[argument("u", reason="a single node")],
    weight="distance",
)
def closeness_centrality(
    G: Converted, u: Any = None, distance: Any = None, wf_improved: bool = True, *, sp: Any = None
) -> Any:
    """Closeness of all nodes, or of one."""
    if u is not None:
        return _of_one(G, u, distance, wf_improved)
    if len(G) == 0:
        return {}
    field = weighted.lengths_of(G, distance)
    program = (Closeness if field is None else WeightedCloseness)(
        wf_improved=bool(wf_improved), dtype="float64"
    )
    return G.by_node(G.run(program, weight=field, simple=field is None)["centrality"])


@by_distances(slower=[argument("nbunch", "sources", reason="some of the nodes")], weight="distance")
def harmonic_centrality(
    G: Converted, nbunch: Any = None, distance: Any = None, sources: Any = None
) -> dict[Any, Any]:
    """Harmonic centrality of all nodes, or of some."""
    chosen = set(G.nbunch_iter(nbunch)) if nbunch is not None else set(G)
    start = set(G.nbunch_iter(sources)) if sources is not None else set(G)
    if not chosen or not start:
        return dict.fromkeys(chosen, 0)
    field = weighted.lengths_of(G, distance)
    program = (HarmonicCloseness if field is None else WeightedHarmonicCloseness)(
        sources=G.places(start), dtype="float64"
    )
    result = G.run(program, weight=field, simple=field is None)
    values = result["centrality"].tolist()
    index = G.topology.index
    return {node: values[index[node]] or 0 for node in chosen}


@backend_function(
    first=1_000,
    cached=500,
    limits="No weights.",
    unsupported=[argument("weight", reason="weights")],
)
def global_reaching_centrality(G: Converted, weight: Any = None, normalized: bool = True) -> float:
    """The mean difference between the largest share of nodes that a node reaches and the others."""
    count = len(G)
    if not G.number_of_edges():
        raise nx.NetworkXError("Size of G must be positive")
    if count == 1:
        raise nx.NetworkXError(
            "local_reaching_centrality of a single node with self-loop not well-defined"
        )
    reach = G.run(Eccentricity())["reached"] if G.is_directed() else inverse_sums(G)
    reach = reach / (count - 1)
    return float((reach.max() - reach).sum() / (count - 1))


# --- by power iteration ---


_by_iteration = backend_function(
    first=5_000, cached=2_000, limits="`nstart` must have the graph's nodes in their order."
)


def _start(G: Converted, nstart: Any) -> np.ndarray:
    """float64 (V,)."""
    if list(nstart) != G.nodes:
        raise NotImplementedError("a start with other nodes, or in another order")
    return G.at_nodes(nstart)


@_by_iteration
def eigenvector_centrality(
    G: Converted, max_iter: int = 100, tol: float = 1.0e-6, nstart: Any = None, weight: Any = None
) -> dict[Any, float]:
    """Eigenvector centrality by power iteration, with NetworkX's start and stop rule."""
    count = len(G)
    if count == 0:
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    if nstart is not None and all(value == 0 for value in nstart.values()):
        raise nx.NetworkXError("initial vector cannot have all zero values")
    start = np.ones(count) if nstart is None else _start(G, nstart)
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


@_by_iteration
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
    start = np.zeros(count) if nstart is None else _start(G, nstart)
    field = G.weight_field(weight)
    program = (Affine if field is None else WeightedAffine)(
        alpha=alpha, bound=count * tol, own=own, x=start, dtype="float64"
    )
    result = G.run(program, weight=field, max_supersteps=max_iter)
    if not result.converged or not np.isfinite(result["x"]).all():
        raise nx.PowerIterationFailedConvergence(max_iter)
    x = result["x"]
    return G.by_node(x / (np.linalg.norm(x) or 1.0) if normalized else x)
