"""`mpiexec -n 4 gascl run …`: the ranks of a command that MPI has started several times."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

from gascl.errors import GasclError
from gascl.optional import imported

#: How launchers tell the number of processes: Open MPI; MPICH, Intel MPI and others; Slurm.
_SIZES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS")


def communicator() -> Any:
    """mpi4py's communicator of all processes; None where there is only this one.

    Raises:
        GasclError: there are several, and mpi4py is not installed.
    """
    if not any(os.environ.get(name, "1") not in ("", "1") for name in _SIZES):
        return None
    comm = imported("mpi4py.MPI", "a run on several MPI ranks", GasclError).COMM_WORLD
    return comm if comm.Get_size() > 1 else None


@contextmanager
def silenced() -> Iterator[None]:
    """Print nothing: what all ranks would say, the first one does."""
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        yield
