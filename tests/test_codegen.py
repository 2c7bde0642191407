"""The generated header: golden texts and properties. `python tests/test_codegen.py` renews them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from gascl import VertexProgram, aggregate, edge, param, vertex
from gascl.codegen import generate
from gascl.fields import VertexParam
from gascl.header import Header, struct_dtype
from gascl.programs import PageRank, ShortestPaths
from gascl.types import SCALARS, resolve

GOLDEN = Path(__file__).parent / "golden"


class Masks(VertexProgram):
    """Every word of masks, integers, a choice, and messages that are checked for overflow."""

    level = vertex.uint8(init="v.id % 3")
    heard = vertex.int64()
    cost = edge.int16(default=1)
    root = param.vertex()
    most = param.int32(9)
    rule = param.choice("near", "far")
    seen = aggregate.int32("sum")
    least = aggregate.uint16("min")

    message, combine = "int32", "sum"
    edges = "both"
    mask = "v.id == p.root || v.in_degree > g.num_edges"
    init = "aggregate_least(v.level); if (v.id == 1) set_mask_of(0);"
    functions = "int twice(int x) { return 2 * x; }"
    scatter = """
        if (e.reversed && p.rule == rule_far)
            return;
        set_mask_of(e.dst);
        if (get_mask_of(e.dst))
            set_mask();
        send(twice(e.cost) + (int)(e.id % 2));
    """
    apply = """
        v.heard += msg;
        aggregate_seen(has_msg);
        if (superstep > p.most || prev.seen == 0)
            return;
        if (get_mask())
            unset_mask();
        else
            set_mask_of(v.id / 2);
    """
    stop = "agg.seen == 0 || superstep > p.most"


GOLDENS = {
    "shortest_paths_float32": (ShortestPaths, {}),
    "page_rank_float32": (PageRank, {}),
    "page_rank_float64": (PageRank, {"real": "float64"}),
    "masks_far_int64": (Masks, {"offset": "int64", "choices": {"rule": "far"}}),
}


class Least(VertexProgram):
    """Uses next to nothing."""

    x = vertex.int32()
    message, combine = "int32", "min"
    scatter = "send(v.x);"
    apply = "v.x = msg;"


@pytest.mark.parametrize("name", GOLDENS)
def test_golden(name):
    cls, options = GOLDENS[name]
    assert generate(cls, **options).text == (GOLDEN / f"{name}.h").read_text()


@pytest.mark.parametrize("name", GOLDENS)
def test_pure(name):
    cls, options = GOLDENS[name]
    first, second = generate(cls, **options), generate(cls, **options)
    assert (first.text, first.places, first.state) == (second.text, second.places, second.state)


@pytest.mark.parametrize("name", GOLDENS)
def test_each_line_has_its_place(name):
    """A line with a place is, word for word, the line of the user's file at that place."""
    cls, options = GOLDENS[name]
    header = generate(cls, **options)
    lines = header.text.rstrip("\n").split("\n")
    assert len(header.places) == len(lines)
    placed = [(line, p) for line, p in zip(lines, header.places, strict=True) if p is not None]
    assert len(placed) == sum(s.text.count("\n") + 1 for s in cls.snippets.values()) - (
        cls.combine in ("sum", "min")  # a word, not a snippet
    )
    for line, place in placed:
        file, number = str(place).rsplit(":", 1)
        assert line.strip() in Path(file).read_text().split("\n")[int(number) - 1]


@pytest.mark.parametrize("name", GOLDENS)
def test_golden_programs_compile(name):
    """The texts are not only as they were: a device's compiler takes them."""
    from gascl.deliveries import DELIVERIES, admitted
    from gascl.device import find
    from gascl.plan import build

    cls, options = GOLDENS[name]
    program = cls(
        dtype=options.get("real", "float32"),
        **{n: 0 for n, p in cls.params.items() if isinstance(p, VertexParam)},
        **options.get("choices", {}),
    )
    for delivery in admitted(cls):
        build(program, find(), DELIVERIES[delivery], options.get("offset", "int32"))


# Nothing that is not used ----------------------------------------------------------------------


def with_(base: type[VertexProgram] = Least, **names) -> Header:
    return generate(type("Changed", (base,), names))


def test_edge_members_only_where_read():
    assert generate(Least).edge == []
    assert "gascl_e_" not in generate(Least).text
    for member in ("id", "reversed"):
        header = with_(scatter=f"send(e.{member});")
        assert header.edge == [member]
        assert re.findall(r"gascl_e_\w+", header.text).count(f"gascl_e_{member}") == 3
    for member in ("src", "dst"):  # known from the row and the column: no array
        assert with_(scatter=f"send(e.{member});").edge == []
    assert with_(weight=edge.int32()).edge == []
    header = with_(weight=edge.int32(), other=edge.int32(), scatter="send(e.weight);")
    assert header.edge == ["weight"]
    assert not re.search(r"\bother\b|e_other", header.text)


