"""What follows from the distances between all pairs of nodes."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx
import numpy as np

from gascl.nx import weighted
from gascl.nx.components import connected
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function
from gascl.nx.unweighted import depths
from gascl.programs.closeness import Closeness, WeightedCloseness
from gascl.programs.eccentricity import Eccentricity
from gascl.programs.harmonic_closeness import HarmonicCloseness, WeightedHarmonicCloseness


def _inverses(G: Converted) -> np.ndarray:
    """float64 (V,): the sum of 1 / distance from the others to each node."""
    return G.run(HarmonicCloseness(dtype="float64"))["centrality"]


def _pairs_by_weight(G: Converted, weight: Any) -> Any:
    """The distances from each node, node by node."""
    for place in range(len(G)):
        yield weighted.distances(G, [place], weight)


def _declines_weight(G: Any, *arguments: Any) -> str:
    return weighted.hidden(arguments[-1])


def _one_closeness(distance: np.ndarray, count: int, wf_improved: bool) -> float:
    """NetworkX's formula.

    Args:
        distance: of those from which there is a path, and of the node itself.
    """
    total = distance.sum()
    if not (total > 0.0 and count > 1):
        return 0.0
    reached = len(distance) - 1.0
    found = reached / float(total)
    return found * (reached / (count - 1)) if wf_improved else found


@backend_function(first=1_000, cached=500)
def closeness_centrality(
    G: Converted, u: Any = None, distance: Any = None, wf_improved: bool = True, *, sp: Any = None
) -> Any:
    """Closeness of all nodes, or of one."""
    count = len(G)
    if u is not None:
        if u not in G:
            missing = (
                f"Source {u} is not in G" if distance is None else f"Node {u} not found in graph"
            )
            raise nx.NodeNotFound(missing)
        if distance is None:
            lengths = depths(G, u, reverse=True)
            lengths = lengths[lengths >= 0]
        else:
            lengths = weighted.distances(G, G.places([u]), distance, reverse=True)
            lengths = lengths[np.isfinite(lengths)]
        return _one_closeness(lengths, count, wf_improved)
    if count == 0:
        return {}
    field = weighted.lengths_of(G, distance)
    options: dict[str, Any] = {"wf_improved": bool(wf_improved), "dtype": "float64"}
    if field is None:
        return G.by_node(G.run(Closeness(**options), simple=True)["centrality"])
    return G.by_node(G.run(WeightedCloseness(**options), weight=field)["centrality"])


@closeness_centrality.unless
def _(G: Any, u: Any, distance: Any, wf_improved: Any, *, sp: Any) -> str:
    return "`sp`" if sp is not None else weighted.hidden(distance)


@closeness_centrality.worth
def _(G: Any, u: Any, distance: Any, wf_improved: Any, *, sp: Any) -> str:
    return weighted.few(G, distance) if u is None else "a single node"


@backend_function(first=1_000, cached=500)
def harmonic_centrality(
    G: Converted, nbunch: Any = None, distance: Any = None, sources: Any = None
) -> dict[Any, Any]:
    """Harmonic centrality of all nodes, or of some."""
    chosen = set(G.nbunch_iter(nbunch)) if nbunch is not None else set(G)
    start = set(G.nbunch_iter(sources)) if sources is not None else set(G)
    if not chosen or not start:
        return dict.fromkeys(chosen, 0)
    options: dict[str, Any] = {"sources": G.places(start), "dtype": "float64"}
    field = weighted.lengths_of(G, distance)
    if field is None:
        found = G.run(HarmonicCloseness(**options), simple=True)
    else:
        found = G.run(WeightedHarmonicCloseness(**options), weight=field)
    values = found["centrality"].tolist()
    index = G.topology.index
    return {node: values[index[node]] or 0 for node in chosen}


@harmonic_centrality.unless
def _(G: Any, nbunch: Any, distance: Any, sources: Any) -> str:
    return weighted.hidden(distance)


@harmonic_centrality.worth
def _(G: Any, nbunch: Any, distance: Any, sources: Any) -> str:
    if nbunch is not None or sources is not None:
        return "some of the nodes"
    return weighted.few(G, distance)


@backend_function(first=1_000, cached=500)
def average_shortest_path_length(G: Converted, weight: Any = None, method: Any = None) -> float:
    """The mean distance between two nodes."""
    methods = ["unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy"]
    if method is None:
        method = "unweighted" if weight is None else "dijkstra"
    if method not in methods:
        raise ValueError(f"method not supported: {method}")
    count = len(G)
    if count == 0:
        raise nx.NetworkXPointlessConcept(
            "the null graph has no paths, thus there is no average shortest path length"
        )
    if count == 1:
        return 0
    if not connected(G):
        strongly = "strongly " if G.is_directed() else ""
        raise nx.NetworkXError(f"Graph is not {strongly}connected.")
    return _total(G, None if method == "unweighted" else weight) / (count * (count - 1))


average_shortest_path_length.unless(lambda G, weight, method: weighted.hidden(weight))
average_shortest_path_length.worth(lambda G, weight, method: weighted.few(G, weight))


def _total(G: Converted, weight: Any) -> Any:
    """The sum of the distances between all ordered pairs of a connected graph."""
    if weight is None:
        return int(G.run(Eccentricity())["distances"].sum())
    total = math.fsum(distance.sum() for distance in _pairs_by_weight(G, weight))
    return int(total) if G.column(weight).whole else total


@backend_function(first=1_000, cached=500)
def wiener_index(G: Converted, weight: Any = None) -> float:
    """The sum of the distances between all pairs."""
    if not connected(G):
        return float("inf")
    total = _total(G, weight)
    return total if G.is_directed() else total / 2


wiener_index.unless(_declines_weight)
wiener_index.worth(weighted.few)


@backend_function(first=1_000, cached=500)
def global_efficiency(G: Converted) -> float:
    """The mean of 1 / distance."""
    pairs = len(G) * (len(G) - 1)
    return float(_inverses(G).sum()) / pairs if pairs else 0


@backend_function(first=1_000, cached=500)
def harmonic_diameter(G: Converted, sp: Any = None, *, weight: Any = None) -> float:
    """The harmonic mean of the distances."""
    count = len(G)
    total = 0.0
    if count and weight is None:
        total = float(_inverses(G).sum())
    elif count:
        for distance in _pairs_by_weight(G, weight):
            total += float((1 / distance[distance > 0]).sum())
    if total:
        return count * (count - 1) / total
    return math.inf if count > 1 else math.nan


@harmonic_diameter.unless
def _(G: Any, sp: Any, weight: Any) -> str:
    return "`sp`" if sp is not None else weighted.hidden(weight)


@harmonic_diameter.worth
def _(G: Any, sp: Any, weight: Any) -> str:
    return weighted.few(G, weight)


@backend_function(first=1_000, cached=500)
def global_reaching_centrality(G: Converted, weight: Any = None, normalized: bool = True) -> float:
    """How much more nodes the one with the farthest reach can reach than the others."""
    count = len(G)
    if not G.number_of_edges():
        raise nx.NetworkXError("Size of G must be positive")
    if count == 1:
        raise nx.NetworkXError(
            "local_reaching_centrality of a single node with self-loop not well-defined"
        )
    reach = G.run(Eccentricity())["reached"] if G.is_directed() else _inverses(G)
    reach = reach / (count - 1)
    return float((reach.max() - reach).sum() / (count - 1))


@global_reaching_centrality.unless
def _(G: Any, weight: Any, normalized: Any) -> str:
    return "" if weight is None else "weights"


@backend_function(first=None, cached=None)
def local_reaching_centrality(
    G: Converted, v: Any, paths: Any = None, weight: Any = None, normalized: bool = True
) -> float:
    """How many others a node can reach; in an undirected graph, by the inverse distance."""
    count = len(G)
    if G.number_of_edges() and count == 1:
        raise nx.NetworkXError(
            "local_reaching_centrality of a single node with self-loop not well-defined"
        )
    if not G.number_of_edges():
        raise nx.NetworkXError("Size of G must be positive")
    if v not in G:
        raise nx.NodeNotFound(f"Source {v} not in G")
    depth = depths(G, v)
    if G.is_directed():
        return int(np.count_nonzero(depth > 0)) / (count - 1)
    return float((1 / depth[depth > 0]).sum()) / (count - 1)


@local_reaching_centrality.unless
def _(G: Any, v: Any, paths: Any, weight: Any, normalized: Any) -> str:
    return "`paths`" if paths is not None else "" if weight is None else "weights"
