"""Trees of shortest paths in the order in which NetworkX finds them.

The device finds distances, which leave open which of several parents a path goes through, and the
order of vertices at one distance. NetworkX follows its adjacency; paths and dictionaries show it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

#: Distances, or numbers of edges, by node; and paths, as lists of nodes, by node.
Lengths = dict[Any, Any]
Paths = dict[Any, list[Any]]

#: A level with fewer arcs is searched without NumPy, whose calls cost more then.
FEW = 100
#: The number of rounds after which an order by distances is left to NetworkX.
ROUNDS = 100


def arcs_of_rows(offsets: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The arcs out of some vertices, in their order: the tail of each, and its place in
    `neighbors`."""
    lengths = offsets[rows + 1] - offsets[rows]
    shifts = offsets[rows] - (np.cumsum(lengths) - lengths)
    return np.repeat(rows, lengths), np.arange(lengths.sum()) + np.repeat(shifts, lengths)


def levels(
    offsets: np.ndarray,
    neighbors: np.ndarray,
    sources: list[int],
    limit: float | None = None,
    every_parent: bool = False,
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Breadth-first search in NetworkX's order: the vertices of each level after the sources, and
    the parent of each.

    Args:
        offsets, neighbors: as in `Adjacency`.
        limit: the last level.
        every_parent: a vertex comes once for each of its neighbors in the level before.
    """
    count = len(offsets) - 1
    seen = np.zeros(count, bool)
    first = np.zeros(count, np.int64)
    frontier = np.array(sources, np.int64)
    seen[frontier] = True
    level = 0
    while len(frontier) and (limit is None or level < limit):
        level += 1
        if (offsets[frontier + 1] - offsets[frontier]).sum() < FEW:
            pairs = [
                (vertex, parent)
                for parent in frontier.tolist()
                for vertex in neighbors[offsets[parent] : offsets[parent + 1]].tolist()
                if not seen[vertex]
            ]
            if not pairs:
                return
            vertices, parents = np.array(pairs, np.int64).T
        else:
            parents, places = arcs_of_rows(offsets, frontier)
            vertices = neighbors[places]
            new = ~seen[vertices]
            vertices, parents = vertices[new], parents[new]
        first[vertices[::-1]] = np.arange(len(vertices))[::-1]  # the first one stays
        once = first[vertices] == np.arange(len(vertices))
        frontier = vertices[once]
        seen[frontier] = True
        if len(frontier):
            yield (vertices, parents) if every_parent else (frontier, parents[once])


def tight_arcs(
    offsets: np.ndarray, neighbors: np.ndarray, weights: np.ndarray, distance: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The arcs that are as long as the distance between their ends: both ends, and their places in
    `neighbors`. They lie in rows."""
    tail, places = arcs_of_rows(offsets, np.flatnonzero(np.isfinite(distance)))
    head = neighbors[places]
    tight = distance[tail] + weights[places] == distance[head]
    return tail[tight], head[tight], places[tight]


class Tree:
    """The vertices with a finite distance, in the order in which Dijkstra's algorithm settles them.

    A vertex is pushed when the first of its parents is settled, and of those at one distance the
    first that was pushed is settled first. Which one that is depends on the order of others at the
    same distance, or nearer: a first order is corrected until it no longer changes.

    Args:
        offsets, neighbors: as in `Adjacency`.
        weights: float64 (N,), of each of the neighbors.
        distance: float64 (V,), infinite where there is no path.
        sources: whose distance is 0, in the order in which they are pushed.

    Attributes:
        order: int64, the vertices as they are settled.
        parent: int64 (V,), the first parent; -1 at the sources and where there is no path.

    Raises:
        NotImplementedError: the order is not found in a hundred rounds.
    """

    def __init__(
        self,
        offsets: np.ndarray,
        neighbors: np.ndarray,
        weights: np.ndarray,
        distance: np.ndarray,
        sources: list[int],
    ):
        count = len(distance)
        reached = np.flatnonzero(np.isfinite(distance))
        self.tail, self.head, place = tight_arcs(offsets, neighbors, weights, distance)
        is_source = np.zeros(count, bool)
        is_source[sources] = True
        enters = ~is_source[self.head] & (self.tail != self.head)
        tails, heads, place = self.tail[enters], self.head[enters], place[enters]
        self.rank = np.full(count, count, np.int64)  # of those not known yet
        self.rank[sources] = np.arange(len(sources))
        self.parent = np.full(count, -1, np.int64)
        for _ in range(ROUNDS):
            # the parent that is settled first, and the place of the arc in its row
            by_head = np.lexsort((place, self.rank[tails], heads))
            firsts = by_head[np.flatnonzero(np.diff(heads[by_head], prepend=-1))]
            self.parent[heads[firsts]] = tails[firsts]
            when = np.zeros((2, count), np.int64)
            when[0, heads[firsts]] = 1 + self.rank[tails[firsts]]
            when[1, heads[firsts]] = place[firsts]
            when[1, sources] = np.arange(len(sources))
            order = reached[np.lexsort((when[1, reached], when[0, reached], distance[reached]))]
            rank = np.full(count, count, np.int64)
            rank[order] = np.arange(len(order))
            if np.array_equal(rank, self.rank):
                self.order = order
                return
            self.rank = rank
        raise NotImplementedError("the order of vertices at one distance is too involved")

    def parents(self) -> tuple[np.ndarray, np.ndarray]:
        """Every vertex with each of its parents, by their order; also where a length of 0 leads
        back to a source, or a vertex to itself."""
        order = np.lexsort((self.rank[self.tail], self.rank[self.head]))
        return self.head[order], self.tail[order]
