"""`LoadedProgram`: what the runs of a program on a graph and a device have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from gascl.delivery.buffers import ANYTHING
from gascl.delivery.launch import STARTED
from gascl.delivery.run_layout import ARC, CONTROL, RECORD, RUN, VERTEX, Key
from gascl.device_graph.buffers import ResidentGraph, num_arcs
from gascl.device_graph.run_arrays import RunArrays
from gascl.language.program import VertexProgram
from gascl.opencl import fork_guard
from gascl.run.bottlenecks import by_one_item
from gascl.run.plan import Plan
from gascl.run.prepare import Prepared
from gascl.run.push_pull import pull_bounds
from gascl.run.start_block import NEVER, StartBlock

MASK = Key(RUN, "mask")


class LoadedProgram:
    """A prepared program on its device: its kernels and the graph's arrays are there.

    It has what does not depend on parameters and initial values, so that a run only has to add
    these. Threads may share it. It keeps no values of a program, and is kept by an engine alone.

    Args:
        prepared: how the program runs.
        notes: what to warn of in each run.

    Attributes:
        plan, header: the kernels, and the header that they were built with.
        resident, device: the graph on the device.
        layout: the buffers of a run.
        types: the types of vertex and arc fields.
        sizes, nbytes: the bytes of each buffer that belongs to one run, and of all together.
        gaps: those of them that are between the buffers of the start block.
        unset: the buffers whose initial content must be set, with that content, except those in
            `block`.
        started: those of them that the start of a run sets, unless the run continues from a State.
        block: the buffers that the host sets at the start of a run; its record for the parameters
            has the counts of the graph.
        control: the control record before a run.
        alternates: the program's edges alternate.
        num_arcs: the number of arcs of all ranks.
        costs: about how long supersteps take.
        bounds: as `pull_bounds` returns them.
        bottlenecks: work that may keep a single work-item busy for long.
        arrays: the arrays of the graph for all runs; None: each has its own.
        idle: the buffers that runs have left for later ones, which take them out.
    """

    def __init__(
        self,
        program: VertexProgram,
        prepared: Prepared,
        plan: Plan,
        resident: ResidentGraph,
        notes: list[str],
    ):
        self.plan, self.header, self.resident = plan, plan.header, resident
        self.device, self.layout, self.notes = resident.device, prepared.layout, notes
        declared = {VERTEX: program.spec.vertex_fields, ARC: program.spec.arc_fields}
        types = self.header.types
        self.types = {Key(owner, n): types[n] for owner, names in declared.items() for n in names}
        self.sizes = {key: array.nbytes for key, array in self.layout.own.items()}
        self.nbytes = sum(self.layout.own_bytes(self.device.alignment).values())
        self.gaps = self.nbytes - sum(self.sizes.values())
        self.block = block = StartBlock(self.layout, self.header, self.device)
        self.unset = {
            key: array.begins
            for key, array in self.layout.own.items()
            if array.begins != ANYTHING and key not in block.places
        }
        active = plan.delivery.active
        self.started = {Key(RUN, name) for name in STARTED}
        if active.leave:  # a mask in another form is converted to bytes only when it is used
            self.started.add(MASK)
        if not plan.traits.init_marks:
            self.started |= {MASK if n == "mask" else Key(active.owner, n) for n in active.starts}
        self.control = np.zeros(1, self.header.control)
        self.control["overflow"] = self.control["fault"] = NEVER
        block.record(block.first, CONTROL)[:] = control_to_send(self.control)
        counts = block.record(block.first, RECORD)["graph"]
        counts["num_vertices"] = resident.graph.num_vertices
        counts["gascl_rows"] = resident.num_vertices
        counts["num_edges"] = resident.graph.num_edges
        if prepared.traits.init_adds or resident.is_implicit:
            counts["gascl_first"], counts["gascl_last"] = resident.own_places
        if resident.is_implicit:
            counts["gascl_base"] = resident.base
        if prepared.traits.reads_hub:
            counts["hub"] = resident.graph.hub
        self.num_arcs = num_arcs(resident.graph, resident.edges)
        self.costs = prepared.choice.costs
        self.bounds = pull_bounds(plan.delivery, plan.traits, self.costs, self.device.is_cpu)
        self.bottlenecks = by_one_item(program, resident.graph, self.device.facts, prepared)
        self.alternates = program.spec.alternates
        arrays = RunArrays(resident, self.layout, self.alternates)
        self.arrays = arrays if arrays.can_be_shared else None
        self.idle: list[dict[Key, Any]] = []
        fork_guard.holds_opencl(self)


def copied(records: np.ndarray) -> np.ndarray:
    """A copy of contiguous records: of their bytes, since NumPy copies structs by their members,
    which takes longer."""
    return records.view(np.uint8).copy().view(records.dtype)


def control_to_send(control: np.ndarray) -> np.ndarray:
    """The record to give the device before it continues from `control`: it determines again whether
    messages are pending, and there are no buckets yet."""
    sent = control.copy()
    names = sent.dtype.names or ()
    sent["pulls"] = sent["pulled"]  # so that the device decides as it did before
    for name in ("under_way", "bits", "near_side", "far_side"):
        if name in names:
            sent[name] = 0
    lows = ("near_low", "far_low", "near_low_next", "far_low_next")
    for name in ("low", *lows, "near_lowest", "far_lowest"):
        if name in names:
            sent[name] = NEVER
    for name in ("bucket", "near_end"):
        if name in names:
            sent[name] = -NEVER - 1
    return sent
