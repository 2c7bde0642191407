"""Structs, arc fields, aggregators, gather, lanes and restart: what is refused, and how."""

from __future__ import annotations

import numpy as np
import pytest
from support.invalid_classes import TEMPLATE, said

from gascl import ProgramError, VertexProgram, aggregate, edge, param, struct, vertex
from gascl.language.types import Struct, resolve


def defined(body: str) -> type[VertexProgram]:
    """The template's class with more lines, which have nothing wrong either."""
    names: dict = {"__name__": "my_program"}
    text = TEMPLATE + "".join(f"    {line}\n" for line in body.split("\n"))
    exec(compile(text, "nowhere", "exec"), names)
    return names["Wrong"]


# Structs -----------------------------------------------------------------------------------------

PAIR = "Pair = struct([('distance', 'real'), ('parent', 'int32')])\n"
STRUCTS = [
    ([], "struct: give at least one member"),
    ([("a", "int32"), ("a", "real")], "'a' is not a valid name for a member, or occurs twice"),
    ([("two words", "int32")], "'two words' is not a valid name for a member"),
    ([("a", "flaot32")], "'flaot32' is not a type of fields or messages; did you mean 'float32'?"),
    ([("a", "complex64")], "'complex64' is not a type"),
    ([("a", "float16")], "'float16' is not a type"),
    ([("a", "U4")], "'U4' is not a type"),
    (["ab", "cde"], "struct takes (name, type) pairs or a structured dtype, not ['ab'"),
    (3, "struct takes (name, type) pairs or a structured dtype, not 3"),
    ("int32", "struct takes (name, type) pairs"),
    (np.dtype("int32"), "struct: int32 is not a structured dtype"),
    (np.dtype([("a", "f4", (2, 2))]), "member 'a' has 2 dimensions; arrays in structs have one"),
    (
        [("a", "real(1)")],
        "'real(1)': an array has from 2 to 1024 components; for one, write 'real'",
    ),
    ([("a", "real(2000)")], "'real(2000)': an array has from 2 to 1024 components"),
    ([("a", "float4(8)")], "'float4(8)' is not a type: the components of an array are 'real' or"),
    (
        np.dtype([("a", [("b", "f4")])]),
        "member 'a' is a struct; members must be scalars or vectors",
    ),
    (
        [("a", struct([("b", "real")]))],
        "member 'a' is a struct; members must be scalars or vectors",
    ),
]


@pytest.mark.parametrize(("members", "words"), STRUCTS, ids=lambda x: str(x)[:30])
def test_structs_refused(members, words):
    with pytest.raises(ProgramError) as caught:
        struct(members)
    assert words in str(caught.value)


def test_structs():
    pair = struct([("distance", "real"), ("parent", np.int32), ("at", "float4")])
    assert pair == Struct((("distance", "real"), ("parent", "int32"), ("at", "float4")))
    assert struct(iter([("a", "int8")])) == struct([("a", np.dtype("int8"))])
    assert str(pair) == "struct of distance, parent, at"
    packed = np.dtype([("a", "i1"), ("b", ">f8")])  # only names and types count
    assert struct(packed) == struct([("a", "int8"), ("b", "float64")])
    dtype = resolve(struct(packed), "float32").scalar
    assert (dtype.itemsize, dtype.fields["b"][1], dtype["b"]) == (16, 8, np.dtype("f8"))
    assert resolve(pair, "float64").scalar["distance"] == np.float64


