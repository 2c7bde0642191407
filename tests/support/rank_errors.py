"""What each rank of a run in tests/distributed/test_ranks.py does that ends with an error, or reads
little; apart from rank_runs, so that these processes start sooner."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from support.rank_calls import Counting, call

from gascl import Engine, GasclError, Graph, generators
from gascl.io import mapped_npz
from gascl.programs import BreadthFirst, PageRank, ShortestPaths

COMM = MPI.COMM_WORLD


def differ() -> None:
    """Ranks that do not run the same."""
    graph = generators.rmat(5, seed=1)
    weighted = graph.with_edge_fields(weight=np.arange(graph.num_edges) + COMM.rank)
    own = np.arange(graph.num_vertices) + COMM.rank + 1
    fields = {"num_vertices": graph.num_vertices, "vertex_fields": {"personalization": own}}
    grouped = Graph.from_edges(graph.edge_src, graph.edge_dst, **fields)
    for engine, program in (
        (Engine(graph, comm=COMM), PageRank(damping=0.5 + 0.1 * COMM.rank)),
        (Engine(graph, comm=COMM), ShortestPaths(source=COMM.rank)),
        (Engine(graph, comm=COMM), Counting() if COMM.rank else PageRank()),
        (Engine(generators.rmat(5, seed=COMM.rank), comm=COMM), PageRank()),
        (Engine(weighted, comm=COMM), ShortestPaths(source=0)),
        (Engine(grouped, comm=COMM), PageRank()),
    ):
        try:
            engine.run(program)
        except GasclError as error:
            print(f"{COMM.rank}: {error}", flush=True)


def fails() -> None:
    """One rank cannot prepare the run."""

    class Unlucky(Counting):
        def prepare(self, graph: Graph, initial: dict[str, np.ndarray]) -> None:
            if COMM.rank == 1:
                raise MemoryError("no room here")

    try:
        Engine(generators.rmat(5, seed=1), comm=COMM).run(Unlucky())
    except Exception as error:
        print(f"{COMM.rank}: {type(error).__name__}: {error}", flush=True)


def dies() -> None:
    """One rank fails in the middle of a run."""

    def callback(step: Any) -> None:
        if COMM.rank == 1 and step.superstep == 5:
            raise ValueError("no more of this")

    Engine(generators.rmat(5, seed=1), comm=COMM).run(Counting(), callback=callback)


def reads(path: str) -> None:
    """How much of a mapped file a rank has read, besides what is of vertices."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mapped_npz, "MAPPED", 0)  # the file is small, and would be read
        graph = Graph.read(path, verify=False)
    for program in (BreadthFirst(source=0), PageRank()):
        Engine(graph, comm=COMM).run(program)
    own = mapped(path)
    print(f"read: {own}", flush=True)


def mapped(path: str) -> int:
    """The bytes of a file that are in this process's memory."""
    its, found = False, 0
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if "-" in line.split(" ")[0]:
            its = line.endswith(path)
        elif its and line.startswith("Rss:"):
            found += 1024 * int(line.split()[1])
    return found


if __name__ == "__main__":
    call(globals(), sys.argv[1:])
    print(f"done {COMM.rank}", flush=True)
