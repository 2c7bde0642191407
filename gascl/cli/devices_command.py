"""`gascl devices`: the OpenCL devices and what each of them lacks."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from gascl.cli.exitcode import DONE
from gascl.cli.terminal import say
from gascl.errors import DeviceError

ABOUT = "list the OpenCL devices"
HELP = """\
example:
  gascl devices

Each is tried with a small kernel, in a process of its own; one that passed is not tried again.
* marks the device that runs where --device is not given: the environment's GASCL_DEVICE, else the
fastest GPU that passes, else the fastest CPU that does."""


def options(add: Callable[..., Any]) -> None:
    """There are none."""


def run(arguments: argparse.Namespace) -> int:
    """Print a few lines a device."""
    from gascl.runtime.device import devices, find
    from gascl.runtime.trial import failure

    found = devices()
    default = None
    try:
        default = find()
    except DeviceError as error:  # GASCL_DEVICE names none of them
        say(f"warning: {error}")
    for index, device in enumerate(found):
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
        print(f"     {f'fails: {failed}' if failed else 'runs a trial kernel'}")
    return DONE
