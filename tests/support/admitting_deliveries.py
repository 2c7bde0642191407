"""The deliveries that admit a program on a device, according to gascl itself."""

from __future__ import annotations

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
