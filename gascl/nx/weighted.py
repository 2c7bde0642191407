"""Shortest paths by the lengths of edges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import Any

import networkx as nx
import numpy as np

from gascl.language.program import VertexProgram
from gascl.nx.converted_graph import Converted, EdgeField
from gascl.nx.dispatch import (
    Call,
    Check,
    Function,
    argument,
    backend_function,
    callable_weight,
    started,
)
from gascl.nx.locality import local_search, near_target
from gascl.nx.path_trees import Lengths, Paths, Tree, arcs_of_rows, levels, tight_arcs
from gascl.programs.bellman_ford import BellmanFord
from gascl.programs.shortest_paths import Distances

#: The limits of most functions.
NO_FUNCTION = "No function as weight."
NOT_NEGATIVE = "No function as weight, no weights below 0."
TO_ALL = "No `target`, no function as weight, no weights below 0."
WHOLE_BELOW_0 = "No function as weight; in directed graphs, weights below 0 must be whole."
ONE_PATH = "Only where there is one shortest path to each node. No function as weight."


def by_weight(
    first: int, cached: int, limits: str, *unsupported: Check, source: str = "", lazy: float = 0
) -> Callable[[Callable[..., Any]], Function]:
    """Registers a function of paths by the lengths of edges, with the arguments of
    `backend_function`; a function as weight is not supported, and with a cutoff, NetworkX may soon
    be done.

    Args:
        source: the name of the argument that is the node where all paths begin, or several.
    """
    return backend_function(
        first=first,
        cached=cached,
        limits=limits,
        lazy=lazy,
        unsupported=[*unsupported, callable_weight()],
        slower=[_cutoff, *([local_search(source)] if source else [])],
    )


def _cutoff(call: Call) -> str:
    passed = getattr(call, "cutoff", None) is not None
    return "NetworkX is faster in searches with a cutoff" if passed else ""


def lengths_of(G: Converted, weight: Any) -> EdgeField | None:
    """The edge field for `Converted.run`; None where every edge has length 1.

    Raises:
        NotImplementedError: a length is below 0, or not a number.
    """
    column = G.column(weight)
    if column.all_one:
        return None
    if column.lengths.min(initial=0) < 0:
        raise NotImplementedError("lengths below 0, upon which Dijkstra's algorithm may fail")
    return ("lengths", weight), column.lengths


def distances(
    G: Converted,
    sources: list[int],
    weight: Any,
    cutoff: float | None = None,
    reverse: bool = False,
    negative: bool = False,
) -> np.ndarray:
    """float64 (V,): the distance of each node from the nearest of the sources; infinite without a
    path.

    Args:
        negative: lengths may be negative.

    Raises:
        NotImplementedError: an edge has no length.
        NetworkXUnbounded: a cycle of negative length can be reached.
    """
    program: VertexProgram
    column = G.column(weight)
    if negative and column.numbers.min(initial=0) < 0:
        field: EdgeField | None = (("lengths", weight), column.lengths)
        program = BellmanFord(sources=sources, dtype="float64")
    else:
        field = lengths_of(G, weight)
        program = Distances(sources=sources, cutoff=cutoff, dtype="float64")
    distance: np.ndarray = G.run(program, weight=field, reverse=reverse)["distance"]
    if (distance == -np.inf).any():
        raise nx.NetworkXUnbounded("Negative cycle detected.")
    return distance


def as_numbers(G: Converted, weight: Any, values: np.ndarray, sources: Iterable[int]) -> list[Any]:
    """Distances as Python's numbers: integers where all lengths are; those of sources always are.

    `values` and `sources` must be alike: sources are places in `values`.
    """
    if G.column(weight).whole:
        return values.astype(np.int64).tolist()
    listed: list[Any] = values.tolist()
    for source in sources:
        listed[source] = 0
    return listed


def lengths_from(
    G: Converted,
    sources: list[Any],
    weight: Any,
    cutoff: float | None = None,
    reverse: bool = False,
    negative: bool = False,
) -> Lengths:
    """Nodes with a path and their distances, the nearest first."""
    places = G.places(sources)
    distance = distances(G, places, weight, cutoff, reverse, negative)
    reached = np.flatnonzero(np.isfinite(distance))
    order = reached[np.argsort(distance[reached], kind="stable")]
    numbers = as_numbers(G, weight, distance[order], ())
    lengths = dict(zip(G.node_array[order].tolist(), numbers, strict=True))
    lengths.update(dict.fromkeys(sources, 0))
    return lengths


def entry_lengths(G: Converted, weight: Any) -> np.ndarray:
    """float64 (N,): the length of the shortest edge to each of the neighbors in
    `Adjacency.neighbors`."""

    def make() -> np.ndarray:
        adjacency, directed = G.topology.adjacency, G.is_directed()
        values = G.column(weight).lengths
        tails = G.tails
        listed = np.ones(len(tails), bool) if directed else tails <= adjacency.neighbors
        if adjacency.counts is not None and len(values):
            counts = adjacency.counts[listed]
            values = np.minimum.reduceat(values, np.cumsum(counts) - counts)
        if directed:
            return values
        low = np.minimum(tails, adjacency.neighbors).astype(np.int64)
        key = low * len(G) + np.maximum(tails, adjacency.neighbors)
        order = np.argsort(key[listed])
        return values[order[np.searchsorted(key[listed][order], key)]]

    return G.topology.once(("entries", weight), make)


def tree(
    G: Converted, sources: list[Any], weight: Any, cutoff: Any = None
) -> tuple[Tree, np.ndarray]:
    """The tree of shortest paths that Dijkstra's algorithm finds, and the distances (V,)."""
    places = G.places(sources)
    distance = distances(G, places, weight, cutoff)
    offsets, neighbors = G.rows()
    return Tree(offsets, neighbors, entry_lengths(G, weight), distance, places), distance


