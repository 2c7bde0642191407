"""Breadth-first search and shortest paths with each delivery, against SciPy and NetworKit.

    python benchmarks/traversal.py --scale 20 --rounds 5 --device pthread

The contenders run alternately; a ratio is the median of the rounds' ratios. Every answer of every
round is compared with SciPy's, and the benchmark ends if one differs. See README.md.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Callable

import numpy as np
from graphs import clean, grid, rmat
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from turns import Row, ratio, table, take_turns

from gascl import Engine, Graph
from gascl.programs.breadth_first import BreadthFirst
from gascl.programs.shortest_paths import ShortestPaths

DELIVERIES = ("auto", "push", "pull", "slots")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--scale", type=int, default=20, help="2**scale vertices (default: 20)")
    parser.add_argument("--graph", choices=("rmat", "grid"), default="rmat")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of turns (default: 5)")
    parser.add_argument("--device", default=None, help="as in Engine(graph, device)")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    given = options()
    raw = grid(given.scale) if given.graph == "grid" else rmat(given.scale, given.seed, "shuffled")
    data = clean(raw, int(raw.max()) + 1 if given.graph == "grid" else 1 << given.scale)
    weights = np.random.default_rng(given.seed).integers(1, 256, len(data.src))
    source = int(np.argmax(data.out_degree))
    shape = (data.num_vertices, data.num_vertices)
    matrix = csr_array((weights.astype(np.float64), (data.src, data.dst)), shape=shape)
    started = time.perf_counter()
    graph = Graph.from_edges(data.src, data.dst, num_vertices=shape[0], weight=weights)
    engine = Engine(graph, given.device)
    print(
        f"{given.graph} scale {given.scale}: {shape[0]:,} vertices, {len(data.src):,} edges, "
        f"source {source}; {engine.device}; graph built in {time.perf_counter() - started:.1f} s.\n"
    )
    for name, program, field, unweighted in (
        ("breadth-first search", BreadthFirst(source=source), "depth", True),
        ("shortest paths", ShortestPaths(source=source), "distance", False),
    ):
        started = time.perf_counter()
        expected = finite(dijkstra(matrix, indices=source, unweighted=unweighted))
        scipy_seconds = time.perf_counter() - started
        rows = [
            Row(f"gascl, {d}", ours(engine, program, field, d), expected, 0) for d in DELIVERIES
        ]
        rows += peers(data.src, data.dst, weights, source, unweighted, expected)
        take_turns(rows, given.rounds)
        lines = [
            [r.name, f"{np.median(r.seconds) * 1e3:.2f}", ratio(r, rows[0]), r.note] for r in rows
        ]
        lines.append(["SciPy, dijkstra (once)", f"{scipy_seconds * 1e3:.0f}", "", ""])
        print(table([name, "ms", "ratio to auto", "supersteps"], lines) + "\n", flush=True)


def finite(values: np.ndarray) -> np.ndarray:
    """The values with infinity, and other numbers that mean "no path", replaced by -1."""
    return np.where((values >= 0) & (values < 1e30), values, -1).astype(np.float64)


def ours(engine: Engine, program, field: str, delivery: str) -> Callable:  # type: ignore[no-untyped-def]
    def run() -> tuple[float, np.ndarray, str]:
        result = engine.run(program, delivery=delivery)
        kernels = sum(s.seconds for s in result.trace)
        steps = "".join(s.delivery[:4] + " " for s in result.trace[:12])
        note = f"{result.supersteps}: {steps}; kernels {kernels * 1e3:.2f} ms"
        return result.seconds["supersteps"], finite(result[field]), note

    return run


def peers(
    src: np.ndarray,
    dst: np.ndarray,
    weights: np.ndarray,
    source: int,
    unweighted: bool,
    expected: np.ndarray,
) -> list[Row]:
    if importlib.util.find_spec("networkit") is None:
        print("networkit is not installed: left out", file=sys.stderr)
        return []
    import networkit as nk

    ends = (src.astype(np.uint64), dst.astype(np.uint64))
    coo = ends if unweighted else (weights.astype(np.float64), ends)
    graph = nk.GraphFromCoo(coo, n=len(expected), directed=True, weighted=not unweighted)
    kind = nk.distance.BFS if unweighted else nk.distance.Dijkstra

    def run() -> tuple[float, np.ndarray, str]:
        algorithm = kind(graph, source, storePaths=False)
        started = time.perf_counter()
        algorithm.run()
        seconds = time.perf_counter() - started
        return seconds, finite(np.array(algorithm.getDistances())), "one thread"

    return [Row(f"NetworKit, {kind.__name__}", run, expected, 0)]


if __name__ == "__main__":
    main()
