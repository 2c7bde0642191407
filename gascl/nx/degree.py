"""What follows from degrees and rows alone: NumPy has it as soon as the graph is converted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import coo_array

from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import backend_function
from gascl.nx.weighted import entry_lengths


@backend_function(first=None, cached=20_000)
def isolates(G: Converted) -> Iterator[Any]:
    """Nodes without edges."""
    return iter(G.node_array[G.degree == 0].tolist())


@backend_function(first=None, cached=None)
def is_isolate(G: Converted, n: Any) -> bool:
    """Whether a node has no edge."""
    return bool(G.degree[G.topology.index[n]] == 0)


@is_isolate.unless
def _(G: Any, n: Any) -> str:
    return "" if n in G else "a node that is not there"


@backend_function(first=None, cached=20_000)
def number_of_isolates(G: Converted) -> int:
    """The number of nodes without edges."""
    return int(np.count_nonzero(G.degree == 0))


@backend_function(first=None, cached=20_000)
def number_of_selfloops(G: Converted) -> int:
    """The number of edges from a node to itself."""
    return G.num_loops


@backend_function(first=100_000, cached=5_000)
def s_metric(G: Converted) -> float:
    """The sum of the products of the degrees at the ends of edges."""
    degree = G.degree.astype(np.float64)
    return float(degree[G.topology.adjacency.src] @ degree[G.topology.adjacency.dst])


@backend_function(first=None, cached=20_000)
def is_regular(G: Converted) -> bool:
    """Whether all nodes have the same degrees."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Graph has no nodes.")
    degrees = (G.in_degree, G.out_degree) if G.is_directed() else (G.degree,)
    return all(bool((degree == degree[0]).all()) for degree in degrees)


@backend_function(first=None, cached=20_000)
def is_k_regular(G: Converted, k: Any) -> bool:
    """Whether all nodes have degree k."""
    return bool((G.degree == k).all())


def _overall_reciprocity(G: Converted) -> float:
    if not G.number_of_edges():
        raise nx.NetworkXError("Not defined for empty graphs")
    src, dst = (ends.astype(np.int64) for ends in _ends(G))
    pairs = len(np.unique(np.minimum(src, dst) * len(G) + np.maximum(src, dst)))
    return (G.number_of_edges() - pairs) * 2 / G.number_of_edges()


@backend_function(first=None, cached=20_000)
def overall_reciprocity(G: Converted) -> float:
    """The share of edges that have one the other way."""
    return _overall_reciprocity(G)


@overall_reciprocity.unless
def _(G: Any) -> str:
    return "multigraphs" if G.is_multigraph() else ""


@backend_function(first=20_000, cached=20_000)
def reciprocity(G: Converted, nodes: Any = None) -> Any:
    """The share of edges that have one the other way: of all, of a node's, or of those of each."""
    if nodes is None:
        return _overall_reciprocity(G)
    src, dst = (ends.astype(np.int64) for ends in _ends(G))
    mutual = np.isin(src * len(G) + dst, dst * len(G) + src)
    overlap, total = np.bincount(src[mutual], minlength=len(G)), G.degree
    if nodes in G:
        place = G.topology.index[nodes]
        if not total[place]:
            raise nx.NetworkXError("Not defined for isolated nodes.")
        return 2 * int(overlap[place]) / int(total[place])
    shares = np.divide(2 * overlap, total, out=np.full(len(G), np.nan), where=total != 0)
    values = [None if np.isnan(share) else share for share in shares.tolist()]
    index = G.topology.index
    return {node: values[index[node]] for node in G.nbunch_iter(nodes)}


@reciprocity.unless
def _(G: Any, nodes: Any) -> str:
    if G.is_multigraph():
        return "multigraphs"
    return "" if nodes is None or G.is_directed() else "nodes of undirected graphs"


@reciprocity.worth
def _(G: Any, nodes: Any) -> str:
    return "" if nodes is None else "some of the nodes"


def _ends(G: Converted) -> tuple[np.ndarray, np.ndarray]:
    return G.topology.adjacency.src, G.topology.adjacency.dst


def degrees(G: Converted, which: str, weight: Any = None) -> np.ndarray:
    """(V,): the degrees "in", "out" or "in+out"; of an undirected graph, the degrees.

    Raises:
        NotImplementedError: weights are below 0, or not numbers.
    """
    both = not G.is_directed() or which == "in+out"
    if weight is None:
        return G.degree if both else G.in_degree if which == "in" else G.out_degree
    values = _weights(G, weight)
    found = np.zeros(len(G))
    if both or which == "out":
        found += np.bincount(G.topology.adjacency.src, values, len(G))
    if both or which == "in":
        found += np.bincount(G.topology.adjacency.dst, values, len(G))
    return found


def _weights(G: Converted, weight: Any) -> np.ndarray:
    values = G.column(weight).lengths
    if values.min(initial=0) < 0:
        raise NotImplementedError("weights below 0, whose sums may be what rounding leaves")
    return values


def _neighbour_sums(
    G: Converted, source: str, values: np.ndarray, weight: Any = None
) -> np.ndarray:
    """float64 (V,): the sum of a value over a node's neighbours; parallel edges lead to one."""
    offsets, neighbours = G.rows()
    tails = np.repeat(np.arange(len(G)), np.diff(offsets))
    shares = 1 if weight is None else entry_lengths(G, weight)
    total = np.zeros(len(G))
    if not G.is_directed() or "out" in source:
        total += np.bincount(tails, shares * values[neighbours], len(G))
    if G.is_directed() and "in" in source:
        total += np.bincount(neighbours, shares * values[tails], len(G))
    return total


