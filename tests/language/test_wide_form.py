"""Programs whose ids have 64 bits."""

import pytest

from gascl import VertexProgram, param, struct, vertex
from gascl.language.wide_form import narrowing, wide_form


class Names(VertexProgram):
    Named = struct([("name", "vertex"), ("cost", "real")])
    near = param.vertex()
    seen = vertex.vertex()
    count = vertex.int32()
    label = vertex.struct(Named, init="(Named){v.id, 1}")
    message, combine = "vertex", "max"
    scatter = "send(v.id);"
    apply = "v.seen = msg;"


def test_vertices_have_64_bits():
    program = Names(near=7)
    form = wide_form(program)
    fields = form.spec.vertex_fields
    types = [fields[name].resolve("float32").c for name in ("seen", "count")]
    assert types == ["long", "int"] and form.spec.message == "int64"
    assert [t.c for _, t in fields["label"].resolve("float32").members] == ["long", "float"]
    assert form.spec.params["near"].resolve("float32").c == "long"
    assert form.near == 7 and repr(form) == repr(program)
    assert form.spec.types == program.spec.types  # results take them for vertices
    assert type(wide_form(Names(near=8))) is type(form)
    assert Names.spec.message == "vertex" and type(program) is Names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("send((int)v.id);", "(int)"),
        ("send(( unsigned int )v.id);", "( unsigned int )"),
        ("send((short)v.id);", "(short)"),
        ("send(convert_uint(v.id));", "convert_uint"),
        ("send(v.id % (long)7);", ""),
        ("send(print(v.id));", ""),
    ],
)
def test_casts_to_fewer_bits(text, found):
    cls = type("Casts", (Names,), {"scatter": text, "functions": "long print(long x);"})
    assert narrowing(cls.spec) == found
