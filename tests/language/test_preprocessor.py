"""Macros in snippets: how they are expanded, and what is refused."""

from __future__ import annotations

import pytest
from support.traits import traits_of

from gascl import ProgramError, VertexProgram, arc, edge, vertex
from gascl.language.preprocessor import NotUnderstood, Preprocessor
from gascl.language.tokens import tokens


def expanded(text: str) -> str:
    return Preprocessor().expand(text)


def same(text: str, expected: str) -> None:
    assert [t.text for t in tokens(expanded(text))] == [t.text for t in tokens(expected)]


# The examples of the standard, C99 6.10.3.5 ------------------------------------------------------


def test_the_standards_example_of_rescanning():
    defined = """
#define x 3
#define f(a) f(x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define h g(~
#define m(a) a(w)
#define w 0,1
#define t(a) a
#define p() int
#define q(x) x
#define r(x,y) x ## y
#define str(x) # x
"""
    same(
        defined
        + """
f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);
g(x+(3,4)-w) | h 5) & m
(f)^m(m);
p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };
char c[2][6] = { str(hello), str() };
""",
        """
f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);
f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1);
int i[] = { 1, 23, 4, 5, };
char c[2][6] = { "hello", "" };
""",
    )


def test_the_standards_example_of_words_made_of_words():
    same(
        r"""
#define str(s) # s
#define xstr(s) str(s)
#define debug(s, t) printf("x" # s "= %d, x" # t "= %s", \
 x ## s, x ## t)
#define INCFILE(n) vers ## n
#define glue(a, b) a ## b
#define xglue(a, b) glue(a, b)
#define HIGHLOW "hello"
#define LOW LOW ", world"
debug(1, 2);
fputs(str(strncmp("abc\0d", "abc", '\4') // this goes away
 == 0) str(: @\n), s);
xstr(INCFILE(2).h)
glue(HIGH, LOW);
xglue(HIGH, LOW)
""",
        r"""
printf("x" "1" "= %d, x" "2" "= %s", x1, x2);
fputs("strncmp(\"abc\\0d\", \"abc\", '\\4') == 0" ": @\n", s);
"vers2.h"
"hello";
"hello" ", world"
""",
    )


def test_the_standards_examples_of_empty_and_of_many_values():
    same(
        """
#define t(x,y,z) x ## y ## z
int j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };
""",
        "int j[] = { 123, 45, 67, 89, 10, 11, 12, };",
    )
    same(
        """
#define debug(...) fprintf(stderr, __VA_ARGS__)
#define showlist(...) puts(#__VA_ARGS__)
#define report(test, ...) ((test)?puts(#test): printf(__VA_ARGS__))
debug("Flag");
debug("X = %d\\n", x);
showlist(The first, second, and third items.);
report(x>y, "x is %d but y is %d", x, y);
""",
        """
fprintf(stderr, "Flag" );
fprintf(stderr, "X = %d\\n", x );
puts( "The first, second, and third items." );
((x>y)?puts("x>y"): printf("x is %d but y is %d", x, y));
""",
    )


# Text --------------------------------------------------------------------------------------------

TEXTS = [
    # What has no macros stays as it is.
    ("  v.x = 1;  // a # \n /* b */\n", "  v.x = 1;  // a # \n /* b */\n"),
    ("v.x \\\n  = 7;\nv.y", "v.x\n  = 7;\nv.y"),
    ("v.x \\  \n= 7;", "v.x\n = 7;"),
    ("in\\\nt x;", "int\n x;"),
    ("v.x = 7; // comment \\", "v.x = 7;"),
    ("v.x = 7; // v.y \\\n= 8;\nv.z", "v.x = 7;\n\nv.z"),
    ("v.x = 7; \\", "v.x = 7;"),
    ("#define A 1\n  A + A;", "\n  1 + 1;"),
    ("#define INC(a) ((a) += 1)\nINC(\n  v.x\n);\nv.y", "\n((\n  v.x) += 1)\n;\nv.y"),
    # Two words do not become one.
    ("#define N -\n-N N 1;", "\n- - - 1;"),
    ("#define E\n#define F E E\nE+E+F;", "\n\n+ +;"),
    ("#define A 1\n1 A.A;", "\n1 1 . 1;"),
    # A directive that stays has a line of its own.
    ("#define N 4\n#pragma unroll N\nfor (;;) ;", "\n#pragma unroll 4\nfor (;;) ;"),
    (
        "#define A 1\n#if defined A && defined(A) && A == defined B\nx;\n#elif A\n#endif",
        "\n#if 1 && 1 && 1 == defined B\nx;\n#elif 1\n#endif",
    ),
    ("#define A\n#ifdef A\n#else\n#endif", "\n#if 1\n#else\n#endif"),
    ("#define A\n#ifndef A\n#endif", "\n#if 0\n#endif"),
    ("#ifdef B\n#endif\n#\n;", "#ifdef B\n#endif\n\n;"),
    # GNU's comma.
    ("#define P(a, ...) f(a, ##__VA_ARGS__)\nP(1); P(1, 2, 3);", "\nf(1); f(1, 2, 3);"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), TEXTS)
