"""`RecordedSteps`: steps of the trace, each made from the device's record when it is first used."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np

from gascl.results.trace import KernelTime, Step
from gascl.run.field_values import listed
from gascl.run.loaded_program import LoadedProgram


class RecordedSteps:
    """Supersteps that have run one after the other.

    Args:
        aggregators: the names of the program's.
        loaded: the program that ran them.
        records: the device's, one for each.
        first: the number of the first one.
        times: returns the times of the kernels of each.
        reasons: for each, why the arcs were not all read at once.
    """

    def __init__(
        self,
        aggregators: Iterable[str],
        loaded: LoadedProgram,
        records: np.ndarray,
        first: int,
        times: Callable[[], list[tuple[KernelTime, ...]]],
        reasons: list[str],
    ):
        self._loaded, self._records, self._first = loaded, records, first
        self._times, self._reasons = times, reasons
        self._aggregators = tuple(aggregators)

    @cached_property
    def _columns(self) -> list[Any]:
        # Converting a whole column costs less than converting each number.
        records = self._records
        tallied = records["tally"]["messages"]
        kept = [records["active"], tallied, records["pulled"], records["arcs"]]
        aggregates = {name: listed(records["aggregates"][name]) for name in self._aggregators}
        return [self._times(), *(column.tolist() for column in kept), aggregates]

    def ways(self) -> list[str]:
        """The name of how messages traveled, in each."""
        delivery = self._loaded.plan.delivery
        if not delivery.pulls:
            return [delivery.name]
        return ["pull" if pulled else "push" for pulled in self._records["pulled"]]

    def step(self, i: int) -> Step:
        loaded, delivery = self._loaded, self._loaded.plan.delivery
        costs, arcs = loaded.costs, loaded.num_arcs
        kernels, active, messages, pulled, many, aggregates = self._columns
        way, why = delivery.name, self._reasons[i]
        share = many[i] / arcs if costs.masked and arcs else 1.0
        if delivery.pulls:
            way, few = ("pull", "many") if pulled[i] else ("push", "few")
            why = f"the frontier has {many[i]:,} of {arcs:,} arcs: {few}"
            terms = costs.pulling(share) if pulled[i] else costs.pushing(share)
        else:
            terms = costs.estimate(delivery.name, share)
        return Step(
            superstep=self._first + i,
            active=active[i],
            messages=messages[i],
            aggregates={name: values[i] for name, values in aggregates.items()},
            seconds=sum(kernel.seconds for kernel in kernels[i]),
            delivery=way,
            why=why,
            estimate=sum(terms.values()),
            kernels=kernels[i],
            bottlenecks=loaded.bottlenecks,
        )
