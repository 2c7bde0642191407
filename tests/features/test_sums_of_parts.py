"""`combine = "sum"` over vectors and structs of floats: part by part, in double."""

import numpy as np
import pytest
from support.case_subsets import thinned
from support.samples import random_graph

from gascl import Engine, Graph, ProgramError, VertexProgram, param, struct, vertex


class Vectors(VertexProgram):
    """A vector's three parts; two messages along some arcs."""

    x = vertex.real3()
    total = vertex.real3()
    supersteps = param.supersteps(1)
    message, combine = "real3", "sum"
    scatter_on = "all"
    scatter = "send(v.x); if (v.id % 3 == 0) send(v.x.zxy);"
    apply = "v.total = msg;"


class Structs(Vectors):
    """The same by a struct that holds a vector, and reads the arc."""

    Both = struct([("one", "real"), ("rest", "real2")])
    message = Both
    scatter = """
        send((Both){v.x.x, v.x.yz});
        if (e.src % 3 == 0)
            send((Both){v.x.z, v.x.xy});
    """
    apply = "v.total = (real3)(msg.one, msg.rest);"


@pytest.mark.parametrize(
    ("dtype", "sums"),
    thinned(
        ["float32", "float64"],
        [(Vectors, "outbox"), (Vectors, "serial"), (Structs, "pull"), (Structs, "slots")],
        by=4,
    ),
)
def test_sums(dtype, sums):
    cls, delivery = sums
    graph = random_graph(2, directed=True, vertices=60, edges=300)
    x = np.random.default_rng(0).random((60, 3)).astype(dtype)
    sent = x + (np.arange(60) % 3 == 0)[:, None] * x[:, [2, 0, 1]]
    total = np.zeros((60, 3))
    np.add.at(total, graph.edge_dst, sent[graph.edge_src].astype(np.float64))
    result = Engine(graph).run(cls(x=x, dtype=dtype), delivery=delivery)
    np.testing.assert_allclose(result.total, total, rtol=4 * np.finfo(dtype).eps)


def test_a_hub_s_sum_is_kept_in_double():
    hub = Graph.from_edges(np.arange(1, 300_001), np.zeros(300_000, int))
    result = Engine(hub).run(Vectors(x=np.full((300_001, 3), 0.1, np.float32)))
    # A third of the messages is of two parts, each rounded to float.
    arcs, twice = 300_000, 100_000
    one, two = np.float32(0.1).astype(float), np.float32(np.float32(0.1) * 2).astype(float)
    exact = (arcs - twice) * one + twice * two
    np.testing.assert_allclose(result.total[0], exact, rtol=1e-7)


def test_what_holds_integers_is_to_be_written_out():
    mixed = struct([("x", "real"), ("n", "int32")])
    with pytest.raises(
        ProgramError, match="sum' needs a scalar or array message, or a vector or struct of floats"
    ):
        type("Mixed", (Vectors,), {"M": mixed, "message": mixed, "scatter": "send((M){1, 1});"})
    with pytest.raises(
        ProgramError, match="'max' needs a scalar or array message; write it as an expression"
    ):
        type("Most", (Vectors,), {"combine": "max"})


@pytest.mark.parametrize("delivery", ["push", "edges"])
def test_atomics_do_not_take_them(delivery):
    graph = Graph.from_edges([0], [1])
    one = struct([("x", "float32")])
    single = type("Single", (Vectors,), {
        "One": one, "message": one, "scatter": "send((One){1});", "apply": "v.total.x = msg.x;",
    })  # fmt: skip
    runner = Engine(graph, deterministic=False)
    with pytest.raises(ProgramError, match="has 32 bytes"):
        runner.run(Vectors(), delivery=delivery)
    with pytest.raises(ProgramError, match="no atomics for its combiner"):
        runner.run(single(), delivery=delivery)
    assert runner.run(single()).total[:, 0].tolist() == [0, 1]


def test_debug_mode_sees_their_parts():
    wrong = type("Wrong", (Structs,), {"scatter": "send((Both){1, (real2)(1, log(v.x.x - 1))});"})
    with pytest.raises(ProgramError, match="vertex 0 computed NaN, in superstep 0"):
        Engine(Graph.from_edges([0], [1]), debug=True).run(wrong())
