"""Centralities of nodes and edges."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import csr_array

from gascl.nx import weighted
from gascl.nx.all_pairs import (
    CACHED,
    FIRST,
    by_distances,
    inverse_sums,
    matrix,
    reached_from_each,
)
from gascl.nx.boundary import require_nodes, sets_of_nodes, within
from gascl.nx.converted_graph import Converted, EdgeField
from gascl.nx.dispatch import (
    Call,
    argument,
    backend_function,
    callable_weight,
    directed,
    multigraph,
)
from gascl.nx.locality import local_search
from gascl.nx.path_trees import arcs_of_rows
from gascl.nx.power_iteration import Affine, Normed, WeightedAffine, WeightedNormed
from gascl.nx.unweighted import depths
from gascl.programs.betweenness import Betweenness, EdgeBetweenness
from gascl.programs.closeness import Closeness, WeightedCloseness
from gascl.programs.harmonic_closeness import WeightedHarmonicCloseness
from gascl.programs.weighted_betweenness import WeightedBetweenness, WeightedEdgeBetweenness

#: With fewer sources, or by weight, only graphs with more edges pay.
FEW_SOURCES, BY_WEIGHT = 50_000, 20_000

# --- by degree ---


def _of_degrees(G: Converted, degree: np.ndarray) -> dict[Any, float]:
    return G.by_node(degree * (1.0 / (len(G) - 1.0))) if len(G) > 1 else dict.fromkeys(G, 1)


@backend_function(first=None, cached=100_000, numpy=True)
def degree_centrality(G: Converted) -> dict[Any, float]:
    """The share of the other nodes that a node is connected to."""
    return _of_degrees(G, G.degree)


@backend_function(first=None, cached=100_000, numpy=True)
def in_degree_centrality(G: Converted) -> dict[Any, float]:
    """The share of the other nodes from which an edge leads to a node."""
    return _of_degrees(G, G.in_degree)


@backend_function(first=None, cached=100_000, numpy=True)
def out_degree_centrality(G: Converted) -> dict[Any, float]:
    """The share of the other nodes to which an edge leads from a node."""
    return _of_degrees(G, G.out_degree)


# --- by distances ---


def _closeness_of_one(G: Converted, u: Any, weight: Any, wf_improved: bool) -> float:
    """The closeness of one node, by NetworkX's formula."""
    message = f"Source {u} is not in G" if weight is None else f"Node {u} not found in graph"
    G.require(u, nx.NodeNotFound(message))
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


def _closeness(distance: np.ndarray, wf_improved: bool) -> np.ndarray:
    """float64 (V,): closeness by the distances between all pairs."""
    count, there = len(distance), np.isfinite(distance)
    near = there.sum(axis=0) - 1.0
    total = np.where(there, distance, 0).sum(axis=0)
    closeness = np.divide(near, total, out=np.zeros(count), where=total > 0)
    return closeness * (near / max(count - 1, 1)) if wf_improved else closeness


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
        return _closeness_of_one(G, u, distance, wf_improved)
    if len(G) == 0:
        return {}
    field = weighted.lengths_of(G, distance)
    if field is None and (to_others := matrix(G)) is not None:
        return G.by_node(_closeness(to_others, bool(wf_improved)))
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
    if field is None:
        values = inverse_sums(G, start)
    else:
        program = WeightedHarmonicCloseness(sources=G.places(start), dtype="float64")
        values = G.run(program, weight=field)["centrality"]
    found = values.tolist()
    index = G.topology.index
    return {node: found[index[node]] or 0 for node in chosen}


