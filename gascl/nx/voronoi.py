"""Voronoi cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from gascl.nx import weighted
from gascl.nx.converted_graph import Converted


@weighted.by_weight(200_000, 20_000, weighted.NOT_NEGATIVE)
def voronoi_cells(G: Converted, center_nodes: Any, weight: Any = "weight") -> dict[Any, set[Any]]:
    """The nodes that are nearest to each center."""
    centers = weighted.distinct_sources(G, center_nodes)
    tree, _ = weighted.tree(G, centers, weight)
    root = np.arange(len(G)).tolist()
    cells: dict[Any, set[Any]] = {center: set() for center in centers}
    parents = tree.parent[tree.order].tolist()
    for vertex, parent in zip(tree.order.tolist(), parents, strict=True):
        root[vertex] = root[parent] if parent >= 0 else vertex
        cells[G.nodes[root[vertex]]].add(G.nodes[vertex])
    unreachable = np.ones(len(G), bool)
    unreachable[tree.order] = False
    if unreachable.any():
        cells["unreachable"] = set(G.node_array[unreachable].tolist())
    return cells
