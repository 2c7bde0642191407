"""`LongRun`: whether a run in supersteps is to begin again in any order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from gascl.language.program import VertexProgram

#: So many supersteps are made before it is decided for the first time, and each further time.
LONG_RUN = 128
#: A run begins again at the latest when it has taken this many times as long as it would have in
#: any order, since the rest of the run cannot be known.
MOST = 4


@dataclass
class LongRun:
    """Watches a run of a program that has a form in any order.

    Where few vertices are active on a GPU, a superstep takes as long as its barriers; without
    supersteps, work-groups go on by themselves. So a run begins again if the supersteps that are
    left are likely to take longer than the whole run in any order.

    Attributes:
        other: the program's form in any order.
        vertices: of the graph.
        in_any_order: about how many seconds that takes, by how many supersteps the run would have.
        begins_again: the decision.
    """

    other: VertexProgram
    vertices: int
    in_any_order: Callable[[float], float]
    begins_again: bool = False
    _reached: list[int] = field(default_factory=list)

    @property
    def due(self) -> int:
        """The number of supersteps after which it is decided next."""
        return (len(self._reached) // LONG_RUN + 1) * LONG_RUN

    def see(self, active: np.ndarray, seconds: float) -> None:
        """Decide after some more supersteps.

        Args:
            active: of these, how many vertices were active in each.
            seconds: how long all supersteps have taken so far.
        """
        before = self._reached[-1] if self._reached else 0
        self._reached += (before + np.cumsum(active, dtype=np.int64)).tolist()
        done = len(self._reached)
        if done % LONG_RUN == 0:
            left = self._left()
            pays = left * seconds / done > self.in_any_order(done + left)
            self.begins_again = pays or seconds > MOST * self.in_any_order(done)

    def _left(self) -> float:
        """How many supersteps are likely to be left: the vertices that were reached have grown by a
        power of the supersteps, such as the second one on a grid."""
        done, reached = len(self._reached), self._reached[-1]
        if reached > self.vertices:  # they are active several times
            return done
        half = max(self._reached[done // 2 - 1], 1)
        power = float(np.clip(np.log2(max(reached, 1) / half), 1, 3))
        return done * ((self.vertices / max(reached, 1)) ** (1 / power) - 1)
