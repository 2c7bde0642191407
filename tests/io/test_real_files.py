"""Real files: they have the counts that their sources publish, and go through every format."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from support.samples import shared

from gascl import FormatError, Graph
from gascl.io import FORMATS, write_file

#: Vertices, edges, directed, and how to read the file, as its README says.
FILES: dict[str, tuple[int, int, bool, dict[str, Any]]] = {
    "edgelist/ego-Facebook.txt.gz": (4039, 88234, False, {"directed": False}),
    "edgelist/wiki-Vote.txt.gz": (7115, 103689, True, {}),
    "edgelist/email-Eu-core.txt": (1005, 25571, True, {}),
    "edgelist/ca-GrQc.txt.gz": (5242, 14496, False, {"directed": False, "duplicates": "first"}),
    "edgelist/p2p-Gnutella08.txt": (6301, 20777, True, {}),
    "mtx/delaunay_n10.mtx": (1024, 3056, False, {}),
    "mtx/delaunay_n14.mtx.gz": (16384, 49122, False, {}),
    "mtx/chesapeake.mtx": (39, 170, False, {}),
    "metis/4elt.graph.gz": (15606, 45878, False, {}),
    "metis/example_weighted.graph": (132, 328, False, {}),
    "dimacs/rome99.gr": (3353, 8870, True, {}),
    "dimacs/USA-road-d.NY.gr.gz": (264346, 733846, True, {}),
    "communities/karate.gml": (34, 78, False, {}),
    "communities/dolphins.gml": (62, 159, False, {}),
    "communities/football.gml": (115, 613, False, {}),
    "communities/polbooks.gml": (105, 441, False, {}),
    "graphalytics/example-directed.properties": (10, 17, True, {}),
    "graphalytics/example-undirected.properties": (9, 12, False, {}),
}
#: Edges: larger than this only goes through the formats that a library in C parses.
SMALL = 60_000
#: Those that take seconds in some formats, by edges; slow tests.
LARGE, LARGE_FOR_PYTHON = 30_000, 9_000
BY_PYTHON = ("gml", "graphml")
#: Weak components.
COMPONENTS = {
    "edgelist/ego-Facebook.txt.gz": 1,
    "edgelist/wiki-Vote.txt.gz": 24,
    "edgelist/email-Eu-core.txt": 20,
    "edgelist/ca-GrQc.txt.gz": 355,
}
WRITTEN = [name for name, format in FORMATS.items() if format.write is not None]


@cache
def graph_of(name: str) -> Graph:
    return Graph.read(shared(name), **FILES[name][3])


@pytest.mark.parametrize("name", FILES)
def test_counts(name):
    vertices, edges, directed, _ = FILES[name]
    graph = graph_of(name)
    assert (graph.num_vertices, graph.num_edges, graph.directed) == (vertices, edges, directed)
    assert graph.report
    if name in COMPONENTS:
        assert connected_components(graph.to_scipy())[0] == COMPONENTS[name]


@pytest.mark.parametrize("name", ["lfr-nv300maxs150mins30maxd60avgd30mix20"])
def test_edges_stored_both_ways_with_ids_from_1(name):
    graph = Graph.read(
        shared(f"communities/{name}/network.dat.gz"), directed=False, duplicates="first"
    )
    assert (graph.num_vertices, graph.labels.min(), graph.labels.max()) == (300, 1, 300)
    both = np.loadtxt(shared(f"communities/{name}/network.dat.gz"), dtype=int)
    assert 2 * graph.num_edges == len(both)


def content(graph: Graph, labels: bool) -> list[Any]:
    """Edges by the labels of their ends, with their weights, whatever their order."""
    names = graph.labels if labels else np.arange(graph.num_vertices)
    src, dst = graph.edge_src, graph.edge_dst
    if not graph.directed:
        src, dst = np.minimum(src, dst), np.maximum(src, dst)
    columns = [np.asarray(names)[src].tolist(), np.asarray(names)[dst].tolist()]
    columns += [graph.edge_fields[n].tolist() for n in sorted(graph.edge_fields)]
    return sorted(zip(*columns, strict=True))


def refused(graph: Graph, path: Path, format: str) -> str:
    """Write the graph, or why it can't be."""
    try:
        write_file(graph, path, format)
    except FormatError as error:
        return str(error)
    return ""


def takes_long(name: str, format: str) -> bool:
    """Each file goes quickly through gascl's own format at least."""
    edges = FILES[name][1]
    return edges > (LARGE_FOR_PYTHON if format in BY_PYTHON else LARGE) and format != "gascl"


PAIRS = [
    pytest.param(name, format, marks=pytest.mark.slow if takes_long(name, format) else [])
    for name, (_, edges, *_) in FILES.items()
    for format in WRITTEN
    if edges <= SMALL or format not in BY_PYTHON
]


@pytest.mark.parametrize(("name", "format"), PAIRS)
def test_through_every_format_that_can_hold_it(name, format, tmp_path):
    graph = graph_of(name)
    path = Path(tmp_path, "graph" + FORMATS[format].extensions[0])
    why = refused(graph, path, format)
    if why:  # what can't be held is said, and these three hold everything
        assert format not in ("gascl", "gml", "graphml")
        assert "hold" in why or "has no weights" in why
        assert not path.exists()
        return
    back = Graph.read(path, format=format)
    assert back.num_vertices == graph.num_vertices
    if back.directed != graph.directed:  # a file that can't say
        back = Graph.read(path, format=format, directed=graph.directed)
    assert back.num_edges == graph.num_edges
    kept = graph.labels is not None and back.labels is not None
    if kept and back.labels.dtype.kind != graph.labels.dtype.kind:
        assert sorted(map(str, back.labels.tolist())) == sorted(map(str, graph.labels.tolist()))
        return
    assert content(back, kept) == content(graph, kept)
