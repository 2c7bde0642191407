"""Gather snippets by the work-groups of GPUs: rows that fit in local memory, and longer ones."""

from __future__ import annotations

import numpy as np
import pytest

from gascl import Engine, Graph, VertexProgram, param, vertex
from gascl.run import plan

#: Of rows that fit.
BLOCK = 16
#: A snippet for messages, and what it finds.
SNIPPETS = {
    "squares": (
        "for (int i = 0; i < num_messages; ++i) msg += messages[i] * messages[i];",
        lambda heard: sum(x * x for x in heard),
    ),
    "from the second on": (
        "msg = messages[0]; for (uint i = 1; i < num_messages; i++) msg = max(msg, messages[i]);",
        max,
    ),
    "two loops": (
        """
        int most = 0;
        for (int i = 0; i < num_messages; ++i) {
            if (messages[i] < most)
                continue;
            most = messages[i];
        }
        for (int i = 0; i < num_messages; ++i)
            msg += most - messages[i];
        """,
        lambda heard: sum(max(heard) - x for x in heard),
    ),
    "until found": (
        """
        for (int i = 0; i < num_messages; ++i) {
            if (i == 2 * 16 + 3)
                break;
            ++msg;
        }
        for (int i = 3; i < num_messages; ++i) msg += 100;
        """,
        lambda heard: min(len(heard), 35) + 100 * max(len(heard) - 3, 0),
    ),
    "sorted in place": (
        """
        for (int i = 1; i < num_messages; ++i)
            for (int j = i; j > 0 && messages[j] < messages[j - 1]; --j) {
                const int smaller = messages[j];
                messages[j] = messages[j - 1];
                messages[j - 1] = smaller;
            }
        msg = messages[num_messages / 2];
        """,
        lambda heard: sorted(heard)[len(heard) // 2],
    ),
    "by a function": ("msg = largest(messages, num_messages);", max),
}
FUNCTIONS = """
    int largest(__global const int *x, const int n) {
        int most = 0;
        for (int i = 0; i < n; ++i)
            most = max(most, x[i]);
        return most;
    }
"""


def graph() -> Graph:
    """Two hubs whose rows are longer than a block, one of exactly a block, and one of one arc
    more; parallel arcs, a self-loop, short rows and vertices without arcs."""
    rng = np.random.default_rng(5)
    pairs = [(v, 4) for v in range(90) if v != 4] + [(v, 30) for v in range(40)]
    pairs += [(v, 91) for v in range(BLOCK)] + [(v, 92) for v in range(BLOCK + 1)]
    pairs += [*zip(*rng.integers(0, 90, (2, 120)).tolist(), strict=True), (8, 8), (3, 9), (3, 9)]
    src, dst = zip(*pairs, strict=True)
    return Graph.from_edges(src, dst, num_vertices=97)


@pytest.mark.parametrize("device", [8], indirect=True)
@pytest.mark.parametrize("lanes", [1, 3])
@pytest.mark.parametrize("name", SNIPPETS)
def test_snippets_read_all_messages(name, lanes, device, monkeypatch):
    monkeypatch.setattr(plan, "BLOCK", BLOCK)
    text, find = SNIPPETS[name]
    body = {
        "__module__": __name__,
        "x": vertex.int32(init="(v.id * 7 + lane) % 31"),
        "supersteps": param.supersteps(3),
        "lanes": lanes,
        "message": "int32",
        "scatter_on": "all",
        "apply_on": "all",
        "functions": FUNCTIONS,
        "receive_if": "v.x % 5 != 3",
        "scatter": "send(v.x);",
        "gather": text,
        "apply": "v.x = (msg + v.id + has_msg) % 1009;",
    }
    program = type("Reads", (VertexProgram,), body)()
    found = Engine(graph(), device).run(program, delivery="outbox")
    arcs = list(zip(*(ends.tolist() for ends in graph().coo()), strict=True))
    x = [[(v * 7 + lane) % 31 for v in range(97)] for lane in range(lanes)]
    for step in found.trace:
        messages = 0
        for lane in range(lanes):
            heard = [[x[lane][a] for a, b in arcs if b == v] for v in range(97)]
            taken = [h if x[lane][v] % 5 != 3 else [] for v, h in enumerate(heard)]
            messages += sum(map(len, taken))
            after = [((find(h) if h else 0) + v + bool(h)) % 1009 for v, h in enumerate(taken)]
            x[lane] = after
        assert step.messages == messages
    np.testing.assert_array_equal(np.reshape(found.x.T, (lanes, -1)), x)
