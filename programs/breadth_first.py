"""Breadth-first search: in each round, the vertices that were just reached reach their neighbours.

Algorithm: level by level. Each vertex of the frontier sends its id along its arcs; a vertex that
had not been reached takes one of them for its parent and is in the next frontier. Whether a round
pushes from the frontier or pulls at the other vertices is the choice of the delivery. A pull reads
all of a vertex's in-arcs: it neither stops at the first parent nor skips the vertices already
reached.

Source: Beamer, Asanović and Patterson, Direction-Optimizing Breadth-First Search (2012).

Differences: of several parents in one round the smallest id is taken, not whichever wrote last, so
that a run repeats; and a frontier vertex is known by its depth, so that with several sources at
once (`source=[...]`) a vertex that one of them reached does not send for the others.
"""

from gascl import VertexProgram, param, vertex


class BreadthFirst(VertexProgram):
    """The length in arcs of a shortest path from `source`, in `depth`, and the vertex before on it,
    in `parent`.

    Both are -1 where there is no path; `parent` is an index (see `Graph.label_of`), and -1 at the
    source.

    Args:
        hops: go no further than that; None: as far as there is a path.
    """

    source = param.vertex()
    hops = param.supersteps()
    depth = vertex.int32(init="v.id == p.source ? 0 : -1")
    parent = vertex.int32(init=-1)

    # A message is its sender. The depth need not travel: it is the number of the superstep. That
    # holds only from the source outwards, so that a changed graph needs a new search;
    # ShortestPaths, whose messages carry the distance, can go on from what it found before.
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
