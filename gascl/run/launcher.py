"""`Launcher`: enqueues the kernels of a run, and reads its buffers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from gascl.delivery.launch import NUMBERS, TABLES, Launch
from gascl.delivery.run_layout import RUN, Key
from gascl.opencl.event_wait import wait
from gascl.opencl.interrupts import Interrupts
from gascl.results.trace import KernelTime
from gascl.run.plan import Kernels, Plan
from gascl.run.state import State

_NUMBER_TYPES = {name: np.dtype(type_).type for name, type_ in NUMBERS.items()}


class Launched(NamedTuple):
    """A kernel that was enqueued: its name, and its pyopencl Event."""

    kernel: str
    event: Any

    def time(self) -> KernelTime:
        profile = self.event.profile
        start = profile.start
        return KernelTime(self.kernel, start * 1e-9, (profile.end - start) * 1e-9)


class Launcher:
    """Enqueues the kernels of a plan on the buffers of a State, and reads these buffers.

    Attributes:
        kernels: kernels that no other run uses at the same time.
        arrays: the graph's arrays that kernels read.
        queue: that of the thread, in which the whole run is enqueued.
    """

    kernels: Kernels

    def __init__(self, plan: Plan, state: State, interrupts: Interrupts):
        self.plan, self.state, self.interrupts = plan, state, interrupts
        self.device, self.arrays = state.device, state.arrays
        self.queue = state.device.queue_of_thread()

    def launch(
        self,
        launch: Launch,
        groups: int | None = None,
        instead: Mapping[Key, Any] | None = None,
        after: Sequence[Any] | None = None,
        **varying: Any,
    ) -> Launched:
        """Enqueue a kernel.

        Args:
            groups: the number of work-groups, if the launch does not say.
            instead: buffers to use in place of those of the run or the graph.
            after: events of another queue to wait for.
            varying: the arguments that differ between launches, by name.
        """
        groups = self.groups(launch) if groups is None else groups
        local = self.plan.group if groups else 1
        arguments = self._arguments(launch, varying, instead)
        kernel = self.kernels.with_arguments(launch.kernel, arguments)
        size = (max(groups, 1) * local,)
        queue = self.queue.cl
        event = cl.enqueue_nd_range_kernel(queue, kernel, size, (local,), wait_for=after)
        return Launched(launch.kernel, event)

    def groups(self, launch: Launch) -> int:
        """The number of work-groups of a launch; 0 for a single work-item."""
        extent, numbers = self.state.layout.extent, self.arrays.numbers
        if launch.over in TABLES:
            name = f"num_{launch.over}"
            blocks = int(numbers[name] if name in numbers else self.arrays.number(name))
            # Groups that keep a tally handle several blocks each.
            return min(blocks, extent.block_groups) if "tallies" in launch.arguments else blocks
        return {"vertices": extent.groups, "one group": 1, "one": 0}[launch.over]

    def _arguments(
        self, launch: Launch, varying: Mapping[str, Any], instead: Mapping[Key, Any] | None
    ) -> list[Any]:
        """The arguments of a kernel: buffers, and numbers in the kernel's types."""
        known = self.state.buffers | self.arrays.buffers
        if instead:
            known |= instead
        numbers, values = self.arrays.numbers, list[Any]()
        for name in self.state.layout.arguments[launch.kernel]:
            if isinstance(name, Key):
                values.append(known[name])
            elif name in varying:
                type_ = _NUMBER_TYPES.get(name)
                values.append(type_(varying[name]) if type_ else varying[name])
            else:
                values.append(numbers[name] if name in numbers else self.arrays.number(name))
        return values

    def records(self, count: int) -> np.ndarray:
        """Wait for the control record from before the first superstep and those of `count`
        supersteps that were enqueued at once, and return them."""
        return self.read("records", np.empty(1 + count, self.plan.header.control))

    def read(self, name: str, values: np.ndarray) -> np.ndarray:
        """Fill an array from the start of a buffer when all that was enqueued has run."""
        queue, buffer = self.queue, self.state.buffers[Key(RUN, name)]
        landing = queue.landing(values.nbytes)
        to = values if landing is None else landing
        copied = cl.enqueue_copy(queue.cl, to, buffer, is_blocking=False)
        queue.cl.flush()
        wait(copied, self.device, self.interrupts, keep=(self, queue, to))
        if landing is not None:
            values.view(np.uint8).reshape(-1)[:] = landing
        return values
