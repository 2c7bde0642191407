"""Paths, cycles, stars and complete graphs."""

from __future__ import annotations

import networkx as nx
import numpy as np

from gascl.nx import loader as loaders
from gascl.nx.edge_list import EdgeList
from gascl.nx.loader import Making, loader, places, whole


def _enough(call: Making) -> bool:
    """Whether the nodes are so many that the graph is stored, and numbers."""
    return whole(call.n) and call.n > loaders.LEAST


def _edges(call: Making, count: int, tails: np.ndarray, heads: np.ndarray) -> EdgeList:
    return EdgeList(list(range(count)), tails, heads, {}, call.makes is nx.DiGraph)


@loader
def path_graph(call: Making) -> EdgeList | None:
    """Each node and the next one."""
    if not _enough(call):
        return None
    return _edges(call, call.n, places(0, call.n - 1), places(1, call.n))


@loader
def cycle_graph(call: Making) -> EdgeList | None:
    """The same, and the last node and the first one."""
    if not _enough(call):
        return None
    return _edges(call, call.n, places(0, call.n), np.roll(places(0, call.n), -1))


@loader
def star_graph(call: Making) -> EdgeList | None:
    """Node 0 and each of the others."""
    if not _enough(call):
        return None
    return _edges(call, call.n + 1, np.zeros(call.n, np.int32), places(1, call.n + 1))


@loader
def complete_graph(call: Making) -> EdgeList | None:
    """All pairs."""
    if not whole(call.n) or call.n * (call.n - 1) // 2 < loaders.LEAST:
        return None
    directed = call.makes is nx.DiGraph
    pairs = np.ones((call.n, call.n), bool)
    if directed:
        np.fill_diagonal(pairs, False)
    else:
        pairs = np.triu(pairs, 1)
    tails, heads = (ends.astype(np.int32) for ends in pairs.nonzero())
    return _edges(call, call.n, tails, heads)
