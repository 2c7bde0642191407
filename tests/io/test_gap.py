"""GAP's serialized graphs: bytes laid out by hand as its src/writer.h writes them."""

import bz2
import gzip
import lzma
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.filecases import CHANGES, changed_bytes, edges_of, put, read_or_refused, refused

from gascl.graph.graph import Graph


def laid_out(directed, num_vertices, *rows):
    """The bytes of lists of neighbors, each an int or a pair (vertex, weight); a list of lists for
    the arcs, and another for the reversed ones."""
    arcs = sum(map(len, rows[0]))
    parts = [struct.pack("<Bqq", directed, arcs, num_vertices)]
    for lists in rows:
        offsets = [0]
        for neighbors in lists:
            offsets.append(offsets[-1] + len(neighbors))
        parts.append(struct.pack(f"<{len(offsets)}q", *offsets))
        for neighbor in (each for neighbors in lists for each in neighbors):
            words = neighbor if isinstance(neighbor, tuple) else (neighbor,)
            parts.append(struct.pack(f"<{len(words)}i", *words))
    return b"".join(parts)


DIRECTED = laid_out(1, 4, [[1, 2], [], [0, 2], []], [[2], [0], [0, 2], []])
HEAVY = laid_out(
    1, 3, [[(1, 7), (1, -8), (2, 9)], [], [(0, 1)]], [[(2, 1)], [(0, -8), (0, 7)], [(0, 9)]]
)
UNDIRECTED = laid_out(0, 4, [[1, 2], [0], [0], []])
HEAVY_UNDIRECTED = laid_out(0, 3, [[(1, 5), (2, 6)], [(0, 5)], [(0, 6)]])


def test_directed(tmp_path):
    graph = Graph.read(put(tmp_path, "a.sg", DIRECTED))
    assert graph.directed and graph.num_vertices == 4 and graph.labels is None
    assert edges_of(graph) == [(0, 1), (0, 2), (2, 0), (2, 2)]
    assert not graph.edge_fields and "GAP: directed, as the file says" in graph.report
    loose = Graph.read(put(tmp_path, "a.sg", DIRECTED), directed=False)
    assert not loose.directed and loose.num_edges == 4


def test_weights(tmp_path):
    graph = Graph.read(put(tmp_path, "a.wsg", HEAVY))
    assert edges_of(graph) == [(0, 1, 7), (0, 1, -8), (0, 2, 9), (2, 0, 1)]
    assert graph.edge_fields["weight"].dtype == np.int32
    graph = Graph.read(put(tmp_path, "a.wsg", HEAVY_UNDIRECTED))
    assert not graph.directed and edges_of(graph) == [(0, 1, 5), (0, 2, 6)]


def test_undirected(tmp_path):
    path = put(tmp_path, "a.sg", UNDIRECTED)
    graph = Graph.read(path)
    assert not graph.directed and graph.num_vertices == 4 and edges_of(graph) == [(0, 1), (0, 2)]
    both = Graph.read(path, directed=True)
    assert both.directed and edges_of(both) == [(0, 1), (0, 2), (1, 0), (2, 0)]


def test_nothing_at_all(tmp_path):
    for directed in (0, 1):
        for suffix in (".sg", ".wsg"):
            lists = [[[]] * 2] * (1 + directed)
            graph = Graph.read(put(tmp_path, "a" + suffix, laid_out(directed, 2, *lists)))
            assert (graph.num_vertices, graph.num_edges) == (2, 0)
            graph = Graph.read(
                put(tmp_path, "a" + suffix, laid_out(directed, 0, *[[]] * len(lists)))
            )
            assert graph.num_vertices == 0


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed(tmp_path, pack):
    path = put(tmp_path, "a.sg", pack(DIRECTED))  # the content tells how
    assert Graph.read(path).num_edges == 4
    refused(["ends too early"], lambda: Graph.read(put(tmp_path, "a.sg", pack(DIRECTED[:-1]))))
    refused(["continues after"], lambda: Graph.read(put(tmp_path, "a.sg", pack(DIRECTED + b"\0"))))
    for vertices, arcs in ((2**31 - 1, 0), (4, 2**60)):
        lie = struct.pack("<Bqq", 1, arcs, vertices) + DIRECTED[17:]
        # Memory is read as bytes come: nothing here has room for 2^60 arcs.
        refused(["damaged"], lambda lie=lie: Graph.read(put(tmp_path, "a.sg", pack(lie))))


