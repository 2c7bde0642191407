"""Counts the functions and files of gascl that a warm run of PageRank passes through.

python benchmarks/hops.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import gascl
from gascl import Engine, Graph
from gascl.programs import PageRank

PACKAGE = str(Path(gascl.__file__).parent)


def passed(run: Any) -> tuple[set[tuple[str, str]], int]:
    """The functions of gascl that a call passes through, by file and name, and the calls."""
    functions, calls = set(), 0

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal calls
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(PACKAGE):
            functions.add((file, f"{frame.f_code.co_firstlineno} {frame.f_code.co_name}"))
            calls += 1

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return functions, calls


if __name__ == "__main__":
    engine, program = Engine(Graph.dataset("karate")), PageRank()
    engine.run(program)
    engine.run(program)
    functions, calls = passed(lambda: engine.run(program))
    files = {file for file, _ in functions}
    print(f"{len(functions)} functions, {len(files)} files, {calls:,} calls")
