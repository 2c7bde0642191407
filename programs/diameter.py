"""Diameters and radii: the largest and the smallest eccentricity in a connected component. That of
a vertex is the distance of the vertex farthest away from it.

Algorithm: a few searches bound all eccentricities. One from v, which finds v's own, e(v), tells of
each vertex w at the distance d that

    max(d, e(v) - d) <= e(w) <= e(v) + d

Only a vertex with an upper bound above the largest lower one can raise the diameter, and only one
with a lower bound below the smallest upper one can lower the radius. Searches start alternately
from the one of these vertices with the largest upper bound and from the one with the smallest lower
bound. After a search that settles few vertices, 64 run at once, which finds the eccentricities of
their sources, but no bounds for other vertices.

Sources: Takes and Kosters, Determining the Diameter of Small World Networks (2011), and Computing
the Eccentricity Distribution of Large Graphs (2013), the bounds and the turns; Then et al., The
More the Merrier (2014), 64 searches at once, see multi_source_search.py.

Differences: a search runs in all components at once, from one vertex of each.
"""

import numpy as np

from gascl import ProgramError, VertexProgram, aggregate, vertex
from gascl.programs.breadth_first import BreadthFirst
from gascl.programs.connected_components import ConnectedComponents
from gascl.programs.multi_source_search import WORD, MultiSourceSearch

#: The first searches run one by one: what they tell narrows the bounds only together.
FIRST = 4


class SearchesAtOnce(MultiSourceSearch):
    """Searches from up to 64 sources, which of them reach new vertices in each superstep."""

    reaching = aggregate.uint64("a | b", identity="0", doc="a bit for each of the sources")

    apply = f"""
        if (msg & ~v.seen)
            aggregate_reaching(msg & ~v.seen);
        {MultiSourceSearch.apply}
    """


class Diameter(VertexProgram):
    """The largest and the smallest eccentricity of all vertices in the vertex's component, in
    `diameter` and `radius` (int32); and from how many vertices it searched, in `searches`, a number
    of the result.

    Parallel edges, self-loops and weights make no difference; a vertex without neighbors has 0 and
    0. Directed graphs are refused.
    """

    diameter = vertex.int32()
    radius = vertex.int32()
    searches = aggregate.int64()

    def prepare(self, graph, initial):
        if graph.directed:
            raise ProgramError(
                "Diameter: the graph is directed, and bounds hold where distances are the same "
                "there and back: take graph.simple(undirected=True), or of directed paths the "
                "largest and the smallest value of Eccentricity"
            )

    def solve(self, stages):
        graph, every = stages.graph, np.arange(stages.graph.num_vertices)
        component = stages.run(ConnectedComponents(), fresh=True).component
        group = (np.cumsum(component == every) - 1)[component]
        size = np.bincount(group)
        by_group, begin = np.argsort(group, kind="stable"), np.cumsum(size) - size

        def over(reduced, values):
            """The largest or smallest value of each vertex's component."""
            return reduced.reduceat(values[by_group], begin)[group]

        lower, upper = np.minimum(size - 1, 1)[group], (size - 1)[group]
        most = int(graph.degree.max())
        searches = singles = count = 0
        at_once = False
        while True:
            diameter, radius = over(np.maximum, lower), over(np.minimum, upper)
            unsettled = (upper > diameter) | (lower < radius)
            left = int(np.count_nonzero(unsettled))
            if not left:
                return {"diameter": diameter, "radius": radius, "searches": searches}
            at_once = singles >= FIRST and not at_once and bool(count - left < WORD)
            count = left
            # By turns, and of equal ones that with the most neighbors.
            wanted = upper if singles % 2 else len(every) - lower
            score = np.where(unsettled, wanted * (most + 1) + graph.degree, -1)
            if at_once:
                chosen = np.argsort(-score, kind="stable")[: min(left, WORD)]
                lower[chosen] = upper[chosen] = eccentricities(stages, chosen)
            else:
                chosen = np.flatnonzero(unsettled & (score == over(np.maximum, score)))
                chosen = chosen[np.unique(group[chosen], return_index=True)[1]]
                labels = (chosen if graph.labels is None else graph.labels[chosen]).tolist()
                depth = stages.run(BreadthFirst(sources=labels), fresh=True).depth
                farthest = over(np.maximum, depth)
                lower = np.maximum(lower, np.maximum(depth, farthest - depth))
                upper = np.where(depth < 0, upper, np.minimum(upper, farthest + depth))
                singles += 1
            searches += len(chosen)


def eccentricities(stages, sources):
    """int64 (n,): those of up to 64 vertices, by index, that have neighbors."""
    place = np.full(stages.graph.num_vertices, -1, np.int32)
    place[sources] = np.arange(len(sources))
    search = SearchesAtOnce(first=0, all=(1 << len(sources)) - 1, place=place)
    steps = stages.run(search, fresh=True).trace
    bits = np.array([step.aggregates["reaching"] for step in steps], np.uint64)
    reaching = bits[::-1, None] >> np.arange(len(sources), dtype=np.uint64) & np.uint64(1)
    return len(bits) - np.argmax(reaching, axis=0)
