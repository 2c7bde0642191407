"""The generated header: golden texts and properties.

    PYTHONPATH=tests python tests/codegen/test_generate.py

renews the golden texts.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from support.golden_programs import GENERATED, GOLDENS, Everywhere, Masks, Singly

from gascl import VertexProgram, aggregate, arc, edge, param, vertex
from gascl.codegen.context import Context
from gascl.codegen.generate import generate
from gascl.codegen.header import Header
from gascl.codegen.pairs import WRITTEN_OUT
from gascl.delivery.registry import DELIVERIES
from gascl.delivery.run_layout import state_arguments
from gascl.language.fields import VertexParam
from gascl.language.traits import Traits
from gascl.language.types import resolve
from gascl.programs import PageRank

GOLDEN = Path(__file__).parent / "golden"


class Least(VertexProgram):
    """Uses next to nothing."""

    x = vertex.int32()
    message, combine = "int32", "min"
    scatter = "send(v.x);"
    apply = "v.x = msg;"


@pytest.mark.parametrize("name", GOLDENS)
def test_golden(name):
    cls, options = GENERATED[name]
    assert generate(cls.spec, **options).text == (GOLDEN / f"{name}.h").read_text()


class Narrow(VertexProgram):
    """Has fields of every size, in an order that leaves gaps between them."""

    a = vertex.int8()
    b = vertex.int64()
    c = vertex.uint16()
    d = vertex.real3()
    kept = arc.int8(init="e.src")
    apart = arc.int64(init="e.dst")
    message, combine = "int32", "sum"
    scatter = "send(v.b + e.apart + e.kept);"
    apply = "v.a = msg; v.b = msg; v.c = msg; v.d = msg; set_mask();"


@pytest.mark.parametrize("struct", ["gascl_vertex", "gascl_edge"])
def test_no_gaps_in_structs_that_functions_return(struct):
    """NVIDIA's compiler copies structs with gaps wrongly."""
    traits, offset = Traits.of(Narrow.spec), resolve("int32", "float32")
    context = Context(Narrow.spec, traits, "float32", {}, offset, True, *3 * [False], True, True)
    place = 0
    for _, type_ in {"gascl_vertex": context.vertex, "gascl_edge": context.edge}[struct].members:
        assert place % type_.alignment == 0
        place += type_.itemsize


@pytest.mark.parametrize("name", GENERATED)
def test_pure(name):
    cls, options = GENERATED[name]
    first, second = generate(cls.spec, **options), generate(cls.spec, **options)
    assert (first.text, first.places, first.state) == (second.text, second.places, second.state)


@pytest.mark.parametrize("name", GENERATED)
def test_each_line_has_its_place(name):
    """A line with a place is, word for word, the line of the user's file at that place, with its
    macros expanded."""
    cls, options = GENERATED[name]
    header = generate(cls.spec, **options)
    lines = header.text.rstrip("\n").split("\n")
    assert len(header.places) == len(lines)
    placed = [(line, p) for line, p in zip(lines, header.places, strict=True) if p is not None]
    texts = [snippet.text for snippet in cls.spec.snippets.values()]
    if not options.get("debug") and Traits.of(cls.spec).indexes_messages:
        texts.append(cls.spec.snippets["gather"].text)  # again, for messages in local memory
    if options.get("shares"):
        texts.append(cls.spec.snippets["apply"].text)  # again, in parts
    assert len(placed) == sum(text.count("\n") + 1 for text in texts)
    for line, place in placed:
        file, number = str(place).rsplit(":", 1)
        written = Path(file).read_text().split("\n")[int(number) - 1]
        if options.get("debug"):  # divisors and indices are guarded there
            guards = {f"gascl_{name}" for name in ("nonzero", "index", "element", "either")}
            guards |= {"0", "GASCL_BLAMED_ON"}
            words = set(re.findall(r"\w+", line))
            assert words - guards <= set(re.findall(r"\w+", written))
        elif options.get("shares"):  # and once the heads of loops are macros
            words = {w for w in re.findall(r"\w+", line) if not w.startswith("GASCL_")}
            assert words <= set(re.findall(r"\w+", written))
        else:
            as_written = line.strip().replace(".at", "")  # an array is a member of a union
            assert as_written in written.replace("DANGLING", "(!v.out_degree)")


