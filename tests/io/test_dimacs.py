"""DIMACS shortest paths: rows by hand, coordinates beside them, and the road networks."""

import bz2
import gzip
import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.filecases import (
    CHANGES,
    changed_bytes,
    edges_of,
    put,
    read_by_both,
    read_or_refused,
    refused,
    shared,
)

from gascl.graph.graph import Graph
from gascl.io import text_lines

# The example of the challenge's page on file formats, with its comments cut.
SAMPLE = """c 9th DIMACS Implementation Challenge: Shortest Paths
c
p sp 6 8
c graph contains 6 nodes and 8 arcs
c
a 1 2 17
c arc from node 1 to node 2 of weight 17
c
a 1 3 10
a 2 4 2
a 3 5 0
a 4 3 0
a 4 6 3
a 5 2 0
a 5 6 20
"""
ARCS = [(0, 1, 17), (0, 2, 10), (1, 3, 2), (2, 4, 0), (3, 2, 0), (3, 5, 3), (4, 1, 0), (4, 5, 20)]
PLACES = "c six\np aux sp co 3\nv 3 -73530767 41085396\nv 1 0 -1\nv 2 5 6\n"
THREE = "p sp 3 2\na 1 3 7\na 3 1 8\n"


@pytest.mark.parametrize(
    "text",
    [
        SAMPLE,
        SAMPLE.replace("\n", "\r\n"),
        SAMPLE.rstrip("\n"),
        SAMPLE.replace("a ", "a\t"),
        SAMPLE.replace("a ", "  a  "),
        SAMPLE.replace("a 4", "\n\na 4"),
        SAMPLE.replace("a 4 6 3", "a +4 06 3"),
        SAMPLE.replace("c arc", "cärc"),
    ],
)
def test_the_example_of_the_challenge(tmp_path, text):
    graph = Graph.read(put(tmp_path, "a.gr", text))
    assert graph.directed and graph.labels is None and graph.num_vertices == 6
    assert edges_of(graph) == ARCS
    assert graph.edge_fields["weight"].dtype == np.int64
    assert graph.report[0] == "DIMACS: arcs: 8; comment lines skipped: 6"


def test_content_tells(tmp_path):
    assert edges_of(Graph.read(put(tmp_path, "a.txt", SAMPLE))) == ARCS
    assert edges_of(Graph.read(put(tmp_path, "a.gr.gz", gzip.compress(SAMPLE.encode())))) == ARCS


def test_pieces_of_any_size(tmp_path, monkeypatch):
    """Lines cut between pieces, and comments among them."""
    path = put(tmp_path, "a.gr", SAMPLE)
    bad = put(tmp_path, "b.gr", SAMPLE.replace("a 5 2 0", "a 5 2"))
    for size in (1, 7, 30, 64):
        monkeypatch.setattr(text_lines, "PIECE", size)
        assert edges_of(Graph.read(path)) == ARCS
        assert Graph.read(path).report[0] == "DIMACS: arcs: 8; comment lines skipped: 6"
        refused(["line 14: 'a 5 2' is not a row"], lambda: Graph.read(bad))


@settings(deadline=None)
@given(
    st.integers(0, 3),
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(-(2**63), 2**63 - 1))),
)
def test_any_weights(tmp_path_factory, spare, rows):
    text = f"p sp {5 + spare} {len(rows)}\n" + "".join(f"a {u} {v} {w}\n" for u, v, w in rows)
    graph = Graph.read(put(tmp_path_factory.mktemp("gr"), "a.gr", text))
    assert graph.num_vertices == 5 + spare
    assert edges_of(graph) == [(u - 1, v - 1, w) for u, v, w in rows]


