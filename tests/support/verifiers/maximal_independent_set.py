"""An independent set to which nothing can be added, by looking at every edge."""

from __future__ import annotations

import numpy as np

from gascl import Graph, Result
from gascl.programs import MaximalIndependentSet


def verify(graph: Graph, result: Result, program: MaximalIndependentSet) -> None:
    """Raises AssertionError at two members that are adjacent, or a vertex that could be one."""
    other = graph.edge_src != graph.edge_dst
    src, dst = graph.edge_src[other], graph.edge_dst[other]
    assert np.isin(result.member, (0, 1)).all(), "member is neither 0 nor 1"
    member = result.member == 1
    both = np.flatnonzero(member[src] & member[dst])
    if len(both):
        ends = (graph.label_of(int(x[both[0]])) for x in (src, dst))
        raise AssertionError("{!r} and {!r} are members and adjacent".format(*ends))
    covered = member.copy()
    covered[src[member[dst]]] = True
    covered[dst[member[src]]] = True
    if not covered.all():
        first = graph.label_of(int(np.argmin(covered)))
        raise AssertionError(f"{first!r} could be a member: none of its neighbors is")
