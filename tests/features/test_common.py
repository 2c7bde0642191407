"""Common neighbors: `common`, `for_common` and the edge fields of its arcs, against sets of ids."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from support.admitting_deliveries import admitted
from support.samples import random_graph, to_networkx

from gascl import Engine, Graph, VertexProgram, edge, param, vertex


class Counted(VertexProgram):
    """Of each arc, by the receiver; and of each vertex and some other, by the vertex."""

    supersteps = param.supersteps(1)
    along = vertex.int64()
    across = vertex.int32()
    message, combine = "int64", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(common(e.src, e.dst));"
    apply = """
        v.along = msg;
        v.across = common(v.id, (v.id * 7 + 3) % g.num_vertices);
    """


class Visited(Counted):
    """The same by visits, and weights: of parallel arcs, those of the first."""

    weight = edge.int32()
    first = vertex.int64()
    second = vertex.int64()
    scatter = """
        long last = -1, found = 0;
        for_common(w, e.src, e.dst) {
            if (w <= last)
                found += 1000000;  // they are in ascending order
            last = w;
            if (w % 2)
                continue;
            ++found;
        }
        for_common(w, e.src, e.dst) {
            if (w > 20)
                break;
            if (w % 2)
                ++found;
        }
        for_common(w, e.src, e.dst)
            if (w > 20 && w % 2)
                ++found;
        send(found);
    """
    apply = """
        v.along = msg;
        const int other = (v.id * 7 + 3) % g.num_vertices;
        for_common(w, v.id, other) {
            ++v.across;
            v.first += weight_from_first(w) * (w + 1);
            int inside = 0;
            for_common(u, w, other)  // loops are inside each other
                inside += weight_from_second(u) * weight_from_first(w);
            v.second += weight_from_second(w) * (w + 1) + 100000L * inside;
        }
    """


def rows_of(graph: Graph, edges: str) -> list[dict[int, int]]:
    """The neighbors of each vertex, and the weight of the first arc to each."""
    rows: list[dict[int, int]] = [{} for _ in range(graph.num_vertices)]
    weights = graph.edge_fields["weight"].tolist()
    for a, b, weight in zip(graph.edge_src, graph.edge_dst, weights, strict=True):
        if edges in ("out", "both") or not graph.directed:
            rows[a].setdefault(int(b), weight)
        if edges in ("in", "both") or not graph.directed:
            rows[b].setdefault(int(a), weight)
    return rows


def dense(directed: bool) -> Graph:
    """Rows of dozens of entries, with loops, parallel edges, and a hub with all vertices."""
    rng = np.random.default_rng(directed)
    ends = rng.integers(0, 60, (2, 2200))
    ends = np.concatenate([ends, ends[:, :400], [[0] * 900, np.arange(900)]], axis=1)
    weight = rng.integers(1, 9, ends.shape[1])
    return Graph.from_edges(*ends, num_vertices=900, directed=directed, weight=weight)


def sparse(directed: bool) -> Graph:
    graph = random_graph(4, directed=directed, vertices=50, edges=260)
    weight = np.random.default_rng(1).integers(1, 9, graph.num_edges)
    return graph.with_edge_fields(weight=weight)


def expected(graph: Graph, edges: str) -> dict[str, list[int]]:
    rows, count = rows_of(graph, edges), graph.num_vertices

    def common(a: int, b: int) -> list[int]:
        return sorted(rows[a].keys() & rows[b].keys() - {a, b})

    found = {name: [0] * count for name in ("along", "across", "first", "second")}
    arcs = graph.arcs(edges)
    for a, b in zip(arcs.out.rows.tolist(), arcs.out_targets.tolist(), strict=True):
        found["along"][b] += len(common(a, b))
    for v in range(count):
        other = (v * 7 + 3) % count
        for w in common(v, other):
            found["across"][v] += 1
            found["first"][v] += rows[v][w] * (w + 1)
            inside = sum(rows[other][u] * rows[v][w] for u in common(w, other))
            found["second"][v] += rows[other][w] * (w + 1) + 100_000 * inside
    return found


CASES = [
    (sparse, True, "out"),
    (sparse, True, "in"),
    (sparse, False, "out"),
    (dense, True, "both"),
    (dense, False, "both"),
]


@pytest.mark.parametrize(("make", "directed", "edges"), CASES)
def test_common_neighbors(device, make, directed, edges):
    graph = make(directed)
    wanted = expected(graph, edges)
    assert max(wanted["across"]) > 1 and max(wanted["along"]) > 1
    for program in (Counted, Visited):
        cls = type(program.__name__, (program,), {"edges": edges})
        deliveries = admitted(cls(), device) if edges == "both" else ["auto"]
        for delivery in deliveries:
            result = Engine(graph, device).run(cls(), delivery=delivery)
            for name in result.fields:
                assert result[name].tolist() == wanted[name], (name, delivery)


def test_counts_inside_of_visits(device):
    """Both look into the receiver's row."""

    class Inside(VertexProgram):
        supersteps = param.supersteps(1)
        found = vertex.int64()
        message, combine = "int64", "sum"
        scatter_on = apply_on = "all"
        scatter = """
            long found = 0;
            for_common(w, e.src, e.dst)
                found += common(w, e.dst) * (w + 1L);
            send(found);
        """
        apply = "v.found = msg;"

    graph = dense(False)
    rows, arcs = [row.keys() for row in rows_of(graph, "out")], graph.arcs("out")
    wanted = [0] * graph.num_vertices
    for a, b in zip(arcs.out.rows.tolist(), arcs.out_targets.tolist(), strict=True):
        for w in rows[a] & rows[b] - {a, b}:
            wanted[b] += len(rows[w] & rows[b] - {w, b}) * (w + 1)
    assert Engine(graph, device).run(Inside()).found.tolist() == wanted


