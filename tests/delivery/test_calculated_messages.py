"""Messages that a CPU calculates several at a time, before it combines them."""

from itertools import pairwise

import numpy as np
import pytest

from gascl import Engine, Graph, VertexProgram, edge, param, vertex

#: Rows of no arc, of fewer than a CPU calculates at once, of as many, and of more.
LENGTHS = (0, 1, 3, 7, 8, 9, 15, 16, 17, 40, 64)


class Saturating(VertexProgram):
    """Adds up what arcs let through."""

    supersteps = param.supersteps(3)
    x = vertex.real(init="1 + v.id % 8")
    weight = edge.real()
    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(tanh(v.x * e.weight) + exp(-v.x));"
    apply = "v.x = 1 + v.id % 8 + msg / 8;"


class Chosen(Saturating):
    """Only some vertices receive."""

    receive_if = "v.id % 2"


class Greatest(Saturating):
    combine = "max"
    apply = "v.x = has_msg ? 1 + msg : 1;"


@pytest.mark.parametrize("delivery", ["pull", "outbox", "slots"])
@pytest.mark.parametrize("program", [Saturating, Chosen, Greatest])
def test_calculated_messages(program, delivery):
    rng = np.random.default_rng(5)
    vertices = 80
    dst = np.repeat(np.arange(len(LENGTHS)), LENGTHS)
    src = rng.integers(0, vertices, len(dst))
    weight = rng.random(len(dst), np.float32)
    graph = Graph.from_edges(src, dst, num_vertices=vertices, directed=True, weight=weight)
    result = Engine(graph).run(program(), delivery=delivery)
    ids = np.arange(vertices)
    rows = np.concatenate([[0], np.cumsum(LENGTHS)])
    hears = np.zeros(vertices, bool)
    hears[: len(LENGTHS)] = np.array(LENGTHS) > 0
    if program is Chosen:
        hears &= ids % 2 == 1
    x = 1.0 + ids % 8
    for _ in range(3):
        sent = np.tanh(x[src] * weight) + np.exp(-x[src])
        if program is Greatest:
            parts = [sent[a:b].max(initial=0) for a, b in pairwise(rows)]
            new = np.ones(vertices)
        else:
            parts = [sent[a:b].sum() / 8 for a, b in pairwise(rows)]
            new = 1.0 + ids % 8
        got = np.zeros(vertices)
        got[: len(parts)] = parts
        x = new + np.where(hears, got, 0)
    assert result.x == pytest.approx(x, rel=1e-5)
