"""Whether edges connect nodes that are alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.degree import degrees
from gascl.nx.dispatch import backend_function

#: Below this share of the mean square, a variance is what rounding has left.
LEAST = 1e-6
#: Numbers below this one have squares whose sum is a float.
LARGE = 1e100


def _pairs(G: Converted) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ends of all edges, an undirected one both ways, and how many there are."""
    adjacency = G.topology.adjacency
    tails = np.repeat(np.arange(len(G)), np.diff(adjacency.offsets))
    counts = np.ones(len(tails), np.int64) if adjacency.counts is None else adjacency.counts
    return tails, adjacency.neighbours, counts


def _correlation(G: Converted, left: np.ndarray, right: np.ndarray) -> float:
    """Pearson's, of the values (V,) at the tails and at the heads of edges."""
    tails, heads, counts = _pairs(G)
    x, y = left[tails].astype(np.float64), right[heads].astype(np.float64)
    total = counts.sum()
    if not total:
        raise NotImplementedError("a graph without edges")
    products = []
    for values in (x, y):
        square = counts @ (values * values)
        values -= (counts @ values) / total
        products.append(counts @ (values * values))
        if products[-1] <= LEAST * square:
            raise NotImplementedError("values that hardly differ: NetworkX's answer is rounding")
    return float((counts @ (x * y)) / np.sqrt(products[0] * products[1]))


def _by_degree(G: Converted, x: Any, y: Any, weight: Any) -> float:
    if G.is_directed() and not {x, y} <= {"in", "out"}:
        raise NotImplementedError("another direction than in or out")
    return _correlation(G, degrees(G, x, weight), degrees(G, y, weight))


def _some(nodes: Any) -> str:
    return "" if nodes is None else "`nodes`"


@backend_function(first=20_000, cached=5_000)
def degree_assortativity_coefficient(
    G: Converted, x: Any = "out", y: Any = "in", weight: Any = None, nodes: Any = None
) -> float:
    """The correlation of the degrees at both ends of edges."""
    return _by_degree(G, x, y, weight)


@backend_function(first=20_000, cached=5_000)
def degree_pearson_correlation_coefficient(
    G: Converted, x: Any = "out", y: Any = "in", weight: Any = None, nodes: Any = None
) -> float:
    """The correlation of the degrees at both ends of edges."""
    return _by_degree(G, x, y, weight)


for _function in (degree_assortativity_coefficient, degree_pearson_correlation_coefficient):

    @_function.unless
    def _(G: Any, x: Any, y: Any, weight: Any, nodes: Any) -> str:
        return _some(nodes)


@backend_function(first=20_000, cached=5_000)
def numeric_assortativity_coefficient(G: Converted, attribute: Any, nodes: Any = None) -> float:
    """The correlation of a number at both ends of edges."""
    shown = G.original().nodes
    values = [shown[node][attribute] for node in G]
    if not all(isinstance(value, int | float) and abs(value) < LARGE for value in values):
        raise NotImplementedError(f"the node attribute {attribute!r} has other values than numbers")
    found = np.array(values, np.float64)
    return _correlation(G, found, found)


@backend_function(first=20_000, cached=5_000)
def attribute_assortativity_coefficient(G: Converted, attribute: Any, nodes: Any = None) -> float:
    """How much more edges than by chance connect nodes of one value."""
    shown = G.original().nodes
    numbers: dict[Any, int] = {}
    try:
        groups = [numbers.setdefault(shown[node].get(attribute), len(numbers)) for node in G]
    except TypeError as error:
        raise NotImplementedError(f"the node attribute {attribute!r}: {error}") from error
    group = np.array(groups, np.int64)
    tails, heads, counts = _pairs(G)
    total = counts.sum()
    left = np.bincount(group[tails], counts, len(numbers))
    right = np.bincount(group[heads], counts, len(numbers))
    by_chance = (left @ right) / max(total, 1) ** 2
    if not total or 1 - by_chance <= LEAST:
        raise NotImplementedError("one value at nearly all edges: NetworkX's answer is rounding")
    inside = counts @ (group[tails] == group[heads]) / total
    return float((inside - by_chance) / (1 - by_chance))


for _function in (numeric_assortativity_coefficient, attribute_assortativity_coefficient):

    @_function.unless
    def _(G: Any, attribute: Any, nodes: Any) -> str:
        return _some(nodes)


@backend_function(first=20_000, cached=5_000)
def rich_club_coefficient(
    G: Converted,
    normalized: bool = True,
    Q: Any = 100,
    seed: Any = None,
    *,
    n_samples: Any = 1,
) -> dict[int, float]:
    """By degree, the share of edges among the pairs of nodes of a higher degree."""
    if G.num_loops:
        message = "rich_club_coefficient is not implemented for graphs with self loops."
        raise Exception(message)  # as NetworkX does
    if not G.number_of_edges():
        return {}
    degree = G.degree
    most = int(degree.max()) + 1
    higher = len(G) - np.cumsum(np.bincount(degree))
    src, dst = G.topology.adjacency.src, G.topology.adjacency.dst
    least = np.bincount(np.minimum(degree[src], degree[dst]), minlength=most)
    among = G.number_of_edges() - np.cumsum(least)
    pairs = zip(among.tolist(), higher.tolist(), strict=True)
    return {
        k: 2 * edges / (nodes * (nodes - 1)) for k, (edges, nodes) in enumerate(pairs) if nodes > 1
    }


@rich_club_coefficient.unless
def _(G: Any, normalized: Any, Q: Any, seed: Any, *, n_samples: Any) -> str:
    return "`normalized`, by NetworkX's random graphs" if normalized else ""
