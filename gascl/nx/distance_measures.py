"""Eccentricities and other measures of the distances between all nodes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import networkx as nx
import numpy as np

from gascl.nx import weighted
from gascl.nx.all_pairs import (
    by_distances,
    distances_by_weight,
    inverse_sums,
    reached_from_each,
)
from gascl.nx.components import connected
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import VERSION, Call, argument
from gascl.nx.unweighted import depths
from gascl.programs.diameter import Diameter

#: The names of `barycenter`, that of the installed NetworkX first.
BARYCENTER = ("centroid", "barycenter") if VERSION >= (3, 7) else ("barycenter", "centroid")

#: The number of nodes below which searches from all of them at once are faster than those from few,
#: one after the other.
FEW = 1_500

# --- checks ---


def _no_nodes(call: Call) -> str:
    if len(call.G):
        return ""
    return "graphs without nodes, for which versions of NetworkX raise different errors"


def _bounds(call: Call) -> str:
    if call.usebounds is True and call.e is None and not call.G.is_directed():
        return "`usebounds`, with which NetworkX searches from few nodes"
    return ""


def _tree(call: Call) -> str:
    G = call.G
    is_tree = not G.is_directed() and G.number_of_edges() == len(G) - 1
    is_tree = is_tree and call.weight is None and getattr(call, "e", None) is None
    return "trees, whose center NetworkX finds faster" if is_tree else ""


# --- eccentricities ---


def _unreached(G: Converted) -> nx.NetworkXError:
    kind = "digraph is not strongly" if G.is_directed() else "graph is not"
    return nx.NetworkXError(f"Found infinite path length because the {kind} connected")


def _eccentricities(G: Converted, v: Any, weight: Any) -> dict[Any, Any]:
    """The eccentricities of the nodes `v`, or of all, by node."""
    if v is None and weight is None:
        result = reached_from_each(G)
        if (result["reached"] < len(G) - 1).any():
            raise _unreached(G)
        return G.by_node(result["eccentricity"])
    values: dict[Any, Any] = {}
    for node in G.nbunch_iter(v):
        if weight is None:
            length = depths(G, node)
            reached = length >= 0
        else:
            length = weighted.distances(G, G.places([node]), weight)
            reached = np.isfinite(length)
        if not reached.all():
            raise _unreached(G)
        farthest = length.max()
        whole = G.column(weight).whole or farthest == 0
        values[node] = int(farthest) if whole else float(farthest)
    return values


@by_distances(
    *("No `sp`.", _no_nodes, argument("sp")), slower=[argument("v", reason="some of the nodes")]
)
def eccentricity(G: Converted, v: Any = None, sp: Any = None, weight: Any = None) -> Any:
    """The distance of the farthest node from each, or from some."""
    values = _eccentricities(G, v, weight)
    return values[v] if v in G else values


_known = argument("e", reason="the eccentricities `e` are known")
_by_eccentricities = by_distances(
    *("`usebounds` is left to NetworkX.", _no_nodes, _bounds), slower=[_known]
)


def _extreme(
    G: Converted, e: Any, weight: Any, field: str, choose: Callable[[Iterable[Any]], Any]
) -> Any:
    """The largest or smallest eccentricity; by few searches if they are not known, and G is large
    and has no weights and no directions."""
    if e is not None:
        return choose(e.values())
    if weight is not None or G.is_directed() or len(G) < FEW:
        return choose(_eccentricities(G, None, weight).values())
    if not connected(G):
        raise _unreached(G)
    return int(G.run(Diameter())[field][0])


def _nodes_at(
    G: Converted, e: Any, weight: Any, choose: Callable[[Iterable[Any]], Any]
) -> list[Any]:
    """The nodes with the largest or smallest eccentricity."""
    values = _eccentricities(G, None, weight) if e is None else e
    extreme = choose(values.values())
    return [node for node, value in values.items() if value == extreme]


@_by_eccentricities
def diameter(G: Converted, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """The largest eccentricity."""
    return _extreme(G, e, weight, "diameter", max)


@_by_eccentricities
def radius(G: Converted, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """The smallest eccentricity."""
    return _extreme(G, e, weight, "radius", min)


@_by_eccentricities
def periphery(
    G: Converted, e: Any = None, usebounds: bool = False, weight: Any = None
) -> list[Any]:
    """The nodes with the largest eccentricity."""
    return _nodes_at(G, e, weight, max)


@by_distances(
    *("`usebounds` and trees are left to NetworkX.", _tree, _no_nodes, _bounds), slower=[_known]
)
def center(G: Converted, e: Any = None, usebounds: bool = False, weight: Any = None) -> list[Any]:
    """The nodes with the smallest eccentricity."""
    return _nodes_at(G, e, weight, min)


# --- sums of distances ---


@by_distances(
    *("No `attr`, no `sp`; trees are left to NetworkX.", _no_nodes, argument("attr", "sp"), _tree),
    names=BARYCENTER,
)
def barycenter(G: Converted, weight: Any = None, attr: Any = None, sp: Any = None) -> list[Any]:
    """The nodes with the smallest sum of distances."""
    if weight is None:
        result = reached_from_each(G)
        sums, reaches_all = result["distances"], (result["reached"] == len(G) - 1).all()
    elif G.column(weight).whole:
        sums = np.array([distance.sum() for distance in distances_by_weight(G, weight)])
        reaches_all = np.isfinite(sums).all()
    else:
        raise NotImplementedError("sums of weights that are not whole, which rounding may reorder")
    if not reaches_all:
        raise nx.NetworkXNoPath(
            f"Input graph {G.original()} is disconnected, so every induced subgraph has infinite "
            "barycentricity."
        )
    return G.node_array[sums == sums.min()].tolist()


@by_distances("No `sp`.", argument("sp"))
def harmonic_diameter(G: Converted, sp: Any = None, *, weight: Any = None) -> float:
    """The harmonic mean of the distances."""
    count = len(G)
    total = 0.0
    if count and weight is None:
        total = float(inverse_sums(G).sum())
    elif count:
        for distance in distances_by_weight(G, weight):
            total += float((1 / distance[distance > 0]).sum())
    if total:
        return count * (count - 1) / total
    return math.inf if count > 1 else math.nan
