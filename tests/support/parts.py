"""Runs on parts of the arcs, against the oracle."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.admission import expected_deliveries, sends_to
from support.agreement import gascl_graph, same, same_array, same_trace
from support.oracle import PlainGraph, run
from support.program_text import build, listing
from support.program_tree import Program
from support.random_cases import ENOUGH

from gascl import DeviceError, Engine, ProgramError
from gascl.language.traits import Traits


def from_first(comm: Any, make: Callable[[], Any]) -> Any:
    """What the first rank of a communicator makes, in all of its ranks."""
    if comm.rank == 0:
        made = make()
        for other in range(1, comm.size):
            comm.send(made, other)
        return made
    while not comm.iprobe(source=0):  # MPI itself would wait with all of a processor
        time.sleep(0.002)
    return comm.recv(source=0)


class Resuming(NamedTuple):
    """Runs end after two supersteps, and other ranks go on from the checkpoint.

    Attributes:
        folder: where the checkpoint is written.
        comm: the communicator of the other ranks, among which this one is.
    """

    folder: Path
    comm: Any

    def run(self, engine: Engine, instance: Any, **options: Any) -> Any:
        comm, saved = engine.ranks.comm, {"checkpoint": self.folder / "run.ckpt", "every": 1}
        engine.run(instance, **options | saved | {"max_supersteps": 2})
        comm.Barrier()
        own = self.folder / f"{self.comm.allgather(comm.rank)[0]}.ckpt"
        if self.comm.rank == 0 and saved["checkpoint"].exists():
            own.write_bytes(saved["checkpoint"].read_bytes())
        saved["checkpoint"] = own
        comm.Barrier()
        if comm.rank == 0:
            (self.folder / "run.ckpt").unlink(missing_ok=True)
        others = Engine(engine.graph, engine.device, comm=self.comm, debug=engine.debug)
        result = others.run(instance, **options | saved, resume=True)
        if self.comm.rank == 0:
            own.unlink(missing_ok=True)
        return result


def agree_on_parts(
    device: Any,
    program: Program,
    graphs: Iterable[PlainGraph],
    most: int | None,
    *,
    dtype: str = "float32",
    given: Any = None,
    comm: Any = None,
    debug: bool = False,
    collect: bool = True,
    partition: str = "ranges",
    resuming: Resuming | None = None,
    **params: Any,
) -> set[str]:
    """The deliveries that take the arcs in parts give what the oracle gives, or refuse to.

    Args:
        comm: an mpi4py communicator whose ranks share the parts.
        debug: run in debug mode.
        collect: as in `Engine.run`; otherwise each rank has the values of its own vertices.
        partition: as in `Engine`.
        resuming: how each run is interrupted and resumed.

    Returns:
        The deliveries that have run.
    """
    cls = build(program)
    lists = [len(value) for value in params.values() if isinstance(value, list)]
    lanes = lists[0] if lists else program.lanes or 1
    admitted = expected_deliveries(program, dtype, True, lanes)
    traits = Traits.of(cls.spec, lanes)
    if comm:
        able = {"slots", "pull", "outbox"}
        if traits.lists_directly and program.apply_on != "all" and not sends_to(program):
            able |= {"push", "frontier"}
    else:
        able = {"pull", "outbox"}
        if traits.reads_neighbors or (program.gather is not None and lanes > 1):
            able = set()
    admitted &= able
    limit = most or ENOUGH
    for graph in graphs:
        fields = given(graph) if given else {}
        known: dict[str, Any] = {"dtype": dtype, "params": params, "given": fields}
        interpreted = partial(run, program, graph, **known, max_supersteps=limit)
        outcome = from_first(comm, interpreted) if comm else interpreted()
        engine = Engine(gascl_graph(graph), device, comm=comm, debug=debug, partition=partition)
        instance = cls(dtype=dtype, **params, **fields)
        # One rank may choose another delivery than several, and then refuses to go on.
        automatic = [] if resuming else ["auto"]
        for delivery in (*automatic, "slots", "pull", "outbox", "push", "frontier", "reached"):
            options: dict[str, Any] = {"delivery": delivery, "not_converged": "ignore"}
            options |= {"max_supersteps": limit, "collect": collect}
            if delivery in admitted or (delivery == "auto" and admitted):
                where = f"{delivery} on {graph}, {params}\n{listing(program)}"
                given_to = resuming.run if resuming else Engine.run
                found = given_to(engine, instance, **options)
                if collect:
                    same(found, outcome, where)
                    continue
                same_trace(found, outcome, where)
                own = found.own_rows
                for name, values in outcome.fields.items():
                    same_array(own[name], values[own.vertices], f"{name}, {where}")
            elif graph.num_vertices:
                with pytest.raises((ProgramError, DeviceError)):
                    engine.run(instance, **options)
    return admitted
