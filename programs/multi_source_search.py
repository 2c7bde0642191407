"""Breadth-first searches from many sources at once, which Closeness, HarmonicCloseness,
Eccentricity and Neighborhoods are made of.

Every vertex has a bit for each source that says whether that source has reached it: 64 sources in a
word, and several words, a lane each, at once. In superstep k all bits travel one arc further; those
that are new at a vertex belong to sources at distance k + 1, and it is enough to count them. A
vertex that all sources of a word have reached asks no neighbor any more.

Source: Then, Kaufmann, Chirigati et al., The More the Merrier: Efficient Multi-Source Graph
Traversal (2014).

Differences: a vertex sends all its bits, not only its new ones; the others change nothing.
"""

from typing import Any

import numpy as np

from gascl import VertexProgram, param, vertex
from gascl.programs.source_params import how_many

#: Sources of one lane, and the largest number of lanes.
WORD, LANES = 64, 8


def lanes_for(words, most=LANES):
    """How many words of sources there are at once. It is a power of two, since kernels are built
    for each number of lanes."""
    return min(most, 1 << max(words - 1, 0).bit_length())


class MultiSourceSearch(VertexProgram):
    """Sums over 64 sources, those numbered from `first` on; they are added to what is there."""

    first = param.int32()
    all = param.uint64(doc="a bit for each of the sources")
    supersteps = param.supersteps()
    place = vertex.int32(doc="the vertex's number among the sources, or -1")
    seen = vertex.uint64(init="(uint)(v.place - p.first) < 64 ? 1ul << (v.place - p.first) : 0")
    reached = vertex.int32(doc="how many other sources have a path to the vertex")
    distances = vertex.int64(doc="the sum of their distances")
    inverses = vertex.real(doc="the sum of 1 / distance")

    message, combine = "uint64", "or"
    receive_if = "v.seen != p.all"
    enough = "(msg | v.seen) == p.all"
    mask = "v.seen != 0"
    scatter = "send(v.seen);"
    apply = """
        const ulong fresh = msg & ~v.seen;
        if (fresh) {
            const int count = (int)popcount(fresh);
            v.seen |= fresh;
            v.reached += count;
            v.distances += (superstep + 1L) * count;
            v.inverses += (real)count / (superstep + 1);
            set_mask();
        }
    """

    @classmethod
    def largest_runs_from(cls, wanted, size):
        """What `largest_runs` returns where `from_each` searches from the `wanted` sources."""
        return lanes_for(-(-how_many(wanted, size) // WORD)), size

    @classmethod
    def from_each(cls, stages, sources, names, **values):
        """Search from all sources, given by their indices, up to 512 at once; the sums over all of
        them, of the fields with these names; of `farthest`, the maximum."""
        over = {name: np.maximum if name == "farthest" else np.add for name in names}

        def searches(stages, words):
            sources = np.concatenate(words)
            place = np.full(stages.graph.num_vertices, -1, np.int32)
            place[sources] = np.arange(len(sources))
            lanes = lanes_for(len(words))
            given: dict[str, Any] = {"place": place}
            for begin in range(0, len(sources), WORD * lanes):
                first = [begin + WORD * lane for lane in range(lanes)]
                bits = [(1 << min(max(len(sources) - f, 0), WORD)) - 1 for f in first]
                program = cls(first=first, all=bits, **values, **given)
                stages.run(program, fresh=["seen"])
                given = {}  # it is there from now on
            return {
                name: stages.state.lane_sums(name)
                if each is np.add
                else stages.state.field(name).reshape(len(place), -1).max(axis=1)
                for name, each in over.items()
            }

        # A search takes as long from few sources as from a word of them.
        words = [sources[begin : begin + WORD] for begin in range(0, len(sources), WORD)]
        return stages.share(words, searches, by=over)
