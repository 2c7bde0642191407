"""Sizes of cuts between sets of nodes, and measures of how well a set is separated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gascl.nx.boundary import (
    neighbors_of,
    node_boundary_of,
    require_nodes,
    sets_of_nodes,
    within,
)
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call, Function, backend_function


def _measure(
    *names: str, directed: bool = True, cached: int = 50_000
) -> Callable[[Callable[..., Any]], Function]:
    """Registers a measure of the sets of nodes with these names.

    Args:
        directed: without `T`, directed graphs have an answer.
        cached: as in `backend_function`.
    """

    def second_set(call: Call) -> str:
        missing = not directed and call.T is None and call.G.is_directed()
        return "directed graphs without `T`" if missing else ""

    return backend_function(
        first=None,
        cached=cached,
        numpy=True,
        limits="" if directed else "Directed graphs need `T`.",
        unsupported=[sets_of_nodes(*names), second_set],
    )


def _total(G: Converted, weight: Any, counts: np.ndarray) -> Any:
    """The sum of the weights of the edges, each taken `counts` (E,) times."""
    column = G.column(weight)
    taken = np.flatnonzero(counts)
    total = float(column.lengths[taken] @ counts[taken])
    return total if column.floats[taken].any() else int(total)


def _cut(G: Converted, S: Any, T: Any, weight: Any) -> Any:
    src, dst = G.ends
    first = within(G, S)
    if T is None:
        return _total(G, weight, (first[src] != first[dst]).astype(np.int64))
    second = within(G, set(T))
    crossing = (first[src] & second[dst]) | (first[dst] & second[src])
    if not G.is_directed():
        return _total(G, weight, crossing.astype(np.int64))
    # An edge counts for each set in which it begins.
    return _total(G, weight, crossing * (first[src].astype(np.int64) + second[src]))


def _volume(G: Converted, S: Any, weight: Any) -> Any:
    if S in G:
        raise NotImplementedError("a single node")
    times = np.bincount(G.places(G.nbunch_iter(S)), minlength=len(G))
    src, dst = G.ends
    return _total(G, weight, times[src] if G.is_directed() else times[src] + times[dst])


def _rest(G: Converted, S: Any, T: Any) -> Any:
    return set(G) - set(S) if T is None else T


@_measure("S", "T", directed=False)
def cut_size(G: Converted, S: Any, T: Any = None, weight: Any = None) -> Any:
    """The weight of the edges between two sets of nodes."""
    return _cut(G, S, T, weight)


@_measure("S", cached=300_000)
def volume(G: Converted, S: Any, weight: Any = None) -> Any:
    """The sum of the degrees of nodes."""
    return _volume(G, S, weight)


@_measure("S", "T")
def normalized_cut_size(G: Converted, S: Any, T: Any = None, weight: Any = None) -> float:
    """The size of the cut, times the sum of the inverse volumes."""
    T = _rest(G, S, T)
    cut, one, other = _cut(G, S, T, weight), _volume(G, S, weight), _volume(G, T, weight)
    return cut * ((1 / one) + (1 / other))


@_measure("S", "T")
def conductance(G: Converted, S: Any, T: Any = None, weight: Any = None) -> float:
    """The size of the cut by the smaller volume."""
    T = _rest(G, S, T)
    return _cut(G, S, T, weight) / min(_volume(G, S, weight), _volume(G, T, weight))


@_measure("S", "T")
def edge_expansion(G: Converted, S: Any, T: Any = None, weight: Any = None) -> float:
    """The size of the cut by the size of the smaller set."""
    T = _rest(G, S, T)
    return _cut(G, S, T, weight) / min(len(S), len(T))


@_measure("S", "T", directed=False)
def mixing_expansion(G: Converted, S: Any, T: Any = None, weight: Any = None) -> float:
    """The size of the cut by twice the number of edges."""
    return _cut(G, S, T, weight) / (2 * G.number_of_edges())


@_measure("S", cached=200_000)
def node_expansion(G: Converted, S: Any) -> float:
    """The number of neighbors of a set by its size."""
    require_nodes(G, S)
    return int(np.count_nonzero(neighbors_of(G, within(G, S)))) / len(S)


@_measure("S", cached=100_000)
def boundary_expansion(G: Converted, S: Any) -> float:
    """The size of the node boundary by that of the set."""
    return int(np.count_nonzero(node_boundary_of(G, S))) / len(S)
