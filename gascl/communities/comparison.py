"""Similarity of two groupings of the same vertices, such as detected and known communities."""

from __future__ import annotations

import numpy as np

from gascl.errors import GasclError


def adjusted_rand(one: np.ndarray, other: np.ndarray) -> float:
    """The adjusted Rand index of two groupings: 1 if equal, about 0 if they agree only by chance.

    Hubert and Arabie, Comparing partitions (1985). A grouping is a number for every vertex, (V,).
    """
    both, first, second = _counts(one, other)
    pairs, chance = both @ (both - 1), (first @ (first - 1)) * (second @ (second - 1))
    chance /= max(len(one) * (len(one) - 1), 1)
    most = (first @ (first - 1) + second @ (second - 1)) / 2
    return float((pairs - chance) / (most - chance)) if most != chance else 1.0


def mutual_information(one: np.ndarray, other: np.ndarray) -> float:
    """The normalized mutual information of two groupings: 1 if equal, 0 if independent.

    Danon, Díaz-Guilera, Duch and Arenas, Comparing community structure identification (2005).
    """
    both, first, second = (_entropy(counts) for counts in _counts(one, other))
    return (first + second - both) / ((first + second) / 2) if first + second else 1.0


def _counts(one: np.ndarray, other: np.ndarray) -> list[np.ndarray]:
    """The sizes of the intersections of groups, of the groups of one, and of those of the other."""
    one, other = np.asarray(one), np.asarray(other)
    if one.ndim != 1 or one.shape != other.shape:
        raise GasclError(
            f"groupings of the same vertices have a number for each, not the shapes {one.shape} "
            f"and {other.shape}: give both of one graph"
        )
    (groups, a), (_, b) = (np.unique(x, return_inverse=True) for x in (one, other))
    counted = (np.bincount(x).astype(np.float64) for x in (a + b * len(groups), a, b))
    return [counts[counts > 0] for counts in counted]


def _entropy(counts: np.ndarray) -> float:
    share = counts / max(counts.sum(), 1)
    return float(-(share @ np.log(share)))
