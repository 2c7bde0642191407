"""`Senders`: whether a run begins again by another delivery, as its mask is not as expected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gascl.delivery.cost import Costs

#: Seconds that building other kernels takes, or longer.
BUILDING = 0.5


@dataclass
class Senders:
    """Watches a run of `auto`, which did not know how many vertices the mask would have.

    The run begins again if all of it, by the delivery that would have been the fastest so far, and
    building that, is likely to take less time than what is left. Where the number of supersteps is
    not known, as much is left as has been done.

    Attributes:
        costs: of the program.
        delivery: by which it runs.
        others: the names of the other deliveries that `auto` could have chosen.
        supersteps: how many the run has, if that is known.
        better: the name of the other delivery, by which the run begins again; "" if it does not.
        share: of the arcs, how many messages went along, on average.
    """

    costs: Costs
    delivery: str
    others: Sequence[str]
    supersteps: int | None
    better: str = ""
    share: float = 0.0
    _counts: dict[int, int] = field(default_factory=dict)  # of supersteps, by their share

    def see(self, arcs: np.ndarray, seconds: float) -> None:
        """Decide after some more supersteps.

        Args:
            arcs: of these, how many arcs went out from vertices that sent in each.
            seconds: how long all supersteps have taken so far.
        """
        shares = np.clip(arcs / max(self.costs.size.arcs, 1), 1e-6, 1)
        levels, counts = np.unique(np.rint(-2 * np.log2(shares)), return_counts=True)
        for level, count in zip(levels.astype(int).tolist(), counts.tolist(), strict=True):
            self._counts[level] = self._counts.get(level, 0) + count
        if seconds < BUILDING:
            return
        done = sum(self._counts.values())
        left = seconds * (1 if self.supersteps is None else self.supersteps / done - 1)
        times = {name: self._time(name) for name in (self.delivery, *self.others)}
        best = min(times, key=lambda name: times[name])
        again = BUILDING + times[best] / times[self.delivery] * (seconds + left)
        if best != self.delivery and again < left:
            self.better = best
            self.share = sum(n * 2 ** (-level / 2) for level, n in self._counts.items()) / done

    def _time(self, name: str) -> float:
        """About how long the supersteps so far take by a delivery."""
        return sum(
            count * self.costs.seconds(name, 2 ** (-level / 2))
            for level, count in self._counts.items()
        )
