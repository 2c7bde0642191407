"""What each rank of a run does in tests/distributed/test_ranks.py, where ranks share the arcs of
hubs."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.agreement import find_device
from support.rank_calls import PATCH, call
from support.rank_runs import (
    COMM,
    Naming,
    counts,
    on_one_device,
    on_several_hosts,  # noqa: F401, called by its name
    random,
)

from gascl import Engine, GasclError, Graph, VertexProgram, edge, param, struct, vertex
from gascl.codegen import constants
from gascl.delivery.launch import Launch
from gascl.distributed import exchange
from gascl.graph import partition
from gascl.graph.partition import Division, shares
from gascl.programs import Hits, PageRank, WeightedPageRank
from gascl.run import prepare
from gascl.run.launcher import Launcher
from gascl.run.plan import BLOCK

SEGMENT = 16
#: How often the segments of a rank were combined.
gathered: list[int] = []


def short() -> None:
    """Let ranks share rows of few arcs, too, and note that they do."""
    PATCH.setattr(constants, "SEGMENT", SEGMENT)
    launched = Launcher.launch

    def launch(launcher: Launcher, each: Launch, *given: Any, **numbers: Any) -> Any:
        if each.over == "cut_segments":
            gathered.append(1)
        return launched(launcher, each, *given, **numbers)

    PATCH.setattr(Launcher, "launch", launch)


def shortest() -> None:
    """The same of all rows of three arcs or more, in segments of one arc."""
    short()
    PATCH.setattr(constants, "SEGMENT", 1)
    decide = prepare._cut

    def cut(*given: Any) -> prepare.Decision:
        graph, traits, delivery, setting, size, why = given
        return decide(graph, traits, delivery, setting, replace(size, hub=size.arcs), why)

    def rows(offsets: np.ndarray, share: Division) -> list[int]:
        return np.flatnonzero(np.diff(offsets) > 2 * share.segment).tolist()

    PATCH.setattr(prepare, "_cut", cut)
    PATCH.setattr(partition, "rows_to_cut", rows)


def drawn(*numbers: str) -> None:
    """Random programs against the oracle, and in how many supersteps ranks share rows."""
    gathered.clear()
    random(*numbers)
    print(f"shared: {len(gathered)}", flush=True)


def _star(hubs: list[int], vertices: int, rest: int) -> Graph:
    """Each vertex sends to the hubs, and to the next vertex; and there are random edges."""
    ids, rng = np.arange(vertices), np.random.default_rng(vertices)
    src = np.concatenate([*[ids] * len(hubs), ids, rng.integers(0, vertices, rest)])
    fixed = [np.full(vertices, hub) for hub in hubs]
    dst = np.concatenate([*fixed, (ids + 1) % vertices, rng.integers(0, vertices, rest)])
    weight = rng.integers(1, 9, len(src))
    return Graph.from_edges(src, dst, weight=weight, num_vertices=vertices)


#: With 2 ranks, only the first graph has rows that are cut; with 3, the next two have, too.
GRAPHS = {
    "star": ([7], 300, 0),
    "two": ([8, 5], 300, 0),  # of the same rank
    "half": ([150], 600, 500),
    "three": ([0, 8, 149], 150, 0),
}


class Nearest(VertexProgram):
    """Minima, along edges with lengths, of the vertices that have changed."""

    weight = edge.int32(default=1)
    distance = vertex.int32(init="v.id % 50 == 3 ? 0 : INT_MAX / 2")
    message, combine = "int32", "min"
    mask = "v.id % 50 == 3"
    scatter = "send(v.distance + e.weight);"
    apply = "if (msg < v.distance) { v.distance = msg; set_mask(); }"


class Farthest(VertexProgram):
    """Messages are structs, of which an expression chooses one."""

    Far = struct([("far", "int32"), ("by", "int32")])
    supersteps = param.supersteps(3)
    far = vertex.int32(init="v.id * 7 % 31")
    by = vertex.int32(init="v.id")
    message = Far
    combine = "a.far > b.far || (a.far == b.far && a.by < b.by) ? a : b"
    identity = "(Far){INT_MIN, INT_MAX}"
    scatter_on = apply_on = "all"
    scatter = "if (v.far % 3) send((Far){v.far, v.by});"
    apply = "if (has_msg) { v.far = (msg.far * 5 + v.id) % 1009; v.by = msg.by; }"


class Flow(VertexProgram):
    """Sums of floats that round."""

    supersteps = param.supersteps(3)
    x = vertex.real(init="1.0f / (v.id + 1)")
    message, combine = "real", "sum"
    scatter_on = apply_on = "all"
    scatter = "send(v.x / 3);"
    apply = "v.x = 0.7f * msg + v.x / 7;"


class Opposite(VertexProgram):
    """The first half of the vertices sends what the others take back; with `sign` 1, they send it
    again."""

    sign = param.int64(-1)
    supersteps = param.supersteps(2)
    x = vertex.int64()
    message, combine = "int64", "sum"
    scatter_on = apply_on = "all"
    scatter = "send((2 * v.id < g.num_vertices ? 1 : p.sign) * (1L << 56));"
    apply = "v.x += msg / (1 << 20) + 1;"


def agree(*names: str, few: bool = False) -> None:
    """Integers, minima and structs are those of one device, where all is computed in order; each
    rank has an equal share of the arcs.

    Args:
        few: not each program by each delivery.
    """
    for name in names or GRAPHS:
        graph = _star(*GRAPHS[name])
        total, most = graph.num_arcs, int(graph.in_degree.max())
        for group in (1, 8):
            device = find_device(group)
            programs = (Naming(), Nearest(), Farthest(), Opposite())
            for program in programs[group > 1 :: 2] if few else programs:
                alone = on_one_device(graph, program, device, delivery="serial")
                for delivery in ("pull", "outbox")[few and group > 1 :][: 1 if few else 2]:
                    gathered.clear()
                    engine = Engine(graph, device, comm=COMM)
                    found = engine.run(program, delivery=delivery)
                    for field, values in alone.fields.items():
                        assert found[field].tolist() == values.tolist(), (name, program, delivery)
                    assert counts(found) == alone.counts
                    cuts = most * COMM.size > total
                    assert bool(gathered) == cuts
                    _count_arcs(engine, graph, cuts)


def _count_arcs(engine: Engine, graph: Graph, cuts: bool) -> None:
    """Of all arcs, each rank's device has about as many."""
    (resident,) = engine._resident.values()
    (ends,) = (
        buffer for (_, name), buffer in resident._shared_arcs.buffers.items() if name == "ends"
    )
    every = COMM.allgather(ends.size // 4)
    assert sum(every) == graph.num_arcs == sum(COMM.allgather(resident.num_arcs))
    if cuts:
        assert max(every) < graph.num_arcs / COMM.size * 1.25 + 4 * SEGMENT
        parts = shares(graph.arcs().in_offsets, Division(0, COMM.size))
        assert max(every) < max(part.end - part.begin for part in parts)


def some(name: str) -> None:
    """`agree` on one graph, by each delivery and with work-groups of both kinds once."""
    agree(name, few=True)


def floats() -> None:
    """They are the same in every run and with every number of ranks that shares the row; where
    work-groups have several items, those of one device."""
    segment = BLOCK  # a shorter row is in a block with others
    PATCH.setattr(constants, "SEGMENT", segment)
    PATCH.setattr(constants, "VERY_LONG_ROW", 2 * segment)
    graph = _star([7], 5 * segment, 0)
    fewer = COMM.Split(COMM.rank < 2)
    for group in (1, 8):
        device = find_device(group)
        alone = on_one_device(graph, Flow(), device, callback=lambda step: None)
        for delivery in ("pull", "outbox"):
            gathered.clear()
            runs = [Engine(graph, device, comm=comm) for comm in (COMM, COMM, fewer)]
            every = [each.run(Flow(), delivery=delivery).x.tobytes() for each in runs]
            assert gathered and len({*every[:2]}) == 1
            assert fewer.size == 1 or len({*every}) == 1
            np.testing.assert_allclose(np.frombuffer(every[0], np.float32), alone.fields["x"], 1e-5)
            assert group == 1 or every[0] == alone.fields["x"].tobytes()


def bundled() -> None:
    """Programs of the library, also where vertices are by a hash, and where edges alternate."""
    graph = _star([7], 400, 0)
    both = graph.with_edge_fields(weight=graph.edge_fields["weight"])
    for program in (PageRank(), WeightedPageRank(), Hits()):
        alone = on_one_device(both, program)
        for by in ("ranges", "hash"):
            gathered.clear()
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", ".*partition=")
                found = Engine(both, comm=COMM, partition=by).run(program)
            assert gathered
            for name, values in alone.fields.items():
                np.testing.assert_allclose(found[name], values, rtol=1e-4, atol=1e-7)


def pieces() -> None:
    """Ranks tell of some vertices while others are computed, as GPUs do with many."""
    PATCH.setattr(exchange.Exchange, "_number_of_pieces", lambda self: 3)
    bundled()


def overflows() -> None:
    """An overflow of a segment is none of the row, whose own is told."""
    graph = _star([7], 400, 0)
    for group in (1, 8):
        engine = Engine(graph, find_device(group), comm=COMM)
        gathered.clear()
        with pytest.raises(GasclError, match="vertex 7 overflowed int64 in superstep 0"):
            engine.run(Opposite(sign=1), delivery="pull")
        assert gathered


def resumes(folder: str) -> None:
    """From checkpoints, also on one device; and each rank has its own rows."""
    graph, path = _star([7], 400, 0), Path(folder, "run.ckpt")
    whole = on_one_device(graph, Naming(), delivery="serial")
    engine = Engine(graph, comm=COMM)
    options: dict[str, Any] = {"checkpoint": path, "every": 1, "delivery": "outbox"}
    engine.run(Naming(), max_supersteps=2, not_converged="ignore", **options)
    COMM.Barrier()
    options["checkpoint"] = path.with_suffix(f".{COMM.rank}")
    options["checkpoint"].write_bytes(path.read_bytes())
    COMM.Barrier()
    alone = Engine(graph).run(Naming(), resume=True, **options)
    gathered.clear()
    options["checkpoint"] = path
    found = engine.run(Naming(), resume=True, collect=False, **options)
    assert gathered
    assert alone.x.tolist() == whole.fields["x"].tolist()
    own = found.own_rows
    assert own["x"].tolist() == whole.fields["x"][own.vertices].tolist()


if __name__ == "__main__":
    call(globals(), sys.argv[1:])
    print(f"done {COMM.rank}", flush=True)