def test_undirected(tmp_path):
    graph = Graph.read(put(tmp_path, "a.gr", THREE), directed=False, duplicates="min")
    assert not graph.directed and edges_of(graph) == [(0, 2, 7)]
    assert "directed=False: every arc became an undirected edge" in graph.report


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["no problem line", "'p sp VERTICES ARCS'"]),
        ("c only\n", ["no problem line"]),
        ("a 1 2 3\np sp 2 1\n", ["line 1: 'a 1 2 3'", "before the problem line"]),
        ("p sp 2\n", ["line 1: 'p sp 2'", "sizes"]),
        ("p sp 2 x\n", ["line 1: 'p sp 2 x'", "sizes"]),
        ("p sp 2 -1\n", ["line 1", "impossible"]),
        ("p sp 3000000000 1\n", ["line 1", "0 to 2,147,483,647"]),
        ("p max 2 1\na 1 2 3\n", ["line 1: 'p max 2 1'", "another kind of problem"]),
        ("p sp 2 1\np sp 2 1\na 1 2 3\n", ["line 2", "second problem line"]),
        ("p aux sp co 1\nv 1 2 3\n", ["line 1", "coordinates", "read the .gr"]),
        ("p sp 2 2\na 1 2 3\n", ["declares 2 rows", "file has 1"]),
        ("p sp 2 0\na 1 2 3\n", ["declares 0 rows", "file has 1"]),
        ("p sp 2 1\na 0 2 3\n", ["line 2: 'a 0 2 3'", "vertex 0", "1 to 2"]),
        ("p sp 2 1\n\nc x\na 1 3 3\n", ["line 4: 'a 1 3 3'", "vertex 3", "1 to 2"]),
        ("p sp 2 1\na 1 2\n", ["line 2: 'a 1 2'", "'a SOURCE TARGET WEIGHT'"]),
        ("p sp 2 1\na 1 2 3 4\n", ["line 2: 'a 1 2 3 4'", "is not a row"]),
        ("p sp 2 2\na\n0 1 2 3\na 1 2 3\n", ["line 2: 'a'", "is not a row"]),
        ("p sp 2 1\n1 2 3\n", ["line 2: '1 2 3'", "is not a row", "put c before it"]),
        ("p sp 2 1\ne 1 2 3\n", ["line 2: 'e 1 2 3'", "is not a row"]),
        ("p sp 2 1\na 1 2 0.5\n", ["line 2: 'a 1 2 0.5'", "'0.5'", "64-bit integer"]),
        ("p sp 2 1\na 1 2 nan\n", ["line 2", "'nan'", "64-bit integer"]),
        ("p sp 2 1\na 1 2 1-2\n", ["line 2", "'1-2'"]),
        ("p sp 2 1\na 1 2 - 3\n", ["line 2", "is not a row"]),
        ("p sp 2 1\na 1 2 9223372036854775808\n", ["line 2", "64-bit"]),
        ("p sp 2 1\na 1 2 3\0\n", ["line 2", "64-bit integer"]),
    ],
)
def test_bad_files(tmp_path, text, words):
    path = put(tmp_path, "a.gr", text)
    refused([str(path), *words], lambda: Graph.read(path, format="dimacs"))


# Coordinates


def test_coordinates_beside(tmp_path):
    path = put(tmp_path, "a.gr", THREE)
    assert not Graph.read(path).vertex_fields
    refused(["no a.co beside"], lambda: Graph.read(path, coordinates=True))
    beside = put(tmp_path, "a.co.bz2", bz2.compress(PLACES.encode()))
    graph = Graph.read(path)
    expected = [[0, -1], [5, 6], [-73530767, 41085396]]
    assert graph.vertex_fields["coordinates"].tolist() == expected
    assert graph.vertex_fields["coordinates"].dtype == np.int64
    assert f"coordinates read from {beside}" in graph.report
    assert not Graph.read(path, coordinates=False).vertex_fields
    other = put(tmp_path, "other", PLACES.replace("5 6", "8 9"))
    named = Graph.read(path, coordinates=other).vertex_fields["coordinates"]
    assert named.tolist() == [[0, -1], [8, 9], [-73530767, 41085396]]
    put(tmp_path, "a.co", PLACES)
    refused(["a.co and a.co.bz2", "coordinates="], lambda: Graph.read(path))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("p aux sp co 2\nv 1 2 3\nv 2 3 4\n", ["2 vertices", "has 3"]),
        ("p aux sp co 3\nv 1 2 3\nv 2 3 4\n", ["declares 3 rows 'v VERTEX X Y'", "has 2"]),
        ("p aux sp co 3\nv 1 2 3\nv 2 3 4\nv 1 3 4\n", ["vertex 1 has 2 rows"]),
        ("p aux sp co 3\nv 3 2 3\nv 2 3 4\nv 3 3 4\n", ["vertex 1 has 0 rows"]),
        ("p aux sp co 3\nv 1 2 3\nv 4 3 4\nv 2 3 4\n", ["line 3: 'v 4 3 4'", "1 to 3"]),
        ("p aux sp co 3\nv 1 2 3.5\n", ["line 2: 'v 1 2 3.5'", "'3.5'"]),
        ("p sp 3 0\n", ["line 1: 'p sp 3 0'", "'p aux sp co VERTICES'"]),
    ],
)
def test_bad_coordinates(tmp_path, text, words):
    path = put(tmp_path, "a.gr", THREE)
    beside = put(tmp_path, "a.co", text)
    refused([str(beside), *words], lambda: Graph.read(path))
    refused(["no.co", "no such file"], lambda: Graph.read(path, coordinates=tmp_path / "no.co"))


# Writing


