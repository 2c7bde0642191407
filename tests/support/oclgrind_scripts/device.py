"""For the scripts under Oclgrind: a device with a given work-group size, and patches of kernels."""

from __future__ import annotations

import dataclasses
import sys

import pyopencl as cl

import gascl.delivery.assembly
import gascl.device_graph.buffers
import gascl.opencl.device_check
import gascl.run.plan
from gascl.delivery.active_set import BYTES, FRONTIER
from gascl.delivery.registry import BY_GROUPS, DELIVERIES
from gascl.opencl.device import Device

GROUP, BLOCK = int(sys.argv[1]), int(sys.argv[2])


def patch_kernels(file: str, old: str, new: str) -> str:
    """Replace text of a kernel file; returns the delivery that it belongs to, or ""."""

    def patch(text: str) -> str:
        assert text.count(old) > 0, f"{file} does not hold {old!r}"
        return text.replace(old, new)

    original = gascl.delivery.assembly.kernel_text

    def patched(name: str) -> str:
        return patch(original(name)) if name == file else original(name)

    gascl.delivery.assembly.kernel_text = gascl.opencl.device_check.kernel_text = patched
    form, _, part = file.removesuffix(".cl").partition("_")
    active = {"frontier": FRONTIER, "mask": BYTES}.get(form)
    if active is not None:  # whose text deliveries hold
        part = part or "functions"
        patched_one = dataclasses.replace(active, **{part: patch(getattr(active, part))})
        for forms in (DELIVERIES, BY_GROUPS):
            for name, delivery in forms.items():
                if delivery.active is active:
                    forms[name] = dataclasses.replace(delivery, active=patched_one)
        return ""
    if file == "push.cl":  # of both
        for forms in (DELIVERIES, BY_GROUPS):
            frontier = forms["frontier"]
            forms["frontier"] = dataclasses.replace(frontier, text=patch(frontier.text))
    name = file.partition("/")[0].removesuffix(".cl")
    if name not in DELIVERIES:
        return ""
    if file == f"{name}.cl":
        DELIVERIES[name] = dataclasses.replace(DELIVERIES[name], text=patch(DELIVERIES[name].text))
    return name


def oclgrind_device(kind: type[Device]) -> Device:
    """Oclgrind's device in the shape that is asked for."""
    gascl.run.plan.BLOCK, gascl.device_graph.buffers.GROUPS = BLOCK, 2
    platform = cl.get_platforms()[0]
    assert platform.name == "Oclgrind", f"this is {platform.name}, not Oclgrind"
    return kind(platform.get_devices()[0], GROUP)
