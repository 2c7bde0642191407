"""Modularity by its formula, not much less than igraph's; and how communities are numbered."""

from __future__ import annotations

import numpy as np

from gascl import Graph, Result
from gascl.programs import Louvain

#: How much less modularity than igraph's is allowed: both are heuristics.
LESS = 0.03


def modularity(graph: Graph, community: np.ndarray, resolution: float) -> float:
    """By the formula, of all edges as undirected ones."""
    weight = graph.edge_fields.get("weight", np.ones(graph.num_edges)).astype(np.float64)
    inside = weight[community[graph.edge_src] == community[graph.edge_dst]].sum()
    ends = community[np.concatenate([graph.edge_src, graph.edge_dst])]
    strength = np.bincount(ends, np.tile(weight, 2)) / 2
    return float(inside / weight.sum() - resolution * ((strength / weight.sum()) ** 2).sum())


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
    if not graph.num_edges:
        return
    weights = "weight" if "weight" in graph.edge_fields else None
    made = graph.to_igraph()
    made.to_undirected(mode="each")
    other = made.community_multilevel(weights=weights, resolution=program.resolution)
    ours, theirs = (
        modularity(graph, np.asarray(x), program.resolution) for x in (found, other.membership)
    )
    assert ours >= theirs - LESS, f"modularity is {ours}, and {theirs} by igraph"
