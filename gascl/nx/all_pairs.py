"""Distances between all pairs of nodes, and their sums."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from gascl.nx import weighted
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call, Check, Function, backend_function, callable_weight
from gascl.programs.eccentricity import Eccentricity
from gascl.programs.harmonic_closeness import HarmonicCloseness

#: Nodes times edges from which searches from all nodes pay.
STEPS = 200_000


def by_distances(
    limits: str = "",
    *unsupported: Check,
    slower: Iterable[Check] = (),
    weight: str = "weight",
    names: tuple[str, ...] = (),
    least: int = STEPS,
) -> Callable[[Callable[..., Any]], Function]:
    """Registers a function of the distances between all pairs, with the arguments of
    `backend_function`; a function as weight is not supported.

    Args:
        weight: the name of the parameter that names the lengths of edges.
        least: nodes times edges from which it pays.
    """

    def few_edges(call: Call) -> str:
        by_weight = getattr(call, weight) is not None
        return call.too_few_edges(5_000, "by weight") if by_weight else ""

    def few_searches(call: Call) -> str:
        steps = len(call.G) * call.num_edges
        return "" if steps >= least else "NetworkX is faster in few searches of few edges"

    return backend_function(
        first=1_000,
        cached=500,
        limits=limits,
        unsupported=[*unsupported, callable_weight(weight)],
        slower=[*slower, few_edges, few_searches],
        names=names,
    )


def inverse_sums(G: Converted) -> np.ndarray:
    """float64 (V,): the sum of 1 / distance from the others to each node."""
    return G.run(HarmonicCloseness(dtype="float64"))["centrality"]


def distances_by_weight(G: Converted, weight: Any) -> Iterator[np.ndarray]:
    """The distances from each node, node by node."""
    return (weighted.distances(G, [place], weight) for place in range(len(G)))


def total_distance(G: Converted, weight: Any) -> Any:
    """The sum of the distances between all ordered pairs of a connected graph."""
    if weight is None:
        return int(G.run(Eccentricity())["distances"].sum())
    total = math.fsum(distance.sum() for distance in distances_by_weight(G, weight))
    return int(total) if G.column(weight).whole else total
