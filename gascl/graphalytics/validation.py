"""Whether what was found for each vertex is what was expected, by LDBC Graphalytics' three rules.

Iosup and others, "The LDBC Graphalytics Benchmark", specification 1.0.6, section 2.5.3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

TOLERANCE = 1e-4  # of the expected value


@dataclass(frozen=True)
class Rule:
    """What agreement means.

    Attributes:
        words: how values that agree are, before the name of what they agree with.
        wrong: which vertices disagree, bool (V,), of what was found and expected, (V,) each.
        why: about the first vertex that disagrees, its label, what was found and what was expected.
    """

    words: str
    wrong: Callable[[np.ndarray, np.ndarray], np.ndarray]
    why: Callable[[np.ndarray, np.ndarray, np.ndarray, int], str]

    def difference(self, labels: np.ndarray, found: np.ndarray, expected: np.ndarray) -> str:
        """The first vertex that disagrees, and how many do; "" where all agree."""
        wrong = self.wrong(found, expected)
        if not wrong.any():
            return ""
        first = int(np.argmax(wrong))
        count = f"{np.count_nonzero(wrong):,} of {len(wrong):,} vertices differ"
        return f"{self.why(labels, found, expected, first)}; {count}"


def unequal(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Where values are not the same, bit for bit."""
    return found != expected


def far(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Where a value is further from the expected one than TOLERANCE of that. Infinity is near
    infinity alone, and NaN near nothing."""
    finite = np.isfinite(found) & np.isfinite(expected)
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(found - expected) <= TOLERANCE * np.abs(expected)
    return ~((finite & near) | (found == expected))


def regrouped(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Where a vertex is not with the same others, whatever the names of the groups: the first
    vertex of its group is another one."""
    return _firsts(found) != _firsts(expected)


def _firsts(group: np.ndarray) -> np.ndarray:
    """(V,): the first vertex of each one's group."""
    _, first, place = np.unique(group, return_index=True, return_inverse=True)
    return first[place.reshape(-1)]


def _values(labels: np.ndarray, found: np.ndarray, expected: np.ndarray, vertex: int) -> str:
    return f"vertex {labels[vertex]} has {found[vertex]}, expected {expected[vertex]}"


def _groups(labels: np.ndarray, found: np.ndarray, expected: np.ndarray, vertex: int) -> str:
    """Beside the vertex another one, of an earlier place, with which it is in one and not in the
    other: only both together contradict a renaming."""
    other = min(int(np.argmax(group == group[vertex])) for group in (found, expected))
    both = (_values(labels, found, expected, each) for each in (vertex, other))
    return ", while ".join(both)


EXACT = Rule("equal to", unequal, _values)
RENAMED = Rule("but for the names equal to", regrouped, _groups)
NEAR = Rule(f"within {TOLERANCE:g} of", far, _values)
