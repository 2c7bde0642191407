"""The benchmark of communities that change: its graphs, and how it counts events."""

import changing_communities as benchmark
import numpy as np
import pytest

from gascl.communities.tracking import Event


def test_half_of_a_community_moves_to_the_other_and_back():
    steps = list(benchmark.grow_shrink(0))
    sizes = np.array([np.bincount(step.planted, minlength=4) for step in steps])
    assert (sizes[:, [0, 2]] + sizes[:, [1, 3]] == 64).all()
    assert sizes.min() == 16 and sizes.max() == 48
    assert sizes[0].tolist() == [32, 32, 32, 32]
    assert (sizes[:50, :2] == sizes[50:, 2:]).all()  # the pairs are half a period apart
    assert_block_model(steps[10], 0.5, 0.05)


def test_communities_merge_where_nothing_tells_them_apart():
    steps = list(benchmark.merge_split(0))
    count = [len(np.unique(step.planted)) for step in steps]
    assert (min(count), max(count)) == (2, 4)
    # 32 (0.5 - q)^2 = 0.5 + q at q = 0.33816, which is 32.02 of the 50 steps from 0.05 to 0.5.
    one = [len(np.unique(step.planted[:64])) == 1 for step in steps]
    assert [i for i, merged in enumerate(one) if merged] == list(range(33, 68))


def assert_block_model(step, inside, outside):
    graph, planted = step
    same = planted[graph.edge_src] == planted[graph.edge_dst]
    pairs = sum(n * (n - 1) / 2 for n in np.bincount(planted).tolist())
    others = len(planted) * (len(planted) - 1) / 2 - pairs
    assert np.count_nonzero(same) / pairs == pytest.approx(inside, abs=0.04)
    assert np.count_nonzero(~same) / others == pytest.approx(outside, abs=0.01)


def test_events_found_missed_and_invented():
    def event(number, kind, *vertices):
        return Event(number, kind, (0,), (1,), (3, 3)), frozenset(vertices)

    planted = [event(10, "split", 1, 2, 3), event(10, "merge", 4, 5, 6), event(30, "grow", 7, 8)]
    found = [
        event(19, "split", 1, 2, 3, 4),
        event(21, "merge", 4, 5, 6),  # too late
        event(30, "grow", 8, 9, 10),  # others
        event(30, "shrink", 7, 8),
    ]
    assert benchmark.compare(planted, found) == (3, 1, 2, 3)
    assert benchmark.compare(planted, planted) == (3, 3, 0, 0)
