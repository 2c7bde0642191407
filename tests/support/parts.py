"""Runs on parts of the arcs, against the oracle."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from support.admission import expected_deliveries, sends_to
from support.agreement import gascl_graph, same
from support.oracle import PlainGraph, run
from support.program_text import build, listing
from support.program_tree import Program

from gascl import DeviceError, Engine, ProgramError
from gascl.language.traits import Traits


def agree_on_parts(
    device: Any,
    program: Program,
    graphs: Iterable[PlainGraph],
    most: int,
    *,
    dtype: str = "float32",
    given: Any = None,
    comm: Any = None,
    **params: Any,
) -> set[str]:
    """The deliveries that take the arcs in parts give what the oracle gives, or refuse to.

    Args:
        comm: an mpi4py communicator whose ranks share the parts.

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
            able.add("push")
    else:
        able = {"pull", "outbox"}
        if traits.reads_neighbors or (program.gather is not None and lanes > 1):
            able = set()
    admitted &= able
    for graph in graphs:
        fields = given(graph) if given else {}
        outcome = run(program, graph, dtype=dtype, params=params, given=fields, max_supersteps=most)
        engine = Engine(gascl_graph(graph), device, comm=comm)
        instance = cls(dtype=dtype, **params, **fields)
        for delivery in ("slots", "pull", "outbox", "push", "frontier"):
            options = {"delivery": delivery, "max_supersteps": most, "not_converged": "ignore"}
            if delivery in admitted:
                found = engine.run(instance, **options)
                same(found, outcome, f"{delivery} on {graph}, {params}\n{listing(program)}")
            elif graph.num_vertices:
                with pytest.raises((ProgramError, DeviceError)):
                    engine.run(instance, **options)
    return admitted
