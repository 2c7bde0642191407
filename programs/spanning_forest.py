"""A minimum spanning forest: of each component, edges that join all its vertices, of the least sum
of weights.

Algorithm: at first every vertex is a tree. In each round, every tree takes its lightest edge to
another tree, which is in the forest; trees that are joined become one. There are no more than log V
rounds. Each vertex finds the lightest edge to another tree among its own, on the device; the least
of a tree, and which trees are joined, the host.

Sources: Borůvka, O jistém problému minimálním (1926), in Nešetřil, Milková and Nešetřilová, Otakar
Borůvka on Minimum Spanning Tree Problem (2001).

Differences: edges are compared by their rank among all by weight, ties by edge id, so that no two
are equal, and the forest is that of Kruskal's algorithm on edges sorted by weight.
"""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from gascl import ProgramError, VertexProgram, arc, edge, param, vertex
from gascl.programs.validation import refuse_edges

#: The rank of no edge.
NONE = np.iinfo(np.int32).max


class Lightest(VertexProgram):
    """The rank of each vertex's lightest edge to another tree."""

    supersteps = param.supersteps(1)
    tree = vertex.vertex()
    rank = edge.int32()
    lightest = vertex.int32(init="INT_MAX")

    message, combine, edges = "int32", "min", "both"
    scatter_on = "all"
    scatter = """
        if (tree_of(e.dst) != v.tree)
            send(e.rank);
    """
    apply = "v.lightest = msg;"


class SpanningForest(VertexProgram):
    """A minimum spanning forest by the edge field `weight`: 1 in the arc field `member` (int8) for
    the arcs of its edges, 0 for the others; and the smallest vertex of each tree, in `tree`.

    Args:
        maximum: one with the greatest sum of weights instead.

    Weights may be of either sign; of equal ones, the first edges are taken. Edges join both ways.
    A graph without the field has some forest.
    """

    maximum = param.flag(False)
    weight = edge.real(default=1)
    tree = vertex.vertex()
    member = arc.int8()

    def solve(self, stages):
        graph, count = stages.graph, stages.graph.num_vertices
        if graph.num_edges > NONE:
            raise ProgramError(
                f"the graph has {graph.num_edges:,} edges, and they are numbered in 32 bits, up to "
                f"{NONE:,}: take a smaller graph, such as graph.simple()"
            )
        by_rank = self.order(graph)
        rank = np.empty(graph.num_edges, np.int32)
        rank[by_rank] = np.arange(graph.num_edges, dtype=np.int32)
        ranked = graph.with_fields(rank=rank)
        tree, member = np.arange(count, dtype=np.int32), np.zeros(graph.num_edges, np.int8)
        while True:
            found = stages.run(Lightest(tree=tree), graph=ranked, fresh=True).lightest
            least = np.full(count, NONE, np.int32)
            np.minimum.at(least, tree, found)
            chosen = by_rank[np.unique(least[least < NONE])]
            if not len(chosen):
                return {"tree": tree, "member": member[graph.arcs().out_edges]}
            member[chosen] = 1
            ends = tree[graph.edge_src[chosen]], tree[graph.edge_dst[chosen]]
            joined = csr_array((np.ones(len(chosen), np.int8), ends), (count, count))
            _, part = connected_components(joined, directed=False)
            first = np.full(count, NONE, np.int32)
            np.minimum.at(first, part, np.arange(count, dtype=np.int32))
            tree = first[part[tree]]

    def order(self, graph):
        """(E,) the edges, the best first; of equal ones the first."""
        weights = graph.edge_fields.get("weight")
        if weights is None:
            return np.arange(graph.num_edges)
        refuse_edges(graph, "weight", ~np.isnan(weights), "a number")
        if not self.maximum:
            return np.argsort(weights, kind="stable")
        return len(weights) - 1 - np.argsort(weights[::-1], kind="stable")[::-1]
