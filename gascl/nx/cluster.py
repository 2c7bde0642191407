"""Triangles, what follows from them, and colours."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from networkx.algorithms.coloring.greedy_coloring import STRATEGIES

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function
from gascl.nx.link_analysis import weight_of
from gascl.programs.greedy_colouring import GreedyColouring
from gascl.programs.triangles import Triangles
from gascl.programs.weighted_clustering import WeightedClustering


def _counts(G: Converted) -> tuple[np.ndarray, np.ndarray]:
    """int64 (V,): the triangles at each node, and the pairs of its neighbours."""
    found = G.run(Triangles())
    return found["triangles"], found["wedges"]


def _refuse_multigraphs(G: Converted) -> None:
    if G.is_multigraph():
        raise nx.NetworkXNotImplemented("not implemented for multigraph type")


def _chosen(G: Converted, nodes: Any, values: list[Any]) -> Any:
    """Values of all nodes, of one, or of several, as `nodes` says."""
    if nodes is None:
        return dict(zip(G.nodes, values, strict=True))
    index = G.topology.index
    if nodes in G:
        return values[index[nodes]]
    return {node: values[index[node]] for node in G.nbunch_iter(nodes)}


def _one(nodes: Any) -> str:
    return "" if nodes is None else "some of the nodes"


@backend_function(first=5_000, cached=2_000)
def triangles(G: Converted, nodes: Any = None) -> Any:
    """How many triangles nodes are in."""
    if nodes is not None:
        _refuse_multigraphs(G)
    return _chosen(G, nodes, _counts(G)[0].tolist())


@triangles.worth
def _(G: Any, nodes: Any) -> str:
    return _one(nodes)


def _coefficients(G: Converted, weight: Any) -> list[Any]:
    """Clustering coefficients; where there is no triangle, the integer 0, as in NetworkX.

    Raises:
        NotImplementedError: a weight is below 0.
    """
    _refuse_multigraphs(G)
    field = weight_of(G, weight)
    if field is not None and (field[1] < 0).any():
        raise NotImplementedError("weights below 0, whose sums rounding tells from 0")
    if G.is_directed() or field is not None:
        shares = G.run(WeightedClustering(dtype="float64"), weight=field)["coefficient"]
    else:
        closed, pairs = _counts(G)
        shares = closed / np.maximum(pairs, 1)
    return [share or 0 for share in shares.tolist()]


@backend_function(first=5_000, cached=2_000)
def clustering(G: Converted, nodes: Any = None, weight: Any = None) -> Any:
    """Clustering coefficients."""
    return _chosen(G, nodes, _coefficients(G, weight))


@clustering.worth
def _(G: Any, nodes: Any, weight: Any) -> str:
    return _one(nodes)


@backend_function(first=5_000, cached=2_000)
def average_clustering(
    G: Converted, nodes: Any = None, weight: Any = None, count_zeros: bool = True
) -> float:
    """The mean of the clustering coefficients."""
    values = _coefficients(G, weight)
    if nodes is not None:
        values = list(_chosen(G, nodes, values).values())
    if not count_zeros:
        values = [value for value in values if abs(value) > 0]
    return sum(values) / len(values)


@average_clustering.worth
def _(G: Any, nodes: Any, weight: Any, count_zeros: Any) -> str:
    return _one(nodes)


@backend_function(first=5_000, cached=2_000)
def transitivity(G: Converted) -> float:
    """The share of the pairs of neighbours that are connected."""
    _refuse_multigraphs(G)
    closed, pairs = (int(counts.sum()) for counts in _counts(G))
    return 0 if closed == 0 else closed / pairs


@transitivity.unless
def _(G: Any) -> str:
    return "directed graphs" if G.is_directed() else ""


@backend_function(first=None, cached=100_000)
def greedy_color(
    G: Converted, strategy: Any = "largest_first", interchange: bool = False
) -> dict[Any, int]:
    """NetworkX's own colours and order: nodes of high degree choose first."""
    if len(G) == 0:
        return {}
    if strategy != "largest_first":
        raise nx.NetworkXError(
            f"strategy must be callable or a valid string. {strategy} not valid."
        )
    colours = G.run(GreedyColouring(precedence=G.degree))["colour"]
    order = np.argsort(-G.degree, kind="stable")
    nodes, chosen = G.node_array[order].tolist(), colours[order].tolist()
    return dict(zip(nodes, chosen, strict=True))


@greedy_color.unless
def _(G: Any, strategy: Any, interchange: Any) -> str:
    if strategy != "largest_first" and (callable(strategy) or strategy in STRATEGIES):
        return "another strategy than largest_first"
    if interchange:
        return "`interchange`"
    return "directed graphs" if G.is_directed() else ""
