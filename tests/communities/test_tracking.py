"""Tracking: events by hand, and a block model whose groups split and merge at known steps."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from support.block_model import EVENTS, changing, community

from gascl import GasclError, Graph
from gascl.communities.tracking import Event, Tracker, track
from gascl.programs import PageRank, ParticleCommunities


def groups(*sizes: int) -> list[int]:
    """0, 0, ..., 1, 1, ...; a negative size is of vertices in none."""
    number, found = 0, []
    for size in sizes:
        found += [number if size > 0 else -1] * abs(size)
        number += size > 0
    return found


def told(*moments: list[int], **options) -> list[list[tuple]]:
    tracker = Tracker(**options)
    events = [tracker.update(moment) for moment in moments]
    assert all(e.number == n for n, found in enumerate(events) for e in found)
    return [[(e.kind, e.before, e.after) for e in found] for found in events]


def test_identities_stay_whatever_the_numbers():
    tracker = Tracker()
    first = groups(8, 8, 8, -2)
    assert [e.kind for e in tracker.update(first)] == ["appear"] * 3
    assert tracker.identity.tolist() == first
    renumbered = np.array([70, 3, 12, -1])[first]
    renumbered[[0, 9]] = 3, 12  # and two have moved
    assert tracker.update(renumbered) == []
    assert tracker.identity.tolist() == [1, *first[1:9], 2, *first[10:]]
    assert tracker.number == 1


HALVES, WHOLE = groups(8, 8, 8), [0] * 16 + [1] * 8
BY_HAND = {
    "split in halves": (WHOLE, HALVES, [("split", (0,), (0, 2))]),
    "a small part leaves": (WHOLE, groups(12, 4, 8), [("split", (0,), (0, 2))]),
    "split in five": ([0] * 20, groups(4, 4, 4, 4, 4), [("split", (0,), (1, 2, 3, 4, 5))]),
    "merge": (HALVES, WHOLE, [("merge", (0, 1), (0,))]),
    "a small one joins": (groups(12, 4, 8), WHOLE, [("merge", (0, 1), (0,))]),
    "five merge": (groups(4, 4, 4, 4, 4), [0] * 20, [("merge", (0, 1, 2, 3, 4), (5,))]),
    "appear": (groups(8, -8), groups(8, 8), [("appear", (), (1,))]),
    "vanish": (groups(8, 8), groups(8, -8), [("vanish", (1,), ())]),
    "too small is none": (groups(8, 3), groups(8, 2, 1), [("vanish", (1,), ())]),
    "most move to another": (groups(10, 40), [0] * 4 + [1] * 46, [("shrink", (0,), (0,))]),
    "some move to another": (groups(20, 5), groups(14, 11), [("grow", (1,), (1,))]),
    "by no more than half": (groups(20, 10), groups(15, 15), []),
    "two meet in a larger one": (
        [0] * 6 + [1] * 6 + [-1] * 30,
        [0] * 42,
        [("merge", (0, 1), (2,))],
    ),
    "parts of all": (
        groups(6, 6, 6),
        [0, 1, 2] * 6,
        [*[("vanish", (i,), ()) for i in range(3)], *[("appear", (), (i + 3,)) for i in range(3)]],
    ),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name):
    before, after, expected = BY_HAND[name]
    assert told(before, after)[1] == expected


def test_a_split_and_a_merge_at_once_and_identities_are_not_used_again():
    parts, other = groups(8, 8, 8, 8), [0] * 8 + [1] * 16 + [2] * 8
    events = told([0] * 16 + [1] * 16, parts, other, [0] * 32, other)
    assert events[1] == [("split", (0,), (0, 2)), ("split", (1,), (1, 3))]
    assert [kind for kind, *_ in events[2]] == ["merge"]
    assert [kind for kind, *_ in events[3]] == ["merge"]
    fresh = {i for e in events[4] for i in e[2]} - {i for e in events[3] for i in e[2]}
    assert fresh and min(fresh) > max(i for found in events[:4] for e in found for i in e[1] + e[2])


def test_empty_and_alone():
    assert told([], []) == [[], []]
    assert told([-1, -1], [0, 1], [0, 0]) == [[], [], []]
    assert told([0], [0], smallest=1) == [[("appear", (), (0,))], []]


def test_words():
    assert str(Event(3, "split", (4,), (4, 7), (9, 9))) == "3: split 4 -> 4 + 7"
    assert str(Event(0, "appear", (), (2,), (0, 5))) == "0: appear 2"
    assert str(Event(1, "grow", (2,), (2,), (1000, 3000))) == "1: grow 2 (1,000 -> 3,000 vertices)"
    day = np.datetime64("2024-03-05", "us")
    assert str(Event(1, "vanish", (2,), (), (3, 0), day)) == "2024-03-05: vanish 2"


def test_slow_growth_is_an_event_at_last_and_sizes_are_told():
    tracker = Tracker()
    moments = [groups(10 + i, 90 - i) for i in range(0, 21, 2)]
    events = {n: tracker.update(m, time=10.0 * n) for n, m in enumerate(moments)}
    told = {(e.kind, e.time, e.vertices) for n, found in events.items() for e in found}
    assert {e for e in told if e[0] != "appear"} == {
        ("grow", 30.0, (10, 16)),
        ("grow", 80.0, (16, 26)),
    }
    split = tracker.update(groups(14, 16, 70))
    assert [(e.kind, e.vertices) for e in split] == [("split", (30, 30))]
    # From its last event on: 16 of 30 split off, and another 8 of 16 do not come back.
    shrink = tracker.update(groups(14, 10, 76))
    assert [(e.kind, e.vertices) for e in shrink] == [("shrink", (16, 10))]


@pytest.mark.parametrize("seed", range(20))
def test_the_best_matching(seed):
    """Against NetworkX's, over all communities at once."""
    rng = np.random.default_rng(seed)
    before = rng.integers(0, 12, 60)
    after = np.where(rng.random(60) < 0.4, before, rng.integers(0, 12, 60))
    tracker = Tracker(overlap=0.2, smallest=1)
    tracker.update(before)
    old = tracker.identity
    tracker.update(after)
    graph = nx.Graph()
    for a in set(old.tolist()):
        for b in set(after.tolist()):
            share = np.count_nonzero((old == a) & (after == b))
            share /= np.count_nonzero((old == a) | (after == b))
            if share >= 0.2:
                graph.add_edge(("old", a), ("new", b), weight=share)
    best = nx.max_weight_matching(graph)
    kept = {(a, b) for a, b in zip(tracker.identity.tolist(), after.tolist(), strict=True)}
    share = sum(graph.edges[("old", a), ("new", b)]["weight"] for a, b in kept if a < 12)
    assert share == pytest.approx(sum(graph.edges[edge]["weight"] for edge in best))
    assert len(kept) == len({a for a, _ in kept})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([0, 1], "of 3 vertices, as before, not of 2"),
        ([0.5, 1, 2], "float64"),
        ([[0, 1, 2]], r"shape \(1, 3\)"),
    ],
)
def test_refused(given, said):
    tracker = Tracker()
    tracker.update([0, 0, 0])
    with pytest.raises(GasclError, match=said):
        tracker.update(given)
    with pytest.raises(GasclError, match="overlap"):
        Tracker(overlap=0)
    for growth in (1, "2", None):
        with pytest.raises(GasclError, match="growth must be more than 1"):
            Tracker(growth=growth)


