"""Likely mistakes: a program for each, and none in the bundled programs and those of the docs."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

from gascl import VertexProgram, programs
from gascl.cli.find_program import load, module_name
from gascl.language.likely_mistakes import likely_mistakes

TOP = Path(__file__).parents[2]


@pytest.fixture
def mistakes(tmp_path):
    """A function from the text of a file to the lines and texts of the findings in it."""

    def find(text: str) -> list[tuple[int, str]]:
        path = tmp_path / "mine.py"
        path.write_text(
            f"from gascl import VertexProgram, aggregate, arc, edge, param, vertex\n{text}"
        )
        module = load(path)
        found = []
        for each in vars(module).values():
            if isinstance(each, type) and each.__module__ == module.__name__:
                found += likely_mistakes(each)
        for mistake in found:
            assert str(mistake.place).startswith(f"{path}:"), mistake.place
        return [(int(str(m.place).rpartition(":")[2]), m.text) for m in found]

    yield find
    sys.modules.pop(module_name(tmp_path / "mine.py"), None)


SEARCH = """
class Search(VertexProgram):
    source = param.vertex()
    depth = vertex.int32(init="v.id == p.source ? 0 : -1")
    message, combine = "int32", "max"
    mask = "v.id == p.source"
    scatter = "send(v.depth + 1);"
    apply = '''
        if (v.depth < 0) {
            v.depth = msg;
            set_mask();
        }
    '''
"""
RANKS = """
class Ranks(VertexProgram):
    rank = vertex.real(init=1)
    change = aggregate.real("sum")
    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.rank / v.out_degree);"
    apply = '''
        aggregate_change(fabs(msg - v.rank));
        v.rank = msg;
    '''
    stop = "agg.change < 1e-3"
"""


def test_programs_without_mistakes(mistakes):
    assert mistakes(SEARCH) == mistakes(RANKS) == []


#: The program, what is replaced in it, the line of the finding, and words of its text.
CASES = [
    # declarations that nothing uses
    (
        SEARCH,
        "    message,",
        "    far = vertex.int32()\n    message,",
        6,
        "vertex field 'far' is not",
    ),
    (SEARCH, "    message,", "    cut = param.real(1)\n    message,", 6, "no snippet reads p.cut;"),
    (SEARCH, "    message,", "    weight = edge.real()\n    message,", 6, "edge field 'weight'"),
    (
        SEARCH,
        "    message,",
        "    seen = arc.int32()\n    message,",
        6,
        "arc field 'seen' is not used",
    ),
    (
        *(SEARCH, "    message,", "    n = aggregate.int64('sum')\n    message,", 6),
        "no snippet calls aggregate_n(x); remove it",
    ),
    # the mask
    (
        *(SEARCH, "            set_mask();\n", "", 9),
        "apply writes v.depth, which is never sent: no snippet puts a vertex into the next mask",
    ),
    (RANKS, "v.rank = msg;", "v.rank = msg; set_mask();", 11, "set_mask() has no effect: with"),
    (
        RANKS,
        "    stop",
        "    mask = 'v.id > 3'\n    stop",
        13,
        "mask has no effect: with scatter_on",
    ),
    # messages that nobody reads
    (
        *(SEARCH, "v.depth = msg", "v.depth = superstep + 1", 8),
        "nothing reads the value that send sends: use msg in apply or, if only the arrival",
    ),
    (
        *(RANKS, "msg", "1", 8),
        "nothing uses what send sends: apply runs for every vertex, and reads neither msg",
    ),
    (
        *(SEARCH, "v.depth = msg", "v.depth = 1", 8),
        "such as send(1)",
    ),
    # values that nobody writes
    (
        *(RANKS, "aggregate_change(fabs(msg - v.rank));", "", 13),
        "aggregator 'change' is read, and always has the value of its identity: call aggregate_ch",
    ),
    (
        *(SEARCH, "send(v.depth + 1)", "send(v.depth + 1 + e.far)", 9),
        "scatter reads e.far, which is always 0: no snippet writes it",
    ),
    # the same messages again
    (
        *(RANKS, "v.rank = msg;", "v.other = msg;", 9),
        "scatter sends the same in every superstep: it reads v.rank, and apply writes v.other",
    ),
    # programs that never stop
    (
        *(RANKS, '"agg.change < 1e-3"', '"g.num_vertices < 3"', 13),
        "stop has the same value after every superstep: compare agg.NAME or superstep",
    ),
    (
        *(SEARCH, "if (v.depth < 0) {", "{", 12),
        "the run never ends if the graph has a cycle: every message puts its receiver into",
    ),
    # values that are kept where no message comes
    (
        *(RANKS, 'scatter_on = apply_on = "all"', 'scatter_on = "all"', 11),
        "v.rank keeps its value at vertices without messages in any superstep",
    ),
]
MORE = {
    "send(v.depth + 1 + e.far)": ("    message,", "    far = arc.int32()\n    message,"),
    "v.other = msg;": ("    message,", "    other = vertex.real()\n    message,"),
}


@pytest.mark.parametrize(("program", "old", "new", "line", "words"), CASES)
def test_a_mistake(mistakes, program, old, new, line, words):
    text = program.replace(old, new)
    assert text != program
    if new in MORE:
        text = text.replace(*MORE[new])
    found = mistakes(text)
    assert any(words in said for _, said in found), found
    where = next(number for number, said in found if words in said)
    assert where == line, (where, text.splitlines()[where - 2])


NEAREST = """
class Nearest(VertexProgram):
    label = vertex.int32(init="v.id")
    supersteps = param.supersteps(3)
    message, combine = "int32", "min"
    scatter_on = apply_on = "all"
    scatter = "send(v.label);"
    apply = "v.label = msg;"