def test_texts(text, expected):
    found = expanded(text)
    lines = [[t.text for t in tokens(line)] for line in found.split("\n")]
    if "#" in expected:
        assert found == expected
    assert lines == [[t.text for t in tokens(line)] for line in expected.split("\n")]


REFUSED = [
    ("\n#include <math.h>", 1, "#include is not supported: copy the text of the file into"),
    ("#line 3", 0, "#line is not supported"),
    ("#pragma push_macro(a)", 0, "#pragma push_macro is not supported"),
    ("x;\n#if 1\nx;", 1, "#if without #endif"),
    ("#endif", 0, "#endif without #if"),
    ("v.x\n#if A\n+ 1;\n#else\n= 1;\n#endif", 1, "#if is inside a statement"),
    ("#if A\nv.x\n#else\n= 1;\n#endif", 2, "#else is inside a statement"),
    ("#ifdef A\n#define B 1\n#endif", 1, "#define inside #if"),
    ("#ifdef A\n#undef B\n#endif", 1, "#undef inside #if"),
    ("x;\n\n/* v.x = 1;", 2, "unterminated comment: `*/` is missing"),
    ("v.x <: 0 :> = 1", 0, "`<:` is a digraph or trigraph"),
    ("v.x ??( 0 ??) = 1", 0, "`??(` is a digraph or trigraph"),
    ("// a ??/\nv.x = 1;", 0, "`??/` is a trigraph"),
    ("#define F(a) a\n\nF(1, 2)", 2, "macro F takes 1 argument, not 2"),
    ("#define F(a, b) a\nF(1)", 1, "macro F takes 2 arguments, not 1"),
    ("#define F(a) a\nF(1", 1, "`)` is missing after the arguments of macro F"),
    ("#define F(a) a\nF(\n#undef B\n1)", 1, "`)` is missing after the arguments of macro F"),
    ("#define F(a) a\nF\n#undef B\n(1)", 2, "#undef comes between the macro `F` and its arguments"),
    ("#define F(a a", 0, "`)` is missing after the parameters of macro F"),
    ("#define F(a b) a", 0, "the parameters of macro F are not a list of distinct names"),
    ("#define F(a, a) a", 0, "the parameters of macro F are not a list of distinct names"),
    ("#define F(a...) a", 0, "the parameters of macro F are not a list of distinct names"),
    ("#define F(a) #b\nF(1)", 1, "in macro F, `#` needs a parameter after it"),
    ("#define F(a) ##a", 0, "`##` needs a word on both sides"),
    ("#define F(a, b) a##b\nF(+, 1)", 1, "in macro F, `##` cannot join + and 1 into one word"),
    ("#define F(...) __VA_OPT__(1)", 0, "__VA_OPT__ is not supported"),
    ("#define 3", 0, "#define needs the name of a macro"),
    ("x; # define A", 0, "`#` is only allowed at the start of a line"),
    ("#define H #\nH if", 1, "`#` is only allowed at the start of a line"),
]


@pytest.mark.parametrize(("text", "line", "why"), REFUSED)
def test_refused(text, line, why):
    with pytest.raises(NotUnderstood) as caught:
        expanded(text)
    assert (caught.value.line, caught.value.why[: len(why)]) == (line, why)


