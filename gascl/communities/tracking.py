"""Tracks communities over time: which continue, grow, shrink, split, merge, appear or vanish.

    from gascl.communities.tracking import track

    for moment in track(graphs):  # graphs with the same vertices, and edges that change
        print(moment.number, moment.events)

The events are named as in Palla, Barabási and Vicsek, Quantifying social group evolution (2007).
Here, the communities of two consecutive moments are matched one to one, so that the sum of their
overlaps (Jaccard indices of their vertices) is as large as possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from gascl.communities.changes import changed_graphs
from gascl.errors import GasclError
from gascl.graph.graph import Graph
from gascl.language.program import VertexProgram
from gascl.results.result import GROUPS, Result


@dataclass(frozen=True)
class Event:
    """A change of some communities between two consecutive moments.

    Attributes:
        number: the number of the later moment, counted from 0.
        kind: "appear", "vanish", "split", "merge", "grow" or "shrink".
        before: identities before the event: one for a split or vanish, several for a merge.
        after: identities after the event: one for a merge or appear, several for a split.
        vertices: how many the communities have before and after the event; for one that grew or
            shrank, the first is its size at its last event.
        time: of the later moment; None if it has none.
    """

    number: int
    kind: str
    before: tuple[int, ...]
    after: tuple[int, ...]
    vertices: tuple[int, int]
    time: Any = None

    def __str__(self) -> str:
        when = self.number if self.time is None else self.time
        if isinstance(when, np.datetime64):
            when = np.datetime_as_string(when, unit="auto")  # without zeros that say nothing
        if self.kind in ("grow", "shrink"):
            old, new = (f"{count:,}" for count in self.vertices)
            return f"{when}: {self.kind} {self.after[0]} ({old} -> {new} vertices)"
        sides = [" + ".join(map(str, ids)) for ids in (self.before, self.after) if ids]
        return f"{when}: {self.kind} {' -> '.join(sides)}"


class Tracker:
    """Gives communities identities that they keep while they change.

    - A community continues the one of the previous moment that it is matched with. Communities
      without a match are new, and old ones without a match end.
    - **split**: one or more new communities have most of their vertices from the same old one,
      which continues, or else is divided among several new ones.
    - **merge**: one or more communities that end have most of their vertices in the same current
      one, which continues another one, or else takes in several that end.
    - **appear**, **vanish**: all other new communities, and all others that end.
    - **grow**, **shrink**: a community that continues, without a split or a merge, has become
      larger or smaller by a factor of more than `growth` since its last event, however slowly.

    Args:
        overlap: communities with a smaller Jaccard index (intersection / union) are not matched.
        smallest: communities with fewer vertices have no identity.
        growth: more than 1.

    Attributes:
        number: the number of the last moment given to `update`; -1 before the first.
        identity: (V,) int64, each vertex's community at that moment, counted from 0 in the order in
            which communities appear; -1 for none.
    """

    def __init__(self, overlap: float = 0.3, smallest: int = 3, growth: float = 1.5):
        if not isinstance(overlap, float | int | np.number) or not 0 < overlap <= 1:
            raise GasclError(f"overlap must be more than 0 and at most 1, not {overlap!r}")
        if not isinstance(growth, float | int | np.number) or not growth > 1:
            raise GasclError(f"growth must be more than 1, such as 1.5, not {growth!r}")
        if not isinstance(smallest, int | np.integer) or smallest < 1:
            raise GasclError(f"smallest must be a whole number, 1 or more, not {smallest!r}")
        self.overlap, self.smallest, self.growth = overlap, smallest, growth
        self.number = -1
        self.identity = np.empty(0, np.int64)
        self._unused = 0
        self._sizes: dict[int, int] = {}  # of each community, at its last event

    def update(self, community: Any, time: Any = None) -> list[Event]:
        """Take the next moment; returns the events since the previous one.

        At the first moment all communities appear.

        Args:
            community: (V,) the number of each vertex's community, in any numbering; negative for
                none.
            time: of the moment, for its events.

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
        old, before, size_before = np.unique(self.identity, return_inverse=True, return_counts=True)
        count, both = int(now.max(initial=-1)) + 1, (self.identity >= 0) & (now >= 0)
        pairs, shared = np.unique(before[both] * count + now[both], return_counts=True)
        row, column = np.divmod(pairs, max(count, 1))
        size_after = np.bincount(now[now >= 0], minlength=count)
        size, size_now = size_before[row], size_after[column]
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
        found = [("split", o, n) for o, n in _several(old[row[parts]], new[column[parts]])]
        found += [("merge", o, n) for n, o in _several(new[column[joined]], old[row[joined]])]
        explained = {one for _, *ids in found for some in ids for one in some}
        gone = np.setdiff1d(old[old >= 0], new).tolist()
        found += [("vanish", (one,), ()) for one in gone if one not in explained]
        found += [("appear", (), (one,)) for one in new[born].tolist() if one not in explained]
        sizes = (
            dict(zip(old.tolist(), size_before.tolist(), strict=True)),
            dict(zip(new.tolist(), size_after.tolist(), strict=True)),
        )
        events = [
            Event(self.number, kind, o, n, self._total(sizes, (o, n)), time) for kind, o, n in found
        ]
        return events + self._changes_of_size(sizes[1], events, time)

    @staticmethod
    def _total(sizes: tuple[dict[int, int], ...], ids: Sequence[Iterable[int]]) -> tuple[int, int]:
        """The vertices of some communities before, and of some after."""
        before, after = (
            sum(size[one] for one in some) for size, some in zip(sizes, ids, strict=True)
        )
        return before, after

    def _changes_of_size(
        self, sizes: dict[int, int], events: list[Event], time: Any
    ) -> list[Event]:
        """What grew or shrank of the present communities, of these sizes, without other events."""
        changed = []
        others = {one for event in events for one in event.after}
        for one in sorted(sizes.keys() - others):
            before, after = self._sizes[one], sizes[one]
            if max(before, after) > self.growth * min(before, after):
                kind = "grow" if after > before else "shrink"
                changed.append(Event(self.number, kind, (one,), (one,), (before, after), time))
            else:
                sizes[one] = before  # as at its last event
        self._sizes = sizes
        return changed

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
        time: in a stream of changes, the time of the last ones, or with `every` the end of the
            step, at which the next one begins; otherwise None.
    """

    number: int
    result: Result
    identity: np.ndarray
    events: list[Event]
    time: Any = None


def track(
    graphs: Graph | Iterable[Graph],
    program: VertexProgram | None = None,
    *,
    events: Any = None,
    every: Any = None,
    device: Any = None,
    tracker: Tracker | None = None,
) -> Iterator[Moment]:
    """Find and follow the communities of a graph that changes.

        track([monday, tuesday, wednesday])  # graphs with the same vertices
        track(graph.windows("1 day"))  # the edges of each day
        track(graph, events=changes, every="1 day")  # edges that come and go

    Each run continues from the State of the previous one, if the program's `restart` is "any".

    Args:
        graphs: graphs with the same vertices; or one, to which `events` happen.
        program: a program with a field of groups, such as `community`, `label` or `component`;
            None: ParticleCommunities().
        events: the changes of the edges, one row each: a table (of pandas, polars, Arrow, or a dict
            of columns) with the columns `source`, `target`, `time`, and `change`, which is "add" or
            "remove"; or a Graph whose edges have these fields. Without `change`, all edges are
            added. Rows may be in any order; of equal times, the first row comes first. An edge that
            is there already gets a parallel one; a removal removes all of them. Other columns are
            the added edges' fields. The first moment is the graph before all of them.
        every: the length of a step, as in `Graph.windows`, from the first time on; each step is a
            moment, also without changes. None: each time is a moment.
        device: as in `Engine`.
        tracker: None: Tracker().

    Raises:
        GasclError: `graphs` is a single graph and there are no events, or the other way round; the
            program has no field of groups; or the events are not as above, such as for the removal
            of an edge that is not there, which is found when its turn comes.
    """
    if isinstance(graphs, Graph) and events is None:
        raise GasclError(
            f"track needs several graphs with the same vertices, not {graphs!r}: give a list or "
            "a generator, graph.windows(...), or its changes, events=table"
        )
    if not isinstance(graphs, Iterable | Graph):
        raise GasclError(f"track needs graphs with the same vertices, not {graphs!r}: give a list")
    if events is not None and not isinstance(graphs, Graph):
        raise GasclError(
            "events are changes of one graph, and there are several: give track(graph, "
            "events=...), or the graphs alone"
        )
    if every is not None and events is None:
        raise GasclError("every divides the time of events: give events=table, too")
    if program is None:
        from gascl.programs.particle_communities import ParticleCommunities

        program = ParticleCommunities()
    if not isinstance(program, VertexProgram):
        raise GasclError(
            f"program must be a program such as ParticleCommunities(), not {program!r}"
        )
    field = next((name for name in GROUPS if name in program.spec.vertex_fields), None)
    if field is None:
        raise GasclError(
            f"{type(program).__name__} has no vertex field of groups to follow, "
            f"{', '.join(GROUPS[:-1])} or {GROUPS[-1]}; it has "
            f"{', '.join(program.spec.vertex_fields)}; give a program that has one, or pass "
            "groups to Tracker().update(...)"
        )
    if tracker is not None and not isinstance(tracker, Tracker):
        raise GasclError(f"tracker must be a Tracker(), not {tracker!r}")
    if isinstance(graphs, Graph):
        steps = changed_graphs(graphs, events, every)
    else:
        steps = ((None, graph) for graph in graphs)
    return _moments(steps, program, field, device, Tracker() if tracker is None else tracker)


def _same_labels(one: Any, other: Any) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other))


def _moments(
    steps: Iterable[tuple[Any, Graph]],
    program: VertexProgram,
    field: str,
    device: Any,
    tracker: Tracker,
) -> Iterator[Moment]:
    from gascl.run.engine import Engine

    state, first = None, None
    for time, graph in steps:
        engine = Engine(graph, device)
        first = graph if first is None else first
        if not _same_labels(first.labels, graph.labels):
            raise GasclError(
                "track needs graphs with the same vertices, and their labels differ, or have "
                "another order: make all from one graph, by with_edges, where or windows, or from "
                "edges with the same labels="
            )
        result = engine.run(program, state=state, keep_state=True)
        # What depends on where it began, or allows only more edges, begins again each time.
        state = result.state if program.spec.restart == "any" else None
        events = tracker.update(result[field], time)
        yield Moment(tracker.number, result, tracker.identity, events, time)
