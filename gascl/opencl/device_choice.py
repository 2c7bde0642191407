"""Chooses the device that a user names, or else the fastest that works."""

from __future__ import annotations

import os
from typing import Any

import pyopencl as cl

from gascl.errors import DeviceError
from gascl.opencl import fork_guard
from gascl.opencl.device import Device, device_of, devices
from gascl.user_messages import Option

#: Names of platforms that everybody knows by another one.
NAMES = {"pocl": "Portable Computing Language"}


def find(choice: Any = None) -> Device:
    """The device that a user chose.

    Args:
        choice: part of the name of a platform, or else of a device (the fastest match is taken); an
            index into `devices()`; a pyopencl device; a `Device`; or None: the device named by the
            environment variable GASCL_DEVICE, or else the fastest GPU that passes the trial
            (device_check.py), or else the fastest CPU that does.

    Raises:
        DeviceError: there is no such device.
    """
    fork_guard.check()
    if isinstance(choice, Device):
        return choice
    if isinstance(choice, cl.Device):
        return device_of(choice)
    variable = ""
    if choice is None and os.environ.get("GASCL_DEVICE"):
        choice, variable = os.environ["GASCL_DEVICE"], "GASCL_DEVICE="
    available = devices()
    listing = "; ".join(f"{i}: {d}" for i, d in enumerate(available))
    if choice is None:
        return _fastest_that_works(available)
    if isinstance(choice, int) or (isinstance(choice, str) and choice.strip().isdigit()):
        if not 0 <= int(choice) < len(available):
            raise DeviceError(f"there is no device {variable}{choice}; devices: {listing}")
        return available[int(choice)]
    if not isinstance(choice, str):
        raise DeviceError(
            Option("device", choice), ": expected part of a name, an index or a pyopencl device"
        )
    part = NAMES.get(choice.lower(), choice).lower()
    matching = [d for d in available if part in str(d).lower()]
    if not matching:
        raise DeviceError(
            f"there is no device named {variable}{choice!r}; devices: {listing}; use a part of a "
            "name, or a number"
        )
    # PoCL's device on an Intel processor has "Intel" in its name, too.
    of_platform = [device for device in matching if part in device.platform.lower()]
    return max(of_platform or matching, key=Device.speed)


def _fastest_that_works(candidates: list[Device]) -> Device:
    """The fastest device that passes the trial; if none does or there is only one, the fastest."""
    ranked = sorted(candidates, key=lambda device: device.speed(), reverse=True)
    if len(ranked) == 1:
        return ranked[0]
    from gascl.opencl.device_check import failure  # most runs do without the processes it starts

    return next((device for device in ranked if not failure(device)), ranked[0])