def test_more_vertices_than_are_marked(device):
    """A million vertices, of which 60 have neighbors."""
    rng = np.random.default_rng(5)
    ids = np.sort(rng.choice((1 << 20) + 9, 60, replace=False))
    ends = rng.integers(0, 60, (2, 1500))
    graph = Graph.from_edges(*ids[ends], num_vertices=(1 << 20) + 9, directed=False)
    rows: list[set[int]] = [set() for _ in range(60)]
    for a, b in ends.T.tolist():
        rows[a].add(b)
        rows[b].add(a)
    wanted = [0] * 60
    for a, b in [*ends.T.tolist(), *(pair[::-1] for pair in ends.T.tolist() if pair[0] != pair[1])]:
        wanted[b] += len(rows[a] & rows[b] - {a, b})
    program = type("Along", (Counted,), {"apply": "v.along = msg;"})
    along = np.asarray(Engine(graph, device).run(program()).along)
    assert along[ids].tolist() == wanted and along.sum() == sum(wanted)


def test_as_networkx_has_them(device):
    graph = sparse(False)
    G, count = nx.Graph(to_networkx(graph)), graph.num_vertices
    found = Engine(graph, device).run(Counted()).across.tolist()
    pairs = [(v, (v * 7 + 3) % count) for v in range(count)]
    assert found == [len(list(nx.common_neighbors(G, *pair))) for pair in pairs]


def test_a_vertex_with_itself(device):
    class Different(VertexProgram):
        supersteps = param.supersteps(1)
        neighbors = vertex.int32()
        edges, scatter_on, apply_on = "both", "all", "all"
        apply = "v.neighbors = common(v.id, v.id);"

    graph = dense(True)
    rows = rows_of(graph, "both")
    found = Engine(graph, device).run(Different()).neighbors.tolist()
    assert found == [len(rows[v].keys() - {v}) for v in range(graph.num_vertices)]


def test_debug_mode_and_lanes(device):
    graph = sparse(False)
    wanted = expected(graph, "out")
    result = Engine(graph, device, debug=True).run(Visited())
    assert all(result[name].tolist() == wanted[name] for name in result.fields)
    lanes = Engine(graph, device).run(type("Laned", (Visited,), {"lanes": 3})())
    assert all(lanes[name].T.tolist() == [wanted[name]] * 3 for name in lanes.fields)


def test_the_loop_declares_its_variable(device):
    """So that it may be named as a field is."""

    class Named(VertexProgram):
        supersteps = param.supersteps(1)
        rank = vertex.int32()
        scatter_on = apply_on = "all"
        apply = "for_common(rank, v.id, 5) v.rank += rank;"

    graph = sparse(False)
    rows = rows_of(graph, "out")
    found = Engine(graph, device).run(Named()).rank.tolist()
    assert found == [sum(rows[v].keys() & rows[5].keys() - {v, 5}) for v in range(50)]


class Told(VertexProgram):
    """Scatter sends to common neighbors, and to the vertex after each; the messages are counted."""

    supersteps = param.supersteps(2)
    weight = edge.int32()
    heard = vertex.int64()
    message, combine = "int64", "sum"
    scatter_on = apply_on = "all"
    scatter = """
        for_common(w, e.dst, e.src) {
            send_to(w, weight_from_first(w) - 4);
            send_to((w + 1) % g.num_vertices, 1000000);
            for_common(u, w, e.dst)
                send_to(w, u);
            if (w % 5 == 0)
                break;
        }
        send_to(e.src, 1000);
        if (e.src % 2)
            send(e.weight);
    """
    apply = "v.heard += msg;"


def told(graph: Graph, edges: str) -> tuple[list[int], int]:
    """What each vertex has heard, and the number of messages, in a superstep."""
    rows, count = rows_of(graph, edges), graph.num_vertices
    heard, messages = [0] * count, 0
    arcs, weights = graph.arcs(edges), graph.edge_fields["weight"][graph.arcs(edges).out_edges]
    pairs = zip(arcs.out.rows.tolist(), arcs.out_targets.tolist(), weights.tolist(), strict=True)
    for a, b, weight in pairs:
        sent = [(a, 1000)] + [(b, weight)] * (a % 2)
        for w in sorted(rows[a].keys() & rows[b].keys() - {a, b}):
            sent += [(w, rows[b][w] - 4), ((w + 1) % count, 1_000_000)]
            sent += [(w, u) for u in rows[w].keys() & rows[b].keys() - {w, b}]
            if w % 5 == 0:
                break
        for to, value in sent:
            heard[to] += value
        messages += len(sent)
    return heard, messages


