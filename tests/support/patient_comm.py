"""`PatientComm`: a communicator of MPI for more processes than there are processors."""

from __future__ import annotations

import pickle
import time
from typing import Any

import numpy as np
from mpi4py import MPI

#: Seconds between two looks whether a call is done.
LOOK = 2e-4


class PatientComm(MPI.Intracomm):
    """All processes. They sleep while they wait: MPI's own calls keep the processors that the
    others need."""

    def __new__(cls) -> Any:
        return super().__new__(cls, MPI.COMM_WORLD)

    def _wait(self, request: Any) -> None:
        while not request.Test():
            time.sleep(LOOK)

    def Barrier(self) -> None:
        self._wait(self.Ibarrier())

    def Allgather(self, sent: Any, into: Any) -> None:
        self._wait(self.Iallgather(sent, into))

    def Allgatherv(self, sent: Any, into: Any) -> None:
        self._wait(self.Iallgatherv(sent, into))

    def Alltoall(self, sent: Any, into: Any) -> None:
        self._wait(self.Ialltoall(sent, into))

    def Alltoallv(self, sent: Any, into: Any) -> None:
        self._wait(self.Ialltoallv(sent, into))

    def Allreduce(self, sent: Any, into: Any, operation: Any) -> None:
        self._wait(self.Iallreduce(sent, into, operation))

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
