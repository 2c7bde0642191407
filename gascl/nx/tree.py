"""Trees and forests: which graphs are such, and the edges of those that span a graph."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.components import connected, count, weak
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call, backend_function
from gascl.nx.locality import long_path
from gascl.programs.spanning_forest import SpanningForest


@backend_function(first=200_000, cached=20_000, slower=[long_path])
def is_forest(G: Converted) -> bool:
    """Whether it has no cycle, whatever the directions of its edges."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    return len(G) - G.number_of_edges() == count(weak(G))


def _edges(
    G: Converted, maximum: bool, weight: Any, keys: bool, data: bool
) -> Iterator[tuple[Any, ...]]:
    """The edges in the order in which Kruskal's algorithm takes them, of equal weights the first.

    Args:
        keys: with a multigraph's keys.
        data: with the original's attributes.
    """
    field = G.weight_field(weight)
    graph = G.topology.graph()
    member = np.empty(graph.num_edges, np.int8)
    result = G.run(SpanningForest(maximum=maximum), weight=field)
    member[graph.arcs().out_edges] = result.arc_fields["member"]
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


def _algorithm(call: Call) -> str:
    return "" if call.algorithm == "kruskal" else "another algorithm than Kruskal's"


_spanning = backend_function(
    first=100_000, cached=30_000, limits="Kruskal's algorithm.", unsupported=[_algorithm]
)


@_spanning
def minimum_spanning_edges(
    G: Converted,
    algorithm: Any = "kruskal",
    weight: Any = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[tuple[Any, ...]]:
    """The edges of a spanning tree of the least weight, in NetworkX's order."""
    return _edges(G, False, weight, keys, data)


@_spanning
def maximum_spanning_edges(
    G: Converted,
    algorithm: Any = "kruskal",
    weight: Any = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[tuple[Any, ...]]:
    """The edges of a spanning tree of the greatest weight, in NetworkX's order."""
    return _edges(G, True, weight, keys, data)


def _other_number_of_edges(call: Call) -> str:
    is_tree = call.num_edges == len(call.G) - 1
    return "" if is_tree else "NetworkX is faster where the number of edges tells"


def _is_tree(G: Converted) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    return len(G) - 1 == G.number_of_edges() and connected(G, weakly=True)


@backend_function(first=200_000, cached=20_000, slower=[_other_number_of_edges, long_path])
def is_tree(G: Converted) -> bool:
    """Whether it is connected and has no cycle, whatever the directions of its edges."""
    return _is_tree(G)


@backend_function(first=200_000, cached=20_000, slower=[_other_number_of_edges, long_path])
def is_arborescence(G: Converted) -> bool:
    """Whether it is a tree with at most one edge into each node."""
    return _is_tree(G) and int(G.in_degree.max()) <= 1


@backend_function(first=200_000, cached=20_000, slower=[long_path])
def is_branching(G: Converted) -> bool:
    """Whether it is a forest with at most one edge into each node."""
    return is_forest(G) and int(G.in_degree.max()) <= 1


def _spanning_tree(G: Converted, maximum: bool, weight: Any) -> Any:
    """A graph of NetworkX's with the spanning edges and their attributes."""
    if G.is_directed():
        raise nx.NetworkXNotImplemented("not implemented for directed type")
    original = G.original()
    tree = original.__class__()
    tree.graph.update(original.graph)
    tree.add_nodes_from(original.nodes.items())
    tree.add_edges_from(_edges(G, maximum, weight, keys=True, data=True))
    return tree


@_spanning
def minimum_spanning_tree(
    G: Converted, weight: Any = "weight", algorithm: Any = "kruskal", ignore_nan: bool = False
) -> Any:
    """A spanning tree of the least weight, or a forest; with NetworkX's attributes."""
    return _spanning_tree(G, False, weight)


@_spanning
def maximum_spanning_tree(
    G: Converted, weight: Any = "weight", algorithm: Any = "kruskal", ignore_nan: bool = False
) -> Any:
    """A spanning tree of the greatest weight, or a forest; with NetworkX's attributes."""
    return _spanning_tree(G, True, weight)
