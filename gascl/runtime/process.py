"""The process that uses OpenCL. A fork of it can't: the threads that run kernels stay behind."""

from __future__ import annotations

import ctypes
import os
from typing import Any
from weakref import WeakSet

from gascl.errors import DeviceError

_user: int | None = None
_holders: WeakSet[Any] = WeakSet()


def holds_opencl(holder: Any) -> None:
    """To be called once for each object that has OpenCL's: a forked child will not release them."""
    _holders.add(holder)


def _keep_inherited() -> None:
    """In a forked child: drivers crash where it releases what it inherited, even as it exits, and
    NVIDIA's then fails in the parent, too."""
    for holder in list(_holders):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(holder))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_keep_inherited)


def check() -> None:
    """To be called before OpenCL is: an inherited device would let the caller wait for ever.

    Raises:
        DeviceError: this process was forked from one that had used a device.
    """
    global _user
    if _user is None:
        _user = os.getpid()
    elif _user != os.getpid():
        raise DeviceError(
            f"this process was forked from process {_user}, which had already used an OpenCL "
            "device, and OpenCL does not survive a fork: start workers by "
            "multiprocessing.get_context('spawn'), also as ProcessPoolExecutor(mp_context=...), "
            "or fork before the parent first uses a device"
        )