#: Others are of programs that many tests run, or differ little from these.
COMPILED = ("all_pairs_debug", "everywhere_lanes3", "masks_far_int64")


@pytest.mark.parametrize(
    "name", [n if n in COMPILED else pytest.param(n, marks=pytest.mark.slow) for n in GENERATED]
)
def test_golden_programs_compile(name):
    """The texts are not only as they were: a device's compiler takes them."""
    from support.admitting_deliveries import admitted

    from gascl.opencl.device_choice import find
    from gascl.run.plan import Variant, plan_of, source_of

    cls, options = GENERATED[name]
    program = cls(
        dtype=options.get("real", "float32"),
        **{n: 0 for n, p in cls.spec.params.items() if isinstance(p, VertexParam)},
        **options.get("choices", {}),
    )
    for delivery in admitted(program):
        device, offset = find(), options.get("offset", "int32")
        variant = Variant(options.get("debug", False), shares=options.get("shares", False))
        source = source_of(program, device.facts, DELIVERIES[delivery], offset, variant)
        plan_of(program, device, source)


# Nothing that is not used ----------------------------------------------------------------------


def with_(base: type[VertexProgram] = Least, **names) -> Header:
    return generate(type("Changed", (base,), names).spec)


def test_edge_members_only_where_read():
    assert generate(Least.spec).edge == ()
    assert "gascl_e_" not in generate(Least.spec).text
    for member in ("id", "reversed"):
        header = with_(scatter=f"send(e.{member});")
        assert header.edge == (member,)
        assert re.findall(r"gascl_e_\w+", header.text).count(f"gascl_e_{member}") == 4
    for member in ("src", "dst"):  # known from the row and the column: no array
        assert with_(scatter=f"send(e.{member});").edge == ()
    assert with_(weight=edge.int32()).edge == ()
    header = with_(weight=edge.int32(), other=edge.int32(), scatter="send(e.weight);")
    assert header.edge == ("weight",)
    assert not re.search(r"[ve]\.other|[ve]_other", header.text)


def test_degrees_only_where_read():
    assert not re.search(r"(in|out)_degree", generate(Least.spec).text)
    header = with_(scatter="send(v.in_degree);")
    assert "in_degree" in header.state
    assert "out_degree" not in header.text
    assert "out_degree" in with_(mask="v.out_degree > 1").state


def body(header: Header, function: str) -> str:
    """The lines of a function behind its opening brace."""
    rest = header.text[
        re.search(rf"^(?:GASCL_\w+ )?static \w+ {function}\(", header.text, re.M).start() :
    ]
    return rest[rest.index("{\n") : rest.index("\n}\n")]


def test_loads_and_stores_only_what_is_mentioned():
    class Some(VertexProgram):
        sent = vertex.int32()
        read = vertex.int32()
        written = vertex.int32()
        message, combine = "int32", "sum"
        scatter = "send(v.sent);"
        apply = "v.written = msg + v.read;"

    header = generate(Some.spec)
    loaded = re.findall(r"= gascl_v_(\w+)\[", body(header, "gascl_scattering"))
    assert loaded == ["sent"]
    applied = body(header, "gascl_apply_message")
    assert "sent" not in re.findall(r"gascl_v_(\w+)\[", applied)
    assert "read" in re.findall(r"= gascl_v_(\w+)\[GASCL_AT\(gascl_id\)\];", applied)
    stored = re.findall(r"^ +gascl_v_(\w+)\[GASCL_AT\(gascl_id\)\] = ", applied, re.M)
    assert stored == ["written"]

    class Arcs(Least):
        seen = arc.int32()
        kept = arc.int32(init="e.seen")
        other = arc.int32()
        scatter = "e.kept = e.seen; send(1);"

    header = generate(Arcs.spec)
    assert header.edge == ("a.seen", "a.kept", "a.other")
    assert re.findall(r"gascl_a_(\w+)\[", body(header, "gascl_store_arc")) == ["kept"]
    unused = with_(noted=arc.int32(), kept2=arc.int32(init="e.noted"))
    assert unused.edge == ("a.noted", "a.kept2")  # fields of the result all the same
    assert not re.search(r"gascl_a_(\w+)\[", body(unused, "gascl_store_arc"))


