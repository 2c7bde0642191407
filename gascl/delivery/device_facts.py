"""The properties of a device by which a run is prepared, as data that needs no OpenCL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from gascl.delivery.atomics import Atomics


class DeviceLimits(Protocol):
    """The limits of a device's buffers, and the number of groups in its launches."""

    @property
    def groups(self) -> int: ...
    @property
    def memory(self) -> int: ...
    @property
    def largest_buffer(self) -> int: ...
    @property
    def alignment(self) -> int: ...


@dataclass(frozen=True)
class DeviceFacts:
    """A device as `prepare` sees it; attributes are those of `gascl.opencl.device.Device`.

    Attributes:
        name: the device and its platform, as messages name it.
        kind: "CPU", "GPU" or "accelerator".
        fp64: it has double precision.
        atomics: its atomic operations.
        group: work-items per work-group.
        units: compute units; on a CPU, its threads.
        groups: the number of work-groups over the vertices.
        local_memory: bytes of a compute unit.
        constant_memory: the most bytes of a buffer in constant memory.
        memory, largest_buffer: bytes of all buffers, and of one.
        alignment: in bytes, where a buffer within another may begin.
        can_join: work-groups of one launch can wait for each other.
        may_skip_optimizer: kernels that are not optimized give the same results bit for bit.
    """

    name: str
    kind: str
    fp64: bool
    atomics: Atomics
    group: int
    units: int
    groups: int
    local_memory: int
    constant_memory: int
    memory: int
    largest_buffer: int
    alignment: int
    can_join: bool
    may_skip_optimizer: bool

    @property
    def is_cpu(self) -> bool:
        return self.kind == "CPU"

    def __str__(self) -> str:
        return self.name
