"""Complements and reversed graphs, which are stored as arrays."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np

from gascl.nx import loader
from gascl.nx.converted_graph import Converted
from gascl.nx.derived_graph import (
    attributes_in_dictionaries,
    derived_graph,
    edges_of,
    other_class,
    records_of,
)
from gascl.nx.dispatch import Call, backend_function
from gascl.nx.edge_list import EdgeList

#: A matrix of one byte for each pair of so many nodes fits into a gibibyte.
MOST = 1 << 15


def _many_nodes(call: Call) -> str:
    return f"more than {MOST:,} nodes" if len(call.G) > MOST else ""


def _few_pairs(call: Call) -> str:
    pairs = len(call.G) * (len(call.G) - 1)
    few = (pairs if call.G.is_directed() else pairs // 2) - call.num_edges < loader.LEAST
    return f"NetworkX is faster in complements of fewer than {loader.LEAST:,} edges" if few else ""


@backend_function(
    first=0,
    cached=0,
    numpy=True,
    limits=f"Up to {MOST:,} nodes; no multigraphs or subclasses.",
    unsupported=[other_class, _many_nodes],
    slower=[_few_pairs],
)
def complement(G: Converted) -> Any:
    """A graph of NetworkX's, with the edges that the graph does not have."""
    apart = np.ones((len(G), len(G)), bool)
    apart[G.tails, G.rows()[1]] = False
    np.fill_diagonal(apart, False)
    if not G.is_directed():
        apart = np.triu(apart)
    tails, heads = (ends.astype(np.int32) for ends in np.nonzero(apart))
    return derived_graph(EdgeList(G.nodes, tails, heads, {}, G.is_directed()))


def _view(call: Call) -> str:
    return "" if call.copy else "`copy=False`, a view"


@backend_function(
    first=10_000,
    cached=10_000,
    numpy=True,
    limits="Only copies, of graphs without attributes of edges or stored as arrays.",
    unsupported=[_view, other_class, attributes_in_dictionaries],
)
def reverse(G: Converted, copy: bool = True) -> Any:
    """A graph of NetworkX's, whose edges lead the other way."""
    if not G.is_directed():
        raise nx.NetworkXError("Cannot reverse an undirected graph.")
    edges, records = edges_of(G), records_of(G)
    if any(column.dtype == object for column in edges.columns.values()):
        raise NotImplementedError("attributes that are no numbers, which NetworkX copies deeply")
    reversed_edges = replace(edges, tails=edges.heads, heads=edges.tails)
    records = None if records is None else list(map(deepcopy, records))
    return derived_graph(reversed_edges, records, deepcopy(G.original().graph))
