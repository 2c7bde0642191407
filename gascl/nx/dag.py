"""Directed acyclic graphs: topological orders, ancestors and descendants."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import csgraph, csr_array

from gascl.nx.components import connected
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function
from gascl.nx.locality import local_search, long_path, no_successors
from gascl.nx.longest_paths import LongestPaths
from gascl.nx.path_trees import FEW, arcs_of_rows
from gascl.nx.unweighted import depths


def _generations(G: Converted) -> Iterator[np.ndarray]:
    """The nodes whose predecessors are all in earlier generations, in the order in which NetworkX
    visits the last edge into each."""
    if not G.is_directed():
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    offsets, neighbors = G.rows()
    in_degree = np.bincount(neighbors, minlength=len(G))  # parallel edges count as one
    left = len(G)
    generation = np.flatnonzero(in_degree == 0)
    while len(generation):
        yield generation
        left -= len(generation)
        if (offsets[generation + 1] - offsets[generation]).sum() < FEW:
            free = []
            for node in generation.tolist():
                for child in neighbors[offsets[node] : offsets[node + 1]].tolist():
                    in_degree[child] -= 1
                    if not in_degree[child]:
                        free.append(child)
            generation = np.array(free, np.int64)
            continue
        heads = neighbors[arcs_of_rows(offsets, generation)[1]]
        np.subtract.at(in_degree, heads, 1)
        heads = heads[in_degree[heads] == 0][::-1]  # the last one of each counts
        _, places = np.unique(heads, return_index=True)
        generation = heads[np.sort(places)[::-1]]
    if left:
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")


@backend_function(first=None, cached=100_000, numpy=True, lazy=inf, later=[long_path])
def topological_generations(G: Converted) -> Iterator[list[Any]]:
    """Lists of nodes, in NetworkX's order."""
    return (G.node_array[generation].tolist() for generation in _generations(G))


@backend_function(first=None, cached=100_000, numpy=True, lazy=inf, later=[long_path])
def topological_sort(G: Converted) -> Iterator[Any]:
    """Nodes, in NetworkX's order."""
    return (node for generation in _generations(G) for node in G.node_array[generation].tolist())


def acyclic(G: Converted) -> bool:
    """Whether a directed graph has no cycle. A device would take a step for each node of a path."""
    offsets, neighbors = G.rows()
    arcs = csr_array((np.ones(len(neighbors), bool), neighbors, offsets), shape=(len(G), len(G)))
    components, _ = csgraph.connected_components(arcs, connection="strong")
    return bool(components == len(G)) and not G.num_loops


@backend_function(first=None, cached=100_000, numpy=True)
def is_directed_acyclic_graph(G: Converted) -> bool:
    """Whether it is directed and has no cycle."""
    return G.is_directed() and acyclic(G)


@backend_function(first=None, cached=100_000, numpy=True)
def has_cycle(G: Converted) -> bool:
    """Whether a directed graph has a cycle."""
    if not G.is_directed():
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    return not acyclic(G)


@backend_function(first=100_000, cached=20_000, slower=[long_path])
def dag_longest_path_length(G: Converted, weight: Any = "weight", default_weight: Any = 1) -> Any:
    """The largest sum of lengths along a path."""
    if not G.is_directed():
        raise nx.NetworkXNotImplemented("not implemented for undirected type")
    if len(G) == 0:
        return 0
    column = G.column(weight, default_weight)
    lengths, whole, all_one = column.lengths, column.whole, column.all_one
    if weight is None:  # no edge has it
        lengths = np.full(len(G.ends[0]), default_weight, np.float64)
        whole = not len(lengths) or isinstance(default_weight, int | np.integer)
        all_one = default_weight == 1
    elif column.mixed is not None:
        raise NotImplementedError(
            f"the edge attribute {weight!r} has integers and floats, and which of them lie on the "
            "longest path decides its type"
        )
    field = None if all_one else (("longest", weight, default_weight), lengths)
    result = G.run(LongestPaths(dtype="float64"), weight=field)
    if result["left"].any():
        raise nx.NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")
    longest = float(result["distance"].max())
    # The longest path may have no edge: the sum of no lengths is the integer 0.
    return int(longest) if whole or not longest else longest


@backend_function(first=100_000, cached=20_000, slower=[no_successors])
def is_aperiodic(G: Converted) -> bool:
    """Whether the lengths of the cycles of a strongly connected graph have no common divisor."""
    if not G.is_directed():
        raise nx.NetworkXError("is_aperiodic not defined for undirected graphs")
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Graph has no nodes.")
    if not connected(G):
        raise nx.NetworkXError("Graph is not strongly connected.")
    src, dst = G.ends
    depth = depths(G, G.nodes[0])
    return bool(np.gcd.reduce(depth[src] - depth[dst] + 1, initial=0) == 1)


def _reached(G: Converted, source: Any, reverse: bool = False) -> set[Any]:
    kind = "digraph" if G.is_directed() else "graph"
    G.require(source, nx.NetworkXError(f"The node {source} is not in the {kind}."))
    return set(G.node_array[depths(G, source, reverse=reverse) > 0].tolist())


@backend_function(first=None, cached=20_000, slower=[local_search("source")])
def descendants(G: Converted, source: Any) -> set[Any]:
    """The nodes that a node reaches."""
    return _reached(G, source)


@backend_function(first=None, cached=20_000, slower=[local_search("source", reverse=True)])
def ancestors(G: Converted, source: Any) -> set[Any]:
    """The nodes that reach a node."""
    return _reached(G, source, reverse=True)
