"""Mistakes in a program and in what it is run with: each is one error that says what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from support.case_subsets import thinned

from gascl import (
    Engine,
    GasclError,
    Graph,
    GraphError,
    ProgramError,
    VertexProgram,
    struct,
    vertex,
)
from gascl.programs import BreadthFirst, ShortestPaths

RING = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0])


def program(**changes: Any) -> type[VertexProgram]:
    body: dict[str, Any] = {
        "x": vertex.int32(),
        "message": "int32",
        "combine": "sum",
        "scatter": "send(v.id + 1);",
        "apply": "v.x = msg;",
    }
    return type("Wrong", (VertexProgram,), body | changes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"apply": "v.x = msg; {"}, r"Wrong\.apply:1: .*unbalanced `{`"),
        ({"apply": "v.x = msg;\n}"}, r"Wrong\.apply:2: .*unbalanced `}`"),
        ({"apply": "v.x = (msg];"}, r"Wrong\.apply:1: .*unbalanced `\]`"),
        ({"mask": "(v.id == 0"}, r"Wrong\.mask:1: .*unbalanced `\("),
        ({"functions": "int one(void) {\n return 1;"}, r"Wrong\.functions:1: .*unbalanced `{`"),
        ({"scatter": 'send("a");'}, r"Wrong\.scatter:1: .*snippets cannot use strings"),
        ({"scatter": "send(v.x, 1);"}, r"Wrong\.scatter:1: .*send takes 1 argument, not 2"),
        ({"scatter": "send();"}, r"Wrong\.scatter:1: .*send takes 1 argument, not 0"),
        ({"scatter": "send_to(1);"}, r"Wrong\.scatter:1: .*send_to takes 2 arguments, not 1"),
        (
            {"lane": struct([("a", "int32")])},
            "'lane' is a word of the language and cannot be the name of a struct",
        ),
        (
            {"Pair": struct([("int", "int32")])},
            "'int' is a word of C and cannot be the name of a member of Pair",
        ),
    ],
)
def test_at_the_class(changes, words):
    with pytest.raises(ProgramError, match=words):
        program(**changes)


@pytest.mark.parametrize("name", ["mask", "stop"])
def test_an_expression_that_ends_too_early(name):
    wrong = program(**{name: "g.num_vertices =="})
    with pytest.raises(ProgramError, match=rf"Wrong\.{name}:1: error: expected expression"):
        Engine(RING).run(wrong())


def test_calls_with_commas_of_their_own():
    pair = struct([("a", "int32"), ("b", "int32")])
    right = program(
        Pair=pair,
        message=pair,
        combine="(Pair){a.a + b.a, max(a.b, b.b)}",
        identity="(Pair){0, INT_MIN}",
        scatter="send((Pair){v.id, min(7, (v.id + 1))});",
        apply="v.x = msg.a * 10 + msg.b;",
    )
    assert Engine(RING).run(right(), max_supersteps=1, not_converged="ignore").x.tolist() == [
        34,
        1,
        12,
        23,
    ]


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("x", np.zeros(3, np.int32), r"prepare left int32, \(3,\) .*expected .*int32, \(4,\)"),
        ("x", np.zeros(4, np.float32), r"prepare left float32, \(4,\)"),
        ("x", [1, 2, 3, 4], "prepare left list"),
        ("y", np.zeros(4, np.int32), "prepare added 'y' .*the vertex fields are x"),
    ],
)
def test_prepare_leaves_what_no_field_takes(name, values, words):
    def prepare(self, graph, initial):
        initial[name] = values

    with pytest.raises(ProgramError, match=words):
        Engine(RING).run(program(prepare=prepare)())


def test_a_redeclared_field_keeps_its_place():
    base = program(m=vertex.int32(init="v.x"))
    changed = type("Changed", (base,), {"x": vertex.int32(init=7)})
    assert list(changed.spec.vertex_fields) == ["x", "m"]
    result = Engine(RING).run(changed(), max_supersteps=1, not_converged="ignore")
    assert result.m.tolist() == [7] * 4


def test_start_as_a_mask():
    run = Engine(RING).run
    once: dict[str, Any] = {"max_supersteps": 1, "not_converged": "ignore"}
    for start in (np.array([False, False, True, True]), [False, False, True, True], [2, 3]):
        assert run(program()(), start=start, **once).x.tolist() == [4, 0, 0, 3]
    with pytest.raises(GasclError, match="start has 2 bools, but the graph has 4 vertices"):
        run(program()(), start=[True, False], **once)


@pytest.mark.parametrize("labels", [None, [5, 6, 1, 0]])
def test_a_bool_is_no_vertex(labels):
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], labels=labels)
    with pytest.raises(GraphError, match="True"):
        Engine(graph).run(BreadthFirst(source=True))


@pytest.mark.parametrize("delivery", thinned(["auto", "push", "pull", "slots", "edges"], by=5))
def test_an_unfinished_run_continues_on_a_changed_graph(delivery):
    line = Graph.from_edges(np.arange(9), np.arange(1, 10), weight=np.ones(9))
    first = Engine(line).run(
        ShortestPaths(source=0), max_supersteps=2, keep_state=True, not_converged="ignore"
    )
    longer = line.with_edges(add=[(9, 9)], weight=[1.0])
    second = Engine(longer).run(ShortestPaths(source=0), state=first.state, delivery=delivery)
    assert second.distance.tolist() == list(range(10))


@pytest.mark.parametrize(
    ("before", "delivery"),
    thinned(["push", "slots", "pull"], ["pull", "push", "slots", "edges"], by=6),
)
def test_another_program_starts_from_the_mask_that_was_left(before, delivery):
    marking = program(
        scatter="send(1);", mask="v.id < 2", apply="set_mask();", y=vertex.int32(init=0)
    )
    line = Graph.from_edges(np.arange(9), np.arange(1, 10))
    once: dict[str, Any] = {"max_supersteps": 1, "not_converged": "ignore"}
    first = Engine(line).run(marking(), keep_state=True, delivery=before, **once)
    second = Engine(line).run(
        program()(), state=first.state, start="mask", delivery=delivery, **once
    )
    # 1 and 2 are marked: 2 hears 1 + 1, and 3 hears 2 + 1.
    assert second.x.tolist() == [0, 0, 2, 3, 0, 0, 0, 0, 0, 0]


def test_start_as_an_array_beside_a_state():
    first = Engine(RING).run(ShortestPaths(source=0), keep_state=True)
    second = Engine(RING).run(ShortestPaths(source=0), state=first.state, start=np.array([0, 1]))
    assert second.distance.tolist() == [0, 1, 2, 3]


def test_what_auto_can_not_run():
    wide = program(
        message="float4", combine="a + b", identity="(float4)(0)", scatter=None,
        apply="send_to(0, (float4)(1)); v.x = msg.x;", apply_on="all",
    )  # fmt: skip
    with pytest.raises(ProgramError, match="auto: a combined message has 16 bytes"):
        Engine(RING).run(wide())


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (nx.path_graph(3), r"not networkx's Graph: give Engine\(Graph.from_networkx\(\.\.\.\)\)"),
        (nx.DiGraph(), r"not networkx's DiGraph: give Engine\(Graph.from_networkx"),
        ("a.mtx", r"not 'a.mtx': give Engine\(Graph.read\('a.mtx'\)\)"),
        (Path("a.mtx"), r"not '?.*a.mtx'?\)?: give Engine\(Graph.read\('a.mtx'\)\)"),
        ([(0, 1)], "not list: see Graph.read, Graph.from_edges"),
    ],
    ids=lambda x: type(x).__name__,
)
def test_what_is_no_graph(given, words):
    with pytest.raises(GasclError, match=f"Engine takes a gascl.Graph, {words}"):
        Engine(given)
