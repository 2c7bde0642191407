"""The code of other libraries on the page "Coming from another library" computes what gascl's does.
tests/docs/test_pages.py runs the code of NetworkX and igraph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from blocks import TOP, blocks, run_page

from gascl import Engine, Graph

PAGE = TOP / "docs" / "coming-from.md"


@pytest.fixture
def page(tmp_path) -> dict[str, Any]:
    for package in ("igraph", "networkx", "pandas", "pyarrow"):
        pytest.importorskip(package)
    return run_page(PAGE, tmp_path)


def foreign(package: str) -> dict[str, Any]:
    """The names that the code of another library defines."""
    pytest.importorskip(package)
    (block,) = [b for b in blocks(PAGE) if b.language == "py" and package in b.text]
    names: dict[str, Any] = {}
    exec(compile(block.text, f"{PAGE.name}:{block.line}", "exec"), names)
    return names


def test_graphblas(page):
    theirs = foreign("graphblas")
    graph = Graph.from_edges(theirs["source"], theirs["target"], weight=theirs["weight"])
    distance = Engine(graph).run(page["Paths"](source=0)).distance
    assert theirs["d"].to_dense(fill_value=np.inf).tolist() == distance.tolist()


def test_pytorch_geometric(page):
    torch = pytest.importorskip("torch")
    layer = foreign("torch_geometric")["Mean"]()
    draw = np.random.default_rng(0)
    edge_index = torch.tensor(np.unique(draw.integers(0, 20, (2, 60)), axis=1))
    x = torch.tensor(draw.standard_normal((20, 4)), dtype=torch.float32)
    graph = Graph.from_edges(*edge_index, num_vertices=20)
    mean = Engine(graph).run(page["NeighborMean"](x=x)).x
    assert torch.allclose(torch.from_dlpack(mean), layer(x, edge_index), atol=1e-6)
