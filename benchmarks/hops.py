"""How many functions, files and calls of gascl a warm run passes through, and how long it takes.

    python benchmarks/hops.py --runs 300

The graph has 34 vertices, so that a run takes what the host does.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from contenders import table

import gascl
from gascl import Engine, Graph, VertexProgram
from gascl.programs import BreadthFirst, PageRank

HERE = Path(__file__).parents[1]
FOLDERS = (str(Path(gascl.__file__).parent), str(HERE / "programs"))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=int, default=300, help="timed runs (default: 300)")
    parser.add_argument("--device", help="as in Engine(graph, device)")
    options = parser.parse_args()
    engine = Engine(Graph.read(HERE / "datasets" / "karate.mtx"), options.device)
    rows = []
    for program in (BreadthFirst(source=1), PageRank()):
        seconds = times(engine, program, options.runs)
        counts = hops(engine, program)
        row = [type(program).__name__, *map(str, counts)]
        rows.append([*row, f"{1e3 * np.median(seconds):.2f}", f"{1e3 * min(seconds):.2f}"])
    print(table(["", "functions", "files", "calls", "median ms", "least ms"], rows))


def times(engine: Engine, program: VertexProgram, runs: int) -> list[float]:
    """The seconds of each of so many runs, after some that are not timed."""
    seconds = []
    for number in range(20 + runs):
        began = time.perf_counter()
        engine.run(program)
        if number >= 20:
            seconds.append(time.perf_counter() - began)
    return seconds


def hops(engine: Engine, program: VertexProgram) -> tuple[int, int, int]:
    """The functions and files of gascl that a run passes through, and the calls."""
    codes = []

    def called(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(FOLDERS):
            codes.append(frame.f_code)

    sys.setprofile(called)
    try:
        engine.run(program)
    finally:
        sys.setprofile(None)
    return len({*codes}), len({code.co_filename for code in codes}), len(codes)


if __name__ == "__main__":
    main()
