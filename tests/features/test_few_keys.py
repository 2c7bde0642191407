"""Groups of a row that is longer than a block, by a work-group: with few keys, which are counted or
joined one key an item, and with many. Each case is computed once more in plain Python."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from gascl import Engine, Graph, VertexProgram, by_key, edge, param, struct, vertex
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find
from gascl.run import plan

#: Arcs of a block, and of the hub's row.
BLOCK, ARCS = 16, 300


class Counts(VertexProgram):
    """The hub reads how many of its neighbors have each key, by ascending keys."""

    supersteps = param.supersteps(1)
    k = vertex.int32()
    found = vertex.int32(init="-1")
    message, combine, gathered = "int32", by_key(), "int32"
    scatter_on = "all"
    scatter = "send(v.k);"
    gather = """
        for (int i = 0; i < num_groups; ++i)
            msg = (msg * 7 + (int)(groups[i].key % 1009) * groups[i].count) % 100003;
    """
    apply = "v.found = msg;"


class WideCounts(Counts):
    k = vertex.int64()
    message = "int64"


class Rarest(VertexProgram):
    """The hub takes the rarest key."""

    supersteps = param.supersteps(1)
    k = vertex.int32()
    found = vertex.int32(init="-1")
    message, combine = "int32", by_key()
    prefer = "-a.count"
    scatter_on = "all"
    scatter = "send(v.k);"
    apply = "v.found = msg.key % 1009 * 1000 + msg.count;"


class Heaviest(VertexProgram):
    """The hub takes the key whose weights have the largest sum."""

    Ballot = struct([("kind", "int32"), ("weight", "real")])
    supersteps = param.supersteps(1)
    k = vertex.int32()
    found = vertex.int32(init="-1")
    w = edge.real()
    message, combine = Ballot, by_key("kind", weight="sum")
    prefer = "a.weight > b.weight"
    scatter_on = "all"
    scatter = "send((Ballot){v.k, e.w});"
    apply = "v.found = msg.kind % 1009 * 1000 + (int)msg.weight;"


class Weights(Heaviest):
    """The hub reads the sums of all keys, by ascending keys."""

    gathered, prefer = "int32", None
    gather = """
        for (int i = 0; i < num_groups; ++i)
            msg = (msg * 7 + groups[i].kind % 1009 * (int)groups[i].weight + groups[i].count)
                  % 100003;
    """
    apply = "v.found = msg;"


def remainder(a: int, b: int) -> int:
    """As in C."""
    return int(math.fmod(a, b))


def keys() -> dict[str, np.ndarray]:
    """int64 (ARCS,): the keys of the messages."""
    rng = np.random.default_rng(1)
    return {
        "eight": rng.integers(0, 8, ARCS),
        "sixteen, of higher bits": rng.integers(0, 16, ARCS) * 4 + 3,
        "four, from 4 on": 4 + rng.integers(0, 4, ARCS),
        "two, from 8 on": 8 + rng.integers(0, 2, ARCS),
        "three, from 1,000 on": 1000 + rng.integers(0, 3, ARCS),
        "one": np.full(ARCS, 5),
        "two, one of them rare": (np.arange(ARCS) == 77) * 1,
        "of both signs": rng.integers(-4, 4, ARCS),
        "seventeen": rng.integers(0, 17, ARCS),
        "a hundred": rng.integers(0, 100, ARCS),
        "all different": rng.permutation(ARCS) * 7_000_001 - 2**30,
    }


@pytest.mark.parametrize("program", [Counts, WideCounts, Rarest, Heaviest, Weights])
def test_hubs(program, monkeypatch):
    monkeypatch.setattr(plan, "BLOCK", BLOCK)
    device = Device(find().cl, group=8)
    weights = np.random.default_rng(2).integers(1, 9, ARCS)
    leaves = np.arange(1, 1 + ARCS)
    plain = Graph.from_edges(leaves, 0 * leaves, w=weights.astype(np.float32))
    for name, drawn in keys().items():
        wide = program is WideCounts
        k = np.append(0, drawn << 30 if wide else drawn).astype(np.int64 if wide else np.int32)
        graph = plain.with_vertex_fields(k=k)
        found = int(Engine(graph, device=device).run(program(), delivery="outbox")["found"][0])
        counts, sums = Counter(k[1:].tolist()), Counter()
        for key, weight in zip(k[1:].tolist(), weights.tolist(), strict=True):
            sums[key] += weight
        expected = 0
        if program is Rarest:
            key = min(counts, key=lambda key: (counts[key], key))
            expected = remainder(key, 1009) * 1000 + counts[key]
        elif program is Heaviest:
            key = min(sums, key=lambda key: (-sums[key], key))
            expected = remainder(key, 1009) * 1000 + sums[key]
        else:
            for key in sorted(counts):
                term = remainder(key, 1009) * counts[key]
                if program is Weights:
                    term = remainder(key, 1009) * sums[key] + counts[key]
                expected = remainder(expected * 7 + term, 100003)
        assert found == expected, name
