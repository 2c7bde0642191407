"""`gascl devices`: lists the OpenCL devices, what each lacks, and whether it works."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from gascl.cli.exit_code import DONE
from gascl.cli.terminal import say
from gascl.errors import DeviceError

ABOUT = "list the OpenCL devices"
HELP = """\
example:
  gascl devices

Each device is tested with a small kernel in a separate process; one that has passed is not tested
again. * marks the device that is used without --device: the one named by the environment variable
GASCL_DEVICE, or else the fastest GPU that passes, or else the fastest CPU that does."""


def options(add: Callable[..., Any]) -> None:
    """Add nothing: the command has no options."""


def run(arguments: argparse.Namespace) -> int:
    """Print a few lines per device."""
    from gascl.opencl.device import devices
    from gascl.opencl.device_check import failure
    from gascl.opencl.device_choice import find

    available = devices()
    default = None
    try:
        default = find()
    except DeviceError as error:  # GASCL_DEVICE names no device
        say("warning: " + error.message)
    for index, device in enumerate(available):
        mark = "*" if device is default else " "
        print(f"{mark} {index}: {device.kind}, {device}")
        print(
            f"     {device.memory / 2**30:.1f} GiB of memory, "
            f"largest buffer {device.largest_buffer / 2**30:.1f} GiB, "
            f"{device.cl.max_compute_units} compute units"
        )
        print(f"     atomics: {device.atomics}")
        for missing in device.lacks():
            print(f"     lacks {missing}")
        failed = failure(device)
        print(f"     {f'fails the trial: {failed}' if failed else 'passes the trial'}")
    return DONE