def test_a_struct_goes_by_the_name_that_the_class_gives_it():
    cls = defined(
        PAIR
        + "Same = np.dtype([('x', 'f4')])\n"
        + "Again = struct([('x', 'float32')])\n"
        + "best = vertex.struct(Pair, init='(Pair){INFINITY, -1}')\n"
        + "seen = vertex.struct(np.dtype([('x', 'f4')]))\n"
        + "kept = arc.struct(Pair)\n"
        + "far = aggregate.struct(Pair, 'a.distance > b.distance ? a : b', identity='(Pair){0}')\n"
        + "message, combine, identity = Pair, 'a.parent < b.parent ? a : b', '(Pair){0, 0}'\n"
        + "scatter = 'send((Pair){e.kept.distance, 1});'\n"
        + "apply = 'v.best = msg; aggregate_far(msg);'"
    )
    assert set(cls.spec.structs) == {"Pair", "Same", "Again", "message"}
    # `message` is another name of it, and stands first in the template.
    assert cls.spec.message.name == cls.spec.vertex_fields["best"].type.name == "message"
    assert cls.spec.arc_fields["kept"].type == cls.spec.aggregates["far"].type == cls.spec.message
    assert cls.spec.vertex_fields["seen"].type.name == "Same"  # the first of the two


def test_a_struct_is_inherited():
    class Base(VertexProgram):
        Pair = struct([("a", "int32"), ("b", "real")])
        best = vertex.struct(Pair)

    class Child(Base):
        message, combine, identity = Base.Pair, "a.a < b.a ? a : b", "(Pair){0}"
        scatter = "send(v.best);"

    assert Child.spec.message.name == Child.spec.vertex_fields["best"].type.name == "Pair"
    assert Child.spec.message == Child.spec.structs["Pair"] == Base.spec.structs["Pair"]


def test_a_message_struct_in_place_is_called_message():
    cls = defined(
        "message = struct([('a', 'int32')])\ncombine, identity = 'a.a < b.a ? a : b', "
        "'(message){0}'\nscatter = 'send((message){1});'\napply = ''"
    )
    assert cls.spec.message.name == "message"


OF_STRUCTS = [
    ("best = vertex.struct(struct([('a', 'int32')]))  # <<<", "the struct of 'best' has no name"),
    (
        "best = vertex.struct([('a', 'int32')])  # <<<",
        "assign it to an attribute, as Pair = struct(",
    ),
    ("best = arc.struct([('a', 'int32')])  # <<<", "the struct of 'best' has no name"),
    (
        PAIR + "best = vertex.struct(Pair, init=3)  # <<<",
        "init of 'best' is 3",
        "a string with a C expres",
    ),
    (PAIR + "message = Pair  # <<<\ncombine = 'sum'  # <<<", "needs a scalar or array message"),
    (PAIR + "message = Pair\ncombine = 'a'  # <<<", "'a' is not an expression over a and b"),
    (PAIR + "message = Pair\ncombine = 'a + b'  # <<<", "needs an identity"),
    (
        "int = struct([('a', 'int32')])  # <<<",
        "'int' is a word of C and cannot be the name of a struct",
    ),
    ("real = struct([('a', 'int32')])  # <<<", "'real' is a word of C"),
    ("gascl_box = struct([('a', 'int32')])  # <<<", "'gascl_box' is a name of gascl's own code"),
]


@pytest.mark.parametrize("case", OF_STRUCTS, ids=lambda c: c[0].split("\n")[-1].split("#")[0])
def test_structs_in_a_class(tmp_path, case):
    body, *parts = case
    lines = body.split("\n")
    # Only the last mark is the one that is named.
    said(tmp_path, "\n".join([*(x.split("  #")[0] for x in lines[:-1]), lines[-1]]), *parts)


def test_edge_fields_and_parameters_are_no_structs():
    for space in (edge, param):
        with pytest.raises(
            ProgramError, match="edge fields and parameters must be scalars, not struc"
        ):
            space.struct([("a", "int32")])


# Arc fields --------------------------------------------------------------------------------------

