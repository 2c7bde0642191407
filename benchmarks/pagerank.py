"""PageRank against the same loop in C with OpenMP, NetworKit and igraph, in one run.

    python benchmarks/pagerank.py --scale 20 --rounds 7

The contenders run alternately (A B C ..., A B C ...), so that other work on the machine affects all
of them; a ratio is the median of the rounds' ratios. Every answer is compared with a float64 power
iteration in SciPy, and the benchmark ends if one is too far from it. See README.md.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import importlib.util
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from contenders import Near, Row, limit_threads, ratio, table, take_turns
from graphs import EDGES_PER_VERTEX, Edges, grid, rmat

DAMPING = 0.85
#: Largest accepted L1 distance from the verifier after a fixed number of supersteps.
FIXED_LIMIT = {"float32": 1e-4, "float64": 1e-10}
#: The schedules to try for the C loop: name, OpenMP's kind, chunk.
SCHEDULES = [("static", 1, 0), ("guided", 3, 64)] + [
    (f"dynamic, {chunk}", 2, chunk) for chunk in (64, 256, 1024, 4096, 16384)
]


@dataclass
class Input:
    """The edges sorted by target and then source.

    Attributes:
        src, dst: (E,) int32.
        offsets: (V + 1,) int32, where the edges of each target start in src.
        out_degree: (V,) int32.
    """

    num_vertices: int
    src: np.ndarray
    dst: np.ndarray
    offsets: np.ndarray
    out_degree: np.ndarray

    @classmethod
    def of(cls, edges: Edges) -> Input:
        order, n = np.argsort(edges.targets, kind="stable"), edges.num_vertices
        src, dst = edges.sources[order], edges.targets[order]
        offsets = np.searchsorted(dst, np.arange(n + 1)).astype(np.int32)
        return cls(n, src, dst, offsets, edges.out_degree)


class Verifier:
    """A float64 power iteration in SciPy, which shares no code with the contenders."""

    def __init__(self, data: Input):
        from scipy.sparse import csr_array

        self.n, ones = data.num_vertices, np.ones(len(data.src))
        self.matrix = csr_array((ones, data.src, data.offsets), shape=(self.n, self.n))
        self.out_degree = data.out_degree
        self.sinks = data.out_degree == 0

    def ranks(self, supersteps: int | None = None, tolerance: float = 1e-13) -> np.ndarray:
        """The ranks after so many supersteps, or once they change by less than tolerance (L1)."""
        rank = np.full(self.n, 1 / self.n)
        for _ in range(1000 if supersteps is None else supersteps):
            out = np.divide(rank, self.out_degree, where=~self.sinks, out=np.zeros(self.n))
            lost = rank[self.sinks].sum()
            new = DAMPING * (self.matrix @ out) + (1 - DAMPING + DAMPING * lost) / self.n
            change, rank = np.abs(new - rank).sum(), new
            if supersteps is None and change < tolerance:
                break
        return rank


class CLoop:
    """pagerank.c, compiled with these flags."""

    def __init__(self, folder: Path, data: Input, threads: int, supersteps: int, *flags: str):
        source, library = Path(__file__).with_name("pagerank.c"), folder / f"{len(flags)}.so"
        self.command = " ".join(["gcc -O3 -march=native -fopenmp", *flags, "-shared -fPIC"])
        started = time.perf_counter()
        command = [*self.command.split(), str(source), "-o", str(library), "-lm"]
        subprocess.run(command, check=True)
        self.compiled = time.perf_counter() - started
        self.library = ctypes.CDLL(str(library))
        self.library.copy_bandwidth.restype = ctypes.c_double
        self.library.copy_bandwidth.argtypes = [ctypes.c_long, ctypes.c_int]
        array = ctypes.c_void_p
        self.library.pagerank.restype = ctypes.c_double
        self.library.pagerank.argtypes = [
            *(ctypes.c_int, array, array, array, ctypes.c_double, ctypes.c_int),
            *(array, array, array, array),
        ]
        self.data, self.threads, self.supersteps = data, threads, supersteps
        self.buffers = [np.zeros(data.num_vertices, np.float32) for _ in range(3)]
        self.seconds = np.zeros(max(supersteps, 1))
        self.schedule = SCHEDULES[0]

    def bandwidth(self) -> float:
        """Bytes per second of a copy of 256 MiB, the best of 10."""
        self._set(SCHEDULES[0])
        return float(self.library.copy_bandwidth(1 << 25, 10))

    def tune(self) -> dict[str, float]:
        """Choose the fastest schedule; returns the seconds per superstep of each (best of 4)."""
        times: dict[str, float] = {}
        for _ in range(4):
            for schedule in SCHEDULES:
                self.schedule = schedule
                times[schedule[0]] = min(times.get(schedule[0], np.inf), self.run()[0])
        self.schedule = next(s for s in SCHEDULES if s[0] == min(times, key=times.__getitem__))
        return times

    def run(self) -> tuple[float, np.ndarray, str]:
        """The seconds per superstep, and the ranks."""
        self._set(self.schedule)
        data = self.data
        arrays = (data.offsets, data.src, data.out_degree)
        self.library.pagerank(
            *(data.num_vertices, *(a.ctypes.data for a in arrays), DAMPING, self.supersteps),
            *(*(b.ctypes.data for b in self.buffers), self.seconds.ctypes.data),
        )
        return float(self.seconds.mean()), self.buffers[0].copy(), ""

    def _set(self, schedule: tuple[str, int, int]) -> None:
        self.library.set_schedule(self.threads, *schedule[1:])


class Gascl:
    def __init__(self, data: Input, device: str | None, supersteps: int):
        import gascl
        from gascl.programs import PageRank

        self.PageRank, self.supersteps = PageRank, supersteps
        self.spent: dict[str, float] = {}
        started = time.perf_counter()
        self.graph = gascl.Graph.from_edges(data.src, data.dst, num_vertices=data.num_vertices)
        self.spent["graph from the edges"] = time.perf_counter() - started
        started = time.perf_counter()
        _ = self.graph.arcs().in_sources, self.graph.out_degree
        self.spent["arcs by target (CSC), and degrees"] = time.perf_counter() - started
        self.engine = gascl.Engine(self.graph, device)
        result = self.fixed("auto")
        self.first = result.seconds
        self.spent["kernels compiled (`build`, nothing cached)"] = self.first["build"]
        self.spent["upload"] = self.first["upload"]

    def fixed(self, delivery: str) -> Any:
        return self.engine.run(self.PageRank(supersteps=self.supersteps), delivery=delivery)

    def kernels(self, delivery: str) -> tuple[float, np.ndarray, str]:
        """Kernel time per superstep in seconds, the ranks, and a note with the wall time."""
        result = self.fixed(delivery)
        kernel = sum(step.seconds for step in result.trace) / self.supersteps
        wall = result.seconds["supersteps"] / self.supersteps
        return kernel, result.rank, f"{wall * 1e3:.2f} ms wall, {result.delivery}"

    def wall(self, delivery: str) -> tuple[float, np.ndarray, str]:
        result = self.fixed(delivery)
        return result.seconds["supersteps"] / self.supersteps, result.rank, ""

    def to_tolerance(self, dtype: str, tolerance: float) -> tuple[float, np.ndarray, str]:
        started = time.perf_counter()
        result = self.engine.run(self.PageRank(dtype=dtype, tolerance=tolerance))
        rank = result.rank
        return time.perf_counter() - started, rank, f"{result.supersteps} supersteps"


class NetworKit:
    def __init__(self, data: Input, threads: int, supersteps: int):
        import networkit

        networkit.setNumberOfThreads(threads)
        self.networkit, self.supersteps = networkit, supersteps
        started = time.perf_counter()
        # Its conversion needs unsigned 64-bit ids.
        pair = (data.src.astype(np.uint64), data.dst.astype(np.uint64))
        self.graph = networkit.GraphFromCoo(pair, n=data.num_vertices, directed=True)
        self.loaded = time.perf_counter() - started
        if self.graph.numberOfEdges() != len(data.src):
            sys.exit(f"NetworKit has {self.graph.numberOfEdges()} edges, not {len(data.src)}")

    def _run(self, supersteps: int | None, tolerance: float) -> tuple[float, np.ndarray, int]:
        centrality = self.networkit.centrality
        sinks = centrality.SinkHandling.DistributeSinks
        algorithm = centrality.PageRank(self.graph, DAMPING, tolerance, distributeSinks=sinks)
        algorithm.norm = centrality.Norm.L1_NORM
        if supersteps is not None:
            algorithm.maxIterations = supersteps
        started = time.perf_counter()
        algorithm.run()
        seconds = time.perf_counter() - started
        return seconds, np.array(algorithm.scores()), algorithm.numberOfIterations()

    def fixed(self) -> tuple[float, np.ndarray, str]:
        seconds, rank, iterations = self._run(self.supersteps, 1e-300)
        if iterations != self.supersteps:
            sys.exit(f"NetworKit ran {iterations} iterations, not {self.supersteps}")
        return seconds / iterations, rank, ""

    def to_tolerance(self, tolerance: float) -> tuple[float, np.ndarray, str]:
        seconds, rank, iterations = self._run(None, tolerance)
        return seconds, rank, f"{iterations} iterations"


class Igraph:
    def __init__(self, data: Input):
        import igraph

        started = time.perf_counter()
        self.graph = igraph.Graph(
            n=data.num_vertices, edges=np.column_stack([data.src, data.dst]), directed=True
        )
        self.loaded = time.perf_counter() - started
        if self.graph.ecount() != len(data.src):
            sys.exit(f"igraph has {self.graph.ecount()} edges, not {len(data.src)}")

    def answer(self) -> tuple[float, np.ndarray, str]:
        started = time.perf_counter()
        rank = self.graph.pagerank(damping=DAMPING, implementation="prpack")
        return time.perf_counter() - started, np.array(rank), "Gauss-Seidel"


def options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--scale", type=int, default=20, help="2**scale vertices (default: 20)")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of turns (default: 7)")
    parser.add_argument("--supersteps", type=int, default=20, help="default: 20")
    parser.add_argument("--device", default="pthread", help="default: pthread, which is PoCL")
    parser.add_argument(
        "--threads", type=int, default=2, help="threads of each contender (default: 2)"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--graph", choices=("rmat", "grid"), default="rmat", help="R-MAT (default) or a square grid"
    )
    parser.add_argument(
        "--order",
        choices=("shuffled", "generated"),
        default="shuffled",
        help="vertices renumbered at random, as in Graph500 (default), or as generated",
    )
    parser.add_argument(
        "--skip-answers",
        action="store_true",
        help="skip the time to solution (igraph is slow)",
    )
    return parser.parse_args(argv)


def prepare(given: argparse.Namespace, folder: str) -> None:
    """Limit all contenders' threads, and disable kernel caches; call it before any import."""
    missing = [m for m in ("gascl", "networkit", "igraph") if importlib.util.find_spec(m) is None]
    if missing:
        sys.exit(f"needs {', '.join(missing)}: pip install {' '.join(missing)}")
    limit_threads(given.threads)
    os.environ["POCL_CACHE_DIR"] = folder
    os.environ["PYOPENCL_NO_CACHE"] = "1"


