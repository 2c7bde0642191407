"""How alike groupings are, against igraph."""

import igraph
import numpy as np
import pytest

from gascl import GasclError
from gascl.communities import adjusted_rand, mutual_information


@pytest.mark.parametrize("seed", range(12))
def test_similarity_of_communities_against_igraph(seed):
    rng = np.random.default_rng(seed)
    one = rng.integers(0, seed + 1, 50)
    other = np.where(rng.random(50) < seed / 12, one, rng.integers(0, 4, 50))
    for value, method in ((adjusted_rand, "adjusted_rand"), (mutual_information, "nmi")):
        expected = igraph.compare_communities(one.tolist(), other.tolist(), method=method)
        if not np.isnan(expected):
            assert value(one, other) == pytest.approx(expected, abs=1e-12), method
        assert value(one, other) == pytest.approx(value(other, one), abs=1e-12)
        assert [value(one, one), value(-one, one)] == pytest.approx([1, 1])


def test_similarity_of_communities_with_words_and_with_one_group():
    words = np.array(["x", "y", "x"])
    assert adjusted_rand(words, [3, 1, 3]) == mutual_information(words, [3, 1, 3]) == 1
    assert adjusted_rand([0, 0], [5, 5]) == mutual_information([0, 0], [5, 5]) == 1
    assert adjusted_rand([0, 0, 0], [0, 1, 2]) == mutual_information([0, 0, 0], [0, 1, 2]) == 0


@pytest.mark.parametrize("alike", [adjusted_rand, mutual_information])
@pytest.mark.parametrize("other", [[0, 1], [[0, 1, 2]], 3])
def test_groupings_of_other_vertices_are_refused(alike, other):
    with pytest.raises(GasclError, match=r"have a number for each, not the shapes \(3,\) and"):
        alike([0, 0, 1], other)
    assert alike([0, 0, 1], [5, 5, 2]) == 1
