"""What verifiers have in common: two arrays of a value a vertex, and where they first differ."""

from __future__ import annotations

import numpy as np

from gascl import Graph


def agree(graph: Graph, field: str, found, expected, relative: float = 0, absolute: float = 0):
    """Raises AssertionError with the first vertex whose values differ by more than is allowed."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, f"{field} has shape {found.shape}, not {expected.shape}"
    if relative or absolute:
        same = np.isclose(found, expected, relative, absolute)
    else:
        same = found == expected
    if not same.all():
        first = int(np.argmin(same))
        raise AssertionError(
            f"{field} of vertex {graph.label_of(first)!r} is {found[first]!r}, not "
            f"{expected[first]!r} ({np.count_nonzero(~same):,} of {len(same):,} vertices differ)"
        )