ARCS = [
    ("src = arc.int32()  # <<<", "'src' is reserved and cannot be the name of an arc field"),
    ("reversed = arc.int32()  # <<<", "'reversed' is reserved"),
    ("cost = arc.int32(init=0.5)  # <<<", "init of 'cost' is 0.5", "int32", "or a C expression"),
    ("cost = arc.uint8(init=-1)  # <<<", "-1", "uint8"),
    ("cost = arc.real(init='v.rank')  # <<<", "`v` is not available in Wrong.cost"),
    ("cost = arc.real(init='prev.change')  # <<<", "`prev` is not available in Wrong.cost"),
    ("cost = arc.real(init='e.cots')  # <<<", "unknown e.cots; did you mean e.cost?"),
    ("cost = arc.real(init='e.cost + 1')  # <<<", "reads e.cost", "not declared before it"),
    (
        "a = arc.real(init='e.b')  # <<<\nb = arc.real()",
        "init of 'a' reads e.b, which is not declared",
    ),
    ("cost = arc.real()\napply = 'v.rank = e.cost;'  # <<<", "`e` is not available in Wrong.apply"),
    ("cost = arc.real()\nscatter = 'e.src = 3; send(1);'  # <<<", "e.src is written", "read only"),
    ("cost = arc.real()\nscatter = 'e.weight += 3;'  # <<<", "e.weight is written", "read only"),
    ("cost = arc.real()\nscatter = 'e.cots = 3;'  # <<<", "unknown e.cots; did you mean e.cost?"),
]


@pytest.mark.parametrize("case", ARCS, ids=lambda c: c[0].split("#")[0])
def test_arc_fields(tmp_path, case):
    said(tmp_path, *case)


def test_an_arc_field_is_written_in_scatter():
    cls = defined(
        "cost = arc.real(init='e.weight + e.src + e.dst + e.id + e.reversed + p.damping')\n"
        "times = arc.int2(init='(int2)(e.cost, g.num_edges)')\n"
        "scatter = 'e.cost += 1; e.times.x = 2; send(e.cost);'"
    )
    assert list(cls.spec.arc_fields) == ["cost", "times"]
    assert cls.spec.snippets["scatter"].writes("e") == {"cost", "times"}
    assert {"cost.init", "times.init"} <= set(cls.spec.snippets)


# Aggregators -------------------------------------------------------------------------------------

AGGREGATORS = [
    (
        ("real", "average"),
        {},
        "op must be one of sum, min, max, count, mean, or a C expression over a",
    ),
    (("real", "a + b"), {}, "with identity='...', not 'a + b'"),
    (("real", "sum"), {"identity": "0"}, "an aggregator with 'sum' needs no identity"),
    (
        ("float4", "sum"),
        {},
        "an aggregator with 'sum' needs scalars; write an expression over a and b",
    ),
    (("float4", "mean"), {}, "an aggregator with 'mean' needs scalars"),
    (("int2", "count"), {}, "an aggregator with 'count' needs scalars"),
    (("real", 4), {}, "real(4): an aggregator cannot be an array; declare one for each component"),
]


@pytest.mark.parametrize(("given", "more", "words"), AGGREGATORS, ids=str)
def test_aggregators_refused(given, more, words):
    type_, *rest = given
    with pytest.raises(ProgramError) as caught:
        getattr(aggregate, type_)(*rest, **more)
    assert words in str(caught.value)


def test_edge_fields_are_no_arrays():
    """The number was the default."""
    with pytest.raises(
        ProgramError, match=r"real\(64\): edge fields are not arrays; .* default=64"
    ):
        edge.real(64)
    assert edge.real(default=64).default == 64


def test_aggregators_of_structs_need_an_expression():
    with pytest.raises(ProgramError, match="'max' needs scalars; write an expression over a and b"):
        aggregate.struct([("a", "int32")], "max")


def test_aggregators():
    assert aggregate.int32("count").accumulator("float32", True) == resolve("int64", "float32")
    for mean in (aggregate.int32("mean"), aggregate.int64("mean"), aggregate.real("mean")):
        assert mean.value("float32", True) == resolve("float64", "float32")
        assert mean.value("float32", False) == resolve("float32", "float32")
    assert aggregate.int32("mean").accumulator("float32", True) == resolve("int64", "float32")
    assert aggregate.uint8("mean").accumulator("float32", True) == resolve("uint64", "float32")
    assert aggregate.int64("mean").accumulator("float32", True) == resolve("float64", "float32")
    assert aggregate.uint8("sum").accumulator("float32", True) == resolve("uint64", "float32")
    assert aggregate.int16("max").accumulator("float32", True) == resolve("int16", "float32")
    custom = aggregate.float4("fmax(a, b)", doc="the largest", identity="(float4)(-INFINITY)")
    assert custom.accumulator("float32", True) == resolve("float4", "float32")
    assert (custom.doc, custom.is_custom, aggregate.real("min").is_custom) == (
        "the largest",
        True,
        False,
    )
    adding = {op: aggregate.real(op).adds for op in ("sum", "mean", "min", "max", "count")}
    assert adding == {"sum": True, "mean": True, "min": False, "max": False, "count": False}


