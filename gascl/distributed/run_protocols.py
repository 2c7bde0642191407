"""The parts of a run that ranks use to exchange data; they are implemented in `gascl.run`."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from gascl.codegen.header import Header
from gascl.delivery.delivery import Delivery
from gascl.delivery.run_layout import Key, RunLayout
from gascl.device_graph.run_arrays import RunArrays
from gascl.graph.graph import Graph
from gascl.language.traits import Traits
from gascl.opencl.device import Device


class RunPlan(Protocol):
    """The kernels of a run: `gascl.run.plan.Plan`."""

    header: Header
    traits: Traits
    delivery: Delivery
    group: int
    block: int


class RunState(Protocol):
    """The buffers of a run: `gascl.run.state.State`."""

    header: Header
    layout: RunLayout
    device: Device
    graph: Graph
    arrays: RunArrays
    lanes: int
    num_arcs: int
    sizes: dict[Key, int]
    buffers: dict[Key, Any]
    num_vertices: int
    is_local: bool
    shared_values: dict[Key, np.ndarray]
    read_only: frozenset[str]

    def read(self, key: Key, values: np.ndarray) -> np.ndarray: ...

    def write(self, key: Key, values: np.ndarray) -> None: ...

    def arcs_of_all(self, key: Key) -> np.ndarray: ...
