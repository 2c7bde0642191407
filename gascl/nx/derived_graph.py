"""Graphs that are made of the nodes and edges of another one, stored as arrays."""

from __future__ import annotations

from typing import Any

import networkx as nx

from gascl.nx.converted_graph import Converted
from gascl.nx.edge_list import EdgeList, stored_edges
from gascl.nx.loader import LEAST
from gascl.nx.stored_graph import stored_graph

#: What is known of each node, in the order of the nodes.
Records = list[dict[str, Any]]


def edges_of(G: Converted) -> EdgeList:
    """The edges with all their attributes, in the order of `G.edges`.

    Raises:
        NotImplementedError: they have attributes in dictionaries, or the graph is of another class
            than those that can be stored.
    """
    original = G.original()
    if (stored := stored_edges(original)) is not None:
        return stored.copied()
    if type(original) not in (nx.Graph, nx.DiGraph):
        raise NotImplementedError("classes of graphs other than Graph and DiGraph")
    if any(record for row in original._adj.values() for record in row.values()):
        raise NotImplementedError("attributes of edges in dictionaries")
    return EdgeList(G.nodes, *G.ends, {}, G.is_directed())


def records_of(G: Converted) -> Records | None:
    """The attributes of each node; None: no node has any."""
    original = G.original()
    if stored_edges(original) is not None and "_node" not in original.__dict__:
        return None
    return list(original._node.values())


def derived_graph(
    edges: EdgeList, records: Records | None = None, attributes: dict[str, Any] | None = None
) -> Any:
    """A graph of NetworkX's; if it has few edges, with dictionaries from the beginning.

    Args:
        attributes: those of the graph.
    """
    G = stored_graph(edges, attributes)
    if records is not None:
        G.__dict__["_node"] = dict(zip(edges.nodes, records, strict=True))
    if len(edges) < LEAST:
        _ = G._adj
    return G