def _dist_and_paths(
    G: Converted, sources: list[Any], weight: Any, cutoff: Any
) -> tuple[Lengths, Paths]:
    """As Dijkstra's algorithm in NetworkX finds them, order and ties included."""
    settled, distance = tree(G, sources, weight, cutoff)
    nodes, order = G.nodes, settled.order.tolist()
    numbers = as_numbers(G, weight, distance[settled.order], range(len(sources)))
    paths = {source: [source] for source in sources}
    parents = settled.parent[settled.order].tolist()
    for vertex, parent in zip(order, parents, strict=True):
        if parent >= 0:
            paths[nodes[vertex]] = [*paths[nodes[parent]], nodes[vertex]]
    return dict(zip((nodes[v] for v in order), numbers, strict=True)), paths


def distinct_sources(G: Converted, sources: Any) -> list[Any]:
    """The sources, each once.

    Raises:
        ValueError: there are none.
        NodeNotFound: one is not in the graph.
    """
    if not sources:
        raise ValueError("sources must not be empty")
    for source in sources:
        G.require(source, nx.NodeNotFound(f"Node {source} not found in graph"))
    return list(dict.fromkeys(sources))


@by_weight(200_000, 20_000, TO_ALL, argument("target"), source="sources")
def multi_source_dijkstra(
    G: Converted, sources: Any, target: Any = None, cutoff: Any = None, weight: Any = "weight"
) -> tuple[Lengths, Paths]:
    """Distances and NetworkX's own paths, in its order."""
    return _dist_and_paths(G, distinct_sources(G, sources), weight, cutoff)


@by_weight(200_000, 20_000, NOT_NEGATIVE, source="sources")
def multi_source_dijkstra_path(
    G: Converted, sources: Any, cutoff: Any = None, weight: Any = "weight"
) -> Paths:
    """NetworkX's own paths, in its order."""
    return _dist_and_paths(G, distinct_sources(G, sources), weight, cutoff)[1]


@by_weight(100_000, 10_000, NOT_NEGATIVE, source="sources")
def multi_source_dijkstra_path_length(
    G: Converted, sources: Any, cutoff: Any = None, weight: Any = "weight"
) -> Lengths:
    """Distances, the nearest first."""
    return lengths_from(G, distinct_sources(G, sources), weight, cutoff)


