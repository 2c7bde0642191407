"""Random walks, as node2vec takes them: a step prefers to return, to stay near, or to move on.

Algorithm: each walker draws one of the arcs that leave its vertex, and keeps it with a probability
that depends on where it leads (rejection sampling); after 64 rejected draws, it looks at all of
them. Without a preference the first draw counts.

Sources: Grover and Leskovec, node2vec: Scalable Feature Learning for Networks (2016); Yang, Zhang,
Chen, Ma, Bai and Jiang, KnightKing: A Fast Distributed Graph Random Walk Engine (2019), rejection
sampling for it.

Differences: arcs have no weights. The numbers are those of `uniform`, so that a walk depends on the
seed, its place among the walks and its vertices alone, and not on the device. An arc is drawn by 32
random bits: at a vertex of n arcs, the chances of arcs may differ by a share of n / 2^32.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gascl import Engine, ProgramError, VertexProgram, param, vertex

#: The largest number of lanes.
LANES = 64


class Walkers(VertexProgram):
    """A step of a walker for each vertex and lane, if there is one."""

    supersteps = param.supersteps(1)
    part = param.int32(0, doc="for lanes")
    seed = param.int32(0, low=0)
    back = param.real(1, doc="how much a walker prefers to return; 1: not at all")
    away = param.real(1, doc="and to move on to where it could not have gone before")
    walker = vertex.uint32(doc="its place among all walks")
    at = vertex.int32(init=-1)
    before = vertex.int32(init=-1)

    scatter_on = apply_on = "all"
    functions = """
        #define TRIES 64
        #define DRAWN uniform(p.seed, v.walker, superstep, draws++)
        #define PLACE(n) (int)mul_hi(bits(p.seed, v.walker, superstep, draws++), (uint)(n))
        #define WEIGHT(next) ((next) == v.before ? p.back : has_edge(v.before, next) ? 1 : p.away)

        // 32 random bits: `uniform` has 24 in float32, too few for the arcs of a hub.
        static uint bits(const int seed, const uint walker, const int step, const int draw) {
            const uint high = (uint)(uniform(seed, walker, step, draw, 0) * 65536);
            return high << 16 | (uint)(uniform(seed, walker, step, draw, 1) * 65536);
        }
    """
    apply = """
        const int n = v.at < 0 ? 0 : num_neighbors_of(v.at);
        if (!n) {
            v.at = -1;
            return;
        }
        const bool prefers = v.before >= 0 && (p.back != 1 || p.away != 1);
        int draws = 0, tries = 0;
        int next = neighbor_of(v.at, PLACE(n));
        while (prefers && tries < TRIES) {
            if (DRAWN * max((real)1, max(p.back, p.away)) < WEIGHT(next))
                break;
            next = neighbor_of(v.at, PLACE(n));
            ++tries;
        }
        if (tries == TRIES) {
            real left = 0;
            for (int i = 0; i < n; ++i)
                left += WEIGHT(neighbor_of(v.at, i));
            left *= DRAWN;
            int i = 0;
            for (; i < n - 1; ++i) {
                left -= WEIGHT(neighbor_of(v.at, i));
                if (left < 0)
                    break;
            }
            next = neighbor_of(v.at, i);
        }
        v.before = v.at;
        v.at = next;
    """


def random_walks(
    engine: Engine,
    starts: Any = None,
    length: int = 80,
    p: float = 1,
    q: float = 1,
    seed: int = 0,
) -> np.ndarray:
    """Random walks along arcs; of parallel ones, each may be taken.

    Args:
        starts: the label at which each walk begins; a label may be repeated. None: one walk from
            each vertex.
        length: the steps of a walk.
        p: a step back to where the walker came from is 1 / p times as likely as one to a vertex
            that it could have gone to instead of its last step.
        q: likewise, a step to a vertex that is neither.
        seed: other walks for another seed; the same ones on every device.

    Returns:
        int32 (number of walks, length + 1): the vertices of each walk, by index; -1 after a vertex
        that no arc leaves.

    Raises:
        GraphError: there is no such vertex.
        ProgramError: a length below 0, or p or q is not a finite number above 0.
    """
    if length < 0:
        raise ProgramError(f"random_walks: length={length}: give a number of steps, 0 or more")
    for name, value in (("p", p), ("q", q)):
        if not 0 < value < np.inf:
            raise ProgramError(f"random_walks: {name}={value}: give a finite number above 0")
    graph = engine.graph
    count = graph.num_vertices
    begin = np.arange(count) if starts is None else graph.indices_of(starts)
    walks = np.full((len(begin), length + 1), -1, np.int32)
    walks[:, 0] = begin
    # A power of two, since kernels are built for each number of lanes.
    lanes = min(LANES, 1 << max(0, (len(begin) - 1) // max(count, 1)).bit_length())
    shape = (count, lanes) if lanes > 1 else (count,)
    for first in range(0, len(begin) if length else 0, count * lanes):
        chunk = walks[first : first + count * lanes]
        at = np.full(count * lanes, -1, np.int32)
        at[: len(chunk)] = chunk[:, 0]
        walker = np.arange(first, first + count * lanes).astype(np.uint32)
        values: dict[str, Any] = {"at": at.reshape(shape), "walker": walker.reshape(shape)}
        values |= {"seed": seed, "back": 1 / p, "away": 1 / q, "part": list(range(lanes))}
        state = None
        for step in range(1, length + 1):
            result = engine.run(Walkers(**values), state=state, keep_state=True)
            chunk[:, step] = result["at"].reshape(-1)[: len(chunk)]
            state = result.state
            for name in ("at", "walker"):  # which the State has
                values.pop(name, None)
    return walks