def arguments(delivery: str, **names) -> list[str]:
    """What kernels are given of the state, with a delivery."""
    cls = type("Changed", (Least,), names)
    return state_arguments(generate(cls.spec), Traits.of(cls.spec), DELIVERIES[delivery], 8)


def test_masks_only_where_used():
    everywhere = {"scatter_on": "all", "stop": "superstep > 3"}
    assert arguments("slots", **everywhere) == ["run", "control", "v.x"]
    assert arguments("slots") == ["run", "control", "v.x", "mask", "next"]
    marks = {"apply": "set_mask_of(0); unset_mask();"}
    assert arguments("slots", **marks)[-3:] == ["mask", "next", "marks"]
    assert arguments("slots", **everywhere, apply="v.x = get_mask();")[-2:] == ["mask", "next"]
    # push has flags and a list of vertices in their place, or only the list, where nobody asks.
    assert {"mask", "next", "marks"}.isdisjoint(arguments("push", **marks))
    assert {"flags", "listed"} <= set(arguments("push", **marks))
    assert {"flags", "listed"} <= set(arguments("push", apply="v.x = get_mask();"))
    assert {"flags", "listed"}.isdisjoint(arguments("push"))
    assert {"flags", "listed"}.isdisjoint(arguments("push", **everywhere))


INBOX = {"inbox", "arrived", "wraps"}


def test_inboxes_only_where_used():
    assert INBOX.isdisjoint(arguments("slots"))
    assert set(arguments("edges")) >= INBOX
    assert "receivers" not in arguments("edges")
    assert {*INBOX, "receivers"} <= set(arguments("push"))
    assert "inbox_next" not in arguments("push")
    assert set(arguments("slots", scatter="send_to(0, 1);")) >= INBOX
    ahead = {f"{n}_next" for n in INBOX}
    assert ahead.isdisjoint(arguments("slots", scatter="send_to(0, 1);"))
    assert {*INBOX, *ahead} <= set(arguments("pull", apply="send_to(0, 1);"))
    assert {*ahead, "receivers_next"} <= set(arguments("push", apply="send_to(0, 1);"))


def test_other_arguments_only_where_used():
    for text, names in (
        ("v.x = num_neighbors;", {"out_offsets", "out_targets"}),
        ("v.x = neighbor(0);", {"out_offsets", "out_targets", "faults"}),
        ("v.x = num_neighbors_of(0);", {"out_offsets", "out_targets", "faults"}),
        ("v.x = x_of(0);", {"old.x", "faults"}),
        ("if (x_of(0)) set_mask();", {"faults"}),
        ("set_mask_of(0);", {"faults"}),
        ("v.x = v.in_degree;", {"in_degree"}),
    ):
        plain = set(arguments("slots"))
        assert set(arguments("slots", apply=text)) - plain == names, text
    assert "faults" in generate(Least.spec, debug=True).state


def test_debug_mode_adds_nothing_where_it_is_off():
    text = generate(Singly.spec).text
    assert not re.search(r"gascl_(nonzero|index|sound|finite|trap|first\b)", text)
    for trap in ("nonzero", "index", "sound_float", "finite_float"):
        assert f"gascl_{trap}(" in generate(Singly.spec, debug=True).text
    # A program without floats has nothing that could be NaN.
    assert "gascl_sound" not in generate(Least.spec, debug=True).text


def test_what_a_snippet_does_not_mention_is_not_brought_into_its_sight():
    for mentioned, line in (
        ("p.k", "const gascl_params p "),
        ("g.num_edges", "const gascl_graph g "),
        ("prev.total", "gascl_aggregates prev;"),
        ("superstep", "const int superstep "),
    ):
        names = {"k": param.int32(1), "total": aggregate.int32("sum")}
        without, used = with_(**names), with_(**names, scatter=f"send({mentioned});")
        assert line not in body(without, "gascl_scatter_snippet")
        assert line in body(used, "gascl_scatter_snippet")
        assert line not in body(used, "gascl_apply_snippet")


