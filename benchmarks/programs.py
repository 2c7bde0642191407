"""The table of the bundled programs: size, deliveries, verifier, and time against peers.

    python benchmarks/programs.py --scale 18 --rounds 3 --update docs/library.md

Every run of gascl is verified by tests/support/verifiers. See README.md.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import re
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from graphs import clean, rmat
from peers import PEERS, Inputs
from turns import table

import gascl.programs
from gascl import Engine, VertexProgram
from gascl.delivery import admission
from gascl.delivery import table as deliveries

TESTS = Path(__file__).resolve().parent.parent / "tests"
#: Programs over all V^2 pairs, too many in this graph: communities.py is their benchmark.
ELSEWHERE = {"ParticleCommunities"}
BEGIN, END = "<!-- benchmarks/programs.py -->", "<!-- end -->"
#: Parameters: a fixed amount of work for programs where it would depend on the stop rule.
VALUES: dict[str, dict[str, Any]] = {
    "Betweenness": {"sources": 16},
    "BreadthFirst": {"source": 0},
    "Closeness": {"sources": 16},
    "HarmonicCloseness": {"sources": 16},
    "Katz": {"alpha": 0.0005},  # NetworKit's default
    "LabelPropagation": {"supersteps": 10},
    "Neighbourhoods": {"hops": 2},
    "PageRank": {"supersteps": 20},
    "ShortestPaths": {"source": 0},
    "WeightedKatz": {"alpha": 0.000002},
    "WeightedPageRank": {"supersteps": 20},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--scale", type=int, default=18, help="2**scale vertices (default: 18)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of turns (default: 3)")
    parser.add_argument("--device", default=None, help="as in Engine(graph, device)")
    parser.add_argument("--only", nargs="*", help="names of programs")
    parser.add_argument("--update", type=Path, help="the file to write the table into")
    given = parser.parse_args()
    sys.path.insert(0, str(TESTS))
    inputs = Inputs(*edges(given.scale))
    engines = {d: Engine(inputs.graph(d), given.device) for d in (True, False)}
    lines = []
    for name in given.only or [n for n in gascl.programs.__all__ if n not in ELSEWHERE]:
        lines.append(line(name, inputs, engines, given))
        print("| " + " | ".join(lines[-1]) + " |", flush=True)
    head = ["program", "lines", "snippet lines", "deliveries", "verified by", "s"]
    head.append("peers (multiple of gascl's time)")
    about = (
        f"R-MAT of scale {given.scale}: {inputs.count:,} vertices, {len(inputs.src):,} edges, "
        f"without self-loops and duplicate edges; {engines[True].device}. Medians of "
        f"{given.rounds} runs on a loaded graph; for gascl, the time of `Engine.run` with kernels "
        "already built."
    )
    text = f"{about}\n\n{table(head, lines)}"
    print(f"\n{text}")
    if given.update:
        before, _, rest = given.update.read_text("utf-8").partition(BEGIN)
        after = rest.partition(END)[2]
        given.update.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", "utf-8")


def edges(scale: int) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """The number of vertices, ends and weights; vertex 0 has the largest out-degree."""
    data = clean(rmat(scale, 1, "shuffled"), 1 << scale)
    number = np.arange(1 << scale, dtype=np.int32)
    most = int(np.argmax(data.out_degree))
    number[[0, most]] = number[[most, 0]]
    weights = np.random.default_rng(1).integers(1, 256, len(data.src))
    return 1 << scale, number[data.src], number[data.dst], weights


def line(name: str, inputs: Inputs, engines: dict[bool, Engine], given: Any) -> list[str]:
    """The row of a program in the table."""
    cls = getattr(gascl.programs, name)
    file = Path(sys.modules[cls.__module__].__file__ or "")
    parts = [c for c in vars(sys.modules[cls.__module__]).values() if is_program(c)]
    snippets = sum(map(count_lines, {t.text for c in parts for t in c.spec.snippets.values()}))
    verifier = importlib.import_module(f"support.verifiers.{file.stem}")
    said = [
        str(count_lines(file.read_text("utf-8"))),
        str(snippets),
        admitted(parts, engines[True]),
    ]
    said.append(re.split(r"[.,:;(]", verifier.__doc__ or "")[0].strip())
    if name == "ParticleCommunities":
        return [f"`{name}`", *said, "", "see benchmarks/communities.py"]
    directed, peers = PEERS.get(name, (True, {}))
    program = cls(**VALUES.get(name, {}))
    own = functools.partial(ours, engines[directed], program, verifier.verify)
    runs: dict[str, Callable[[], float]] = {"gascl": own}
    runs |= {peer: functools.partial(timed, make(inputs)) for peer, make in peers.items()}
    seconds: dict[str, list[float]] = {peer: [] for peer in runs}
    for number in range(given.rounds + 1):
        for peer, run in runs.items():
            took = run()
            if number:  # the first builds and warms up
                seconds[peer].append(took)
    ratios = {p: np.array(s) / np.array(seconds["gascl"]) for p, s in seconds.items()}
    others = ", ".join(f"{p} {np.median(r):.2g}" for p, r in ratios.items() if p != "gascl")
    return [f"`{name}`", *said, f"{np.median(seconds['gascl']):.3g}", others]


def is_program(value: Any) -> bool:
    """Whether it is a bundled program, defined in the file or imported there."""
    is_class = isinstance(value, type) and issubclass(value, VertexProgram)
    return is_class and value.__module__.startswith("gascl.programs.")


def count_lines(text: str) -> int:
    return sum(bool(row.strip()) for row in text.splitlines())


def admitted(parts: list[type[VertexProgram]], engine: Engine) -> str:
    """The deliveries that can run all of the programs in a file."""
    able = []
    for cls in parts:
        if cls.solve is None and {"scatter", "apply"} & set(cls.spec.snippets):
            needed = {n: "0" for n, p in cls.spec.params.items() if "required" in repr(p.default)}
            device = engine.device
            demand = admission.demand_of(cls(**needed), device.atomics, device.fp64, True)
            able.append(deliveries.admitted(demand))
    return " ".join(d for d in deliveries.DELIVERIES if able and all(d in a for a in able))


def ours(engine: Engine, program: VertexProgram, verify: Callable[..., None]) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        started = time.perf_counter()
        result = engine.run(program)
        took = time.perf_counter() - started
    verify(engine.graph, result, program)
    return took


def timed(run: Callable[[], Any]) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        started = time.perf_counter()
        run()
        return time.perf_counter() - started


if __name__ == "__main__":
    main()