def test_rules_of_aggregators_see_nothing(tmp_path):
    total = "total = aggregate.real({}, identity={})  # <<<"
    # `p` and such are no namespaces there, as in a combiner: they may be parameters' names.
    rule = total.format("'a + b * gascl_x'", "'0'")
    said(tmp_path, rule, "names that start with gascl_ are reserved")
    said(tmp_path, total.format("'a + b'", "'superstep'"), "superstep can only be used in ")
    said(
        tmp_path,
        total.format("'a + b'", "3").split("  #")[0],
        "Wrong.total must be a string of C, not 3",
    )


# Gather snippets ---------------------------------------------------------------------------------

SINGLE = "combine = None\ngather = 'msg = messages[0];'\n"
GATHERS = [
    (
        "gather = 'msg = messages[0];'  # <<<",
        "combined or read one by one: give combine or gather, n",
    ),
    ("combine = None\ngather = 'int x = messages[0];'  # <<<", "gather must assign `msg`"),
    ("combine = None\ngather = 'int x = msg;'  # <<<", "gather must assign `msg`"),
    ("gathered = 'int32'  # <<<", "the type that a gather snippet assigns, but there is none"),
    (SINGLE + "gathered = 'flaot32'", "Wrong: 'flaot32' is not a type", "did you mean 'float32'?"),
    (SINGLE + "apply = 'send_to(0, msg);'  # <<<", "send_to needs a combiner: a gather snippet"),
    (SINGLE + "scatter = 'send(1);\\nsend_to(0, 1);'", "send_to needs a combiner"),
    ("message = combine = None\nscatter = apply = ''\ngather = 'msg = 1;'", "declare the messages"),
    ("combine = None\ngather = 'v.rank = 1; msg = 0;'  # <<<", "v.rank is written in Wrong.gather"),
    ("combine = None\ngather = 'msg = e.weight;'  # <<<", "`e` is not available in Wrong.gather"),
    (
        "combine = None\ngather = 'msg = agg.change;'  # <<<",
        "`agg` is not available in Wrong.gather",
    ),
    ("combine = None\ngather = 'msg = v.rnak;'  # <<<", "v.rnak", "did you mean v.rank?"),
    (
        "message, combine = 'int64', 'prod'\nscatter = 'send_to(0, 1);'  # <<<",
        "send_to cannot be combined by a product of int64",
        "give message = 'int32' or 'real'",
    ),
    ("gahter = 'msg = 0;'  # <<<", "unknown attribute 'gahter'; did you mean 'gather'?"),
    ("gatherd = 'int32'  # <<<", "unknown attribute 'gatherd'; did you mean 'gather"),
]


@pytest.mark.parametrize("case", GATHERS, ids=lambda c: c[0].replace("\n", "; ").split("#")[0])
def test_gathers(tmp_path, case):
    said(tmp_path, *case)


@pytest.mark.parametrize(
    "text",
    [
        "msg = messages[0];",
        "msg += messages[num_messages - 1] * v.rank * p.damping * g.num_edges * superstep;",
        "f(&msg);",
        "msg = hops_of(neighbor(0)) + get_mask() + has_edge(0, 1) + prev.change;",
        "for (int i = 0; i < num_messages; ++i) messages[i] = 0; ++msg;",
    ],
)
def test_a_gather_is_right(text):
    cls = defined(f"combine = None\ngather = {text!r}\ngathered = 'float64'")
    assert (cls.gathered, cls.combine) == ("float64", None)
    assert cls.spec.snippets["gather"].text == text


