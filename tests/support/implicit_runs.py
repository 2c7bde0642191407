"""What each rank does in tests/distributed/test_ranks.py with graphs by a rule."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from support.patient_comm import PatientComm
from support.rank_calls import PATCH, Counting, call

from gascl import (
    DeviceError,
    Engine,
    GasclError,
    Graph,
    GraphError,
    ProgramError,
    VertexProgram,
    generators,
    param,
    struct,
    vertex,
)
from gascl.device_graph.buffers import IDS, ResidentGraph
from gascl.programs import BreadthFirst, ConnectedComponents, Louvain, PageRank

COMM = PatientComm()
#: What `shifted` adds to each id.
SHIFT = 5 * 2**31 + 3
MAKERS: list[Any] = [
    lambda **given: generators.grid(13, 29, **given),
    lambda **given: generators.grid(3, 5, 7, periodic=True, **given),
    lambda **given: generators.path(301, **given),
    lambda **given: generators.path(301, directed=True, **given),
    lambda **given: generators.path(301, directed=True, **given).reversed(),
    lambda **given: generators.path(3, **given),  # some ranks have no vertices
]


class Names(VertexProgram):
    """Computes with ids in all snippets that can read them."""

    supersteps = param.supersteps(2)
    near = param.vertex()
    Both = struct([("name", "vertex"), ("rest", "int32")])
    rest = vertex.int32(init="v.id % 1009")
    parity = vertex.uint8(init="v.id & 1")
    highest = vertex.vertex()
    both = vertex.struct(Both, init="(Both){v.id / 3, (v.id + p.near) % 7}")
    message, combine = "vertex", "max"
    scatter_on = apply_on = "all"
    scatter = "send(2 * e.src + e.dst + (v.id == p.near) + superstep);"
    apply = """
        v.highest = max(v.highest, msg);
        v.both.name = v.highest - v.id;
    """


def on_one_device(graph: Graph, program: VertexProgram, **options: Any) -> dict[str, np.ndarray]:
    """The fields of a run on one device, which each rank makes."""
    result = Engine(graph).run(program, callback=lambda step: None, **options)
    return {"supersteps": result.supersteps, **result.fields}


def check(found: Any, expected: dict[str, Any]) -> None:
    """Compare what the ranks have with a run on one device."""
    own = found.own_rows
    every = np.concatenate(COMM.allgather(np.asarray(own.vertices)))
    assert every.tolist() == list(range(len(every)))
    assert found.supersteps == expected["supersteps"]
    for name in own:
        of_own = expected[name][own.vertices]
        if own[name].dtype.kind == "f":
            np.testing.assert_allclose(own[name], of_own, rtol=1e-5)
        else:
            assert own[name].tolist() == of_own.tolist()


def programs() -> None:
    """Bundled programs and one of its own, by all deliveries, as on one device."""
    for make in MAKERS:
        graph, stored = make(stored=False), make()
        engine = Engine(graph, comm=COMM)
        for program, deliveries in (
            (PageRank(supersteps=5), ("auto", "pull", "outbox", "slots")),
            (BreadthFirst(source=2), ("auto", "pull", "push", "slots")),
            (Names(near=1), ("auto", "pull")),
        ):
            expected = on_one_device(stored, program)
            for delivery in deliveries:
                check(engine.run(program, delivery=delivery, collect=False), expected)


def parts() -> None:
    """The arcs come to the device in parts."""
    given, program = {"rows": 100, "columns": 300}, PageRank(supersteps=5)
    engine = Engine(generators.grid(**given, stored=False), comm=COMM)
    engine.run(program, collect=False)
    ((prepared,),) = (kept.values() for kept in engine._prepared.values())
    engine.device_memory = max(COMM.allgather(sum(prepared.sizes.values()))) * 4 // 5
    found = engine.run(program, collect=False)
    assert found.trace[0].why.startswith("the arcs come in")
    check(found, on_one_device(generators.grid(**given), program))


def shifted() -> None:
    """Ids that need more than 32 bits: those in the kernels are higher by SHIFT."""
    base, values = ResidentGraph.base.fget, ResidentGraph._values
    PATCH.setattr(ResidentGraph, "base", property(lambda self: base(self) + SHIFT))
    PATCH.setattr(
        ResidentGraph,
        "_values",
        lambda self, name: values(self, name) + SHIFT if name == IDS else values(self, name),
    )
    for make in MAKERS[:5]:
        stored = make()
        found = Engine(make(stored=False), comm=COMM).run(Names(near=1), collect=False).own_rows
        ids, (sources, targets) = np.arange(stored.num_vertices) + SHIFT, ends_of(stored)
        highest = np.full(len(ids), -1)
        for superstep in range(2):
            np.maximum.at(highest, targets, 2 * ids[sources] + ids[targets] + superstep)
        own = found.vertices
        assert found["highest"].tolist() == highest[own].tolist()
        assert found["rest"].tolist() == (ids[own] % 1009).tolist()
        assert found["parity"].tolist() == (ids[own] & 1).tolist()
        assert found["both"]["name"].tolist() == (highest - ids)[own].tolist()
        assert found["both"]["rest"].tolist() == ((ids[own] + 1) % 7).tolist()


def ends_of(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """The sources and the targets of all arcs."""
    src, dst = graph.edge_src, graph.edge_dst
    if graph.directed:
        return src, dst
    return np.concatenate([src, dst]), np.concatenate([dst, src])


def results(folder: str) -> None:
    """What a result says, and what it writes."""
    make, path = MAKERS[0], Path(folder, "parts")
    graph, program = make(stored=False), BreadthFirst(source=40)
    engine = Engine(graph, comm=COMM)
    found = engine.run(program, collect=False)
    assert found.own_rows["parent"].dtype == np.int64
    found.to_parquet(path)
    expected = Engine(make()).run(program).to_pandas()
    table = pandas.read_parquet(path).set_index("vertex").sort_index()
    assert table["depth"].tolist() == expected["depth"].tolist()
    assert table["parent"].fillna(-1).tolist() == expected["parent"].fillna(-1).tolist()
    with pytest.raises(GasclError, match=r"of its own vertices alone, as result\.own_rows\["):
        found.top()
    told = str(engine.explain(program, collect=False))
    assert "its own range and those that send to it" in told


class Narrow(Names):
    scatter = "const int x = v.id; send(x);"


class Cast(Names):
    scatter = "send((int)v.id);"


class Short(Names):
    apply = "v.rest = msg;"


class ByEdge(Names):
    scatter = "send(e.id);"


class Hub(Names):
    scatter = "send(g.hub);"


def refused() -> None:
    """What cannot run on such graphs, with the reason."""
    graph, alone = generators.grid(70_000, 60_000, stored=False), {"collect": False}
    directed = generators.path(99, directed=True, stored=False)
    engine = Engine(graph, comm=COMM)
    page, saved = PageRank(supersteps=1), "x.ckpt"
    for match, program, options in (
        ("collect=False, and read", page, {}),
        ("keep_state.* needs all vertices in each rank", page, {**alone, "keep_state": True}),
        ("start.* needs all vertices in each rank", page, {**alone, "start": "mask"}),
        ("checkpoint.* needs all vertices", page, {**alone, "checkpoint": saved}),
        ("'rank' is given, but no rank has values of all", PageRank(rank=1.0), alone),
        ("Louvain cannot run .*: it runs other programs", Louvain(), alone),
        ("ConnectedComponents cannot run", ConnectedComponents(), alone),
        ("integers that may overflow", Counting(), alone),
        ("it reads the ids or directions of edges", ByEdge(near=0), alone),
        ("it reads g.hub", Hub(near=0), alone),
        (r"'\(int\)' may cut off bits of an id", Cast(near=0), alone),
    ):
        with pytest.raises((GasclError, ProgramError), match=match):
            engine.run(program, **options)
    assert not Path(saved).exists()
    with pytest.raises(GasclError, match="debug mode reads all vertices"):
        Engine(graph, comm=COMM, debug=True).run(page, **alone)
    huge = Engine(generators.grid(10**6, 10**6, stored=False), comm=COMM)
    with pytest.raises(GasclError, match=r"would have .* 1,000,000,000,000 .*: start 932 ranks"):
        huge.run(page, **alone)
    for program in (Narrow(near=0), Short(near=0)):
        with pytest.raises(ProgramError, match="loses integer precision"):
            Engine(directed, comm=COMM).run(program, **alone)

    engine = Engine(directed, comm=COMM)
    engine.ranks.host_memory = 1000
    with pytest.raises(DeviceError, match=r"for 5. vertices .* may take 1,000 bytes"):
        engine.run(page, **alone)

    with pytest.raises(GraphError, match="partition='hash': the edges of the graph are not stored"):
        Engine(graph, comm=COMM, partition="hash")
    fields = {"personalization": np.ones(99)}
    given = Engine(directed.with_vertex_fields(**fields), comm=COMM)
    with pytest.raises(ProgramError, match="'personalization' is given"):
        given.run(page, **alone)

    class Both(Names):
        edges = "both"

    with pytest.raises(ProgramError, match="its edges are both ways, and the rule has one"):
        Engine(directed, comm=COMM).run(Both(near=0), **alone)
    with pytest.raises(GasclError, match="there is no vertex 99; the graph's vertices are 0 to 98"):
        Engine(directed, comm=COMM).run(BreadthFirst(source=[5, 99]), **alone)


if __name__ == "__main__":
    call(globals(), sys.argv[1:])
    print(f"done {COMM.rank}", flush=True)
