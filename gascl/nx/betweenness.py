"""The share of shortest paths through nodes and edges."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from gascl.nx import weighted
from gascl.nx.converted_graph import Converted, EdgeField
from gascl.nx.dispatch import Call, backend_function, callable_weight
from gascl.programs.betweenness import Betweenness, EdgeBetweenness
from gascl.programs.weighted_betweenness import WeightedBetweenness, WeightedEdgeBetweenness

#: With fewer sources, or by weight, only graphs with more edges pay.
FEW_SOURCES, BY_WEIGHT = 50_000, 20_000


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
        edges, values = list(G.original().edges), _shared(G, values, field and weight)
    else:
        edges = list(zip(*(G.node_array[ends].tolist() for ends in G.ends), strict=True))
    _sources(G, k, seed)
    return dict(zip(edges, values.tolist(), strict=True))


def _shared(G: Converted, values: np.ndarray, weight: Any) -> np.ndarray:
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
