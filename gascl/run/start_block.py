"""`StartBlock`: the buffers that the host sets at the start of a run, side by side in one."""

from __future__ import annotations

from typing import Any

import numpy as np

from gascl.codegen.header import Header
from gascl.delivery.run_layout import (
    CONTROL,
    FAULTS,
    RECORD,
    RUN,
    TEAM,
    Key,
    RunLayout,
    aligned,
    team_bytes,
)
from gascl.opencl.device import Device

#: The number of the vertex of a fault that has not happened.
NEVER = np.iinfo(np.int32).max
#: The whole block, among the buffers of a State.
BLOCK = Key(RUN, "block")


class StartBlock:
    """Where these buffers are in the block, so that a single copy sets all of them: the parameters,
    the control record, the lengths of lists, where faults are noted, and the words of a persistent
    kernel's team.

    Attributes:
        places: the first byte of each buffer.
        first: uint8, what is copied at the start of a run: the caller sets the two records; there
            is no fault, and the rest are zeros. The records behind the team's words are left out.
    """

    def __init__(self, layout: RunLayout, header: Header, device: Device):
        self.places: dict[Key, int] = {}
        self._sizes, size = layout.set_at_start(), 0
        for key, nbytes in self._sizes.items():
            self.places[key] = size
            size += aligned(nbytes, device.alignment)
        self._size, sent = size, size
        if TEAM in self.places:
            sent = self.places[TEAM] + team_bytes(len(header.reals))
        self.first = np.zeros(sent, np.uint8)
        if FAULTS in self.places:
            self._part(self.first, FAULTS).view(np.int32)[:] = NEVER
        self._dtypes = {RECORD: header.run, CONTROL: header.control}

    def allocate(self, device: Device) -> dict[Key, Any]:
        """A block on the device, and the buffers in it."""
        block = device.reserve(self._size)
        parts = {k: block.get_sub_region(at, self._sizes[k]) for k, at in self.places.items()}
        return {BLOCK: block, **parts}

    def record(self, first: np.ndarray, key: Key) -> np.ndarray:
        """The parameters or the control record in such an array, as one record of their dtype."""
        return self._part(first, key).view(self._dtypes[key])

    def _part(self, first: np.ndarray, key: Key) -> np.ndarray:
        at = self.places[key]
        return first[at : at + self._sizes[key]]
