"""Breadth-first search: in each round, the vertices that were just reached reach their neighbors.

Algorithm: level by level. Each vertex of the frontier sends its id along its arcs; a vertex that
had not been reached takes the first of them for its parent and is in the next frontier. Whether a
round pushes from the frontier or pulls at the vertices not yet reached is the choice of the
delivery; a pull stops at the first parent.

Source: Beamer, Asanović and Patterson, Direction-Optimizing Breadth-First Search (2012).

Differences: of several parents in one round the smallest id is taken, not whichever wrote last, so
that a run repeats. Where a GPU has made many levels on a sparse graph, it begins again with
messages that carry depths, whose order does not matter: `BreadthFirstByDepth`.
"""

from typing import Any

import numpy as np

from gascl import Graph, ProgramError, VertexProgram, param, struct, vertex
from gascl.language.fields import is_lanes
from gascl.programs.source_params import begin_at_sources, with_source


class BreadthFirst(VertexProgram):
    """The length in arcs of a shortest path from `source`, in `depth`, and the vertex before on it,
    in `parent`.

    Both are -1 where there is no path; `parent` (see `Result.path`) also at a source.

    Args:
        source: where paths begin; a list is several searches at once.
        sources: a list, instead of `source`: one search from all of them together.
        hops: the largest depth; None: no limit.
    """

    source = param.vertex()
    sources = param.vertices()
    hops = param.supersteps()
    depth = vertex.int32(init="v.id == p.source ? 0 : -1")
    parent = vertex.vertex()

    # A message is its sender. The depth need not travel: it is the number of the superstep. That
    # holds only from the source outwards, so that a changed graph needs a new search;
    # ShortestPaths, whose messages carry the distance, can continue from its earlier result.
    message, combine = "vertex", "first"
    receive_if = "v.depth < 0"
    restart = "never"
    mask = "v.depth == 0"
    scatter = "send(v.id);"
    apply = """
        v.depth = superstep + 1;
        v.parent = msg;
        set_mask();
    """

    def __new__(cls, *positional: Any, source: Any = None, **values: Any) -> "BreadthFirst":
        """Several sources are several searches at once, which share a mask."""
        if not is_lanes(source) or len(source) < 2:
            return super().__new__(cls)
        if cls is BreadthFirst:
            return super().__new__(BreadthFirstLanes)
        if cls.scatter == BreadthFirst.scatter:
            raise ProgramError(
                f"{cls.__name__} inherits the scatter of BreadthFirst, which searches from one "
                f"source, not {len(source)}: a vertex would send for searches that have not "
                'reached it. Give it scatter = "if (v.depth == superstep) send(v.id);"'
            )
        return super().__new__(cls)

    def __init__(self, *positional: Any, **values: Any) -> None:
        super().__init__(*positional, **with_source(self, positional, values))

    def prepare(self, graph: Graph, initial: dict[str, np.ndarray]) -> None:
        begin_at_sources(self, graph, initial, "depth", -1)

    def in_any_order(self) -> VertexProgram | None:
        if self.hops is not None or self.initial:
            return None
        values = {"source": self.source, "sources": self.sources, "dtype": self.dtype}
        return BreadthFirstByDepth(**{n: value for n, value in values.items() if value is not None})


class BreadthFirstByDepth(VertexProgram):
    """The same fields in any order: on graphs with long paths, work-groups search for many levels
    before they meet."""

    source = param.vertex()
    sources = param.vertices()
    depth = vertex.int32(init="v.id == p.source ? 0 : -1")
    parent = vertex.vertex()

    # As an unsigned number, the depth of a vertex that is not reached is the largest.
    message = struct([("depth", "int32"), ("parent", "vertex")])
    combine = """
        (uint)a.depth < (uint)b.depth || (a.depth == b.depth && (uint)a.parent <= (uint)b.parent)
            ? a : b
    """
    identity = "(message){-1, -1}"
    order = "any"
    mask = "v.depth == 0"
    receive_if = """
        (uint)msg.depth < (uint)v.depth || (msg.depth == v.depth && msg.parent < v.parent)
    """
    priority, delta = "v.depth", 256.0
    scatter = "send((message){v.depth + 1, v.id});"
    apply = """
        if (msg.depth != v.depth)
            set_mask();
        v.depth = msg.depth;
        v.parent = msg.parent;
    """

    def prepare(self, graph: Graph, initial: dict[str, np.ndarray]) -> None:
        begin_at_sources(self, graph, initial, "depth", -1)


class BreadthFirstLanes(BreadthFirst):
    """Searches from several sources at once. A vertex is in the mask if any of them has just
    reached it, and does not send for the others."""

    scatter = """
        if (v.depth == superstep)
            send(v.id);
    """
