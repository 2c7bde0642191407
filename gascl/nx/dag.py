"""Orders in which every edge of a directed graph leads onwards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function
from gascl.nx.path_trees import FEW, arcs_of_rows


def _generations(G: Converted) -> Iterator[np.ndarray]:
    """The nodes to which edges of the generations before lead, and no others; in the order in which
    NetworkX has counted off the last of these edges."""
    if not G.is_directed():
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    offsets, neighbours = G.rows()
    awaited = np.bincount(neighbours, minlength=len(G))  # parallel edges count as one
    left = len(G)
    found = np.flatnonzero(awaited == 0)
    while len(found):
        yield found
        left -= len(found)
        if (offsets[found + 1] - offsets[found]).sum() < FEW:
            free = []
            for node in found.tolist():
                for child in neighbours[offsets[node] : offsets[node + 1]].tolist():
                    awaited[child] -= 1
                    if not awaited[child]:
                        free.append(child)
            found = np.array(free, np.int64)
            continue
        heads = arcs_of_rows(offsets, neighbours, found)[1]
        np.subtract.at(awaited, heads, 1)
        heads = heads[awaited[heads] == 0][::-1]  # the last one of each counts
        _, places = np.unique(heads, return_index=True)
        found = heads[np.sort(places)[::-1]]
    if left:
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")


@backend_function(first=None, cached=100_000)
def topological_generations(G: Converted) -> Iterator[list[Any]]:
    """Lists of nodes, in NetworkX's order."""
    return (G.node_array[found].tolist() for found in _generations(G))


@backend_function(first=None, cached=100_000)
def topological_sort(G: Converted) -> Iterator[Any]:
    """Nodes, in NetworkX's order."""
    return (node for found in _generations(G) for node in G.node_array[found].tolist())
