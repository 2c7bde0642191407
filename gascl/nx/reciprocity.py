"""The share of edges that have one in the other direction."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call, argument, backend_function, multigraph


def _of_all(G: Converted) -> float:
    if not G.number_of_edges():
        raise nx.NetworkXError("Not defined for empty graphs")
    src, dst = (ends.astype(np.int64) for ends in G.ends)
    pairs = len(np.unique(np.minimum(src, dst) * len(G) + np.maximum(src, dst)))
    return (G.number_of_edges() - pairs) * 2 / G.number_of_edges()


def _nodes_of_undirected(call: Call) -> str:
    is_supported = call.nodes is None or call.G.is_directed()
    return "" if is_supported else "nodes of undirected graphs"


@backend_function(
    first=None, cached=20_000, numpy=True, limits="No multigraphs.", unsupported=[multigraph]
)
def overall_reciprocity(G: Converted) -> float:
    """The share of all edges."""
    return _of_all(G)


@backend_function(
    first=20_000,
    cached=20_000,
    numpy=True,
    limits="No multigraphs.",
    unsupported=[multigraph, _nodes_of_undirected],
    slower=[argument("nodes", reason="some of the nodes")],
)
def reciprocity(G: Converted, nodes: Any = None) -> Any:
    """The reciprocity of the graph, of one node or, as a dictionary, of several nodes."""
    if nodes is None:
        return _of_all(G)
    src, dst = (ends.astype(np.int64) for ends in G.ends)
    mutual = np.isin(src * len(G) + dst, dst * len(G) + src)
    overlap, total = np.bincount(src[mutual], minlength=len(G)), G.degree
    if nodes in G and not total[G.topology.index[nodes]]:
        raise nx.NetworkXError("Not defined for isolated nodes.")
    shares = np.divide(2 * overlap, total, out=np.full(len(G), np.nan), where=total != 0)
    values = [None if np.isnan(share) else share for share in shares.tolist()]
    return G.chosen(nodes, values)
