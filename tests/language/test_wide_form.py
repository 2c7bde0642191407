"""What is refused where ids have 64 bits, since a compiler would not see it."""

from __future__ import annotations

import pytest

from gascl import VertexProgram, param, vertex
from gascl.language.wide_form import narrowing, wide_form
from gascl.programs import BreadthFirst, PageRank


def spec_of(apply: str, functions: str = "") -> object:
    """A program with an id in most places."""
    body = {
        "near": param.vertex(),
        "count": vertex.int32(),
        "parent": vertex.vertex(),
        "message": "vertex",
        "combine": "min",
        "mask": "v.id == p.near",
        "scatter": "send(v.id);",
        "apply": apply,
        "functions": functions,
    }
    return type("Given", (VertexProgram,), body).spec


@pytest.mark.parametrize(
    ("apply", "found"),
    [
        ("v.count = (int)v.id;", "(int)"),
        ("v.count = (const int) msg;", "(const int)"),
        ("v.count = (unsigned short)v.id;", "(unsigned short)"),
        ("v.count = convert_int_sat(v.id);", "convert_int_sat"),
        ("v.count = as_uint2(v.id).x;", "as_uint2"),
        ("v.count += v.id;", "+= v.id"),
        ("int x = 0; x |= msg; v.count = x;", "|= msg"),
        ("v.count -= p.near;", "-= p.near"),
        ("v.count ^= v.parent;", "^= v.parent"),
        ("long y = v.id; v.count += y;", "+= y"),
        ("long y = 0, z = v.id; v.count += z;", "+= z"),
        ("size_t y = v.id; v.count -= y;", "-= y"),
        ("long2 y = (long2)(v.id, 0); v.count += y.x;", "+= y.x"),
        ("const long y = v.id, *z = &y; v.count += *z;", "+= *z"),
        ("__typeof__(v.id) y = v.id; v.count += y;", "+= y"),
        ("union { long a; int b; } u; u.a = v.id; v.count = u.b;", "union"),
    ],
)
def test_ids_must_not_be_cut_off(apply, found):
    assert narrowing(spec_of(apply)) == found


@pytest.mark.parametrize(
    "apply",
    [
        "v.parent = msg; v.count += 1;",
        "for (int i = 0; i < 3; ++i) v.count += i; v.parent = min(v.parent, msg);",
        "if ((v.id & 1) == 0) v.parent = v.id / 2;",
    ],
)
def test_other_arithmetic_is_possible(apply):
    assert not narrowing(spec_of(apply))


def test_a_type_of_ones_own_could_be_narrow():
    assert narrowing(spec_of("v.count = (T)v.id;", functions="typedef int T;")) == "typedef"


class Fields(VertexProgram):
    """Of its fields, `one`, `two` and `three` have the same value at every vertex."""

    scale = param.real(3)
    one = vertex.real(init="p.scale / g.num_vertices")
    two = vertex.int32(init=7)
    three = vertex.real(init="v.one + v.two")
    by_id = vertex.real(init="v.one * v.id")
    by_degree = vertex.int32(init="v.out_degree")
    drawn = vertex.real(init="uniform(1)")
    written = vertex.real(init=2)
    begun = vertex.real(init=2)
    sent = vertex.real(init=2)
    place = vertex.real2(init=1)
    message, combine = "real", "sum"
    init = "v.begun = v.two;"
    scatter = "send(v.sent);"
    apply = "v.written += msg * v.three + v.by_id;"


@pytest.mark.parametrize(
    ("program", "computed"),
    [
        (Fields(), ["one", "two", "three"]),
        (PageRank(), ["personalization", "landing"]),
        (BreadthFirst(source=0), []),
    ],
)
def test_fields_that_are_not_stored(program: VertexProgram, computed: list[str]) -> None:
    declared, form = type(program).spec, wide_form(program).spec
    assert [*form.computed] == computed and not declared.computed
    assert {*form.vertex_fields} == {*declared.vertex_fields} - {*computed}
