"""Communities over time: which of now is which of before, and what became of the others.

    from gascl.communities.tracking import track

    for moment in track(graphs):          # graphs of the same vertices, each some edges on
        print(moment.number, moment.events)

Palla, Barabási and Vicsek, Quantifying social group evolution (2007), name the events; here
communities of two moments are matched by the vertices that they share, at most one to one, so that
the shares (Jaccard's index) sum to the most there can be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gascl.errors import GasclError
from gascl.graph.graph import Graph
from gascl.language.program import VertexProgram
from gascl.result import Result


@dataclass(frozen=True)
class Event:
    """What happened to communities between a moment and the one before.

    Attributes:
        number: the moment's; the first is 0.
        kind: "appear", "vanish", "split" or "merge".
        before: the identities before: one of a split or vanish, two or more of a merge.
        after: those after: one of a merge or appear, two or more of a split.
    """

    number: int
    kind: str
    before: tuple[int, ...]
    after: tuple[int, ...]

    def __str__(self) -> str:
        ways = [" + ".join(map(str, ids)) for ids in (self.before, self.after) if ids]
        return f"{self.number}: {self.kind} {' -> '.join(ways)}"


class Tracker:
    """Gives communities identities that stay while they change.

    - A community of now goes on as the one before that it is matched with.
    - **split**: new communities have most of their vertices from an old one, which goes on, or
      there are several.
    - **merge**: old communities that do not go on have most of their vertices in one of now, which
      goes on from another, or they are several.
    - **appear**, **vanish**: the other new ones, and the others that do not go on.

    Args:
        overlap: two that share less of the vertices of both (intersection / union) are not matched.
        smallest: communities of fewer vertices have no identity.

    Attributes:
        number: of the moment that was given last; -1 before the first.
        identity: (V,) int64 of that moment, counted from 0 as communities appear; -1: in none.
    """

    def __init__(self, overlap: float = 0.3, smallest: int = 3):
        if not 0 < overlap <= 1:
            raise GasclError(f"overlap is more than 0 and at most 1, not {overlap!r}")
        self.overlap, self.smallest = overlap, smallest
        self.number = -1
        self.identity = np.empty(0, np.int64)
        self._unused = 0

    def update(self, community: Any) -> list[Event]:
        """The next moment: each vertex's community by any numbers, negative for none.

        Returns what happened since the one before; at the first, that all appeared.
        """
        now = self._numbered(np.asarray(community))
        if self.number < 0:
            self.identity = np.full(len(now), -1, np.int64)
        elif len(now) != len(self.identity):
            raise GasclError(
                f"the communities are of {len(now):,} vertices, and were of "
                f"{len(self.identity):,}: give -1 to those that are in none"
            )
        self.number += 1
        old, before = np.unique(self.identity, return_inverse=True)
        count, both = int(now.max(initial=-1)) + 1, (self.identity >= 0) & (now >= 0)
        pairs, shared = np.unique(before[both] * count + now[both], return_counts=True)
        row, column = np.divmod(pairs, max(count, 1))
        size, size_now = (
            np.bincount(before)[row],
            np.bincount(now[now >= 0], minlength=count)[column],
        )
        same = _matching(row, column, shared / (size + size_now - shared), self.overlap)
        new = np.full(count, -1, np.int64)
        new[column[same]] = old[row[same]]
        born = np.flatnonzero(new < 0)
        new[born] = self._unused + np.arange(len(born))
        self._unused += len(born)
        self.identity = np.where(now >= 0, np.append(new, -1)[now], -1)
        ended, came = ~np.isin(old[row], new), np.isin(column, born)
        # One part at least of a split was not there before, and one of a merge is there no more.
        parts = same | (came & (2 * shared > size_now))
        joined = same | (ended & (2 * shared > size))
        found = [("split", o, n) for o, n in _several(old[row[parts]], new[column[parts]])]
        found += [("merge", o, n) for n, o in _several(new[column[joined]], old[row[joined]])]
        told = {one for _, *ids in found for some in ids for one in some}
        gone = np.setdiff1d(old[old >= 0], new).tolist()
        found += [("vanish", (one,), ()) for one in gone if one not in told]
        found += [("appear", (), (one,)) for one in new[born].tolist() if one not in told]
        return [Event(self.number, *what) for what in found]

    def _numbered(self, community: np.ndarray) -> np.ndarray:
        """From 0, without those that are too small, which become -1."""
        if community.ndim != 1 or (len(community) and community.dtype.kind not in "iu"):
            raise GasclError(
                f"community is a whole number for each vertex, not {community.dtype} of shape "
                f"{community.shape}"
            )
        value, number, size = np.unique(community, return_inverse=True, return_counts=True)
        counts = (value >= 0) & (size >= self.smallest)
        return np.where(counts, np.cumsum(counts) - 1, -1)[number]


def _matching(row: np.ndarray, column: np.ndarray, share: np.ndarray, least: float) -> np.ndarray:
    """bool: the pairs of a matching whose shares, each the least or more, have the largest sum."""
    chosen = np.zeros(len(share), bool)
    able = np.flatnonzero(share >= least)
    if not len(able):
        return chosen
    rows, columns = row.max() + 1, column.max() + 1
    size = rows + columns
    links = coo_array((np.ones(len(able)), (row[able], rows + column[able])), (size, size))
    part = connected_components(links, False)[1][row[able]]
    for some in np.split(able[np.argsort(part)], np.cumsum(np.bincount(part))[:-1]):
        r, c = (np.unique(ends[some], return_inverse=True)[1] for ends in (row, column))
        shares = np.zeros((r.max(initial=-1) + 1, c.max(initial=-1) + 1))
        shares[r, c] = share[some]
        best = np.zeros(shares.shape, bool)
        best[linear_sum_assignment(shares, maximize=True)] = True
        chosen[some] = best[r, c]
    return chosen


def _several(one: np.ndarray, many: np.ndarray) -> Iterator[tuple[Any, Any]]:
    """((one,), (its several, ...)), where it has more than one."""
    for each in np.unique(one).tolist():
        its = np.sort(many[one == each]).tolist()
        if len(its) > 1:
            yield (each,), tuple(its)


@dataclass(frozen=True)
class Moment:
    """A graph of a row of them, and its communities.

    Attributes:
        number: from 0.
        result: of the program; its State goes on to the next moment.
        identity: (V,), see `Tracker`.
        events: since the moment before.
    """

    number: int
    result: Result
    identity: np.ndarray
    events: list[Event]


def track(
    graphs: Iterable[Graph],
    program: VertexProgram | None = None,
    *,
    device: Any = None,
    tracker: Tracker | None = None,
) -> Iterator[Moment]:
    """Find the communities of graphs of the same vertices one after the other, and follow them.

    Each run goes on from the State of the one before.

    Args:
        program: has a field `community`; None: ParticleCommunities().
        device: as for Engine.
        tracker: None: Tracker().

    Raises:
        GasclError: `graphs` is a single one, or the program has no such field.
    """
    if isinstance(graphs, Graph) or not isinstance(graphs, Iterable):
        raise GasclError(
            f"track takes a row of graphs of the same vertices, not {graphs!r}: give a list of "
            "them, or a generator"
        )
    if program is None:
        from gascl.programs.particle_communities import ParticleCommunities

        program = ParticleCommunities()
    if not isinstance(program, VertexProgram):
        raise GasclError(f"program is one such as ParticleCommunities(), not {program!r}")
    if "community" not in program.spec.vertex_fields:
        raise GasclError(
            f"{type(program).__name__} has no vertex field `community` to follow: it has "
            f"{', '.join(program.spec.vertex_fields)}; give a program that has, or other groups "
            "to Tracker().update(...)"
        )
    if tracker is not None and not isinstance(tracker, Tracker):
        raise GasclError(f"tracker is a Tracker(), not {tracker!r}")
    return _moments(graphs, program, device, Tracker() if tracker is None else tracker)


def _moments(
    graphs: Iterable[Graph], program: VertexProgram, device: Any, tracker: Tracker
) -> Iterator[Moment]:
    from gascl.runtime.engine import Engine

    state = None
    for graph in graphs:
        result = Engine(graph, device).run(program, state=state, keep_state=True)
        state = result.state
        events = tracker.update(result.community)
        yield Moment(tracker.number, result, tracker.identity, events)
