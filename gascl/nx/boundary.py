"""The edges and nodes at the boundary of a set of nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from math import inf
from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call, Check, argument, backend_function, multigraph
from gascl.nx.path_trees import arcs_of_rows


def sets_of_nodes(*names: str) -> Check:
    """Checks that these arguments are collections of nodes, or None: NetworkX needs them, too, if
    it runs the call."""

    def check(call: Call) -> str:
        given = (getattr(call, name) for name in names)
        kept = all(nodes is None or isinstance(nodes, Collection) for nodes in given)
        return "" if kept else "nodes that can be read only once, or a single one"

    return check


def within(G: Converted, nodes: Iterable[Any]) -> np.ndarray:
    """bool (V,): whether each node is among these, of which some may not be in the graph."""
    inside = np.zeros(len(G), bool)
    inside[G.places(node for node in nodes if node in G)] = True
    return inside


def require_nodes(G: Converted, nodes: Iterable[Any]) -> None:
    """Raise NetworkX's error unless these nodes are in the graph, or TypeError if one cannot be."""
    kind = "digraph" if G.is_directed() else "graph"
    for node in nodes:
        hash(node)
        G.require(node, nx.NetworkXError(f"The node {node} is not in the {kind}."))


def neighbors_of(G: Converted, inside: np.ndarray) -> np.ndarray:
    """bool (V,): whether an edge leads to each node from one of those in `inside` (V,)."""
    offsets, neighbors = G.rows()
    _, places = arcs_of_rows(offsets, np.flatnonzero(inside))
    found = np.zeros(len(G), bool)
    found[neighbors[places]] = True
    return found


def node_boundary_of(G: Converted, nbunch1: Any, nbunch2: Any = None) -> np.ndarray:
    """bool (V,): whether each node is in the `node_boundary`."""
    inside = within(G, nbunch1)
    found = neighbors_of(G, inside) & ~inside
    return found if nbunch2 is None else found & within(G, set(nbunch2))


_bunches = sets_of_nodes("nbunch1", "nbunch2")


@backend_function(first=None, cached=100_000, numpy=True, unsupported=[_bunches])
def node_boundary(G: Converted, nbunch1: Any, nbunch2: Any = None) -> set[Any]:
    """The neighbors of some nodes that are not among these."""
    return set(G.node_array[node_boundary_of(G, nbunch1, nbunch2)].tolist())


def _no_data(call: Call) -> str:
    return "`data` or `keys`" if call.data is not False or call.keys else ""


@backend_function(
    first=None,
    cached=20_000,
    numpy=True,
    lazy=inf,
    limits="No `data`, no multigraphs.",
    unsupported=[_bunches, _no_data, argument("default"), multigraph],
)
def edge_boundary(
    G: Converted,
    nbunch1: Any,
    nbunch2: Any = None,
    data: Any = False,
    keys: Any = False,
    default: Any = None,
) -> Iterator[tuple[Any, Any]]:
    """The edges between some nodes and others, in NetworkX's order."""
    starts = np.array(G.places({node for node in nbunch1 if node in G}), np.int64)
    offsets, neighbors = G.rows()
    tails, places = arcs_of_rows(offsets, starts)
    heads = neighbors[places]
    inside = np.zeros(len(G), bool)
    inside[starts] = True
    if not G.is_directed():  # the end that comes first has the edge
        rank = np.full(len(G), len(G))
        rank[starts] = np.arange(len(starts))
        once = rank[tails] <= rank[heads]
        tails, heads = tails[once], heads[once]
    if nbunch2 is None:
        kept = ~inside[heads]
    else:
        others = within(G, set(nbunch2))
        kept = others[heads] | (inside[heads] & others[tails])
    ends = (G.node_array[end[kept]].tolist() for end in (tails, heads))
    return zip(*ends, strict=True)
