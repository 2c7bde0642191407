"""Spanning trees, which are forests where the graph is not connected."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function
from gascl.nx.link_analysis import weight_of
from gascl.programs.spanning_forest import SpanningForest


def _edges(
    G: Converted, maximum: bool, weight: Any, keys: bool, data: bool
) -> Iterator[tuple[Any, ...]]:
    """The edges in the order in which Kruskal's algorithm takes them, of equal weights the first.

    Args:
        keys: with a multigraph's keys.
        data: with the original's attributes.
    """
    field = weight_of(G, weight)
    graph = G.topology.graph()
    member = np.empty(graph.num_edges, np.int8)
    found = G.run(SpanningForest(maximum=maximum), weight=field)
    member[graph.arcs().out_edges] = found.arc_fields["member"]
    places = np.flatnonzero(member)
    order = np.arange(len(places))
    if field is not None:
        values = field[1][places]
        order = np.argsort(-values if maximum else values, kind="stable")
    if G.is_multigraph() and (keys or data):
        edges = G.original().edges(keys=keys, data=data)
        chosen: list[tuple[Any, ...]] = list(compress(edges, member))
        return iter([chosen[at] for at in order.tolist()])
    ends = graph.edge_src[places[order]], graph.edge_dst[places[order]]
    pairs = zip(*(G.node_array[end].tolist() for end in ends), strict=True)
    if not data:
        return pairs
    original = G.original()
    return iter([(u, v, original[u][v]) for u, v in pairs])


def _tree(G: Converted, maximum: bool, weight: Any) -> Any:
    """A graph of the original's class with its attributes."""
    if G.is_directed():
        raise nx.NetworkXNotImplemented("not implemented for directed type")
    edges = _edges(G, maximum, weight, keys=True, data=True)
    original = G.original()
    tree = original.__class__()
    tree.graph.update(original.graph)
    tree.add_nodes_from(original.nodes.items())
    tree.add_edges_from(edges)
    return tree


def _another(algorithm: Any) -> str:
    return "" if algorithm == "kruskal" else "another algorithm than Kruskal's"


def _register(which: str, maximum: bool) -> None:
    """The two functions for spanning trees of the least or of the greatest weight."""

    @backend_function(first=100_000, cached=20_000, name=f"{which}_spanning_edges")
    def spanning_edges(
        G: Converted,
        algorithm: Any = "kruskal",
        weight: Any = "weight",
        keys: bool = True,
        data: bool = True,
        ignore_nan: bool = False,
    ) -> Iterator[tuple[Any, ...]]:
        """The edges of a spanning tree, in NetworkX's order."""
        return _edges(G, maximum, weight, keys, data)

    @spanning_edges.unless
    def _(G: Any, algorithm: Any, weight: Any, keys: Any, data: Any, ignore_nan: Any) -> str:
        return _another(algorithm)

    @backend_function(first=100_000, cached=20_000, name=f"{which}_spanning_tree")
    def spanning_tree(
        G: Converted, weight: Any = "weight", algorithm: Any = "kruskal", ignore_nan: bool = False
    ) -> Any:
        """A spanning tree."""
        return _tree(G, maximum, weight)

    @spanning_tree.unless
    def _(G: Any, weight: Any, algorithm: Any, ignore_nan: Any) -> str:
        return _another(algorithm)


_register("minimum", maximum=False)
_register("maximum", maximum=True)
