"""Strongly connected components: whole sets of vertices that can all reach each other.

While vertices have no component: trim those with no arcs in or none out, which are components of
their own, and so on. Flood: each vertex takes the highest of the priorities (random numbers) of all
that reach it; a component is in one flood as a whole. Collect: what reaches a flood's root, whose
priority it has, within the flood is the root's component. The rest of it is a part by itself.

Fleischer, Hendrickson and Pinar (2000) go both ways from a pivot in each part; Orzan (2004) floods
from many; Barnat et al. (2011) trim. Departure: priorities are a hash, so that parts shrink fast.
"""

import numpy as np

from gascl import VertexProgram, param, vertex

_WITHIN = "component_of(e.dst) < 0 && part_of(e.dst) == v.part"


class Part(VertexProgram):
    component = vertex.int32(init=-1, doc="its root, once that is known")
    part = vertex.uint32(doc="its last flood but one")
    flood = vertex.uint32(init="hash(v.id)")
    mask = "v.component < 0"


class Trim(Part):
    left = vertex.int2(doc="arcs in and out that are left: counted at first, then counted down")
    message, combine, identity = "int2", "a + b", "(int2)(0)"
    edges = "both"
    scatter = f"""
        if ({_WITHIN})
            send((superstep ? -1 : 1) * (e.reversed ? (int2)(0, 1) : (int2)(1, 0)));
    """
    apply = """
        v.left = superstep ? v.left + msg : msg;
        if (v.left.x == 0 || v.left.y == 0) { v.component = v.id; set_mask(); }
    """


class Flood(Part):
    message, combine = "uint32", "max"
    scatter = f"if ({_WITHIN}) send(v.flood);"
    apply = "if (msg > v.flood) { v.flood = msg; set_mask(); }"


class Roots(Part):
    supersteps = param.supersteps(1)
    scatter_on = apply_on = "all"
    apply = """
        if (v.component < 0) v.part = v.flood;
        if (v.component < 0 && v.flood == hash(v.id)) { v.component = v.id; set_mask(); }
    """


class Collect(Part):
    message, combine, edges = "int32", "max", "in"
    scatter = f"if ({_WITHIN}) send(v.component);"
    apply = "v.component = msg; set_mask();"


class StronglyConnected(VertexProgram):
    """The smallest vertex (an index, see `Graph.label_of`) of each one's strong component, in
    `component`. Self-loops and parallel edges change nothing; undirected edges run both ways.
    """

    component = vertex.int32()

    def solve(self, turns):
        turns.state = None  # another graph's components, or unfinished ones, are no beginning
        while True:
            if turns.graph.directed:  # else a vertex that has edges has them both ways
                turns.run(Trim())
            found = turns.run(Flood(), fresh=["flood"])
            if not found.supersteps:
                break  # nobody was left to take part
            turns.run(Roots())
            turns.run(Collect(), start="mask")
        _, first, which = np.unique(found.component, return_index=True, return_inverse=True)
        return {"component": first[which]}
