"""Cores."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function
from gascl.nx.path_trees import arcs_of_rows
from gascl.programs.core_number import CoreNumber
from gascl.programs.truss_number import TrussNumber

_REMEDY = "Consider using G.remove_edges_from(nx.selfloop_edges(G))."


def _cores(G: Converted) -> np.ndarray:
    """int32 (V,): core numbers."""
    if G.num_loops:
        raise nx.NetworkXNotImplemented(
            f"Input graph has self loops which is not permitted; {_REMEDY}"
        )
    return G.run(CoreNumber())["core"]


@backend_function(first=20_000, cached=5_000)
def core_number(G: Converted) -> dict[Any, int]:
    """Core numbers."""
    return G.by_node(_cores(G))


def _given(G: Converted, core: Any) -> np.ndarray:
    if core is None:
        return _cores(G)
    if set(core) != set(G):
        raise NotImplementedError("core numbers of other nodes")
    return np.array([core[node] for node in G])


def _subgraph(G: Converted, chosen: np.ndarray) -> Any:
    return G.original().subgraph(G.node_array[chosen].tolist()).copy()


@backend_function(first=20_000, cached=5_000)
def k_core(G: Converted, k: Any = None, core_number: Any = None) -> Any:
    """The subgraph of nodes with core numbers of k or more."""
    core = _given(G, core_number)
    return _subgraph(G, core >= (max(core.tolist()) if k is None else k))


@backend_function(first=20_000, cached=5_000)
def k_shell(G: Converted, k: Any = None, core_number: Any = None) -> Any:
    """The subgraph of nodes with core number k."""
    core = _given(G, core_number)
    return _subgraph(G, core == (max(core.tolist()) if k is None else k))


@backend_function(first=20_000, cached=5_000)
def k_crust(G: Converted, k: Any = None, core_number: Any = None) -> Any:
    """The subgraph of nodes with core numbers of k or less."""
    core = _given(G, core_number)
    return _subgraph(G, core <= (max(core.tolist()) - 1 if k is None else k))


@backend_function(first=20_000, cached=5_000)
def k_corona(G: Converted, k: Any, core_number: Any = None) -> Any:
    """The subgraph of nodes with core number k that have k neighbours in the k-core."""
    core = _given(G, core_number)
    offsets, neighbours = G.rows()
    tails = np.repeat(np.arange(len(G)), np.diff(offsets))
    inside = np.bincount(tails[core[neighbours] >= k], minlength=len(G))
    return _subgraph(G, (core == k) & (inside == k))


@backend_function(first=1_000, cached=1_000)
def onion_layers(G: Converted) -> dict[Any, int]:
    """Layers, the outermost first."""
    if G.num_loops:
        raise nx.NetworkXNotImplemented(
            f"Input graph contains self loops which is not permitted; {_REMEDY}"
        )
    offsets, neighbours = G.rows()
    degree = np.diff(offsets)
    found: dict[Any, int] = {}
    alone = degree == 0
    layer, core = 1, 1
    if alone.any():
        found.update(dict.fromkeys(G.node_array[alone].tolist(), layer))
        layer = 2
    left = np.flatnonzero(~alone)
    while len(left):
        core = max(core, int(degree[left].min()))
        outer = degree[left] <= core
        removed = left[outer]
        removed = removed[np.argsort(degree[removed], kind="stable")]
        found.update(dict.fromkeys(G.node_array[removed].tolist(), layer))
        np.subtract.at(degree, arcs_of_rows(offsets, neighbours, removed)[1], 1)
        left = left[~outer]
        layer += 1
    return found


@backend_function(first=None, cached=None)  # slow where there are hubs
def k_truss(G: Converted, k: Any) -> Any:
    """The subgraph of edges in k - 2 triangles of it or more."""
    if G.num_loops:
        raise nx.NetworkXNotImplemented(
            f"Input graph has self loops which is not permitted; {_REMEDY}"
        )
    H = G.original().copy()
    if G.number_of_edges():
        graph = G.topology.graph()
        truss = np.empty(graph.num_edges, np.int32)
        truss[graph.arcs().out_edges] = G.run(TrussNumber()).arc_fields["truss"]
        src, dst = (G.node_array[ends[truss < k]] for ends in (graph.edge_src, graph.edge_dst))
        H.remove_edges_from(zip(src.tolist(), dst.tolist(), strict=True))
    H.remove_nodes_from(list(nx.isolates(H)))
    return H
