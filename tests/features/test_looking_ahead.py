"""A work-group looks for the messages that change what a gather snippet keeps: each case is
computed once more in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from gascl import Engine, Graph, VertexProgram, param, vertex
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find
from gascl.run import plan

#: Arcs of a block, so that the hub's row has many windows.
BLOCK = 16
LEAVES = 700


def second_largest(x: Sequence[int]) -> int:
    return sorted({-1, -2, *x})[-2]


def three_largest(x: Sequence[int]) -> int:
    a, b, c = sorted([0, 0, 0, *x])[-3:]
    return a + 3 * b + 5 * c


def first_and_last_of_seven(x: Sequence[int]) -> int:
    places = [i for i, value in enumerate(x) if value % 7 == 3]
    return places[0] * 1000 + places[-1] if places else -1


def alternating(x: Sequence[int]) -> int:
    total = 0
    for i, value in enumerate(x):
        total += value if i % 2 else -value
    return total


def longest_ascent(x: Sequence[int]) -> int:
    longest = length = 0
    for i, value in enumerate(x):
        length = length + 1 if i and value > x[i - 1] else 1
        longest = max(longest, length)
    return longest


#: Gather snippets, and the same in Python.
SNIPPETS: dict[str, tuple[str, Callable[[Sequence[int]], int]]] = {
    "second largest": (
        """
        int best = -1, second = -2;
        for (int i = 0; i < num_messages; ++i) {
            const int x = messages[i];
            if (x > best) {
                second = best;
                best = x;
            } else if (x < best) {
                second = max(second, x);
            }
        }
        msg = second;
        """,
        second_largest,
    ),
    "three largest": (
        """
        int4 kept = (int4)(0, 0, 0, 0);
        for (uint i = 0; i < num_messages; i++) {
            const int x = messages[i];
            if (x > kept.x)
                kept = (int4)(x, kept.x, kept.y, 0);
            else if (x > kept.y)
                kept = (int4)(kept.x, x, kept.y, 0);
            else if (x > kept.z)
                kept.z = x;
        }
        msg = kept.z + 3 * kept.y + 5 * kept.x;
        """,
        three_largest,
    ),
    "places": (
        """
        int first = -1, last = -1;
        for (int i = 0; i < num_messages; ++i)
            if (messages[i] % 7 == 3) {
                if (first < 0) first = i;
                last = i;
            }
        msg = first < 0 ? -1 : first * 1000 + last;
        """,
        first_and_last_of_seven,
    ),
    "every message changes it": (
        """
        for (int i = 0; i < num_messages; ++i)
            msg += i % 2 ? messages[i] : -messages[i];
        """,
        alternating,
    ),
    "the message before counts": (
        """
        int longest = 0, length = 0, before = -1;
        for (int i = 0; i < num_messages; ++i) {
            for (int turn = 0; turn < 1; ++turn)
                length = messages[i] > before ? length + 1 : 1;
            before = messages[i];
            longest = max(longest, length);
        }
        msg = longest;
        """,
        longest_ascent,
    ),
    "a block before has a variable of that name": (
        """
        real best = 0;
        if (num_messages > 0) {
            int best = 3;
            best += 1;
        }
        for (int i = 0; i < num_messages; ++i)
            if (messages[i] * (real)0.25 > best)
                best = messages[i] * (real)0.25;
        msg = (int)(best * 100);
        """,
        lambda x: 25 * max(x),
    ),
    "a block of the loop has a variable of that name": (
        """
        int best;
        best = 0;
        for (int i = 0; i < num_messages; ++i) {
            if (messages[i] > best)
                best = messages[i];
            {
                int best = 3;
                best += messages[i] & 1;
            }
        }
        msg = best;
        """,
        max,
    ),
}


def values(order: str) -> np.ndarray:
    """int32 (1 + LEAVES,): of the hub and the leaves."""
    drawn = np.random.default_rng(3).integers(0, 500, 1 + LEAVES)
    sorts = {"drawn": drawn, "ascending": np.sort(drawn), "descending": -np.sort(-drawn)}
    return (np.full_like(drawn, 5) if order == "equal" else sorts[order]).astype(np.int32)


@pytest.mark.parametrize("name", SNIPPETS)
def test_hubs(name, monkeypatch):
    monkeypatch.setattr(plan, "BLOCK", BLOCK)
    text, expected = SNIPPETS[name]
    body = {
        "__module__": __name__,
        "supersteps": param.supersteps(1),
        "x": vertex.int32(),
        "found": vertex.int32(init="-9"),
        "message": "int32",
        "scatter_on": "all",
        "scatter": "send(v.x);",
        "gather": text,
        "apply": "v.found = msg;",
    }
    program = type("Keeps", (VertexProgram,), body)()
    leaves = np.arange(1, 1 + LEAVES)
    # The hub hears all leaves; leaf 1 the first thirty, leaf 2 those and itself.
    few = np.arange(1, 31)
    src = np.concatenate([leaves, few, few, [2]])
    dst = np.concatenate([0 * leaves, 0 * few + 1, 0 * few + 2, [2]])
    graph = Graph.from_edges(src, dst, num_vertices=1 + LEAVES)
    device = Device(find().cl, group=8)
    for order in ("drawn", "ascending", "descending", "equal"):
        x = values(order)
        engine = Engine(graph.with_vertex_fields(x=x), device=device)
        found = engine.run(program, delivery="outbox")["found"]
        assert found[0] == expected(x[1:].tolist()), order
        assert found[1] == expected(x[few].tolist()), order
        assert found[2] == expected(sorted_by_sender(x, [*few.tolist(), 2])), order
        assert (found[3:] == -9).all()


def sorted_by_sender(x: np.ndarray, senders: list[int]) -> list[int]:
    return x[np.sort(senders)].tolist()
