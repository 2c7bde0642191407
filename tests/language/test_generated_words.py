"""Random programs use every word that docs/programs.md lists, in every snippet that may have it,
and every type and declaration.

What they do not use is named here, with the tests that do.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st
from support.program_shapes import COMBINERS, WANTS, Shape, possible
from support.program_text import namespace
from support.program_tree import Program
from support.random_cases import QUIET, is_in_order
from support.random_programs import programs

from gascl import VertexProgram, param
from gascl.language import keywords
from gascl.language.types import SCALARS, VERTEX

TESTS = Path(__file__).parents[1]
_SCRAMBLED = {"hash": "codegen/test_hash.py", "uniform": "codegen/test_uniform.py"}
#: (word, snippet) -> the test that has it.
ELSEWHERE = {
    (word, where): test
    for word, test in _SCRAMBLED.items()
    for where in ("functions", "stop", "combine", "identity", "enough")
}
ELSEWHERE |= {("needs_order", s): "features/test_any_order.py" for s in ("scatter", "apply")}
#: Attribute of a class, or declaration -> the test that has it.
NOT_DRAWN = {
    "restart": "run/test_warm_start.py",
    "order": "features/test_any_order.py",
    "in_place": "features/test_any_order.py",
    "solve": "run/test_stages.py",
    "prepare": "run/test_initial_arrays.py",
    "tolerance": "run/test_stagnation.py",
    "array": "features/test_array_parameters.py",
    "time": "programs/test_temporal_paths.py",
    "vertices": "run/test_stages.py",
    "pairs_merge": "features/test_near_pairs.py",  # whose sums are not exact
}
PARAMETERS = {"array", "vertex", "vertices", "flag", "choice", "supersteps", "time", "tolerance"}


def pairs() -> set[tuple[str, str]]:
    """Each word and namespace, with each snippet that may have it."""
    calls = {(word, s) for word, where in keywords.CALLS.items() for s in where.split()}
    reads = {(space, s) for s, spaces in keywords.READS.items() for space in spaces.split()}
    return calls | reads


@cache
def some_programs(number: int) -> list[Program]:
    """Random programs, the same in every run. The tests share them."""
    wants = st.frozensets(st.sampled_from(WANTS), max_size=3)
    drawn = st.tuples(st.sampled_from(COMBINERS), wants)
    shapes = drawn.map(lambda d: Shape(d[0], wants=possible(*d)))
    found: list[Program] = []

    @seed(number)
    @settings(max_examples=20, database=None, phases=[Phase.generate], **QUIET)
    @given(program=shapes.flatmap(programs))
    def keep(program: Program) -> None:
        if is_in_order(program):
            found.append(program)

    keep()
    return found


def kind_of_snippet(program: Program, label: str) -> str:
    name, _, rest = label.partition(".")
    if not rest:
        return label
    return "field" if name in program.fields else "arc" if name in program.arc_fields else rest


def words_of(program: Program, body: dict[str, Any]) -> set[tuple[str, str]]:
    cls = type("Random", (VertexProgram,), body)
    found = set()
    for label, snippet in cls.spec.snippets.items():
        where = kind_of_snippet(program, label)
        found |= {(word, where) for word in snippet.words}
        found |= {(member.namespace, where) for member in snippet.members}
    return found


def declared(program: Program, body: dict[str, Any]) -> set[str]:
    """The attributes that the class has, and its types by what they are types of."""
    kinds = {
        "vertex": [f.type for f in program.fields.values()],
        "arc": [f.type for f in program.arc_fields.values()],
        "edge": [kind for kind, _ in program.edge_fields.values()],
        "param": [kind for kind, _ in program.params.values()],
        "aggregate": [program.aggregator(name).type for name in program.aggregates],
        "message": [program.message],
    }
    found = {f"{of}.{kind}" for of, names in kinds.items() for kind in names} | {*body}
    return found | {f"param.{kind}" for kind in ["supersteps"] if program.has_supersteps}


def missing(needed: set[Any], found_in: Any, most: int) -> set[Any]:
    """What none of so many random programs has."""
    left = set(needed)
    for number in range(most // 20):
        for program in some_programs(number):
            left -= found_in(program, namespace(program))
        if not left:
            break
    return left


def test_every_word():
    def found_in(program: Program, body: dict[str, Any]) -> set[str]:
        return {word for word, _ in words_of(program, body)}

    drawn = {word for word, where in pairs() if (word, where) not in ELSEWHERE}
    assert not missing(drawn, found_in, 600)


def test_every_type_and_declaration():
    attributes = {name for name in vars(VertexProgram) if not name.startswith("_")}
    attributes -= {"spec", "run_by", "outer_fields"}
    attributes = {n for n in attributes if not callable(getattr(VertexProgram, n))} | {"converged"}
    attributes -= {n for n in attributes if isinstance(getattr(VertexProgram, n, None), property)}
    scalars = ("real", *SCALARS)
    needed = {f"{of}.{kind}" for of in ("edge", "param", "aggregate") for kind in scalars}
    needed |= {f"{of}.{k}" for of in ("vertex", "arc", "message") for k in (*scalars, VERTEX)}
    needed |= {f"param.{kind}" for kind in PARAMETERS - {*NOT_DRAWN}} | attributes - {*NOT_DRAWN}
    assert not missing(needed, declared, 1500)


def test_every_parameter_is_known_here():
    assert {n for n in vars(type(param)) if not n.startswith("_")} == PARAMETERS


@pytest.mark.slow
def test_every_word_in_every_snippet():
    assert not missing(pairs() - {*ELSEWHERE}, words_of, 6000)


def test_what_is_not_drawn_is_tested_elsewhere():
    for (word, _), test in ELSEWHERE.items():
        assert word in (TESTS / test).read_text()
    for word, test in NOT_DRAWN.items():
        assert word in (TESTS / test).read_text(), word
