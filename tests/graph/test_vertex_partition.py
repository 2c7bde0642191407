"""Which rank has which vertices, by a hash or a vertex field."""

from __future__ import annotations

import numpy as np
import pytest

from gascl import Engine, Graph, GraphError
from gascl.graph import reordering
from gascl.graph.partition import Division, shares
from gascl.graph.vertex_partition import VertexPartition, check_partition

PART = np.array([4, 0, 1, 1, 0, 2, 4])


@pytest.fixture
def graph():
    fields = {"part": PART, "name": np.array(list("abcdefg")), "place": np.ones((7, 2), int)}
    fields["gap"] = np.array([*"ab", None, *"defg"], object)
    fields |= {"less": PART - 1, "half": PART / 2}
    edges = list("abggc"), list("bcdef")
    return Graph.from_edges(*edges, labels=list("abcdefg"), vertex_fields=fields)


@pytest.mark.parametrize("hubs", [False, True])
def test_a_field_says_which_rank_has_a_vertex(graph, hubs, monkeypatch):
    """By its value modulo the number of ranks, here 3; some of these may have none."""
    if hubs:
        monkeypatch.setattr(reordering, "LEAST", 1)
        monkeypatch.setattr(reordering, "SHARE", 0)
    for ranks, owned in ((3, [[1, 4], [0, 2, 3, 6], [5]]), (4, [[0, 1, 4, 6], [2, 3], [5], []])):
        numbering, arcs = VertexPartition(graph, "part", ranks).numbered("out")
        parts = shares(arcs.in_offsets, Division(0, ranks, bounds=numbering.bounds))
        found = [numbering.order[part.first : part.last].tolist() for part in parts]
        if hubs:
            degree = graph.out_degree
            owned = [sorted(each, key=lambda v: -degree[v]) for each in owned]
        assert found == owned
        assert numbering.order[numbering.number].tolist() == list(range(7))
        ends = zip(arcs.in_sources, arcs.into.rows, strict=True)
        edges = {(int(numbering.order[a]), int(numbering.order[b])) for a, b in ends}
        assert edges == {(0, 1), (1, 2), (6, 3), (6, 4), (2, 5)}
        assert str(numbering).startswith("by rank, hubs first" if hubs else "by rank")


@pytest.mark.parametrize("directed", [False, True])
def test_a_hash_deals_vertices_out_evenly(directed):
    ends = np.random.default_rng(1).integers(0, 10_000, (2, 30_000))
    graph = Graph.from_edges(*ends, num_vertices=10_000, directed=directed)
    partition = VertexPartition(graph, "hash", 7)
    numbering, arcs = partition.numbered("in")
    assert partition.numbered("in") == (numbering, arcs)  # made once
    sizes = np.diff(numbering.bounds)
    assert sizes.sum() == 10_000 and sizes.max() < 1.05 * sizes.min()
    assert np.ptp(numbering.order[: sizes[0]]) > 9_900  # no range


@pytest.mark.parametrize(
    ("partition", "message"),
    [
        ("nothing", "'nothing': give 'ranges', 'hash', or the name .* the graph has: part, name"),
        (3, "partition=3: give 'ranges'"),
        ("half", "'half' has float64; a part is one integer"),
        ("place", "'place' has 2 values each; a part is one integer"),
        ("gap", "vertex 'c' has no text"),
        ("less", "vertex 'b' has -1; a part is 0 or more"),
    ],
)
def test_what_says_no_rank_is_refused(graph, partition, message):
    with pytest.raises(GraphError, match=message):
        check_partition(graph, partition)
    with pytest.raises(GraphError, match=message):
        Engine(graph, partition=partition)


def test_one_process_has_all(graph):
    for by in ("part", "name", "hash"):
        with pytest.warns(UserWarning, match=f"partition='{by}' has no effect: there are no ranks"):
            engine = Engine(graph, partition=by)
        assert repr(engine).endswith(f"partition={by!r})")
    assert "partition" not in repr(Engine(graph))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64])
def test_more_ranks_than_a_small_type_can_count(dtype):
    parts = np.array([0, 5, 127, 127], dtype)
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], num_vertices=4)
    graph = graph.with_vertex_fields(part=parts)
    assert VertexPartition(graph, "part", 300)._owner.tolist() == [0, 5, 127, 127]
    assert VertexPartition(graph, "part", 3)._owner.tolist() == [0, 2, 1, 1]
