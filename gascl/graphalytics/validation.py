"""Compares computed values of the vertices with expected ones, by Graphalytics' three rules.

Iosup and others, "The LDBC Graphalytics Benchmark", specification 1.0.6, section 2.5.3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

TOLERANCE = 1e-4  # of the expected value


@dataclass(frozen=True)
class Rule:
    """A definition of agreement.

    Attributes:
        words: the agreement as text, to be followed by the name of the expected values.
        wrong: (found, expected), (V,) each -> bool (V,): the vertices that disagree.
        why: (labels, found, expected, vertex) -> an explanation of why this vertex disagrees.
    """

    words: str
    wrong: Callable[[np.ndarray, np.ndarray], np.ndarray]
    why: Callable[[np.ndarray, np.ndarray, np.ndarray, int], str]

    def difference(self, labels: np.ndarray, found: np.ndarray, expected: np.ndarray) -> str:
        """The first vertex that disagrees, and the number of such vertices; "" if all agree."""
        wrong = self.wrong(found, expected)
        if not wrong.any():
            return ""
        first = int(np.argmax(wrong))
        count = f"{np.count_nonzero(wrong):,} of {len(wrong):,} vertices differ"
        return f"{self.why(labels, found, expected, first)}; {count}"


def unequal(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """bool (V,): where values are not equal."""
    return found != expected


def differs(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """bool (V,): where a value differs from the expected one by more than TOLERANCE times that.
    Infinity agrees only with infinity, and NaN with nothing."""
    finite = np.isfinite(found) & np.isfinite(expected)
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(found - expected) <= TOLERANCE * np.abs(expected)
    return ~((finite & near) | (found == expected))


def regrouped(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """bool (V,): where a vertex is in another group, apart from the names of groups: where the
    first vertex of its group differs."""
    return _firsts(found) != _firsts(expected)


def _firsts(group: np.ndarray) -> np.ndarray:
    """(V,): the first vertex of each vertex's group."""
    _, first, place = np.unique(group, return_index=True, return_inverse=True)
    return first[place.reshape(-1)]


def _values(labels: np.ndarray, found: np.ndarray, expected: np.ndarray, vertex: int) -> str:
    return f"vertex {labels[vertex]} has {found[vertex]}, expected {expected[vertex]}"


def _groups(labels: np.ndarray, found: np.ndarray, expected: np.ndarray, vertex: int) -> str:
    """The vertex and an earlier one that shares its group in one result and not in the other; only
    both together contradict a renaming."""
    other = min(int(np.argmax(group == group[vertex])) for group in (found, expected))
    both = (_values(labels, found, expected, each) for each in (vertex, other))
    return ", while ".join(both)


EXACT = Rule("equal to", unequal, _values)
RENAMED = Rule("but for the names equal to", regrouped, _groups)
NEAR = Rule(f"within {TOLERANCE:g} of", differs, _values)
