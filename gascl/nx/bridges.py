"""Bridges: edges without which a component falls apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from gascl.nx import weighted
from gascl.nx.components import weak
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import argument, backend_function


@backend_function(first=2_000, cached=1_000, limits="No `root`.", unsupported=[argument("root")])
def bridges(G: Converted, root: Any = None) -> Iterator[tuple[Any, Any]]:
    """Bridges in the order of the edges."""
    if G.is_directed():
        raise nx.NetworkXNotImplemented("not implemented for directed type")
    if len(G) == 0:
        return iter([])
    parent, cut_off = _tree(G)
    src, dst = G.ends
    down = (parent[dst] == src) & cut_off[dst]
    up = (parent[src] == dst) & cut_off[src]
    nodes = G.node_array
    found = down | up
    return iter(list(zip(nodes[src[found]].tolist(), nodes[dst[found]].tolist(), strict=True)))


def _tree(G: Converted) -> tuple[np.ndarray, np.ndarray]:
    """A forest that spans the graph: int64 (V,), each node's parent, -1 at roots; and bool (V,),
    whether the edge to a node's parent is the only one that leaves its subtree.

    Nodes are numbered such that each subtree has consecutive numbers, the root's first. An edge
    leads out of a subtree if the number of its other end is not among these.
    """
    count, tails, heads = len(G), G.tails, G.rows()[1]
    roots = np.flatnonzero(weak(G) == np.arange(count)).tolist()
    depth = weighted.distances(G, roots, None)
    parent = np.full(count, -1, np.int64)
    down = depth[heads] == depth[tails] + 1
    parent[heads[down]] = tails[down]
    parents, order = parent.tolist(), np.argsort(depth, kind="stable").tolist()
    below = order[len(roots) :]

    size = [1] * count
    for node in reversed(below):
        size[parents[node]] += size[node]
    number, free = [0] * count, 0
    for root in roots:
        number[root], free = free, free + size[root]
    following = [start + 1 for start in number]  # of each node, the first number that is left
    for node in below:
        above = parents[node]
        number[node] = following[above]
        following[node] = following[above] + 1
        following[above] += size[node]

    numbers = np.array(number)
    counts = G.topology.adjacency.counts
    in_tree = (parent[heads] == tails) | (parent[tails] == heads)
    if counts is not None:
        in_tree &= counts == 1  # parallel edges lead around each other
    least, most = numbers.copy(), numbers.copy()
    np.minimum.at(least, tails[~in_tree], numbers[heads[~in_tree]])
    np.maximum.at(most, tails[~in_tree], numbers[heads[~in_tree]])
    low, high = least.tolist(), most.tolist()
    for node in reversed(below):
        above = parents[node]
        low[above], high[above] = min(low[above], low[node]), max(high[above], high[node])
    inside = (np.array(low) >= numbers) & (np.array(high) < numbers + np.array(size))
    return parent, inside & (parent >= 0)
