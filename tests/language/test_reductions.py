"""Which loops over neighbors only reduce, and what they reduce to."""

from __future__ import annotations

import pytest

from gascl import VertexProgram, edge, param, struct, vertex
from gascl.language.reductions import neighbor_loops
from gascl.programs import AlternatingLabelPropagation, LabelPropagation


def loops(apply: str, real: str = "float32", **more):
    pair = struct([("a", "int32"), ("b", "int32")])
    body = {
        "Pair": pair,
        "x": vertex.int32(),
        "wide": vertex.int64(),
        "low": vertex.uint32(),
        "y": vertex.real(),
        "d": vertex.float64(),
        "pair": vertex.struct(pair, init="(Pair){0, 0}"),
        "weight": edge.real(default=1),
        "limit": param.real(0.5),
        "scatter_on": "all",
        "apply_on": "all",
        "supersteps": param.supersteps(1),
        "apply": apply,
        **more,
    }
    if "d_of" not in apply and "v.d" not in apply:
        del body["d"]
    return neighbor_loops(type("P", (VertexProgram,), body).spec, real)


def turns(body: str, before: str = "", after: str = "", **more):
    """The only loop: with the head that most have."""
    head = "for (int i = 0; i < num_neighbors; ++i)"
    (loop,) = loops(f"{before} {head} {body} {after}", **more)
    return loop


def reduced(body: str, before: str = "", **more) -> list[tuple[str, str, str]]:
    loop = turns(body, before, **more)
    assert loop.reduction, loop.why_not
    return [(a.name, a.type, a.how) for a in loop.reduction.accumulators]


@pytest.mark.parametrize(
    ("before", "body", "found"),
    [
        ("long sum = 0;", "sum += x_of(neighbor(i));", [("sum", "long", "+")]),
        ("", "v.wide -= x_of(neighbor(i)) * 2;", [("v.wide", "long", "+")]),
        ("int n = 0;", "if (y_of(neighbor(i)) > p.limit) ++n;", [("n", "int", "+")]),
        ("int n = 0;", "n += y_of(neighbor(i)) > 0.5f && v.y < 1;", [("n", "int", "+")]),
        ("int n = 0;", "n += y_of(neighbor(i)) > 0.5f ? 2 : 0;", [("n", "int", "+")]),
        ("int n = 0;", "{ if (x_of(neighbor(i)) < 3) continue; n++; }", [("n", "int", "+")]),
        ("", "v.x = max(v.x, x_of(neighbor(i)));", [("v.x", "int", "max")]),
        ("", "v.y = fmin(y_of(neighbor(i)) + weight_to(i), v.y);", [("v.y", "float", "fmin")]),
        ("", "if (x_of(neighbor(i)) < v.x) v.x = x_of(neighbor(i));", [("v.x", "int", "min")]),
        (
            "real best = 0;",
            "{ const real a = y_of(neighbor(i)); if (best < a) { best = a; } }",
            [("best", "float", "max")],
        ),
        (
            "int best = -1, where = -1; real there = 0;",
            """{
                const int other = neighbor(i);
                if (x_of(other) > best) {
                    where = other;
                    best = x_of(other);
                    there = y_of(other);
                }
            }""",
            [("where", "int", ">"), ("there", "float", ">"), ("best", "int", "max")],
        ),
        (
            "real least = INFINITY;",
            "if (least > weight_to(i)) { least = weight_to(i); v.x = neighbor(i); }",
            [("v.x", "int", "<"), ("least", "float", "min")],
        ),
        ("uint bits = 0;", "bits |= 1u << x_of(neighbor(i));", [("bits", "uint", "|")]),
        ("bool all = true;", "all &= x_of(neighbor(i)) > 3;", [("all", "bool", "&")]),
        ("bool all = true;", "all = all && x_of(neighbor(i)) > 3;", [("all", "bool", "&&")]),
        (
            "bool any = false;",
            "if (x_of(neighbor(i)) > v.x) { any = true; break; }",
            [("any", "bool", "= true")],
        ),
        (
            "int a = 0, b = 0; real c = 0;",
            "{ a += i; b ^= neighbor(i); if (has_edge(neighbor(i), 0)) c += weight_to(i); }",
            [("a", "int", "+"), ("b", "int", "^"), ("c", "float", "+")],
        ),
        # Loops in a turn, with variables of its own.
        (
            "",
            """{
                const int other = neighbor(i), most = num_neighbors_of(other);
                for (int j = 0, k = 0; j < num_neighbors && k < most;) {
                    const int a = neighbor(j), b = neighbor_of(other, k);
                    v.wide += a == b;
                    j += a <= b;
                    k += b <= a;
                }
            }""",
            [("v.wide", "long", "+")],
        ),
        (
            "",
            "{ real sum = 0; int j; for (j = 0; j < 9; ++j) sum += y_of(j); v.y += sum; }",
            [("v.y", "float", "+")],
        ),
        (
            "int n = 0;",
            "{ int k = i; while (k > 0) { k /= 2; if (x_of(k) == 3) break; ++n; } }",
            [("n", "int", "+")],
        ),
        (
            "int n = 0;",
            "{ real least = 9; if (y_of(i) < least) least = y_of(i); n += least < 3; }",
            [("n", "int", "+")],
        ),
    ],
)
def test_reductions(before, body, found):
    assert reduced(body, before) == found


