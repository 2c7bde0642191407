"""Structural holes: whether the neighbors of a node know each other."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np

from gascl.nx.boundary import sets_of_nodes
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import argument, backend_function, directed, multigraph
from gascl.programs.triangles import Triangles


@backend_function(
    first=5_000,
    cached=1_000,
    limits="Undirected graphs without loops or parallel edges; no weights.",
    unsupported=[
        *(directed, multigraph, sets_of_nodes("nodes"), argument("weight", reason="weights"))
    ],
    slower=[argument("nodes", reason="some of the nodes")],
)
def effective_size(G: Converted, nodes: Any = None, weight: Any = None) -> dict[Any, float]:
    """The number of each node's neighbors, less the mean number of neighbors that these share
    with it."""
    if G.num_loops:
        raise NotImplementedError("graphs with self-loops")
    if len(G) == 0:
        raise NotImplementedError("graphs without nodes")
    degree = G.degree
    triangles = G.run(Triangles())["triangles"]
    shared = np.divide(2 * triangles, degree, out=np.full(len(G), nan), where=degree > 0)
    sizes = G.by_node(degree - shared)
    return sizes if nodes is None else {node: sizes[node] for node in nodes}
