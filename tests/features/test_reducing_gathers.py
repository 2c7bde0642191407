"""Gather snippets that only reduce integers, by every delivery, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from gascl import Engine, Graph, VertexProgram, param, vertex

LOOP = "for (int i = 0; i < num_messages; ++i) "
#: A snippet, the type of `msg`, and what it makes of an array of int64 messages.
SNIPPETS = {
    "sum": (f"msg = 0; {LOOP}msg += messages[i];", "int64", np.sum),
    "wrapping": (f"{LOOP}msg += 3 * messages[i];", "uint8", lambda x: (3 * x).sum() % 256),
    "xor": (f"{LOOP}msg ^= messages[i];", "int32", np.bitwise_xor.reduce),
    "bits": (f"msg = 9; {LOOP}msg |= messages[i];", "int32", lambda x: 9 | np.bitwise_or.reduce(x)),
    "and": (f"msg = -1; {LOOP}msg &= messages[i];", "int32", np.bitwise_and.reduce),
    "min": (f"msg = 40; {LOOP}msg = min(msg, messages[i]);", "int32", lambda x: min(40, x.min())),
    "max": (f"{LOOP}msg = max(msg, (long)messages[i] - 50);", "int64", lambda x: max(0, *x - 50)),
}


def program(name: str, all_apply: bool):
    gather, gathered, _ = SNIPPETS[name]
    body = {
        "__module__": __name__,
        "x": vertex.int32(init="(v.id * 37 + 11) % 101 - 20"),
        "heard": vertex.int64(init="-7"),
        "supersteps": param.supersteps(1),
        "message": "int32",
        "gathered": gathered,
        "scatter_on": "all",
        "apply_on": "all" if all_apply else "message",
        "scatter": "send(v.x);",
        "gather": gather,
        "apply": "v.heard = msg;",
    }
    return type("Reduces", (VertexProgram,), body)


def graph() -> Graph:
    """A hub, parallel arcs, loops, and vertices without incoming arcs."""
    rng = np.random.default_rng(4)
    src, dst = rng.integers(0, 60, (2, 150))
    src = np.concatenate([src, np.arange(60), [5, 5, 7]])
    dst = np.concatenate([dst // 2, np.full(60, 3), [5, 5, 1]])
    return Graph.from_edges(src, dst, num_vertices=70)


@pytest.mark.parametrize("name", SNIPPETS)
def test_deliveries(name, device):
    g = graph()
    engine = Engine(g, device)
    x = (np.arange(70) * 37 + 11) % 101 - 20
    for all_apply in (False, True):
        if all_apply and name in ("and", "min", "max"):
            continue  # read one by one there
        cls = program(name, all_apply)
        want = np.full(70, 0 if all_apply else -7)
        for v in range(70):
            heard = x[g.edge_src[g.edge_dst == v]]
            if len(heard):
                want[v] = SNIPPETS[name][2](heard)
        for delivery in ("outbox", "pull" if all_apply else "auto"):
            assert np.array_equal(engine.run(cls(), delivery=delivery).heard, want)


def test_debug_names_the_term_that_divides_by_zero():
    from gascl import ProgramError

    class Divides(VertexProgram):
        supersteps = param.supersteps(1)
        x = vertex.int32(init="v.id")
        message, scatter_on = "int32", "all"
        scatter = "send(6 / v.x);"
        gather = "for (int i = 0; i < num_messages; ++i) msg += messages[i];"
        apply = "v.x = msg;"

    with pytest.raises(ProgramError, match="vertex 0 divided"):
        Engine(Graph.from_edges([0, 1], [1, 2]), debug=True).run(Divides())
