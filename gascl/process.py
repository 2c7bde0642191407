"""The process that uses OpenCL. A fork of it can't: the threads that run kernels stay behind."""

from __future__ import annotations

import os

from gascl.errors import DeviceError

_user: int | None = None


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
            "or use gascl in the parent only after the fork"
        )
