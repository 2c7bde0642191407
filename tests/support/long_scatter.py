"""Run as a script: a scatter that no compiler inlines into each of its calls, in groups of 8.

Prints what the vertices of a star received in two lanes, a line for each lane.
"""

from __future__ import annotations

import numpy as np
from support.agreement import find_device

from gascl import Engine, Graph, VertexProgram, edge, param, vertex

STEPS = 60


class Long(VertexProgram):
    lanes = 2
    w = edge.int32()
    x = vertex.int32(init="v.id + 20 * lane")
    message, combine = "int32", "max"
    mask = "true"
    supersteps = param.supersteps(default=1)
    scatter = "int y = v.x + e.w;\n" + "y = (y * y + 7) % 10007;\n" * STEPS + "send(y);"
    apply = "v.x = msg;"


def star() -> Graph:
    """Around vertex 0, which gets 20 arcs."""
    around = np.arange(1, 21)
    return Graph.from_edges(around, 0 * around, directed=False, w=around % 7)


if __name__ == "__main__":
    engine = Engine(star(), find_device(8))
    for delivery in ("pull", "outbox"):
        print(engine.run(Long(), delivery=delivery).x.T.tolist())
