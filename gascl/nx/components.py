"""Connected components."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import csgraph, csr_array

from gascl.nx.converted_graph import Converted, is_view
from gascl.nx.dispatch import backend_function
from gascl.programs.bipartition import Bipartition
from gascl.programs.breadth_first import BreadthFirst
from gascl.programs.connected_components import ConnectedComponents
from gascl.programs.eigenvector import Peel
from gascl.programs.strongly_connected import StronglyConnected

_NULL = "Connectivity is undefined for the null graph."


def _sets(G: Converted, component: np.ndarray) -> list[set[Any]]:
    """The nodes of each component, in the order of the components' numbers."""
    order = np.argsort(component, kind="stable")
    nodes = G.node_array[order].tolist()
    bounds = np.flatnonzero(np.diff(component[order], prepend=-1, append=len(component))).tolist()
    return [set(nodes[a:b]) for a, b in itertools.pairwise(bounds)]


def weak(G: Converted) -> np.ndarray:
    """int32 (V,): the first vertex of each one's component."""
    return G.run(ConnectedComponents())["component"]


def _strong(G: Converted) -> np.ndarray:
    return G.run(StronglyConnected())["component"]


def _count(component: np.ndarray) -> int:
    return int(np.count_nonzero(component == np.arange(len(component))))


def connected(G: Converted) -> bool:
    """Whether all nodes are one component, by direction in directed graphs.

    Raises:
        NetworkXPointlessConcept: there are no nodes.
    """
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept(_NULL)
    return _count(_strong(G) if G.is_directed() else weak(G)) == 1


def _all_weak(G: Converted) -> Iterator[set[Any]]:
    return iter(_sets(G, weak(G)))


@backend_function(first=None, cached=1_000_000)
def connected_components(G: Converted) -> Iterator[set[Any]]:
    """Sets of nodes, by their first ones."""
    return _all_weak(G)


@backend_function(first=None, cached=1_000_000)
def weakly_connected_components(G: Converted) -> Iterator[set[Any]]:
    """Sets of nodes, by their first ones."""
    return _all_weak(G)


@backend_function(first=None, cached=100_000)
def number_connected_components(G: Converted) -> int:
    """How many there are."""
    return _count(weak(G))


@backend_function(first=None, cached=100_000)
def number_weakly_connected_components(G: Converted) -> int:
    """How many there are."""
    return _count(weak(G))


@backend_function(first=None, cached=100_000)
def is_connected(G: Converted) -> bool:
    """Whether there is one."""
    return connected(G)


@backend_function(first=None, cached=100_000)
def is_weakly_connected(G: Converted) -> bool:
    """Whether there is one."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept(_NULL)
    return _count(weak(G)) == 1


@backend_function(first=None, cached=100_000)
def node_connected_component(G: Converted, n: Any) -> set[Any]:
    """The nodes that can be reached."""
    depth = G.run(BreadthFirst(source=G.topology.index[n]))["depth"]
    return set(G.node_array[depth >= 0].tolist())


@node_connected_component.unless
def _(G: Any, n: Any) -> str:
    return "" if n in G else "a node that is not there"


@backend_function(first=None, cached=200_000)
def strongly_connected_components(G: Converted) -> Iterator[set[Any]]:
    """Sets of nodes in NetworkX's order."""
    return iter(_sets(G, _left(G)))


@backend_function(first=None, cached=200_000)
def kosaraju_strongly_connected_components(G: Converted, source: Any = None) -> Iterator[set[Any]]:
    """Sets of nodes in NetworkX's order."""
    number = _left(G, reverse=True)
    return iter(_sets(G, number.max(initial=0) - number))


@kosaraju_strongly_connected_components.unless
def _(G: Any, source: Any) -> str:
    return "" if source is None else "`source`"


def _left(G: Converted, reverse: bool = False) -> np.ndarray:
    """int32 (V,): the number of each node's strong component, in the order in which a depth-first
    search leaves them; with `reverse`, a search against the edges.

    That order depends on every step of the search, which no parallel one reproduces.
    """
    offsets, neighbours = G.rows(reverse)
    if _starts_with_last_arc():
        lengths = np.diff(offsets)
        backwards = np.repeat(offsets[1:] + offsets[:-1] - 1, lengths) - np.arange(len(neighbours))
        neighbours = neighbours[backwards]
    return _components_by_scipy(offsets, neighbours)


def _components_by_scipy(offsets: np.ndarray, neighbours: np.ndarray) -> np.ndarray:
    shape = (len(offsets) - 1,) * 2
    matrix = csr_array((np.ones(len(neighbours)), neighbours, offsets), shape=shape)
    found: np.ndarray = csgraph.connected_components(matrix, connection="strong")[1]
    return found


@cache
def _starts_with_last_arc() -> bool:
    """Whether SciPy's search follows the last arc of a row first, as it does before 1.18."""
    _, first, last = _components_by_scipy(np.array([0, 2, 2, 2]), np.array([1, 2])).tolist()
    return last < first


@backend_function(first=None, cached=100_000)
def number_strongly_connected_components(G: Converted) -> int:
    """How many there are."""
    return _count(_strong(G))


@backend_function(first=None, cached=100_000)
def is_strongly_connected(G: Converted) -> bool:
    """Whether there is one."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept(_NULL)
    return _count(_strong(G)) == 1


@backend_function(first=None, cached=200_000)
def attracting_components(G: Converted) -> Iterator[set[Any]]:
    """Strong components that no edge leaves, in NetworkX's order."""
    return iter(_attracting(G))


