"""Earliest arrivals by a search that settles the vertex with the earliest one first."""

from __future__ import annotations

import heapq

import numpy as np
from support.verifiers.compare import agree

from gascl import Graph, Result
from gascl.programs import EarliestArrival, TemporalReachability

NEVER = np.iinfo(np.int64).max


def arrivals(graph: Graph, source: int, begin: int, end: int) -> np.ndarray:
    """int64 (V,): earliest arrivals, by a search that settles the earliest vertex first."""
    count = graph.num_edges
    time = np.asarray(graph.edge_fields.get("time", np.zeros(count, np.int64))).tolist()
    span = np.asarray(graph.edge_fields.get("duration", np.zeros(count, np.int64))).tolist()
    if "until" in graph.edge_fields:
        ends = np.asarray(graph.edge_fields["until"]).tolist()
        span = [end - begin for end, begin in zip(ends, time, strict=True)]
    out: list[list[tuple[int, int, int]]] = [[] for _ in range(graph.num_vertices)]
    for number, (tail, head) in enumerate(
        zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True)
    ):
        out[tail].append((int(time[number]), int(span[number]), head))
        if not graph.directed:
            out[head].append((int(time[number]), int(span[number]), tail))
    found = [NEVER] * graph.num_vertices
    found[source] = begin
    heap = [(begin, source)]
    settled = set()
    while heap:
        now, vertex = heapq.heappop(heap)
        if vertex in settled:
            continue
        settled.add(vertex)
        for leaves, takes, head in out[vertex]:
            if (
                leaves >= now
                and takes >= 0
                and leaves + takes < found[head]
                and leaves + takes <= end
            ):
                found[head] = leaves + takes
                heapq.heappush(heap, (found[head], head))
    return np.array(found, np.int64)


def first(graph: Graph) -> int:
    """The least time of an edge; the least int64 is none."""
    times = np.asarray(graph.edge_fields["time"]).tolist()
    return min((int(t) for t in times if t != np.iinfo(np.int64).min), default=0)


def verify(graph: Graph, result: Result, program: EarliestArrival) -> None:
    """Raises AssertionError where an arrival, or whether a vertex is reached, is wrong."""
    source = graph.index_of(program.source)
    count = {"first": first(graph), "never": NEVER}
    begin, end = (count.get(limit, limit) for limit in (program.begin, program.end))
    if not isinstance(begin, int) or not isinstance(end, int):
        raise TypeError("begin and end must be numbers")
    expected = arrivals(graph, source, begin, end)
    found = result.arrival
    if found.dtype.kind == "M":
        found = np.where(np.isnat(found), NEVER, found.astype(np.int64))
    agree(graph, "arrival", found, expected)
    if isinstance(program, TemporalReachability):
        agree(graph, "reached", result.reached, (expected != NEVER).astype(np.int32))
