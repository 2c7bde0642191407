"""Which programs a program with `solve` runs, as far as its file shows."""

from __future__ import annotations

import sys

from gascl.language.program import VertexProgram


def inner_programs(cls: type[VertexProgram]) -> list[type[VertexProgram]]:
    """The programs defined in the file of a program with `solve`, or else those imported there."""
    named = [c for c in vars(sys.modules[cls.__module__]).values() if isinstance(c, type)]
    there = [c for c in named if issubclass(c, VertexProgram) and c.solve is None]
    there = [c for c in there if {"scatter", "apply"} & set(c.spec.snippets)]
    return [c for c in there if c.__module__ == cls.__module__] or there
