"""Finds the programs that a program with `solve` runs, as far as its code shows."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from gascl.language.program import VertexProgram


def inner_programs(cls: type[VertexProgram]) -> list[type[VertexProgram]]:
    """The programs that `solve` names, or a function or class that it names, and so on; of those
    with `solve`, what they run."""
    found: dict[type[VertexProgram], None] = {}
    seen: set[Any] = set()

    def look(value: Any, owner: type) -> None:
        if isinstance(value, (classmethod, staticmethod)):
            value = value.__func__
        if not isinstance(value, (type, FunctionType)) or value in seen:
            return
        seen.add(value)
        if isinstance(value, FunctionType):
            for name in _names(value.__code__):
                look(value.__globals__.get(name), owner)
                look(next((vars(c)[name] for c in owner.__mro__ if name in vars(c)), None), owner)
        elif issubclass(value, VertexProgram):
            if value.solve is not None:
                look(vars(value).get("solve", value.solve), value)
            elif {"scatter", "apply"} & set(value.spec.snippets):
                found[value] = None

    look(cls, cls)
    return list(found)


def _names(code: CodeType) -> Iterator[str]:
    """The names of globals and attributes in a function, and in those that it defines."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
