"""Tests whether a device can build and run a kernel, in a separate process.

A driver may refuse every kernel, abort the process, or never return. Devices that passed are
remembered on disk, so that they need not be tested again; those that failed are.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs
import pyopencl as cl

from gascl.codegen import switches
from gascl.codegen.kernel_files import kernel_text
from gascl.errors import FormatError
from gascl.opencl.device import Device, built, complaint, devices, kernel
from gascl.util.atomic_file import new_file

#: The count of numbers that the trial adds up.
NUMBERS = 1000
#: The time limit in seconds: a driver's first compilation is slow.
PATIENCE = 120


@cache
def failure(device: Device) -> str:
    """Why a device that `devices()` lists cannot run kernels, in one line; "" if it can."""
    if not sys.executable:  # Python is embedded in another program: no process can be started
        return ""
    passed = _passed()
    if key(device) in passed:
        return ""
    path = os.pathsep.join(p for p in sys.path if p)
    command = [sys.executable, "-m", "gascl.opencl.device_check", str(devices().index(device))]
    try:
        ran = subprocess.run(
            command,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        return f"a trial kernel did not return within {PATIENCE} s"
    if ran.returncode:
        output = [line for line in (ran.stdout + ran.stderr).splitlines() if line.strip()]
        ended = f"ended by signal {-ran.returncode}: " if ran.returncode < 0 else ""
        return f"{ended}{output[-1].strip() if output else 'it printed nothing'}"
    _remember([*passed, key(device)])
    return ""


def run(device: Device) -> str:
    """Build and run the trial in this process; returns the reason for a failure, or ""."""
    options = switches.options(switches.TRIAL, {"GROUP": device.group, "FP64": device.fp64})
    try:
        program = built(device, kernel_text("device_check.cl"), options)
        sums, count = np.zeros(device.group, np.int64), np.zeros(1, np.int32)
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        buffers = [cl.Buffer(device.context, flags, hostbuf=host) for host in (sums, count)]
        adds = kernel(program, "gascl_trial")
        adds.set_args(*buffers, np.int32(NUMBERS))
        size = (device.group,)
        cl.enqueue_nd_range_kernel(device.queue, adds, size, size)
        cl.enqueue_copy(device.queue, sums, buffers[0])
        cl.enqueue_copy(device.queue, count, buffers[1])
    except cl.Error as error:
        return complaint(error)
    wanted = [sum(range(i, NUMBERS, device.group)) for i in range(device.group)]
    if sums.tolist() != wanted or count[0] != NUMBERS:
        return "a trial kernel computed incorrect sums"
    return ""


def key(device: Device) -> str:
    """The key under which a device is remembered; it changes with the driver and the trial."""
    platform = device.cl.platform
    traits: list[Any] = [platform.name, platform.version, device.name, device.cl.version]
    traits += [device.cl.driver_version, device.processor, device.group, cl.VERSION_TEXT]
    traits += [kernel_text("device_check.cl")]
    return hashlib.sha256(json.dumps(traits).encode()).hexdigest()


def _place() -> Path:
    return Path(platformdirs.user_cache_dir("gascl"), "devices.json")


def _passed() -> list[str]:
    try:
        keys = json.loads(_place().read_text(encoding="utf-8"))
    except (OSError, ValueError):  # none yet, or damaged
        return []
    return keys if isinstance(keys, list) else []


def _remember(keys: list[str]) -> None:
    try:
        _place().parent.mkdir(parents=True, exist_ok=True)
        with new_file(_place()) as file:
            file.write(json.dumps(keys).encode())
    except (OSError, FormatError):  # it will be tested again next time
        return


if __name__ == "__main__":
    failed = run(devices()[int(sys.argv[1])])
    sys.exit(failed or 0)
