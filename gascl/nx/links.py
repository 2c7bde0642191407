"""Scores of pairs of nodes by their common neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.converted import Converted
from gascl.nx.register import backend_function


def _scores(
    G: Converted, ebunch: Any, name: str, mended: Callable[..., list[Any]]
) -> Iterator[tuple[Any, Any, Any]]:
    """A score for each pair of nodes.

    Args:
        mended: makes the values of the scores called `name`, and of the ends (2, pairs).
    """
    from gascl.programs.link_prediction import link_scores  # which loads OpenCL

    pairs = list(ebunch)
    for pair in pairs:
        for node in pair:
            if node not in G:
                raise nx.NodeNotFound(f"Node {node} not in G.")
    ends = np.array([G.places(pair) for pair in pairs], np.int64).reshape(-1, 2).T
    scores = link_scores(G.engine(), ends, dtype="float64")[name] if pairs else np.zeros(0)
    values = mended(scores, ends)
    return ((u, v, value) for (u, v), value in zip(pairs, values, strict=True))


def _sums(scores: np.ndarray, ends: np.ndarray) -> list[Any]:
    """Sums, of which those of nothing are integers in Python."""
    return [score or 0 for score in scores.tolist()]


def _needs_pairs(G: Any, ebunch: Any) -> str:
    return "all pairs of nodes that are not connected" if ebunch is None else ""


@backend_function(first=None, cached=20_000)
def preferential_attachment(G: Converted, ebunch: Any = None) -> Iterator[tuple[Any, Any, int]]:
    """The product of the degrees."""
    return _scores(G, ebunch, "preferential_attachment", lambda scores, ends: scores.tolist())


@backend_function(first=None, cached=20_000)
def jaccard_coefficient(G: Converted, ebunch: Any = None) -> Iterator[tuple[Any, Any, Any]]:
    """Common neighbours by all neighbours of the two."""

    def mended(scores: np.ndarray, ends: np.ndarray) -> list[Any]:
        none = (np.diff(G.rows()[0])[ends] == 0).all(axis=0)
        return [0 if alone else s for s, alone in zip(scores.tolist(), none, strict=True)]

    return _scores(G, ebunch, "jaccard", mended)


@backend_function(first=None, cached=20_000)
def resource_allocation_index(G: Converted, ebunch: Any = None) -> Iterator[tuple[Any, Any, Any]]:
    """The sum of 1 / degree over common neighbours."""
    return _scores(G, ebunch, "resource_allocation", _sums)


@backend_function(first=None, cached=20_000)
def adamic_adar_index(G: Converted, ebunch: Any = None) -> Iterator[tuple[Any, Any, Any]]:
    """The sum of 1 / log(degree) over common neighbours."""

    def mended(scores: np.ndarray, ends: np.ndarray) -> list[Any]:
        if np.isinf(scores).any():  # a neighbour of degree 1, of a pair of a node and itself
            raise ZeroDivisionError("float division by zero")
        return _sums(scores, ends)

    return _scores(G, ebunch, "adamic_adar", mended)


for _function in (
    preferential_attachment,
    jaccard_coefficient,
    resource_allocation_index,
    adamic_adar_index,
):
    _function.unless(_needs_pairs)
