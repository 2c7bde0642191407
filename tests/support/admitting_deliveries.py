"""The deliveries that admit a program on a device, according to gascl itself."""

from __future__ import annotations

from zlib import crc32

from support import case_subsets

from gascl import VertexProgram
from gascl.delivery import admission, registry
from gascl.opencl.device import Device
from gascl.opencl.device_choice import find


def demand_of(
    program: VertexProgram, device: Device | None = None, deterministic: bool = True
) -> admission.Demand:
    device = device or find()
    together = admission.why_together(device.facts)
    given = program, device.atomics, device.fp64, deterministic, together
    return admission.demand_of(*given, group=device.group)


def admitted(
    program: VertexProgram, device: Device | None = None, deterministic: bool = True
) -> list[str]:
    return registry.admitted(demand_of(program, device, deterministic))


def some_admitted(program: VertexProgram, device: Device | None = None) -> list[str]:
    """For a test whose time goes into builds for each delivery: by default every third one of those
    that admit the program, the first, second or third by the program's name; all if slow tests are
    run."""
    names = admitted(program, device)
    turn = crc32(type(program).__name__.encode()) % 3
    return names if case_subsets.ALL else names[turn::3] or names
