"""Refuses OpenCL in forked processes: the threads of the drivers are not copied by a fork."""

from __future__ import annotations

import ctypes
import os
from typing import Any
from weakref import WeakSet

from gascl.errors import DeviceError

_user: int | None = None
_holders: WeakSet[Any] = WeakSet()


def holds_opencl(holder: Any) -> None:
    """Register an object that holds OpenCL objects: a forked child must not release them."""
    _holders.add(holder)


def _keep_inherited() -> None:
    """Keep inherited OpenCL objects in a forked child. Drivers crash if it releases them, even at
    its exit, and NVIDIA's then also fails in the parent."""
    for holder in list(_holders):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(holder))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_keep_inherited)


def check() -> None:
    """Call this before using OpenCL: with an inherited device, the caller would wait forever.

    Raises:
        DeviceError: this process was forked from one that had used a device.
    """
    global _user
    if _user is None:
        _user = os.getpid()
    elif _user != os.getpid():
        raise DeviceError(
            f"this process was forked from process {_user}, which had already used an OpenCL "
            "device, and OpenCL does not survive a fork: start worker processes with "
            "multiprocessing.get_context('spawn'), or ProcessPoolExecutor(mp_context=...), or fork "
            "before the parent first uses a device"
        )
