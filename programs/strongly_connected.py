"""Strongly connected components: sets of vertices that can all reach each other.

Algorithm: rounds of three stages, among the vertices that have no component yet. All of them look
only at arcs within a part: the parts are at first the whole graph, and later what one colour
covered.

1. Trim. A vertex without arcs in, or without arcs out, is a component by itself. Without it others
   may have none.
2. Colour. Every vertex has a priority, and takes the highest of all vertices that reach it for its
   colour. A component has one colour; the vertex whose priority a colour is, is its root.
3. Collect. What reaches a root within its colour is its component, since the root reaches all of
   that colour. The rest of the colour is a part of the next round.

Sources: Fleischer, Hendrickson and Pinar, On Identifying Strongly Connected Components in Parallel
(2000), from a pivot in each part both ways; Orzan, On Distributed Verification and Verified
Distribution (2004), colours; Barnat, Bauch, Brim and Češka, Computing Strongly Connected Components
in Parallel on CUDA (2011), trimming.

Differences: priorities are a hash of the vertex instead of its id, so that parts shrink fast
whatever the numbering.
"""

import numpy as np

from gascl import VertexProgram, vertex


class Stage(VertexProgram):
    """What the stages share."""

    component = vertex.int32(init=-1, doc="the component's root; -1: none yet")
    part = vertex.uint32(doc="the colour of the round before")
    functions = """
        #define PRIORITY hash(v.id)
        #define WITHIN_PART (component_of(e.dst) < 0 && part_of(e.dst) == v.part)
    """


class Trim(Stage):
    """Vertices without arcs in, or without arcs out, are components."""

    arcs = vertex.int2(doc="arcs in and out that are left: counted first, and then counted down")

    message, combine, identity = "int2", "a + b", "(int2)(0)"
    edges = "both"
    mask = "v.component < 0"
    scatter = """
        const int2 arc = e.reversed ? (int2)(0, 1) : (int2)(1, 0);  // in, or out, at the other end
        if (WITHIN_PART)
            send(superstep == 0 ? arc : -arc);
    """
    apply = """
        v.arcs = superstep == 0 ? msg : v.arcs + msg;
        if (v.arcs.x == 0 || v.arcs.y == 0) {
            v.component = v.id;
            set_mask();
        }
    """


class Colour(Stage):
    """Every vertex takes the highest priority of all that reach it."""

    colour = vertex.uint32()

    message, combine = "uint32", "max"
    init = "v.colour = PRIORITY;"
    mask = "v.component < 0"
    scatter = """
        if (WITHIN_PART)
            send(v.colour);
    """
    apply = """
        if (msg > v.colour) {
            v.colour = msg;
            set_mask();
        }
    """


class Collect(Stage):
    """Roots, and then what reaches them within their colour, are components."""

    colour = vertex.uint32()

    message, combine, edges = "int32", "max", "in"
    init = """
        if (v.component < 0) {
            v.part = v.colour;
            if (v.colour == PRIORITY) {
                v.component = v.id;
                set_mask();
            }
        }
    """
    scatter = """
        if (WITHIN_PART)
            send(v.component);
    """
    apply = """
        v.component = msg;
        set_mask();
    """


class StronglyConnected(VertexProgram):
    """The smallest vertex (an index, see `Graph.label_of`) of each one's strong component, in
    `component`. Self-loops and parallel edges change nothing; undirected edges run both ways.
    """

    component = vertex.int32()

    def solve(self, stages):
        stages.state = None  # from the beginning: another graph's components are not this one's
        while True:
            if stages.graph.directed:  # else a vertex that has edges has them both ways
                stages.run(Trim())
            coloured = stages.run(Colour())
            if coloured.supersteps == 0:
                break  # every vertex has a component
            stages.run(Collect())
        _, first, which = np.unique(coloured.component, return_index=True, return_inverse=True)
        return {"component": first[which]}