@backend_function(
    first=FIRST,
    cached=CACHED,
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
    reach = reached_from_each(G)["reached"] if G.is_directed() else inverse_sums(G)
    reach = reach / (count - 1)
    return float((reach.max() - reach).sum() / (count - 1))


@backend_function(
    first=200_000,
    cached=20_000,
    limits="No weights, no `paths`.",
    unsupported=[argument("weight", reason="weights"), argument("paths")],
    slower=[local_search("v")],
)
def local_reaching_centrality(
    G: Converted, v: Any, paths: Any = None, weight: Any = None, normalized: bool = True
) -> float:
    """The share of the other nodes that a node reaches; without directions, those at a distance
    count less."""
    count = len(G)
    if count == 1 and G.number_of_edges():
        raise nx.NetworkXError(
            "local_reaching_centrality of a single node with self-loop not well-defined"
        )
    if not G.number_of_edges():
        raise nx.NetworkXError("Size of G must be positive")
    G.require(v, nx.NodeNotFound(f"Source {v} not in G"))
    depth = depths(G, v)
    others = depth[depth > 0]
    return (len(others) if G.is_directed() else float((1 / others).sum())) / (count - 1)


# --- by the Laplacian ---


@backend_function(
    first=500,
    cached=200,
    numpy=True,
    limits="No directed graphs, no `nodelist`.",
    unsupported=[directed, argument("nodelist")],
)
def laplacian_centrality(
    G: Converted,
    normalized: bool = True,
    nodelist: Any = None,
    weight: Any = "weight",
    walk_type: Any = None,
    alpha: float = 0.95,
) -> dict[Any, float]:
    """By how much the sum of the squares of the Laplacian matrix falls without a node."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("null graph has no centrality defined")
    lengths, (src, dst) = G.column(weight).lengths, G.ends
    if not lengths.sum():
        if normalized:
            raise ZeroDivisionError("graph with no edges has zero full energy")
        return dict.fromkeys(G, 0)
    proper = src != dst
    adjacency = csr_array((lengths[proper], (src[proper], dst[proper])), shape=(len(G), len(G)))
    adjacency = adjacency + adjacency.T  # parallel edges add up
    degree = adjacency.sum(axis=1)
    squares = (adjacency**2).sum(axis=1)
    full = (degree**2).sum() + squares.sum()
    if not full:
        raise NotImplementedError("loops alone, upon which NetworkX divides 0 by 0")
    # Removing a node removes its row and column, and lowers its neighbors' degrees.
    falls = degree**2 + squares + 2 * (abs(adjacency) @ degree)
    return G.by_node(falls / full if normalized else falls)


# --- of groups ---


def _group(G: Converted, S: Any) -> np.ndarray:
    """bool (V,): the members of a group."""
    require_nodes(G, S)
    return within(G, S)


def _degree_of_group(G: Converted, S: Any, reverse: bool = False) -> float:
    group = _group(G, S)
    offsets, neighbors = G.rows(reverse)
    reached = np.zeros(len(G), bool)
    reached[neighbors[arcs_of_rows(offsets, np.flatnonzero(group))[1]]] = True
    return int(np.count_nonzero(reached & ~group)) / (len(G) - len(S))


_of_group = backend_function(
    first=None, cached=50_000, numpy=True, unsupported=[sets_of_nodes("S")]
)


@_of_group
def group_degree_centrality(G: Converted, S: Any) -> float:
    """The share of the nodes outside of a group that are neighbors of it."""
    return _degree_of_group(G, S)


@_of_group
def group_out_degree_centrality(G: Converted, S: Any) -> float:
    """The same, by edges out of the group."""
    return _degree_of_group(G, S)


@backend_function(first=1_000, cached=500, numpy=True, unsupported=[sets_of_nodes("S")])
def group_in_degree_centrality(G: Converted, S: Any) -> float:
    """The same, by edges into the group."""
    return _degree_of_group(G, S, reverse=True)


@backend_function(
    first=50_000,
    cached=10_000,
    limits=weighted.NOT_NEGATIVE,
    unsupported=[sets_of_nodes("S"), callable_weight()],
)
def group_closeness_centrality(G: Converted, S: Any, weight: Any = None) -> float:
    """The number of nodes outside of a group by the sum of their distances."""
    sources = weighted.distinct_sources(G, set(S))
    distance = weighted.distances(G, G.places(sources), weight, reverse=True)
    total = float(distance[np.isfinite(distance)].sum())
    return (len(G) - len(sources)) / total if total else 0


# --- by votes ---


@backend_function(
    first=500, cached=200, numpy=True, limits="No multigraphs.", unsupported=[multigraph]
)
def voterank(G: Converted, number_of_nodes: Any = None) -> list[Any]:
    """Nodes with the most votes, one after the other; their neighbors then have weaker votes."""
    count = len(G)
    if count == 0:
        return []
    src, dst = G.ends
    votes = G.out_degree if G.is_directed() else G.degree
    average = int(votes.sum()) / count
    # In the order of NetworkX's additions.
    takers, givers = (src, dst) if G.is_directed() else np.stack([(src, dst), (dst, src)], 2)
    takers, givers = takers.reshape(-1), givers.reshape(-1)
    ability, elected = np.ones(count), np.zeros(count, bool)
    offsets, neighbors = G.rows()
    chosen: list[int] = []
    for _ in range(count if number_of_nodes is None else min(number_of_nodes, count)):
        score = np.bincount(takers, ability[givers], count)
        score[elected] = 0
        best = int(score.argmax())
        if score[best] == 0:
            break
        chosen.append(best)
        elected[best] = True
        ability[best] = 0
        heads = neighbors[offsets[best] : offsets[best + 1]]
        ability[heads] = np.maximum(ability[heads] - 1 / average, 0)
    return G.node_array[chosen].tolist()


# --- by shortest paths through nodes and edges ---


def _few_edges(call: Call) -> str:
    if isinstance(call.k, int) and call.k < 4:
        return call.too_few_edges(FEW_SOURCES, "with fewer than 4 sources")
    return "" if call.weight is None else call.too_few_edges(BY_WEIGHT, "by weight")


def _sources(G: Converted, k: Any, seed: Any) -> list[int] | None:
    """NetworkX's own sample of nodes; None: all.

    Callers draw from a copy of the generator first, and from the generator itself once they have
    the answer: if they fail, NetworkX draws the same sample.
    """
    if k is None:
        return None
    drawn = list(seed.sample(G.nodes, k))
    # NumPy's RandomState converts all nodes to text if one is text; NetworkX raises KeyError then
    if not drawn or not all(node in G for node in drawn):
        raise NotImplementedError("no sources, or sources that are not in the graph")
    return G.places(drawn)


def _copied(seed: Any) -> Any:
    """A generator that draws the same as this one, a Random or NetworkX's wrapper of NumPy's."""
    # deepcopy would give such a wrapper NumPy's global generator
    return type(seed)(deepcopy(seed._rng)) if hasattr(seed, "_rng") else deepcopy(seed)


def _lengths(G: Converted, weight: Any) -> EdgeField | None:
    """The edge field for the graph without parallel edges, of which the shortest counts; None
    where every edge has length 1.

    Raises:
        NotImplementedError: an edge may be so short that it makes no path longer. How many paths
            there are then depends on the order in which NetworkX looks at nodes.
    """
    field = weighted.lengths_of(G, weight)
    if field is None:
        return None
    lengths = field[1]
    if lengths.min() <= lengths.sum() * np.finfo(np.float64).eps / 2:
        raise NotImplementedError("lengths of 0, or too short compared with the others")
    if not G.is_multigraph():
        return field
    shortest = weighted.entry_lengths(G, weight)[_listed(G)]
    src, dst, _ = _entries(G)
    return ("shortest", weight), shortest[src != dst]


def _listed(G: Converted) -> Any:
    """The entries of `G.rows` in the order of `G.edges`: all, or one of both directions."""
    if G.is_directed():
        return slice(None)
    return G.tails <= G.rows()[1]


def _entries(G: Converted) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The edges of a multigraph, each with those that are parallel to it: both ends, and how many
    they are. In the order of `G.edges`."""
    listed, counts = _listed(G), G.topology.adjacency.counts
    assert counts is not None
    return G.tails[listed], G.rows()[1][listed], counts[listed]


_by_sources = backend_function(
    first=5_000,
    cached=5_000,
    limits="Weights must be above 0. NetworkX's own sample for `k`.",
    unsupported=[callable_weight()],
    slower=[_few_edges],
)


@_by_sources
def betweenness_centrality(
    G: Converted,
    k: Any = None,
    normalized: bool = True,
    weight: Any = None,
    endpoints: bool = False,
    seed: Any = None,
) -> dict[Any, float]:
    """Betweenness by the paths from all nodes, or from NetworkX's own sample of k."""
    if k == len(G):
        k = None  # as NetworkX does here, but not for edges
    sources = _sources(G, k, _copied(seed))
    if len(G) == 0:
        return {}
    field = _lengths(G, weight)
    program = (Betweenness if field is None else WeightedBetweenness)(
        sources=sources, normalized=bool(normalized), endpoints=bool(endpoints), dtype="float64"
    )
    result = G.run(program, weight=field, simple=True)
    _sources(G, k, seed)
    return G.by_node(result["centrality"])


@_by_sources
def edge_betweenness_centrality(
    G: Converted, k: Any = None, normalized: bool = True, weight: Any = None, seed: Any = None
) -> dict[tuple[Any, ...], float]:
    """Betweenness of edges, by the paths from all nodes, or from NetworkX's own sample of k."""
    sources = _sources(G, k, _copied(seed))
    if len(G) == 0:
        return {}
    field = _lengths(G, weight)
    program = (EdgeBetweenness if field is None else WeightedEdgeBetweenness)(
        sources=sources, normalized=bool(normalized), dtype="float64"
    )
    graph = G.topology.graph(simple=True)
    values = np.zeros(graph.num_edges)
    result = G.run(program, weight=field, simple=True)
    values[graph.arcs().out_edges] = result.arc_fields["centrality"]
    if G.is_multigraph():
        edges, values = list(G.original().edges), _split_among_parallel(G, values, field and weight)
    else:
        edges = list(zip(*(G.node_array[ends].tolist() for ends in G.ends), strict=True))
    _sources(G, k, seed)
    return dict(zip(edges, values.tolist(), strict=True))


def _split_among_parallel(G: Converted, values: np.ndarray, weight: Any) -> np.ndarray:
    """The values of all edges of a multigraph by those of one for several that are parallel: the
    shortest of these share it."""
    src, dst, counts = _entries(G)
    whole = np.zeros(len(src))
    whole[src != dst] = values
    if weight is None:
        return np.repeat(whole / counts, counts)
    shortest = np.repeat(weighted.entry_lengths(G, weight)[_listed(G)], counts)
    chosen = G.column(weight).lengths == shortest
    sharing = np.add.reduceat(chosen, np.cumsum(counts) - counts, dtype=np.int64)
    return np.repeat(whole / sharing, counts) * chosen


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
