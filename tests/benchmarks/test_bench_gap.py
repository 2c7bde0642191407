"""What GAP's programs print is read, and compared with verified answers."""

from __future__ import annotations

import gap
import graphs
import numpy as np
import pytest
from peers import Inputs

from gascl import Graph

#: Printed by GAP's bfs, with -v -a and two of its trials left out.
SEARCHED = """Read Time:           0.00527
Graph has 65536 nodes and 909646 undirected edges for degree: 13
Source:                  1507
Trial Time:          0.00140
Verification:           PASS
Verification Time:   0.00378
Trial Time:          0.00098
BFS Tree has 46688 nodes and 1819264 edges
Verification:           {verdict}
Verification Time:   0.00378
Average Time:        0.00110
"""


@pytest.fixture
def inputs(tmp_path) -> Inputs:
    return Inputs(graphs.made("holes10", tmp_path))


def test_facts_are_compared(inputs):
    depth = np.where(np.arange(65536) < 46688, 1, -1)
    compare = gap.check("bfs", inputs, {"depth": depth})
    compare(gap.Found(SEARCHED.format(verdict="PASS")))
    with pytest.raises(AssertionError, match="GAP's own verification"):
        compare(gap.Found(SEARCHED.format(verdict="FAIL")))
    depth[0] = -1
    compare = gap.check("bfs", inputs, {"depth": depth})
    with pytest.raises(AssertionError, match="46688 instead of 46687"):
        compare(gap.Found(SEARCHED.format(verdict="PASS")))


def test_triangles_are_compared_with_the_sum(inputs):
    compare = gap.check("triangles", inputs, {"triangles": np.array([1, 1, 1])})
    compare(gap.Found("Trial Time: 0.1\n1 triangles\nAverage Time: 0.1\n"))
    with pytest.raises(AssertionError, match="2 instead of 1"):
        compare(gap.Found("Trial Time: 0.1\n2 triangles\nAverage Time: 0.1\n"))


def test_ranks(inputs):
    """On a ring all ranks are equal; the residual is 0, as GAP prints it."""
    ends = np.arange(8)
    around = np.sort((np.stack([ends - 1, ends + 1], axis=1)) % 8, axis=1).ravel()
    ring = graphs.Edges("ring", 2 * np.arange(9), around.astype(np.int32), np.ones(16), False)
    compare = gap.check("pagerank", Inputs(ring), {})
    printed = "".join(f"{v}:{{rank}}\n" for v in range(5)) + "Total Error: {residual}\n"
    compare(gap.Found(printed.format(rank=0.125, residual="0.00000")))
    with pytest.raises(AssertionError, match="residual"):
        compare(gap.Found(printed.format(rank=0.125, residual="0.10000")))
    with pytest.raises(AssertionError, match="highest ranks"):
        compare(gap.Found(printed.format(rank=0.25, residual="0.00000")))


def test_graphs_are_written_for_it(tmp_path, inputs):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "bfs.cc").touch()
    (tmp_path / "Makefile").write_text(f"{' '.join(gap.BUILT)}:\n\t@touch $@\n")
    suite = gap.Gap(tmp_path, tmp_path / "cache")
    assert (tmp_path / "pr_spmv").exists()  # it built them
    suite.take(inputs.edges)
    for suffix in (".sg", ".wsg"):
        graph = Graph.read(tmp_path / "cache" / f"gap-holes10{suffix}")
        src, dst, weight = inputs.edges.listed()
        assert not graph.directed
        assert (graph.edge_src == src).all() and (graph.edge_dst == dst).all()
        if suffix == ".wsg":
            assert (graph.edge_fields["weight"] == weight).all()
