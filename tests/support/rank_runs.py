"""What each rank of a run in tests/runtime/test_ranks.py does."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI
from support.agreement import find_device
from support.parts import agree_on_parts
from support.random_cases import MOST, drawn
from support.random_graphs import SPECIAL
from support.special_programs import SPECIAL_PROGRAMS

from gascl import Engine, GasclError, Graph, VertexProgram, generators, vertex
from gascl.programs import BreadthFirst, Closeness, Hits, PageRank, ShortestPaths

COMM = MPI.COMM_WORLD


def random(*numbers: str) -> None:
    """Random programs against the oracle."""
    ran = 0
    for number in map(int, numbers):
        group = (1, 8)[number % 2]
        case = drawn(number, group)
        options: dict[str, Any] = {"dtype": case.dtype, "given": case.given, "comm": COMM}
        device = find_device(group)
        ran += len(
            agree_on_parts(device, case.program, case.plain, MOST, **options, **dict(case.params))
        )
    print(f"deliveries: {ran}", flush=True)


def special(*names: str) -> None:
    """Programs that use what random ones rarely do."""
    for name in names:
        device = find_device((1, 8)[len(name) % 2])
        agree_on_parts(device, SPECIAL_PROGRAMS[name], SPECIAL.values(), 8, comm=COMM)


def programs() -> None:
    """Bundled programs against runs on one device."""
    web = generators.rmat(9, seed=4)
    weight = np.random.default_rng(1).integers(1, 9, web.num_edges)
    for graph in (web, Graph.from_edges(web.edge_src, web.edge_dst, weight=weight, directed=False)):
        for program in (
            PageRank(),
            BreadthFirst(source=0),
            ShortestPaths(source=0),
            Hits(),
            Closeness(),
        ):
            alone = Engine(graph).run(program)
            # A rank streams its own arcs if they do not fit, either.
            for memory in (None, 10 * 2**20):
                found = Engine(graph, comm=COMM, device_memory=memory).run(program)
                assert found.supersteps == alone.supersteps
                for name in alone.fields:
                    np.testing.assert_allclose(found[name], alone[name], rtol=1e-5, atol=1e-7)


class Counting(VertexProgram):
    """Never ends by itself."""

    x = vertex.int32()
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.x % 7 + 1);"
    apply = "v.x += msg % 5 + v.id % 2;"
    stop = "superstep < 0"


def checkpoints(folder: str) -> None:
    """A run that goes on from what the first rank has saved ends as one that was never stopped."""
    graph, path = generators.rmat(7, seed=1), Path(folder, "run.ckpt")
    engine = Engine(graph, comm=COMM)
    options: dict[str, Any] = {"max_supersteps": 40, "not_converged": "ignore"}
    whole = engine.run(Counting(), **options)

    engine.run(Counting(), **{**options, "max_supersteps": 24}, checkpoint=path, every=10)
    assert path.exists()
    COMM.Barrier()
    found = engine.run(Counting(), **options, checkpoint=path, every=10, resume=True)
    assert found.x.tolist() == whole.x.tolist()
    assert found.supersteps == 40


def differ() -> None:
    """Ranks that do not run the same."""
    graph = generators.rmat(5, seed=1)
    weighted = graph.with_fields(weight=np.arange(graph.num_edges) + COMM.rank)
    for engine, program in (
        (Engine(graph, comm=COMM), PageRank(damping=0.5 + 0.1 * COMM.rank)),
        (Engine(graph, comm=COMM), ShortestPaths(source=COMM.rank)),
        (Engine(graph, comm=COMM), Counting() if COMM.rank else PageRank()),
        (Engine(generators.rmat(5, seed=COMM.rank), comm=COMM), PageRank()),
        (Engine(weighted, comm=COMM), ShortestPaths(source=0)),
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


def saved(path: str) -> None:
    """Ranks of the edges in a Parquet file, beside it."""
    import pandas as pd

    graph = Graph.from_pandas(pd.read_parquet(path), "a", "b")
    result = Engine(graph, comm=COMM).run(PageRank())
    if COMM.rank == 0:
        result.to_pandas().reset_index().to_parquet(f"{path}.ranks")


if __name__ == "__main__":
    warnings.filterwarnings("ignore", ".*no edge field")
    what, *arguments = sys.argv[1:]
    globals()[what](*arguments)
    print(f"done {COMM.rank}", flush=True)
