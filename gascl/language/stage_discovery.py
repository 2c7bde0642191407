"""Finds what the Python code of a program names: the programs that its `solve` runs, as far as its
code shows."""

from __future__ import annotations

import sys
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


def words_of_code(cls: type[VertexProgram]) -> set[str]:
    """The names and the texts in the methods of a class, and of those that it inherits from; in the
    functions of its module that run it; and in the functions that all of these name, and so on."""
    words: set[str] = set()
    seen: set[Any] = set()

    def look(value: Any) -> None:
        if isinstance(value, (classmethod, staticmethod)):
            value = value.__func__
        if isinstance(value, property):
            value = value.fget
        if not isinstance(value, FunctionType) or value in seen:
            return
        seen.add(value)
        if value.__module__ == VertexProgram.__module__:
            return
        for code in _codes(value.__code__):
            words.update(code.co_names)
            for constant in code.co_consts:
                # The names of arguments are tuples of texts.
                texts = constant if isinstance(constant, tuple) else (constant,)
                words.update(text for text in texts if isinstance(text, str))
            for name in code.co_names:
                look(value.__globals__.get(name))

    for base in cls.__mro__:
        for value in vars(base).values():
            look(value)
    for value in globals_of(cls):
        if isinstance(value, FunctionType) and cls.__name__ in _names(value.__code__):
            look(value)
    return words


def globals_of(cls: type[VertexProgram]) -> list[Any]:
    """The contents of the module of a class, except the class."""
    module = sys.modules.get(cls.__module__)
    return [] if module is None else list(vars(module).values())


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function, and of those that it defines."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _names(code: CodeType) -> Iterator[str]:
    """The names of globals and attributes in a function, and in those that it defines."""
    for each in _codes(code):
        yield from each.co_names
