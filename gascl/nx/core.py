"""Core numbers, subgraphs by them, trusses, and the layers of the onion decomposition."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function
from gascl.nx.path_trees import arcs_of_rows
from gascl.programs.core_number import CoreNumber
from gascl.programs.truss_number import TrussNumber


def _refuse_loops(G: Converted, has: str) -> None:
    if G.num_loops:
        remedy = "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        message = f"Input graph {has} self loops which is not permitted; {remedy}"
        raise nx.NetworkXNotImplemented(message)


@backend_function(first=20_000, cached=10_000)
def core_number(G: Converted) -> dict[Any, int]:
    """Core numbers."""
    _refuse_loops(G, "has")
    return G.by_node(G.run(CoreNumber())["core"])


@backend_function(first=1_000, cached=1_000, numpy=True)
def onion_layers(G: Converted) -> dict[Any, int]:
    """Layers, the outermost first."""
    _refuse_loops(G, "contains")
    offsets, neighbors = G.rows()
    degree = np.diff(offsets)
    layers: dict[Any, int] = {}
    isolated = degree == 0
    layer, core = 1, 1
    if isolated.any():
        layers.update(dict.fromkeys(G.node_array[isolated].tolist(), layer))
        layer = 2
    left = np.flatnonzero(~isolated)
    while len(left):
        core = max(core, int(degree[left].min()))
        outer = degree[left] <= core
        removed = left[outer]
        removed = removed[np.argsort(degree[removed], kind="stable")]
        layers.update(dict.fromkeys(G.node_array[removed].tolist(), layer))
        np.subtract.at(degree, neighbors[arcs_of_rows(offsets, removed)[1]], 1)
        left = left[~outer]
        layer += 1
    return layers


def _of_cores(
    G: Converted, k: Any, core: Any, keep: Callable[[np.ndarray, Any], np.ndarray]
) -> Any:
    """A graph of NetworkX's: those nodes that `keep` chooses by the core numbers (V,) and `k`.

    Args:
        k: None: the largest core number.
        core: the core numbers by node; None: they are computed.
    """
    if core is None:
        _refuse_loops(G, "has")
        numbers = G.run(CoreNumber())["core"]
    elif not isinstance(core, Mapping) or core.keys() != G.topology.index.keys():
        raise NotImplementedError("core numbers of other nodes than the graph has")
    else:
        numbers = np.array([core[node] for node in G.nodes])
    if k is None:
        k = max(numbers.tolist())
    return G.original().subgraph(G.node_array[keep(numbers, k)].tolist()).copy()


#: Registers a subgraph, whose copy takes most of the time.
_subgraph = backend_function(first=100_000, cached=30_000)


@_subgraph
def k_core(G: Converted, k: Any = None, core_number: Any = None) -> Any:
    """The nodes whose core number is at least k."""
    return _of_cores(G, k, core_number, lambda numbers, k: numbers >= k)


@_subgraph
def k_shell(G: Converted, k: Any = None, core_number: Any = None) -> Any:
    """The nodes whose core number is k."""
    return _of_cores(G, k, core_number, lambda numbers, k: numbers == k)


@_subgraph
def k_crust(G: Converted, k: Any = None, core_number: Any = None) -> Any:
    """The nodes whose core number is at most k; all but those of the main core by default."""
    if k is None:
        return _of_cores(G, None, core_number, lambda numbers, largest: numbers < largest)
    return _of_cores(G, k, core_number, lambda numbers, k: numbers <= k)


@backend_function(first=50_000, cached=20_000)
def k_corona(G: Converted, k: Any, core_number: Any = None) -> Any:
    """The nodes of the k-shell with k neighbors in the k-core."""

    def keep(numbers: np.ndarray, k: Any) -> np.ndarray:
        inside = numbers[G.rows()[1]] >= k
        return (numbers == k) & (np.bincount(G.tails[inside], minlength=len(G)) == k)

    return _of_cores(G, k, core_number, keep)


@backend_function(first=20_000, cached=20_000)
def k_truss(G: Converted, k: Any) -> Any:
    """The edges that are in k - 2 triangles or more of such edges, and their ends."""
    if G.num_loops:
        remedy = "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        message = f"Input graph has self loops which is not permitted; {remedy}"
        raise nx.NetworkXNotImplemented(message)
    original, graph = G.original(), G.topology.graph()
    truss = np.empty(graph.num_edges, np.int64)
    truss[graph.arcs().out_edges] = G.run(TrussNumber()).arc_fields["truss"]
    dropped = truss < k
    found = original.copy()
    ends = (G.node_array[end[dropped]].tolist() for end in G.ends)
    found.remove_edges_from(zip(*ends, strict=True))
    found.remove_nodes_from(list(nx.isolates(found)))
    return found
