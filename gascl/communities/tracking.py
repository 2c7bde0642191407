"""Tracks communities over time: which continue, split, merge, appear or vanish.

    from gascl.communities.tracking import track

    for moment in track(graphs):  # graphs with the same vertices, and edges that change
        print(moment.number, moment.events)

The events are named as in Palla, Barabási and Vicsek, Quantifying social group evolution (2007).
Here, the communities of two consecutive moments are matched one to one, so that the sum of their
overlaps (Jaccard indices of their vertices) is as large as possible.
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
from gascl.results.result import Result


@dataclass(frozen=True)
class Event:
    """A change of some communities between two consecutive moments.

    Attributes:
        number: the number of the later moment, counted from 0.
        kind: "appear", "vanish", "split" or "merge".
        before: identities before the event: one for a split or vanish, several for a merge.
        after: identities after the event: one for a merge or appear, several for a split.
    """

    number: int
    kind: str
    before: tuple[int, ...]
    after: tuple[int, ...]

    def __str__(self) -> str:
        sides = [" + ".join(map(str, ids)) for ids in (self.before, self.after) if ids]
        return f"{self.number}: {self.kind} {' -> '.join(sides)}"


class Tracker:
    """Gives communities identities that they keep while they change.

    - A community continues the one of the previous moment that it is matched with. Communities
      without a match are new, and old ones without a match end.
    - **split**: one or more new communities have most of their vertices from the same old one,
      which continues, or else is divided among several new ones.
    - **merge**: one or more communities that end have most of their vertices in the same current
      one, which continues another one, or else takes in several that end.
    - **appear**, **vanish**: all other new communities, and all others that end.

    Args:
        overlap: communities with a smaller Jaccard index (intersection / union) are not matched.
        smallest: communities with fewer vertices have no identity.

    Attributes:
        number: the number of the last moment given to `update`; -1 before the first.
        identity: (V,) int64, each vertex's community at that moment, counted from 0 in the order in
            which communities appear; -1 for none.
    """

    def __init__(self, overlap: float = 0.3, smallest: int = 3):
        if not 0 < overlap <= 1:
            raise GasclError(f"overlap must be more than 0 and at most 1, not {overlap!r}")
        self.overlap, self.smallest = overlap, smallest
        self.number = -1
        self.identity = np.empty(0, np.int64)
        self._unused = 0

    def update(self, community: Any) -> list[Event]:
        """Take the next moment; returns the events since the previous one.

        At the first moment all communities appear.

        Args:
            community: (V,) the number of each vertex's community, in any numbering; negative for
                none.

        Raises:
            GasclError: not one whole number per vertex, or another number of vertices.
        """
        now = self._numbered(np.asarray(community))
        if self.number < 0:
            self.identity = np.full(len(now), -1, np.int64)
        elif len(now) != len(self.identity):
            raise GasclError(
                f"expected the communities of {len(self.identity):,} vertices, as before, not of "
                f"{len(now):,}: give -1 to vertices that are in no community"
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
        # A split has at least one new part, and a merge at least one that ends.
        parts = same | (came & (2 * shared > size_now))
        joined = same | (ended & (2 * shared > size))
        events = [("split", o, n) for o, n in _several(old[row[parts]], new[column[parts]])]
        events += [("merge", o, n) for n, o in _several(new[column[joined]], old[row[joined]])]
        explained = {one for _, *ids in events for some in ids for one in some}
        gone = np.setdiff1d(old[old >= 0], new).tolist()
        events += [("vanish", (one,), ()) for one in gone if one not in explained]
        events += [("appear", (), (one,)) for one in new[born].tolist() if one not in explained]
        return [Event(self.number, *event) for event in events]

    def _numbered(self, community: np.ndarray) -> np.ndarray:
        """The communities numbered from 0; those that are too small become -1."""
        if community.ndim != 1 or (len(community) and community.dtype.kind not in "iu"):
            raise GasclError(
                f"expected a whole number for each vertex as its community, not an array of "
                f"{community.dtype} with shape {community.shape}"
            )
        value, number, size = np.unique(community, return_inverse=True, return_counts=True)
        counts = (value >= 0) & (size >= self.smallest)
        return np.where(counts, np.cumsum(counts) - 1, -1)[number]


def _matching(row: np.ndarray, column: np.ndarray, share: np.ndarray, least: float) -> np.ndarray:
    """bool (n,): the pairs (row, column) of a matching with the largest sum of shares.

    Only pairs with a share of at least `least` can be matched.
    """
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
    """((one,), (several, ...)) for each value of `one` that is paired with several of `many`."""
    for each in np.unique(one).tolist():
        partners = np.sort(many[one == each]).tolist()
        if len(partners) > 1:
            yield (each,), tuple(partners)


@dataclass(frozen=True)
class Moment:
    """One graph of a sequence, and its communities.

    Attributes:
        number: the index of the graph in the sequence, from 0.
        result: the result of the program. The next moment's run uses up its State.
        identity: (V,) each vertex's community, as in `Tracker`.
        events: the events since the previous moment.
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
    """Find and follow the communities of a sequence of graphs with the same vertices.

    Each run continues from the State of the previous one.

    Args:
        program: a program with a field `community`; None: ParticleCommunities().
        device: as in `Engine`.
        tracker: None: Tracker().

    Raises:
        GasclError: `graphs` is a single graph, or the program has no field `community`.
    """
    if isinstance(graphs, Graph) or not isinstance(graphs, Iterable):
        raise GasclError(
            f"track needs several graphs with the same vertices, not {graphs!r}: give a list or "
            "a generator"
        )
    if program is None:
        from gascl.programs.particle_communities import ParticleCommunities

        program = ParticleCommunities()
    if not isinstance(program, VertexProgram):
        raise GasclError(
            f"program must be a program such as ParticleCommunities(), not {program!r}"
        )
    if "community" not in program.spec.vertex_fields:
        raise GasclError(
            f"{type(program).__name__} has no vertex field `community` to follow; it has "
            f"{', '.join(program.spec.vertex_fields)}; give a program that has one, or pass "
            "groups to Tracker().update(...)"
        )
    if tracker is not None and not isinstance(tracker, Tracker):
        raise GasclError(f"tracker must be a Tracker(), not {tracker!r}")
    return _moments(graphs, program, device, Tracker() if tracker is None else tracker)


def _moments(
    graphs: Iterable[Graph], program: VertexProgram, device: Any, tracker: Tracker
) -> Iterator[Moment]:
    from gascl.run.engine import Engine

    state = None
    for graph in graphs:
        result = Engine(graph, device).run(program, state=state, keep_state=True)
        state = result.state
        events = tracker.update(result.community)
        yield Moment(tracker.number, result, tracker.identity, events)