def test_graphs_of_other_vertices():
    ends = [0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3]
    one, same, other, none = (
        Graph.from_edges(*ends, directed=False, labels=labels)
        for labels in (list("abcdef"), list("abcdef"), list("defabc"), None)
    )
    assert len(list(track([one, same]))) == 2
    for wrong in (other, none):
        with pytest.raises(GasclError, match="their labels differ, or have another order"):
            list(track([one, wrong]))


def test_each_run_starts_from_the_previous_positions():
    graph = next(changing())
    first, second = (moment.result for moment in track([graph, graph]))
    moves = [sum(s.program == "Particles" for s in result.trace) for result in (first, second)]
    assert moves[0] > 20 and moves[1] <= 2
    assert np.abs(first.position - second.position).max() < 0.05


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_groups_that_split_and_merge(seed):
    found, group = {}, np.repeat(np.arange(8), 20)
    for moment in track(changing(seed=seed), ParticleCommunities(seed=seed)):
        planted = community(moment.number)[group]
        pairs = set(zip(moment.identity.tolist(), planted.tolist(), strict=True))
        assert len(pairs) == len(set(planted.tolist())), f"step {moment.number}: {pairs}"
        if moment.number:
            for event in moment.events:
                assert event.number not in found, f"a second event: {event}"
                found[event.number] = event.kind
        else:
            assert [e.kind for e in moment.events] == ["appear"] * 7
            steady = moment.identity[group == 7]
        assert np.array_equal(moment.identity[group == 7], steady)
    assert found == EVENTS


@pytest.mark.parametrize(
    ("graphs", "options", "said"),
    [
        (Graph.from_edges([0], [1]), {}, "needs several graphs .* not Graph.* give a list"),
        (3, {}, "needs graphs with the same vertices, not 3"),
        ([], {"program": PageRank()}, "PageRank has no vertex field of groups.* it has"),
        ([], {"events": {}}, "events are changes of one graph"),
        ([], {"every": 3}, "every divides the time of events"),
        (
            [],
            {"program": ParticleCommunities},
            "program must be a program such as",
        ),
        ([], {"tracker": 3}, "tracker must be a Tracker"),
        ([3], {}, "Engine takes a gascl.Graph, not int"),
    ],
)
def test_what_can_not_be_followed(graphs, options, said):
    with pytest.raises(GasclError, match=said):
        list(track(graphs, **options))
