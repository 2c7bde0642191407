"""Codes that kernels and host share: why a run stopped, and what a snippet did wrong.

The kernels get them as macros at the start of the source text (assembly.py).
"""

from __future__ import annotations

from enum import IntEnum


class Stop(IntEnum):
    """Why the device has stopped; 0 while it has not."""

    RULE = 1  # the program's `stop` is true
    EMPTY_MASK = 2
    OVERFLOW = 3  # of a combined message
    FAULT = 4


class Fault(IntEnum):
    """What a snippet did wrong; the first of these at a line is reported."""

    OUT_OF_RANGE = 0
    SENT_TWICE = 1
    DIVIDED_BY_ZERO = 2
    NO_MESSAGE = 3
    NO_NEIGHBOR = 4
    NO_ELEMENT = 5
    NAN = 6  # after faults that may have caused it
    INFINITE = 7


#: The messages about the vertex with the fault; `last` is the index of the last vertex.
FAULT_MESSAGES = {
    Fault.OUT_OF_RANGE: "used an id that is not in 0 ... {last}",
    Fault.SENT_TWICE: "sent twice along one arc, but a gather snippet reads one message per arc: "
    "send once",
    Fault.DIVIDED_BY_ZERO: "divided by zero",
    Fault.NO_MESSAGE: "read messages[i] with an i that is not in 0 ... num_messages - 1",
    Fault.NO_NEIGHBOR: "used neighbor(i) or FIELD_to(i) with an i that is not in 0 ... "
    "num_neighbors - 1",
    Fault.NO_ELEMENT: "used an index that is outside of its array",
    Fault.NAN: "computed NaN",
    Fault.INFINITE: "made a finite value infinite",
}


def defines() -> list[str]:
    """The codes as lines of OpenCL C: GASCL_STOPPED_BY_RULE, GASCL_OUT_OF_RANGE, ..."""
    stops = [f"#define GASCL_STOPPED_BY_{stop.name} {stop.value}" for stop in Stop]
    return stops + [f"#define GASCL_{fault.name} {fault.value}" for fault in Fault]
