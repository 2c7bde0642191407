"""Reading snippets: tokens, what is read and written, and whether `send` is reached always."""

from __future__ import annotations

import re

import pytest

from gascl.language.guards import functions_in, guarded
from gascl.language.snippet import Snippet
from gascl.language.source import ClassSource
from gascl.language.tokens import tokens as tokens_of


def made(text: str) -> Snippet:
    return Snippet.make("Some.apply", text, ClassSource("Some").places("apply", text))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("v.x+=1;", ["v", ".", "x", "+=", "1", ";"]),
        ("a<<=b>>c>>=d", ["a", "<<=", "b", ">>", "c", ">>=", "d"]),
        ("p->q--- -r", ["p", "->", "q", "--", "-", "-", "r"]),
        ("1e-5f 0x1p+3 .5 1.v", ["1e-5f", "0x1p+3", ".5", "1.v"]),
        ("a&&b||!c!=d==e<=f>=g", "a && b || ! c != d == e <= f >= g".split()),
        ("x/*y\n*/z//w\nu", ["x", "z", "u"]),
        (r'"a\"//b" c', [r'"a\"//b"', "c"]),
        (r"'\'' d", [r"'\''", "d"]),
        ("_a1 b_2", ["_a1", "b_2"]),
    ],
)
def test_tokens(text, tokens):
    assert [t.text for t in tokens_of(text)] == tokens


def test_lines_of_tokens():
    text = "a\n/* one\ntwo */ b // c\n\nd"
    assert [(t.text, t.line) for t in tokens_of(text)] == [("a", 0), ("b", 2), ("d", 4)]


READ = ["v.x", "y = v.x;", "y == v.x", "v.x == y", "v.x <= y", "v.x >= y", "v.x != y", "y + v.x"]
READ += ["y & v.x", "y[0] & v.x", "f(y) & v.x", "3 & v.x", "y && v.x", "y -- - v.x", "f(v.x)"]
READ += ["y[v.x] = 3", "y[v.x]++", "v.x, y = 3", "v.x ? y++ : 0", "-v.x", "v.x < 3", "w[1] = v.x"]
READ += ["v.x[0] == y", "v.x.s0 + y", "(real)v.x", "y->x = v.x", "/* v.x = */ v.x + 1"]
READ += ["(y)++ & v.x", "y++ & v.x", "sizeof(real) & v.x", "f(v.x).z = 3", "f(v.x)[0] = 3"]
READ += ["(y) & v.x", "((real)y + 1) & v.x", "for (; v.x;) ++y", "switch (v.x) { }", "y[(v.x)] = 1"]
READ += ["if (v.x) ++y;", "while (v.x) --y;", "if ((v.x)) ++y;", "f(v.x); ++y", "(y * 2) & v.x"]
WRITTEN = ["v.x = y", "v.x += y", "v.x -= y", "v.x *= y", "v.x /= y", "v.x %= y", "v.x &= y"]
WRITTEN += ["v.x |= y", "v.x ^= y", "v.x <<= y", "v.x >>= y", "v.x++", "v.x--", "++v.x", "-- v.x"]
WRITTEN += ["v.x.s0 = 1", "v.x.xy = y", "v.x[2] = 1", "v.x[y[1] + f(2)] += 1", "v.x[0].y++"]
WRITTEN += [
    "f(&v.x)",
    "y = &v.x",
    "f(y, & v . x)",
    "&v.x",
    "y = v.x = 3",
    "if (v.x = 3) y",
    "v.x\n= 3",
]
WRITTEN += ["(v.x.s0) = 1", "((v.x).s0) = 1", "++(v.x.s0)", "&(v.x.far)", "((v.x)[1])++"]
WRITTEN += ["do (v.x) = 3; while (y)", "else (v.x)++", "if (y) (v.x) = 3", "if (y) (v.x.s0)--"]
WRITTEN += ["(size_t)&v.x", "(const real)&v.x", "(real (*)[2])&v.x", "return &v.x", "else &v.x"]
WRITTEN += [
    "typedef real *Pointer; *(Pointer)&v.x = 3",
    "(uintptr_t)&v.x",
    "(__private int *const)&v.x",
]
WRITTEN += ["v.x \\\n= 3", "v.\\\nx = 3", "#define y\n(v.x) = 3", "#pragma y\n(v.x) = 3"]
WRITTEN += ["#if y\n;\n#endif\n(v.x) = 3", "#define INC(a) ++a\nINC(v.x)"]
WRITTEN += ["v /* the */ . x /* is */ = 3", "(v.x)++", "(v.x) = 3", "++(v.x)", "f((real *)&v.x)"]


