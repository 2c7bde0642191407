"""Waiting for the device in a way that Ctrl-C can end, even if a kernel never returns."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from contextlib import suppress
from typing import Any

import pyopencl as cl

from gascl.errors import DeviceError
from gascl.runtime.device import Device
from gascl.runtime.interrupts import Interrupts

#: Seconds for which the device is asked again and again, since a small graph's superstep is over
#: by then; later the host sleeps for a share of what it has waited, up to so many seconds.
EAGER, SHARE, LONGEST = 5e-4, 1 / 32, 0.01

_COMPLETE = cl.command_execution_status.COMPLETE
_yield = getattr(os, "sched_yield", lambda: time.sleep(0))
#: The last command of a run that was abandoned, by pyopencl device.
_abandoned: dict[Any, Any] = {}


def wait(event: Any, device: Device, interrupts: Interrupts, keep: Any) -> None:
    """Wait until a command, and so all before it in its queue, is done.

    Args:
        keep: what the command and those before it use; where the wait ends early, it is kept for
            as long as they run.

    Raises:
        KeyboardInterrupt: a second Ctrl-C, before it was done.
    """
    if interrupts.held:
        try:
            _poll(event, interrupts)
        except BaseException as error:
            if not _running(event):
                raise
            _abandon(event, device, keep)
            if isinstance(error, KeyboardInterrupt):
                raise KeyboardInterrupt(
                    "a second Ctrl-C ended the run without a result. Its kernel still runs on "
                    f"{device}, which is busy until it returns or this process ends. If a loop in "
                    "a snippet never ends, bound it: max_supersteps limits supersteps, not loops"
                ) from None
            raise
    event.wait()  # which, unlike the status, raises what went wrong


def busy(device: Device) -> bool:
    """The device still runs the kernel of a run that was abandoned: others would wait for it."""
    event = _abandoned.get(device.cl)
    if event is not None and not _running(event):
        _abandoned.pop(device.cl, None)
        return False
    return event is not None


def check_free(device: Device) -> None:
    """Raise DeviceError where the device is busy with an abandoned run."""
    if busy(device):
        raise DeviceError(
            f"{device} still runs the kernel of a run that a second Ctrl-C ended: wait for it, or "
            "begin in a new process (in a notebook, restart its kernel)"
        )


def _poll(event: Any, interrupts: Interrupts) -> None:
    began = time.perf_counter()
    while _running(event):
        waited = time.perf_counter() - began
        if waited < EAGER:
            _yield()
        else:
            time.sleep(min(waited * SHARE, LONGEST))
            interrupts.remind()


def _running(event: Any) -> bool:
    return bool(event.command_execution_status > _COMPLETE)


def _abandon(event: Any, device: Device, keep: Any) -> None:
    """Release nothing that the device uses before it is done: that would wait for it. What a daemon
    thread holds is not released when the process exits, either. Intel's runtime for CPUs waits
    for its kernels all the same when it is unloaded: the process leaves before.
    """

    def hold(event: Any, keep: Any) -> None:
        with suppress(cl.Error):
            event.wait()

    _abandoned[device.cl] = event
    if device.is_cpu and "PoCL" not in device.cl.platform.version:
        atexit.register(_leave, device)
    threading.Thread(target=hold, args=(event, keep), daemon=True).start()


def _leave(device: Device) -> None:
    """End the process at its exit where the device is still busy; with the exit code of Ctrl-C."""
    if busy(device):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(130)