def _attracting(G: Converted) -> list[set[Any]]:
    number = _left(G)
    src, dst = (number[ends] for ends in (G.topology.adjacency.src, G.topology.adjacency.dst))
    attracts = np.ones(len(G), bool)
    attracts[src[src != dst]] = False
    return list(itertools.compress(_sets(G, number), attracts.tolist()))


@backend_function(first=None, cached=100_000)
def number_attracting_components(G: Converted) -> int:
    """How many there are."""
    return len(_attracting(G))


@backend_function(first=None, cached=100_000)
def is_attracting_component(G: Converted) -> bool:
    """Whether all nodes are one."""
    found = _attracting(G)
    return len(found) == 1 and len(found[0]) == len(G)


@backend_function(first=None, cached=100_000)
def is_tree(G: Converted) -> bool:
    """Whether it is connected and has no cycle, whatever its direction."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    return len(G) - 1 == G.number_of_edges() and _count(weak(G)) == 1


def _forest(G: Converted) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    return len(G) - G.number_of_edges() == _count(weak(G))


@backend_function(first=None, cached=100_000)
def is_forest(G: Converted) -> bool:
    """Whether it has no cycle, whatever its direction."""
    return _forest(G)


@backend_function(first=None, cached=100_000)
def is_branching(G: Converted) -> bool:
    """Whether it is a forest, and one edge at most leads to a node."""
    return _forest(G) and bool(G.in_degree.max() <= 1)


@backend_function(first=None, cached=100_000)
def is_arborescence(G: Converted) -> bool:
    """Whether it is a tree, and one edge at most leads to a node."""
    return is_tree(G) and bool(G.in_degree.max() <= 1)


@backend_function(first=None, cached=100_000)
def is_eulerian(G: Converted) -> bool:
    """Whether there is a circuit along all edges."""
    if G.is_directed():
        return bool((G.in_degree == G.out_degree).all()) and connected(G)
    return bool((G.degree % 2 == 0).all()) and connected(G)


@backend_function(first=None, cached=100_000)
def is_directed_acyclic_graph(G: Converted) -> bool:
    """Whether it is directed and has no cycle."""
    return G.is_directed() and (len(G) == 0 or not G.run(Peel())["left"].any())


@backend_function(first=None, cached=100_000)
def has_cycle(G: Converted) -> bool:
    """Whether a directed graph has a cycle."""
    if not G.is_directed():
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    return len(G) > 0 and bool(G.run(Peel())["left"].any())


@backend_function(first=50_000, cached=20_000)
def flow_hierarchy(G: Converted, weight: Any = None) -> float:
    """The share of edges that are on no cycle."""
    if not G.number_of_edges():
        raise nx.NetworkXError("flow_hierarchy not applicable to empty graphs")
    if not G.is_directed():
        raise nx.NetworkXError("G must be a digraph in flow_hierarchy")
    values = np.ones(G.number_of_edges()) if weight is None else G.column(weight).lengths
    if values.min() < 0 or not values.any():
        raise NotImplementedError("weights below 0, or all 0")
    component = _strong(G)
    inside = component[G.topology.adjacency.src] == component[G.topology.adjacency.dst]
    return 1 - float(values[inside].sum()) / float(values.sum())


@backend_function(first=None, cached=200_000)
def is_bipartite(G: Converted) -> bool:
    """Whether no edge connects two nodes of one side."""
    return len(G) == 0 or bool((G.run(Bipartition())["side"] >= 0).all())


@backend_function(first=None, cached=200_000)
def color(G: Converted) -> dict[Any, int]:
    """The side of each node: 0 or 1."""
    return G.by_node(_colours(G))


def _counts_hidden(G: Any) -> str:
    hides = is_view(G) and G.is_multigraph()
    return "views of multigraphs, which count neighbors whose edges they hide" if hides else ""


color.unless(_counts_hidden)


def _colours(G: Converted) -> np.ndarray:
    """int64 (V,): 0 or 1."""
    if len(G) == 0:
        return np.zeros(0, np.int64)
    side = G.run(Bipartition())["side"]
    if (side < 0).any():
        raise nx.NetworkXError("Graph is not bipartite.")
    # NetworkX gives 1 to the first node of each component from which an edge leads on
    component = weak(G)
    begins = np.flatnonzero(np.diff(G.rows()[0]))
    first = np.arange(len(G))  # by the component; of a node without edges, itself
    first[component[begins[::-1]]] = begins[::-1]
    ones = side == side[first[component]]
    return (ones & (G.degree > 0)).astype(np.int64)


@backend_function(first=None, cached=200_000)
def sets(G: Converted, top_nodes: Any = None) -> tuple[set[Any], set[Any]]:
    """The nodes of both sides of a connected graph."""
    if not is_weakly_connected(G):
        message = "Disconnected graph: Ambiguous solution for bipartite sets."
        raise nx.AmbiguousSolution(message)
    top = _colours(G) == 1
    return set(G.node_array[top].tolist()), set(G.node_array[~top].tolist())


@sets.unless
def _(G: Any, top_nodes: Any) -> str:
    if top_nodes is not None:
        return "`top_nodes`, which leave the difference of two sets"
    return _counts_hidden(G)
