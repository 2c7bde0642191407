"""When a run in supersteps begins again in any order; and programs whose stages do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support.bundled import example, verifier_of
from support.samples import grid

from gascl import Engine, Graph
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find
from gascl.programs import BreadthFirst
from gascl.run import engine, long_run
from gascl.run.long_run import LONG_RUN, LongRun

#: Seconds of a superstep, and of what comes instead of it in any order, about as on an H200.
STEP, CHAIN = 19e-6, 3.6e-6


def decided(active: Callable[[int], float], levels: int, vertices: int) -> int | None:
    """After how many supersteps a run with these active vertices begins again; None: it ends."""
    base = vertices * (0.07 + 4 * 0.055) / 1e9
    run = LongRun(BreadthFirst(source=0), vertices, lambda steps: base + CHAIN * steps)
    done = 0
    while done < levels:
        many = min(run.due, levels) - done
        if done + many == levels:
            return None
        run.see(np.array([active(done + i) for i in range(many)], np.int64), STEP * (done + many))
        done += many
        if run.begins_again:
            return done
    return None


@pytest.mark.parametrize(
    ("active", "levels", "vertices", "expected"),
    [
        (lambda i: 1, 2**16, 2**16, LONG_RUN),  # a path
        (lambda i: i + 1, 6000, 9_000_000, LONG_RUN),  # from the corner of a grid
        (lambda i: 100 * i, 140, 990_000, None),  # most of the levels are behind it
        (lambda i: 1e6 - 5000 if i == 9 else 1, 5000, 1_000_000, 2 * LONG_RUN),  # then a long tail
        (lambda i: 5000, 2000, 10_000, LONG_RUN),  # vertices are active again and again
    ],
)
def test_decisions(active, levels, vertices, expected):
    assert decided(active, levels, vertices) == expected


@pytest.mark.skipif(not find().can_join, reason="work-groups cannot wait for each other")
@pytest.mark.parametrize("name", ["Bipartition", "Diameter", "StronglyConnected"])
def test_stages_that_begin_again(name, monkeypatch):
    monkeypatch.setattr(engine, "MANY_VERTICES", 0)
    monkeypatch.setattr(long_run, "MOST", 0)
    monkeypatch.setattr(Device, "kind", "GPU")
    graph = grid(90, 90)
    if name == "StronglyConnected":  # two lanes of each street, and some one-way ones
        ends = [graph.edge_src, graph.edge_dst]
        there = np.random.default_rng(34).random(graph.num_edges) < 0.9
        src, dst = (np.concatenate([a, b[there]]) for a, b in (ends, ends[::-1]))
        graph = Graph.from_edges(src, dst, num_vertices=graph.num_vertices)
    program = example(name)
    result = Engine(graph).run(program)
    assert "asynchronous" in result.delivery
    assert any("began again in any order" in note for note in result.trace.notes)
    verifier_of(name).verify(graph, result, program)
