"""From the start of a process to the first superstep, with compiled kernels cached and without.

    python benchmarks/starting.py --rounds 5

Each turn runs in a separate process. See README.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from contenders import table

STAGES = ("import", "device", "first superstep", "second run")
PROGRAMS = {
    "PageRank": {},
    "ShortestPaths": {"source": 0},
    "ConnectedComponents": {},
    "StronglyConnected": {},
    "Betweenness": {},
}
#: The environment variables that say where PoCL, NVIDIA's driver, and pyopencl and gascl cache.
CACHES = ("POCL_CACHE_DIR", "CUDA_CACHE_PATH", "XDG_CACHE_HOME")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="rounds of turns (default: 5)")
    parser.add_argument("--device", help="as in Engine(graph, device)")
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=[*PROGRAMS])
    parser.add_argument("--turn", help=argparse.SUPPRESS)
    parser.add_argument("--started", type=float, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.turn:
        turn(given)
        return
    for caches in ("kernels cached", "no caches"):
        told: dict[str, list[list[float]]] = {name: [] for name in given.only}
        for round_ in range(given.rounds + 1):
            for name in given.only:
                with tempfile.TemporaryDirectory() as folder:
                    empty = {each: str(Path(folder) / each) for each in CACHES}
                    seconds = taken(given, name, empty if caches == "no caches" else {})
                if round_:  # the first one fills caches
                    told[name].append(seconds)
        rows = []
        for name, turns in told.items():
            median = np.median(turns, axis=0)
            whole = np.median([sum(turn[:-1]) for turn in turns])
            rows.append([name, *(f"{s:.3f}" for s in median[:-1]), f"{whole:.3f}"])
            rows[-1].append(f"{median[-1]:.4f}")
        print(f"Seconds, medians; {caches}.\n")
        print(table(["", *STAGES[:-1], "all of these", STAGES[-1]], rows) + "\n")


def taken(given: argparse.Namespace, name: str, caches: dict[str, str]) -> list[float]:
    """The seconds of each stage in a new process."""
    command = [sys.executable, __file__, "--turn", name, "--started", str(time.time())]
    command += ["--device", given.device] if given.device else []
    done = subprocess.run(
        command, env={**os.environ, **caches}, capture_output=True, text=True, check=True
    )
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


def turn(given: argparse.Namespace) -> None:
    times = [given.started]
    from gascl import Engine, Graph, programs
    from gascl.opencl.device_choice import find

    program = getattr(programs, given.turn)(**PROGRAMS[given.turn])
    times.append(time.time())
    device = find(given.device)
    times.append(time.time())
    engine = Engine(Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 3]), device)
    for _ in range(2):  # all supersteps of a few microseconds
        engine.run(program)
        times.append(time.time())
    print(json.dumps(np.diff(times).tolist()))


if __name__ == "__main__":
    main()
