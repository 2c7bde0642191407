"""`Senders`: whether a run begins again by another delivery, as its mask is not as expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from gascl.delivery.cost import Costs

#: Seconds that building other kernels takes, or longer.
BUILDING = 0.5


@dataclass
class Senders:
    """Watches a run of `auto`, which did not know how many vertices the mask would have.

    The run begins again if another delivery is likely to take less time for the whole run than this
    one for what is left. The other is the one that would have been the fastest so far; building its
    kernels counts, too. Where the number of supersteps is not known, as much is left as has been
    done.

    Attributes:
        costs: of the program.
        delivery: by which it runs.
        others: the names of the other deliveries that `auto` could have chosen.
        supersteps: how many the run has, if that is known.
        fits: whether the device has enough memory for a run by another delivery.
        better: the name of the other delivery, by which the run begins again; "" if it does not.
        share: of the arcs, how many messages went along, on average.
    """

    costs: Costs
    delivery: str
    others: Sequence[str]
    supersteps: int | None
    fits: Callable[[str], bool]
    better: str = ""
    share: float = 0.0
    _recent: list[np.ndarray] = field(default_factory=list)  # arcs of supersteps not yet counted
    # Of supersteps, by their share: at 2, that is half of the arcs, at 4 a quarter.
    _counts: Counter[int] = field(default_factory=Counter)

    def see(self, arcs: np.ndarray, seconds: float) -> None:
        """Decide after some more supersteps.

        Args:
            arcs: of these, how many arcs went out from vertices that sent in each.
            seconds: how long all supersteps have taken so far.
        """
        self._recent.append(arcs)
        if seconds < BUILDING:  # as nearly all runs, to which counting would add
            return
        shares = np.concatenate(self._recent) / max(self.costs.size.arcs, 1)
        self._recent.clear()
        self._counts.update(np.rint(-2 * np.log2(np.clip(shares, 1e-6, 1))).astype(int).tolist())
        done = self._counts.total()
        left = seconds * (1 if self.supersteps is None else self.supersteps / done - 1)
        times = {name: self._time(name) for name in (self.delivery, *self.others)}
        best = min(times, key=lambda name: times[name])
        again = BUILDING + times[best] / times[self.delivery] * (seconds + left)
        if best != self.delivery and again < left and self.fits(best):
            self.better = best
            self.share = sum(n * 2 ** (-level / 2) for level, n in self._counts.items()) / done

    def _time(self, name: str) -> float:
        """About how long the supersteps so far take by a delivery."""
        return sum(
            count * self.costs.seconds(name, 2 ** (-level / 2))
            for level, count in self._counts.items()
        )
