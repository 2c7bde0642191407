"""Scores of pairs of vertices by their common neighbors: which pairs are likely to be joined next.

Algorithm: a work-item takes a pair, and visits its common neighbors.

Sources: Liben-Nowell and Kleinberg, The Link-Prediction Problem for Social Networks (2007); Adamic
and Adar, Friends and Neighbors on the Web (2003); Zhou, Lü and Zhang, Predicting Missing Links via
Local Information (2009), resource allocation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gascl import Engine, VertexProgram, param, vertex

#: The largest number of lanes.
LANES = 64


class Scores(VertexProgram):
    """A pair of vertices for each vertex and lane, which need not be one of them."""

    supersteps = param.supersteps(1)
    part = param.int32(0, doc="for lanes")
    one = vertex.int32(init=-1)
    other = vertex.int32()
    degree = vertex.int32(doc="a self-loop counts twice")
    shared = vertex.int32()
    united = vertex.int32()
    adamic_adar = vertex.real()
    resource_allocation = vertex.real()

    edges = "both"
    scatter_on = apply_on = "all"
    apply = """
        const int a = v.one, b = v.other;
        if (a < 0)
            return;
        for_common(w, a, b) {
            const real degree = degree_of(w);
            v.shared += 1;
            // Only where a vertex is paired with itself can this degree be 1.
            v.adamic_adar += degree > 1 ? 1 / log(degree) : INFINITY;
            v.resource_allocation += 1 / degree;
        }
        // By a self-loop, one of the two is a neighbor of itself, and perhaps of the other one.
        const int loops = has_edge(a, a) + has_edge(b, b);
        const int in_both = a == b ? loops / 2 : has_edge(a, b) ? loops : 0;
        v.united = common(a, a) + common(b, b) + loops - v.shared - in_both;
    """


def link_scores(engine: Engine, pairs: Any, dtype: str = "float32") -> dict[str, np.ndarray]:
    """Scores of pairs of vertices, as NetworkX has them.

    Edges run both ways; parallel ones make one neighbor, but count in degrees, where a self-loop
    counts twice. A vertex is no common neighbor of itself and another.

    Args:
        pairs: (one, other), two lists or arrays of labels.
        dtype: "float32" or "float64".

    Returns:
        Arrays with a value for each pair: `common` (int32), the number of common neighbors;
        `jaccard`, that as a share of all neighbors of the two, 0 if there are none; `adamic_adar`
        and `resource_allocation`, the sums of 1 / log(degree) and of 1 / degree of the common
        neighbors; `preferential_attachment` (int64), the product of the degrees.

    Raises:
        GraphError: there is no such vertex.
    """
    graph = engine.graph
    one, other = (graph.indices_of(labels) for labels in pairs)
    count = graph.num_vertices
    degree = np.diff(graph.arcs("both").out_offsets).astype(np.int32) + graph.loops
    names = ("shared", "united", "adamic_adar", "resource_allocation")
    # A power of two, since kernels are built for each number of lanes.
    lanes = min(LANES, 1 << max(0, (len(one) - 1) // max(count, 1)).bit_length())
    parts: dict[str, list[np.ndarray]] = {name: [] for name in names}
    for begin in range(0, len(one), count * lanes):
        places = np.full((2, count * lanes), -1, np.int32)
        chunk = slice(begin, begin + count * lanes)
        size = len(one[chunk])
        places[:, :size] = one[chunk], other[chunk]
        shape = (count, lanes) if lanes > 1 else (count,)
        values = {"one": places[0].reshape(shape), "other": places[1].reshape(shape)}
        program = Scores(part=list(range(lanes)), degree=degree, dtype=dtype, **values)
        result = engine.run(program)
        for name in names:
            parts[name].append(result[name].reshape(-1)[:size])
    empty = np.zeros(0, dtype)
    found = {name: np.concatenate(parts[name]) if parts[name] else empty for name in names}
    united = found.pop("united")
    found["common"] = found.pop("shared")
    found["jaccard"] = (found["common"] / np.maximum(united, 1)).astype(dtype)
    found["preferential_attachment"] = degree[one].astype(np.int64) * degree[other]
    return found
