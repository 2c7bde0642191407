"""How many shortest paths lead through nodes and edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from gascl.nx.converted import Converted
from gascl.nx.register import backend_function
from gascl.programs.betweenness import Betweenness, EdgeBetweenness


@backend_function(first=5_000, cached=1_000)
def betweenness_centrality(
    G: Converted,
    k: Any = None,
    normalized: bool = True,
    weight: Any = None,
    endpoints: bool = False,
    seed: Any = None,
) -> dict[Any, float]:
    """Betweenness by the paths from all nodes, or from NetworkX's own sample of k."""
    if len(G) == 0:
        return {}
    program = Betweenness(
        sources=_sources(G, k, seed),
        normalized=bool(normalized),
        endpoints=bool(endpoints),
        dtype="float64",
    )
    return G.by_node(G.run(program, simple=True)["centrality"])


def _sources(G: Converted, k: Any, seed: Any) -> list[int] | None:
    """NetworkX's own sample of nodes; None: all."""
    if k is None or k == len(G):
        return None
    found = G.places(seed.sample(list(G.nodes), k))
    if not found:
        raise NotImplementedError("no sources")
    return found


@betweenness_centrality.unless
def _(G: Any, k: Any, normalized: Any, weight: Any, endpoints: Any, seed: Any) -> str:
    return "" if weight is None else "weights"


@backend_function(first=5_000, cached=1_000)
def edge_betweenness_centrality(
    G: Converted, k: Any = None, normalized: bool = True, weight: Any = None, seed: Any = None
) -> dict[tuple[Any, Any], float]:
    """Betweenness of edges, by the paths from all nodes, or from NetworkX's own sample of k."""
    if len(G) == 0:
        return {}
    program = EdgeBetweenness(
        sources=_sources(G, k, seed), normalized=bool(normalized), dtype="float64"
    )
    by_arc = G.run(program).arc_fields["centrality"]
    by_edge = np.zeros(G.number_of_edges())
    by_edge[G.topology.graph().arcs().out_edges] = by_arc
    src, dst = (G.node_array[ends].tolist() for ends in _ends(G))
    return dict(zip(zip(src, dst, strict=True), by_edge.tolist(), strict=True))


def _ends(G: Converted) -> tuple[np.ndarray, np.ndarray]:
    return G.topology.adjacency.src, G.topology.adjacency.dst


@edge_betweenness_centrality.unless
def _(G: Any, k: Any, normalized: Any, weight: Any, seed: Any) -> str:
    if G.is_multigraph():
        return "multigraphs"
    return "" if weight is None else "weights"
