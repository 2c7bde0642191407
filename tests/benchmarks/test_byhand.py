"""PageRank by hand gives the ranks, with an item to a block of rows and with groups."""

import answers
import pytest
from byhand import PageRankByHand
from graphs import grid, rmat, uniform
from support.case_subsets import thinned

from gascl.opencl.device_choice import find

SUPERSTEPS = 20


@pytest.mark.parametrize(
    ("edges", "shape"),
    thinned(
        [rmat(8), rmat(8, directed=False), uniform(7), grid(9), grid(20, 0.05)],
        [(1, 64), (8, 8), (16, 64)],
    ),
)
def test_ranks(edges, shape):
    group, arcs = shape
    by_hand = PageRankByHand(edges.graph(), find(), SUPERSTEPS, group, arcs)
    for _ in range(2):
        seconds, rank, note = by_hand.run()
        assert seconds > 0 and note.startswith(f"{SUPERSTEPS} supersteps, kernels ")
        answers.ranks(edges, rank, SUPERSTEPS)


def test_other_numbers(renumbered):
    edges = rmat(8)
    _, rank, _ = PageRankByHand(edges.graph(), find(), SUPERSTEPS).run()
    answers.ranks(edges, rank, SUPERSTEPS)
