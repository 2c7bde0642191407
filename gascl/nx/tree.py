"""Trees and forests: which graphs are such, and the edges of those that span a graph."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.components import count, weak
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call, backend_function
from gascl.programs.spanning_forest import SpanningForest


@backend_function(first=200_000, cached=20_000)
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
    first=100_000, cached=20_000, limits="Kruskal's algorithm.", unsupported=[_algorithm]
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
