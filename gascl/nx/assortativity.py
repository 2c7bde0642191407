"""Whether edges connect similar nodes."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call, argument, backend_function, directed
from gascl.nx.weighted import entry_lengths

#: Below this share of the mean square, a variance may be a rounding error.
LEAST = 1e-6
#: Numbers below this one have squares whose sum is a float.
LARGE = 1e100


def _degrees(G: Converted, direction: str, weight: Any = None) -> np.ndarray:
    """(V,): the degrees "in", "out" or "in+out"; of an undirected graph, the degrees.

    Raises:
        NotImplementedError: weights are below 0, or not numbers.
    """
    both = not G.is_directed() or direction == "in+out"
    if weight is None:
        return G.degree if both else G.in_degree if direction == "in" else G.out_degree
    values = G.column(weight).lengths
    if values.min(initial=0) < 0:
        raise NotImplementedError("weights below 0, whose sums may be rounding errors")
    src, dst = G.ends
    total = np.zeros(len(G))
    if both or direction == "out":
        total += np.bincount(src, values, len(G))
    if both or direction == "in":
        total += np.bincount(dst, values, len(G))
    return total


# --- correlations ---


def _pairs(G: Converted) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both ends of all edges, an undirected one in both directions, and the number of each."""
    counts = G.topology.adjacency.counts
    heads = G.rows()[1]
    return G.tails, heads, np.ones(len(heads), np.int64) if counts is None else counts


def _correlation(G: Converted, left: np.ndarray, right: np.ndarray) -> float:
    """Pearson's, of the values (V,) at the tails and at the heads of edges."""
    tails, heads, counts = _pairs(G)
    x, y = left[tails].astype(np.float64), right[heads].astype(np.float64)
    total = counts.sum()
    if not total:
        raise NotImplementedError("a graph without edges")
    squares = []
    for values in (x, y):
        square = counts @ (values * values)
        values -= (counts @ values) / total
        squares.append(counts @ (values * values))
        if squares[-1] <= LEAST * square:
            raise NotImplementedError("values that hardly differ: NetworkX returns rounding errors")
    return float((counts @ (x * y)) / np.sqrt(squares[0] * squares[1]))


@backend_function(
    first=20_000,
    cached=5_000,
    numpy=True,
    limits="No `nodes`, no weights below 0.",
    unsupported=[argument("nodes")],
    also="degree_pearson_correlation_coefficient",
)
def degree_assortativity_coefficient(
    G: Converted, x: Any = "out", y: Any = "in", weight: Any = None, nodes: Any = None
) -> float:
    """The correlation of the degrees at both ends of edges."""
    if G.is_directed() and not {x, y} <= {"in", "out"}:
        raise NotImplementedError("another direction than in or out")
    return _correlation(G, _degrees(G, x, weight), _degrees(G, y, weight))


_by_attribute = backend_function(
    first=20_000, cached=5_000, numpy=True, limits="No `nodes`.", unsupported=[argument("nodes")]
)


@_by_attribute
def numeric_assortativity_coefficient(G: Converted, attribute: Any, nodes: Any = None) -> float:
    """The correlation of a number at both ends of edges."""
    records = G.original().nodes
    values = [records[node][attribute] for node in G]
    if not all(isinstance(value, int | float) and abs(value) < LARGE for value in values):
        raise NotImplementedError(f"the node attribute {attribute!r} has other values than numbers")
    numbers = np.array(values, np.float64)
    return _correlation(G, numbers, numbers)


@_by_attribute
def attribute_assortativity_coefficient(G: Converted, attribute: Any, nodes: Any = None) -> float:
    """How many more edges than by chance connect nodes of one value."""
    records = G.original().nodes
    numbers: dict[Any, int] = {}
    try:
        groups = [numbers.setdefault(records[node].get(attribute), len(numbers)) for node in G]
    except TypeError as error:
        raise NotImplementedError(f"the node attribute {attribute!r}: {error}") from error
    group = np.array(groups, np.int64)
    tails, heads, counts = _pairs(G)
    total = counts.sum()
    left = np.bincount(group[tails], counts, len(numbers))
    right = np.bincount(group[heads], counts, len(numbers))
    by_chance = (left @ right) / max(total, 1) ** 2
    if not total or 1 - by_chance <= LEAST:
        raise NotImplementedError("one value at nearly all edges: NetworkX returns rounding errors")
    inside = counts @ (group[tails] == group[heads]) / total
    return float((inside - by_chance) / (1 - by_chance))


# --- degrees of neighbors ---


def _neighbor_sums(G: Converted, source: str, values: np.ndarray, weight: Any = None) -> np.ndarray:
    """float64 (V,): the sum of a value over a node's neighbors; parallel edges lead to one."""
    tails, heads = G.tails, G.rows()[1]
    shares = 1 if weight is None else entry_lengths(G, weight)
    total = np.zeros(len(G))
    if not G.is_directed() or "out" in source:
        total += np.bincount(tails, shares * values[heads], len(G))
    if G.is_directed() and "in" in source:
        total += np.bincount(heads, shares * values[tails], len(G))
    return total


def _weighted_multigraph(call: Call) -> str:
    has_both = call.weight is not None and call.G.is_multigraph()
    return "weights of multigraphs" if has_both else ""


@backend_function(
    first=100_000,
    cached=5_000,
    numpy=True,
    limits="No `nodes`, no weights of multigraphs or below 0.",
    unsupported=[_weighted_multigraph, argument("nodes")],
)
def average_neighbor_degree(
    G: Converted, source: Any = "out", target: Any = "out", nodes: Any = None, weight: Any = None
) -> dict[Any, float]:
    """The mean degree of each node's neighbors."""
    if not G.is_directed() and (source != "out" or target != "out"):
        raise nx.NetworkXError("source and target arguments are only supported for directed graphs")
    for name, value in (("source", source), ("target", target)):
        if value not in ("in", "out", "in+out"):
            raise nx.NetworkXError(f"{name} argument {value} must be 'in', 'out' or 'in+out'")
    own = _degrees(G, source, weight)
    total = _neighbor_sums(G, source, _degrees(G, target), weight)
    return G.by_node(np.divide(total, own, out=np.zeros(len(G)), where=own != 0))


def _one_direction(call: Call) -> str:
    is_supported = call.source == call.target == "in+out"
    return "" if is_supported else "another `source` or `target` than in+out"


@backend_function(
    first=100_000,
    cached=5_000,
    numpy=True,
    limits="Undirected graphs; no weights, no `nodes`.",
    unsupported=[directed, _one_direction, argument("weight", "nodes")],
)
def average_degree_connectivity(
    G: Converted,
    source: Any = "in+out",
    target: Any = "in+out",
    nodes: Any = None,
    weight: Any = None,
) -> dict[int, Any]:
    """The mean degree of the neighbors of nodes of each degree."""
    own = G.degree
    degrees, first, group = np.unique(own, return_index=True, return_inverse=True)
    sums = np.bincount(group, _neighbor_sums(G, "out", own)).astype(np.int64)
    norms = degrees * np.bincount(group)
    means: dict[int, Any] = {}
    for at in np.argsort(first).tolist():
        norm, total = int(norms[at]), int(sums[at])
        means[int(degrees[at])] = total if norm == 0 else total / norm
    return means
