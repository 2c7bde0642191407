"""Messages that scatter sends back to its own vertex, which `pull` keeps for each arc first."""

from __future__ import annotations

import numpy as np
import pytest
from support.admitting_deliveries import admitted
from support.samples import skewed

from gascl import Engine, Graph, VertexProgram, edge, param, vertex


class Answered(VertexProgram):
    """Both ends of some arcs hear of them."""

    supersteps = param.supersteps(2)
    weight = edge.float64()
    heard = vertex.float64()
    message, combine = "float64", "sum"
    scatter_on = apply_on = "all"
    scatter = """
        if (e.src % 3 == 0)
            return;
        send_to(e.src, e.weight);
        if (e.dst % 2)
            send_to(e.src, superstep);
        send(e.weight * 1000);
    """
    apply = "v.heard = v.heard * 7 + msg;"


class Farthest(Answered):
    """By a combiner that is no sum, and to another vertex besides."""

    message, combine = "float64", "max"
    scatter = """
        send_to(e.src, e.weight - e.dst);
        if (e.dst % 2)
            send_to(e.dst / 2, e.weight);
        send(e.weight);
    """


def expected(graph: Graph, edges: str, program: type[VertexProgram]) -> np.ndarray:
    arcs = graph.arcs("out" if edges == "alternate" else edges)
    src, dst = arcs.out.rows.astype(np.int64), arcs.out_targets.astype(np.int64)
    weight = graph.edge_fields["weight"][arcs.out_edges]
    heard = np.zeros(graph.num_vertices)
    for superstep in range(2):
        if edges == "alternate" and superstep:
            src, dst = dst, src
        got = np.zeros(graph.num_vertices)
        if program is Answered:
            said = src % 3 != 0
            answer = weight + superstep * (dst % 2)
            np.add.at(got, src[said], answer[said])
            np.add.at(got, dst[said], 1000 * weight[said])
        else:
            got[:] = -np.inf
            odd = dst % 2 == 1
            np.maximum.at(got, src, weight - dst)
            np.maximum.at(got, dst, weight)
            np.maximum.at(got, dst[odd] // 2, weight[odd])
            got[np.isinf(got)] = 0
        heard = heard * 7 + got
    return heard


@pytest.mark.parametrize("program", [Answered, Farthest])
@pytest.mark.parametrize("edges", ["out", "in", "both", "alternate"])
@pytest.mark.parametrize("directed", [True, False])
def test_messages_to_the_sender(device, directed, edges, program):
    drawn = skewed(3, 200, 3000, directed=directed)
    graph = drawn.with_edge_fields(weight=np.random.default_rng(0).random(drawn.num_edges))
    wanted = expected(graph, edges, program)
    cls = type(program.__name__, (program,), {"edges": edges})
    able = admitted(cls(), device)
    if program is Answered:  # whose sums of floats have one order in these alone
        assert {*able} == {"pull", "serial"}
    else:
        assert {"pull", "slots", "edges", "serial"} <= {*able}
    engine = Engine(graph, device)
    for delivery in able:
        found = engine.run(cls(), delivery=delivery).heard
        np.testing.assert_allclose(found, wanted, rtol=1e-12, err_msg=delivery)
        if program is Answered:
            again = Engine(graph, device).run(cls(), delivery=delivery).heard
            assert found.tolist() == again.tolist()
    if program is Answered:
        assert engine.run(cls()).delivery == "pull"


def test_without_arcs(device):
    graph = Graph.from_edges([], [], num_vertices=5, weight=[])
    assert not Engine(graph, device).run(Answered()).heard.any()


def test_explain_names_no_atomic_operations(device):
    """What is kept for each arc is added up by rows."""
    graph = skewed(3, 200, 3000, directed=True)
    graph = graph.with_edge_fields(weight=np.ones(graph.num_edges))
    explained = Engine(graph, device).explain(Answered(), delivery="pull")
    assert "combine messages to a vertex" not in str(explained)