@pytest.mark.parametrize("text", READ)
def test_reads(text):
    assert made(text).reads("v") == {"x"}
    assert made(text).writes("v") == set()


@pytest.mark.parametrize("text", WRITTEN)
def test_writes(text):
    assert made(text).reads("v") == {"x"}
    assert made(text).writes("v") == {"x"}


def test_writes_of_one_member_are_not_of_another():
    snippet = made("v.x[v.y].s0 = v.z = p.k; ++v.w; e.u = prev.t;")
    assert snippet.writes("v") == {"x", "z", "w"}
    assert snippet.reads("v") == {"x", "y", "z", "w"}
    assert snippet.writes("e") == {"u"}
    assert (snippet.reads("p"), snippet.writes("p")) == ({"k"}, set())
    assert (snippet.reads("prev"), snippet.writes("prev")) == ({"t"}, set())


@pytest.mark.parametrize(
    "text",
    ['printf("v.x");', "// v.x = 1", "/* v.x */", "a.v = 1;", "a->v.x = 1;", "q.e", "ve.x", "v_.x"],
)
def test_what_is_no_member(text):
    assert made(text).members == ()


def test_a_namespace_alone():
    assert [(m.namespace, m.name) for m in made("f(v);").members] == [("v", "")]
    assert [(m.namespace, m.name) for m in made("v = 1;").members] == [("v", "")]


def test_members_know_their_line():
    snippet = made("\n  v.x = 1;\n\n  v.y = 2;")
    assert [(m.name, m.line) for m in snippet.members] == [("x", 1), ("y", 3)]


@pytest.mark.parametrize(("text", "written"), [("msg = 1;", 1), ("msg.x++;", 1), ("y = msg;", 0)])
def test_writes_of_msg(text, written):
    assert sum(m.namespace == "msg" for m in made(text).members) == written


def test_words():
    snippet = made("int y = v.set_mask + f(superstep);\nset_mask(); // send(1)\nset_mask();")
    assert snippet.uses("set_mask")
    assert snippet.uses("nothing", "superstep")
    assert not snippet.uses("send")
    assert snippet.words == {"int": 0, "y": 0, "f": 0, "superstep": 0, "set_mask": 1}


ALWAYS = ["send(1);", "real x = 3; send(x);", "{ send(1); }", "{ } send(1);", "/* if */ send(1);"]
ALWAYS += ["send(v.x ? 1 : 2);", "send(1); send(2);", "f();\n send (1);", 'p("if"); send(1);']
SOMETIMES = ["", "f(1);", "if (v.x) send(1);", "if (v.x) return; send(1);", "v.x && (send(1), 1);"]
SOMETIMES += ["for (int i = 0; i < v.x; ++i) send(1);", "while (v.x) { send(1); }", "// send(1);"]
SOMETIMES += [
    "v.x ? send(1) : 0;",
    "switch (v.x) { case 1: send(1); }",
    "MAYBE send(1);",
    "resend(1);",
]
SOMETIMES += [
    "do { break; send(1); } while (0);",
    "goto end; send(1); end:;",
    "#if 0\nsend(1);\n#endif",
]
SOMETIMES += ["v.x || send(1);"]


@pytest.mark.parametrize("text", ALWAYS)
def test_sends_always(text):
    assert made(text).sends_always is True


@pytest.mark.parametrize("text", SOMETIMES)
def test_does_not_send_always(text):
    assert made(text).sends_always is False


def test_places_without_a_file():
    snippet = made("one\ntwo\nthree")
    assert [str(p) for p in snippet.places] == [f"Some.apply:{i}" for i in (1, 2, 3)]
    assert str(snippet.place(1)) == "Some.apply:2"
    assert str(snippet.place(9)) == "Some.apply:3"