def test_words_are_only_defined_where_used():
    """DESIGN, section 5: nothing is generated that the program does not use."""
    words = set(re.findall(r"^#define (?!GASCL|return)(\w+)\(", generate(Least.spec).text, re.M))
    assert words == {"send"}
    words = set(re.findall(r"^#define (?!GASCL|return)(\w+)\(", generate(Masks.spec).text, re.M))
    masks = {"set_mask", "unset_mask", "set_mask_of", "get_mask", "get_mask_of"}
    assert words == {"send", "aggregate_seen", "aggregate_least", *masks}
    words = set(re.findall(r"^#define (?!GASCL|return)(\w+)", generate(Everywhere.spec).text, re.M))
    aggregates = {f"aggregate_{n}" for n in Everywhere.spec.aggregates}
    calls = {"send", "send_to", "set_mask_of", "up_of", "best_of"}
    assert words == {*calls, *aggregates, "neighbor", "num_neighbors", "has_edge", "lane"}
    words = set(re.findall(r"^#define (?!GASCL|return)(\w+)", generate(Singly.spec).text, re.M))
    assert words == {"send", "set_mask", "aggregate_most", "share_of", "neighbor", "num_neighbors"}


def test_overflow_is_only_checked_for_integer_sums_and_products():
    for combine in ("min", "max", "or", "and"):
        assert "gascl_overflow" not in with_(combine=combine).text
    assert "gascl_overflow" not in with_(message="real", combine="sum").text
    for combine in ("sum", "prod"):
        assert "gascl_overflow" in with_(combine=combine).text


# Names -----------------------------------------------------------------------------------------

#: The language's own words, which a snippet sees; DESIGN, section 3.
WORDS = set("v u e p g a b agg prev msg has_msg superstep send set_mask unset_mask".split())
WORDS |= set("set_mask_of get_mask get_mask_of real x id".split())
WORDS |= set("send_to neighbor num_neighbors has_edge lane messages num_messages".split())
WORDS |= {"neighbor_of", "num_neighbors_of", "hash", "needs_order", "distance", "radius"}


@pytest.mark.parametrize("name", GENERATED)
def test_names_have_the_prefix(name):
    """Whatever a snippet's own names are, they meet none of ours but the language's words."""
    cls, options = GENERATED[name]
    header = generate(cls.spec, **options)
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
            arguments = re.sub(r"GASCL_(STATE|EDGE|LANE)", "", head).split(",")
            found |= {a.split()[-1].lstrip("*") for a in arguments if a.strip()}
    allowed = WORDS | {f"aggregate_{n}" for n in cls.spec.aggregates}
    allowed |= {f"real{n}" for n in (2, 3, 4, 8, 16)} | {f"{n}_of" for n in cls.spec.vertex_fields}
    allowed |= {f"{n}_to" for n in cls.spec.edge_fields}
    allowed |= set(cls.spec.structs) | set(WRITTEN_OUT)
    strange = {n for n in found if not n.lower().startswith("gascl_")} - allowed
    assert strange == set()
    assert {"gascl_vertex", "gascl_scatter", "gascl_params", "GASCL_STATE"} <= found


def test_choices():
    near, far = (generate(Masks.spec, choices={"rule": w}).text for w in ("near", "far"))
    assert "enum { rule_near, rule_far };" in near
    assert near.replace("params.rule = rule_near;", "params.rule = rule_far;") == far
    assert generate(Masks.spec).text == near
    assert near != far


def test_values_of_parameters_are_not_in_the_text():
    class Other(Masks):
        most = param.int32(1234567)

    renamed = generate(Other.spec).text.replace("// Other", "// Masks")
    assert renamed == generate(Masks.spec).text


def test_real_and_offsets():
    assert "typedef float real;" in generate(PageRank.spec).text
    assert "typedef double real;" in generate(PageRank.spec, real="float64").text
    assert "typedef int gascl_offset;" in generate(Masks.spec).text
    assert "typedef long gascl_offset;" in generate(Masks.spec, offset="int64").text
    assert generate(PageRank.spec).tally["sums"]["change"] == np.float64
    assert generate(PageRank.spec, fp64=False).tally["sums"]["change"] == np.float32
    assert "double" not in generate(PageRank.spec, fp64=False).text
    assert "FP_CONTRACT OFF" in generate(Least.spec).text


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name_ in GOLDENS:
        cls_, options_ = GENERATED[name_]
        (GOLDEN / f"{name_}.h").write_text(generate(cls_.spec, **options_).text)
