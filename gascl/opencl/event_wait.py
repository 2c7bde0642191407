"""Waits for the device so that Ctrl-C can end the wait, even if a kernel never returns."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pyopencl as cl

from gascl.errors import DeviceError
from gascl.opencl.device import Device
from gascl.opencl.interrupts import Interrupts

#: For the first seconds of a wait the host polls the device continuously: supersteps on small
#: graphs are that short, and a sleep takes 50 us longer than requested. On a CPU this is
#: shorter, since the host occupies a core. After that it sleeps for a share of the time waited so
#: far, up to a limit.
EAGER_CPU, EAGER, SHARE, LONGEST = 1e-4, 0.01, 1 / 32, 0.01

_COMPLETE = cl.command_execution_status.COMPLETE
#: Let other threads run, while a CPU is busy and while another device is. Before Python 3.12,
#: sched_yield holds the interpreter's lock, which does not matter for a tenth of a millisecond. To
#: sleep 0 seconds does not hold it, but can take 50 us.
_yield_cpu: Callable[[], object] = getattr(os, "sched_yield", lambda: time.sleep(0))
_yield = _yield_cpu if sys.version_info >= (3, 12) else lambda: time.sleep(0)
#: The last command of an abandoned run, by pyopencl device.
_abandoned: dict[Any, Any] = {}


def wait(event: Any, device: Device, interrupts: Interrupts, keep: Any) -> None:
    """Wait until a command, and so all commands before it in its queue, have completed.

    Args:
        keep: the objects that these commands use; if the wait ends early, they are kept alive for
            as long as the commands run.

    Raises:
        KeyboardInterrupt: a second Ctrl-C came first.
    """
    if interrupts.held:
        try:
            eager = (EAGER_CPU, _yield_cpu) if device.is_cpu else (EAGER, _yield)
            _poll(event, interrupts, *eager)
        except BaseException as error:
            if not _running(event):
                raise
            _abandon(event, device, keep)
            if isinstance(error, KeyboardInterrupt):
                raise KeyboardInterrupt(
                    "a second Ctrl-C ended the run without a result. Its kernel still runs on "
                    f"{device}, which is busy until it returns or this process ends. If a loop in "
                    "a snippet never ends, correct it: max_supersteps limits supersteps, not loops"
                ) from None
            raise
    event.wait()  # unlike polling the status, this raises errors


def busy(device: Device) -> bool:
    """Whether the device still runs the kernel of an abandoned run, which would block others."""
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
            "use a new process (in a notebook, restart its kernel)"
        )


def _poll(
    event: Any, interrupts: Interrupts, eager: float, let_others_run: Callable[[], object]
) -> None:
    began = time.perf_counter()
    while _running(event):
        waited = time.perf_counter() - began
        if waited < eager:
            let_others_run()
        else:
            time.sleep(min(waited * SHARE, LONGEST))
            interrupts.remind()


def _running(event: Any) -> bool:
    return bool(event.command_execution_status > _COMPLETE)


def _abandon(event: Any, device: Device, keep: Any) -> None:
    """Keep alive all objects that the device still uses: releasing them would wait for the device.

    They are held by a daemon thread, so that they are not released when the process exits, either.
    Most drivers nevertheless wait for their kernels when they are unloaded, so the process exits
    before that.
    """

    def hold(event: Any, keep: Any) -> None:
        with suppress(cl.Error):
            event.wait()

    _abandoned[device.cl] = event
    atexit.register(_leave, device)
    threading.Thread(target=hold, args=(event, keep), daemon=True).start()


def _leave(device: Device) -> None:
    """At exit, if the device is still busy, end the process with the exit code of Ctrl-C."""
    if busy(device):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(130)
