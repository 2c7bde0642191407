"""PageRank and breadth-first search on 1, 2, 4, ... devices of a host, a rank for each.

    mpiexec -n 4 python benchmarks/ranks.py --scales 22 24 26

Or, with PoCL, on ranks that have a core each, and on one device with as many cores, in turn:

    mpiexec -n 3 python benchmarks/ranks.py --cores

Every answer is compared with that of one device. See README.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from mpi4py import MPI

if "--cores" in sys.argv:  # before PoCL starts; the last process has as many as all others
    others = MPI.COMM_WORLD.size - 1
    cores = 1 if MPI.COMM_WORLD.rank < others else others
    os.environ["POCL_CPU_MAX_CU_COUNT"] = str(cores)

from gascl import Engine, Graph, VertexProgram, generators
from gascl.distributed import ranks
from gascl.programs import BreadthFirst, PageRank

WORLD = MPI.COMM_WORLD
#: The relative error of floats: sums of different numbers of ranks are added in different orders.
ROUNDING = 1e-5
HEAD = "graph program ranks ms least kernels rest speedup bits started_s"
CORES_HEAD = (
    "graph program delivery alone_ms ranks_ms kernels_ms relative least_alone least_ranks bits"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--scales", type=int, nargs="+", default=[20], help="of R-MAT graphs")
    parser.add_argument("--rounds", type=int, default=5, help="timed runs of each program")
    parser.add_argument("--supersteps", type=int, default=20, help="of PageRank")
    parser.add_argument("--hosts", action="store_true", help="as if each rank had its own host")
    parser.add_argument("--cores", action="store_true", help="a core for each rank, in turn")
    given = parser.parse_args()
    say((CORES_HEAD if given.cores else HEAD).split())
    for scale in given.scales:
        started = time.perf_counter()
        graph = generators.rmat(scale, seed=1)
        WORLD.barrier()
        print_first(f"# R-MAT {scale}: made in {time.perf_counter() - started:.1f} s")
        (in_turn if given.cores else measure)(graph, f"R-MAT {scale}", given)


def measure(graph: Graph, name: str, given: argparse.Namespace) -> None:
    alone: dict[str, tuple[float, np.ndarray]] = {}
    for count in counts():
        for hosts in (False, True)[: 1 + (given.hosts and count > 1)]:
            comm = WORLD.Split(0 if WORLD.rank < count else MPI.UNDEFINED)
            if comm != MPI.COMM_NULL:
                on_ranks(graph, name, comm, alone, given, hosts)
            wait()


def on_ranks(
    graph: Graph, name: str, comm: Any, alone: dict[str, Any], given: Any, hosts: bool
) -> None:
    """Measure the programs on the ranks of a communicator.

    Args:
        alone: the time and the answer of one device, by the name of the program.
        hosts: ranks share no memory, as if each had a host of its own, and do not collect results.
    """
    shared = ranks.shared_memory
    if hosts:
        ranks.shared_memory = lambda comm, size: None
    engine = Engine(graph, comm=comm)
    for program in programs(graph, given.supersteps):
        title = type(program).__name__
        begun = time.perf_counter()
        run(engine, program, not hosts)  # sorts the arcs and builds the kernels
        started = time.perf_counter() - begun
        found = []
        for _ in range(given.rounds):
            comm.barrier()
            found.append(run(engine, program, not hosts))
        steps = found[-1][2].supersteps if title == "PageRank" else 1
        seconds = [wall / steps for wall, _, _ in found]
        kernels = max(comm.allgather(float(np.median([each / steps for _, each, _ in found]))))
        if comm.rank:
            continue
        result, field, middle = found[-1][2], program_field(program), float(np.median(seconds))
        answer = result.own_rows[field] if hosts else result[field]
        before, its = alone.setdefault(title, (middle, answer))
        its = its[result.own_rows.vertices] if hosts else its
        np.testing.assert_allclose(answer, its, rtol=ROUNDING)
        bits = "same" if answer.tobytes() == its.tobytes() else "rounding"
        times = [f"{1e3 * t:.3f}" for t in (middle, min(seconds), kernels, middle - kernels)]
        where = f"{comm.size}{' hosts' if hosts else ''}"
        say([name, title, where, *times, f"{before / middle:.2f}", bits, f"{started:.1f}"])
    ranks.shared_memory = shared


def in_turn(graph: Graph, name: str, given: argparse.Namespace) -> None:
    """Measure the programs on the last process alone and on the others together, one after the
    other in each round."""
    last = WORLD.size - 1
    comm = WORLD.Split(WORLD.rank == last)
    engine = Engine(graph, comm=comm)
    for program in programs(graph, given.supersteps):
        found = []
        for number in range(given.rounds + 1):
            for turn in (True, False):
                if turn == (WORLD.rank == last):
                    comm.barrier()
                    measured = run(engine, program, True)
                    found += [measured] * (number > 0)  # the first run sorts arcs, and so on
                wait()
        seconds, result = [each[0] for each in found], found[-1][2]
        kernels = [each[1] for each in found]
        answer = result[program_field(program)]
        every = WORLD.gather((seconds, kernels, result.delivery))
        if WORLD.rank == last:
            WORLD.send(answer, 0)
        if not every:
            continue
        expected = WORLD.recv(source=last)
        np.testing.assert_allclose(answer, expected, rtol=ROUNDING)
        alone, ranks_, steps = every[last][0], every[0][0], result.supersteps
        steps = steps if isinstance(program, PageRank) else 1
        relative = np.median([one / other for one, other in zip(alone, ranks_, strict=True)])
        most = max(float(np.median(each[1])) for each in every[:last])
        times = (float(np.median(alone)), float(np.median(ranks_)), most)
        shown = [f"{1e3 * each / steps:.3f}" for each in times]
        least = [f"{1e3 * min(each) / steps:.3f}" for each in (alone, ranks_)]
        bits = "same" if answer.tobytes() == expected.tobytes() else "rounding"
        deliveries = f"{every[last][2]}, {every[0][2]}"
        say([name, type(program).__name__, deliveries, *shown, f"{relative:.2f}", *least, bits])


def run(engine: Engine, program: VertexProgram, collect: bool) -> tuple[float, float, Any]:
    """The seconds of the supersteps, those of their kernels, and the result."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = engine.run(program, collect=collect)
    return result.seconds["supersteps"], sum(step.seconds for step in result.trace), result


def programs(graph: Graph, supersteps: int) -> Iterator[VertexProgram]:
    yield PageRank(supersteps=supersteps, tolerance=0)
    yield BreadthFirst(source=int(graph.edge_src[0]))


def program_field(program: VertexProgram) -> str:
    return "rank" if isinstance(program, PageRank) else "depth"


def counts() -> list[int]:
    """1, 2, 4 and so on, up to the number of ranks."""
    return [1 << power for power in range(WORLD.size.bit_length())]


def wait() -> None:
    """Wait for all ranks, without keeping a core busy."""
    request = WORLD.Ibarrier()
    while not request.Test():
        time.sleep(0.01)


def print_first(text: str) -> None:
    if WORLD.rank == 0:
        print(text, flush=True)


def say(cells: list[str]) -> None:
    print_first(" | ".join(cells))


if __name__ == "__main__":
    main()
