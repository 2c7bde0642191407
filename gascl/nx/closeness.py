"""Closeness centrality."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from gascl.nx import weighted
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import argument, backend_function, callable_weight, few_edges_by_weight
from gascl.nx.unweighted import depths
from gascl.programs.closeness import Closeness, WeightedCloseness


def _of_one(G: Converted, u: Any, weight: Any, wf_improved: bool) -> float:
    """The closeness of one node, by NetworkX's formula."""
    if u not in G:
        message = f"Source {u} is not in G" if weight is None else f"Node {u} not found in graph"
        raise nx.NodeNotFound(message)
    if weight is None:
        lengths = depths(G, u, reverse=True)
        lengths = lengths[lengths >= 0]
    else:
        lengths = weighted.distances(G, G.places([u]), weight, reverse=True)
        lengths = lengths[np.isfinite(lengths)]
    total = lengths.sum()
    if not (total > 0.0 and len(G) > 1):
        return 0.0
    num_others = len(lengths) - 1.0
    closeness = num_others / float(total)
    return closeness * (num_others / (len(G) - 1)) if wf_improved else closeness


@backend_function(
    first=1_000,
    cached=500,
    limits="No `sp`.",
    unsupported=[argument("sp"), callable_weight("distance")],
    slower=[argument("u", reason="a single node"), few_edges_by_weight("distance")],
)
def closeness_centrality(
    G: Converted, u: Any = None, distance: Any = None, wf_improved: bool = True, *, sp: Any = None
) -> Any:
    """Closeness of all nodes, or of one."""
    if u is not None:
        return _of_one(G, u, distance, wf_improved)
    if len(G) == 0:
        return {}
    field = weighted.lengths_of(G, distance)
    program = (Closeness if field is None else WeightedCloseness)(
        wf_improved=bool(wf_improved), dtype="float64"
    )
    return G.by_node(G.run(program, weight=field, simple=field is None)["centrality"])
