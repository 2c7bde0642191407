"""Paths in time, on which no edge leaves before the previous one has arrived.

Algorithm: a vertex that is reached earlier than before sends, along each of its edges that leave
no earlier than that, when that edge arrives; a vertex receives only what is earlier than its
arrival, and takes the least. Whoever arrives earlier can take every edge that a later arrival
can, since waiting is allowed, so that the earliest arrivals are found as shortest distances are.

Sources: Cooke and Halsey, The Shortest Route through a Network with Time-Dependent Internodal
Transit Times (1966); Wu, Cheng, Huang, Ke, Lu and Xu, Path Problems in Temporal Graphs (2014),
whose earliest-arrival paths these are.

Differences: Wu et al. read the edges once, in the order of their times; here, vertices whose
arrival has become earlier send again, all at once.
"""

import numpy as np

from gascl import Graph, ProgramError, VertexProgram, edge, param, vertex
from gascl.run.times import count_of

#: The greatest int64: never; and a time that no edge has.
NEVER, UNSET = 2**63 - 1, 1 - 2**63


class EarliestArrival(VertexProgram):
    """The earliest time at which each vertex can be reached from `source`, in `arrival`; NaT, or
    2^63 - 1 where the graph's times are numbers, if it cannot.

    An edge leaves at its field `time`, and arrives at its field `until`, or else `duration` later,
    in the units of `time`; if the graph has neither, edges take no time. Edges without a time, and
    those that arrive before they leave, are not taken. Waiting is allowed.

    Args:
        source: where paths begin; a list is several searches at once.
        begin: the time from which edges may be taken: by default, that of the graph's first edge.
        end: the time until which paths must arrive.
    """

    source = param.vertex()
    begin = param.time("first")
    end = param.time("never")
    arrival = vertex.time(init=f"v.id == p.source ? p.begin : {NEVER}")
    time = edge.time()
    until = edge.time(default=UNSET, optional=True)
    duration = edge.int64(default=0, low=0, optional=True)

    def prepare(self, graph: Graph, initial: dict[str, np.ndarray]) -> None:
        """Refuses an end before the beginning, upon which no path could be."""
        named, params = {"begin": self.begin, "end": self.end}, self.spec.params
        for lane in range(self.lanes):
            one = {n: v[lane] if isinstance(v, tuple) else v for n, v in named.items()}
            begin, end = (count_of(self, graph, params[n], v) for n, v in one.items())
            if end < begin and one["begin"] != "first":
                raise ProgramError(
                    f"{self.title()}: end={one['end']!r} is before begin={one['begin']!r}: give "
                    "the earlier of the two as begin"
                )

    message = "int64"
    combine = "min"
    order = "any"
    mask = "v.id == p.source"
    receive_if = "msg < v.arrival && msg <= p.end"
    scatter = f"""
        long until = e.until;
        if (until == {UNSET} && e.duration <= LONG_MAX - max(e.time, 0L))
            until = e.time + e.duration;
        if (e.time >= v.arrival && until >= e.time)
            send(until);
    """
    apply = """
        v.arrival = msg;
        set_mask();
    """


class TemporalReachability(EarliestArrival):
    """Whether each vertex can be reached from `source` by a path in time, in `reached`, 0 or 1; and
    when at the earliest, in `arrival`, as EarliestArrival computes it.

    Args:
        source, begin, end: as in EarliestArrival.
    """

    reached = vertex.int32(init="v.id == p.source")
    apply = """
        v.arrival = msg;
        v.reached = 1;
        set_mask();
    """
