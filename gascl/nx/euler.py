"""Whether a graph has a walk that takes each edge once."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from gascl.nx.components import connected
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call, backend_function
from gascl.nx.edge_list import stored_edges
from gascl.nx.locality import FIRST


def _degrees_tell(call: Call) -> str:
    """Checks that NetworkX looks beyond the degrees of the first nodes."""
    G = call.G
    if stored_edges(G) is not None:  # where NetworkX would need dictionaries
        return ""
    if G.is_directed():
        odd = any(G.in_degree(node) != G.out_degree(node) for node in islice(G, FIRST))
    else:
        odd = any(G.degree(node) % 2 for node in islice(G, FIRST))
    return "NetworkX soon finds nodes of odd degree" if odd else ""


def _closed(G: Converted) -> bool:
    if G.is_directed():
        return np.array_equal(G.in_degree, G.out_degree) and connected(G)
    return not (G.degree % 2).any() and connected(G)


def _open(G: Converted, source: Any) -> bool:
    """Whether there is a walk from one node to another one.

    Args:
        source: where it must begin; None: anywhere.
    """
    place = None if source is None else G.topology.index[source]
    if not G.is_directed():
        odd = G.degree % 2 == 1
        starts = place is None or bool(odd[place])
        return starts and int(odd.sum()) == 2 and connected(G)
    more = G.out_degree - G.in_degree
    if (np.abs(more) > 1).any() or (place is not None and more[place] != 1):
        return False
    ends = int((more == -1).sum()), int((more == 1).sum())
    return max(ends) <= 1 and connected(G, weakly=True)


_walk = backend_function(first=400_000, cached=50_000, slower=[_degrees_tell])


@_walk
def is_eulerian(G: Converted) -> bool:
    """Whether such a walk returns to its start."""
    return _closed(G)


@_walk
def has_eulerian_path(G: Converted, source: Any = None) -> bool:
    """Whether there is such a walk, from the source if one is passed."""
    if source is not None and source not in G:
        raise NotImplementedError("a source that is not in the graph")
    return _closed(G) or _open(G, source)


@_walk
def is_semieulerian(G: Converted) -> bool:
    """Whether there is such a walk, but none that returns to its start."""
    return not _closed(G) and _open(G, None)
