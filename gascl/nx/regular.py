"""Whether all nodes have the same degree."""

from __future__ import annotations

from itertools import islice
from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call, backend_function
from gascl.nx.locality import FIRST


def _degrees_differ(call: Call) -> str:
    """Checks that the first nodes have as many neighbors."""
    lengths = set(map(len, islice(call.G._adj.values(), FIRST)))
    return "NetworkX soon finds different degrees" if len(lengths) > 1 else ""


_regular = backend_function(first=None, cached=50_000, numpy=True, slower=[_degrees_differ])


@_regular
def is_regular(G: Converted) -> bool:
    """Whether all nodes have the same degree, in and out."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Graph has no nodes.")
    degrees = [G.in_degree, G.out_degree] if G.is_directed() else [G.degree]
    return all(bool((degree == degree[0]).all()) for degree in degrees)


@_regular
def is_k_regular(G: Converted, k: Any) -> bool:
    """Whether all nodes have degree `k`."""
    return bool(np.all(G.degree == k))
