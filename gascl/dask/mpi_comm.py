"""`MpiComm`: communication between the ranks of a run on Dask workers, by MPI; and the constants of
MPI that its methods accept."""

from __future__ import annotations

import pickle
import time
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from mpi4py import MPI
from mpi4py.MPI import BOR as BOR
from mpi4py.MPI import BYTE as BYTE
from mpi4py.MPI import IN_PLACE as IN_PLACE
from mpi4py.MPI import MAX as MAX
from mpi4py.MPI import MIN as MIN

from gascl.dask.actor_comm import DaskComm

#: How often a rank tests for completion without a pause, and the seconds of a pause.
LOOKS, PAUSE = 5000, 1e-4


class MpiComm:
    """The methods of an mpi4py communicator that gascl calls, such that an error in one rank ends
    the calls of all others.

    With MPI's own methods, the others would wait forever, or Abort would end all processes of the
    world, including Dask's scheduler and client. So this class calls MPI's nonblocking methods, and
    a waiting rank checks whether the run has been ended through Dask.

    Args:
        ranks: the ranks in MPI.COMM_WORLD of the ranks of the run.
        dask: their communication without MPI.
    """

    #: Calls that were abandoned. They hold their arrays, into which MPI may still write.
    left: ClassVar[list[Any]] = []

    def __init__(self, ranks: Sequence[int], dask: DaskComm):
        self._dask = dask
        dask.allgather(None)  # waits for all ranks, which MPI needs to create a communicator
        group = MPI.COMM_WORLD.Get_group().Incl(ranks)
        self._comm = MPI.COMM_WORLD.Create_group(group)
        group.Free()

    def free(self) -> None:
        """Free the communicator, after a run that was not ended."""
        self._comm.Free()

    def Get_rank(self) -> int:
        """The number of this rank."""
        return self._comm.rank

    def Get_size(self) -> int:
        """The number of ranks."""
        return self._comm.size

    def allgather(self, value: Any) -> list[Any]:
        """The value of each rank."""
        own = np.frombuffer(pickle.dumps(value, 5), np.uint8)
        sizes = np.empty(self._comm.size, np.int64)
        self.Allgather(np.array([len(own)]), sizes)
        ends = np.cumsum(sizes)
        received = np.empty(int(ends[-1]), np.uint8)
        places = sizes.tolist(), (ends - sizes).tolist()
        self.Allgatherv([own, BYTE], [received, places, BYTE])
        return [pickle.loads(each.data) for each in np.split(received, ends[:-1])]

    def bcast(self, value: Any) -> Any:
        """The value of rank 0."""
        return self.allgather(value if self._comm.rank == 0 else None)[0]

    def Allreduce(self, own: Any, found: np.ndarray, op: MPI.Op) -> None:
        """As in mpi4py; this also holds for the methods below."""
        self._wait(self._comm.Iallreduce(own, found, op))

    def Allgather(self, own: Any, found: np.ndarray) -> None:
        self._wait(self._comm.Iallgather(own, found))

    def Allgatherv(self, send: Any, receive: Sequence[Any]) -> None:
        self._wait(self._comm.Iallgatherv(send, receive))

    def Alltoall(self, own: np.ndarray, found: np.ndarray) -> None:
        self._wait(self._comm.Ialltoall(own, found))

    def Alltoallv(self, send: Sequence[Any], receive: Sequence[Any]) -> None:
        self._wait(self._comm.Ialltoallv(send, receive))

    def isend(self, value: Any, dest: int, tag: int) -> MPI.Request:
        return self._comm.isend(value, dest, tag=tag)

    def iprobe(self, tag: int) -> bool:
        return self._comm.iprobe(tag=tag)

    def recv(self, source: int, tag: int) -> Any:
        return self._comm.recv(source=source, tag=tag)

    def Abort(self, code: int) -> None:
        """End all other ranks."""
        self._dask.Abort(code)

    def _wait(self, call: MPI.Request) -> None:
        looks = 0
        try:
            while not call.Test():
                self._dask.check()
                looks += 1
                if looks > LOOKS:
                    time.sleep(PAUSE)
        except BaseException:
            self.left.append((self._comm, call))
            raise
