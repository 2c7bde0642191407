"""The blocks of rows that share out the work."""

from __future__ import annotations

import numpy as np
import pytest

from gascl import Graph
from gascl.runtime.device import Device, find
from gascl.runtime.resident import ResidentGraph


@pytest.mark.parametrize(("group", "size"), [(1, 1024), (8, 16), (8, 1024), (256, 1024)])
@pytest.mark.parametrize("seed", range(10))
def test_row_blocks(group, size, seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 2000))
    degrees = (rng.pareto(1.0, rows) * rng.integers(1, 30)).astype(int) % 5000
    src = np.repeat(np.arange(rows), degrees)
    graph = Graph.from_edges(src, rng.integers(0, rows, len(src)), num_vertices=rows)
    resident = ResidentGraph(graph, Device(find().cl, group), "out", group, size)
    for name, degree in (("out_blocks", graph.out_degree), ("in_blocks", graph.in_degree)):
        blocks = resident.blocks(name)
        assert blocks[0] == 0
        assert blocks[-1] == rows
        assert (np.diff(blocks) > 0).all()
        assert len(blocks) - 1 <= resident.extent().blocks
        if group == 1:
            continue
        arcs = np.add.reduceat(degree, blocks[:-1])
        several = np.diff(blocks) > 1
        assert (arcs[several] <= size).all()  # what fits a group's local memory
        assert (np.diff(blocks) <= size).all()