def test_a_field_whose_name_makes_another_word():
    """`end_of` was taken for a misspelled `send_to`."""
    for name in ("end", "send_t", "neighbo"):
        cls = defined(f"{name} = vertex.int32()\napply = 'v.{name} = {name}_of(0);'")
        assert name in cls.spec.vertex_fields


def test_a_gather_in_place_of_the_bases_combiner():
    base = defined("")
    child = type("Child", (base,), {"combine": None, "gather": "msg = 0;", "identity": "7"})
    assert set(child.spec.snippets) == {"scatter", "apply", "gather", "identity"}
    with pytest.raises(ProgramError, match="give combine or gather, not both"):
        type("Child", (base,), {"gather": "msg = 0;"})


# Lanes and restart -------------------------------------------------------------------------------

NUMBERS = [
    *(
        (f"lanes = {x}  # <<<", f"lanes must be a whole number from 1 to 64, not {x}")
        for x in (0, -1, 65)
    ),
    *((f"lanes = {x}  # <<<", f"from 1 to 64, not {x}") for x in (True, 2.0, "'2'", None, [2])),
    ("lnaes = 3  # <<<", "unknown attribute 'lnaes'; did you mean 'lanes'?"),
    ("restart = 'all'  # <<<", "restart must be 'any' or 'added' or 'never', not 'all'"),
    ("restart = True  # <<<", "restart must be 'any' or 'added' or 'never', not True"),
    ("resart = 'any'  # <<<", "unknown attribute 'resart'; did you mean 'restart'?"),
]


@pytest.mark.parametrize("case", NUMBERS, ids=lambda c: c[0].split("#")[0])
def test_lanes_and_restart(tmp_path, case):
    said(tmp_path, *case)


class Made(VertexProgram):
    depth = vertex.int32()
    source = param.vertex(0)
    damping = param.real(0.85)
    limit = param.int16(5)
    rule = param.choice("near", "far")
    supersteps = param.supersteps()
    message, combine = "int32", "min"
    scatter = "send(v.depth);"


class Four(Made):
    lanes = 4


def test_lanes():
    assert (Made().lanes, Made(source=3).lanes, Four().lanes) == (1, 1, 4)
    for three in ([1, 2, 3], np.array([1, 2, 3]), range(1, 4)):
        made = Made(source=three)
        assert (made.lanes, list(made.source)) == (3, [1, 2, 3])
    assert Made(source=[5]).lanes == 1
    assert Made(source=["a", "b"], damping=[0.1, 1], limit=7).lanes == 2
    assert list(Made(damping=["0.5", np.float32(0.25)]).damping) == [0.5, 0.25]
    assert Four(source=[1, 2, 3, 4]).lanes == 4
    assert (Four(limit=2).lanes, Made.lanes) == (4, 1)
    assert Made(source=(1, 2)).lanes == 1  # a label
    assert Made(source=[(0, 1), (2, 3)]).source == ((0, 1), (2, 3))  # two labels


LANES = [
    (Made, {"limit": [1, 2.5]}, "expected a whole number from -32768 to 32767 (int16)"),
    (Made, {"limit": []}, "expected a value, or a list with one for each lane, not an empty list"),
    (Made, {"source": []}, "not an empty list"),
    (Made, {"limit": np.zeros((2, 2))}, "expected a number (int16)"),
    (Made, {"source": range(65)}, "source has 65 values; at most 64 lanes"),
    (Made, {"source": [1, 2], "limit": [1, 2, 3]}, "limit has 3 values, but there are 2 lanes"),
    (Four, {"source": [1, 2, 3]}, "source has 3 values, but there are 4 lanes"),
    (Made, {"rule": ["near", "far"]}, "expected one of 'near', 'far'"),
    (Made, {"supersteps": [1, 2]}, "supersteps=[1, 2]"),
]


@pytest.mark.parametrize(("cls", "values", "words"), LANES, ids=lambda x: str(x)[:30])
def test_lanes_refused(cls, values, words):
    with pytest.raises(ProgramError) as caught:
        cls(**values)
    assert str(caught.value).startswith(f"{cls.__name__}: ")
    assert words in str(caught.value)
