"""The two sides of a bipartite graph: no edge joins vertices of the same side.

Algorithm: a breadth-first search from one vertex of each component; odd levels are one side. An
edge between vertices of one side then closes a cycle of odd length, and the component has no sides.

Source: Kőnig, Gráfok és alkalmazásuk a determinánsok és a halmazok elméletére (1916): a graph is
bipartite if and only if it has no cycle of odd length.
"""

import numpy as np

from gascl import VertexProgram, vertex
from gascl.programs.connected_components import ConnectedComponents


class Levels(VertexProgram):
    """The distance from the first vertex of the component."""

    component = vertex.vertex()
    depth = vertex.int32(init="v.component == v.id ? 0 : -1")

    message, combine, edges = "int32", "first", "both"
    mask = "v.depth == 0"
    receive_if = "v.depth < 0"
    scatter = "send(v.id);"
    apply = """
        v.depth = superstep + 1;
        set_mask();
    """

    def in_any_order(self):
        return LevelsInAnyOrder(**self.initial)


class LevelsInAnyOrder(Levels):
    """The same by messages that carry it: see BreadthFirstByDepth in breadth_first.py."""

    message, combine, order = "uint32", "min", "any"
    receive_if = "msg < (uint)v.depth"
    priority, delta = "v.depth", 256.0
    scatter = "send(v.depth + 1);"
    apply = """
        v.depth = msg;
        set_mask();
    """


class Bipartition(VertexProgram):
    """The side, 0 or 1, of each vertex, in `side` (int8), which no edge has both ends on; -1 in
    components where there is none.

    The first vertex of a component is on side 0. Edges run both ways; a self-loop is a cycle of
    odd length.
    """

    side = vertex.int8()

    def solve(self, stages):
        graph = stages.graph
        stages.state = None
        component = stages.run(ConnectedComponents()).component
        side = stages.run(Levels(component=component), fresh=True).depth % 2
        alike = side[graph.edge_src] == side[graph.edge_dst]
        odd = np.zeros(graph.num_vertices, bool)
        odd[component[graph.edge_src[alike]]] = True
        return {"side": np.where(odd[component], -1, side)}
