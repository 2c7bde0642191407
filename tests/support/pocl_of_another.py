"""Run as a script: gascl on a PoCL that takes the processor for another one.

    python pocl_of_another.py NAME CLASS PROGRAM

PoCL's compiler is first made to call the processor NAME, as it calls those that are newer than it.
CLASS is a processor of gascl.opencl.workarounds.pocl.PROCESSORS. The test sees no more of the real
processor than what CLASS has, and has put the library of built-in functions of CLASS in its place.
PROGRAM is `ranks`, what the demo runs, or `wide`: sums of messages of 16 numbers. Prints the
processor's new name, then the sum and the largest of the result's numbers.
"""

from __future__ import annotations

import sys

import numpy as np
import pyopencl as cl

from gascl import Engine, Graph, VertexProgram, param, vertex
from gascl.opencl.workarounds import pocl

name, class_, wanted = sys.argv[1:]
seen = pocl.flags() & set(" ".join(list(pocl.PROCESSORS.values())).split())
needed = set(pocl.PROCESSORS[class_].split())
pocl.flags = lambda: needed & seen  # type: ignore[assignment]

# The loader takes PoCL's own list of drivers for the same library, and its device for another one.
device = next(d for p in cl.get_platforms() if "PoCL" in p.version for d in p.get_devices())
with pocl.Memory() as memory:
    memory.put(device.int_ptr + pocl.PROCESSOR, pocl._lasting(name))


class Sums(VertexProgram):
    """Each vertex sums vectors of its neighbors up; real16 is float or double."""

    rounds = param.supersteps(default=3)
    x = vertex.real16(init="(real16)((real)(v.id + 1))")
    message, combine = "real16", "sum"
    scatter_on = "all"
    scatter = "send(v.x * (real)0.25);"
    apply = "v.x = msg;"


def ranks() -> np.ndarray:
    from gascl.programs import PageRank

    return Engine(Graph.dataset("debian-dependencies"), device).run(PageRank()).rank


def wide() -> np.ndarray:
    ring = Graph.from_edges(np.arange(40), np.roll(np.arange(40), 1), directed=False)
    found = [Engine(ring, device).run(Sums(dtype=t)).x.sum(axis=0) for t in ("float32", "float64")]
    return np.array(found)


result = {"ranks": ranks, "wide": wide}[wanted]()
with pocl.Memory() as memory:
    print(memory.text(memory.number(device.int_ptr + pocl.PROCESSOR)).decode())
print(repr(result.sum(dtype="float64").item()), repr(result.max().item()))
