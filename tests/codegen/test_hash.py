"""`hash(x)`: the same numbers everywhere, and no two alike."""

from __future__ import annotations

import numpy as np

from gascl import Engine, Graph, VertexProgram, aggregate, param, vertex


class Hashes(VertexProgram):
    """Wherever it may stand."""

    supersteps = param.supersteps(1)
    first = vertex.uint32(init="hash(v.id)")
    sent = vertex.uint32()
    own = vertex.uint32()
    seen = aggregate.uint32("a ^ hash(b)", identity="0")
    functions = "uint twice(const uint x) { return hash(hash(x)); }"
    message, combine = "uint32", "max"
    scatter_on = apply_on = "all"
    scatter = "send(hash(v.id + 1u));"
    apply = "v.sent = msg; v.own = twice(v.id);"
    stop = "hash(0) == 0"


def hashed(x) -> np.ndarray:
    """The last step of MurmurHash3."""
    x = np.asarray(x, np.uint32)
    x = (x ^ x >> 16) * np.uint32(0x85EBCA6B)
    x = (x ^ x >> 13) * np.uint32(0xC2B2AE35)
    return x ^ x >> 16


def test_everywhere():
    ids = np.arange(1000)
    result = Engine(Graph.from_edges(ids, (ids + 1) % 1000)).run(Hashes())
    assert np.array_equal(result.first, hashed(ids))
    assert np.array_equal(result.sent, hashed((ids - 1) % 1000 + 1))
    assert np.array_equal(result.own, hashed(hashed(ids)))
    assert len(set(result.first.tolist())) == 1000
    assert abs(result.first.mean() / 2**31 - 1) < 0.05