@by_weight(200_000, 20_000, TO_ALL, argument("target"), source="source")
def single_source_dijkstra(
    G: Converted, source: Any, target: Any = None, cutoff: Any = None, weight: Any = "weight"
) -> tuple[Lengths, Paths]:
    """Distances and NetworkX's own paths, in its order."""
    return _dist_and_paths(G, distinct_sources(G, [source]), weight, cutoff)


@by_weight(200_000, 20_000, NOT_NEGATIVE, source="source")
def single_source_dijkstra_path(
    G: Converted, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> Paths:
    """NetworkX's own paths, in its order."""
    return _dist_and_paths(G, distinct_sources(G, [source]), weight, cutoff)[1]


@by_weight(100_000, 10_000, NOT_NEGATIVE, source="source")
def single_source_dijkstra_path_length(
    G: Converted, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> Lengths:
    """Distances, the nearest first."""
    return lengths_from(G, distinct_sources(G, [source]), weight, cutoff)


@by_weight(200_000, 20_000, NOT_NEGATIVE, source="source")
def dijkstra_predecessor_and_distance(
    G: Converted, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> tuple[Paths, Lengths]:
    """All parents in NetworkX's order, and distances."""
    G.require(source, nx.NodeNotFound(f"Node {source} is not found in the graph"))
    settled, distance = tree(G, [source], weight, cutoff)
    nodes = G.nodes
    seen = _first_seen(G, settled.order, distance, weight, cutoff)
    pred: Paths = {node: [] for node in G.node_array[seen].tolist()}
    for vertex, parent in zip(*(ends.tolist() for ends in settled.parents()), strict=True):
        pred[nodes[vertex]].append(nodes[parent])
    numbers = as_numbers(G, weight, distance[settled.order], [0])
    return pred, dict(zip(G.node_array[settled.order].tolist(), numbers, strict=True))


def _first_seen(
    G: Converted, order: np.ndarray, distance: np.ndarray, weight: Any, cutoff: Any
) -> np.ndarray:
    """The vertices with a path in the order in which Dijkstra's algorithm first sees one to each,
    though it may be too long.

    Args:
        order: in which they are settled, the source first.
    """
    offsets, neighbors = G.rows()
    tails, places = arcs_of_rows(offsets, order)
    if cutoff is not None:
        places = places[distance[tails] + entry_lengths(G, weight)[places] <= cutoff]
    seen = np.concatenate([order[:1], neighbors[places]])
    _, firsts = np.unique(seen, return_index=True)
    return seen[np.sort(firsts)]


@by_weight(20_000, 10_000, NOT_NEGATIVE, lazy=inf)
def all_pairs_dijkstra(
    G: Converted, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Any, tuple[Lengths, Paths]]]:
    """Distances and NetworkX's own paths, in its order, node by node."""
    return _each(G, lambda node: _dist_and_paths(G, [node], weight, cutoff))


@by_weight(20_000, 10_000, NOT_NEGATIVE, lazy=inf)
def all_pairs_dijkstra_path(
    G: Converted, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Any, Paths]]:
    """NetworkX's own paths, in its order, node by node."""
    return _each(G, lambda node: _dist_and_paths(G, [node], weight, cutoff)[1])


@by_weight(20_000, 5_000, NOT_NEGATIVE, lazy=inf)
def all_pairs_dijkstra_path_length(
    G: Converted, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Any, Lengths]]:
    """Distances, the nearest first, node by node."""
    return _each(G, lambda node: lengths_from(G, [node], weight, cutoff))


def _each(G: Converted, result: Callable[[Any], Any]) -> Iterator[tuple[Any, Any]]:
    """A result for each node."""
    return started((node, result(node)) for node in G.nodes)


