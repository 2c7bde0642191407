"""The oracle itself, against results computed by hand or by other libraries."""

from __future__ import annotations

import networkx
import pytest
from support.oracle import Inexact, PlainGraph, run
from support.program_tree import Assign, Bin, Const, Field, If, Make, Program, Send, SetMask, Var
from support.values import components, layout


def v(name: str) -> Var:
    return Var("v", name)


MSG, ID = Var("", "msg"), v("id")
PATH_OF_5 = PlainGraph(5, ((0, 1), (1, 2), (2, 3), (3, 4)))


def test_breadth_first_on_a_path() -> None:
    shorter = Bin("<", MSG, v("depth"))
    outcome = run(
        Program(
            fields={"depth": Field("int32", Const(99))},
            message="int32",
            combine="min",
            mask=Bin("==", ID, Const(1)),
            init=(If(Bin("==", ID, Const(1)), (Assign("depth", Const(0)),)),),
            scatter=(Send(Bin("+", v("depth"), Const(1))),),
            apply=(If(shorter, (Assign("depth", MSG), SetMask())),),
        ),
        PATH_OF_5,
    )
    assert outcome.fields["depth"].tolist() == [99, 0, 1, 2, 3]
    assert (outcome.supersteps, outcome.converged) == (4, True)
    assert [s.active for s in outcome.trace] == [1, 1, 1, 1]
    assert [s.messages for s in outcome.trace] == [1, 1, 1, 0]


def test_counts_arcs() -> None:
    graph = PlainGraph(4, ((0, 1), (0, 1), (2, 1), (1, 1), (3, 0)))
    count = Program(
        fields={"n": Field("int32")},
        message="int32",
        combine="sum",
        scatter=(Send(Const(1)),),
        apply=(Assign("n", MSG),),
    )
    assert run(count, graph).fields["n"].tolist() == [1, 4, 0, 0]
    undirected = PlainGraph(4, graph.edges, directed=False)
    assert run(count, undirected).fields["n"].tolist() == [3, 4, 1, 1]
    assert run(count, undirected).trace[0].messages == 9  # two arcs an edge, one a self-loop


def test_page_rank() -> None:
    g = networkx.gnp_random_graph(20, 0.2, seed=3, directed=True)
    g.add_edges_from((i, (i + 1) % 20) for i in range(20))  # no vertex without an arc
    graph = PlainGraph(20, tuple(g.edges))
    spread = Bin("/", Const(1 - 0.85), Var("g", "num_vertices"))
    outcome = run(
        Program(
            fields={"rank": Field("real", Bin("/", Const(1.0), Var("g", "num_vertices")))},
            message="real",
            combine="sum",
            scatter_on="all",
            apply_on="all",
            scatter=(Send(Bin("/", v("rank"), v("out_degree"))),),
            apply=(Assign("rank", Bin("+", Bin("*", MSG, Const(0.85)), spread)),),
            supersteps=100,
        ),
        graph,
        dtype="float64",
    )
    expected = networkx.pagerank(g, alpha=0.85, tol=1e-12)
    ranks = outcome.fields["rank"].tolist()
    assert outcome.supersteps == 100
    assert ranks == pytest.approx([expected[i] for i in range(20)], abs=1e-10)


def test_refuses_what_is_inexact() -> None:
    big = Program(
        fields={"x": Field("real", Const(1))},
        message="real",
        combine="sum",
        scatter=(Send(Bin("*", Const(2**20), Const(2**5))),),
    )
    with pytest.raises(Inexact):
        run(big, PATH_OF_5)


def test_refuses_a_member_that_does_not_fit() -> None:
    kind = {"S": (("a", "int8"), ("b", "int32"))}
    far = Program(
        fields={"x": Field("S", Make("S", (Const(1000), Const(1))))},
        message="int32",
        combine="sum",
        structs=kind,
    )
    with pytest.raises(Inexact):
        run(far, PATH_OF_5)


def test_lays_out_structs_as_c_does() -> None:
    structs = {
        "A": (("a", "int8"), ("b", "float64"), ("c", "int16")),
        "B": (("a", "real2"), ("b", "uint8"), ("c", "uchar4")),
        "C": (("a", "int16"), ("b", "float3")),
    }
    assert layout("A", structs, "float32") == (24, 8)
    assert layout("B", structs, "float32") == (16, 8)
    assert layout("B", structs, "float64") == (32, 16)
    assert layout("C", structs, "float32") == (32, 16)
    assert layout("int16", {}, "float32") == (2, 2)  # NumPy's name, not OpenCL's
    assert components("B", structs) == (
        *(("a.x", "real"), ("a.y", "real"), ("b", "uint8")),
        *((f"c.{name}", "uint8") for name in "xyzw"),
    )
