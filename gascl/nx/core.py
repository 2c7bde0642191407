"""The core number of each node, and the layers of the onion decomposition."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function
from gascl.nx.path_trees import arcs_of_rows
from gascl.programs.core_number import CoreNumber


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