"""


def test_the_identity_of_min_or_max_as_a_value(mistakes):
    (found,) = mistakes(NEAREST)
    assert found[0] == 9 and "v.label is INT_MAX at vertices without a message" in found[1]
    assert "the identity of min: leave out apply_on, or write if (has_msg) v.label =" in found[1]
    (found,) = mistakes(NEAREST.replace('"min"', '"max"').replace("msg;", "msg + 1;"))
    assert "v.label is INT_MIN" in found[1]
    for old, new in (
        ("v.label = msg", "if (has_msg) v.label = msg"),
        ("v.label = msg", "v.label = min(v.label, msg)"),
        ("v.label = msg", "v.label = msg == INT_MAX ? -1 : msg"),
        ("v.label = msg", "if (msg < v.label) v.label = msg"),
        ("min", "sum"),
        ("int32", "real"),
    ):
        assert mistakes(NEAREST.replace(old, new)) == [], new
    unsigned = NEAREST.replace('"min"', '"max"').replace("int32", "uint32")
    assert mistakes(unsigned) == []
    on_message = NEAREST.replace("scatter_on = apply_on", "scatter_on").replace(
        '"send(v', '"if (v.id) send(v'
    )
    assert not any("INT_MAX" in text for _, text in mistakes(on_message))


def test_messages_without_an_apply(mistakes):
    found = mistakes(RANKS.partition("    apply = ")[0] + '    stop = "superstep == 5"\n')
    assert (8, "send sends a message, but there is no apply to receive it") in found


def test_gather_s_result_that_nobody_reads(mistakes):
    found = mistakes(
        """
class Median(VertexProgram):
    supersteps = param.supersteps(1)
    x = vertex.real()
    message = "real"
    scatter_on = "all"
    scatter = "send(v.x);"
    gather = "msg = messages[0];"
    apply = "v.x = 1;"
"""
    )
    assert found == [(9, "gather assigns msg, but apply does not read it: use msg in apply")]


#: What is no mistake, though it is like one.
FINE = [
    # a field and a parameter of Python code, and of a class that inherits
    SEARCH.replace("    message,", "    cut = param.real(1)\n    message,")
    + "    def prepare(self, graph, initial):\n        assert self.cut\n",
    SEARCH.replace("    message,", "    cut = param.real(1)\n    message,")
    + "class More(Search):\n    scatter = 'if (v.depth < p.cut) send(v.depth + 1);'\n",
    SEARCH.replace("    message,", "    middle = vertex.real(init='v.id * 0.5')\n    message,"),
    # the mask of a stage, from which another one starts
    RANKS.replace("v.rank = msg;", "v.rank = msg; set_mask();")
    + "class All(VertexProgram):\n    rank = vertex.real()\n"
    "    def solve(self, stages):\n        stages.run(Ranks())\n        return {}\n",
    # a message that only wakes its receiver
    SEARCH.replace("v.depth = msg", "v.depth = superstep + 1").replace(
        "send(v.depth + 1)", "send(1)"
    ),
    SEARCH.replace("v.depth = msg", "v.depth = superstep + 1").replace('"max"', '"first"'),
    # a single superstep that sends inputs
    RANKS.replace("v.rank = msg;", "v.other = msg;")
    .replace("    message,", "    other = vertex.real()\n    n = param.supersteps(1)\n    message,")
    .replace('    stop = "agg.change < 1e-3"', ""),
    # guarded by receive_if
    SEARCH.replace("if (v.depth < 0) {", "{").replace(
        "    scatter", '    receive_if = "v.depth < 0"\n    scatter'
    ),
    # a base class without snippets
    "class Base(VertexProgram):\n    x = vertex.int32()\n    n = param.int32(1)\n",
]


@pytest.mark.parametrize("text", FINE)
def test_what_is_no_mistake(mistakes, text):
    assert mistakes(text) == []


def defined(cls: type) -> list[type[VertexProgram]]:
    found = []
    for each in cls.__subclasses__():
        found += [each, *defined(each)]
    return found


def test_bundled_programs_have_none():
    for path in sorted((TOP / "programs").glob("*.py")):
        __import__(f"gascl.programs.{path.stem}")
    bundled = [c for c in defined(VertexProgram) if c.__module__.startswith("gascl.programs.")]
    assert len(bundled) > len(programs.__all__) + 30, "with their stages"
    found = [(c.__name__, m.text.partition(" is ")[0]) for c in bundled for m in likely_mistakes(c)]
    # Which ParticleCommunities.solve reads and writes, in the State of its stage.
    assert found == [("Particles", "vertex field 'known'")]


def classes_in(page: Path) -> list[str]:
    """The classes of each Python example that defines a program, after the imports so far."""
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
    texts, imports = [], []
    for block in blocks:
        lines = []
        for each in ast.parse(block).body:
            if isinstance(each, ast.Import | ast.ImportFrom):
                imports.append(ast.get_source_segment(block, each))
            elif isinstance(each, ast.ClassDef | ast.FunctionDef):
                lines.append(ast.get_source_segment(block, each))
        if any(line.startswith("class ") for line in lines):
            texts.append("\n".join(imports + lines))
    return texts


PAGES = [p for p in (TOP / "README.md", *sorted((TOP / "docs").rglob("*.md"))) if classes_in(p)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_programs_of_the_docs_have_none(page, tmp_path):
    checked = 0
    for number, text in enumerate(classes_in(page)):
        path = tmp_path / f"example{number}.py"
        path.write_text(text)
        module = load(path)
        for each in vars(module).values():
            own = isinstance(each, type) and each.__module__ == module.__name__
            if own and issubclass(each, VertexProgram):
                checked += 1
                assert not likely_mistakes(each), each
        sys.modules.pop(module.__name__)
    assert checked
