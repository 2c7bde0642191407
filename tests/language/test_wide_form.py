"""What is refused where ids have 64 bits, since a compiler would not see it."""

from __future__ import annotations

import pytest

from gascl import VertexProgram, param, vertex
from gascl.language.wide_form import narrowing


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
