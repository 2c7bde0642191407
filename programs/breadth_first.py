"""Breadth-first search: each round, the vertices that were just reached reach their neighbours.

Level by level, as Beamer, Asanović and Patterson write it (Direction-Optimizing Breadth-First
Search, 2012); whether a round goes out from the frontier or in from the vertices that wait is the
delivery's choice, not the program's.

Departures: of several parents in one round the smallest id is taken, not whichever wrote last, so
that a run repeats; and a frontier vertex says so by its own depth, so that with several sources at
once (`source=[...]`) a vertex that one of them reached does not speak for the others.
"""

from gascl import VertexProgram, param, vertex


class BreadthFirst(VertexProgram):
    """Arcs on a shortest way from `source`, in `depth`, and the vertex before on it, in `parent`.

    Both are -1 where there is no way; `parent` is an index (see `Graph.label_of`), and -1 at the
    source.

    Args:
        hops: go no further than that; None: as far as there is a way.
    """

    source = param.vertex()
    hops = param.supersteps()
    depth = vertex.int32(init="v.id == p.source ? 0 : -1")
    parent = vertex.int32(init=-1)

    # Who sent it. The depth need not travel: it is the number of the superstep. This holds only
    # from a source outwards, so that a changed graph needs a new search: ShortestPaths, whose
    # messages carry the distance, can go on.
    message, combine = "int32", "min"
    restart = "never"
    mask = "v.id == p.source"
    scatter = """
        if (v.depth == superstep)
            send(v.id);
    """
    apply = """
        if (v.depth < 0) {
            v.depth = superstep + 1;
            v.parent = msg;
            set_mask();
        }
    """
