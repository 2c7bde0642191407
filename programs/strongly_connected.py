"""Strongly connected components: sets of vertices that can all reach each other.

Algorithm: what a pivot reaches and is reached from is its component, the largest one as a rule if
the pivot has many arcs in and out. No other component has vertices both within and outside of what
the pivot reaches, which are the first two parts. Then come rounds of four stages, among the
vertices that have no component yet. All of them look only at arcs within a part, which later is
what one color covered.

1. Trim. A vertex without arcs in, or without arcs out, is a component by itself. Without it others
   may have none, either.
2. Color. Every vertex has a priority, and takes the highest of all vertices that reach it for its
   color. A component has one color.
3. Roots. The vertex whose priority a color is, is its root, and reaches all of that color, which
   is a part from now on.
4. Collect. What reaches the root within its part is its component. The rest is left for the next
   round.

Sources: Fleischer, Hendrickson and Pinar, On Identifying Strongly Connected Components in Parallel
(2000), from a pivot both ways; Slota, Rajamanickam and Madduri, BFS and Coloring-based Parallel
Algorithms for Strongly Connected Components (2014), one such pivot before the colors; Orzan, On
Distributed Verification and Verified Distribution (2004), colors; Barnat, Bauch, Brim and Češka,
Computing Strongly Connected Components in Parallel on CUDA (2011), trimming.

Differences: priorities are a hash of the vertex instead of its id, so that parts shrink fast
whatever the numbering.
"""

import numpy as np

from gascl import VertexProgram, param, vertex
from gascl.programs.connected_components import ConnectedComponents


class Stage(VertexProgram):
    """What the stages share: all that they find stays in these fields."""

    component = vertex.vertex(doc="the component's root; -1: none yet")
    part = vertex.uint32(doc="the color of the round before")
    color = vertex.uint32(init="PRIORITY")

    mask = "v.component < 0"
    functions = """
        #define PRIORITY hash(v.id)
        #define WITHIN_PART (part_of(e.dst) == v.part)
    """


class Reached(Stage):
    """What the pivot reaches is a part."""

    pivot = param.int32()
    part = vertex.uint32(init="v.id == p.pivot")

    message, combine = "int32", "first"
    receive_if = "v.part == 0"
    mask = "v.id == p.pivot"
    scatter = "send(v.id);"
    apply = """
        v.part = 1;
        set_mask();
    """

    def in_any_order(self):
        return ReachedInAnyOrder(pivot=self.pivot)


class ReachedInAnyOrder(Reached):
    """The same by messages of which any one is enough."""

    message, combine, order = "uint32", "max", "any"
    scatter = "send(1);"


class Reaching(Stage):
    """What reaches the pivot within its part is its component."""

    pivot = param.int32()

    message, combine, edges = "int32", "first", "in"
    receive_if = "v.part == 1 && v.component < 0"
    mask = "v.id == p.pivot"
    scatter = "send(v.id);"
    apply = """
        v.component = p.pivot;
        set_mask();
    """

    def in_any_order(self):
        return ReachingInAnyOrder(pivot=self.pivot, **self.initial)


class ReachingInAnyOrder(Reaching):
    """The same by messages of which any one is enough."""

    message, combine, order = "uint32", "max", "any"
    scatter = "send(1);"


class Trim(Stage):
    """Vertices without arcs in, or without arcs out, are components."""

    arcs = vertex.int2(doc="arcs in and out that are left: counted first, and then counted down")

    message, combine, identity = "int2", "a + b", "(int2)(0)"
    edges, apply_on = "both", "mask"
    receive_if = "v.component < 0"
    scatter = """
        const int2 arc = e.reversed ? (int2)(0, 1) : (int2)(1, 0);  // in, or out, at the other end
        if (WITHIN_PART)
            send(superstep == 0 ? arc : -arc);
    """
    apply = """
        if (v.component >= 0)
            return;
        v.arcs = superstep == 0 ? msg : v.arcs + msg;
        if (v.arcs.x == 0 || v.arcs.y == 0) {
            v.component = v.id;
            set_mask();
        }
    """


class Color(Stage):
    """Every vertex takes the highest priority of all that reach it."""

    message, combine, order = "uint32", "max", "any"
    receive_if = "v.component < 0 && msg > v.color"
    scatter = """
        if (WITHIN_PART)
            send(v.color);
    """
    apply = """
        v.color = msg;
        set_mask();
    """


class Roots(Stage):
    """Colors become parts, and their roots components; the mask is left to Collect."""

    supersteps = param.supersteps(1)

    scatter_on = apply_on = "all"
    apply = """
        if (v.component < 0) {
            v.part = v.color;
            if (v.color == PRIORITY) {
                v.component = v.id;
                set_mask();
            }
        }
    """


class Collect(Stage):
    """What reaches a root within its part is of its component."""

    message, combine, order, edges = "int32", "max", "any", "in"
    receive_if = "v.component < 0"
    scatter = """
        if (WITHIN_PART)
            send(v.component);
    """
    apply = """
        v.component = msg;
        set_mask();
    """


class StronglyConnected(VertexProgram):
    """The smallest vertex of each one's strong component, in `component`.

    Self-loops and parallel edges change nothing; undirected edges run both ways.
    """

    component = vertex.vertex()

    def solve(self, stages):
        graph = stages.graph
        stages.state = None  # from the beginning: another graph's components are not this one's
        if not graph.directed:
            return {"component": stages.run(ConnectedComponents()).component}
        pivot = int(np.argmax(graph.in_degree.astype(np.int64) * graph.out_degree))
        part = stages.run(Reached(pivot=pivot)).part
        stages.run(Reaching(pivot=pivot, part=part), fresh=True)
        while True:
            stages.run(Trim())
            colored = stages.run(Color(), fresh=["color"])
            if colored.supersteps == 0:
                break  # every vertex has a component
            stages.run(Roots())
            stages.run(Collect(), start="mask")
        return {"component": smallest_of_each(colored.component)}


def smallest_of_each(component):
    """int32 (V,): the smallest vertex with the same value, which is a vertex, too."""
    vertices = np.arange(len(component), dtype=np.int32)
    smallest = np.empty_like(vertices)
    smallest[component[::-1]] = vertices[::-1]  # the last one stays
    return smallest[component]
