"""Lowest common ancestors in directed acyclic graphs."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dag import acyclic
from gascl.nx.dispatch import backend_function
from gascl.nx.locality import local_search
from gascl.programs.breadth_first import BreadthFirst


@backend_function(
    first=100_000,
    cached=20_000,
    limits="Only where there is one; NetworkX chooses among several.",
    slower=[local_search("node1", reverse=True), local_search("node2", reverse=True)],
)
def lowest_common_ancestor(G: Converted, node1: Any, node2: Any, default: Any = None) -> Any:
    """The common ancestor of two nodes that is an ancestor of no other one.

    Raises:
        NotImplementedError: there are several. Which one NetworkX returns depends on the order of
            a set of nodes.
    """
    if not G.is_directed():
        raise nx.NetworkXNotImplemented("not implemented for undirected type")
    if not acyclic(G):
        raise nx.NetworkXError("LCA only defined on directed acyclic graphs.")
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("LCA meaningless on null graphs.")
    pair = node1, node2
    if missing := set(pair) - set(G):
        raise nx.NodeNotFound(f"Node(s) {missing} from pair {pair} not in G.")
    depth = G.run(BreadthFirst(source=G.places(pair)), reverse=True)["depth"]
    common: np.ndarray = depth.min(axis=1) >= 0
    src, dst = G.ends
    lowest = common.copy()
    lowest[src[common[src] & common[dst]]] = False
    found = np.flatnonzero(lowest)
    if len(found) > 1:
        raise NotImplementedError("several lowest ancestors, of which NetworkX's set chooses one")
    return G.nodes[found[0]] if len(found) else default
