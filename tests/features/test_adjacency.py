"""What snippets see beyond their own arcs: neighbors, edges and fields of any vertex."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.admitting_deliveries import admitted
from support.agreement import PARTS, part_of
from support.case_subsets import one_in, thinned
from support.samples import arcs_of, grid, random_graph, shared, skewed, to_networkx

from gascl import Engine, GasclError, Graph, VertexProgram, edge, param, vertex


class Triangles(VertexProgram):
    """How many triangles each vertex is in, by trying every pair of neighbors.

    A neighbor along parallel edges comes several times in a row: only the first counts.
    """

    triangles = vertex.int32()
    supersteps = param.supersteps(1)
    scatter_on = apply_on = "all"
    edges = "both"
    apply = """
        for (int i = 0; i < num_neighbors; ++i) {
            if (neighbor(i) == v.id || (i > 0 && neighbor(i) == neighbor(i - 1)))
                continue;
            for (int j = i + 1; j < num_neighbors; ++j) {
                if (neighbor(j) == v.id || neighbor(j) == neighbor(j - 1))
                    continue;
                if (has_edge(neighbor(i), neighbor(j)))
                    ++v.triangles;
            }
        }
    """


class TrianglesByArcs(VertexProgram):
    """The same where edges are single: each arc counts the neighbors that its ends share."""

    triangles = vertex.int32()
    supersteps = param.supersteps(1)
    message, combine = "int32", "sum"
    scatter_on, edges = "all", "both"
    scatter = """
        int shared = 0;
        for (int i = 0; i < num_neighbors; ++i)
            shared += has_edge(e.dst, neighbor(i)) ? 1 : 0;
        send(shared);
    """
    apply = "v.triangles = msg / 2;"


class TrianglesByMerging(VertexProgram):
    """The same once more: the sorted neighbors of an arc's two ends, side by side."""

    triangles = vertex.int32()
    supersteps = param.supersteps(1)
    message, combine = "int32", "sum"
    scatter_on, edges = "all", "both"
    scatter = """
        int shared = 0;
        for (int i = 0, j = 0; i < num_neighbors && j < num_neighbors_of(e.dst);) {
            const int mine = neighbor(i), theirs = neighbor_of(e.dst, j);
            shared += mine == theirs;
            i += mine <= theirs;
            j += theirs <= mine;
        }
        send(shared);
    """
    apply = "v.triangles = msg / 2;"


class TrianglesByMessages(VertexProgram):
    """The same once more: who of those that wrote to a vertex know each other."""

    triangles = vertex.int32()
    supersteps = param.supersteps(1)
    message = "int32"
    scatter_on, edges = "all", "both"
    scatter = "send(v.id);"
    gather = """
        int found = 0;
        for (int i = 0; i < num_messages; ++i)
            for (int j = 0; j < i; ++j)
                found += has_edge(messages[i], messages[j]) ? 1 : 0;
        msg = found;
    """
    apply = "v.triangles = msg;"


def triangles(graph: Graph) -> list[int]:
    simple = nx.Graph(to_networkx(graph))
    simple.remove_edges_from(list(nx.selfloop_edges(simple)))
    found = nx.triangles(simple)
    return [found[v] for v in range(graph.num_vertices)]


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", [0, 1])
def test_triangles_of_any_graph(seed, directed):
    graph = random_graph(seed, directed=directed, vertices=40, edges=200)
    expected = triangles(graph)
    for delivery in ("auto", "slots", "serial"):
        result = Engine(graph).run(Triangles(), delivery=delivery)
        assert result.triangles.tolist() == expected, delivery
    assert max(expected) > 10


@pytest.mark.parametrize(
    ("program", "part"),
    thinned([Triangles, TrianglesByArcs, TrianglesByMerging, TrianglesByMessages], PARTS, by=4),
)
def test_triangles_of_a_simple_graph(program, part):
    drawn = skewed(2, 120, 700, directed=False)
    graph = Graph.from_edges(
        drawn.edge_src,
        drawn.edge_dst,
        num_vertices=120,
        directed=False,
        duplicates="first",
        self_loops="drop",
    )
    for delivery in part_of(["auto", *admitted(program())], part):
        result = Engine(graph).run(program(), delivery=delivery)
        assert result.triangles.tolist() == triangles(graph), delivery


