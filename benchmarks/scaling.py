"""Bytes that real ranks receive in a superstep of PageRank, and a model of 8 to 256 devices.

    mpiexec --version    # from the extra `mpi`
    python benchmarks/scaling.py --update docs/internals/scale.md

See README.md.
"""

from __future__ import annotations

import argparse
import json
import pickle
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from contenders import replace, table

from gascl import Engine, Graph, generators
from gascl.graph.partition import Division, senders_elsewhere, shares
from gascl.programs import PageRank

MARK = "benchmarks/scaling.py"
#: Edges drawn for each vertex.
EDGES = 16
#: Seconds that gathering an arc takes on an H200 where no cache has the senders: R-MAT 26 with both
#: directions, 35.0 ms for 2.10 * 10^9 arcs (benchmarks/results/growth-h200.csv).
ARC = 16.6e-12
#: Bytes a second between an H200 and its host, measured (docs/scale.md).
LINK = 55e9
#: Bytes of a device's memory.
MEMORY = 141e9
#: Bytes of a vertex that PageRank takes, without what its arcs take (docs/library.md), and of an
#: arc; and bytes sent for a vertex.
VERTEX, INDEX, SENT = 32, 4, 4
#: The graphs on which ranks run, and how many ranks: of large graphs, so many processes take much
#: memory. On the others, the senders are counted without a run.
RUNS = {(20, 8), (20, 32), (20, 64), (22, 8)}
COUNTED = (20, 22)
#: The supersteps of two runs: their difference has neither the start nor the end of a run.
SUPERSTEPS = (2, 6)
SCALES, DEVICES = (30, 31, 32, 33, 34), (8, 32, 64, 128, 256)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--update", type=Path, help="the file to write the table into")
    parser.add_argument("--rank-of", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.rank_of:
        run_rank(given.rank_of)
        return
    found = {scale: counts(scale) for scale in COUNTED}
    rows = []
    for devices in DEVICES:
        row = [f"{devices}"]
        for scale in COUNTED:
            senders, received = found[scale][devices]
            row += [f"{senders:.3f}", f"{received:.3f}" if received else "-"]
        rows.append(row)
    head = ["ranks"]
    for scale in COUNTED:
        head += [f"R-MAT {scale}: senders elsewhere", "received"]
    largest = {devices: senders for devices, (senders, _) in found[COUNTED[-1]].items()}
    text = table(head, rows) + "\n\n" + modeled(largest)
    print(text)
    if given.update:
        replace(given.update, MARK, text)


def counts(scale: int) -> dict[int, tuple[float, float]]:
    """For each number of ranks, as shares of all vertices: how many other vertices send to a rank,
    and how many values of them it receives in a superstep, or 0; the means of the ranks."""
    graph = generators.rmat(scale, EDGES, seed=1)
    Engine(graph).run(PageRank(supersteps=1))  # sorts the arcs as ranks will read them
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "graph.npz")
        graph.write(path, arcs=True)
        for ranks in DEVICES:
            received = 0.0
            if (scale, ranks) in RUNS:
                received, numbered = received_by(ranks, path)
            found[ranks] = elsewhere(graph, ranks, numbered), received / SENT / graph.num_vertices
            print(scale, ranks, *found[ranks], flush=True)
    return found


def elsewhere(graph: Graph, ranks: int, numbered: bool) -> float:
    """Of all vertices, how many send to a rank from another one; the mean of the ranks.

    Args:
        numbered: ranks number the vertices hubs first.
    """
    its = graph.numbered("out", ranks) if numbered else None
    arcs = its[1] if its else graph.arcs()
    outside = [
        len(senders_elsewhere(arcs.in_sources[part.begin : part.end], part, graph.num_vertices))
        for part in shares(arcs.in_offsets, Division(0, ranks))
    ]
    return float(np.mean(outside)) / graph.num_vertices


def received_by(ranks: int, path: Path) -> tuple[float, bool]:
    """The bytes that a rank receives in a superstep, as the mean of real ranks, and whether these
    number the vertices hubs first."""
    command = ["mpiexec", "-n", f"{ranks}", sys.executable, __file__, "--rank-of", str(path)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    every, numbered = json.loads(told)
    return float(np.mean(every)), numbered


def run_rank(path: Path) -> None:
    """One rank of such a run; the first one prints the bytes that each has received."""
    from mpi4py import MPI

    from gascl.distributed import ranks

    ranks.shared_memory = lambda comm, size: None  # as if each had a host of its own

    class Counted(MPI.Intracomm):
        """A communicator that counts the bytes it receives. It sleeps while it waits: MPI's own
        calls keep the core that another rank needs."""

        received = 0

        def __new__(cls) -> Any:
            return super().__new__(cls, MPI.COMM_WORLD)

        def wait(self, request: Any, size: int) -> None:
            while not request.Test():
                time.sleep(1e-4)
            self.received += size

        def allgather(self, value: Any) -> list[Any]:
            own = np.frombuffer(pickle.dumps(value), np.uint8)
            sizes = np.empty(self.size, np.int64)
            self.Allgather(np.array([len(own)]), sizes)
            ends = np.cumsum(sizes)
            every = np.empty(int(ends[-1]), np.uint8)
            places = sizes.tolist(), (ends - sizes).tolist()
            self.Allgatherv([own, MPI.BYTE], [every, places, MPI.BYTE])
            return [pickle.loads(each.tobytes()) for each in np.split(every, ends[:-1])]

        def bcast(self, value: Any) -> Any:
            return self.allgather(value)[0]

        def Allgather(self, own: Any, every: Any) -> None:
            self.wait(self.Iallgather(own, every), every.nbytes)

        def Allgatherv(self, own: Any, every: Any) -> None:
            self.wait(self.Iallgatherv(own, every), sum(every[1][0]))

        def Alltoall(self, own: Any, every: Any) -> None:
            self.wait(self.Ialltoall(own, every), every.nbytes)

        def Alltoallv(self, own: Any, every: Any) -> None:
            self.wait(self.Ialltoallv(own, every), sum(every[1][0]))

    comm, received = Counted(), []
    engine = Engine(Graph.read(path, verify=False), comm=comm)
    for supersteps in (1, *SUPERSTEPS):  # in the first run, ranks tell each other their halos
        before = comm.received
        result = engine.run(PageRank(supersteps=supersteps))
        received.append(comm.received - before)
    first, second = SUPERSTEPS
    every = comm.allgather((received[2] - received[1]) / (second - first))
    if comm.rank == 0:
        print(json.dumps([every, bool(result.numbering)]))


def modeled(shares: dict[int, float]) -> str:
    rows = []
    for scale in SCALES:
        vertices, arcs = 2**scale, EDGES * 2**scale
        for devices in DEVICES:
            share = shares[devices]
            whole = VERTEX * vertices + INDEX * arcs / devices
            own = VERTEX * (1 / devices + share) * vertices + INDEX * arcs / devices
            gather, received = ARC * arcs / devices, SENT * share * vertices
            if own > MEMORY:
                continue
            rows.append(
                [
                    *(f"{scale}", f"{devices}", f"{gather * 1e3:.0f}"),
                    f"{received / 1e9:.2f}",
                    f"{(gather + received / LINK) * 1e3:.0f}",
                    f"{whole / 1e9:.0f}" if scale < 31 and whole <= MEMORY else "-",
                    f"{own / 1e9:.0f}",
                ]
            )
    head = ["scale", "devices", "gather, ms", "received, GB", "a superstep, ms"]
    return table([*head, "all vertices, GB", "own and halo, GB"], rows)


if __name__ == "__main__":
    main()