@pytest.mark.parametrize(
    ("before", "body", "why"),
    [
        ("", "{ set_mask_of(neighbor(i)); if (i > 9) break; }", "it ends early"),
        ("int n = 0;", "n += (set_mask_of(i), 1);", "it changes something within an expression"),
        ("", "{ set_mask_of(neighbor(i)); set_mask(); }", "it calls set_mask"),
        ("int n = 0;", "{ int j = 3; do n += j; while (--j); }", "another loop in it"),
        ("real s = 0;", "for (int j = 0; j < 3; ++j) s += j;", "a float, in an inner loop"),
        ("int n = 0, k = 0;", "{ { int k = 2; n += k; } k += 1; n += 2; }", "it changes k"),
        ("int n = 0, k = 0;", "for (k = 0; k < 3; ++k) ++n;", "it reads k"),
        ("int n = 0;", "for (int j = 0; j < 3; ++j) { if (x_of(j)) return; ++n; }", "it returns"),
        ("int n = 0;", "for (int j = 0; j < n; ++j) ++n;", "it reads n"),
        ("int n = 0;", "{ int k = 3; while (k--) ++n; }", "within an expression"),
        ("int n = 0;", "{ int k[2] = {1, 2}; n += k[1]; }", "declares more than numbers"),
        ("int n = 0;", "{ n += x_of(neighbor(i)); if (n > 9) break; }", "it reads n"),
        ("int n = 0;", "{ ++n; if (x_of(neighbor(i)) > 9) break; }", "it ends early"),
        ("int n = 0;", "{ if (x_of(neighbor(i)) > 9) return; ++n; }", "it returns"),
        ("int n = 0, last = 0;", "{ ++n; last = neighbor(i); }", "to last, but no sum"),
        ("int n = 0;", "n = 2 * n + 1;", "to n, but no sum"),
        ("int n = 0;", "n += y_of(neighbor(i));", "a wider type"),
        ("real s = 0;", "s += d_of(neighbor(i));", "a wider type"),
        ("int n = 0;", "n += pair_of(neighbor(i)).a;", "the type of pair_of is not known"),
        ("int n = 0;", "n += helper(i);", "the type of helper is not known"),
        ("int a[3] = {0, 0, 0};", "a[i % 3] += 1;", "more than reduce"),
        ("int n = 0;", "{ n += 1; n = max(n, i); }", "in several ways"),
        ("real s = 0;", "{ s += 1; s += y_of(neighbor(i)); }", "in several places"),
        ("int n = 0; int *q = &n;", "n += i;", "takes the address of n"),
        ("int n = 0;", "{ n += i; i += 1; }", "it changes i"),
        ("int n = 0, k = 0;", "n += k++;", "within an expression"),
        ("", "if (low_of(neighbor(i)) < v.x) v.x = low_of(neighbor(i));", "has another type"),
        ("", "{ const int a = 1; }", "it computes nothing"),
        ("int n = 0, k = 0;", "if (i >= n) { n = i; k = neighbor(i); }", "compare by < or >"),
        ("int n = 0, k = 0;", "if (i > n) { k = n; n = i; }", "it reads n"),
        ("int n = 0, k = 0;", "if (i > n) { n = i; k += 1; }", "it does more than assign"),
        ("int n = 0, k = 0;", "{ if (i > n) { n = i; k = 1; } n = max(n, 3); }", "several places"),
        (
            "int n = 0, k = 0, m = 9;",
            "{ if (i > n) { n = i; k = 1; } if (i < m) { m = i; k = 2; } }",
            "in several ways",
        ),
        ("int n = 0, k = 0;", "{ if (i > n) { n = i; k = 1; } k = 1; }", "in several ways"),
        ("int n = 0, k = 0;", "n = max(n, next(&k));", "a pointer or an array"),
        ("int n = 0, a[2];", "if (next(a)) ++n;", "a pointer or an array"),
    ],
)
def test_other_loops_are_none(before, body, why):
    loop = turns(body, before)
    assert loop.reduction is None and why in loop.why_not