@backend_function(first=100_000, cached=5_000)
def average_neighbor_degree(
    G: Converted, source: Any = "out", target: Any = "out", nodes: Any = None, weight: Any = None
) -> dict[Any, float]:
    """The mean degree of each node's neighbours."""
    if not G.is_directed() and (source != "out" or target != "out"):
        raise nx.NetworkXError("source and target arguments are only supported for directed graphs")
    for name, value in (("source", source), ("target", target)):
        if value not in ("in", "out", "in+out"):
            raise nx.NetworkXError(f"{name} argument {value} must be 'in', 'out' or 'in+out'")
    own = degrees(G, source, weight)
    total = _neighbour_sums(G, source, degrees(G, target), weight)
    return G.by_node(np.divide(total, own, out=np.zeros(len(G)), where=own != 0))


@average_neighbor_degree.unless
def _(G: Any, source: Any, target: Any, nodes: Any, weight: Any) -> str:
    if weight is not None and G.is_multigraph():
        return "weights of multigraphs"
    return "`nodes`" if nodes is not None else ""


@backend_function(first=100_000, cached=5_000)
def average_degree_connectivity(
    G: Converted,
    source: Any = "in+out",
    target: Any = "in+out",
    nodes: Any = None,
    weight: Any = None,
) -> dict[int, Any]:
    """The mean degree of the neighbours of nodes of each degree."""
    own = G.degree
    found: dict[int, Any] = {}
    kinds, first, group = np.unique(own, return_index=True, return_inverse=True)
    sums = np.bincount(group, _neighbour_sums(G, "out", own)).astype(np.int64)
    norms = kinds * np.bincount(group)
    for at in np.argsort(first).tolist():
        norm, total = int(norms[at]), int(sums[at])
        found[int(kinds[at])] = total if norm == 0 else total / norm
    return found


@average_degree_connectivity.unless
def _(G: Any, source: Any, target: Any, nodes: Any, weight: Any) -> str:
    if G.is_directed() or source != "in+out" or target != "in+out":
        return "directed graphs"
    return "weights" if weight is not None else "`nodes`" if nodes is not None else ""


def _renumbered(G: Converted, nodelist: Any) -> tuple[np.ndarray, np.ndarray]:
    """The ends of the edges, as places in a list of the same nodes."""
    if nodelist is None:
        return _ends(G)
    if set(nodelist) != set(G) or len(nodelist) != len(G):
        raise NotImplementedError("a nodelist of other nodes than the graph's")
    place = np.empty(len(G), np.int32)
    place[G.places(nodelist)] = np.arange(len(G))
    src, dst = _ends(G)
    return place[src], place[dst]


def _values(G: Converted, weight: Any) -> np.ndarray:
    """(E,): weights as they are, 1 without."""
    if weight is None:
        return np.ones(G.number_of_edges(), np.int64)
    column = G.column(weight)
    if column.values is None:
        raise NotImplementedError(column.refusal)
    return column.values


def _sparse(G: Converted, nodelist: Any, dtype: Any, weight: Any, format: str) -> Any:
    if len(G) == 0:
        raise nx.NetworkXError("Graph has no nodes or edges")
    if nodelist is not None and len(nodelist) == 0:
        raise nx.NetworkXError("nodelist has no nodes")
    src, dst = _renumbered(G, nodelist)
    values = _values(G, weight)
    if len(src) == 0:
        values = values.astype(np.float64)  # as SciPy makes of an empty list
    if not G.is_directed():
        loops = src == dst
        values = np.concatenate([values, values, -values[loops]])
        src, dst = (np.concatenate([src, dst, src[loops]]), np.concatenate([dst, src, src[loops]]))
    made = coo_array((values, (src, dst)), shape=(len(G), len(G)), dtype=dtype)
    try:
        return made.asformat(format)
    except ValueError as error:
        raise nx.NetworkXError(f"Unknown sparse matrix format: {format}") from error


@backend_function(first=None, cached=5_000)
def to_numpy_array(
    G: Converted,
    nodelist: Any = None,
    dtype: Any = None,
    order: Any = None,
    multigraph_weight: Any = sum,
    weight: Any = "weight",
    nonedge: Any = 0.0,
) -> Any:
    """The adjacency matrix, which is dense."""
    src, dst = _renumbered(G, nodelist)
    made = np.full((len(G), len(G)), nonedge, dtype=dtype, order=order)
    if made.dtype.names or made.dtype == object:
        raise NotImplementedError("values that are not single numbers")
    values = _values(G, weight)
    made[src, dst] = values
    if not G.is_directed():
        made[dst, src] = values
    return made


@to_numpy_array.unless
def _(
    G: Any,
    nodelist: Any,
    dtype: Any,
    order: Any,
    multigraph_weight: Any,
    weight: Any,
    nonedge: Any,
) -> str:
    return "multigraphs" if G.is_multigraph() else ""


@backend_function(first=100_000, cached=5_000)
def to_scipy_sparse_array(
    G: Converted,
    nodelist: Any = None,
    dtype: Any = None,
    weight: Any = "weight",
    format: Any = "csr",
) -> Any:
    """The adjacency matrix."""
    return _sparse(G, nodelist, dtype, weight, format)


@backend_function(first=100_000, cached=5_000)
def adjacency_matrix(
    G: Converted,
    nodelist: Any = None,
    dtype: Any = None,
    weight: Any = "weight",
    *,
    format: Any = "csr",
) -> Any:
    """The adjacency matrix."""
    return _sparse(G, nodelist, dtype, weight, format)
