"""How the functions of rank_runs, rank_errors and share_runs are called in each rank, and a program
that they share."""

from __future__ import annotations

from typing import Any

import pytest

from gascl import VertexProgram, vertex

#: What a function changes of gascl, until the next one is called.
PATCH = pytest.MonkeyPatch()


def call(functions: dict[str, Any], words: list[str]) -> None:
    """Call functions by their names: each with arguments, and "--" before the next one. Before a
    name may stand those of others, each with a colon, that are to be called before."""
    for number, word in enumerate(words):
        if word == "--":
            call(functions, words[:number])
            return call(functions, words[number + 1 :])
    names, *arguments = words
    *ways, name = names.split(":")
    for way in ways:
        functions[way]()
    functions[name](*arguments)
    PATCH.undo()


class Counting(VertexProgram):
    """Never ends by its own rule."""

    x = vertex.int32()
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.x % 7 + 1);"
    apply = "v.x += msg % 5 + v.id % 2;"
    stop = "superstep < 0"
