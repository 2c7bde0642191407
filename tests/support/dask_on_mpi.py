"""Runs on a Dask cluster that dask-mpi has started: of the ranks of MPI, one is Dask's scheduler,
one the client, and the others are workers. See tests/dask/test_dask.py."""

from __future__ import annotations

from typing import Any

import dask.dataframe as dd
import dask_mpi
import pandas as pd
import pytest
from distributed import Client, get_worker
from test_dask import build_quickly

import gascl.dask
from gascl import DeviceError, Engine, Graph, generators
from gascl.programs import BreadthFirst, PageRank


class Unlucky(BreadthFirst):
    """One rank fails in the middle of the run, while the others wait for it."""

    def converged(self, step: Any) -> bool:
        if step.superstep == 2 and get_worker().name == 3:
            raise ValueError("no more of this")
        return False


def runs(client: Client) -> None:
    graph = generators.rmat(8, seed=1)
    df = graph.to_pandas()
    edges = dd.from_pandas(df, npartitions=3, sort=False)
    by_mpi = gascl.dask.run(edges, PageRank())
    assert by_mpi.communication == "MPI"
    with pytest.raises(DeviceError, match=r"rank [01] of 2, on .*: ValueError: no more"):
        gascl.dask.run(edges, Unlucky(source=0))
    again = gascl.dask.run(edges, PageRank())
    assert again.communication == "MPI"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gascl.dask.cluster.ranks_of_workers", lambda *_: None)
        by_dask = gascl.dask.run(edges, PageRank())
    assert by_dask.communication == "Dask"
    for found in (again, by_dask):
        pd.testing.assert_frame_equal(
            found.vertices.compute(), by_mpi.vertices.compute(), check_exact=True
        )
    alone = Engine(Graph.from_pandas(df)).run(PageRank()).to_pandas()
    pd.testing.assert_frame_equal(by_mpi.vertices.compute(), alone, rtol=1e-5)


if __name__ == "__main__":
    dask_mpi.initialize(dashboard=False)
    with Client() as client:
        client.wait_for_workers(2)
        client.run(build_quickly)
        runs(client)
    print("done", flush=True)
