"""Numbers that kernels and host share: why a run stopped, and what a snippet did wrong.

They reach the kernels as defines at the head of the built text (assembly.py).
"""

from __future__ import annotations

from enum import IntEnum


class Stop(IntEnum):
    """Why the device does no more supersteps; 0 while it does."""

    RULE = 1  # the program's `stop` holds
    EMPTY_MASK = 2
    OVERFLOW = 3  # of a combined message
    FAULT = 4
    PAUSE = 5  # for the host to choose another delivery


class Fault(IntEnum):
    """What a snippet did wrong; the first that holds at a line is reported."""

    OUT_OF_RANGE = 0
    SENT_TWICE = 1
    DIVIDED_BY_ZERO = 2
    NO_MESSAGE = 3
    NO_NEIGHBOR = 4
    NAN = 5  # behind what may have been its cause
    INFINITE = 6


#: What is said of the vertex at which a fault was found; `last` is the last vertex's index.
FAULT_MESSAGES = {
    Fault.OUT_OF_RANGE: "gave an id that is not in 0 ... {last}",
    Fault.SENT_TWICE: "sent twice along one arc, and a gather snippet reads one message an arc: "
    "send once",
    Fault.DIVIDED_BY_ZERO: "divided by zero",
    Fault.NO_MESSAGE: "read messages[i] with an i that is not in 0 ... num_messages - 1",
    Fault.NO_NEIGHBOR: "asked for the i-th neighbor with an i that is not in "
    "0 ... num_neighbors - 1",
    Fault.NAN: "made NaN",
    Fault.INFINITE: "made a finite value infinite",
}


def defines() -> list[str]:
    """Both, as lines of OpenCL C: GASCL_STOPPED_BY_RULE, GASCL_OUT_OF_RANGE ..."""
    stops = [f"#define GASCL_STOPPED_BY_{stop.name} {stop.value}" for stop in Stop]
    return stops + [f"#define GASCL_{fault.name} {fault.value}" for fault in Fault]
