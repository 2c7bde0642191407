"""What each rank of a run in tests/distributed/test_ranks.py does."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import tempfile
import warnings
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas
import pytest
from mpi4py import MPI
from support.agreement import find_device
from support.declared import BODIES, GRAPHS, check_result, check_values, graph_of, program_class
from support.parts import Resuming, agree_on_parts, from_first
from support.patient_comm import PatientComm
from support.program_text import listing
from support.random_cases import Case, any_case, case_of, drawn, may_be_infinite
from support.random_graphs import SPECIAL
from support.rank_calls import PATCH, Counting, call
from support.special_programs import SPECIAL_PROGRAMS

from gascl import (
    Engine,
    GasclError,
    Graph,
    Interrupted,
    VertexProgram,
    aggregate,
    arc,
    generators,
    param,
    vertex,
)
from gascl.codegen.constants import CPU_PIECE
from gascl.delivery import run_layout
from gascl.delivery.launch import Launch
from gascl.distributed import exchange, frontier_exchange, ranks
from gascl.graph import reordering
from gascl.graph.partition import Division, shares
from gascl.opencl.interrupts import Interrupts
from gascl.programs import (
    BreadthFirst,
    ConnectedComponents,
    CoreNumber,
    GreedyColoring,
    Hits,
    LabelPropagation,
    LocalClustering,
    Louvain,
    MaximalIndependentSet,
    PageRank,
    ParticleCommunities,
    ShortestPaths,
    StronglyConnected,
    Triangles,
    TrussNumber,
    WeightedClustering,
    WeightedPageRank,
)
from gascl.results import table as result_table
from gascl.results.trace import Step
from gascl.run import supersteps
from gascl.run.launcher import Launcher
from gascl.run.prepare import HALO

COMM = PatientComm()


def on_one_device(
    graph: Graph, program: VertexProgram, device: Any = None, **options: Any
) -> SimpleNamespace:
    """The result of a run on one device, as `supersteps`, `counts` of the trace, and a dict of
    `fields` and one of `arc_fields`. The first rank runs it, and builds what it needs, for all.
    """

    def run() -> SimpleNamespace:
        result = Engine(graph, device).run(program, **options)
        return SimpleNamespace(
            supersteps=result.supersteps,
            counts=counts(result),
            fields=dict(result.fields),
            arc_fields=dict(result.arc_fields),
        )

    return from_first(COMM, run)


def counts(result: Any) -> list[tuple[int, int]]:
    """The vertices that were active in each superstep, and the messages."""
    return [(step.active, step.messages) for step in result.trace]


def on_several_hosts() -> None:
    """Let ranks not share memory, as ranks of different hosts."""
    PATCH.setattr(ranks, "shared_memory", lambda comm, size: None)


def renumbered() -> None:
    """Let vertices have other numbers on the device, in a random order, where programs allow it."""

    def order(degree: np.ndarray) -> np.ndarray:
        return np.random.default_rng(len(degree)).permutation(len(degree)).astype(np.int32)

    PATCH.setattr(reordering, "LEAST", 1)
    PATCH.setattr(reordering, "SHARE", 0)
    PATCH.setattr(reordering, "hubs_first", order)


def pieces() -> None:
    """Let ranks tell of some vertices while others are computed, as GPUs do with many."""
    PATCH.setattr(exchange.Exchange, "_number_of_pieces", lambda self: 5)
    web = generators.rmat(9, seed=4)
    agree(web, PageRank())
    result = Engine(web, comm=COMM).run(PageRank())
    names = [kernel.name for kernel in result.trace[2].kernels]
    assert names.count("gascl_outbox_gather") == 5


def random(*numbers: str) -> None:
    """Random programs against the oracle, the same of each recipe in every run."""
    ran = 0
    for number in map(int, numbers):
        group = (1, 8)[number % 2]
        ran += agree_with_oracle(from_first(COMM, partial(drawn, number, group)), group)
    print(f"deliveries: {ran}", flush=True)


def agree_with_oracle(case: Case, group: int, **options: Any) -> int:
    """The number of deliveries by which ranks have run a case."""
    known: dict[str, Any] = {"dtype": case.dtype, "given": case.given, "comm": COMM}
    known |= options | dict(case.params)
    return len(agree_on_parts(find_device(group), case.program, case.plain, case.most, **known))


def seeds(first: str, count: str) -> None:
    """Random programs of these seeds, each with the next of the ways in which ranks run, on one
    host and on several by turns."""
    fewer = COMM.Split(COMM.rank == COMM.size - 1)
    with tempfile.TemporaryDirectory() as made:
        resuming = Resuming(Path(COMM.bcast(made)), fewer)
        for seed in range(int(first), int(first) + int(count)):
            case = from_first(COMM, lambda seed=seed: case_of(any_case(), seed))
            if COMM.rank == 0:
                print(f"seed {seed}", listing(case.program), flush=True)
            if seed % 4 < 2:
                on_several_hosts()
            options: dict[str, Any] = [
                {},
                {"debug": not may_be_infinite(case.program)},
                {"resuming": resuming},
                {"collect": False},
                {"partition": "hash"},
            ][seed // 4 % 5]
            if seed // 20 % 2:
                renumbered()
            agree_with_oracle(case, (1, 8)[seed % 2], **options)
            PATCH.undo()


def declared(*names: str) -> None:
    """Whatever programs declare is in their results, even where no superstep runs.

    Args:
        names: of graphs; none: all.
    """
    for name in names or GRAPHS:
        graph = graph_of(name)
        engine = Engine(graph, comm=COMM)
        for arcs, delivery in ((False, "auto"), (True, "slots")):
            program = program_class(BODIES["nobody scatters"], arcs)(start=0)
            check_result(program, graph, result := engine.run(program, delivery=delivery))
            check_values(result)
        program = PageRank()
        check_result(program, graph, engine.run(program))


def special(*names: str) -> None:
    """Programs that use what random ones rarely do."""
    for name in names:
        device = find_device((1, 8)[len(name) % 2])
        agree_on_parts(device, SPECIAL_PROGRAMS[name], SPECIAL.values(), 8, comm=COMM)


def programs() -> None:
    """Bundled programs against runs on one device."""
    web = generators.rmat(9, seed=4)
    weight = np.random.default_rng(1).integers(1, 9, web.num_edges)
    for graph in (web, Graph.from_edges(web.edge_src, web.edge_dst, weight=weight, directed=False)):
        for program in (
            PageRank(),
            BreadthFirst(source=0),
            ShortestPaths(source=0),
            Hits(),
        ):
            # A rank streams its own arcs if they do not fit, either.
            for memory in (None, 10 * 2**20):
                agree(graph, program, memory)
    agree(web, ParticleCommunities(supersteps=5))


def neighbors() -> None:
    """Bundled programs that read neighbors, or go by their frontier in several stages."""
    web = generators.rmat(8, seed=4)
    weight = np.random.default_rng(1).integers(1, 9, web.num_edges)
    plain = Graph.from_edges(
        *(web.edge_src, web.edge_dst),
        weight=weight,
        directed=False,
        duplicates="first",
        self_loops="drop",
    )
    for program in (
        ConnectedComponents(),
        CoreNumber(),
        GreedyColoring(),
        LabelPropagation(),
        LocalClustering(),
        Louvain(),
        MaximalIndependentSet(),
        Triangles(),
        TrussNumber(),
    ):
        agree(plain, program)
    alone = on_one_device(plain, WeightedClustering())  # by another program than on ranks
    found = Engine(plain, comm=COMM).run(WeightedClustering())
    expected = alone.fields["coefficient"]
    np.testing.assert_allclose(found.coefficient, expected, rtol=1e-5, atol=1e-7)
    agree(web, StronglyConnected())


class Meets(VertexProgram):
    """Every pair adds to sums of floats, which round; the arcs go to the first vertices."""

    supersteps = param.supersteps(3)
    x = vertex.real(init="1.0f / (v.id + 1)")
    heard = vertex.int32()
    message, combine = "real", "sum"
    mask = "v.id % 3 != 1"
    apply_on = "all"
    scatter = "send(v.x / 7);"
    pairs = "if (u.x != v.x) send(exp(u.x - v.x) / 3);"
    apply = """
        v.heard += v.x < 1;
        v.x = msg / g.num_vertices;
        if (v.id % 5 != 1)
            set_mask();
    """


class Nearby(Meets):
    """The same of what is near, by places that change, where groups send as one."""

    place = vertex.real2(init="(real2)(v.id % 17, v.id % 23)")
    pairs_at, pairs_within = "place", "11 - superstep"
    pairs_merge = "radius < 0.3f * distance"
    apply = "v.place.x += 5 * v.x;" + Meets.apply


def pairs(few: str = "") -> None:
    """Each rank has the pairs of its own vertices, of which all have about as many.

    Args:
        few: not "": one program runs on one graph.
    """
    rows = []

    def launch(launcher: Launcher, launch: Launch, *given: Any, **numbers: Any) -> Any:
        if launch.kernel == "gascl_pairs":
            rows.append(numbers["last_row"] - numbers["first_row"])
        return launched(launcher, launch, *given, **numbers)

    launched = Launcher.launch
    PATCH.setattr(Launcher, "launch", launch)
    cases = (301, 1, 1, 1, "outbox"), (301, 8, 3, 2, "slots"), (1, 1, 1, 1, "outbox")
    for vertices, group, ranges, lanes, delivery in cases[: 1 if few else None]:
        PATCH.setattr(run_layout, "splits", lambda *_, ranges=ranges: ranges)
        cls = type("Meets", (Meets,), {"lanes": lanes})  # what it needs is worked out once
        ids = np.arange(4 * vertices)
        graph = Graph.from_edges(ids % vertices, ids % min(vertices, 9), num_vertices=vertices)
        device = find_device(group)
        engine = Engine(graph, device, comm=COMM)
        alone = on_one_device(graph, cls(), device, delivery=delivery)
        rows.clear()
        found = engine.run(cls(), delivery=delivery)
        assert found.x.tobytes() == alone.fields["x"].tobytes()
        assert counts(found) == alone.counts
        assert len(set(rows)) < 2 and len(rows) in (0, 3)
        its = [sum(each) // 3 for each in COMM.allgather(rows)]
        assert sum(its) == vertices
        if lanes == 1 and not few:
            alone = on_one_device(graph, Nearby(), device, delivery=delivery)
            found = engine.run(Nearby(), delivery=delivery)
            assert found.x.tobytes() == alone.fields["x"].tobytes()
            assert counts(found) == alone.counts
        assert max(its) <= 1.1 * min(its) + 1


def agree(
    graph: Graph, program: VertexProgram, memory: int | None = None, delivery: str = "auto"
) -> None:
    """Ranks find what one device does."""
    alone = on_one_device(graph, program, callback=lambda step: None)  # in supersteps, as ranks
    found = Engine(graph, comm=COMM, device_memory=memory).run(program, delivery=delivery)
    assert found.supersteps == alone.supersteps
    assert counts(found) == alone.counts
    for name in alone.fields:
        np.testing.assert_allclose(found[name], alone.fields[name], rtol=1e-5, atol=1e-7)
    for name in alone.arc_fields:
        np.testing.assert_allclose(found.arc_fields[name], alone.arc_fields[name], rtol=1e-5)


class Tolls(Counting):
    """Keeps state on arcs, which decides which vertices scatter next."""

    paid = arc.int64(init="e.id % 3")
    mask, scatter_on = "v.id % 2", "mask"
    scatter = "e.paid += 1 + v.x % 5; send(e.paid % 100); if (e.paid % 2) set_mask();"
    apply = "v.x += msg % 5 + v.id % 2; if (msg % 7 == 3) unset_mask();"


class Circling(Counting):
    """Goes by a frontier that never empties."""

    mask, scatter_on, apply_on = "v.id < 9", "mask", "message"
    apply = "v.x += msg % 5 + v.id % 2; if (v.x % 3) set_mask();"


def checkpoints(folder: str) -> None:
    """A run that goes on from what the first rank has saved ends as one that was never stopped,
    and so it does on one device."""
    graph = generators.rmat(7, seed=1)
    engine = Engine(graph, comm=COMM)
    options: dict[str, Any] = {"max_supersteps": 40, "not_converged": "ignore"}
    for program, delivery in ((Counting(), "outbox"), (Tolls(), "slots"), (Circling(), "push")):
        path = Path(folder, f"{type(program).__name__}.ckpt")
        options["delivery"] = delivery
        whole = on_one_device(graph, program, **options)
        assert whole.supersteps == 40
        engine.run(program, **{**options, "max_supersteps": 24}, checkpoint=path, every=10)
        assert path.exists()
        COMM.Barrier()
        alone = path.with_suffix(f".{COMM.rank}")
        alone.write_bytes(path.read_bytes())
        COMM.Barrier()
        for runs, file in ((engine, path), (Engine(graph), alone)):
            found = runs.run(program, **options, checkpoint=file, every=10, resume=True)
            assert found.x.tolist() == whole.fields["x"].tolist()
            assert found.supersteps == 40
            for name in whole.arc_fields:
                assert found.arc_fields[name].tolist() == whole.arc_fields[name].tolist()


class Undefined(VertexProgram):
    """A third of the vertices have NaN at the end."""

    supersteps = param.supersteps(2)
    x = vertex.real(init="v.id")
    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(1);"
    apply = "v.x = v.id % 3 == 2 ? sqrt(v.x - 2 * g.num_vertices) : v.id;"


def own_rows(folder: str, *stages: str) -> None:
    """Each rank has the values of its own vertices, and all write them; also of a program of
    several stages."""
    web, path = generators.rmat(9, 4, seed=3), Path(folder, "parts")
    PATCH.setattr(reordering, "LEAST", 1)
    engine = Engine(web, comm=COMM)
    saved = Path(folder, "own.ckpt")
    cases: list[tuple[VertexProgram, dict[str, Any]]] = [
        (PageRank(supersteps=3), {}),  # hubs first
        (BreadthFirst(source=5), {"checkpoint": saved, "every": 1}),
        *[(StronglyConnected(), {})] * len(stages),
    ]
    for program, options in cases:
        alone = on_one_device(web, program)
        found = engine.run(program, collect=False, **options)
        own, every = found.own_rows, COMM.allgather(found.own_rows.vertices)
        assert np.sort(np.concatenate(every)).tolist() == list(range(web.num_vertices))
        for name in own:
            expected = alone.fields[name][own.vertices]
            np.testing.assert_allclose(own[name], expected, rtol=1e-5)
        found.to_parquet(path, fields=[*own])
        files = sorted(each.name for each in path.iterdir())
        assert files == [f"part-{rank:05}.parquet" for rank in range(COMM.size)]
        table = pandas.read_parquet(path).set_index("vertex").sort_index()
        for name in own:
            values = table[name].fillna(-1).to_numpy()
            np.testing.assert_allclose(values, alone.fields[name], rtol=1e-5)
        frame = found.to_pandas(fields=[*own])
        partly = type(program) is not StronglyConnected and not engine.ranks.on_one_host
        assert len(frame) == (len(own.vertices) if partly else web.num_vertices)
        if partly:
            with pytest.raises(
                GasclError, match=r"of its own vertices alone, as result\.own_rows\["
            ):
                found.top()
        COMM.Barrier()
    found = engine.run(PageRank(supersteps=3))  # all have all, and write a share
    found.to_parquet(path)
    table = pandas.read_parquet(path).set_index("vertex").sort_index()
    assert table["rank"].to_numpy().tobytes() == found["rank"].tobytes()
    with pytest.warns(
        RuntimeWarning, match=rf"NaN at {web.num_vertices // 3} vertices, first at 2"
    ):
        found = engine.run(Undefined(), collect=False)
    assert np.isnan(found.own_rows["x"]).tolist() == (found.own_rows.vertices % 3 == 2).tolist()


class Exact(VertexProgram):
    """Adds up floats that do not round, and reads ids and an aggregator."""

    supersteps = param.supersteps(6)
    total = aggregate.int64("sum")
    x = vertex.real(init="v.id % 50")
    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.x);"
    apply = """
        v.x = (long)(msg + v.x + v.id + prev.total % 7) % 50;
        aggregate_total((long)v.x);
    """


def partitions(few: str = "") -> None:
    """Vertices are where a hash or a field puts them, and results are in their order.

    Args:
        few: not "": one program runs along directed edges.
    """
    web = generators.rmat(10, 4, seed=3)
    part = np.arange(web.num_vertices) // 3 % 11
    weight = np.random.default_rng(1).random(web.num_edges)
    programs = Exact(), PageRank(supersteps=5), WeightedPageRank(), Hits()
    for directed in (True,) if few else (True, False):
        ends = web.edge_src, web.edge_dst
        fields = {"num_vertices": web.num_vertices, "vertex_fields": {"part": part}}
        graph = Graph.from_edges(*ends, weight=weight, directed=directed, **fields)
        for by in ("hash", "part"):
            for memory in (None,) if few else (None, 10 * 2**20):
                engine = Engine(graph, comm=COMM, device_memory=memory, partition=by)
                for program in programs[: 1 if few else None]:
                    alone = on_one_device(graph, program)
                    found = engine.run(program)
                    assert found.numbering.startswith("by rank")
                    assert found.supersteps == alone.supersteps
                    for name, values in alone.fields.items():
                        np.testing.assert_allclose(found[name], values, rtol=1e-4, atol=1e-7)
                    if type(program) is Exact:
                        assert found.x.tobytes() == alone.fields["x"].tobytes()
                        assert counts(found) == alone.counts
            told = "a hash of their numbers" if by == "hash" else "the vertex field 'part'"
            explained = str(engine.explain(Exact()))
            assert f"ranks have vertices by {told}" in explained
            if not engine.ranks.on_one_host:
                (halo,) = {each.size for each in engine.ranks.halos.values()}
                every = COMM.allgather(halo)
                rest = f"{halo:,} ({min(every):,} to {max(every):,} for each rank)"
                assert f"sends to its own, of which there are {rest}" in explained
            own = engine.run(Exact(), collect=False).own_rows
            if by == "part" and not engine.ranks.on_one_host:
                assert (
                    own.vertices.tolist() == np.flatnonzero(part % COMM.size == COMM.rank).tolist()
                )
            expected = on_one_device(graph, Exact()).fields["x"][own.vertices]
            assert own["x"].tobytes() == expected.tobytes()
    if few:
        return
    with pytest.warns(UserWarning, match="partition='part' has no effect: the program does not"):
        found = engine.run(BreadthFirst(source=5))
    alone = on_one_device(graph, BreadthFirst(source=5))
    assert found.depth.tolist() == alone.fields["depth"].tolist()
    one = Graph.from_edges([0], [0], vertex_fields={"part": [COMM.size - 1]})
    found = Engine(one, comm=COMM, partition="part").run(Exact())
    assert found.x.tolist() == on_one_device(one, Exact()).fields["x"].tolist()


def halo_memory() -> None:
    """The estimate of what the halo takes on the device: the two ranks need as much of each other
    as each says of itself."""

    class Looking(Counting):
        mask = "v.id < 9"
        apply = Counting.apply + "if (get_mask()) v.x += 1;"

    graph = generators.rmat(9, seed=1)
    for program, is_local in ((PageRank(), True), (Looking(), False)):
        engine = Engine(graph, comm=COMM)
        engine.run(program, max_supersteps=5, delivery="outbox", not_converged="ignore")
        (kept,) = engine._prepared.values()
        (prepared,), (halo,) = kept.values(), engine.ranks.halos.values()
        assert prepared.local.chosen == is_local
        assert prepared.sizes[HALO] == halo.size * (4 + (4 if is_local else 8))
        assert COMM.allgather(halo.rows_sent) == COMM.allgather(halo.size)[::-1]


class Rarely(VertexProgram):
    """Few vertices send another number than before."""

    x, y = vertex.int32(), vertex.int32()
    supersteps = param.supersteps(60)
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.x % 1000 + 1);"
    apply = "v.y += msg; if ((v.id + superstep) % 50 == 0) v.x += msg;"


def nested() -> None:
    """A callback runs the engine once more, which uses the same memory of the host."""
    web = generators.rmat(10, 4, seed=3)
    engine, alone = Engine(web, comm=COMM), on_one_device(web, Rarely())
    for inner in (5, 8, 14):

        def run(step: Step, inner: int = inner) -> None:
            if step.superstep == 5:
                engine.run(Rarely(supersteps=inner))

        found = engine.run(Rarely(), callback=run)
        assert found.y.tolist() == alone.fields["y"].tolist()


def own_rows_refused(folder: str) -> None:
    """What one rank cannot write, none does."""
    found = Engine(generators.path(50), comm=COMM).run(PageRank(), collect=False)
    path = Path(folder, "refused")
    if COMM.rank == 1:
        PATCH.setattr(result_table.ResultTable, "save", lambda *_: 1 / 0)
    with pytest.raises((ZeroDivisionError, GasclError), match=r"division by zero"):
        found.to_parquet(path)
    assert not path.exists()
    with pytest.raises(GasclError, match=r"ranks write a file each, .* such as 'refused'"):
        found.to_parquet(path.with_suffix(".parquet"))
    with pytest.raises(GasclError, match=r"the result of rank \d of \d, without the others"):
        pickle.loads(pickle.dumps(found)).to_parquet(path)


#: Runs of 40 supersteps, or to the end, that are killed: with a mask of bytes and as lists.
KILLED = ((Counting(), "outbox"), (Circling(), "push"), (Circling(), "pull"))


def killed(number: str, folder: str) -> None:
    """The last rank dies after a checkpoint."""
    program, delivery = KILLED[int(number)]

    def die(step: Step) -> None:
        if step.superstep == 24 and COMM.rank == COMM.size - 1:
            os.kill(os.getpid(), signal.SIGKILL)

    options: dict[str, Any] = {"max_supersteps": 40, "delivery": delivery, "callback": die}
    path = Path(folder, f"{number}.ckpt")
    Engine(generators.rmat(7, seed=1), comm=COMM).run(program, checkpoint=path, every=5, **options)


def resumed(numbers: str, folder: str) -> None:
    """Any number of ranks ends these runs as one device that was never stopped."""
    graph = generators.rmat(7, seed=1)
    for number in map(int, numbers):
        program, delivery = KILLED[number]
        options: dict[str, Any] = {"delivery": delivery, "not_converged": "ignore"}
        options["max_supersteps"] = 40
        whole, path = on_one_device(graph, program, **options), Path(folder, f"{number}.ckpt")
        resumes: dict[str, Any] = {"checkpoint": path, "every": 50, "resume": True}
        found = Engine(graph, comm=COMM).run(program, **options, **resumes)
        assert found.x.tolist() == whole.fields["x"].tolist()
        assert counts(found) == whole.counts


def frontiers() -> None:
    """A frontier of more pieces than are read at first, with vertices of several pieces; it is
    pushed, or pulled where it is large."""
    web = generators.rmat(9, seed=4)
    spokes = np.arange(1, 3 * CPU_PIECE + 9)
    star = Graph.from_edges([0] * len(spokes), spokes, directed=False)
    for first in (1, 7):
        PATCH.setattr(frontier_exchange, "FIRST", first)
        for graph, source in ((web, 0), (star, 5)):
            for delivery in ("push", "frontier"):
                agree(graph, BreadthFirst(source=source), delivery=delivery)
    found = Engine(web, comm=COMM).run(BreadthFirst(source=0), delivery="frontier")
    assert {step.delivery for step in found.trace} == {"push", "pull"}


def callbacks() -> None:
    """Runs in the callback of a run, with the same engine, leave its messages as they are."""
    graph, program = generators.rmat(8, seed=3), PageRank()
    options = {"max_supersteps": 6, "not_converged": "ignore"}
    alone, engine = on_one_device(graph, program, **options), Engine(graph, comm=COMM)

    def run(step: Step) -> None:
        for damping in (0.25, 0.5):
            engine.run(PageRank(supersteps=1 + step.superstep, damping=damping))

    found = engine.run(program, callback=run, **options)
    np.testing.assert_allclose(found.rank, alone.fields["rank"], rtol=1e-5)


def batches(few: str = "") -> None:
    """Hosts read the records of many supersteps at once, of as many in all ranks, whatever a clock
    says in one of them; and the result is as if they read each.

    Args:
        few: not "": one program runs, by one delivery.
    """
    graph, reads = generators.rmat(7, seed=1), []

    def records(launcher: Launcher, count: int) -> np.ndarray:
        reads.append(count)
        return recorded(launcher, count)

    def run(program: VertexProgram, most: int = 100, **options: Any) -> Any:
        reads.clear()
        options = {"max_supersteps": most, "not_converged": "ignore", **options}
        return Engine(graph, comm=COMM).run(program, **options)

    class Asked(Counting):
        def converged(self, step: Step) -> bool:
            return step.superstep == 70

    recorded = Launcher.records
    PATCH.setattr(Launcher, "records", records)
    alone = on_one_device(graph, Counting(), max_supersteps=100, not_converged="ignore")
    own = np.iinfo(np.int32).max if COMM.rank else -1
    for ahead, expected in ((1e9, [1, 64, 35]), (own, [1] * 100)):
        PATCH.setattr(supersteps, "_AHEAD", ahead)
        seen: list[int] = []
        found = run(Counting(), callback=lambda step: seen.append(step.superstep))  # noqa: B023
        assert reads == expected, reads
        assert found.x.tobytes() == alone.fields["x"].tobytes()
        assert seen == list(range(100))
    if few:
        return
    PATCH.setattr(supersteps, "_AHEAD", 1e9)
    run(Counting(), most=64, delivery="slots")
    assert reads == [1, 63]
    assert run(PageRank(supersteps=70)).supersteps == 70
    assert reads == [64, 6]
    assert run(Asked()).supersteps == 71
    assert reads == [1] * 71
    # A rule that holds is known with the next superstep, which does nothing.
    for program in (PageRank(), BreadthFirst(source=0)):
        agree(graph, program)
        done = run(program).supersteps
        assert reads == [1, done]


def presses() -> None:
    """Ctrl-C in one rank ends all with the superstep that they tell each other next."""
    told = []

    def tell(its: exchange.Exchange, interrupts: Interrupts, superstep: int) -> exchange.Totals:
        told.append(len(told))
        if COMM.rank == 1 and len(told) == 10:
            signal.raise_signal(signal.SIGINT)
        return tells(its, interrupts, superstep)

    tells = exchange.Exchange.end_superstep
    PATCH.setattr(exchange.Exchange, "end_superstep", tell)
    PATCH.setattr(supersteps, "_AHEAD", 1e9)
    graph = generators.rmat(7, seed=1)
    options: dict[str, Any] = {"not_converged": "ignore", "delivery": "slots"}
    alone = on_one_device(graph, Tolls(), max_supersteps=10, **options)
    with pytest.raises(Interrupted) as caught:
        Engine(graph, comm=COMM).run(Tolls(), max_supersteps=100, **options)
    assert len(told) == 10
    found = caught.value.result
    assert found.supersteps == 10 and found.stopped == "interrupted by Ctrl-C"
    assert found.x.tolist() == alone.fields["x"].tolist()
    assert found.arc_fields["paid"].tolist() == alone.arc_fields["paid"].tolist()


def states() -> None:
    """A State with values of arcs is continued by as many ranks, and by no other number."""
    graph, program = generators.rmat(7, seed=1), Tolls()
    options: dict[str, Any] = {"not_converged": "ignore", "delivery": "slots"}
    engine, alone = Engine(graph, comm=COMM), Engine(graph)
    whole = on_one_device(graph, program, max_supersteps=20, **options)
    half = engine.run(program, max_supersteps=9, keep_state=True, **options)
    assert half.arc_fields["paid"].sum() < whole.arc_fields["paid"].sum()
    found = engine.run(program, max_supersteps=11, state=half.state, keep_state=True, **options)
    assert found.x.tolist() == whole.fields["x"].tolist()
    assert found.arc_fields["paid"].tolist() == whole.arc_fields["paid"].tolist()
    with pytest.raises(GasclError, match=f"had ranks: {COMM.size}; run Tolls with as many"):
        alone.run(program, max_supersteps=1, state=found.state, **options)


class Counted(MPI.Intracomm):
    """The communicator, and how many bytes come with the content of buffers."""

    def __new__(cls) -> Any:
        return super().__new__(cls, COMM)

    def __init__(self) -> None:
        self.received = 0

    def Allgatherv(self, sent: Any, into: Any) -> None:
        self.received += sum(into[1][0])
        super().Allgatherv(sent, into)

    def Alltoallv(self, sent: Any, into: Any) -> None:
        self.received += sum(into[1][0])
        super().Alltoallv(sent, into)

    def Allreduce(self, sent: Any, into: Any, operation: Any) -> None:
        self.received += into.nbytes
        super().Allreduce(sent, into, operation)


class Flicker(VertexProgram):
    """In each superstep, one of `every` vertices changes the sign of its 0."""

    every = param.int32()
    supersteps = param.supersteps(9)
    x = vertex.real()
    seen = vertex.int64()
    message, combine = "int32", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(1);"
    apply = """
        v.seen = 2 * v.seen + signbit(x_of((v.id * 7 + 1) % g.num_vertices));
        if (v.id % p.every == superstep % p.every)
            v.x = -v.x;
    """


class Hopping(VertexProgram):
    """Who gets a message puts another vertex into the mask."""

    supersteps = param.supersteps(9)
    visits = vertex.int32()
    message, combine = "int32", "sum"
    mask = "v.id % 1000 == 0"
    scatter = "send(1);"
    apply = "v.visits += msg; set_mask_of((v.id * 7 + 1) % g.num_vertices);"


def lists() -> None:
    """Where few rows change, few bytes travel, and the result is that of one device."""
    on_several_hosts()
    vertices = 6000
    ring = Graph.from_edges(np.arange(vertices), (np.arange(vertices) + 1) % vertices)
    # Bytes of a vertex in each superstep and at the end; what part of whole ranges is received.
    for program, each, rest, least, most in (
        (Flicker(every=101), 4, 8, 0.1, 0.2),  # of which whole ranges in the first superstep
        (Flicker(every=5), 4, 8, 0.4, 0.5),
        (Flicker(every=1), 4, 8, 1, 1),
        (Hopping(), 1, 4, 0.001, 0.1),
    ):
        comm = Counted()
        alone = on_one_device(ring, program)
        found = Engine(ring, comm=comm).run(program)
        for name in alone.fields:
            assert found[name].tobytes() == alone.fields[name].tobytes()
        others = vertices - vertices // COMM.size
        share = (comm.received - rest * others) / (9 * each * others)
        assert least <= share <= most, (program, share)


class Adding(VertexProgram):
    """Every vertex changes in every superstep, and scatters."""

    supersteps = param.supersteps(5)
    x = vertex.int32(init="v.id")
    message, combine = "int32", "max"
    scatter_on = apply_on = "all"
    scatter = "send(v.x % 1000);"
    apply = "v.x += msg + 1;"


class Reaching(VertexProgram):
    """Vertices that get a message for the first time scatter next."""

    depth = vertex.int32(init="v.id == 0 ? 0 : -1")
    message, combine = "int32", "min"
    mask = "v.id == 0"
    receive_if = "v.depth < 0"
    scatter = "send(v.depth + 1);"
    apply = "v.depth = msg; set_mask();"


def halos(few: str = "") -> None:
    """A rank receives what changes of the senders of its arcs, and once what it has not had.

    Args:
        few: not "": one program runs, by one delivery.
    """
    on_several_hosts()
    vertices = 3000
    ids = np.arange(vertices)
    ring = Graph.from_edges(ids, (ids + 1) % vertices)
    rng = np.random.default_rng(3)
    loose = Graph.from_edges(*rng.integers(0, vertices, (2, 2 * vertices)), num_vertices=vertices)
    none = Graph.from_edges([], [], num_vertices=vertices)
    star = Graph.from_edges(np.zeros(vertices, int), ids)
    for graph in (ring, loose, none, star):
        part = shares(graph.arcs("out").in_offsets, Division(COMM.rank, COMM.size))[COMM.rank]
        own = range(part.first, part.last)
        of_own = (graph.edge_dst >= part.first) & (graph.edge_dst < part.last)
        halo = set(graph.edge_src[of_own].tolist()) - set(own)
        asked = sum(len(its.intersection(own)) for its in COMM.allgather(halo))
        for delivery in ("outbox",) if few else ("outbox", "slots"):
            program, comm = Adding(), Counted()
            alone = on_one_device(graph, program, delivery=delivery)
            found = Engine(graph, comm=comm).run(program, delivery=delivery)
            assert found.x.tolist() == alone.fields["x"].tolist()
            assert comm.received == 4 * (asked + 5 * len(halo) + vertices)
    for delivery in () if few else ("push", "pull", "outbox", "slots"):
        agree(loose, Reaching(), delivery=delivery)
        agree(star, Reaching(), delivery=delivery)
        agree(none, Reaching(), delivery=delivery)


class Naming(VertexProgram):
    """Reads ids and degrees everywhere, and adds up at the start."""

    supersteps = param.supersteps(4)
    total = aggregate.int64("sum")
    x = vertex.int64(init="3 * v.id + 2 * v.out_degree - v.in_degree")
    message, combine = "int64", "sum"
    scatter_on = apply_on = "all"
    init = "aggregate_total(v.x % 11);"
    scatter = "send(7 * e.src + e.dst % 5 + (e.src == e.dst) + v.x % 13 + v.id);"
    apply = """
        v.x = (v.x + msg + 5 * v.id + (prev.total % 3) + g.num_vertices) % 1000003;
        aggregate_total(v.x % 7);
    """


class Large(Naming):
    """Messages to the hub overflow in the second superstep."""

    message = "int32"
    scatter = "send(superstep == 1 ? 1 << 23 : 0);"


class Twice(VertexProgram):
    """Vertices send twice, from the second superstep on."""

    supersteps = param.supersteps(3)
    most = vertex.int32()
    message = "int32"
    scatter_on = apply_on = "all"
    scatter = "send(1); if (superstep && v.id % 10 == 7) send(2);"
    gather = "for (int i = 0; i < num_messages; ++i) msg = max(msg, messages[i]);"
    apply = "v.most = msg;"


class Rootless(Naming):
    """Some vertices have no number in the end."""

    root = vertex.real()
    apply = "v.root = sqrt((real)(v.id % 40 < 38 ? 1 : -1));"


def own_vertices() -> None:
    """Ranks that share no memory have only their own vertices and halos, with the results, errors
    and warnings of one device."""
    on_several_hosts()
    vertices = 1000
    ids = np.arange(vertices)
    rng = np.random.default_rng(5)
    ends = rng.integers(0, vertices, (2, 3 * vertices))
    ends[1, : vertices // 2] = 77  # the only hub
    loose = Graph.from_edges(*ends, num_vertices=vertices)
    one = Graph.from_edges([0, 0], [0, 0])  # other ranks have no vertices
    for graph in (Graph.from_edges(ids, (ids + 1) % vertices), loose, one):
        for directed in (True, False):
            its = Graph.from_edges(*(graph.edge_src, graph.edge_dst), directed=directed)
            alone, engine = on_one_device(its, Naming()), Engine(its, comm=COMM)
            for delivery in ("slots", "pull"):
                found = engine.run(Naming(), delivery=delivery)
                assert found.x.tolist() == alone.fields["x"].tolist()
            (graphs,) = {each.num_vertices for each in engine._resident.values()}
            part = shares(its.arcs().in_offsets, Division(COMM.rank, COMM.size))[COMM.rank]
            of_own = np.isin(its.arcs().into.rows, np.arange(part.first, part.last))
            here = {*range(part.first, part.last), *its.arcs().in_sources[of_own].tolist()}
            assert graphs == max(len(here), 1)
            half = engine.run(Naming(), max_supersteps=2, keep_state=True, not_converged="ignore")
            found = engine.run(Naming(), state=half.state, max_supersteps=2, not_converged="ignore")
            assert found.x.tolist() == alone.fields["x"].tolist()
    engine = Engine(loose, comm=COMM)
    with pytest.raises(GasclError, match="a message at vertex 77 overflowed int32 in superstep 1"):
        engine.run(Large())
    least = min(loose.edge_src[loose.edge_src % 10 == 7])
    with pytest.raises(GasclError, match=f"vertex {least} sent twice along one arc"):
        engine.run(Twice())
    with pytest.warns(RuntimeWarning, match="'root' is NaN at 50 vertices, first at 38"):
        engine.run(Rootless())
    (here,) = {each.num_vertices for each in engine._resident.values()}
    told = str(engine.explain(Naming()))
    assert f"has {here} vertices, its own range and those that send to it, and" in told
    told = str(engine.explain(Flicker(every=5)))
    assert "has all vertices, since it reads fields of any vertex, and" in told


class Relay(VertexProgram):
    """Never ends by its own rule, and has pending messages of send_to in every superstep."""

    x = vertex.int64(init="v.id")
    message, combine = "int64", "sum"
    mask = "v.id % 5 == 0"
    scatter = "send(v.x % 9);"
    apply = """
        v.x = (5 * v.x + msg) % 1000003;
        send_to((7 * v.id + superstep) % g.num_vertices, v.x);
        if (v.x % 3)
            set_mask();
    """


class Relays(Relay):
    """Scatter posts messages, too."""

    scatter = "send(v.x % 9); send_to((3 * e.dst + 1) % g.num_vertices, v.x % 5);"


class Meeting(VertexProgram):
    """Vertex 0 gets a message from each, the product or sum of what `first` and `second` say."""

    first, second = param.int64(), param.int64()
    x = vertex.int64()
    message, combine = "int64", "sum"
    apply_on, mask = "all", "v.id == 5"
    scatter = "send(1);"
    apply = """
        if (superstep == 0)
            send_to(0, 2 * v.id < g.num_vertices ? p.first : p.second);
        else
            v.x = msg;
    """


class Product(Meeting):
    message, combine = "int32", "prod"


def relays() -> None:
    """What apply sends to vertices of other ranks arrives once, also where a run goes on."""
    graph = generators.rmat(7, seed=1)
    engine, options = Engine(graph, comm=COMM), {"not_converged": "ignore"}
    alone = on_one_device(graph, Relay(), max_supersteps=40, **options)
    for delivery in ("pull", "outbox"):
        found = engine.run(Relay(), delivery=delivery, max_supersteps=40, **options)
        assert found.x.tolist() == alone.fields["x"].tolist()
        assert counts(found) == alone.counts
    for after in (engine, Engine(graph)):
        begun = engine.run(Relay(), max_supersteps=17, keep_state=True, **options)
        found = after.run(Relay(), state=begun.state, max_supersteps=23, **options)
        assert found.x.tolist() == alone.fields["x"].tolist()


def posts(folder: str) -> None:
    """The same where a run goes on from a checkpoint, where scatter sends, too, and where integers
    overflow."""
    graph, path = generators.rmat(7, seed=1), Path(folder, "run.ckpt")
    engine, options = Engine(graph, comm=COMM), {"not_converged": "ignore"}
    alone = on_one_device(graph, Relay(), max_supersteps=40, **options)
    saved: dict[str, Any] = {"checkpoint": path, "every": 10, **options}
    engine.run(Relay(), max_supersteps=24, **saved)
    COMM.Barrier()
    found = engine.run(Relay(), max_supersteps=40, resume=True, **saved)
    assert found.x.tolist() == alone.fields["x"].tolist()
    alone = on_one_device(graph, Relays(), max_supersteps=9, delivery="slots", **options)
    saved |= {"checkpoint": path.with_suffix(".both"), "every": 1, "delivery": "slots"}
    found = engine.run(Relays(), max_supersteps=9, **saved)
    assert found.x.tolist() == alone.fields["x"].tolist()
    assert counts(found) == alone.counts

    ring = Graph.from_edges(np.arange(12), (np.arange(12) + 1) % 12)
    engine = Engine(ring, comm=COMM)
    for program, outcome in (
        (Meeting(first=2**62, second=-(2**62)), 0),  # what each rank sends does not fit
        (Product(first=2, second=3), 6**6),
        (Product(first=2**20, second=0), 0),
    ):
        assert engine.run(program, max_supersteps=2, **options).x[0] == outcome
    for program in (Meeting(first=2**62, second=2**62), Product(first=2**20, second=1)):
        with pytest.raises(GasclError, match=r"overflowed int.. in superstep 1"):
            engine.run(program, max_supersteps=2, **options)


def sorts() -> None:
    """A rank sorts no arcs but those of its rows, by other numbers and by the vertices' own."""
    web = generators.rmat(9, seed=4)
    weight = np.random.default_rng(1).integers(1, 9, web.num_edges).astype(np.float32)
    for directed in (True, False):
        ends = web.edge_src, web.edge_dst
        graph = Graph.from_edges(*ends, weight=weight, directed=directed)
        for program in (PageRank(supersteps=5), WeightedPageRank(supersteps=5)):
            alone = on_one_device(graph.with_edge_fields(weight="weight"), program)
            for least in (reordering.LEAST, 1):
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(reordering, "LEAST", least)
                    patch.setattr(reordering, "SHARE", 0)
                    its = Graph.from_edges(*ends, weight=weight, directed=directed)
                    found = Engine(its, comm=COMM).run(program)
                assert bool(found.numbering) == (least == 1)
                np.testing.assert_allclose(found.rank, alone.fields["rank"], rtol=1e-5)
                numbered = [arcs for _, arcs in filter(None, its._numbered.values())]
                assert len(numbered) == (least == 1)
                for arcs in (*its.arcs_made()[0].values(), *numbered):
                    assert {*arcs.out.kept, *arcs.into.kept} <= {"offsets"}


def saved(path: str) -> None:
    """Ranks of the edges in a Parquet file, beside it."""
    import pandas as pd

    graph = Graph.from_pandas(pd.read_parquet(path), "a", "b")
    result = Engine(graph, comm=COMM).run(PageRank())
    if COMM.rank == 0:
        result.to_pandas().reset_index().to_parquet(f"{path}.ranks")


if __name__ == "__main__":
    warnings.filterwarnings("ignore", ".*no edge field")
    call(globals(), sys.argv[1:])
    print(f"done {COMM.rank}", flush=True)
