"""Connected components."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache
from math import inf
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import csgraph, csr_array

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call, argument, backend_function, collections, missing_node
from gascl.nx.locality import local_search, long_path, no_successors, small_first_component
from gascl.programs.breadth_first import BreadthFirst
from gascl.programs.connected_components import ConnectedComponents
from gascl.programs.strongly_connected import StronglyConnected


def sets(G: Converted, component: np.ndarray) -> list[set[Any]]:
    """The nodes of each component, in the order of the components' numbers."""
    order = np.argsort(component, kind="stable")
    nodes = G.node_array[order].tolist()
    bounds = np.flatnonzero(np.diff(component[order], prepend=-1, append=len(component))).tolist()
    return [set(nodes[a:b]) for a, b in itertools.pairwise(bounds)]


def weak(G: Converted) -> np.ndarray:
    """int32 (V,): the first node of each node's component."""
    return G.run(ConnectedComponents())["component"]


def strong(G: Converted) -> np.ndarray:
    """int32 (V,): the first node of each node's strong component."""
    return G.run(StronglyConnected())["component"]


def count(component: np.ndarray) -> int:
    """The number of components in an array from `weak` or `strong`."""
    return int(np.count_nonzero(component == np.arange(len(component))))


def connected(G: Converted, weakly: bool = False) -> bool:
    """Whether there is one component: a strong one in directed graphs, unless `weakly`.

    Raises:
        NetworkXPointlessConcept: there are no nodes.
    """
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return count(strong(G) if G.is_directed() and not weakly else weak(G)) == 1


@backend_function(
    first=400_000,
    cached=50_000,
    slower=[small_first_component],
    also="weakly_connected_components",
)
def connected_components(G: Converted) -> Iterator[set[Any]]:
    """Sets of nodes, by their first nodes."""
    return iter(sets(G, weak(G)))


@backend_function(
    first=400_000,
    cached=50_000,
    slower=[long_path],
    also="number_weakly_connected_components",
)
def number_connected_components(G: Converted) -> int:
    """The number of components."""
    return count(weak(G))


@backend_function(
    first=400_000, cached=50_000, slower=[small_first_component], also="is_weakly_connected"
)
def is_connected(G: Converted) -> bool:
    """Whether there is one component."""
    return connected(G, weakly=True)


@backend_function(
    first=None, cached=100_000, unsupported=[missing_node], slower=[local_search("n")]
)
def node_connected_component(G: Converted, n: Any) -> set[Any]:
    """The nodes that can be reached."""
    depth = G.run(BreadthFirst(source=G.topology.index[n]))["depth"]
    return set(G.node_array[depth >= 0].tolist())


@backend_function(first=200_000, cached=100_000, numpy=True, lazy=inf, later=[long_path])
def strongly_connected_components(G: Converted) -> Iterator[set[Any]]:
    """Sets of nodes in NetworkX's order."""
    return iter(sets(G, _depth_first(G)))


@backend_function(
    first=None, cached=200_000, numpy=True, limits="No `source`.", unsupported=[argument("source")]
)
def kosaraju_strongly_connected_components(G: Converted, source: Any = None) -> Iterator[set[Any]]:
    """Sets of nodes in NetworkX's order."""
    number = _depth_first(G, reverse=True)
    return iter(sets(G, number.max(initial=0) - number))


def _depth_first(G: Converted, reverse: bool = False) -> np.ndarray:
    """int32 (V,): the number of each node's strong component, in the order in which a depth-first
    search leaves them; with `reverse`, a search against the direction of the edges.

    No parallel search reproduces that order.
    """
    offsets, neighbors = G.rows(reverse)
    if _starts_with_last_arc():
        lengths = np.diff(offsets)
        backwards = np.repeat(offsets[1:] + offsets[:-1] - 1, lengths) - np.arange(len(neighbors))
        neighbors = neighbors[backwards]
    return _components_by_scipy(offsets, neighbors)


def _components_by_scipy(offsets: np.ndarray, neighbors: np.ndarray) -> np.ndarray:
    shape = (len(offsets) - 1,) * 2
    matrix = csr_array((np.ones(len(neighbors)), neighbors, offsets), shape=shape)
    labels: np.ndarray = csgraph.connected_components(matrix, connection="strong")[1]
    return labels


@cache
def _starts_with_last_arc() -> bool:
    """Whether SciPy's search follows the last arc of a row first, as it does before 1.18."""
    _, first, last = _components_by_scipy(np.array([0, 2, 2, 2]), np.array([1, 2])).tolist()
    return last < first


@backend_function(first=None, cached=100_000, slower=[long_path])
def number_strongly_connected_components(G: Converted) -> int:
    """The number of components."""
    return count(strong(G))


@backend_function(first=None, cached=100_000, slower=[no_successors, long_path])
def is_strongly_connected(G: Converted) -> bool:
    """Whether there is one component."""
    return connected(G)


def _read_once(call: Call) -> str:
    return "" if call.scc is None else collections(call.scc, "components")


@backend_function(first=2_000, cached=500, numpy=True, unsupported=[_read_once])
def condensation(G: Converted, scc: Any = None) -> Any:
    """A DiGraph of NetworkX's, with a node for each strong component."""
    C = nx.DiGraph()
    C.graph["mapping"] = {}
    if len(G) == 0:
        return C
    components = sets(G, _depth_first(G)) if scc is None else list(scc)
    number = G.numbered(components)
    if number is None:
        raise NotImplementedError("components that are no partition of the nodes")
    for place, component in enumerate(components):
        C.graph["mapping"].update(dict.fromkeys(component, place))
    C.add_nodes_from((place, {"members": each}) for place, each in enumerate(components))
    src, dst = (number[ends] for ends in G.ends)
    key = (src * len(components) + dst)[src != dst]
    first = np.sort(np.unique(key, return_index=True)[1])  # in the order of the edges
    ends = divmod(key[first], len(components))
    C.add_edges_from(zip(*(each.tolist() for each in ends), strict=True))
    return C


@backend_function(first=None, cached=200_000, numpy=True)
def attracting_components(G: Converted) -> Iterator[set[Any]]:
    """Strong components that no edge leaves, in NetworkX's order."""
    return iter(_attracting(G))


def _attracting(G: Converted) -> list[set[Any]]:
    number = _depth_first(G)
    src, dst = (number[ends] for ends in G.ends)
    attracts = np.ones(len(G), bool)
    attracts[src[src != dst]] = False
    return list(itertools.compress(sets(G, number), attracts.tolist()))


@backend_function(first=None, cached=100_000, numpy=True)
def number_attracting_components(G: Converted) -> int:
    """The number of components."""
    return len(_attracting(G))


@backend_function(first=None, cached=100_000, numpy=True)
def is_attracting_component(G: Converted) -> bool:
    """Whether the whole graph is one attracting component."""
    components = _attracting(G)
    return len(components) == 1 and len(components[0]) == len(G)
