"""Programs with order = "any": schedules differ, results repeat bit for bit.

They are found by what they declare: bundled programs, those that have such stages, and those of the
documentation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.bundled import NAMES, example, program_class, verifier_of, with_needed_fields

from gascl import Engine, Graph, VertexProgram
from gascl.language.placeholder import any_values
from gascl.language.stage_discovery import inner_programs

#: How often each runs.
TIMES = 20
DOCS = Path(__file__).parents[2] / "docs"


def in_any_order(cls: type[VertexProgram]) -> bool:
    other = "in_any_order" in vars(cls)
    return other or any(each.spec.order == "any" for each in (cls, *inner_programs(cls)))


def documented() -> Iterator[type[VertexProgram]]:
    """The classes in blocks of Python of the documentation."""
    for page in sorted(DOCS.rglob("*.md")):
        for block in re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.M | re.S):
            wrong = "except ProgramError" in block  # as the block shows
            if re.search(r'^    order\b.* = "any"', block, re.M) and not wrong:
                names: dict[str, type] = {"__name__": page.stem}
                exec(block, names)
                classes = (x for x in names.values() if isinstance(x, type))
                yield from (c for c in classes if issubclass(c, VertexProgram) and c.spec.works)


BUNDLED = [name for name in NAMES if in_any_order(program_class(name))]
DOCUMENTED = {cls.__name__: cls for cls in documented() if in_any_order(cls)}


def graph(kind: str) -> Graph:
    """With many paths of equal length: a grid, or one with a hub."""
    rng = np.random.default_rng(34)
    if kind == "a grid":
        at = np.arange(900).reshape(30, 30)
        src = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel()])
        dst = np.concatenate([at[:, 1:].ravel(), at[1:].ravel()])
    else:
        src, dst = rng.integers(0, 800, (2, 3000))
        src[:600] = 7
    weight = rng.integers(1, 4, len(src))
    return Graph.from_edges(src, dst, directed=False, num_vertices=900, weight=weight)


def check_repeats(engine: Engine, program: VertexProgram) -> None:
    first = engine.run(program)
    fields = {name: values.tobytes() for name, values in first.fields.items()}
    for _ in range(TIMES - 1):
        again = engine.run(program)
        assert {name: values.tobytes() for name, values in again.fields.items()} == fields


@pytest.mark.filterwarnings("ignore:field 'centrality' is NaN")  # of the only source
@pytest.mark.parametrize("name", BUNDLED)
@pytest.mark.parametrize("kind", ["a grid", "a hub"])
def test_bundled_programs(name: str, kind: str) -> None:
    params = program_class(name).spec.params
    several = {each: [7] for each in ("sources", "targets") if each in params}
    engine = Engine(with_needed_fields(graph(kind), name))
    program = example(name, **({} if "source" in params else several))  # of one: without lanes
    if not inner_programs(type(program)):  # those with stages are verified elsewhere
        verifier_of(name).verify(engine.graph, engine.run(program), program)
    check_repeats(engine, program)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_programs_of_the_documentation(name: str) -> None:
    cls, plain = DOCUMENTED[name], graph("a hub")
    needed = any_values(cls) | ({"source": 0} if "source" in cls.spec.params else {})
    part = plain.edge_fields["weight"] / 4  # also a probability
    engine = Engine(plain.with_edge_fields(**dict.fromkeys(cls.spec.edge_fields, part)))
    check_repeats(engine, cls(**needed))
    in_supersteps = engine.run(cls(**needed), max_supersteps=10_000)
    for field, values in engine.run(cls(**needed)).fields.items():
        assert values.tobytes() == in_supersteps[field].tobytes()


def test_some_are_found() -> None:
    assert {"ShortestPaths", "Distances", "ConnectedComponents"} <= {*BUNDLED} and {
        *DOCUMENTED
    } >= {"SafestPaths", "Least"}