@pytest.mark.parametrize(
    ("name", "in_all"), [("ego-Facebook.txt.gz", 1_612_010), ("ca-GrQc.txt.gz", 48_260)]
)
def test_triangles_of_real_graphs(name, in_all):
    graph = Graph.read(shared(f"edgelist/{name}"), directed=False, duplicates="first")
    result = Engine(graph).run(Triangles())
    assert result.triangles.sum() == 3 * in_all
    assert result.triangles.tolist() == triangles(graph)


class Around(VertexProgram):
    """Writes down what the adjacency says, in apply and in scatter."""

    supersteps = param.supersteps(1)
    count = vertex.int32(init=-1)
    places = vertex.int64(doc="each neighbor times its place, counted from 1")
    to_first = vertex.int32(doc="there is an arc to vertex 3, and one from it")
    next = vertex.int64(doc="the same of the vertex after it")
    sent = vertex.int64()
    message, combine = "int64", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(num_neighbors * 1000L + neighbor(num_neighbors - 1));"
    apply = """
        v.count = num_neighbors;
        for (int i = 0; i < num_neighbors; ++i)
            v.places += (i + 1L) * neighbor(i);
        const int after = (v.id + 1) % g.num_vertices;
        for (int i = 0; i < num_neighbors_of(after); ++i)
            v.next += (i + 1L) * neighbor_of(after, i);
        v.to_first = 2 * has_edge(v.id, 3) + (has_edge(3, v.id) ? 1 : 0);
        v.sent = msg;
    """


class AroundIn(Around):
    edges = "in"


class AroundBoth(Around):
    edges = "both"


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize(
    ("program", "delivery"),
    thinned([Around, AroundIn, AroundBoth], ["auto", "slots", "pull", "push"]),
)
def test_neighbors_are_the_ends_of_the_arcs_that_one_scatters_on(program, directed, delivery):
    graph = random_graph(7, directed=directed, vertices=40)
    arcs = sorted(arcs_of(graph, program.edges))
    near = [[w for u, w in arcs if u == v] for v in range(40)]
    result = Engine(graph).run(program(), delivery=delivery)
    assert result.count.tolist() == [len(x) for x in near]
    places = [sum((i + 1) * w for i, w in enumerate(x)) for x in near]
    assert result.places.tolist() == places
    assert result.next.tolist() == [*places[1:], places[0]]
    both = [2 * ((v, 3) in arcs) + ((3, v) in arcs) for v in range(40)]
    assert result.to_first.tolist() == both
    sent = [sum(1000 * len(near[u]) + near[u][-1] for u, w in arcs if w == v) for v in range(40)]
    assert result.sent.tolist() == sent


class Along(VertexProgram):
    """Adds up what arcs weigh, times the ids of their other ends, in all phases."""

    supersteps = param.supersteps(2)
    weight = edge.int64()
    cost = edge.float64(default=0.5)
    applied = vertex.int64()
    free = vertex.float64()
    sent = vertex.int64()
    message, combine = "int64", "sum"
    scatter_on = apply_on = "all"
    scatter = "if (e.dst == neighbor(0)) send(weight_to(0));"
    apply = """
        v.applied = v.free = 0;
        for (int i = 0; i < num_neighbors; ++i) {
            v.applied += (i + 1) * weight_to(i) * neighbor(i);
            v.free += cost_to(i);
        }
        v.sent = msg;
    """


class AlongIn(Along):
    edges = "in"


class AlongBoth(Along):
    edges = "both"


class AlongAlternate(Along):
    edges = "alternate"


@pytest.mark.parametrize("directed", one_in(2, [True, False]))
@pytest.mark.parametrize(
    ("program", "delivery"),
    [
        both
        for both in thinned(
            [Along, AlongIn, AlongBoth, AlongAlternate],
            ["auto", "slots", "pull", "push", "edges", "serial"],
        )
        if both.values != (AlongAlternate, "push")  # which refuses edges that alternate
    ],
)
def test_edge_fields_of_the_arcs_to_neighbors(program, directed, delivery):
    """In the order of neighbors, of parallel ones by edge id; missing fields have defaults."""
    drawn = random_graph(7, directed=directed, vertices=40)
    graph = drawn.with_edge_fields(weight=np.arange(drawn.num_edges) ** 2)
    arcs = []
    for u, v, w in zip(graph.edge_src, graph.edge_dst, graph.edge_fields["weight"], strict=True):
        out, in_ = (int(u), int(v), int(w)), (int(v), int(u), int(w))
        ways = {"out": [out], "in": [in_], "both": [out, in_], "alternate": [in_]}[program.edges]
        arcs += dict.fromkeys(ways if directed else [out, in_])  # a loop is one arc
    arcs.sort()  # weights grow with edge ids
    near = [[(v, w) for u, v, w in arcs if u == x] for x in range(40)]
    result = Engine(graph).run(program(), delivery=delivery)
    applied = [sum((i + 1) * v * w for i, (v, w) in enumerate(x)) for x in near]
    assert result.applied.tolist() == applied
    assert result.free.tolist() == [len(x) / 2 for x in near]
    sent = np.zeros(40, int)
    for u, v, _ in arcs:
        sent[v] += near[u][0][1] if v == near[u][0][0] else 0
    assert result.sent.tolist() == sent.tolist()


