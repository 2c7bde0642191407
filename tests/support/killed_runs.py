"""Runs with a checkpoint that are killed at random moments, and go on until they end.

A run is a process. One that is to be killed saves a checkpoint after each superstep, so that kills
come while a file is being written; when it is killed, another one goes on. What the last one says
must be what a run says that nobody killed. By hand:

    PYTHONPATH=tests python -m support.killed_runs --kills 200 PageRank
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from support.resumes import Posts, Waves
from support.samples import grid, random_graph, weighted

from gascl import Engine, Graph, VertexProgram
from gascl import programs as bundled

#: Supersteps enough for a second or several.
LONG = 2000
RUNS: dict[str, Callable[[], tuple[Graph, VertexProgram]]] = {
    "PageRank": lambda: (
        random_graph(3, directed=True, vertices=5000, edges=20_000),
        bundled.PageRank(supersteps=LONG, damping=0.99),
    ),
    "BreadthFirst": lambda: (grid(1, LONG), bundled.BreadthFirst(source=0)),
    "ShortestPaths": lambda: (weighted(grid(3, LONG)), bundled.ShortestPaths(source=0)),
    "Posts": lambda: (random_graph(3, directed=True), Posts(supersteps=LONG)),
    "Waves": lambda: (random_graph(3, directed=True), Waves(supersteps=LONG)),
    "Lanes": lambda: (
        weighted(grid(1, LONG), seed=7),
        bundled.ShortestPaths(source=[0, 7, LONG // 2]),
    ),
}


def digest(name: str, checkpoint: str | None, every: int) -> str:
    """What a run comes to, of its bits."""
    graph, program = RUNS[name]()
    options: dict[str, Any] = {}
    if checkpoint is not None:
        options = {"checkpoint": checkpoint, "every": every, "resume": True}
    if every == 1:
        options["callback"] = _at_second_call(lambda: print("saved", flush=True))
    result = Engine(graph).run(program, **options)
    found = hashlib.sha256(f"{result.supersteps} {result.stopped}".encode())
    for step in result.trace:
        found.update(repr((step.active, step.messages, step.aggregates, step.delivery)).encode())
    for values in (*result.fields.values(), *result.arc_fields.values()):
        found.update(np.ascontiguousarray(values).data)
    return f"{result.supersteps} {found.hexdigest()}"


def _at_second_call(report: Callable[[], None]) -> Callable[[Any], None]:
    """A callback that reports the first saved superstep: each is saved after its callback."""
    calls = count()

    def callback(step: Any) -> None:
        if next(calls) == 1:
            report()

    return callback


def kill_runs(name: str, kills: int, seed: int = 0) -> Counter[str]:
    """Runs until there were so many kills and one that came to its end after at least one; how
    many "kills", how many of them "while writing" a file, and how many runs "ended" right or
    "wrong"."""
    counts: Counter[str] = Counter()
    rng = random.Random(f"{name} {seed}")
    with tempfile.TemporaryDirectory() as made:
        checkpoint, killed = Path(made) / "run.ckpt", 0
        whole = _run(name, None)
        while counts["kills"] < kills or not counts["ended"]:
            patience = None if counts["kills"] >= kills else rng.uniform(0, 1)
            said = _run(name, checkpoint, patience)
            if said is None:
                killed += 1
                counts["kills"] += 1
                for part in Path(made).glob("*.part"):
                    counts["while writing"] += 1
                    part.unlink()
            else:
                counts["ended"] += killed > 0 and said == whole
                counts["wrong"] += said != whole
                checkpoint.unlink()
                killed = 0
    return counts


def _run(name: str, checkpoint: Path | None, patience: float | None = None) -> str | None:
    """What a process says of a run; None: it was killed so many seconds after its first
    checkpoint, which may come late where the machine is busy."""
    command = [sys.executable, "-W", "ignore", "-m", "support.killed_runs", "--child"]
    command += ["--every", str(LONG if patience is None else 1), name]
    command += [] if checkpoint is None else [str(checkpoint)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    # Without a buffer, since `communicate` would miss what `readline` has read ahead.
    options: dict[str, Any] = {"stdout": subprocess.PIPE, "bufsize": 0, "env": environment}
    with subprocess.Popen(command, **options) as child:
        assert child.stdout
        first = child.stdout.readline()  # or the last, if there was only one superstep left
        try:
            rest, _ = child.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            return None
        assert child.returncode == 0
        return (first + rest).decode().splitlines()[-1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--child", action="store_true")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("name")
    parser.add_argument("checkpoint", nargs="?")
    given = parser.parse_args()
    if given.child:
        print(digest(given.name, given.checkpoint, given.every))
    else:
        print(given.name, dict(kill_runs(given.name, given.kills, given.seed)))