# Debug mode's guards: D(divisor), I(index of messages), E((array), (index), one more)

GUARDED = [
    ("x = a / b;", "x = a / D(b);"),
    ("a % b - c", "a % D(b) - c"),
    ("a / b / c % d", "a / D(b) / D(c) % D(d)"),
    ("a/2.0f+1", "a/D(2.0f)+1"),
    ("a / -b", "a / D(-b)"),
    ("a / *b * c", "a / D(*b) * c"),
    ("a / (b + c) * d", "a / D((b + c)) * d"),
    ("a / (b / c)", "a / D((b / D(c)))"),
    ("a / (real)b * c", "a / D((real)b) * c"),
    ("a / (real)(b + c) * d", "a / D((real)(b + c)) * d"),
    ("a / (b) - c", "a / D((b)) - c"),
    ("a / f(b, c)[d].e->g * h", "a / D(N((f(b, c)), (d), 0).e->g) * h"),
    ("a / v.x ? b : c", "a / D(v.x) ? b : c"),
    ("v.x /= b + c; d", "v.x /= D(b + c); d"),
    ("a %= b, c", "a %= D(b), c"),
    ("for (;; a /= 2) {}", "for (;; a /= D(2)) {}"),
    ("a /= f(b, c) ? d : e;", "a /= D(f(b, c) ? d : e);"),
    ("a /\n  b", "a /\n  D(b)"),
    ("a / b / /* why */ c // d / e", "a / D(b) / /* why */ D(c) // d / e"),
    ("p(\"a / b\"); '/'", "p(\"a / b\"); '/'"),
    ("messages[i]", "messages[I(i)]"),
    ("messages [i + 1].x = y[0]", "messages [I(i + 1)].x = E((y), (0), 0)"),
    ("messages[messages[0] / 2]", "messages[I(messages[I(0)] / D(2))]"),
    ("a / messages[i]", "a / D(messages[I(i)])"),
    ("messages[a / b]", "messages[I(a / D(b))]"),
    ("a / sizeof(int) * b", "a / D(sizeof(int)) * b"),
    ("a / sizeof b * c", "a / D(sizeof b) * c"),
    ("typedef int T; a / (T)-b * c", "typedef int T; a / D((T)-b) * c"),
    ("typedef P T; a / (T){b}.x * c", "typedef P T; a / D((T){b}.x) * c"),
    ("#define B b + c\na / B", "\na / D(b) + c"),
    ("#define OVER(a, b) ((a) / (b))\nOVER(1, c + d)", "\n((1) / D((c + d)))"),
    ("f(messages, num_messages)", "f(messages, num_messages)"),
    ("q[i] = a / r[j];", "N((q), (i), 0) = a / D(N((r), (j), 0));"),
    ("q[r[s[i]]]++;", "E((q), (E((r), (N((s), (i), 0)), 0)), 0)++;"),
    ("m[i][j + 1]", "E((N((m), (i), 0)), (j + 1), 0)"),
    ("m[i]\n  [j]", "N((N((m), (i), 0)\n  ), (j), 0)"),
    ("q[i, j]", "E((q), (i, j), 0)"),
    ("v.a[i].b[j]", "N((N((v.a), (i), 0).b), (j), 0)"),
    ("x->a[i]", "N((x->a), (i), 0)"),
    ("(x)[i] + f(x)[j]", "N(((x)), (i), 0) + N((f(x)), (j), 0)"),
    ("((int[]){1, 2})[i]", "N((((int[]){1, 2})), (i), 0)"),
    ("(int[2]){1, 2}[i]", "N(((int[2]){1, 2}), (i), 0)"),
    ("(int)q[i] * -q[j]", "(int)N((q), (i), 0) * -N((q), (j), 0)"),
    (
        "return q[i]; else q[j]; sizeof q[k]",
        "return N((q), (i), 0); else N((q), (j), 0); sizeof N((q), (k), 0)",
    ),
    ("if (a) q[i] = 1;", "if (a) N((q), (i), 0) = 1;"),
    ("f(a, q[i], b * q[j])", "f(a, N((q), (i), 0), b * N((q), (j), 0))"),
    # The address of the element after the last one may be taken.
    ("x = &q[4]; a & q[i]; &q[i].b", "x = &E((q), (4), 1); a & N((q), (i), 0); &N((q), (i), 0).b"),
    # Sizes and other constants are not expressions that run.
    (
        "int q[4], m[2][8 / 2] = {{a[1]}}, n[3];",
        "int q[4], m[2][8 / 2] = {{E((a), (1), 0)}}, n[3];",
    ),
    ("const float4 *q[2], *r[3];", "const float4 *q[2], *r[3];"),
    ("typedef T S; S q[2]; S *r[2], s[3];", "typedef T S; S q[2]; S *r[2], s[3];"),
    (
        "int x = a * q[1], *y[2] = {r * q[2]};",
        "int x = a * E((q), (1), 0), *y[2] = {r * E((q), (2), 0)};",
    ),
    ("struct S *q[2], r[1];", "struct S *q[2], r[1];"),
    ("struct {int a[2];} q[2], r[3];", "struct {int a[2];} q[2], r[3];"),
    (
        "int (*r)[4] = (int (*)[4])q; f((int[4]){1});",
        "int (*r)[4] = (int (*)[4])q; f((int[4]){1});",
    ),
    ("for (int i = 0, q[2]; i < q[1];)", "for (int i = 0, q[2]; i < E((q), (1), 0);)"),
    ("int q[] = {[2] = a[1], [1] = 3};", "int q[] = {[2] = E((a), (1), 0), [1] = 3};"),
    ("case 4 / 2: a / b; enum {A = 4 / 2};", "case 4 / 2: a / D(b); enum {A = 4 / 2};"),
    ("a, q[i]; x = {1}; b, q[i]", "a, N((q), (i), 0); x = {1}; b, N((q), (i), 0)"),
    ("#define AT(i) q[i]\nAT(a / b) = 1;", "\nE((q), (a / D(b)), 0) = 1;"),
]
MACROS = {"D": "gascl_nonzero", "I": "gascl_index", "E": "gascl_element", "N": "gascl_either"}


