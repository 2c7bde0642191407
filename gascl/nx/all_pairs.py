"""Sums over the distances between all pairs of nodes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gascl.nx import weighted
from gascl.nx.converted_graph import Converted
from gascl.programs.eccentricity import Eccentricity
from gascl.programs.harmonic_closeness import HarmonicCloseness


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
