"""`gascl graphalytics`: outputs by definition, the published examples, and each way to fail."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from support.case_subsets import one_in
from support.samples import shared

from gascl import Engine, Graph
from gascl.graphalytics.outputs import read_values
from gascl.programs import LabelPropagation

SIX = ("BFS", "CDLP", "LCC", "PR", "SSSP", "WCC")
PARAMETERS = {
    "bfs.source-vertex": "SOURCE",
    "cdlp.max-iterations": "3",
    "pr.damping-factor": "0.7",
    "pr.num-iterations": "4",
    "sssp.weight-property": "meters",
    "sssp.source-vertex": "SOURCE",
}


def write(folder: Path, graph, order: list[int], source: int, **changes: str | None) -> Path:
    """The three files of a graph of NetworkX, vertices in that order; a change to None is a row
    less."""
    rows = {"vertex-file": "g.v", "edge-file": "g.e", "directed": str(graph.is_directed()).lower()}
    rows |= {"edge-properties.names": "lanes, meters", "edge-properties.types": "integer, real"}
    rows |= {"algorithms": "bfs, cdlp, lcc, pr, sssp, wcc"} | PARAMETERS
    rows |= {key.replace("_", "-").replace("--", "."): value for key, value in changes.items()}
    text = [f"graph.g.{key} = {value}\n" for key, value in rows.items() if value is not None]
    (folder / "g.properties").write_text("".join(text).replace("SOURCE", str(source)))
    (folder / "g.v").write_text("".join(f"{v}\n" for v in order))
    edges = [f"{a} {b} 2 {w!r}\n" for a, b, w in graph.edges(data="weight")]
    (folder / "g.e").write_text("".join(edges))
    return folder / "g.properties"


def drawn(directed: bool, seed: int) -> tuple[nx.Graph, list[int], int]:
    """A graph of large ids in no order, some of them isolated, and a source."""
    rng = np.random.default_rng(seed)
    order = rng.choice(2**62, 60, replace=False).tolist()
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(order)
    for a, b in rng.integers(0, 52, (150, 2)).tolist():
        if a != b:
            graph.add_edge(order[a], order[b], weight=float(rng.random()))
    return graph, order, order[7]


def by_definition(graph, source: int) -> dict[str, dict[int, float]]:
    """The six outputs, by id."""
    ways = graph if graph.is_directed() else graph.to_directed()
    depth = nx.single_source_shortest_path_length(ways, source)
    distance = nx.single_source_dijkstra_path_length(ways, source)
    rank = dict.fromkeys(ways, 1 / len(ways))
    label = {v: v for v in ways}
    for _ in range(4):
        lost = sum(rank[v] for v in ways if not ways.out_degree(v))
        flow = {v: sum(rank[u] / ways.out_degree(u) for u in ways.pred[v]) for v in ways}
        rank = {v: 0.3 / len(ways) + 0.7 * (flow[v] + lost / len(ways)) for v in ways}
    for _ in range(3):
        heard = {v: [*graph[v], *(graph.pred[v] if graph.is_directed() else ())] for v in graph}
        label = {v: most_frequent([label[u] for u in heard[v]] or [label[v]]) for v in graph}
    closed = {}
    for v in ways:
        near = {*ways.succ[v], *ways.pred[v]}
        arcs = sum(ways.has_edge(u, w) for u in near for w in near)
        closed[v] = arcs / (len(near) * (len(near) - 1)) if len(near) > 1 else 0.0
    parts = nx.connected_components(graph.to_undirected())
    return {
        "BFS": {v: depth.get(v, 2**63 - 1) for v in ways},
        "CDLP": label,
        "LCC": closed,
        "PR": rank,
        "SSSP": {v: distance.get(v, np.inf) for v in ways},
        "WCC": {v: number for number, part in enumerate(parts) for v in part},
    }


def most_frequent(labels: list[int]) -> int:
    return min(Counter(labels).items(), key=lambda pair: (-pair[1], pair[0]))[0]


def expect(folder: Path, outputs: dict[str, dict[int, float]]) -> None:
    for name, values in outputs.items():
        text = "".join(f"{v} {x!r}\n" for v, x in values.items())
        (folder / f"g-{name}").write_text(text.replace("inf", "Infinity"))


@pytest.fixture
def small(tmp_path) -> Path:
    """1 -> 2 -> 3, with what is expected of it."""
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(1, 2, 0.5), (2, 3, 1.5)])
    expect(tmp_path, by_definition(graph, 1))
    return write(tmp_path, graph, [1, 2, 3], 1)


def changed(path: Path, before: str, after: str) -> Path:
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    return path


@pytest.mark.parametrize("directed", one_in(2, [True, False]))
def test_all_six_by_definition(gascl_, tmp_path, directed):
    graph, order, source = drawn(directed, 3)
    outputs = by_definition(graph, source)
    path = write(tmp_path, graph, order, source)
    expect(tmp_path, outputs)
    code, out, err = gascl_("graphalytics", path, "--output", tmp_path / "out")
    assert (code, err) == (0, "")
    lines = [line.split(maxsplit=3) for line in out.splitlines() if line.startswith(SIX)]
    assert [line[0] for line in lines] == [*SIX]
    assert all(line[2] == "s" and line[3].startswith("ok: ") for line in lines)
    assert [line[3] for line in lines[1:3]] == ["ok: equal to g-CDLP", "ok: within 0.0001 of g-LCC"]
    assert "device: " in out
    read = Graph.read(path)
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [f"g-{name}" for name in SIX]
    for name, values in outputs.items():
        dtype = np.int64 if name in ("BFS", "CDLP", "WCC") else np.float64
        found = read_values(tmp_path / "out" / f"g-{name}", read, dtype)
        expected = np.array([values[v] for v in read.labels.tolist()])
        if name == "WCC":  # named by the smallest id
            least = {x: min(v for v in values if values[v] == x) for x in set(values.values())}
            expected = np.array([least[x] for x in expected.tolist()])
        assert found == pytest.approx(expected, rel=1e-12 if dtype is np.float64 else 0)
    # The order of the ids matters here: by places in the file, ties end otherwise.
    by_place = Engine(read).run(LabelPropagation(supersteps=3)).label
    assert [outputs["CDLP"][v] for v in read.labels.tolist()] != read.labels[by_place].tolist()


@pytest.mark.parametrize("kind", ["directed", "undirected"])
def test_published_examples(gascl_, tmp_path, kind):
    path = shared(f"graphalytics/example-{kind}.properties")
    code, out, err = gascl_("graphalytics", path, "--output", tmp_path)
    assert (code, err, out.count("  ok: ")) == (0, "", 6)
    for name in ("BFS", "CDLP", "LCC", "SSSP", "WCC"):  # ranks differ in the last digit
        written = (tmp_path / f"example-{kind}-{name}").read_text()
        assert written == path.with_name(f"example-{kind}-{name}").read_text()


@pytest.mark.parametrize(
    ("name", "before", "after", "said"),
    [
        ("BFS", "3 2", "3 1", "vertex 3 has 2, expected 1; 1 of 3 vertices differ"),
        ("CDLP", "2 1", "2 3", "vertex 2 has 1, expected 3; 1 of 3 vertices differ"),
        ("LCC", "2 0.0", "2 0.5", "vertex 2 has 0.0, expected 0.5; 1 of 3 vertices differ"),
        ("PR", "1 0.", "1 0.9", "vertex 1 has 0.2"),
        ("SSSP", "3 2.0", "3 Infinity", "vertex 3 has 2.0, expected inf; 1 of 3 vertices differ"),
        (
            "WCC",
            "3 0",
            "3 1",
            "vertex 3 has 1, expected 1, while vertex 1 has 1, expected 0; 1 of 3",
        ),
        ("BFS", "3 2\n", "", "g-BFS: vertex 3 is missing"),
        ("PR", "3 0.", "4 0.", "g-PR: no vertex has the label 4"),
        ("SSSP", "3 2.0", "3 far", "g-SSSP, line 3: '3 far' is not a vertex and its value"),
    ],
)
def test_each_wrong_output_fails(gascl_, small, name, before, after, said):
    changed(small, "bfs, cdlp, lcc, pr, sssp, wcc", f"wcc, {name}, bfs")
    changed(small.with_name(f"g-{name}"), before, after)
    code, out, err = gascl_("graphalytics", small)
    line = next(line for line in out.splitlines() if line.startswith(name))
    assert "s  failed: " in line and said in line and f"g-{name}" in line
    asked = len({"WCC", name, "BFS"})
    assert out.count("  ok: ") == asked - 1
    assert (code, err) == (1, f"gascl: error: 1 of {asked} failed: {name}\n")


def test_without_expected_outputs_and_packed_ones(gascl_, small, tmp_path):
    import gzip

    for name in SIX:
        (tmp_path / f"g-{name}").rename(tmp_path / f"kept-{name}")
    changed(small, "bfs, cdlp, lcc, pr, sssp, wcc", "BFS, wcc , bfs")
    code, out, err = gascl_("graphalytics", small)
    assert (code, err) == (0, "") and out.count("\nBFS ") == 1
    assert "s  not compared: there is no g-BFS in the graph's folder" in out
    (tmp_path / "g-BFS.gz").write_bytes(gzip.compress(b"1 0\n2 1\n3 1\n"))
    code, out, err = gascl_("graphalytics", small)
    assert code == 1 and "has 2, expected 1; 1 of 3 vertices differ" in out and "g-BFS.gz" in out


def test_what_a_program_refuses_is_its_failure_alone(gascl_, small):
    changed(small.with_name("g.e"), "0.5", "-0.5")
    code, out, err = gascl_("graphalytics", small)
    assert (code, err) == (1, "gascl: error: 1 of 6 failed: SSSP\n")
    assert "s  failed: ShortestPaths" in out and "-0.5" in out and out.count("  ok: ") == 5


def test_ctrl_c(gascl_, small, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("gascl.graphalytics.algorithms.Algorithm.run", interrupted)
    assert gascl_("graphalytics", small)[0] == 130


def refused(gascl_, path: Path, *options) -> str:
    code, out, err = gascl_("graphalytics", path, *options)
    assert (code, out, err.count("\n")) == (1, "", 1)
    return err.removeprefix("gascl: error: ")


@pytest.fixture
def unread(monkeypatch):
    """Nothing is read or run but the properties."""

    def refuse(*_, **__):
        raise AssertionError("work begins")

    monkeypatch.setattr("gascl.graph.graph.Graph.read", refuse)
    monkeypatch.setattr("gascl.run.engine.Engine.run", refuse)


@pytest.mark.parametrize("key", PARAMETERS)
def test_missing_parameters(gascl_, small, unread, key):
    lines = small.read_text().splitlines(keepends=True)
    small.write_text("".join(line for line in lines if f".{key} " not in line))
    said = refused(gascl_, small)
    assert said.startswith(f"{small}: there is no {key}; write 'graph.g.{key} = ")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "sssp, wcc",
            "sssp, conn",
            "unknown algorithm 'conn'; known are bfs, cdlp, lcc, pr, sssp, ",
        ),
        ("algorithms = bfs", "algorithm = bfs", "no algorithm; write 'graph.g.algorithms = bfs"),
        (
            "bfs.source-vertex = 1",
            "bfs.source-vertex = a",
            "bfs.source-vertex is 'a', and must be",
        ),
        (
            "iterations = 3",
            "iterations = -1",
            "cdlp.max-iterations is '-1', and must be an integer",
        ),
        (
            "iterations = 4",
            "iterations = 4.5",
            "pr.num-iterations is '4.5', and must be an integer",
        ),
        ("= 0.7", "= 1.7", "pr.damping-factor is '1.7', and must be a number from 0 to 1; write"),
        ("= 0.7", "= nan", "pr.damping-factor is 'nan', and must be a number from 0 to 1; write"),
        ("property = meters", "property = yards", "sssp.weight-property is 'yards', and the edge-"),
        ("graph.g.", "g.", "describes no graph"),
        ("graph.g.", "graph.../g.", "the graph's name, '../g', cannot be a file name; rename it"),
    ],
)
def test_properties_refused(gascl_, small, unread, before, after, said):
    assert said in refused(gascl_, changed(small, before, after))


def test_outputs_refused(gascl_, small, unread, tmp_path):
    def said(folder: Path) -> str:
        return refused(gascl_, small, "--output", folder)

    assert "with the expected results; name another folder" in said(tmp_path)
    assert "cannot be written: File exists" in said(small)
    assert "cannot be written: No such file" in said(tmp_path / "none" / "out")
    assert "/proc/self/out cannot be written: " in said(Path("/proc/self/out"))
    (tmp_path / "out" / "g-PR").mkdir(parents=True)
    assert "it contains a folder g-PR; name another folder" in said(tmp_path / "out")


def test_devices_and_missing_files_refused(gascl_, small, tmp_path):
    assert "no-such-device" in refused(gascl_, small, "--device", "no-such-device")
    assert "there is no such file" in refused(gascl_, tmp_path / "other.properties")
    small.with_name("g.e").unlink()
    assert "g.e belongs to it and is missing" in refused(gascl_, small)


@pytest.mark.parametrize("key", ["bfs", "sssp"])
def test_a_source_that_is_no_vertex(gascl_, small, monkeypatch, key):
    monkeypatch.setattr("gascl.run.engine.Engine.run", None)
    changed(small, f"{key}.source-vertex = 1", f"{key}.source-vertex = 9")
    said = refused(gascl_, small)
    assert said.startswith(f"{small}: {key}.source-vertex: no vertex has the label 9; ")


@pytest.mark.parametrize("name", ["g.e", "g.v", "g.e.gz"])
def test_a_part_of_the_graph_is_not_its_properties(gascl_, name):
    code, out, err = gascl_("graphalytics", name)
    assert (code, out) == (1, "")
    assert err.startswith(
        f"gascl: error: {name}: give the properties file instead, such as g.properties"
    )
