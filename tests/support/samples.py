"""Small graphs, and published ones with their answers, for the tests of several programs."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from gascl import Graph

SHARED = Path(__file__).parents[3] / "shared" / "data"


def shared(name: str) -> Path:
    """A file of the data that is kept beside the product; skips the test where it is absent."""
    if not (SHARED / name).exists():
        pytest.skip(f"the data are not here: {SHARED / name} is absent")
    return SHARED / name


def random_graph(seed: int, *, directed: bool, vertices: int = 64, edges: int = 110) -> Graph:
    """With parallel edges, self-loops, several components and vertices without any edge."""
    rng = np.random.default_rng(seed)
    src, dst = rng.integers(0, vertices - 5, (2, edges))
    src[:3], dst[:3] = src[3:6], dst[3:6]
    src[6:8] = dst[6:8]
    return Graph.from_edges(src, dst, num_vertices=vertices, directed=directed)


def skewed(seed: int, vertices: int, edges: int, *, directed: bool = True) -> Graph:
    """Few vertices have most of the edges, and they are not the first ones."""
    rng = np.random.default_rng(seed)
    ends = np.floor(vertices * rng.random((2, edges)) ** 4).astype(np.int64)
    src, dst = rng.permutation(vertices)[ends]
    return Graph.from_edges(src, dst, num_vertices=vertices, directed=directed)


def grid(rows: int, columns: int) -> Graph:
    """Undirected, each vertex with its four neighbors; vertex row * columns + column."""
    ids = np.arange(rows * columns).reshape(rows, columns)
    src = np.concatenate([ids[:, :-1].ravel(), ids[:-1].ravel()])
    dst = np.concatenate([ids[:, 1:].ravel(), ids[1:].ravel()])
    return Graph.from_edges(src, dst, num_vertices=rows * columns, directed=False)


def arcs_of(graph: Graph, edges: str = "out") -> list[tuple[int, int]]:
    """(scattering vertex, other end) of every arc, from the edges alone."""
    forth = list(zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True))
    back = [(v, u) for u, v in forth]
    if edges == "both" or not graph.directed:
        return forth + [(v, u) for v, u in back if u != v]
    return forth if edges == "out" else back


def to_networkx(graph: Graph) -> nx.MultiDiGraph | nx.MultiGraph:
    """Every edge, by index."""
    made = nx.MultiDiGraph() if graph.directed else nx.MultiGraph()
    made.add_nodes_from(range(graph.num_vertices))
    made.add_edges_from(zip(graph.edge_src.tolist(), graph.edge_dst.tolist(), strict=True))
    return made


def graphalytics(kind: str) -> Graph:
    """LDBC Graphalytics' example graph, "directed" or "undirected", its labels in order."""
    vertices = np.loadtxt(shared(f"graphalytics/example-{kind}.v"), dtype=np.int64)
    rows = np.loadtxt(shared(f"graphalytics/example-{kind}.e"))
    labels = np.sort(vertices)
    src, dst = np.searchsorted(labels, rows[:, :2].T.astype(np.int64))
    directed = kind == "directed"
    return Graph.from_edges(src, dst, labels=labels, directed=directed, weight=rows[:, 2])


def graphalytics_answer(kind: str, algorithm: str) -> list[str]:
    """The published outcome in the order of the labels, as text."""
    file = shared(f"graphalytics/example-{kind}-{algorithm}")
    rows = [line.split() for line in file.read_text().splitlines() if line.strip()]
    return [value for _, value in sorted(rows, key=lambda row: int(row[0]))]


def graphalytics_parameter(kind: str, name: str) -> int:
    lines = shared(f"graphalytics/example-{kind}.properties").read_text().splitlines()
    return next(int(x.split("=")[1]) for x in lines if x.startswith(f"graph.example-{kind}.{name}"))


def weighted(graph: Graph, seed: int = 0) -> Graph:
    weight = np.random.default_rng(seed).random(graph.num_edges)
    return graph.with_edge_fields(weight=weight)
