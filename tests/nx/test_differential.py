"""Every function against NetworkX's own: values, types, exceptions and their texts, and the order
(see support/backend_answers.py). On graphs of all four kinds, with loops, parallel edges, mixed
nodes, and weights that are whole, missing, 0 or below; and, marked slow, on graphs of 530 and of
5,000 nodes, where searches go in several rounds. .ci/run runs these, too."""

from functools import cache

import pytest
from support import backend_cases
from support.backend_answers import DECLINED, agree, outcome, public
from support.backend_cases import KINDS, ONE_BY_ONE, QUADRATIC, SCORES, SIGNED, calls
from support.case_subsets import thinned

from gascl.nx.backend import FUNCTIONS  # having registered all

#: Those whose answers are NetworkX's.
NAMES = sorted(name for name, function in FUNCTIONS.items() if not function.random)
small = cache(backend_cases.small)
large = cache(backend_cases.large)


def disagreement(name, G, arguments, keywords):
    """Both outcomes, shortened, if they differ; and whether gascl gave a value."""
    function = public(name)
    found = outcome(function, G, *arguments, backend="gascl", **seeded(name), **keywords)
    if isinstance(found, str) and found == DECLINED:
        return None, False
    expected = outcome(function, G, *arguments, **seeded(name), **keywords)
    shown = str(expected)[:200], str(found)[:200]
    answered = not (isinstance(found, tuple) and found and isinstance(found[0], type))
    agreed = agree(name, G, expected, found)
    return None if agreed else shown, answered


def check(name, cases):
    """Compare the calls on graphs by name; returns how many were answered, and not declined."""
    wrong, answers = [], 0
    for label, G, arguments, keywords in cases:
        differ, answered = disagreement(name, G, arguments, keywords)
        answers += answered
        if differ:
            wrong.append((label, G, arguments, keywords, *differ))
    assert not wrong, wrong[:3]
    return answers


def id_of(value):
    return value if isinstance(value, str) else value.__name__


@pytest.mark.parametrize(("name", "kind"), thinned(NAMES, KINDS, by=8), ids=id_of)
def test_answers_equal_those_of_networkx(name, kind):
    def on(kinds):
        return (
            (label, G, *call)
            for kind in kinds
            for label, G in small(kind).items()
            for call in calls(name, G)[: None if label in ("sparse", "dense") else 2]
        )

    # Of a function that declines all calls, nothing would be known.
    assert check(name, on([kind])) or check(name, on(other for other in KINDS if other is not kind))


def seeded(name):
    """A new generator for each call, so that both draw the same."""
    return {"seed": 5} if "seed" in FUNCTIONS[name].parameters else {}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_answers_on_large_graphs(name):
    count = 60 if name in ONE_BY_ONE else 530 if name in QUADRATIC else 5_000
    assert check(
        name,
        (
            (label, G, *call)
            for kind in KINDS
            for label, G in large(kind, count).items()
            # An undirected edge of negative length is a cycle, for which NetworkX takes a minute.
            if label in ("large", "ring") or (name in SIGNED and G.is_directed())
            for call in calls(name, G)[: 2 if label == "large" and name not in SCORES else 1]
        ),
    )
