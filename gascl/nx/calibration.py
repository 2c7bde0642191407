"""What the numbers of edges in `backend_function`, measured on one machine, are multiplied by.

A run on a small graph is mostly Python's work; the rest is waiting for the device. Python's part
takes as much longer on a slower host as NetworkX's own function. So all depends on how long a round
trip to the device is in Python's own time: that of looking at a neighbor.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import platformdirs

from gascl.errors import FormatError
from gascl.util.atomic_file import new_file
from gascl.version import __version__

if TYPE_CHECKING:
    from gascl.opencl.device import Device

#: Where the numbers of edges were measured, with two cores of an Intel Xeon and PoCL: a round trip
#: in neighbors that Python looks at, and the share of all round trips in a run.
REFERENCE, SHARE = 3_000, 0.3
#: The least and the greatest factor.
LEAST, MOST = 1 - SHARE, 10.0

#: The nodes, and the neighbors of each, by which Python is measured, and how often.
ROWS, TIMES = 100, 9

#: The factors of devices, by the setting that chooses one.
_factors: dict[Any, float] = {}
#: The settings whose device has been opened.
_opened: set[Any] = set()


def factor() -> float:
    """How many times as many edges a call on the chosen device needs to pay as on the reference; 1
    if that device has never been measured: it is not opened for this."""
    setting = nx.config.backends.gascl.device
    if setting not in _factors:
        entry = _read().get(_name(setting))
        _factors[setting] = factor_of(entry[1]) if entry else 1.0
    return _factors[setting]


def factor_of(round_trip: float) -> float:
    """The factor of a device.

    Args:
        round_trip: its length in neighbors that Python looks at.
    """
    return min(LEAST + SHARE * round_trip / REFERENCE, MOST)


def calibrate(setting: Any, device: Device) -> None:
    """Measure the device that a setting has chosen, unless this version of gascl knows it.

    Raises:
        DeviceError: the device fails.
    """
    if setting in _opened:
        return
    _opened.add(setting)
    from gascl.opencl import device_check, round_trip  # which load OpenCL

    key, entries = f"{__version__} {device_check.key(device)}", _read()
    entry = entries.get(_name(setting))
    if entry is None or entry[0] != key:
        entry = key, round_trip.seconds(device) / _seconds_of_a_neighbor()
        _write({**entries, _name(setting): entry})
    _factors[setting] = factor_of(entry[1])


def _seconds_of_a_neighbor() -> float:
    rows = {node: dict.fromkeys(range(ROWS)) for node in range(ROWS)}
    times = []
    for _ in range(TIMES):
        began, total = time.perf_counter(), 0
        for row in rows.values():
            for neighbor in row:
                total += neighbor
        times.append(time.perf_counter() - began)
    return statistics.median(times) / ROWS**2


# --- on disk ---


def _path() -> Path:
    return Path(platformdirs.user_cache_dir("gascl"), "round_trips.json")


def _name(setting: Any) -> str:
    """What chooses the device, by its name on disk."""
    return str(os.environ.get("GASCL_DEVICE", "") if setting is None else setting)


def _read() -> dict[str, tuple[str, float]]:
    """For each name, the device that it last led to, and its round trip."""
    try:
        content = json.loads(_path().read_text(encoding="utf-8"))
        entries = {str(name): (str(key), float(trip)) for name, (key, trip) in content.items()}
    except (OSError, ValueError, TypeError, AttributeError):  # none yet, or damaged
        return {}
    return {name: entry for name, entry in entries.items() if 0 < entry[1] < math.inf}


def _write(entries: dict[str, tuple[str, float]]) -> None:
    try:
        _path().parent.mkdir(parents=True, exist_ok=True)
        with new_file(_path()) as file:
            file.write(json.dumps(entries).encode())
    except (OSError, FormatError):  # it will be measured again next time
        return