def replaced(content, at, format, value):
    return content[:at] + struct.pack(format, value) + content[at + struct.calcsize(format) :]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.sg", b"", ["ends too early"]),
        ("a.sg", DIRECTED[:16], ["ends too early"]),
        ("a.sg", DIRECTED[:-1], [f"{len(DIRECTED) - 1} bytes", f"take {len(DIRECTED)}"]),
        ("a.sg", DIRECTED + b"\0", [f"{len(DIRECTED) + 1} bytes", f"take {len(DIRECTED)}"]),
        ("a.wsg", DIRECTED, ["bytes", "4 vertices and 4 arcs", "or name it .sg"]),
        ("a.sg", HEAVY, ["bytes", "or name it .wsg"]),
        ("a.sg", b"\2" + DIRECTED[1:], ["first byte, 2, is neither 0"]),
        ("a.sg", b"1 2\n2 3\n3 4\n4 5\n5 6\n", ["first byte, 49"]),
        ("a.sg", replaced(DIRECTED, 1, "<q", 2**62), ["4,611,686,018,427,387,904 arcs"]),
        ("a.sg", replaced(DIRECTED, 1, "<q", -1), ["-1 arcs"]),
        ("a.sg", replaced(DIRECTED, 9, "<q", 2**31), ["2,147,483,648 vertices"]),
        ("a.sg", replaced(DIRECTED, 9, "<q", 2**31 - 1), ["2,147,483,647 vertices", "take"]),
        ("a.sg", replaced(DIRECTED, 9, "<q", 5), ["5 vertices"]),
        ("a.sg", replaced(DIRECTED, 17, "<q", 1), ["from 1 to 4, not from 0 to 4"]),
        ("a.sg", replaced(DIRECTED, 25, "<q", 9), ["decrease after vertex 1"]),
        ("a.sg", replaced(DIRECTED, 57, "<i", 4), ["vertex 0 has the neighbor 4", "0 to 3"]),
        ("a.sg", replaced(DIRECTED, 65, "<i", -1), ["vertex 2 has the neighbor -1"]),
        ("a.sg", replaced(DIRECTED, 57, "<i", 3), ["reversed arcs of vertex"]),
        ("a.sg", replaced(DIRECTED, len(DIRECTED) - 8, "<i", 1), ["reversed arcs of vertex 2"]),
        ("a.wsg", replaced(HEAVY, len(HEAVY) - 4, "<i", 10), ["reversed arcs of vertex 2"]),
        ("a.sg", replaced(UNDIRECTED, 57, "<i", 3), ["from", "has no equal one back"]),
        ("a.wsg", replaced(HEAVY_UNDIRECTED, 53, "<i", 1), ["from 0 to 1", "has no equal one"]),
        ("a.bin", DIRECTED, ["shows only in its name", ".wsg"]),
    ],
)
def test_bad_files(tmp_path, name, content, words):
    path = put(tmp_path, name, content)
    refused([str(path), *words], lambda: Graph.read(path, format="gap"))


# Writing: what comes out is what was laid out by hand


def test_writing(tmp_path):
    plain = Graph.from_edges([2, 0, 2, 0], [2, 2, 0, 1], num_vertices=4)
    plain.write(tmp_path / "a.sg")
    assert (tmp_path / "a.sg").read_bytes() == DIRECTED
    heavy = Graph.from_edges([2, 0, 0], [0, 2, 1], weight=[1, 9, 7])
    heavy.write(tmp_path / "a.wsg.gz")
    expected = laid_out(1, 3, [[(1, 7), (2, 9)], [], [(0, 1)]], [[(2, 1)], [(0, 7)], [(0, 9)]])
    assert gzip.decompress((tmp_path / "a.wsg.gz").read_bytes()) == expected
    both = Graph.from_edges([2, 1], [0, 0], num_vertices=4, directed=False)
    both.write(tmp_path / "b.sg")
    assert (tmp_path / "b.sg").read_bytes() == UNDIRECTED
    both = Graph.from_edges([2, 1], [0, 0], directed=False, weight=np.array([6, 5], np.uint8))
    both.write(tmp_path / "b.wsg")
    assert (tmp_path / "b.wsg").read_bytes() == HEAVY_UNDIRECTED
    loops = Graph.from_edges([0, 1, 1], [0, 0, 1], directed=False)
    loops.write(tmp_path / "c.sg")
    assert (tmp_path / "c.sg").read_bytes() == laid_out(0, 2, [[0, 1], [0, 1]])
    assert sorted(edges_of(Graph.read(tmp_path / "c.sg"))) == [(0, 0), (0, 1), (1, 1)]


def test_what_it_cannot_hold(tmp_path):
    one = {"src": [0], "dst": [1]}
    for name, words, graph in [
        ("a.sg", ["labels"], Graph.from_edges(**one, labels=[4, 5])),
        ("a.sg", ["no weights", "write a .wsg"], Graph.from_edges(**one, weight=[1])),
        ("a.sg", ["'cost'"], Graph.from_edges(**one, cost=[1])),
        ("a.wsg", ["write a .sg"], Graph.from_edges(**one)),
        ("a.wsg", ["float64"], Graph.from_edges(**one, weight=[0.5])),
        ("a.wsg", ["2147483648"], Graph.from_edges(**one, weight=[2**31])),
        ("a.wsg", ["'cost'"], Graph.from_edges(**one, weight=[1], cost=[1])),
    ]:
        refused([name, *words], lambda name=name, graph=graph: graph.write(tmp_path / name))
    assert not list(tmp_path.iterdir())


ROWS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(-9, 9)), max_size=20)


@settings(deadline=None)
@given(ROWS, st.booleans())
def test_any_graph(tmp_path_factory, rows, directed):
    """Bytes that Python lays out: undirected, each edge from both ends, a self-loop once."""
    arcs = rows if directed else rows + [(v, u, w) for u, v, w in rows if u != v]
    out = [[(v, w) for u, v, w in arcs if u == vertex] for vertex in range(6)]
    back = [[(u, w) for u, v, w in arcs if v == vertex] for vertex in range(6)]
    content = laid_out(int(directed), 6, *([out, back] if directed else [out]))
    path = put(tmp_path_factory.mktemp("gap"), "a.wsg", content)
    graph = Graph.read(path)
    expected = rows if directed else [(min(u, v), max(u, v), w) for u, v, w in rows]
    assert sorted(edges_of(graph)) == sorted(expected)
    graph.write(path)
    assert sorted(edges_of(Graph.read(path))) == sorted(expected)


@settings(deadline=None)
@given(CHANGES, st.sampled_from([("a.sg", DIRECTED), ("a.wsg", HEAVY), ("a.sg", UNDIRECTED)]))
def test_damaged(tmp_path_factory, changes, case):
    name, content = case
    read_or_refused(put(tmp_path_factory.mktemp("gap"), name, changed_bytes(content, changes)))