def test_degrees_only_where_read():
    assert not re.search(r"(in|out)_degree", generate(Least).text)
    header = with_(scatter="send(v.in_degree);")
    assert "in_degree" in header.state
    assert "out_degree" not in header.text
    assert "out_degree" in with_(mask="v.out_degree > 1").state


def body(header: Header, function: str) -> str:
    """The lines of a function behind its opening brace."""
    rest = header.text[re.search(rf"^static \w+ {function}\(", header.text, re.M).start() :]
    return rest[rest.index("{\n") : rest.index("\n}\n")]


def test_loads_and_stores_only_what_is_mentioned():
    class Some(VertexProgram):
        sent = vertex.int32()
        read = vertex.int32()
        written = vertex.int32()
        message, combine = "int32", "sum"
        scatter = "send(v.sent);"
        apply = "v.written = msg + v.read;"

    header = generate(Some)
    loaded = re.findall(r"= gascl_v_(\w+)\[", body(header, "gascl_scattering"))
    assert loaded == ["sent"]
    applied = body(header, "gascl_apply")
    assert "sent" not in re.findall(r"gascl_v_(\w+)\[", applied)
    assert "read" in re.findall(r"= gascl_v_(\w+)\[gascl_id\];", applied)
    assert re.findall(r"^ +gascl_v_(\w+)\[gascl_id\] = ", applied, re.M) == ["written"]


def test_masks_only_where_used():
    everywhere = {"scatter_on": "all", "stop": "superstep > 3"}
    assert not {"mask", "next", "marks"} & set(with_(**everywhere).state)
    assert {"mask", "next"} <= set(generate(Least).state)
    assert "marks" not in generate(Least).state
    assert "marks" in with_(apply="set_mask_of(0); unset_mask();").state
    assert "mask" in with_(**everywhere, apply="v.x = get_mask();").state


def test_what_a_snippet_does_not_mention_is_not_brought_into_its_sight():
    for mentioned, line in (
        ("p.k", "const gascl_params p "),
        ("g.num_edges", "const gascl_graph g "),
        ("prev.total", "const gascl_aggregates prev "),
        ("superstep", "const int superstep "),
    ):
        names = {"k": param.int32(1), "total": aggregate.int32("sum")}
        without, used = with_(**names), with_(**names, scatter=f"send({mentioned});")
        assert line not in body(without, "gascl_scatter")
        assert line in body(used, "gascl_scatter")
        assert line not in body(used, "gascl_apply_snippet")


def test_words_are_only_defined_where_used():
    """DESIGN, section 5: nothing is generated that the program does not use."""
    words = set(re.findall(r"^#define (?!GASCL|return)(\w+)\(", generate(Least).text, re.M))
    assert words == {"send"}
    words = set(re.findall(r"^#define (?!GASCL|return)(\w+)\(", generate(Masks).text, re.M))
    masks = {"set_mask", "unset_mask", "set_mask_of", "get_mask", "get_mask_of"}
    assert words == {"send", "aggregate_seen", "aggregate_least", *masks}


def test_overflow_is_only_checked_for_integer_sums_and_products():
    for combine in ("min", "max", "or", "and"):
        assert "gascl_overflow" not in with_(combine=combine).text
    assert "gascl_overflow" not in with_(message="real", combine="sum").text
    for combine in ("sum", "prod"):
        assert "gascl_overflow" in with_(combine=combine).text


# Names -----------------------------------------------------------------------------------------

#: The language's own words, which a snippet sees; DESIGN, section 3.
WORDS = set("v e p g a b agg prev msg has_msg superstep send set_mask unset_mask".split())
WORDS |= set("set_mask_of get_mask get_mask_of real x id".split())


@pytest.mark.parametrize("name", GOLDENS)
def test_names_have_the_prefix(name):
    """Whatever a snippet's own names are, they meet none of ours but the language's words."""
    cls, options = GOLDENS[name]
    header = generate(cls, **options)
    lines = header.text.rstrip("\n").split("\n")
    ours = [line for line, p in zip(lines, header.places, strict=True) if p is None]
    text = re.sub(r"//.*", "", "\n".join(ours))
    found = set(re.findall(r"^#define (\w+)", text, re.M)) - {"return"}
    found |= set(re.findall(r"^typedef [\w ]+ (\w+);", text, re.M))
    found |= set(re.findall(r"^} (\w+);", text, re.M))
    found |= set(re.findall(r"^static \w+ (\w+)\(", text, re.M))
    for macro in re.findall(r"^#define GASCL_(?:STATE|EDGE) (.+)", text, re.M):
        found |= set(re.findall(r"\*restrict (\w+)", macro))
    for head in re.findall(r"^static [^{;]*?\(([^{;]*)\) {$", text, re.M):
        if "gascl_id" in head or "gascl_vertex" in head or "prev" in head:  # around a snippet
            arguments = head.replace("GASCL_STATE", "").replace("GASCL_EDGE", "").split(",")
            found |= {a.split()[-1].lstrip("*") for a in arguments if a.strip()}
    allowed = WORDS | {f"aggregate_{n}" for n in cls.aggregates}
    allowed |= {f"real{n}" for n in (2, 3, 4, 8, 16)}
    strange = {n for n in found if not n.lower().startswith("gascl_")} - allowed
    assert strange == set()
    assert {"gascl_vertex", "gascl_scatter", "gascl_params", "GASCL_STATE"} <= found


