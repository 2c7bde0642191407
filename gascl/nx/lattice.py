"""Grids."""

from __future__ import annotations

from itertools import product

import networkx as nx
import numpy as np

from gascl.nx import loader as loaders
from gascl.nx.edge_list import EdgeList
from gascl.nx.loader import Making, loader, whole


@loader
def grid_2d_graph(call: Making) -> EdgeList | None:
    """Rows of nodes, each of which is a pair of numbers; undirected."""
    m, n = call.m, call.n
    if not (whole(m) and whole(n) and m * n > loaders.LEAST and type(call.periodic) is bool):
        return None
    if call.makes is not nx.Graph:
        return None
    place = np.arange(m * n, dtype=np.int32).reshape(m, n)
    ends = [(place[1:], place[:-1]), (place[:, 1:], place[:, :-1])]
    if call.periodic and m > 2:
        ends.append((place[0], place[-1]))
    if call.periodic and n > 2:
        ends.append((place[:, 0], place[:, -1]))
    tails, heads = (np.concatenate([np.ravel(pair[end]) for pair in ends]) for end in (0, 1))
    return EdgeList(list(product(range(m), range(n))), tails, heads, {}, False)
