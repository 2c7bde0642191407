"""What each rank does with a folder of Parquet files of which it reads a share; see
tests/distributed/test_shared_edges.py."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas
import pytest
from support.patient_comm import PatientComm
from support.rank_calls import PATCH, call

from gascl import Engine, GasclError, Graph, RankError
from gascl.distributed import ranks as ranks_module
from gascl.distributed.shared_edges import SharedEdges
from gascl.graph import reordering
from gascl.programs import (
    BreadthFirst,
    ConnectedComponents,
    Hits,
    PageRank,
    ShortestPaths,
)

COMM = PatientComm()


def apart() -> None:
    """Let ranks not share memory, as ranks of different hosts."""
    PATCH.setattr(ranks_module, "shared_memory", lambda *_: None)


def programs(folder: str, *names: str) -> None:
    """Results are those of ranks that have read all, and so are the folders that they write."""
    PATCH.setattr(reordering, "LEAST", 1)
    PATCH.setattr(reordering, "SHARE", 0.1)
    path = Path(folder)
    whole, shared = Graph.read(path), Graph.read(path, comm=COMM)
    some = str(whole.labels[5])
    for program, needs_all in (
        (PageRank(), False),
        (BreadthFirst(source=some), False),
        (ShortestPaths(source=some, weight="n"), False),
        (Hits(), False),
        (ConnectedComponents(), True),
    ):
        if type(program).__name__ not in names:
            continue
        expected = Engine(whole, comm=COMM).run(program)
        with pytest.MonkeyPatch.context() as patch:
            if not needs_all:
                patch.setattr(SharedEdges, "whole", None)
            engine = Engine(shared, comm=COMM)
            found = engine.run(program)
            own = Engine(Graph.read(path, comm=COMM), comm=COMM).run(program, collect=False)
        assert found.supersteps == expected.supersteps
        for name, values in expected.fields.items():
            np.testing.assert_array_equal(found[name], values, strict=True)
        pandas.testing.assert_frame_equal(found.to_pandas(), expected.to_pandas())
        there = path.with_name("out")
        own.to_parquet(there)
        table = pandas.read_parquet(there).sort_values("vertex").set_index("vertex")
        written = expected.to_pandas()
        for name in table:
            assert table[name].tolist() == written[name].tolist() or table[name].hasnans
        COMM.barrier()


def errors(folder: str) -> None:
    """A file that one rank cannot read, or a wrong value there, is told to all."""
    path = Path(folder)
    kept = Graph.read(path, comm=COMM)
    COMM.barrier()
    last = sorted(path.glob("*.parquet"))[-1]
    if COMM.rank == 0:
        table = pandas.read_parquet(last).astype({"to": object})
        table.loc[table.index[-1], "to"] = None
        table.to_parquet(last, index=False)
    COMM.barrier()
    failed = COMM.size - 1
    with pytest.raises(GasclError if COMM.rank == failed else RankError, match="has no value for"):
        Graph.read(path, comm=COMM)
    with pytest.raises(GasclError, match="no vertex has the label"):
        Engine(kept, comm=COMM).run(BreadthFirst(source="nowhere"))
    with pytest.raises(GasclError, match="is a folder without Parquet"):
        Graph.read(path.parent / "empty", comm=COMM)


if __name__ == "__main__":
    call(globals(), sys.argv[1:])
    print(f"done {COMM.rank}", flush=True)
