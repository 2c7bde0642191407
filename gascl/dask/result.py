"""`DaskResult`: the result of a run on a Dask cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gascl.results.trace import Trace


@dataclass(frozen=True, eq=False)
class DaskResult:
    """The result of a run on a Dask cluster.

    Attributes:
        vertices: a Dask DataFrame with a row per vertex, the labels as its index, and the columns
            of `Result.to_pandas`; its partitions are on the workers.
        supersteps, converged, stopped, trace, aggregates, delivery, seconds: as in
            `gascl.Result`; the trace and the times are those of the first rank.
        devices: the device of each rank, by the address of its worker.
        communication: how the ranks communicated, "MPI" or "Dask".
    """

    vertices: Any = field(repr=False)
    supersteps: int
    converged: bool
    stopped: str
    trace: Trace = field(repr=False)
    aggregates: Mapping[str, Any]
    delivery: str
    seconds: Mapping[str, float] = field(repr=False)
    devices: Mapping[str, str] = field(repr=False)
    communication: str
