"""How far the farthest node is from each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import networkx as nx
import numpy as np

from gascl.nx import weighted
from gascl.nx.components import connected
from gascl.nx.converted_graph import Converted
from gascl.nx.dispatch import VERSION, backend_function
from gascl.nx.unweighted import depths
from gascl.programs.diameter import Diameter
from gascl.programs.eccentricity import Eccentricity

#: NetworkX's name of `barycenter`.
CENTROID = "centroid" if VERSION >= (3, 7) else "barycenter"

#: What is declined.
NULL = "graphs without nodes, for which versions of NetworkX raise different errors"


def _unreached(G: Converted) -> nx.NetworkXError:
    kind = "digraph is not strongly" if G.is_directed() else "graph is not"
    return nx.NetworkXError(f"Found infinite path length because the {kind} connected")


def _eccentricity(G: Converted, v: Any, weight: Any) -> dict[Any, Any]:
    """By node."""
    if v is None and weight is None:
        found = G.run(Eccentricity())
        if (found["reached"] < len(G) - 1).any():
            raise _unreached(G)
        return G.by_node(found["eccentricity"])
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
        whole = weight is None or weighted.is_whole(G, weight) or farthest == 0
        values[node] = int(farthest) if whole else float(farthest)
    return values


@backend_function(first=1_000, cached=500)
def eccentricity(G: Converted, v: Any = None, sp: Any = None, weight: Any = None) -> Any:
    """The distance of the farthest node from each, or from some."""
    found = _eccentricity(G, v, weight)
    return found[v] if v in G else found


@eccentricity.unless
def _(G: Any, v: Any, sp: Any, weight: Any) -> str:
    if len(G) == 0:
        return NULL
    return "`sp`" if sp is not None else weighted.hidden(weight)


@eccentricity.worth
def _(G: Any, v: Any, sp: Any, weight: Any) -> str:
    return weighted.few(G, weight) if v is None else "some of the nodes"


def _is_tree(G: Any) -> bool:
    return not G.is_directed() and G.number_of_edges() == len(G) - 1


def _declines(G: Any, e: Any, usebounds: Any, weight: Any) -> str:
    if len(G) == 0:
        return NULL
    if usebounds is True and e is None and not G.is_directed():
        return "`usebounds`, by which NetworkX looks at few nodes only"
    return weighted.hidden(weight)


def _worth(G: Any, e: Any, usebounds: Any, weight: Any) -> str:
    return weighted.few(G, weight) if e is None else "eccentricities that are given"


def _given(G: Converted, e: Any, weight: Any) -> dict[Any, Any]:
    return _eccentricity(G, None, weight) if e is None else e


def _extreme(
    G: Converted, e: Any, weight: Any, field: str, of: Callable[[Iterable[Any]], Any]
) -> Any:
    """The largest or smallest eccentricity; by few searches, if all are not known and G has no
    weights and no directions."""
    if e is not None or weight is not None or G.is_directed():
        return of(_given(G, e, weight).values())
    if not connected(G):
        raise _unreached(G)
    return int(G.run(Diameter())[field][0])


@backend_function(first=1_000, cached=500)
def diameter(G: Converted, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """The largest eccentricity."""
    return _extreme(G, e, weight, "diameter", max)


@backend_function(first=1_000, cached=500)
def radius(G: Converted, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """The smallest eccentricity."""
    return _extreme(G, e, weight, "radius", min)


@backend_function(first=1_000, cached=500)
def periphery(
    G: Converted, e: Any = None, usebounds: bool = False, weight: Any = None
) -> list[Any]:
    """The nodes with the largest eccentricity."""
    found = _given(G, e, weight)
    most = max(found.values())
    return [node for node in found if found[node] == most]


@backend_function(first=1_000, cached=500)
def center(G: Converted, e: Any = None, usebounds: bool = False, weight: Any = None) -> list[Any]:
    """The nodes with the smallest eccentricity."""
    found = _given(G, e, weight)
    least = min(found.values())
    return [node for node in found if found[node] == least]


for _function in (diameter, radius, periphery):
    _function.unless(_declines)
for _function in (diameter, radius, periphery, center):
    _function.worth(_worth)


@center.unless
def _(G: Any, e: Any, usebounds: Any, weight: Any) -> str:
    if e is None and weight is None and _is_tree(G):
        return "trees, whose centre NetworkX finds faster"
    return _declines(G, e, usebounds, weight)


@backend_function(first=1_000, cached=500, name=CENTROID)
def barycenter(G: Converted, weight: Any = None, attr: Any = None, sp: Any = None) -> list[Any]:
    """The nodes with the smallest sum of distances."""
    if weight is None:
        found = G.run(Eccentricity())
        sums, connected = found["distances"], (found["reached"] == len(G) - 1).all()
    elif weighted.is_whole(G, weight):
        sums = np.array([weighted.distances(G, [place], weight).sum() for place in range(len(G))])
        connected = np.isfinite(sums).all()
    else:
        raise NotImplementedError("sums of weights that are not whole, which rounding tells apart")
    if not connected:
        raise nx.NetworkXNoPath(
            f"Input graph {G.original()} is disconnected, so every induced subgraph has infinite "
            "barycentricity."
        )
    return G.node_array[sums == sums.min()].tolist()


@barycenter.unless
def _(G: Any, weight: Any, attr: Any, sp: Any) -> str:
    if len(G) == 0:
        return NULL
    if attr is not None or sp is not None:
        return "`attr` and `sp`"
    if weight is None and _is_tree(G):
        return "trees, whose centre NetworkX finds faster"
    return weighted.hidden(weight)


@barycenter.worth
def _(G: Any, weight: Any, attr: Any, sp: Any) -> str:
    return weighted.few(G, weight)