def test_edge_fields_are_checked_where_only_neighbors_read_them():
    with pytest.raises(GasclError, match=r"reads .*weight, but the graph has no such edge field"):
        Engine(grid(2, 2)).run(Along())


class Ring(VertexProgram):
    """Every vertex looks at others far away, in both phases, while all of them change."""

    step = param.int32()
    supersteps = param.supersteps(4)
    x = vertex.int32(init="v.id * v.id")
    y = vertex.int32()
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(x_of((e.dst + p.step) % g.num_vertices) % 1009);"
    apply = """
        v.x = v.x + 1;
        v.x = x_of((v.id + p.step) % g.num_vertices) + msg;
        v.y = x_of(v.id);
    """


@pytest.mark.parametrize(
    ("step", "delivery"),
    thinned([0, 1, 17], ["auto", "slots", "pull", "push", "edges", "serial"], by=6),
)
def test_fields_are_as_they_were_when_the_phase_began(step, delivery):
    graph = random_graph(8, directed=True, vertices=40)
    x = np.arange(40) ** 2
    src, dst = graph.edge_src, graph.edge_dst
    for _ in range(4):
        y, total = x, np.zeros(40, int)
        np.add.at(total, dst, x[(dst + step) % 40] % 1009)
        x = np.roll(x, -step) + total
    assert len(src) == len(dst)
    result = Engine(graph).run(Ring(step=step), delivery=delivery)
    assert result.x.tolist() == x.tolist()
    assert result.y.tolist() == y.tolist()


class Outside(VertexProgram):
    """Asks for vertex `asked` in the way that `what` says."""

    asked = param.int64()
    what = param.int32()
    supersteps = param.supersteps(3)
    x = vertex.int32()
    message, combine = "int32", "min"
    scatter_on = apply_on = "all"
    scatter = """
        if (v.id == 2 && superstep == 1) {
            if (p.what == 0)
                send(x_of(p.asked));
            if (p.what == 1)
                send(has_edge(p.asked, 0));
            if (p.what == 2)
                send(has_edge(0, p.asked));
            if (p.what == 3)
                send_to(p.asked, 0);
        }
    """


@pytest.mark.parametrize("delivery", ["slots", "push", "serial"])
@pytest.mark.parametrize("asked", [-1, 9, 2**40])
@pytest.mark.parametrize("what", range(4))
def test_ids_out_of_range_stop_the_run(what, asked, delivery):
    """With the sender's label, the superstep and the line."""
    graph = Graph.from_edges(np.arange(8), np.arange(1, 9), labels=list("abcdefghi"))
    with pytest.raises(GasclError) as raised:
        Engine(graph).run(Outside(asked=asked, what=what), delivery=delivery)
    text = str(raised.value)
    assert "'c'" in text and "superstep 1" in text and "test_adjacency.py:" in text
    Engine(grid(3, 3)).run(Outside(asked=8, what=what), delivery=delivery)


class AllEdges(VertexProgram):
    """To which vertices there is an arc: a bit for each."""

    supersteps = param.supersteps(1)
    bits = vertex.uint64()
    scatter_on = apply_on = "all"
    apply = """
        for (int to = 0; to < g.num_vertices; ++to)
            v.bits |= (ulong)has_edge(v.id, to) << to;
    """


@pytest.mark.parametrize("parallel", [False, True])
def test_has_edge_finds_each_entry_of_rows_of_any_length(device, parallel):
    rng = np.random.default_rng(3)
    rows = [rng.choice(64, v, replace=False) for v in range(64)]
    src = np.repeat(np.arange(64), np.arange(64))
    dst = np.concatenate(rows)
    if parallel:
        some = rng.integers(0, len(src), 500)
        src, dst = np.append(src, src[some]), np.append(dst, dst[some])
    expected = [sum(1 << int(to) for to in row) for row in rows]
    graph = Graph.from_edges(src, dst, num_vertices=64)
    assert Engine(graph, device).run(AllEdges()).bits.tolist() == expected
