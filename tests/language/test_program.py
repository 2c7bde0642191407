"""What is refused when a class is defined and when a program is constructed, and how it is said."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.case_subsets import one_in
from support.invalid_classes import FIRST, TEMPLATE, said

from gascl import (
    GasclError,
    ProgramError,
    VertexProgram,
    aggregate,
    arc,
    edge,
    param,
    struct,
    vertex,
)


def test_the_template_is_right(tmp_path):
    names: dict = {"__name__": "my_program"}
    exec(compile(TEMPLATE, "nowhere", "exec"), names)
    cls = names["Wrong"]
    assert list(cls.spec.vertex_fields) == ["rank", "hops"]
    assert list(cls.spec.edge_fields) == ["weight"]
    assert list(cls.spec.params) == ["damping", "supersteps"]
    assert list(cls.spec.aggregates) == ["change"]
    assert set(cls.spec.snippets) == {"scatter", "apply"}
    assert (cls.message, cls.combine, cls.spec.supersteps_param) == ("real", "sum", "supersteps")


PAIRED = "pairs = 'send(1);'\n"
AT = "pairs_at = 'rank'\n"
ATTRIBUTES = [
    ("aply = 'v.rank = 1;'  # <<<", "unknown attribute 'aply'", "'apply'"),
    ("scater = 'send(1);'  # <<<", "unknown attribute 'scater'", "'scatter'"),
    ("scater_on = 'all'  # <<<", "unknown attribute 'scater_on'", "'scatter_on'"),
    ("aplly_on = 'all'  # <<<", "unknown attribute 'aplly_on'", "'apply_on'"),
    ("mesage = 'int32'  # <<<", "unknown attribute 'mesage'", "'message'"),
    ("combin = 'min'  # <<<", "unknown attribute 'combin'", "'combine'"),
    ("indentity = '0'  # <<<", "unknown attribute 'indentity'", "'identity'"),
    ("functons = ''  # <<<", "unknown attribute 'functons'", "'functions'"),
    ("scatter_on = 'al'  # <<<", "scatter_on must be 'mask' or 'all', not 'al'"),
    ("apply_on = 'none'  # <<<", "apply_on must be 'message' or 'mask' or 'all', not 'none'"),
    ("edges = 'inn'  # <<<", "edges must be 'out' or 'in' or 'both' or 'alternate', not 'inn'"),
]
DECLARATIONS = [
    ("id = vertex.int32()  # <<<", "'id' is reserved and cannot be the name of a vertex field"),
    ("in_degree = vertex.int32()  # <<<", "'in_degree' is reserved"),
    ("out_degree = vertex.int32()  # <<<", "'out_degree' is reserved"),
    ("src = edge.int32()  # <<<", "'src' is reserved and cannot be the name of an edge field"),
    ("dst = edge.int32()  # <<<", "'dst' is reserved"),
    ("id = edge.int32()  # <<<", "'id' is reserved"),
    ("reversed = edge.int32()  # <<<", "'reversed' is reserved"),
    (
        "gascl_x = param.int32()  # <<<",
        "'gascl_x' is a name of gascl's own code and cannot be the name of a parameter",
    ),
    (
        "x_ = aggregate.int32('sum')  # <<<",
        "'x_' is reserved and cannot be the name of an aggregator",
    ),
    (
        "trace = vertex.int32()  # <<<",
        "'trace' is an attribute of every result (result.trace) and cannot be the name of a "
        "vertex field; choose another",
    ),
    ("converged = vertex.int32()  # <<<", "'converged' is an attribute", "choose another"),
    ("dtype = vertex.int32()  # <<<", "'dtype' is an attribute"),
    ("prepare = param.int32(1)  # <<<", "'prepare' is an attribute"),
    ("depth = param.int32('deep')  # <<<", "default 'deep' of parameter 'depth'"),
    ("depth = param.int32(0.5)  # <<<", "0.5", "whole number from -2147483648 to 2147483647"),
    ("depth = param.int8(128)  # <<<", "128", "whole number from -128 to 127 (int8)"),
    ("depth = param.uint16(-1)  # <<<", "-1", "whole number from 0 to 65535 (uint16)"),
    ("depth = param.int32(True)  # <<<", "True", "expected a number (int32)"),
    ("depth = param.int32([1])  # <<<", "default [1]", "a single value; give lanes at construc"),
    ("depth = param.int32(float('inf'))  # <<<", "default inf of parameter 'depth'"),
    ("steps = param.supersteps(-1)  # <<<", "expected a number of supersteps, 0 or more, or None"),
    (
        "depth = vertex.int32(init=None)  # <<<",
        "init of 'depth' is None: expected a number (int32) or a C expression",
    ),
    ("depth = vertex.int32(init=0.5)  # <<<", "0.5", "int32"),
    ("depth = vertex.int8(init=200)  # <<<", "200", "int8"),
    (
        "cost = edge.int32(default='1')  # <<<",
        "default of 'cost' is '1': expected a number (int32)",
    ),
    (
        "cost = edge.int32(default=True)  # <<<",
        "default of 'cost' is True: expected a number (int32)",
    ),
    ("cost = edge.int32(default=0.5)  # <<<", "0.5", "int32"),
    ("cost = edge.uint8(default=-1)  # <<<", "-1", "uint8"),
]
MESSAGES = [
    ("message = 'flaot32'", f"my_program.py:{FIRST}: Wrong: 'flaot32' is not a type", "'float32'"),
    ("message = 'float33'", "did you mean 'float3", "a NumPy scalar (int8, "),
    (
        "message = [('x', 'i4')]",
        f"my_program.py:{FIRST}: Wrong: ",
        "is not a type of fields or messages",
    ),
    ("combine = None\nmessage = 'real'  # <<<", "combine is missing", "sum, prod, min, max"),
    (
        "message = None\ncombine = None\nscatter = 'send(1);'  # <<<",
        "declare the messages: message =",
    ),
    ("message = None\nscatter = ''\ncombine = 'min'  # <<<", "declare the messages: message ="),
    (
        "message = combine = None\nscatter = ''\napply = 'v.rank = msg;'  # <<<",
        "`msg` is read, but no `message` is declared",
    ),
    ("identity = '0'\ncombine = 'min'  # <<<", "combine = 'min' needs no identity"),
    (
        "message = 'int4'\ncombine = 'sum'  # <<<",
        "'sum' needs a scalar or array message, or a vector or struct of floats",
    ),
    (
        "message = 'float4'\ncombine = 'min'  # <<<",
        "'min' needs a scalar or array message; write it",
    ),
    ("pairs = 'if (u.hops) return;'  # <<<", "pairs sends nothing: call send(x) with what u sends"),
    (
        "message = None\ncombine = None\nscatter = ''\npairs = 'send(1);'  # <<<",
        "declare the messages: message =",
    ),
    ("pairs_within = '1'  # <<<", "say which field has their places, as in pairs_at = 'position'"),
    ("pairs_merge = 'radius < 1'  # <<<", "say which field has their places"),
    ("pairs_at = 'rank'  # <<<", "no pairs snippet: give pairs, or remove pairs_at"),
    (PAIRED + "pairs_at = 'rank'  # <<<", "pairs_at has no effect alone: give pairs_within"),
    (
        PAIRED + "pairs_within = '1'\npairs_at = 'hops'  # <<<",
        "pairs_at = 'hops' must be the name of a vertex field of type real, real2 or real3",
    ),
    (PAIRED + "pairs_within = '1'\npairs_at = 5  # <<<", "pairs_at = 5 must be the name"),
    (PAIRED + AT + "pairs_within = ' '", "pairs_within is empty: write one, or leave it"),
    (PAIRED + AT + "pairs_within = 'v.rank'  # <<<", "`v` is not available in Wrong.pairs_within"),
    (PAIRED + AT + "pairs_merge = 'distance > 1'  # <<<", "pairs_merge must read radius"),
    (
        PAIRED + AT + "combine = 'max'\npairs_merge = 'radius < distance'  # <<<",
        "a group sends a multiple of one message, which needs combine = 'sum'",
    ),
    (
        AT + "pairs_merge = 'radius < distance'\npairs = 'send(u.id);'  # <<<",
        "`u` may be the mean of a group, which has no u.id: read fields of reals alone",
    ),
    (
        "pairs = 'send(1);'\ncombine = None\ngather = 'msg = 0;'  # <<<",
        "one for each pair: use combine instead",
    ),
    ("combine = 'or'  # <<<", "combine = 'or' needs an integer message"),
    ("message = 'float64'\ncombine = 'and'  # <<<", "combine = 'and' needs an integer message"),
    ("combine = 'mean'  # <<<", "send((real2)(x, 1)), and the mean is msg.x / msg.y"),
    ("combine = 'count'  # <<<", "combine = 'sum' of message = 'int32', and send(1)"),
    ("combine = 'summ'  # <<<", "'summ' is not an expression over a and b; did you mean 'sum'?"),
    ("combine = 'a + 1'  # <<<", "combine = 'a + 1' is not an expression over a and b"),
    ("combine = 'a + b'  # <<<", "a combine expression needs an identity: give identity = '...'"),
    ("apply = 3", f"my_program.py:{FIRST}: Wrong.apply must be a string of C, not 3"),
]
WORDS = [
    ("apply = 'v.hops = neighbr(0);'  # <<<", "'neighbr'; did you mean 'neighbor'?"),
    (
        "apply = 'v.rank = loudness_of(0);'  # <<<",
        "unknown loudness_of: there is no vertex field 'loudness'; known: rank_of, hops_of",
    ),
    (
        "scatter = 'send(loudness_to(0));'  # <<<",
        "unknown loudness_to: there is no edge field 'loudness'; known: weight_to",
    ),
    ("apply = 'v.rank = rnk_of(0);'  # <<<", "unknown function 'rnk_of'; did you mean 'rank_of'?"),
    ("apply = 'sendto(0, msg);'  # <<<", "unknown function 'sendto'; did you mean 'send_to'?"),
    ("scatter = 'if (has_egde(0, 1)) send(1);'  # <<<", "did you mean 'has_edge'?"),
    ("scatter = 'send(comon(0, 1));'  # <<<", "did you mean 'common'?"),
    ("scatter = 'send(common(0));'  # <<<", "common takes 2 arguments, not 1"),
    (
        "scatter = 'for_common(e.src, e.dst) send(1);'  # <<<",
        "for_common takes 3 arguments, not 2",
    ),
    (
        "scatter = 'for_common(3, e.src, e.dst) send(1);'  # <<<",
        "for_common declares its first argument, which must be a name, not '3': "
        "for_common(w, a, b) { ... }",
    ),
    (
        "scatter = 'for_common(int w, e.src, e.dst) send(w);'  # <<<",
        "for_common declares its first argument, which must be a name, not 'int w': "
        "for_common(w, a, b) { ... }",
    ),
    (
        "scatter = 'for_common(w, e.src, e.dst) send(height_from_first(w));'  # <<<",
        "unknown height_from_first: there is no edge field 'height'",
    ),
    (
        "scatter = 'for_common(w, 0, 1) send(weight_from_first(e.dst));'  # <<<",
        "weight_from_first takes the vertex that a for_common declares, not 'e.dst': write "
        "weight_from_first(w) inside for_common(w, a, b)",
    ),
    (
        "apply = 'v.hops = weight_from_second(0);'  # <<<",
        "weight_from_second takes the vertex that a for_common declares, not '0'",
    ),
    ("apply = 'v.rank = gascl_mask[3];'  # <<<", "names that start with gascl_ are reserved"),
    ("apply = 'aggregate_chnge(1);'  # <<<", "aggregate_chnge", "did you mean aggregate_change?"),
    ("apply = 'aggregate_loss(1);'  # <<<", "aggregate_loss", "aggregate_change"),
    (
        "scatter = 'aggregate_change(1);'  # <<<",
        "aggregate_change can only be used in init and apply",
    ),
    ("mask = 'v.hops and 1'  # <<<", "C has no `and`: write `&&`"),
    ("scatter = 'if (not v.hops) send(1);'  # <<<", "C has no `not`: write `!`"),
    ("apply = 'v.hops = msg > 1 or 0;'  # <<<", "C has no `or`: write `||`"),
    ("apply = 'v.hops = True;'  # <<<", "C has no `True`: write `true`"),
    ("apply = 'v.rank = rand();'  # <<<", "there is no rand(): uniform(seed, v.id, superstep) is"),
    ("scatter = 'send(random (1));'  # <<<", "there is no random(): uniform(seed, v.id"),
    ("apply = 'v.rank = msg**2;'  # <<<", "C has no `**`: write pow(x, y), or x * x for a square"),
    ("mask = '(v.hops)**p.damping > 1'  # <<<", "C has no `**`"),
    ("stop = 'agg.change < damping'  # <<<", "unknown 'damping'; did you mean p.damping?"),
    ("stop = 'agg.change < 2 * damping'  # <<<", "unknown 'damping'; did you mean p.damping?"),
    ("stop = 'superstep > 3 ? change : 1'  # <<<", "'change'; did you mean agg.change?"),
    ("mask = 'rank > 0'  # <<<", "unknown 'rank'; did you mean v.rank?"),
    ("scatter = 'send(v.rank + weight);'  # <<<", "unknown 'weight'; did you mean e.weight?"),
    ("apply = 'rank = msg;'  # <<<", "unknown 'rank'; did you mean v.rank?"),
    ("apply = 'return id ? 1 : 2;'  # <<<", "unknown 'id'; did you mean v.id?"),
    ("scatter = 'sendd(v.rank);'  # <<<", "unknown function 'sendd'; did you mean 'send'?"),
    ("apply = 'set_maks();'  # <<<", "unknown function 'set_maks'; did you mean 'set_mask'?"),
    ("apply = 'v.hops = get_mask_fo (2);'  # <<<", "did you mean 'get_mask_of'?"),
    ("apply = 'v.hops = hop_of(v.id);'  # <<<", "function 'hop_of'; did you mean 'hops_of'?"),
    ("scatter = 'send(Rank_of(0));'  # <<<", "function 'Rank_of'; did you mean 'rank_of'?"),
    ("apply = 'v.rank = weights_to(0);'  # <<<", "'weights_to'; did you mean 'weight_to'?"),
]
MEMBERS = [
    ("scatter = 'send(v.rnak);'  # <<<", "v.rnak", "did you mean v.rank?"),
    ("scatter = 'send(e.weigth);'  # <<<", "e.weigth", "did you mean e.weight?"),
    ("apply = 'v.rank = p.dampng;'  # <<<", "p.dampng", "did you mean p.damping?"),
    ("apply = 'v.rank = g.num_vertex;'  # <<<", "g.num_vertex", "did you mean g.num_vertices?"),
    ("apply = 'v.rank = prev.chnge;'  # <<<", "prev.chnge", "did you mean prev.change?"),
    ("stop = 'agg.chnge < 1'  # <<<", "agg.chnge", "did you mean agg.change?"),
    ("apply = 'v.rank = p.supersteps;'  # <<<", "p.supersteps"),
    ("apply = 'v.rank = p.zzz;'  # <<<", "p.zzz", "known: p.damping"),
    ("mask = 'v.ide == 1'  # <<<", "v.ide", "did you mean v.id?"),
    ("rank = vertex.real(init='v.it')  # <<<", "v.it", "did you mean v.id?"),
    ("apply = 'v.rank = e.weight;'  # <<<", "`e` is not available in Wrong.apply"),
    (
        "apply = 'v.rank = agg.change;'  # <<<",
        "`agg` is not available in Wrong.apply: write aggregate_change(x) to add x; prev.change is "
        "its value after the last superstep\n",
    ),
    (
        "apply = 'agg.change += 1;'  # <<<",
        "`agg` is not available in Wrong.apply: write aggregate_change(x) to add x\n",
    ),
    (
        "scatter = 'send(agg.change);'  # <<<",
        "`agg` is not available in Wrong.scatter: prev.change is its value after the last",
    ),
    ("mask = 'agg.change > 1'  # <<<", "`agg` is not available in Wrong.mask\n"),
    ("mask = 'prev.change > 0'  # <<<", "`prev` is not available in Wrong.mask"),
    ("mask = 'e.src == 0'  # <<<", "`e` is not available in Wrong.mask"),
    ("stop = 'v.rank > 0'  # <<<", "`v` is not available in Wrong.stop"),
    ("init = 'v.rank = e.weight;'  # <<<", "`e` is not available in Wrong.init"),
    ("rank = vertex.real(init='prev.change')  # <<<", "`prev` is not available in Wrong.rank"),
    ("init = 'v.rank = prev.change;'  # <<<", "`prev` is not available in Wrong.init"),
    ("apply = 'v = msg;'  # <<<", "`v` is not a value by itself: write v.NAME"),
    ("apply = 'f(&v);'  # <<<", "`v` is not a value by itself: write v.NAME"),
    ("scatter = 'v.rank = 1; send(1);'  # <<<", "v.rank is written in Wrong.scatter", "init and"),
    ("scatter = 'send(v.hops++);'  # <<<", "v.hops is written in Wrong.scatter"),
    ("scatter = 'e.weight = 2; send(1);'  # <<<", "e.weight is written", "it is read only"),
    ("pairs = 'send(u.rnak);'  # <<<", "unknown u.rnak", "did you mean u.rank?"),
    ("pairs = 'send(e.weight);'  # <<<", "`e` is not available in Wrong.pairs"),
    ("pairs = 'u.rank = 1; send(1);'  # <<<", "u.rank is written in Wrong.pairs", "init and"),
    ("pairs = 'send(++v.hops);'  # <<<", "v.hops is written in Wrong.pairs", "init and"),
    ("pairs = 'f(u); send(1);'  # <<<", "`u` is not a value by itself: write u.NAME"),
    ("apply = 'p.damping = 1;'  # <<<", "p.damping is written", "it is read only"),
    ("apply = 'g.num_edges += 1;'  # <<<", "g.num_edges is written", "it is read only"),
    ("apply = 'prev.change = 0;'  # <<<", "prev.change is written", "it is read only"),
    ("stop = '(agg.change = 0) < 1'  # <<<", "agg.change is written", "it is read only"),
    ("mask = 'v.rank = 1'  # <<<", "v.rank is written in Wrong.mask", "init and apply"),
    ("apply = 'v.id = 3;'  # <<<", "v.id is read only"),
    ("init = 'v.out_degree--;'  # <<<", "v.out_degree is read only"),
    ("apply = 'msg = 3;'  # <<<", "msg is read only"),
    ("apply = 'msg += 3;'  # <<<", "msg is read only"),
    (
        "rank = vertex.real(init='v.hops')  # <<<",
        "init of 'rank' reads v.hops",
        "not declared before it",
    ),
    ("rank = vertex.real(init='v.rank + 1')  # <<<", "reads v.rank", "not declared before it"),
    ("apply = '''\n    v.hops = 1;\n    v.rnak = 2;  // <<<\n'''", "did you mean v.rank?"),
    ("supersteps = None\nscatter_on = 'all'  # <<<", "never stops", "stop = '...'", "converged"),
]


@pytest.mark.parametrize("case", [*ATTRIBUTES, *DECLARATIONS], ids=lambda c: c[0].split("#")[0])
def test_attributes_and_declarations(tmp_path, case):
    said(tmp_path, *case)


@pytest.mark.parametrize("case", MESSAGES, ids=lambda c: c[0].replace("\n", "; "))
def test_messages(tmp_path, case):
    said(tmp_path, *case)


@pytest.mark.parametrize("case", [*WORDS, *MEMBERS], ids=lambda c: c[0].split("#")[0])
def test_snippets(tmp_path, case):
    said(tmp_path, *case)


#: Where each word may stand, from the documentation's table; `rank` and `cost` are the init
#: expressions of a vertex field and of an arc field, `total` an aggregator's rule.
PHASES = {"scatter", "gather", "apply"}
RULES = {"receive_if", "enough", "priority"}
ALLOWED = {
    "send(1);": {"scatter", "pairs"},
    "send_to(0, 1);": {"scatter", "apply"},
    "set_mask();": {"init", "scatter", "apply"},
    "set_mask_of(0);": {"init", "scatter", "apply"},
    "unset_mask();": {"apply"},
    "(void)get_mask();": PHASES | {"receive_if"},
    "(void)get_mask_of(0);": PHASES,
    "(void)messages[0];": {"gather"},
    "(void)num_messages;": {"gather"},
    "(void)msg;": {"gather", "apply", "receive_if", "enough"},
    "(void)has_msg;": {"apply"},
    "(void)neighbor(0);": PHASES | {"init", "rank"},
    "(void)num_neighbors;": PHASES | {"init", "rank"},
    "(void)neighbor_of(0, 0);": PHASES,
    "(void)num_neighbors_of(0);": PHASES,
    "(void)weight_to(0);": PHASES,
    "(void)has_edge(0, 1);": PHASES,
    "(void)common(0, 1);": PHASES,
    "for_common(w, 0, 1) (void)weight_from_first(w);": PHASES,
    "(void)hops_of(0);": PHASES,
    "(void)lane;": {"rank", "cost", "init", "mask", "pairs", *PHASES, *RULES},
    "(void)superstep;": {"rank", "cost", "init", "stop", "pairs", *PHASES, *RULES} - {"priority"},
    "aggregate_change(1);": {"init", "apply"},
}
STATEMENTS = ("init", "scatter", "pairs", "gather", "apply")
EXPRESSIONS = (
    *("functions", "mask", "stop", "combine", "identity", "rank", "cost", "total"),
    *("receive_if", "enough", "priority"),
)
ALLOWED["(void)hash(1);"] = {*STATEMENTS, *EXPRESSIONS}
#: The rest of an expression, and what must stand beside a snippet.
BEFORE = {
    "combine": "a + b + ",
    "rank": "v.id + ",
    "cost": "e.src + ",
    "gather": "msg = 0; ",
    "pairs": "send(0); ",
    "enough": "msg > 0 && ",
}
BEFORE["total"] = "a + b + "
BESIDE = {"gather": "combine = None\n"}
BESIDE |= dict.fromkeys(("combine", "identity"), "identity = '0'\ncombine = 'a + b'\n")
BESIDE |= {
    "cost": "cost = arc.real()\nscatter = 'send(e.cost);'\n",
    "functions": "",
    "enough": "combine = 'min'\n",
    "priority": "combine = 'min'\nchange = None\n",
}
FORMS = {
    "rank": "rank = vertex.real(init={!r})",
    "cost": "cost = arc.real(init={!r})",
    "total": "total = aggregate.real({!r}, identity='0')",
}


@pytest.mark.parametrize("statement", ALLOWED)
@pytest.mark.parametrize("snippet", [*STATEMENTS, *EXPRESSIONS])
def test_where_a_word_may_stand(tmp_path, statement, snippet):
    text = BEFORE.get(snippet, "") + statement
    if snippet in EXPRESSIONS:
        text = text.rstrip(";")
    line = FORMS.get(snippet, snippet + " = {!r}").format(text)
    body = BESIDE.get(snippet, "") + line
    if snippet in ALLOWED[statement]:
        indented = "".join(f"    {x}\n" for x in body.split("\n"))
        exec(compile(TEMPLATE + indented, "nowhere", "exec"), {"__name__": "x"})
    else:
        word = re.search(r"[a-z]\w+", statement.removeprefix("(void)")).group()
        said(tmp_path, body + "  # <<<", f"{word} can only be used in ")


C99 = """auto break case char const continue default do double else enum extern float for goto if
inline int long register restrict return short signed sizeof static struct switch typedef union
unsigned void volatile while"""
OPENCL = """global local constant private kernel read_only write_only read_write uchar ushort uint
ulong half bool size_t ptrdiff_t intptr_t uintptr_t event_t sampler_t image2d_t image3d_t"""
LANGUAGE = """v e p g prev agg msg has_msg superstep send send_to set_mask unset_mask get_mask real
messages num_messages neighbor num_neighbors neighbor_of num_neighbors_of has_edge lane hash
common for_common"""


@pytest.mark.parametrize("word", one_in(4, f"{C99} {OPENCL} {LANGUAGE}".split()))
def test_words_of_the_language_name_no_field(word):
    for kind, make in (
        ("vertex field", vertex.int32),
        ("edge field", edge.int32),
        ("arc field", arc.int32),
        ("parameter", param.int32),
        ("aggregator", lambda: aggregate.int32("sum")),
    ):
        with pytest.raises(
            ProgramError, match=f"{word!r} is a word of .* cannot be the name of an? {kind}"
        ):
            type("Wrong", (VertexProgram,), {word: make()})


def test_types_are_checked_in_the_declaration():
    with pytest.raises(ProgramError, match=r"'flaot32' .*did you mean 'float32'\?"):
        vertex.flaot32()
    with pytest.raises(ProgramError, match=r"'complex64' is not a type"):
        vertex.complex64()
    for space in (edge, param):
        words = "'float4' is a vector type, but edge fields and parameters must be scalars"
        with pytest.raises(ProgramError, match=words):
            space.float4  # noqa: B018
    for op, type_ in (("count", "int64"), ("mean", "real"), ("sum", "real")):
        words = (
            rf"aggregate.{op}: '{op}' is an operation, not a type; write aggregate.{type_}\('{op}'"
        )
        with pytest.raises(ProgramError, match=words):
            getattr(aggregate, op)()
    for words in ((), ("two words",), (1, 2)):
        with pytest.raises(ProgramError, match=r"param\.choice needs identifiers"):
            param.choice(*words)
    for space in (vertex, arc, aggregate):
        assert {"real", "int8", "uint64", "float64", "float4", "real2"} <= set(dir(space))
    assert "float4" not in dir(edge)


def test_variables_may_have_the_names_of_fields():
    """Only what is used and not declared is taken for a field."""

    class Right(VertexProgram):
        distance = vertex.real()
        rank = vertex.real()
        weight = edge.real(default=1)
        damping = param.real(0.85)
        supersteps = param.supersteps(1)
        Pair = struct([("rank", "real"), ("weight", "real")])
        functions = """
            #define TWICE(weight) ((weight) + (weight))
            real rank_of_it(const real rank) { return rank * 2; }
            constant real damping = 2;
        """
        message, combine = "real", "sum"
        scatter = """
            const real weight = e.weight, rank = v.rank;
            real **where, *distance;
            send(weight * rank + TWICE(e.weight) + damping);
        """
        apply = """
            Pair pair = {.rank = msg, .weight = 1};
            for (int id = 0; id < 3; ++id)
                pair.rank += distance(pair.weight, (real)id);
            goto rank;
            rank: v.rank = rank_of_it(pair.rank);
        """

    assert Right.spec.snippets["apply"].writes("v") == {"rank"}


# Construction --------------------------------------------------------------------------------


class Made(VertexProgram):
    depth = vertex.int32()
    source = param.vertex()
    damping = param.real(0.85)
    limit = param.int16(5)
    rule = param.choice("near", "far")
    supersteps = param.supersteps()
    message, combine = "int32", "min"
    scatter = "send(v.depth);"


REFUSED = [
    ({}, "parameter 'source' is required: give source=..."),
    ({"dampng": 1}, "no parameter 'dampng'; did you mean 'damping'?"),
    ({"DAMPING": 1}, "no parameter 'DAMPING'; did you mean 'damping'?"),
    ({"damping": (0.5, 0.8)}, "expected a number (real); several values are a list"),
    ({"zzz": 1}, "Parameters: source, damping, limit, rule, supersteps, dtype; fields that may"),
    ({"damping": "high"}, "damping='high'"),
    ({"damping": None}, "damping=None: expected a number (real)"),
    ({"damping": True}, "expected a number (real)"),
    ({"damping": 1j}, "expected a number (real)"),
    ({"limit": 2.5}, "limit=2.5: expected a whole number from -32768 to 32767 (int16)"),
    ({"limit": 32768}, "limit=32768: expected a whole number from -32768"),
    ({"limit": float("nan")}, "limit=nan"),
    ({"limit": float("inf")}, "limit=inf"),
    ({"rule": "fra"}, "rule='fra': expected one of 'near', 'far'"),
    ({"supersteps": -1}, "supersteps=-1: expected a number of supersteps"),
    ({"supersteps": 1.5}, "supersteps=1.5: expected a whole number"),
    ({"dtype": "float16"}, "'float32' or 'float64'"),
    ({"dtype": "flaot32"}, "dtype='flaot32': expected 'float32' or 'float64'"),
]


@pytest.mark.parametrize(("values", "message"), REFUSED, ids=lambda x: str(x)[:30])
def test_construction_refuses(values, message):
    if values and "source" not in values:
        values = {"source": 0, **values}
    with pytest.raises(ProgramError) as caught:
        Made(**values)
    assert str(caught.value).startswith("Made: ")
    assert message in str(caught.value)


def test_construction():
    made = Made(source="a", limit="7", rule="far", supersteps="12", depth=[1, 2], dtype=np.float64)
    assert (made.source, made.limit, made.damping, made.rule) == ("a", 7, 0.85, "far")
    assert (made.fixed_supersteps(), made.choices(), made.dtype) == (12, {"rule": "far"}, "float64")
    assert made.initial == {"depth": [1, 2]}
    assert repr(made) == (
        "Made(source='a', damping=0.85, limit=7, rule='far', supersteps=12, dtype='float64')"
    )
    assert Made(source=0, limit=np.int8(3), damping=np.float32(0.5)).damping == 0.5
    for nothing in (None, ""):
        assert Made(source=0, supersteps=nothing).fixed_supersteps() is None
    with pytest.raises(AttributeError, match=r"construct another program, Made\(limit=3\)"):
        made.limit = 3


def test_errors_are_gascl_errors_and_value_errors():
    assert issubclass(ProgramError, GasclError)
    assert issubclass(ProgramError, ValueError)


def test_a_subclass_inherits_and_overrides():
    class Child(Made):
        damping = param.real(0.5)
        depth = None
        weight = edge.int32(default=2)
        scatter = "send(e.weight);"

    assert Child(source=1).damping == 0.5
    assert list(Child.spec.vertex_fields) == []
    assert (Child.message, Child.combine) == ("int32", "min")
    assert Child.spec.snippets["scatter"].text == "send(e.weight);"
    assert Made.spec.snippets["scatter"].text == "send(v.depth);"
    assert list(Made.spec.vertex_fields) == ["depth"]


def test_edges_that_alternate_keep_nothing_on_arcs():
    body = {
        "kept": arc.int32(),
        "edges": "alternate",
        "message": "int32",
        "combine": "sum",
        "scatter": "send(1);",
    }
    with pytest.raises(ProgramError, match="which edges = 'alternate' reverses: leave out kept"):
        type("Keeping", (VertexProgram,), body)
    del body["kept"]
    assert type("Turning", (VertexProgram,), body).spec.alternates
