"""Communities by their definition: the quality by its formula, from the labels alone; no two of
them that would be better together; and how they are numbered."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gascl import Graph, Result
from gascl.programs import Louvain

#: How much less modularity than igraph's is allowed: both are heuristics.
LESS = 0.03
#: What a merge may gain, as a share of all weights: weights are rounded to 2^-53 of their sum.
GAIN = 1e-9


def weights_of(graph: Graph) -> np.ndarray:
    return graph.edge_fields.get("weight", np.ones(graph.num_edges)).astype(np.float64)


def modularity(graph: Graph, community: np.ndarray, resolution: float) -> float:
    """By the formula, of all edges as undirected ones."""
    weight = weights_of(graph)
    inside = weight[community[graph.edge_src] == community[graph.edge_dst]].sum()
    ends = community[np.concatenate([graph.edge_src, graph.edge_dst])]
    strength = np.bincount(ends, np.tile(weight, 2)) / 2
    return float(inside / weight.sum() - resolution * ((strength / weight.sum()) ** 2).sum())


def potts(graph: Graph, community: np.ndarray, resolution: float) -> float:
    """The quality by the constant Potts model."""
    inside = community[graph.edge_src] == community[graph.edge_dst]
    size = np.bincount(community)
    return float(weights_of(graph)[inside].sum() - resolution * (size * (size - 1) / 2).sum())


def disconnected(graph: Graph, community: np.ndarray) -> int:
    """How many more components the communities have than there are communities."""
    inside = community[graph.edge_src] == community[graph.edge_dst]
    inside &= weights_of(graph) > 0
    ends = graph.edge_src[inside], graph.edge_dst[inside]
    n = graph.num_vertices
    kept = coo_array((np.ones(inside.sum()), ends), shape=(n, n))
    return int(connected_components(kept, directed=False)[0] - len(np.unique(community)))


def best_merge(graph: Graph, community: np.ndarray, program: Louvain) -> float:
    """What the quality gains at most if two of the communities become one, as a share of the
    weights."""
    weight, resolution = weights_of(graph), float(program.resolution)
    low, high = np.sort([community[graph.edge_src], community[graph.edge_dst]], axis=0)
    count = int(community.max()) + 1
    between = coo_array((weight, (low, high)), shape=(count, count)).tocsr().tocoo()
    if program.quality == "cpm":
        size = np.bincount(community, minlength=count)
        price = resolution * size[between.row] * size[between.col]
    else:
        strength = np.bincount(low, weight, count) + np.bincount(high, weight, count)
        price = resolution * strength[between.row] * strength[between.col] / (2 * weight.sum())
    gain = np.where(between.row == between.col, -np.inf, between.data - price)
    return float(gain.max(initial=-np.inf) / weight.sum())


def verify(graph: Graph, result: Result, program: Louvain) -> None:
    """Raises AssertionError where communities are numbered otherwise, or are bad ones."""
    found = result.community
    assert found.dtype == np.int32
    _, first = np.unique(found, return_index=True)
    assert (np.diff(first) > 0).all(), "communities are not in the order of their first vertices"
    assert len(first) == found.max(initial=-1) + 1, "a number has no members"
    degree = np.bincount(np.concatenate([graph.edge_src, graph.edge_dst]), minlength=len(found))
    lone = np.bincount(found, minlength=1)[found[degree == 0]] if len(found) else np.zeros(0)
    assert (lone == 1).all(), "a vertex without edges has company"
    if not weights_of(graph).any():
        return
    assert best_merge(graph, found, program) <= GAIN, "two communities would be better as one"
    modular = program.quality == "modularity"
    ours = modularity(graph, found, program.resolution if modular else 1)
    said = result.aggregates["modularity"]
    assert abs(said - ours) < 1e-6, f"the modularity is {ours}, not {said}"
    if not modular:
        return
    weights = "weight" if "weight" in graph.edge_fields else None
    made = graph.to_igraph()
    made.to_undirected(mode="each")
    other = made.community_multilevel(weights=weights, resolution=program.resolution)
    theirs = modularity(graph, np.asarray(other.membership), program.resolution)
    assert ours >= theirs - LESS, f"modularity is {ours}, and {theirs} by igraph"