@pytest.mark.parametrize(
    "head",
    [
        "for (uint i = 0; i < num_neighbors; i++)",
        "for (int i = 0; i != num_neighbors; i += 1)",
        "const int n = num_neighbors; for (long i = 0; i < n; ++i)",
    ],
)
def test_heads(head):
    (loop,) = loops(f"long sum = 0; {head} sum += x_of(neighbor(i));")
    assert loop.reduction


@pytest.mark.parametrize(
    "head",
    [
        "for (int i = 1; i < num_neighbors; ++i)",
        "for (int i = 0; i < num_neighbors; i += 2)",
        "for (int i = num_neighbors - 1; i >= 0; --i)",
        "int i = 0; while (i < num_neighbors)",
        "int n = num_neighbors; for (int i = 0; i < num_neighbors && n < 9; ++i)",
    ],
)
def test_other_heads(head):
    (loop,) = loops(f"long sum = 0; {head} sum += x_of(neighbor(i));")
    assert "it is not `for (int i = 0" in loop.why_not


def test_inner_loops_and_loops_over_anything_else_are_left_out():
    assert not loops("for (int k = 0; k < 3; ++k) for (int i = 0; i < num_neighbors; ++i) ++v.x;")
    assert not loops("for (int k = 0; k < 3; ++k) v.x += num_neighbors;")
    assert not loops("v.x = num_neighbors;")


def test_loops_may_have_variables_of_the_same_name():
    head = "for (int i = 0; i < num_neighbors; ++i)"
    inner = "{ int j = i; while (j > 0) { j /= 2; ++n; } for (int k = 0; k < 3; ++k) n += k; }"
    found = loops(f"int n = 0; {head} {inner} {head} {inner} v.x = n;")
    assert [loop.why_not for loop in found] == ["", ""]
    found = loops(f"int n = 0, j = 3; {head} {inner} {head} {inner} v.x = n + j;")
    assert [loop.reduction for loop in found] == [None, None]


@pytest.mark.parametrize("program", [LabelPropagation, AlternatingLabelPropagation])
def test_neighbors_of_a_vertex_that_changed_its_label_are_marked_by_all_items(program):
    (loop,) = neighbor_loops(program.spec, "float32")
    assert loop.reduction, loop.why_not


def test_only_sums_of_floats_have_an_order():
    ordered = [
        turns(body).reduction.ordered
        for body in ("v.x += i;", "v.y += weight_to(i);", "v.y = fmax(v.y, weight_to(i));")
    ]
    assert ordered == [False, True, False]


def test_reals_may_be_double():
    assert reduced("v.y += d_of(neighbor(i));", real="float64") == [("v.y", "double", "+")]


def test_the_places_of_a_loop():
    text = "long sum = 0; for (int i = 0; i < num_neighbors; ++i) sum += i; v.x = sum;"
    (loop,) = loops(text)
    found = loop.reduction
    assert (
        text[found.first : found.last].startswith("for (") and text[found.last :] == " v.x = sum;"
    )
    assert text[found.body : found.last] == "sum += i;"


def test_directives_and_jumps():
    loop = turns("++v.x;", "#if 1\n#endif\n")
    assert "directives or jumps" in loop.why_not
    loop = turns("++v.x;", "switch (v.x) { default: ; }")
    assert "directives or jumps" in loop.why_not
