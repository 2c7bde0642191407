"""Core numbers by peeling: level by level, the vertices of least degree go, their arcs with them.

The core number of a vertex is the largest k such that it lies in a subgraph whose vertices all have
k neighbours or more in it (Seidman, Network Structure and Minimum Degree, 1983). Whoever has no
more arcs left than the level leaves, with the level for a core number; when nobody does any more,
the level rises to the least number of arcs that anyone has left. Matula and Beck (1983), Batagelj
and Zaveršnik (2003); all of a round at once, as Dasari, Desh and Zubair's ParK (2014).

Departures: the level jumps over numbers that nobody has. Iterated h-indices (Lü, Zhou, Zhang and
Stanley, 2016) need fewer supersteps, but took three times as long on R-MAT graphs.
"""

from gascl import VertexProgram, aggregate, vertex


class CoreNumber(VertexProgram):
    """The core number of each vertex, in `core` (int32), as NetworkX's `core_number` has it.

    A vertex's degree is that of arcs in and out, so that on a directed graph two arcs u -> v and
    v -> u count as two, and parallel edges as many; give `directed=False` and `duplicates="first"`
    to the graph for the core numbers of the simple graph beneath. Self-loops do not count. A vertex
    without edges has 0. -1 is a vertex that a run did not come to: see `max_supersteps`; a path
    needs half as many supersteps as it has vertices.
    """

    core = vertex.int32(init=-1)
    left = vertex.int32(doc="arcs to vertices that have not gone")
    leaves = vertex.int32(doc="the superstep in which it says so; 0: that it is there")
    level = aggregate.int32("min")

    message, combine = "int32", "sum"
    edges, apply_on = "both", "all"
    restart = "never"  # an arc more or less can change any core number
    scatter = """
        if (v.leaves == superstep && e.dst != v.id)
            send(1);
    """
    apply = """
        if (superstep == 0) {
            v.left = msg;
            aggregate_level(v.left);
        } else if (v.core < 0) {
            v.left -= msg;
            if (v.left <= prev.level) {
                v.core = prev.level;
                v.leaves = superstep + 1;
                set_mask();
                aggregate_level(prev.level);  // it stays while anyone leaves
            } else {
                aggregate_level(v.left);
            }
        }
        if (v.id == 0)
            set_mask();  // an empty mask would end the run, and nobody leaves where the level rises
    """
    stop = "agg.level == INT_MAX"  # of nobody: all have gone
