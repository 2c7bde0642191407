"""`mpiexec -n 4 gascl run …`: the ranks of a command that MPI has started several times."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import (
    AbstractContextManager,
    contextmanager,
    nullcontext,
    redirect_stderr,
    redirect_stdout,
    suppress,
)
from typing import Any

from gascl.errors import GasclError
from gascl.util.extras import imported

#: How launchers tell the number of processes, and which one this is: Open MPI; MPICH, Intel MPI
#: and others; Slurm.
_SIZES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS")
_RANKS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")


def is_first() -> bool:
    """Whether this process is to say what all ranks would say: the first one, or the only one."""
    pairs = zip(_SIZES, _RANKS, strict=True)
    return not any(
        os.environ.get(size, "1") not in ("", "1") and os.environ.get(rank, "0") not in ("", "0")
        for size, rank in pairs
    )


def communicator() -> Any:
    """mpi4py's communicator of all processes; None where there is only this one.

    Raises:
        GasclError: there are several, and mpi4py is not installed.
    """
    if not any(os.environ.get(name, "1") not in ("", "1") for name in _SIZES):
        return None
    comm = imported("mpi4py.MPI", "a run on several MPI ranks", GasclError).COMM_WORLD
    return comm if comm.Get_size() > 1 else None


def in_all_ranks(comm: Any) -> AbstractContextManager[None]:
    """Where an error of one rank is raised in all, so that none waits for it.

    Args:
        comm: as `communicator` gives it.
    """
    if comm is None:
        return nullcontext()
    from gascl.distributed.ranks import errors_in_all, ranks_of

    return errors_in_all(ranks_of(comm))


def refuse_in_all(arguments: Sequence[str]) -> None:
    """Tell the other ranks of a run that this one has wrong arguments: theirs may be right."""
    with suppress(GasclError), in_all_ranks(communicator()):
        raise GasclError(f"wrong arguments: {shlex.join(arguments)}")


@contextmanager
def silenced() -> Iterator[None]:
    """Print nothing: the first rank prints what all ranks would."""
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        yield
