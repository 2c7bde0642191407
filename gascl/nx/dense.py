"""The distances between all pairs of nodes as a matrix."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import csgraph, csr_array

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function
from gascl.nx.weighted import entry_lengths


@backend_function(first=2_000, cached=2_000, numpy=True, limits="No weights below 0.")
def floyd_warshall_numpy(G: Converted, nodelist: Any = None, weight: Any = "weight") -> np.ndarray:
    """The distances between all pairs, dense; by Dijkstra's algorithm."""
    if nodelist is not None and not len(nodelist) == len(G) == len(set(nodelist)):
        raise nx.NetworkXError(
            "nodelist must contain every node in G with no repeats."
            "If you wanted a subgraph of G use G.subgraph(nodelist)"
        )
    if len(G) == 0 or (nodelist is not None and any(node not in G for node in nodelist)):
        raise NotImplementedError("no nodes, or those of other graphs")
    lengths, (offsets, neighbors) = entry_lengths(G, weight), G.rows()
    if lengths.min(initial=0) < 0:
        raise NotImplementedError("weights below 0")
    matrix = csr_array((lengths, neighbors, offsets), shape=(len(G), len(G)))
    distance = csgraph.dijkstra(matrix)
    if nodelist is None:
        return distance
    order = G.places(nodelist)
    return distance[np.ix_(order, order)]
