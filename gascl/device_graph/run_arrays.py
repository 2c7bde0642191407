"""`RunArrays`: the arrays of a graph that the kernels of a run read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gascl.delivery.active_set import most_pieces
from gascl.delivery.run_layout import GRAPH, NEXT, Key, RunLayout, transposed_arrays
from gascl.device_graph.buffers import ResidentGraph
from gascl.device_graph.stream import ArcStream, graph_bytes, resident_arrays
from gascl.opencl import fork_guard


class RunArrays:
    """The arrays of a graph that the kernels of a run read.

    Where edges alternate, odd supersteps read the arrays of the graph with its arcs reversed, so
    that kernels and deliveries need not know.

    Args:
        graph: the graph, with the arcs of even supersteps.
        layout: the buffers of the run.
        alternates: the program's edges alternate.

    Attributes:
        graphs: the graph of even supersteps and, where the arcs of odd ones differ, theirs.
        graph: the graph, with the arcs of the superstep that is being enqueued.
        buffers: the buffers that kernels read in that superstep; empty before `upload`.
        numbers: what `number` has returned for that graph.
    """

    def __init__(self, graph: ResidentGraph, layout: RunLayout, alternates: bool):
        self.layout, self.graph = layout, graph
        two = alternates and not layout.extent.symmetric
        self.graphs = [graph, graph.transposed()] if two else [graph]
        most = np.int64(most_pieces(graph.num_vertices, graph.num_arcs))
        self.numbers: dict[str, Any] = {
            "num_arcs": np.int64(graph.num_arcs),
            "most_pieces": most,
            "offsets_from": np.int32(0),  # unless they are streamed
        }
        self._numbers = [self.numbers, {**self.numbers}]  # for even and odd supersteps
        self.buffers: dict[Key, Any] = {}
        self._buffers: list[dict[Key, Any]] = []  # for even and odd supersteps
        self._streams: list[ArcStream] = []
        self._parity = 0
        fork_guard.holds_opencl(self)

    @property
    def can_be_shared(self) -> bool:
        """Whether a run leaves them as they are, so that others can use them at the same time."""
        return len(self.graphs) == 1 and self.layout.extent.parts == 1

    def missing(self) -> dict[Key, int]:
        """The bytes of the arrays that are not on the device yet."""
        resident = resident_arrays(self.layout)
        missing = [self.graphs[0].missing(resident)]
        if len(self.graphs) > 1:
            missing.append(self.graphs[1].missing(transposed_arrays(resident)))
        return graph_bytes(self.graph.device, self.layout, missing)

    def upload(self) -> None:
        """Copy the missing arrays to the device."""
        resident = resident_arrays(self.layout)
        self._buffers = [graph.buffers(resident) for graph in self.graphs]
        if self.layout.extent.parts > 1:
            self._streams = [ArcStream(graph, self.layout) for graph in self.graphs]
        if len(self.graphs) > 1:
            even, odd = self._buffers
            self._buffers = [even | _as_next(odd), odd | _as_next(even)]
        self.buffers = self._buffers[0]

    def select_arcs(self, superstep: int) -> None:
        """Select the arcs that kernels read: those of this superstep."""
        self._parity = superstep % len(self.graphs)
        self.graph, self.buffers = self.graphs[self._parity], self._buffers[self._parity]
        self.numbers = self._numbers[self._parity]

    def graph_of(self, superstep: int) -> ResidentGraph:
        """The graph, with the arcs of this superstep."""
        return self.graphs[superstep % len(self.graphs)]

    @property
    def stream(self) -> ArcStream:
        """The parts of these arcs, if they are streamed."""
        return self._streams[self._parity]

    def number(self, name: str) -> Any:
        """A number that depends on the graph alone: see `NUMBERS`."""
        if name not in self.numbers:
            which, graph = name.removeprefix("num_"), self.graph
            if which.startswith("next_"):
                which, graph = which.removeprefix("next_"), self.graph_of(self._parity + 1)
            rows = dict(zip(("first_row", "last_row"), graph.rows, strict=True))
            self.numbers[name] = np.int32(rows[name] if name in rows else graph.number(which))
        return self.numbers[name]


def _as_next(buffers: Mapping[Key, Any]) -> dict[Key, Any]:
    """The arrays of a graph, as those that the superstep after this one reads."""
    return {Key(NEXT, key.name): b for key, b in buffers.items() if key.owner == GRAPH}
