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
        loaded: the program that ran them. It is not kept: a trace that did would keep the graph on
            the device.
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
        self._delivery, self._costs = loaded.plan.delivery, loaded.costs
        self._arcs, self._bottlenecks = loaded.num_arcs, loaded.bottlenecks
        self._records, self._first = records, first
        self._times, self._reasons = times, reasons
        self._aggregators = tuple(aggregators)

    @cached_property
    def _columns(self) -> list[Any]:
        # Converting a whole column costs less than converting each number.
        records = self._records
        kept = [records[name] for name in ("active", "messages", "pulled", "arcs")]
        aggregates = {name: listed(records["aggregates"][name]) for name in self._aggregators}
        return [self._times(), *(column.tolist() for column in kept), aggregates]

    @cached_property
    def _estimates(self) -> list[float]:
        costs, arcs = self._costs, self._arcs
        shares = np.ones(len(self._records))
        if costs.masked and arcs:
            shares = self._records["arcs"] / arcs
        name = self._delivery.name
        if not self._delivery.pulls:
            return [sum(costs.estimate(name, share).values()) for share in shares.tolist()]
        seconds = np.zeros(len(shares)) + sum(costs.listed(name, shares).values())
        for i in np.flatnonzero(self._records["pulled"]):
            seconds[i] = sum(costs.pulling(shares[i]).values())
        return seconds.tolist()

    def ways(self) -> list[str]:
        """The name of how messages traveled, in each."""
        if not self._delivery.pulls:
            return [self._delivery.name]
        return ["pull" if pulled else self._listed for pulled in self._records["pulled"]]

    @property
    def _listed(self) -> str:
        """What a delivery that can pull does in the other supersteps."""
        return "reached" if self._delivery.reaches else "push"

    def step(self, i: int) -> Step:
        kernels, active, messages, pulled, many, aggregates = self._columns
        way, why = self._delivery.name, self._reasons[i]
        if self._delivery.pulls:
            way, few = ("pull", "many") if pulled[i] else (self._listed, "few")
            why = f"the frontier has {many[i]:,} of {self._arcs:,} arcs: {few}"
        return Step(
            superstep=self._first + i,
            active=active[i],
            messages=messages[i],
            aggregates={name: values[i] for name, values in aggregates.items()},
            seconds=sum(kernel.seconds for kernel in kernels[i]),
            delivery=way,
            why=why,
            estimate=self._estimates[i],
            kernels=kernels[i],
            bottlenecks=self._bottlenecks,
        )
