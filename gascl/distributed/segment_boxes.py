"""`SegmentBoxes`: the boxes of the segments of rows that ranks share (kernels/cut_rows.cl)."""

from __future__ import annotations

import numpy as np

from gascl.delivery.run_layout import Key
from gascl.device_graph.buffers import ResidentGraph
from gascl.distributed.ranks import Ranks
from gascl.distributed.run_protocols import RunState


class SegmentBoxes:
    """Brings the boxes of segments to the ranks of their rows, in the order of each row.

    Args:
        graph: the graph with the rows; where edges alternate, each of the two has its own.
        key: the buffer that has a rank's own boxes, row by row, and then those of its rows.
    """

    def __init__(self, graph: ResidentGraph, ranks: Ranks, state: RunState, key: Key):
        self._ranks, self._state, self._key = ranks, state, key
        parts, size = graph.parts, graph.share.segment if graph.share else 0
        numbers = [cut.segments(size) for part in parts for cut in part.cuts]
        counts = np.array(numbers, np.int64).reshape(ranks.size, -1)
        rows = np.array([cut.row for cut in parts[0].cuts], np.int64)
        owners = np.searchsorted([part.last for part in parts], rows, "right")
        own = np.flatnonzero(owners == ranks.rank)
        self._going = np.bincount(owners, counts[ranks.rank], ranks.size).astype(np.int64)
        self._coming = counts[:, own].sum(axis=1)
        #: The row of each box that comes: those of a rank stand together, in the order of rows.
        row_of = np.repeat(np.tile(own, ranks.size), counts[:, own].reshape(-1))
        self._order = np.argsort(row_of, kind="stable")

    def exchange(self) -> None:
        """Exchange them; all ranks must call this."""
        state, boxes = self._state, self._state.layout.own[self._key].dtype
        own = state.read(self._key, np.empty(self._going.sum(), boxes))
        come = self._ranks.exchanged(own, self._going, self._coming)
        state.write(self._key, come.take(self._order))
