"""A minimum spanning forest: of each component, edges that join all its vertices, of the least sum
of weights.

Algorithm: at first every vertex is a tree. In each round, every tree takes its best edge to another
tree, which is in the forest; trees that are joined become one. There are no more than log V rounds.

A round has two stages. In the first, each vertex finds the best edge to another tree among its own.
In the second, the root of each tree finds the best of its vertices' edges, and points to the root
of the tree at its other end; of two roots that point to each other, the first stays a root. Each
vertex then follows the pointers to the root of its new tree, twice as far in each superstep.

Sources: Borůvka, O jistém problému minimálním (1926), in Nešetřil, Milková and Nešetřilová, Otakar
Borůvka on Minimum Spanning Tree Problem (2001); Shiloach and Vishkin, An O(log n) Parallel
Connectivity Algorithm (1982), pointers.

Differences: edges are compared by weight, ties by edge id, so that no two are equal, and the forest
is that of Kruskal's algorithm on edges sorted by weight.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from gascl import Graph, ProgramError, VertexProgram, aggregate, arc, edge, param, struct, vertex
from gascl.graph.lazy import LazyValues
from gascl.graph.parallel import blocks, in_threads
from gascl.programs.validation import refuse_edges

#: An edge to another tree: the lower its key, the better; that tree's root, or -1.
EDGE = struct([("key", "int64"), ("tree", "int32")])


class Best(VertexProgram):
    """Each vertex's best edge to another tree, in a graph that `ordered` has made."""

    Edge = EDGE
    supersteps = param.supersteps(1)
    place = edge.int32(default=0)
    tree = vertex.vertex(init="v.id", doc="the root of the vertex's tree")
    best = vertex.struct(Edge)

    message, edges = Edge, "both"
    combine, identity = "a.key <= b.key ? a : b", "(Edge){LONG_MAX, -1}"
    scatter_on = apply_on = "all"
    scatter = """
        if (tree_of(e.dst) != v.tree)
            send((Edge){e.place * 0x100000000L + e.id, v.tree});
    """
    apply = "v.best = msg;"


class Join(VertexProgram):
    """Joins each tree with that at the other end of its best edge, whose number, from 1 on, is in
    `chosen` at one of the tree's vertices; 0 elsewhere."""

    Edge = EDGE
    tree = vertex.vertex()
    best = vertex.struct(Edge)
    least = vertex.int64(doc="at a root: the least key of its tree")
    chosen = vertex.uint32()
    joined = aggregate.int64("sum")
    moved = aggregate.int64("sum")

    message, combine = "int64", "min"
    # No vertex scatters, and with a mask, one launch makes all supersteps.
    mask, apply_on, ends = "false", "all", "stop"
    apply = """
        if (superstep == 0) {
            if (v.best.tree >= 0)
                send_to(v.tree, v.best.key);
            v.chosen = 0;
        } else if (superstep == 1) {
            v.least = msg;
        } else if (superstep == 2) {
            if (v.best.tree >= 0 && v.best.key == least_of(v.tree)) {
                send_to(v.tree, v.best.tree);
                v.chosen = (uint)v.best.key + 1;
                aggregate_joined(1);
            }
        } else if (superstep == 3) {
            if (has_msg)
                v.tree = (int)msg;
        } else if (superstep == 4) {
            if (tree_of(v.tree) == v.id)
                v.tree = min(v.tree, v.id);
        } else {
            const int next = tree_of(v.tree);
            aggregate_moved(next != v.tree);
            v.tree = next;
        }
    """
    stop = "superstep == 2 ? agg.joined == 0 : superstep > 4 && agg.moved == 0"


class Named(VertexProgram):
    """The smallest vertex of each tree instead of its root."""

    supersteps = param.supersteps(3)
    tree = vertex.vertex()
    smallest = vertex.int32(doc="at a root: that vertex of its tree")

    message, combine = "int32", "min"
    mask, apply_on, ends = "false", "all", "stop"
    apply = """
        if (superstep == 0)
            send_to(v.tree, v.id);
        else if (superstep == 1)
            v.smallest = msg;
        else
            v.tree = smallest_of(v.tree);
    """


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
        most = np.iinfo(np.int32).max
        if stages.graph.num_edges > most:
            raise ProgramError(
                f"the graph has {stages.graph.num_edges:,} edges, and they are numbered in 32 "
                f"bits, up to {most:,}: take a smaller graph, such as graph.simple()"
            )
        graph = stages.derived(ordered, self.maximum)
        member = np.zeros(1 + graph.num_edges, np.int8)  # by numbers from 1 on
        fresh, marked = True, []
        with ThreadPoolExecutor(1) as other:  # works while the device does
            while True:
                stages.run(Best(), graph=graph, fresh=fresh)
                joining = stages.run(Join(), graph=graph)
                if joining.trace[-1].superstep == 2:  # no tree has an edge to another one
                    break
                marked.append(other.submit(mark, member, joining.chosen))
                fresh = False
            stages.run(Named(), graph=graph)
            for each in marked:
                each.result()
        members = AlongArcs(member[1:], graph)
        return {"member": members, "tree": stages.state.on_device("tree")}


class AlongArcs(LazyValues):
    """The value of each arc's edge. There are many arcs: it is only computed if it is read."""

    def __init__(self, of_edge: np.ndarray, graph: Graph):
        super().__init__()
        self.of_edge, self.graph, self.dtype = of_edge, graph, of_edge.dtype
        self.shape = (graph.num_arcs,)

    def read(self) -> np.ndarray:
        edges = self.graph.arcs().out_edges
        found = np.empty(len(edges), self.dtype)

        def of_block(block: slice) -> None:
            np.take(self.of_edge, edges[block], out=found[block], mode="clip")  # checks nothing

        in_threads(of_block, blocks(len(edges)))
        return found


def mark(member: np.ndarray, chosen: np.ndarray) -> None:
    """member[x] = 1 for each x in `chosen` that is not 0."""
    member[chosen[np.flatnonzero(chosen)]] = 1


def ordered(graph: Graph, maximum: bool) -> Graph:
    """The graph with the edge field `place` (int32), lower for better edges and equal for those of
    equal weight; without any, if there are no weights."""
    weights = graph.edge_fields.get("weight")
    if weights is None:
        return graph.with_edge_fields(**dict.fromkeys(graph.edge_fields))
    refuse_edges(graph, "weight", ~np.isnan(weights), "a number")
    if weights.itemsize > 4:
        order = np.unique(weights, return_inverse=True)[1]
    elif weights.dtype.kind == "f":  # whose bits are in the order of the numbers, up to the sign
        bits = (weights.astype(np.float32) + np.float32(0)).view(np.int32)  # -0 becomes 0
        order = bits ^ (bits >> 31 & 0x7FFFFFFF)
    else:
        order = weights.astype(np.int64) - (0 if weights.dtype.kind == "i" else 2**31)
    return graph.with_edge_fields(place=(~order if maximum else order).astype(np.int32))
