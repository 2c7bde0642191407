"""Quotient graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import Call, argument, backend_function, collections, multigraph


def _blocks(call: Call) -> str:
    """Checks that the partition is a list of blocks, or a dict of them."""
    if callable(call.partition):
        return "an equivalence relation"
    blocks = call.partition.values() if isinstance(call.partition, dict) else call.partition
    return collections(blocks, "a partition")


@backend_function(
    first=500,
    cached=200,
    numpy=True,
    limits="A partition of all nodes; relations and data by default; no multigraphs.",
    unsupported=[
        _blocks,
        multigraph,
        argument("edge_relation", "node_data", "edge_data", "create_using"),
    ],
)
def quotient_graph(
    G: Converted,
    partition: Any,
    edge_relation: Any = None,
    node_data: Any = None,
    edge_data: Any = None,
    weight: Any = "weight",
    relabel: bool = False,
    create_using: Any = None,
) -> Any:
    """A graph of NetworkX's, with a node for each block."""
    original = G.original()
    blocks = [
        frozenset(block)
        for block in (partition.values() if isinstance(partition, dict) else partition)
    ]
    number = G.numbered(blocks)
    if number is None:  # NetworkX has an error for that, or takes some of the nodes
        raise NotImplementedError("blocks that are no partition of all nodes")
    column, count, directed = G.column(weight), len(blocks), G.is_directed()
    src, dst = (number[ends] for ends in G.ends)
    within = np.bincount(src[src == dst], minlength=count).tolist()
    between, values = src != dst, column.lengths
    src, dst, values, floats = (of[between] for of in (src, dst, values, column.floats))
    # NetworkX weighs edges both ways, also those of directed graphs.
    low, high = np.minimum(src, dst), np.maximum(src, dst)
    pairs, place = np.unique(low * count + high, return_inverse=True)
    weights = np.bincount(place, values, len(pairs))
    of_floats = np.bincount(place, floats, len(pairs)) > 0
    found = weights.astype(object)
    found[~of_floats] = weights[~of_floats].astype(np.int64)
    names = range(count) if relabel else blocks
    quotient = original.__class__()
    for name, block, edges in zip(names, blocks, within, strict=True):
        part, size = original.subgraph(block), len(block)
        density = edges / (size * (size - 1)) * (1 if directed else 2) if edges and size > 1 else 0
        data = {"graph": part, "nnodes": size, "nedges": edges, "density": density}
        quotient.add_node(name, **data)
    keys = pairs
    if directed:
        keys, one = np.unique(src * count + dst, return_index=True)
        found = found[place[one]]
    ends = [keys // count, keys % count] if count else [keys, keys]
    quotient.add_edges_from(
        (names[u], names[v], {"weight": value})
        for u, v, value in zip(*(each.tolist() for each in (*ends, found)), strict=True)
    )
    return quotient
