"""PageRank over weighted arcs: from u, an arc is followed with probability weight / strength(u).

    rank(v) = damping * (sum over arcs u -> v of rank(u) * weight(u -> v) / strength(u) + ...) + ...

where strength(u) is the sum of the weights of the arcs out of u. Everything else is as in
page_rank.py, of which this is a subclass: what is sent along an arc and which vertices are dangling
are all that differs.

It is a class of its own because a message of the unweighted one depends on its sender alone, and is
cheaper to deliver.

Differences: weights are given, as in NetworkX; Xing and Ghorbani, Weighted PageRank Algorithm
(2004), derive them from degrees.
"""

import numpy as np

from gascl import Graph, ProgramError, edge, vertex
from gascl.programs.page_rank import PageRank
from gascl.user_messages import DOUBLE, Message


class WeightedPageRank(PageRank):
    """PageRank of every vertex along the edge field `weight`, in `rank`.

    Parameters are those of PageRank. Weights are 0 or more; those of parallel edges add up; an edge
    of weight 0 is none, and a vertex with no other arcs out of it is dangling. A graph without the
    field gives every edge weight 1. `strength` is the sum of the weights of a vertex's out-arcs.
    """

    weight = edge.real(default=1, low=0, finite=True)
    strength = vertex.real()

    functions = "#define DANGLING (!v.strength)"
    scatter = "if (e.weight > 0) send(v.rank * (e.weight / v.strength));"

    def prepare(self, graph: Graph, initial: dict[str, np.ndarray]) -> None:
        if "weight" in graph.edge_fields:
            self.check_sums(graph)
            strength = graph.weighted_out_degree("weight", self.dtype)
        else:
            strength = graph.out_degree.astype(self.dtype)
        if self.lanes > 1:
            strength = np.repeat(strength[:, None], self.lanes, axis=1)
        initial["strength"] = strength
        super().prepare(graph, initial)

    def check_sums(self, graph: Graph) -> None:
        """Raises ProgramError where a vertex's weights add up to more than the dtype holds."""
        most = float(np.finfo(self.dtype).max)
        if graph.edge_summary("weight").total <= most:  # of all vertices together
            return
        strongest = graph.weighted_out_degree("weight").max(initial=0)
        if strongest > most:
            why = f"weights of one vertex's arcs add up to {strongest:.3g}"
            ways = Message(" or give ", DOUBLE) if self.dtype == "float32" else ""
            what = f": {why}, more than {self.dtype} holds: scale them all down"
            raise ProgramError(self.title(), what, ways)
