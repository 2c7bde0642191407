"""A maximum matching of a bipartite graph: as many edges as possible, of which no two have a vertex
in common; and a minimum vertex cover, as few vertices as possible that all edges have one of.

Algorithm: phases. In each, a forest grows from all unmatched vertices of side 0: along any edge to
side 1, where every vertex joins one tree, and from there along the edge of the matching back to
side 0. A tree that comes to an unmatched vertex has found an augmenting path, from its root to
there, and grows no further. Along the paths, edges that are in the matching are exchanged for those
that are not. If no tree finds a path, the matching is as large as it can be.

The forest of that last phase gives the cover: the vertices of side 0 that are not in it, and those
of side 1 that are. Each of them has an edge of the matching of its own, and since every cover needs
a vertex for each of those edges, none is smaller (Kőnig).

Sources: Berge, Two Theorems in Graph Theory (1957): augmenting paths; Hopcroft and Karp, An n^(5/2)
Algorithm for Maximum Matchings in Bipartite Graphs (1973); Azad, Buluç and Pothen, Computing
Maximum Cardinality Matchings in Parallel on Bipartite Graphs via Tree-Grafting (2016), the forest
with trees that stop; Kőnig, Gráfok és mátrixok (1931); Karp and Sipser, Maximum Matching in Sparse
Random Graphs (1981): vertices with few edges first.

Differences: trees are not grafted in the next phase, but grow again from their roots. A vertex
of side 1 joins the tree of the neighbor with the fewest edges, so that the first phase leaves
little to do, and no other heuristic has to begin the matching. The host follows the paths, all of
them at once.
"""

import numpy as np

from gascl import ProgramError, VertexProgram, aggregate, vertex
from gascl.programs.bipartition import Bipartition


class Forest(VertexProgram):
    """Trees from all unmatched vertices of side 0, until each has found an unmatched vertex."""

    side = vertex.int8()
    mate = vertex.vertex()
    parent = vertex.vertex(doc="of side 1: the vertex before")
    root = vertex.vertex(doc="of side 1: where its tree begins")
    end = vertex.vertex(doc="of a root: the unmatched vertex that its tree has found")

    message, combine, edges = "uint64", "min", "both"
    mask = "v.side == 0 && v.mate < 0"
    receive_if = "v.side ? v.parent < 0 : v.end < 0"
    # The fewest edges, and then the first vertex.
    scatter = "send((ulong)num_neighbors << 32 | v.id);"
    apply = """
        const int from = (int)(uint)msg;
        if (v.side == 0) {
            v.end = from;
            return;
        }
        v.parent = from;
        v.root = mate_of(from) < 0 ? from : root_of(mate_of(from));
        if (end_of(v.root) >= 0)
            return;
        if (v.mate < 0)
            send_to(v.root, v.id);
        else
            set_mask_of(v.mate);
    """


class BipartiteMatching(VertexProgram):
    """A maximum matching of a bipartite graph: the vertex that each one is matched with, in `mate`,
    or -1; and 1 in `cover` (int8) for the vertices of a minimum vertex cover. Both vertices of a
    pair have each other as `mate`. The number of pairs, `matches`, is also that of the vertices in
    the cover.

    Edges run both ways; parallel ones change nothing. A graph with a cycle of odd length, such as a
    self-loop, is refused.
    """

    mate = vertex.vertex()
    cover = vertex.int8()
    matches = aggregate.int64(doc="the number of pairs")

    def solve(self, stages):
        graph = stages.graph
        stages.state = None
        side = stages.run(Bipartition()).side
        refuse_odd(graph, side)
        mate = np.full(graph.num_vertices, -1, np.int32)
        forest = stages.run(Forest(side=side, mate=mate), fresh=True)
        while (ends := forest.end[forest.end >= 0]).size:
            augment(mate, forest.parent, ends)
            forest = stages.run(Forest(mate=mate), fresh=["parent", "root", "end"])
        joined = forest.parent >= 0  # of side 1
        cover = np.where(side == 1, joined, (mate >= 0) & ~joined[mate])
        return {"mate": mate, "cover": cover, "matches": int(np.count_nonzero(mate >= 0)) // 2}


def refuse_odd(graph, side):
    """Raise ProgramError if any vertex has no side."""
    odd = np.flatnonzero(side < 0)
    if len(odd):
        raise ProgramError(
            f"the graph is not bipartite: vertex {graph.label_of(int(odd[0]))!r} is in a component "
            f"with a cycle of odd length ({len(odd):,} such vertices): remove edges that join two "
            "vertices of the same kind, or take graph.subgraph() of the vertices that Bipartition "
            "gives a side"
        )


def augment(mate, parent, ends):
    """Exchange the edges of the paths that lead back from their `ends` to the roots."""
    while len(ends):
        before = parent[ends]
        further = mate[before]
        mate[before], mate[ends] = ends, before
        ends = further[further >= 0]
