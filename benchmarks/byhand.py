"""PageRank written by hand in OpenCL: what a user would write who needs no other program.

Arcs are numbered as gascl numbers them; the kernels (byhand.cl) are for this one program. Sums are
float32, where gascl's are float64 and then rounded.
"""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import numpy as np

from gascl import Graph
from gascl.device_graph.buffers import block_table, row_blocks
from gascl.graph.reordering import by_number, by_vertex
from gascl.opencl.device import Device, built, kernel

DAMPING = 0.85
#: The arcs that a work-group of a GPU has at a time, and the most groups for each compute unit.
ARCS, GROUPS = 2048, 128


class PageRankByHand:
    """A graph on a device, and the kernels, built.

    Args:
        group: the number of items in a work-group; 0: as many as gascl takes on the device.
        arcs: the most arcs of a block of several rows, a multiple of `group`.
    """

    def __init__(
        self, graph: Graph, device: Device, supersteps: int, group: int = 0, arcs: int = ARCS
    ):
        self.device, self.supersteps, self.vertices = device, supersteps, graph.num_vertices
        group = group or device.group
        numbered = graph.numbered()
        self.numbering, order = numbered or (None, graph.arcs())
        offsets = order.in_offsets
        bounds = row_blocks(offsets, group, arcs, device.groups)
        if group > 1:  # an item finishes a row
            every = [np.arange(a, b, group) for a, b in pairwise(bounds)]
            bounds = np.append(np.concatenate(every), bounds[-1]).astype(np.int32)
        table = block_table(offsets, bounds)
        self.groups, self.group = min(len(table), GROUPS * device.cl.max_compute_units), group
        offset = {4: "int", 8: "long"}[offsets.itemsize]
        text = Path(__file__).with_name("byhand.cl").read_text("utf-8")
        options = [f"-DGROUP={group}", f"-DARCS={arcs}", f"-DOFFSET={offset}"]
        program = built(device, text, options)
        names = "start", "add_up", "superstep"
        self.start, self.add_up, self.superstep = (kernel(program, name) for name in names)
        degree = by_number(self.numbering, graph.out_degree).astype(np.int32)
        self.degree = device.upload(degree)
        self.rows = [device.upload(array) for array in (table, offsets, order.in_sources)]
        self.num_blocks = np.int32(len(table))

    def run(self) -> tuple[float, np.ndarray, str]:
        """The seconds of a run from equal ranks, the ranks (V,), and a note.

        As in gascl, the memory that a run changes is new to it, and all supersteps are enqueued at
        once.
        """
        queue, shape = self.device.queue, ((self.groups * self.group,), (self.group,))
        rank, *sides = (self.device.allocate(4 * self.vertices) for _ in range(3))
        totals, whole = (self.device.allocate(16 * count) for count in (self.groups, 1))
        vertices, groups, events = np.int32(self.vertices), np.int32(self.groups), []
        changes = self.degree, rank
        queue.finish()
        started = time.perf_counter()
        self.start(queue, *shape, vertices, *changes, sides[0], totals)
        for step in range(self.supersteps):
            now, following = sides[step % 2], sides[(step + 1) % 2]
            added = self.add_up(queue, shape[1], shape[1], groups, totals, whole)
            enqueued = self.superstep(
                *(queue, *shape, vertices, np.float32(DAMPING), self.num_blocks, *self.rows),
                *(now, whole, *changes, following, totals),
            )
            events += [added, enqueued]
        queue.finish()
        seconds = time.perf_counter() - started
        found = np.empty(self.vertices, np.float32)
        self.device.download(found, rank)
        kernels = sum(event.profile.end - event.profile.start for event in events) * 1e-9
        note = f"{self.supersteps} supersteps, kernels {kernels * 1e3:.3g} ms"
        return seconds, by_vertex(self.numbering, found), note
