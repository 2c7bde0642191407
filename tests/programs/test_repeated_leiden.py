"""200 runs of Leiden on each graph, by each delivery, return one answer."""

import pytest
from support.repeated_leiden import GRAPHS, answers


@pytest.mark.slow
@pytest.mark.parametrize("name", GRAPHS)
def test_one_answer(name):
    assert len(answers(GRAPHS[name](), 200)) == 1


def test_one_answer_of_a_few_runs():
    assert len(answers(GRAPHS["loops, parallel edges, components"](), 4)) == 1
