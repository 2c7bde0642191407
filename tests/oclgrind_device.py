"""What the scripts under Oclgrind share: the device in the shape that is asked for, and patches."""

from __future__ import annotations

import dataclasses
import sys

import pyopencl as cl

import gascl.layout
import gascl.plan
import gascl.trial
from gascl.deliveries import DELIVERIES
from gascl.device import Device

GROUP, BLOCK = int(sys.argv[1]), int(sys.argv[2])


def patch_kernels(file: str, old: str, new: str) -> str:
    """Replace text of a kernel file; returns the delivery that it is, or ""."""

    def patch(text: str) -> str:
        assert text.count(old) > 0, f"{file} does not hold {old!r}"
        return text.replace(old, new)

    original = gascl.plan.kernel_text

    def patched(name: str) -> str:
        return patch(original(name)) if name == file else original(name)

    gascl.plan.kernel_text = gascl.trial.kernel_text = patched
    name = file.removesuffix(".cl")
    if name in DELIVERIES:
        DELIVERIES[name] = dataclasses.replace(DELIVERIES[name], text=patch(DELIVERIES[name].text))
        return name
    return ""


def oclgrind_device(kind: type[Device]) -> Device:
    """Oclgrind's device in the shape that is asked for."""
    gascl.plan.BLOCK, gascl.layout.GROUPS = BLOCK, 2
    platform = cl.get_platforms()[0]
    assert platform.name == "Oclgrind", f"this is {platform.name}, not Oclgrind"
    return kind(platform.get_devices()[0], GROUP)
