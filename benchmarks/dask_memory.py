"""The memory that a worker of a Dask cluster takes at its peak, beyond its process before the run.

    python benchmarks/dask_memory.py --edges 20_000_000 --workers 2 --partitions 8

See README.md.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import dask
import dask.dataframe
import numpy as np
import pandas
from dask.distributed import Client

import gascl.dask
from gascl.programs import PageRank, WeightedPageRank

#: Edges for each vertex.
DEGREE = 16


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--edges", type=int, default=20_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--undirected", action="store_true")
    parser.add_argument("--weighted", action="store_true", help="with a field of 8 bytes, read")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), given.edges, given.partitions, given.weighted)
        dask.config.set({"distributed.worker.daemon": True})
        with Client(
            n_workers=given.workers, threads_per_worker=1, dashboard_address=None
        ) as client:
            edges = dask.dataframe.read_parquet(folder)
            client.run(warm)
            before = client.run(reset)
            program = WeightedPageRank() if given.weighted else PageRank()
            result = gascl.dask.run(edges, program, directed=not given.undirected)
            after = client.run(peak)
    taken = sorted((after[worker] - before[worker]) / 1e6 for worker in before)
    print(
        f"before: {max(before.values()) / 1e6:.0f} MB; {result.supersteps} supersteps; peaks "
        f"beyond it: {', '.join(f'{each:.0f}' for each in taken)} MB"
    )


def write(folder: Path, edges: int, partitions: int, weighted: bool) -> None:
    """Files with random edges."""
    rng, each = np.random.default_rng(1), edges // partitions
    for number in range(partitions):
        ends = rng.integers(0, edges // DEGREE, (2, each))
        frame = pandas.DataFrame({"source": ends[0], "target": ends[1]})
        if weighted:
            frame["weight"] = rng.random(each)
        frame.to_parquet(folder / f"part-{number:03}.parquet")


def warm() -> None:
    """Import what a run needs."""
    import gascl.run.engine  # noqa: F401


def reset() -> int:
    """The bytes that this process has; its peak is counted from now on."""
    Path("/proc/self/clear_refs").write_text("5")
    return of_process("VmRSS")


def peak() -> int:
    """The most bytes that this process has had."""
    return of_process("VmHWM")


def of_process(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(name)).split()[1])


if __name__ == "__main__":
    main()