def versions() -> str:
    from importlib.metadata import version

    gcc = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=True)
    names = ("gascl", "networkit", "igraph", "numpy", "scipy", "pyopencl")
    listed = ", ".join(f"{n} {version(n)}" for n in names)
    return f"{listed}, gcc {gcc.stdout.strip()}, Python {platform.python_version()}"


def fixed_table(rows: list[Row], data: Input, bandwidth: float) -> str:
    head = ["PageRank", "ms per superstep", "min", "max", "ratio to C", "ratio to gascl"]
    head += ["L1 from verifier", "MB per superstep", "of copy bandwidth"]
    lines = []
    for row in rows:
        median = float(np.median(row.seconds))
        line = [row.name, *(f"{x * 1e3:.2f}" for x in (median, min(row.seconds), max(row.seconds)))]
        line += [ratio(row, rows[0]), ratio(row, rows[1]), f"{row.check.distance:.1e}"]
        if row.vertex_bytes is None:
            line += ["-", "-"]
        else:
            size = 8 * len(data.src) + row.vertex_bytes * data.num_vertices
            line += [f"{size / 1e6:.1f}", f"{size / median / bandwidth:.0%}"]
        lines.append(line)
    return table(head, lines)


def answer_table(rows: list[Row]) -> str:
    head = ["time to solution", "s", "min", "max", "ratio to gascl", "L1 from verifier", "work"]
    lines = []
    for row in rows:
        times = (float(np.median(row.seconds)), min(row.seconds), max(row.seconds))
        line = [row.name, *(f"{x:.3f}" for x in times), ratio(row, rows[0])]
        lines.append([*line, f"{row.check.distance:.1e}", row.note])
    return table(head, lines)


