"""Calls that NetworkX answers from a small part of a graph, where a device would read all of it.

The checks here look at some `MOST` neighbors in the NetworkX graph itself, by operations on whole
sets, which takes about 50 µs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from math import inf
from typing import Any

from gascl.nx.dispatch import Call, Check

#: The neighbors that are looked at. NetworkX looks at so many in less time than a run takes.
MOST = 1_000
#: The neighbors that NetworkX looks at in the time of a run.
ENOUGH = 30_000

#: The number of nodes, and of neighbors of each, that are looked at for triangles.
FIRST = 10

#: The neighbors of each node.
Rows = Mapping[Any, Mapping[Any, Any]]


def is_local(adjacencies: list[Rows], sources: Iterable[Any], levels: float = inf) -> bool:
    """Whether a search along one or several adjacencies ends soon, after so many levels at most."""
    seen = frontier = set(sources)
    total, last = 0, 1
    while frontier and levels > 0:
        level = [rows[node] for rows in adjacencies for node in frontier]
        neighbors = sum(map(len, level))
        total += neighbors
        levels -= 1
        if total > MOST:
            return levels < inf and _expected(total, neighbors, neighbors / last, levels) < ENOUGH
        last = max(neighbors, 1)
        frontier = set().union(*level) - seen
        seen = seen | frontier
    return True


def _expected(total: float, neighbors: float, growth: float, levels: float) -> float:
    """All neighbors, if the number of each of the levels grows as in the last one, or stays."""
    growth = max(growth, 1)
    while levels > 0 and total < ENOUGH:
        neighbors *= growth
        total += neighbors
        levels -= 1
    return total


def local_search(source: str, limit: str = "", reverse: bool = False) -> Check:
    """Checks that a search goes far.

    Args:
        source: the name of the argument that is the node where it begins, or several such nodes.
        limit: the name of the argument that is the number of levels.
        reverse: it goes against the direction of the edges.
    """

    def check(call: Call) -> str:
        start, levels = getattr(call, source), getattr(call, limit) if limit else None
        against = (reverse or getattr(call, "reverse", False)) and call.G.is_directed()
        rows = call.G._pred if against else call.G._adj
        sources = start if isinstance(start, set | list) else [start]
        try:
            ends = is_local([rows], sources, inf if levels is None else levels)
        except (KeyError, TypeError):
            return "an error, which NetworkX raises at once"
        return "NetworkX is faster in searches that end soon" if ends else ""

    return check


def small_first_component(call: Call) -> str:
    """Checks that the component of the first node is not small."""
    G = call.G
    adjacencies = [G._succ, G._pred] if G.is_directed() else [G._adj]
    small = is_local(adjacencies, islice(G._adj, 1))
    return "NetworkX begins with a component that is small" if small else ""


def no_successors(call: Call) -> str:
    """Checks that every node has successors."""
    return "" if all(call.G._adj.values()) else "NetworkX ends soon at a node without successors"


def triangle(call: Call) -> str:
    """Checks that the first edges of the first nodes are in no triangle."""
    rows = call.G._adj
    for row in islice(rows.values(), FIRST):
        neighbors = row.keys()
        if not all(neighbors.isdisjoint(rows[node]) for node in islice(row, FIRST)):
            return "NetworkX soon finds a cycle of odd length"
    return ""


def near_target(call: Call) -> str:
    """Checks that the target is not among the first neighbors that a search from the source
    sees."""
    seen = frontier = {call.source}
    total = 0
    try:
        while frontier and total <= MOST and call.target not in seen:
            level = [call.G._adj[node] for node in frontier]
            total += sum(map(len, level))
            frontier = set().union(*level) - seen
            seen = seen | frontier
        near = call.target in seen
    except (KeyError, TypeError):
        return "an error, which NetworkX raises at once"
    return "NetworkX is faster where the target is near" if near else ""
