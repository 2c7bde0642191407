"""Breadth-first searches from many sources at once: which of them come to a vertex, and how far.

A bit for each source says that it has reached a vertex, 64 in a word and a word a lane; in a
superstep the bits of all go one arc further, and those that are new in a vertex are counted. Then,
Kaufmann, Chirigati et al., The More the Merrier: Efficient Multi-Source Graph Traversal (2014).
Closeness, HarmonicCloseness and Neighbourhoods are made of it.

Departure: a vertex sends all its bits, not only its new ones; the others change nothing.
"""

import numpy as np

from gascl import VertexProgram, param, vertex


class Spread(VertexProgram):
    """What the sources from the `first` on are to each vertex; adds to what those before were."""

    first = param.int32()
    supersteps = param.supersteps()
    place = vertex.int32(doc="among the sources, or -1")
    seen = vertex.uint64(init="(uint)(v.place - p.first) < 64 ? 1ul << (v.place - p.first) : 0")
    reached = vertex.int32(doc="by how many sources, without itself")
    far = vertex.int64(doc="sum of their distances")
    near = vertex.real(doc="sum of 1 / distance")

    message, combine = "uint64", "or"
    mask = "v.seen != 0"
    scatter = "send(v.seen);"
    apply = """
        const ulong fresh = msg & ~v.seen;
        if (fresh) {
            const int count = (int)popcount(fresh);
            v.seen |= fresh;
            v.reached += count;
            v.far += (superstep + 1L) * count;
            v.near += (real)count / (superstep + 1);
            set_mask();
        }
    """

    @classmethod
    def from_each(cls, turns, sources, **values):
        """Runs it from all sources, 512 at once; returns its fields by name, summed over lanes."""
        place = np.full(turns.graph.num_vertices, -1)
        place[turns.graph.indices_of(sources)] = np.arange(len(sources))
        lanes = 8 if len(sources) > 64 else 1
        for begin in range(0, len(sources), 64 * lanes):
            first = [begin + 64 * lane for lane in range(lanes)]
            given = {} if begin else {"place": place}
            program = cls(first=first, **given, **values)
            found = turns.run(program, fresh=["seen"] if begin else True)
        return {n: found[n].reshape(len(place), lanes).sum(1) for n in ("reached", "far", "near")}