@pytest.mark.parametrize(("make", "directed", "edges"), CASES)
def test_messages_to_common_neighbors(device, make, directed, edges):
    graph = make(directed)
    heard, messages = told(graph, edges)
    program = type("Told", (Told,), {"edges": edges})()
    deliveries = admitted(program, device)
    assert {"pull", "edges", "push", "slots", "serial"} <= {*deliveries}
    for delivery in deliveries:
        result = Engine(graph, device).run(program, delivery=delivery)
        assert result.heard.tolist() == [2 * x for x in heard], delivery
        assert [s.messages for s in result.trace] == [messages] * 2, delivery


class Weighed(VertexProgram):
    """Floats for the corners of each triangle, which are added up in the order of the arcs."""

    supersteps = param.supersteps(2)
    weight = edge.int32()
    heard = vertex.real()
    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    scatter = """
        real sum = 0;
        for_common(w, e.src, e.dst) {
            const real share = (real)1 / (3 + weight_from_first(w)) + e.weight;
            send_to(w, share);
            sum += share;
        }
        send_to(e.src, sum);
        if (e.src % 2)
            send(sum / 3);
    """
    apply = "v.heard += msg;"


@pytest.mark.parametrize(("make", "directed", "edges"), CASES)
def test_floats_to_common_neighbors(device, make, directed, edges):
    graph = make(directed)
    rows, count = rows_of(graph, edges), graph.num_vertices
    heard, messages = np.zeros(count), 0
    arcs, weights = graph.arcs(edges), graph.edge_fields["weight"][graph.arcs(edges).out_edges]
    pairs = zip(arcs.out.rows.tolist(), arcs.out_targets.tolist(), weights.tolist(), strict=True)
    for a, b, weight in pairs:
        common = sorted(rows[a].keys() & rows[b].keys() - {a, b})
        shares = [1 / (3 + rows[a][w]) + weight for w in common]
        np.add.at(heard, common, shares)
        heard[a] += sum(shares)
        heard[b] += sum(shares) / 3 * (a % 2)
        messages += len(common) + 1 + a % 2
    program = type("Weighed", (Weighed,), {"edges": edges})(dtype="float64")
    deliveries = admitted(program, device)
    assert ("pull" in deliveries) == (device.facts.group == 1)
    for delivery in deliveries:
        results = [Engine(graph, device).run(program, delivery=delivery) for _ in range(2)]
        assert results[0].heard.tolist() == pytest.approx((2 * heard).tolist(), rel=1e-12)
        assert results[0].heard.tobytes() == results[1].heard.tobytes()
        assert [s.messages for s in results[0].trace] == [messages] * 2, delivery


@pytest.mark.parametrize(
    "scatter",
    [
        "for_common(w, e.src, e.dst) send_to(e.dst, 1);",
        "for_common(w, e.src, 0) send_to(w, 1);",
        "for_common(w, e.src, e.dst) for_common(u, e.src, e.dst) send_to(w, 1);",
        "for_common(w, e.src, e.dst) send_to(w, 1); int w = 7; send_to(w, 1);",
        "for_common(w, e.src, e.dst) { w = 7; send_to(w, 1); }",
    ],
)
def test_floats_whose_order_is_not_known(scatter):
    program = type("Unknown", (Weighed,), {"scatter": scatter})()
    assert admitted(program) == ["serial"]


class ByVertex(VertexProgram):
    """Each vertex sends what it has in common with another one: scatter does not read its arc."""

    supersteps = param.supersteps(2)
    heard = vertex.int64()
    message, combine = "int64", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(common(v.id, (v.id * 7 + 1) % g.num_vertices));"
    apply = "v.heard += msg;"


@pytest.mark.parametrize("edges", ["out", "alternate"])
def test_what_does_not_depend_on_the_arc(device, edges):
    ends = np.random.default_rng(5).integers(0, 60, (2, 400))
    linked = np.zeros((60, 60), np.int64)
    linked[ends[0], ends[1]] = linked[ends[1], ends[0]] = 1
    np.fill_diagonal(linked, 0)
    graph = Graph.from_edges(*np.nonzero(np.triu(linked)), num_vertices=60, directed=False)
    shared = linked @ linked
    sent = shared[np.arange(60), (np.arange(60) * 7 + 1) % 60]
    program = type("ByVertex", (ByVertex,), {"edges": edges})()
    for delivery in admitted(program, device):
        heard = Engine(graph, device).run(program, delivery=delivery).heard
        assert heard.tolist() == (2 * linked @ sent).tolist(), delivery


def test_no_kernel_leaves_an_arc_undefined():
    """`common` follows a pointer in it, also in an outbox, which has no arc. An undefined one ended
    the process, but only if something else had been on the stack before."""
    folder = files("gascl.codegen") / "kernels"
    made = [
        line.strip()
        for path in Path(str(folder)).rglob("*.cl")
        for line in path.read_text().splitlines()
        if re.match(r"\s*gascl_edge \w+( =|;)", line)
    ]
    assert made and all("=" in line for line in made)
