"""Nodes without edges."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function


@backend_function(first=None, cached=20_000, numpy=True, lazy=inf)
def isolates(G: Converted) -> Iterator[Any]:
    """The nodes without edges."""
    return iter(G.node_array[G.degree == 0].tolist())


@backend_function(first=None, cached=20_000, numpy=True)
def number_of_isolates(G: Converted) -> int:
    """The number of nodes without edges."""
    return int(np.count_nonzero(G.degree == 0))
