"""Calls that NetworkX answers from a small part of a graph, where a device would read all of it.

The checks here look at some `MOST` neighbors in the NetworkX graph itself, by operations on whole
sets, which takes about 50 µs.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from math import inf
from typing import Any

import numpy as np

from gascl.nx.dispatch import Call, Check
from gascl.nx.edge_list import Rows, stored_edges

#: The neighbors that are looked at. NetworkX looks at so many in less time than a run takes.
MOST = 1_000
#: The neighbors that NetworkX looks at in the time of a run.
ENOUGH = 30_000

#: The levels with few neighbors after which a search is taken for one along a long path: a device
#: takes a step for each.
LONG = 100

#: The number of nodes, and of neighbors of each, that are looked at for triangles.
FIRST = 10


def rows_of(G: Any, reverse: bool = False) -> Rows:
    """The neighbors of each node, or its predecessors in a directed graph."""
    if (stored := stored_edges(G)) is not None:
        return stored.rows(reverse)
    rows: Rows = G._pred if reverse and G.is_directed() else G._adj
    return rows


def is_local(adjacencies: list[Rows], sources: Iterable[Any], levels: float = inf) -> bool:
    """Whether a search along one or several adjacencies ends soon, after so many levels at most, or
    has few neighbors for many levels."""
    return is_narrow(adjacencies, sources, levels) is not False


def is_narrow(adjacencies: list[Rows], sources: Iterable[Any], levels: float = inf) -> bool | None:
    """Whether a search has few neighbors for many levels; None if it ends soon."""
    seen = frontier = set(sources)
    total, last, depth = 0, 1, 0
    while frontier and levels > 0:
        depth += 1
        level = [rows[node] for rows in adjacencies for node in frontier]
        neighbors = sum(map(len, level))
        total += neighbors
        levels -= 1
        if total > MOST:
            soon = levels < inf and _expected(total, neighbors, neighbors / last, levels) < ENOUGH
            return None if soon else False
        if depth == LONG:
            return True
        last = max(neighbors, 1)
        frontier = set().union(*level) - seen
        seen = seen | frontier
    return None


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
        rows = rows_of(call.G, reverse or getattr(call, "reverse", False))
        sources = start if isinstance(start, set | list) else [start]
        try:
            ends = is_local([rows], sources, inf if levels is None else levels)
        except (KeyError, TypeError):
            return "an error, which NetworkX raises at once"
        return "NetworkX is faster in searches that end soon or follow a long path" if ends else ""

    return check


def small_first_component(call: Call) -> str:
    """Checks that the component of the first node is not small."""
    small = is_local(*_both_ways(call.G))
    return "NetworkX begins with a component that is small or a long path" if small else ""


def long_path(call: Call) -> str:
    """Checks that the component of the first node is not like a long path."""
    return "NetworkX is faster along a long path" if is_narrow(*_both_ways(call.G)) else ""


def _both_ways(G: Any) -> tuple[list[Rows], Iterable[Any]]:
    """The adjacencies, and the first node."""
    adjacencies = [rows_of(G), rows_of(G, reverse=True)][: 1 + G.is_directed()]
    return adjacencies, islice(adjacencies[0], 1)


def no_successors(call: Call) -> str:
    """Checks that every node has successors."""
    stored = stored_edges(call.G)
    if stored is None:
        every = all(call.G._adj.values())
    else:
        every = bool(np.diff(stored.entries.offsets).all())
    return "" if every else "NetworkX ends soon at a node without successors"


def triangle(call: Call) -> str:
    """Checks that the first edges of the first nodes are in no triangle."""
    rows = rows_of(call.G)
    for row in islice(rows.values(), FIRST):
        neighbors = row.keys()
        if not all(neighbors.isdisjoint(rows[node]) for node in islice(row, FIRST)):
            return "NetworkX soon finds a cycle of odd length"
    return ""


def near_target(call: Call) -> str:
    """Checks that the target is not among the first neighbors that a search from the source
    sees."""
    seen = frontier = {call.source}
    total, rows = 0, rows_of(call.G)
    try:
        while frontier and total <= MOST and call.target not in seen:
            level = [rows[node] for node in frontier]
            total += sum(map(len, level))
            frontier = set().union(*level) - seen
            seen = seen | frontier
        near = call.target in seen
    except (KeyError, TypeError):
        return "an error, which NetworkX raises at once"
    return "NetworkX is faster where the target is near" if near else ""
