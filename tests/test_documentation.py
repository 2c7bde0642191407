"""The examples of docs/programs.md are run, and do what they say."""

from __future__ import annotations

import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from support.samples import arcs_of, random_graph, to_networkx

from gascl import Engine, Graph

PAGE = Path(__file__).parents[1] / "docs" / "programs.md"


def examples() -> dict[str, str]:
    """Whole examples, by the line they begin at; the others are parts of programs."""
    text = PAGE.read_text()
    found = re.finditer(r"^```python\n(from .*?)^```$", text, re.MULTILINE | re.DOTALL)
    return {f"line {text[: m.start()].count(chr(10)) + 2}": m[1] for m in found}


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> dict:
    """What the examples define, all together; each stands in a file, as a user's would."""
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
    ways = dict(nx.all_pairs_shortest_path_length(to_networkx(graph)))
    for v, (far, to) in enumerate(result["way"].tolist()):
        reached = [(ways[v][m], m) for m in np.flatnonzero(marked).tolist() if m in ways[v]]
        assert (far, to) == min(reached, default=(np.inf, -1))


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
    heard = np.bincount(dst, minlength=len(x)) > 0
    told = np.zeros(len(src), int)
    before, messages = np.zeros_like(x), []
    for _ in range(5):
        new = told != x[src]
        messages.append(np.count_nonzero(new))
        told = x[src]
        before = np.bincount(dst, told, minlength=len(x)).astype(int)
        x = np.where(np.isin(np.arange(len(x)), dst[new]), before % 4, x)
    assert heard.any() and result.x.tolist() == x.tolist()
    assert result.before.tolist() == before.tolist()
    assert [step.messages for step in result.trace] == messages
    assert sorted(result.arc_fields["told"].tolist()) == sorted(told.tolist())


def test_spread(page, graph):
    """Against the same in NumPy, with the matrix of all pairs."""
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
