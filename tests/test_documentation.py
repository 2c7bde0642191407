"""The examples in docs/programs.md and docs/architecture.md run, and compute what they claim to."""

from __future__ import annotations

import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from support.samples import arcs_of, random_graph, to_networkx

from gascl import Engine, Graph
from gascl.delivery.table import DELIVERIES
from gascl.programs import PageRank, ShortestPaths

PAGE = Path(__file__).parents[1] / "docs" / "programs.md"


def examples() -> dict[str, str]:
    """The complete examples, by their first line; the others are only parts of programs."""
    text = PAGE.read_text()
    found = re.finditer(r"^```python\n(from .*?)^```$", text, re.MULTILINE | re.DOTALL)
    return {f"line {text[: m.start()].count(chr(10)) + 2}": m[1] for m in found}


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> dict:
    """The names that all examples define; each example is in a file of its own, like a user's."""
    defined: dict = {"__name__": "page"}
    for where, text in examples().items():
        file = tmp_path_factory.mktemp("page") / f"{where.replace(' ', '_')}.py"
        file.write_text(text)
        exec(compile(text, str(file), "exec"), defined)
    return defined


@pytest.fixture(params=[True, False], ids=["directed", "undirected"])
def graph(request) -> Graph:
    drawn = random_graph(3, directed=request.param, edges=80)
    return Graph.from_edges(
        drawn.edge_src,
        drawn.edge_dst,
        num_vertices=drawn.num_vertices,
        directed=drawn.directed,
        duplicates="first",
        self_loops="drop",
    )


def test_all_examples_are_found():
    assert len(examples()) == PAGE.read_text().count("```python\nfrom ") >= 8


def test_largest_label(page, graph):
    result = Engine(graph).run(page["LargestLabel"]())
    components = nx.connected_components(nx.Graph(to_networkx(graph)))
    expected = {v: max(c) for c in components for v in c}
    assert result.label.tolist() == [expected[v] for v in range(graph.num_vertices)]


def test_nearest(page, graph):
    marked = np.arange(graph.num_vertices) % 20 == 7
    result = Engine(graph).run(page["Nearest"](marked=marked.astype(int)))
    lengths = dict(nx.all_pairs_shortest_path_length(to_networkx(graph)))
    targets = np.flatnonzero(marked).tolist()
    for v, nearest in enumerate(result["nearest"].tolist()):
        reached = [(lengths[v][t], t) for t in targets if t in lengths[v]]
        assert nearest == min(reached, default=(np.inf, -1))


def test_median(page, graph):
    x = np.random.default_rng(0).random(graph.num_vertices).astype(np.float32)
    near: list[list[float]] = [[] for _ in x]
    for u, v in arcs_of(graph, "both"):
        near[v].append(x[u])
    expected = [sorted(n)[len(n) // 2] if n else own for n, own in zip(near, x, strict=True)]
    assert Engine(graph).run(page["Median"](x=x)).x.tolist() == expected


def test_group_sizes(page, graph):
    group = np.random.default_rng(0).integers(0, 9, graph.num_vertices)
    result = Engine(graph).run(page["GroupSizes"](group=group))
    assert result.size.tolist() == np.bincount(group)[group].tolist()


def test_shared(page, graph):
    if graph.directed:  # a pair of opposite edges is two arcs to each of them
        graph = Graph.from_edges(*np.triu(graph.to_scipy().toarray(), 1).nonzero(), num_vertices=64)
    triangles = nx.triangles(nx.Graph(to_networkx(graph)))
    result = Engine(graph).run(page["Shared"]())
    assert result.between.tolist() == [2 * triangles[v] for v in range(graph.num_vertices)]


def test_differences(page, graph):
    result = Engine(graph).run(page["Differences"]())
    x = np.arange(graph.num_vertices) % 4
    src, dst = np.array(arcs_of(graph)).T
    last_sent = np.zeros(len(src), int)
    total, messages = np.zeros_like(x), []
    for _ in range(5):
        new = last_sent != x[src]
        messages.append(np.count_nonzero(new))
        last_sent = x[src]
        total = np.bincount(dst, last_sent, minlength=len(x)).astype(int)
        x = np.where(np.isin(np.arange(len(x)), dst[new]), total % 4, x)
    assert sum(messages) > 0 and result.x.tolist() == x.tolist()
    assert result.total.tolist() == total.tolist()
    assert [step.messages for step in result.trace] == messages
    assert sorted(result.arc_fields["last_sent"].tolist()) == sorted(last_sent.tolist())


def test_spread(page, graph):
    """Against NumPy, with a matrix of all pairs."""
    start = np.random.default_rng(0).random((graph.num_vertices, 3))
    result = Engine(graph).run(page["Spread"](place=start, supersteps=4, dtype="float64"))
    src, dst = np.array(arcs_of(graph)).T
    place = start.copy()
    for _ in range(4):
        d = place[:, None] - place[None]
        far = np.linalg.norm(d, axis=2) + 1e-6
        force = (d * (np.exp(-far) / far)[:, :, None]).sum(1)
        np.add.at(force, dst, place[src] - place[dst])
        place += 0.01 * force
    np.testing.assert_allclose(result.place, place, rtol=1e-6)
    assert np.abs(place - start).max() > 0.01


def test_the_delivery_of_the_architecture_page(graph, monkeypatch):
    page = PAGE.with_name("architecture.md").read_text()
    kernels, entry = (
        re.search(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1]
        for language in ("c", "python")
    )
    defined = {"text": kernels}
    exec(compile(entry, "architecture.md", "exec"), defined)
    monkeypatch.setitem(DELIVERIES, "by_rows", defined["entry"])
    weight = np.random.default_rng(1).integers(1, 9, graph.num_edges)
    weighted = Graph.from_edges(
        graph.edge_src,
        graph.edge_dst,
        num_vertices=graph.num_vertices,
        directed=graph.directed,
        weight=weight,
    )
    engine = Engine(weighted)
    for program, field in ((ShortestPaths(source=0), "distance"), (PageRank(), "rank")):
        found, expected = (engine.run(program, delivery=d) for d in ("by_rows", "slots"))
        assert found.delivery == "by_rows"
        assert found.supersteps == expected.supersteps
        np.testing.assert_allclose(found[field], expected[field], rtol=1e-6)