def _only_parents(G: Converted, source: Any, weight: Any) -> tuple[Lengths, Lengths]:
    """Distances, and each node's only parent (None at the source), level by level.

    Raises:
        NotImplementedError: a node has several. Which one Bellman's and Ford's algorithm takes
            depends on its queue.
        NetworkXUnbounded: a cycle of negative length can be reached.
    """
    places = G.places([source])
    distance = distances(G, places, weight, negative=True)
    tail, head, _ = tight_arcs(*G.rows(), entry_lengths(G, weight), distance)
    offsets = np.searchsorted(tail, np.arange(len(G) + 1))
    search = list(levels(offsets, head, places))
    if len(head) != sum(len(level) for level, _ in search):
        raise NotImplementedError("several shortest paths, of which NetworkX's queue chooses one")
    order = np.concatenate([places, *(level for level, _ in search)]).astype(np.int64)
    before = np.concatenate([np.zeros(0, np.int64), *(parents for _, parents in search)])
    nodes = G.node_array[order].tolist()
    parents = [None, *G.node_array[before.astype(np.int64)].tolist()]
    numbers = as_numbers(G, weight, distance[order], [0])
    return dict(zip(nodes, numbers, strict=True)), dict(zip(nodes, parents, strict=True))


def _parents_without_loops(G: Converted, source: Any, weight: Any) -> tuple[Lengths, Lengths]:
    """As `_only_parents`; refuses a self-loop of negative length, reachable or not, as NetworkX."""
    G.require(source, nx.NodeNotFound(f"Node {source} is not found in the graph"))
    src, dst = G.ends
    if (G.column(weight).lengths[src == dst] < 0).any():
        raise nx.NetworkXUnbounded("Negative cycle detected.")
    return _only_parents(G, source, weight)


def _only_paths(G: Converted, source: Any, weight: Any) -> tuple[Lengths, Paths]:
    G.require(source, nx.NodeNotFound(f"Source {source} not in G"))
    distance, parents = _only_parents(G, source, weight)
    paths = {source: [source]}
    for node, parent in list(parents.items())[1:]:
        paths[node] = [*paths[parent], node]
    return distance, paths


@by_weight(100_000, 20_000, ONE_PATH, argument("target"), source="source")
def single_source_bellman_ford(
    G: Converted, source: Any, target: Any = None, weight: Any = "weight"
) -> tuple[Lengths, Paths]:
    """Distances and paths, where there is one shortest path to each node."""
    return _only_paths(G, source, weight)


@by_weight(100_000, 20_000, ONE_PATH, source="source")
def single_source_bellman_ford_path(G: Converted, source: Any, weight: Any = "weight") -> Paths:
    """Paths, where there is one shortest path to each node."""
    return _only_paths(G, source, weight)[1]


@by_weight(100_000, 10_000, NO_FUNCTION, source="source")
def single_source_bellman_ford_path_length(
    G: Converted, source: Any, weight: Any = "weight"
) -> Lengths:
    """Distances, the nearest first."""
    G.require(source, nx.NodeNotFound(f"Source {source} not in G"))
    return lengths_from(G, [source], weight, negative=True)


@by_weight(100_000, 20_000, ONE_PATH, source="source")
def bellman_ford_predecessor_and_distance(
    G: Converted, source: Any, target: Any = None, weight: Any = "weight", heuristic: Any = False
) -> tuple[Paths, Lengths]:
    """Parents and distances, where there is one shortest path to each node."""
    distance, parents = _parents_without_loops(G, source, weight)
    pred = {node: [parent] for node, parent in parents.items()}
    pred[source] = []
    return pred, distance


@by_weight(20_000, 10_000, ONE_PATH, lazy=inf)
def all_pairs_bellman_ford_path(
    G: Converted, weight: Any = "weight"
) -> Iterator[tuple[Any, Paths]]:
    """Paths, where there is one shortest path between any two nodes."""
    # all of them, since some may have to be declined
    return iter([(node, _only_paths(G, node, weight)[1]) for node in G])


@by_weight(20_000, 5_000, NO_FUNCTION, lazy=inf)
def all_pairs_bellman_ford_path_length(
    G: Converted, weight: Any = "weight"
) -> Iterator[tuple[Any, Lengths]]:
    """Distances, the nearest first, node by node."""
    return _each(G, lambda node: lengths_from(G, [node], weight, negative=True))


@by_weight(100_000, 20_000, ONE_PATH, source="source")
def goldberg_radzik(G: Converted, source: Any, weight: Any = "weight") -> tuple[Lengths, Lengths]:
    """Parents and distances, where there is one shortest path to each node."""
    distance, parents = _parents_without_loops(G, source, weight)
    return parents, distance


