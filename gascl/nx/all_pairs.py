"""Distances between all pairs of nodes, and their sums."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csgraph, csr_array

from gascl.nx import weighted
from gascl.nx.components import connected
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call, Check, Function, backend_function, callable_weight
from gascl.programs.eccentricity import Eccentricity
from gascl.programs.harmonic_closeness import HarmonicCloseness

if TYPE_CHECKING:
    from gascl.results.result import Result

#: The work of searches from all nodes, as nodes times nodes and edges, up to which SciPy is faster
#: than a device.
SMALL = 200_000
#: The numbers of edges from which it pays, without and with the graph in the cache.
FIRST, CACHED = 40, 5


def by_distances(
    limits: str = "",
    *unsupported: Check,
    slower: Iterable[Check] = (),
    weight: str = "weight",
    names: tuple[str, ...] = (),
    first: int = FIRST,
    cached: int = CACHED,
) -> Callable[[Callable[..., Any]], Function]:
    """Registers a function of the distances between all pairs, with the arguments of
    `backend_function`; a function as weight is not supported.

    Args:
        weight: the name of the parameter that names the lengths of edges.
        first, cached: as in `Function`.
    """

    def few_edges(call: Call) -> str:
        by_weight = getattr(call, weight) is not None
        return call.too_few_edges(5_000, "by weight") if by_weight else ""

    return backend_function(
        first=first,
        cached=cached,
        limits=limits,
        unsupported=[*unsupported, callable_weight(weight)],
        slower=[*slower, few_edges],
        names=names,
    )


def matrix(G: Converted) -> np.ndarray | None:
    """float64 (V, V): the number of edges from each node (row) to each other one, infinite without
    a path; None if the graph is not small."""
    count = len(G)
    if count * (count + G.number_of_edges()) > SMALL:
        return None

    def make() -> np.ndarray:
        offsets, neighbors = G.rows()
        arcs = csr_array((np.ones(len(neighbors)), neighbors, offsets), shape=(count, count))
        return np.asarray(csgraph.dijkstra(arcs, unweighted=True))

    return G.topology.once("distances", make)


def reached_from_each(G: Converted) -> Result | dict[str, np.ndarray]:
    """The fields of `Eccentricity`, (V,) each: the distance of the farthest node that each one
    reaches, `eccentricity`; how many it reaches, `reached`; and the sum of their `distances`."""
    if (distance := matrix(G)) is None:
        return G.run(Eccentricity())
    there = np.isfinite(distance)
    distance = np.where(there, distance, 0).astype(np.int64)
    return {
        "eccentricity": distance.max(axis=1, initial=0),
        "reached": there.sum(axis=1) - 1,
        "distances": distance.sum(axis=1),
    }


def all_reached(G: Converted) -> bool:
    """Whether each node reaches all others; raises as `connected`."""
    if len(G) == 0 or (distance := matrix(G)) is None:
        return connected(G)
    return bool(np.isfinite(distance).all())


def inverse_sums(G: Converted, sources: Collection[Any] | None = None) -> np.ndarray:
    """float64 (V,): the sum of 1 / distance from the sources, or from all nodes, to each other
    node."""
    chosen = None if sources is None or len(sources) == len(G) else G.places(sources)
    if (distance := matrix(G)) is None:
        return G.run(HarmonicCloseness(sources=chosen, dtype="float64"), simple=True)["centrality"]
    rows = distance if chosen is None else distance[chosen]
    return np.divide(1, rows, out=np.zeros_like(rows), where=rows > 0).sum(axis=0)


def distances_by_weight(G: Converted, weight: Any) -> Iterator[np.ndarray]:
    """The distances from each node, node by node."""
    return (weighted.distances(G, [place], weight) for place in range(len(G)))


def total_distance(G: Converted, weight: Any) -> Any:
    """The sum of the distances between all ordered pairs of a connected graph."""
    if weight is None:
        return int(reached_from_each(G)["distances"].sum())
    total = math.fsum(distance.sum() for distance in distances_by_weight(G, weight))
    return int(total) if G.column(weight).whole else total
