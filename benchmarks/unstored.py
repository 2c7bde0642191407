"""PageRank or a breadth-first search of a grid that is not stored, on several ranks, with the data
of the vertices in files.

    mpiexec -n 8 python -m mpi4py benchmarks/unstored.py pagerank --rows 62_500 --spill /scratch

Prints the seconds, the memory of all ranks that is in no file, and the files, at their largest, and
compares vertices of each rank with values that are computed from the definition. See README.md.
"""

from __future__ import annotations

import argparse
import os
import shutil
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

from gascl import Engine, VertexProgram, generators
from gascl.programs import BreadthFirst, PageRank

WORLD = MPI.COMM_WORLD
DAMPING = 0.85
#: The relative error of a rank in float32.
ROUNDING = 1e-6


class Grid:
    """The definition of an undirected grid."""

    def __init__(self, rows: int, columns: int):
        self.rows, self.columns, self.size = rows, columns, rows * columns

    def neighbors(self, vertex: int) -> list[int]:
        row, column = divmod(vertex, self.columns)
        near = [vertex - self.columns] * (row > 0) + [vertex - 1] * (column > 0)
        near += [vertex + 1] * (column < self.columns - 1)
        return near + [vertex + self.columns] * (row < self.rows - 1)

    def rank(self, vertex: int, supersteps: int) -> float:
        """PageRank after some supersteps."""
        if not supersteps:
            return 1 / self.size
        shares = (
            self.rank(near, supersteps - 1) / len(self.neighbors(near))
            for near in self.neighbors(vertex)
        )
        return (1 - DAMPING) / self.size + DAMPING * sum(shares)

    def depth(self, vertex: int, source: int) -> int:
        (row, column), (to_row, to_column) = (divmod(v, self.columns) for v in (vertex, source))
        return abs(row - to_row) + abs(column - to_column)


class Peaks(threading.Thread):
    """The most bytes of processes that are in no file, and of the files on a disk, until `end`."""

    def __init__(self, processes: list[int], folder: str):
        super().__init__(daemon=True)
        self._processes, self._folder, self._ended = processes, folder, threading.Event()
        self._free = shutil.disk_usage(folder).free
        self.before = self.memory = self._now()
        self.files = 0

    def run(self) -> None:
        while not self._ended.wait(0.2):
            self.memory = max(self.memory, self._now())
            self.files = max(self.files, self._free - shutil.disk_usage(self._folder).free)

    def end(self) -> None:
        self._ended.set()
        self.join()

    def _now(self) -> int:
        total = Counter[str]()
        for process in self._processes:
            for line in Path(f"/proc/{process}/status").read_text().splitlines():
                name, _, value = line.partition(":")
                if name in ("RssAnon", "RssShmem"):
                    total[name] += 1024 * int(value.split()[0])
        return total.total()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("program", choices=["pagerank", "search"])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--columns", type=int, default=64_000)
    parser.add_argument("--supersteps", type=int, default=2)
    parser.add_argument("--memory", default="64 MiB", help="of each rank, for arcs")
    parser.add_argument("--spill", required=True, help="a folder for the files")
    parser.add_argument("--samples", type=int, default=200, help="vertices of each rank to check")
    given = parser.parse_args()
    shape = Grid(given.rows, given.columns)
    source = shape.size // 2 + given.columns // 2
    program: VertexProgram = PageRank(supersteps=given.supersteps, damping=DAMPING)
    if given.program == "search":
        program = BreadthFirst(source=source, hops=given.supersteps)
    graph = generators.grid(given.rows, given.columns, stored=False)
    engine = Engine(graph, comm=WORLD, spill=given.spill, device_memory=given.memory)
    processes, started = WORLD.gather(os.getpid()), time.perf_counter()
    peaks = Peaks(processes, given.spill) if processes else None
    if peaks:
        peaks.start()
    result = engine.run(program, collect=False)
    seconds = time.perf_counter() - started
    own = result.own_rows
    first, last = int(own.numbers[0]), int(own.numbers[-1])
    chosen = np.random.default_rng(WORLD.rank).integers(first, last + 1, given.samples)
    if given.program == "search" and first <= source <= last:  # where vertices are reached
        chosen = np.concatenate([chosen, source + np.arange(-9, 10)])
    error = check(shape, given, source, own, chosen, first)
    errors = WORLD.gather(error)
    if peaks:
        peaks.end()
        sizes = (each / 2**30 for each in (peaks.before, peaks.memory, peaks.files))
        print(
            f"{given.program}: {shape.size:,} vertices, {graph.num_edges:,} edges, "
            f"{WORLD.size} ranks, {result.supersteps} supersteps: {seconds:.0f} s, of which "
            f"supersteps {result.seconds['supersteps']:.0f}; memory in no file, GiB: "
            "{:.2f} before, {:.2f} at most; {:.1f} GiB of files; ".format(*sizes)
            + f"relative error at {WORLD.size * given.samples} vertices: {max(errors):.1e}",
            flush=True,
        )


def check(shape: Grid, given: Any, source: int, own: Any, chosen: np.ndarray, first: int) -> float:
    """Compare some vertices with the definition; returns the largest relative error."""
    if given.program == "pagerank":
        expected = np.array([shape.rank(int(v), given.supersteps) for v in chosen])
        error = float(np.abs(own["rank"][chosen - first] / expected - 1).max())
        assert error < ROUNDING, error
        return error
    depths = np.array([shape.depth(int(v), source) for v in chosen])
    reached = depths <= given.supersteps
    parents = [
        min((n for n in shape.neighbors(int(v)) if shape.depth(n, source) < d), default=-1)
        for v, d in zip(chosen, depths, strict=True)
    ]
    assert own["depth"][chosen - first].tolist() == np.where(reached, depths, -1).tolist()
    assert own["parent"][chosen - first].tolist() == np.where(reached, parents, -1).tolist()
    return 0.0


if __name__ == "__main__":
    main()
