"""ProgramSpec: frozen, made of copies, and all that is read of a program."""

from dataclasses import FrozenInstanceError

import pytest

from gascl import VertexProgram, edge, param, vertex
from gascl.codegen.generate import generate
from gascl.language.combiners import EXPRESSION, MIN


class Nearest(VertexProgram):
    """Every kind of attribute that the tests below change."""

    source = param.vertex()
    distance = vertex.real(init="v.id == p.source ? 0 : INFINITY")
    weight = edge.real(default=1)
    message, combine = "real", "min"
    mask = "v.id == p.source"
    scatter = "send(v.distance + e.weight);"
    apply = "if (msg < v.distance) { v.distance = msg; set_mask(); }"
    stop = """
        superstep
            > 100
    """


def test_what_it_holds():
    spec = Nearest.spec
    assert spec.name == "Nearest"
    assert spec.message == "real"
    assert spec.combiner is MIN
    assert spec.stop == "superstep > 100"
    assert list(spec.vertex_fields) == ["distance"]
    assert list(spec.edge_fields) == ["weight"]
    assert list(spec.params) == ["source"]
    assert set(spec.snippets) == {"distance.init", "mask", "scatter", "apply", "stop"}
    assert spec.works and not spec.composite and not spec.asks_converged
    assert spec.message_type("float64").c == "double"
    assert spec.accumulator("float32", fp64=True).c == "float"
    assert not VertexProgram.spec.works


def test_it_is_frozen():
    spec = Nearest.spec
    with pytest.raises(FrozenInstanceError):
        spec.edges = "in"
    with pytest.raises(FrozenInstanceError):
        spec.snippets["apply"].text = ""
    for table in (spec.vertex_fields, spec.params, spec.snippets, spec.snippets["apply"].words):
        with pytest.raises(TypeError):
            table["more"] = None


def test_a_class_that_changes_later_is_still_what_was_checked(monkeypatch):
    before = generate(Nearest.spec).text
    monkeypatch.setattr(Nearest, "apply", "v.distance = no_such_thing;")
    monkeypatch.setattr(Nearest, "combine", "a + b")
    monkeypatch.setattr(Nearest, "distance", None)
    assert generate(Nearest.spec).text == before


def test_each_class_has_its_own():
    class Farther(Nearest):
        combine, identity = "a > b ? a : b", "-1"

    assert Farther.spec.combiner is EXPRESSION
    assert Nearest.spec.combiner is MIN
    assert Farther.spec.vertex_fields["distance"] == Nearest.spec.vertex_fields["distance"]
    assert Nearest(source=0).spec is Nearest.spec
