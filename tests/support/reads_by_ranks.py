"""What each rank does with a folder of Parquet files of which it reads a share; see
tests/distributed/test_shared_edges.py."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from support.patient_comm import PatientComm
from support.rank_calls import PATCH, call

from gascl import Engine, GasclError, Graph, RankError, VertexProgram, arc, param, vertex
from gascl.distributed import ranks as ranks_module
from gascl.distributed.shared_edges import SharedEdges
from gascl.graph import reordering
from gascl.programs import (
    BreadthFirst,
    ConnectedComponents,
    CoreNumber,
    Hits,
    LabelPropagation,
    PageRank,
    ParticleCommunities,
    ShortestPaths,
    StronglyConnected,
    Triangles,
    WeightedPageRank,
)

COMM = PatientComm()


class Nearest(VertexProgram):
    """The sum of what the vertices that a vertex's own arcs lead to have received, by rows of which
    only the rank of the vertex has the neighbors."""

    supersteps = param.supersteps(3)
    got = vertex.int64()
    sum = vertex.int64()
    message, combine = "int64", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.id * num_neighbors);"
    apply = """
        v.got = msg;
        for (int i = 0; i < num_neighbors; ++i)
            v.sum += got_of(neighbor(i)) * (i + 1);
    """


class NearestAgainst(Nearest):
    """The same along reversed arcs."""

    edges = "in"


class Tolls(VertexProgram):
    """Keeps state on arcs, which decides what they carry, and which vertices scatter next."""

    supersteps = param.supersteps(5)
    x = vertex.int64()
    paid = arc.int64(init="e.id % 3")
    message, combine = "int64", "sum"
    mask, scatter_on = "v.id % 2", "mask"
    scatter = "e.paid += 1 + v.x % 5; send(e.paid % 100); if (e.paid % 2) set_mask();"
    apply = "v.x += msg % 5 + v.id % 2; if (msg % 7 == 3) unset_mask();"


class TollsBothWays(Tolls):
    """The same along arcs of both directions, in turn or at once."""

    edges = "both"


class Meeting(PageRank):
    """Every pair of vertices interacts, besides what travels along arcs."""

    supersteps = param.supersteps(3)
    pairs = "send(u.rank / 1000);"


def apart() -> None:
    """Let ranks not share memory, as ranks of different hosts."""
    PATCH.setattr(ranks_module, "shared_memory", lambda *_: None)


def programs(folder: str, *names: str) -> None:
    """Results are those of ranks that have read all, and so are the folders that they write."""
    PATCH.setattr(reordering, "LEAST", 1)
    PATCH.setattr(reordering, "SHARE", 0.1)
    path = Path(folder)
    whole, shared = Graph.read(path), Graph.read(path, comm=COMM)
    source = str(whole.labels[5])
    of_all = [
        (PageRank(), False),
        (BreadthFirst(source=source), False),
        (Hits(), False),
        (CoreNumber(), False),
        (StronglyConnected(), False),
        (NearestAgainst(), False),
        (ConnectedComponents(), False),
        (LabelPropagation(), False),
        (ShortestPaths(source=source, weight="n"), False),
        (WeightedPageRank(), False),
        (Nearest(), False),
        (Tolls(), False),
        (TollsBothWays(), False),
        (Meeting(), False),
        (ParticleCommunities(supersteps=3), True),
        (Triangles(), True),
    ]
    for program, needs_all in of_all:
        if names and type(program).__name__ not in names:
            continue
        expected = Engine(whole, comm=COMM).run(program)
        with pytest.MonkeyPatch.context() as patch:
            # The ends of arcs are the names of the values that a whole result has of them.
            names_arcs = bool(expected.arc_fields)
            if not (needs_all or names_arcs):
                patch.setattr(SharedEdges, "whole", None)
            engine = Engine(shared, comm=COMM)
            found = engine.run(program)
            if not needs_all:
                patch.setattr(SharedEdges, "whole", None)
            own = Engine(Graph.read(path, comm=COMM), comm=COMM).run(program, collect=False)
        assert found.supersteps == expected.supersteps
        for name, values in expected.fields.items():
            np.testing.assert_array_equal(found[name], values, strict=True)
        pandas.testing.assert_frame_equal(found.to_pandas(), expected.to_pandas())
        for name, values in expected.arc_fields.items():
            np.testing.assert_array_equal(found.arc_fields[name], values, strict=True)
            with pytest.raises(GasclError, match=f"'{name}' of its own arcs alone"):
                own.arc_fields[name]
        there = path.with_name("out")
        own.to_parquet(there)
        table = pandas.read_parquet(there).sort_values("vertex").set_index("vertex")
        written = expected.to_pandas()
        for name in table:
            assert table[name].tolist() == written[name].tolist() or table[name].hasnans
        COMM.barrier()


def partitions(folder: str) -> None:
    """Vertices are where a hash or a field puts them, and results are those of ranks that have read
    all."""
    path = Path(folder)
    whole, shared = Graph.read(path), Graph.read(path, comm=COMM)
    part = np.arange(whole.num_vertices) // 3 % 11
    whole, shared = (graph.with_vertex_fields(part=part) for graph in (whole, shared))
    PATCH.setattr(SharedEdges, "whole", None)
    for by in ("hash", "part"):
        by_all = Engine(whole, comm=COMM, partition=by)
        by_share = Engine(shared, comm=COMM, partition=by)
        for program in (PageRank(), Hits(), WeightedPageRank(), NearestAgainst()):
            expected, found = by_all.run(program), by_share.run(program)
            assert found.numbering == expected.numbering
            for name, values in expected.fields.items():
                np.testing.assert_array_equal(found[name], values, strict=True)
        own = by_share.run(PageRank(), collect=False).own_rows
        expected = by_all.run(PageRank())
        np.testing.assert_array_equal(own["rank"], expected.rank[own.vertices], strict=True)
        if by == "part" and not by_share.ranks.on_one_host:
            mine = part % COMM.size == COMM.rank
            assert own.vertices.tolist() == np.flatnonzero(mine).tolist()
    with pytest.warns(UserWarning, match="partition='part' has no effect: the program does not"):
        found = by_share.run(BreadthFirst(source=str(whole.labels[5])))
    with pytest.warns(UserWarning, match="partition='part' has no effect"):
        expected = by_all.run(BreadthFirst(source=str(whole.labels[5])))
    assert found.depth.tolist() == expected.depth.tolist()


def continued(folder: str) -> None:
    """Runs with a checkpoint and with a State read edges by share; what they leave is that of the
    whole graph."""
    path = Path(folder)
    whole, shared = Graph.read(path), Graph.read(path, comm=COMM)
    by_all, by_share = Engine(whole, comm=COMM), Engine(shared, comm=COMM)
    PATCH.setattr(SharedEdges, "whole", None)
    program = {"source": str(whole.labels[5]), "weight": "n"}
    expected = by_all.run(ShortestPaths(**program))
    for first, second in ((by_share, by_all), (by_all, by_share)):
        file = path.with_name("run.ckpt")
        options: dict[str, Any] = {"checkpoint": file, "every": 2, "resume": True}
        cut = first.run(
            ShortestPaths(**program), max_supersteps=2, not_converged="ignore", **options
        )
        assert cut.supersteps == 2
        found = second.run(ShortestPaths(**program), **options)
        assert found.supersteps == expected.supersteps
        np.testing.assert_array_equal(found.distance, expected.distance, strict=True)
        COMM.barrier()
        if COMM.rank == 0:
            file.unlink()
        COMM.barrier()
        part = first.run(
            ShortestPaths(**program), max_supersteps=2, not_converged="ignore", keep_state=True
        )
        found = second.run(ShortestPaths(**program), state=part.state)
        assert found.supersteps == expected.supersteps - 2
        np.testing.assert_array_equal(found.distance, expected.distance, strict=True)
    expected = by_all.run(Tolls(), collect=False)
    file = path.with_name("tolls.ckpt")
    options = {"checkpoint": file, "every": 2, "resume": True, "collect": False}
    by_share.run(Tolls(), max_supersteps=2, not_converged="ignore", **options)
    found = by_share.run(Tolls(), **options)
    assert found.supersteps == expected.supersteps
    np.testing.assert_array_equal(found.own_rows["x"], expected.own_rows["x"], strict=True)
    state = by_share.run(ShortestPaths(**program), keep_state=True).state
    again = Engine(Graph.read(path, comm=COMM), comm=COMM)
    state = again.run(ShortestPaths(**program), state=state, keep_state=True).state
    other = ShortestPaths(source=program["source"])
    with pytest.raises(GasclError, match="that State: the values of the edge field 'weight'"):
        by_share.run(other, state=state)
    options = {"checkpoint": path.with_name("other.ckpt"), "every": 2, "resume": True}
    by_share.run(ShortestPaths(**program), **options)
    COMM.barrier()
    with pytest.raises(GasclError, match="belongs to a run on a graph with other values of the"):
        by_share.run(other, **options)


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
