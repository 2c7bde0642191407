"""Scores of pairs of nodes by their common neighbors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice
from math import inf
from operator import length_hint
from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call, Function, backend_function, started
from gascl.nx.unweighted import depths_from

#: How many pairs are scored at a time, where they are all that are not connected.
CHUNK = 200_000
#: With fewer pairs, NetworkX is faster.
FEW = 5_000
#: The conversion of so many edges takes as long as NetworkX takes for a pair.
EDGES_PER_PAIR = 20

Pairs = list[tuple[Any, Any]]
Scored = Iterator[tuple[Any, Any, Any]]


def _scores(G: Converted, ebunch: Any, name: str, corrected: Callable[..., list[Any]]) -> Scored:
    """A score for each pair of nodes; None: for all that are not connected, in NetworkX's order.

    Args:
        corrected: makes the values of the scores called `name`, and of the ends (2, pairs).
    """
    from gascl.programs.link_prediction import link_scores  # which loads OpenCL

    def score(pairs: Pairs) -> Scored:
        ends = np.array([G.places(pair) for pair in pairs], np.int64).reshape(-1, 2).T
        scores = link_scores(G.engine(), ends, dtype="float64")[name] if pairs else np.zeros(0)
        values = corrected(scores, ends)
        return ((u, v, value) for (u, v), value in zip(pairs, values, strict=True))

    if ebunch is None:
        others = nx.non_edges(G.original())
        chunks = iter(lambda: list(islice(others, CHUNK)), [])
        return chain.from_iterable(started(map(score, chunks)))
    pairs = list(ebunch)
    for u, v in pairs:
        for node in (u, v):
            G.require(node, nx.NodeNotFound(f"Node {node} not in G."))
    return score(pairs)


def _sums(scores: np.ndarray, ends: np.ndarray) -> list[Any]:
    """The scores as Python's numbers; an empty sum is the integer 0, as in NetworkX."""
    return [score or 0 for score in scores.tolist()]


def _iterator(call: Call) -> str:
    return "pairs that can be read only once" if hasattr(call.ebunch, "__next__") else ""


def _few_pairs(call: Call) -> str:
    if call.ebunch is None:
        return ""
    least, count = FEW, length_hint(call.ebunch)
    if count >= least and not call.is_converted:
        least += call.num_edges // EDGES_PER_PAIR
    return f"fewer than {least:,} pairs" if count < least else ""


def _index(least: int) -> Callable[[Callable[..., Any]], Function]:
    """Registers a score that pays from this number of edges."""
    checks: dict[str, Any] = {"unsupported": [_iterator], "slower": [_few_pairs]}
    return backend_function(first=least, cached=least, lazy=inf, **checks)


@_index(1_000)
def preferential_attachment(G: Converted, ebunch: Any = None) -> Scored:
    """The product of the degrees."""
    return _scores(G, ebunch, "preferential_attachment", lambda scores, ends: scores.tolist())


@_index(1_000)
def jaccard_coefficient(G: Converted, ebunch: Any = None) -> Scored:
    """Common neighbors by all neighbors of the two."""

    def corrected(scores: np.ndarray, ends: np.ndarray) -> list[Any]:
        none = (np.diff(G.rows()[0])[ends] == 0).all(axis=0)
        return [0 if alone else s for s, alone in zip(scores.tolist(), none, strict=True)]

    return _scores(G, ebunch, "jaccard", corrected)


@_index(1_000)
def resource_allocation_index(G: Converted, ebunch: Any = None) -> Scored:
    """The sum of 1 / degree over common neighbors."""
    return _scores(G, ebunch, "resource_allocation", _sums)


@_index(1_000)
def adamic_adar_index(G: Converted, ebunch: Any = None) -> Scored:
    """The sum of 1 / log(degree) over common neighbors."""

    def corrected(scores: np.ndarray, ends: np.ndarray) -> list[Any]:
        if np.isinf(scores).any():  # a neighbor of degree 1, of a pair of a node and itself
            raise ZeroDivisionError("float division by zero")
        return _sums(scores, ends)

    return _scores(G, ebunch, "adamic_adar", corrected)


@_index(5_000)
def common_neighbor_centrality(G: Converted, ebunch: Any = None, alpha: Any = 0.8) -> Scored:
    """Common neighbors, and the inverse distance."""

    def corrected(scores: np.ndarray, ends: np.ndarray) -> list[Any]:
        if (ends[0] == ends[1]).any():
            raise nx.NetworkXAlgorithmError("Self loops are not supported")
        if alpha == 1:
            return scores.tolist()
        length = np.empty(len(scores))
        order = np.argsort(ends[0], kind="stable")
        sources, begins = np.unique(ends[0][order], return_index=True)
        groups = np.split(order, begins[1:])
        searches = depths_from(G, sources.tolist())
        # Of no pairs there is one group, which is empty, and no search.
        for group, (_, depth) in zip(groups, searches, strict=False):
            length[group] = depth[ends[1][group]]
        length[length < 0] = np.inf
        return (alpha * scores + (1 - alpha) * len(G) / length).tolist()

    return _scores(G, ebunch, "common", corrected)
