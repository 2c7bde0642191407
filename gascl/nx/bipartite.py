"""The two sides of bipartite graphs, and the matrix of the edges between them."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import coo_array

from gascl.nx.boundary import sets_of_nodes, within
from gascl.nx.components import connected, weak
from gascl.nx.converted_graph import Converted, is_view
from gascl.nx.dispatch import Call, argument, backend_function
from gascl.nx.locality import triangle
from gascl.programs.bipartition import Bipartition
from gascl.programs.eccentricity import Eccentricity


def _hidden_edges(call: Call) -> str:
    if is_view(call.G) and call.G.is_multigraph():
        return "views of multigraphs, which count neighbors whose edges they hide"
    return ""


def _colors(G: Converted) -> np.ndarray:
    """int64 (V,): 0 or 1."""
    if len(G) == 0:
        return np.zeros(0, np.int64)
    side = G.run(Bipartition())["side"]
    if (side < 0).any():
        raise nx.NetworkXError("Graph is not bipartite.")
    # NetworkX gives 1 to the first node of each component that has an edge to another node
    component = weak(G)
    starts = np.flatnonzero(np.diff(G.rows()[0]))
    first = np.arange(len(G))  # by component; an isolated node is its own
    first[component[starts[::-1]]] = starts[::-1]
    ones = side == side[first[component]]
    return (ones & (G.degree > 0)).astype(np.int64)


@backend_function(first=None, cached=200_000, slower=[triangle])
def is_bipartite(G: Converted) -> bool:
    """Whether no edge connects two nodes of one side."""
    return len(G) == 0 or bool((G.run(Bipartition())["side"] >= 0).all())


@backend_function(first=None, cached=200_000, unsupported=[_hidden_edges], slower=[triangle])
def color(G: Converted) -> dict[Any, int]:
    """The side of each node: 0 or 1."""
    return G.by_node(_colors(G))


@backend_function(
    first=None,
    cached=200_000,
    limits="No `top_nodes`.",
    unsupported=[argument("top_nodes"), _hidden_edges],
    slower=[triangle],
)
def sets(G: Converted, top_nodes: Any = None) -> tuple[set[Any], set[Any]]:
    """The nodes of both sides of a connected graph."""
    if not connected(G, weakly=True):
        message = "Disconnected graph: Ambiguous solution for bipartite sets."
        raise nx.AmbiguousSolution(message)
    top = _colors(G) == 1
    return set(G.node_array[top].tolist()), set(G.node_array[~top].tolist())


@backend_function(first=1_000, cached=500, unsupported=[sets_of_nodes("nodes")])
def bipartite_closeness_centrality(
    G: Converted, nodes: Any, normalized: bool = True
) -> dict[Any, float]:
    """Closeness, divided by what it is at most in a bipartite graph with the side `nodes`."""
    top = set(nodes)
    bottom = set(G) - top
    for node in top:
        G.require(node, nx.NodeNotFound(f"Source {node} is not in G"))
    if len(G) == 0:
        return {}
    result = G.run(Eccentricity())
    on_top = within(G, top)
    most = np.where(on_top, len(bottom) + 2 * (len(top) - 1), len(top) + 2 * (len(bottom) - 1))
    total = result["distances"]
    closeness = np.divide(most, total, out=np.zeros(len(G)), where=total > 0)
    if normalized and len(G) > 1:
        closeness *= result["reached"] / (len(G) - 1)
    values, index = closeness.tolist(), G.topology.index
    return {node: values[index[node]] for node in [*top, *bottom]}


@backend_function(
    first=100_000, cached=5_000, numpy=True, limits="Rows and columns must be nodes, and disjoint."
)
def biadjacency_matrix(
    G: Converted,
    row_order: Any,
    column_order: Any = None,
    dtype: Any = None,
    weight: Any = "weight",
    format: Any = "csr",
) -> Any:
    """The edges between two sides, sparse."""
    if len(row_order) == 0:
        raise nx.NetworkXError("row_order is empty list")
    if column_order is None:
        column_order = list(set(G) - set(row_order))
    place = np.full((2, len(G)), -1)
    for side, nodes, name in zip(place, (row_order, column_order), ("row", "column"), strict=True):
        if len(nodes) != len(set(nodes)):
            message = f"Ambiguous ordering: `{name}_order` contained duplicates."
            raise nx.NetworkXError(message)
        if not all(node in G for node in nodes):
            raise NotImplementedError("nodes that are not in the graph")
        side[G.places(nodes)] = np.arange(len(nodes))
    if (place.min(axis=0) >= 0).any():
        raise NotImplementedError("nodes that are in both orders")
    src, dst = G.ends
    weights = G.column(weight)
    values = weights.checked
    row, column = place[0][src], place[1][dst]
    if not G.is_directed():
        backwards = row < 0
        row = np.where(backwards, place[0][dst], row)
        column = np.where(backwards, place[1][src], column)
    between = (row >= 0) & (column >= 0)
    if not between.any():
        raise NotImplementedError("sides with no edge between them")
    if weights.mixed is not None and dtype is None:
        raise NotImplementedError("integers and floats, of which those between may be integers")
    entries = values[between], (row[between], column[between])
    matrix = coo_array(entries, shape=(len(row_order), len(column_order)), dtype=dtype)
    try:
        return matrix.asformat(format)
    except ValueError as error:
        raise nx.NetworkXError(f"Unknown sparse array format: {format}") from error
