"""The rules of validation: what agrees, and that each kind of wrong output is found."""

import numpy as np
import pytest

from gascl.graphalytics.validation import EXACT, NEAR, RENAMED

LABELS = np.array([10, 20, 30, 40, 50])
BIG = 2**63 - 1


def difference(rule, found, expected):
    return rule.difference(LABELS, np.array(found), np.array(expected))


@pytest.mark.parametrize(
    ("rule", "found", "expected"),
    [
        (EXACT, [0, 1, 2, BIG, BIG], [0, 1, 2, BIG, BIG]),
        (RENAMED, [1, 1, 2, 2, 3], [7, 7, 5, 5, 6]),
        (RENAMED, [4, 0, 4, 0, 4], [0, 4, 0, 4, 0]),
        (NEAR, [1.0, 0.0, -2.0, np.inf, 5e-324], [1.00009, 0.0, -2.00019, np.inf, 5e-324]),
        (NEAR, [1e300, 1.0, 1.0, 1.0, 1.0], [1e300, 1.0, 1.0, 1.0, 1.0]),
    ],
)
def test_agreement(rule, found, expected):
    assert difference(rule, found, expected) == ""


def test_no_vertices():
    for rule in (EXACT, RENAMED, NEAR):
        none = np.empty(0, float if rule is NEAR else int)
        assert rule.difference(none, none, none) == ""


WRONG = [
    (EXACT, [0, 1, 3, BIG, 0], [0, 1, 2, BIG, 1], "vertex 30 has 3, expected 2; 2 of 5 vertices"),
    (EXACT, [0, 1, 2, 3, -1], [0, 1, 2, 3, BIG], f"vertex 50 has -1, expected {BIG}; 1 of 5"),
    # What float64 could not tell apart
    (EXACT, [BIG - 1, 0, 0, 0, 0], [BIG, 0, 0, 0, 0], f"vertex 10 has {BIG - 1}, expected {BIG}"),
    # A group parted, two groups as one, and both at once
    (
        RENAMED,
        [1, 1, 2, 2, 3],
        [7, 7, 5, 5, 5],
        "vertex 50 has 3, expected 5, while vertex 30 has 2, ",
    ),
    (
        RENAMED,
        [1, 1, 2, 2, 2],
        [7, 7, 5, 5, 6],
        "vertex 50 has 2, expected 6, while vertex 30 has 2, ",
    ),
    (
        RENAMED,
        [1, 1, 1, 1, 1],
        [1, 2, 3, 4, 5],
        "vertex 20 has 1, expected 2, while vertex 10 has 1, ",
    ),
    (RENAMED, [1, 2, 1, 2, 1], [1, 2, 2, 1, 1], "; 2 of 5 vertices differ"),
    (NEAR, [1, 1.00011, 1, 1, 1], [1, 1, 1, 1, 1.0], "vertex 20 has 1.00011, expected 1.0; 1 of 5"),
    (NEAR, [1, 0.99989, 1, 1, 1], [1, 1, 1, 1, 1.0], "vertex 20 has 0.99989, expected 1.0; 1 of 5"),
    (NEAR, [1, 1, 1, 1, 1e-300], [1, 1, 1, 1, 0.0], "vertex 50 has 1e-300, expected 0.0; 1 of 5"),
    (NEAR, [1, 1, 1, 1, 1e308], [1, 1, 1, 1, np.inf], "vertex 50 has 1e+308, expected inf; 1 of 5"),
    (NEAR, [1, 1, 1, 1, np.inf], [1, 1, 1, 1, 1e308], "vertex 50 has inf, expected 1e+308; 1 of 5"),
    (NEAR, [1, 1, 1, 1, -np.inf], [1, 1, 1, 1, np.inf], "vertex 50 has -inf, expected inf; 1 of"),
    (NEAR, [np.nan, 1, 1, 1, 1], [1, 1, 1, 1, 1.0], "vertex 10 has nan, expected 1.0; 1 of 5"),
    (NEAR, [np.nan, 1, 1, 1, 1], [np.nan, 1, 1, 1, 1], "vertex 10 has nan, expected nan; 1 of 5"),
    (NEAR, [-1.0, 1, 1, 1, 1], [1.0, 1, 1, 1, 1], "vertex 10 has -1.0, expected 1.0; 1 of 5"),
]


@pytest.mark.parametrize(("rule", "found", "expected", "said"), WRONG)
def test_every_kind_of_wrong_output_is_found(rule, found, expected, said):
    assert said in difference(rule, found, expected)


def test_the_second_vertex_of_a_renaming_is_what_it_contradicts():
    said = difference(RENAMED, [1, 1, 2, 2, 3], [7, 7, 5, 5, 5])
    assert said.startswith("vertex 50 has 3, expected 5, while vertex 30 has 2, expected 5; 1 of 5")
