"""Processor time of the programs of kinds.py by each delivery, for choices.py.

    POCL_MAX_PTHREAD_COUNT=1 python benchmarks/deliveries.py --csv deliveries.csv

Answers are not verified. See README.md.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

from bench import listed
from contenders import write_csv
from graphs import made
from kinds import GRAPHS
from small_programs import KINDS, Kind, Links

from gascl import Engine, VertexProgram
from gascl.delivery import admission
from gascl.delivery.registry import admitted
from gascl.run.supersteps import Loop

#: The largest scale for kinds whose work grows faster than the number of arcs.
SMALL = 10
#: A delivery that takes so many times as long as the fastest is timed only once.
HOPELESS = 4


def main(argv: list[str] | None = None) -> None:
    given = options(argv)
    watch = Stopwatch()
    for family in given.graphs:
        small = min(given.scale, SMALL)
        for scale in sorted({given.scale, small}, reverse=True):
            graph = GRAPHS[family](scale)
            links = Links(made(graph, given.cache))
            engine = Engine(links.graph(), given.device)
            for name in given.kinds:
                kind = KINDS[name]
                if scale == (small if kind.small else given.scale):
                    line = line_of(graph, links, engine, kind, given.repeat, watch)
                    write_csv(given.csv, [line], ("kind", "graph", "device"))
                    print(graph, *line.values(), flush=True)


def options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--device", help="as in Engine(graph, device)")
    parser.add_argument("--scale", type=int, default=14, help="2**scale vertices (default: 14)")
    parser.add_argument("--graphs", type=listed, default=[*GRAPHS], help="as of kinds.py")
    parser.add_argument("--kinds", type=listed, default=[*KINDS], help="as of kinds.py")
    parser.add_argument("--repeat", type=int, default=7, help="runs of each (default: 7)")
    parser.add_argument("--cache", type=Path, help="the folder for graphs (default: a temporary)")
    parser.add_argument("--csv", type=Path, required=True, help="the results; other rows stay")
    return parser.parse_args(argv)


class Stopwatch:
    """The processor time of the supersteps of the last run, in all threads."""

    def __init__(self) -> None:
        self.seconds, run = 0.0, Loop.run

        def timed(loop: Loop) -> Any:
            started = time.process_time()
            try:
                return run(loop)
            finally:
                self.seconds = time.process_time() - started

        # A result has wall times alone.
        Loop.run = timed  # type: ignore[method-assign]


def line_of(
    graph: str, links: Links, engine: Engine, kind: Kind, repeat: int, watch: Stopwatch
) -> dict[str, Any]:
    """A kind's row: the least time of a superstep by each delivery, which run in turn."""
    program, device = kind.make(links), engine.device
    demand = admission.demand_of(program, device.atomics, device.fp64, True)
    chosen = engine.explain(program).runs[0].delivery
    names = [chosen, *(n for n in admitted(demand) if n not in ("serial", chosen))]
    runs: dict[str, list[float]] = {name: [] for name in names}
    supersteps = 1
    for turn in range(-1, repeat):  # the first builds kernels
        for name in names:
            if turn > 0 and min(runs[name]) > HOPELESS * min(map(min, runs.values())):
                continue
            supersteps = run(engine, program, kind, name)
            if turn >= 0:
                runs[name].append(watch.seconds)
    ms = {name: min(runs[name]) / max(supersteps, 1) * 1e3 for name in names}
    best = min(ms, key=lambda name: ms[name])
    return {
        "kind": kind.title,
        "graph": graph,
        "device": f"{device}, processor time",
        "vertices": links.vertices,
        "arcs": links.arcs,
        "supersteps": supersteps,
        "ms": f"{ms[chosen]:.4g}",
        "auto": chosen,
        "best": best,
        "auto_ratio": f"{ms[chosen] / ms[best]:.3f}",
        "others": ", ".join(f"{name} {ms[name]:.4g}" for name in names[1:]),
    }


def run(engine: Engine, program: VertexProgram, kind: Kind, delivery: str) -> int:
    """Run a program; the number of its supersteps."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = engine.run(
            program, delivery=delivery, max_supersteps=kind.most, not_converged="ignore"
        )
    return result.supersteps


if __name__ == "__main__":
    main()