def in_full(text):
    return re.sub(r"\b[DIEN](?=\()", lambda found: MACROS[found[0]], text)


def guards(text, divisors=True, **options):
    snippet = made(text)
    return guarded(snippet.text, snippet.types, divisors=divisors, **options)


@pytest.mark.parametrize(("text", "expected"), GUARDED)
def test_guarded(text, expected):
    assert guards(text) == in_full(expected)


@pytest.mark.parametrize("sign", "-+!~")
def test_a_cast_of_a_signed_divisor_is_guarded_whole(sign):
    assert guards(f"a / (int){sign}b") == in_full(f"a / D((int){sign}b)")


def test_divisors_may_be_left_alone():
    assert guards("a / b; messages[i / j]", divisors=False) == in_full("a / b; messages[I(i / j)]")


FUNCTIONS = """
__constant int table[8 / 2] = {1, 2};
typedef struct { int a[2]; } Some;
static int first(void);
static inline Some *second(const Some x[2], int i) __attribute__((always_inline));
static inline Some *second(const Some x[2], int i) {
    return x[i].a[first()] / 2;
}
static int first(void) { return second(table, table[3]); }
"""


def test_functions_know_the_vertex_to_blame():
    names = functions_in(FUNCTIONS)
    assert names == {"first", "second"}
    assert guards(FUNCTIONS, helpers=names, defines=True) == in_full("""
__constant int table[8 / 2] = {1, 2};
typedef struct { int a[2]; } Some;
static int first(GASCL_BLAMED);
static inline Some *second(GASCL_BLAMED, const Some x[2], int i) __attribute__((always_inline));
static inline Some *second(GASCL_BLAMED, const Some x[2], int i) {
    return E((N((x), (i), 0).a), (first(GASCL_BLAMED_ON)), 0) / D(2);
}
static int first(GASCL_BLAMED) { return second(GASCL_BLAMED_ON, table, E((table), (3), 0)); }
""")
    assert guards("v.x = first() + v.first;", helpers=names) == (
        "v.x = first(GASCL_BLAMED_ON) + v.first;"
    )
