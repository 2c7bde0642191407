"""Names that are taken: docs/programs.md lists them, and a class that has one is refused."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from gascl import ProgramError, Result, VertexProgram, aggregate, arc, edge, param, struct, vertex
from gascl.language import keywords
from gascl.language.spec import SNIPPETS

PAGE = Path(__file__).parents[2] / "docs" / "programs.md"
KINDS = {
    "vertex field": vertex.int32(),
    "edge field": edge.int32(),
    "arc field": arc.int32(),
    "parameter": param.int32(1),
    "aggregator": aggregate.int64("sum"),
}
CHOICES = {"scatter_on", "apply_on", "edges", "restart", "ends", "lanes", "delta", "order"}
ATTRIBUTES = {n for n in vars(VertexProgram) if not n.startswith("_")}


def listed(title: str) -> set[str]:
    """The words in a bullet of the page, up to its first semicolon."""
    section = PAGE.read_text().partition("## Reserved names\n")[2].partition("\n## ")[0]
    (bullet,) = re.findall(rf"^- \*\*{title}\*\*.*?(?=\n- |\n\n|\Z)", section, re.M | re.S)
    return set(re.findall(r"`([^`]+)`", bullet.partition(";")[0]))


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Words of C", keywords.C_WORDS),
        ("Constants of OpenCL C", keywords.CONSTANTS),
        ("Words of the language", keywords.LANGUAGE),
        ("Attributes of every program", ATTRIBUTES),
        ("Arguments of every program", keywords.CONSTRUCTION),
        ("Attributes of every result", keywords.RESULT),
    ],
)
def test_the_page_lists_them(title, words):
    assert listed(title) == set(words)


def test_the_attributes_of_a_result_are_all_there():
    """A new one must be added to keywords.RESULT and to the page."""
    found = {*vars(Result)} | {f.name for f in dataclasses.fields(Result)}
    public = {name for name in found if not name.startswith("_")}
    assert public | {"dtype", "initial"} == keywords.RESULT


TAKEN = {
    "a word of C": ["int", "float4", "ulong16", "real2", "typeof", "asm"],
    "a constant of OpenCL C": ["M_PI", "FLT_MAX", "INFINITY", "CLK_LOCAL_MEM_FENCE", "INT_MAX"],
    "a word of the language": ["send", "lane", "superstep", "hash"],
    "a name of gascl's own code": ["gascl_x", "GASCL_LANES"],
}


@pytest.mark.parametrize("kind", [*KINDS, "struct", "member of Pair"])
@pytest.mark.parametrize("why", TAKEN)
def test_taken_everywhere(kind, why):
    for name in TAKEN[why]:
        body = {"Pair": struct([(name, "int32")])}
        if kind in KINDS:
            body = {name: KINDS[kind]}
        elif kind == "struct":
            body = {name: struct([("a", "int32")])}
        words = rf"'{name}' is {why} and cannot be the name of an? {kind}"
        with pytest.raises(ProgramError, match=words):
            type("Wrong", (VertexProgram,), body)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["v", "e", "p", "g", "prev", "agg", "x_"])
def test_taken_by_fields(kind, name):
    with pytest.raises(ProgramError, match=rf"'{name}' is (a word of the language|reserved) and"):
        type("Wrong", (VertexProgram,), {name: KINDS[kind]})


@pytest.mark.parametrize("kind", KINDS)
def test_taken_in_python(kind):
    taken = set(ATTRIBUTES)
    taken |= keywords.CONSTRUCTION if kind in ("vertex field", "parameter") else set()
    taken |= keywords.RESULT if kind == "vertex field" else set()
    # Of the language's own attributes, it is said what each must be.
    taken -= {"message", "gathered", *SNIPPETS, *CHOICES}
    for name in taken:
        words = rf"'{name}' is an attribute of every (program|result \(result.{name}\)) and cannot"
        with pytest.raises(ProgramError, match=words):
            type("Wrong", (VertexProgram,), {name: KINDS[kind]})


def test_a_struct_begins_with_a_capital_letter():
    """A small one would clash with a function (`dot`) or a variable (`x`) of the kernels."""
    with pytest.raises(ProgramError, match=r"'dot' cannot be the name of a struct.*capital letter"):
        type("Wrong", (VertexProgram,), {"dot": struct([("a", "int32")])})


def test_names_that_are_free():
    body = {
        "state": param.int32(1),
        "graph": edge.int32(),
        "top": aggregate.int64("sum"),
        "missing": arc.int32(),
        "u": vertex.int32(),
        "distance": vertex.real(),  # also a function of OpenCL C
        "Pair": struct([("e", "int32"), ("state", "int32"), ("x_", "int32")]),
    }
    assert type("Right", (VertexProgram,), body).spec.params["state"].default == 1