def test_writing(tmp_path):
    points = np.array([[1, -2], [3, 4], [5, 6]])
    graph = Graph.from_edges([2, 0, 2], [0, 0, 0], num_vertices=3, weight=[5, -(2**63), 7])
    graph.write(tmp_path / "a.gr")
    text = (tmp_path / "a.gr").read_text()
    assert text == f"p sp 3 3\na 3 1 5\na 1 1 {-(2**63)}\na 3 1 7\n"
    whole = Graph(
        *(graph.edge_src, graph.edge_dst, 3, True, None),
        edge_fields=graph.edge_fields,
        vertex_fields={"coordinates": points},
    )
    whole.write(tmp_path / "b.gr.gz")
    assert gzip.decompress((tmp_path / "b.gr.gz").read_bytes()).decode() == text
    beside = gzip.decompress((tmp_path / "b.co.gz").read_bytes()).decode()
    assert beside == "p aux sp co 3\nv 1 1 -2\nv 2 3 4\nv 3 5 6\n"
    again = Graph.read(tmp_path / "b.gr.gz")
    assert edges_of(again) == edges_of(graph)
    np.testing.assert_array_equal(again.vertex_fields["coordinates"], points)
    whole.write(tmp_path / "b.gr.gz")
    refused(["b.co.gz", "move it"], lambda: graph.write(tmp_path / "b.gr"))


def test_what_it_cannot_hold(tmp_path):
    path = tmp_path / "a.gr"
    edges = {"src": [0], "dst": [1]}
    for words, graph in [
        (["undirected"], Graph.from_edges(**edges, directed=False, weight=[1])),
        (["labels"], Graph.from_edges(**edges, labels=["a", "b"], weight=[1])),
        (["no edge field 'weight'"], Graph.from_edges(**edges)),
        (["float64"], Graph.from_edges(**edges, weight=[1.5])),
        (["9223372036854775808"], Graph.from_edges(**edges, weight=np.array([2**63], np.uint64))),
        (["'cost'"], Graph.from_edges(**edges, weight=[1], cost=[2])),
    ]:
        refused([str(path), *words], lambda graph=graph: graph.write(path))
    refused([".co"], lambda: Graph.from_edges([0], [1], weight=[1]).write(tmp_path / "a.co"))
    one = Graph.from_edges(**edges, weight=[1])
    refused([".co files hold"], lambda: one.write(tmp_path / "a.co", format="dimacs"))
    for words, points in [
        (["shape (2,)", "(2, 2)"], np.array([1, 2])),
        (["'coordinates' is float64"], np.array([[1, 2], [3, 4.5]])),
    ]:
        fields = {"edge_fields": one.edge_fields, "vertex_fields": {"coordinates": points}}
        graph = Graph(one.edge_src, one.edge_dst, 2, True, **fields)
        refused([str(path), *words], lambda graph=graph: graph.write(path))
    assert not list(tmp_path.iterdir())


# Real graphs


@pytest.mark.parametrize(
    ("name", "vertices", "arcs", "distinct"),
    [
        ("dimacs/rome99.gr", 3353, 8870, 8859),
        ("dimacs/USA-road-d.NY.gr.gz", 264346, 733846, 730100),
    ],
)
def test_roads(tmp_path, name, vertices, arcs, distinct):
    graph = Graph.read(shared(name))
    assert (graph.num_vertices, graph.num_edges) == (vertices, arcs)
    pairs = graph.edge_src.astype(np.int64) * vertices + graph.edge_dst
    assert len(np.unique(pairs)) == distinct
    weight = graph.edge_fields["weight"]
    if "NY" in name:
        assert (weight.min(), weight.max()) == (1, 36946)
        return
    rows = re.findall(r"^a (\d+) (\d+) (\d+)", shared(name).read_text(), re.MULTILINE)
    assert edges_of(graph) == [(int(u) - 1, int(v) - 1, int(w)) for u, v, w in rows]
    graph.write(tmp_path / "a.gr")
    assert edges_of(Graph.read(tmp_path / "a.gr")) == edges_of(graph)


@settings(deadline=None)
@given(CHANGES)
@example([(0.734375, 0, b"\x01")])  # behind the letter of a row
def test_damaged(tmp_path_factory, changes):
    folder = tmp_path_factory.mktemp("gr")
    put(folder, "a.co", PLACES.replace("co 3", "co 6"))
    content = changed_bytes(SAMPLE.encode(), changes)
    graph = read_by_both(put(folder, "a.gr", content), format="dimacs", coordinates=False)
    if graph is not None:  # then every row is there
        rows = re.findall(rb"(?m)^\s*a\s", content)
        assert graph.num_edges == len(rows)
    other = changed_bytes(PLACES.encode(), changes)
    read_or_refused(put(folder, "b.gr", THREE), coordinates=put(folder, "c.co", other))
