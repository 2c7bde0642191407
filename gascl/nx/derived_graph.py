"""Graphs that are made of the nodes and edges of another one, stored as arrays."""

from __future__ import annotations

from typing import Any

import networkx as nx

from gascl.nx import loader
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call
from gascl.nx.edge_list import EdgeList, stored_edges
from gascl.nx.stored_graph import stored_graph

#: What is known of each node, in the order of the nodes.
Records = list[dict[str, Any]]


def other_class(call: Call) -> str:
    """Checks that a graph made of this one can be stored."""
    is_stored = stored_edges(_original(call)) is not None
    known = is_stored or type(_original(call)) in (nx.Graph, nx.DiGraph)
    return "" if known else "multigraphs, and classes of graphs that are not NetworkX's own"


def attributes_in_dictionaries(call: Call) -> str:
    """Checks that the attributes of edges are in arrays, or that there are none."""
    G = _original(call)
    if stored_edges(G) is not None:
        return ""
    found = any(record for row in G._adj.values() for record in row.values())
    return "attributes of edges in dictionaries" if found else ""


def _original(call: Call) -> Any:
    return call.G.original() if isinstance(call.G, Converted) else call.G


def edges_of(G: Converted) -> EdgeList:
    """The edges with all their attributes, in the order of `G.edges`."""
    stored = stored_edges(G.original())
    return EdgeList(G.nodes, *G.ends, {}, G.is_directed()) if stored is None else stored.copied()


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
    if len(edges) < loader.LEAST:
        _ = G._adj
    return G
