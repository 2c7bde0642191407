"""`Bottleneck`: something that may take long in a run, and what would help; `Hint`: that it did."""

from __future__ import annotations

from typing import NamedTuple

#: A bottleneck explains a kernel's time if this is at least the first of these, and at most the
#: second, times what the bottleneck is estimated to take.
LEAST, MOST = 0.5, 3.0


class Bottleneck(NamedTuple):
    """Something that may take long, and what would help, each in a clause.

    Attributes:
        seconds: about how long a single work-item takes for it in a superstep, while all others
            wait; 0: it is no such bottleneck, or not known.
    """

    what: str
    remedy: str
    seconds: float = 0.0

    def explains(self, kernel: float, superstep: float) -> bool:
        """Whether it is what a superstep has waited for.

        Args:
            kernel: the seconds of the longest kernel.
            superstep: the seconds of all.
        """
        fits = LEAST * self.seconds <= kernel <= MOST * self.seconds
        return fits and 2 * kernel >= superstep


class Hint(NamedTuple):
    """A bottleneck of a run that has been measured.

    Attributes:
        superstep: the superstep that waited longest.
        seconds: how long its kernel took.
        of: how long the superstep took.
        times: in how many supersteps it was the bottleneck.
    """

    bottleneck: Bottleneck
    superstep: int
    seconds: float
    of: float
    times: int

    def __str__(self) -> str:
        more = f", and in {self.times - 1:,} more" if self.times > 1 else ""
        ms = f"{self.seconds * 1e3:.3g} of {self.of * 1e3:.3g} ms"
        where = f"superstep {self.superstep}: {ms}{more}"
        return f"{where}: {self.bottleneck.what}; {self.bottleneck.remedy}"
