"""The messages that ranks of a Dask cluster exchange by MPI (tests/dask/test_dask.py)."""

import asyncio
from types import SimpleNamespace

from mpi4py.MPI import COMM_WORLD
from test_dask import exchanges, expected

from gascl.dask import mpi_world
from gascl.dask.mpi_comm import MpiComm

if __name__ == "__main__":
    rank, size = COMM_WORLD.rank, COMM_WORLD.size
    assert exchanges(COMM_WORLD) == expected(rank)
    dask = SimpleNamespace(allgather=COMM_WORLD.allgather, check=lambda: None)
    comm = MpiComm(range(size), dask)
    assert exchanges(comm) == expected(rank)
    comm.free()
    order = [2, 0, 1]
    comm = MpiComm(order, dask)
    assert comm.allgather(rank) == order
    assert comm.Get_rank() == order.index(rank)
    comm.free()

    assert asyncio.run(mpi_world.place()) == (size, rank)
    before, behind = (rank - 1) % size, (rank + 1) % size
    assert asyncio.run(mpi_world.passed_on(before, behind, "00a"))
    mpi_world.ARRIVES = 1.0
    COMM_WORLD.Barrier()
    other = "00a" if rank else "00b"  # whom rank 0 tells something is in another world
    assert asyncio.run(mpi_world.passed_on(before, behind, other)) == (rank == 2)
