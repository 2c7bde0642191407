"""What the parts of a run exchange between the totals of a superstep and the decision.

A part is a range of receiving vertices. A run on one device has a single part and exchanges
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gascl.delivery.runspec import RUN, Key
from gascl.runtime.state import State


@dataclass
class Totals:
    """The totals of a superstep: those of one part before the exchange, those of all parts after
    it.

    Attributes:
        tally: (1,) of the type in the program's header: the number of messages and, in `sums`, the
            partial value of each aggregator; `NAME_` is the number of values in a mean.
        active, arcs: the number of vertices in the next mask, and of the arcs that leave them.
        overflow, fault: the smallest vertex at which a message overflowed, and at which a snippet
            did something wrong; 2^31 - 1 if there is none.
        under_way: apply has sent messages that arrive in the next superstep.
    """

    tally: np.ndarray
    active: int
    arcs: int
    overflow: int
    fault: int
    under_way: bool


class Exchange(Protocol):
    """Called once before the first superstep, and at the end of each superstep of a part."""

    def __call__(self, state: State, totals: Totals) -> Totals:
        """The totals of all parts.

        Everything else that parts read of each other (fields, mask, pending messages) must be
        exchanged here, too, between the buffers of `state`.
        """


def exchange_totals(state: State, exchange: Exchange) -> None:
    """Replace a part's totals by those of all parts, for gascl_decide."""
    tallies, counts, control = (Key(RUN, n) for n in ("tallies", "counts", "control"))
    tally, count = np.empty(1, state.header.tally), np.empty(2, np.int64)
    record = np.empty(1, state.header.control)
    for key, values in ((tallies, tally), (counts, count), (control, record)):
        state.read(key, values)
    totals = exchange(
        state,
        Totals(
            tally,
            active=int(count[0]),
            arcs=int(count[1]),
            overflow=int(record["overflow"][0]),
            fault=int(record["fault"][0]),
            under_way=bool(record["under_way"][0]),
        ),
    )
    record["overflow"], record["fault"] = totals.overflow, totals.fault
    record["under_way"] = totals.under_way
    state.write(tallies, totals.tally)
    state.write(counts, np.array([totals.active, totals.arcs], np.int64))
    state.write(control, record)
