"""The bundled programs with parameters for a run, and their verifiers: a new program is found by
its name in `gascl.programs` and its verifier by the name of its file."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gascl import VertexProgram, programs
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
