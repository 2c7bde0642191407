"""Graphs with other nodes in the place of theirs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gascl.nx.converted_graph import Converted
from gascl.nx.derived_graph import (
    attributes_in_dictionaries,
    derived_graph,
    edges_of,
    other_class,
    records_of,
)
from gascl.nx.dispatch import Call, backend_function


def _in_place(call: Call) -> str:
    return "" if call.copy else "`copy=False`, which changes the graph"


@backend_function(
    first=10_000,
    cached=10_000,
    numpy=True,
    limits="Only copies, of graphs without attributes of edges or stored as arrays.",
    unsupported=[_in_place, other_class, attributes_in_dictionaries],
)
def relabel_nodes(G: Converted, mapping: Any, copy: bool = True) -> Any:
    """A graph of NetworkX's with new nodes, each in the place of one.

    Raises:
        NotImplementedError: two nodes become one, or a node what cannot be one.
    """
    edges, records = edges_of(G), records_of(G)
    if callable(mapping):
        mapping = {node: mapping(node) for node in G}
    nodes = [mapping.get(node, node) for node in G]
    try:
        distinct = set(nodes)
    except TypeError as error:
        raise NotImplementedError(f"new nodes that cannot be nodes: {error}") from error
    if len(distinct) < len(nodes) or None in distinct:
        raise NotImplementedError("new nodes of which two are equal, or one is None")
    records = None if records is None else [record.copy() for record in records]
    return derived_graph(replace(edges, nodes=nodes), records, dict(G.original().graph))
