"""Classes with one thing wrong in them: what is said when they are defined, and of which line."""

from __future__ import annotations

import linecache
from pathlib import Path

import pytest

from gascl import ProgramError

#: A class with nothing wrong; a case adds lines, the later ones override the earlier. `<<<` marks
#: the line that the error must name.
TEMPLATE = """import numpy as np
from gascl import VertexProgram, aggregate, arc, edge, param, struct, vertex


class Wrong(VertexProgram):
    rank = vertex.real()
    hops = vertex.int32()
    weight = edge.real(default=1)
    damping = param.real(0.85)
    supersteps = param.supersteps()
    change = aggregate.real("sum")
    message, combine = "real", "sum"
    scatter = "send(v.rank);"
    apply = "v.rank = msg;"
"""
#: Where the lines of a case begin.
FIRST = TEMPLATE.count("\n") + 1


def define(folder: Path, body: str) -> str:
    """The error that a class with these lines brings; checks the line it names and shows."""
    text = TEMPLATE + "".join(f"    {line}\n" for line in body.split("\n"))
    file = folder / "my_program.py"
    file.write_text(text)
    linecache.checkcache(str(file))
    with pytest.raises(ProgramError) as caught:
        exec(compile(text, str(file), "exec"), {"__name__": "my_program"})
    message = str(caught.value)
    marked = [i for i, line in enumerate(text.split("\n"), 1) if "<<<" in line]
    if marked:
        assert message.startswith(f"{file}:{marked[0]}: Wrong: ")
        assert message.endswith("\n    " + text.split("\n")[marked[0] - 1].strip())
    return message


def said(folder: Path, body: str, *parts: str) -> None:
    """Assert that the error has these parts."""
    message = define(folder, body)
    for part in parts:
        assert part in message
