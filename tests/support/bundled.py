"""The bundled programs with parameters for a run, and their verifiers: a new program is found by
its name in `gascl.programs` and its verifier by the name of its file."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from gascl import Engine, Graph, Result, VertexProgram, programs
from gascl.language.fields import REQUIRED
from gascl.language.placeholder import any_values

NAMES: list[str] = programs.__all__
#: Where the least value that a parameter may have shows little.
VALUES: dict[str, dict[str, Any]] = {"Neighborhoods": {"hops": 2}}


def program_class(name: str) -> type[VertexProgram]:
    """The bundled program of this name."""
    found: type[VertexProgram] = getattr(programs, name)
    return found


def example(name: str, **options: Any) -> VertexProgram:
    """A bundled program with these parameters, and values for others that it needs."""
    cls = program_class(name)
    needed = any_values(cls) | ({"source": 0} if "source" in cls.spec.params else {})
    if "sources" in options:
        needed.pop("source", None)
    return cls(**{**needed, **VALUES.get(name, {}), **options})


def with_needed_fields(graph: Graph, name: str) -> Graph:
    """The graph with the edge fields that a bundled program has no default for."""
    fields = program_class(name).spec.edge_fields.items()
    needed = [n for n, f in fields if f.default is REQUIRED and n not in graph.edge_fields]
    values = np.arange(graph.num_edges) * 7 % 11
    return graph.with_edge_fields(**dict.fromkeys(needed, values)) if needed else graph


def verifier_of(name: str) -> ModuleType:
    """The verifier of a bundled program: the module that is named as the program's own."""
    module = program_class(name).__module__.rpartition(".")[2]
    path = Path(__file__).parent / "verifiers" / f"{module}.py"
    if not path.exists():
        pytest.fail(
            f"{name} has no verifier: write tests/support/verifiers/{path.name}, with a function "
            "verify(graph, result, program) that raises AssertionError for a wrong result"
        )
    return import_module(f"support.verifiers.{module}")


def verified_run(graph: Graph | Engine, program: VertexProgram, **options: Any) -> Result:
    """The result of a run that has converged, and that the program's verifier finds right."""
    engine = graph if isinstance(graph, Engine) else Engine(graph)
    result = engine.run(program, **options)
    verifier_of(type(program).__name__).verify(engine.graph, result, program)
    assert result.converged
    return result
