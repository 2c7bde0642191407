"""What the parts of a run tell each other between the totals of a superstep and the decision.

A part is a range of receiving vertices; a run on one device has one part and exchanges nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gascl.delivery.runspec import RUN, Key
from gascl.runtime.state import State


@dataclass
class Totals:
    """What a superstep comes to: of one part before the exchange, of all parts after it.

    Attributes:
        tally: (1,), of the type that the program's header declares: the number of messages and, in
            `sums`, each aggregator's value so far; `NAME_` counts the values of a mean.
        active, arcs: vertices in the next mask, and the arcs that go out from them.
        overflow, fault: the least vertex of those where a message overflowed, and of those where a
            snippet did something wrong; 2^31 - 1 where there is none.
        under_way: apply has sent messages to the next superstep.
    """

    tally: np.ndarray
    active: int
    arcs: int
    overflow: int
    fault: int
    under_way: bool


class Exchange(Protocol):
    """Called once before the first superstep and once in each, when the part's work is done."""

    def __call__(self, state: State, totals: Totals) -> Totals:
        """What the superstep comes to in all parts.

        Whatever else the parts read of each other (fields, mask, messages under way) is to be
        exchanged here, too: between the buffers of `state`.
        """


def exchange_totals(state: State, exchange: Exchange) -> None:
    """Put what an exchange makes of a part's totals in their place, for gascl_decide."""
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