def test_choices():
    near, far = (generate(Masks, choices={"rule": w}).text for w in ("near", "far"))
    assert "enum { rule_near, rule_far };" in near
    assert near.replace("params.rule = rule_near;", "params.rule = rule_far;") == far
    assert generate(Masks).text == near
    assert near != far


def test_values_of_parameters_are_not_in_the_text():
    class Other(Masks):
        most = param.int32(1234567)

    renamed = generate(Other).text.replace("// Other", "// Masks")
    assert renamed == generate(Masks).text


def test_real_and_offsets():
    assert "typedef float real;" in generate(PageRank).text
    assert "typedef double real;" in generate(PageRank, real="float64").text
    assert "typedef int gascl_offset;" in generate(Masks).text
    assert "typedef long gascl_offset;" in generate(Masks, offset="int64").text
    assert generate(PageRank).tally["aggregates"]["change"] == np.float64
    assert generate(PageRank, fp64=False).tally["aggregates"]["change"] == np.float32
    assert "double" not in generate(PageRank, fp64=False).text
    assert "FP_CONTRACT OFF" in generate(Least).text


# Struct layouts --------------------------------------------------------------------------------

#: (members, offsets, size), by hand from OpenCL C 1.2: a vector is aligned to its size, one of 3
#: counts as one of 4, and a struct's size is a multiple of its greatest alignment.
LAYOUTS = [
    (["int32", "int64"], [0, 8], 16),
    (["int8", "int16", "int8", "int32"], [0, 2, 4, 8], 12),
    (["float64", "uint8"], [0, 8], 16),
    (["int8", "float4"], [0, 16], 32),
    (["float3", "int32"], [0, 16], 32),
    (["int32", "char3", "int8", "short2"], [0, 4, 8, 12], 16),
    (["uint8", "double2", "float32", "double16"], [0, 16, 32, 128], 256),
    (["float8", "int64", "float2"], [0, 32, 40], 64),
    ([], [0], 4),
]


@pytest.mark.parametrize(("types", "offsets", "size"), LAYOUTS, ids=str)
def test_struct_layouts(types, offsets, size):
    dtype = struct_dtype([(f"m{i}", resolve(t, "float32")) for i, t in enumerate(types)])
    assert [dtype.fields[n][1] for n in dtype.names] == offsets
    assert dtype.itemsize == size


def test_struct_layouts_are_the_devices():
    """Each struct's size and the offset of each member, as a kernel on the device sees them."""
    import pyopencl as cl

    from gascl.device import find

    device = find()
    every = [
        *SCALARS,
        *(f"{c}{n}" for c in ("char", "short", "float", "long") for n in (2, 3, 4, 8)),
    ]
    pairs = [[a, b, "int8"] for a in every[:: 3 if device.fp64 else 4] for b in every]
    pairs = [p for p in pairs if device.fp64 or "float64" not in p]
    text, expected = "", []
    stores = ""
    for i, types in enumerate([*pairs, *(t for t, _, _ in LAYOUTS if t)]):
        members = [(f"m{k}", resolve(t, "float32")) for k, t in enumerate(types)]
        text += f"typedef struct {{ {' '.join(f'{t.c} {n};' for n, t in members)} }} s{i};\n"
        dtype = struct_dtype(members)
        for name in dtype.names:
            stores += f"    out[{len(expected)}] = (int)(size_t)&((s{i} *)0)->{name};\n"
            expected.append(dtype.fields[name][1])
        stores += f"    out[{len(expected)}] = sizeof(s{i});\n"
        expected.append(dtype.itemsize)
    text += f"__kernel void offsets(__global int *out) {{\n{stores}}}\n"
    built = cl.Program(device.context, text).build()
    out = cl.Buffer(device.context, cl.mem_flags.WRITE_ONLY, 4 * len(expected))
    built.offsets(device.queue, (1,), (1,), out)
    found = np.empty(len(expected), np.int32)
    cl.enqueue_copy(device.queue, found, out)
    assert found.tolist() == expected


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name_, (cls_, options_) in GOLDENS.items():
        (GOLDEN / f"{name_}.h").write_text(generate(cls_, **options_).text)