# In programs -------------------------------------------------------------------------------------


class Plain(VertexProgram):
    x = vertex.int32()
    weight = edge.int32(default=1)
    kept = arc.int32()
    message, combine = "int32", "min"
    scatter = "send(1);"
    apply = "v.x = msg;"


RESERVED = "v e u p g prev agg msg send set_mask messages real return if int true x_of __LINE__"
RESERVED += " aggregate_x num_neighbors superstep lane hash gascl_x GASCL_AT defined"


@pytest.mark.parametrize("name", RESERVED.split())
@pytest.mark.parametrize("text", ["#define {}", "#define {}(a) a", "#undef {}"])
def test_words_of_the_language_are_no_macros(name, text):
    with pytest.raises(ProgramError, match=rf"Wrong\.functions:2: Wrong: '{name}' is a word of"):
        type("Wrong", (Plain,), {"functions": "\n" + text.format(name)})


@pytest.mark.parametrize(
    ("functions", "scatter", "plain"),
    [
        ("#define WEIGHT e.weight", "send(WEIGHT);", "send(e.weight);"),
        ("#define OF(a) e.a\n#define WEIGHT OF(weight)", "send(WEIGHT);", "send(e.weight);"),
        ("#define JOIN(a, b) a##b", "JOIN(se, nd)(JOIN(, e).weight);", "send(e.weight);"),
        ("#define S send", "S(1);", "send(1);"),
        ("#define MARK set_mask_of(e.dst)", "send(1); MARK;", "send(1); set_mask_of(e.dst);"),
        ("#define X(i) x_of(i)", "send(X(0));", "send(x_of(0));"),
        ("#define NEXT neighbor", "send(NEXT(0));", "send(neighbor(0));"),
        ("#define GO if (v.x) return;", "GO send(1);", "if (v.x) return; send(1);"),
        ("#define KEEP(n) e.kept = n", "KEEP(3);", "e.kept = 3;"),
        ("", "se\\\nnd(e.\\\nweight);", "send(e.weight);"),
    ],
)
def test_a_macro_hides_nothing(functions, scatter, plain):
    for options in ({}, {"scatter_on": "all", "stop": "true"}):
        hidden = type("Hidden", (Plain,), {"functions": functions, "scatter": scatter, **options})
        expected = traits_of(type("Open", (Plain,), {"scatter": plain, **options}))
        assert traits_of(hidden) == expected
        own = type("Own", (Plain,), {"scatter": f"{functions}\n{scatter}", **options})
        assert traits_of(own) == expected


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"scatter": "\nSET(v.x);"}, r"Wrong\.scatter:2: .*v\.x is written in Wrong\.scatter"),
        ({"apply": "NO;"}, r"Wrong\.apply:1: .*unknown v\.rank"),
        ({"apply": "v.x = W;"}, r"Wrong\.apply:1: .*`e` is not available in Wrong\.apply"),
        ({"scatter": "\n\nTWO;"}, r"Wrong\.scatter:3: .*send takes 1 argument, not 2"),
        ({"apply": "\nv.y \\\n= 1;"}, r"Wrong\.apply:2: .*unknown v\.y"),
        ({"apply": "SET(1, 2);"}, r"Wrong\.apply:1: .*macro SET takes 1 argument, not 2"),
    ],
)
def test_mistakes_in_macros_name_the_line_that_uses_them(changes, words):
    functions = """
        #define SET(a) (a = 1)
        #define NO v.rank = 1
        #define W e.weight
        #define TWO send(1, 2)
    """
    with pytest.raises(ProgramError, match=words):
        type("Wrong", (Plain,), {"functions": functions, **changes})


def test_macros_of_a_subclass_hold_in_what_it_inherits():
    base = type("Base", (Plain,), {"functions": "#define STEP 1", "apply": "v.x = STEP;"})
    other = type("Other", (base,), {"functions": "#define STEP (msg + 2)"})
    assert [c.spec.snippets["apply"].text for c in (base, other)] == [
        "v.x = 1;",
        "v.x = (msg + 2);",
    ]
    assert str(other.spec.snippets["apply"].place(0)) == "Base.apply:1"
