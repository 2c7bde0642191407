"""The backend's answers in random histories of a graph, see support/backend_histories.py: after
changes by methods and by hand, of copies and pickles, through views, with weights of all types, and
with generators, which must have moved on as NetworkX's own function moves them."""

import pytest
from support.backend_histories import history
from support.case_subsets import one_in

AT_A_TIME = 40


def many(blocks):
    return [range(begin * AT_A_TIME, (begin + 1) * AT_A_TIME) for begin in blocks]


@pytest.mark.parametrize("seeds", one_in(2, many(range(5))), ids=str)
def test_answers_equal_those_of_networkx_throughout_a_history(seeds):
    assert [wrong for wrong in map(history, seeds) if wrong] == []


@pytest.mark.slow
@pytest.mark.parametrize("seeds", many(range(5, 100)), ids=str)
def test_answers_all_along_in_more_histories(seeds):
    assert [wrong for wrong in map(history, seeds) if wrong] == []