def _frozen(call: Call) -> str:
    return "frozen graphs, to which NetworkX cannot add a node" if nx.is_frozen(call.G) else ""


@by_weight(100_000, 10_000, WHOLE_BELOW_0, _frozen)
def negative_edge_cycle(G: Converted, weight: Any = "weight", heuristic: Any = True) -> bool:
    """Whether the lengths of some cycle come to less than 0."""
    column = G.column(weight)
    if not (column.lengths < 0).any():
        return False
    if not G.is_directed():
        return True  # there and back along the edge
    if not column.whole:
        raise NotImplementedError("sums of fractional weights, whose sign may depend on rounding")
    try:
        distances(G, list(range(len(G))), weight, negative=True)
    except nx.NetworkXUnbounded:
        return True
    return False


@by_weight(20_000, 10_000, NOT_NEGATIVE)
def johnson(G: Converted, weight: Any = "weight") -> dict[Any, Paths]:
    """NetworkX's own paths between all pairs."""
    return {node: _dist_and_paths(G, [node], weight, None)[1] for node in G}


def _to_target(first: int, cached: int, limits: str) -> Callable[[Callable[..., Any]], Function]:
    """Registers a function of one path, as `by_weight` does. NetworkX's search ends at the target,
    which is taken to be far unless a short search from the source finds it."""
    return backend_function(
        first=first,
        cached=cached,
        limits=limits,
        unsupported=[callable_weight()],
        slower=[local_search("source"), near_target],
    )


def _length(G: Converted, source: Any, target: Any, weight: Any, negative: bool) -> Any:
    """The distance of the target.

    Raises:
        KeyError: there is no path.
    """
    places = G.places([source])
    distance = distances(G, places, weight, negative=negative)
    at = G.topology.index[target]
    if not np.isfinite(distance[at]):
        raise KeyError(target)
    return as_numbers(G, weight, distance[[at]], [])[0]


@_to_target(200_000, 30_000, NOT_NEGATIVE)
def dijkstra_path(G: Converted, source: Any, target: Any, weight: Any = "weight") -> list[Any]:
    """NetworkX's own path."""
    distinct_sources(G, [source])
    if source == target:
        return [target]
    if target not in G:
        raise NotImplementedError("a target that is not in the graph")
    settled, distance = tree(G, [source], weight)
    at = G.topology.index[target]
    if not np.isfinite(distance[at]):
        raise nx.NetworkXNoPath(f"No path to {target}.")
    path = [at]
    while (at := int(settled.parent[at])) >= 0:
        path.append(at)
    return G.node_array[path[::-1]].tolist()


@_to_target(200_000, 20_000, NOT_NEGATIVE)
def dijkstra_path_length(G: Converted, source: Any, target: Any, weight: Any = "weight") -> Any:
    """The distance."""
    distinct_sources(G, [source])
    if source == target:
        return 0
    try:
        return _length(G, source, target, weight, negative=False)
    except KeyError as error:
        message = f"Node {target} not reachable from {source}"
        raise nx.NetworkXNoPath(message) from error


@_to_target(100_000, 20_000, ONE_PATH)
def bellman_ford_path(G: Converted, source: Any, target: Any, weight: Any = "weight") -> list[Any]:
    """The path, where there is one shortest path to each node."""
    if source == target or target not in G:
        raise NotImplementedError("a target that is the source, or not in the graph")
    paths = _only_paths(G, source, weight)[1]
    if target not in paths:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    return paths[target]


@_to_target(100_000, 10_000, NO_FUNCTION)
def bellman_ford_path_length(G: Converted, source: Any, target: Any, weight: Any = "weight") -> Any:
    """The distance."""
    if source not in G or target not in G:
        raise NotImplementedError("nodes that are not in the graph")
    if source == target:
        return 0
    try:
        return _length(G, source, target, weight, negative=True)
    except KeyError as error:
        raise nx.NetworkXNoPath(f"node {target} not reachable from {source}") from error