def main(argv: list[str] | None = None) -> None:
    given = options(argv)
    with tempfile.TemporaryDirectory() as folder:
        prepare(given, folder)
        report(given, Path(folder))


def report(given: argparse.Namespace, folder: Path) -> None:
    started = time.perf_counter()
    what = f"R-MAT, {EDGES_PER_VERTEX} edges per vertex drawn, seed {given.seed}, {given.order}"
    if given.graph == "grid":
        what = "square grid, edges in both directions"
        edges = grid(round(2 ** (given.scale / 2)), seed=given.seed)
    else:
        edges = rmat(given.scale, given.seed, shuffled=given.order == "shuffled")
    generated = time.perf_counter() - started
    data = Input.of(edges)
    verifier = Verifier(data)
    print(
        f"{what}; scale {given.scale}, directed: {data.num_vertices:,} vertices, "
        f"{len(data.src):,} edges without self-loops and duplicates, largest in-degree "
        f"{int(np.diff(data.offsets).max()):,}; generated in {generated:.1f} s.\n"
    )
    c = CLoop(folder, data, given.threads, given.supersteps)
    reordered = CLoop(folder, data, given.threads, given.supersteps, "-ffast-math")
    bandwidth = c.bandwidth()
    tuned = [(loop.command, loop.tune()) for loop in (c, reordered)]
    ours = Gascl(data, given.device, given.supersteps)
    networkit = NetworKit(data, given.threads, given.supersteps)
    fixed = verifier.ranks(given.supersteps)
    device = ours.engine.device
    print(f"{versions()}; {given.threads} threads; {device}, {device.cl.max_compute_units} cores.")
    print(f"Copy: {bandwidth / 1e9:.1f} GB/s read and written.")
    for command, times in tuned:
        shown = ", ".join(f"{name} {seconds * 1e3:.2f}" for name, seconds in times.items())
        print(f"{command}: schedules tried, ms per superstep: {shown}.")
    if hasattr(os, "getloadavg"):
        print(
            "Load of the last 1, 5 and 15 minutes, this run's own work included: "
            + ", ".join(f"{x:.1f}" for x in os.getloadavg())
            + "."
        )
    print()

    limit = FIXED_LIMIT["float32"]
    # For each vertex: offset, out-degree, rank read and written, outbox written; gascl also reads
    # the personalization.
    near = functools.partial(Near, fixed, limit)
    rows = [
        Row(f"C with OpenMP ({c.schedule[0]})", c.run, near(), vertex_bytes=20),
        Row("gascl, outbox (auto), wall", lambda: ours.wall("auto"), near(), vertex_bytes=24),
        Row("gascl, outbox (auto), kernels", lambda: ours.kernels("auto"), near(), vertex_bytes=24),
        Row(f"C, -ffast-math ({reordered.schedule[0]})", reordered.run, near(), vertex_bytes=20),
        Row("gascl, pull, wall", lambda: ours.wall("pull"), near()),
        Row("gascl, slots, wall", lambda: ours.wall("slots"), near()),
        Row("NetworKit (float64)", networkit.fixed, Near(fixed, FIXED_LIMIT["float64"])),
    ]
    take_turns(rows, given.rounds)
    print(fixed_table(rows, data, bandwidth) + "\n")

    spent = [[what, f"{seconds:.3f}"] for what, seconds in ours.spent.items()]
    steady = float(np.median(rows[1].seconds)) * given.supersteps
    late = max(ours.first["supersteps"] - steady, 0)
    spent.append(["extra time of the first run (PoCL compiles at the first launch)", f"{late:.3f}"])
    spent.append([f"{given.supersteps} supersteps", f"{steady:.3f}"])
    spent.append(["C loop: gcc", f"{c.compiled:.3f}"])
    spent.append(["NetworKit: graph from the edges", f"{networkit.loaded:.3f}"])
    answers: list[Row] = []
    if not given.skip_answers:
        igraph = Igraph(data)
        spent.append(["igraph: graph from the edges", f"{igraph.loaded:.3f}"])
        exact = verifier.ranks()
        # After a change below the tolerance, the error is at most tolerance * d / (1 - d).
        loose = FIXED_LIMIT["float32"] + 1e-6 * DAMPING / (1 - DAMPING)
        tight = 1e-10 / (1 - DAMPING) + 1e-12
        answers = [
            Row(
                "gascl, float64, tolerance 1e-10",
                lambda: ours.to_tolerance("float64", 1e-10),
                Near(exact, tight),
            ),
            Row(
                "gascl, float32, tolerance 1e-6",
                lambda: ours.to_tolerance("float32", 1e-6),
                Near(exact, loose),
            ),
            Row(
                "NetworKit, float64, tolerance 1e-10 (L1)",
                lambda: networkit.to_tolerance(1e-10),
                Near(exact, tight),
            ),
            Row(
                "igraph, PRPACK, float64, tolerance 1e-10, one thread",
                igraph.answer,
                Near(exact, tight),
            ),
        ]
        take_turns(answers, given.rounds)
        print(answer_table(answers) + "\n")
    print(table(["one-off costs", "s"], spent))


if __name__ == "__main__":
    main()
